"""Drawings of removal games: boards, graphs and ordered sets."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sgai.drawing.picture import MARK, PAPER, Picture, on_a_circle
from sgai.rulesets.posets import levels
from sgai.rulesets.removal import cells_of

_CELL = 28
_MOST_ROWS = 60
_MOST_VERTICES = 80
_GONE, _FAINT = "#9a9a9a", "#e8e8e8"

Point = tuple[float, float]


def cells_text(ruleset: Any, position: int) -> str:
    """Return the board row by row, ``.`` for live cells and ``#`` for those that are gone."""
    rows: list[str] = ruleset.format(position).split("/")
    if max(ruleset.rows, ruleset.columns) > _MOST_ROWS:
        return f"{position.bit_count()} of {ruleset.rows} x {ruleset.columns} cells are live"
    return "\n".join(" ".join(row) for row in rows)


def cells_picture(ruleset: Any, position: int) -> Picture:
    """Return the board, live cells white and the others grey."""
    picture = Picture()
    if max(ruleset.rows, ruleset.columns) > _MOST_ROWS:
        picture.text(10, 20, cells_text(ruleset, position), anchor="start")
        return picture
    poisoned = ruleset.always_live()
    for row in range(ruleset.rows):
        for column in range(ruleset.columns):
            cell = row * ruleset.columns + column
            x, y = 10 + _CELL * column, 10 + _CELL * row
            picture.rectangle(x, y, _CELL, _CELL, PAPER if position >> cell & 1 else _GONE)
            if poisoned >> cell & 1:
                picture.text(x + _CELL / 2, y + _CELL / 2 + 5, "P")
    return picture


def vertices_text(ruleset: Any, position: int) -> str:
    """Return one line a live vertex, with its live neighbours; a grid as rows of ``o`` and ``.``."""
    graph = ruleset.undirected()
    if graph.shape is not None and graph.shape[0] > 1 and max(graph.shape) <= _MOST_ROWS:
        rows, columns = graph.shape
        return "\n".join(
            " ".join("o" if position >> row * columns + column & 1 else "." for column in range(columns))
            for row in range(rows)
        )
    near = graph.neighbours()
    return _named_lines(ruleset, position, " - ", {cell: near[cell] & position for cell in cells_of(position)})


def vertices_picture(ruleset: Any, position: int) -> Picture:
    """Return the graph, on a grid where it is one and else on a circle; vertices that are gone are faint."""
    return _graph_picture(ruleset, position)


def token_text(ruleset: Any, position: Any) -> str:
    """Return the vertex of the token and those next to it where it has not been; a grid with ``T`` for the token."""
    graph = ruleset.undirected()
    if graph.shape is not None and graph.shape[0] > 1 and max(graph.shape) <= _MOST_ROWS:
        rows, columns = graph.shape
        marks = {position.at: "T"}
        return "\n".join(
            " ".join(
                marks.get(cell, "o" if position.left >> cell & 1 else ".")
                for cell in range(row * columns, (row + 1) * columns)
            )
            for row in range(rows)
        )
    names = graph.vertices
    following = [str(names[vertex]) for vertex, _ in ruleset.moves(position)]
    left = f"{position.left.bit_count()} of {len(names)} vertices are left"
    return f"{names[position.at]} - {' '.join(following) or '(no moves)'}\n{left}"


def token_picture(ruleset: Any, position: Any) -> Picture:
    """Return the graph with the token's vertex marked; vertices where it has been are faint."""
    return _graph_picture(ruleset, position.left | 1 << position.at, position.at)


def _graph_picture(ruleset: Any, position: int, marked: int = -1) -> Picture:
    graph = ruleset.undirected()
    count = len(graph.vertices)
    if graph.shape is not None and max(graph.shape) <= _MOST_ROWS:
        columns = graph.shape[1]
        places = {cell: (24.0 + 44 * (cell % columns), 24.0 + 44 * (cell // columns)) for cell in range(count)}
    elif count <= _MOST_VERTICES:
        places = dict(enumerate(on_a_circle(count, max(60.0, 32.0 * count / (2 * math.pi)))))
    else:
        return _count_only(position, count)
    return _dots_and_lines(graph.vertices, position, places, graph.edges, marked)


def order_text(ruleset: Any, position: int) -> str:
    """Return one line a live element, with the live ones directly above it."""
    above = dict.fromkeys(cells_of(position), 0)
    for lower, upper in ruleset.covers():
        if position >> lower & position >> upper & 1:
            above[lower] |= 1 << upper
    return _named_lines(ruleset, position, " < ", above)


def order_picture(ruleset: Any, position: int) -> Picture:
    """Return the Hasse diagram, least elements at the bottom; elements that are gone are faint."""
    names = ruleset.cell_names()
    covers = ruleset.covers()
    level = levels(covers, len(names))
    rows: list[list[int]] = [[] for _ in range(max(level) + 1)]
    for cell, height in enumerate(level):
        rows[height].append(cell)
    if len(names) > _MOST_VERTICES:
        return _count_only(position, len(names))
    apart = max(44, 16 + 8 * max(len(str(name)) for name in names))
    widest = max(map(len, rows))
    places = {}
    for height, row in enumerate(rows):
        left = 24 + apart * (widest - len(row)) / 2
        for i, cell in enumerate(row):
            places[cell] = (left + apart * i, 24.0 + 56 * (len(rows) - 1 - height))
    return _dots_and_lines(names, position, places, covers)


def _named_lines(ruleset: Any, position: int, sign: str, joined: Mapping[int, int]) -> str:
    if not position:
        return "(nothing is left)"
    names = [str(name) for name in ruleset.cell_names()]
    lines = []
    for cell in list(cells_of(position))[:_MOST_ROWS]:
        others = " ".join(names[other] for other in cells_of(joined[cell]))
        lines.append(names[cell] + (sign + others if others else ""))
    if position.bit_count() > _MOST_ROWS:
        lines.append(f"... and {position.bit_count() - _MOST_ROWS} more")
    return "\n".join(lines)


def _dots_and_lines(
    cells: Sequence[Any], position: int, places: Mapping[int, Point], joined: Any, marked: int = -1
) -> Picture:
    picture = Picture()
    names = list(map(str, cells))
    for a, b in joined:
        if position >> a & position >> b & 1:
            picture.line(*places[a], *places[b])
    for cell, (x, y) in places.items():
        live = position >> cell & 1
        picture.circle(x, y, 14, MARK if cell == marked else PAPER if live else _FAINT)
        if live:
            picture.text(x, y + 4, names[cell], size=11 if len(names[cell]) < 4 else 8)
    return picture


def _count_only(position: int, count: int) -> Picture:
    picture = Picture()
    picture.text(10, 20, f"{position.bit_count()} of {count} are live", anchor="start")
    return picture
