"""Paper cutting: sheets of squared paper are cut in two along the grid."""

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from sgai.errors import IllegalMoveError, SgaiError, quote
from sgai.parameters import Kind, check_integer, parameter, parse_integer
from sgai.registry import register
from sgai.ruleset import Component, Ruleset
from sgai.syntax import split, unbracket

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Sheet = tuple[int, int]  # its sides in squares, the shorter one first: a sheet may be turned
Sheets = tuple[Sheet, ...]  # sorted

_SHEET = re.compile(r"\s*([0-9]+)\s*[x\u00d7]\s*([0-9]+)\s*", re.ASCII)
_MOST_CELLS = 10_000_000


class SheetCut(NamedTuple):
    """Cut a side of a sheet so that the smaller part has ``at`` of it; the other side stays ``beside``."""

    side: int
    beside: int
    at: int

    def __str__(self) -> str:
        whole = _sheet(self.side, self.beside)
        parts = _sheet(self.at, self.beside), _sheet(self.side - self.at, self.beside)
        return f"{_text(whole)}->{'+'.join(map(_text, parts))}"


def parse_sheets(text: str) -> Sheets:
    """Read ``[3x4;5x5]``; brackets are optional.

    Examples
    --------
    >>> parse_sheets("[4x3;5x5]")
    ((3, 4), (5, 5))
    """
    found = []
    for part in split(unbracket(text)):
        match = _SHEET.fullmatch(part)
        if match is None:
            raise SgaiError(f"{quote(text)}: {quote(part)} is not a sheet such as 3x4")
        found.append((parse_integer(match[1]), parse_integer(match[2])))
    return check_sheets(found)


def check_sheets(value: Any) -> Sheets:
    """Return any list of pairs of sides as sheets: turned and sorted.

    Raises
    ------
    SgaiError
        If one is no pair of integers, or has a side below 2.
    """
    try:
        sheets = [tuple(sorted(check_integer(side) for side in sheet)) for sheet in value]
    except (TypeError, SgaiError):
        raise SgaiError(f"{quote(value)} is not a list of sheets such as [3x4;5x5]") from None
    for sheet in sheets:
        if len(sheet) != 2:
            raise SgaiError(f"{quote(sheet)} is not a sheet: it has two sides, as 3x4")
        if sheet[0] < 2:
            raise SgaiError(
                f"a sheet of {sheet[0]}x{sheet[1]} is not allowed: both sides are 2 or more, for who moves next cuts a "
                "1x1 off a strip and has won"
            )
    return tuple(sorted((sheet[0], sheet[1]) for sheet in sheets))


def format_sheets(sheets: Sheets) -> str:
    """Write ``[3x4;5x5]``."""
    return "[" + ";".join(map(_text, sheets)) + "]"


SHEETS = Kind("a list of sheets such as [3x4;5x5]", parse_sheets, format_sheets, check_sheets)


