"""Choosing the drawing by the ruleset's class."""

from collections.abc import Callable
from typing import Any

from sgai.compounds.ruleset import CompoundRuleset
from sgai.drawing.coins import row_picture, row_text, stairs_picture, stairs_text, strip_picture, strip_text
from sgai.drawing.coupled import limited_picture, limited_text, shuttle_picture, shuttle_text
from sgai.drawing.hackenbush import hackenbush_picture, hackenbush_text
from sgai.drawing.heaps import heaps_picture, heaps_text
from sgai.drawing.leaps import leaps_picture, leaps_text
from sgai.drawing.others import board_picture, board_text, graph_picture, graph_text, intervals_picture, intervals_text
from sgai.drawing.picture import Picture
from sgai.drawing.removal import (
    cells_picture,
    cells_text,
    order_picture,
    order_text,
    token_picture,
    token_text,
    vertices_picture,
    vertices_text,
)
from sgai.drawing.sheets import sheets_picture, sheets_text
from sgai.drawing.slides import slides_picture, slides_text
from sgai.ruleset import Ruleset
from sgai.rulesets.boards import BoardRuleset
from sgai.rulesets.coin_turning import CoinTurning
from sgai.rulesets.coupled_piles import FibonacciNim, Shuttle
from sgai.rulesets.geography import VertexGeography
from sgai.rulesets.graph import Graph
from sgai.rulesets.graph_games import GraphRemoval
from sgai.rulesets.hackenbush import GreenHackenbush
from sgai.rulesets.heaps import HeapRuleset
from sgai.rulesets.intervals import IntervalSplitting
from sgai.rulesets.leap_and_take import LeapAndTake
from sgai.rulesets.moores_nim import MooresNim
from sgai.rulesets.paper_cutting import PaperCutting
from sgai.rulesets.posets import OrderedCells
from sgai.rulesets.sliding import Sliding
from sgai.rulesets.staircase import StaircaseNim
from sgai.rulesets.strips import CoinsOnStrip
from sgai.rulesets.sums import Sum
from sgai.rulesets.two_piles import Euclid, Wythoff
from sgai.rulesets.walkers import Walker

TextDrawing = Callable[[Any, Any], str]
PictureDrawing = Callable[[Any, Any], Picture]

_drawings: dict[type, tuple[TextDrawing, PictureDrawing]] = {}


def register_drawing(cls: type, text: TextDrawing, picture: PictureDrawing) -> None:
    """Draw positions of a class of rulesets, and of its subclasses, by these functions of ruleset and position."""
    _drawings[cls] = (text, picture)


def draw_text(ruleset: Ruleset[Any, Any], position: Any) -> str:
    """Return a drawing for a terminal.

    Examples
    --------
    >>> import sgai
    >>> print(draw_text(sgai.load_ruleset("nim"), (2, 3)))
    2 | o o
    3 | o o o
    """
    return _drawing_of(ruleset)[0](ruleset, position)


def draw_picture(ruleset: Ruleset[Any, Any], position: Any) -> Picture:
    """Return a drawing as a `Picture`."""
    return _drawing_of(ruleset)[1](ruleset, position)


def draw_svg(ruleset: Ruleset[Any, Any], position: Any) -> str:
    """Return a drawing as an SVG document."""
    return draw_picture(ruleset, position).svg(f"{ruleset.name} {ruleset.format(position)}")


def _drawing_of(ruleset: Ruleset[Any, Any]) -> tuple[TextDrawing, PictureDrawing]:
    for cls in type(ruleset).__mro__:
        if cls in _drawings:
            return _drawings[cls]
    return _plain_text, _plain_picture


def _plain_text(ruleset: Ruleset[Any, Any], position: Any) -> str:
    return ruleset.format(position)


def _plain_picture(ruleset: Ruleset[Any, Any], position: Any) -> Picture:
    picture = Picture()
    picture.text(10, 25, ruleset.format(position), anchor="start", size=16)
    return picture


def _sum_text(ruleset: Sum, position: Any) -> str:
    drawn = []
    for number, (part, at) in enumerate(zip(ruleset.parts, position, strict=True), 1):
        drawn.append(f"part {number}: {part.name}\n{part.draw_text(at)}")
    return "\n\n".join(drawn)


def _sum_picture(ruleset: Sum, position: Any) -> Picture:
    picture = Picture()
    for number, (part, at) in enumerate(zip(ruleset.parts, position, strict=True), 1):
        label = Picture()
        label.text(10, 15, f"{number}: {part.name}", anchor="start")
        picture.below(label)
        picture.below(draw_picture(part, at), gap=2.0)
    return picture


def _compound_text(ruleset: CompoundRuleset, position: Any) -> str:
    drawn = []
    for number, (part, at) in enumerate(zip(ruleset.parts, position, strict=True), 1):
        drawn.append(f"component {number}: {part.ruleset.name}\n{part.ruleset.draw_text(at)}")
    return "\n\n".join(drawn)


def _compound_picture(ruleset: CompoundRuleset, position: Any) -> Picture:
    picture = Picture()
    for number, (part, at) in enumerate(zip(ruleset.parts, position, strict=True), 1):
        label = Picture()
        label.text(10, 15, f"{number}: {part.ruleset.name}", anchor="start")
        picture.below(label)
        picture.below(draw_picture(part.ruleset, at), gap=2.0)
    return picture


register_drawing(HeapRuleset, heaps_text, heaps_picture)
register_drawing(Walker, board_text, board_picture)
register_drawing(Graph, graph_text, graph_picture)
register_drawing(IntervalSplitting, intervals_text, intervals_picture)
register_drawing(LeapAndTake, leaps_text, leaps_picture)
register_drawing(FibonacciNim, limited_text, limited_picture)
register_drawing(MooresNim, heaps_text, heaps_picture)
register_drawing(Wythoff, heaps_text, heaps_picture)
register_drawing(Euclid, heaps_text, heaps_picture)
register_drawing(PaperCutting, sheets_text, sheets_picture)
register_drawing(Shuttle, shuttle_text, shuttle_picture)
register_drawing(Sliding, slides_text, slides_picture)
register_drawing(Sum, _sum_text, _sum_picture)
register_drawing(CompoundRuleset, _compound_text, _compound_picture)
register_drawing(BoardRuleset, cells_text, cells_picture)
register_drawing(GraphRemoval, vertices_text, vertices_picture)
register_drawing(OrderedCells, order_text, order_picture)
register_drawing(CoinsOnStrip, strip_text, strip_picture)
register_drawing(StaircaseNim, stairs_text, stairs_picture)
register_drawing(CoinTurning, row_text, row_picture)
register_drawing(GreenHackenbush, hackenbush_text, hackenbush_picture)
register_drawing(VertexGeography, token_text, token_picture)
