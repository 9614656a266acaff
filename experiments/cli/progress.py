"""Progress of a long search, on the terminal's error stream."""

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from tqdm import tqdm

    from sgai.budget import Budget

_QUIET_SECONDS = 1.0


@contextlib.contextmanager
def shown_progress() -> Iterator["Callable[[Budget], None]"]:
    """Give a function that shows how far a budget is spent; nothing is shown of what takes less than a second."""
    handler = _Patient()
    logger = logging.getLogger("sgai")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    bar: tqdm[Any] | None = None
    started = time.monotonic()
    last: Budget | None = None
    earlier = 0  # states of budgets that are spent

    def watch(budget: "Budget") -> None:
        nonlocal bar, last, earlier
        handler.forget()
        if last is not None and last is not budget:
            earlier += last.spent
        last = budget
        if bar is None and time.monotonic() - started > _QUIET_SECONDS:
            from tqdm import tqdm  # loaded only for what takes long

            bar = tqdm(unit=" states", leave=False, mininterval=0.5)
        if bar is not None:
            bar.update(earlier + budget.spent - bar.n)

    try:
        yield watch
    finally:
        if bar is not None:
            bar.close()
        handler.forget()
        logger.removeHandler(handler)
        logger.setLevel(level)


class _Patient(logging.Handler):
    """Prints warnings at once, and what the program is doing if no other word of it comes within a second."""

    def __init__(self) -> None:
        super().__init__()
        self._timer: threading.Timer | None = None

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if record.levelno >= logging.WARNING:
            print(f"sgai: {message}", file=sys.stderr)
            return
        self.forget()
        if record.levelno < logging.INFO:
            return
        self._timer = threading.Timer(_QUIET_SECONDS, print, [f"sgai: {message}"], {"file": sys.stderr, "flush": True})
        self._timer.daemon = True
        self._timer.start()

    def forget(self) -> None:
        """Do not print what was to be printed."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
