"""Labels of many positions of one removal game, by the compiled search alone."""

from typing import TYPE_CHECKING, NamedTuple

from sgai.budget import Budget, OutOfBudget
from sgai.compiling import can_compile
from sgai.removal_values import FEW_CELLS, MOST_CELLS
from sgai.rulesets.removal import RemovalRuleset
from sgai.solver import Solver

if TYPE_CHECKING:
    from sgai.removal_search import RemovalSearch  # loads numba

MANY = 16  # positions that are worth loading the compiled search for


class Value(NamedTuple):
    """A position's Grundy value, and whether the player to move wins."""

    grundy: int
    won: bool


Known = list[Value | list[int]]  # of a position: the value, then the indices of all winning moves; as far as known


class CellOracle:
    """Solves positions of one removal game one after the other, with the tables of a solver."""

    def __init__(self, ruleset: RemovalRuleset, solver: Solver) -> None:
        rules = ruleset.rules()
        assert isinstance(rules, RemovalRuleset)
        self._ruleset, self._always, table = rules, ruleset.always_live(), ruleset.table
        self._moves = list(enumerate(zip(table.needs, table.kills, strict=True)))
        self._cells = table.cells
        self._removals = solver.table.removals

    def is_for(self, positions: list[int]) -> bool:
        """Tell whether the compiled search can be used, and is worth it."""
        many = sum(position.bit_count() > FEW_CELLS for position in positions) >= MANY
        return many and self._cells <= MOST_CELLS and can_compile()

    def load(self) -> None:
        """Load the compiled code."""
        self._removals.with_search(self._ruleset, lambda search: search.load())

    def solve(self, position: int, budget: Budget) -> Known | None:
        """Return the value of a position and its winning moves as far as the budget allows; None where it cannot."""
        return self._removals.with_search(self._ruleset, lambda search: self._asked(search, position, budget))

    def _asked(self, search: "RemovalSearch", position: int, budget: Budget) -> Known:
        known: Known = []
        live = position & ~self._always
        try:
            ((value, parts),) = search.split([live])
            for part in parts:
                value ^= search.value(part, budget)
            known.append(Value(value, value != 0))
            if not value:
                known.append([])
                return known
            legal = [(move, live & ~kill) for move, (need, kill) in self._moves if need & live == need]
            winning = []
            for (move, _), (nimber, left) in zip(legal, search.split(option for _, option in legal), strict=True):
                if self._is_lost(search, nimber, left, budget):
                    winning.append(move)
            known.append(winning)
        except OutOfBudget:
            pass
        return known

    def _is_lost(self, search: "RemovalSearch", nimber: int, parts: tuple[int, ...], budget: Budget) -> bool:
        if not parts:
            return nimber == 0
        small, largest = sorted(parts, key=int.bit_count)[:-1], max(parts, key=int.bit_count)
        for part in small:
            nimber ^= search.value(part, budget)
        return search.has_value(largest, nimber, budget)
