"""Splitting many positions of a removal game at once."""

from typing import Any

from sgai.kernels import masks
from sgai.kernels import removal as kernel
from sgai.kernels.jit import counting_nothing


@counting_nothing
def split_all(
    rules: kernel.Rules,
    table: kernel.Table,
    stack: kernel.Stack,
    positions: Any,
    found: Any,
    parts: Any,
    like: masks.Mask,
) -> None:
    """Split positions into components; what the stack holds stays.

    Parameters
    ----------
    rules, table, stack
        Those of a search.
    positions : uint64 array of shape (positions, words)
        Sets of live cells.
    found : int64 array of shape (positions, 2)
        Takes the nim-sum of the components whose value is known, and the number of others.
    parts : uint64 array of shape (enough, words)
        Takes these others in canonical form, one position's after the other's.
    like : tuple of uint64
        A mask of the right width.
    """
    top, free = 0, stack.state[kernel.PARTS]
    for number in range(len(positions)):
        live = masks.read(positions, number, like)
        known, count = kernel.fold(rules, table, stack, live, live, free)
        found[number, 0], found[number, 1] = known, count
        for i in range(count):
            masks.write(parts, top + i, masks.read(stack.parts, free + i, like))
        top += count
