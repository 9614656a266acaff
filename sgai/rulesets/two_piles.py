"""Two piles that are not independent: a move may take from both, or as the other pile says."""

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from sgai.errors import IllegalMoveError, SgaiError, quote
from sgai.parameters import check_integer, format_integers, parameter, parse_integers
from sgai.registry import register
from sgai.ruleset import Ruleset
from sgai.rulesets.golden import is_wythoff_pair, lower_wythoff, wythoff_partner

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Pair(NamedTuple):
    """Two piles, the smaller one first."""

    smaller: int
    larger: int


SMALLER, LARGER, BOTH = 0, 1, 2  # what a move of Wythoff's game takes from


class PairMove(NamedTuple):
    """Take tokens from the smaller pile, the larger one, or as many from both; of equal piles it is the larger one."""

    pile: int
    taken: int

    def __str__(self) -> str:
        return f"{self.taken} from {('the smaller', 'the larger', 'both')[self.pile]}"


def sorted_pair(piles: Any, least: int, shown: str) -> Pair:
    """Return two piles as a pair.

    Raises
    ------
    SgaiError
        If there are not two of them, or one is no integer of ``least`` or more.
    """
    wanted = f"there are two piles of {least} token{'' if least == 1 else 's'} or more, such as [3;5]"
    try:
        sizes = sorted(check_integer(pile) for pile in piles)
    except (TypeError, SgaiError):
        raise SgaiError(f"{shown}: {wanted}") from None
    if len(sizes) != 2 or sizes[0] < least:
        raise SgaiError(f"{shown}: {wanted}")
    return Pair(*sizes)


