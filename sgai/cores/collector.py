"""Keeping Python's garbage collector out of decisions that have a deadline."""

import contextlib
import gc
from collections.abc import Iterator

from sgai.budget import Budget

_LONGEST = 10.0  # seconds; over a longer time, rules that make garbage could fill the memory


@contextlib.contextmanager
def paused_collector(budget: Budget) -> Iterator[None]:
    """Let no collection of garbage begin meanwhile, if the budget's time is short.

    Beside a large tree one can take 100 ms. What waits is collected soon after; who has a deadline for more than the
    search should put this around all of it.

    Examples
    --------
    >>> with paused_collector(Budget(seconds=0.05)):
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    if budget.seconds is None or budget.seconds > _LONGEST or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
