"""Removal games: a position is a set of live cells, and a move takes some of them away.

Move m is legal while all cells that it needs are live, and it kills cells; what is dead stays dead. Everything about
such a game is in one table of bit masks, so that one search serves them all.
"""

import functools
import operator
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sgai.errors import IllegalMoveError, SgaiError, quote
from sgai.parameters import check_integer
from sgai.ruleset import Component, Ruleset

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Permutation = tuple[int, ...]  # cell i goes to cell permutation[i]

MOST_CELLS = 4_096
MOST_MOVES = 200_000
_MOST_LISTED = 5_000_000  # needed and killed cells, over all moves


def mask_of(cells: Iterable[int]) -> int:
    """Return the set of cells as a bit mask: cell i is bit i.

    Examples
    --------
    >>> mask_of([0, 3])
    9
    """
    mask = 0
    for cell in cells:
        mask |= 1 << cell
    return mask


def cells_of(mask: int) -> Iterator[int]:
    """Yield the cells of a bit mask, lowest first.

    Examples
    --------
    >>> list(cells_of(9))
    [0, 3]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@functools.lru_cache(maxsize=4096)
def image_under(permutation: Permutation) -> Callable[[int], int]:
    """Return the function that maps sets of cells by a permutation of the cells.

    Examples
    --------
    >>> image_under((2, 1, 0))(0b011)
    6
    """
    count = len(permutation)
    sources = [0] * count
    for cell, target in enumerate(permutation):
        sources[count - 1 - target] = count - 1 - cell  # bit i is digit count - 1 - i
    pick, width = operator.itemgetter(*sources), f"0{count}b"

    def image(mask: int) -> int:
        if mask.bit_count() * 50 < count:
            return mask_of(permutation[cell] for cell in cells_of(mask))
        return int("".join(pick(format(mask, width))), 2)  # several times faster than bit by bit where many are set

    return image


def board_permutations(rows: int, columns: int) -> list[Permutation]:
    """Return the rotations and reflections of a board, the identity first: up to 8 for a square one, else up to 4.

    Examples
    --------
    >>> board_permutations(1, 3)
    [(0, 1, 2), (2, 1, 0)]
    """
    found: dict[Permutation, None] = {}
    cells = [(row, column) for row in range(rows) for column in range(columns)]
    for turned in (False, True) if rows == columns else (False,):
        for down in (False, True):
            for right in (False, True):
                permutation = []
                for row, column in cells:
                    r, c = (column, row) if turned else (row, column)
                    r, c = (rows - 1 - r if down else r), (columns - 1 - c if right else c)
                    permutation.append(r * columns + c)
                found[tuple(permutation)] = None
    return list(found)


@dataclass(frozen=True)
class RemovalTable:
    """A removal game as data; `build` makes one, checks it, and finds out the rest.

    Attributes
    ----------
    cells : int
        How many cells there are. Sets of cells are bit masks: cell i is bit i.
    needs, kills : tuple of int
        What each move needs and kills.
    names : tuple of str
        The text of each move, all different.
    neighbours : tuple of int
        The interaction graph, a mask a cell: each cell that a move needs is joined to all that it needs or kills.
    moves_of : tuple of tuple of int
        The moves that need the cell.
    shape : tuple of int or None
        Rows and columns, where cell ``row * columns + column`` is that cell of a board.
    symmetries : tuple of tuple of int
        A group of permutations that map the set of moves onto itself, the identity first.
    translates : bool
        Whether positions of a board may be shifted left and up as far as there is room: moves that fit are the same.
    transposes : bool
        Whether the largest square in the top left corner may be reflected in its diagonal, as far as moves fit in it.
    graph_determined : str
        The game that the interaction graph plays: "node" for Node Kayles, "arc" for Arc Kayles, "kayles" for Kayles
        on the graph; else "".

    Examples
    --------
    >>> row = RemovalTable.build(3, [([0, 1], [0, 1], "left"), ([1, 2], [1, 2], "right")], shape=(1, 3))
    >>> row.needs, row.neighbours, row.symmetries, row.translates, row.graph_determined
    ((3, 6), (2, 5, 2), ((0, 1, 2), (2, 1, 0)), True, 'arc')
    """

    cells: int
    needs: tuple[int, ...]
    kills: tuple[int, ...]
    names: tuple[str, ...]
    neighbours: tuple[int, ...]
    moves_of: tuple[tuple[int, ...], ...]
    shape: tuple[int, int] | None
    symmetries: tuple[Permutation, ...]
    translates: bool
    transposes: bool
    graph_determined: str

    @classmethod
    def build(
        cls,
        cells: int,
        moves: Iterable[tuple[Iterable[int], Iterable[int], str]],
        shape: tuple[int, int] | None = None,
        symmetries: Iterable[Permutation] = (),
    ) -> "RemovalTable":
        """Make a table.

        Parameters
        ----------
        cells : int
            How many cells there are.
        moves : iterable of (need, kill, name)
            The cells that a move needs and those that it kills, by number. Equal moves are one, by its first name.
        shape : tuple of int, optional
            Rows and columns of a board; its own symmetries are found by trying them.
        symmetries : iterable of permutations, optional
            Symmetries of a game that is on no board: they must form a group; each is checked.

        Raises
        ------
        SgaiError
            For a move that needs nothing, that could be made for ever, or whose cells do not exist; for two moves
            with one name; for a symmetry that is none; and for a game too large for a table.
        """
        if not 1 <= cells <= MOST_CELLS:
            raise SgaiError(f"{cells:,} cells; a removal game has from 1 to {MOST_CELLS:,}")
        if shape is not None and shape[0] * shape[1] != cells:
            raise SgaiError(f"a board of {shape[0]} x {shape[1]} does not have {cells} cells")
        named = _checked_moves(cells, moves)
        needs, kills = tuple(need for need, _ in named), tuple(kill for _, kill in named)
        neighbours = [0] * cells
        moves_of: list[list[int]] = [[] for _ in range(cells)]
        for number, (need, kill) in enumerate(named):
            for cell in cells_of(need):
                moves_of[cell].append(number)
                neighbours[cell] |= need | kill
            for cell in cells_of(kill & ~need):
                neighbours[cell] |= need
        neighbours = [near & ~(1 << cell) for cell, near in enumerate(neighbours)]
        identity = tuple(range(cells))
        listed = list(zip(needs, kills, strict=True))
        if shape is not None:
            found = [each for each in board_permutations(*shape) if _maps_onto_itself(each, listed)]
        else:
            found = list(dict.fromkeys([identity, *symmetries]))
            for each in found:
                if sorted(each) != list(identity) or not _maps_onto_itself(each, listed):
                    raise SgaiError(f"{quote(each)} is no symmetry: it does not map the set of moves onto itself")
        return cls(
            cells=cells,
            needs=needs,
            kills=kills,
            names=tuple(named.values()),
            neighbours=tuple(neighbours),
            moves_of=tuple(map(tuple, moves_of)),
            shape=shape,
            symmetries=tuple(found),
            translates=shape is not None and _translates(shape, listed),
            transposes=shape is not None and _transposes(shape, listed),
            graph_determined=_graph_determined(cells, listed),
        )

    @functools.cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each move, by its name without spaces."""
        return {name.replace(" ", ""): number for number, name in enumerate(self.names)}

    @functools.cached_property
    def moves(self) -> tuple[tuple[int, int, int], ...]:
        """Number, need and what is kept of each move."""
        everything = (1 << self.cells) - 1
        pairs = enumerate(zip(self.needs, self.kills, strict=True))
        return tuple((number, need, everything & ~kill) for number, (need, kill) in pairs)

    def needed(self, position: int) -> int:
        """Return the cells that some legal move needs; all others make no difference."""
        needed = 0
        for need in self.needs:
            if need & position == need:
                needed |= need
        return needed

    def parts(self, position: int) -> list[int]:
        """Return the independent parts of a position, that of the lowest cell first, without what no move needs.

        Two parts are independent when no legal move that needs a cell of one kills a needed cell of the other: legal
        moves only ever become fewer, so this stays so.
        """
        legal = [(need, kill) for need, kill in zip(self.needs, self.kills, strict=True) if need & position == need]
        needed = 0
        for need, _ in legal:
            needed |= need
        parts: list[int] = []
        for need, kill in legal:
            joined = need | (kill & needed)
            apart = []
            for part in parts:
                if part & joined:
                    joined |= part
                else:
                    apart.append(part)
            apart.append(joined)
            parts = apart
        return sorted(parts, key=lambda part: part & -part)

    def least_image(self, position: int) -> int:
        """Return one position for all that differ by symmetry, by a shift, or in cells that no legal move needs."""
        position = self.needed(position)
        if not position:
            return 0
        if self.shape is None or not self.translates:
            return min(image_under(each)(position) for each in self.symmetries)
        position, (high, wide) = to_corner(position, self.shape)
        forms = [position]
        rows, columns = self.shape
        if rows != columns and self.transposes and max(high, wide) <= min(rows, columns):
            forms.append(image_under(_corner_transposition(self.shape))(position))
        return min(to_corner(image_under(each)(form), self.shape)[0] for form in forms for each in self.symmetries)


