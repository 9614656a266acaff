"""Drawings of rows with two sliding pieces each."""

from typing import Any

from sgai.drawing.picture import PAPER, Picture

_CELL = 28
_MOST_COLUMNS, _MOST_ROWS = 60, 60


def slides_text(ruleset: Any, position: Any) -> str:  # noqa: ARG001 - drawings take both
    """Return the numbered rows, ``O`` for pieces and ``.`` for empty squares; long ones in figures."""
    wide = len(str(len(position)))
    lines = []
    for number, row in enumerate(position, 1):
        shown = " ".join(str(row)) if row.columns <= _MOST_COLUMNS else _in_figures(row)
        lines.append(f"{number:>{wide}} | {shown}")
    return "\n".join(lines)


def slides_picture(ruleset: Any, position: Any) -> Picture:  # noqa: ARG001
    """Return a strip of squares for each row, with two discs."""
    picture = Picture()
    for number, row in enumerate(position[:_MOST_ROWS]):
        y = 10 + (_CELL + 8) * number
        picture.text(10, y + _CELL / 2 + 5, str(number + 1), anchor="start")
        if row.columns > _MOST_COLUMNS:
            picture.text(44, y + _CELL / 2 + 5, _in_figures(row), anchor="start")
            continue
        for column in range(row.columns):
            x = 44 + _CELL * column
            picture.rectangle(x, y, _CELL, _CELL, PAPER)
            if column in row[1:]:
                picture.circle(x + _CELL / 2, y + _CELL / 2, 10)
    if len(position) > _MOST_ROWS:
        picture.text(10, 30 + (_CELL + 8) * _MOST_ROWS, f"and {len(position) - _MOST_ROWS} rows more", anchor="start")
    return picture


def _in_figures(row: Any) -> str:
    return f"pieces at {row.left + 1} and {row.right + 1} of {row.columns} squares"
