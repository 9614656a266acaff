"""Openings: random legal moves from the start, half of them to positions that the player to move wins."""

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgai.budget import Budget
from sgai.experiments.matches.oracle import Oracle

KINDS = ("initial", "balanced", "random")
_TRIES, _BUDGETS = 60, 5  # a draw tries so many lines, and spends so many times the states of one judgement


@dataclass(frozen=True)
class Opening:
    """Moves that are made before a game begins, and who then wins ("N", "P", or None where that is not known)."""

    actions: tuple[int, ...] = ()
    outcome: str | None = None


class Openings:
    """Draws the openings of one game, one a round and always in order, so that they depend on the seed alone.

    Parameters
    ----------
    game : pyspiel.Game
        The game.
    kind : "initial", "balanced" or "random"
        No moves; as many N- as P-positions, in turn; or as they come.
    plies : int or None
        The most moves of an opening; None for half of a random game's length.
    states : int
        The exact solver's budget for a position.
    seed : tuple of int
        What the draws depend on.
    shift : int
        0 or 1: whether N- or P-positions come first.
    """

    def __init__(self, game: Any, kind: str, plies: int | None, states: int, seed: tuple[int, ...], shift: int) -> None:
        self._game, self._kind, self._plies, self._states = game, kind, plies, states
        self._seed, self._shift = seed, shift
        self._oracle = Oracle(game)
        self._seen: set[str] = set()
        self._drawn: list[Opening] = []

    def draw(self, number: int) -> Opening:
        """Return the opening of a round."""
        while len(self._drawn) <= number:
            self._drawn.append(self._new(len(self._drawn)))
        return self._drawn[number]

    def _new(self, number: int) -> Opening:
        if self._kind == "initial":
            state = self._game.new_initial_state()
            return Opening((), self._oracle.outcome(state, Budget(max(1, self._states))) if self._states else None)
        chance = random.Random(int(np.random.SeedSequence((*self._seed, number)).generate_state(1)[0]))
        wanted = "NP"[(number + self._shift) % 2]
        left = self._states * _BUDGETS
        best: tuple[int, str, Opening] | None = None
        for _ in range(_TRIES):
            actions, state = self._line(chance)
            outcome = None
            if left > 0:
                budget = Budget(min(left, self._states))
                outcome = self._oracle.outcome(state, budget)
                left -= budget.spent
            is_new = str(state) not in self._seen
            fits = self._kind == "random" or not self._oracle.knows or outcome == wanted
            rank = 2 * fits + is_new
            if best is None or rank > best[0]:
                best = rank, str(state), Opening(tuple(actions), outcome)
            if rank == 3:
                break
        assert best is not None
        self._seen.add(best[1])
        return best[2]

    def _line(self, chance: random.Random) -> tuple[list[int], Any]:
        """Return the beginning of a random game, at least one move before its end, and the state after it."""
        state = self._game.new_initial_state()
        actions: list[int] = []
        while not state.is_terminal():
            actions.append(chance.choice(state.legal_actions()))
            state.apply_action(actions[-1])
        most = max(1, len(actions) // 2) if self._plies is None else self._plies
        kept = min(chance.randint(1, most), max(0, len(actions) - 1))
        state = self._game.new_initial_state()
        for action in actions[:kept]:
            state.apply_action(action)
        return actions[:kept], state
