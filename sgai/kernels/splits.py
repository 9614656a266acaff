"""The kernel for splits into three and more heaps."""

import numpy as np
import numpy.typing as npt

from sgai.kernels.jit import compiled

Splits = npt.NDArray[np.bool_]


@compiled
def add_heap(equal: Splits, mixed: Splits, unequal: Splits, heap: int, value: int) -> None:
    """Add a heap, larger than all before, to the tables of nim-sums of splits.

    Parameters
    ----------
    equal, mixed, unequal : bool arrays of shape (totals, counts, values)
        Whether so many heaps with so many tokens in all can have a nim-sum: heaps of one size, of two sizes at least,
        and pairwise unequal; the last count stands for that number or more. ``mixed`` and ``unequal`` may be empty.
    heap, value : int
        The heap's size and Grundy value.

    Notes
    -----
    Going up through the totals lets a heap be used again and again, going down lets it be used once; time is linear in
    the size of the tables.
    """
    totals, counts, width = equal.shape
    last = counts - 1
    if len(unequal):
        for total in range(totals - 1, heap, -1):
            for count in range(last, 0, -1):
                target = min(last, count + 1)
                for old in range(width):
                    if unequal[total - heap, count, old]:
                        unequal[total, target, old ^ value] = True
        unequal[heap, 1, value] = True
    if len(mixed):
        # Sums of two sizes come from all smaller sizes, which `equal` still holds alone, and from themselves.
        for total in range(heap + 1, totals):
            for count in range(last, 0, -1):
                target = min(last, count + 1)
                for old in range(width):
                    if mixed[total - heap, count, old] or equal[total - heap, count, old]:
                        mixed[total, target, old ^ value] = True
    for times in range(1, (totals - 1) // heap + 1):
        equal[times * heap, min(times, last), value if times % 2 else 0] = True
