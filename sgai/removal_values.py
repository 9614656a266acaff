"""Choosing how the components of removal games are solved: by rules in Python, or by the compiled search."""

import importlib
import logging
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from sgai.budget import Budget
from sgai.compiling import can_compile
from sgai.errors import SgaiError
from sgai.ruleset import Ruleset
from sgai.rulesets.removal import RemovalRuleset, RemovalTable, cells_of, image_under, mask_of, to_corner

if TYPE_CHECKING:
    from sgai.removal_search import RemovalSearch

T = TypeVar("T")

DEFAULT_MEMORY = 1 << 30  # bytes
LEAST_MEMORY = 1 << 20
MOST_CELLS = 512  # of a component that the compiled search takes
FEW_CELLS = 8  # up to here asking the compiled search is no faster
TRIED_OPTIONS, _LEAST_TRIED_STATES = 20_000, 20  # in Python before compiled code is loaded, which takes as long
_EXPENSIVE_NODES = 256
_FEW_VALUES, _MOST_VALUES = 64, 4096

_log = logging.getLogger(__name__)


class RemovalValues:
    """The values of components of removal games, as far as the compiled search finds them.

    Parameters
    ----------
    memory : int
        The most bytes for the tables of one game.
    """

    def __init__(self, memory: int = DEFAULT_MEMORY) -> None:
        if isinstance(memory, bool) or not isinstance(memory, int) or memory < LEAST_MEMORY:
            raise SgaiError(f"memory={memory!r}: it is a number of bytes, {LEAST_MEMORY:,} or more")
        self._memory = memory
        self._searches: dict[RemovalRuleset, RemovalSearch] = {}
        self._room: dict[RemovalRuleset, int] = {}  # how large values may be, where that is more than usual
        self._refused: set[RemovalRuleset] = set()  # where the compiled search has no room for the values

    def __len__(self) -> int:
        return sum(search.entries for search in self._searches.values())

    def takes(self, ruleset: RemovalRuleset, part: int) -> bool:
        """Tell whether the compiled search is for this component."""
        if part.bit_count() <= FEW_CELLS or ruleset in self._refused:
            return False
        if ruleset.table.cells > MOST_CELLS:
            _log.warning(
                "%s has %d cells; the compiled search is for up to %d, so the slow one in Python goes on",
                ruleset,
                ruleset.table.cells,
                MOST_CELLS,
            )
            self._refused.add(ruleset)
            return False
        return True

    def is_loaded(self) -> bool:
        """Tell whether the compiled code has been loaded before."""
        return "sgai.kernels.removal_search" in sys.modules

    def is_ready(self, ruleset: RemovalRuleset) -> bool:
        """Tell whether the compiled search has been used for this game, so that asking it compiles nothing."""
        return ruleset in self._searches

    def value(self, ruleset: RemovalRuleset, part: int, budget: Budget) -> int | None:
        """Return the value of a component, or None if the compiled search cannot tell it.

        Raises
        ------
        OutOfBudget
            If the budget ends first.
        """
        return self.with_search(ruleset, lambda search: search.value(bare(ruleset, part), budget))

    def has_value(self, ruleset: RemovalRuleset, part: int, value: int, budget: Budget) -> bool | None:
        """Tell whether a component has a value, or return None if the compiled search cannot tell."""
        return self.with_search(ruleset, lambda search: search.has_value(bare(ruleset, part), value, budget))

    def with_search(self, ruleset: RemovalRuleset, question: "Callable[[RemovalSearch], T]") -> T | None:
        """Put a question to the compiled search of a ruleset; None where there is none.

        Where a value turns out too large, the question is put again to a search with more room.
        """
        if not can_compile():
            self._refused.add(ruleset)
            return None
        from sgai.removal_search import ValueTooLarge  # loads numba

        while True:
            try:
                return question(self.search(ruleset))
            except ValueTooLarge:
                room = 4 * self._room.get(ruleset, _FEW_VALUES)
                self._searches.pop(ruleset, None)
                if room > _MOST_VALUES:
                    self._refused.add(ruleset)
                    return None
                self._room[ruleset] = room

    def known(self, ruleset: RemovalRuleset, part: int) -> int | None:
        """Return a value that was found before, or None."""
        search = self._searches.get(ruleset)
        return None if search is None else search.known(bare(ruleset, part))

    def excluded(self, ruleset: RemovalRuleset, part: int) -> list[int]:
        """Return the values that a component is proved not to have."""
        search = self._searches.get(ruleset)
        mask = 0 if search is None else search.excluded(bare(ruleset, part))
        return [value for value in range(mask.bit_length()) if mask >> value & 1]

    def add(self, ruleset: RemovalRuleset, values: Mapping[int, int]) -> None:
        """Take over values that were found in an earlier run; those that no search has room for are left out."""
        parts = {}
        for position, value in values.items():
            part = bare(ruleset, position)
            if value < _MOST_VALUES and ruleset.table.parts(position) == [part]:
                parts[part] = value
        if not parts or not can_compile():
            return
        before = room = self._room.get(ruleset, _FEW_VALUES)
        while room <= max(parts.values()):
            room *= 4
        if room > before:
            self._searches.pop(ruleset, None)  # one with less room has no place for them
            self._room[ruleset] = room
        search = self.search(ruleset)
        for part, value in parts.items():
            search.add(part, value)

    def expensive(self) -> dict[RemovalRuleset, dict[int, int]]:
        """Return the positions, with their values, that took long to solve."""
        return {
            ruleset: {part | ruleset.always_live(): value for part, value in search.expensive(_EXPENSIVE_NODES).items()}
            for ruleset, search in self._searches.items()
        }

    def search(self, ruleset: RemovalRuleset) -> "RemovalSearch":
        """Return the compiled search of a game that `takes` let through; it is made once."""
        search = self._searches.get(ruleset)
        if search is None:
            from sgai.removal_search import RemovalSearch  # loads numba

            search = self._searches[ruleset] = RemovalSearch(
                ruleset.table, self._memory, self._room.get(ruleset, _FEW_VALUES)
            )
        return search


