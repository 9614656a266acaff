"""Misere play of Nim: who takes the last token loses."""

from collections.abc import Iterable, Iterator, Sequence

from sgai.decomposition import Summand
from sgai.errors import UnsupportedError
from sgai.nimbers import nim_sum
from sgai.rulesets.subtraction import Nim
from sgai.solution import SolvedComponent


def misere_nim_is_won(heaps: Iterable[int]) -> bool:
    """Tell whether the player to move wins misere Nim.

    While a heap has two tokens or more, play as in normal Nim; with heaps of one token only, leave an odd number
    (C. L. Bouton, 1901).

    Examples
    --------
    >>> misere_nim_is_won([1]), misere_nim_is_won([1, 1]), misere_nim_is_won([1, 2, 3])
    (False, True, False)
    """
    sizes = list(heaps)
    if all(size <= 1 for size in sizes):
        return sum(sizes) % 2 == 0
    return nim_sum(sizes) != 0


def misere_nim_replies(heaps: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield (place, tokens left) for every move to a lost position, in time linear in the heaps."""
    total, large, ones = nim_sum(heaps), sum(size > 1 for size in heaps), sum(size == 1 for size in heaps)
    for place, size in enumerate(heaps):
        rest = total ^ size
        others_large = large - (size > 1)
        others_ones = ones - (size == 1)
        left = rest if others_large or rest > 1 else 1 - others_ones % 2
        if left < size:
            yield place, left


def nim_heaps(summands: Iterable[Summand | SolvedComponent]) -> list[int]:
    """Return the sizes of summands that are all heaps of Nim.

    Raises
    ------
    UnsupportedError
        If one is not: the rule is false for other games.
    """
    heaps = []
    for summand in summands:
        if type(summand.ruleset) is not Nim:  # a subclass may have other rules
            raise UnsupportedError(
                f"the rule of misere Nim is for Nim only, not for {str(summand.ruleset)!r}: it is false for other games"
            )
        heaps.append(sum(summand.position))
    return heaps
