"""Ending what takes too long: an exception where Python runs, the end of the process where it does not."""

import faulthandler
import signal
import threading
import time
from types import FrameType
from typing import Any, Self, TextIO

GRACE_SECONDS = 1.0
_is_expendable = False


class Overdue(BaseException):
    """Time is over; no ``Exception``, so that code which catches those does not swallow it."""


def mark_expendable() -> None:
    """Say that this process is a worker that may be ended: it will be replaced."""
    global _is_expendable
    _is_expendable = True


class Alarm:
    """Raises `Overdue` in a block of the main thread that takes too long; does nothing where there are no alarms.

    Alarms nest: if the time of an outer one ends first, that ends the inner block and then the outer one.

    Parameters
    ----------
    seconds : float or None
        The most time for the block; None for no limit.

    Examples
    --------
    >>> import itertools
    >>> try:
    ...     with Alarm(0.01):
    ...         for _ in itertools.count():
    ...             pass
    ... except Overdue:
    ...     print("ended")
    ended
    """

    def __init__(self, seconds: float | None) -> None:
        works = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        self.seconds = seconds if works else None

    def __enter__(self) -> Self:
        if self.seconds is not None:
            self._handler = signal.signal(signal.SIGALRM, _raise_overdue)
            self._began = time.monotonic()
            self._outer = signal.getitimer(signal.ITIMER_REAL)[0]
            signal.setitimer(signal.ITIMER_REAL, min(self.seconds, self._outer or self.seconds))
        return self

    def __exit__(self, *_: object) -> None:
        if self.seconds is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._handler)
            if self._outer:
                left = self._outer - (time.monotonic() - self._began)
                signal.setitimer(signal.ITIMER_REAL, max(left, 1e-6))


def _raise_overdue(number: int, frame: FrameType | None) -> Any:  # noqa: ARG001 - a signal handler's arguments
    raise Overdue


class LastResort:
    """Ends this process if it is an expendable worker that is stuck in compiled code, where no exception can reach.

    A stack trace is written to the file first, which tells that this is how the process ended.

    Parameters
    ----------
    file : TextIO
        Where the trace goes.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._seconds = self._armed_at = 0.0

    def put_off(self, seconds: float) -> None:
        """Begin the time anew; to be called before each step.

        It starts a thread, so where the time stays the same it does so once a second only.

        Parameters
        ----------
        seconds : float
            What the step may take; the end comes a little later.
        """
        now = time.monotonic()
        if _is_expendable and (now - self._armed_at > 1.0 or seconds != self._seconds):
            faulthandler.dump_traceback_later(seconds + 1.0 + GRACE_SECONDS, exit=True, file=self._file)
            self._armed_at, self._seconds = now, seconds

    def cancel(self) -> None:
        """Let the process live."""
        if self._armed_at:
            faulthandler.cancel_dump_traceback_later()
            self._armed_at = 0.0
