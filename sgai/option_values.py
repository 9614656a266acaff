"""The Grundy values of the options of one heap, worked out from the values of all smaller heaps."""

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sgai.budget import Budget, OutOfBudget
from sgai.compiling import can_compile
from sgai.rulesets.codes import Digit, TakeAndBreakCode
from sgai.rulesets.heaps import HeapRuleset
from sgai.rulesets.subtraction import TakeAway, by_removals
from sgai.rulesets.take_and_break import by_code

Values = npt.NDArray[np.int64]
Splits = npt.NDArray[np.bool_]

_FEW_TOTALS = 256  # up to here tables of splits are filled as fast as compiled code is loaded


class OptionValues(Protocol):
    """Works out the Grundy values of the options of one heap."""

    def __call__(self, heap: int, values: Values, budget: Budget, /) -> Values:
        """Return the options' values, in any order and number; ``values`` holds those of all smaller heaps.

        What takes long looks at the clock of the budget, and goes on at the next call.
        """


def option_values_of(ruleset: HeapRuleset) -> OptionValues:
    """Return the fastest way there is to work out the options' values of a game."""
    if (taking := by_removals(ruleset)) is not None:
        return _TakeAwayOptions(taking)
    if (coded := by_code(ruleset)) is not None:
        return _CodeOptions(coded.heap_code(), coded.shift)
    return _ListedOptions(ruleset)


class _TakeAwayOptions:
    def __init__(self, ruleset: TakeAway) -> None:
        self.ruleset = ruleset

    def __call__(self, heap: int, values: Values, _budget: Budget) -> Values:
        removals = self.ruleset.removals(heap)
        if isinstance(removals, range) and removals.step == 1 and len(removals):
            return values[heap - removals[-1] : heap - removals[0] + 1]
        return values[heap - np.asarray(removals, dtype=np.int64)]


class _ListedOptions:
    def __init__(self, ruleset: HeapRuleset) -> None:
        self.ruleset = ruleset

    def __call__(self, heap: int, values: Values, _budget: Budget) -> Values:
        found = set()
        for result in self.ruleset.checked_results(heap):
            total = 0
            for part in result:
                total ^= int(values[part])
            found.add(total)
        return np.array(sorted(found), dtype=np.int64)


class _CodeOptions:
    """The options of a code's game.

    One and two heaps are vectors of earlier values; three and more come from a table of all nim-sums of so many heaps
    with a given total, to which every heap is added once its value is known.
    """

    def __init__(self, code: TakeAndBreakCode, shift: int) -> None:
        self.code, self.shift = code, shift
        self.splits = _SplitSums(code)

    def __call__(self, heap: int, values: Values, budget: Budget) -> Values:
        if self.shift:  # the code's smaller heaps have no moves, and the value 0
            values = np.concatenate([np.zeros(self.shift, dtype=np.int64), values[:heap]])
        return self.of_code_heap(heap + self.shift, values, budget)

    def of_code_heap(self, heap: int, values: Values, budget: Budget) -> Values:
        found: list[Values] = []
        single: list[int] = []
        for taken, digit in self.code.digits_for(heap):
            left = heap - taken
            for count, modifier in _low_counts(digit, left):
                if count == 0:
                    found.append(values[:1])
                elif count == 1:
                    single.append(left)
                else:
                    found.append(_pairs(left, modifier, values))
            sums = self.splits.sums(digit, left, values, budget)
            if sums is not None:
                found.append(sums)
        if single:
            found.append(values[np.array(single, dtype=np.int64)])
        return np.concatenate(found) if found else values[:0]


def _low_counts(digit: Digit, left: int) -> Iterator[tuple[int, str]]:
    for count in range(3):
        modifier = digit.modifier(count)
        if modifier is not None and (count <= left if count else left == 0):
            yield count, modifier


def _pairs(left: int, modifier: str, values: Values) -> Values:
    half = left // 2
    if modifier == "=":
        return values[:1] if left % 2 == 0 else values[:0]  # two equal heaps cancel
    last = half if modifier == "" else (left - 1) // 2
    return values[1 : last + 1] ^ values[left - last : left][::-1]


