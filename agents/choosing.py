"""Choosing among the moves of a position whose value is known."""

import itertools
from typing import Any

from sgai.budget import Budget, OutOfBudget
from sgai.decomposition import decompose
from sgai.ruleset import Ruleset
from sgai.solution import WinningMove
from sgai.solver import Solver

_MOST_WINNING_MOVES = 64  # compared to find the one that leaves least to play
_MOST_COMPONENT_VISITS = 2_000  # spent on that comparison, so that a thousand piles take no longer


class Chooser:
    """Picks the winning move that leaves least to play, or in a lost position the move that is hardest to answer.

    Parameters
    ----------
    ruleset : Ruleset
        The rules.
    solver : Solver
        Whose values are used and added to.
    play : "normal" or "misere"
        The convention.
    """

    def __init__(self, ruleset: Ruleset[Any, Any], solver: Solver, play: str) -> None:
        self._ruleset, self._solver, self._play = ruleset, solver, play

    def winning(self, position: Any, components: int, budget: Budget) -> WinningMove | None:
        """Return a winning move; None if there is none, or the budget ended before one was found."""
        most = max(1, min(_MOST_WINNING_MOVES, _MOST_COMPONENT_VISITS // (components + 1)))
        best: tuple[int, WinningMove] | None = None
        try:
            found = self._solver.winning_moves(self._ruleset, position, play=self._play, budget=budget)
            for move in itertools.islice(found, most):
                left = self._left_to_play(move.position)
                if best is None or left < best[0]:
                    best = left, move
                budget.check_clock()
        except OutOfBudget:
            pass
        return best[1] if best else None

    def hardest(self, position: Any, components: int, budget: Budget) -> WinningMove | None:
        """Return the move with the fewest winning replies, among these one with the longest play still possible.

        With very many moves as many are compared as the budget allows. None if there is no move.
        """
        best: tuple[tuple[int, int], WinningMove] | None = None
        for move, option in self._ruleset.moves(position):
            try:
                budget.spend(components * components // 10 + 1)
                replies = self._count_replies(option, best[0][0] if best else None, budget)
                budget.check_clock()
            except OutOfBudget:
                best = best or ((0, 0), WinningMove(move, option))
                break
            longest = self._solver.longest_play(self._ruleset, option)
            rank = (replies, -(longest or 0))
            if best is None or rank < best[0]:
                best = rank, WinningMove(move, option)
            if replies <= 1 and longest is None:
                break  # one reply always wins, and nothing tells of a longer play
        return best[1] if best else None

    def _count_replies(self, option: Any, enough: int | None, budget: Budget) -> int:
        replies = self._solver.winning_moves(self._ruleset, option, play=self._play, budget=budget)
        return sum(1 for _ in itertools.islice(replies, None if enough is None else enough + 1))

    def _left_to_play(self, position: Any) -> int:
        total = 0
        for summand in decompose(self._ruleset, position):
            heap = summand.ruleset.heap_of(summand.position)
            if heap is None:
                heap = self._solver.longest_play(summand.ruleset, summand.position) or 0
            total += heap
        return total
