"""Nodes of a search over sums, for any ruleset: options split, looked up, folded and made keys of.

Normal play only: solved components become one nim-heap, and two equal components cancel.
"""

import itertools
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any

from sgai.budget import Budget
from sgai.cores.core import Sum, SumMove
from sgai.decomposition import decompose
from sgai.errors import LoopError
from sgai.ruleset import Component, Ruleset
from sgai.search import is_won_by_theorem, refuse_loopy
from sgai.solver import Solver

SMALL = 64  # states that are tried to solve a component before it is searched
DEFAULT_ROOM = 1_000_000  # components and their options, about 150 bytes each


class Part:
    """A component of a sum that is being searched; equal components are one object.

    Attributes
    ----------
    number : int
        In the order of first appearance.
    component : Component
        Its rules and its position in canonical form.
    value : int or None
        Its Grundy value, once that is known.
    options : int
        The number of its different options, once they were asked for.
    positions : list or None
        Its options, each once, when they were asked for.
    splits : list
        The parts that the options consist of, None for those that were not yet split.
    is_won : bool
        Whether a theorem says that its value is not 0.
    """

    __slots__ = ("component", "is_won", "looked", "number", "options", "positions", "splits", "value")

    def __init__(self, number: int, ruleset: Ruleset[Any, Any], position: Any) -> None:
        self.number = number
        self.component = Component(ruleset, position, True)
        self.value: int | None = None
        self.looked = 0  # the number of the search in which the value was looked up last
        self.options = 1
        self.is_won = False
        self.positions: list[Any] | None = None
        self.splits: list[tuple[Part, ...] | None] = []


Parts = tuple[Part, ...]
Key = tuple[Parts, int]  # unsolved parts in order, and the nim-heap

_by_number = attrgetter("number")


def repetition(sums: Iterable[tuple[Iterable[Component], int]]) -> LoopError:
    """Return the error for play that comes back to a sum, from the sums of the cycle."""
    texts = []
    for components, heap in sums:
        terms = [each.ruleset.format(each.position) for each in components] + ([f"*{heap}"] if heap else [])
        texts.append(" + ".join(terms))
    return LoopError(texts)


def outcome_at_once(key: Key) -> str | None:
    """Return the outcome of a nim-heap alone, or of a part alone that a theorem says is won; None for all others."""
    parts, heap = key
    if parts:
        return "N" if len(parts) == 1 and heap == 0 and parts[0].is_won else None
    return "N" if heap else "P"


