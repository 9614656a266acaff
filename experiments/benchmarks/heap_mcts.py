"""Monte Carlo tree search on Nim: our compiled core against OpenSpiel's in C++, simulations a second and moves found.

Run ``python -m sgai.experiments.benchmarks.heap_mcts``. Both make the same number of simulations with one random
rollout each, in normal play, and prove what they can. To ours equal piles are one; the row of different piles is
without that help. Times are CPU seconds after compilation; the two take turns.
"""

import random
import statistics
from typing import Any

import pyspiel
from tabulate import tabulate

import sgai
from sgai.budget import Budget
from sgai.cores import Sum
from sgai.cores.heap_mcts import HeapMCTS
from sgai.experiments.benchmarks.sequences import cpu_seconds
from sgai.ruleset import Component

UCT_C, MEMORY_MB = 2.0, 1000


def nim_state(piles: list[int]) -> tuple[Any, Any]:
    """Return OpenSpiel's Nim in normal play, and its initial state."""
    game = pyspiel.load_game("nim", {"pile_sizes": ";".join(map(str, piles)), "is_misere": False})
    return game, game.new_initial_state()


def openspiel_search(game: Any, simulations: int, seed: int) -> Any:
    """Return OpenSpiel's search with one random rollout a simulation and proved outcomes backed up."""
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    return pyspiel.MCTSBot(game, evaluator, UCT_C, simulations, MEMORY_MB, True, seed, False)


def our_root(piles: list[int]) -> Sum:
    """Return the same position for our core, as a whole."""
    nim = sgai.load_ruleset("nim")
    return Sum((Component(nim, nim.validate(piles)),))


def throughput(piles: list[int], simulations: int, times: int = 7) -> list[str]:
    """Return a row with the simulations a second of both, and their ratio."""
    game, state = nim_state(piles)
    root = our_root(piles)
    core = HeapMCTS()
    rates: tuple[list[float], list[float]] = ([], [])
    for seed in range(times):
        bot = openspiel_search(game, simulations, seed)
        rates[0].append(simulations / cpu_seconds(lambda bot=bot: bot.mcts_search(state)))  # type: ignore[misc]
        core.reset()
        done = 0

        def search() -> None:
            nonlocal done
            done = core.search(root, Budget(simulations)).nodes

        seconds = cpu_seconds(search)
        rates[1].append(done / seconds)
    theirs, ours = map(statistics.median, rates)
    name = ";".join(map(str, piles))
    return [name, f"{simulations:,}", f"{theirs:,.0f}", f"{ours:,.0f}", f"{ours / theirs:.1f}"]


def moves_found(piles: int, largest: int, simulations: int, positions: int = 200) -> list[str]:
    """Return a row with the share of won positions in which each search picks a winning move."""
    chance = random.Random(0)
    core = HeapMCTS()
    found, tried, expected = [0, 0], 0, 0.0
    while tried < positions:
        sizes = [chance.randint(1, largest) for _ in range(piles)]
        total = sgai.nim_sum(sizes)
        if total == 0:
            continue
        game, state = nim_state(sizes)
        action = openspiel_search(game, simulations, tried).mcts_search(state).best_child().action
        place, taken = action % piles, action // piles + 1
        found[0] += total ^ sizes[place] == sizes[place] - taken
        core.reset()
        heap, result = core.search(our_root(sizes), Budget(simulations)).moves[0].move.move
        found[1] += total ^ heap == sum(result)
        expected += sum(size ^ total < size for size in sizes) / sum(sizes)
        tried += 1
    shares = [f"{100 * each / positions:.0f}%" for each in (*found, expected)]
    return [f"{piles} of 1 to {largest}", f"{simulations:,}", *shares]


def main() -> None:
    """Print the tables."""
    print("Nim, simulations a CPU second, taking turns")
    cases = [([9] * 9, 20_000), ([9] * 9, 1_000), (list(range(5, 14)), 20_000), ([1, 3, 5, 7], 1_000)]
    rows = [throughput(*case) for case in cases]
    headers = ["piles", "simulations", "OpenSpiel C++", "ours", "ours / OpenSpiel"]
    print(tabulate(rows, headers=headers, disable_numparse=True))
    print("\nWon positions of Nim in which a winning move is picked")
    rows = [moves_found(*case) for case in [(4, 7, 1000), (4, 7, 10_000), (5, 7, 1000), (5, 7, 10_000), (7, 15, 1000)]]
    headers = ["piles", "simulations", "OpenSpiel C++", "ours", "by chance"]
    print(tabulate(rows, headers=headers, disable_numparse=True))


if __name__ == "__main__":
    main()
