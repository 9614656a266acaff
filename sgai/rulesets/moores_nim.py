"""Moore's Nim: a move may take from several piles at once, so that they are no components."""

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sgai.errors import IllegalMoveError, SgaiError, quote
from sgai.parameters import check_integer, parameter
from sgai.registry import register
from sgai.ruleset import Component, Ruleset
from sgai.rulesets.heaps import HeapMove, Heaps
from sgai.rulesets.subtraction import Nim

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PilesMove = tuple[tuple[int, int], ...]  # sorted pairs of a pile and the tokens that are left of it

_NIM = Nim().rules()


@register
class MooresNim(Ruleset[Heaps, PilesMove]):
    """Take any positive numbers of tokens from at least one and at most ``most`` piles.

    The previous player wins exactly if every binary digit is set in a number of piles that ``most`` + 1 divides
    (E. H. Moore, *A generalization of the game called Nim*, Annals of Mathematics 11, 1910). With ``most`` = 1 this is
    Nim and its piles are components; else they are not.

    Examples
    --------
    >>> game = MooresNim(piles=[1, 2, 2])
    >>> [game.format_move(game.initial(), move) for move, _ in game.moves(game.initial())][:4]
    ['1->0 & 2->1', '1->0 & 2->0', '1->0', '2->1 & 2->1']
    >>> game.proved_outcome((1, 2, 3)), game.proved_outcome((5, 5, 5))
    ('N', 'P')
    """

    name = "moores_nim"

    piles: tuple[int, ...] = parameter(default=(2, 3, 4), start=True, doc="the piles at the start")
    most: int = parameter(default=2, doc="from how many piles a move may take")

    def __post_init__(self) -> None:
        """Reject negative piles, and moves in no pile."""
        if self.most < 1:
            raise SgaiError(f"most={self.most}: a move takes from 1 pile or more")
        self._piles_alone()

    def initial(self) -> Heaps:
        """Return the piles of the parameters, sorted, without empty ones."""
        return self._piles_alone().initial()

    def moves(self, position: Heaps) -> Iterator[tuple[PilesMove, Heaps]]:
        """Yield the moves, each once: of equal piles it does not matter from which is taken."""
        counted = sorted(Counter(position).items())
        for move in _choices(counted, self.most):
            if move:
                yield move, _after(position, move)

    def apply(self, position: Heaps, move: PilesMove) -> Heaps:
        """Return the option that a move leads to, without listing all others."""
        if not self._trusts("apply"):
            return super().apply(position, move)
        try:
            pairs = [(pile, left) for pile, left in move]
            there = Counter(position)
            legal = (
                isinstance(move, tuple)
                and 1 <= len(pairs) <= self.most
                and pairs == sorted(pairs)
                and all(type(left) is int and 0 <= left < pile for pile, left in pairs)
                and all(count <= there[pile] for pile, count in Counter(pile for pile, _ in pairs).items())
            )
        except (TypeError, ValueError):
            legal = False
        if not legal:
            raise self.illegal_move(position, move)
        return _after(position, move)

    def components(self, position: Heaps) -> tuple[Component, ...]:
        """Return the position whole, or heaps of Nim where a move takes from one pile only."""
        if self.most > 1:
            return (Component(self.rules(), position, True),)
        return tuple([Component(_NIM, (pile,), True) for pile in position])

    def lift_move(self, position: Heaps, index: int, move: Any) -> PilesMove:  # noqa: ARG002
        """Return the move in one pile as a move of several, or the move itself."""
        if self.most > 1:
            return tuple(move)
        heap, result = HeapMove(*move)
        return ((heap, sum(result)),)

    def closed_outcome(self, position: Heaps) -> str:
        """Return P if ``most`` + 1 divides the number of piles with each binary digit, else N (Moore 1910)."""
        digits = range(max(position, default=0).bit_length())
        counts = (sum(pile >> digit & 1 for pile in position) for digit in digits)
        return "N" if any(count % (self.most + 1) for count in counts) else "P"

    def closed_winning_moves(self, position: Heaps) -> Iterator[PilesMove]:
        """Yield the moves after which ``most`` + 1 divides the number of piles with each binary digit."""
        if MooresNim.closed_outcome(self, position) == "P":
            return
        first = _one_balancing(position, self.most + 1)
        yield first
        for size in range(1, min(self.most, len(position)) + 1):
            for chosen in dict.fromkeys(itertools.combinations(position, size)):
                rest = list((Counter(position) - Counter(chosen)).elements())
                seen = {first}
                for lefts in _balancing(chosen, rest, self.most + 1):
                    move = tuple(sorted(zip(chosen, lefts, strict=True)))
                    if move not in seen:
                        seen.add(move)
                        yield move

    def validate(self, position: Any) -> Heaps:
        """Return any list of piles as a position: sorted, without empty piles."""
        return self._piles_alone().validate(position)

    def format(self, position: Heaps) -> str:
        """Write ``[3;4;7]``."""
        return self._piles_alone().format(position)

    def parse(self, text: str) -> Heaps:
        """Read ``[3;4;7]``; brackets are optional."""
        return self._piles_alone().parse(text)

    def format_move(self, position: Heaps, move: PilesMove) -> str:  # noqa: ARG002
        """Write ``3->1 & 7->0``."""
        return " & ".join(f"{pile}->{left}" for pile, left in move)

    def parse_move(self, position: Heaps, text: str) -> PilesMove:
        """Read ``3->1 & 7->0``."""
        written = text.replace(" ", "")
        if len(text) < 100_000 and re.fullmatch(r"[0-9]+->[0-9]+(&[0-9]+->[0-9]+)*", written, re.ASCII):
            try:
                pairs = [tuple(map(int, part.split("->"))) for part in written.split("&")]
                move: Any = tuple(sorted(pairs))
                self.apply(position, move)
            except ValueError:
                raise self.illegal_move(position, text) from None
            return tuple((pile, left) for pile, left in move)
        raise self.illegal_move(position, text)

    # The move alphabet: a move is a multiset of pairs (pile, left). The pairs are numbered, and the multisets ranked by
    # the combinatorial number system, smaller ones first.

    def num_moves(self) -> int:
        """Return the number of multisets of up to ``most`` pairs of a pile and what is left of it."""
        return self._before(self._widest() + 1)

    def move_index(self, move: PilesMove) -> int:
        """Return the rank of the move among all multisets of pairs."""
        pairs = self._pairs()
        try:
            numbers = sorted(check_integer(pile) * (pile - 1) // 2 + check_integer(left) for pile, left in move)
            known = 1 <= len(numbers) <= self._widest() and all(
                0 <= left < pile <= max(self.piles) for pile, left in move
            )
        except (TypeError, ValueError):
            known = False
        if not known or numbers[-1] >= pairs:
            raise IllegalMoveError(f"{quote(str(move))} is no move of {self}")
        return self._before(len(numbers)) + sum(math.comb(number + i, i + 1) for i, number in enumerate(numbers))

    def move_from_index(self, index: int) -> PilesMove:
        """Return the move with an index."""
        if not 0 <= index < self.num_moves():
            raise self.no_such_index(index)
        size = next(size for size in itertools.count(1) if index < self._before(size + 1))
        rank, top, numbers = index - self._before(size), self._pairs() + size - 1, []
        for place in range(size, 0, -1):
            low, high = place - 1, top  # the largest number below top whose binomial is at most the rank
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if math.comb(middle, place) <= rank else (low, middle)
            rank -= math.comb(low, place)
            numbers.append(low - place + 1)
            top = low
        found = []
        for number in reversed(numbers):
            pile = (1 + math.isqrt(8 * number + 1)) // 2
            found.append((pile, number - pile * (pile - 1) // 2))
        return tuple(found)

    def max_game_length(self) -> int:
        """Return a bound: every move takes one token at least."""
        return sum(self.piles)

    def tensor_shape(self) -> tuple[int, ...]:
        """Return the size of the largest pile at the start."""
        return self._piles_alone().tensor_shape()

    def encode(self, position: Heaps) -> "npt.NDArray[np.float32]":
        """Return at index n - 1 the number of piles of size n."""
        return self._piles_alone().encode(position)

    def _pairs(self) -> int:
        largest = max(self.piles, default=0)
        return largest * (largest + 1) // 2

    def _widest(self) -> int:
        return min(self.most, sum(pile > 0 for pile in self.piles))

    def _before(self, size: int) -> int:
        """Return the number of multisets of 1 to ``size`` - 1 pairs."""
        return math.comb(self._pairs() + size - 1, size - 1) - 1

    def _piles_alone(self) -> Nim:
        kept: Nim | None = self.__dict__.get("_nim")
        if kept is None:
            kept = self.__dict__["_nim"] = Nim(piles=self.piles)
        return kept


def _choices(counted: Sequence[tuple[int, int]], most: int) -> Iterator[PilesMove]:
    """Yield all sorted ways to take from up to ``most`` of the piles, given as sizes with counts; () takes nothing."""
    if not counted:
        yield ()
        return
    (pile, count), rest = counted[0], counted[1:]
    for size in range(min(count, most), -1, -1):
        for lefts in _lefts(pile, size):
            first = tuple((pile, left) for left in lefts)
            for others in _choices(rest, most - size):
                yield first + others


def _lefts(below: int, size: int) -> Iterator[Heaps]:
    """Yield all sorted tuples of numbers below a limit, larger ones first, without listing the numbers."""
    if size == 0:
        yield ()
        return
    for last in range(below - 1, -1, -1):
        for others in _lefts(last + 1, size - 1):
            yield (*others, last)


def _after(position: Heaps, move: PilesMove) -> Heaps:
    left = list(position)
    for pile, _ in move:
        left.remove(pile)
    return tuple(sorted([*left, *(tokens for _, tokens in move if tokens)]))


def _one_balancing(position: Sequence[int], base: int) -> PilesMove:
    """Return one move to a lost position from a won one, as Moore's proof finds it.

    From the highest digit down: if the piles that were lessened so far can make up for a digit, some of them get it;
    else the piles that are too many with it lose it, and there are still fewer than ``base`` of those in all.
    """
    lefts = list(position)
    lessened: list[int] = []
    for digit in reversed(range(max(position).bit_length())):
        have = [i for i, pile in enumerate(position) if pile >> digit & 1 and i not in lessened]
        too_many = len(have) % base
        for i in lessened:
            lefts[i] &= ~(1 << digit)
        if -too_many % base <= len(lessened):
            for i in lessened[: -too_many % base]:
                lefts[i] |= 1 << digit
        else:
            for i in have[:too_many]:
                lefts[i] &= ~(1 << digit)
            lessened += have[:too_many]
    return tuple(sorted((position[i], lefts[i]) for i in lessened))


def _balancing(chosen: Sequence[int], rest: Sequence[int], base: int) -> Iterator[tuple[int, ...]]:
    """Yield what may be left of each chosen pile so that ``base`` divides the number of piles with each binary digit.

    The digits are set from the highest one down. Of the chosen piles the number with the digit is fixed, as there are
    fewer than ``base`` of them. A pile is tight until one of its digits is dropped, and at the end none may be: whether
    that can still be reached depends on the digit and the tight piles only, so that no branch is followed in vain.
    """
    count, digits = len(chosen), max(chosen).bit_length()
    above = max(rest, default=0).bit_length()
    needed = [-sum(pile >> digit & 1 for pile in rest) % base for digit in range(max(digits, above))]
    if any(needed[digits:]) or max(needed) > count:
        return
    has = [sum((pile >> digit & 1) << i for i, pile in enumerate(chosen)) for digit in range(digits)]
    members = {
        size: [sum(1 << i for i in each) for each in itertools.combinations(range(count), size)] for size in set(needed)
    }

    def steps(digit: int, tight: int) -> Iterator[tuple[int, int]]:
        """Yield the sets of piles that may have the digit, each with the piles that are still tight then."""
        for given in members[needed[digit]]:
            if not given & tight & ~has[digit]:
                yield given, tight & ~(has[digit] & ~given)

    # The sets of tight piles that can be met before each digit, and of these the ones that can end well.
    met = [{(1 << count) - 1}]
    for digit in reversed(range(digits)):
        met.append({after for tight in met[-1] for _, after in steps(digit, tight)})
    good = [{0} & met[-1]]
    for digit in range(digits):
        below = good[-1]
        good.append({tight for tight in met[digits - 1 - digit] if any(end in below for _, end in steps(digit, tight))})
    if not good[-1]:
        return
    stack = [steps(digits - 1, (1 << count) - 1)]
    given_so_far: list[int] = []
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
            if stack:
                given_so_far.pop()
            continue
        given, tight = step
        digit = digits - len(stack)
        if tight not in good[digit]:
            continue
        given_so_far.append(given)
        if digit:
            stack.append(steps(digit - 1, tight))
            continue
        yield tuple(
            sum((each >> i & 1) << digits - 1 - place for place, each in enumerate(given_so_far)) for i in range(count)
        )
        given_so_far.pop()
