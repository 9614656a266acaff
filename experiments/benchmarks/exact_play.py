"""What exact play costs: start-up, large heap games, a thousand piles; and how search fares on Nim.

Run ``python -m sgai.experiments.benchmarks.exact_play``. Times are medians; ratios are taken in one interleaved run.
"""

import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pyspiel
from tabulate import tabulate

import sgai
from sgai.agents import ExactAgent, MCTSBot


def median_seconds(work: Callable[[], Any], times: int) -> float:
    """Return the median time of a piece of work."""
    spent = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        spent.append(time.perf_counter() - started)
    return statistics.median(spent)


def import_ratio(times: int = 9) -> float:
    """Return the time of ``import sgai`` in a new process over that of ``import numpy``, interpreter apart."""
    medians = {}
    spent: dict[str, list[float]] = {"pass": [], "import numpy": [], "import sgai": []}
    for _ in range(times):
        for program, seconds in spent.items():
            seconds.append(median_seconds(lambda code=program: subprocess.run([sys.executable, "-c", code]), 1))  # type: ignore[misc]
    for program, seconds in spent.items():
        medians[program] = statistics.median(seconds)
    return (medians["import sgai"] - medians["pass"]) / (medians["import numpy"] - medians["pass"])


def solve_command(piles: int = 100, largest: int = 10_000, sizes: int = 100, times: int = 3) -> float:
    """Return the seconds of ``sgai solve`` on a large subtraction game, start-up included."""
    chance = random.Random(0)
    take = ";".join(str(size) for size in sorted(chance.sample(range(1, largest), sizes)))
    position = ";".join(str(chance.randint(1, largest)) for _ in range(piles))
    command = [sys.executable, "-m", "sgai", "solve", f"subtraction(take=[{take}])", f"[{position}]", "--json"]
    return median_seconds(lambda: subprocess.run(command, check=True, capture_output=True), times)


def nim_decision(piles: int, won: bool, times: int = 11) -> float:
    """Return the seconds that the exact agent takes for a move of Nim with many piles."""
    chance = random.Random(0)
    heaps = [chance.randint(1, 10_000) for _ in range(piles - 1)]
    ruleset = sgai.load_ruleset("nim")
    position = ruleset.validate([*heaps, sgai.nim_sum(heaps) ^ won])
    agent = ExactAgent(ruleset)
    agent.decide(position)
    return median_seconds(lambda: agent.decide(position), times)


def search_on_nim(
    piles: int = 7, largest: int = 15, simulations: int = 1000, positions: int = 200
) -> tuple[int, float]:
    """Return in how many winnable positions OpenSpiel's MCTS picks a winning move, and how many chance would get."""
    chance = random.Random(0)
    found, expected, tried = 0, 0.0, 0
    while tried < positions:
        sizes = [chance.randint(1, largest) for _ in range(piles)]
        if sgai.nim_sum(sizes) == 0:
            continue
        game = pyspiel.load_game("nim", {"pile_sizes": ";".join(map(str, sizes)), "is_misere": False})
        state = game.new_initial_state()
        wins = {}
        for action in state.legal_actions():
            left = [size - (action // piles + 1 if place == action % piles else 0) for place, size in enumerate(sizes)]
            wins[action] = sgai.nim_sum(left) == 0
        found += wins[MCTSBot(game, simulations=simulations, seed=tried).step(state)]
        expected += sum(wins.values()) / len(wins)
        tried += 1
    return found, expected


def main() -> None:
    """Print the table."""
    found, expected = search_on_nim()
    rows = [
        ("import sgai / import numpy", f"{import_ratio():.2f}"),
        ("sgai solve, 100 piles to 10,000, 100 sizes, start-up included", f"{solve_command():.2f} s"),
        ("exact move of Nim, 1,000 piles, won", f"{1000 * nim_decision(1000, won=True):.1f} ms"),
        ("exact move of Nim, 1,000 piles, lost", f"{1000 * nim_decision(1000, won=False):.1f} ms"),
        ("exact move of Nim, 500 piles, won", f"{1000 * nim_decision(500, won=True):.1f} ms"),
        ("OpenSpiel MCTS(1000): winning moves found in 200 positions of 7-pile Nim", str(found)),
        ("the same by chance", f"{expected:.0f}"),
    ]
    print(tabulate(rows, headers=("measured", "value"), disable_numparse=True))


if __name__ == "__main__":
    main()
