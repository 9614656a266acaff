"""sgai's games as PettingZoo environments, by shimmy's wrapper and without its faults.

It needs the extra ``rl``. What shimmy 2.0.1 does otherwise is told by ``tests/envs/test_pettingzoo.py``.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from shimmy import OpenSpielCompatibilityV0

from sgai.envs.environment import action_number, check_same_game
from sgai.envs.game import SgaiGame
from sgai.envs.starts import StartSampler, own_game
from sgai.errors import SgaiError, quote


def pettingzoo_env(
    game: SgaiGame | str, render_mode: str | None = None, start_sampler: StartSampler | None = None
) -> "SgaiPettingZooEnv":
    """Return a game as a PettingZoo environment, whose agents move in turn.

    Parameters
    ----------
    game : SgaiGame or str
        The game, or its text.
    render_mode : "human", "ansi" or None
        Whether ``render`` prints the position's drawing, or returns it.
    start_sampler : StartSampler, optional
        Where plays start; by default where the game does.

    Raises
    ------
    SgaiError
        If the game is none of sgai's or too large for a tensor, or the sampler is of another game.
    """
    return SgaiPettingZooEnv(game, render_mode, start_sampler)


class SgaiPettingZooEnv(OpenSpielCompatibilityV0):
    """A game as an ``AECEnv``.

    Agents are "player_0" and "player_1". An observation is the game's tensor, the legal actions are
    ``infos[agent]["action_mask"]``, and an action that is not legal is a ``pyspiel.SpielError`` that changes nothing.

    Parameters
    ----------
    game : SgaiGame or str
        The game, or its text.
    render_mode : "human", "ansi" or None
        Whether `render` prints the position's drawing, or returns it.
    start_sampler : StartSampler, optional
        Where plays start; ``reset(seed=...)`` seeds it.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["human", "ansi"],
        "name": "sgai",
        "is_parallelizable": False,
    }

    def __init__(
        self, game: SgaiGame | str, render_mode: str | None = None, start_sampler: StartSampler | None = None
    ) -> None:
        loaded = own_game(game)
        check_same_game(loaded, start_sampler)
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise SgaiError(f"render_mode={quote(render_mode)} should be 'human', 'ansi' or None")
        loaded.ruleset.tensor_shape()
        self._made_from = (loaded, render_mode, start_sampler)
        self._start_sampler = start_sampler
        # Reset loads the game again from its short name: only `config` keeps its parameters.
        super().__init__(
            game_name=loaded.get_type().short_name, render_mode=render_mode, config=loaded.get_parameters()
        )
        self.agents: list[str] = []  # nobody plays before the first reset

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a play.

        Parameters
        ----------
        seed : int, optional
            Starts the sampler's positions anew; the games have no chance of their own.
        options : dict, optional
            Nothing is read from it.
        """
        super().reset(seed, options)
        if self._start_sampler is not None:
            if seed is not None:
                self._start_sampler.seed(seed)
            self.game_state = self._env.new_initial_state_at(self._start_sampler.position())
            self._update_action_masks()
            self._update_observations()
            self._choose_next_agent()

    def step(self, action: Any) -> None:
        """Make a move, or take an agent out after the last one, for which ``action`` is None."""
        if not self.agents:
            raise SgaiError("nobody plays, before the first reset() and when all agents have left; call reset()")
        if self.terminations[self.agent_selection] and action is not None:
            raise SgaiError(f"the play is over: step(None) is all that is left, not step({quote(action)})")
        super().step(action)

    def render(self) -> str | None:
        """Print the drawing of the position and who moves, or return it, as ``render_mode`` says."""
        if not hasattr(self, "game_state"):
            raise SgaiError("there is nothing to draw before the first reset()")
        state = self.game_state
        drawing = f"{state.get_game().ruleset.draw_text(state.position)}\n{state}"
        if self.render_mode == "ansi":
            return drawing
        if self.render_mode == "human":
            print(drawing)
        return None

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
        # shimmy's own pickle makes a new environment, without its parameters and its state.
        return SgaiPettingZooEnv, self._made_from, {**self.__dict__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    # What shimmy calls from its constructor, from `reset` and `step`

    def _update_observation_spaces(self) -> None:
        if not self.observation_spaces:
            super()._update_observation_spaces()

    def _update_action_spaces(self) -> None:
        # Once: shimmy's new spaces in every step would forget the seed that they were given.
        if not self.action_spaces:
            super()._update_action_spaces()

    def _execute_action_node(self, action: Any) -> None:
        self.game_state.apply_action(action_number(action))
        self.game_length += 1

    def _end_routine(self) -> bool:
        ended: bool = super()._end_routine()
        if ended:
            # Rewards are added up after every step: those of the last move would come a second time.
            self._clear_rewards()
        return ended

    def _update_observations(self) -> None:
        # At the end too, where shimmy leaves the observation before the last move.
        shape = self._env.observation_tensor_shape()
        self.observations = {
            agent: np.asarray(self.game_state.observation_tensor(number), dtype=np.float64).reshape(shape)
            for number, agent in self.agent_id_name_mapping.items()
        }

    def _update_termination_truncation(self) -> None:
        # Plays end by themselves: shimmy calls the longest ones truncated as well.
        self.terminations = dict.fromkeys(self.agents, self.game_state.is_terminal())
        self.truncations = dict.fromkeys(self.agents, False)
