"""A chess piece that walks towards a corner of a board, as an impartial game for two."""

import ast
from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from sgai.errors import SgaiError, quote
from sgai.parameters import check_integer, parameter
from sgai.registry import register
from sgai.ruleset import Ruleset
from sgai.rulesets.golden import is_wythoff_pair, lower_wythoff, wythoff_partner

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Square = tuple[int, int]  # (row, column), counted from the corner that the piece walks towards


class Walker(Ruleset[Square, Square]):
    """One piece on a board; both players move it, always nearer to the corner (0,0)."""

    rule_methods: ClassVar[tuple[str, ...]] = ("moves", "targets")

    rows: int = parameter(default=8, doc="rows of the board")
    columns: int = parameter(default=8, doc="columns of the board")
    at: tuple[int, ...] = parameter(
        default=(), start=True, doc="row and column of the piece; by default the far corner"
    )

    def __post_init__(self) -> None:
        """Reject boards without squares and pieces beside the board."""
        for name in ("rows", "columns"):
            if getattr(self, name) < 1:
                raise SgaiError(f"{name}={getattr(self, name)}: a board has one or more")
        self.initial()

    @abstractmethod
    def targets(self, row: int, column: int) -> Iterator[Square]:
        """Yield where the piece may go, before the edges of the board are looked at."""

    def initial(self) -> Square:
        """Return where the piece starts."""
        return self.validate(self.at) if self.at else (self.rows - 1, self.columns - 1)

    def moves(self, position: Square) -> Iterator[tuple[Square, Square]]:
        """Yield the squares that the piece may go to; a move is named by its target."""
        for row, column in self.targets(*position):
            if 0 <= row < self.rows and 0 <= column < self.columns:
                yield (row, column), (row, column)

    def validate(self, position: Any) -> Square:
        """Reject what is no square of the board."""
        problem = SgaiError(
            f"{quote(position)} is not a square of the board; one is (row,column) with rows 0 to {self.rows - 1} and "
            f"columns 0 to {self.columns - 1}"
        )
        try:
            row, column = (check_integer(part) for part in position)
        except (TypeError, ValueError):
            raise problem from None
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            raise problem
        return row, column

    def format(self, position: Square) -> str:
        """Write ``(3,5)``."""
        return f"({position[0]},{position[1]})"

    def parse(self, text: str) -> Square:
        """Read ``(3,5)``."""
        try:
            value = ast.literal_eval(text.strip())
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            value = text
        return self.validate(value)

    def format_move(self, position: Square, move: Square) -> str:  # noqa: ARG002
        """Write the target square."""
        return self.format(move)

    def num_moves(self) -> int:
        """Return the number of squares: a move is named by its target."""
        return self.rows * self.columns

    def move_index(self, move: Square) -> int:
        """Return the number of the target square, row by row."""
        row, column = self.validate(move)
        return row * self.columns + column

    def move_from_index(self, index: int) -> Square:
        """Return the target square with a number."""
        return self.validate(divmod(index, self.columns))

    def max_game_length(self) -> int:
        """Return the sum of the coordinates: every move lowers it."""
        return sum(self.initial())

    def tensor_shape(self) -> tuple[int, ...]:
        """Return the board's rows and columns."""
        if self.rows * self.columns > 10_000_000:
            raise SgaiError(f"a board of {self.rows:,} x {self.columns:,} is too large for a tensor of its squares")
        return (self.rows, self.columns)

    def encode(self, position: Square) -> "npt.NDArray[np.float32]":
        """Return the board with 1 where the piece stands."""
        import numpy as np  # rules load without it

        tensor = np.zeros(self.tensor_shape(), dtype=np.float32)
        tensor[position] = 1.0
        return tensor


@register
class Rook(Walker):
    """A rook moves any distance along its row or column: Nim with two heaps."""

    name = "rook"

    def targets(self, row: int, column: int) -> Iterator[Square]:
        """Yield the squares before it in its column and row."""
        yield from ((r, column) for r in range(row))
        yield from ((row, c) for c in range(column))

    def apply(self, position: Square, move: Square) -> Square:
        """Return the target, without listing all others."""
        straight = self._trusts("apply") and _nearer(position, move) in ("row", "column")
        return move if straight else super().apply(position, move)

    def closed_grundy(self, position: Square) -> int:
        """Return the nim-sum of the coordinates: they are two Nim heaps."""
        return position[0] ^ position[1]

    def closed_winning_moves(self, position: Square) -> list[Square]:
        """Return the move to the diagonal."""
        least = min(position)
        return [] if position[0] == position[1] else [(least, least)]


@register
class King(Walker):
    """A king steps to one of the three neighbouring squares nearer to the corner."""

    name = "king"

    def targets(self, row: int, column: int) -> Iterator[Square]:
        """Yield the three squares."""
        yield (row - 1, column)
        yield (row, column - 1)
        yield (row - 1, column - 1)


@register
class Knight(Walker):
    """The white knight makes one of the four knight's moves that lower the sum of its coordinates."""

    name = "knight"

    def targets(self, row: int, column: int) -> Iterator[Square]:
        """Yield the four squares (*Winning Ways*, chapter 3)."""
        yield (row - 2, column - 1)
        yield (row - 2, column + 1)
        yield (row - 1, column - 2)
        yield (row + 1, column - 2)


@register
class Queen(Walker):
    """A queen moves any distance along row, column or diagonal: Wythoff's game."""

    name = "queen"

    def targets(self, row: int, column: int) -> Iterator[Square]:
        """Yield the squares before it in its column, row and diagonal."""
        yield from ((r, column) for r in range(row))
        yield from ((row, c) for c in range(column))
        yield from ((row - d, column - d) for d in range(1, min(row, column) + 1))

    def apply(self, position: Square, move: Square) -> Square:
        """Return the target, without listing all others."""
        straight = self._trusts("apply") and _nearer(position, move) is not None
        return move if straight else super().apply(position, move)

    def closed_outcome(self, position: Square) -> str:
        """Return P for Wythoff's pairs, in either order, and N for all other squares (Wythoff 1907)."""
        return "P" if is_wythoff_pair(*position) else "N"

    def closed_winning_moves(self, position: Square) -> list[Square]:
        """Return the moves to Wythoff's pairs: one at most in the row, in the column and on the diagonal."""
        row, column = position
        if is_wythoff_pair(row, column):
            return []
        first, second = wythoff_partner(column), wythoff_partner(row)
        found = [(first, column)] * (first < row) + [(row, second)] * (second < column)
        less = lower_wythoff(abs(row - column))
        if less < min(row, column):
            found.append((less + max(0, row - column), less + max(0, column - row)))
        return found


def _nearer(position: Square, move: Any) -> str | None:
    """Return the line, "row", "column" or "diagonal", on which a move goes nearer to the corner; None for all else."""
    if not (isinstance(move, tuple) and len(move) == 2 and all(type(each) is int and each >= 0 for each in move)):
        return None
    down, along = position[0] - move[0], position[1] - move[1]
    if down == 0 and along > 0:
        return "row"
    if along == 0 and down > 0:
        return "column"
    return "diagonal" if down == along > 0 else None
