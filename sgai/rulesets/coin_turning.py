"""Coin-turning games: a row of coins, of which a move turns some, the rightmost of them from heads to tails."""

import re
from abc import abstractmethod
from collections.abc import Iterator
from itertools import accumulate
from operator import xor
from typing import TYPE_CHECKING, Any, ClassVar

from sgai.errors import IllegalMoveError, SgaiError, quote
from sgai.nimbers import mex, nim_sum
from sgai.parameters import check_integer, parameter
from sgai.registry import register
from sgai.ruleset import Ruleset, owner
from sgai.syntax import unbracket

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def read_coins(text: str) -> int:
    """Read a row of coins, ``H`` for heads and ``T`` for tails: bit n - 1 is coin n from the left.

    Examples
    --------
    >>> read_coins("HTTH")
    9
    """
    row = unbracket(text)
    wrong = re.search(r"[^HT]", row)
    if wrong is not None or not row:
        what = "there is none" if wrong is None else f"{wrong[0]!r} is no coin"
        raise SgaiError(f"{quote(text)} is not a row of coins such as HTTH: {what}; write H for heads, T for tails")
    return int(row[::-1].replace("H", "1").replace("T", "0"), 2)


class CoinTurning(Ruleset[int, int]):
    """A coin-turning game on a row, given by which coins may be turned together.

    Which coins may be turned depends only on the rightmost of them, which goes from heads to tails; the others may be
    turned either way. A position is the set of heads as a mask, bit n - 1 for coin n from the left; a move is the mask
    of the coins that it turns.

    By the theorem on coin-turning games (*Winning Ways*, chapter 14; T. S. Ferguson, *Game Theory*, part I, section 5)
    the Grundy value is the nim-sum of the values of the heads, each alone in the row: turning tails to heads adds a
    summand, and where a coin is turned back, two equal summands vanish. Heads are no components of the position,
    though, since no move in a sum makes a summand vanish that it was not made in.
    """

    rule_methods: ClassVar[tuple[str, ...]] = ("moves",)  # the closed form reads `turning_sets` itself
    largest_alphabet: ClassVar[int] = 1_000_000  # moves that `num_moves` is willing to list

    coins: str = parameter(default="HTHHT", start=True, doc="the row at the start: H for heads, T for tails")

    def __post_init__(self) -> None:
        """Reject what is no row of coins."""
        try:
            read_coins(self.coins)
        except SgaiError as error:
            raise SgaiError(f"coins={self.coins}: {error}") from None

    @abstractmethod
    def turning_sets(self, last: int) -> Iterator[int]:
        """Yield the sets of coins whose rightmost is coin ``last`` (from 1) that may be turned: masks, each once."""

    def closed_head(self, last: int) -> int | None:  # noqa: ARG002 - for games that have one
        """Return the Grundy value of one head in place ``last`` by a proved formula, or None where there is none."""
        return None

    def head_value(self, last: int) -> int:
        """Return the Grundy value of one head in place ``last`` (from 1), all other coins showing tails.

        Where `closed_head` was written for these rules it is taken, else the mex over all turning sets.

        Examples
        --------
        >>> [Ruler().head_value(place) for place in range(1, 9)]
        [1, 2, 1, 4, 1, 2, 1, 8]
        """
        value = self.closed_head(last) if self._is_for_these_sets("closed_head") else None
        if value is None:
            kept: list[int] = self.__dict__.setdefault("_head_values", [])
            while len(kept) < last:
                place = len(kept) + 1
                others = (turned ^ (1 << (place - 1)) for turned in self._checked_sets(place))
                kept.append(mex(nim_sum(kept[each - 1] for each in _heads(rest)) for rest in others))
            value = kept[last - 1]
        return value

    def initial(self) -> int:
        """Return the row of the parameters."""
        return read_coins(self.coins)

    def moves(self, position: int) -> Iterator[tuple[int, int]]:
        """Yield the turning sets of every head, the leftmost head first."""
        for last in _heads(position):
            for turned in self._checked_sets(last):
                yield turned, position ^ turned

    def apply(self, position: int, move: int) -> int:
        """Return the option that a move leads to, or raise `IllegalMoveError`."""
        if type(self).moves is not CoinTurning.moves:  # a subclass has other moves
            return super().apply(position, move)
        known = isinstance(move, int) and not isinstance(move, bool) and move > 0
        last = move.bit_length() if known else 0
        if not (known and position >> (last - 1) & 1 and move in self._checked_sets(last)):
            raise self.illegal_move(position, move)
        return position ^ move

    def closed_grundy(self, position: int) -> int:
        """Return the nim-sum of the values of the heads."""
        return nim_sum(map(self.head_value, _heads(position)))

    def closed_winning_moves(self, position: int) -> list[int]:
        """Return the turning sets whose coins have the value of the position as the nim-sum of their values."""
        value = self.closed_grundy(position)
        if not value:
            return []
        return [move for move, _ in self.moves(position) if nim_sum(map(self.head_value, _heads(move))) == value]

    def validate(self, position: Any) -> int:
        """Reject what is no mask."""
        try:
            mask = check_integer(position)
        except SgaiError:
            mask = -1
        if mask < 0:
            raise SgaiError(f"{quote(position)} is not a position of {self}: bit n - 1 is 1 where coin n shows heads")
        return mask

    def format(self, position: int) -> str:
        """Write ``HTTH``, as many coins as there are at the start, or more where heads stand there."""
        row = format(position, f"0{len(self.coins)}b")[::-1]
        return row.replace("1", "H").replace("0", "T")

    def parse(self, text: str) -> int:
        """Read ``HTTH``; coins that are not named show tails."""
        return read_coins(text)

    def format_move(self, position: int, move: int) -> str:  # noqa: ARG002
        """Write the coins that are turned, as ``1+4``, or ``2..5`` where three or more are neighbours."""
        turned = list(_heads(move))
        if len(turned) > 2 and turned[-1] - turned[0] == len(turned) - 1:
            return f"{turned[0]}..{turned[-1]}"
        return "+".join(map(str, turned))

    # The move alphabet: the turning sets of coin 1, coin 2, ...

    def num_moves(self) -> int:
        """Return the number of turning sets in the row."""
        return len(self._numbered()[0])

    def move_index(self, move: int) -> int:
        """Return the number of the turning set."""
        known = self._numbered()[1]
        if isinstance(move, bool) or not isinstance(move, int) or move not in known:
            raise IllegalMoveError(f"{quote(str(move))} is no move of {self}")
        return known[move]

    def move_from_index(self, index: int) -> int:
        """Return the turning set with a number."""
        listed = self._numbered()[0]
        if not 0 <= index < len(listed):
            raise self.no_such_index(index)
        return listed[index]

    def max_game_length(self) -> int:
        """Return a bound: the longest play of one head in each place, added up over the heads.

        A move turns one head away and adds at most the other coins of its set. The bound may double with every coin.
        """
        longest: list[int] = []
        for last in range(1, self.initial().bit_length() + 1):
            others = (_heads(turned ^ (1 << (last - 1))) for turned in self._checked_sets(last))
            longest.append(1 + max((sum(longest[each - 1] for each in rest) for rest in others), default=-1))
        return sum(longest[head - 1] for head in _heads(self.initial()))

    def tensor_shape(self) -> tuple[int, ...]:
        """Return the number of coins at the start."""
        return (len(self.coins),)

    def encode(self, position: int) -> "npt.NDArray[np.float32]":
        """Return 1 for every coin that shows heads."""
        import numpy as np  # rules load without it

        tensor = np.zeros(self.tensor_shape(), dtype=np.float32)
        for head in _heads(position):
            if head > len(tensor):
                raise SgaiError(f"there is no coin {head}: play starts with {len(tensor)} coins")
            tensor[head - 1] = 1.0
        return tensor

    @classmethod
    def _is_for_these_sets(cls, formula: str) -> bool:
        """Tell whether a formula was written for these turning sets: a subclass may have changed them since."""
        return owner(cls, formula) <= owner(cls, "turning_sets")

    def _checked_sets(self, last: int) -> Iterator[int]:
        for turned in self.turning_sets(last):
            if turned.bit_length() != last:
                raise SgaiError(f"{self} turns the coins of the mask {turned}, but the rightmost one should be {last}")
            yield turned

    def _numbered(self) -> tuple[list[int], dict[int, int]]:
        kept: tuple[list[int], dict[int, int]] | None = self.__dict__.get("_kept_numbers")
        if kept is None:
            listed: list[int] = []
            for last in range(1, len(self.coins) + 1):
                for turned in self._checked_sets(last):
                    listed.append(turned)
                    if len(listed) > self.largest_alphabet:
                        raise SgaiError(
                            f"{quote(str(self))} has more than {self.largest_alphabet:,} different moves with "
                            f"{last} coins of {len(self.coins)}: too many for a fixed action space; choose fewer coins"
                        )
            kept = self.__dict__["_kept_numbers"] = (listed, {turned: i for i, turned in enumerate(listed)})
        return kept


