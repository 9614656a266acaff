"""The `sgai` command: its options, and what becomes of errors."""

import argparse
import errno
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import sgai
from sgai.errors import NotSolvedError, SgaiError
from sgai.experiments.cli import (
    audit,
    classify,
    games,
    latency,
    learn_beliefs,
    match,
    play,
    rl,
    show,
    solve,
    store,
    sweep,
    values,
)
from sgai.experiments.cli.common import NOT_SOLVED

SUBCOMMANDS = (games, show, values, solve, audit, classify, play, match, latency, rl, sweep, learn_beliefs, store)

ANSWERED, BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 0, 2, 130, 141


class UsageError(SgaiError):
    """A command line that cannot be read."""


class Parser(argparse.ArgumentParser):
    """A parser that raises instead of printing its usage and leaving."""

    def error(self, message: str) -> NoReturn:
        """Raise with one line."""
        raise UsageError(f"{message} ({self.prog} --help says more)")


def build_parser() -> Parser:
    """Return the parser of the whole command."""
    parser = Parser(
        prog="sgai",
        description="Exact play of impartial combinatorial games, plugged into OpenSpiel.",
        epilog="Games are written as name(key=value,...), lists in brackets: subtraction(take=[2;5]). "
        "Quote them for the shell.",
    )
    parser.add_argument("--version", action="version", version=f"sgai {sgai.__version__}")
    add_plugin_option(parser, [])
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)
    for module in SUBCOMMANDS:
        command = module.add_parser(commands)
        # After the command too; what stands before it must not be lost.
        add_plugin_option(command, argparse.SUPPRESS)
        command.set_defaults(run=module.run)
    return parser


def _run(options: argparse.Namespace) -> int:
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except (SgaiError, OSError):
        raise
    except Exception as error:
        # Rules of a user may raise anything; where there are none it is our own fault, and worth a traceback.
        place = traceback.extract_tb(error.__traceback__)[-1]
        files = {str(Path(file).resolve()) for file in options.plugin}
        if not any(frame.filename in files for frame in traceback.extract_tb(error.__traceback__)):
            raise
        where = f"{Path(place.filename).name}, line {place.lineno}"
        raise SgaiError(f"the plugin's rules raised {type(error).__name__}: {error} ({where})") from error


def add_plugin_option(parser: argparse.ArgumentParser, default: object) -> None:
    """Let a parser take ``--plugin FILE`` any number of times."""
    parser.add_argument(
        "--plugin",
        action="append",
        default=default,
        metavar="FILE",
        help="a Python file that registers rulesets; may be given more than once",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, 1 slower, 2 bad input, 3 not solved, 130 interrupted."""
    try:
        options = build_parser().parse_args(arguments)
        for file in options.plugin:
            sgai.load_plugin(file)
        return _run(options)
    except NotSolvedError as error:
        print(f"sgai: {' '.join(str(error).split())}", file=sys.stderr)
        return NOT_SOLVED
    except SgaiError as error:
        print(f"sgai: {' '.join(str(error).split())}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("sgai: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader is gone
        _write_no_more()
        return BROKEN_PIPE
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _write_no_more()
        print("sgai: the disk is full, and what was to be written is not whole: free some space", file=sys.stderr)
        return BAD_INPUT


def _write_no_more() -> None:
    """Let nothing that is left be flushed at exit into what cannot take it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
