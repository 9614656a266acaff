"""Removal games on a board of cells: Cram and other placement games, Tac-Tix, Treblecross, Chomp."""

from abc import abstractmethod
from collections.abc import Iterator

from sgai.errors import SgaiError, quote
from sgai.parameters import Kind, parameter
from sgai.registry import register
from sgai.rulesets.removal import MOST_CELLS, RemovalRuleset, RemovalTable, cells_of, mask_of
from sgai.syntax import split, unbracket

Square = tuple[int, int]  # (row, column), from (0,0) at the top left
Piece = tuple[Square, ...]  # sorted, its least row and column are 0


def read_board(text: str) -> tuple[int, int, int]:
    """Read rows of ``.`` (live) and ``#`` (gone), joined by ``/`` or ``|``: return rows, columns and the live cells.

    Examples
    --------
    >>> read_board("..#/#..")
    (2, 3, 51)
    """
    lines = text.strip().replace("|", "/").split("/")
    live = 0
    for row, line in enumerate(lines):
        for column, character in enumerate(line):
            if character not in ".#":
                raise SgaiError(
                    f"{quote(text)}: {character!r} is no cell; write '.' for a live cell, '#' for one that is gone, "
                    "and '/' between rows"
                )
            if character == ".":
                live |= 1 << row * len(lines[0]) + column
        if not line:
            raise SgaiError(f"{quote(text)}: row {row + 1} is empty; it should have one cell at least")
        if len(line) != len(lines[0]):
            raise SgaiError(
                f"{quote(text)}: row {row + 1} has {len(line)} cells and row 1 has {len(lines[0])}; all rows have "
                "equally many"
            )
    return len(lines), len(lines[0]), live


def write_board(rows: int, columns: int, live: int) -> str:
    """Write a board, the inverse of `read_board`.

    Examples
    --------
    >>> write_board(2, 3, 51)
    '..#/#..'
    """
    digits = format(live, f"0{rows * columns}b")[::-1].replace("1", ".").replace("0", "#")
    return "/".join(digits[start : start + columns] for start in range(0, rows * columns, columns))


class BoardRuleset(RemovalRuleset):
    """A removal game on a board; cell ``row * columns + column`` of the table is that cell of the board."""

    rows: int = parameter(default=4, doc="rows of the board")
    columns: int = parameter(default=4, doc="columns of the board")
    cells: str = parameter(
        default="", start=True, doc="the start: rows of . (live) and # (gone) joined by /; by default all are live"
    )

    def __post_init__(self) -> None:
        """Take the size from the cells where none is given; reject boards that are empty, too large, or unlike it."""
        if self.cells:
            try:
                rows, columns, live = read_board(self.cells)
            except SgaiError as error:
                raise SgaiError(f"cells={self.cells}: {error}") from None
            for name, size in (("rows", rows), ("columns", columns)):
                given = getattr(self, name)
                if given == self.parameters()[name].default:
                    object.__setattr__(self, name, size)
                elif given != size:
                    raise SgaiError(
                        f"{name}={given},cells={quote(self.cells)}: the cells are {rows} x {columns}; leave the "
                        "size out or let it agree"
                    )
            self._check_live(live, self.cells)
            whole = live == (1 << rows * columns) - 1
            object.__setattr__(self, "cells", "" if whole else write_board(rows, columns, live))
        for name in ("rows", "columns"):
            if getattr(self, name) < 1:
                raise SgaiError(f"{name}={getattr(self, name)}: a board has one or more")
        if self.rows * self.columns > MOST_CELLS:
            raise SgaiError(f"rows={self.rows},columns={self.columns}: a board has at most {MOST_CELLS:,} cells")

    def initial(self) -> int:
        """Return the board of the parameters."""
        return read_board(self.cells)[2] if self.cells else (1 << self.rows * self.columns) - 1

    def cell(self, row: int, column: int) -> int:
        """Return the number of a cell."""
        return row * self.columns + column

    def format(self, position: int) -> str:
        """Write the board row by row."""
        return write_board(self.rows, self.columns, position)

    def parse(self, text: str) -> int:
        """Read a board of the same size."""
        rows, columns, live = read_board(unbracket(text))
        if (rows, columns) != (self.rows, self.columns):
            raise SgaiError(
                f"{quote(text)} is a board of {rows} x {columns}, and that of {self} is {self.rows} x {self.columns}"
            )
        self._check_live(live, text)
        return live

    def _check_live(self, live: int, text: str) -> None:
        if self.always_live() & ~live:
            raise SgaiError(f"{quote(text)}: the cell at the top left is poisoned and always there; write '.' for it")


