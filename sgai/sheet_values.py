"""The Grundy values of sheets of paper, a table at a time."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sgai.budget import Budget, OutOfBudget
from sgai.ruleset import Ruleset
from sgai.rulesets.paper_cutting import PaperCutting, Sheet, Sheets

_MOST_CELLS = 50_000_000  # of the table, 4 bytes each
_UNKNOWN = -1


def sheets_are_cut(ruleset: Ruleset[Any, Any]) -> bool:
    """Tell whether a ruleset is paper cutting itself; a subclass may have other rules."""
    return type(ruleset) is PaperCutting


class SheetValues:
    """The Grundy values of single sheets, by shorter and longer side.

    A value takes time linear in the sides: the options of a sheet are two stretches of a row and a column of the table,
    each nim-added to itself backwards. So w x h sheets take time w h (w + h), and little of it in Python.

    Examples
    --------
    >>> SheetValues().value(((4, 4),), Budget())
    1
    """

    def __init__(self) -> None:
        self._table: npt.NDArray[np.int32] = np.full((0, 0), _UNKNOWN, dtype=np.int32)
        self._count = 0
        self._done: dict[int, int] = {}  # by longer side, the shorter side up to which all values are computed

    def __len__(self) -> int:
        return self._count

    def known(self, position: Sheets) -> int | None:
        """Return the value of one sheet if it was computed before."""
        if len(position) != 1:
            return None
        (shorter, longer) = position[0]
        if shorter >= self._table.shape[0] or longer >= self._table.shape[1]:
            return None
        value = int(self._table[shorter, longer])
        return None if value == _UNKNOWN else value

    def value(self, position: Sheets, budget: Budget) -> int:
        """Return the value of one sheet, with those of all smaller ones that it may become.

        Raises
        ------
        OutOfBudget
            If the budget ends first, or the table does not fit into memory; what was computed is kept.
        """
        (sheet,) = position
        self._make_room(sheet)
        table = self._table
        for longer in range(2, sheet[1] + 1):
            for shorter in range(self._done.get(longer, 1) + 1, min(sheet[0], longer) + 1):
                budget.spend()
                value = self._mex_of_options(shorter, longer)
                table[shorter, longer] = value
                if longer < table.shape[0]:
                    table[longer, shorter] = value
                self._done[longer] = shorter
                self._count += 1
        return int(table[sheet])

    def _mex_of_options(self, shorter: int, longer: int) -> int:
        found: set[int] = set()
        for line, side in ((self._table[:, longer], shorter), (self._table[shorter], longer)):
            if side >= 4:
                half = side // 2
                found.update((line[2 : half + 1] ^ line[side - 2 : side - half - 1 : -1]).tolist())
        value = 0
        while value in found:
            value += 1
        return value

    def _make_room(self, sheet: Sheet) -> None:
        rows, columns = self._table.shape
        if sheet[0] < rows and sheet[1] < columns:
            return
        wanted = max(rows, sheet[0] + 1), max(columns, sheet[1] + 1)
        if wanted[0] * wanted[1] > _MOST_CELLS:
            if (sheet[0] + 1) * (sheet[1] + 1) > _MOST_CELLS:
                raise OutOfBudget
            wanted = sheet[0] + 1, sheet[1] + 1  # the old table makes room
            rows = columns = self._count = 0
            self._done.clear()
        table = np.full(wanted, _UNKNOWN, dtype=np.int32)
        table[:rows, :columns] = self._table[:rows, :columns]
        # Where there are more rows than before, what is known of a turned sheet fills them.
        shared = min(wanted)
        square = table[:shared, :shared]
        np.copyto(square, square.T.copy(), where=square == _UNKNOWN)
        self._table = table
