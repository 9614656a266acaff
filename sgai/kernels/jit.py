"""Compiling a function with numba, once, whatever the state of its cache."""

import contextlib
import functools
import gc
import hashlib
import logging
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from sgai.kernels.linked import ForCallers, OptimizedForCallers

P = ParamSpec("P")
R = TypeVar("R")

_config: Any = numba.config
_log = logging.getLogger(__name__)
_NUMBAS_OWN, _LIGHTER = 3, 2  # levels of optimization


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function at its first call and keep the machine code on disk, if there is a place to write to."""
    return _compiled(function)


def counting_nothing(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that makes no array: without counting references to those it is given, it is much faster."""
    return _compiling_lighter(_compiled(function, _nrt=False, no_cfunc_wrapper=True))


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that makes no array and that only compiled functions call, as part of these.

    It is neither optimized by itself nor made machine code, nor kept on disk, so it takes much less time.
    """
    return _for_callers(function, ForCallers)


def inner_optimized(function: Callable[P, R]) -> Callable[P, R]:
    """Do what `inner` does, and have LLVM optimize the function before its callers have it.

    LLVM may then make a little more of these; for most functions it is not worth the time.
    """
    return _for_callers(function, OptimizedForCallers)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a small function that makes no array into every compiled function that calls it; Python cannot."""
    return _for_callers(function, ForCallers, forceinline=True)


def inlined_optimized(function: Callable[P, R]) -> Callable[P, R]:
    """Do what `inlined` does, and have LLVM optimize the function before, as `inner_optimized` does."""
    return _for_callers(function, OptimizedForCallers, forceinline=True)


def _compiled(function: Callable[P, R], **options: Any) -> Callable[P, R]:
    try:
        made = numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
        _stamp(made)
        _go_on_unsaved(made)
    except RuntimeError:  # numba finds no folder that can be written
        made = numba.njit(nogil=True, error_model="numpy", **options)(function)
    return cast(Callable[P, R], _interrupted_between(made))


def _for_callers(function: Callable[P, R], compiler: type[ForCallers], **options: Any) -> Callable[P, R]:
    options |= {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    made = numba.njit(nogil=True, error_model="numpy", pipeline_class=compiler, **options)(function)
    if isinstance(made, CPUDispatcher):  # not where numba is told to compile nothing
        made.__class__ = _Internal
    return _compiling_lighter(_interrupted_between(cast(Callable[P, R], made)))


class _Internal(CPUDispatcher):
    """A compiled function that Python cannot call: it would jump to code that is not there."""

    def __call__(self, *_arguments: Any, **_named: Any) -> Any:
        raise TypeError(f"{self.py_func.__name__}: only compiled functions can call it; compile one that does")


def _compiling_lighter(made: Callable[P, R]) -> Callable[P, R]:
    """Compile by LLVM's second level, which takes less time where code branches much, and without collecting garbage.

    numba has one level for all functions, in `numba.config`, so it is another one only while this function is compiled.
    A level that the user has chosen is kept. The code is as fast.
    """
    if not isinstance(made, CPUDispatcher):
        return made
    dispatcher: Any = made
    compile_at_set_level = dispatcher.compile

    def compile_lighter(signature: Any) -> Any:
        with global_compiler_lock:  # no other thread compiles meanwhile; this one may, what the function calls
            level, collects = _config.OPT, gc.isenabled()
            _config.OPT = type(level)(_LIGHTER) if level == _NUMBAS_OWN else level
            gc.disable()  # nearly all that numba makes stays, and to look through it all takes a twentieth of the time
            try:
                return compile_at_set_level(signature)
            finally:
                _config.OPT = level
                if collects:
                    gc.enable()

    dispatcher.compile = compile_lighter
    return made


def _interrupted_between(made: Callable[P, R]) -> Callable[P, R]:
    """Let Ctrl-C wait for the end of a function's compilation, for some seconds at most.

    Python cannot raise it out of what LLVM calls back, so that it would be lost, and code be missed later.
    """
    if not isinstance(made, CPUDispatcher):
        return made
    dispatcher: Any = made
    compile_at_once = dispatcher.compile

    def compile_to_the_end(signature: Any) -> Any:
        with _held_interrupts():
            return compile_at_once(signature)

    dispatcher.compile = compile_to_the_end
    return made


_pressed: list[int] = []  # Ctrl-C, while a function is compiled


@contextlib.contextmanager
def _held_interrupts() -> Iterator[None]:
    handler = signal.getsignal(signal.SIGINT)
    is_inner = handler is _note
    if threading.current_thread() is not threading.main_thread() or not (
        is_inner or handler is signal.default_int_handler
    ):
        yield  # who handles signals in another way knows what to do
        return
    if not is_inner:
        _pressed.clear()
        signal.signal(signal.SIGINT, _note)
    try:
        yield
    finally:
        if not is_inner:
            signal.signal(signal.SIGINT, handler)
    if _pressed:
        raise KeyboardInterrupt


def _note(number: int, _frame: Any) -> None:
    _pressed.append(number)


def _go_on_unsaved(made: Any) -> None:
    """Have numba go on where what it compiled cannot be written, as on a full disk."""
    with contextlib.suppress(AttributeError):
        kept = made._cache
        save = kept.save_overload

        def save_if_possible(signature: Any, data: Any) -> None:
            try:
                save(signature, data)
            except OSError as error:
                _log.info("what was compiled cannot be kept for the next run: %s", error)

        kept.save_overload = save_if_possible


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
