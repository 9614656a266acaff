"""By how much a decision makes the process's memory grow."""

from pathlib import Path

from sgai.experiments.resident_memory import record, status

_CLEAR = Path("/proc/self/clear_refs")
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
    >>> import mmap
    >>> meter = MemoryMeter()
    >>> meter.begin()
    >>> kept = mmap.mmap(-1, 50_000_000)
    >>> written = kept.write(bytes(50_000_000))
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
        self._before = status("VmRSS") if self.kind in (PEAK, AFTER) else record() or 0

    def growth(self) -> int | None:
        """Return the growth since `begin` in bytes, 0 or more; None where it is not known."""
        if self.kind is None:
            return None
        now = status("VmHWM") if self.kind == PEAK else status("VmRSS") if self.kind == AFTER else record() or 0
        return max(0, now - self._before)


def _kind() -> str | None:
    try:
        status("VmRSS")
    except (OSError, ValueError):
        return RECORD if record() is not None else None
    try:
        _CLEAR.write_text("5")
        status("VmHWM")
    except (OSError, ValueError):
        return AFTER
    return PEAK
