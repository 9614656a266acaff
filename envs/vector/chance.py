"""Random numbers for many games at once, a stream for each, from its own seed."""

from typing import Any

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)


def _mixed(words: Words) -> Words:
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


class Streams:
    """SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, OOPSLA 2014) in as many streams as there are games.

    Parameters
    ----------
    count : int
        The number of streams.
    purpose : int
        Streams of one seed and different purposes have nothing to do with each other.

    Examples
    --------
    >>> streams = Streams(3, purpose=0)
    >>> streams.seed(np.arange(3), np.array([7, 8, 7], dtype=np.uint64))
    >>> first, second, third = streams.draws()
    >>> bool(first == third), bool(first == second)
    (True, False)
    """

    def __init__(self, count: int, purpose: int) -> None:
        self._purpose = np.full(1, purpose, dtype=np.uint64)
        self._words = np.zeros(count, dtype=np.uint64)

    def seed(self, which: Any, seeds: Words) -> None:
        """Begin some streams anew."""
        # A seed is mixed first, else the streams of neighbouring seeds would be the same one, shifted.
        self._words[which] = _mixed(_mixed(seeds + _STEP) + _mixed(self._purpose + _STEP))

    def draws(self, which: Any = slice(None)) -> npt.NDArray[np.int64]:
        """Return a random number from 0 to 2**32 - 1 from each stream, or from some."""
        words = self._words[which] + _STEP
        self._words[which] = words
        return (_mixed(words) >> np.uint64(32)).astype(np.int64)