@register
class TurningTurtles(CoinTurning):
    """Turn one coin from heads to tails, and if you like one coin to the left of it either way.

    A head in place n is a Nim heap of n (*Winning Ways*, chapter 14), so the value is the nim-sum of the places of the
    heads, counted from 1.

    Examples
    --------
    >>> game = TurningTurtles(coins="HTH")
    >>> [f"{game.format_move(9, move)}: {game.format(option)}" for move, option in game.moves(game.initial())]
    ['1: TTH', '3: HTT', '1+3: TTT', '2+3: HHT']
    """

    name = "turning_turtles"

    def turning_sets(self, last: int) -> Iterator[int]:
        """Yield the coin alone, then with each one to its left."""
        alone = 1 << (last - 1)
        yield alone
        for other in range(last - 1):
            yield alone | 1 << other

    def closed_head(self, last: int) -> int:
        """Return the place itself."""
        return last

    def closed_winning_moves(self, position: int) -> list[int]:
        """Return for every head the one move that makes the nim-sum 0, where it has one."""
        if not self._is_for_these_sets("closed_winning_moves"):
            return super().closed_winning_moves(position)
        value = self.closed_grundy(position)
        wanted = ((head, head ^ value) for head in _heads(position) if head ^ value < head)
        return [1 << (head - 1) | (1 << other) >> 1 for head, other in wanted]


