"""Heap games: a position is a multiset of heaps, and a move replaces one heap by smaller ones."""

import bisect
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from sgai.errors import IllegalMoveError, LoopError, SgaiError, quote
from sgai.parameters import check_integer, format_integers, parameter, parse_integers
from sgai.ruleset import Component, Ruleset, owner

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Heaps = tuple[int, ...]  # sorted, positive: equal heaps are one, and an empty heap is none


class HeapMove(NamedTuple):
    """Replace one heap of a size by the heaps of the result; equal heaps are one, so no slot is named."""

    heap: int
    result: Heaps

    def __str__(self) -> str:
        return f"{self.heap}->{'+'.join(map(str, self.result)) or '0'}"


def normal_heaps(heaps: Iterable[Any]) -> Heaps:
    """Sort heaps and drop empty ones.

    Raises
    ------
    SgaiError
        If a heap is negative or no integer.

    Examples
    --------
    >>> normal_heaps([7, 0, 4])
    (4, 7)
    """
    sizes = sorted(map(check_integer, heaps))
    if sizes and sizes[0] < 0:
        raise SgaiError(f"{quote(sizes[0]).strip(chr(39))} is negative; a heap has 0 tokens or more")
    return tuple(sizes[bisect.bisect_right(sizes, 0) :])


