"""`sgai classify`: whether an OpenSpiel game is an impartial combinatorial game."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sgai.errors import shortened
from sgai.experiments.cli.common import budget, count, print_json, seconds

if TYPE_CHECKING:
    from sgai.envs import Classification


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "classify",
        help="say whether an OpenSpiel game is impartial",
        description="Say whether an OpenSpiel game is an impartial combinatorial game: yes, no or unknown, with the "
        "reason and the evidence. Each is an answer: exit code 0.",
    )
    parser.add_argument("game", metavar="GAME", help="an OpenSpiel game, such as nim(pile_sizes=3;5;7)")
    parser.add_argument("--states", type=count, metavar="N", help="the most states to look at (default: 100000)")
    parser.add_argument("--seconds", type=seconds, metavar="S", help="the most seconds to take (default: 10)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def run(options: argparse.Namespace) -> int:
    """Classify and print the answer."""
    from sgai.envs import classify

    found = classify(options.game, **budget(options))
    if options.json:
        print_json(found.to_dict())
        return 0
    for line in _lines(found):
        print(line)
    return 0


def _lines(found: "Classification") -> Iterator[str]:
    yield shortened(found.game)
    played = f", {found.play} play" if found.play else ""
    yield f"impartial  {found.answer}{played}"
    yield f"reason     {found.reason}"
    yield f"evidence   {found.evidence}"
    for each in found.counterexample:
        after = "the game is over" if each.player is None else f"player {each.player} to move"
        yield f"play       {shortened(' '.join(each.moves))}: {after}"
        for line in each.state.splitlines():
            yield f"  {line}"
    if found.states:
        yield f"looked at {found.states:,} states in {found.seconds:.3g} s"
