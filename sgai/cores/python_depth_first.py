"""Depth-first searches over sums with an explicit stack, which stays where it is when the budget ends."""

from abc import abstractmethod
from typing import Any, Generic, TypeVar

from sgai.budget import Budget
from sgai.cores.core import MoveFinding, Sum
from sgai.cores.python_core import Loss, PythonCore, believed
from sgai.cores.python_nodes import SMALL, Key, PartTable, RootMoves, repetition
from sgai.errors import SgaiError
from sgai.solver import Solver

ValueT = TypeVar("ValueT")

DEFAULT_ENTRIES = 1_000_000  # about 250 bytes each


class BoundedTable(Generic[ValueT]):
    """A transposition table of limited size: when it is full, what was not used for longest makes room.

    Parameters
    ----------
    entries : int
        The most entries.

    Examples
    --------
    >>> table = BoundedTable(4)
    >>> for key in range(100):
    ...     table.put(key, str(key))
    >>> table.get(99), table.get(0), len(table) <= 4
    ('99', None, True)
    """

    def __init__(self, entries: int) -> None:
        if entries < 2:
            raise SgaiError(f"entries={entries!r}: a transposition table has 2 entries or more")
        self._half = entries // 2
        self._new: dict[Any, ValueT] = {}
        self._old: dict[Any, ValueT] = {}

    def __len__(self) -> int:
        return len(self._new) + len(self._old)

    def get(self, key: Any) -> ValueT | None:
        """Return an entry, or None."""
        value = self._new.get(key)
        if value is None and self._old:
            value = self._old.pop(key, None)
            if value is not None:
                self.put(key, value)
        return value

    def put(self, key: Any, value: ValueT) -> None:
        """Make or change an entry."""
        if len(self._new) >= self._half:
            self._old, self._new = self._new, {}
        self._new[key] = value


class Frame:
    """A sum on the stack.

    Attributes
    ----------
    key : Key or None
        The sum; None for the root.
    children : list of Key
        Its options that are not decided at once.
    learned : int
        How many values the search had proved when the children were folded last.
    place : int
        The child that is searched.
    limits : tuple of int
        For proof-number search, the numbers at which the parent takes over.
    """

    __slots__ = ("children", "key", "learned", "limits", "place")

    def __init__(self, key: Key | None, children: list[Key], learned: int) -> None:
        self.key, self.children, self.learned = key, children, learned
        self.place = 0
        self.limits = (0, 0)


class DepthFirstRoot:
    """A sum that is searched depth first, with the stack.

    Attributes
    ----------
    outcome : "N", "P" or None
        As far as it is proved.
    options : int
        The number of different options, when all are split.
    ranks : dict
        By what the options were sorted, by key.
    proved : dict
        The outcomes of the options, by key.
    nodes : dict
        The nodes expanded below each option, by key.
    """

    def __init__(self, table: PartTable, root: Sum) -> None:
        self.listed = RootMoves(table, root)
        self.outcome = None if self.listed.moves else "P"
        self.heap = root.heap
        self.options = 0
        self.ranks: dict[Key, float] = {}
        self.stack: list[Frame] = []
        self.proved: dict[Key, str] = {}
        self.nodes: dict[Key, int] = {}
        self.path: set[Key] = set()


