"""Ctrl-C that waits for what must not be left half-done."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any


@contextlib.contextmanager
def patient() -> Iterator[Callable[[], bool]]:
    """Tell whether Ctrl-C was pressed, instead of raising anywhere; pressed again, it raises.

    Only the main thread of a process can do so; in others nothing changes.

    Examples
    --------
    >>> with patient() as pressed:
    ...     signal.raise_signal(signal.SIGINT)
    ...     print(pressed())
    True
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    pressed = False

    def note(number: int, frame: Any) -> None:
        nonlocal pressed
        if pressed:
            signal.default_int_handler(number, frame)
        pressed = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before if before is not None else signal.SIG_DFL)
