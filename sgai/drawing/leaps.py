"""Drawings of leap and take: the board with its pieces, the piles below."""

from typing import Any

from sgai.drawing.heaps import heaps_picture, heaps_text
from sgai.drawing.picture import PAPER, Picture
from sgai.rulesets.leap_and_take import write_pieces

_CELL = 28
_MOST_ROWS = 60


def leaps_text(ruleset: Any, position: Any) -> str:
    """Return the board row by row, ``O`` for pieces and ``.`` for empty cells, then the piles."""
    board = write_pieces(position.rows, position.columns, position.pieces).replace("/", "\n")
    return board + (f"\n{heaps_text(ruleset, position.piles)}" if position.piles else "")


def leaps_picture(ruleset: Any, position: Any) -> Picture:
    """Return the board with discs on it, then the piles."""
    picture = Picture()
    if position.rows > _MOST_ROWS:
        picture.text(10, 20, f"{position.pieces.bit_count()} pieces on {position.rows} x {position.columns} cells")
    else:
        for cell in range(position.rows * position.columns):
            row, column = divmod(cell, position.columns)
            x, y = 10 + _CELL * column, 10 + _CELL * row
            picture.rectangle(x, y, _CELL, _CELL, PAPER)
            if position.pieces >> cell & 1:
                picture.circle(x + _CELL / 2, y + _CELL / 2, 10)
    if position.piles:
        picture.below(heaps_picture(ruleset, position.piles))
    return picture
