"""How often the hybrid's move keeps a won position won, by the time that it has, on boards that can be solved exactly.

Run ``python -m sgai.experiments.benchmarks.hybrid_accuracy``. Positions are won ones that come up in random play; every
decision is made with empty tables. The other columns are plain Monte Carlo tree search on our own core with the same
time, and a random move.
"""

import argparse
import random
from typing import Any

from tabulate import tabulate
from tqdm import tqdm

from sgai.agents import HybridAgent
from sgai.agents.agent import ESTIMATED, Agent
from sgai.agents.plain import MCTSAgent
from sgai.experiments.benchmarks.positions import Judge
from sgai.experiments.matches.table import wilson_interval

BOARDS = {
    "Cram 6x6 after 4 to 10": ("cram(rows=6,columns=6)", range(4, 11)),
    "Cram 6x6 after 2 or 3": ("cram(rows=6,columns=6)", range(2, 4)),
    "Cram 5x8 after 4 to 10": ("cram(rows=5,columns=8)", range(4, 11)),
    "Cram 5x8 after 2 or 3": ("cram(rows=5,columns=8)", range(2, 4)),
}


_FOR_CHANCE = 20  # positions in which all moves are judged, for the share of a random move


def kept(agent: Agent, judge: Judge, positions: list[Any]) -> tuple[int, int, list[float]]:
    """Return how many wins an agent keeps, how many of its moves were proved or exact, and its times in seconds."""
    wins, proved, seconds = 0, 0, []
    for position in positions:
        agent.reset()
        decision = agent.decide(position)
        wins += judge.outcome(decision.position) == "P"
        proved += decision.status != ESTIMATED
        seconds.append(decision.seconds)
    return wins, proved, sorted(seconds)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=200, help="won positions of each board")
    parser.add_argument("--milliseconds", type=float, nargs="+", default=[1, 10, 100, 1000])
    parser.add_argument("--board", action="append", choices=list(BOARDS), help="by default all")
    options = parser.parse_args()
    table = []
    for name in options.board or BOARDS:
        text, moves = BOARDS[name]
        judge = Judge(text, seconds=600.0)
        positions = judge.won_positions(options.positions, moves, random.Random(1))
        some = positions[:_FOR_CHANCE]
        chance = sum(judge.winning_share(position) for position in some) / len(some)
        for milliseconds in tqdm(options.milliseconds, desc=name, disable=None):
            seconds = milliseconds / 1000
            wins, proved, times = kept(HybridAgent(judge.ruleset, seconds=seconds), judge, positions)
            plain, _, _ = kept(MCTSAgent(judge.ruleset, seconds=seconds), judge, positions)
            low, high = wilson_interval(wins, len(positions))
            table.append(
                [
                    name,
                    f"{milliseconds:g}",
                    f"{wins} of {len(positions)}",
                    f"{wins / len(positions):.1%} ({low:.1%} - {high:.1%})",
                    f"{proved / len(positions):.0%}",
                    f"{plain / len(positions):.0%}",
                    f"{chance:.0%}",
                    f"{1000 * times[len(times) // 2]:.1f}",
                    f"{1000 * times[int(0.99 * (len(times) - 1))]:.1f}",
                ]
            )
    headers = [
        "board",
        "ms",
        "wins kept",
        "share (95% interval)",
        "proved",
        "plain MCTS",
        "random",
        "median ms",
        "p99 ms",
    ]
    print(tabulate(table, headers=headers, disable_numparse=True))


if __name__ == "__main__":
    main()
