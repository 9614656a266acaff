"""Nim-sequences: the Grundy values of the heaps 0, 1, 2, ... of a heap game, from the smallest up.

The plain method is here: every value is the mex of the values of all options. For many heaps compiled code takes over
where there is some for the game, and a proved period ends the work altogether.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from sgai.budget import Budget, OutOfBudget
from sgai.compiled_sequences import CompiledSequence, TwoHeapForm, form_of_code, form_of_set
from sgai.compiling import can_compile
from sgai.option_values import Values, option_values_of
from sgai.periods import Period, find_period, period_theorem
from sgai.reachable import PATHS_CAP
from sgai.rulesets.heaps import HeapRuleset, Heaps
from sgai.rulesets.subtraction import Subtraction, TakeAway, by_removals, count_of
from sgai.rulesets.take_and_break import by_code

FEW_HEAPS = 8192  # up to here the plain method is as fast as loading compiled code
FEWER_WITH_SPLITS = 16  # times as many where heaps are not split
LARGEST_TABLE = 5_000_000  # heaps, by the plain method
LARGEST_COMPILED = 200_000_000
_LOOKED_THROUGH, _LOOKED_THROUGH_FAST = 1 << 16, 1 << 22  # heaps among which a period is looked for unasked
_FIRST_LOOK = 2048  # heaps among which a period is looked for first
_LARGEST_FILLED = 100_000  # heaps up to which a table is filled in by a formula
_LARGEST_LISTED = 300  # heaps up to here have their longest plays worked out, by listing results
_MOST_LISTED = 5_000  # results of one heap that are looked at for that


class SequenceTable:
    """The Grundy values of the heaps of one game, computed as far as they were asked for.

    Parameters
    ----------
    ruleset : HeapRuleset
        The game.
    use_closed_form : bool
        Whether to fill in a proved formula where the game has one, instead of the recurrence.
    use_kernels : bool
        Whether to let compiled code and proved periods take over where there are many heaps to compute.
    """

    def __init__(self, ruleset: HeapRuleset, use_closed_form: bool = True, use_kernels: bool = True) -> None:
        self.ruleset = ruleset
        self.period: Period | None = None
        self._closed = use_closed_form and ruleset.formula(0) is not None
        self._known = 1
        self._values: npt.NDArray[Any] = np.zeros(64, dtype=np.int64)
        self._option_values = option_values_of(ruleset)
        self._seen = np.zeros(256, dtype=np.bool_)
        self._plays: list[tuple[int, int]] = [(0, 1)]  # longest play and paths of the heaps 0, 1, ...
        self._theorem = period_theorem(ruleset) if use_kernels else None
        self._use_kernels = use_kernels and not self._closed
        self._compiled: CompiledSequence | None = None
        self._searched = 0  # heaps among which a period was looked for
        coded = by_code(ruleset)
        # In a game that is shifted, heap n is heap n + shift of its code.
        self._shift = coded.shift if coded is not None else 0
        # Up to here the plain method is done before compiled code is loaded; it is fast where heaps are not split.
        self._few = FEW_HEAPS * (1 if coded is not None else FEWER_WITH_SPLITS)

    def __len__(self) -> int:
        return self._known

    def value(self, heap: int, budget: Budget) -> int:
        """Return the Grundy value of a heap.

        Raises
        ------
        OutOfBudget
            If the heaps below it are more than the budget allows; what is finished is kept.
        """
        known = self.known(heap)
        if known is not None:
            return known
        if self._theorem is not None and heap > self._few:
            self.find_period(min(heap, _LOOKED_THROUGH), budget)
            if self.period is None and self._compiled is not None and self._compiled.rare_class is not None:
                self.find_period(min(heap, _LOOKED_THROUGH_FAST), budget)
            if self.period is not None:
                return int(self._values[self.period.reduce(heap)])
        self.extend(heap, budget)
        return int(self._values[heap])

    def known(self, heap: int) -> int | None:
        """Return the value of a heap where no work is needed for it: it was computed, or a formula or period gives it.

        Examples
        --------
        >>> from sgai.rulesets.subtraction import Nim
        >>> SequenceTable(Nim()).known(10**30) == 10**30
        True
        """
        if heap < self._known:
            return int(self._values[heap])
        if self._closed:
            return self._closed_value(heap)
        return None if self.period is None else int(self._values[self.period.reduce(heap)])

    def values(self, largest: int, budget: Budget) -> Values:
        """Return the Grundy values of heaps 0 to ``largest``."""
        self.extend(largest, budget)
        copy: Values = self._values[: largest + 1].astype(np.int64)
        return copy

    def find_period(self, largest: int, budget: Budget) -> Period | None:
        """Look for a period among the values of the heaps up to ``largest``, more and more of them.

        Raises
        ------
        OutOfBudget
            If the budget ends before a period is found.
        """
        if self._theorem is None:
            return None
        # The code's own heaps are counted in the proof.
        shift = self._shift
        while self.period is None and self._searched <= largest:
            count = min(largest + 1, max(_FIRST_LOOK, 2 * self._searched))
            self.extend(count - 1, budget)
            values = self._values[:count]
            found = find_period(np.concatenate([np.zeros(shift, dtype=values.dtype), values]), self._theorem)
            if found is not None:
                start = max(0, found.preperiod - shift)
                self.period = Period(start, found.period, found.proved_with - shift)
            self._searched = count if count <= largest else largest + 1
        return self.period

    def extend(self, largest: int, budget: Budget) -> None:
        """Compute the values of all heaps up to ``largest``.

        Raises
        ------
        OutOfBudget
            When states or seconds run out, or there is no room; what is finished is kept.

        Notes
        -----
        Time is the total number of options, O(n k) for k sizes that may be taken and O(n^2) where one digit splits in
        two, or O(n r) for games with r rare heaps once compiled code takes over; memory is two to eight bytes a heap.
        """
        if largest < self._known:
            return
        if self.period is not None:
            self._continue_period(largest, budget)
            return
        if largest >= LARGEST_COMPILED:
            raise OutOfBudget
        if (self._compiled is not None or (self._use_kernels and largest > self._few)) and self._compile(largest):
            self._extend_compiled(largest, budget)
            return
        if largest >= LARGEST_TABLE:
            raise OutOfBudget
        if largest >= len(self._values):
            grown: Values = np.zeros(max(largest + 1, min(2 * len(self._values), LARGEST_TABLE)), dtype=np.int64)
            grown[: self._known] = self._values[: self._known]
            self._values = grown
        if self._closed:
            for heap in range(self._known, largest + 1):
                self._values[heap] = self._closed_value(heap)
                if heap % 4096 == 0:
                    self._known = heap + 1
                    budget.check_clock()
            self._known = largest + 1
            return
        for heap in range(self._known, largest + 1):
            budget.spend()
            self._values[heap] = self._mex(self._option_values(heap, self._values, budget))
            self._known = heap + 1
            if heap < largest:
                budget.check_clock()  # at each, since one that splits into several may take long

    def resume(self, values: npt.NDArray[Any]) -> bool:
        """Take over values that were computed before; tell whether there was a use for them."""
        if len(values) <= self._known or not (self._use_kernels and self._compile(len(values))):
            return False
        assert self._compiled is not None
        self._compiled.resume(values)
        self._take_compiled()
        return True

    def computed(self) -> npt.NDArray[Any]:
        """Return the values that were computed so far, for `resume`."""
        return self._values[: self._known] if self._compiled is None else self._compiled.values[: self._compiled.known]

    def _compile(self, largest: int) -> bool:
        """Prepare compiled code for the game; tell whether there is any, for so large heaps."""
        if self._compiled is not None:
            if self._compiled.form.last >= largest + self._shift:
                return True
            form = two_heap_form(self.ruleset, 2 * largest) or two_heap_form(self.ruleset, largest)
            if form is None:  # the plain method goes on from what is known
                self._values, self._compiled = self._values.astype(np.int64), None
            else:
                self._compiled.form = form
        elif can_compile():
            form = two_heap_form(self.ruleset, largest)
            if form is not None:
                self._compiled = CompiledSequence(form)
        return self._compiled is not None

    def _extend_compiled(self, largest: int, budget: Budget) -> None:
        assert self._compiled is not None
        try:
            self._compiled.extend(largest + self._shift, budget)
        finally:
            self._take_compiled()

    def _take_compiled(self) -> None:
        assert self._compiled is not None
        known = self._compiled.known - self._shift
        if known > self._known:
            # First the values, then how many are known: Ctrl-C may fall in between.
            self._values = self._compiled.values[self._shift :]
            self._known = known

    def _continue_period(self, largest: int, budget: Budget) -> None:
        assert self.period is not None
        if largest >= LARGEST_COMPILED:
            raise OutOfBudget
        budget.check_clock()
        heaps = np.arange(self._known, largest + 1)
        reduced = self.period.preperiod + (heaps - self.period.preperiod) % self.period.period
        self._values = np.concatenate([self._values[: self._known], self._values[reduced]])
        self._known = largest + 1

    def results_with_value(self, heap: int, value: int, budget: Budget) -> Iterator[Heaps]:
        """Yield the results of a heap whose heaps have this nim-sum."""
        taking = by_removals(self.ruleset)
        if taking is not None:
            yield from self._left_with_value(taking, heap, value, budget)
            return
        results = self.ruleset.checked_results(heap)
        coded = by_code(self.ruleset)
        if heap > FEW_HEAPS and coded is not None and not coded.shift:
            code = coded.heap_code()
            if not (code.repeating or any(digit.more for digit in code.digits)):
                results = code.results_in_turn(heap)  # the first one to win should not wait for a million others
        for result in results:
            budget.spend()
            total = 0
            for part in result:
                total ^= self.value(part, budget)
            if total == value:
                yield result

    def paths(self, heap: int) -> int | None:
        """Return the evaluations that a solver which forgets would make for a heap, or None for large heaps."""
        return self._plays[heap][1] if self._list_plays(heap) else None

    def longest_play(self, heap: int) -> int | None:
        """Return the number of moves of the longest play from a heap, or None for large heaps."""
        return self._plays[heap][0] if self._list_plays(heap) else None

    def _closed_value(self, heap: int) -> int:
        value = self.ruleset.closed_form(heap)
        assert value is not None  # asked only where the formula is trusted
        return value

    def _left_with_value(self, ruleset: TakeAway, heap: int, value: int, budget: Budget) -> Iterator[Heaps]:
        removals: Iterable[int] | None = ruleset.removals_to(heap, value) if ruleset.trusts("removals_to") else None
        if removals is None:
            taken = ruleset.removals(heap)
            # A formula is asked for each removal, where that is not more work than a table of all heaps.
            if heap < (_LARGEST_FILLED if self._closed else LARGEST_TABLE) and count_of(taken) > 8:
                values = self.values(heap, budget)
                left = heap - np.asarray(taken, dtype=np.int64)
                removals = (heap - left[values[left] == value]).tolist()
            else:
                removals = self._removals_to(heap, value, taken, budget)
        for each in removals:
            yield (heap - each,) if each < heap else ()

    def _removals_to(self, heap: int, value: int, taken: Iterable[int], budget: Budget) -> Iterator[int]:
        for each in taken:
            budget.spend()
            if self.value(heap - each, budget) == value:
                yield each

    def _list_plays(self, heap: int) -> bool:
        if heap > _LARGEST_LISTED:
            return False
        for next_heap in range(len(self._plays), heap + 1):
            longest, paths = 0, 1
            for count, result in enumerate(self.ruleset.results(next_heap)):
                if count > _MOST_LISTED:
                    return False
                longest = max(longest, 1 + sum(self._plays[part][0] for part in result))
                paths += sum(self._plays[part][1] for part in result) or 1
            self._plays.append((longest, min(paths, PATHS_CAP)))
        return True

    def _mex(self, options: Values) -> int:
        if not len(options):
            return 0
        top = int(options.max()) + 2
        if top > len(self._seen):
            self._seen = np.zeros(2 * top, dtype=np.bool_)
        try:
            self._seen[options] = True
            return int(np.argmin(self._seen[:top]))
        finally:  # Ctrl-C must not leave marks behind
            self._seen[options] = False


def two_heap_form(ruleset: HeapRuleset, largest: int) -> TwoHeapForm | None:
    """Return what the kernels need to know of a game, for heaps up to ``largest``; None for games not made for them."""
    taking = by_removals(ruleset)
    if isinstance(taking, Subtraction):
        return form_of_set(taking.take)
    coded = by_code(ruleset)
    return None if coded is None else form_of_code(coded.heap_code(), largest + coded.shift)
