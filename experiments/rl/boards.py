"""Benchmarks by name, with the source that they were taken from."""

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sgai.errors import SgaiError, nearest, quote
from sgai.rulesets.heaps import Heaps, normal_heaps


@dataclass(frozen=True)
class Benchmark:
    """A game with a set of test positions, as somebody published it.

    Attributes
    ----------
    name : str
        Such as ``zhou-riis-5``; underscores are read too.
    game : str
        The OpenSpiel game.
    source : str
        Who published it, where.
    note : str
        What is known of the test positions, and what differs here.
    heaps : tuple of int
        The board: a test position has each heap between 0 and this.
    most : int
        How many test positions; all if there are no more.
    """

    name: str
    game: str
    source: str
    note: str
    heaps: tuple[int, ...]
    most: int

    @property
    def total(self) -> int:
        """The number of boards, the empty one included."""
        return math.prod(heap + 1 for heap in self.heaps)

    def positions(self, seed: int = 0, most: int | None = None) -> list[Heaps]:
        """Return the test positions: boards drawn without replacement, each as likely as any other.

        Parameters
        ----------
        seed : int
            Repeats them.
        most : int, optional
            How many; by default the benchmark's own number.

        Returns
        -------
        list of tuple of int
            The boards as multisets of heaps, so that one that comes in several orders may come several times. The empty
            board is left out: nobody can choose a move there.

        Examples
        --------
        >>> board = benchmark("zhou-riis-5")
        >>> positions = board.positions()
        >>> len(positions), board.total
        (3839, 3840)
        >>> sum(heap == 9 for position in positions for heap in position)
        384
        """
        most = self.most if most is None else most
        if isinstance(most, bool) or not isinstance(most, int) or most < 1:
            raise SgaiError(f"most={quote(most)}: it should be a number of positions, 1 or more")
        if most >= self.total:
            return [position for position in map(normal_heaps, self._all()) if position]
        drawn = random.Random(seed).sample(range(self.total), most)
        return [position for position in map(self._board, drawn) if position]

    def _all(self) -> Iterator[tuple[int, ...]]:
        return itertools.product(*(range(heap + 1) for heap in self.heaps))

    def _board(self, number: int) -> Heaps:
        found = []
        for heap in reversed(self.heaps):
            number, size = divmod(number, heap + 1)
            found.append(size)
        return normal_heaps(found)


_ZHOU_RIIS = "B. Zhou and S. Riis, Impartial Games: A Challenge for Reinforcement Learning, arXiv 2205.12787 (2022)"
_ZHOU_RIIS_NOTE = (
    "Normal play from heaps 1, 3, 5, ...; in the authors' published code the test positions are up to 10,000 boards "
    "drawn without replacement from all, and a policy is right where its most probable legal move wins, out of the "
    "boards that have a winning move. Here equal heaps are one: a board is a multiset, and so are the moves, which "
    "makes a random move a little better than theirs; and value accuracy is balanced, which theirs is not."
)


def _zhou_riis(heaps: int) -> Benchmark:
    board = tuple(range(1, 2 * heaps, 2))
    game = f"sgai_nim(piles=[{';'.join(map(str, board))}])"
    return Benchmark(f"zhou-riis-{heaps}", game, _ZHOU_RIIS, _ZHOU_RIIS_NOTE, board, 10_000)


BENCHMARKS: dict[str, Benchmark] = {each.name: each for each in map(_zhou_riis, (5, 6, 7))}


def benchmark(name: str) -> Benchmark:
    """Return a benchmark by its name.

    Raises
    ------
    SgaiError
        If there is none of this name.

    Examples
    --------
    >>> benchmark("zhou_riis_6").game
    'sgai_nim(piles=[1;3;5;7;9;11])'
    """
    found = BENCHMARKS.get(name.strip().replace("_", "-"))
    if found is None:
        known = ", ".join(BENCHMARKS)
        raise SgaiError(f"unknown benchmark {quote(name)}{nearest(name, BENCHMARKS)}; benchmarks are: {known}")
    return found


def find_benchmark(text: Any) -> Benchmark | None:
    """Return the benchmark that a text names, or None where it names a game.

    Examples
    --------
    >>> find_benchmark("zhou_riis_5").name, find_benchmark("sgai_nim(piles=[3])")
    ('zhou-riis-5', None)
    """
    return BENCHMARKS.get(text.strip().replace("_", "-")) if isinstance(text, str) else None
