"""The XOR prior as an evaluator for OpenSpiel's Monte Carlo tree search in Python."""

from typing import Any

import numpy as np
import numpy.typing as npt
from open_spiel.python.algorithms import mcts

from sgai.belief_models import BeliefModel
from sgai.beliefs import loss_probability
from sgai.budget import Budget
from sgai.decomposition import Summand, decompose
from sgai.envs import bridge
from sgai.errors import SgaiError, quote
from sgai.misere import misere_nim_is_won, nim_heaps
from sgai.ruleset import Component
from sgai.solver import Solver
from sgai.xor_prior import XorPrior

DEFAULT_STATES = 2_000
_MOST_REMEMBERED = 200_000


class XorPriorEvaluator(mcts.Evaluator):
    """Values of states and priors of actions by what is known and believed of a position's components.

    The value of a state is 1 - 2 P(the player to move loses). The prior of an action is in proportion to the
    probability that the opponent loses what it leads to; where some action is known to win, all prior is on those that
    do, and in a position that is known to be lost all actions are equal.

    Use it with PUCT: ``mcts.MCTSBot(game, uct_c, max_simulations, evaluator, solve=True,
    child_selection_fn=mcts.SearchNode.puct_value)`` of ``open_spiel.python.algorithms``. OpenSpiel's C++ search takes
    no evaluator written in Python.

    Parameters
    ----------
    game : pyspiel.Game
        One of sgai's games, or OpenSpiel's ``nim``. Misere play is exact for Nim, and refused for other games.
    states : int
        The most states to evaluate for one component, when it is first met; what takes more is believed. With 0 only
        what the solver knows already is known.
    solver : Solver, optional
        Whose values to use and add to; by default the evaluator's own.
    model : BeliefModel, optional
        What to believe of components that are not solved; by default the shipped tables.
    trust : float
        How far a split that is only approximate is believed, from 0 to 1.

    Examples
    --------
    >>> import pyspiel
    >>> game = pyspiel.load_game("sgai_nim(piles=[1;2;4])")
    >>> state = game.new_initial_state()
    >>> evaluator = XorPriorEvaluator(game)
    >>> evaluator.evaluate(state)
    array([ 1., -1.])
    >>> [(state.action_to_string(action), prior) for action, prior in evaluator.prior(state) if prior]
    [('4->3', 1.0)]
    """

    def __init__(
        self,
        game: Any,
        *,
        states: int = DEFAULT_STATES,
        solver: Solver | None = None,
        model: BeliefModel | None = None,
        trust: float = 0.5,
    ) -> None:
        self._bridge = bridge(game)
        if isinstance(states, bool) or not isinstance(states, int) or states < 0:
            raise SgaiError(f"states={quote(states)}: it should be an integer of 0 or more")
        if self._bridge.play == "misere":
            nim_heaps(decompose(self._bridge.ruleset, self._bridge.ruleset.initial()))
        self._states = states
        self._solver = Solver() if solver is None else solver  # an empty one is false
        self._prior = XorPrior(self._solver, model, trust=trust)
        self._tried: set[tuple[Any, Any]] = set()

    def evaluate(self, state: Any) -> npt.NDArray[np.float64]:
        """Return the expected result of each player."""
        if state.is_terminal():
            return np.array(state.returns())
        value = 1.0 - 2.0 * self._loses(state)
        return np.array([value, -value] if state.current_player() == 0 else [-value, value])

    def prior(self, state: Any) -> list[tuple[int, float]]:
        """Return every legal action with its prior probability."""
        actions = state.legal_actions()
        chances = np.array([self._loses(state.child(action)) for action in actions])
        if chances.max() == 1.0:
            chances = np.floor(chances)  # next to a sure win all else is idle
        elif not chances.any():
            chances[:] = 1.0
        return list(zip(actions, (chances / chances.sum()).tolist(), strict=True))

    def _loses(self, state: Any) -> float:
        """Return the probability that the player to move in a state loses."""
        summands = decompose(self._bridge.ruleset, self._bridge.position(state))
        if self._bridge.play == "misere":
            return float(not misere_nim_is_won(nim_heaps(summands)))
        for each in summands:
            self._try_to_solve(each)
        return loss_probability(self._prior.beliefs(Component(*each[:2], True) for each in summands))

    def _try_to_solve(self, part: Summand) -> None:
        key = part[:2]
        if self._states and key not in self._tried:
            if len(self._tried) >= _MOST_REMEMBERED:
                self._tried.clear()
            self._tried.add(key)
            self._solver.table.value_if_small(part.ruleset, part.position, Budget(self._states))
