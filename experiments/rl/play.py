"""Games from a given position against perfect or random play."""

import random
from typing import Any, NamedTuple

from sgai.experiments.rl.judge import Judge
from sgai.experiments.rl.players import Player


class GameResult(NamedTuple):
    """Whether the player won, the decisions it made in positions known to be won, and how many gave the win away.

    ``won`` is None where the exact answers did not suffice for perfect play of the opponent.
    """

    won: bool | None
    decisions: int
    blunders: int


def play_from(
    judge: Judge, position: Any, player: Player, seat: int, opponent: str, chance: random.Random
) -> GameResult:
    """Play one game in which a player moves first from a position.

    A player that raises an error or chooses an illegal action has lost.

    Parameters
    ----------
    judge : Judge
        The exact answers of the game.
    position : hashable
        Where play starts.
    player : Player
        Who moves first.
    seat : int
        Which player of the game it is, 0 or 1.
    opponent : "perfect" or "random"
        Perfect play wins where it can, by any winning move; in a lost position it makes the move after which the
        smallest share of moves wins.
    chance : random.Random
        Of the opponent.

    Examples
    --------
    >>> from sgai.envs import load_game
    >>> from sgai.experiments.rl.players import as_player
    >>> game = load_game("sgai_nim(piles=[3;4;5])")
    >>> play_from(Judge(game), (3, 4, 5), as_player("exact", game), 0, "perfect", random.Random(0)).won
    True
    """
    state = judge.game.new_initial_state_at(position, seat)
    decisions = blunders = 0
    player.begin(state)
    while not state.is_terminal():
        if state.current_player() != seat:
            reply = _reply(judge, state, opponent, chance)
            if reply is None:
                return GameResult(None, decisions, blunders)
            player.inform(state, reply)
            state.apply_action(reply)
            continue
        winning = judge.winning(state.position)
        try:
            action = player.choose(state).action
        except Exception:  # a bot may raise anything
            action = None
        if winning:
            decisions += 1
            blunders += action not in winning
        if action is None or action not in state.legal_actions():
            return GameResult(False, decisions, blunders)
        state.apply_action(int(action))
    return GameResult(state.returns()[seat] > 0, decisions, blunders)


def _reply(judge: Judge, state: Any, opponent: str, chance: random.Random) -> int | None:
    if opponent == "random":
        return int(chance.choice(state.legal_actions()))
    winning = judge.winning(state.position)
    if winning is None:
        return None
    return int(chance.choice(winning or judge.hardest(state.position)))
