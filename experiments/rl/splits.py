"""Splits of positions into training and test, which say what a learner has to generalise to."""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sgai.decomposition import decompose
from sgai.envs.starts import StartSampler
from sgai.errors import SgaiError, UnsupportedError, quote
from sgai.reachable import sort_key
from sgai.ruleset import Ruleset
from sgai.rulesets.heaps import HeapRuleset, normal_heaps
from sgai.rulesets.removal import RemovalRuleset

AnyRuleset = Ruleset[Any, Any]
Key = tuple[str, Any]

TRAIN, TEST = 0, 1
SIDES = ("train", "test")


class Split(ABC):
    """Decides on which side positions are.

    Attributes
    ----------
    kind : str
        Its name.
    """

    kind = ""

    def __init__(self, ruleset: AnyRuleset) -> None:
        self.ruleset = ruleset

    @abstractmethod
    def prepare(self, positions: Sequence[Any], test: float, chance: random.Random) -> None:
        """Look at positions, to choose what is held out, so that about this share of them is."""

    @abstractmethod
    def place(self, position: Any, chance: random.Random) -> Iterator[tuple[int, Any]]:
        """Yield a drawn position with its side: nothing, the position, or what remains of it on either side."""

    def wanted(self, count: int, test: float) -> list[int]:
        """Return how many positions to draw for training and for the test."""
        held_out = min(max(1, round(test * count)), count - 1)
        return [count - held_out, held_out]

    def settle(self, found: list[tuple[int, Any]], chance: random.Random) -> list[tuple[int, Any]]:  # noqa: ARG002
        """Return the drawn positions with their final sides."""
        return found

    @abstractmethod
    def about(self) -> dict[str, Any]:
        """Return what was chosen, for JSON."""

    @abstractmethod
    def leak(self, train: Sequence[Any], test: Sequence[Any]) -> str | None:
        """Return in words what is on both sides that should not be, or None."""

    def key(self, position: Any) -> Any:
        """Return what positions that are the same game share: the canonical form."""
        return self.ruleset.canonical(position)


def parts_of(ruleset: AnyRuleset, position: Any) -> set[Key]:
    """Return the different components of a position, each with its rules, in canonical form.

    Examples
    --------
    >>> import sgai
    >>> sorted(parts_of(sgai.load_ruleset("nim(piles=[3;4;5])"), (3, 3, 5)))
    [('nim', (3,)), ('nim', (5,))]
    """
    return {(str(part.ruleset), part.ruleset.canonical(part.position)) for part in decompose(ruleset, position)}


class RandomSplit(Split):
    """Positions by chance; such that are mirror images, or else the same game in canonical form, are on one side."""

    kind = "random"

    def prepare(self, positions: Sequence[Any], test: float, chance: random.Random) -> None:  # noqa: ARG002
        """Note the share."""
        self._test = test

    def place(self, position: Any, chance: random.Random) -> Iterator[tuple[int, Any]]:  # noqa: ARG002
        """Yield the position; sides come when all are drawn, so that the share is right however few there are."""
        yield TRAIN, position

    def wanted(self, count: int, test: float) -> list[int]:  # noqa: ARG002
        """Return all for one side at first."""
        return [count, 0]

    def settle(self, found: list[tuple[int, Any]], chance: random.Random) -> list[tuple[int, Any]]:
        """Move a share of the positions to the test."""
        if len(found) < 2:
            return found
        held_out = set(chance.sample(range(len(found)), super().wanted(len(found), self._test)[TEST]))
        return [(TEST if row in held_out else TRAIN, position) for row, (_, position) in enumerate(found)]

    def about(self) -> dict[str, Any]:
        """Return nothing more."""
        return {}

    def leak(self, train: Sequence[Any], test: Sequence[Any]) -> str | None:  # noqa: ARG002
        """Return None: no position may be on both sides of any split, which is checked for all."""
        return None


class _Threshold(Split):
    """Positions by a number that they have: small ones train."""

    what = ""

    def __init__(self, ruleset: AnyRuleset, at: int | None = None) -> None:
        super().__init__(ruleset)
        self.at = at

    @abstractmethod
    def number(self, position: Any) -> int:
        """Return the number of a position."""

    def prepare(self, positions: Sequence[Any], test: float, chance: random.Random) -> None:  # noqa: ARG002
        """Choose the largest number of the training side, where it was not given, so that the share comes out best."""
        numbers = sorted(map(self.number, positions))
        if self.at is None:
            choices = sorted(set(numbers))[:-1]
            if not choices:
                raise SgaiError(
                    f"split={self.kind!r}: all positions have {numbers[0]} {self.what}, so none can be held out; "
                    "choose other starts or a larger game"
                )
            total = len(numbers)
            self.at = min(choices, key=lambda at: (abs(sum(each > at for each in numbers) / total - test), at))
        elif not numbers[0] <= self.at < numbers[-1]:
            raise SgaiError(
                f"split={self.kind!r} at {self.at}: the positions have {numbers[0]} to {numbers[-1]} {self.what}; "
                f"choose a number from {numbers[0]} to {numbers[-1] - 1}"
            )

    def place(self, position: Any, chance: random.Random) -> Iterator[tuple[int, Any]]:  # noqa: ARG002
        """Yield the position on its side."""
        assert self.at is not None
        yield (TEST if self.number(position) > self.at else TRAIN), position

    def about(self) -> dict[str, Any]:
        """Return the largest number of the training side."""
        return {"at": self.at, "of": self.what}

    def leak(self, train: Sequence[Any], test: Sequence[Any]) -> str | None:
        """Compare numbers with the threshold."""
        assert self.at is not None
        for side, positions, good in ((TRAIN, train, int.__le__), (TEST, test, int.__gt__)):
            for position in positions:
                if not good(self.number(position), self.at):
                    return f"{self._shown(position)} of the {SIDES[side]} side has {self.number(position)} {self.what}"
        return None

    def _shown(self, position: Any) -> str:
        return quote(self.ruleset.format(position))


