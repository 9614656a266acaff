"""Agents by name and parameters, as the command line and match files write them: ``mcts(simulations=1000)``."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sgai.agents import bots
from sgai.agents.hybrid_bot import HybridBot
from sgai.agents.plain_bots import PlainAlphaBetaBot, PlainMCTSBot
from sgai.errors import SgaiError, nearest, quote
from sgai.parameters import parameters_from_signature, unknown_parameter
from sgai.syntax import format_call, parse_call

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
class AgentSpec:
    """A kind of bot with its parameters.

    Examples
    --------
    >>> str(AgentSpec.parse("mcts( simulations = 50 )"))
    'mcts(simulations=50)'
    """

    name: str
    arguments: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def parse(cls, text: str) -> "AgentSpec":
        """Read ``name`` or ``name(key=value,...)``.

        Raises
        ------
        SgaiError
            For an unknown agent or parameter, or a value of the wrong type.
        """
        call = parse_call(text)
        if call.name not in BOTS:
            known = ", ".join(sorted(BOTS))
            raise SgaiError(f"unknown agent {quote(call.name)}{nearest(call.name, BOTS)}; agents are: {known}")
        parameters = _parameters(call.name)
        arguments = []
        for name, value in call.arguments.items():
            if name not in parameters:
                raise unknown_parameter(f"agent {call.name!r}", name, parameters)
            arguments.append((name, parameters[name].parse(value)))
        return cls(call.name, tuple(arguments))

    def complete(self) -> tuple[Any, ...]:
        """Return name and all parameters, defaults included: what two texts of the same agent share."""
        given = dict(self.arguments)
        return (self.name, *(given.get(name, each.default) for name, each in _parameters(self.name).items()))

    def make(self, game: Any, seed: int) -> Any:
        """Return a bot for a game; the seed goes to bots that take one and were not given one."""
        options = dict(self.arguments)
        if "seed" in _parameters(self.name):
            options.setdefault("seed", seed)
        return BOTS[self.name](game, **options)

    def __str__(self) -> str:
        parameters = _parameters(self.name)
        return format_call(self.name, [(name, parameters[name].kind.format(value)) for name, value in self.arguments])


def _parameters(name: str) -> dict[str, Any]:
    return parameters_from_signature(inspect.signature(BOTS[name]), skip=("game", "solver"))