class DepthFirstCore(PythonCore[DepthFirstRoot], Generic[ValueT]):
    """The walk that alpha-beta and depth-first proof-number search share.

    Parameters
    ----------
    solver : Solver, optional
        Whose values are used and added to; by default the core's own, which `reset` replaces.
    loss : callable, optional
        The belief, for the order of moves and their estimates: from parts and nim-heap to the probability that the
        player to move loses.
    split : bool
        False searches the position as a whole: nothing is split, looked up, folded or brought into canonical form.
    small : int
        States that are tried to solve a component that is met; 0 for none.
    entries : int
        The most entries of the transposition table.
    """

    def __init__(
        self,
        *,
        solver: Solver | None = None,
        loss: Loss | None = None,
        split: bool = True,
        small: int = SMALL,
        entries: int = DEFAULT_ENTRIES,
    ) -> None:
        self._loss, self._entries = loss, entries
        super().__init__(solver, split, small)

    def reset(self) -> None:
        """Forget what was searched; values that a given solver learned stay with it."""
        super().reset()
        self._known: BoundedTable[ValueT] = BoundedTable(self._entries)

    def _open(self, root: Sum) -> DepthFirstRoot:
        return DepthFirstRoot(self._table, root)

    def _advance(self, root: DepthFirstRoot, budget: Budget) -> None:
        if root.outcome is not None:
            return
        if not root.stack:
            root.listed.fill(budget)
            keys = list(dict.fromkeys(root.listed.keys))
            root.options = len(keys)
            root.stack.append(Frame(None, self._ordered(keys, budget, root.ranks), self._table.learned))
        while root.outcome is None:
            budget.left()
            self._step(root, budget)

    def _prove(self, root: DepthFirstRoot, key: Key, outcome: str) -> None:
        root.proved[key] = outcome
        if outcome == "P":
            root.outcome = "N"
        elif root.outcome is None and len(root.proved) == root.options:
            root.outcome = "P"
            if len(root.listed.parts) == 1 and self._table.split:
                self._table.learn(root.listed.parts[0], root.heap)

    def _push(self, root: DepthFirstRoot, key: Key, budget: Budget) -> str | None:
        """Put a sum on the stack, unless its outcome is seen at once: then return that."""
        table = self._table
        if key in root.path:
            keys = [frame.key for frame in root.stack if frame.key is not None]
            cycle = keys[keys.index(key) :]
            raise repetition(((part.component for part in parts), heap) for parts, heap in cycle)
        if table.is_full():
            self._forget()
        parts, heap = key
        budget.spend()
        top = root.stack[1].key if len(root.stack) > 1 else key
        assert top is not None
        root.nodes[top] = root.nodes.get(top, 0) + 1
        if heap and heap > table.largest_value(parts, budget):
            return "N"
        open_keys = []
        for child in table.children(key, budget):
            outcome = self._look_up(child)
            if outcome == "P":
                return "N"
            if outcome is None:
                open_keys.append(child)
        if not open_keys:
            return "P"
        root.stack.append(Frame(key, self._ordered(open_keys, budget), table.learned))
        root.path.add(key)
        return None

    def _pop(self, root: DepthFirstRoot) -> None:
        """Take the last frame off the stack."""
        key = root.stack.pop().key
        assert key is not None
        root.path.discard(key)

    def _finish(self, key: Key, outcome: str) -> None:
        """Keep a proved outcome; a part that makes a nim-heap lost has the value of the heap."""
        self._store(key, outcome)
        parts, heap = key
        if outcome == "P" and len(parts) == 1 and self._table.split:
            self._table.learn(parts[0], heap)

    def _refold(self, frame: Frame) -> None:
        """Fold the children of a frame again where more parts are known than before; the root's keep their keys."""
        if frame.learned != self._table.learned and frame.key is not None:
            frame.children = [self._table.fold(*key) for key in frame.children]
            frame.learned = self._table.learned

    def _forget(self) -> None:
        self._table.forget()
        self._known = BoundedTable(self._entries)

    def _moves(self, root: DepthFirstRoot) -> list[MoveFinding]:
        found = []
        keys = root.listed.keys + [None] * (len(root.listed.moves) - len(root.listed.keys))
        for move, key in zip(root.listed.moves, keys, strict=True):
            outcome = None if key is None else root.proved.get(key)
            if outcome is not None:
                win = 1.0 if outcome == "P" else 0.0
            else:
                win = 0.5 if key is None else self._estimate(root, key)
            visits = 0 if key is None else root.nodes.get(key, 0)
            found.append(MoveFinding(move, outcome, win, visits))
        return found

    def _ordered(self, keys: list[Key], budget: Budget, ranks: dict[Key, float] | None = None) -> list[Key]:
        """Sort options: those first that the opponent probably loses, or that have the fewest moves."""
        ranks = {} if ranks is None else ranks
        for key in keys:
            budget.left()
            if self._loss is not None:
                ranks[key] = -believed(self._loss, key)
            else:
                parts, heap = key
                ranks[key] = heap + sum(len(self._table.positions(part, budget)) for part in parts)
        return sorted(keys, key=ranks.__getitem__)

    @abstractmethod
    def _look_up(self, key: Key) -> str | None:
        """Return the outcome of a sum, if it is known."""

    @abstractmethod
    def _store(self, key: Key, outcome: str) -> None:
        """Keep the outcome of a sum."""

    @abstractmethod
    def _step(self, root: DepthFirstRoot, budget: Budget) -> None:
        """Do a little work on the last frame."""

    @abstractmethod
    def _estimate(self, root: DepthFirstRoot, key: Key) -> float:
        """Return the estimated probability that the move to an option wins."""
