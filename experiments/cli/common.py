"""What several subcommands share."""

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import sgai
from sgai.errors import SgaiError
from sgai.parameters import parse_integer

if TYPE_CHECKING:
    from sgai.experiments.engines import Engine

NOT_SOLVED = 3


def add_position(parser: argparse.ArgumentParser, optional: bool = False) -> None:
    """Add the arguments RULESET, which may be optional, and POSITION."""
    parser.add_argument(
        "ruleset",
        metavar="RULESET",
        nargs="?" if optional else None,
        help="name(key=value,...) or a take-and-break code such as 0.77",
    )
    parser.add_argument(
        "position", metavar="POSITION", nargs="?", help="a position as text, by default the ruleset's initial one"
    )


def add_convention(parser: argparse.ArgumentParser) -> None:
    """Add the options that say who wins and how components are played together."""
    parser.add_argument("--play", default=None, metavar="normal|misere", help="whether who cannot move loses or wins")
    parser.add_argument(
        "--compound",
        default="disjunctive",
        metavar="NAME",
        help="disjunctive (move in one component), conjunctive (in every one) or selective (in one or more)",
    )
    parser.add_argument(
        "--ending", default="last", metavar="last|first", help="whether play ends with the last component or the first"
    )


def add_budget(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add the options that limit a search."""
    parser.add_argument("--seconds", type=seconds, metavar="S", help="the most seconds to search")
    parser.add_argument("--states", type=count, metavar="N", help="the most states to evaluate")


def budget(options: argparse.Namespace) -> dict[str, Any]:
    """Return the limits that were given, as arguments of `Solver.solve`."""
    given = {"seconds": options.seconds, "states": options.states}
    return {name: value for name, value in given.items() if value is not None}


def add_engine(parser: argparse.ArgumentParser | argparse._ArgumentGroup, default: str | None, what: str) -> None:
    """Add the options that say where the parts of a run are worked on.

    Parameters
    ----------
    parser : argparse parser or group
        Gets the options.
    default : str or None
        The engine where none is given; None for this process where one part at a time is asked for, else a pool.
    what : str
        What the parts are, such as "items".
    """
    usual = "pool (processes; the default)" if default == "pool" else "pool (processes; the default for more than one)"
    parser.add_argument("--concurrency", type=count, default=1, metavar="N", help=f"{what} at once (default: 1)")
    parser.add_argument("--engine", default=default, metavar="NAME", help=f"{usual}, ray, or serial (this process)")
    parser.add_argument("--address", metavar="ADDRESS", help="of a Ray cluster")


@contextlib.contextmanager
def engine_of(options: argparse.Namespace, plugins: Sequence[str]) -> Iterator["Engine"]:
    """Make the engine that was asked for, and end it; what workers print goes to standard error meanwhile."""
    from sgai.experiments.engines import make_engine

    name = options.engine or ("serial" if options.concurrency == 1 else "pool")
    with at_work(make_engine(name, options.concurrency, plugins, options.address)) as engine:
        yield engine


@contextlib.contextmanager
def at_work(engine: "Engine") -> Iterator["Engine"]:
    """End an engine afterwards; what bots, workers and Ray print meanwhile is no part of the answer."""
    with contextlib.redirect_stdout(sys.stderr), engine:
        yield engine


def asks_for_engine(options: argparse.Namespace) -> bool:
    """Tell whether one of the options of `add_engine` was given, where there is no default."""
    return options.engine is not None or options.address is not None or options.concurrency > 1


def engine_if_asked(
    options: argparse.Namespace, plugins: Sequence[str]
) -> "contextlib.AbstractContextManager[Engine | None]":
    """Make the engine that was asked for, as `engine_of` does; None where none was, for this process."""
    return engine_of(options, plugins) if asks_for_engine(options) else contextlib.nullcontext()


def read_position(options: argparse.Namespace) -> tuple[sgai.Ruleset[Any, Any], Any]:
    """Return the ruleset and the position that were asked for."""
    ruleset = sgai.load_ruleset(options.ruleset)
    return ruleset, ruleset.initial() if options.position is None else ruleset.parse(options.position)


def print_json(value: Any) -> None:
    """Print a value as JSON, in a form that people can read too."""
    json.dump(value, sys.stdout, indent=2, ensure_ascii=False)
    print()


def count(text: str) -> int:
    """Read a whole number of 1 or more."""
    number = whole_number(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} should be 1 or more")
    return number


def whole_number(text: str) -> int:
    """Read a whole number of 0 or more."""
    try:
        number = parse_integer(text)
    except SgaiError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text!r} should be 0 or more")
    return number


def seconds(text: str) -> float:
    """Read a number of seconds above 0."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds") from None
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} should be a number of seconds above 0")
    return number
