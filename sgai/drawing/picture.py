"""A small SVG canvas: shapes are added one by one, and pictures are set one below the other."""

import math
from dataclasses import dataclass, field
from html import escape

TOKEN, INK, PAPER, MARK = "#3b6ea8", "#222222", "#ffffff", "#d9822b"


def on_a_circle(count: int, radius: float) -> list[tuple[float, float]]:
    """Return that many places on a circle with room for a margin, the first one at the top."""
    centre = radius + 24
    angles = [2 * math.pi * i / count - math.pi / 2 for i in range(count)]
    return [(centre + radius * math.cos(angle), centre + radius * math.sin(angle)) for angle in angles]


@dataclass
class Picture:
    """Shapes on a white ground; lengths are in pixels."""

    width: float = 0.0
    height: float = 0.0
    shapes: list[str] = field(default_factory=list)

    def circle(self, x: float, y: float, radius: float, fill: str = TOKEN) -> None:
        """Add a disc."""
        self._grow(x + radius, y + radius)
        self.shapes.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{INK}"/>')

    def rectangle(self, x: float, y: float, width: float, height: float, fill: str = PAPER) -> None:
        """Add a box with an outline."""
        self._grow(x + width, y + height)
        self.shapes.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="{INK}"/>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, arrow: bool = False) -> None:
        """Add a line, with an arrow's head at its end if wanted."""
        self._grow(max(x1, x2), max(y1, y2))
        head = ' marker-end="url(#head)"' if arrow else ""
        self.shapes.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{INK}"{head}/>')

    def curve(self, x1: float, y1: float, x2: float, y2: float, bend: float = 0.0) -> None:
        """Add a line whose middle is bent aside, to the right of its direction if ``bend`` is above 0."""
        long = math.hypot(x2 - x1, y2 - y1)
        # The control point of a quadratic curve is twice as far from the line as its middle.
        x = (x1 + x2) / 2 - 2 * bend * (y2 - y1) / long
        y = (y1 + y2) / 2 + 2 * bend * (x2 - x1) / long
        self._grow(max(x1, x2, x), max(y1, y2, y))
        self.shapes.append(f'<path d="M{x1:g} {y1:g}Q{x:g} {y:g} {x2:g} {y2:g}" fill="none" stroke="{INK}"/>')

    def ring(self, x: float, y: float, radius: float) -> None:
        """Add a circle that is not filled."""
        self._grow(x + radius, y + radius)
        self.shapes.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="none" stroke="{INK}"/>')

    def text(self, x: float, y: float, text: str, anchor: str = "middle", size: int = 14) -> None:
        """Add text whose baseline is at y."""
        wide = 0.62 * size * len(text)
        self._grow(x + (wide if anchor == "start" else wide / 2), y + size / 3)
        self.shapes.append(
            f'<text x="{x:g}" y="{y:g}" font-family="monospace" font-size="{size}" text-anchor="{anchor}" '
            f'fill="{INK}">{escape(text)}</text>'
        )

    def below(self, other: "Picture", gap: float = 12.0) -> None:
        """Add another picture below everything so far."""
        top = self.height + (gap if self.shapes else 0.0)
        self.shapes.append(f'<g transform="translate(0 {top:g})">{"".join(other.shapes)}</g>')
        self._grow(other.width, top + other.height)

    def svg(self, title: str) -> str:
        """Return the whole document."""
        width, height = self.width + 10, self.height + 10
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            f'viewBox="0 0 {width:g} {height:g}" role="img"><title>{escape(title)}</title>'
            f'<defs><marker id="head" viewBox="0 0 10 10" refX="10" refY="5" markerWidth="7" markerHeight="7" '
            f'orient="auto"><path d="M0 0L10 5L0 10z" fill="{INK}"/></marker></defs>'
            f'<rect width="100%" height="100%" fill="{PAPER}"/>{"".join(self.shapes)}</svg>\n'
        )

    def _grow(self, x: float, y: float) -> None:
        self.width, self.height = max(self.width, x), max(self.height, y)
