"""Coins that slide to the left on a strip of squares: Nimble, and the silver dollar game without the dollar."""

import math
from abc import abstractmethod
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from sgai.errors import IllegalMoveError, SgaiError, quote
from sgai.nimbers import nim_sum
from sgai.parameters import check_integer, format_integers, parameter, parse_integers
from sgai.registry import register
from sgai.ruleset import Component, Ruleset
from sgai.rulesets.heaps import HeapMove
from sgai.rulesets.staircase import winning_steps
from sgai.rulesets.subtraction import Nim

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Coins = tuple[int, ...]  # the squares on which coins stand, sorted; the leftmost square is 0

_NIM = Nim().rules()
_LONGEST_TENSOR = 10_000_000


class Slide(NamedTuple):
    """Slide a coin from one square to another; coins on one square are alike."""

    start: int
    target: int

    def __str__(self) -> str:
        return f"{self.start}->{self.target}"


class CoinsOnStrip(Ruleset[Coins, Slide]):
    """A game of coins on a strip, given by how far a coin may slide to the left.

    A position is the sorted tuple of the squares that coins stand on.
    """

    rule_methods: ClassVar[tuple[str, ...]] = ("moves", "barrier")

    coins: tuple[int, ...] = parameter(default=(1, 4, 6), start=True, doc="the squares of the coins at the start")

    def __post_init__(self) -> None:
        """Reject starts that are no position."""
        try:
            self.initial()
        except SgaiError as error:
            raise SgaiError(f"coins={quote(list(self.coins))}: {error}") from None

    @abstractmethod
    def barrier(self, position: Coins, place: int) -> int:
        """Return the leftmost square that coin number ``place`` of the position may slide to."""

    def initial(self) -> Coins:
        """Return the coins of the parameters, sorted."""
        return self.validate(self.coins)

    def moves(self, position: Coins) -> Iterator[tuple[Slide, Coins]]:
        """Yield the slides of each coin, the leftmost coin and the shortest slide first."""
        for place, start in enumerate(position):
            if place and start == position[place - 1]:
                continue
            for target in range(start - 1, self.barrier(position, place) - 1, -1):
                yield Slide(start, target), self._slid(position, start, target)

    def apply(self, position: Coins, move: Slide) -> Coins:
        """Return the option that a slide leads to, or raise `IllegalMoveError`."""
        if type(self).moves is not CoinsOnStrip.moves:  # a subclass has other moves
            return super().apply(position, move)
        try:
            start, target = map(check_integer, move)
            legal = start in position and self.barrier(position, position.index(start)) <= target < start
        except (TypeError, ValueError):
            legal = False
        if not legal:
            raise self.illegal_move(position, move)
        return self._slid(position, start, target)

    def validate(self, position: Any) -> Coins:
        """Return any list of squares as a position: sorted."""
        try:
            squares = sorted(map(check_integer, position))
        except (TypeError, SgaiError):
            raise SgaiError(f"{quote(position)} is not a list of squares such as (1, 4, 6)") from None
        if squares and squares[0] < 0:
            raise SgaiError(f"{squares[0]} is no square: the leftmost one is 0")
        return tuple(squares)

    def format(self, position: Coins) -> str:
        """Write ``[1;4;6]``, the squares of the coins."""
        return format_integers(position)

    def parse(self, text: str) -> Coins:
        """Read ``[1;4;6]``; brackets are optional."""
        try:
            return self.validate(parse_integers(text))
        except SgaiError as error:
            raise SgaiError(f"{quote(text)} is not a position such as [1;4;6]: {error}") from None

    def format_move(self, position: Coins, move: Slide) -> str:  # noqa: ARG002
        """Write ``6->2``."""
        return str(Slide(*move))

    # The move alphabet: pairs of squares, the target before the start

    def num_moves(self) -> int:
        """Return the number of pairs of squares up to the coin that starts furthest to the right."""
        return math.comb(max(self.coins, default=0) + 1, 2)

    def move_index(self, move: Slide) -> int:
        """Return the number of the pair, by the square that the coin leaves and then by its target."""
        try:
            start, target = map(check_integer, move)
            known = 0 <= target < start <= max(self.coins, default=0)
        except (TypeError, ValueError):
            known = False
        if not known:
            raise IllegalMoveError(f"{quote(str(move))} is no move of {self}")
        return math.comb(start, 2) + target

    def move_from_index(self, index: int) -> Slide:
        """Return the slide with a number."""
        if not 0 <= index < self.num_moves():
            raise self.no_such_index(index)
        start = (1 + math.isqrt(1 + 8 * index)) // 2
        return Slide(start, index - math.comb(start, 2))

    def max_game_length(self) -> int:
        """Return the sum of the squares: every slide lowers it."""
        return sum(self.coins)

    def tensor_shape(self) -> tuple[int, ...]:
        """Return the number of squares up to the coin that starts furthest to the right."""
        squares = max(self.coins, default=0) + 1
        if squares > _LONGEST_TENSOR:
            raise SgaiError(f"a strip of {squares:,} squares is too long for a tensor; choose one up to 10,000,000")
        return (squares,)

    def encode(self, position: Coins) -> "npt.NDArray[np.float32]":
        """Return the number of coins on each square."""
        import numpy as np  # rules load without it

        tensor = np.zeros(self.tensor_shape(), dtype=np.float32)
        if position and position[-1] >= len(tensor):
            raise SgaiError(f"square {position[-1]} is beyond square {len(tensor) - 1}, up to which coins start")
        for square in position:
            tensor[square] += 1.0
        return tensor

    def _slid(self, position: Coins, start: int, target: int) -> Coins:
        place = position.index(start)
        return tuple(sorted((*position[:place], target, *position[place + 1 :])))


