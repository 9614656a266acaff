"""Arrays that are given away, and used again once nobody has them: fresh memory costs more than to fill it."""

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

_MOST = 4  # arrays of one kind; whoever keeps more gets new ones


class Buffers:
    """Arrays of one shape and type.

    An array is used again when nothing refers to it any more, nor to a view of it, as CPython counts references.

    Examples
    --------
    >>> buffers = Buffers((2,), np.int64)
    >>> first = buffers.copy_of(np.array([1, 2]))
    >>> part = first[:1]
    >>> buffers.copy_of(np.array([3, 4])).tolist(), part.tolist()
    ([3, 4], [1])
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self._shape, self._dtype = shape, dtype
        self._kept: list[npt.NDArray[Any]] = [np.zeros(shape, dtype=dtype)]
        self._free = self._references(0)  # what is counted where nobody has it

    def _references(self, place: int) -> int:
        return sys.getrefcount(self._kept[place])

    def take(self) -> npt.NDArray[Any]:
        """Return an array with anything in it."""
        for place in range(len(self._kept)):
            if self._references(place) == self._free:
                return self._kept[place]
        fresh = np.zeros(self._shape, dtype=self._dtype)
        if len(self._kept) < _MOST:
            self._kept.append(fresh)
        return fresh

    def copy_of(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return an array with a copy."""
        taken = self.take()
        taken[...] = array
        return taken

    def rows_of(self, array: npt.NDArray[Any], which: Any) -> npt.NDArray[Any]:
        """Return an array with a copy of some rows, and 0 in the others."""
        taken = self.take()
        taken.fill(0)
        taken[which] = array[which]
        return taken
