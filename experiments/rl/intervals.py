"""Confidence intervals of shares, without assumptions that fail at 0% and 100%."""

import math
from typing import NamedTuple

_Z = 1.959963984540054  # of 95%, two-sided


class Share(NamedTuple):
    """A share of so many cases with its 95% interval; all NaN where there is no case."""

    share: float
    low: float
    high: float
    cases: int


def wilson(right: float, cases: int) -> Share:
    """Return a share with its Wilson score interval at 95% (E. B. Wilson, 1927).

    Parameters
    ----------
    right : float
        How many of the cases are right; halves may occur.
    cases : int
        How many there are.

    Examples
    --------
    >>> [round(number, 4) for number in wilson(8, 10)]
    [0.8, 0.4902, 0.9433, 10]
    >>> wilson(0, 0)
    Share(share=nan, low=nan, high=nan, cases=0)
    """
    if cases == 0:
        return Share(math.nan, math.nan, math.nan, 0)
    share, square = right / cases, _Z * _Z
    middle = (share + square / (2 * cases)) / (1 + square / cases)
    half = _Z / (1 + square / cases) * math.sqrt(share * (1 - share) / cases + square / (4 * cases * cases))
    return Share(share, min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half)), cases)


def mean_of_two(one: Share, other: Share) -> Share:
    """Return the mean of two independent shares, each with the same weight.

    The interval is made of those of both by squaring and adding (R. G. Newcombe, Statistics in Medicine 17, 1998,
    873-890, who does it for a difference).

    Examples
    --------
    >>> [round(number, 3) for number in mean_of_two(wilson(8, 10), wilson(40, 40))]
    [0.9, 0.739, 0.972, 50]
    """
    middle = (one.share + other.share) / 2
    low = middle - math.hypot(one.share - one.low, other.share - other.low) / 2
    high = middle + math.hypot(one.high - one.share, other.high - other.share) / 2
    if math.isnan(middle):
        return Share(math.nan, math.nan, math.nan, one.cases + other.cases)
    return Share(middle, max(0.0, low), min(1.0, high), one.cases + other.cases)
