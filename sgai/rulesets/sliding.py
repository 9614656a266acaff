"""Two pieces in each row of a board that both players may slide: Northcott's game made impartial, and loopy."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sgai.errors import IllegalMoveError, SgaiError, quote
from sgai.nimbers import nim_sum
from sgai.parameters import Kind, check_choice, check_integer, parameter
from sgai.registry import register
from sgai.ruleset import Component, Ruleset
from sgai.syntax import unbracket

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

RETREATS = ("both", "left", "none")


class Row(NamedTuple):
    """A row of squares with two pieces; squares are counted from 0."""

    columns: int
    left: int
    right: int

    @property
    def gap(self) -> int:
        """The number of squares between the pieces."""
        return self.right - self.left - 1

    def __str__(self) -> str:
        return "".join("O" if column in self[1:] else "." for column in range(self.columns))


class SlideMove(NamedTuple):
    """Slide the left (``piece`` 0) or right piece (1) of a row to a square; rows and squares are counted from 0."""

    row: int
    piece: int
    to: int


Rows = tuple[Row, ...]


def _parse_rows(text: str) -> Rows:
    rows = []
    for line in unbracket(text).replace("|", "/").split("/"):
        squares = line.replace(" ", "")
        places = [column for column, square in enumerate(squares) if square == "O"]
        if set(squares) - set("O.") or len(places) != 2:
            raise SgaiError(f"{quote(line)} in {quote(text)} is no row with two pieces, such as .O..O")
        rows.append(Row(len(squares), *places))
    return tuple(rows)


def _format_rows(rows: Rows) -> str:
    return "/".join(map(str, rows))


def _check_rows(value: Any) -> Rows:
    try:
        rows = tuple([Row(*map(check_integer, row)) for row in value])
        right = all(0 <= left < right < columns for columns, left, right in rows)
    except (TypeError, ValueError):
        rows, right = (), False
    if not rows or not right:
        raise SgaiError(
            f"{quote(value)} is no board of rows with two pieces: a row is its number of squares and the squares of "
            "both pieces, counted from 0, such as (5, 1, 4) for .O..O"
        )
    return rows


BOARD = Kind(
    "rows of squares with two pieces each, such as [O..O./.O...O]",
    _parse_rows,
    lambda rows: f"[{_format_rows(rows)}]",
    _check_rows,
)


def _check_retreat(value: Any) -> str:
    check_choice("retreat", value, RETREATS)
    return str(value)


RETREAT = Kind(
    "which pieces may slide away from the other one: both, left or none",
    lambda text: _check_retreat(unbracket(text)),
    str,
    _check_retreat,
)


@register
class Sliding(Ruleset[Rows, SlideMove]):
    """Slide one of the two pieces in a row any number of empty squares, forwards or back.

    In Northcott's game each player has a piece in every row; here both players may move both, so that it is impartial.
    A piece never jumps. Play can go to and fro for ever, which is a draw. A row is over when its pieces touch if
    ``locked``, and ``retreat`` says which pieces may slide away from the other one. The loopy value of a row with g
    squares between its pieces (proved below, and brute-forced in the tests):

    - ``retreat=none``: g, and play ends. It is Nim.
    - ``retreat=left``: g too, though the left piece may go back and forth: when it does, the right one closes up.
    - ``retreat=both,locked=true``: 0 when the pieces touch; 1 for one free square in all; else infinity with 0, so that
      a row alone is won at once and two rows are a draw.
    - ``retreat=both,locked=false``: 0 where the pieces fill the row; else infinity with no finite option, a draw for
      ever.

    Proof of the third: a row that is not over can always be ended, so its value is not 0 and 0 is among its options. If
    a row had a finite value above 0, some row of the same length would have value 1. Take one of the lowest level: its
    options of no or larger value have an option of value 1 on a lower level, so there are none: all its options have
    value 0, and then it has no retreat and a gap of 1. In the fourth, no position with a free square is without moves.

    Examples
    --------
    >>> game = Sliding(board="O.O/.OO")
    >>> board = game.initial()
    >>> [f"{game.format_move(board, move)} to {game.format(option)}" for move, option in game.moves(board)]
    ['1: 1->2 to .OO/.OO', '1: 3->2 to OO./.OO']
    """

    name = "sliding"
    can_be_loopy = True

    board: Rows = parameter(
        default=(Row(4, 0, 3), Row(5, 1, 2)), kind=BOARD, start=True, doc="rows with two pieces O each, joined by /"
    )
    locked: bool = parameter(default=True, doc="whether a row is over when its pieces touch")
    retreat: str = parameter(default="both", kind=RETREAT, doc=RETREAT.describe)

    def __post_init__(self) -> None:
        """Note that play ends where no piece may retreat."""
        if self.retreat != "none":
            object.__setattr__(self, "loopy", True)

    def initial(self) -> Rows:
        """Return the board of the parameters."""
        return self.board

    def moves(self, position: Rows) -> Iterator[tuple[SlideMove, Rows]]:
        """Yield the slides of both pieces in each row, from left to right."""
        for number, row in enumerate(position):
            columns, left, right = row
            if self.locked and right == left + 1:
                continue
            for to in range(0 if self.retreat in ("both", "left") else left + 1, right):
                if to != left:
                    yield SlideMove(number, 0, to), _replaced(position, number, Row(columns, to, right))
            for to in range(left + 1, columns if self.retreat == "both" else right):
                if to != right:
                    yield SlideMove(number, 1, to), _replaced(position, number, Row(columns, left, to))

    # Structure

    def components(self, position: Rows) -> Sequence[Component]:
        """Return every row."""
        if len(position) == 1:
            return (Component(self, position),)
        rules = self.rules()
        return tuple([Component(rules, (row,), True) for row in position])

    def lift_move(self, position: Rows, index: int, move: SlideMove) -> SlideMove:  # noqa: ARG002
        """Return the move with the number of its row."""
        return move._replace(row=index)

    def canonical(self, position: Rows) -> Rows:
        """Bring rows into order, each turned round where both of its pieces have the same rules."""
        if self.retreat == "left":
            return tuple(sorted(position))
        return tuple(sorted(min(row, _turned(row)) for row in position))

    def closed_grundy(self, position: Rows) -> int | None:
        """Return the nim-sum of the gaps, where no piece may retreat: it is Nim."""
        return nim_sum(row.gap for row in position) if self.retreat == "none" else None

    # Text

    def validate(self, position: Any) -> Rows:
        """Reject what is no rows with two pieces each."""
        return _check_rows(position)

    def format(self, position: Rows) -> str:
        """Write ``O..O./.O.O``."""
        return _format_rows(position)

    def parse(self, text: str) -> Rows:
        """Read ``O..O./.O.O``."""
        return _parse_rows(text)

    def format_move(self, position: Rows, move: SlideMove) -> str:
        """Write the row and the squares from and to, all counted from 1: ``2: 1->4``."""
        row, piece, to = move
        start = position[row][1 + piece] + 1 if row < len(position) else ("left", "right")[piece]
        return f"{row + 1}: {start}->{to + 1}"

    # For OpenSpiel: the alphabet has a place for each row, piece and square

    def num_moves(self) -> int:
        """Return two moves for each row and column."""
        return 2 * len(self.board) * self._columns()

    def move_index(self, move: SlideMove) -> int:
        """Return the index of a move."""
        try:
            row, piece, to = map(check_integer, move)
            known = 0 <= row < len(self.board) and piece in (0, 1) and 0 <= to < self._columns()
        except (TypeError, ValueError):
            known = False
        if not known:
            raise IllegalMoveError(f"{quote(str(move))} is no move of {self}")
        return (2 * row + piece) * self._columns() + to

    def move_from_index(self, index: int) -> SlideMove:
        """Return the move with an index."""
        if not 0 <= index < self.num_moves():
            raise self.no_such_index(index)
        side, to = divmod(index, self._columns())
        return SlideMove(*divmod(side, 2), to)

    def max_game_length(self) -> int:
        """Return the number of squares between pieces, where no piece may retreat; else there is no bound."""
        return super().max_game_length() if self.loopy else sum(row.gap for row in self.board)

    def tensor_shape(self) -> tuple[int, ...]:
        """Return two planes: where pieces are, and where squares are."""
        return (2, len(self.board), self._columns())

    def encode(self, position: Rows) -> "npt.NDArray[np.float32]":
        """Return the planes."""
        import numpy as np  # rules load without it

        tensor = np.zeros(self.tensor_shape(), dtype=np.float32)
        for number, (columns, left, right) in enumerate(position):
            tensor[0, number, [left, right]] = 1.0
            tensor[1, number, :columns] = 1.0
        return tensor

    def _columns(self) -> int:
        return max(row.columns for row in self.board)


def _turned(row: Row) -> Row:
    return Row(row.columns, row.columns - 1 - row.right, row.columns - 1 - row.left)


def _replaced(position: Rows, number: int, row: Row) -> Rows:
    return (*position[:number], row, *position[number + 1 :])
