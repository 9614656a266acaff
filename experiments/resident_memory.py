"""How much resident memory this process has and had, as the system tells; small, for new processes load it."""

import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


def status(name: str) -> int:
    """Return what Linux says of this process's memory, in bytes: "VmRSS" is what it has, "VmHWM" the most it had.

    Raises
    ------
    OSError, ValueError
        Where the system is another one, or does not say.
    """
    for line in _STATUS.read_text().splitlines():
        if line.startswith(name + ":"):
            return 1024 * int(line.split()[1])
    raise ValueError(name)


def record() -> int | None:
    """Return the most resident memory that this process had, by ``getrusage``, in bytes; None where there is none.

    On Linux that counts the process that started this one too.
    """
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def process_peak() -> int | None:
    """Return the most resident memory that this process had, in bytes, None where the system does not tell.

    Examples
    --------
    >>> process_peak() is None or process_peak() > 1_000_000
    True
    """
    try:
        return status("VmHWM")
    except (OSError, ValueError):
        return record()
