"""Positions for benchmarks: won ones that come up in random play, with a judge of moves."""

import random
from typing import Any

import sgai
from sgai.budget import Budget, OutOfBudget
from sgai.ruleset import Ruleset
from sgai.solver import Solver


def after_random_moves(ruleset: Ruleset[Any, Any], moves: int, chance: random.Random) -> Any:
    """Return the position after so many random moves, or where play ended before."""
    position = ruleset.initial()
    for _ in range(moves):
        options = ruleset.options(position)
        if not options:
            break
        position = chance.choice(options)
    return position


class Judge:
    """Exact outcomes of the positions of one ruleset.

    Parameters
    ----------
    ruleset : Ruleset or str
        The rules.
    seconds : float
        The most to take for one position.
    """

    def __init__(self, ruleset: Ruleset[Any, Any] | str, seconds: float = 60.0) -> None:
        self.ruleset: Ruleset[Any, Any] = sgai.load_ruleset(ruleset)
        self._solver, self._seconds = Solver(), seconds

    def outcome(self, position: Any) -> str | None:
        """Return "N" or "P", or None where that takes too long."""
        try:
            is_lost = self._solver.has_grundy(self.ruleset, position, 0, Budget(1 << 60, self._seconds))
        except OutOfBudget:
            return None
        return "P" if is_lost else "N"

    def winning_share(self, position: Any) -> float:
        """Return the share of moves that win."""
        options = self.ruleset.options(position)
        return sum(self.outcome(option) == "P" for option in options) / len(options)

    def won_positions(self, count: int, moves: range, chance: random.Random) -> list[Any]:
        """Return different won positions with three options or more, each after a random number of random moves."""
        found: dict[Any, None] = {}
        for _ in range(200 * count):
            position = after_random_moves(self.ruleset, chance.choice(moves), chance)
            if len(set(self.ruleset.options(position))) > 2 and self.outcome(position) == "N":
                found[position] = None
                if len(found) == count:
                    break
        return list(found)