class RemovalRuleset(Ruleset[int, int]):
    """A removal game: a position is the set of live cells as a bit mask, a move its number in the table.

    Subclasses give `make_table`, `initial`, and how positions are written. The table must follow from the parameters
    of the rules alone, not from those of the start.

    Examples
    --------
    >>> class Triples(RemovalRuleset):
    ...     '''Take three cells of a row that are side by side.'''
    ...     cells: int = 5
    ...     def make_table(self):
    ...         triples = [range(first, first + 3) for first in range(self.cells - 2)]
    ...         return RemovalTable.build(self.cells, [(each, each, str(each[0])) for each in triples])
    ...     def initial(self):
    ...         return (1 << self.cells) - 1
    >>> [bin(option) for option in Triples().options(0b11111)]
    ['0b11000', '0b10001', '0b11']
    """

    @abstractmethod
    def make_table(self) -> RemovalTable:
        """Return the cells and moves."""

    @property
    def table(self) -> RemovalTable:
        """The cells and moves; made once for all starts of the same rules."""
        kept: RemovalTable | None = self.__dict__.get("_table")
        if kept is None:
            rules = self.rules()
            kept = self.make_table() if rules is self or not isinstance(rules, RemovalRuleset) else rules.table
            if not isinstance(kept, RemovalTable):
                raise SgaiError(
                    f"make_table of {type(self).__name__} returned {quote(kept)}; it should be a RemovalTable"
                )
            self.__dict__["_table"] = kept
        return kept

    def always_live(self) -> int:
        """Return the cells that no move needs or kills, but that every position must have; by default none."""
        return 0

    def moves(self, position: int) -> Iterator[tuple[int, int]]:
        """Yield the moves whose needed cells are all live, in the order of the table."""
        for number, need, kept in self.table.moves:
            if need & position == need:
                yield number, position & kept

    def apply(self, position: int, move: int) -> int:
        """Return the option that a move leads to, or raise `IllegalMoveError`."""
        table = self.table
        try:
            move = check_integer(move)
        except SgaiError:
            raise self.illegal_move(position, move) from None
        if not 0 <= move < len(table.needs) or table.needs[move] & ~position:
            raise self.illegal_move(position, move)
        return position & ~table.kills[move]

    def validate(self, position: Any) -> int:
        """Reject what is no set of live cells."""
        try:
            live = check_integer(position)
        except SgaiError:
            raise SgaiError(
                f"{quote(position)} is not a position of {self}: a position is an integer whose bit i is 1 where "
                "cell i is live"
            ) from None
        if live < 0 or live >> self.table.cells:
            raise SgaiError(
                f"{quote(position)} is not a position of {self}: it has {self.table.cells} cells, so a set of them is "
                f"from 0 to {quote((1 << self.table.cells) - 1).strip(chr(39))}"
            )
        if self.always_live() & ~live:
            missing = ", ".join(map(str, cells_of(self.always_live() & ~live)))
            raise SgaiError(f"{quote(position)} is not a position of {self}: cell {missing} is always live")
        return live

    def components(self, position: int) -> Sequence[Component]:
        """Return the parts that no legal move joins; cells that no legal move needs are in none."""
        rules, always = self.rules(), self.always_live()
        return tuple([Component(rules, part | always, True) for part in self.table.parts(position)])

    def lift_move(self, position: int, index: int, move: int) -> int:  # noqa: ARG002
        """Return the move itself: the whole has the same cells."""
        return move

    def canonical(self, position: int) -> int:
        """Drop cells that no legal move needs, then take the least of all symmetric and shifted images."""
        # Remembered, since a search asks for the form of the same option from many positions.
        kept: dict[int, int] = self.__dict__.setdefault("_canonical", {})
        form = kept.get(position)
        if form is None:
            if len(kept) >= 100_000:
                kept.clear()
            form = kept[position] = self.table.least_image(position) | self.always_live()
        return form

    def format_move(self, position: int, move: int) -> str:  # noqa: ARG002
        """Write the move by its name."""
        if type(move) is not int or not 0 <= move < len(self.table.names):
            return str(move)
        return self.table.names[move]

    def parse_move(self, position: int, text: str) -> int:
        """Read the name of a legal move."""
        move = self.table.numbers.get(text.replace(" ", ""))
        if move is None or self.table.needs[move] & ~position:
            raise self.illegal_move(position, text)
        return move

    def num_moves(self) -> int:
        """Return the number of moves in the table."""
        return len(self.table.needs)

    def move_index(self, move: int) -> int:
        """Return the number of the move, which is the move itself."""
        return self._numbered(move, "no move")

    def move_from_index(self, index: int) -> int:
        """Return the move with a number, which is the number itself."""
        return self._numbered(index, "no index of a move")

    def legal_indices(self, position: int) -> list[int]:
        """Return the numbers of the moves whose needed cells are all live."""
        if not self._trusts("legal_indices"):  # a subclass has other moves
            return super().legal_indices(position)
        return [number for number, need, _ in self.table.moves if need & position == need]

    def max_game_length(self) -> int:
        """Return a bound: how often the least that a move kills goes into what is needed at the start."""
        table, start = self.table, self.initial()
        legal = [n for n, need in enumerate(table.needs) if need & start == need]
        fewest = min(((table.needs[n] & table.kills[n]).bit_count() for n in legal), default=1)
        return table.needed(start).bit_count() // fewest

    def tensor_shape(self) -> tuple[int, ...]:
        """Return the board's rows and columns, or the number of cells."""
        return self.table.shape or (self.table.cells,)

    def encode(self, position: int) -> "npt.NDArray[np.float32]":
        """Return 1 for live cells and 0 for dead ones."""
        import numpy as np  # rules load without it

        tensor = np.zeros(self.table.cells, dtype=np.float32)
        tensor[list(cells_of(position))] = 1.0
        return tensor.reshape(self.tensor_shape())

    def _numbered(self, number: int, what: str) -> int:
        if type(number) is not int or not 0 <= number < len(self.table.needs):
            raise IllegalMoveError(
                f"{quote(number)} is {what} of {self}; they run from 0 to {len(self.table.needs) - 1}"
            )
        return number


