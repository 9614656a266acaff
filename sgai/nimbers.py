"""Arithmetic of Grundy values."""

from collections.abc import Iterable


def mex(values: Iterable[int]) -> int:
    """Return the minimum excluded value: the least integer >= 0 that is not among the values.

    Examples
    --------
    >>> mex([]), mex([0, 1, 3]), mex([1, 2])
    (0, 2, 0)
    """
    present = set(values)
    least = 0
    while least in present:
        least += 1
    return least


def nim_sum(values: Iterable[int]) -> int:
    """Return the nim-sum (bitwise exclusive or) of the values.

    By the Sprague-Grundy theorem the Grundy value of a disjunctive sum is the nim-sum of its components' values
    (R. P. Sprague, 1935; P. M. Grundy, 1939).

    Examples
    --------
    >>> nim_sum([3, 4, 7])
    0
    """
    total = 0
    for value in values:
        total ^= value
    return total
