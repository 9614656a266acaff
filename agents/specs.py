"""Bots by name and parameters, as the command line and match files write them: ``mcts(simulations=1000)``."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from sgai.agents import bots
from sgai.agents.hybrid_bot import HybridBot
from sgai.agents.named import Named
from sgai.agents.plain_bots import PlainAlphaBetaBot, PlainMCTSBot

BOTS: dict[str, Callable[..., Any]] = {
    "alpha_beta": bots.AlphaBetaBot,
    "exact": bots.ExactBot,
    "hybrid": HybridBot,
    "mcts": bots.MCTSBot,
    "plain_alpha_beta": PlainAlphaBetaBot,
    "plain_mcts": PlainMCTSBot,
    "random": bots.RandomBot,
}


@dataclass(frozen=True)
class AgentSpec(Named):
    """A kind of bot with its parameters, to be made for an OpenSpiel game.

    Examples
    --------
    >>> str(AgentSpec.parse("mcts( simulations = 50 )"))
    'mcts(simulations=50)'
    """

    makers: ClassVar = BOTS
    skipped: ClassVar = ("game", "solver", "ruleset")