class PlacementRuleset(BoardRuleset):
    """A game of placing pieces on live cells, which are gone afterwards."""

    @abstractmethod
    def placements(self) -> Iterator[tuple[list[Square], str]]:
        """Yield the cells that each move covers, and its name."""

    def make_table(self) -> RemovalTable:
        """Return a table in which each move kills what it needs."""
        moves = (([self.cell(*square) for square in squares], name) for squares, name in self.placements())
        return RemovalTable.build(
            self.rows * self.columns,
            ((covered, covered, name) for covered, name in moves),
            shape=(self.rows, self.columns),
        )


def _run_name(squares: list[Square]) -> str:
    (row, column), (last_row, last_column) = squares[0], squares[-1]
    return f"({row},{column})" + (f"-({last_row},{last_column})" if len(squares) > 1 else "")


@register
class Cram(PlacementRuleset):
    """Place a domino on two neighbouring live cells (M. Gardner, 1974); also Arc Kayles on a grid.

    Examples
    --------
    >>> game = Cram(rows=2, columns=2)
    >>> [game.format(option) for option in game.options(game.initial())]
    ['##/..', '#./#.', '.#/.#', '../##']
    """

    name = "cram"

    rows: int = parameter(default=4, doc="rows of the board")
    columns: int = parameter(default=5, doc="columns of the board")

    def placements(self) -> Iterator[tuple[list[Square], str]]:
        """Yield the dominoes, by their upper or left cell."""
        for row in range(self.rows):
            for column in range(self.columns):
                for other in ((row, column + 1), (row + 1, column)):
                    if other[0] < self.rows and other[1] < self.columns:
                        domino = [(row, column), other]
                        yield domino, _run_name(domino)


def _normal_piece(squares: list[Square]) -> Piece:
    top, left = min(row for row, _ in squares), min(column for _, column in squares)
    return tuple(sorted((row - top, column - left) for row, column in squares))


def _read_piece(text: str) -> Piece:
    squares = []
    for row, line in enumerate(text.strip().replace("|", "/").split("/")):
        for column, character in enumerate(line):
            if character not in ".#":
                raise SgaiError(
                    f"{quote(text)}: {character!r} is no cell of a piece; write '#' for its cells, else '.'"
                )
            if character == "#":
                squares.append((row, column))
    if not squares:
        raise SgaiError(f"{quote(text)} is a piece without cells; write '#' for them")
    return _normal_piece(squares)


def _write_piece(piece: Piece) -> str:
    high, wide = max(row for row, _ in piece) + 1, max(column for _, column in piece) + 1
    return "/".join("".join("#" if (r, c) in piece else "." for c in range(wide)) for r in range(high))


def _check_pieces(value: object) -> tuple[str, ...]:
    if not isinstance(value, tuple | list) or not all(isinstance(each, str) for each in value):
        raise SgaiError(f"{quote(value)} is not a list of pieces")
    if not value:
        raise SgaiError("there should be one piece at least")
    return tuple(dict.fromkeys(_write_piece(_read_piece(each)) for each in value))


PIECES = Kind(
    "a list of pieces such as [##;#./##]",
    lambda text: _check_pieces(split(unbracket(text))),
    lambda pieces: "[" + ";".join(pieces) + "]",
    _check_pieces,
)


@register
class Polyominoes(PlacementRuleset):
    """Place one of the pieces on live cells; there are as many of each as wanted.

    A piece is written row by row with ``#`` for its cells, rows joined by ``/``: ``##`` is the domino, ``#./##`` a
    tromino. Pieces need not be connected.

    Examples
    --------
    >>> game = Polyominoes(rows=2, columns=2)
    >>> [game.format_move(game.initial(), move) for move, _ in game.moves(game.initial())]
    ['(0,0)+(1,0)+(1,1)', '(0,1)+(1,0)+(1,1)', '(0,0)+(0,1)+(1,0)', '(0,0)+(0,1)+(1,1)']
    """

    name = "polyominoes"

    pieces: tuple[str, ...] = parameter(
        default=("#./##",), kind=PIECES, doc="the pieces: rows of # and . joined by /, pieces separated by ;"
    )
    turns: bool = parameter(default=True, doc="whether pieces may be turned and turned over")

    def shapes(self) -> list[Piece]:
        """Return every piece in every allowed position of its own, each once."""
        found: dict[Piece, None] = {}
        for text in self.pieces:
            squares = list(_read_piece(text))
            for _ in range(4 if self.turns else 1):
                found[_normal_piece(squares)] = None
                if self.turns:
                    found[_normal_piece([(row, -column) for row, column in squares])] = None
                squares = [(column, -row) for row, column in squares]
        return list(found)

    def placements(self) -> Iterator[tuple[list[Square], str]]:
        """Yield the places of every shape on the board."""
        for shape in self.shapes():
            high, wide = max(row for row, _ in shape) + 1, max(column for _, column in shape) + 1
            for top in range(self.rows - high + 1):
                for left in range(self.columns - wide + 1):
                    squares = [(top + row, left + column) for row, column in shape]
                    yield squares, "+".join(f"({row},{column})" for row, column in squares)