def load_compiled_search(ruleset: Ruleset[Any, Any]) -> None:
    """Load the compiled search if the ruleset, or a part of a sum, is a removal game.

    Small boards are searched by it where it is loaded and by rules in Python elsewhere, which counts states otherwise:
    who wants equal counts in every process loads it first.
    """
    parts = getattr(ruleset, "parts", ())
    found = any(isinstance(getattr(part, "ruleset", part), RemovalRuleset) for part in (ruleset, *parts))
    if found and can_compile():
        importlib.import_module("sgai.kernels.removal_search")


def bare(ruleset: RemovalRuleset, part: int) -> int:
    """Return a position as the compiled search takes it."""
    return part & ~ruleset.always_live()  # the search knows only cells that moves need or kill


def is_mirrored(table: RemovalTable, part: int) -> bool:
    """Tell whether a symmetry shows that a position is lost: every move can be answered by its image.

    That needs a symmetry that is its own inverse, and of which no legal move takes what its image needs: then the image
    of the first player's move is always there, and leaves a symmetric position again.

    Parameters
    ----------
    table : RemovalTable
        The game.
    part : int
        A position of it, as a mask of live cells, all needed by some legal move.

    Examples
    --------
    >>> import sgai
    >>> cram = sgai.load_ruleset("cram(rows=6,columns=6)")
    >>> is_mirrored(cram.table, cram.initial()), is_mirrored(cram.table, cram.initial() ^ 1)
    (True, False)
    """
    if not part:
        return True
    shift = 0
    if table.shape is not None and table.translates:
        part, _ = to_corner(part, table.shape)
    legal = [(need, kill) for need, kill in zip(table.needs, table.kills, strict=True) if need & part == need]
    for symmetry in table.symmetries[1:]:
        image = image_under(symmetry)(part)
        if table.shape is not None and table.translates:
            turned, _ = to_corner(image, table.shape)
            shift = image.bit_length() - turned.bit_length()
            image = turned
        if image != part or any(symmetry[symmetry[cell] - shift] - shift != cell for cell in cells_of(part)):
            continue
        if not any(kill & mask_of(symmetry[cell] - shift for cell in cells_of(need)) for need, kill in legal):
            return True
    return False


def limited(budget: Budget, table: RemovalTable) -> Budget:
    """Return a budget for a try in Python before compiled code is loaded: by states alone, so that it is repeatable."""
    left = None if budget.seconds is None else max(1e-9, budget.seconds - budget.elapsed())
    states = max(_LEAST_TRIED_STATES, TRIED_OPTIONS // len(table.needs))
    return Budget(max(1, min(states, budget.states - budget.spent)), left)
