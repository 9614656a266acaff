"""Drawings of positions: text for a terminal and SVG for notebooks and pages.

Rules know nothing of this; what a family of games looks like is registered here by class.
"""

from sgai.drawing.dispatch import draw_svg, draw_text, register_drawing

__all__ = ["draw_svg", "draw_text", "register_drawing"]
