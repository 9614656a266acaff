"""Elo ratings by OpenSpiel's own module, with intervals by the bootstrap over pairs of games."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sgai.experiments.matches.records import GameRecord

RESAMPLES = 1000
Matrix = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Rating:
    """An Elo rating with the ends of its 95% interval; the mean of all agents is 0.

    Where ``is_bounded`` is False some group of agents won, or lost, every game against the others: then no finite
    rating fits the games best, and what is given comes from OpenSpiel's smoothing.
    """

    elo: float
    low: float
    high: float
    is_bounded: bool


def result_matrices(records: Sequence[GameRecord], agents: Sequence[str]) -> tuple[Matrix, Matrix]:
    """Return how often each agent (row) beat each other one (column), and how often they drew."""
    number = {agent: i for i, agent in enumerate(agents)}
    wins, draws = (np.zeros((len(agents), len(agents)), dtype=np.int64) for _ in range(2))
    for record in records:
        if record.failed is not None:
            continue
        first, second = (number[agent] for agent in record.agents)
        if record.winner is None:
            draws[first, second] += 1
            draws[second, first] += 1
        elif record.winner == record.agents[0]:
            wins[first, second] += 1
        else:
            wins[second, first] += 1
    return wins, draws


def elo_ratings(wins: Matrix, draws: Matrix) -> npt.NDArray[np.float64]:
    """Return ratings with mean 0, by OpenSpiel's ``elo`` module (Hunter's MM algorithm for Bradley-Terry models).

    Examples
    --------
    >>> elo_ratings(np.array([[0, 10], [1, 0]]), np.zeros((2, 2), dtype=np.int64)).round().tolist()
    [199.0, -199.0]
    """
    from open_spiel.python.algorithms import elo  # loaded only where it is used

    found: npt.NDArray[np.float64] = elo.compute_ratings_from_matrices(wins, draws)
    centred: npt.NDArray[np.float64] = found - found.mean()
    return centred


def is_connected(wins: Matrix, draws: Matrix) -> bool:
    """Tell whether finite ratings fit best: no group of agents won all games against the rest (L. R. Ford, 1957)."""
    from scipy.sparse.csgraph import connected_components

    count, _ = connected_components(wins + draws, directed=True, connection="strong")
    return bool(count == 1)


def ratings(records: Sequence[GameRecord], seed: int = 0, resamples: int = RESAMPLES) -> dict[str, Rating]:
    """Return the rating of every agent.

    Parameters
    ----------
    records : sequence of GameRecord
        The games.
    seed : int
        Of the bootstrap.
    resamples : int
        How many times the pairs of games are drawn anew, with replacement. Pairs, games 2k and 2k + 1, are drawn as
        wholes: the two games from one opening are not independent.

    Returns
    -------
    dict
        Agent to `Rating`; the interval goes from the 2.5% to the 97.5% quantile of the resampled ratings.
    """
    agents = list(dict.fromkeys(name for record in records for name in record.agents))
    played = [record for record in records if record.failed is None]
    if not played:
        return {}
    wins, draws = result_matrices(played, agents)
    pairs: dict[int, list[GameRecord]] = {}
    for record in played:
        pairs.setdefault(record.index // 2, []).append(record)
    each = [result_matrices(pair, agents) for pair in pairs.values()]
    pair_wins, pair_draws = np.array([one for one, _ in each]), np.array([one for _, one in each])
    chance = np.random.default_rng(seed)
    drawn = np.empty((resamples, len(agents)))
    for i in range(resamples):
        # How often each pair is drawn, in place of a list of draws.
        times = chance.multinomial(len(each), np.full(len(each), 1 / len(each)))
        drawn[i] = elo_ratings(np.tensordot(times, pair_wins, 1), np.tensordot(times, pair_draws, 1))
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    bounded = is_connected(wins, draws)
    found = elo_ratings(wins, draws)
    return {agent: Rating(float(found[i]), float(low[i]), float(high[i]), bounded) for i, agent in enumerate(agents)}
