"""`sgai solve`: Grundy value, outcome, components and winning moves of a position."""

import argparse
import itertools
import sys
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import sgai
from sgai.errors import shortened
from sgai.experiments.cli.common import (
    NOT_SOLVED,
    add_budget,
    add_convention,
    add_position,
    budget,
    count,
    print_json,
    read_position,
)

if TYPE_CHECKING:
    from sgai.solution import Solution, SolvedComponent

_MOST_LINES = 50
_WHO = {
    "N": "the player to move wins",
    "P": "the player to move loses",
    "D": "a draw, neither player can force a win",
}


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "solve",
        help="value, outcome, components and winning moves",
        description="Solve a position: Grundy value, outcome, components and all winning moves.",
    )
    add_position(parser)
    add_convention(parser)
    add_budget(parser)
    parser.add_argument(
        "--memory", type=count, metavar="MIB", help="the most memory for the table of a compiled search (default: 1024)"
    )
    parser.add_argument(
        "--store",
        nargs="?",
        const="",
        metavar="FILE",
        help="use and add to values kept from earlier runs (without FILE: the store that `sgai store info` names)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--trace", action="store_true", help="derive the value step by step")
    parser.add_argument(
        "--trace-limit", type=count, default=1000, metavar="N", help="the most steps to show (default: 1000)"
    )
    return parser


def run(options: argparse.Namespace) -> int:
    """Solve the position and print the answer."""
    from sgai.budget import Budget

    ruleset, position = read_position(options)
    if options.trace and (options.compound, options.ending) != ("disjunctive", "last"):
        raise sgai.UnsupportedError("--trace derives Grundy values, which are for sums: leave it out for compounds")
    store = None if options.store is None else sgai.NimberStore(options.store or None)
    memory = {} if options.memory is None else {"memory": options.memory << 20}
    try:
        solution = _solved(options, ruleset, position, store, memory)
    except KeyboardInterrupt:
        kept = "what took long and can be stored is kept, and the same command goes on from there"
        hint = "with --store, what takes long is kept for the next run"
        print(f"sgai: stopped; {hint if store is None else kept}", file=sys.stderr)
        raise
    finally:
        if store is not None:
            store.close()  # so that its one file holds all
    if options.json:
        answer = solution.to_dict()
        if options.trace:
            answer["trace"] = list(_trace_lines(ruleset, position, options.trace_limit, Budget(**budget(options))))
        print_json(answer)
    else:
        if options.trace:
            for line in _trace_lines(ruleset, position, options.trace_limit, Budget(**budget(options))):
                print(line)
            print()
        for line in _text_lines(solution):
            print(line)
    return 0 if solution.exact else NOT_SOLVED


def _solved(options: argparse.Namespace, ruleset: Any, position: Any, store: Any, memory: dict[str, int]) -> "Solution":
    from sgai.experiments.cli.progress import shown_progress
    from sgai.solver import Solver

    with shown_progress() as watch:
        return Solver(store=store, **memory).solve(
            ruleset,
            position,
            play=options.play,
            compound=options.compound,
            ending=options.ending,
            watch=watch,
            **budget(options),
        )


def _trace_lines(ruleset: Any, position: Any, limit: int, limits: Any) -> Iterator[str]:
    from sgai.budget import OutOfBudget
    from sgai.trace import trace

    steps = trace(ruleset, position, limits)
    try:
        for step in itertools.islice(steps, limit):
            yield str(step)
        if next(steps, None) is not None:
            yield f"... the trace stops after {limit:,} steps; --trace-limit shows more"
    except OutOfBudget:
        yield "... the trace stops at its budget"


def _text_lines(solution: "Solution") -> Iterator[str]:
    from sgai.compounds.solution import CompoundSolution
    from sgai.experiments.cli.compound_text import compound_lines

    if isinstance(solution, CompoundSolution):
        yield from compound_lines(solution)
        return
    ruleset = solution.ruleset
    yield f"{shortened(str(ruleset))} {ruleset.format(solution.position)}"
    if solution.exact:
        who = _WHO[solution.outcome or ""]
        play = " under misere play" if solution.play == "misere" else ""
        yield f"outcome       {solution.outcome}: {who}{play}"
        if solution.decided is not None:
            yield f"decided by    {solution.decided}"
        if solution.loopy_value is not None:
            yield f"loopy value   {solution.loopy_value.in_words()}"
        elif solution.grundy is None:
            yield "Grundy value  not found" + ("" if play else "; a theorem gives the outcome")
        else:
            yield f"Grundy value  {solution.grundy}" + (" (under normal play)" if play else "")
    else:
        yield "not solved within the budget"
    for fact in solution.proved:
        yield f"  proved: {fact}"
    yield from _component_lines(solution)
    if solution.exact:
        yield from _move_lines(solution)
    paths = f", standing for {solution.paths:.6g} paths" if solution.paths is not None and solution.states else ""
    hits = f", {solution.hits:,} table hits" if solution.hits else ""
    yield f"evaluated {solution.states:,} states{paths}{hits} in {solution.seconds:.3g} s"


def _component_lines(solution: "Solution") -> Iterator[str]:
    counted = Counter(
        (str(part.ruleset), part.ruleset.format(part.position), _said(part, solution.exact))
        for part in solution.components
    )
    if not counted:
        return
    yield "components"
    for (name, position, said), number in itertools.islice(counted.items(), _MOST_LINES):
        times = f"  ({number} times)" if number > 1 else ""
        yield f"  {shortened(name)} {position}: {said}{times}"
    if len(counted) > _MOST_LINES:
        yield f"  ... and {len(counted) - _MOST_LINES} more"


def _said(part: "SolvedComponent", is_exact: bool) -> str:
    """Say what is known of a component."""
    if part.misere is not None:
        genus = None if part.misere.genus is None else f"genus {part.misere.genus}"
        element = None if part.misere.element is None else f"acts as {part.misere.element}"
        known = [each for each in (genus, part.misere.kind, element) if each is not None]
        return ", ".join(known) or "genus not found"
    if part.loopy_value is not None:
        return f"value {part.loopy_value.in_words()}"
    if part.grundy is None:
        return "value not found" if is_exact else "not solved"
    return f"value {part.grundy}"


def _move_lines(solution: "Solution") -> Iterator[str]:
    ruleset = solution.ruleset
    kind = "drawing" if solution.outcome == "D" else "winning"
    moves = solution.to_dict()[f"{kind}_moves"]
    if not moves and not solution.complete:
        yield f"{kind} moves: none found within the budget"
        return
    if not moves:
        over = not any(True for _ in ruleset.moves(solution.position))
        yield f"{kind} moves: none" + (", the game is over" if over else "")
        return
    yield f"{kind} moves"
    wide = max(len(each["move"]) for each in moves[:_MOST_LINES])
    for each in moves[:_MOST_LINES]:
        position = each["position"]
        yield f"  {each['move']:<{wide}}  to {position if len(position) <= 100 else position[:100] + '...'}"
    if len(moves) > _MOST_LINES:
        yield f"  ... and {len(moves) - _MOST_LINES} more (--json lists all)"
    if not solution.complete:
        yield "  (there may be more: listing stopped at its budget)"