class MoreHeapsSplit(_Threshold):
    """Few heaps train, more are the test; in games without heaps it is components that are counted."""

    kind = "more_heaps"

    def __init__(self, ruleset: AnyRuleset, at: int | None = None) -> None:
        super().__init__(ruleset, at)
        self._heaps = isinstance(ruleset, HeapRuleset)
        self.what = "heaps" if self._heaps else "components"

    def number(self, position: Any) -> int:
        """Return the number of heaps or components."""
        return len(position) if self._heaps else len(decompose(self.ruleset, position))


class LargerHeapsSplit(_Threshold):
    """Small heaps train, and positions with a larger one are the test; of removal games the cells of a component."""

    kind = "larger_heaps"

    def __init__(self, ruleset: AnyRuleset, at: int | None = None) -> None:
        super().__init__(ruleset, at)
        self._heaps = isinstance(ruleset, HeapRuleset)
        if not self._heaps and not isinstance(ruleset, RemovalRuleset):
            raise UnsupportedError(
                f"split='larger_heaps': {quote(str(ruleset))} has neither heaps nor cells; use random, more_heaps or "
                "unseen_components"
            )
        self.what = "tokens in the largest heap" if self._heaps else "cells in the largest component"

    def number(self, position: Any) -> int:
        """Return the size of the largest heap or component."""
        if self._heaps:
            return max(position, default=0)
        return max((part.position.bit_count() for part in decompose(self.ruleset, position)), default=0)


class UnseenComponentsSplit(Split):
    """No component of the test side occurs on the training side.

    Components are shared out between the sides. Of a drawn position of a heap game, the heaps of the other side are
    drawn again among those of the position's side, which keeps their number; of a removal game, the components of the
    other side are taken off the board; positions of other games are taken as a whole or not at all.
    """

    kind = "unseen_components"

    def prepare(self, positions: Sequence[Any], test: float, chance: random.Random) -> None:
        """Share out the components of some positions."""
        found: set[Key] = set()
        for position in positions:
            found |= parts_of(self.ruleset, position)
        if len(found) < 2:
            raise SgaiError(
                f"split={self.kind!r}: {quote(str(self.ruleset))} shows {len(found)} different components, so none can "
                "be held out"
            )
        shuffled = sorted(found, key=lambda key: sort_key(key))
        chance.shuffle(shuffled)
        held = min(max(1, round(test * len(shuffled))), len(shuffled) - 1)
        self._test, self._held = test, set(shuffled[:held])
        self._seen = found
        self._sizes = {
            side: sorted(key[1][0] for key in found if (key in self._held) == (side == TEST) and len(key[1]) == 1)
            if isinstance(self.ruleset, HeapRuleset)
            else []
            for side in (TRAIN, TEST)
        }

    def side_of(self, part: Key, chance: random.Random) -> int:
        """Return the side of a component; one that was not there before is given one now."""
        if part not in self._seen:
            self._seen.add(part)
            if chance.random() < self._test:
                self._held.add(part)
        return TEST if part in self._held else TRAIN

    def place(self, position: Any, chance: random.Random) -> Iterator[tuple[int, Any]]:
        """Yield the position, or what remains of it, on a side drawn by chance."""
        side = TEST if chance.random() < self._test else TRAIN
        if isinstance(self.ruleset, HeapRuleset) and self._sizes[side]:
            fitted = normal_heaps(
                heap if self.side_of(self._heap(heap), chance) == side else chance.choice(self._sizes[side])
                for heap in position
            )
            yield side, fitted
            return
        if isinstance(self.ruleset, RemovalRuleset):
            kept = self.ruleset.always_live()
            for part in decompose(self.ruleset, position):
                if self.side_of((str(part.ruleset), part.ruleset.canonical(part.position)), chance) == side:
                    kept |= part.position
            position = kept
        sides = {self.side_of(part, chance) for part in parts_of(self.ruleset, position)}
        if len(sides) == 1:
            yield sides.pop(), position

    def _heap(self, heap: int) -> Key:
        rules = self.ruleset.rules()
        return str(rules), rules.canonical((heap,))

    def about(self) -> dict[str, Any]:
        """Return how many components each side has."""
        return {"held_out_components": len(self._held), "other_components": len(self._seen) - len(self._held)}

    def leak(self, train: Sequence[Any], test: Sequence[Any]) -> str | None:
        """Compare the components of both sides."""
        trained: set[Key] = set()
        for position in train:
            trained |= parts_of(self.ruleset, position)
        for position in test:
            both = trained & parts_of(self.ruleset, position)
            if both:
                return f"a component of {quote(self.ruleset.format(position))}, {quote(both.pop())}, is on both sides"
        return None


SPLITS: dict[str, Callable[..., Split]] = {
    each.kind: each for each in (RandomSplit, MoreHeapsSplit, LargerHeapsSplit, UnseenComponentsSplit)
}


def first_positions(sampler: StartSampler, count: int) -> list[Any]:
    """Return some positions of a sampler, for a split to look at."""
    return [sampler.position() for _ in range(count)]
