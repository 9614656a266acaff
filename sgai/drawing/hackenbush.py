"""Drawings of green Hackenbush: the edges level by level above the ground."""

from itertools import pairwise
from typing import Any

from sgai.drawing.picture import PAPER, Picture
from sgai.rulesets.removal import cells_of

_MOST_EDGES = 80
_APART, _RISE = 56, 60

Point = tuple[float, float]


def hackenbush_text(ruleset: Any, position: int) -> str:
    """Return one line a vertex with the edges that go up or sideways from it; the ground is named ``ground``."""
    if not position:
        return "(nothing is left)"
    if position.bit_count() > _MOST_EDGES:
        return f"{position.bit_count()} of {len(ruleset.edges)} edges are live"
    levels = _levels(ruleset, position)
    order = {vertex: number for number, vertex in enumerate(v for level in levels for v in level)}
    lines: dict[Any, list[str]] = {}
    for edge in cells_of(position):
        low, high = sorted(ruleset.edges[edge], key=order.__getitem__)
        lines.setdefault(low, []).append(str(high))
    shown = sorted(lines, key=order.__getitem__)
    return "\n".join(
        f"{vertex}{' (ground)' if vertex in ruleset.ground else ''} - {' '.join(lines[vertex])}" for vertex in shown
    )


def hackenbush_picture(ruleset: Any, position: int) -> Picture:
    """Return the live edges above the line of the ground; equal edges are bent apart, loops are small circles."""
    picture = Picture()
    if not position or position.bit_count() > _MOST_EDGES:
        picture.text(10, 20, hackenbush_text(ruleset, position), anchor="start")
        return picture
    levels = _levels(ruleset, position)
    widest = max(map(len, levels))
    places: dict[Any, Point] = {}
    for height, level in enumerate(levels):
        left = 40 + _APART * (widest - len(level)) / 2
        for number, vertex in enumerate(level):
            # Every other level stands a little aside, or edges between three vertices in a column would hide others.
            aside = 0.18 * _APART * (height % 2)
            places[vertex] = (left + _APART * number + aside, 44.0 + _RISE * (len(levels) - 1 - height))
    floor = 44.0 + _RISE * (len(levels) - 1)
    picture.rectangle(10, floor, _APART * (widest - 1) + 60, 6, "#7aa35a")
    met: dict[Any, int] = {}
    for number in cells_of(position):
        edge = ruleset.edges[number]
        before = met[edge] = met.get(edge, -1) + 1
        (x, y), (x2, y2) = sorted((places[edge[0]], places[edge[1]]))
        if edge[0] == edge[1]:
            picture.ring(x, y - 12 - 4 * before, 12 + 4 * before)
            continue
        bend = (before + 1) // 2 * (9 if before % 2 else -9)
        if y == y2 and (y == floor or x2 - x > _APART):
            bend -= 20  # or it would run along the ground, or through the vertices between
        picture.curve(x, y, x2, y2, bend)
    for vertex, (x, y) in places.items():
        picture.circle(x, y, 9, PAPER)
        picture.text(x, y + 4, str(vertex), size=10 if len(str(vertex)) < 3 else 7)
    return picture


def _levels(ruleset: Any, position: int) -> list[list[Any]]:
    """Return the vertices of the live edges by their distance from the ground."""
    near: dict[Any, list[Any]] = {}
    for number in cells_of(position):
        for one, other in pairwise((*ruleset.edges[number], ruleset.edges[number][0])):
            near.setdefault(one, []).append(other)
    levels = [[vertex for vertex in ruleset.ground if vertex in near]]
    found = set(levels[0])
    while levels[-1]:
        following = dict.fromkeys(other for one in levels[-1] for other in near[one] if other not in found)
        found.update(following)
        levels.append(list(following))
    return levels[:-1]
