"""Compiling a function with numba, once, whatever the state of its cache."""

import contextlib
import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
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
        _stamp(made)
    except RuntimeError:  # numba finds no folder that can be written
        made = numba.njit(nogil=True, error_model="numpy", **options)(function)
    return cast(Callable[P, R], made)


def _stamp(made: Any) -> None:
    """Have what is kept on disk thrown away when any kernel is edited: code of one file is compiled into another's.

    numba looks at a function's own file alone. There is no public way to tell it of more files, so where its inner
    names have changed, nothing is done.
    """
    with contextlib.suppress(AttributeError):
        kept = made._cache._cache_file
        kept._source_stamp = (kept._source_stamp, sources_digest())


@functools.cache
def sources_digest(folder: Path = Path(__file__).parent) -> str:
    """Return a digest of all source files in a folder, by default that of the kernels; "" where there are none."""
    digest = hashlib.sha256()
    files = sorted(folder.glob("*.py"))
    for file in files:
        digest.update(f"{file.name} {file.stat().st_size} ".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest() if files else ""
