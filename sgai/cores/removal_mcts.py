"""Monte Carlo tree search for removal games, compiled."""

import functools
import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sgai.budget import Budget
from sgai.cell_sets import Words, rows_of
from sgai.cores.core import Findings, MoveFinding, SearchCore, Sum, SumMove
from sgai.cores.ranking import best_first
from sgai.cores.removal_sums import check_removal_sum
from sgai.errors import SgaiError, quote
from sgai.kernels import removal_mcts as kernel
from sgai.kernels.removal_stack import HITS
from sgai.removal_arrays import move_order
from sgai.removal_search import RemovalSearch
from sgai.rulesets.removal import RemovalRuleset

if TYPE_CHECKING:
    from sgai.belief_models import BeliefModel

DEFAULT_NODES = 1 << 19
_LARGEST_HEAP = 63
_VALUES = 16  # Grundy values that beliefs tell apart
_FIRST_SLICE, _SLICE_SECONDS = 16, 0.001
_USUAL_PARTS = 4
_OUTCOMES = {kernel.UNKNOWN: None, kernel.WON: "N", kernel.LOST: "P"}


class RemovalMCTS(SearchCore):
    """MCTS with proofs, on sums of components of one removal game beside a nim-heap.

    Selection is PUCT (Silver et al., arXiv 1712.01815) among the moves that are not decided; won and lost nodes are
    backed up as in Winands, Björnsson and Saito (*Monte-Carlo tree search solver*, 2008).

    Parameters
    ----------
    search : RemovalSearch
        The exact search of the game, whose table of values is looked up and added to.
    beliefs : BeliefModel, optional
        Gives each move a prior, the probability that the option is lost for the opponent; without it all are equal.
    strength : float
        How many visits the prior counts for.
    exploration : float
        The constant of PUCT.
    leaf : "rollout" or "belief"
        How leaves are evaluated.
    splits : bool
        Whether components are split, looked up and folded into the heap; without it this is plain MCTS.
    patience : int
        Visits before a leaf is expanded.
    nodes : int
        The most nodes of the tree, or as many as the root has moves if that is more; when it is full, its leaves are
        evaluated again and again.
    seed : int
        Equal seeds and budgets of simulations give equal findings, from equal tables.
    trees : dict, optional
        The memory of trees, to be shared by cores that search one after the other; making it takes long.

    Examples
    --------
    >>> import sgai
    >>> from sgai.ruleset import Component
    >>> cram = sgai.load_ruleset("cram(rows=3,columns=4)")
    >>> core = RemovalMCTS(RemovalSearch(cram.table))
    >>> core.search(Sum((Component(cram, cram.initial()),), heap=1), Budget(10_000)).outcome
    'P'
    """

    name = "mcts"

    def __init__(
        self,
        search: RemovalSearch,
        *,
        beliefs: "BeliefModel | None" = None,
        strength: float = 3.0,
        exploration: float = 1.0,
        leaf: str = "rollout",
        splits: bool = True,
        patience: int = 4,
        nodes: int = DEFAULT_NODES,
        seed: int = 0,
        trees: "dict[tuple[int, ...], kernel.Tree] | None" = None,
    ) -> None:
        if leaf not in ("rollout", "belief"):
            raise SgaiError(f"leaf={leaf!r}: it should be 'rollout' or 'belief'")
        if leaf == "belief" and (beliefs is None or not splits):
            raise SgaiError("leaf='belief' needs beliefs, and splits=True")
        for what, value, least in (
            ("patience", patience, 0),
            ("nodes", nodes, 2),
            ("strength", strength, 0),
            ("exploration", exploration, 0),
        ):
            if not least <= value < math.inf:
                raise SgaiError(f"{what}={value!r}: it should be {least} or more, and finite")
        self._search, self._beliefs = search, beliefs
        self._options = kernel.Options(
            splits=splits,
            rollouts=leaf == "rollout",
            believes=beliefs is not None and splits,
            exploration=float(exploration),
            strength=float(strength if beliefs is not None and splits else 0.0),
            patience=patience,
        )
        self._nodes, self._seed, self._decisions = nodes, seed, 0
        self._hats: npt.NDArray[np.float64] | None = None
        self._trees = {} if trees is None else trees

    def reset(self) -> None:
        """Begin the random numbers anew; the table of values belongs to the exact search."""
        self._decisions = 0

    def search(self, root: Sum, budget: Budget) -> Findings:
        """Simulate until the outcome is proved or the budget ends.

        Raises
        ------
        SgaiError
            If the sum is none of components of the game of the exact search, or its heap is larger than 63.
        """
        self._check(root)
        elapsed = budget.elapsed()
        if not root.parts:
            heaps = tuple(
                MoveFinding(SumMove(-1, left), _heap_outcome(left), float(left == 0), 0) for left in range(root.heap)
            )
            return Findings(_heap_outcome(root.heap), heaps, 0, 0, budget.elapsed() - elapsed)
        ruleset = root.parts[0].ruleset
        assert isinstance(ruleset, RemovalRuleset)
        self._search.make_room()
        stack = self._search.arrays()[2]
        started = int(stack.state[HITS])
        tree = self._tree_for(len(root.parts))
        if self._hats is None:
            self._hats = _transforms(self._beliefs, ruleset.rules())
        bare = ruleset.always_live()
        rows = rows_of([part.position & ~bare for part in root.parts], self._search.words)
        seed = (1_000_003 * self._seed + self._decisions) % (1 << 63)
        _plant(tree, rows, root.heap, seed)
        self._decisions += 1
        size = _FIRST_SLICE
        while True:
            began, before = time.perf_counter(), int(tree.state[kernel.SIMULATIONS])
            left = budget.states - budget.spent
            rules, table, stack, like = self._search.arrays()
            status = kernel.simulate(
                rules, table, stack, tree, self._options, self._hats, min(size, left), self._search.can_grow(), like
            )
            budget.spent += int(tree.state[kernel.SIMULATIONS]) - before
            self._search.make_room()
            if status == kernel.DECIDED or budget.is_over():
                break
            seconds = time.perf_counter() - began
            if seconds < _SLICE_SECONDS / 2:
                size *= 2
            elif seconds > _SLICE_SECONDS and size > 1:
                size //= 2
        simulations = int(tree.state[kernel.SIMULATIONS])
        hits = int(stack.state[HITS]) - started
        budget.hits += hits
        return Findings(
            _OUTCOMES[int(tree.nodes[0, kernel.OUTCOME])],
            best_first(self._moves(tree, ruleset), by_visits=True),
            simulations,
            hits,
            budget.elapsed() - elapsed,
        )

    def _check(self, root: Sum) -> None:
        if root.parts:
            ruleset = root.parts[0].ruleset
            if not isinstance(ruleset, RemovalRuleset):
                raise SgaiError(f"{quote(str(ruleset))} is no removal game; the search core {self.name!r} is for these")
            if ruleset.table != self._search.table:
                raise SgaiError(f"{quote(str(ruleset))} is not the game of the exact search that this core was given")
            check_removal_sum(ruleset.rules(), root)
        if not 0 <= root.heap <= _LARGEST_HEAP:
            raise SgaiError(f"heap={root.heap!r}: beside removal games this core takes heaps of 0 to {_LARGEST_HEAP}")

    def _moves(self, tree: kernel.Tree, ruleset: RemovalRuleset) -> list[MoveFinding]:
        order = move_order(ruleset.table)
        first, count = int(tree.nodes[0, kernel.FIRST]), int(tree.nodes[0, kernel.CHILDREN])
        found = []
        for node, values in zip(
            tree.nodes[first : first + count].tolist(), tree.values[first : first + count].tolist(), strict=True
        ):
            visits, part, move = node[kernel.VISITS], node[kernel.PART], node[kernel.MOVE]
            outcome = _OUTCOMES[node[kernel.OUTCOME]]
            strength = self._options.strength
            win = (
                (values[kernel.WINS] + strength * values[kernel.CHANCE]) / (visits + strength)
                if visits + strength
                else 0.5
            )
            if outcome is not None:
                win = float(outcome == "P")
            found.append(
                MoveFinding(
                    SumMove(part, order[move] if part >= 0 else move), outcome, win, visits, values[kernel.PRIOR]
                )
            )
        return found

    def _tree_for(self, parts: int) -> kernel.Tree:
        """Return arrays with room for all that comes up where the root has so many parts; they are made once."""
        cells, moves, words = self._search.cells, self._search.moves, self._search.words
        _, _, stack, _ = self._search.arrays()
        parts = max(parts, _USUAL_PARTS)  # so that a position that falls apart seldom needs a larger one
        # No play makes a part's moves more, and all that is folded into the heap is below the room for values.
        children = parts * moves + max(64 * stack.looked.shape[1], _LARGEST_HEAP + 1)
        key = cells, moves, words, self._nodes
        tree = self._trees.get(key)
        pieces = cells // 2 + 1  # of one part: each has two cells at least, or is the part itself
        if tree is None or len(tree.marks) < children or len(tree.work) <= parts * pieces:
            if tree is not None:  # another core's may have had more room for one of the two
                children, parts = max(children, len(tree.marks)), max(parts, len(tree.work) // pieces)
            nodes = 1 + max(self._nodes, children)
            tree = self._trees[key] = kernel.Tree(
                state=_zeros(kernel.STATE_SIZE, np.int64),
                chance=_zeros(1, np.uint64),
                nodes=_zeros((nodes, kernel.NODE_SIZE), np.int32),
                values=_zeros((nodes, kernel.VALUE_SIZE), np.float64),
                parts=_zeros((parts + max(3 * self._nodes, children * (parts + pieces)), words), np.uint64),
                path=_zeros(nodes, np.int64),
                work=_zeros((parts * pieces + 1, words), np.uint64),
                marks=_zeros(children, np.uint64),
                legal=_zeros(parts * moves, np.int64),
            )
        return tree


def _zeros(shape: "int | tuple[int, ...]", dtype: Any) -> Any:
    """Return zeros in memory that is really there: the system gives pages at the first touch, which takes long."""
    array = np.empty(shape, dtype=dtype)
    array.fill(0)
    return array


def _plant(tree: kernel.Tree, rows: Words, heap: int, seed: int) -> None:
    """Make a root of some parts, the rows of an array, and a heap."""
    tree.state[[kernel.NODES, kernel.PARTS, kernel.SIMULATIONS, kernel.FULL]] = 1, len(rows), 0, 0
    tree.chance[0] = (seed + 1) * 0x9E3779B97F4A7C15 % 2**64
    tree.nodes[0] = 0
    tree.nodes[0, [kernel.FIRST, kernel.PART, kernel.MOVE]] = kernel.NOT_EXPANDED, -1, -1
    tree.nodes[0, [kernel.LENGTH, kernel.HEAP, kernel.OUTCOME]] = len(rows), heap, kernel.UNKNOWN
    tree.values[0, [kernel.WINS, kernel.PRIOR, kernel.CHANCE]] = 0.0, 0.0, 0.5
    tree.parts[: len(rows)] = rows


def _heap_outcome(heap: int) -> str:
    return "N" if heap else "P"


@functools.lru_cache(maxsize=256)
def _transforms(beliefs: "BeliefModel | None", ruleset: RemovalRuleset) -> npt.NDArray[np.float64]:
    """Return the Walsh-Hadamard transforms of the beliefs in a component's value, by its number of moves."""
    if beliefs is None:
        return np.ones((1, _VALUES))
    signs = [[1.0 - 2.0 * ((i & j).bit_count() & 1) for j in range(_VALUES)] for i in range(_VALUES)]
    return np.ascontiguousarray(beliefs.table_array(ruleset, values=_VALUES) @ np.array(signs))
