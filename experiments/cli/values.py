"""`sgai values`: the Grundy values of a heap game's heaps, and their period."""

import argparse
import csv
import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sgai
from sgai.experiments.cli.common import NOT_SOLVED, print_json, seconds, whole_number

if TYPE_CHECKING:
    from sgai.budget import Budget
    from sgai.periods import Period
    from sgai.sequences import SequenceTable

_A_ROW, _GENERA_A_ROW = 20, 10
_MOST_PRINTED_WITH_PERIOD = 1000
_LOOK_SECONDS, _SAVE_SECONDS = 0.5, 60.0


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "values", help="Grundy values of heaps 0, 1, 2, ...", description="Print the Grundy values of heaps."
    )
    parser.add_argument("ruleset", metavar="RULESET", help="a heap game, or a take-and-break code such as 0.77")
    parser.add_argument("--to", type=whole_number, default=50, metavar="N", help="the largest heap (default: 50)")
    parser.add_argument("--format", choices=("text", "json", "csv"), default="text", help="default: text")
    parser.add_argument(
        "--misere", action="store_true", help="print the genera of heaps, which misere play takes, in place of values"
    )
    parser.add_argument("--find-period", action="store_true", help="prove a period by the values, and print it")
    parser.add_argument("--seconds", type=seconds, metavar="S", help="the most seconds to compute")
    parser.add_argument(
        "--checkpoint",
        metavar="FILE",
        help="where a long run keeps its values to go on from (default: a file in the user's cache folder)",
    )
    return parser


def run(options: argparse.Namespace) -> int:
    """Print the values."""
    from sgai.checkpoints import default_checkpoint
    from sgai.solver import Solver

    ruleset = sgai.load_ruleset(options.ruleset)
    if options.misere:
        return _print_genera(ruleset, options)
    solver = Solver()
    table = solver.sequence(ruleset)
    file = Path(options.checkpoint) if options.checkpoint else default_checkpoint(ruleset)
    if options.find_period:
        solver.find_period(ruleset, 0)  # refuses at once what no theorem covers
    complete = _compute(table, options, file)
    period = table.period
    values = solver.grundy_values(ruleset, options.to).tolist() if complete else []
    if options.format == "json":
        answer: dict[str, Any] = {"ruleset": str(ruleset), "to": options.to, "values": values}
        if options.find_period:
            answer |= {
                "preperiod": period.preperiod if period else None,
                "period": period.period if period else None,
                "proved_with": period.proved_with if period else None,
            }
        print_json(answer)
    elif options.format == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(["heap", "grundy"])
        writer.writerows(enumerate(values))
    else:
        _print_text(ruleset, options, values, period)
    return 0 if complete and (period or not options.find_period) else NOT_SOLVED


def _print_genera(ruleset: Any, options: argparse.Namespace) -> int:
    """Print the genera of heaps; fewer where the budget ends first."""
    from sgai.budget import DEFAULT_MISERE_STATES, Budget, OutOfBudget
    from sgai.misere.sequences import genera

    if options.find_period:
        raise sgai.SgaiError("--find-period is for Grundy values; sgai.misere.quotient proves periods of misere play")
    found = []
    try:
        for genus in genera(ruleset, options.to, Budget(DEFAULT_MISERE_STATES, options.seconds)):
            found.append(str(genus))
    except OutOfBudget:
        pass
    if options.format == "json":
        print_json({"ruleset": str(ruleset), "to": options.to, "genera": found})
    elif options.format == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(["heap", "genus"])
        writer.writerows(enumerate(found))
    elif found:
        print(f"{ruleset}: genera of heaps 0 to {len(found) - 1}")
        label, wide = len(str(len(found) - 1)), max(map(len, found))
        for start in range(0, len(found), _GENERA_A_ROW):
            row = " ".join(f"{genus:<{wide}}" for genus in found[start : start + _GENERA_A_ROW])
            print(f"{start:>{label}}: {row.rstrip()}")
    if len(found) <= options.to:
        print(f"sgai: the budget ended after {len(found)} heaps", file=sys.stderr)
        return NOT_SOLVED
    return 0


def _print_text(ruleset: Any, options: argparse.Namespace, values: list[int], period: "Period | None") -> None:
    if not values:
        print(f"{ruleset}: not all heaps to {options.to} were computed within the budget")
    elif not options.find_period or len(values) <= _MOST_PRINTED_WITH_PERIOD:
        print(f"{ruleset}: Grundy values of heaps 0 to {options.to}")
        label, wide = len(str(options.to)), len(str(max(values)))
        for start in range(0, len(values), _A_ROW):
            row = " ".join(f"{value:>{wide}}" for value in values[start : start + _A_ROW])
            print(f"{start:>{label}}: {row}")
    if options.find_period and period is not None:
        print(
            f"{ruleset}: period {period.period} from heap {period.preperiod} on, proved by the values of heaps 0 to "
            f"{period.proved_with}"
        )
    elif options.find_period:
        print(f"{ruleset}: no period is proved by the values of heaps 0 to {options.to}")


def _advance(table: "SequenceTable", options: argparse.Namespace, budget: "Budget") -> None:
    if options.find_period:
        table.find_period(options.to, budget)
    table.extend(options.to, budget)


def _compute(table: "SequenceTable", options: argparse.Namespace, file: Path) -> bool:
    """Compute, if need be in slices with progress and checkpoints; tell whether everything was computed."""
    from sgai.budget import Budget, OutOfBudget
    from sgai.sequences import FEW_HEAPS, LARGEST_COMPILED, LARGEST_TABLE

    if options.to <= FEW_HEAPS:
        try:
            _advance(table, options, Budget(LARGEST_COMPILED, options.seconds))
        except OutOfBudget:
            return False
        return True

    from tqdm import tqdm

    from sgai.checkpoints import load_sequence
    from sgai.errors import SgaiError

    started = saved = time.monotonic()
    stored = load_sequence(file, table.ruleset)
    if stored is not None and table.resume(stored):
        print(f"going on from heap {len(table) - 1} ({file})", file=sys.stderr)
    bar = tqdm(total=options.to + 1, initial=len(table), unit="heap", delay=1.0, leave=False)
    try:
        while True:
            left = None if options.seconds is None else options.seconds - (time.monotonic() - started)
            if left is not None and left <= 0:
                return False
            before = len(table)
            try:
                budget = Budget(LARGEST_COMPILED, min(_LOOK_SECONDS, left or _LOOK_SECONDS))
                _advance(table, options, budget)
                return True
            except OutOfBudget:
                if len(table) == before and options.to >= LARGEST_TABLE and budget.elapsed() < _LOOK_SECONDS / 2:
                    raise SgaiError(
                        f"heap {options.to:,} is too large for this game; go up to {LARGEST_TABLE:,}"
                    ) from None
            bar.update(len(table) - before)
            if time.monotonic() - saved > _SAVE_SECONDS:
                complaint, saved = _save(table, file), time.monotonic()
                if complaint:
                    print(f"sgai: {complaint}; the run goes on without", file=sys.stderr)
                    saved = math.inf
    except KeyboardInterrupt:
        if len(table) > FEW_HEAPS:
            kept = _save(table, file) or f"the same command goes on from there ({file})"
            print(f"stopped after heap {len(table) - 1}; {kept}", file=sys.stderr)
        raise
    finally:
        bar.close()


def _save(table: "SequenceTable", file: Path) -> str:
    """Write the checkpoint; return why that cannot be done, or nothing."""
    from sgai.checkpoints import save_sequence

    try:
        save_sequence(file, table.ruleset, table.computed())
    except sgai.SgaiError as error:
        return str(error)
    return ""
