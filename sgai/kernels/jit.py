"""Compiling a function with numba, once, whatever the state of its cache."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function at its first call and keep the machine code on disk, if there is a place to write to."""
    try:
        made = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # numba finds no folder that can be written
        made = numba.njit(nogil=True, error_model="numpy")(function)
    return cast(Callable[P, R], made)
