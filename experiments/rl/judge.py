"""Exact answers about positions: who wins, and by which moves; kept, for play comes back to the same ones."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sgai.batch_oracle import Labels, Oracle
from sgai.envs.game import SgaiGame
from sgai.removal_values import load_compiled_search

DEFAULT_STATES = 200_000


class Judge:
    """The exact oracle of one OpenSpiel game, under its convention of play.

    Parameters
    ----------
    game : SgaiGame
        The game.
    states : int
        The most states to evaluate for one position.
    seconds : float, optional
        The most seconds for the positions of one call.

    Examples
    --------
    >>> from sgai.envs import load_game
    >>> judge = Judge(load_game("sgai_nim(piles=[1;2;3])"))
    >>> judge.winning((2, 3)), judge.winning((2, 2))
    ((3,), ())
    """

    def __init__(self, game: SgaiGame, states: int = DEFAULT_STATES, seconds: float | None = None) -> None:
        load_compiled_search(game.ruleset)  # so that states are counted alike in every process
        self.game, self.states, self.seconds = game, states, seconds
        self.oracle = Oracle(game.ruleset, play=game.play)
        self._winning: dict[Any, tuple[int, ...] | None] = {}

    def renewed(self) -> "Judge":
        """Return a judge that knows nothing yet: what a budget suffices for depends on what is known already."""
        return Judge(self.game, self.states, self.seconds)

    def __reduce__(self) -> tuple[type["Judge"], tuple[SgaiGame, int, float | None]]:
        return Judge, (self.game, self.states, self.seconds)

    def labels(self, positions: Sequence[Any]) -> Labels:
        """Return the labels of positions; see `Oracle.label`."""
        return self.oracle.label(list(positions), states=self.states, seconds=self.seconds)

    def winning(self, position: Any) -> tuple[int, ...] | None:
        """Return the actions that win, none in a lost position; None where they are not found within the budget."""
        if position not in self._winning:
            self._learn([position])
        return self._winning[position]

    def hardest(self, position: Any) -> list[int]:
        """Return the actions after which the smallest share of the other player's moves wins; all where not known."""
        ruleset = self.game.ruleset
        actions = ruleset.legal_indices(position)
        options = [ruleset.apply(position, ruleset.move_from_index(action)) for action in actions]
        labels = self.labels(options)
        if not labels.complete.all():
            return actions
        shares = labels.winning.sum(axis=1) / np.maximum(1, labels.legal.sum(axis=1))
        least = shares.min()
        return [action for action, share in zip(actions, shares, strict=True) if share == least]

    def _learn(self, positions: list[Any]) -> None:
        labels = self.labels(positions)
        for row, position in enumerate(positions):
            found = tuple(np.flatnonzero(labels.winning[row]).tolist())
            self._winning[position] = found if labels.complete[row] else None
