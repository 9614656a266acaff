"""Compiled Monte Carlo tree search for sums of heaps: plain search, as a baseline, or exact at once from sequences."""

import time
from array import array
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from sgai.budget import Budget, OutOfBudget
from sgai.cores.core import Findings, MoveFinding, SearchCore, Sum, SumMove
from sgai.cores.ranking import best_first
from sgai.errors import SgaiError, quote
from sgai.kernels import heap_mcts as kernel
from sgai.ruleset import Component, Ruleset
from sgai.rulesets.heaps import HeapRuleset
from sgai.rulesets.subtraction import Nim, by_removals
from sgai.search import refuse_loopy
from sgai.solver import Solver

LARGEST_HEAP = 4096  # every result of every heap up to the largest is listed
DEFAULT_NODES = 4_000_000  # 29 bytes each
_FIRST_NODES, _FIRST_ROOM = 1 << 14, 64
_FIRST_SLICE, _LARGEST_SLICE, _SLICE_SECONDS = 16, 1 << 16, 0.0005
_HEAPS_A_LOOK = 8
_OUTCOMES = {kernel.OPEN: None, kernel.NEXT_WINS: "N", kernel.PREVIOUS_WINS: "P"}

Numbers = npt.NDArray[Any]


def is_heaps(component: Component) -> bool:
    """Tell whether a component is a heap, or several that do not look at each other, of sizes that can be listed.

    Examples
    --------
    >>> import sgai
    >>> nim, cram = sgai.load_ruleset("nim"), sgai.load_ruleset("cram")
    >>> is_heaps(Component(nim, (3, 4, 5))), is_heaps(Component(nim, (10**6,))), is_heaps(Component(cram, 3))
    (True, False, False)
    """
    ruleset, position, _ = component
    return (
        isinstance(ruleset, HeapRuleset)
        and ruleset.heap_of((1,)) is not None
        and max(position, default=0) <= LARGEST_HEAP
    )


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
        self._tables: dict[Ruleset[Any, Any], _Results] = {}
        self._tree: _Tree | None = None
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
            before, tree = tree, _Tree(root, self._seed)
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

    def _decide(self, tree: "_Tree", budget: Budget) -> bool:
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

    def _search(self, tree: "_Tree", budget: Budget) -> None:
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

    def _results_of(self, root: Sum, budget: Budget) -> "dict[Ruleset[Any, Any], _Results]":
        found = {}
        for ruleset, position, _ in root.parts:
            rules = ruleset.rules()
            table = self._tables.get(rules)
            if table is None:
                table = self._tables[rules] = _Results(rules)
            table.extend(max(position, default=0), budget)
            found[rules] = table
        return found


class _Results:
    """What may become of the heaps 0, 1, 2, ... of one game, as far as it was asked for."""

    def __init__(self, ruleset: Ruleset[Any, Any]) -> None:
        assert isinstance(ruleset, HeapRuleset)
        self.ruleset = ruleset
        self._taking = by_removals(ruleset)
        self.first = array("q", [0, 0])
        self.one, self.two = array("i"), array("i")

    def extend(self, largest: int, budget: Budget) -> None:
        """List the results of all heaps up to the largest; what was listed before the budget ends is kept."""
        for heap in range(len(self.first) - 1, largest + 1):
            if heap % _HEAPS_A_LOOK == 0 or budget.seconds is not None:
                budget.left()
            one, two = self._left_by(heap)
            del self.one[self.first[-1] :], self.two[self.first[-1] :]  # what an interruption left half done
            self.one.extend(one)
            self.two.extend(two)
            self.first.append(len(self.one))

    def _left_by(self, heap: int) -> "tuple[array[int], array[int]]":
        """Return the two heaps that each result of a heap leaves, 0 for none."""
        one, two = array("i"), array("i")
        if self._taking is not None:
            left = heap - np.asarray(self._taking.removals(heap), dtype=np.int32)
            one.frombytes(left.tobytes())
            two.frombytes(np.zeros_like(left).tobytes())
            return one, two
        for result in self.ruleset.checked_results(heap):
            if len(result) > 2:
                raise SgaiError(
                    f"{self.ruleset}: a heap of {heap} may become {len(result)} heaps; this core takes games whose "
                    "moves leave two at most"
                )
            two.append(result[0] if len(result) == 2 else 0)
            one.append(result[-1] if result else 0)
        return one, two


