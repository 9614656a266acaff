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

import sgai
from sgai.agents import HybridAgent
from sgai.agents.agent import Agent, Decision
from sgai.agents.plain import AlphaBetaAgent, MCTSAgent
from sgai.envs import load_game
from sgai.solver import Solver

TAKE = "[1;3;4]"
_MOST_SOLVER_STATES = 3_000  # of the whole game, for OpenSpiel's solver: it takes about a millisecond for each


class Row(NamedTuple):
    """What came out at one position; times in seconds, None where an agent did not finish."""

    components: int
    outcome: str
    hybrid: float
    alpha_beta: float | None
    minimax_solver: float | None
    states: tuple[int, int]
    right: tuple[bool, bool | None, bool]


def position_text(groups: int, cells: int, chance: random.Random) -> str:
    """Return a ruleset whose start has so many groups, too far apart to meet, and as many piles."""
    strip = ".....".join("".join(chance.choice("OOO.") for _ in range(cells)) for _ in range(groups))
    piles = ";".join(str(chance.randint(5, 15)) for _ in range(groups))
    return f"leap_and_take(strip=[..{strip}..],piles=[{piles}],take={TAKE})"


def timed(agent: Agent, position: Any) -> tuple[float, Decision]:
    """Return the process time of a decision, from empty tables."""
    agent.reset()
    started = time.process_time()
    decision = agent.decide(position)
    return time.process_time() - started, decision


def measured(text: str, most_seconds: float) -> Row:
    """Have every agent decide on the start of a ruleset."""
    ruleset = sgai.load_ruleset(text)
    position, judge = ruleset.initial(), Solver()
    won = judge.grundy(ruleset, position) != 0

    def is_right(decision: Decision) -> bool:
        return not won or judge.grundy(ruleset, decision.position) == 0

    seconds, decision = timed(HybridAgent(ruleset, seconds=most_seconds), position)
    whole_seconds, whole = timed(AlphaBetaAgent(ruleset, seconds=most_seconds), position)
    _, guess = timed(MCTSAgent(ruleset, seconds=max(0.001, seconds)), position)
    finished = whole.outcome is not None
    solver_seconds = None
    if finished and whole.states <= _MOST_SOLVER_STATES:
        started = time.process_time()
        solver = MinimaxSolver(str(load_game(text)))
        solver.solve(solver.game.new_initial_state()) if hasattr(solver, "solve") else solver
        solver_seconds = time.process_time() - started
    assert decision.outcome == ("N" if won else "P"), text
    return Row(
        len(decision.components),
        decision.outcome,
        seconds,
        whole_seconds if finished else None,
        solver_seconds,
        (decision.states, whole.states),
        (is_right(decision), is_right(whole) if finished else None, is_right(guess)),
    )
