"""By how much a decision makes the process's memory grow."""

import sys
from pathlib import Path

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
PEAK, AFTER, RECORD = "peak of resident memory", "resident memory afterwards", "record of resident memory"


class MemoryMeter:
    """Measures how far resident memory goes above where it was, in the whole process.

    Memory that Python had got and freed before is used again without being seen, so these are lower bounds; only a
    fresh process shows all that an agent needs.

    Attributes
    ----------
    kind : str or None
        What is measured: on Linux the `PEAK` during the decision, or, where the kernel does not let the peak be set
        back, what is held `AFTER` it; elsewhere by how much the decision raised the process's `RECORD`; None where
        nothing is known.

    Examples
    --------
    >>> meter = MemoryMeter()
    >>> meter.begin()
    >>> kept = bytearray(50_000_000)
    >>> meter.kind is None or meter.growth() > 30_000_000
    True
    """

    def __init__(self) -> None:
        self.kind: str | None = _kind()
        self._before = 0

    def begin(self) -> None:
        """Begin to measure."""
        if self.kind == PEAK:
            _CLEAR.write_text("5")
        self._before = _status("VmRSS") if self.kind in (PEAK, AFTER) else _record() or 0

    def growth(self) -> int | None:
        """Return the growth since `begin` in bytes, 0 or more; None where it is not known."""
        if self.kind is None:
            return None
        now = _status("VmHWM") if self.kind == PEAK else _status("VmRSS") if self.kind == AFTER else _record() or 0
        return max(0, now - self._before)


def process_peak() -> int | None:
    """Return the largest resident memory of a process in which no `MemoryMeter` began, in bytes; None if unknown."""
    try:
        return _status("VmHWM")  # what getrusage tells counts the process that started this one too
    except (OSError, ValueError):
        return _record()


def _record() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def _kind() -> str | None:
    try:
        _status("VmRSS")
    except (OSError, ValueError):
        return RECORD if _record() is not None else None
    try:
        _CLEAR.write_text("5")
        _status("VmHWM")
    except (OSError, ValueError):
        return AFTER
    return PEAK


def _status(name: str) -> int:
    for line in _STATUS.read_text().splitlines():
        if line.startswith(name + ":"):
            return 1024 * int(line.split()[1])
    raise ValueError(name)
