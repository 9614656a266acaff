"""Compiling a function with numba, once, whatever the state of its cache."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function at its first call and keep the machine code on disk, if there is a place to write to."""
    return _compiled(function)


def counting_nothing(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that makes no array: without counting references to those it is given, it is much faster."""
    return _compiled(function, _nrt=False)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a small function that makes no array into every compiled function that calls it."""
    return _compiled(function, _nrt=False, forceinline=True)


def _compiled(function: Callable[P, R], **options: Any) -> Callable[P, R]:
    try:
        made = numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    except RuntimeError:  # numba finds no folder that can be written
        made = numba.njit(nogil=True, error_model="numpy", **options)(function)
    return cast(Callable[P, R], made)
