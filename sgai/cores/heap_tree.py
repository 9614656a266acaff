"""The tree of the compiled search of heap sums: its arrays, and what they say of the moves at the root."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from sgai.cores.core import MoveFinding, Sum, SumMove
from sgai.cores.heap_results import LARGEST_HEAP, HeapResults
from sgai.errors import SgaiError
from sgai.kernels import heap_mcts as kernel
from sgai.ruleset import Ruleset

_FIRST_NODES, _FIRST_ROOM = 1 << 14, 64
_OUTCOMES = {kernel.OPEN: None, kernel.NEXT_WINS: "N", kernel.PREVIOUS_WINS: "P"}

Numbers = npt.NDArray[Any]


class HeapTree:
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

    def start(self, tables: "dict[Ruleset[Any, Any], HeapResults]", most_nodes: int) -> None:
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

    def adopt(self, before: "HeapTree") -> None:
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
        if len(kept.child) <= kept.state[kernel.USED] + len(self.moves):
            return  # the root's own children might not fit
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
