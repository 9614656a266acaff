"""Sets of cells as rows of 64-bit words: cell i is bit ``i % 64`` of word ``i // 64``."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from sgai.ruleset import Ruleset
from sgai.rulesets.removal import RemovalRuleset

Words = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]

_THEIR_OWN = ("moves", "apply", "num_moves", "move_index", "tensor_shape", "encode")


def rows_of(masks: Iterable[int], words: int) -> Words:
    """Return sets of cells as rows of words.

    Examples
    --------
    >>> rows_of([5, 1 << 64], 2).tolist()
    [[5, 0], [0, 1]]
    """
    data = b"".join(mask.to_bytes(8 * words, "little") for mask in masks)
    return np.frombuffer(data, dtype="<u8").astype(np.uint64).reshape(-1, words)


def masks_of(rows: Words) -> list[int]:
    """Return rows of words as sets of cells; the inverse of `rows_of`."""
    data, wide = rows.astype("<u8").tobytes(), 8 * rows.shape[1]
    return [int.from_bytes(data[at : at + wide], "little") for at in range(0, len(data), wide)]


def least_words(cells: int) -> int:
    """Return in how many words so many cells fit, at least one.

    Examples
    --------
    >>> [least_words(cells) for cells in (1, 64, 65, 300)]
    [1, 1, 2, 5]
    """
    return max(1, (cells + 63) // 64)


def rows_of_flags(flags: Flags) -> Words:
    """Return rows that say of each cell whether it is in the set, packed into words.

    Examples
    --------
    >>> rows_of_flags(np.array([[True, False, True]])).tolist()
    [[5]]
    """
    count, cells = flags.shape
    padded = np.zeros((count, 8 * least_words(cells)), dtype=np.uint8)
    packed = np.packbits(flags, axis=1, bitorder="little")
    padded[:, : packed.shape[1]] = packed
    return padded.view("<u8").astype(np.uint64)


def subsets(needs: Words, rows: Words) -> Flags:
    """Tell of every row which of the needed sets are inside it.

    Parameters
    ----------
    needs : uint64 array of shape (moves, words)
    rows : uint64 array of shape (positions, words)

    Returns
    -------
    bool array of shape (positions, moves)

    Examples
    --------
    >>> subsets(rows_of([3, 6], 1), rows_of([7, 6], 1)).tolist()
    [[True, True], [False, True]]
    """
    inside = np.ones((len(rows), len(needs)), dtype=np.bool_)
    for word in range(needs.shape[1]):
        inside &= (needs[None, :, word] & ~rows[:, None, word]) == 0
    return inside


def has_cell_moves(ruleset: Ruleset[Any, Any]) -> bool:
    """Tell whether the moves and tensors of a ruleset are those that every removal game has, by its table.

    Examples
    --------
    >>> import sgai
    >>> [has_cell_moves(sgai.load_ruleset(name)) for name in ("cram", "chomp", "nim")]
    [True, True, False]
    """
    return isinstance(ruleset, RemovalRuleset) and all(
        getattr(type(ruleset), name) is getattr(RemovalRuleset, name) for name in _THEIR_OWN
    )
