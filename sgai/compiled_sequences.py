"""Nim-sequences at compiled speed, for games that leave a heap as at most two heaps."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sgai.budget import Budget, OutOfBudget
from sgai.rulesets.codes import Digit, TakeAndBreakCode

_FIRST_CHOICE = 4096  # heaps after which the rare values are chosen; again each time their number has doubled
_MOST_DIGITS = 1_000_000
_A_SLICE = 2_000_000  # pairs of heaps between two looks at the clock
_MOST_RARE = 0.4  # beyond this share of the work of the plain method, the sparse one is not worth its bookkeeping

_FLAGS = {(0, ""): 1, (1, ""): 2, (2, ""): 4, (2, "!"): 8, (2, "?"): 8, (2, "="): 16}


@dataclass(frozen=True)
class TwoHeapForm:
    """A game as the kernels read it: how many tokens may be taken, and flags that say what may be left."""

    takes: npt.NDArray[np.uint64]
    flags: npt.NDArray[np.uint64]
    last: float = np.inf  # the largest heap for which it is complete, for codes without an end

    def splitting(self) -> npt.NDArray[np.uint64]:
        """Return the numbers of tokens that a splitting move may take."""
        chosen: npt.NDArray[np.uint64] = self.takes[(self.flags & np.uint64(12)) != 0]
        return chosen


def form_of_set(sizes: tuple[int, ...]) -> TwoHeapForm:
    """Return the form of a subtraction set."""
    sizes = tuple(size for size in sizes if size < 1 << 63)  # no heap of a table is larger
    return TwoHeapForm(np.array(sizes, dtype=np.uint64), np.full(len(sizes), 3, dtype=np.uint64))


def form_of_code(code: TakeAndBreakCode, largest: int) -> TwoHeapForm | None:
    """Return the form of a code for heaps up to ``largest``.

    None if it splits into three heaps and more, or has no end and would need more digits than are reasonable.
    """
    if code.repeating and largest > _MOST_DIGITS:
        return None
    if any(digit.more or digit.largest_count() > 2 for digit in code.all_digits()):
        return None
    digits = list(code.digits_for(largest))
    takes = np.array([taken for taken, _ in digits], dtype=np.uint64)
    flags = np.array([_flags_of(digit) for _, digit in digits], dtype=np.uint64)
    return TwoHeapForm(takes, flags, largest if code.repeating else np.inf)


def _flags_of(digit: Digit) -> int:
    return sum(_FLAGS[count, modifier if count == 2 else ""] for count, modifier in digit.counts)


@dataclass(frozen=True)
class RareClass:
    """Which values are rare: those with an even number of bits in common with the mask.

    With ``by_parity`` it is the other way round for heaps whose parity is not ``parity``, that of the splitting takes.
    """

    mask: int
    by_parity: bool
    parity: int

    def of_values(self, count: int) -> npt.NDArray[np.bool_]:
        """Tell for each value below ``count`` whether it is rare, at heaps of the class's parity."""
        return _is_even(np.arange(count) & self.mask)

    def of_heaps(self, values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the heaps from 1 on whose values are rare."""
        rare = _is_even(values.astype(np.int64) & self.mask)
        if self.by_parity:
            rare ^= ((np.arange(len(values)) - self.parity) & 1).astype(np.bool_)
        rare[:1] = False
        return np.flatnonzero(rare)


def choose_rare_class(values: npt.NDArray[Any], splitting: npt.NDArray[np.uint64]) -> RareClass:
    """Choose the mask that leaves the fewest rare heaps.

    The number of heaps in either class is, for all masks at once, the Walsh-Hadamard transform of the histogram of the
    values. Any choice gives right values; a good one gives them fast.
    """
    parities = {int(taken) % 2 for taken in splitting}
    parity = parities.pop() if len(parities) == 1 else 0
    bits = int(values.max()).bit_length()
    heaps = np.arange(len(values))
    # A second half of the histogram for heaps of the other parity, where all splitting moves agree in theirs.
    index = values.astype(np.int64) | ((heaps - parity) & 1) << bits
    histogram = np.bincount(index[1:], minlength=2 << bits).astype(np.int64)
    surplus = _walsh_hadamard(histogram)
    if parities:
        surplus = surplus[: 1 << bits]
    surplus[0] = len(values) + 1  # the mask 0 makes every heap rare
    best = int(np.argmin(surplus))
    return RareClass(best & ((1 << bits) - 1), bool(best >> bits), parity)


def _walsh_hadamard(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    transformed = numbers.copy()
    step = 1
    while step < len(transformed):
        blocks = transformed.reshape(-1, 2, step)
        transformed = np.stack([blocks[:, 0] + blocks[:, 1], blocks[:, 0] - blocks[:, 1]], axis=1).reshape(-1)
        step *= 2
    return transformed


def _is_even(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    odd = numbers.copy()
    for shift in (32, 16, 8, 4, 2, 1):
        odd ^= odd >> shift
    even: npt.NDArray[np.bool_] = (odd & 1) == 0
    return even


class CompiledSequence:
    """The values of a game's heaps, computed as far as they were asked for.

    Parameters
    ----------
    form : TwoHeapForm
        The game.
    sparse : bool
        Whether the method of rare values may be used; it gives the same values.
    """

    def __init__(self, form: TwoHeapForm, sparse: bool = True) -> None:
        self.form = form
        # Heaps known, and rare ones among them. One value, since Ctrl-C may fall between any two steps: were one of the
        # numbers ahead of the other, heaps would come into the list of rare ones twice.
        self._progress = (1, 0)
        self.values: npt.NDArray[Any] = np.zeros(_FIRST_CHOICE, dtype=np.uint16)
        self.rare_class: RareClass | None = None
        self._sparse = sparse and len(form.splitting()) > 0
        self._next_choice = _FIRST_CHOICE
        self._seen = np.zeros(64, dtype=np.uint64)
        self._rares = np.zeros(0, dtype=np.uint64)

    @property
    def known(self) -> int:
        """The number of heaps whose values are known, heap 0 included."""
        return self._progress[0]

    @property
    def rare_count(self) -> int:
        """The number of rare heaps among them, where the sparse method is used."""
        return self._progress[1]

    def resume(self, values: npt.NDArray[Any]) -> None:
        """Take over values that were computed before."""
        self.values = np.array(values)
        self._progress = (len(values), 0)
        while self.values.max(initial=0) >= len(self._seen):
            self._grow_values()
        self._next_choice = max(_FIRST_CHOICE, self.known)

    def extend(self, largest: int, budget: Budget) -> None:
        """Compute the values of the heaps up to ``largest``.

        Raises
        ------
        OutOfBudget
            When states or seconds run out; what is finished is kept.

        Notes
        -----
        Time is O(n r) for r rare heaps where the game has them, else O(n^2); memory two bytes a heap, four once a value
        passes 65,535.
        """
        while self.known <= largest:
            if self._sparse and self.known >= self._next_choice:
                self._choose()
            stop = min(largest + 1, self._next_choice if self._sparse else largest + 1, self.known + self._slice())
            allowed = budget.states - budget.spent
            if allowed <= 0:
                raise OutOfBudget
            stop = min(stop, self.known + allowed)
            self._make_room(stop)
            before = self.known
            self._progress = self._run(stop)
            if self.known < stop:
                self._grow_values()
            budget.spend(self.known - before)
            budget.check_clock()

    def _run(self, stop: int) -> tuple[int, int]:
        from sgai.kernels.sequences import extend  # numba is loaded with it

        rare = self.rare_class
        known, rare_count = self._progress
        room = rare_count + stop - known
        if rare is not None and len(self._rares) < room:
            self._rares = np.concatenate([self._rares, np.zeros(room, dtype=np.uint64)])
        counters = np.array([rare_count], dtype=np.uint64)
        reached = extend(
            self.values,
            known,
            stop,
            self.form.takes,
            self.form.flags,
            self._seen,
            rare is not None,
            rare.of_values(len(self._seen)) if rare else np.zeros(1, dtype=np.bool_),
            int(rare.by_parity) if rare else 0,
            rare.parity if rare else 0,
            self._rares,
            counters,
        )
        return int(reached), int(counters[0])

    def _choose(self) -> None:
        values = self.values[: self.known]
        chosen = choose_rare_class(values, self.form.splitting())
        rares = chosen.of_heaps(values).astype(np.uint64)
        # A rare heap costs as much as a pair in the plain method, which has half as many pairs as heaps.
        if len(rares) < _MOST_RARE * self.known / 2:
            # Without a class the list is not looked at: Ctrl-C in between leaves the plain method.
            self.rare_class = None
            self._rares = rares
            self._progress = (self.known, len(rares))
            self.rare_class = chosen
        else:
            self.rare_class = None
        self._next_choice = 2 * self.known

    def _slice(self) -> int:
        pairs = self.known // 2 if self.rare_class is None else self.rare_count + 1
        return max(64, _A_SLICE // (1 + pairs * max(1, len(self.form.splitting()))))

    def _make_room(self, stop: int) -> None:
        if stop > len(self.values):
            grown = np.zeros(max(stop, 2 * len(self.values)), dtype=self.values.dtype)
            grown[: self.known] = self.values[: self.known]
            self.values = grown

    def _grow_values(self) -> None:
        size = 2 * len(self._seen)
        if size > 1 << 16 and self.values.dtype == np.uint16:
            self.values = self.values.astype(np.uint32)
        self._seen = np.zeros(size, dtype=np.uint64)  # last: it says which values there is room for
