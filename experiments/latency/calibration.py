"""Fixed work, timed between the measurements: how fast the machine is at that moment."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Clock = Callable[[], float]
_LOOPS, _NUMBERS = 15_000, 20_000


@dataclass(frozen=True)
class Clocks:
    """The time that passes, and the time that this thread computes, in seconds."""

    wall: Clock = time.perf_counter
    cpu: Clock = time.thread_time


@dataclass(frozen=True)
class Calibration:
    """How long the fixed work took: the geometric mean of its Python and its NumPy part, in seconds.

    Attributes
    ----------
    seconds : float
        Of time that passed.
    cpu_seconds : float
        Of this thread's time.
    """

    seconds: float
    cpu_seconds: float


def calibrate(clocks: Clocks | None = None) -> Calibration:
    """Do the fixed work once: about a millisecond of pure Python and one of NumPy.

    Examples
    --------
    >>> calibrate().seconds > 0
    True
    """
    clocks = clocks or Clocks()
    wall, cpu = [], []
    for work in (_python_work, _numpy_work):
        cpu_started, started = clocks.cpu(), clocks.wall()
        work()
        wall.append(clocks.wall() - started)
        cpu.append(clocks.cpu() - cpu_started)
    return Calibration(*(float(np.sqrt(first * second)) for first, second in (wall, cpu)))


def _python_work() -> int:
    total, seen = 0, {}
    for i in range(_LOOPS):
        total ^= i * i % 1009
        seen[i & 255] = total
    return total


def _numpy_work() -> float:
    numbers = (np.arange(_NUMBERS, dtype=np.int64) * 7919) % 10_007
    return float(np.sort(numbers)[::7].sum() + np.bitwise_xor.accumulate(numbers)[-1])
