"""Tame games: those that behave like heaps of Nim in any company of tame games."""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from sgai.nimbers import mex, nim_sum


class Tame(NamedTuple):
    """What a tame game is worth: its Grundy values of normal and of misere play.

    A tame game is *fickle* with values (0, 1) or (1, 0), like a heap of Nim of at most one token; else it is *firm*
    with two equal values, like a larger heap, or like 2 + 2 and 2 + 3, whose values are 0 and 1.

    Examples
    --------
    >>> Tame(0, 1).is_firm, Tame(0, 0).is_firm
    (False, True)
    """

    grundy: int
    misere: int

    @property
    def is_firm(self) -> bool:
        """Tell whether the two values are equal."""
        return self.grundy == self.misere


NOTHING = Tame(0, 1)
STAR = Tame(1, 0)


def tame_sum(parts: Iterable[Tame]) -> Tame:
    """Return what a sum of tame games is worth; sums of tame games are tame.

    Examples
    --------
    >>> tame_sum([Tame(1, 0), Tame(1, 0)]), tame_sum([Tame(2, 2), Tame(2, 2)])
    (Tame(grundy=0, misere=1), Tame(grundy=0, misere=0))
    """
    listed = list(parts)
    total = nim_sum(part.grundy for part in listed)
    return Tame(total, total if any(part.is_firm for part in listed) else 1 - total)


def tame_sum_is_won(parts: Iterable[Tame]) -> bool:
    """Tell whether the player to move wins a sum of tame games under misere play: the fickle-firm rule.

    If some game is firm, the sum is won if and only if the nim-sum of the Grundy values is not 0; if all are fickle, if
    and only if it is 0 (Conway, *On Numbers and Games*, chapter 12; *Winning Ways*, chapter 13).

    Examples
    --------
    >>> tame_sum_is_won([Tame(0, 0)]), tame_sum_is_won([Tame(0, 1)])
    (False, True)
    """
    return tame_sum(parts).misere != 0


def tame_mex(options: Iterable[Tame]) -> Tame | None:
    """Return what a game with tame options is worth, or None if it is not tame; without options it is nothing at all.

    Notes
    -----
    The claim is that a sum of games that this finds tame, each worth (g, m), is lost if and only if `tame_sum` of them
    has the misere value 0. Proof by induction on the length of play. No option of a game has its g, none its m, and
    all smaller numbers occur. Let the sum be lost by the claim, and a component be moved. If some other component is
    firm, the nim-sum of the g becomes other than 0. If all others are fickle with nim-sum e, then m = e for the
    component, and the option's m is another one. Now let the sum be won by the claim. If two components are firm, some
    move makes the nim-sum of the g 0 as in Nim, and one firm component is left. Else there is a component, firm or
    not, beside fickle ones with nim-sum e, and m is not e. If m > e, it has an option with m = e. If m < e, then
    m = 0 and e = 1; a fickle component of value (1, 0) has an option with g = 0 and none with m = 0, so one of
    (0, 1), and that move wins.

    Examples
    --------
    >>> tame_mex([Tame(0, 1), Tame(1, 0)]), tame_mex([Tame(2, 2)])
    (Tame(grundy=2, misere=2), Tame(grundy=0, misere=0))
    >>> tame_mex([Tame(0, 0)]) is None  # Grundy value 1 and misere Grundy value 1: firm
    False
    >>> tame_mex([Tame(1, 0), Tame(2, 2)]) is None  # 0 and 1: fickle
    False
    >>> tame_mex([Tame(0, 0), Tame(1, 1), Tame(1, 0)]) is None
    False
    >>> tame_mex([Tame(0, 1), Tame(0, 0)]) is None
    True
    """
    listed = set(options)
    if not listed:
        return NOTHING
    found = Tame(mex({option.grundy for option in listed}), mex({option.misere for option in listed}))
    return found if found.is_firm or found in (NOTHING, STAR) else None


class Game(Protocol):
    """A game that knows whether it is proved tame, and its options, each as a sum of games."""

    @property
    def tame(self) -> Tame | None:
        """What the game is worth if it is proved tame, else None."""

    @property
    def sums(self) -> Iterable[tuple["Game", ...]]:
        """The options."""


def worth(parts: Iterable[Game]) -> Tame | None:
    """Return what a sum is worth if all of its parts are proved tame, else None."""
    values = []
    for part in parts:
        if part.tame is None:
            return None
        values.append(part.tame)
    return tame_sum(values)


def tame_value(sums: Iterable[tuple[Game, ...]]) -> Tame | None:
    """Return what a game with these options is worth, each a sum, if it is proved tame.

    A game is tame if its tame options make it so, as `tame_mex` says, and every other option can be answered by a move
    to a tame sum that is worth the same. The proof there holds with that: who has won by the claim moves to a tame
    option, and who has lost and moves to another one is answered by what is worth the same. With no tame option at
    all the game is worth (0, 0), for the proof never needs a move in a game that is worth that.
    """
    tame, wild = [], []
    for parts in sums:
        value = worth(parts)
        if value is None:
            wild.append(parts)
        else:
            tame.append(value)
    found = Tame(0, 0) if wild and not tame else tame_mex(tame)
    if found is not None and all(_can_become(parts, found) for parts in wild):
        return found
    return None


def _can_become(parts: tuple[Game, ...], wanted: Tame) -> bool:
    for place, part in enumerate(parts):
        rest = worth((*parts[:place], *parts[place + 1 :]))
        if rest is None:
            continue
        for option in part.sums:
            value = worth(option)
            if value is not None and tame_sum((rest, value)) == wanted:
                return True
    return False
