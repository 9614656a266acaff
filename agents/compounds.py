"""Perfect play of compounds: conjunctive, selective, and disjunctive ones that end with their first component."""

import itertools
from typing import Any

from sgai.agents.agent import EXACT, Decision
from sgai.budget import Budget, OutOfBudget
from sgai.compounds.analysis import Analysis, PositionTables
from sgai.compounds.ruleset import CompoundRuleset
from sgai.compounds.solution import CompoundComponent
from sgai.solution import WinningMove

_MOST_COMPARED, _MOST_COMPONENT_VISITS = 64, 2_000


class CompoundPlayer:
    """Decides on positions of a compound by the theory that holds for it.

    In a won position it makes the winning move that leaves least to play, in a lost one the move with the fewest
    winning replies, and among these the one that leaves most to play. With very many moves the first ones are compared.

    Parameters
    ----------
    game : CompoundRuleset
        The compound.
    play : "normal" or "misere"
        The convention.
    tables : PositionTables
        Where values are kept.
    """

    def __init__(self, game: CompoundRuleset, play: str, tables: PositionTables) -> None:
        self._game, self._play, self._tables = game, play, tables
        self._most = max(1, min(_MOST_COMPARED, _MOST_COMPONENT_VISITS // len(game.parts)))

    def decide(self, position: Any, budget: Budget) -> Decision | None:
        """Choose a move; None where play has ended.

        Raises
        ------
        OutOfBudget
            If the budget ends before all components are solved; what is finished is kept.
        """
        if self._game.is_over(position):
            return None
        found = self._analysed(position, budget)
        if not found.is_solved:
            raise OutOfBudget
        won = found.is_won()
        chosen = self._winning(found, budget) if won else self._hardest(position, budget)
        parts = zip(self._game.parts, position, found.values, strict=True)
        components = tuple(
            CompoundComponent(part.ruleset, at, None, values=tuple(zip(found.theory.kinds, values or (), strict=True)))
            for part, at, values in parts
        )
        return Decision(
            chosen.move, chosen.position, EXACT, "N" if won else "P", components, budget.spent, budget.elapsed()
        )

    def _analysed(self, position: Any, budget: Budget) -> Analysis:
        return Analysis(self._game, position, self._play, self._tables, budget)

    def _winning(self, found: Analysis, budget: Budget) -> WinningMove:
        moves = found.winning_moves()
        best = next(moves)  # may take more than the budget, which raises
        try:
            least = self._analysed(best.position, budget).longest_play()
            for move in itertools.islice(moves, self._most - 1):
                left = self._analysed(move.position, budget).longest_play()
                if left < least:
                    best, least = move, left
                budget.check_clock()
        except OutOfBudget:
            pass
        return best

    def _hardest(self, position: Any, budget: Budget) -> WinningMove:
        best: tuple[tuple[int, int], WinningMove] | None = None
        for move, option in itertools.islice(self._game.moves(position), self._most):
            try:
                after = self._analysed(option, budget)
                rank = (after.count_winning_moves(), -after.longest_play())
                budget.check_clock()
            except OutOfBudget:
                return best[1] if best else WinningMove(move, option)
            if best is None or rank < best[0]:
                best = rank, WinningMove(move, option)
        assert best is not None  # play has not ended
        return best[1]
