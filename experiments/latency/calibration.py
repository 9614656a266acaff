"""Fixed work, timed between the measurements: how fast the machine is at that moment."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Clock = Callable[[], float]
_LOOPS, _NUMBERS = 15_000, 20_000
_LEAST = 1e-9  # seconds: a clock that did not move


@dataclass(frozen=True)
class Clocks:
    """The time that passes, and the time that this thread computes, in seconds."""

    wall: Clock = time.perf_counter
    cpu: Clock = time.thread_time


@dataclass(frozen=True)
class Calibration:
    """How long the fixed work took, in seconds: its Python and its NumPy part, by either clock.

    Attributes
    ----------
    python, numpy : float
        Of time that passed.
    cpu_python, cpu_numpy : float
        Of this thread's time.
    """

    python: float
    numpy: float
    cpu_python: float
    cpu_numpy: float

    def work(self, part: str, *, cpu: bool) -> float:
        """Return the time of a part, "python" or "numpy", or of "both": their geometric mean."""
        python, numpy = (self.cpu_python, self.cpu_numpy) if cpu else (self.python, self.numpy)
        return {"python": python, "numpy": numpy, "both": float(np.sqrt(python * numpy))}[part]


def calibrate(clocks: Clocks | None = None) -> Calibration:
    """Do the fixed work once: about a millisecond of pure Python and one of NumPy.

    Examples
    --------
    >>> calibrate().work("both", cpu=False) > 0
    True
    """
    clocks = clocks or Clocks()
    wall, cpu = [], []
    for work in (_python_work, _numpy_work):
        cpu_started, started = clocks.cpu(), clocks.wall()
        work()
        wall.append(clocks.wall() - started)
        cpu.append(clocks.cpu() - cpu_started)
    return Calibration(*(max(_LEAST, each) for each in (*wall, *cpu)))


def _python_work() -> int:
    total, seen = 0, {}
    for i in range(_LOOPS):
        total ^= i * i % 1009
        seen[i & 255] = total
    return total


def _numpy_work() -> float:
    numbers = (np.arange(_NUMBERS, dtype=np.int64) * 7919) % 10_007
    return float(np.sort(numbers)[::7].sum() + np.bitwise_xor.accumulate(numbers)[-1])
