"""Positions to decide on: different ones that come up in random play."""

import random
from dataclasses import dataclass
from typing import Any

from sgai.errors import SgaiError, quote

_TRIES = 50  # draws for each position that is wanted


@dataclass(frozen=True)
class Place:
    """A position to decide on.

    Attributes
    ----------
    state : pyspiel.State
        A player is to move in it.
    actions : tuple of int
        What leads to it from the start.
    legal_actions : int
        How many moves there are.
    """

    state: Any
    actions: tuple[int, ...]
    legal_actions: int


def draw_positions(game: Any, count: int, moves: tuple[int, int], seed: int) -> list[Place]:
    """Draw different positions after random play; there may be fewer than are wanted.

    The number of moves is drawn first, each number of the range with the same probability.

    Parameters
    ----------
    game : pyspiel.Game
        A game without chance.
    count : int
        The most positions to return.
    moves : pair of int
        The least and the most moves from the start.
    seed : int
        Equal seeds give equal positions of a game, whatever else is measured.

    Raises
    ------
    SgaiError
        If no play lasts so long, or play is over at the start.

    Examples
    --------
    >>> from sgai.envs import load_game
    >>> places = draw_positions(load_game("sgai_nim(piles=[3;4])"), 3, (0, 1), seed=1)
    >>> [str(place.state) for place in places]
    ['[3;3], player 1 to move', '[1;3], player 1 to move', '[2;4], player 1 to move']
    """
    chance = random.Random(f"{seed}|{game}")
    found: dict[str, Place] = {}
    for _ in range(_TRIES * count):
        state, actions = game.new_initial_state(), []
        for _ in range(chance.randint(*moves)):
            if state.is_terminal():
                break
            actions.append(chance.choice(state.legal_actions()))
            state.apply_action(actions[-1])
        if not state.is_terminal():
            found.setdefault(str(state), Place(state, tuple(actions), len(state.legal_actions())))
        if len(found) == count:
            break
    if not found:
        least, most = moves
        after = f"{least} to {most}" if least < most else f"{least}"
        raise SgaiError(
            f"game {quote(str(game))}: no position with a move was found after {after} random moves; allow fewer moves"
        )
    return list(found.values())
