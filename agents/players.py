"""Agents by name and parameters without OpenSpiel, as `sgai play` takes them: ``hybrid(seconds=0.1)``."""

import inspect
from dataclasses import dataclass
from typing import Any, ClassVar

from sgai.agents.agent import Agent
from sgai.agents.exact import ExactAgent
from sgai.agents.hybrid import HybridAgent
from sgai.agents.named import Named
from sgai.agents.plain import AlphaBetaAgent, MCTSAgent
from sgai.agents.random_agent import RandomAgent
from sgai.compounds.ruleset import in_compound
from sgai.errors import UnsupportedError
from sgai.ruleset import Ruleset

CONVENTION = ("play", "compound", "ending")


@dataclass(frozen=True)
class PlayerSpec(Named):
    """A kind of agent with its parameters, to be made for a ruleset.

    Examples
    --------
    >>> import sgai
    >>> spec = PlayerSpec.parse("hybrid(nodes=1000)")
    >>> spec.make_for(sgai.load_ruleset("nim"), {"play": "misere"}).decide((1, 1, 2)).position
    (1, 1, 1)
    """

    makers: ClassVar = {each.name: each for each in (AlphaBetaAgent, ExactAgent, HybridAgent, MCTSAgent, RandomAgent)}
    skipped: ClassVar = ("ruleset", "solver", "beliefs", *CONVENTION)

    def make_for(self, ruleset: Ruleset[Any, Any], convention: dict[str, Any], seed: int = 0) -> Agent:
        """Return an agent for a ruleset.

        Parameters
        ----------
        ruleset : Ruleset
            The rules.
        convention : dict
            Any of `CONVENTION`.
        seed : int
            For agents that take one and were not given one.

        Raises
        ------
        SgaiError
            For parameters or a convention that the agent does not take.
        """
        maker = self.makers[self.name]
        if "play" in inspect.signature(maker).parameters:
            made: Agent = self.make(ruleset, seed, **convention)
            return made
        play = convention.get("play") or ruleset.default_play()
        together = {name: convention[name] for name in ("compound", "ending") if name in convention}
        ruleset = in_compound(ruleset, **{"compound": "disjunctive", "ending": "last", **together}, play=play)
        if play != "normal" and maker is not RandomAgent:
            raise UnsupportedError(f"play={play!r}: the agent {self.name!r} searches for normal play only")
        made = self.make(ruleset, seed)
        return made
