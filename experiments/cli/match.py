"""`sgai match`: a round robin of agents on OpenSpiel games."""

import argparse
import contextlib
from typing import Any

from sgai.experiments.cli.common import count, print_json, whole_number

DEFAULT_AGENTS = ("exact", "mcts(simulations=1000)", "random")
# OpenSpiel's own C++ nim, at its default piles and by its misere rule, and games of ours.
DEFAULT_GAMES = (
    "nim",
    "sgai_nim(piles=[3;5;6;7;9])",
    "sgai_kayles(piles=[9;14])",
    "sgai_grundys_game(piles=[14;17])",
    "sgai_sum(parts=[nim(piles~[3;5]);kayles(piles~[8]);subtraction(piles~[9;11];take~[2;5])])",
)


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "match",
        help="play agents against each other",
        description="Play a round robin with sides swapped, and write the games to a new folder.",
        epilog="Agents: alpha_beta(depth=...), exact, hybrid(seconds=...), mcts(simulations=...) or mcts(seconds=...), "
        "plain_alpha_beta(seconds=...), plain_mcts(seconds=...), random. Default: "
        f"{', '.join(DEFAULT_AGENTS)}, on {', '.join(DEFAULT_GAMES)}.",
    )
    parser.add_argument(
        "--agent", action="append", metavar="AGENT", help="an agent, such as 'mcts(simulations=100)'; give two or more"
    )
    parser.add_argument(
        "--game", action="append", metavar="GAME", help="an OpenSpiel game, such as 'sgai_nim(piles=[3;4;5])' or nim"
    )
    parser.add_argument(
        "--rounds", type=count, default=3, metavar="N", help="games of each pair, game and side (default: 3)"
    )
    parser.add_argument("--seed", type=whole_number, default=0, metavar="N", help="of all that is random (default: 0)")
    parser.add_argument("--out", metavar="DIR", help="the folder to write (default: matches/UTC time)")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    parser.add_argument("--replay", metavar="DIR", help="replay a match that was written before, and print its table")
    return parser


def run(options: argparse.Namespace) -> int:
    """Play or replay a match and print its table."""
    from sgai.experiments import matches
    from sgai.experiments.cli.progress import shown_progress

    if options.replay is not None:
        records = list(matches.replay(options.replay))
        folder = options.replay
    else:
        with contextlib.nullcontext() if options.quiet else shown_progress():
            settings = matches.MatchSettings.parse(
                options.agent or DEFAULT_AGENTS, options.game or DEFAULT_GAMES, options.rounds, options.seed
            )
            folder = matches.new_folder(options.out)
            try:
                records = matches.play_match(settings, folder, progress=not options.quiet)
            except matches.MatchInterrupted as stopped:
                print(matches.format_table(stopped.records))
                print(f"\ninterrupted after {len(stopped.records)} games, which are in {folder}")
                raise KeyboardInterrupt from None
    if options.json:
        print_json(matches.table(records))
    else:
        print(matches.format_table(records))
        print(f"\n{len(records)} games {'replayed from' if options.replay else 'written to'} {folder}")
    return 0
