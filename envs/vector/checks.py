"""What vector environments are given: numbers, seeds and actions, or an error that says what would be right."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sgai.errors import SgaiError, quote

Seeds = int | Sequence[int | None] | None


def checked_number(what: str, number: Any, least: int) -> int:
    """Return an integer that is not too small.

    Examples
    --------
    >>> checked_number("num_envs", 0, 1)
    Traceback (most recent call last):
    ...
    sgai.errors.SgaiError: num_envs=0: it should be an integer of 1 or more
    """
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < least:
        raise SgaiError(f"{what}={quote(number).strip(chr(39))}: it should be an integer of {least} or more")
    return int(number)


def checked_seeds(seed: Any, games: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]] | None:
    """Return a seed for each game, and which of them were given; None where none was.

    Examples
    --------
    >>> seeds, given = checked_seeds(5, 3)
    >>> seeds.tolist(), given.tolist()
    ([5, 6, 7], [True, True, True])
    """
    if seed is None:
        return None
    if isinstance(seed, int | np.integer) and not isinstance(seed, bool):
        seeds: list[Any] = [int(seed) + i for i in range(games)] if seed >= 0 else [seed]
    else:
        try:
            seeds = list(seed)
        except TypeError:
            seeds = [seed]
        if len(seeds) != games:
            raise SgaiError(f"seed={quote(seed)}: it should be an integer of 0 or more, or a list of {games} of them")
    for each in seeds:
        if each is not None and (
            isinstance(each, bool) or not isinstance(each, int | np.integer) or not 0 <= each < 1 << 64
        ):
            raise SgaiError(f"seed={quote(seed)}: {quote(each)} is no seed; they are integers from 0 to 2**64 - 1")
    given = np.array([each is not None for each in seeds], dtype=np.bool_)
    return np.array([int(each or 0) for each in seeds], dtype=np.uint64), given


def checked_actions(actions: npt.ArrayLike, games: int, most: int) -> npt.NDArray[Any]:
    """Return an integer for each game that fits 64 bits, signed; whether it is a legal action is not looked at.

    Examples
    --------
    >>> checked_actions([1, 2], 2, most=9).tolist()
    [1, 2]
    """
    given: npt.NDArray[Any] = np.asarray(actions)
    if given.shape != (games,):
        raise SgaiError(f"actions of shape {given.shape}; it should be one for each game, ({games},)")
    if given.dtype.kind not in "iu":
        raise SgaiError(f"actions of type {given.dtype}; they should be integers from 0 to {most - 1}")
    if given.dtype == np.uint64:
        given = np.minimum(given, np.iinfo(np.int64).max)  # else what is too large would come out negative
    return given
