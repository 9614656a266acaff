"""Staircase Nim: coins on the steps of a staircase come down step by step."""

import bisect
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from sgai.errors import IllegalMoveError, SgaiError, quote
from sgai.nimbers import nim_sum
from sgai.parameters import check_integer, format_integers, parameter, parse_integers
from sgai.registry import register
from sgai.ruleset import Ruleset

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Steps = tuple[int, ...]  # the coins on step 1, 2, ...; the last step named has some


class StepDown(NamedTuple):
    """Move some coins from a step to the one below it."""

    step: int
    coins: int

    def __str__(self) -> str:
        return f"{self.coins} from step {self.step}"


@register
class StaircaseNim(Ruleset[Steps, StepDown]):
    """Move any number of coins from one step to the step below it; coins on the floor, step 0, are out of play.

    The Grundy value is the nim-sum of the coins on the odd steps. Every move changes exactly one of them: all numbers
    that are less can be reached there, as in a Nim heap, and more only by a move that could be undone a step lower (J.
    H. Conway, *On Numbers and Games*, chapter 11, theorems 70 and 71).

    Examples
    --------
    >>> game = StaircaseNim(steps=[1, 2])
    >>> [f"{move}: {game.format(option)}" for move, option in game.moves(game.initial())]
    ['1 from step 1: [0;2]', '1 from step 2: [2;1]', '2 from step 2: [3]']
    >>> game.proved_grundy((3, 9, 5))
    6
    """

    name = "staircase_nim"

    steps: tuple[int, ...] = parameter(default=(2, 1, 3), start=True, doc="the coins on step 1, 2, ... at the start")

    def __post_init__(self) -> None:
        """Reject starts that are no position."""
        try:
            self.initial()
        except SgaiError as error:
            raise SgaiError(f"steps={quote(list(self.steps))}: {error}") from None

    def initial(self) -> Steps:
        """Return the steps of the parameters."""
        return self.validate(self.steps)

    def moves(self, position: Steps) -> Iterator[tuple[StepDown, Steps]]:
        """Yield what may be moved from each step, the lowest step first."""
        for step, count in enumerate(position, 1):
            for coins in range(1, count + 1):
                yield StepDown(step, coins), _moved(position, step, coins)

    def apply(self, position: Steps, move: StepDown) -> Steps:
        """Return the option that a move leads to, or raise `IllegalMoveError`."""
        if not self._trusts("apply"):  # a subclass has other moves
            return super().apply(position, move)
        try:
            step, coins = map(check_integer, move)
            legal = 1 <= step <= len(position) and 1 <= coins <= position[step - 1]
        except (TypeError, ValueError):
            legal = False
        if not legal:
            raise self.illegal_move(position, move)
        return _moved(position, step, coins)

    def closed_grundy(self, position: Steps) -> int:
        """Return the nim-sum of the coins on steps 1, 3, 5, ..."""
        return nim_sum(position[::2])

    def closed_winning_moves(self, position: Steps) -> list[StepDown]:
        """Return what makes the nim-sum 0: one number at most from each step."""
        return [StepDown(*move) for move in winning_steps(position)]

    def validate(self, position: Any) -> Steps:
        """Return any list of numbers as a position, without the empty steps above the last coin."""
        try:
            counts = list(map(check_integer, position))
        except (TypeError, SgaiError):
            raise SgaiError(f"{quote(position)} is not a list of numbers of coins such as (2, 0, 3)") from None
        if counts and min(counts) < 0:
            raise SgaiError(f"{min(counts)} is negative; there are 0 coins or more on a step")
        return _trimmed(counts)

    def format(self, position: Steps) -> str:
        """Write ``[2;0;3]``: the coins on step 1, 2, 3."""
        return format_integers(position)

    def parse(self, text: str) -> Steps:
        """Read ``[2;0;3]``; brackets are optional."""
        try:
            return self.validate(parse_integers(text))
        except SgaiError as error:
            raise SgaiError(f"{quote(text)} is not a position such as [2;0;3]: {error}") from None

    def format_move(self, position: Steps, move: StepDown) -> str:  # noqa: ARG002
        """Write ``2 from step 3``."""
        return str(StepDown(*move))

    # The move alphabet: (step, coins), with as many coins as can ever be on the step

    def num_moves(self) -> int:
        """Return, added up over the steps, the number of coins that start on the step or above it."""
        return self._offsets()[-1]

    def move_index(self, move: StepDown) -> int:
        """Return the offset of the step plus the number of coins less one."""
        offsets = self._offsets()
        try:
            step, coins = map(check_integer, move)
            known = 1 <= step < len(offsets) and 1 <= coins <= offsets[step] - offsets[step - 1]
        except (TypeError, ValueError):
            known = False
        if not known:
            raise IllegalMoveError(f"{quote(str(move))} is no move of {self}")
        return offsets[step - 1] + coins - 1

    def move_from_index(self, index: int) -> StepDown:
        """Return the move with a number."""
        offsets = self._offsets()
        if not 0 <= index < offsets[-1]:
            raise self.no_such_index(index)
        step = bisect.bisect_right(offsets, index)
        return StepDown(step, index - offsets[step - 1] + 1)

    def max_game_length(self) -> int:
        """Return the sum of the coins' steps: every move lowers it."""
        return sum(step * count for step, count in enumerate(self.steps, 1))

    def tensor_shape(self) -> tuple[int, ...]:
        """Return the number of steps at the start, at least 1."""
        return (max(1, len(self.steps)),)

    def encode(self, position: Steps) -> "npt.NDArray[np.float32]":
        """Return the number of coins on each step from step 1."""
        import numpy as np  # rules load without it

        tensor = np.zeros(self.tensor_shape(), dtype=np.float32)
        if len(position) > len(tensor):
            raise SgaiError(f"step {len(position)} is above step {len(tensor)}, the highest at the start")
        tensor[: len(position)] = position
        return tensor

    def _offsets(self) -> list[int]:
        kept: list[int] | None = self.__dict__.get("_kept_offsets")
        if kept is None:
            most = list(accumulate(reversed(self.initial())))[::-1]
            kept = self.__dict__["_kept_offsets"] = [0, *accumulate(most)]
        return kept


def winning_steps(counts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield each step (from 1) from which a move makes the nim-sum of the odd steps 0, and how many coins it takes.

    Examples
    --------
    >>> list(winning_steps((1, 6, 4)))
    [(2, 3), (3, 3)]
    """
    value = nim_sum(counts[::2])
    for step, count in enumerate(counts, 1) if value else ():
        # An odd step must come to the number that it has in the nim-sum without it; from an even one more come there.
        changed = counts[step - 1 - (step + 1) % 2]
        taken = (changed ^ value) - changed if step % 2 == 0 else changed - (changed ^ value)
        if 0 < taken <= count:
            yield step, taken


def _moved(position: Steps, step: int, coins: int) -> Steps:
    counts = list(position)
    counts[step - 1] -= coins
    if step > 1:
        counts[step - 2] += coins
    return _trimmed(counts)


def _trimmed(counts: list[int]) -> Steps:
    while counts and not counts[-1]:
        counts.pop()
    return tuple(counts)
