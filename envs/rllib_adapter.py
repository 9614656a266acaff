"""sgai's games as environments of Ray RLlib, with the legal actions in the observation.

It needs the extra ``ray``.
"""

import copy
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from ray.rllib.env.wrappers.open_spiel import OpenSpielEnv

from sgai.envs.environment import action_number, check_same_game
from sgai.envs.starts import own_game
from sgai.errors import SgaiError, quote
from sgai.parameters import unknown_parameter

_KEYS = ("game", "seed", "start_sampler")


class LegalDiscrete(gym.spaces.Discrete):
    """Actions from 0 on, of which `sample` gives only legal ones.

    RLlib's check of environments and its random steps sample without a mask. A pickle or copy of it is the plain
    ``Discrete``.
    """

    def __init__(self, count: int, legal_actions: Callable[[], list[int]]) -> None:
        super().__init__(count)
        self._legal_actions = legal_actions

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Return a random legal action; any action when the play is over."""
        legal = self._legal_actions()
        if mask is None and probability is None and legal:
            mask = np.zeros(int(self.n), np.int8)
            mask[legal] = 1
        return super().sample(mask, probability)

    def __reduce__(self) -> tuple[type[gym.spaces.Discrete], tuple[int]]:
        return gym.spaces.Discrete, (int(self.n),)

    def __deepcopy__(self, memo: dict[int, Any]) -> gym.spaces.Discrete:
        return gym.spaces.Discrete(int(self.n))


class SgaiRLlibEnv(OpenSpielEnv):
    """A game as a ``MultiAgentEnv`` whose observations hold the legal actions; agents are 0 and 1.

    RLlib's own ``OpenSpielEnv`` works on these games too, but tells its learner no legal actions: it makes a random
    move in place of an illegal one and takes 0.1 off the reward. Here an observation is a dict with "observations", the
    game's tensor, and "action_mask", 1 for legal actions, as RLlib's ``ActionMaskingTorchRLModule`` wants them. An
    action that is not legal is a ``pyspiel.SpielError`` that changes nothing. RLlib gives no reward to an agent that
    made no move, so that plays of one move have a mean return of 1 and not 0.

    Parameters
    ----------
    config : mapping
        RLlib's ``env_config``: "game", one of sgai's games or its text; "start_sampler", optional, a `StartSampler`,
        of which every environment takes a copy; "seed", optional, of the sampler, to which RLlib's numbers of worker
        and environment are added, so that no two draw the same starts.

        Give a game of rules that are registered in a file of yours as a game, not as text: it brings the file's
        name along, so that workers import it.

    Raises
    ------
    SgaiError
        For an unknown key, a game that is none of sgai's, or a sampler of another game.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        for key in config:
            if key not in _KEYS:
                raise unknown_parameter("env_config", key, _KEYS)
        if "game" not in config:
            raise SgaiError('env_config needs the key "game", such as {"game": "sgai_nim(piles=[3;4;5])"}')
        game = own_game(config["game"])
        self._sampler = copy.deepcopy(config.get("start_sampler"))
        check_same_game(game, self._sampler)
        game.ruleset.tensor_shape()
        super().__init__(game)
        count, size = game.num_distinct_actions(), game.observation_tensor_size()
        space = gym.spaces.Dict(
            {
                "action_mask": gym.spaces.Box(0.0, 1.0, (count,), np.float32),
                "observations": gym.spaces.Box(-np.inf, np.inf, (size,), np.float32),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.observation_space = gym.spaces.Dict(self.observation_spaces)
        self.action_spaces = {agent: LegalDiscrete(count, self._legal_actions) for agent in self.possible_agents}
        if self._sampler is not None and config.get("seed") is not None:
            place = 10_000 * getattr(config, "worker_index", 0) + getattr(config, "vector_index", 0)
            self._sampler.seed(config["seed"] + place)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[int, Any], dict[int, Any]]:
        """Start a play; a seed starts the sampler's positions anew."""
        if self._sampler is None:
            start = super().reset(seed=seed, options=options)
            return start  # type: ignore[no-any-return]
        if seed is not None:
            self._sampler.seed(seed)
        self.state = self._sampler.state()
        return self._get_obs(), {}

    def step(self, action: Mapping[int, Any]) -> tuple[dict[Any, Any], ...]:
        """Make the move of the player to move, ``{player: action}``."""
        player = self.state.current_player()
        if self.state.is_terminal():
            raise SgaiError("the play is over; call reset() first")
        if player not in action:
            raise SgaiError(f"it is player {player}'s move, not {quote(list(action))}'s")
        number = action_number(action[player])
        if number not in self.state.legal_actions():
            self.state.apply_action(number)  # which raises the game's own error
        after = super().step({player: number})
        return after  # type: ignore[no-any-return]

    def _legal_actions(self) -> list[int]:
        return [] if self.state is None else list(self.state.legal_actions())

    def _get_obs(self) -> dict[int, dict[str, Any]]:
        if self.state.is_terminal():
            return {}
        player = self.state.current_player()
        mask = np.zeros(self.env.num_distinct_actions(), np.float32)
        mask[self.state.legal_actions()] = 1.0
        return {player: {"action_mask": mask, "observations": np.array(self.state.observation_tensor(), np.float32)}}
