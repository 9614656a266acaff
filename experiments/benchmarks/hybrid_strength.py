"""The hybrid against Monte Carlo tree search with equal time a move: OpenSpiel's, and plain search on our own core.

Run ``python -m sgai.experiments.benchmarks.hybrid_strength``. Openings are drawn at random, and each is played from
both seats. Two games run at a time where there are two processors; each agent searches with one.
"""

import argparse
import random
import statistics
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

from tabulate import tabulate
from tqdm import tqdm

from sgai.agents import AgentSpec
from sgai.envs import load_game
from sgai.experiments.matches.table import wilson_interval

LONG_GAME = 1_000


class Case(NamedTuple):
    """A kind of opening: a game drawn at random, and how many random moves it begins with."""

    name: str
    draw: Callable[[random.Random], str]
    moves: range


def random_graph(chance: random.Random) -> str:
    """Return Node Kayles on a random graph of 60 to 100 vertices with half as many edges again."""
    vertices = chance.randint(60, 100)
    edges: set[tuple[int, int]] = set()
    while len(edges) < 3 * vertices // 2:
        a, b = sorted(chance.sample(range(vertices), 2))
        edges.add((a, b))
    return f"node_kayles(edges=[{';'.join(f'{a}-{b}' for a, b in sorted(edges))}])"


def random_nim(chance: random.Random) -> str:
    """Return Nim with 7 to 20 piles of 1 to 15."""
    piles = [chance.randint(1, 15) for _ in range(chance.randint(7, 20))]
    return f"nim(piles=[{';'.join(map(str, piles))}])"


CASES = (
    Case("Cram 8x8", lambda _: "cram(rows=8,columns=8)", range(2, 7)),
    Case("Cram 9x9", lambda _: "cram(rows=9,columns=9)", range(2, 9)),
    Case("Node Kayles, 60 to 100 vertices", random_graph, range(1)),
    Case("Nim, 7 to 20 piles", random_nim, range(1)),
)


class Played(NamedTuple):
    """How a game went: whether the hybrid won, and what it did."""

    won: bool
    seconds: list[float]
    proved_from: int | None


def play(case: str, seed: int, seat: int, hybrid: str, opponent: str) -> Played:
    """Play one game; the hybrid has a seat, 0 for the player to move after the opening."""
    found = next(each for each in CASES if each.name == case)
    chance = random.Random(seed)
    game = load_game(f"sgai_{found.draw(chance)}")
    state = game.new_initial_state()
    for _ in range(chance.choice(found.moves)):
        state.apply_action(chance.choice(state.legal_actions()))
    own = state.current_player() if seat == 0 else 1 - state.current_player()
    bots = {own: AgentSpec.parse(hybrid).make(game, seed), 1 - own: AgentSpec.parse(opponent).make(game, seed)}
    seconds: list[float] = []
    proved_from, moves = None, 0
    while not state.is_terminal():
        player = state.current_player()
        action = bots[player].step(state)
        if player == own:
            decision = bots[own].last_decision
            seconds.append(decision.seconds)
            if proved_from is None and decision.outcome is not None:
                proved_from = moves
        state.apply_action(action)
        moves += 1
    return Played(state.returns()[own] > 0, seconds, proved_from)


def match(case: Case, games: int, hybrid: str, opponent: str, pool: ProcessPoolExecutor) -> list[Played]:
    """Play an even number of games, each opening from both seats."""
    tasks = [pool.submit(play, case.name, number // 2, number % 2, hybrid, opponent) for number in range(games)]
    return [task.result() for task in tqdm(tasks, desc=f"{case.name}, {opponent}", disable=None)]


def summary(case: Case, opponent: str, budget: float, played: list[Played]) -> list[str]:
    """Return a line of the table."""
    wins = sum(each.won for each in played)
    low, high = wilson_interval(wins, len(played))
    times = sorted(seconds for each in played for seconds in each.seconds)
    proved = [LONG_GAME if each.proved_from is None else each.proved_from for each in played]
    return [
        case.name,
        opponent.partition("(")[0],
        f"{1000 * budget:g}",
        f"{wins} of {len(played)}",
        f"{wins / len(played):.1%} ({low:.1%} - {high:.1%})",
        f"{statistics.median(proved):.0f}",
        f"{1000 * statistics.median(times):.1f}",
        f"{1000 * times[int(0.99 * (len(times) - 1))]:.1f}",
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200, help="games of each pairing, an even number")
    parser.add_argument("--seconds", type=float, nargs="+", default=[0.1], help="time of a move")
    parser.add_argument("--case", action="append", choices=[case.name for case in CASES], help="by default all")
    parser.add_argument("--opponent", action="append", choices=("mcts", "plain_mcts"), help="by default both")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    table = []
    with ProcessPoolExecutor(options.processes) as pool:
        for case in [each for each in CASES if not options.case or each.name in options.case]:
            for opponent in options.opponent or ("mcts", "plain_mcts"):
                for seconds in options.seconds:
                    budget = f"(seconds={seconds})"
                    played = match(case, options.games, f"hybrid{budget}", f"{opponent}{budget}", pool)
                    table.append(summary(case, opponent, seconds, played))
    headers = [
        "game",
        "opponent",
        "ms a move",
        "hybrid wins",
        "share (95% interval)",
        "proved from move",
        "median ms",
        "p99 ms",
    ]
    print(tabulate(table, headers=headers, disable_numparse=True))


if __name__ == "__main__":
    main()
