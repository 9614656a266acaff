"""Subtraction games: a move takes tokens from one heap, and the games differ in how many may be taken."""

import bisect
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, ClassVar

from sgai.errors import SgaiError, quote
from sgai.parameters import Kind, check_integer, format_integers, parameter, parse_integers
from sgai.registry import register
from sgai.rulesets.heaps import HeapRuleset, Heaps
from sgai.syntax import split, unbracket


def count_of(removals: Sequence[int]) -> int:
    """Return how many there are; ``len`` fails for ranges past 2**63.

    Examples
    --------
    >>> count_of(range(1, 10**30 + 1)) == 10**30, count_of((2, 5))
    (True, 2)
    """
    if isinstance(removals, range):
        return max(0, -(-(removals.stop - removals.start) // removals.step))
    return len(removals)


def by_removals(ruleset: HeapRuleset) -> "TakeAway | None":
    """Return the ruleset if its removals say all of its rules, else None: for other games, and changed subclasses."""
    return ruleset if isinstance(ruleset, TakeAway) and ruleset.trusts("removals") else None


class TakeAway(HeapRuleset):
    """A heap game without splits: what is left after a move is one heap or nothing."""

    largest_alphabet: ClassVar[int] = 2**40  # moves are counted, not listed

    @abstractmethod
    def removals(self, heap: int) -> Sequence[int]:
        """Return how many tokens may be taken from a heap: ascending, each once, from 1 to the heap's size."""

    def removals_to(self, heap: int, value: int) -> Iterable[int] | None:  # noqa: ARG002 - for games that can say
        """Return the removals that leave a heap of a Grundy value, or None where they must be searched for."""
        return None

    def results(self, heap: int) -> Iterator[Heaps]:
        """Yield what may be left, largest first."""
        for taken in self.removals(heap):
            yield (heap - taken,) if taken < heap else ()

    def is_result(self, heap: int, result: Heaps) -> bool:
        """Tell whether one heap may become the result."""
        return len(result) <= 1 and all(part > 0 for part in result) and self._place(heap, sum(result)) is not None

    def count_results(self, heap: int) -> int:
        """Return how many different removals there are."""
        return count_of(self.removals(heap))

    def max_game_length(self) -> int:
        """Return a bound: every move takes one token at least."""
        return sum(self.initial())

    def _place(self, heap: int, left: int) -> int | None:
        removals, taken = self.removals(heap), heap - left
        if isinstance(removals, range):
            return (taken - removals.start) // removals.step if taken in removals else None
        place = bisect.bisect_left(removals, taken)
        return place if place < len(removals) and removals[place] == taken else None

    def _result_index(self, heap: int, result: Heaps) -> int:
        place = self._place(heap, sum(result))
        assert place is not None  # asked only of results
        return place

    def _result_at(self, heap: int, number: int) -> Heaps:
        left = heap - self.removals(heap)[number]
        return (left,) if left else ()


@register
class Nim(TakeAway):
    """Take any positive number of tokens from one heap (C. L. Bouton, 1901).

    Examples
    --------
    >>> [str(move) for move, _ in Nim().moves((1, 2))]
    ['1->0', '2->1', '2->0']
    """

    name = "nim"

    def removals(self, heap: int) -> range:
        """Return 1 to the heap's size."""
        return range(1, heap + 1)

    def removals_to(self, heap: int, value: int) -> tuple[int, ...]:
        """Return the one removal that leaves ``value`` tokens."""
        return (heap - value,) if 0 <= value < heap else ()

    def closed_form(self, heap: int) -> int:
        """Return the heap's size."""
        return heap


@register
class Bash(TakeAway):
    """Take 1 to ``most`` tokens from one heap (Bachet's game)."""

    name = "bash"

    piles: tuple[int, ...] = parameter(default=(10, 11, 12), start=True, doc="the heaps at the start")
    most: int = parameter(default=3, doc="the most that a move may take")

    def __post_init__(self) -> None:
        """Reject a game in which nothing may be taken."""
        super().__post_init__()
        if self.most < 1:
            raise SgaiError(f"most={self.most}: a move must be allowed to take 1 or more")

    def removals(self, heap: int) -> range:
        """Return 1 to ``most``."""
        return range(1, min(heap, self.most) + 1)

    def removals_to(self, heap: int, value: int) -> tuple[int, ...]:
        """Return the one removal that leaves a size congruent to ``value`` modulo ``most + 1``."""
        taken = (heap - value) % (self.most + 1)
        return (taken,) if 0 <= value <= self.most and 0 < taken <= heap else ()

    def closed_form(self, heap: int) -> int:
        """Return the heap modulo ``most + 1``."""
        return heap % (self.most + 1)


@register
class PowersOfTwo(TakeAway):
    """Take a power of two from one heap."""

    name = "powers_of_two"

    def removals(self, heap: int) -> tuple[int, ...]:
        """Return 1, 2, 4, ... up to the heap's size."""
        return tuple(1 << k for k in range(heap.bit_length()))

    def closed_form(self, heap: int) -> int:
        """Return the heap modulo 3: no power of two is a multiple of 3."""
        return heap % 3


@register
class HalfTake(TakeAway):
    """Take at least one token and at most half of one heap."""

    name = "half_take"

    piles: tuple[int, ...] = parameter(default=(6, 9, 11), start=True, doc="the heaps at the start")

    def removals(self, heap: int) -> range:
        """Return 1 to half the heap."""
        return range(1, heap // 2 + 1)

    def closed_form(self, heap: int) -> int:
        """Return half of the odd part of ``heap + 1``, rounded down."""
        above = heap + 1
        return above // (above & -above) // 2


@register
class Subtraction(TakeAway):
    """Take a number of tokens that is in a given set from one heap.

    Examples
    --------
    >>> Subtraction(take=[5, 2, 2]) == Subtraction(take=[2, 5])
    True
    """

    name = "subtraction"

    piles: tuple[int, ...] = parameter(default=(7, 9, 12), start=True, doc="the heaps at the start")
    take: tuple[int, ...] = parameter(default=(2, 5), doc="how many tokens a move may take: any set of sizes >= 1")

    def __post_init__(self) -> None:
        """Sort the set; reject an empty one and sizes below 1."""
        super().__post_init__()
        sizes = _checked_set(self.take, f"take={format_integers(self.take)}")
        if not sizes:
            raise SgaiError("take=[]: the set is empty; name one size at least, such as take=[2;5]")
        object.__setattr__(self, "take", sizes)

    def removals(self, heap: int) -> tuple[int, ...]:
        """Return the sizes of the set up to the heap's."""
        if heap >= self.take[-1]:
            return self.take
        return self.take[: bisect.bisect_right(self.take, heap)]


def _parse_sets(text: str) -> tuple[tuple[int, ...], ...]:
    return tuple(parse_integers(part) for part in split(unbracket(text)))


def _check_sets(value: Any) -> tuple[tuple[int, ...], ...]:
    try:
        return tuple(tuple(check_integer(size) for size in each) for each in value)
    except TypeError:
        raise SgaiError(f"{quote(value)} is not a list of lists of integers") from None


def _format_sets(sets: tuple[tuple[int, ...], ...]) -> str:
    return "[" + ";".join(map(format_integers, sets)) + "]"


def _checked_set(sizes: Collection[int], where: str) -> tuple[int, ...]:
    for size in sizes:
        if size < 1:
            raise SgaiError(f"{where}: {size} is below 1; a move must take 1 token or more")
    return tuple(sorted(set(sizes)))


SETS = Kind("a list of lists of integers such as [[1];[1;2];[3]]", _parse_sets, _format_sets, _check_sets)


@register
class PileDependent(TakeAway):
    """Take a number of tokens that is in a set which depends on the heap's size.

    Examples
    --------
    >>> squares = PileDependent.from_function(lambda heap: [k * k for k in range(1, heap + 1)], largest=10)
    >>> squares.removals(9)
    (1, 4, 9)
    """

    name = "pile_dependent"

    piles: tuple[int, ...] = parameter(default=(3, 5, 6), start=True, doc="the heaps at the start")
    sets: tuple[tuple[int, ...], ...] = parameter(
        default=((1,), (1, 2), (1,), (1, 2, 4), (1,), (1, 2, 3)),
        kind=SETS,
        doc="what may be taken from a heap of 1, 2, 3, ...; sizes above the heap are harmless",
    )

    def __post_init__(self) -> None:
        """Sort the sets; reject sizes below 1 and piles beyond the table."""
        super().__post_init__()
        checked = []
        for heap, sizes in enumerate(self.sets, 1):
            inside = _checked_set(sizes, f"sets: the set of heap {heap}, {format_integers(sizes)}")
            checked.append(tuple(size for size in inside if size <= heap))
        object.__setattr__(self, "sets", tuple(checked))
        self.initial()

    @classmethod
    def from_function(
        cls, allowed: Callable[[int], Iterable[int]], largest: int, piles: Iterable[int] | None = None
    ) -> "PileDependent":
        """Tabulate a function of the heap's size.

        Parameters
        ----------
        allowed : callable
            Heap size to the sizes that may be taken from it; sizes above the heap are dropped.
        largest : int
            The largest heap to tabulate.
        piles : iterable of int, optional
            The heaps at the start; by default one of the largest size.
        """
        sets = [[size for size in allowed(heap) if size <= heap] for heap in range(1, largest + 1)]
        return cls(sets=sets, piles=(largest,) if piles is None else tuple(piles))  # type: ignore[arg-type]

    def validate(self, position: Any) -> Heaps:
        """Reject heaps beyond the table."""
        heaps = super().validate(position)
        self._check_known(max(heaps, default=0))
        return heaps

    def initial(self) -> Heaps:
        """Return the piles of the parameters, sorted; reject heaps beyond the table."""
        heaps = super().initial()
        # The shared rules of all starts carry the default piles, whatever the table's length.
        return heaps if self.piles == self.parameters()["piles"].default else self.validate(heaps)

    def parse(self, text: str) -> Heaps:
        """Read ``[3;4;7]``; reject heaps beyond the table."""
        return self.validate(super().parse(text))

    def removals(self, heap: int) -> tuple[int, ...]:
        """Return the set of the heap's size."""
        if heap == 0:
            return ()
        self._check_known(heap)
        return self.sets[heap - 1]

    def _check_known(self, heap: int) -> None:
        if heap > len(self.sets):
            raise SgaiError(f"heap {heap}: the table of sets ends at heap {len(self.sets)}; give a longer one")