def _checked_moves(cells: int, moves: Iterable[tuple[Iterable[int], Iterable[int], str]]) -> dict[tuple[int, int], str]:
    named: dict[tuple[int, int], str] = {}
    listed = 0
    for each in moves:
        try:
            need_cells, kill_cells, name = each
            wanted, killed = [check_integer(cell) for cell in need_cells], [check_integer(cell) for cell in kill_cells]
        except (TypeError, ValueError):
            raise SgaiError(
                f"{quote(each)} is no move; it is (numbers of needed cells, of killed cells, a name)"
            ) from None
        if not isinstance(name, str) or not name.strip():
            raise SgaiError(f"{quote(each)} is no move: its name {quote(name)} should be a text that is not empty")
        for cell in (*wanted, *killed):
            if not 0 <= cell < cells:
                raise SgaiError(f"move {quote(name)}: there is no cell {cell}; cells run from 0 to {cells - 1}")
        need, kill = mask_of(wanted), mask_of(killed)
        if not need:
            raise SgaiError(f"move {quote(name)} needs no cell, so it could be made for ever")
        if not need & kill:
            raise SgaiError(f"move {quote(name)} kills no cell that it needs, so it could be made for ever")
        named.setdefault((need, kill), name)
        listed += len(wanted) + len(killed)
        if len(named) > MOST_MOVES:
            raise SgaiError(f"more than {MOST_MOVES:,} moves, too many for a table; choose a smaller game")
        if listed > _MOST_LISTED:
            raise SgaiError(
                f"{len(named):,} moves need or kill more than {_MOST_LISTED:,} cells together, too many for a table; "
                "choose a smaller game"
            )
    texts: set[str] = set()
    for name in named.values():
        if name in texts:
            raise SgaiError(f"two different moves have the name {quote(name)}")
        texts.add(name)
    return named


