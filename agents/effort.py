"""How much an agent may spend on one decision."""

from dataclasses import dataclass

from sgai.budget import Budget
from sgai.errors import SgaiError

DEFAULT_SECONDS = 0.05
_UNLIMITED = 1 << 62
_KEPT_BACK, _KEPT_SECONDS, _MOST_KEPT = 0.02, 0.003, 0.06  # to put the answer together in: parts of the time, seconds


@dataclass(frozen=True)
class Effort:
    """A time, or a number of states, nodes or simulations, for each decision.

    Attributes
    ----------
    seconds : float or None
        None for no limit.
    states : int
        States, nodes and simulations together.
    """

    seconds: float | None
    states: int

    @classmethod
    def of(cls, seconds: float | None, **counts: int | None) -> "Effort":
        """Return the one budget that is given, the default time if none is.

        Raises
        ------
        SgaiError
            If more than one is given, or one that cannot be kept.

        Examples
        --------
        >>> Effort.of(None, nodes=None), Effort.of(None, nodes=300).seconds
        (Effort(seconds=0.05, states=4611686018427387904), None)
        """
        given = {name: count for name, count in counts.items() if count is not None}
        if len(given) + (seconds is not None) > 1:
            raise SgaiError(f"give one budget: seconds, {' or '.join(counts)}")
        for name, count in given.items():
            if isinstance(count, bool) or not isinstance(count, int) or count < 1:
                raise SgaiError(f"{name}={count!r}: a budget is a number of 1 or more")
        if not given:
            seconds = DEFAULT_SECONDS if seconds is None else seconds
        Budget(seconds=seconds)  # rejects what cannot be kept
        return cls(seconds, next(iter(given.values()), _UNLIMITED))

    def begin(self) -> Budget:
        """Return the budget of a decision that begins now; a little is kept back to put the answer together in."""
        if self.seconds is None:
            return Budget(self.states)
        kept = max(_KEPT_BACK * self.seconds, min(_KEPT_SECONDS, _MOST_KEPT * self.seconds))
        return Budget(self.states, self.seconds - kept)