@register
class Nimble(CoinsOnStrip):
    """Slide a coin any distance to the left; coins may pass each other and stand on one square.

    A coin on square n is a Nim heap of n (T. S. Ferguson, *Game Theory*, part I, section 2), so the value is the
    nim-sum of the squares.

    Examples
    --------
    >>> game = Nimble(coins=[0, 2, 2])
    >>> [game.format(option) for option in game.options(game.initial())]
    ['[0;1;2]', '[0;0;2]']
    >>> game.proved_grundy((3, 5, 7))
    1
    """

    name = "nimble"

    coins: tuple[int, ...] = parameter(default=(3, 4, 5), start=True, doc="the squares of the coins at the start")

    def barrier(self, position: Coins, place: int) -> int:  # noqa: ARG002
        """Return the end of the strip."""
        return 0

    def components(self, position: Coins) -> tuple[Component, ...]:
        """Return a Nim heap for every coin that can still slide."""
        if not self._trusts("components"):  # a subclass has other rules
            return (Component(self, position),)
        return tuple([Component(_NIM, (square,), True) for square in position if square])

    def lift_move(self, position: Coins, index: int, move: HeapMove) -> Slide:  # noqa: ARG002
        """Return the slide to the square that is the size of what is left of the heap."""
        return Slide(move.heap, sum(move.result))

    def canonical(self, position: Coins) -> Coins:
        """Leave out the coins on square 0, which never slide."""
        return tuple(square for square in position if square)

    def closed_grundy(self, position: Coins) -> int:
        """Return the nim-sum of the squares."""
        return nim_sum(position)


@register
class SilverDollar(CoinsOnStrip):
    """Slide a coin to the left, but not onto or past another one: the silver dollar game without the dollar.

    The gap to the left of a coin is a step of staircase Nim: a slide takes squares from it and gives them to the gap to
    the right of the coin, if there is another coin. So the value is the nim-sum of every other gap, that of the
    rightmost coin among them (J. H. Conway, *On Numbers and Games*, chapter 11; see `StaircaseNim` too).

    Examples
    --------
    >>> game = SilverDollar(coins=[0, 1, 3])
    >>> [game.format(option) for option in game.options(game.initial())]
    ['[0;1;2]']
    >>> game.proved_grundy((2, 4, 7))
    0
    """

    name = "silver_dollar"

    coins: tuple[int, ...] = parameter(default=(1, 4, 6, 10), start=True, doc="the squares of the coins at the start")

    def barrier(self, position: Coins, place: int) -> int:
        """Return the square to the right of the next coin."""
        return position[place - 1] + 1 if place else 0

    def gaps(self, position: Coins) -> Coins:
        """Return how many empty squares are to the left of each coin, up to the next one; the rightmost coin first.

        Examples
        --------
        >>> SilverDollar().gaps((2, 4, 7))
        (2, 1, 2)
        """
        return tuple(square - self.barrier(position, place) for place, square in enumerate(position))[::-1]

    def canonical(self, position: Coins) -> Coins:
        """Leave out the coins that are stuck at the left end: the rest plays as on a strip without their squares."""
        stuck = 0
        while stuck < len(position) and position[stuck] == stuck:
            stuck += 1
        return tuple(square - stuck for square in position[stuck:])

    def closed_grundy(self, position: Coins) -> int:
        """Return the nim-sum of the gaps of the first, third, fifth, ... coin from the right."""
        return nim_sum(self.gaps(position)[::2])

    def closed_winning_moves(self, position: Coins) -> list[Slide]:
        """Return the slides that make the nim-sum 0: one at most of each coin."""
        return [
            Slide(position[-coin], position[-coin] - squares) for coin, squares in winning_steps(self.gaps(position))
        ]

    def validate(self, position: Any) -> Coins:
        """Reject two coins on a square."""
        squares = super().validate(position)
        for left, right in pairwise(squares):
            if left == right:
                raise SgaiError(f"two coins are on square {left}; there is at most one on a square")
        return squares

    def max_game_length(self) -> int:
        """Return how far the coins slide in all: in the end they stand on the squares 0, 1, 2, ..."""
        return sum(self.coins) - math.comb(len(self.coins), 2)
