"""Interval splitting: a position is a set of intervals between whole numbers, and a move cuts one."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from sgai.errors import IllegalMoveError, SgaiError, quote
from sgai.parameters import check_integer, parameter
from sgai.registry import register
from sgai.ruleset import Component, Ruleset
from sgai.syntax import split, unbracket

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Interval = tuple[int, int]  # its end points, first < last
Intervals = tuple[Interval, ...]

_INTERVAL = re.compile(r"\s*(-?[0-9]+)\s*:\s*(-?[0-9]+)\s*")


class Cut(NamedTuple):
    """Cut the interval at a point: the stretch from the point on for the length of the gap goes."""

    interval: Interval
    point: int

    def __str__(self) -> str:
        return f"{self.interval[0]}:{self.interval[1]} at {self.point}"


@register
class IntervalSplitting(Ruleset[Intervals, Cut]):
    """Cut one interval in two; both parts must be long enough, and the cut may take a stretch of it away.

    With a list of ``marks`` an interval may only be cut at these points, so its value depends on both end points.

    Examples
    --------
    >>> game = IntervalSplitting(end=4)
    >>> [game.format(option) for option in game.options(game.initial())]
    ['[0:1;1:4]', '[0:2;2:4]', '[0:3;3:4]']
    """

    name = "interval_splitting"

    start: int = parameter(default=0, start=True, doc="the first end point of the interval at the start")
    end: int = parameter(default=9, start=True, doc="the last end point of the interval at the start")
    gap: int = parameter(default=0, doc="the length that a cut takes away")
    shortest: int = parameter(default=1, doc="the least length of both parts; 0 lets a part vanish")
    marks: tuple[int, ...] = parameter(default=(), doc="where cuts may be made; by default at every whole number")

    def __post_init__(self) -> None:
        """Reject an empty interval and cuts that change nothing."""
        if self.start > self.end:
            raise SgaiError(f"start={self.start},end={self.end}: the end should not come before the start")
        if self.gap < 0 or self.shortest < 0:
            raise SgaiError(f"gap={self.gap},shortest={self.shortest}: lengths are 0 or more")
        if self.gap + self.shortest < 1:
            raise SgaiError("gap=0,shortest=0: a cut at an end would change nothing; one of both must be 1 or more")
        object.__setattr__(self, "marks", tuple(sorted(set(self.marks))))

    def initial(self) -> Intervals:
        """Return the one interval of the parameters."""
        return self._kept([(self.start, self.end)])

    def moves(self, position: Intervals) -> Iterator[tuple[Cut, Intervals]]:
        """Yield the cuts of each distinct interval."""
        for i, interval in enumerate(position):
            if i and interval == position[i - 1]:
                continue
            first, last = interval
            rest = position[:i] + position[i + 1 :]
            for point in self._points(first + self.shortest, last - self.shortest - self.gap):
                yield Cut(interval, point), self._kept([*rest, (first, point), (point + self.gap, last)])

    def components(self, position: Intervals) -> tuple[Component, ...]:
        """Return every interval as a component: a cut looks at no other."""
        rules = self.rules()
        return tuple([Component(rules, (interval,), True) for interval in position])

    def lift_move(self, position: Intervals, index: int, move: Cut) -> Cut:  # noqa: ARG002
        """Return the cut itself: it names its interval."""
        return move

    def canonical(self, position: Intervals) -> Intervals:
        """Slide every interval to 0, where cuts may be made everywhere."""
        if self.marks:
            return position
        return tuple(sorted((0, last - first) for first, last in position))

    def validate(self, position: Any) -> Intervals:
        """Return any list of pairs as a position."""
        try:
            pairs = [tuple(check_integer(end) for end in pair) for pair in position]
        except (TypeError, SgaiError):
            raise SgaiError(f"{quote(position)} is not a list of intervals such as [0:4;5:9]") from None
        for pair in pairs:
            if len(pair) != 2 or pair[0] > pair[1]:
                raise SgaiError(f"{quote(pair)} is not an interval: it has two end points, the smaller one first")
        return self._kept([(pair[0], pair[1]) for pair in pairs])

    def format(self, position: Intervals) -> str:
        """Write ``[0:4;5:9]``."""
        return "[" + ";".join(f"{first}:{last}" for first, last in position) + "]"

    def parse(self, text: str) -> Intervals:
        """Read ``[0:4;5:9]``."""
        pairs = []
        for part in split(unbracket(text)):
            match = _INTERVAL.fullmatch(part)
            if match is None:
                raise SgaiError(f"{quote(text)}: {quote(part)} is not an interval such as 0:4")
            pairs.append((int(match[1]), int(match[2])))
        return self.validate(pairs)

    def max_game_length(self) -> int:
        """Return a bound: a cut takes length away or adds an interval, and intervals have a length of 1 or more."""
        return sum(2 * (last - first) - 1 for first, last in self.initial())

    def num_moves(self) -> int:
        """Return the number of triples of end points and a cut point of the interval at the start."""
        points = max(0, self.end - self.start) + 1
        return points**3

    def move_index(self, move: Cut) -> int:
        """Return the triple's number: first end, last end, cut point, each counted from the start."""
        points = max(0, self.end - self.start) + 1
        try:
            (first, last), point = move
            digits = (first - self.start, last - self.start, point - self.start)
            known = all(0 <= digit < points for digit in digits)
        except (TypeError, ValueError):
            known = False
        if not known:
            raise IllegalMoveError(f"{quote(str(move))} is no move of {self}")
        return (digits[0] * points + digits[1]) * points + digits[2]

    def move_from_index(self, index: int) -> Cut:
        """Return the cut with a number; not every number is a legal one."""
        points = max(0, self.end - self.start) + 1
        if not 0 <= index < points**3:
            raise self.no_such_index(index)
        ends, point = divmod(index, points)
        first, last = divmod(ends, points)
        return Cut((first + self.start, last + self.start), point + self.start)

    def tensor_shape(self) -> tuple[int, ...]:
        """Return a square: first end points by last end points."""
        points = max(0, self.end - self.start) + 1
        return (points, points)

    def encode(self, position: Intervals) -> "npt.NDArray[np.float32]":
        """Return the number of intervals with each pair of end points, counted from the start."""
        import numpy as np  # rules load without it

        tensor = np.zeros(self.tensor_shape(), dtype=np.float32)
        for first, last in position:
            if first < self.start or last > self.end:
                raise SgaiError(f"interval {first}:{last} is not within {self.start}:{self.end}, where play starts")
            tensor[first - self.start, last - self.start] += 1.0
        return tensor

    def _points(self, first: int, last: int) -> Iterable[int]:
        if self.marks:
            return (mark for mark in self.marks if first <= mark <= last)
        return range(first, last + 1)

    def _kept(self, intervals: list[Interval]) -> Intervals:
        # An interval of length 0 has no moves and is dropped, as an empty heap is.
        return tuple(sorted(interval for interval in intervals if interval[0] < interval[1]))
