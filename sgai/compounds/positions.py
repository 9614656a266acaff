"""The positions of a component and their values: a graph that grows as it is asked, each position behind its options."""

from array import array
from typing import Any

import numpy as np

from sgai.budget import Budget
from sgai.compiling import can_compile
from sgai.compounds.sweeps import sweep
from sgai.errors import LoopError
from sgai.explicit_graph import MANY_EDGES
from sgai.kernels.graphs import longest_plays
from sgai.ruleset import Ruleset

LONGEST = "longest"  # a kind of value besides those of `sgai.compounds.theories`
_OPTIONS_A_LOOK = 1024  # the clock is read each time so many options of one position are listed
_STATES_A_SLICE = 20_000  # and each time so many values are found


class PositionGraph:
    """All positions that components of one ruleset have reached, as whole positions that are never split.

    Positions in canonical form have numbers in the order in which they are finished, so that options come before what
    leads to them. What is finished stays, whatever interrupts the walk.

    Parameters
    ----------
    ruleset : Ruleset
        The rules.
    """

    def __init__(self, ruleset: Ruleset[Any, Any]) -> None:
        self.ruleset = ruleset
        self._numbers: dict[Any, int] = {}
        self._starts, self._targets = array("q", [0]), array("i")
        self._values: dict[str, array[int]] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, position: Any, budget: Budget) -> int:
        """Return the number of a position, after a walk through all that it leads to.

        Raises
        ------
        OutOfBudget
            If the budget ends first; a second call goes on from what is finished.
        LoopError
            If play can come back to a position; it names the cycle.
        """
        start = self.ruleset.canonical(position)
        known = self._numbers.get(start)
        if known is not None:
            budget.hits += 1
            return known
        # Every entry: a position, its options, and those among them that are still to be looked at.
        stack = [(start, *self._options(start, budget))]
        entered = {start}
        while stack:
            at, options, waiting = stack[-1]
            while waiting and waiting[-1] in self._numbers:
                waiting.pop()
            if not waiting:
                self._finish(at, options)
                entered.discard(at)
                stack.pop()
                continue
            following = waiting.pop()
            if following in entered:
                path = [entry[0] for entry in stack]
                raise LoopError([self.ruleset.format(each) for each in path[path.index(following) :]])
            stack.append((following, *self._options(following, budget)))
            entered.add(following)
        return self._numbers[start]

    def known(self, position: Any) -> int | None:
        """Return the number of a position that is finished, else None."""
        return self._numbers.get(self.ruleset.canonical(position))

    def has_ended(self, number: int) -> bool:
        """Tell whether a position has no options."""
        return self._starts[number] == self._starts[number + 1]

    def value(self, kind: str, number: int, budget: Budget) -> int:
        """Return a value of a position: one of the kinds of `sgai.compounds.theories`, or the longest play from it."""
        values = self._values.setdefault(kind, array("i"))
        while len(values) <= number:
            self._extend(kind, values, min(len(self), len(values) + _STATES_A_SLICE))
            budget.check_clock()
        return values[number]

    def take_over(self, states: list[Any], starts: Any, targets: Any) -> None:
        """Take over all of a graph that was walked through elsewhere; its states come behind their options."""
        self._starts, self._targets = array("q", starts.astype(np.int64).tobytes()), array("i")
        self._targets.frombytes(targets.astype(np.int32).tobytes())
        self._values.clear()
        self._numbers = {state: number for number, state in enumerate(states)}

    def _extend(self, kind: str, values: "array[int]", stop: int) -> None:
        first = len(values)
        filled = array("i", values)  # so that an interrupt leaves the values as they were
        filled.extend([0] * (stop - first))
        if kind == LONGEST:
            longest_plays(self._starts, (), self._targets, (), range(stop), first, stop, filled)
        elif self._starts[stop] - self._starts[first] >= MANY_EDGES and can_compile():
            numbers = np.array(filled, dtype=np.int32)
            arrays = np.array(self._starts), np.array(self._targets, dtype=np.int32), np.arange(stop)
            sweep(kind, *arrays, first, stop, numbers, use_kernels=True)
            filled = array("i", numbers.tobytes())
        else:
            sweep(kind, self._starts, self._targets, range(stop), first, stop, filled, use_kernels=False)
        self._values[kind] = filled
        values[:] = filled

    def _options(self, position: Any, budget: Budget) -> tuple[list[Any], list[Any]]:
        budget.spend()
        ruleset = self.ruleset
        options: dict[Any, None] = {}
        for count, (_, option) in enumerate(ruleset.moves(position), 1):
            if budget.seconds is not None or count % _OPTIONS_A_LOOK == 0:
                budget.check_clock()
            options[ruleset.canonical(option)] = None
        return list(options), list(options)

    def _finish(self, position: Any, options: list[Any]) -> None:
        number = len(self._numbers)
        # An interrupt may have left a position half finished here.
        del self._starts[number + 1 :]
        del self._targets[self._starts[number] :]
        self._targets.extend([self._numbers[option] for option in options])
        self._starts.append(len(self._targets))
        self._numbers[position] = number