class HeapRuleset(Ruleset[Heaps, HeapMove]):
    """A heap game, given by what may become of one heap.

    Subclasses give `results`. Values of heaps are computed from the smallest up, once for all positions.
    """

    largest_alphabet: ClassVar[int] = 1_000_000  # moves that `num_moves` is willing to list

    piles: tuple[int, ...] = parameter(default=(3, 4, 5), start=True, doc="the heaps at the start")

    def __post_init__(self) -> None:
        """Reject negative heaps at once."""
        try:
            normal_heaps(self.piles)
        except SgaiError as error:
            raise SgaiError(f"piles={quote(list(self.piles))}: {error}") from None

    @abstractmethod
    def results(self, heap: int) -> Iterator[Heaps]:
        """Yield what one heap may become: sorted tuples of positive heaps, each once."""

    def is_result(self, heap: int, result: Heaps) -> bool:
        """Tell whether one heap may become the result."""
        return result in self._result_indices(heap)

    def count_results(self, heap: int) -> int:
        """Return the number of `results` of a heap."""
        return len(self._result_indices(heap))

    def closed_form(self, heap: int) -> int | None:  # noqa: ARG002 - for games that have one
        """Return the Grundy value of a heap by a proved formula, or None where there is none."""
        return None

    @classmethod
    def trusts(cls, formula: str) -> bool:
        """Tell whether a method that says something of the rules was written for these rules.

        A subclass that changes the rules inherits formulas that are no longer true: they count only where they are
        defined no further up than the rules.
        """
        rules = [name for name in ("results", "removals") if name != formula and hasattr(cls, name)]
        return all(owner(cls, formula) <= owner(cls, name) for name in rules)

    def formula(self, heap: int) -> int | None:
        """Return `closed_form`, if it was written for these rules."""
        return self.closed_form(heap) if self.trusts("closed_form") else None

    def heap_of(self, position: Heaps) -> int | None:
        """Return the heap's size, or 0 for none; None for several heaps, and where a subclass has heaps interact."""
        if len(position) > 1 or not self._heaps_are_apart():
            return None
        return position[0] if position else 0

    @classmethod
    def _heaps_are_apart(cls) -> bool:
        return cls.moves is HeapRuleset.moves and cls.components is HeapRuleset.components

    def checked_results(self, heap: int) -> Iterator[Heaps]:
        """Yield `results`, or raise an error where one is no sorted tuple of smaller heaps."""
        for result in self.results(heap):
            if heap in result:
                raise LoopError([format_integers((heap,))])
            if list(result) != sorted(result) or not all(0 < part < heap for part in result):
                raise SgaiError(
                    f"{self}: a heap of {heap} gives the result {quote(result)}; results are sorted tuples of heaps "
                    f"from 1 to {heap - 1}"
                )
            yield result

    # The rules of several heaps follow

    def initial(self) -> Heaps:
        """Return the piles of the parameters, sorted, without empty ones."""
        return normal_heaps(self.piles)

    def moves(self, position: Heaps) -> Iterator[tuple[HeapMove, Heaps]]:
        """Yield the moves in each distinct heap, smallest heap first."""
        for heap in dict.fromkeys(position):
            for result in self.results(heap):
                yield HeapMove(heap, result), replace_heap(position, heap, result)

    def apply(self, position: Heaps, move: HeapMove) -> Heaps:
        """Return the option that a move leads to, or raise `IllegalMoveError`."""
        try:
            heap, result = move
            legal = heap in position and self.is_result(heap, result) and all(type(part) is int for part in result)
        except (TypeError, ValueError):
            legal = False
        if not legal:
            raise self.illegal_move(position, move)
        return replace_heap(position, heap, result)

    def validate(self, position: Any) -> Heaps:
        """Return any list of heaps as a position: sorted, without empty heaps."""
        try:
            return normal_heaps(position)
        except TypeError:
            raise SgaiError(f"{quote(position)} is not a list of heaps such as (3, 4, 7)") from None
        except SgaiError as error:
            raise SgaiError(f"{quote(position)} is not a list of heaps such as (3, 4, 7): {error}") from None

    def components(self, position: Heaps) -> tuple[Component, ...]:
        """Return every heap as a component: a move changes one heap and looks at no other."""
        rules = self.rules()
        return tuple([Component(rules, (heap,), True) for heap in position])

    def lift_move(self, position: Heaps, index: int, move: HeapMove) -> HeapMove:  # noqa: ARG002
        """Return the move itself: it names the heap's size, not its place."""
        return move

    def format(self, position: Heaps) -> str:
        """Write ``[3;4;7]``."""
        return format_integers(position)

    def parse(self, text: str) -> Heaps:
        """Read ``[3;4;7]``; brackets are optional."""
        try:
            return normal_heaps(parse_integers(text))
        except SgaiError as error:
            raise SgaiError(f"{quote(text)} is not a position such as [3;4;7]: {error}") from None

    def format_move(self, position: Heaps, move: HeapMove) -> str:  # noqa: ARG002
        """Write ``7->5`` for the heap that is left, ``7->2+3`` for a split, ``7->0`` where nothing is left."""
        return str(HeapMove(*move))

    def parse_move(self, position: Heaps, text: str) -> HeapMove:
        """Read ``7->2+3``."""
        heap_text, arrow, result_text = text.replace(" ", "").partition("->")
        try:
            move = HeapMove(int(heap_text), normal_heaps(int(part) for part in result_text.split("+")))
        except ValueError:
            raise self.illegal_move(position, text) from None
        if not arrow or move.heap not in position or not self.is_result(*move):
            raise self.illegal_move(position, text)
        return move

    # The move alphabet: (heap, result) for every heap up to the largest of the start

    def num_moves(self) -> int:
        """Return the number of pairs of a heap, up to the largest at the start, and a result of it."""
        return self._offsets()[-1]

    def move_index(self, move: HeapMove) -> int:
        """Return the offset of the heap plus the number of the result among the heap's results."""
        offsets = self._offsets()
        try:
            heap, result = move
            known = 0 < heap < len(offsets) and self.is_result(heap, result)
        except (TypeError, ValueError):
            known = False
        if not known:
            raise IllegalMoveError(f"{quote(str(move))} is no move of {self}")
        return offsets[heap - 1] + self._result_index(heap, result)

    def move_from_index(self, index: int) -> HeapMove:
        """Return the move with an index."""
        offsets = self._offsets()
        if not 0 <= index < offsets[-1]:
            raise self.no_such_index(index)
        heap = bisect.bisect_right(offsets, index)
        return HeapMove(heap, self._result_at(heap, index - offsets[heap - 1]))

    def legal_indices(self, position: Heaps) -> list[int]:
        """Return the indices of the legal moves: those of each size of heap follow one another."""
        offsets = self._offsets()
        if not self._trusts("legal_indices") or (position and position[-1] >= len(offsets)):
            return super().legal_indices(position)
        indices: list[int] = []
        for heap in dict.fromkeys(position):
            indices.extend(range(offsets[heap - 1], offsets[heap]))
        return indices

    def max_game_length(self) -> int:
        """Return a bound: a move takes tokens or adds heaps, so 2 tokens - heaps falls by one at least."""
        return sum(2 * heap - 1 for heap in self.initial())

    def tensor_shape(self) -> tuple[int, ...]:
        """Return the size of the largest heap at the start, at least 1."""
        largest = max(self.piles, default=0)
        if largest > 10_000_000:
            raise SgaiError(f"a heap of {largest:,} is too large for a tensor; choose piles up to 10,000,000")
        return (max(1, largest),)

    def encode(self, position: Heaps) -> "npt.NDArray[np.float32]":
        """Return at index n - 1 the number of heaps of size n."""
        import numpy as np  # rules load without it

        tensor = np.zeros(self.tensor_shape(), dtype=np.float32)
        for heap in position:
            tensor[heap - 1] += 1.0
        return tensor

    def _result_index(self, heap: int, result: Heaps) -> int:
        return self._result_indices(heap)[result]

    def _result_at(self, heap: int, number: int) -> Heaps:
        return list(self._result_indices(heap))[number]

    def _result_indices(self, heap: int) -> dict[Heaps, int]:
        kept: dict[int, dict[Heaps, int]] = self.__dict__.setdefault("_kept_results", {})
        if heap not in kept:
            listed: dict[Heaps, int] = {}
            for i, result in enumerate(self.checked_results(heap)):
                if i >= self.largest_alphabet:
                    raise SgaiError(f"a heap of {heap} has more than {i:,} results in {self}: too many to number")
                if result in listed:
                    raise SgaiError(
                        f"{self}: a heap of {heap} gives the result {quote(result)} twice; moves must differ"
                    )
                listed[result] = i
            kept[heap] = listed
        return kept[heap]

    def _offsets(self) -> list[int]:
        kept: list[int] | None = self.__dict__.get("_kept_offsets")
        if kept is None:
            largest = max(self.piles, default=0)
            kept = [0]
            for heap in range(1, largest + 1):
                kept.append(kept[-1] + self.count_results(heap))
                if kept[-1] > self.largest_alphabet or heap > 1_000_000:
                    raise SgaiError(
                        f"{self} has more than {kept[-1]:,} different moves up to heap {heap} of {largest}: too many "
                        "for a fixed action space; choose smaller piles"
                    )
            self.__dict__["_kept_offsets"] = kept
        return kept


def replace_heap(position: Heaps, heap: int, result: Heaps) -> Heaps:
    """Return the position with one heap replaced by others.

    Examples
    --------
    >>> replace_heap((2, 4, 7), 7, (1, 3))
    (1, 2, 3, 4)
    """
    place = bisect.bisect_left(position, heap)
    rest = [*position[:place], *position[place + 1 :]]
    for part in result:
        bisect.insort(rest, part)
    return tuple(rest)
