"""Drawings of piles that are coupled: by a limit, or by a shuttle between them."""

from typing import Any

from sgai.drawing.heaps import heaps_picture, heaps_text
from sgai.drawing.picture import MARK, PAPER, Picture

_CELL = 28
_MOST_PLACES = 60


def limited_text(ruleset: Any, position: Any) -> str:
    """Return the piles and the limit."""
    return f"{heaps_text(ruleset, position.piles)}\n{_limit(position)}"


def limited_picture(ruleset: Any, position: Any) -> Picture:
    """Return the piles and the limit."""
    picture = heaps_picture(ruleset, position.piles)
    label = Picture()
    label.text(10, 15, _limit(position), anchor="start")
    picture.below(label)
    return picture


def shuttle_text(ruleset: Any, position: Any) -> str:
    """Return the sizes of the piles with the track between them, ``S`` where the shuttle is."""
    if ruleset.track > _MOST_PLACES:
        return str(ruleset.format(position))
    track = "".join("S" if place == position.at else "-" for place in range(ruleset.track + 1))
    return f"{position.first} {track} {position.second}"


def shuttle_picture(ruleset: Any, position: Any) -> Picture:
    """Return the sizes of the piles with the track between them."""
    picture = Picture()
    if ruleset.track > _MOST_PLACES:
        picture.text(10, 20, ruleset.format(position), anchor="start")
        return picture
    left = 20 + 9 * len(str(position.first))
    picture.text(10, 29, str(position.first), anchor="start")
    for place in range(ruleset.track + 1):
        picture.rectangle(left + _CELL * place, 10, _CELL, _CELL, PAPER)
    picture.circle(left + _CELL * (position.at + 0.5), 10 + _CELL / 2, 10, MARK)
    picture.text(left + _CELL * (ruleset.track + 1) + 10, 29, str(position.second), anchor="start")
    return picture


def _limit(position: Any) -> str:
    return f"limit {position.limit}" if position.limit else "no limit yet, but not all of a pile"
