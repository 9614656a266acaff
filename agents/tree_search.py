"""OpenSpiel's own C++ Monte Carlo tree search with a budget of simulations or of seconds."""

import math
from typing import Any

import pyspiel

from sgai.budget import Budget
from sgai.errors import SgaiError

DEFAULT_SIMULATIONS = 1000
MOST_SIMULATIONS = 2**31 - 1
LEAST_SIMULATIONS = 2  # with one the search has seen no move yet, and OpenSpiel returns none


class TreeSearch:
    """A search that begins a new tree for each state; random playouts give the values of its leaves.

    Parameters
    ----------
    game : pyspiel.Game
        A sequential game whose rewards come at the end. Chance moves are sampled; each player maximises their own
        result; nothing is hidden from the search.
    simulations : int, optional
        Simulations a move, 2 or more; without a bound if None.
    seconds : float, optional
        The time for a move. OpenSpiel reads the clock between simulations, so the last playout may run over; where not
        even two simulations fit, two are made.
    uct_c : float
        Exploration constant of UCT.
    rollouts : int
        Random playouts at each leaf.
    max_memory_mb : int
        Size of the search tree.
    seed : int
        Of the playouts.
    """

    def __init__(
        self,
        game: Any,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        uct_c: float = 2.0,
        rollouts: int = 1,
        max_memory_mb: int = 1000,
        seed: int = 0,
    ) -> None:
        simulations = MOST_SIMULATIONS if simulations is None else simulations
        for name, value, least in (
            ("simulations", simulations, LEAST_SIMULATIONS),
            ("rollouts", rollouts, 1),
            ("max_memory_mb", max_memory_mb, 1),
        ):
            if not least <= value <= MOST_SIMULATIONS:
                raise SgaiError(f"{name}={value}: it should be {least} or more, and below 2**31")
        if not 0 <= uct_c < math.inf:
            raise SgaiError(f"uct_c={uct_c}: it should be a number of 0 or more")
        Budget(seconds=seconds)  # rejects what cannot be kept
        seed %= 2**31
        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, seed)

        def searcher(most: int, clock: float) -> Any:
            uct = pyspiel.ChildSelectionPolicy.UCT
            return pyspiel.MCTSBot(game, evaluator, uct_c, most, max_memory_mb, True, seed, False, uct, clock)

        self._searcher = searcher(simulations, -1.0 if seconds is None else seconds)
        self._shortest = searcher(LEAST_SIMULATIONS, -1.0)

    def search(self, state: Any) -> Any:
        """Return the root of the tree, a ``pyspiel.SearchNode`` with a child for each legal action."""
        root = self._searcher.mcts_search(state)
        return root if root.children else self._shortest.mcts_search(state)
