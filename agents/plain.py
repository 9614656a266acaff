"""Agents that search and know no theory: baselines on the same cores that the hybrid agent uses."""

import time
from abc import abstractmethod
from typing import Any

from sgai.agents.agent import ESTIMATED, PROVED, Agent, Decision
from sgai.agents.effort import Effort
from sgai.budget import Budget
from sgai.compiling import can_compile
from sgai.cores.core import SearchCore, Sum
from sgai.cores.heap_results import is_heaps
from sgai.errors import SgaiError
from sgai.removal_values import LEAST_MEMORY, MOST_CELLS
from sgai.ruleset import Component, Ruleset
from sgai.rulesets.removal import RemovalRuleset
from sgai.search import refuse_loopy


class PlainAgent(Agent):
    """Searches positions as wholes: nothing is split, looked up or folded. Subclasses give the core.

    Parameters
    ----------
    ruleset : Ruleset
        The rules; normal play.
    seconds : float, optional
        The time for a decision; 0.05 if no other budget is given.
    nodes : int, optional
        In place of seconds, the number of simulations or nodes.
    """

    def __init__(self, ruleset: Ruleset[Any, Any], *, seconds: float | None = None, nodes: int | None = None) -> None:
        super().__init__(ruleset)
        refuse_loopy(ruleset)
        if ruleset.default_play() != "normal":
            raise SgaiError(f"{ruleset} is played misere; the search cores are for normal play")
        self.effort = Effort.of(seconds, nodes=nodes)
        self._core = self._make_core()
        if next(iter(ruleset.moves(ruleset.initial())), None) is not None:
            self._core.search(self._root(ruleset.initial()), Budget(2))  # loads compiled code
        self._core.reset()

    @abstractmethod
    def _make_core(self) -> SearchCore:
        """Return the core that searches."""

    def decide(self, position: Any) -> Decision:
        """Choose the move that search likes best, or raise `SgaiError` where there is none."""
        started = time.perf_counter()
        position = self.ruleset.validate(position)
        budget = self.effort.begin()
        found = self._core.search(self._root(position), budget)
        if not found.moves:
            raise self.game_is_over(position)
        best = found.moves[0]
        proved = found.outcome is not None or best.outcome == "P"
        return Decision(
            best.move.move,
            self.ruleset.apply(position, best.move.move),
            PROVED if proved else ESTIMATED,
            found.outcome,
            (),
            found.nodes,
            time.perf_counter() - started,
        )

    def reset(self) -> None:
        """Forget what belongs to one game."""
        self._core.reset()

    def _root(self, position: Any) -> Sum:
        return Sum((Component(self.ruleset, position, True),))


class MCTSAgent(PlainAgent):
    """Monte Carlo tree search with random playouts and proved outcomes, compiled for removal games and heaps.

    Parameters
    ----------
    ruleset : Ruleset
        The rules; normal play.
    seconds, nodes
        As of `PlainAgent`.
    seed : int
        Equal seeds and numbers of nodes give equal decisions after a `reset`.

    Examples
    --------
    >>> import sgai
    >>> MCTSAgent(sgai.load_ruleset("nim"), nodes=2000).decide((1, 1, 2)).position
    (1, 1)
    """

    name = "plain_mcts"

    def __init__(
        self,
        ruleset: Ruleset[Any, Any],
        *,
        seconds: float | None = None,
        nodes: int | None = None,
        seed: int = 0,
    ) -> None:
        self._seed = seed
        super().__init__(ruleset, seconds=seconds, nodes=nodes)

    def _make_core(self) -> SearchCore:
        rules = self.ruleset
        if isinstance(rules, RemovalRuleset) and rules.table.cells <= MOST_CELLS and can_compile():
            from sgai.cores.removal_mcts import RemovalMCTS
            from sgai.removal_search import RemovalSearch

            return RemovalMCTS(RemovalSearch(rules.table, LEAST_MEMORY), splits=False, patience=1, seed=self._seed)
        if can_compile() and is_heaps(Component(rules, rules.initial())):
            from sgai.cores.heap_mcts import HeapMCTS

            return HeapMCTS(seed=self._seed)
        from sgai.cores.python_mcts import PythonMCTS

        return PythonMCTS(seed=self._seed, split=False)


class AlphaBetaAgent(PlainAgent):
    """Alpha-beta on two values, win and loss, with a transposition table over whole positions.

    Examples
    --------
    >>> import sgai
    >>> AlphaBetaAgent(sgai.load_ruleset("nim"), nodes=2000).decide((1, 1, 2)).status
    'proved'
    """

    name = "plain_alpha_beta"

    def _make_core(self) -> SearchCore:
        from sgai.cores.python_outcome import PythonOutcome

        return PythonOutcome(split=False)
