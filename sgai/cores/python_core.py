"""What the search cores written in Python have in common: one search, and the belief that may guide it."""

import contextlib
from abc import abstractmethod
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from sgai.budget import Budget, OutOfBudget
from sgai.cores.collector import paused_collector
from sgai.cores.core import Findings, MoveFinding, SearchCore, Sum
from sgai.cores.python_nodes import Key, PartTable
from sgai.cores.ranking import best_first
from sgai.ruleset import Component
from sgai.solver import Solver

Loss = Callable[[tuple[Component, ...], int], float]


class OpenRoot(Protocol):
    """A sum that is being searched."""

    outcome: str | None


RootT = TypeVar("RootT", bound=OpenRoot)


def believed(loss: Loss, key: Key) -> float:
    """Return the probability that the player to move loses a sum, by a belief that may not keep to 0 and 1."""
    parts, heap = key
    return min(1.0, max(0.0, loss(tuple(part.component for part in parts), heap)))


class PythonCore(SearchCore, Generic[RootT]):
    """A search core that works on parts; subclasses say how they search.

    Parameters
    ----------
    solver : Solver, optional
        Whose values are used and added to; by default the core's own, which `reset` replaces.
    split, small
        As of `PartTable`.
    """

    by_visits = False

    def __init__(self, solver: Solver | None, split: bool, small: int) -> None:
        self._given, self._split, self._small = solver, split, small
        self.reset()

    def reset(self) -> None:
        """Forget what was searched; values that a given solver learned stay with it."""
        solver = Solver() if self._given is None else self._given  # one that knows nothing yet is false
        self._table = PartTable(solver, split=self._split, small=self._small)
        self._last: tuple[Sum, RootT] | None = None

    def search(self, root: Sum, budget: Budget) -> Findings:
        """Search until the outcome is proved or the budget ends; a search of the same sum is gone on with."""
        table = self._table
        table.start(root)
        spent, hits, elapsed = budget.spent, table.hits, budget.elapsed()
        if self._last is None or self._last[0] != root:
            self._last = root, self._open(root)
        opened = self._last[1]
        with paused_collector(budget), contextlib.suppress(OutOfBudget):
            self._advance(opened, budget)
        budget.hits += table.hits - hits
        moves = best_first(self._moves(opened), by_visits=self.by_visits)
        return Findings(opened.outcome, moves, budget.spent - spent, table.hits - hits, budget.elapsed() - elapsed)

    @abstractmethod
    def _open(self, root: Sum) -> RootT:
        """Return the sum with nothing searched yet; it may take only as long as its moves are listed."""

    @abstractmethod
    def _advance(self, root: RootT, budget: Budget) -> None:
        """Search until the outcome is proved; `OutOfBudget` may come at any time, and a call after goes on."""

    @abstractmethod
    def _moves(self, root: RootT) -> list[MoveFinding]:
        """Return what is known of each move at the root."""
