"""What an impartial combinatorial game may not show in play, judged state by state."""

from dataclasses import dataclass
from typing import Any

from sgai.envs.classification.answer import Play


@dataclass(frozen=True)
class Against:
    """What shows that a game is no impartial combinatorial game.

    Attributes
    ----------
    reason : str
        In words.
    plays : tuple of Play
        The play, or the two plays, that show it.
    """

    reason: str
    plays: tuple[Play, ...]


class Results:
    """Follows the results of ended plays: all of them must be won, by the same margin, by who moved last, or lost so.

    Attributes
    ----------
    play : "normal", "misere" or None
        Who has won the plays so far: who moved last, or the other; None before the first.
    """

    def __init__(self) -> None:
        self.play: str | None = None
        self._margin = 0.0
        self._first: Any = None

    def against(self, state: Any, mover: int) -> Against | None:
        """Judge an ended state after a move of ``mover``."""
        returns = state.returns()
        margin = returns[mover] - returns[1 - mover]
        if margin == 0:
            return Against("it can end in a draw", (Play.of(state),))
        play = "normal" if margin > 0 else "misere"
        if self.play is None:
            self.play, self._margin, self._first = play, abs(margin), state
        elif play != self.play:
            return Against("who moves last can win, and can lose", (Play.of(self._first), Play.of(state)))
        elif abs(margin) != self._margin:
            return Against("it is played for a score: wins differ in size", (Play.of(self._first), Play.of(state)))
        return None


def against_turns(state: Any, mover: int) -> Against | None:
    """Judge who is to move in a state, not ended, after a move of ``mover``."""
    player = state.current_player()
    if player == 1 - mover:
        return None
    if player == mover:
        return Against("a player can move twice in a row", (Play.of(state),))
    return Against(f"neither player is to move in {str(state)!r}", (Play.of(state),))


def ends_soon(state: Any, depth: int = 2) -> Any:
    """Return the tree of options of a state cut off at a depth, in which ends of play are empty sets.

    Where it differs between two states, their trees of options differ, however their options are called.
    """
    if state.is_terminal():
        return frozenset()
    if depth == 0:
        return None
    return frozenset(ends_soon(state.child(action), depth - 1) for action in state.legal_actions())
