"""Vector environments: steps a second with random legal actions, against OpenSpiel's, and what a step is spent on.

Run ``python -m sgai.experiments.benchmarks.vector_envs`` (about a minute). A step is one move in one game; it includes
the choice of a random legal action, the observation, and the mask of the legal actions (of OpenSpiel's: their list).
Games that end begin anew in the same step. Times are CPU seconds on one core, after compilation; ours and OpenSpiel's
take turns. Last, how long `sgai.Oracle` takes to label positions.
"""

import itertools
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.rl_agent import StepOutput
from open_spiel.python.rl_environment import Environment
from open_spiel.python.vector_env import SyncVectorEnv
from tabulate import tabulate

import sgai
from sgai.envs import VectorEnv, load_game

NIM, CRAM = "sgai_nim(piles=[1;3;5;7;9])", "sgai_cram(rows=8,columns=8)"
KAYLES, LARGE_CRAM = "sgai_kayles(piles=[20;21])", "sgai_cram(rows=12,columns=12)"

Rate = Callable[[], float]


def our_rate(text: str, games: int, seconds: float = 0.4, **options: Any) -> Rate:
    """Return a function that returns the steps a second of `VectorEnv`."""
    env = VectorEnv(text, games, seed=1, **options)
    env.reset()
    env.step(env.sample_actions())

    def rate() -> float:
        steps, started = 0, time.process_time()
        while time.process_time() - started < seconds:
            for _ in range(8):
                env.step(env.sample_actions())
            steps += 8 * games
        return steps / (time.process_time() - started)

    return rate


def their_rate(game: Any, games: int, seconds: float = 0.6) -> Rate:
    """Return a function that returns the steps a second of OpenSpiel's `SyncVectorEnv`."""
    envs = SyncVectorEnv([Environment(game) for _ in range(games)])
    chance = random.Random(1)
    seen = envs.reset()

    def rate() -> float:
        nonlocal seen
        steps, started = 0, time.process_time()
        while time.process_time() - started < seconds:
            outputs = []
            for each in seen:
                legal = each.observations["legal_actions"][each.observations["current_player"]]
                outputs.append(StepOutput(action=chance.choice(legal), probs=None))
            seen, _, _, _ = envs.step(outputs, reset_if_done=True)
            steps += games
        return steps / (time.process_time() - started)

    return rate


def taking_turns(rates: list[Rate], times: int = 5) -> list[float]:
    """Return the median of each."""
    found: list[list[float]] = [[] for _ in rates]
    for _ in range(times):
        for rate, results in zip(rates, found, strict=True):
            results.append(rate())
    return [statistics.median(results) for results in found]


def against_openspiel(text: str, games: int, game: Any = None, their_games: int = 64) -> list[str]:
    """Return a row with the steps a second of both; OpenSpiel's does not depend on the number of games."""
    shown = text if game is None else f"the same, beside OpenSpiel's own {game.get_type().short_name} in C++"
    theirs, ours, without = taking_turns(
        [their_rate(game or load_game(text), their_games), our_rate(text, games), our_rate(text, games, copy=False)]
    )
    columns = [f"{each:,.0f}" for each in (theirs, ours, without)]
    return [shown, f"{games:,}", *columns, f"{1e9 / ours:,.0f}", f"{ours / theirs:,.0f}"]


def by_number_of_games(text: str, numbers: list[int]) -> list[list[str]]:
    """Return how the time of a step depends on how many games there are."""
    rates = taking_turns([our_rate(text, games, 0.2) for games in numbers], 3)
    return [[text, f"{games:,}", f"{1e9 / rate:,.0f}"] for games, rate in zip(numbers, rates, strict=True)]