@register
class TacTix(PlacementRuleset):
    """Take any number of adjacent live cells of one row or one column, without gaps (P. Hein, 1940s).

    It is played here so that who takes the last cell wins; Hein's own rule was misere.

    Examples
    --------
    >>> game = TacTix(rows=1, columns=2)
    >>> [game.format_move(game.initial(), move) for move, _ in game.moves(game.initial())]
    ['(0,0)', '(0,0)-(0,1)', '(0,1)']
    """

    name = "tac_tix"

    def placements(self) -> Iterator[tuple[list[Square], str]]:
        """Yield the runs, by their upper or left end."""
        for row in range(self.rows):
            for column in range(self.columns):
                for last in range(column, self.columns):
                    run = [(row, each) for each in range(column, last + 1)]
                    yield run, _run_name(run)
                for last in range(row + 1, self.rows):
                    run = [(each, column) for each in range(row, last + 1)]
                    yield run, _run_name(run)


@register
class Treblecross(BoardRuleset):
    """Treblecross, one-sided noughts and crosses, without the moves that let the opponent win at once.

    In the real game both players write crosses, and who completes three in line (consecutive; in a row, a column or a
    diagonal) wins. A cross that has another one with it in such a line of three lets the opponent complete it. In the
    reduced game played here nobody writes one: a cell is live while a cross there is safe, and who has no safe cell
    has lost. The two have the same outcomes: where no cell is safe there still is an empty one (a full board has a
    line), and any cross lets the opponent win. They do not have the same Grundy values, and this says nothing of misere
    play; only the reduced game is a sum of independent parts.

    Examples
    --------
    >>> game = Treblecross(columns=5)
    >>> [game.format(option) for option in game.options(game.initial())]
    ['###..', '####.', '#####', '.####', '..###']
    """

    name = "treblecross"
    normal_disjunctive_only = (
        "moves that lose the real game at once are left out, which keeps its outcome in normal play and nothing else"
    )

    rows: int = parameter(default=1, doc="rows of the board")
    columns: int = parameter(default=9, doc="columns of the board")
    cells: str = parameter(
        default="", start=True, doc="the start: . where a cross is safe, # elsewhere; by default all are safe"
    )

    def __post_init__(self) -> None:
        """Reject boards without any line of three."""
        super().__post_init__()
        if max(self.rows, self.columns) < 3:
            raise SgaiError(
                f"rows={self.rows},columns={self.columns}: nobody could make three in line; rows or columns should be "
                "3 or more"
            )

    def lines(self) -> Iterator[list[Square]]:
        """Yield the lines of three."""
        for row in range(self.rows):
            for column in range(self.columns):
                for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    last_row, last_column = row + 2 * down, column + 2 * right
                    if last_row < self.rows and 0 <= last_column < self.columns:
                        yield [(row + step * down, column + step * right) for step in range(3)]

    def make_table(self) -> RemovalTable:
        """Return a table in which a cross kills its own cell and those in one line of three with it."""
        kills = [1 << cell for cell in range(self.rows * self.columns)]
        for line in self.lines():
            cells = [self.cell(*square) for square in line]
            for cell in cells:
                kills[cell] |= mask_of(cells)
        moves = (([cell], cells_of(kill), _cell_name(cell, self.columns)) for cell, kill in enumerate(kills))
        return RemovalTable.build(len(kills), moves, shape=(self.rows, self.columns))


def _cell_name(cell: int, columns: int) -> str:
    return f"({cell // columns},{cell % columns})"


@register
class RectangleTake(BoardRuleset):
    """Take a cell with everything that is not above it and not left of it.

    Who takes the last cell wins, so the first player takes all at once; see `Chomp` for the game worth playing.
    """

    name = "rectangle_take"

    rows: int = parameter(default=3, doc="rows of the board")
    columns: int = parameter(default=4, doc="columns of the board")

    def make_table(self) -> RemovalTable:
        """Return a table with a move for every cell that can be taken."""
        poisoned = self.always_live()
        moves = (
            ([cell], self._from(cell), _cell_name(cell, self.columns))
            for cell in range(self.rows * self.columns)
            if not poisoned >> cell & 1
        )
        return RemovalTable.build(self.rows * self.columns, moves, shape=(self.rows, self.columns))

    def _from(self, cell: int) -> list[int]:
        top, left = divmod(cell, self.columns)
        return [self.cell(row, column) for row in range(top, self.rows) for column in range(left, self.columns)]


@register
class Chomp(RectangleTake):
    """Take a cell with everything that is not above it and not left of it; the top left one is poisoned and stays.

    Who has only the poisoned cell left has lost (F. Schuh, 1952; D. Gale, 1974).

    Examples
    --------
    >>> game = Chomp(rows=2, columns=2)
    >>> [game.format(option) for option in game.options(game.initial())]
    ['.#/.#', '../##', '../.#']
    """

    name = "chomp"

    def always_live(self) -> int:
        """Return the poisoned cell."""
        return 1
