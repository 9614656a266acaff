"""Agents: they decide on positions of rulesets, and play OpenSpiel's games through thin adapters."""

if __name__ == "agents":
    raise ImportError("this folder is the package sgai.agents: import it by that name")

from typing import TYPE_CHECKING, Any

from sgai.agents.agent import Agent, Decision
from sgai.agents.exact import ExactAgent
from sgai.agents.hybrid import HybridAgent, HybridDecision
from sgai.agents.random_agent import RandomAgent

if TYPE_CHECKING:
    from sgai.agents.bots import AgentBot, AlphaBetaBot, ExactBot, MCTSBot, PythonBot, RandomBot
    from sgai.agents.specs import AgentSpec

__all__ = [
    "Agent",
    "AgentBot",
    "AgentSpec",
    "AlphaBetaBot",
    "Decision",
    "ExactAgent",
    "ExactBot",
    "HybridAgent",
    "HybridDecision",
    "MCTSBot",
    "PythonBot",
    "RandomAgent",
    "RandomBot",
]

# The agents themselves work without OpenSpiel; what plugs them into it is loaded where it is used.
_LAZY = dict.fromkeys(("AgentBot", "AlphaBetaBot", "ExactBot", "MCTSBot", "PythonBot", "RandomBot"), "bots")
_LAZY["AgentSpec"] = "specs"


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        import importlib

        return getattr(importlib.import_module(f"sgai.agents.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'sgai.agents' has no attribute {name!r}")
