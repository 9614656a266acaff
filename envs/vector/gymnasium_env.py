"""The vector environment as one of gymnasium's own; only this module loads gymnasium."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector.utils import batch_space

from sgai.envs.vector.env import VectorEnv
from sgai.envs.vector.games import Flags, Floats


class GymnasiumVectorEnv(gymnasium.vector.VectorEnv):
    """Many games as a `gymnasium.vector.VectorEnv`; `VectorEnv.as_gymnasium` makes one.

    What it says of itself is what gymnasium asks for: spaces, and the autoreset mode in its metadata. ``final_obs`` is
    an array of objects, None for games that go on.

    Attributes
    ----------
    games : VectorEnv
        The games, with what is theirs alone: `VectorEnv.sample_actions`, `VectorEnv.positions`, and so on.
    """

    def __init__(self, games: VectorEnv) -> None:
        self.games, self.num_envs = games, games.num_envs
        mode = gymnasium.vector.AutoresetMode(games.autoreset_mode.value)
        self.metadata = {"autoreset_mode": mode, "render_modes": []}
        highest = games.largest_observation()
        self.single_observation_space = gymnasium.spaces.Box(np.zeros_like(highest), highest, highest.shape, np.float32)
        self.single_action_space = gymnasium.spaces.Discrete(games.num_actions)
        self.observation_space = batch_space(self.single_observation_space, games.num_envs)
        self.action_space = batch_space(self.single_action_space, games.num_envs)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """Begin all games anew, or some; as `VectorEnv.reset`."""
        return self.games.reset(seed=seed, options=options)

    def step(self, actions: Any) -> tuple[Floats, Any, Flags, Flags, dict[str, Any]]:
        """Make a move in every game; as `VectorEnv.step`."""
        observations, rewards, terminations, truncations, infos = self.games.step(actions)
        if "final_obs" in infos:
            last = np.full(self.num_envs, None, dtype=object)
            for game in np.flatnonzero(infos["_final_obs"]):
                last[game] = infos["final_obs"][game]
            infos["final_obs"] = last
        return observations, rewards, terminations, truncations, infos
