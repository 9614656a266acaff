"""Choosing a move in a game that may go on for ever."""

from typing import Any

from sgai.budget import Budget, OutOfBudget
from sgai.loopy_solver import JudgedMove, LoopySolver
from sgai.ruleset import Ruleset

_MOST_REPLIES = 2_000  # looked at to compare moves that do not win


class LoopyChooser:
    """Picks a move of a loopy game that wins for sure, holds the draw, or is hardest to answer.

    A winning move is not enough where play can repeat: moves that all win could go round for ever. So the winner makes
    the move whose components have the lowest levels in sum (see `sgai.loopy_graph.LoopyValues.potential`). Whatever the
    loser does, the sum falls from one of the winner's moves to the next or a component without cycles gets shorter.

    Parameters
    ----------
    ruleset : Ruleset
        The rules.
    solver : LoopySolver
        Whose values are used and added to.
    """

    def __init__(self, ruleset: Ruleset[Any, Any], solver: LoopySolver) -> None:
        self._ruleset, self._solver = ruleset, solver

    def choose(self, position: Any, outcome: str, budget: Budget) -> JudgedMove | None:
        """Return a move in a position of known outcome; None if there is none.

        Raises
        ------
        OutOfBudget
            If the budget ends first.
        """
        if outcome == "N":
            found = self._solver.judged_moves(self._ruleset, position, budget, "P")
            return min(found, key=lambda each: each.potential, default=None)
        wanted = "D" if outcome == "D" else None
        best: tuple[tuple[float, int], JudgedMove] | None = None
        replies = Budget(_MOST_REPLIES)
        for each in self._solver.judged_moves(self._ruleset, position, budget, wanted):
            try:
                rank = self._rank(each, replies)
            except OutOfBudget:
                return best[1] if best else each
            if best is None or rank < best[0]:
                best = rank, each
        return best[1] if best else None

    def _rank(self, move: JudgedMove, budget: Budget) -> tuple[float, int]:
        """Rank a move by the share of good replies, then by how soon the best of them wins."""
        good, total, soonest = 0, 0, -1
        for reply in self._solver.judged_moves(self._ruleset, move.position, budget):
            total += 1
            if reply.outcome == ("D" if move.outcome == "D" else "P"):
                good += 1
                soonest = reply.potential if soonest < 0 else min(soonest, reply.potential)
        return good / max(1, total), -soonest
