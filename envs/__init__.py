"""Every ruleset as an OpenSpiel game; importing this package registers them as ``sgai_`` + name."""

if __name__ == "envs":
    raise ImportError("this folder is the package sgai.envs: import it by that name")

from sgai.envs.bridge import Bridge, as_ruleset, bridge
from sgai.envs.game import SgaiGame, SgaiState
from sgai.envs.loading import load_game
from sgai.envs.observer import PositionObserver
from sgai.envs.registration import register_all
from sgai.envs.vector import AutoresetMode, VectorEnv, make_vector

__all__ = [
    "AutoresetMode",
    "Bridge",
    "PositionObserver",
    "SgaiGame",
    "SgaiState",
    "VectorEnv",
    "as_ruleset",
    "bridge",
    "load_game",
    "make_vector",
]

register_all()
