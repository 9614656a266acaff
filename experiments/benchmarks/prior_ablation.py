"""What the XOR prior does: on, off, and trusted blindly, on games that split and on games whose pieces interact.

Run ``python -m sgai.experiments.benchmarks.prior_ablation``. Every agent gets the same won positions and the same
number of simulations a move, with empty tables; what is counted is how often its move keeps the win.
"""

import argparse
import random
from typing import NamedTuple

from tabulate import tabulate
from tqdm import tqdm

from sgai.agents import HybridAgent
from sgai.agents.hybrid import PRIORS
from sgai.experiments.benchmarks.positions import Judge


class Case(NamedTuple):
    """A game, how many random moves to begin with, and the simulations of one decision."""

    name: str
    ruleset: str
    moves: range
    simulations: int
    pieces_interact: bool


CASES = (
    Case("Nim, 7 piles", "nim(piles=[3;5;6;7;9;11;12])", range(5), 50, False),
    Case(
        "leap and take, groups apart",
        "leap_and_take(strip=[.OO.O..OOO....OO.OO..O....OO.O.OO.],piles=[5;7;9])",
        range(5),
        50,
        False,
    ),
    Case("Cram 5x6", "cram(rows=5,columns=6)", range(1, 6), 400, False),
    Case("Cram 6x6", "cram(rows=6,columns=6)", range(2, 8), 400, False),
    Case("Node Kayles, grid 6x6", "node_kayles(graph=grid,rows=6,columns=6)", range(1, 5), 50, False),
    Case("Fibonacci Nim, 3 piles", "fibonacci_nim(piles=[10;13;17])", range(1, 4), 50, True),
    Case("Fibonacci Nim, 4 piles", "fibonacci_nim(piles=[6;7;8;9])", range(1, 4), 50, True),
    Case("shuttle between piles", "shuttle(piles=[30;34],track=4)", range(1, 9), 50, True),
    Case(
        "leap and take, groups near",
        "leap_and_take(board=[.OO.OO./OO..OO./..OO.../.OO.OO.],piles=[4;5])",
        range(3),
        50,
        True,
    ),
)


def share_kept(case: Case, prior: str, judge: Judge, positions: list[object]) -> float:
    """Return the share of positions in which the agent's move keeps the win."""
    agent = HybridAgent(judge.ruleset, simulations=case.simulations, core="mcts", prior=prior)
    kept = 0
    for position in positions:
        agent.reset()
        kept += judge.outcome(agent.decide(position).position) == "P"
    return kept / len(positions)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=100, help="won positions of each game")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    table = []
    for case in tqdm(CASES, disable=None):
        judge = Judge(case.ruleset)
        positions = judge.won_positions(options.positions, case.moves, random.Random(options.seed))
        shares = [f"{share_kept(case, prior, judge, positions):.0%}" for prior in PRIORS]
        chance = sum(judge.winning_share(each) for each in positions) / len(positions)
        table.append(
            [
                case.name,
                "interact" if case.pieces_interact else "split",
                len(positions),
                case.simulations,
                *shares,
                f"{chance:.0%}",
            ]
        )
    headers = ["game", "pieces", "positions", "simulations", *(f"prior {prior}" for prior in PRIORS), "random move"]
    print(tabulate(table, headers=headers, disable_numparse=True))


if __name__ == "__main__":
    main()
