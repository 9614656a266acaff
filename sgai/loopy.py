"""Loopy values: what a component is worth where play may go on for ever, and how sums of them add up."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sgai.conventions import COMPOUNDS, ENDINGS, PLAYS
from sgai.errors import UnsupportedError, shortened
from sgai.parameters import check_choice
from sgai.ruleset import Ruleset

_MOST_LOOKED_AT = 2_000  # positions looked through for one without moves, to say more in an error


@dataclass(frozen=True)
class LoopyValue:
    """The generalised Grundy value of a position of a game that may be loopy.

    It is a number, and then the position is worth a nim-heap in every sum; or it is infinity with a set K: the values
    of those options that have finite ones. Infinity beside a sum of value x is won by the player to move, if x is in K,
    by a move to an option of value x. Else it is drawn, and so is a sum with two infinities or more (C. A. B. Smith,
    *Graphs and composite games*, Journal of Combinatorial Theory 1, 1966; A. S. Fraenkel and Y. Perl, *Constructions in
    combinatorial games with cycles*, 1975; *Winning Ways*, chapter 12).

    Attributes
    ----------
    finite : int or None
        The number, None for infinity.
    options : frozenset of int
        K; empty for numbers.

    Examples
    --------
    >>> one, either = LoopyValue(1), LoopyValue.infinite([0, 2])
    >>> str(one), str(either), str(one + either), str(either + either)
    ('1', 'inf(0;2)', 'inf(1;3)', 'inf()')
    >>> one.outcome, either.outcome, (one + either).outcome, (one + one).outcome
    ('N', 'N', 'D', 'P')
    """

    finite: int | None
    options: frozenset[int] = frozenset()

    @classmethod
    def infinite(cls, options: Iterable[int] = ()) -> "LoopyValue":
        """Return infinity with a set of values of options."""
        return cls(None, frozenset(options))

    @property
    def outcome(self) -> str:
        """Who wins: "N" the next player, "P" the previous one, "D" nobody."""
        if self.finite is None:
            return "N" if 0 in self.options else "D"
        return "N" if self.finite else "P"

    def __add__(self, other: "LoopyValue") -> "LoopyValue":
        """Return the value of the disjunctive sum."""
        if self.finite is None and other.finite is None:
            return LoopyValue(None)  # a move leaves one infinity at least
        if self.finite is not None and other.finite is not None:
            return LoopyValue(self.finite ^ other.finite)
        number, infinity = (other.finite, self) if self.finite is None else (self.finite, other)
        assert number is not None
        return LoopyValue(None, frozenset([number ^ each for each in infinity.options]) if number else infinity.options)

    def __str__(self) -> str:
        if self.finite is not None:
            return str(self.finite)
        return f"inf({';'.join(map(str, sorted(self.options)))})"

    def in_words(self) -> str:
        """Return the value in words.

        Examples
        --------
        >>> LoopyValue.infinite([2, 0]).in_words(), LoopyValue.infinite().in_words(), LoopyValue(3).in_words()
        ('infinity with 0, 2', 'infinity with no finite option', '3')
        """
        if self.finite is not None:
            return str(self.finite)
        return f"infinity with {', '.join(map(str, sorted(self.options))) or 'no finite option'}"


ZERO = LoopyValue(0)


def loopy_sum(values: Iterable[LoopyValue]) -> LoopyValue:
    """Return the value of the disjunctive sum of positions with these values.

    Examples
    --------
    >>> str(loopy_sum([LoopyValue(5), LoopyValue(1), LoopyValue.infinite([4])]))
    'inf(0)'
    """
    total = ZERO
    for value in values:
        total += value
    return total


def check_loopy_convention(ruleset: Ruleset[Any, Any], play: str, compound: str, ending: str) -> None:
    """Refuse what there is no theory of: loopy games in other conventions than normal play of disjunctive sums.

    Raises
    ------
    SgaiError
        For an unknown name.
    UnsupportedError
        For a known one other than normal, disjunctive and last.
    """
    for what, given, known in (("play", play, PLAYS), ("compound", compound, COMPOUNDS), ("ending", ending, ENDINGS)):
        check_choice(what, given, known)
    name = shortened(str(ruleset))
    if play == "misere" and _never_ends(ruleset):
        raise UnsupportedError(
            f"{name}: every position that play can reach has a move, so nobody ever moves last and play='misere' says "
            "nothing"
        )
    for what, given, built in (
        ("play", play, "normal"),
        ("compound", compound, "disjunctive"),
        ("ending", ending, "last"),
    ):
        if given != built:
            raise UnsupportedError(
                f"{name} is declared loopy: loopy values are for normal play of disjunctive sums, and no theory here "
                f"covers {what}={given!r}"
            )


def _never_ends(ruleset: Ruleset[Any, Any]) -> bool:
    """Tell whether a walk through few positions shows that none of them is without moves."""
    start = ruleset.initial()
    known, reached = {start}, [start]
    for position in reached:  # grows as it goes
        options = ruleset.options(position)
        if not options or len(reached) > _MOST_LOOKED_AT:
            return False
        for option in options:
            if option not in known:
                known.add(option)
                reached.append(option)
    return True