@register
class PaperCutting(Ruleset[Sheets, SheetCut]):
    """Cut one sheet in two along a grid line, leaving at least 2 squares on both sides of the cut.

    It stands for the game in which whoever first cuts off a 1x1 wins. There a cut that leaves a strip 1 wide lets the
    opponent cut a 1x1 off the strip at once, so nobody makes it before there is nothing else; who has no other cut has
    lost. Without these cuts, who cannot move loses, and the sheets are components. So both games have the same outcomes
    and the same winning moves, but not the same Grundy values: a sheet of 4x4 has the value 1 here, and 2 there. And
    only so: under other conventions of play the two are not the same game.

    Sheets with no side of 4 or more have no move. Values are computed for a whole table of sheets at once.

    Examples
    --------
    >>> game = PaperCutting(sheets=[(3, 4)])
    >>> [f"{move}: {game.format(option)}" for move, option in game.moves(game.initial())]
    ['3x4->2x3+2x3: [2x3;2x3]']
    """

    name = "paper_cutting"
    normal_disjunctive_only: ClassVar[str] = (
        "it leaves out the cuts that lose at once when who first cuts off a 1x1 wins, which keeps the outcomes of "
        "normal play, where all sheets are in one disjunctive sum, and no others"
    )

    sheets: Sheets = parameter(default=((3, 4), (5, 5)), kind=SHEETS, start=True, doc="the sheets at the start")

    def initial(self) -> Sheets:
        """Return the sheets of the parameters."""
        return self.sheets

    def moves(self, position: Sheets) -> Iterator[tuple[SheetCut, Sheets]]:
        """Yield the cuts of each distinct sheet."""
        for i, sheet in enumerate(position):
            if i and sheet == position[i - 1]:
                continue
            rest = position[:i] + position[i + 1 :]
            for side, beside in dict.fromkeys((sheet, sheet[::-1])):
                for at in range(2, side // 2 + 1):
                    parts = _sheet(at, beside), _sheet(side - at, beside)
                    yield SheetCut(side, beside, at), tuple(sorted((*rest, *parts)))

    def apply(self, position: Sheets, move: SheetCut) -> Sheets:
        """Return the sheets after a cut, without listing all others."""
        if not self._trusts("apply"):
            return super().apply(position, move)
        try:
            side, beside, at = move
            sheet = _sheet(side, beside)
            legal = sheet in position and type(at) is int and 2 <= at <= side // 2
        except (TypeError, ValueError):
            legal = False
        if not legal:
            raise self.illegal_move(position, move)
        left = list(position)
        left.remove(sheet)
        return tuple(sorted((*left, _sheet(at, beside), _sheet(side - at, beside))))

    def components(self, position: Sheets) -> tuple[Component, ...]:
        """Return every sheet as a component: a cut looks at no other."""
        rules = self.rules()
        return tuple([Component(rules, (sheet,), True) for sheet in position])

    def lift_move(self, position: Sheets, index: int, move: SheetCut) -> SheetCut:  # noqa: ARG002
        """Return the cut itself: it names the sides of its sheet."""
        return move

    def validate(self, position: Any) -> Sheets:
        """Return any list of pairs of sides as sheets."""
        return check_sheets(position)

    def format(self, position: Sheets) -> str:
        """Write ``[3x4;5x5]``."""
        return format_sheets(position)

    def parse(self, text: str) -> Sheets:
        """Read ``[3x4;5x5]``; brackets are optional."""
        return parse_sheets(text)

    # The move alphabet: the cut of a side, (side, at) being numbered without gaps, for each other side

    def num_moves(self) -> int:
        """Return the number of cuts of a side, up to the longest at the start, times the number of sides beside it."""
        longest = self._longest()
        return _cuts_below(longest + 1) * (longest - 1)

    def move_index(self, move: SheetCut) -> int:
        """Return the number of the cut."""
        longest = self._longest()
        try:
            side, beside, at = (check_integer(part) for part in move)
            known = 4 <= side <= longest and 2 <= beside <= longest and 2 <= at <= side // 2
        except (TypeError, ValueError):
            known = False
        if not known:
            raise IllegalMoveError(f"{quote(str(move))} is no move of {self}")
        return (_cuts_below(side) + at - 2) * (longest - 1) + beside - 2

    def move_from_index(self, index: int) -> SheetCut:
        """Return the cut with a number."""
        if not 0 <= index < self.num_moves():
            raise self.no_such_index(index)
        number, beside = divmod(index, self._longest() - 1)
        side = 3 + math.isqrt(4 * number + 3)  # the largest with as many cuts of smaller sides or fewer
        return SheetCut(side, beside + 2, number - _cuts_below(side) + 2)

    def max_game_length(self) -> int:
        """Return a bound: a sheet can only become so many as there are 2x2 in it."""
        return sum((first // 2) * (second // 2) - 1 for first, second in self.sheets)

    def tensor_shape(self) -> tuple[int, ...]:
        """Return shorter sides by longer sides, from 2 up to the longest at the start."""
        sides = max(1, self._longest() - 1)
        if sides * sides > _MOST_CELLS:
            raise SgaiError(f"sheets of {self._longest():,} squares a side are too large for a tensor of all sheets")
        return (sides, sides)

    def encode(self, position: Sheets) -> "npt.NDArray[np.float32]":
        """Return the number of sheets with each pair of sides."""
        import numpy as np  # rules load without it

        tensor = np.zeros(self.tensor_shape(), dtype=np.float32)
        for shorter, longer in position:
            tensor[shorter - 2, longer - 2] += 1.0
        return tensor

    def _longest(self) -> int:
        return max((longer for _, longer in self.sheets), default=1)


def _cuts_below(side: int) -> int:
    """Return the number of pairs of a smaller side and a place to cut it: the sum of n // 2 - 1 for 4 <= n < side."""
    return max(0, side - 3) ** 2 // 4


def _sheet(first: int, second: int) -> Sheet:
    return (first, second) if first <= second else (second, first)


def _text(sheet: Sheet) -> str:
    return f"{sheet[0]}x{sheet[1]}"
