"""The move alphabet of a heap game as arrays: which heap each move takes away, and which heaps it leaves."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sgai.errors import SgaiError, quote
from sgai.ruleset import Ruleset
from sgai.rulesets.heaps import HeapMove, HeapRuleset
from sgai.rulesets.subtraction import by_removals

MOST_MOVES = 5_000_000

Numbers = npt.NDArray[np.int64]

_THEIR_OWN = ("moves", "apply", "components", "num_moves", "move_index", "tensor_shape", "encode")


class HeapMoves(NamedTuple):
    """The moves of a heap game, numbered as by its `move_index`.

    Attributes
    ----------
    heap : int64 array of shape (moves,)
        The size of the heap that the move is made in, 1 or more.
    first : int64 array of shape (largest heap + 2,)
        Moves in heaps of size n are ``first[n]`` to ``first[n + 1] - 1``.
    starts, parts : int64 arrays of shapes (moves + 1,) and (heaps left,)
        Move m leaves the heaps ``parts[starts[m]]`` to ``parts[starts[m + 1] - 1]``, all of them smaller.
    """

    heap: Numbers
    first: Numbers
    starts: Numbers
    parts: Numbers

    @property
    def largest(self) -> int:
        """The largest heap."""
        return len(self.first) - 2


def has_heap_moves(ruleset: Ruleset[Any, Any]) -> bool:
    """Tell whether the heaps of a ruleset are apart, and its moves and tensors those that every heap game has.

    Examples
    --------
    >>> import sgai
    >>> [has_heap_moves(sgai.load_ruleset(name)) for name in ("nim", "kayles", "cram", "fibonacci_nim")]
    [True, True, False, False]
    """
    return isinstance(ruleset, HeapRuleset) and all(
        getattr(type(ruleset), name) is getattr(HeapRuleset, name) for name in _THEIR_OWN
    )


def heap_moves(ruleset: HeapRuleset) -> HeapMoves:
    """List the moves of a heap game, up to its largest heap at the start.

    Parameters
    ----------
    ruleset : HeapRuleset
        A game that `has_heap_moves`.

    Raises
    ------
    SgaiError
        If there are more than `MOST_MOVES`.

    Examples
    --------
    >>> import sgai
    >>> moves = heap_moves(sgai.load_ruleset("kayles(piles=[3])"))
    >>> moves.heap.tolist(), moves.starts.tolist(), moves.parts.tolist()
    ([1, 2, 2, 3, 3, 3], [0, 0, 1, 1, 2, 4, 5], [1, 2, 1, 1, 1])
    """
    count, largest = ruleset.num_moves(), max(ruleset.initial(), default=0)
    if count > MOST_MOVES:
        raise SgaiError(
            f"{quote(str(ruleset))} has {count:,} different moves; {MOST_MOVES:,} are the most that are listed: "
            "choose smaller piles"
        )
    taking = by_removals(ruleset)
    heap, first = np.zeros(count, dtype=np.int64), [0, 0]
    left: list[Any] = []
    if taking is not None:
        for size in range(1, largest + 1):
            left.append(size - np.asarray(taking.removals(size), dtype=np.int64))
            first.append(first[-1] + len(left[-1]))
        parts = np.concatenate([*left, np.zeros(0, dtype=np.int64)])
        starts = np.concatenate([[0], np.cumsum(parts > 0)])
        parts = parts[parts > 0]
    else:
        listed: list[tuple[int, ...]] = [()] * count
        for size in range(1, largest + 1):
            for result in ruleset.checked_results(size):
                listed[ruleset.move_index(HeapMove(size, result))] = result
            first.append(first[-1] + ruleset.count_results(size))
        starts = np.cumsum([0, *map(len, listed)])
        parts = np.array([part for result in listed for part in result], dtype=np.int64)
    for size in range(1, largest + 1):
        heap[first[size] : first[size + 1]] = size
    return HeapMoves(heap, np.array(first, dtype=np.int64), starts.astype(np.int64), parts)
