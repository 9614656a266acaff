"""The agent that knows nothing but the rules."""

import random
import time
from typing import Any

from sgai.agents.agent import ESTIMATED, Agent, Decision
from sgai.ruleset import Ruleset


class RandomAgent(Agent):
    """Makes every legal move with the same probability.

    Parameters
    ----------
    ruleset : Ruleset
        The rules.
    seed : int
        Equal seeds give equal moves.

    Examples
    --------
    >>> import sgai
    >>> RandomAgent(sgai.load_ruleset("nim"), seed=1).decide((1,)).position
    ()
    """

    name = "random"

    def __init__(self, ruleset: Ruleset[Any, Any], seed: int = 0) -> None:
        super().__init__(ruleset)
        self._chance = random.Random(seed)

    def decide(self, position: Any) -> Decision:
        """Choose a move, or raise `SgaiError` where there is none."""
        started = time.perf_counter()
        position = self.ruleset.validate(position)
        moves = list(self.ruleset.moves(position))
        if not moves:
            raise self.game_is_over(position)
        move, option = self._chance.choice(moves)
        return Decision(move, option, ESTIMATED, None, (), 0, time.perf_counter() - started)
