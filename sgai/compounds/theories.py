"""The theories of compounds: what a component is worth in each, and how worths make the outcome of the whole.

The theories are J. H. Conway's (*On Numbers and Games*, chapter 14). A component has ended when it has no options.
Whoever is to move when play has ended loses under normal play, and wins under misere play.

| compound | ending | what decides |
|---|---|---|
| conjunctive | first | remoteness: the least of the components' is even (normal: P; misere: N) |
| conjunctive | last | suspense: the largest of the components' is even (normal: P; misere: N) |
| selective | last | normal: P where every component is P; misere: the same while two components or more go on |
| selective | first | normal: P where a component has ended, or every one is P; misere: P where every one is P alone |
| disjunctive | first | foreclosed Grundy values: P where their nim-sum is 0 |

Which moves win follows from the values of the options. Tests compare all of it with `sgai.compounds.reference`, which
plays the compound itself.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from sgai.kernels.compounds import ENDED, INFINITE

REMOTENESS, SUSPENSE, FORECLOSED, OUTCOME = "remoteness", "suspense", "foreclosed", "outcome"
MISERE = {kind: f"misere_{kind}" for kind in (REMOTENESS, SUSPENSE, FORECLOSED, OUTCOME)}
KINDS = (*MISERE, *MISERE.values())

Worth = Any  # of a component, or of several together: what `Theory.worth` makes of its values


class Theory(ABC):
    """How values of components decide a compound.

    Worths are joined in any order, so that the worth of what does not move is found once.

    Attributes
    ----------
    kinds : tuple of str
        The values of a component that count, of `KINDS`.
    rule : str
        What decides, in words.
    nothing : Worth
        The worth of no component: what `join` leaves alone.
    """

    nothing: ClassVar[Worth]

    def __init__(self, play: str) -> None:
        self.play = play
        self.is_misere = play == "misere"
        self.kinds = self._kinds()
        self.rule = self._rule()

    @abstractmethod
    def _kinds(self) -> tuple[str, ...]: ...

    @abstractmethod
    def _rule(self) -> str: ...

    @abstractmethod
    def worth(self, values: tuple[int, ...], has_ended: bool) -> Worth:
        """Return what a component counts for, from its values of `kinds`."""

    @abstractmethod
    def join(self, one: Worth, other: Worth) -> Worth:
        """Return what components with these worths count for together."""

    @abstractmethod
    def is_lost(self, worth: Worth) -> bool:
        """Tell whether the player to move loses a compound of that worth."""

    def _kind(self, kind: str) -> str:
        return MISERE[kind] if self.is_misere else kind


class Remoteness(Theory):
    """Conjunctive, ending with the first: the winner hurries, the loser delays; the quickest component decides."""

    nothing = 1 << 62

    def _kinds(self) -> tuple[str, ...]:
        return (self._kind(REMOTENESS),)

    def _rule(self) -> str:
        return f"the least {named(self.kinds[0])} decides: P where it is {'odd' if self.is_misere else 'even'}"

    def worth(self, values: tuple[int, ...], has_ended: bool) -> int:  # noqa: ARG002 - it is 0 where it has
        """Return the remoteness."""
        return values[0]

    def join(self, one: int, other: int) -> int:
        """Return the lesser."""
        return min(one, other)

    def is_lost(self, worth: int) -> bool:
        """Tell whether it has the parity of lost positions."""
        return worth % 2 == self.is_misere


class Suspense(Remoteness):
    """Conjunctive, ending with the last: the winner delays, the loser hurries; the slowest component decides."""

    nothing = 0

    def _kinds(self) -> tuple[str, ...]:
        return (self._kind(SUSPENSE),)

    def _rule(self) -> str:
        return f"the largest {named(self.kinds[0])} decides: P where it is {'odd' if self.is_misere else 'even'}"

    def join(self, one: int, other: int) -> int:
        """Return the greater."""
        return max(one, other)


class SelectiveLast(Theory):
    """Selective, ending with the last: make every component P.

    Under misere play the same holds while two components or more have not ended: who would leave but one of them may
    choose to move in it or not, since he moves elsewhere, and so leaves it lost. One component alone is played out
    by itself.
    """

    nothing = (0, True, 0)  # components that go on, 2 for more; whether all are P; the misere outcome where it is one

    def _kinds(self) -> tuple[str, ...]:
        return (OUTCOME, MISERE[OUTCOME]) if self.is_misere else (OUTCOME,)

    def _rule(self) -> str:
        if not self.is_misere:
            return "P where every component is P"
        return "P where every component is P, while two or more go on; one that goes on alone decides by itself"

    def worth(self, values: tuple[int, ...], has_ended: bool) -> tuple[int, bool, int]:
        """Return how many go on, whether all are P, and the misere outcome."""
        return (0, True, 0) if has_ended else (1, not values[0], values[-1] if self.is_misere else 0)

    def join(self, one: tuple[int, bool, int], other: tuple[int, bool, int]) -> tuple[int, bool, int]:
        """Count, and see whether all are P."""
        count = min(2, one[0] + other[0])
        return count, one[1] and other[1], one[2] or other[2] if count == 1 else 0

    def is_lost(self, worth: tuple[int, bool, int]) -> bool:
        """Tell whether all are P; under misere play none is left that wins, and one alone decides."""
        count, all_lost, misere = worth
        if self.is_misere and count < 2:
            return count == 1 and not misere
        return all_lost


class SelectiveFirst(Theory):
    """Selective, ending with the first: make every component P, which includes ending one in normal play."""

    nothing = (False, True)  # whether play has ended; whether all are P

    def _kinds(self) -> tuple[str, ...]:
        return (self._kind(OUTCOME),)

    def _rule(self) -> str:
        if self.is_misere:
            return "P where every component is P by itself under misere play"
        return "P where a component has ended, or every one is P"

    def worth(self, values: tuple[int, ...], has_ended: bool) -> tuple[bool, bool]:
        """Return whether it has ended, and whether it is P."""
        return has_ended, not values[0]

    def join(self, one: tuple[bool, bool], other: tuple[bool, bool]) -> tuple[bool, bool]:
        """See whether one has ended and whether all are P."""
        return one[0] or other[0], one[1] and other[1]

    def is_lost(self, worth: tuple[bool, bool]) -> bool:
        """Tell whether play has ended or all are P; under misere play what has ended is won."""
        return worth[1] if self.is_misere else worth[0] or worth[1]


class Foreclosed(Theory):
    """Disjunctive, ending with the first.

    Under normal play a component with an option that has ended is won at once, so no one may leave one; under misere
    play nobody ends a component as long as there is another move. Else Grundy values count, of the options that may
    be left.
    """

    nothing = (False, False, 0)  # whether play has ended, whether it can be ended at once, the nim-sum of the others

    def _kinds(self) -> tuple[str, ...]:
        return (self._kind(FORECLOSED),)

    def _rule(self) -> str:
        if self.is_misere:
            return "P where no component has ended and the nim-sum of the misere foreclosed values is 0"
        return "P where a component has ended, or none is infinite and the nim-sum of the foreclosed values is 0"

    def worth(self, values: tuple[int, ...], has_ended: bool) -> tuple[bool, bool, int]:
        """Return whether it has ended, whether it can be ended, and its number."""
        return has_ended, values[0] == INFINITE, max(0, values[0])

    def join(self, one: tuple[bool, bool, int], other: tuple[bool, bool, int]) -> tuple[bool, bool, int]:
        """Return the nim-sum, and what any of them can do."""
        return one[0] or other[0], one[1] or other[1], one[2] ^ other[2]

    def is_lost(self, worth: tuple[bool, bool, int]) -> bool:
        """Tell whether the nim-sum is 0, where that decides."""
        has_ended, can_end, number = worth
        if has_ended:
            return not self.is_misere
        return not can_end and number == 0


_THEORIES: dict[tuple[str, str], type[Theory]] = {
    ("conjunctive", "first"): Remoteness,
    ("conjunctive", "last"): Suspense,
    ("selective", "last"): SelectiveLast,
    ("selective", "first"): SelectiveFirst,
    ("disjunctive", "first"): Foreclosed,
}


def theory_of(compound: str, ending: str, play: str) -> Theory:
    """Return the theory of a compound other than the disjunctive one that ends with its last component.

    Examples
    --------
    >>> theory_of("conjunctive", "first", "normal").rule
    'the least remoteness decides: P where it is even'
    """
    return _THEORIES[compound, ending](play)


def named(kind: str) -> str:
    """Return the name of a kind of value in words.

    Examples
    --------
    >>> named("misere_foreclosed"), named("suspense")
    ('misere foreclosed value', 'suspense')
    """
    return kind.replace("_", " ") + (" value" if kind.endswith(FORECLOSED) else "")


def shown(kind: str, value: int) -> int | str:
    """Return a value as people read it: a number, "ended", "infinite", or the outcome N or P.

    Examples
    --------
    >>> shown("outcome", 1), shown("remoteness", 3), shown("foreclosed", -2)
    ('N', 3, 'infinite')
    """
    if kind.endswith(OUTCOME):
        return "N" if value else "P"
    return {ENDED: "ended", INFINITE: "infinite"}.get(value, value) if kind.endswith(FORECLOSED) else value
