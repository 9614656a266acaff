"""Drawings of sheets of squared paper."""

import itertools
from collections.abc import Iterator
from typing import Any

from sgai.drawing.picture import PAPER, Picture

_CELL, _MOST_SIDE, _MOST_SHEETS, _WIDE = 16, 40, 60, 900


def sheets_text(_ruleset: Any, position: tuple[tuple[int, int], ...]) -> str:
    """Return the squares of each sheet, equal sheets once; of large ones only the sides."""
    if not position:
        return "(no sheets)"
    drawn = []
    for (rows, columns), equal in itertools.islice(_grouped(position), _MOST_SHEETS):
        title = f"{rows}x{columns}" + (f" ({equal} times)" if equal > 1 else "")
        fits = max(rows, columns) <= _MOST_SIDE
        drawn.append("\n".join([title, *([" ".join("." * columns)] * rows if fits else [])]))
    if len(set(position)) > _MOST_SHEETS:
        drawn.append(f"... and {len(set(position)) - _MOST_SHEETS} more sizes")
    return "\n\n".join(drawn)


def sheets_picture(_ruleset: Any, position: tuple[tuple[int, int], ...]) -> Picture:
    """Return the sheets with their squares, in rows; large ones are smaller than to scale and have no squares."""
    picture = Picture()
    if not position:
        picture.text(10, 20, "no sheets", anchor="start")
        return picture
    x = y = 10.0
    deepest = 0.0
    for rows, columns in position[:_MOST_SHEETS]:
        shown_rows, shown_columns = min(rows, _MOST_SIDE), min(columns, _MOST_SIDE)
        width, height = _CELL * shown_columns, _CELL * shown_rows
        if x > 10 and x + width > _WIDE:
            x, y, deepest = 10.0, y + deepest + 36, 0.0
        picture.rectangle(x, y, width, height, PAPER)
        if max(rows, columns) <= _MOST_SIDE:
            for row in range(1, rows):
                picture.line(x, y + _CELL * row, x + width, y + _CELL * row)
            for column in range(1, columns):
                picture.line(x + _CELL * column, y, x + _CELL * column, y + height)
        picture.text(x, y + height + 14, f"{rows}x{columns}", anchor="start", size=12)
        x, deepest = x + max(width, 45) + 16, max(deepest, height)
    if len(position) > _MOST_SHEETS:
        picture.text(10, y + deepest + 40, f"and {len(position) - _MOST_SHEETS} more sheets", anchor="start")
    return picture


def _grouped(position: tuple[tuple[int, int], ...]) -> Iterator[tuple[tuple[int, int], int]]:
    for sheet, equal in itertools.groupby(position):
        yield sheet, sum(1 for _ in equal)
