"""The contract of an agent: a position in, a decision out."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from sgai.errors import SgaiError
from sgai.ruleset import Ruleset
from sgai.solution import SolvedComponent

EXACT, PROVED, ESTIMATED = "exact", "proved", "estimated"


@dataclass(frozen=True)
class Decision:
    """A move, with how the agent knows that it is good.

    Attributes
    ----------
    move, position
        The move, and the position that it leads to.
    status : "exact", "proved" or "estimated"
        By theory, by search, or a guess.
    outcome : "N", "P", "D" or None
        The outcome of the position that was decided on, where it is known; D, a draw, in loopy games only.
    components : tuple of SolvedComponent
        The position's independent components with their Grundy values, where the agent looked at them.
    states : int
        States that were evaluated.
    seconds : float
        Time taken.
    """

    move: Any
    position: Any
    status: str
    outcome: str | None
    components: tuple[SolvedComponent, ...]
    states: int
    seconds: float


class Agent(ABC):
    """Decides on positions of one ruleset.

    Parameters
    ----------
    ruleset : Ruleset
        The rules.
    """

    name = "agent"

    def __init__(self, ruleset: Ruleset[Any, Any]) -> None:
        self.ruleset = ruleset

    @abstractmethod
    def decide(self, position: Any) -> Decision:
        """Choose a move.

        Raises
        ------
        SgaiError
            If the position is none of the ruleset's, or has no moves.
        """

    def reset(self) -> None:  # noqa: B027 - most agents keep nothing
        """Forget what belongs to one game; called before each."""

    def game_is_over(self, position: Any) -> SgaiError:
        """Return the error for a position without moves."""
        return SgaiError(f"there is no move to decide on in {self.ruleset.format(position)!r}: the game is over")
