"""`sgai sweep`: many rulesets, codes or boards solved, with the answers in one file."""

import argparse
import contextlib
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sgai
from sgai.errors import SgaiError
from sgai.experiments.cli.common import NOT_SOLVED, add_budget, add_engine, budget, engine_of, print_json, whole_number

if TYPE_CHECKING:
    from sgai.experiments.sweeps import Answer, SweepSettings

_QUESTION = ("item", "file", "range", "heaps", "find_period", "values", "play", "seconds", "states", "store", "out")


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "sweep",
        help="solve many rulesets, codes or boards",
        description="Solve many rulesets, codes or boards. A folder gets the answers (answers.jsonl) as they come, and "
        "the settings (manifest.json); the same command with the same --out goes on with it after a kill.",
        epilog="Examples: sgai sweep 0.07 0.77 --heaps 2000 --find-period; "
        "sgai sweep 'cram(rows={rows},columns={columns})' --range rows=2-5 --range columns=2-6. "
        "Exit code 3 says that not all were solved.",
    )
    what = parser.add_argument_group("what is solved")
    what.add_argument(
        "item", nargs="*", metavar="ITEM", help="RULESET or 'RULESET POSITION', with {name} where a range goes"
    )
    what.add_argument("--file", metavar="FILE", help="items from a file, one a line")
    what.add_argument(
        "--range",
        action="append",
        default=[],
        metavar="NAME=RANGE",
        help="what {name} stands for: 2-5, 2-10:2 (in steps) or a,b,c; give one for each name",
    )
    what.add_argument(
        "--heaps", type=whole_number, metavar="N", help="of heap games, the values of heaps 0 to N, not a position"
    )
    what.add_argument("--find-period", action="store_true", help="prove a period by those values")
    what.add_argument("--values", action="store_true", help="write all those values too")
    what.add_argument("--play", metavar="normal|misere", help="whether who cannot move loses or wins")
    add_budget(what)
    run_ = parser.add_argument_group("where it runs")
    add_engine(run_, "pool", "items")
    run_.add_argument(
        "--store",
        nargs="?",
        const="",
        metavar="FILE",
        help="use and add to values kept from earlier runs (without FILE: the store that `sgai store info` names)",
    )
    run_.add_argument("--out", metavar="DIR", help="the folder to write, or to go on with (default: sweeps/UTC time)")
    run_.add_argument("--resume", metavar="DIR", help="go on with a sweep that was interrupted or killed")
    run_.add_argument("--quiet", action="store_true", help="show no progress")
    run_.add_argument("--json", action="store_true", help="print the answers as JSON")
    return parser


def run(options: argparse.Namespace) -> int:
    """Solve what is asked for, and print the table."""
    from sgai.experiments import sweeps
    from sgai.experiments.cli.progress import shown_progress

    with contextlib.nullcontext() if options.quiet else shown_progress():
        if options.resume is not None:
            extra = [name for name in _QUESTION if getattr(options, name) not in (None, [], False)]
            if extra:
                raise SgaiError(
                    f"{extra[0].replace('_', '-')} with --resume: a sweep that has begun keeps its settings"
                )
            folder = Path(options.resume)
            settings = sweeps.read_settings(folder)
        else:
            settings = _settings(options)
            folder = Path(options.out or Path("sweeps") / datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ"))
        try:
            with engine_of(options, settings.plugins) as engine:
                answers = sweeps.sweep(settings, folder, progress=not options.quiet, engine=engine)
        except sweeps.SweepInterrupted as stopped:
            _show(stopped.answers, options)
            if not options.json:
                print(f"\ninterrupted after {len(stopped.answers)} of {len(settings.items)} items, written to {folder}")
                print(f"go on with: sgai sweep --resume {folder}")
            raise KeyboardInterrupt from None
    _show(answers, options)
    if not options.json:
        print(f"written to {folder}")
    return 0 if all(each.solved for each in answers) else NOT_SOLVED


def _settings(options: argparse.Namespace) -> "SweepSettings":
    from sgai.experiments import sweeps
    from sgai.experiments.sweeps.settings import Question

    ranges: dict[str, list[str]] = {}
    for text in options.range:
        name, values = sweeps.parse_range(text)
        if name in ranges:
            raise SgaiError(f"range {name!r} is given twice")
        ranges[name] = values
    store = None
    if options.store is not None:
        with sgai.NimberStore(options.store or None) as opened:  # a file that is no store is refused at once
            store = str(opened.path.resolve())
    question = Question(
        options.heaps, options.find_period, options.values, options.play, store=store, **budget(options)
    )
    texts = [*options.item, *([] if options.file is None else sweeps.read_items(options.file))]
    plugins = [str(Path(file).resolve()) for file in options.plugin]
    return sweeps.SweepSettings.parse(list(sweeps.expand(texts, ranges)), question, plugins)


def _show(answers: "list[Answer]", options: argparse.Namespace) -> None:
    from sgai.experiments import sweeps

    if options.json:
        print_json([asdict(each) for each in answers])
    else:
        print(sweeps.format_table(answers))