@register
class Wythoff(Ruleset[Pair, PairMove]):
    """Take any number of tokens from one of two piles, or the same number from both.

    The previous player wins exactly at the pairs (floor(k phi), floor(k phi) + k), phi the golden ratio
    (W. A. Wythoff, *A modification of the game of Nim*, Nieuw Archief voor Wiskunde 7, 1907). No such rule is known for
    the Grundy values. The queen on a board is the same game.

    Examples
    --------
    >>> game = Wythoff(piles=[1, 2])
    >>> [f"{game.format_move((1, 2), move)}: {game.format(option)}" for move, option in game.moves((1, 2))]
    ['1->0: [0;2]', '2->1: [1;1]', '2->0: [0;1]', '1+2->0+1: [0;1]']
    >>> game.proved_outcome((1, 2)), game.proved_outcome((10**30, 10**30))
    ('P', 'N')
    """

    name = "wythoff"

    piles: tuple[int, ...] = parameter(default=(4, 6), start=True, doc="the two piles at the start")

    def __post_init__(self) -> None:
        """Reject what are not two piles."""
        self.initial()

    def initial(self) -> Pair:
        """Return the piles of the parameters."""
        return sorted_pair(self.piles, 0, f"piles={quote(list(self.piles))}")

    def moves(self, position: Pair) -> Iterator[tuple[PairMove, Pair]]:
        """Yield what may be taken from the smaller pile, from the larger one, and from both; few tokens first."""
        smaller, larger = position
        if smaller < larger:
            for taken in range(1, smaller + 1):
                yield PairMove(SMALLER, taken), Pair(smaller - taken, larger)
        for taken in range(1, larger + 1):
            yield PairMove(LARGER, taken), _pair(smaller, larger - taken)
        for taken in range(1, smaller + 1):
            yield PairMove(BOTH, taken), Pair(smaller - taken, larger - taken)

    def apply(self, position: Pair, move: PairMove) -> Pair:
        """Return the option that a move leads to, without listing all others."""
        if not self._trusts("apply"):
            return super().apply(position, move)
        smaller, larger = position
        try:
            pile, taken = move
            most = (smaller if smaller < larger else 0, larger, smaller)[pile] if pile in (0, 1, 2) else 0
            legal = type(taken) is int and 1 <= taken <= most
        except (TypeError, ValueError):
            legal = False
        if not legal:
            raise self.illegal_move(position, move)
        return _pair(smaller - taken * (pile != LARGER), larger - taken * (pile != SMALLER))

    def closed_outcome(self, position: Pair) -> str:
        """Return P for Wythoff's pairs and N for all others (Wythoff 1907)."""
        return "P" if is_wythoff_pair(*position) else "N"

    def closed_winning_moves(self, position: Pair) -> list[PairMove]:
        """Return the moves to Wythoff's pairs: at most one of each kind, for every number is in one pair only."""
        smaller, larger = position
        if is_wythoff_pair(smaller, larger):
            return []
        found = []
        if smaller < larger and wythoff_partner(larger) < smaller:
            found.append(PairMove(SMALLER, smaller - wythoff_partner(larger)))
        if wythoff_partner(smaller) < larger:
            found.append(PairMove(LARGER, larger - wythoff_partner(smaller)))
        below = smaller - lower_wythoff(larger - smaller)
        if below > 0:
            found.append(PairMove(BOTH, below))
        return found

    def validate(self, position: Any) -> Pair:
        """Return two piles as a pair, the smaller one first."""
        return sorted_pair(position, 0, f"{quote(position)} is not a position of {self}")

    def format(self, position: Pair) -> str:
        """Write ``[3;5]``."""
        return format_integers(tuple(position))

    def parse(self, text: str) -> Pair:
        """Read ``[3;5]``; brackets are optional."""
        return _parsed_pair(text, 0)

    def format_move(self, position: Pair, move: PairMove) -> str:
        """Write ``5->2`` for a move in one pile, ``3+5->1+3`` for one in both."""
        pile, taken = move
        smaller, larger = position
        if pile == BOTH:
            return f"{smaller}+{larger}->{smaller - taken}+{larger - taken}"
        size = smaller if pile == SMALLER else larger
        return f"{size}->{size - taken}"

    def parse_move(self, position: Pair, text: str) -> PairMove:
        """Read ``5->2`` or ``3+5->1+3``."""
        if not self._trusts("parse_move"):
            return super().parse_move(position, text)
        match = re.fullmatch(r"([0-9]+)(\+[0-9]+)?->([0-9]+)(\+[0-9]+)?", text.replace(" ", ""), re.ASCII)
        if match is not None and len(text) < 4_000 and (match[2] is None) == (match[4] is None):
            before, left = int(match[1]), int(match[3])
            one = SMALLER if before == position[0] < position[1] else LARGER
            move = PairMove(one if match[2] is None else BOTH, before - left)
            if self._is_legal(position, move) and self.format_move(position, move) == match[0]:
                return move
        raise self.illegal_move(position, text)

    def _is_legal(self, position: Pair, move: PairMove) -> bool:
        try:
            self.apply(position, move)
        except IllegalMoveError:
            return False
        return True

    # The move alphabet: takes from the smaller pile, from the larger one, from both

    def num_moves(self) -> int:
        """Return three times the larger pile at the start."""
        return 3 * max(self.piles)

    def move_index(self, move: PairMove) -> int:
        """Return the number of a take, after those of the kinds before it."""
        most = max(self.piles)
        try:
            pile, taken = (check_integer(part) for part in move)
            known = pile in (SMALLER, LARGER, BOTH) and 1 <= taken <= most
        except (TypeError, ValueError):
            known = False
        if not known:
            raise IllegalMoveError(f"{quote(str(move))} is no move of {self}")
        return pile * most + taken - 1

    def move_from_index(self, index: int) -> PairMove:
        """Return the move with an index."""
        _check_index(self, index)
        pile, taken = divmod(index, max(self.piles))
        return PairMove(pile, taken + 1)

    def max_game_length(self) -> int:
        """Return a bound: every move takes one token at least."""
        return sum(self.piles)

    def tensor_shape(self) -> tuple[int, ...]:
        """Return two numbers."""
        return (2,)

    def encode(self, position: Pair) -> "npt.NDArray[np.float32]":
        """Return the smaller and the larger pile."""
        import numpy as np  # rules load without it

        return np.array(position, dtype=np.float32)


