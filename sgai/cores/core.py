"""The contract of a search core: a sum and a budget in, what was proved and what looks good out."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

from sgai.budget import Budget
from sgai.ruleset import Component


class Sum(NamedTuple):
    """Components that are not solved, beside one nim-heap for all that are.

    Attributes
    ----------
    parts : tuple of Component
        Independent of each other; each splits no further.
    heap : int
        The nim-sum of all solved components.
    """

    parts: tuple[Component, ...]
    heap: int = 0


class SumMove(NamedTuple):
    """A move in a sum: in one of its parts, or in the nim-heap.

    Attributes
    ----------
    part : int
        The number of the part, -1 for the nim-heap.
    move : hashable
        A move of the part's ruleset; for the nim-heap the smaller size that it leaves.
    """

    part: int
    move: Any


@dataclass(frozen=True)
class MoveFinding:
    """What a search found about one move at the root.

    Attributes
    ----------
    move : SumMove
        The move.
    outcome : "N", "P" or None
        The proved outcome of the option that it leads to, "P" for a winning move; None where nothing is proved.
    win : float
        The estimated probability that the player who makes the move wins, 0 to 1; 0 or 1 where that is proved.
    visits : int
        How much of the search went into it: simulations, or nodes.
    prior : float
        The prior probability of the move before search, 0 to 1.
    """

    move: SumMove
    outcome: str | None
    win: float
    visits: int
    prior: float = 0.0


@dataclass(frozen=True)
class Findings:
    """What a search found.

    Attributes
    ----------
    outcome : "N", "P" or None
        The proved outcome of the sum for the player to move; None where it is not proved.
    moves : tuple of MoveFinding
        The moves at the root, the best one first. A proved "N" has at least one move with the outcome "P".
    nodes : int
        Simulations of MCTS, or positions expanded.
    hits : int
        Components whose value was there when it was asked for.
    seconds : float
        Time taken.
    """

    outcome: str | None
    moves: tuple[MoveFinding, ...]
    nodes: int
    hits: int
    seconds: float


class SearchCore(ABC):
    """Searches sums of one kind; what it proves stays until `reset`, so that the moves of one game share it.

    Attributes
    ----------
    name : str
        What options and explanations call it, "mcts" or "outcome" for example.
    """

    name = "core"

    @abstractmethod
    def search(self, root: Sum, budget: Budget) -> Findings:
        """Search until the outcome is proved or the budget ends; the budget's states are nodes or simulations.

        It never raises `OutOfBudget`: out of budget is an answer. The clock is read between slices that take a
        millisecond or so. With a budget of states alone, equal calls after a reset give equal answers.
        `KeyboardInterrupt` may pass through; what was learned stays usable.
        """

    def reset(self) -> None:  # noqa: B027 - a core may keep nothing
        """Forget what belongs to one game."""