class PartTable:
    """Components that a search has met, with their options.

    Parameters
    ----------
    solver : Solver
        Whose values are used and added to.
    split : bool
        Whether to split options, and to look up, solve and fold their components. Without it a position stays whole.
    small : int
        States that are tried to solve a component; 0 only looks values up.
    room : int
        The most components and options that are kept.

    Attributes
    ----------
    hits : int
        Components whose value was there when it was asked for.
    learned : int
        Components whose value the search itself proved: keys made before may fold further after.
    """

    def __init__(self, solver: Solver, *, split: bool = True, small: int = SMALL, room: int = DEFAULT_ROOM) -> None:
        self.solver, self.split, self.small, self.room = solver, split, small, room
        self.hits = 0
        self.learned = 0
        self._used = 0
        self._parts: dict[Ruleset[Any, Any], dict[Any, Part]] = {}
        self._numbers = itertools.count()
        self._search = 0

    def is_full(self) -> bool:
        """Tell whether there is no room for more parts; those that are asked for then are not kept."""
        return self._used >= self.room

    def forget(self) -> None:
        """Make room; parts that are still in use stay right, but are no longer found."""
        self._parts.clear()
        self._used = 0

    def start(self, root: Sum) -> None:
        """Begin a search: the solver may know more than in the last one."""
        for component in root.parts:
            refuse_loopy(component.ruleset)
        self._search += 1

    def part(self, ruleset: Ruleset[Any, Any], position: Any, budget: Budget) -> Part:
        """Return a component as a part, with its value if it is known or small."""
        if self.split:
            position = ruleset.canonical(position)
        known = self._parts.get(ruleset)
        if known is None:
            known = self._parts[ruleset] = {}
        part = known.get(position)
        if part is None:
            part = Part(next(self._numbers), ruleset, position)
            if not self.is_full():
                self._used += 1
                known[position] = part
        if self.split:
            if part.value is None and part.looked < self._search:
                part.is_won = is_won_by_theorem(ruleset, position)
                part.value = self._look_up(ruleset, position, budget, part.looked == 0)
                part.looked = self._search
            elif part.value is not None:
                self.hits += 1
        return part

    def parts_of(self, ruleset: Ruleset[Any, Any], position: Any, budget: Budget) -> Parts:
        """Split a position into parts."""
        if not self.split:
            return (self.part(ruleset, position, budget),)
        return tuple([self.part(each.ruleset, each.position, budget) for each in decompose(ruleset, position)])

    def learn(self, part: Part, value: int) -> None:
        """Take over a Grundy value that the search proved."""
        if part.value is not None:
            return
        part.value = value
        self.learned += 1
        ruleset, position, _ = part.component
        if ruleset.heap_of(position) is None:  # heaps have tables that are filled from the smallest up
            self.solver.table.set_value(ruleset, position, value)

    def positions(self, part: Part, budget: Budget) -> list[Any]:
        """Return the options of a part, each once."""
        found = part.positions
        if found is None:
            ruleset, position, _ = part.component
            options = dict.fromkeys(_clocked((option for _, option in ruleset.moves(position)), budget))
            found = list(options)
            part.options = len(found)
            if not self.is_full():
                self._used += len(found)
                part.splits = [None] * len(found)
                part.positions = found
        return found

    def option(self, part: Part, number: int, budget: Budget) -> Parts:
        """Return the parts of one option."""
        found = part.splits[number] if part.positions is not None else None
        if found is None:
            found = self.parts_of(part.component.ruleset, self.positions(part, budget)[number], budget)
            if part.positions is not None and not self.is_full():
                part.splits[number] = found
        return found

    def fold(self, parts: Iterable[Part], heap: int) -> Key:
        """Return the key of a sum: known parts go into the nim-heap, and equal ones cancel."""
        unknown: list[Part] = []
        for part in parts:
            if part.value is None:
                unknown.append(part)
            else:
                heap ^= part.value
        if len(unknown) > 1:
            unknown.sort(key=_by_number)
            if self.split:
                left: list[Part] = []
                for part in unknown:
                    if left and left[-1] is part:
                        left.pop()
                    else:
                        left.append(part)
                unknown = left
        return tuple(unknown), heap

    def children(self, key: Key, budget: Budget) -> list[Key]:
        """Return the options of a sum, each once."""
        parts, heap = key
        found: dict[Key, None] = {}
        for i, part in enumerate(parts):
            if i and part is parts[i - 1]:
                continue
            rest = parts[:i] + parts[i + 1 :]
            for number in range(len(self.positions(part, budget))):
                budget.left()
                found[self.fold(rest + self.option(part, number, budget), heap)] = None
        rest, known = self.fold(parts, 0)
        for size in _clocked(range(heap), budget):
            found[rest, known ^ size] = None
        return list(found)

    def largest_value(self, parts: Parts, budget: Budget) -> int:
        """Return a bound on the Grundy value of a sum of parts.

        A value is at most the number of options, and a nim-sum has no more binary digits than its largest term. A
        nim-heap that is larger than the bound makes the sum won.
        """
        counts = [len(self.positions(part, budget)) for part in parts]
        return min(sum(counts), (1 << max(counts, default=0).bit_length()) - 1)

    def _look_up(self, ruleset: Ruleset[Any, Any], position: Any, budget: Budget, solve: bool) -> int | None:
        table = self.solver.table
        value = table.known(ruleset, position)
        if value is not None:
            self.hits += 1
        elif solve and self.small and self._may_be_small(ruleset, position):
            value = table.value_if_small(ruleset, position, Budget(self.small, budget.left()))
        return value

    def _may_be_small(self, ruleset: Ruleset[Any, Any], position: Any) -> bool:
        if ruleset.heap_of(position) is not None:
            return True
        most = self.small.bit_length() + 1  # moves; where they only remove each other, states double with each
        return next(itertools.islice(ruleset.moves(position), most, None), None) is None


class RootMoves:
    """The moves at the root of a search, with the sums that they lead to.

    Attributes
    ----------
    moves : list of SumMove
        In the parts' own order; of the nim-heap's moves those that can win.
    keys : list of Key
        The options of the first moves, as far as `fill` came.
    """

    def __init__(self, table: PartTable, root: Sum) -> None:
        self._table = table
        self._root = root
        self.moves: list[SumMove] = []
        self._options: list[tuple[int, Any]] = []
        for number, component in enumerate(root.parts):
            for move, option in component.ruleset.moves(component.position):
                self.moves.append(SumMove(number, move))
                self._options.append((number, option))
        # The heap's move to the value of the parts wins, and that is at most the number of their options.
        for size in range(min(root.heap, len(self._options) + 1)):
            self.moves.append(SumMove(-1, size))
            self._options.append((-1, size))
        self.keys: list[Key] = []
        self.parts: list[Part] = []

    def fill(self, budget: Budget) -> None:
        """Split the options; what was done before the budget ends is kept."""
        parts = [self._table.part(*each[:2], budget) for each in self._root.parts]
        self.parts = parts
        for number, option in itertools.islice(self._options, len(self.keys), None):
            budget.left()
            if number < 0:
                key = self._table.fold(parts, option)
            else:
                made = self._table.parts_of(parts[number].component.ruleset, option, budget)
                key = self._table.fold((*parts[:number], *made, *parts[number + 1 :]), self._root.heap)
            self.keys.append(key)


def _clocked(items: Iterable[Any], budget: Budget) -> Iterator[Any]:
    for item in items:
        budget.left()
        yield item
