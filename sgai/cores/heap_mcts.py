"""Compiled Monte Carlo tree search for sums of heaps: plain search, as a baseline, or exact at once from sequences."""

import time
from typing import Any

from sgai.budget import Budget, OutOfBudget
from sgai.cores.core import Findings, SearchCore, Sum
from sgai.cores.heap_results import LARGEST_HEAP, HeapResults, is_heaps
from sgai.cores.heap_tree import HeapTree
from sgai.cores.ranking import best_first
from sgai.errors import SgaiError, quote
from sgai.kernels import heap_mcts as kernel
from sgai.ruleset import Component, Ruleset
from sgai.rulesets.subtraction import Nim
from sgai.search import refuse_loopy
from sgai.solver import Solver

DEFAULT_NODES = 4_000_000  # 29 bytes each
_FIRST_SLICE, _LARGEST_SLICE, _SLICE_SECONDS = 16, 1 << 16, 0.0005


class HeapMCTS(SearchCore):
    """Monte Carlo tree search on sums of heaps whose moves leave two heaps at most, under normal play.

    PUCT with equal priors, random rollouts, proved wins and losses backed up; equal heaps are one. Nothing is known of
    Grundy values, unless ``split`` is True: then heaps are looked up in their sequences, which decides everything.

    Parameters
    ----------
    solver : Solver, optional
        Whose sequences are used, if ``split``; by default the core's own.
    seed : int
        Equal seeds give equal searches.
    strength : float
        Simulations that the belief that a move wins half the time counts for.
    exploration : float
        The constant of PUCT.
    split : bool
        Whether heaps are looked up.
    nodes : int
        The most nodes to keep. After that, the search goes on with rollouts from the nodes that there are.

    Examples
    --------
    >>> import sgai
    >>> nim = sgai.load_ruleset("nim")
    >>> found = HeapMCTS(seed=1).search(Sum((Component(nim, (3, 4)),), 5), Budget(100_000))
    >>> found.outcome, str(found.moves[0].move.move), found.moves[0].outcome
    ('N', '3->1', 'P')
    """

    name = "mcts"

    def __init__(
        self,
        *,
        solver: Solver | None = None,
        seed: int = 0,
        strength: float = 2.0,
        exploration: float = 1.0,
        split: bool = False,
        nodes: int = DEFAULT_NODES,
    ) -> None:
        if not 1 <= nodes < 2**31:
            raise SgaiError(f"nodes={nodes!r}: it is a number from 1 to 2,147,483,647")
        self._solver = Solver() if solver is None else solver
        self._seed, self._split, self._most_nodes = seed, split, nodes
        self._exploration, self._strength = float(exploration), max(float(strength), 1e-9)
        self._tables: dict[Ruleset[Any, Any], HeapResults] = {}
        self._tree: HeapTree | None = None
        # Compiled or loaded here and not in a decision that has a deadline.
        for heap in (2, 1):
            self.search(Sum((Component(Nim(), (heap,)),)), Budget(1))
        self.reset()

    def reset(self) -> None:
        """Forget the tree; the lists of what may become of heaps stay."""
        self._tree = None

    def search(self, root: Sum, budget: Budget) -> Findings:
        """Search until the outcome is proved or the budget ends; a search of the same sum is gone on with.

        Raises
        ------
        SgaiError
            If a part is no heap, or too large, or a move leaves more than two heaps.
        """
        for component in root.parts:
            refuse_loopy(component.ruleset)
            if not is_heaps(component):
                raise SgaiError(
                    f"{quote(component.ruleset.format(component.position))} of {component.ruleset} is no sum of heaps "
                    f"up to {LARGEST_HEAP:,}: search it with another core"
                )
        spent, elapsed = budget.spent, budget.elapsed()
        tree = self._tree
        if tree is None or tree.sum != root:
            before, tree = tree, HeapTree(root, self._seed)
            if before is not None:
                tree.adopt(before)
            self._tree = tree
        hits = 0
        try:
            if self._split and self._decide(tree, budget):
                hits = len(root.parts)
                budget.hits += hits
            else:
                self._search(tree, budget)
        except OutOfBudget:
            pass
        moves = best_first(tree.findings(self._strength), by_visits=True)
        return Findings(tree.outcome(), moves, budget.spent - spent, hits, budget.elapsed() - elapsed)

    def _decide(self, tree: "HeapTree", budget: Budget) -> bool:
        """Decide all moves by Grundy values; return whether they are known."""
        table, value = self._solver.table, tree.sum.heap
        try:
            for ruleset, position, _ in tree.sum.parts:
                for heap in position:
                    value ^= table.value(ruleset, (heap,), Budget(seconds=budget.left()))
        except OutOfBudget:
            return False
        decided = {}
        for listed in tree.moves:
            budget.left()
            if listed.part < 0:
                after = value ^ tree.sum.heap ^ listed.move
            else:
                ruleset = tree.sum.parts[listed.part].ruleset
                after = value
                for heap in (listed.move.heap, *listed.move.result):
                    after ^= table.value(ruleset, (heap,), Budget())
            decided[listed] = "N" if after else "P"
        tree.decided = decided
        return True

    def _search(self, tree: "HeapTree", budget: Budget) -> None:
        if tree.outcome() is not None:
            return
        if tree.arrays is None:
            tree.start(self._results_of(tree.sum, budget), self._most_nodes)
        assert tree.arrays is not None
        slice_size = _LARGEST_SLICE if budget.seconds is None else _FIRST_SLICE
        while tree.outcome() is None:
            budget.left()
            most = min(slice_size, budget.states - budget.spent)
            if most <= 0:
                return
            before, started = int(tree.arrays.state[kernel.SIMULATIONS]), time.perf_counter()
            status = kernel.simulate(tree.rules, tree.arrays, most, self._exploration, self._strength)
            budget.spend(int(tree.arrays.state[kernel.SIMULATIONS]) - before)
            if status == kernel.TREE_FULL:
                tree.grow(self._most_nodes)
            elif status == kernel.PILES_FULL:
                tree.make_room()
            elif time.perf_counter() - started < _SLICE_SECONDS / 2:
                slice_size = min(2 * slice_size, _LARGEST_SLICE)
            elif time.perf_counter() - started > _SLICE_SECONDS:
                slice_size = max(1, slice_size // 2)

    def _results_of(self, root: Sum, budget: Budget) -> "dict[Ruleset[Any, Any], HeapResults]":
        found = {}
        for ruleset, position, _ in root.parts:
            rules = ruleset.rules()
            table = self._tables.get(rules)
            if table is None:
                table = self._tables[rules] = HeapResults(rules)
            table.extend(max(position, default=0), budget)
            found[rules] = table
        return found
