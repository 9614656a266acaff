"""Agents: they decide on positions of rulesets, and play OpenSpiel's games through thin adapters."""

if __name__ == "agents":
    raise ImportError("this folder is the package sgai.agents: import it by that name")

from typing import TYPE_CHECKING, Any

from sgai.agents.agent import Agent, Decision
from sgai.agents.exact import ExactAgent
from sgai.agents.hybrid import HybridAgent, HybridDecision
from sgai.agents.random_agent import RandomAgent

if TYPE_CHECKING:
    from sgai.agents.agent_policy import AgentPolicy
    from sgai.agents.bots import AgentBot, AlphaBetaBot, ExactBot, MCTSBot, PythonBot, RandomBot
    from sgai.agents.general import GeneralBot, GeneralDecision
    from sgai.agents.hybrid_bot import HybridBot
    from sgai.agents.plain_bots import PlainAlphaBetaBot, PlainMCTSBot
    from sgai.agents.specs import AgentSpec
    from sgai.agents.xor_prior_evaluator import XorPriorEvaluator

__all__ = [
    "Agent",
    "AgentBot",
    "AgentPolicy",
    "AgentSpec",
    "AlphaBetaBot",
    "Decision",
    "ExactAgent",
    "ExactBot",
    "GeneralBot",
    "GeneralDecision",
    "HybridAgent",
    "HybridBot",
    "HybridDecision",
    "MCTSBot",
    "PlainAlphaBetaBot",
    "PlainMCTSBot",
    "PythonBot",
    "RandomAgent",
    "RandomBot",
    "XorPriorEvaluator",
]

# The agents themselves work without OpenSpiel; what plugs them into it is loaded where it is used.
_MODULES = {
    "agent_policy": ("AgentPolicy",),
    "bots": ("AgentBot", "AlphaBetaBot", "ExactBot", "MCTSBot", "PythonBot", "RandomBot"),
    "general": ("GeneralBot", "GeneralDecision"),
    "hybrid_bot": ("HybridBot",),
    "plain_bots": ("PlainAlphaBetaBot", "PlainMCTSBot"),
    "specs": ("AgentSpec",),
    "xor_prior_evaluator": ("XorPriorEvaluator",),
}
_LAZY = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        import importlib

        return getattr(importlib.import_module(f"sgai.agents.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'sgai.agents' has no attribute {name!r}")
