"""Leap and take: pieces that jump over each other on a strip or a board, and piles to take tokens from."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sgai.errors import IllegalMoveError, SgaiError, quote
from sgai.parameters import check_integer, format_integers, parameter
from sgai.registry import register
from sgai.ruleset import Component, Ruleset
from sgai.rulesets.heaps import HeapMove, Heaps
from sgai.rulesets.leap_groups import Group, Jump, can_leap, clusters, cropped, groups, leaps, least_image, reach
from sgai.rulesets.removal import MOST_CELLS, cells_of
from sgai.rulesets.subtraction import Subtraction

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

LeapMove = Jump | HeapMove


class LeapPosition(NamedTuple):
    """A board with its pieces, cell (row, column) being bit ``row * columns + column``, and the piles."""

    rows: int
    columns: int
    pieces: int
    piles: Heaps


def read_pieces(text: str) -> tuple[int, int, int]:
    """Read rows of ``O`` (a piece) and ``.`` (empty), joined by ``/`` or ``|``: return rows, columns and the pieces.

    Examples
    --------
    >>> read_pieces("OO./..O")
    (2, 3, 35)
    """
    lines = text.strip().replace("|", "/").split("/")
    for number, line in enumerate(lines, 1):
        wrong = re.search(r"[^O.]", line)
        if wrong is not None or not line:
            what = "it is empty" if wrong is None else f"{wrong[0]!r} is no cell"
            raise SgaiError(
                f"{quote(text)}: row {number}: {what}; write 'O' (a capital letter) for a piece, '.' for an empty "
                "cell, and '/' between rows"
            )
        if len(line) != len(lines[0]):
            raise SgaiError(
                f"{quote(text)}: row {number} has {len(line)} cells and row 1 has {len(lines[0])}; all rows have "
                "equally many"
            )
    if len(lines) * len(lines[0]) > MOST_CELLS:
        raise SgaiError(f"{quote(text)}: a board has at most {MOST_CELLS:,} cells")
    return len(lines), len(lines[0]), int("".join(lines)[::-1].replace("O", "1").replace(".", "0"), 2)


def write_pieces(rows: int, columns: int, pieces: int) -> str:
    """Write a board, the inverse of `read_pieces`.

    Examples
    --------
    >>> write_pieces(2, 3, 35)
    'OO./..O'
    """
    cells = format(pieces, f"0{rows * columns}b")[::-1].replace("1", "O").replace("0", ".")
    return "/".join(cells[start : start + columns] for start in range(0, rows * columns, columns))


@register
class LeapAndTake(Ruleset[LeapPosition, LeapMove]):
    """Jump with a piece over its neighbour, which is removed, into the empty cell beyond, or take tokens from a pile.

    A move is one jump along a row or column, or takes a number of tokens that is in a set from one pile. The strip is
    peg duotaire with one jump a move (C. Moore and D. Eppstein, *One-dimensional peg solitaire, and duotaire*, 2000,
    arXiv math/0008172); the piles are a subtraction game. `sgai.rulesets.leap_groups` proves which pieces never meet.

    Examples
    --------
    >>> game = LeapAndTake(strip=".OO.", piles=[3], take=[2])
    >>> [game.format(option) for option in game.options(game.initial())]
    ['...O + [3]', 'O... + [3]', '.OO. + [1]']
    """

    name = "leap_and_take"

    strip: str = parameter(default=".OO.O...OO.", start=True, doc="the strip at the start: O for a piece, . for empty")
    board: str = parameter(default="", start=True, doc="a board in place of the strip: its rows joined by /")
    piles: tuple[int, ...] = parameter(default=(3, 4), start=True, doc="the piles at the start")
    take: tuple[int, ...] = parameter(default=(1, 2), doc="how many tokens a move may take: any set of sizes >= 1")

    def __post_init__(self) -> None:
        """Reject boards that cannot be read; write a board of one row as a strip; sort the set of sizes."""
        for name in ("strip", "board"):
            text = getattr(self, name)
            if name == "board" and not text:
                continue
            try:
                size = read_pieces(text)
            except SgaiError as error:
                raise SgaiError(f"{name}={text}: {error}") from None
            if name == "strip" and size[0] > 1:
                raise SgaiError(f"strip={text}: a strip has one row; give several as board=[{text}]")
            object.__setattr__(self, name, write_pieces(*size))
        strip = self.parameters()["strip"].default
        if self.board and self.strip != strip:
            raise SgaiError(f"strip={self.strip},board={self.board}: give one of both")
        if self.board and "/" not in self.board:
            object.__setattr__(self, "strip", self.board)
            object.__setattr__(self, "board", "")
        object.__setattr__(self, "take", self._piles_alone().take)

    def initial(self) -> LeapPosition:
        """Return the board and the piles of the parameters."""
        return LeapPosition(*read_pieces(self.board or self.strip), self._piles_alone().initial())

    def moves(self, position: LeapPosition) -> Iterator[tuple[LeapMove, LeapPosition]]:
        """Yield the jumps, in the order of the squares they start from, then what may be taken from the piles."""
        rows, columns, pieces, piles = position
        for jump, pair, triple, _ in leaps(rows, columns):
            if pieces & triple == pair:
                yield jump, LeapPosition(rows, columns, pieces ^ triple, piles)
        if piles:
            for take, left in self._piles_alone().moves(piles):
                yield take, LeapPosition(rows, columns, pieces, left)

    def validate(self, position: Any) -> LeapPosition:
        """Reject what is no board with piles."""
        try:
            rows, columns, pieces, piles = position
            rows, columns, pieces = check_integer(rows), check_integer(columns), check_integer(pieces)
            right = rows > 0 and columns > 0 and rows * columns <= MOST_CELLS and 0 <= pieces < 1 << rows * columns
        except (TypeError, ValueError):
            right = False
        if not right:
            raise SgaiError(
                f"{quote(position)} is not a position of {self}: it has rows, columns, an integer whose bit "
                f"row * columns + column is 1 for a piece, and a list of piles; at most {MOST_CELLS:,} cells"
            )
        return LeapPosition(rows, columns, pieces, self._piles_alone().validate(piles))

    # Structure

    def components(self, position: LeapPosition) -> Sequence[Component]:
        """Return the groups of pieces that can never meet, without those that can never jump, and every pile."""
        found = groups(position.rows, position.columns, position.pieces)
        return (*self._boards(found), *self._piles_alone().components(position.piles))

    def lift_move(self, position: LeapPosition, index: int, move: LeapMove) -> LeapMove:
        """Shift a jump from the group's board to the whole one; what is taken from a pile names the pile's size."""
        found = groups(position.rows, position.columns, position.pieces)
        if index >= len(found) or isinstance(move, HeapMove):
            return move
        down, right = found[index].row, found[index].column
        (row, column), (end_row, end_column) = move
        return Jump((row + down, column + right), (end_row + down, end_column + right))

    def approximate_components(self, position: LeapPosition) -> Sequence[Component]:
        """Return the pieces that stand side by side as if they never met the others, and every pile."""
        rows, columns, pieces, piles = position
        parts = [part for part in clusters(rows, columns, pieces) if can_leap(rows, columns, part)]
        apart = [cropped(columns, part, reach(rows, columns, part)) for part in parts]
        if set(apart) == set(groups(rows, columns, pieces)):
            return ()
        return (*self._boards(apart), *self._piles_alone().components(piles))

    def canonical(self, position: LeapPosition) -> LeapPosition:
        """Drop what no move can ever touch, then take the least of all symmetric boards."""
        rows, columns, pieces, piles = position
        if piles and piles[0] < self.take[0]:
            piles = tuple([pile for pile in piles if pile >= self.take[0]])
        return LeapPosition(*least_image(rows, columns, pieces), piles)

    # Text

    def format(self, position: LeapPosition) -> str:
        """Write ``.OO.O. + [3;4]``, the rows of a board joined by ``/``."""
        return f"{write_pieces(*position[:3])} + {format_integers(position.piles)}"

    def parse(self, text: str) -> LeapPosition:
        """Read ``.OO.O. + [3;4]``; without a plus there are no piles."""
        board, _, piles = text.partition("+")
        return LeapPosition(*read_pieces(board), self._piles_alone().parse(piles))

    def format_move(self, position: LeapPosition, move: LeapMove) -> str:
        """Write ``leap 1->3`` on a strip, ``leap (0,1)->(0,3)`` on a board, ``7->5`` for a pile."""
        if not isinstance(move, Jump):
            return str(HeapMove(*move))
        if position.rows == 1:
            return f"leap {move.start[1]}->{move.end[1]}"
        return "leap ({},{})->({},{})".format(*move.start, *move.end)

    # The move alphabet: all jumps on the board of the start, then the moves of the piles

    def num_moves(self) -> int:
        """Return the number of jumps on the board of the start, legal or not, and of moves in its piles."""
        return len(self._jump_indices()) + self._piles_alone().num_moves()

    def move_index(self, move: LeapMove) -> int:
        """Return the number of a jump, or that of a move in the piles, which are counted after all jumps."""
        indices = self._jump_indices()
        try:
            return indices[move] if move in indices else len(indices) + self._piles_alone().move_index(HeapMove(*move))
        except (TypeError, IllegalMoveError):
            raise IllegalMoveError(f"{quote(str(move))} is no move of {self}") from None

    def move_from_index(self, index: int) -> LeapMove:
        """Return the move with an index."""
        if not 0 <= index < self.num_moves():
            raise self.no_such_index(index)
        jumps = leaps(*self._shape())
        return jumps[index].jump if index < len(jumps) else self._piles_alone().move_from_index(index - len(jumps))

    def max_game_length(self) -> int:
        """Return a bound: a jump removes a piece, but never the last one; a take removes ``take[0]`` tokens or more."""
        start = self.initial()
        return max(0, start.pieces.bit_count() - 1) + sum(pile // self.take[0] for pile in start.piles)

    def tensor_shape(self) -> tuple[int, ...]:
        """Return the number of cells of the start plus the size of its largest pile."""
        rows, columns = self._shape()
        return (rows * columns + self._piles_alone().tensor_shape()[0],)

    def encode(self, position: LeapPosition) -> "npt.NDArray[np.float32]":
        """Return 1 for cells with a piece, 0 for others, then the number of piles of each size."""
        import numpy as np  # rules load without it

        if position[:2] != self._shape():
            raise SgaiError(f"{quote(self.format(position))} is not on the board of {self}")
        cells = np.zeros(position.rows * position.columns, dtype=np.float32)
        cells[list(cells_of(position.pieces))] = 1.0
        return np.concatenate([cells, self._piles_alone().encode(position.piles)])

    # What is made once

    def _piles_alone(self) -> Subtraction:
        kept: Subtraction | None = self.__dict__.get("_piles")
        if kept is None:
            kept = self.__dict__["_piles"] = Subtraction(piles=self.piles, take=self.take)
        return kept

    def _shape(self) -> tuple[int, int]:
        return self.initial()[:2]

    def _jump_indices(self) -> dict[LeapMove, int]:
        kept: dict[LeapMove, int] | None = self.__dict__.get("_indices")
        if kept is None:
            kept = {leap.jump: index for index, leap in enumerate(leaps(*self._shape()))}
            self.__dict__["_indices"] = kept
        return kept

    def _boards(self, found: Sequence[Group]) -> list[Component]:
        # Without piles it makes no difference what may be taken: all rules share the values of boards.
        rules: LeapAndTake | None = self.__dict__.get("_leap_rules")
        if rules is None:
            rules = self.__dict__["_leap_rules"] = type(self)()
        return [Component(rules, LeapPosition(g.rows, g.columns, g.pieces, ()), True) for g in found]