class _SplitSums:
    """All nim-sums of three and more heaps, by number of heaps and total, for the digits of a code."""

    def __init__(self, code: TakeAndBreakCode) -> None:
        digits = [digit for digit in code.all_digits() if digit.more or digit.largest_count() > 2]
        named = {modifier for digit in digits for _, modifier in [*digit.counts, *([digit.more] if digit.more else [])]}
        self.needs_mixed = bool(named & {"", "?"})
        self.needs_unequal = "!" in named
        self.largest_count = max((digit.largest_count() for digit in digits), default=0)
        self.tables = _SumTables(self, 0, 0)

    def sums(self, digit: Digit, left: int, values: Values, budget: Budget) -> Values | None:
        """Return the nim-sums of the splits of ``left`` tokens into three and more heaps that a digit allows."""
        if left < 3 or not (digit.more or digit.largest_count() > 2):
            return None
        self._add_heaps(left, values, budget)
        tables = self.tables
        found = np.zeros(tables.width, dtype=np.bool_)
        for count in range(3, min(left, tables.last) + 1):
            modifier = digit.modifier(count)
            if modifier == "!":
                found |= tables.unequal[left, count]
            elif modifier is not None:
                if modifier in ("", "?"):
                    found |= tables.mixed[left, count]
                if modifier in ("", "="):
                    found |= tables.equal[left, count]
        return np.flatnonzero(found)

    def _add_heaps(self, left: int, values: Values, budget: Budget) -> None:
        tables = self.tables
        largest = int(values[:left].max())
        if left >= tables.totals or largest >= tables.width:
            totals = max(2 * left, 64) if left >= tables.totals else tables.totals
            tables = _SumTables(self, totals, max(tables.width, 8, 1 << largest.bit_length()))
        # Ctrl-C must not leave a heap half added: until all are, there is only an empty table to come back to.
        self.tables = _SumTables(self, 0, 0)
        while tables.added < left - 1:
            tables.add(tables.added + 1, int(values[tables.added + 1]))
            try:
                budget.check_clock()
            except OutOfBudget:
                self.tables = tables
                raise
        self.tables = tables


class _SumTables:
    """A table holds at [t, k, v] whether k heaps with t tokens in all can have the nim-sum v.

    There is one for each kind of split: heaps of one size (``equal``), of two sizes at least (``mixed``), and pairwise
    unequal. The last k stands for that number or more. Heaps are added one by one, smallest first, so that every split
    is met once.
    """

    def __init__(self, wanted: _SplitSums, totals: int, width: int) -> None:
        self.totals, self.width = totals, width
        # A split has no more heaps than tokens, so larger numbers need no room.
        self.last = max(3, min(wanted.largest_count + 1, totals))
        shape = (totals, self.last + 1, width)
        nothing = np.zeros((0, 0, 0), dtype=np.bool_)
        self.equal = np.zeros(shape, dtype=np.bool_)
        self.mixed = np.zeros(shape, dtype=np.bool_) if wanted.needs_mixed else nothing
        self.unequal = np.zeros(shape, dtype=np.bool_) if wanted.needs_unequal else nothing
        self.added = 0

    def add(self, heap: int, value: int) -> None:
        """Add the heap that follows the last one, with its Grundy value."""
        if self.totals > _FEW_TOTALS and can_compile():
            from sgai.kernels.splits import add_heap

            add_heap(self.equal, self.mixed, self.unequal, heap, value)
            self.added = heap
            return
        columns = np.arange(self.width)
        if len(self.unequal):
            self._join(self.unequal, self.unequal.copy(), heap, 1, columns ^ value)
            self.unequal[heap, 1, value] = True
        before = self.mixed | self.equal if len(self.mixed) else None
        for times in range(1, (self.totals - 1) // heap + 1):
            total = value if times % 2 else 0
            if before is not None:
                self._join(self.mixed, before, times * heap, times, columns ^ total)
            self.equal[times * heap, min(times, self.last), total] = True
        self.added = heap

    def _join(self, table: Splits, before: Splits, tokens: int, times: int, columns: Values) -> None:
        for count in range(1, self.last + 1):
            table[tokens:, min(self.last, count + times)] |= before[: self.totals - tokens, count][:, columns]
