"""`sgai latency`: how long agents take to decide."""

import argparse
import contextlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from sgai.errors import SgaiError
from sgai.experiments.cli.common import add_engine, count, engine_if_asked, print_json, seconds, whole_number

SLOWER = 1
DEFAULT_AGENTS = ("hybrid(seconds=0.05)", "exact", "mcts(simulations=1000)")
DEFAULT_GAMES, DEFAULT_SIZES = ("sgai_cram",), (3, 4)

T = TypeVar("T")


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "latency",
        help="measure how long agents take to decide",
        description="Measure decision times, cold and warm, over size, number of components and budget. Agents take "
        "turns on the same positions, so that ratios between them hold on a busy machine.",
        epilog=f"Agents as of sgai match; default: {', '.join(DEFAULT_AGENTS)}, on {DEFAULT_GAMES[0]} of sizes "
        f"{', '.join(map(str, DEFAULT_SIZES))}. Exit code 1: slower than --fail-if-slower allows.",
    )
    parser.add_argument(
        "--agent",
        action="append",
        metavar="AGENT",
        help="an agent, such as 'mcts(simulations=100)'; may be given more than once, the others are compared with the "
        "first. {seconds}, {nodes} and {simulations} in it stand for the budgets below",
    )
    parser.add_argument(
        "--game",
        action="append",
        metavar="GAME",
        help="an OpenSpiel game, such as 'sgai_cram(rows=2,columns={size})' or nim; may be given more than once",
    )
    parser.add_argument(
        "--sizes", type=many(count), default=[], metavar="N,...", help="what to put in place of {size}, or as the size"
    )
    parser.add_argument(
        "--components", type=many(count), default=[], metavar="N,...", help="sums of so many equal games, such as 1,2,4"
    )
    parser.add_argument(
        "--seconds",
        type=many(seconds),
        default=[],
        metavar="S,...",
        help="budgets for agents that have none, or {seconds}",
    )
    parser.add_argument("--nodes", type=many(count), default=[], metavar="N,...", help="the same, in nodes")
    parser.add_argument("--simulations", type=many(count), default=[], metavar="N,...", help="the same, in simulations")
    parser.add_argument("--positions", type=count, default=5, metavar="N", help="positions of each game (default: 5)")
    parser.add_argument("--repeats", type=count, default=3, metavar="N", help="decisions on each (default: 3)")
    parser.add_argument(
        "--moves", type=moves, default=(0, 3), metavar="A-B", help="random moves before a position (default: 0-3)"
    )
    parser.add_argument(
        "--mode", action="append", choices=["cold", "warm"], metavar="cold|warm", help="only this (default: both)"
    )
    parser.add_argument(
        "--fresh",
        type=whole_number,
        default=0,
        metavar="N",
        help="also decide on N positions in a new process each, imports included",
    )
    parser.add_argument(
        "--compile", action="store_true", help="let new processes compile all they need anew (minutes); with --fresh"
    )
    parser.add_argument(
        "--seed", type=whole_number, default=0, metavar="N", help="of positions and agents (default: 0)"
    )
    parser.add_argument("--csv", metavar="FILE", help="write the rows of the table, game by game")
    parser.add_argument("--samples", metavar="FILE", help="write every decision as CSV")
    parser.add_argument("--plot", metavar="FILE", help="draw a picture: .png, .svg or .pdf (needs matplotlib)")
    parser.add_argument("--save-baseline", metavar="FILE", help="keep the run, for --baseline")
    parser.add_argument("--baseline", metavar="FILE", help="say what got slower since a run that was kept")
    parser.add_argument(
        "--clock", choices=["cpu", "wall"], default="cpu", metavar="cpu|wall", help="the time to compare (default: cpu)"
    )
    parser.add_argument(
        "--fail-if-slower", type=factor, metavar="X", help="exit with 1 if anything is surely more than X times as slow"
    )
    run_ = parser.add_argument_group(
        "where it runs",
        "By default in this process, which writes every decision as it is made. With these options each game is "
        "measured by one worker, and written when it is done. Games that are measured at once on one machine disturb "
        "each other's times: more than one at once is for a cluster with a worker on each machine.",
    )
    add_engine(run_, None, "games")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.add_argument("--json", action="store_true", help="print all as JSON")
    return parser


