"""Rulesets that name components which are not independent, for the audit to catch.

They are not registered: `sgai audit` knows them by name, and nothing solves or plays them by their false components.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sgai.errors import SgaiError, nearest, quote
from sgai.parameters import check_integer, parameter, parse_integer
from sgai.registry import load_ruleset, ruleset_names
from sgai.ruleset import Component, Ruleset
from sgai.rulesets.boards import RectangleTake
from sgai.rulesets.coupled_piles import FibonacciNim, LimitedPiles, Shuttle, ShuttlePosition
from sgai.rulesets.heaps import HeapMove, Heaps, replace_heap
from sgai.rulesets.subtraction import Nim
from sgai.syntax import parse_call


class FibonacciPerPile(FibonacciNim):
    """Fibonacci Nim split per pile, though a move in any pile changes the limit of all.

    Examples
    --------
    >>> from sgai.audit import audit
    >>> audit(FibonacciPerPile()).counterexample.why
    'the move 2->1 leads to what no move in a single component leads to'
    """

    name = "fibonacci_per_pile"

    piles: tuple[int, ...] = parameter(default=(2, 3), start=True, doc="the piles at the start")
    limit: int = parameter(default=1, start=True, doc="how many tokens the first move may take; 0 for any but all")

    def components(self, position: LimitedPiles) -> Sequence[Component]:
        """Return every pile with the limit to itself: wrong."""
        return self.approximate_components(position) or super().components(position)


class ShuttlePerPile(Shuttle):
    """The shuttle between two piles split per pile, though it stands at one of them only.

    Examples
    --------
    >>> from sgai.audit import audit
    >>> audit(ShuttlePerPile()).independent
    False
    """

    name = "shuttle_per_pile"

    piles: tuple[int, ...] = parameter(default=(1, 2), start=True, doc="the two piles at the start")
    track: int = parameter(default=1, doc="how many steps there are between the piles")

    def components(self, position: ShuttlePosition) -> Sequence[Component]:
        """Return both piles as Nim heaps: wrong."""
        return self.approximate_components(position) or super().components(position)


class Stocked(NamedTuple):
    """Piles, and how many moves are left for all of them."""

    piles: Heaps
    moves: int


class SharedStock(Ruleset[Stocked, HeapMove]):
    """Nim in which a common stock of moves runs out, split per pile with the whole stock for each.

    Examples
    --------
    >>> from sgai.audit import audit
    >>> audit(SharedStock()).independent
    False
    """

    name = "shared_stock"

    piles: tuple[int, ...] = parameter(default=(2, 2), start=True, doc="the piles at the start")
    moves_left: int = parameter(default=3, start=True, doc="how many moves may be made in all")

    def initial(self) -> Stocked:
        """Return the piles and the stock of the parameters."""
        return self.validate((self.piles, self.moves_left))

    def moves(self, position: Stocked) -> Iterator[tuple[HeapMove, Stocked]]:
        """Yield the moves of Nim, as long as there is one in stock."""
        for pile in dict.fromkeys(position.piles) if position.moves else ():
            for left in range(pile):
                result = (left,) if left else ()
                yield HeapMove(pile, result), Stocked(replace_heap(position.piles, pile, result), position.moves - 1)

    def components(self, position: Stocked) -> Sequence[Component]:
        """Return every pile with the stock to itself: wrong."""
        if len(position.piles) < 2:
            return super().components(position)
        return [Component(self.rules(), Stocked((pile,), position.moves)) for pile in position.piles]

    def validate(self, position: Any) -> Stocked:
        """Reject what is no piles with a number of moves."""
        try:
            piles, moves = position
            moves = check_integer(moves)
        except (TypeError, ValueError):
            moves = -1
        if moves < 0:
            raise SgaiError(f"{quote(position)} is not a position of {self}: it has piles and a stock of moves")
        return Stocked(Nim().validate(piles), moves)

    def format(self, position: Stocked) -> str:
        """Write ``[2;3] stock 4``."""
        return f"{Nim().format(position.piles)} stock {position.moves}"

    def parse(self, text: str) -> Stocked:
        """Read ``[2;3] stock 4``."""
        piles, word, moves = text.partition("stock")
        if not word:
            raise SgaiError(f"{quote(text)} is no position such as [2;3] stock 4")
        return self.validate((Nim().parse(piles), parse_integer(moves)))


class RectangleRows(RectangleTake):
    """Rectangle take split into its rows, though a rectangle may lie in several.

    Examples
    --------
    >>> from sgai.audit import audit
    >>> audit(RectangleRows()).independent
    False
    """

    name = "rectangle_rows"

    rows: int = parameter(default=2, doc="rows of the board")
    columns: int = parameter(default=2, doc="columns of the board")

    def components(self, position: int) -> Sequence[Component]:
        """Return every row that has cells left: wrong."""
        row = (1 << self.columns) - 1
        return _cells_of(self, position, [row << i * self.columns for i in range(self.rows)])


class RectangleColumns(RectangleTake):
    """Rectangle take split into its columns, though a rectangle may lie in several.

    Examples
    --------
    >>> from sgai.audit import audit
    >>> audit(RectangleColumns()).independent
    False
    """

    name = "rectangle_columns"

    rows: int = parameter(default=2, doc="rows of the board")
    columns: int = parameter(default=2, doc="columns of the board")

    def components(self, position: int) -> Sequence[Component]:
        """Return every column that has cells left: wrong."""
        column = sum(1 << i * self.columns for i in range(self.rows))
        return _cells_of(self, position, [column << i for i in range(self.columns)])


COUNTEREXAMPLES: dict[str, type[Ruleset[Any, Any]]] = {
    each.name: each for each in (FibonacciPerPile, ShuttlePerPile, SharedStock, RectangleRows, RectangleColumns)
}


def load_audited(text: str) -> Ruleset[Any, Any]:
    """Make a ruleset from its text as `sgai.load_ruleset` does, these counterexamples among them.

    Examples
    --------
    >>> load_audited("shared_stock(piles=[1;4])").initial()
    Stocked(piles=(1, 4), moves=3)
    """
    name = text.partition("(")[0].strip()
    if name not in COUNTEREXAMPLES:
        near = nearest(name, COUNTEREXAMPLES)
        if near and name not in ruleset_names():
            raise SgaiError(f"unknown ruleset {name!r}{near}; `sgai games` lists all others")
        return load_ruleset(text)
    cls = COUNTEREXAMPLES[name]
    kinds = cls.parameters()
    given = parse_call(text).arguments
    return cls(**{key: kinds[key].parse(value) if key in kinds else value for key, value in given.items()})


def _cells_of(ruleset: RectangleTake, position: int, masks: Sequence[int]) -> Sequence[Component]:
    parts = [position & mask for mask in masks]
    return [Component(ruleset.rules(), part, True) for part in parts if part]