def profile(text: str, games: int, rounds: int = 400) -> list[str]:
    """Return nanoseconds a step of the parts of a step, over a run of play."""
    env = VectorEnv(text, games, seed=1)
    env.reset()
    inner, spent = env._games, dict.fromkeys(("choose", "check", "play", "copies", "all"), 0.0)

    def timed(part: str, work: Callable[[], Any]) -> Any:
        started = time.perf_counter()
        result = work()
        spent[part] += time.perf_counter() - started
        return result

    for _ in range(rounds):
        actions = timed("choose", env.sample_actions)
        timed("check", lambda: inner.first_illegal(actions, env._all))  # noqa: B023
        saved = inner.tensors.copy(), inner.legal.copy(), inner.mask.copy()
        timed("play", lambda: inner.play(actions, env._all))  # noqa: B023
        inner.tensors[:], inner.legal[:], inner.mask[:] = saved
        timed("copies", lambda: (env._observations(), env._infos()))
        timed("all", lambda: env.step(actions))  # noqa: B023
    times = {part: 1e9 * seconds / rounds / games for part, seconds in spent.items()}
    rest = times["all"] - times["check"] - times["play"] - times["copies"]
    order = [times["choose"], times["check"], times["play"], times["copies"], rest]
    return [text, f"{games:,}", *(f"{each:,.0f}" for each in order)]


def labels() -> list[list[str]]:
    """Return what the oracle labels, and how long it takes."""
    rows: list[tuple[str, int, int, float]] = []
    grid = np.array(list(itertools.product(*(range(pile + 1) for pile in (1, 3, 5, 7, 9)))))
    for play in ("normal", "misere"):
        oracle = sgai.Oracle("nim(piles=[1;3;5;7;9])", play=play)
        times = []
        for _ in range(9):
            started = time.perf_counter()
            found = oracle.label(grid)
            times.append(time.perf_counter() - started)
        rows.append(
            (f"Nim 1;3;5;7;9, all positions, {play}", len(found), int(found.won.sum()), statistics.median(times))
        )
    for text, moves in (("cram(rows=4,columns=5)", 4), ("node_kayles(graph=grid,rows=6,columns=6)", 4)):
        env = VectorEnv(text, 1000, seed=1, random_moves=moves)
        env.reset()
        sgai.Oracle(text).label(env.words()[:50])  # loads the compiled code
        started = time.perf_counter()
        found = sgai.Oracle(text).label(env.words())
        seconds = time.perf_counter() - started
        assert found.complete.all()
        rows.append((f"{text} after up to {moves} random moves", len(found), int(found.won.sum()), seconds))
    return [[name, f"{count:,}", f"{won:,}", f"{1e3 * seconds:.1f}"] for name, count, won, seconds in rows]


def main() -> None:
    """Print the tables."""
    print(f"Steps a CPU second with random legal actions, taking turns (OpenSpiel {pyspiel.__version__})")
    own_nim = pyspiel.load_game("nim", {"pile_sizes": "1;3;5;7;9", "is_misere": False})
    rows = [against_openspiel(NIM, 4096), against_openspiel(NIM, 4096, own_nim)]
    rows += [against_openspiel(text, 4096) for text in (KAYLES, CRAM, LARGE_CRAM)]
    headers = ["game", "games", "SyncVectorEnv", "ours", "without copies", "ns a step", "ours / OpenSpiel"]
    print(tabulate(rows, headers=headers, disable_numparse=True))
    print("\nHow many games at once: nanoseconds a step")
    rows = [
        *by_number_of_games(NIM, [64, 256, 1024, 4096, 16_384]),
        *by_number_of_games(CRAM, [64, 1024, 4096, 16_384]),
    ]
    print(tabulate(rows, headers=["game", "games", "ns a step"], disable_numparse=True))
    print("\nWhere the time goes: nanoseconds a step")
    headers = ["game", "games", "choose", "check", "move and mask", "copies, infos", "rewards, new games"]
    print(tabulate([profile(NIM, 4096), profile(CRAM, 4096)], headers=headers, disable_numparse=True))
    print("\nLabels: outcome, Grundy value and all winning moves")
    print(tabulate(labels(), headers=["positions", "how many", "won", "ms for all"], disable_numparse=True))


if __name__ == "__main__":
    main()
