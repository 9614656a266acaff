"""`sgai learn-beliefs`: learn from random plays what values the components of a game tend to have."""

import argparse
import itertools
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sgai
from sgai.errors import SgaiError, shortened
from sgai.experiments.cli.common import count, print_json, seconds, whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgai.belief_learning import LogLosses, Sampler
    from sgai.belief_tables import BeliefTable, Observation

_MOST_SHOWN = 120  # characters of a ruleset in the file


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "learn-beliefs",
        help="learn what values components of a game tend to have",
        description="Play random games, solve their components, and write a table of how often which value came up: "
        "what an agent expects of components that it cannot solve. For normal play.",
    )
    parser.add_argument(
        "rulesets", nargs="+", metavar="RULESET", help="name(key=value,...); several of one name are played in turn"
    )
    parser.add_argument(
        "--positions", type=count, default=2000, metavar="N", help="components to solve (default: 2000)"
    )
    parser.add_argument("--seed", type=whole_number, default=0, metavar="S", help="of the random games (default: 0)")
    parser.add_argument("--largest", type=count, metavar="N", help="the largest component: cells, tokens (default: 24)")
    parser.add_argument("--states", type=count, metavar="N", help="the most states for one component (default: 20000)")
    parser.add_argument("--seconds", type=seconds, metavar="S", help="stop after so many seconds")
    parser.add_argument(
        "--vertices",
        type=count,
        metavar="N",
        help="play on random graphs of up to N vertices, not on the ruleset's own",
    )
    parser.add_argument("--out", metavar="FILE", help="the file to write (default: NAME.beliefs.json)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def run(options: argparse.Namespace) -> int:
    """Learn, write the table, and say how well it foretells."""
    from sgai.belief_learning import Sampler
    from sgai.experiments.cli.progress import shown_progress

    rulesets = [sgai.load_ruleset(text) for text in options.rulesets]
    file = Path(options.out or f"{rulesets[0].name}.beliefs.json")
    if not file.parent.is_dir():
        raise SgaiError(f"--out {options.out!r}: there is no folder {str(file.parent)!r}")
    limits = {"largest": options.largest, "states": options.states, "vertices": options.vertices}
    given = {name: value for name, value in limits.items() if value is not None}
    found: list[Observation] = []
    with shown_progress() as watch:
        sampler = Sampler(rulesets, seed=options.seed, watch=watch, **given)
        try:
            _collect(sampler, options, found)
        except KeyboardInterrupt:
            kept = "nothing was solved yet"
            if found:
                _table(options, sampler, found).save(file)
                kept = f"the {len(found):,} components that were solved are in {file}"
            print(f"sgai: stopped; {kept}", file=sys.stderr)
            raise
    if not found:
        raise SgaiError(f"{rulesets[0]} has no components of up to {sampler.largest} cells that could be solved")
    table = _table(options, sampler, found)
    table.save(file)
    _report(options, table, found, sampler, file)
    return 0


def _collect(sampler: "Sampler", options: argparse.Namespace, found: "list[Observation]") -> None:
    started = time.monotonic()
    for each in itertools.islice(sampler.observations(), options.positions):
        found.append(each)
        if options.seconds is not None and time.monotonic() - started > options.seconds:
            return


def _table(options: argparse.Namespace, sampler: "Sampler", found: "list[Observation]") -> "BeliefTable":
    from sgai.belief_tables import BeliefTable

    learned = {
        "from": [shortened(text, _MOST_SHOWN) for text in options.rulesets],
        "components": len(found),
        "seed": sampler.seed,
        "largest": sampler.largest,
        "states": sampler.states,
        "vertices": sampler.vertices,
    }
    return BeliefTable(sampler.rulesets[0].name, found, learned)


def _report(
    options: argparse.Namespace, table: "BeliefTable", found: "list[Observation]", sampler: "Sampler", file: Path
) -> None:
    from sgai.belief_learning import held_out_losses

    losses = held_out_losses(table.ruleset, found)
    if options.json:
        print_json(
            {
                "ruleset": table.ruleset,
                "file": str(file),
                "components": len(found),
                "games": sampler.games + 1,
                "not_solved": sampler.skipped,
                "held_out": losses.components if losses else 0,
                "log_loss": {
                    "table": losses.table if losses else None,
                    "generic": losses.generic if losses else None,
                    "uniform": losses.uniform if losses else None,
                },
            }
        )
        return
    for line in _lines(table, sampler, losses):
        print(line)
    print(f"written to {file} ({file.stat().st_size:,} bytes)")


def _lines(table: "BeliefTable", sampler: "Sampler", losses: "LogLosses | None") -> "Iterator[str]":
    yield f"{table.ruleset}: {len(table):,} different components of {sampler.games + 1:,} random games"
    if sampler.skipped:
        yield f"{sampler.skipped:,} others were not solved within the budget, so large ones are too few"
    if losses is None:
        yield "too few games to hold some out"
        return
    yield f"log loss on {losses.components:,} held-out components (in nats, less is better)"
    yield f"  table    {losses.table:.3f}"
    yield f"  generic  {losses.generic:.3f}"
    yield f"  uniform  {losses.uniform:.3f}"