def _maps_onto_itself(permutation: Permutation, moves: list[tuple[int, int]]) -> bool:
    image = image_under(permutation)
    known = set(moves)
    return all((image(need), image(kill)) in known for need, kill in moves)


def _translates(shape: tuple[int, int], moves: list[tuple[int, int]]) -> bool:
    rows, columns = shape
    row = (1 << columns) - 1
    first_column = mask_of(range(0, rows * columns, columns))
    everything = (1 << rows * columns) - 1
    for step, leaving in ((1, first_column), (columns, row)):
        # Cells of `inside` go to those of `target`; what moves kill elsewhere is dead in every shifted position.
        inside = everything & ~leaving
        target = inside >> step
        shifted = sorted((need >> step, (kill & inside) >> step) for need, kill in moves if not need & ~inside)
        if shifted != sorted((need, kill & target) for need, kill in moves if not need & ~target):
            return False
    return True


def _transposes(shape: tuple[int, int], moves: list[tuple[int, int]]) -> bool:
    _, columns = shape
    side = min(shape)
    corner = mask_of(row * columns + column for row in range(side) for column in range(side))
    fitting = [(need, kill & corner) for need, kill in moves if not need & ~corner]
    image = image_under(_corner_transposition(shape))
    return sorted(fitting) == sorted((image(need), image(kill)) for need, kill in fitting)


