"""Piles that are not independent: a limit that they share, or a piece that goes between them."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sgai.errors import IllegalMoveError, SgaiError, quote
from sgai.parameters import check_integer, parameter, parse_integer
from sgai.registry import register
from sgai.ruleset import Component, Ruleset
from sgai.rulesets.golden import zeckendorf
from sgai.rulesets.heaps import HeapMove, Heaps, replace_heap
from sgai.rulesets.subtraction import Nim

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_NIM = Nim().rules()


class LimitedPiles(NamedTuple):
    """The piles, and how many tokens the next move may take at most; a limit of 0 stands for the first move."""

    piles: Heaps
    limit: int


@register
class FibonacciNim(Ruleset[LimitedPiles, HeapMove]):
    """Take tokens from one pile: at first any number but not all of a pile, then at most twice what was taken last.

    One pile is M. J. Whinihan's game (*Fibonacci Nim*, Fibonacci Quarterly 1, 1963): the first player loses exactly
    where its size is a Fibonacci number, and with a limit where that is below the least part of the size's Zeckendorf
    representation. With several piles the limit is shared, whichever pile the last move took from
    (U. Larsson and S. Rubinstein-Salzedo, *Global Fibonacci nim*, 2018, arXiv 1509.08527), so they are no components:
    2 and 3 with limit 1 have the value 2, but each of them alone has the value 0.

    The first move has no limit in numbers: it may take up to all but one of *each* pile. For one pile of n that is the
    limit n - 1; for piles of different sizes no single limit says it.

    Examples
    --------
    >>> game = FibonacciNim(piles=[2, 3])
    >>> [game.format(option) for option in game.options(game.initial())]
    ['[1;3] limit 2', '[2;2] limit 2', '[1;2] limit 4']
    """

    name = "fibonacci_nim"

    piles: tuple[int, ...] = parameter(default=(4, 5), start=True, doc="the piles at the start")
    limit: int = parameter(
        default=0, start=True, doc="how many tokens the first move may take; 0 for any number but all of a pile"
    )

    def __post_init__(self) -> None:
        """Reject negative piles and limits."""
        if self.limit < 0:
            raise SgaiError(f"limit={self.limit}: it is 1 or more, or 0 for any number but all of a pile")
        self._piles_alone()

    def initial(self) -> LimitedPiles:
        """Return the piles and the limit of the parameters."""
        return LimitedPiles(self._piles_alone().initial(), self.limit)

    def moves(self, position: LimitedPiles) -> Iterator[tuple[HeapMove, LimitedPiles]]:
        """Yield the moves in each distinct pile, smallest pile first."""
        piles, limit = position
        for pile in dict.fromkeys(piles):
            for taken in range(1, 1 + (min(pile, limit) if limit else pile - 1)):
                left = (pile - taken,) if taken < pile else ()
                yield HeapMove(pile, left), LimitedPiles(replace_heap(piles, pile, left), 2 * taken)

    def apply(self, position: LimitedPiles, move: HeapMove) -> LimitedPiles:
        """Return the option that a move leads to, without listing all others."""
        if not self._trusts("apply"):
            return super().apply(position, move)
        piles, limit = position
        try:
            pile, result = move
            taken = pile - sum(result)
            legal = (
                pile in piles
                and len(result) <= 1
                and all(type(left) is int and left > 0 for left in result)
                and 1 <= taken <= (limit or pile - 1)
            )
        except (TypeError, ValueError):
            legal = False
        if not legal:
            raise self.illegal_move(position, move)
        return LimitedPiles(replace_heap(piles, pile, tuple(result)), 2 * taken)

    def closed_outcome(self, position: LimitedPiles) -> str | None:
        """Return N for one pile if the limit is not below its least Zeckendorf part, else P (Whinihan 1963)."""
        if len(position.piles) != 1:
            return None if position.piles else "P"
        (pile,) = position.piles
        return "N" if (position.limit or pile - 1) >= zeckendorf(pile)[-1] else "P"

    def closed_winning_moves(self, position: LimitedPiles) -> list[HeapMove] | None:
        """Return the moves of one pile that win: they take its least Zeckendorf parts.

        The opponent, who may take 2t after a take of t, loses if the least part of what is left is above 2t. Then no
        part of t is that part or a neighbour of it, so the parts of both are the parts of the pile.
        """
        if len(position.piles) != 1:
            return None if position.piles else []
        (pile,) = position.piles
        found = []
        taken = 0
        parts = zeckendorf(pile)
        while parts:
            taken += parts.pop()
            if taken > (position.limit or pile - 1):
                break
            if not parts or parts[-1] > 2 * taken:
                found.append(HeapMove(pile, (pile - taken,) if taken < pile else ()))
        return found

    def approximate_components(self, position: LimitedPiles) -> Sequence[Component]:
        """Return every pile with the limit to itself."""
        if len(position.piles) <= 1:
            return ()
        rules = self.rules()
        return tuple([Component(rules, LimitedPiles((pile,), position.limit)) for pile in position.piles])

    def canonical(self, position: LimitedPiles) -> LimitedPiles:
        """Lower the limit to the largest pile; write the first move from equal piles with a limit too."""
        piles, limit = position
        if not piles:
            return LimitedPiles((), 0)
        if limit or piles[0] < piles[-1]:
            return LimitedPiles(piles, min(limit, piles[-1]))
        return LimitedPiles(piles, piles[0] - 1) if piles[0] > 1 else LimitedPiles((), 0)

    def validate(self, position: Any) -> LimitedPiles:
        """Return piles with a limit in normal form."""
        try:
            piles, limit = position
            limit = check_integer(limit)
        except (TypeError, ValueError):
            limit = -1
        if limit < 0:
            raise SgaiError(f"{quote(position)} is not a position of {self}: it has a list of piles and a limit")
        return LimitedPiles(self._piles_alone().validate(piles), limit)

    def format(self, position: LimitedPiles) -> str:
        """Write ``[8;13] limit 4``, and ``[8;13]`` before the first move."""
        shown = self._piles_alone().format(position.piles)
        return f"{shown} limit {position.limit}" if position.limit else shown

    def parse(self, text: str) -> LimitedPiles:
        """Read ``[8;13] limit 4``; without a limit it is the first move."""
        piles, word, limit = text.partition("limit")
        try:
            number = parse_integer(limit) if word else 0
        except SgaiError:
            number = -1
        if number < bool(word):
            raise SgaiError(f"{quote(text)}: the limit should be a number of 1 or more, as in [8;13] limit 4")
        return LimitedPiles(self._piles_alone().parse(piles), number)

    def format_move(self, position: LimitedPiles, move: HeapMove) -> str:  # noqa: ARG002
        """Write ``13->11``."""
        return str(HeapMove(*move))

    def num_moves(self) -> int:
        """Return the number of moves in the piles without any limit."""
        return self._piles_alone().num_moves()

    def move_index(self, move: HeapMove) -> int:
        """Return the index that Nim gives the move."""
        return self._piles_alone().move_index(move)

    def move_from_index(self, index: int) -> HeapMove:
        """Return the move with an index."""
        return self._piles_alone().move_from_index(index)

    def max_game_length(self) -> int:
        """Return a bound: every move takes one token at least."""
        return sum(self.initial().piles)

    def tensor_shape(self) -> tuple[int, ...]:
        """Return the size of the largest pile at the start, and one for the limit."""
        return (self._piles_alone().tensor_shape()[0] + 1,)

    def encode(self, position: LimitedPiles) -> "npt.NDArray[np.float32]":
        """Return the number of piles of each size, then the limit."""
        import numpy as np  # rules load without it

        return np.append(self._piles_alone().encode(position.piles), np.float32(position.limit))

    def _piles_alone(self) -> Nim:
        kept: Nim | None = self.__dict__.get("_nim")
        if kept is None:
            kept = self.__dict__["_nim"] = Nim(piles=self.piles)
        return kept


class ShuttlePosition(NamedTuple):
    """Two piles, and how many steps the shuttle is from the first one."""

    first: int
    second: int
    at: int


class ShuttleMove(NamedTuple):
    """Take tokens where the shuttle stands (``step`` 0), or step to the first (-1) or second pile (1) for one token."""

    step: int
    taken: int

    def __str__(self) -> str:
        return {-1: "back", 0: f"take {self.taken}", 1: "on"}[self.step]


@register
class Shuttle(Ruleset[ShuttlePosition, ShuttleMove]):
    """Take any number of tokens from the pile at which a shuttle stands, or move it a step on the track.

    Two piles stand at the ends of a track, and a step costs one token of the pile that it goes towards: play ends when
    both are empty. Made to show what coupling does: each pile alone would be a Nim heap, but the shuttle decides from
    which of them may be taken, so their values say little of the whole: 1 and 2 with the shuttle at the first pile, one
    step from the second, have the value 1 and not 3.

    Examples
    --------
    >>> game = Shuttle(piles=[2, 3], track=1)
    >>> [f"{move}: {game.format(option)}" for move, option in game.moves(game.initial())]
    ['on: [2;2] at 1', 'take 1: [1;3] at 0', 'take 2: [0;3] at 0']
    """

    name = "shuttle"

    piles: tuple[int, ...] = parameter(default=(3, 4), start=True, doc="the two piles at the start")
    at: int = parameter(default=0, start=True, doc="how many steps the shuttle is from the first pile at the start")
    track: int = parameter(default=2, doc="how many steps there are between the piles")

    def __post_init__(self) -> None:
        """Reject tracks without a step, and starts that are no position."""
        if self.track < 1:
            raise SgaiError(f"track={self.track}: there is one step or more between the piles")
        if len(self.piles) != 2:
            raise SgaiError(f"piles={quote(list(self.piles))}: there are two piles, such as [3;4]")
        self.initial()

    def initial(self) -> ShuttlePosition:
        """Return the piles and the place of the parameters."""
        return self.validate((*self.piles, self.at))

    def moves(self, position: ShuttlePosition) -> Iterator[tuple[ShuttleMove, ShuttlePosition]]:
        """Yield the steps, then what may be taken."""
        first, second, at = position
        if at > 0 and first:
            yield ShuttleMove(-1, 1), ShuttlePosition(first - 1, second, at - 1)
        if at < self.track and second:
            yield ShuttleMove(1, 1), ShuttlePosition(first, second - 1, at + 1)
        if at == 0:
            for taken in range(1, first + 1):
                yield ShuttleMove(0, taken), ShuttlePosition(first - taken, second, at)
        elif at == self.track:
            for taken in range(1, second + 1):
                yield ShuttleMove(0, taken), ShuttlePosition(first, second - taken, at)

    def approximate_components(self, position: ShuttlePosition) -> Sequence[Component]:
        """Return both piles as Nim heaps."""
        if not (position.first and position.second):
            return ()
        return Component(_NIM, (position.first,), True), Component(_NIM, (position.second,), True)

    def canonical(self, position: ShuttlePosition) -> ShuttlePosition:
        """Turn the track round where that gives the smaller tuple."""
        first, second, at = position
        return min(position, ShuttlePosition(second, first, self.track - at))

    def validate(self, position: Any) -> ShuttlePosition:
        """Reject negative piles and places beside the track."""
        try:
            first, second, at = (check_integer(part) for part in position)
            right = min(first, second) >= 0 and 0 <= at <= self.track
        except (TypeError, ValueError):
            right = False
        if not right:
            raise SgaiError(
                f"{quote(position)} is not a position of {self}: it has two piles of 0 tokens or more and the place of "
                f"the shuttle from 0 to {self.track}"
            )
        return ShuttlePosition(first, second, at)

    def format(self, position: ShuttlePosition) -> str:
        """Write ``[3;4] at 1``."""
        return f"[{position.first};{position.second}] at {position.at}"

    def parse(self, text: str) -> ShuttlePosition:
        """Read ``[3;4] at 1``."""
        match = re.fullmatch(r"\s*\[?\s*(\d+)\s*[;,]\s*(\d+)\s*\]?\s*at\s*(\d+)\s*", text, re.ASCII)
        if match is None:
            raise SgaiError(f"{quote(text)} is not a position such as [3;4] at 1")
        return self.validate(tuple(map(parse_integer, match.groups())))

    # The move alphabet: back, on, then take 1, 2, ...

    def num_moves(self) -> int:
        """Return two steps and as many takes as the larger pile has tokens."""
        return 2 + max(self.piles)

    def move_index(self, move: ShuttleMove) -> int:
        """Return 0 for back, 1 for on, n + 1 for taking n."""
        try:
            step, taken = move
            index = {-1: 0, 1: 1}[step] if step else 1 + check_integer(taken)
            known = self.move_from_index(index) == move
        except (TypeError, ValueError, KeyError):
            known = False
        if not known:
            raise IllegalMoveError(f"{quote(str(move))} is no move of {self}")
        return index

    def move_from_index(self, index: int) -> ShuttleMove:
        """Return the move with an index."""
        if not 0 <= index < self.num_moves():
            raise self.no_such_index(index)
        return ShuttleMove((-1, 1)[index], 1) if index < 2 else ShuttleMove(0, index - 1)

    def max_game_length(self) -> int:
        """Return a bound: every move takes one token at least."""
        start = self.initial()
        return start.first + start.second

    def tensor_shape(self) -> tuple[int, ...]:
        """Return two piles and one number for each place of the shuttle."""
        return (2 + self.track + 1,)

    def encode(self, position: ShuttlePosition) -> "npt.NDArray[np.float32]":
        """Return the sizes of the piles, then 1 where the shuttle stands."""
        import numpy as np  # rules load without it

        tensor = np.zeros(self.tensor_shape(), dtype=np.float32)
        tensor[:2] = position.first, position.second
        tensor[2 + position.at] = 1.0
        return tensor
