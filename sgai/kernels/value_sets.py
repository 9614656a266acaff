"""Sets of Grundy values: words of a row of an array, from a place on."""

from typing import Any

import numpy as np

from sgai.kernels.jit import inlined
from sgai.kernels.masks import Int, ones, trailing_zeros


@inlined
def add_value(rows: Any, row: Int, place: Int, value: Int) -> None:
    """Put a value into a set."""
    rows[row, place + (value >> 6)] |= np.uint64(1) << np.uint64(value & 63)


@inlined
def has_value(rows: Any, row: Int, place: Int, value: Int) -> Any:
    """Tell whether a value is in a set."""
    return (rows[row, place + (value >> 6)] >> np.uint64(value & 63)) & np.uint64(1) != np.uint64(0)


@inlined
def mex_of(rows: Any, row: Int) -> Int:
    """Return the least value that is not in the set that is a whole row; 64 times its words where all are."""
    for i in range(rows.shape[1]):
        if rows[row, i] != ~np.uint64(0):
            return 64 * i + trailing_zeros(~rows[row, i])
    return 64 * rows.shape[1]


@inlined
def missing_below(rows: Any, row: Int, place: Int, value: Int) -> Int:
    """Return how many smaller values are not in a set."""
    last = value >> 6
    missing = ones(((np.uint64(1) << np.uint64(value & 63)) - np.uint64(1)) & ~rows[row, place + last])
    for i in range(last):
        missing += ones(~rows[row, place + i])
    return missing


@inlined
def join_values(rows: Any, row: Int, place: Int, others: Any, other: Int, there: Int, count: Int) -> None:
    """Put all values of another set into a set."""
    for i in range(count):
        rows[row, place + i] |= others[other, there + i]


@inlined
def clear_values(rows: Any, row: Int, place: Int, count: Int) -> None:
    """Empty a set."""
    for i in range(count):
        rows[row, place + i] = np.uint64(0)
