"""Drawings of boards, graphs and intervals."""

import itertools
import math
from typing import Any

from sgai.drawing.picture import MARK, PAPER, TOKEN, Picture, on_a_circle

_LETTERS = {"rook": "R", "king": "K", "knight": "N", "queen": "Q"}
_MOST_VERTICES = 60
_CELL = 28
_MOST_ROWS = 60


def board_text(ruleset: Any, position: tuple[int, int]) -> str:
    """Return the board, a letter where the piece stands; the corner it walks towards is at the top left."""
    letter = _LETTERS.get(ruleset.name, "*")
    if max(ruleset.rows, ruleset.columns) > _MOST_ROWS:
        return f"{letter} at {ruleset.format(position)} of {ruleset.rows} x {ruleset.columns} squares"
    return "\n".join(
        " ".join(letter if (row, column) == position else "." for column in range(ruleset.columns))
        for row in range(ruleset.rows)
    )


def board_picture(ruleset: Any, position: tuple[int, int]) -> Picture:
    """Return the board with the piece, and marks where it may go."""
    picture = Picture()
    if max(ruleset.rows, ruleset.columns) > _MOST_ROWS:
        picture.text(10, 20, board_text(ruleset, position), anchor="start")
        return picture
    targets = {target for target, _ in ruleset.moves(position)}
    for row in range(ruleset.rows):
        for column in range(ruleset.columns):
            x, y = 10 + _CELL * column, 10 + _CELL * row
            picture.rectangle(x, y, _CELL, _CELL, PAPER if (row + column) % 2 else "#e8e8e8")
            if (row, column) == position:
                picture.circle(x + _CELL / 2, y + _CELL / 2, 10)
                picture.text(x + _CELL / 2, y + _CELL / 2 + 5, _LETTERS.get(ruleset.name, "*"))
            elif (row, column) in targets:
                picture.circle(x + _CELL / 2, y + _CELL / 2, 3, MARK)
    return picture


def graph_text(ruleset: Any, position: Any) -> str:
    """Return the vertex with its successors."""
    following = " ".join(map(str, ruleset.successors()[position])) or "(no moves)"
    return f"{position} -> {following}"


def graph_picture(ruleset: Any, position: Any) -> Picture:
    """Return the vertices on a circle with arrows; large graphs show the vertex and its successors."""
    successors = ruleset.successors()
    shown = list(successors)
    if len(shown) > _MOST_VERTICES:
        shown = [position, *(each for each in successors[position][: _MOST_VERTICES - 1] if each != position)]
    places = dict(zip(shown, on_a_circle(len(shown), max(60.0, 14.0 * len(shown) / 2)), strict=True))
    picture = Picture()
    for vertex, (x, y) in places.items():
        for target in successors[vertex]:
            if target in places and target != vertex:
                tx, ty = places[target]
                away = 14 / math.hypot(tx - x, ty - y)
                picture.line(x, y, tx - away * (tx - x), ty - away * (ty - y), arrow=True)
            elif target == vertex:
                picture.circle(x + 12, y - 12, 8, "none")  # an edge back to itself
    for vertex, (x, y) in places.items():
        picture.circle(x, y, 13, MARK if vertex == position else PAPER)
        picture.text(x, y + 4, str(vertex), size=11)
    return picture


def intervals_text(ruleset: Any, position: tuple[tuple[int, int], ...]) -> str:
    """Return one line an interval, its length to scale."""
    if not position:
        return "(no intervals)"
    names = [f"{first}:{last}" for first, last in position]
    wide = max(map(len, names))
    first_of_all = min(first for first, _ in position)
    lines = []
    for name, (first, last) in zip(names, position, strict=True):
        bar = " " * min(first - first_of_all, 60) + "|" + "-" * min(last - first, 60) + "|"
        lines.append(f"{name:>{wide}}  {bar}")
    marks = f"\ncuts at: {' '.join(map(str, ruleset.marks))}" if ruleset.marks else ""
    return "\n".join(lines) + marks


def intervals_picture(ruleset: Any, position: tuple[tuple[int, int], ...]) -> Picture:
    """Return one bar an interval, with dots where it may be cut."""
    picture = Picture()
    if not position:
        picture.text(10, 20, "no intervals", anchor="start")
        return picture
    first_of_all = min(first for first, _ in position)
    span = max(last for _, last in position) - first_of_all
    scale = min(24.0, 600.0 / max(1, span))
    for row, (first, last) in enumerate(position):
        x, y = 14 + scale * (first - first_of_all), 14 + 40 * row
        picture.rectangle(x, y, scale * (last - first), 12, TOKEN)
        picture.text(x, y + 26, str(first), size=11)
        picture.text(x + scale * (last - first), y + 26, str(last), size=11)
        for point in {cut.point for cut, _ in itertools.islice(ruleset.moves(((first, last),)), 200)}:
            picture.circle(14 + scale * (point - first_of_all), y + 6, 3, MARK)
    return picture