@register
class Euclid(Ruleset[Pair, int]):
    """Take a multiple of the smaller pile from the larger one; both keep a token at least.

    Play ends with two piles of the greatest common divisor. A. J. Cole and A. J. T. Davie invented the game in 1969
    (*A game based on the Euclidean algorithm and a winning strategy for it*, Mathematical Gazette 53), in which a pile
    may vanish; this is the form of J. W. Grossman. The Grundy value of x and y is floor(|y/x - x/y|) (G. Nivasch, *The
    Sprague-Grundy function of the game Euclid*, Discrete Mathematics 306, 2006).

    Examples
    --------
    >>> game = Euclid(piles=[3, 10])
    >>> [f"{game.format_move((3, 10), move)}: {game.format(option)}" for move, option in game.moves((3, 10))]
    ['10->7: [3;7]', '10->4: [3;4]', '10->1: [1;3]']
    >>> game.proved_grundy((3, 10)), game.proved_grundy((10**20, 3 * 10**20))
    (3, 2)
    """

    name = "euclid"

    piles: tuple[int, ...] = parameter(default=(5, 12), start=True, doc="the two piles at the start")

    def __post_init__(self) -> None:
        """Reject what are not two piles with tokens."""
        self.initial()

    def initial(self) -> Pair:
        """Return the piles of the parameters."""
        return sorted_pair(self.piles, 1, f"piles={quote(list(self.piles))}")

    def moves(self, position: Pair) -> Iterator[tuple[int, Pair]]:
        """Yield how many times the smaller pile is taken, with the piles that are left."""
        smaller, larger = position
        for times in range(1, (larger - 1) // smaller + 1):
            yield times, _pair(smaller, larger - times * smaller)

    def apply(self, position: Pair, move: int) -> Pair:
        """Return the option that a move leads to, without listing all others."""
        if not self._trusts("apply"):
            return super().apply(position, move)
        smaller, larger = position
        if type(move) is not int or not 1 <= move <= (larger - 1) // smaller:
            raise self.illegal_move(position, move)
        return _pair(smaller, larger - move * smaller)

    def closed_grundy(self, position: Pair) -> int:
        """Return floor(|y/x - x/y|) (Nivasch 2006), in integers."""
        smaller, larger = position
        return (larger - smaller) * (larger + smaller) // (larger * smaller)

    def closed_winning_moves(self, position: Pair) -> list[int]:
        """Return the moves to the value 0: what is left of the larger pile is below twice the smaller one."""
        smaller, larger = position
        most = (larger - 1) // smaller
        return [
            times
            for times in range(max(1, most - 1), most + 1)
            if Euclid.closed_grundy(self, _pair(smaller, larger - times * smaller)) == 0
        ]

    def validate(self, position: Any) -> Pair:
        """Return two piles as a pair, the smaller one first."""
        return sorted_pair(position, 1, f"{quote(position)} is not a position of {self}")

    def format(self, position: Pair) -> str:
        """Write ``[3;5]``."""
        return format_integers(tuple(position))

    def parse(self, text: str) -> Pair:
        """Read ``[3;5]``; brackets are optional."""
        return _parsed_pair(text, 1)

    def format_move(self, position: Pair, move: int) -> str:
        """Write ``10->4`` for the larger pile before and after."""
        return f"{position[1]}->{position[1] - move * position[0]}"

    # The move alphabet: once, twice, ...

    def num_moves(self) -> int:
        """Return how often the smallest pile that may come up, the greatest common divisor, fits."""
        return max(self.piles) // math.gcd(*self.piles) - 1

    def move_index(self, move: int) -> int:
        """Return 0 for taking the smaller pile once, 1 for twice, and so on."""
        try:
            index = check_integer(move) - 1
        except SgaiError:
            index = -1
        if not 0 <= index < self.num_moves():
            raise IllegalMoveError(f"{quote(str(move))} is no move of {self}")
        return index

    def move_from_index(self, index: int) -> int:
        """Return the move with an index."""
        _check_index(self, index)
        return index + 1

    def max_game_length(self) -> int:
        """Return a bound: a move takes the greatest common divisor at least, and two piles of it are left."""
        return sum(self.piles) // math.gcd(*self.piles) - 2

    def tensor_shape(self) -> tuple[int, ...]:
        """Return two numbers."""
        return (2,)

    def encode(self, position: Pair) -> "npt.NDArray[np.float32]":
        """Return the smaller and the larger pile."""
        import numpy as np  # rules load without it

        return np.array(position, dtype=np.float32)


def _pair(first: int, second: int) -> Pair:
    return Pair(first, second) if first <= second else Pair(second, first)


def _parsed_pair(text: str, least: int) -> Pair:
    try:
        piles = parse_integers(text)
    except SgaiError as error:
        raise SgaiError(f"{quote(text)} is not a position such as [3;5]: {error}") from None
    return sorted_pair(piles, least, f"{quote(text)} is not a position such as [3;5]")


def _check_index(ruleset: Ruleset[Any, Any], index: int) -> None:
    if not 0 <= index < ruleset.num_moves():
        raise ruleset.no_such_index(index)
