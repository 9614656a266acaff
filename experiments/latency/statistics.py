"""Quantiles, and ratios of medians with bootstrap intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

RESAMPLES = 1000
LEAST_SAMPLES = 5  # with fewer there is no interval

Key = tuple[int, int]  # position and round
Values = Mapping[Key, float]


def quantiles(values: Sequence[float]) -> dict[str, float | None]:
    """Return the quantiles of times; those between two values are interpolated linearly.

    Of fewer than 100 values, ``p99`` lies between the two largest.

    Examples
    --------
    >>> quantiles([1, 2, 3, 4, 11])
    {'p50': 3.0, 'p90': 8.2, 'p99': 10.72, 'max': 11.0}
    """
    if not values:
        return dict.fromkeys(("p50", "p90", "p99", "max"))
    found = np.percentile(np.asarray(values, float), (50, 90, 99, 100))
    return {name: round(float(value), 12) for name, value in zip(("p50", "p90", "p99", "max"), found, strict=True)}


@dataclass(frozen=True)
class Ratio:
    """A ratio of two medians.

    Attributes
    ----------
    value : float
        The first median over the second one.
    low, high : float or None
        The bounds of its bootstrap interval; None where there are too few values.
    count : int
        Values of the first.
    """

    value: float
    low: float | None
    high: float | None
    count: int


def ratio_of_medians(
    first: Values,
    second: Values,
    *,
    paired: bool,
    level: float = 0.95,
    seed: int = 0,
) -> Ratio | None:
    """Return the ratio of two medians with a bootstrap interval in two stages.

    Positions are drawn with replacement, the same ones for both, then values of each position. Only keys that both
    have are used.

    Parameters
    ----------
    first, second : mapping of (position, round) to float
        Times above 0.
    paired : bool
        Whether values of the same round were measured next to each other, so that the same rounds are drawn for both.
    level : float
        Of the interval.
    seed : int
        Of the bootstrap.

    Returns
    -------
    Ratio or None
        None where there is nothing in common, or a median is 0.

    Examples
    --------
    >>> slow = {(position, 0): 3.0 + position for position in range(6)}
    >>> fast = {key: value / 2 for key, value in slow.items()}
    >>> ratio_of_medians(slow, fast, paired=True)
    Ratio(value=2.0, low=2.0, high=2.0, count=6)
    """
    keys = sorted(set(first) & set(second))
    if not keys:
        return None
    upper, lower = _matrix(keys, first), _matrix(keys, second)
    below = float(np.nanmedian(lower))
    if below <= 0:
        return None
    value = float(np.nanmedian(upper)) / below
    if len(keys) < LEAST_SAMPLES:
        return Ratio(value, None, None, len(keys))
    chance = np.random.default_rng(seed)
    places = chance.integers(len(upper), size=(RESAMPLES, len(upper)))
    drawn = chance.random((*places.shape, upper.shape[1]))
    tops = _medians(upper, places, drawn)
    bottoms = _medians(lower, places, drawn if paired else chance.random(drawn.shape))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = tops / bottoms
    low, high = np.nanpercentile(ratios, (50 * (1 - level), 50 * (1 + level)))
    return Ratio(value, float(low), float(high), len(keys))


def _matrix(keys: Sequence[Key], values: Values) -> npt.NDArray[np.float64]:
    """Return one row a position, filled up with NaN."""
    rows: dict[int, list[float]] = {}
    for position, number in keys:
        rows.setdefault(position, []).append(values[position, number])
    made = np.full((len(rows), max(map(len, rows.values()))), np.nan)
    for i, row in enumerate(rows.values()):
        made[i, : len(row)] = row
    return made


def _medians(
    values: npt.NDArray[np.float64], places: npt.NDArray[np.int64], drawn: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the median of each resample: of each place as many values as it has."""
    counts = np.count_nonzero(~np.isnan(values), axis=1)[places]
    picked = values[places[..., None], (drawn * counts[..., None]).astype(np.int64)]
    if np.isnan(values).any():
        picked[np.arange(values.shape[1]) >= counts[..., None]] = np.nan
    flat = picked.reshape(len(places), -1)
    medians = np.nanmedian(flat, axis=1) if np.isnan(flat).any() else np.median(flat, axis=1)
    return np.asarray(medians, np.float64)