def run(options: argparse.Namespace) -> int:
    """Measure, print, and compare."""
    from sgai.experiments import latency
    from sgai.experiments.cli.progress import shown_progress
    from sgai.experiments.latency.baseline import check_comparable
    from sgai.experiments.latency.files import check_writable
    from sgai.experiments.latency.settings import MODES

    # All that can be wrong is found before anything is measured.
    if options.fail_if_slower is not None and options.baseline is None:
        raise SgaiError(f"--fail-if-slower {options.fail_if_slower:g} needs --baseline FILE to compare with")
    if options.compile and not options.fresh:
        raise SgaiError("--compile is for new processes: give --fresh N too")
    _check_different(options)
    with contextlib.nullcontext() if options.quiet else shown_progress():
        settings = latency.LatencySettings.parse(
            options.agent or DEFAULT_AGENTS,
            options.game or DEFAULT_GAMES,
            sizes=options.sizes or (() if options.game else DEFAULT_SIZES),
            components=options.components,
            seconds=options.seconds,
            nodes=options.nodes,
            simulations=options.simulations,
            positions=options.positions,
            repeats=options.repeats,
            moves=options.moves,
            modes=tuple(mode for mode in MODES if mode in (options.mode or MODES)),
            fresh=options.fresh,
            compile_anew=options.compile,
            seed=options.seed,
            plugins=tuple(str(Path(file).resolve()) for file in options.plugin),
        )
        baseline = None if options.baseline is None else latency.load_baseline(options.baseline)
        if baseline is not None:
            check_comparable(baseline, settings)
        for file in (options.csv, options.samples, options.save_baseline):
            if file is not None:
                check_writable(file)
        if options.plot is not None:
            from sgai.experiments.latency.plotting import check_plot

            check_plot(options.plot)

        def begun(results: latency.Results) -> None:
            if baseline is not None:
                check_comparable(baseline, settings, results.positions)

        with engine_if_asked(options, settings.plugins) as engine:
            results = latency.run_latency(
                settings,
                csv=options.csv,
                samples=options.samples,
                progress=not options.quiet,
                begun=begun,
                engine=engine,
            )
    changes = [] if baseline is None else latency.compare(results, baseline, clock=options.clock)
    if options.json:
        print_json(_as_json(results, changes if baseline is not None else None))
    else:
        print(latency.format_table(results))
        if baseline is not None:
            print(f"\n{latency.format_changes(changes, baseline, results)}")
    _write(options, results)
    if results.interrupted:
        raise KeyboardInterrupt
    if options.fail_if_slower is not None and any(each.is_slower_than(options.fail_if_slower) for each in changes):
        print(f"sgai: slower than {options.fail_if_slower:g} times the baseline", file=sys.stderr)
        return SLOWER
    return 0


def _write(options: argparse.Namespace, results: Any) -> None:
    """Write what is written at the end; an interrupted run is drawn, but is no baseline."""
    from sgai.experiments import latency

    if options.plot is not None and results.samples:
        from sgai.experiments.latency.plotting import plot

        plot(results, options.plot)
    if options.save_baseline is not None:
        if results.interrupted:
            print("sgai: the run is not complete, so no baseline is saved", file=sys.stderr)
        else:
            latency.save_baseline(results, options.save_baseline)


def _as_json(results: Any, changes: Any) -> dict[str, Any]:
    from dataclasses import asdict

    shown: dict[str, Any] = results.as_json()
    return shown if changes is None else {**shown, "changes": [asdict(each) for each in changes]}


def _check_different(options: argparse.Namespace) -> None:
    names = ("csv", "samples", "plot", "save_baseline")
    given = [Path(getattr(options, name)).absolute() for name in names if getattr(options, name) is not None]
    for path in given:
        if given.count(path) > 1:
            raise SgaiError(f"{str(path)!r} is to be written twice; give two files")
    if options.baseline is not None:
        before = Path(options.baseline).absolute()
        for name, path in zip([name for name in names if getattr(options, name) is not None], given, strict=True):
            if path == before and name != "save_baseline":
                raise SgaiError(f"--{name} would overwrite the baseline {options.baseline!r}; give another file")


def many(read: Callable[[str], T]) -> Callable[[str], list[T]]:
    """Return a reader of values with commas between them."""
    return lambda text: [read(part.strip()) for part in text.split(",")]


def moves(text: str) -> tuple[int, int]:
    """Read a number of moves, or the least and the most."""
    found = re.fullmatch(r"([0-9]{1,6})(?:-([0-9]{1,6}))?", text)
    if found is None or int(found[2] or found[1]) < int(found[1]):
        raise argparse.ArgumentTypeError(f"{text!r} should be a number of moves, or the least and the most: 3 or 0-6")
    return int(found[1]), int(found[2] or found[1])


def factor(text: str) -> float:
    """Read a factor of 1 or more."""
    number = seconds(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} should be a factor of 1 or more, such as 1.5")
    return number