class _Tree:
    """The search of one sum: its moves, and the arrays of the kernel once they are made."""

    def __init__(self, root: Sum, seed: int) -> None:
        self.sum, self._seed = root, seed
        self.moves: list[SumMove] = []
        for number, (ruleset, position, _) in enumerate(root.parts):
            self.moves += [SumMove(number, move) for move, _ in ruleset.moves(position)]
        # A nim-heap that is larger than the value of all parts only wins by the move to that value.
        self._heap = min(root.heap, len(self.moves) + 1)
        self.moves += [SumMove(-1, size) for size in range(self._heap)]
        if self._heap > LARGEST_HEAP:
            raise SgaiError(
                f"a nim-heap of {root.heap:,} beside so many moves is too large: search it with another core"
            )
        self.decided: dict[SumMove, str] = {}
        self.arrays: kernel.Tree | None = None
        self.rules: kernel.Rules
        self._starts: dict[Ruleset[Any, Any], int] = {}
        self._nim = self._nim_pile = 0

    def outcome(self) -> str | None:
        """Return the outcome of the sum, if it is proved."""
        if not self.moves:
            return "P"
        if self.decided:
            return "N" if "P" in self.decided.values() else "P"
        return None if self.arrays is None else _OUTCOMES[int(self.arrays.outcome[0])]

    def start(self, tables: "dict[Ruleset[Any, Any], _Results]", most_nodes: int) -> None:
        """Make the arrays; piles are numbered game by game, and the nim-heap's come last."""
        first: list[Numbers] = [np.zeros(1, dtype=np.int64)]
        one: list[Numbers] = []
        two: list[Numbers] = []
        piles, results = 1, 0

        def add(firsts: Numbers, ones: Numbers, twos: Numbers) -> int:
            nonlocal piles, results
            first.append(firsts[1:-1] + results)
            for numbers, target in ((ones, one), (twos, two)):
                target.append(np.where(numbers > 0, numbers + (piles - 1), 0).astype(np.int32))
            start = piles - 1
            piles += len(firsts) - 2
            results += len(ones)
            return start

        for ruleset, table in tables.items():
            listed = table.first[-1]
            self._starts[ruleset] = add(*map(np.array, (table.first, table.one[:listed], table.two[:listed])))
        sizes = np.arange(self._heap + 2)
        left = np.concatenate([np.arange(size) for size in range(self._heap + 1)])
        nim = add(np.maximum(sizes * (sizes - 1) // 2, 0), left, np.zeros_like(left))
        first.append(np.array([results], dtype=np.int64))
        self.rules = kernel.Rules(np.concatenate(first), np.concatenate(one), np.concatenate(two))
        root = [self._starts[part.ruleset.rules()] + heap for part in self.sum.parts for heap in part.position]
        root += [nim + self._heap] * (self._heap > 0)
        self._nim, self._nim_pile = nim, nim + self._heap
        room = max(_FIRST_ROOM, 2 * len(root))
        size = max(min(_FIRST_NODES, most_nodes), len(self.moves) + 1)  # the root's own children always fit
        nodes = [np.zeros(size, dtype=np.int32) for _ in range(7)]
        state = np.zeros(kernel.STATE_SIZE, dtype=np.int64)
        state[kernel.USED], state[kernel.PILES] = 1, len(root)
        state[kernel.CHANCE] = _scrambled(self._seed)
        places = [np.zeros(room, dtype=np.int32) for _ in range(3)]
        places[0][: len(root)] = root
        outcomes, stamps = np.zeros(size, dtype=np.int8), np.zeros(piles + 1, dtype=np.int64)
        nodes[2][0] = -1  # the root has no children yet
        self.arrays = kernel.Tree._make([*nodes, outcomes, state, *places, stamps])

    def adopt(self, before: "_Tree") -> None:
        """Take over what an earlier search found of this sum, if that is one or two moves further."""
        piles = before.numbered(self.sum)
        if before.arrays is None or piles is None:
            return
        node = before.find(piles)
        if node is None:
            return
        tree = before.arrays
        fresh = [np.zeros_like(each) for each in tree[:8]]
        root = np.zeros_like(tree.root)
        root[: len(piles)] = piles
        kept = kernel.Tree._make([*fresh, tree.state.copy(), root, *tree[10:]])
        kept.state[kernel.PILES], kept.state[kernel.CLOSED] = len(piles), 0
        kernel.keep_below(tree, kept, node)
        self.rules, self._starts, self._nim = before.rules, before._starts, before._nim
        self._nim_pile = self._nim + self.sum.heap
        self.arrays = kept

    def numbered(self, root: Sum) -> list[int] | None:
        """Return the piles of a sum by their numbers in this search, or None where some have none."""
        if self.arrays is None or root.heap > self._nim_pile - self._nim:
            return None
        rules = {part.ruleset.rules() for part in root.parts}
        if not rules <= self._starts.keys():
            return None
        piles = [self._starts[part.ruleset.rules()] + heap for part in root.parts for heap in part.position]
        return piles + [self._nim + root.heap] * (root.heap > 0)

    def find(self, piles: list[int]) -> int | None:
        """Return the node where these piles are left after one or two moves."""
        arrays = self.arrays
        assert arrays is not None
        wanted = Counter(piles)
        start = Counter(arrays.root[: arrays.state[kernel.PILES]].tolist())
        for child, left in self._below(0, start):
            missing = wanted - left
            if not missing and wanted == left:
                return child
            if (left - wanted).total() == 1 and missing.total() <= 2:
                for grandchild, after in self._below(child, left):
                    if after == wanted:
                        return grandchild
        return None

    def _below(self, node: int, piles: "Counter[int]") -> "Iterator[tuple[int, Counter[int]]]":
        arrays = self.arrays
        assert arrays is not None
        first = int(arrays.child[node])
        for child in range(first, first + int(arrays.children[node])) if first >= 0 else ():
            result = int(arrays.result[child])
            left = piles.copy()
            left[int(arrays.pile[child])] -= 1
            left.update(pile for pile in (int(self.rules.one[result]), int(self.rules.two[result])) if pile)
            yield child, +left

    def grow(self, most: int) -> None:
        """Double the tree, or close it where it has reached its limit."""
        assert self.arrays is not None
        size = len(self.arrays.child)
        larger = min(2 * size, most)
        if larger <= size:
            self.arrays.state[kernel.CLOSED] = 1
            return
        self.arrays = kernel.Tree._make([*(_longer(each, larger) for each in self.arrays[:8]), *self.arrays[8:]])

    def make_room(self) -> None:
        """Double the number of piles and of moves in a row."""
        assert self.arrays is not None
        size = 2 * len(self.arrays.root)
        places = (_longer(each, size) for each in self.arrays[9:12])
        self.arrays = kernel.Tree._make([*self.arrays[:9], *places, self.arrays.stamps])

    def findings(self, strength: float) -> Iterator[MoveFinding]:
        """Yield what is known of each move."""
        children = self._children()
        prior = 1 / max(1, len(set(children.values())) or len(self.moves))
        for move in self.moves:
            outcome, visits, wins = self.decided.get(move), 0, 0
            if outcome is None and move in children:
                assert self.arrays is not None
                child = children[move]
                outcome = _OUTCOMES[int(self.arrays.outcome[child])]
                visits, wins = int(self.arrays.visits[child]), int(self.arrays.wins[child])
            win = (wins + 0.5 * strength) / (visits + strength)
            if outcome is not None:
                win = 1.0 if outcome == "P" else 0.0
            yield MoveFinding(move, outcome, win, visits, prior)

    def _children(self) -> dict[SumMove, int]:
        """Return the node that each move leads to."""
        arrays = self.arrays
        if arrays is None or arrays.child[0] < 0:
            return {}
        nodes = {}
        for child in range(int(arrays.child[0]), int(arrays.child[0]) + int(arrays.children[0])):
            result = int(arrays.result[child])
            nodes[int(arrays.pile[child]), int(self.rules.one[result]), int(self.rules.two[result])] = child
        found = {}
        for move in self.moves:
            if move.part < 0:
                key = self._nim_pile, self._nim + move.move if move.move else 0, 0
            else:
                start = self._starts[self.sum.parts[move.part].ruleset.rules()]
                heap, result = move.move
                left = [start + each for each in result]
                key = start + heap, left[-1] if left else 0, left[0] if len(left) == 2 else 0
            found[move] = nodes[key]
        return found


def _longer(numbers: Numbers, size: int) -> Numbers:
    longer = np.zeros(size, dtype=numbers.dtype)
    longer[: len(numbers)] = numbers
    return longer


def _scrambled(seed: int) -> int:
    """Return a number other than 0 for the generator; neighbouring seeds give very different ones."""
    return int(np.random.SeedSequence(seed % 2**64).generate_state(1, np.uint64)[0] >> 1) or 1
