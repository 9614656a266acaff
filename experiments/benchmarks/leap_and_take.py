"""The demonstration of the hybrid agent: leap-and-take positions of growing size, and who decides them how fast.

Run ``python -m sgai.experiments.benchmarks.leap_and_take``. All agents get the same positions, each with empty tables:
the hybrid, whole-game alpha-beta with a transposition table (ours, and OpenSpiel's minimax solver where the position is
small enough for it), and whole-game MCTS with the time that the hybrid took. Times are medians of process time.
"""

import argparse
import random
import statistics
import time
from typing import Any, NamedTuple

from open_spiel.python.algorithms.minimax_solver import MinimaxSolver
from tabulate import tabulate
from tqdm import tqdm

import sgai
from sgai.agents import HybridAgent
from sgai.agents.agent import Agent, Decision
from sgai.agents.plain import AlphaBetaAgent, MCTSAgent
from sgai.envs import load_game
from sgai.reachable import explore
from sgai.rulesets import leap_groups
from sgai.solver import Solver

TAKE = "[1;3;4]"
PILES = (8, 20)  # the smallest and the largest
SIZES = ((1, 3), (2, 2), (2, 3), (3, 3), (4, 4), (5, 5))  # groups and piles
_MOST_POSITIONS = 3_000  # of the whole game, for OpenSpiel's solver, which looks at all of them


class Row(NamedTuple):
    """What came out at one position; process times in seconds, None where an agent did not finish."""

    outcome: str
    components: int
    hybrid: float
    alpha_beta: float | None
    alpha_beta_spent: float
    minimax_solver: float | None
    hybrid_states: int
    alpha_beta_nodes: int
    hybrid_is_right: bool
    mcts_is_right: bool


def position_text(groups: int, piles: int, cells: int, chance: random.Random) -> str:
    """Return a ruleset whose start has so many groups, too far apart to meet, and so many piles."""
    strip = ".....".join("".join(chance.choice("OOO.") for _ in range(cells)) for _ in range(groups))
    heaps = ";".join(str(chance.randint(*PILES)) for _ in range(piles))
    return f"leap_and_take(strip=[..{strip}..],piles=[{heaps}],take={TAKE})"


def timed(agent: Agent, position: Any) -> tuple[float, Decision]:
    """Return the process time of a decision, from empty tables."""
    agent.reset()
    for each in vars(leap_groups).values():
        if hasattr(each, "cache_clear"):  # what the rules keep of boards is work for a decision too
            each.cache_clear()
    started = time.process_time()
    decision = agent.decide(position)
    return time.process_time() - started, decision


def solver_seconds(text: str) -> float | None:
    """Return the process time of OpenSpiel's minimax solver, None where there are too many positions for it."""
    ruleset = sgai.load_ruleset(text)
    try:
        explore(ruleset, _MOST_POSITIONS)
    except sgai.SgaiError:
        return None
    game = str(load_game(f"sgai_{text}"))
    started = time.process_time()
    MinimaxSolver(game).solve()
    return time.process_time() - started


def measured(text: str, most_seconds: float) -> Row:
    """Have every agent decide on the start of a ruleset."""
    ruleset = sgai.load_ruleset(text)
    position, judge = ruleset.initial(), Solver()
    won = judge.grundy(ruleset, position) != 0
    seconds, decision = timed(HybridAgent(ruleset, seconds=most_seconds), position)
    if decision.outcome != ("N" if won else "P"):
        raise AssertionError(f"the hybrid did not decide {text} within its time, or it is wrong")
    whole_seconds, whole = timed(AlphaBetaAgent(ruleset, seconds=most_seconds), position)
    _, guess = timed(MCTSAgent(ruleset, seconds=max(0.001, seconds)), position)
    return Row(
        decision.outcome,
        len(decision.components),
        seconds,
        whole_seconds if whole.outcome is not None else None,
        whole_seconds,
        solver_seconds(text),
        decision.states,
        whole.states,
        won and judge.grundy(ruleset, decision.position) == 0,
        won and judge.grundy(ruleset, guess.position) == 0,
    )


def _median(times: list[float | None], scale: float = 1000.0) -> str:
    """Write the median in milliseconds, where what did not finish counts as longer than all others."""
    middle = statistics.median_low([float("inf") if each is None else each for each in times])
    return "-" if middle == float("inf") else f"{scale * middle:,.1f}"


def summary(groups: int, piles: int, rows: list[Row]) -> list[str]:
    """Return a line of the table for the positions of one size."""
    # Where alpha-beta did not finish, its time so far bounds the ratio from below.
    ratio = statistics.median(row.alpha_beta_spent / row.hybrid for row in rows)
    finished = sum(row.alpha_beta is not None for row in rows)
    won = [row for row in rows if row.outcome == "N"]
    return [
        f"{groups} + {piles}",
        f"{statistics.mean(row.components for row in rows):.1f}",
        _median([row.hybrid for row in rows]),
        _median([row.alpha_beta for row in rows]),
        _median([row.minimax_solver for row in rows]),
        f"{'' if 2 * finished > len(rows) else 'over '}{ratio:,.0f}",
        f"{finished} of {len(rows)}",
        f"{statistics.median(row.hybrid_states for row in rows):,.0f}",
        f"{statistics.median(row.alpha_beta_nodes for row in rows):,.0f}",
        f"{sum(row.hybrid_is_right for row in won)} of {len(won)}",
        f"{sum(row.mcts_is_right for row in won)} of {len(won)}",
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=10, help="positions of each size")
    parser.add_argument("--cells", type=int, default=9, help="cells of a group")
    parser.add_argument("--sizes", type=int, default=len(SIZES), help="how many of the sizes, from the smallest")
    parser.add_argument("--most-seconds", type=float, default=30.0, help="for a decision of any agent")
    options = parser.parse_args()
    warm = sgai.load_ruleset(position_text(1, 1, 4, random.Random(0)))
    for agent in (HybridAgent(warm), AlphaBetaAgent(warm), MCTSAgent(warm)):
        agent.decide(warm.initial())  # so that nothing is imported while the clock runs
    table = []
    for groups, piles in SIZES[: options.sizes]:
        chance = random.Random(groups)
        texts = [position_text(groups, piles, options.cells, chance) for _ in range(options.positions)]
        label = f"{groups} groups, {piles} piles"
        rows = [measured(text, options.most_seconds) for text in tqdm(texts, desc=label, disable=None)]
        table.append(summary(groups, piles, rows))
    headers = [
        "groups + piles",
        "components",
        "hybrid ms",
        "alpha-beta ms",
        "minimax_solver ms",
        "ratio",
        "both finish",
    ]
    headers += ["hybrid states", "alpha-beta nodes", "hybrid right", "MCTS right"]
    print(tabulate(table, headers=headers, stralign="right", disable_numparse=True))
    print(f"alpha-beta was given {options.most_seconds:g} s; medians of {options.positions} positions, empty tables")


if __name__ == "__main__":
    main()
