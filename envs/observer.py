"""What a player sees of a game in which everything is open: the position, and who moves."""

from typing import Any

import numpy as np
import pyspiel

from sgai.ruleset import Ruleset


class PositionObserver:
    """Observations as float32 tensors.

    Attributes
    ----------
    tensor : numpy.ndarray of float32
        Everything in one row: the player, then the position; for games with a horizon the share of it that is left.
    dict : dict
        Views of it: ``player``, shape (2,), one-hot who moves (zeros when the game is over), and ``position``, of the
        ruleset's `tensor_shape`; with a horizon ``left``, shape (1,), from 1 at the start to 0.
    """

    def __init__(self, ruleset: Ruleset[Any, Any], params: Any = None, horizon: int = 0) -> None:
        if params:
            raise pyspiel.SpielError(f"observers of sgai's games take no parameters, but were given {params}")
        self._ruleset = ruleset
        shape = ruleset.tensor_shape()
        size = int(np.prod(shape))
        self._horizon = horizon
        self.tensor = np.zeros(2 + size + bool(horizon), np.float32)
        self.dict = {"player": self.tensor[:2], "position": self.tensor[2 : 2 + size].reshape(shape)}
        if horizon:
            self.dict["left"] = self.tensor[2 + size :]

    def set_from(self, state: Any, player: int) -> None:  # noqa: ARG002 - both players see the same
        """Fill the tensor from a state."""
        self.tensor[:2] = 0.0
        if not state.is_terminal():
            self.tensor[state.current_player()] = 1.0
        self.dict["position"][...] = self._ruleset.encode(state.position)
        if self._horizon:
            self.dict["left"][0] = state.plies_left / self._horizon

    def string_from(self, state: Any, player: int) -> str:  # noqa: ARG002 - both players see the same
        """Return the text of the state."""
        return str(state)