@functools.lru_cache(maxsize=256)
def _corner_transposition(shape: tuple[int, int]) -> Permutation:
    rows, columns = shape
    side = min(shape)
    return tuple(
        column * columns + row if max(row, column) < side else row * columns + column
        for row in range(rows)
        for column in range(columns)
    )


def to_corner(position: int, shape: tuple[int, int]) -> tuple[int, tuple[int, int]]:
    """Return a position, not empty, shifted to the top left corner of its board, and the rows and columns of its box.

    Examples
    --------
    >>> to_corner(0b100_110_000, (3, 3))
    (19, (2, 2))
    """
    _, columns = shape
    first_row = ((position & -position).bit_length() - 1) // columns
    position >>= first_row * columns
    row = (1 << columns) - 1
    rest, used, high = position, 0, 0
    while rest:
        used |= rest & row
        rest >>= columns
        high += 1
    first_column = (used & -used).bit_length() - 1
    return position >> first_column, (high, used.bit_length() - first_column)


def _graph_determined(cells: int, moves: list[tuple[int, int]]) -> str:
    same = all(need == kill for need, kill in moves)
    sizes = {need.bit_count() for need, _ in moves}
    if same and sizes == {2}:
        return "arc"
    if sizes == {1} and len(moves) == cells:
        killed = {need.bit_length() - 1: kill for need, kill in moves}
        if len(killed) == cells and all(killed[b] >> a & 1 for a, kill in killed.items() for b in cells_of(kill)):
            # Each kills itself too: a move kills what it needs.
            return "node"
    if same and sizes == {1, 2} and sum(need.bit_count() == 1 for need, _ in moves) == cells:
        return "kayles"
    return ""
