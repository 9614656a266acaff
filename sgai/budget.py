"""How much a search may spend."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from sgai.errors import NotSolvedError, SgaiError

DEFAULT_STATES = 2_000_000  # about 600 bytes each, where a state is a small tuple

DEFAULT_MISERE_STATES = 100_000  # under misere play a state takes much longer, and more room


class OutOfBudget(NotSolvedError):
    """Raised by a solver when states or time run out; `Solver.solve` makes an answer of it."""

    def __init__(self) -> None:
        super().__init__("not solved: the budget of states or seconds ended")


@dataclass
class Budget:
    """A number of states and of seconds, counted down as a search goes.

    Parameters
    ----------
    states : int
        The most states to evaluate.
    seconds : float or None
        The most seconds to take, from now on; None for no limit.
    watch : callable, optional
        Called with the budget now and then, to show progress.

    Attributes
    ----------
    spent : int
        States evaluated so far.
    hits : int
        Components whose values were there when they were asked for.
    """

    states: int = DEFAULT_STATES
    seconds: float | None = None
    watch: Callable[["Budget"], None] | None = None
    spent: int = 0
    hits: int = 0
    started: float = field(default_factory=lambda: time.perf_counter())  # the clock may be another one in tests

    def __post_init__(self) -> None:
        """Reject budgets that cannot be kept."""
        if isinstance(self.states, bool) or not isinstance(self.states, int) or self.states < 1:
            raise SgaiError(f"states={self.states!r}: a budget is 1 state or more")
        if self.seconds is not None and not (
            isinstance(self.seconds, int | float) and not isinstance(self.seconds, bool) and self.seconds > 0
        ):
            raise SgaiError(f"seconds={self.seconds!r}: a budget is a number of seconds above 0")

    def elapsed(self) -> float:
        """Return the seconds since the start."""
        return time.perf_counter() - self.started

    def is_late(self) -> bool:
        """Tell whether the seconds are over."""
        return self.seconds is not None and self.elapsed() > self.seconds

    def seconds_left(self) -> float | None:
        """Return the seconds left, below 0 when they are over, or None where there is no limit."""
        return None if self.seconds is None else self.seconds - self.elapsed()

    def left(self) -> float | None:
        """Return the seconds left, or None where there is no limit; unlike `check_clock` it tells no watcher.

        Raises
        ------
        OutOfBudget
            If none are left.
        """
        left = self.seconds_left()
        if left is not None and left <= 0:
            raise OutOfBudget
        return left

    def share(self, part: float) -> "Budget":
        """Return a budget of a part of what is left, 0 to 1, but of one state and some time at least.

        What it spends is charged with `charge`.

        Examples
        --------
        >>> Budget(1000).share(0.25).states
        250
        """
        states = max(1, int(part * (self.states - self.spent)))
        left = self.seconds_left()
        return Budget(states, None if left is None else max(1e-6, part * left), self.watch)

    def charge(self, other: "Budget") -> None:
        """Count what another budget has spent; it may be more than is left."""
        self.spent += other.spent
        self.hits += other.hits

    def is_over(self) -> bool:
        """Tell whether nothing is left."""
        return self.spent >= self.states or self.is_late()

    def spend(self, states: int = 1) -> None:
        """Count states; raise `OutOfBudget` where one of the limits is passed. The clock is read now and then."""
        before = self.spent
        if before + states > self.states:
            raise OutOfBudget
        self.spent = before + states
        if (self.seconds is not None or self.watch is not None) and before >> 8 != self.spent >> 8:
            self.check_clock()

    def check_clock(self) -> None:
        """Raise `OutOfBudget` where time is up; let the watcher see how far it is."""
        if self.watch is not None:
            self.watch(self)
        if self.is_late():
            raise OutOfBudget
