"""A guess under misere play where nothing is proved in time: random plays after each move, counted."""

import random
from typing import Any

from sgai.budget import Budget, OutOfBudget
from sgai.ruleset import Ruleset
from sgai.solution import WinningMove

_MOST_MOVES = 1_000  # that are compared; with more the first ones are


def best_by_playouts(ruleset: Ruleset[Any, Any], position: Any, seed: int, budget: Budget) -> tuple[WinningMove, float]:
    """Return the move that wins most random plays under misere play, with the part of them that it won.

    Parameters
    ----------
    ruleset : Ruleset
        The rules.
    position : hashable
        A position with moves.
    seed : int
        Equal seeds and numbers of states give equal moves.
    budget : Budget
        What may be spent: one state for each move of a play.
    """
    chance = random.Random(seed)
    moves = [WinningMove(*each) for each, _ in zip(ruleset.moves(position), range(_MOST_MOVES), strict=False)]
    won, played = [1.0] * len(moves), [2.0] * len(moves)
    place = 0
    try:
        while True:
            won[place] += _opponent_loses(ruleset, moves[place].position, chance, budget)
            played[place] += 1
            place = (place + 1) % len(moves)
    except OutOfBudget:
        pass
    best = max(range(len(moves)), key=lambda each: won[each] / played[each])
    return moves[best], won[best] / played[best]


def _opponent_loses(ruleset: Ruleset[Any, Any], position: Any, chance: random.Random, budget: Budget) -> bool:
    """Play at random; tell whether the player who is to move first loses. Who cannot move wins."""
    turns = 0
    while True:
        budget.spend()
        budget.check_clock()
        options = ruleset.options(position)
        if not options:
            return turns % 2 == 1
        position = chance.choice(options)
        turns += 1
