"""Looking for a counterexample in random plays."""

import random
from dataclasses import dataclass
from typing import Any

from sgai.budget import Budget, OutOfBudget
from sgai.envs.classification.checks import Against, Results, against_turns
from sgai.errors import SgaiError, quote


@dataclass(frozen=True)
class Played:
    """What random plays showed.

    Attributes
    ----------
    against : Against or None
        A counterexample; None where none was found, which proves nothing.
    play : "normal", "misere" or None
        Whether who moved last won or lost; None where no play ended.
    """

    against: Against | None
    play: str | None


def against_by_playouts(game: Any, budget: Budget, seed: int = 0) -> Played:
    """Play at random until the budget ends or something speaks against an impartial game.

    Parameters
    ----------
    game : pyspiel.Game
        A sequential game of two players without chance, not over at its start.
    budget : Budget
        The most moves, and seconds; what was spent is counted there.
    seed : int
        Of the plays.
    """
    chance, results = random.Random(seed), Results()
    found = None
    try:
        while found is None:
            state = game.new_initial_state()
            found = _against_by_play(state, chance, results, budget)
    except OutOfBudget:
        pass
    return Played(found, results.play)


def _against_by_play(state: Any, chance: random.Random, results: Results, budget: Budget) -> Against | None:
    while True:
        budget.spend()
        budget.check_clock()
        mover = state.current_player()
        state.apply_action(chance.choice(legal_actions(state)))
        if state.is_terminal():
            return results.against(state, mover)
        found = against_turns(state, mover)
        if found is not None:
            return found


def legal_actions(state: Any) -> list[int]:
    """Return the legal actions of a state that has not ended.

    Raises
    ------
    SgaiError
        If there are none: then the game can neither go on nor end.
    """
    actions: list[int] = state.legal_actions()
    if not actions:
        raise SgaiError(f"{quote(str(state.get_game()))} has a state that has not ended but no action: {str(state)!r}")
    return actions
