"""Who wins, by the exact solver, wherever it can tell within a number of states."""

from typing import Any

from sgai.budget import Budget, OutOfBudget
from sgai.decomposition import decompose
from sgai.envs import Bridge, bridge
from sgai.errors import SgaiError, UnsupportedError
from sgai.misere import misere_nim_is_won, nim_heaps
from sgai.removal_values import LEAST_MEMORY
from sgai.solver import Solver

_MEMORY = max(LEAST_MEMORY, 1 << 26)  # bytes; one oracle is made a game


class Oracle:
    """Judges the positions of one OpenSpiel game; of games that sgai has no rules of it knows nothing.

    What it remembers lets it judge more later on, so where answers must not depend on what was asked before, a new one
    is made.

    Parameters
    ----------
    game : pyspiel.Game
        Any game.

    Examples
    --------
    >>> import pyspiel
    >>> game = pyspiel.load_game("nim(pile_sizes=1;3;5;7,is_misere=false)")
    >>> Oracle(game).outcome(game.new_initial_state(), Budget(1000))
    'P'
    """

    def __init__(self, game: Any) -> None:
        self._bridge: Bridge | None
        try:
            self._bridge = bridge(game)
        except UnsupportedError:
            self._bridge = None
        self._solver = Solver(memory=_MEMORY)

    @property
    def knows(self) -> bool:
        """Whether there is anything that it can judge."""
        return self._bridge is not None

    def position(self, state: Any) -> Any:
        """Return what to ask about a state later, or None."""
        return None if self._bridge is None else self._bridge.position(state)

    def outcome(self, state: Any, budget: Budget) -> str | None:
        """Return "N" if the player to move wins, "P" if they lose, None if that is not known within the budget."""
        return self.outcome_of(self.position(state), budget)

    def outcome_of(self, position: Any, budget: Budget) -> str | None:
        """Judge what `position` returned."""
        found = self._bridge
        if found is None or budget.is_over():
            return None
        try:
            if found.play == "normal":
                return "P" if self._solver.has_grundy(found.ruleset, position, 0, budget) else "N"
            # Misere: solved for Nim, where a rule tells, and refused for others.
            return "N" if misere_nim_is_won(nim_heaps(decompose(found.ruleset, position))) else "P"
        except OutOfBudget:
            budget.spent = budget.states
            return None
        except SgaiError:  # no theory for such positions
            self._bridge = None
            return None

    def judged(self, positions: list[Any], states: int) -> list[str | None]:
        """Judge the positions of a game, the last ones first: what is found of them helps with the earlier ones.

        Parameters
        ----------
        positions : list
            In the order of play.
        states : int
            The most states to evaluate for all of them.
        """
        budget = Budget(max(1, states))
        outcomes: list[str | None] = []
        for position in reversed(positions):
            outcomes.append(self.outcome_of(position, budget) if states else None)
        return outcomes[::-1]
