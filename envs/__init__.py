"""Every ruleset as an OpenSpiel game; importing this package registers them as ``sgai_`` + name."""

if __name__ == "envs":
    raise ImportError("this folder is the package sgai.envs: import it by that name")

from typing import TYPE_CHECKING, Any

from sgai.envs.bridge import Bridge, OpenSpielBridge, as_ruleset, bridge
from sgai.envs.game import SgaiGame, SgaiState
from sgai.envs.loading import load_game
from sgai.envs.observer import PositionObserver
from sgai.envs.openspiel_ruleset import OpenSpielRuleset
from sgai.envs.registration import register_all
from sgai.envs.vector import AutoresetMode, VectorEnv, make_vector

if TYPE_CHECKING:
    from sgai.envs.classification import Classification, classify
    from sgai.envs.environment import SgaiEnvironment, run_episode
    from sgai.envs.pettingzoo_adapter import SgaiPettingZooEnv, pettingzoo_env
    from sgai.envs.rllib_adapter import SgaiRLlibEnv
    from sgai.envs.starts import (
        BalancedStarts,
        CurriculumStarts,
        RandomPlayStarts,
        StartReport,
        StartSampler,
        UniformStarts,
    )

__all__ = [
    "AutoresetMode",
    "BalancedStarts",
    "Bridge",
    "Classification",
    "CurriculumStarts",
    "OpenSpielBridge",
    "OpenSpielRuleset",
    "PositionObserver",
    "RandomPlayStarts",
    "SgaiEnvironment",
    "SgaiGame",
    "SgaiPettingZooEnv",
    "SgaiRLlibEnv",
    "SgaiState",
    "StartReport",
    "StartSampler",
    "UniformStarts",
    "VectorEnv",
    "as_ruleset",
    "bridge",
    "classify",
    "load_game",
    "make_vector",
    "pettingzoo_env",
    "run_episode",
]

# What plays do not need is loaded where it is used; some of it is not installed everywhere.
_LAZY = {
    "BalancedStarts": "starts",
    "Classification": "classification",
    "CurriculumStarts": "starts",
    "RandomPlayStarts": "starts",
    "SgaiEnvironment": "environment",
    "SgaiPettingZooEnv": "pettingzoo_adapter",
    "SgaiRLlibEnv": "rllib_adapter",
    "StartReport": "starts",
    "StartSampler": "starts",
    "UniformStarts": "starts",
    "classify": "classification",
    "pettingzoo_env": "pettingzoo_adapter",
    "run_episode": "environment",
}
_EXTRAS = {"pettingzoo_adapter": "rl", "rllib_adapter": "ray"}

register_all()


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'sgai.envs' has no attribute {name!r}")
    import importlib

    module = _LAZY[name]
    try:
        return getattr(importlib.import_module(f"sgai.envs.{module}"), name)
    except ModuleNotFoundError as error:
        if module not in _EXTRAS:
            raise
        extra = _EXTRAS[module]
        wanted = f"pip install 'sgai-openspiel[{extra}]'"
        raise ImportError(f"{name} needs the extra {extra!r}: {wanted} ({error})") from error
