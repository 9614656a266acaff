"""Charts as SVG text: intervals, bars, and shares of a distribution over a logarithmic axis."""

import bisect
import math
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from sgai.drawing.picture import INK
from sgai.errors import shortened

# Colours that colour-blind people tell apart (M. Okabe and K. Ito, 2002).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#b2a800")
_GRID, _FAINT = "#dddddd", "#666666"
_WIDTH, _LEFT, _RIGHT, _ROW = 760, 24, 24, 40
_POINTS = 200  # of a curve


class Interval(NamedTuple):
    """A value with the ends of its interval, and what it is of."""

    label: str
    value: float
    low: float
    high: float
    note: str = ""


def colour(number: int) -> str:
    """Return the colour of the agent of that number."""
    return COLOURS[number % len(COLOURS)]


def interval_chart(
    title: str, rows: Sequence[Interval], show: Callable[[float], str], bounds: tuple[float, float] | None = None
) -> str:
    """Return a dot and a line for each row.

    Parameters
    ----------
    title : str
        What is shown, for those who do not see it.
    rows : sequence of Interval
        From top to bottom, each in its own colour.
    show : callable
        Writes a value.
    bounds : pair of float, optional
        The ends of the axis; by default they follow from the rows.
    """
    low, high = bounds or (min(row.low for row in rows), max(row.high for row in rows))
    axis = _Axis(low, high)
    shapes = [axis.grid(_ROW * len(rows), show)]
    for i, row in enumerate(rows):
        y, shade = _ROW * i + 28, colour(i)
        shapes.append(_label(row.label, _ROW * i + 14, f"{show(row.value)}{row.note}"))
        shapes.append(_line(axis.x(row.low), y, axis.x(row.high), y, shade, 3))
        shapes.extend(_line(axis.x(end), y - 5, axis.x(end), y + 5, shade, 2) for end in (row.low, row.high))
        shapes.append(f'<circle cx="{axis.x(row.value):.1f}" cy="{y}" r="6" fill="{shade}"/>')
    return _svg(title, _ROW * len(rows) + 24, shapes)


def bar_chart(title: str, groups: Sequence[tuple[str, Sequence[Interval]]], show: Callable[[float], str]) -> str:
    """Return groups of bars from 0 to 1, each with its interval as a thin line.

    Parameters
    ----------
    title : str
        What is shown.
    groups : sequence of (label, intervals)
        The same agents in the same order in each group; a value that is not a number leaves a gap.
    show : callable
        Writes a value.
    """
    tall, bar = 0, 14
    axis = _Axis(0.0, 1.0)
    shapes: list[str] = []
    for name, rows in groups:
        shapes.append(_label(name, tall + 14, ""))
        for i, row in enumerate(rows):
            y = tall + 20 + bar * i
            if math.isnan(row.value):
                continue
            wide = axis.x(row.value) - axis.x(0)
            shapes.append(
                f'<rect x="{axis.x(0):.1f}" y="{y}" width="{wide:.1f}" height="{bar - 3}" fill="{colour(i)}" '
                f'fill-opacity="0.6">'
                f"<title>{escape(f'{row.label}: {show(row.value)}{row.note}')}</title></rect>"
            )
            shapes.append(_line(axis.x(row.low), y + 5.5, axis.x(row.high), y + 5.5, INK, 1))
        tall += 26 + bar * len(rows)
    return _svg(title, tall + 24, [axis.grid(tall, show), *shapes])


def distribution_chart(title: str, series: Sequence[tuple[str, Sequence[float]]], unit: str) -> str:
    """Return for each series the share of values up to x, over a logarithmic axis.

    Parameters
    ----------
    title : str
        What is shown.
    series : sequence of (label, values)
        Values are above 0.
    unit : str
        Of the values.
    """
    values = sorted(value for _, some in series for value in some)
    low, high = (math.floor(math.log10(values[0])), math.ceil(math.log10(values[-1])))
    high = max(high, low + 1)
    tall = 240
    axis = _Axis(low, high, [float(each) for each in range(low, high + 1)])
    shapes = [axis.grid(tall, lambda power: f"{10**power:g} {unit}")]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = tall - (tall - 10) * share
        shapes.append(_line(_LEFT, y, _WIDTH - _RIGHT, y, _GRID, 1))
        shapes.append(_text(_LEFT + 2, y - 2, f"{share:.0%}", "start", 11, _FAINT))
    for i, (name, some) in enumerate(series):
        ordered = sorted(some)
        points = []
        for step in range(_POINTS + 1):
            power = low + (high - low) * step / _POINTS
            share = bisect.bisect_right(ordered, 10**power) / len(ordered)
            points.append(f"{axis.x(power):.1f},{tall - (tall - 10) * share:.1f}")
        shapes.append(
            f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour(i)}" stroke-width="2.5">'
            f"<title>{escape(name)}</title></polyline>"
        )
    return _svg(title, tall + 24, shapes)


class _Axis:
    def __init__(self, low: float, high: float, ticks: Sequence[float] | None = None) -> None:
        if high <= low:
            low, high = low - 1, high + 1
        self._ticks = list(ticks) if ticks is not None else _ticks(low, high)
        self._low, self._high = min(low, self._ticks[0]), max(high, self._ticks[-1])

    def x(self, value: float) -> float:
        """Return the place of a value."""
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (value - self._low) / (self._high - self._low)

    def grid(self, height: float, show: Callable[[float], str]) -> str:
        """Return lines at the ticks, and below them their values."""
        parts = []
        for tick in self._ticks:
            place = self.x(tick)
            parts.append(_line(place, 4, place, height, _GRID, 1))
            parts.append(_text(place, height + 16, show(tick), "middle", 11, _FAINT))
        return "".join(parts)


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers from below the one end to above the other, some five of them."""
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * each for each in (1, 2, 5, 10) if power * each >= rough)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [each * step for each in range(first, last + 1)]


def _label(text: str, y: float, value: str) -> str:
    shown = shortened(text, 90)
    full = f"<title>{escape(text)}</title>" if shown != text else ""
    name = f'<text x="{_LEFT}" y="{y:g}" font-size="13" fill="{INK}">{full}{escape(shown)}</text>'
    return name + (_text(_WIDTH - _RIGHT, y, value, "end", 13, INK) if value else "")


def _line(x1: float, y1: float, x2: float, y2: float, stroke: str, width: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:g}" x2="{x2:.1f}" y2="{y2:g}" stroke="{stroke}" stroke-width="{width:g}"/>'


def _text(x: float, y: float, text: str, anchor: str, size: int, fill: str) -> str:
    return f'<text x="{x:.1f}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" fill="{fill}">{escape(text)}</text>'


def _svg(title: str, height: float, shapes: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:g}" width="{_WIDTH}" role="img" '
        f'font-family="sans-serif"><title>{escape(title)}</title>{"".join(shapes)}</svg>'
    )
