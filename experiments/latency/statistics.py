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
    by_position: bool = False,
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
    by_position : bool
        Whether to take the ratio at each position and then their geometric mean, rather than the ratio of the medians
        of all: positions differ far more than runs do, so this is sharper for two runs of one agent.
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
    center = _mean_of_medians if by_position else _median_of_all
    below = float(center(lower[None])[0])
    if below <= 0:
        return None
    value = float(center(upper[None])[0]) / below
    if len(keys) < LEAST_SAMPLES:
        return Ratio(value, None, None, len(keys))
    chance = np.random.default_rng(seed)
    places = chance.integers(len(upper), size=(RESAMPLES, len(upper)))
    drawn = chance.random((*places.shape, upper.shape[1]))
    tops = center(_resampled(upper, places, drawn))
    bottoms = center(_resampled(lower, places, drawn if paired else chance.random(drawn.shape)))
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


def _resampled(
    values: npt.NDArray[np.float64], places: npt.NDArray[np.int64], drawn: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return for each resample and each of its places as many values as the place has, filled up with NaN."""
    counts = np.count_nonzero(~np.isnan(values), axis=1)[places]
    picked = values[places[..., None], (drawn * counts[..., None]).astype(np.int64)]
    if np.isnan(values).any():
        picked[np.arange(values.shape[1]) >= counts[..., None]] = np.nan
    return np.asarray(picked, np.float64)


def _median_of_all(tables: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return _median(tables.reshape(len(tables), -1))


def _mean_of_medians(tables: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the geometric mean of the positions' medians: the ratio of two is the mean of the positions' ratios."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.exp(np.mean(np.log(_median(tables)), axis=-1)), np.float64)


def _median(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return medians over the last axis; NaN stands for no value."""
    medians = np.nanmedian(values, axis=-1) if np.isnan(values).any() else np.median(values, axis=-1)
    return np.asarray(medians, np.float64)
