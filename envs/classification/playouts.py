"""Looking for a counterexample in random plays."""

import random
from typing import Any

from sgai.budget import Budget, OutOfBudget
from sgai.envs.classification.checks import Against, Results, against_turns
from sgai.errors import SgaiError, quote


def against_by_playouts(game: Any, budget: Budget, seed: int = 0) -> Against | None:
    """Play at random until the budget ends or something speaks against an impartial game.

    Parameters
    ----------
    game : pyspiel.Game
        A sequential game of two players without chance.
    budget : Budget
        The most moves, and seconds; what was spent is counted there.
    seed : int
        Of the plays.

    Returns
    -------
    Against or None
        None where nothing was found, which proves nothing.
    """
    chance, results = random.Random(seed), Results()
    try:
        while True:
            state = game.new_initial_state()
            mover = state.current_player()
            while not state.is_terminal():
                budget.spend()
                budget.check_clock()
                mover = state.current_player()
                state.apply_action(chance.choice(legal_actions(state)))
                found = None if state.is_terminal() else against_turns(state, mover)
                if found is not None:
                    return found
            if not state.history():
                return None
            found = results.against(state, mover)
            if found is not None:
                return found
    except OutOfBudget:
        return None


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