@register
class MockTurtles(CoinTurning):
    """Turn one coin from heads to tails, and if you like one or two coins to the left of it either way.

    A head in place n has the n-th odious number as its value, the n-th number with an odd number of ones in binary:
    twice the number n - 1, and one more where that is needed for the ones to be odd (*Winning Ways*, chapter 14).

    Examples
    --------
    >>> [MockTurtles().head_value(place) for place in range(1, 9)]
    [1, 2, 4, 7, 8, 11, 13, 14]
    """

    name = "mock_turtles"

    def turning_sets(self, last: int) -> Iterator[int]:
        """Yield the coin alone, then with one and with two to its left."""
        alone = 1 << (last - 1)
        yield alone
        for other in range(last - 1):
            yield alone | 1 << other
            for third in range(other):
                yield alone | 1 << other | 1 << third

    def closed_head(self, last: int) -> int:
        """Return the odious number."""
        before = last - 1
        return 2 * before + (before.bit_count() + 1) % 2


@register
class Ruler(CoinTurning):
    """Turn any number of neighbouring coins, the rightmost of them from heads to tails.

    A head in place n has the largest power of 2 that divides n as its value (*Winning Ways*, chapter 14).

    Examples
    --------
    >>> game = Ruler(coins="HTH")
    >>> [f"{game.format_move(9, move)}: {game.format(option)}" for move, option in game.moves(game.initial())]
    ['1: TTH', '3: HTT', '2+3: HHT', '1..3: THT']
    """

    name = "ruler"

    def turning_sets(self, last: int) -> Iterator[int]:
        """Yield the runs that end with the coin, the shortest first."""
        for length in range(1, last + 1):
            yield ((1 << length) - 1) << (last - length)

    def closed_head(self, last: int) -> int:
        """Return the largest power of 2 that divides the place."""
        return last & -last

    def closed_winning_moves(self, position: int) -> list[int]:
        """Return for every head the one run that makes the nim-sum 0, where it has one.

        The nim-sums of the values of the first 0, 1, 2, ... places are all different (a Gray code).
        """
        if not self._is_for_these_sets("closed_winning_moves"):
            return super().closed_winning_moves(position)
        value = self.closed_grundy(position)
        values = (place & -place for place in range(1, position.bit_length() + 1))
        sums = list(accumulate(values, xor, initial=0))
        before = {total: place for place, total in enumerate(sums)}
        found = []
        for head in _heads(position) if value else ():
            first = before.get(sums[head] ^ value, head)
            if first < head:
                found.append((1 << head) - (1 << first))
        return found


def _heads(mask: int) -> Iterator[int]:
    """Yield the places of the ones of a mask, counted from 1."""
    while mask:
        low = mask & -mask
        yield low.bit_length()
        mask ^= low
