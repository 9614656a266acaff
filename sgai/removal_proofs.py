"""Proof-number search for removal games: who wins a sum of components and a nim-heap."""

from collections.abc import Sequence

import numpy as np

from sgai.budget import Budget, OutOfBudget
from sgai.cell_sets import rows_of
from sgai.kernels import removal_dfpn as kernel
from sgai.kernels.removal_stack import NODES
from sgai.removal_search import RemovalSearch, ValueTooLarge

DEFAULT_MEMORY = 64 << 20
_LEAST_PLACES = 1 << 8


class ProofNumbers:
    """Depth-first proof-number search beside the alpha-beta search of a game, whose table of values it shares.

    Parameters
    ----------
    search : RemovalSearch
        Gives the game and the table.
    memory : int
        The most bytes for proof and disproof numbers; those that took the fewest nodes give way.

    Examples
    --------
    >>> import sgai
    >>> cram = sgai.load_ruleset("cram(rows=4,columns=5)")
    >>> numbers = ProofNumbers(RemovalSearch(cram.table))
    >>> [numbers.is_lost([cram.initial()], heap, Budget()) for heap in range(4)]
    [False, False, True, False]
    """

    def __init__(self, search: RemovalSearch, memory: int = DEFAULT_MEMORY) -> None:
        self.search = search
        self._stack = search.new_stack()
        places = max(_LEAST_PLACES, 1 << (max(1, memory // (8 * (search.words + 2))).bit_length() - 1))
        self._proofs = kernel.Proofs(
            limits=np.zeros((len(self._stack.masks), 2), dtype=np.int64),
            answer=np.zeros(2, dtype=np.int64),
            entries=np.zeros((places + kernel.PROBES - 1, search.words + 2), dtype=np.uint64),
        )
        self._asked: tuple[tuple[int, ...], int] | None = None  # the question on the stack

    @property
    def nodes(self) -> int:
        """Positions expanded so far."""
        return int(self._stack.state[NODES])

    @property
    def stored(self) -> int:
        """Nodes whose numbers are kept."""
        return int(np.count_nonzero(self._proofs.entries[:, self.search.words]))

    def is_lost(self, parts: Sequence[int], heap: int, budget: Budget) -> bool:
        """Tell whether the player to move loses a sum: components and a nim-heap.

        Parameters
        ----------
        parts : sequence of int
            Components, as masks of live cells.
        heap : int
            The size of the nim-heap.
        budget : Budget
            What may be spent; a state is a position that is expanded.

        Raises
        ------
        OutOfBudget
            If the budget ends first; the next call for the same sum goes on where this one stopped.
        ValueTooLarge
            If there is no room for a value that comes up.
        """
        known, unknown = self._sum(parts)
        heap ^= known
        if not unknown:
            return heap == 0
        if heap >> max(self.search.bound(part).bit_length() for part in unknown):
            return False  # the components cannot be worth as much
        self.search.check_room(heap)
        if budget.spent >= budget.states:
            raise OutOfBudget
        asked = (tuple(parts), heap ^ known)

        def step(limit: int) -> int:
            rules, table, owner, like = self.search.arrays()
            if self._asked != asked:  # also where a watcher has asked for another sum meanwhile
                self._ask(unknown, heap)
                self._asked = asked
            status: int = kernel.search(
                rules,
                table,
                self._stack,
                self._proofs,
                owner.state,
                limit,
                self.search.can_grow(),
                *self.search.reserve,
                like,
            )
            return status

        try:
            self.search.run(step, self._stack.state, self._grow, budget)
        except ValueTooLarge:
            self._asked = None
            raise
        self._asked = None
        return int(self._proofs.answer[kernel.PHI]) == 0

    def numbers(self, nodes: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
        """Return what is kept of nodes, each a component in canonical form and a nim-heap.

        These are the proof number and the disproof number of "the player to move wins", and the positions expanded for
        them; 1, 1 and 0 where nothing is kept.
        """
        rows = rows_of((part for part, _ in nodes), self.search.words)
        found = np.ones((len(nodes), 3), dtype=np.int64)
        found[:, 2] = 0
        heaps = np.array([heap for _, heap in nodes], dtype=np.int64)
        kernel.read_numbers(self._proofs, rows, heaps, found, self.search.arrays()[3])
        return [(int(phi), int(delta), int(work)) for phi, delta, work in found]

    def _sum(self, parts: Sequence[int]) -> tuple[int, list[int]]:
        known, unknown = 0, set[int]()
        for value, rest in self.search.split(parts):
            known ^= value
            unknown ^= set(rest)  # equal components cancel
        return known, sorted(unknown)

    def _ask(self, parts: Sequence[int], heap: int) -> None:
        self._asked = None
        while len(self._stack.parts) < len(parts) + self.search.cells:  # the looks before the first node need some
            self._grow()
        rows = rows_of(parts, self.search.words)
        kernel.ask(self._stack, self._proofs, rows, len(parts), heap, self.search.arrays()[3])

    def _grow(self) -> None:
        stack = self._stack
        more = {
            name: np.concatenate([rows, np.zeros_like(rows)])
            for name, rows in stack._asdict().items()
            if name in ("masks", "asked", "numbers", "have", "options", "parts")
        }
        limits = np.concatenate([self._proofs.limits, np.zeros_like(self._proofs.limits)])
        self._stack, self._proofs = stack._replace(**more), self._proofs._replace(limits=limits)
