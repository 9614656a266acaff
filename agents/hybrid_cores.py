"""Which search cores the hybrid agent gives an unsolved sum to, and how much of the budget each gets."""

import contextlib
import itertools
import logging
from typing import Any

from sgai.budget import Budget, OutOfBudget
from sgai.compiling import can_compile
from sgai.cores.core import SearchCore, Sum
from sgai.decomposition import decompose
from sgai.removal_values import MOST_CELLS, bare
from sgai.ruleset import Component, Ruleset
from sgai.rulesets.heaps import HeapRuleset
from sgai.rulesets.removal import RemovalRuleset
from sgai.sequences import SequenceTable
from sgai.solver import Solver
from sgai.xor_prior import XorPrior

_log = logging.getLogger(__name__)

CORES = ("auto", "mcts", "outcome", "dfpn")
_LEAST_PROVING_SECONDS = 0.003
_PROVING_SHARE = 0.9  # of the budget for search; where that proves nothing, the rest is for an estimate
_TRIED_STARTS = 50  # to find a position that symmetry does not decide
_LONG_SEQUENCE, _LOADING_SECONDS = 2_048, 20.0  # heaps; compilation included
_LARGEST_HEAP = 64  # beside removal games in the compiled cores


class HybridCores:
    """The search cores of one agent, made when they are first needed.

    Parameters
    ----------
    solver : Solver
        Whose tables all cores share.
    core : str
        One of `CORES`.
    prior : XorPrior or None
        What guides the cores.
    strength : float
        How many visits of MCTS the prior counts for.
    seed : int
        Of MCTS.
    trees : dict
        The memory of trees, kept from one game to the next.
    """

    def __init__(
        self,
        solver: Solver,
        core: str,
        prior: XorPrior | None,
        *,
        strength: float,
        seed: int,
        trees: dict[tuple[int, ...], Any],
    ) -> None:
        self._solver, self._core, self._prior, self._trees = solver, core, prior, trees
        self._strength, self._seed = strength, seed
        self._made: dict[tuple[str, Any, Any], SearchCore] = {}

    def load(self, ruleset: Ruleset[Any, Any]) -> None:
        """Load compiled code for the components of a ruleset, so that no decision waits for it."""
        waiting, seen = [ruleset], {ruleset.rules()}
        while waiting:
            each = waiting.pop()
            if isinstance(each, RemovalRuleset):
                self._load_removal(each)
                continue
            if isinstance(each, HeapRuleset):
                _load_sequence(each)
                continue
            if each.splits():
                for part in each.components(each.initial()):
                    if part.ruleset.rules() not in seen:
                        seen.add(part.ruleset.rules())
                        waiting.append(part.ruleset)

    def plan(self, root: Sum, seconds: float | None = None) -> list[tuple[SearchCore, float]]:
        """Return the cores to ask one after the other, each with its share of the budget that is left then.

        With very few seconds left there is no time to ask for a proof.
        """
        if self._core != "auto":
            return [(self._get(self._core, root), 1.0)]
        estimating = (self._get("mcts", root), 1.0)
        if seconds is not None and seconds < _LEAST_PROVING_SECONDS:
            return [estimating]
        return [(self._get("outcome", root), _PROVING_SHARE), estimating]

    def is_compiled(self, root: Sum) -> bool:
        """Tell whether a sum goes to compiled search: components of one removal game, no large heap."""
        rules = {part.ruleset.rules() for part in root.parts}
        game = root.parts[0].ruleset if root.parts else None
        return (
            len(rules) == 1
            and isinstance(game, RemovalRuleset)
            and root.heap < _LARGEST_HEAP
            and game.table.cells <= MOST_CELLS
            and can_compile()
        )

    def _get(self, name: str, root: Sum) -> SearchCore:
        game = search = None
        if self.is_compiled(root):
            game = root.parts[0].ruleset.rules()
            assert isinstance(game, RemovalRuleset)
            # An exact search without room for the values that come up is replaced, and MCTS with it.
            search = self._solver.table.removals.search(game)
        key = name, game, search
        core = self._made.get(key)
        if core is None:
            make = self._python if game is None else self._removal
            core = self._made[key] = make(name, game)
        return core

    def _python(self, name: str, _: Any) -> SearchCore:
        if name == "mcts":
            from sgai.cores.python_mcts import PythonMCTS

            return PythonMCTS(solver=self._solver, seed=self._seed, loss=self._prior, strength=self._strength)
        if name == "dfpn":
            from sgai.cores.python_dfpn import PythonProofNumber

            return PythonProofNumber(solver=self._solver, loss=self._prior)
        from sgai.cores.python_outcome import PythonOutcome

        return PythonOutcome(solver=self._solver, loss=self._prior)

    def _removal(self, name: str, game: Any) -> SearchCore:
        values = self._solver.table.removals
        if name == "mcts":
            from sgai.cores.removal_mcts import RemovalMCTS

            beliefs = None if self._prior is None else self._prior.model
            return RemovalMCTS(
                values.search(game), beliefs=beliefs, strength=self._strength, seed=self._seed, trees=self._trees
            )
        from sgai.cores.removal_outcome import RemovalOutcome, RemovalProofNumber

        # Where MCTS goes on with what is not proved, estimates from here would only take time.
        prior = None if self._core == "auto" else self._prior
        return (RemovalProofNumber if name == "dfpn" else RemovalOutcome)(game, values, prior=prior)

    def _load_removal(self, game: RemovalRuleset) -> None:
        removals = self._solver.table.removals
        starts = itertools.chain([game.initial()], (option for _, option in game.moves(game.initial())))
        for start in itertools.islice(starts, _TRIED_STARTS):
            for ruleset, position, *_ in decompose(game, start):
                # Beside a heap of 1, a move that makes the position symmetric does not decide it.
                root = Sum((Component(ruleset, position, True),), 1)
                assert isinstance(ruleset, RemovalRuleset)
                if not self.is_compiled(root) or not removals.takes(ruleset, position):
                    continue
                search = removals.search(ruleset)
                if search.known(bare(ruleset, position)) is None:  # else no core would ask about it
                    search.load()
                    cells = ruleset.table.cells
                    _log.info("compiling search cores for %d cells; the next run finds them compiled", cells)
                    for core, _ in self.plan(root):
                        core.search(root, Budget(2))
                        core.reset()
                    _log.debug("the search cores are loaded")
                    return


def _load_sequence(game: HeapRuleset) -> None:
    """Load the code that computes long sequences; what it computes here is thrown away."""
    rules = game.rules()
    assert isinstance(rules, HeapRuleset)
    if max(game.initial(), default=0) >= _LONG_SEQUENCE:
        with contextlib.suppress(OutOfBudget):
            SequenceTable(rules).value(_LONG_SEQUENCE, Budget(seconds=_LOADING_SECONDS))
