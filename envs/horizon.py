"""Games that may go on for ever as OpenSpiel games, which may not: after so many plies the play is a draw."""

import pyspiel

from sgai.envs.game import SgaiGame, SgaiState
from sgai.envs.node import Node


class HorizonState(SgaiState):
    """A position with the player to move and the number of plies left until the play is a draw."""

    def __init__(self, game: SgaiGame, start: Node | None = None, player: int = 0) -> None:
        super().__init__(game, start, player)
        self._left = game.horizon

    @property
    def plies_left(self) -> int:
        """How many moves may still be made."""
        return self._left

    def current_player(self) -> int:
        """Return the player to move, or the id that says that the game is over."""
        return super().current_player() if self._left else int(pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        """Tell whether no move or no ply is left."""
        return not self._left or super().is_terminal()

    def _apply_action(self, action: int) -> None:
        if not self._left:
            raise pyspiel.SpielError(f"action {action} is not legal in {str(self)!r}: the game is over")
        super()._apply_action(action)
        self._left -= 1

    def _legal_actions(self, player: int) -> list[int]:
        return super()._legal_actions(player) if self._left else []

    def _over_text(self) -> str:
        return super()._over_text() if self._node.over else "drawn"

    def __str__(self) -> str:
        # What is still to come depends on the plies left, so that states which differ in them are different.
        text = super().__str__()
        return text if self.is_terminal() else f"{text}, {self._left} {'ply' if self._left == 1 else 'plies'} left"
