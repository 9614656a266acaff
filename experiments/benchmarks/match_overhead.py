"""What the match runner costs beside the bots: ``python -m sgai.experiments.benchmarks.match_overhead``.

A match of two bots that choose at random is timed as a whole; what its decisions took is taken off, and the rest is
divided by the number of moves; the least of three matches counts. Workers are started before. Most of it is the wait
for the disk after each game.
"""

import tempfile
import time

from tabulate import tabulate

from sgai.experiments import matches
from sgai.experiments.engines import make_engine

GAMES = ("nim", "sgai_nim(piles=[3;5;6;7;9])", "sgai_kayles(piles=[9;14])", "tic_tac_toe")
ROUNDS, REPEATS = 50, 3


def overhead(engine_name: str, game: str, oracle_states: int, rounds: int = ROUNDS) -> float:
    """Return seconds a move beside the decisions.

    Parameters
    ----------
    engine_name : str
        "serial" or "pool", with one worker.
    game : str
        An OpenSpiel game.
    oracle_states : int
        The exact solver's budget for judging a game's moves, as of `Rules`.
    rounds : int
        Half the number of games.
    """

    def played(count: int) -> tuple[float, list[matches.GameRecord]]:
        settings = matches.MatchSettings.parse(
            ["random", "random(seed=1)"], [game], count, 0, oracle_states=oracle_states, openings="random", plies=1
        )
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            records = matches.play_match(settings, matches.new_folder(folder), engine=engine)
            return time.perf_counter() - started, records

    found = []
    with make_engine(engine_name) as engine:
        played(1)
        for _ in range(REPEATS):
            taken, records = played(rounds)
            moves = sum(len(record.seconds) for record in records)
            found.append((taken - sum(sum(record.seconds) for record in records)) / moves)
    return min(found)


def main() -> None:
    """Print a table."""
    rows = [
        [game, *(f"{1000 * overhead(name, game, states):.3f}" for name in ("serial", "pool") for states in (0, 20_000))]
        for game in GAMES
    ]
    headers = ["ms a move beside the bots", "serial", "serial, judged", "pool", "pool, judged"]
    print(tabulate(rows, headers=headers, disable_numparse=True, colalign=("left", *("right",) * 4)))


if __name__ == "__main__":
    main()
