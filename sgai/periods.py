"""Periods of nim-sequences, proved and not guessed."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sgai.compiling import can_compile
from sgai.ruleset import Ruleset
from sgai.rulesets.heaps import HeapRuleset
from sgai.rulesets.subtraction import Bash, Subtraction, by_removals
from sgai.rulesets.take_and_break import by_code

_FEW_VALUES = 2048  # up to here compiled code takes longer to load than to do without


@dataclass(frozen=True)
class Period:
    """A proved period: heap n and heap n + ``period`` have the same value for all n from ``preperiod`` on.

    ``proved_with`` is the largest heap whose value the proof needs.
    """

    preperiod: int
    period: int
    proved_with: int

    def reduce(self, heap: int) -> int:
        """Return the smallest heap that is known to have the value of a heap.

        Examples
        --------
        >>> Period(71, 12, 500).reduce(10**18)
        76
        """
        return heap if heap < self.preperiod else self.preperiod + (heap - self.preperiod) % self.period


@dataclass(frozen=True)
class PeriodTheorem:
    """What the periodicity theorem needs to know of a game.

    If a move takes at most k tokens from a heap and leaves at most t heaps, without conditions on their sizes, and
    G(n + p) = G(n) for all n with n0 <= n < t n0 + (t - 1) p + k, then that holds for all n >= n0. Proof: for larger n
    the largest part of an option of n or n + p is at least n0, so it may be exchanged for the one that is p larger or
    smaller. For octal games this is the theorem of Guy and Smith (1956); see *Winning Ways*, chapter 4, and A. N.
    Siegel, *Combinatorial Game Theory*, IV.2.

    Attributes
    ----------
    most_heaps : int
        t, 1 or more.
    most_taken : int
        k.
    least_start : int
        The least n0 for which it holds: 1 where the rules know an empty rest from a heap, else 0.
    """

    most_heaps: int
    most_taken: int
    least_start: int

    def needs(self, preperiod: int, period: int) -> int:
        """Return the largest heap whose value a proof needs."""
        return self.most_heaps * (preperiod + period) + self.most_taken - 1


def period_theorem(ruleset: Ruleset[Any, Any]) -> PeriodTheorem | None:
    """Return what the theorem says of a heap game, or None for games that it does not cover.

    Not covered are codes without an end (0.[3]), open ranges ({2+}), and the modifiers !, ? and =.
    """
    if not isinstance(ruleset, HeapRuleset):
        return None
    taking = by_removals(ruleset)
    if isinstance(taking, Bash):
        return PeriodTheorem(1, taking.most, 0)
    if isinstance(taking, Subtraction):
        return PeriodTheorem(1, taking.take[-1], 0)
    coded = by_code(ruleset)
    if coded is None:
        return None
    code = coded.heap_code()
    if code.repeating or any(digit.more or any(each for _, each in digit.counts) for digit in code.digits):
        return None
    most_heaps = max(1, *(digit.largest_count() for digit in code.digits))
    return PeriodTheorem(most_heaps, len(code.digits) - 1, 1)


def find_period(values: npt.NDArray[Any], theorem: PeriodTheorem) -> Period | None:
    """Return the least period that the values prove.

    Parameters
    ----------
    values : integer array
        The Grundy values of the heaps 0, 1, 2, ...
    theorem : PeriodTheorem
        Of the game.

    Returns
    -------
    Period or None
        With the least preperiod, but no less than the theorem's ``least_start``; None where no period is proved, which
        more values may change.

    Notes
    -----
    Time and memory are linear in the number of values.

    Examples
    --------
    >>> find_period(np.arange(40) % 3, PeriodTheorem(1, 2, 0))
    Period(preperiod=0, period=3, proved_with=4)
    """
    count = len(values)
    # Numbers as large prove nothing by so few values, and might not fit the arrays below.
    if max(theorem.most_heaps, theorem.most_taken, theorem.least_start) >= count:
        return None
    lengths = _match_lengths(np.ascontiguousarray(values))
    shifts = np.arange(1, count, dtype=np.int64)
    # values[n + p] == values[n] for all n from here on, as far as values are known.
    starts = np.maximum(count - shifts - lengths[1:], theorem.least_start)
    needed = theorem.most_heaps * (starts + shifts) + theorem.most_taken - 1
    proved = np.flatnonzero(needed < count)
    if not len(proved):
        return None
    first = int(proved[0])
    return Period(int(starts[first]), int(shifts[first]), int(needed[first]))


def _match_lengths(values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    lengths = np.zeros(len(values), dtype=np.int64)
    if len(values) > _FEW_VALUES and can_compile():
        from sgai.kernels.sequences import match_lengths

        match_lengths(values, lengths)
        return lengths
    lengths[0] = len(values)
    for shift in range(1, len(values)):
        differ = np.flatnonzero(values[shift:] != values[:-shift])
        lengths[shift] = len(values) - shift - (int(differ[-1]) + 1 if len(differ) else 0)
    return lengths
