"""Thousands of games stepped at once: `VectorEnv`, with `AutoresetMode` and `make_vector`."""

from sgai.envs.vector.autoreset import AutoresetMode
from sgai.envs.vector.env import VectorEnv, make_vector

__all__ = ["AutoresetMode", "VectorEnv", "make_vector"]
