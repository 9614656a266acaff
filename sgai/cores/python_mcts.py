"""Monte Carlo tree search in Python, over sums of any rulesets."""

import itertools
import math
import random

from sgai.budget import Budget
from sgai.cores.core import MoveFinding, Sum
from sgai.cores.python_core import Loss, PythonCore, believed
from sgai.cores.python_nodes import SMALL, Key, PartTable, RootMoves, outcome_at_once, repetition
from sgai.errors import SgaiError
from sgai.ruleset import Component
from sgai.solver import Solver

DEFAULT_NODES = 500_000  # about 200 bytes each, and 70 for each option of those that were visited
_SOFTENING = 0.05  # added to every probability before moves share the prior, so that none is left out
_LONG = 10_000  # moves of one line of play after which a repetition is looked for


class _Node:
    """A sum with what the search knows of it; statistics belong to the edges to its children."""

    __slots__ = ("children", "first", "heap", "outcome", "parts", "priors", "total", "visited", "visits", "wins")

    def __init__(self, key: Key) -> None:
        self.parts, self.heap = key
        self.outcome = outcome_at_once(key)
        self.children: list[_Node] | None = None
        self.first: list[float] = []  # the belief that the move to the child wins, before any visit
        self.priors: list[float] = []
        self.visits: list[int] = []
        self.wins: list[float] = []
        self.total = 0
        self.visited = False

    def grow(self, children: "list[_Node]", first: list[float]) -> None:
        """Give the node its children, with the belief in the move to each."""
        weights = [each + _SOFTENING for each in first]
        whole = sum(weights)
        self.first, self.priors = first, [each / whole for each in weights]
        self.visits, self.wins = [0] * len(children), [0.0] * len(children)
        self.children = children

    def settle(self) -> None:
        """Prove the outcome from those of the children, if they prove it."""
        open_left = False
        for child in self.children or ():
            if child.outcome == "P":
                self.outcome = "N"
                return
            open_left = open_left or child.outcome is None
        if not open_left:
            self.outcome = "P"


class _Root(_Node):
    """The root as it was asked about: its moves are those of the parts that were given, known or not."""

    __slots__ = ("edges", "listed")

    def __init__(self, table: PartTable, root: Sum) -> None:
        super().__init__(((), root.heap))
        self.listed = RootMoves(table, root)
        self.outcome = None if self.listed.moves else "P"
        self.edges: list[int] = []  # the child that each move leads to


class PythonMCTS(PythonCore[_Root]):
    """Monte Carlo tree search with proved outcomes, for any ruleset under normal play.

    Children are chosen by PUCT; proved wins and losses are backed up (MCTS-solver). At every node the options are
    split, looked up, solved if small, and folded into the nim-heap; positions that are then equal are one node.

    Parameters
    ----------
    solver : Solver, optional
        Whose values are used and added to; by default the core's own, which `reset` replaces.
    seed : int
        Equal seeds give equal searches, where the solver knows the same.
    loss : callable, optional
        The belief: from parts and nim-heap to the probability that the player to move loses. By default all options
        are alike.
    strength : float
        Simulations that the belief in a move counts for.
    exploration : float
        The constant of PUCT.
    leaf : "rollout" or "belief"
        How a new node is valued: by a random line of play, and its options are made at the second visit; or by
        ``loss``, and they are made at once.
    split : bool
        False is plain search on the position as a whole: nothing is split, looked up, folded or brought into canonical
        form.
    small : int
        States that are tried to solve a component that is met; 0 for none.
    nodes : int
        The most nodes to keep. After that, the search goes on with rollouts from the nodes that there are.

    Notes
    -----
    PUCT: D. Silver et al., "Mastering the game of Go without human knowledge", Nature 550 (2017). MCTS-solver: M.
    Winands, Y. Björnsson, J.-T. Saito, "Monte-Carlo tree search solver", Computers and Games (2008).

    Examples
    --------
    >>> import sgai
    >>> from sgai.ruleset import Component
    >>> cram = sgai.load_ruleset("cram(rows=3,columns=3)")
    >>> found = PythonMCTS(seed=1).search(Sum((Component(cram, cram.initial()),), 1), Budget(1000))
    >>> found.outcome, found.moves[0].outcome
    ('N', 'P')
    """

    name = "mcts"
    by_visits = True

    def __init__(
        self,
        *,
        solver: Solver | None = None,
        seed: int = 0,
        loss: Loss | None = None,
        strength: float = 2.0,
        exploration: float = 1.0,
        leaf: str = "rollout",
        split: bool = True,
        small: int = SMALL,
        nodes: int = DEFAULT_NODES,
    ) -> None:
        if leaf not in ("rollout", "belief"):
            raise SgaiError(f"leaf={leaf!r}: it is 'rollout' or 'belief'")
        if leaf == "belief" and loss is None:
            raise SgaiError("leaf='belief' needs a belief: give loss, the probability that the player to move loses")
        self._seed, self._loss = seed, loss
        self._strength, self._exploration, self._leaf = max(strength, 1e-9), exploration, leaf
        self._most_nodes = nodes
        super().__init__(solver, split, small)

    def reset(self) -> None:
        """Forget the tree; values that a given solver learned stay with it."""
        super().reset()
        self._random = random.Random(self._seed)
        self._nodes: dict[Key, _Node] = {}

    def _open(self, root: Sum) -> _Root:
        return _Root(self._table, root)

    def _advance(self, root: _Root, budget: Budget) -> None:
        if root.children is None:
            self._start(root, budget)
        while root.outcome is None:
            budget.spend()
            budget.left()
            self._simulate(root, budget)

    def _start(self, root: _Root, budget: Budget) -> None:
        root.listed.fill(budget)
        root.parts = tuple(root.listed.parts)
        keys = {key: number for number, key in enumerate(dict.fromkeys(root.listed.keys))}
        children, first = self._children(list(keys), budget)
        root.edges = [keys[key] for key in root.listed.keys]
        root.grow(children, first)
        before = self._nodes.get(self._table.fold(root.parts, root.heap))
        if before is not None and before.children is not None:
            numbers = {id(child): number for number, child in enumerate(children)}
            for child, visits, wins in zip(before.children, before.visits, before.wins, strict=True):
                number = numbers.get(id(child))
                if number is not None:
                    root.visits[number], root.wins[number] = visits, wins
            root.total = sum(root.visits)
        self._settle(root)

    def _simulate(self, root: _Root, budget: Budget) -> None:
        path: list[tuple[_Node, int]] = []
        node: _Node = root
        while node.outcome is None and node.children is not None:
            choice = self._choose(node)
            if choice is None:
                self._settle(node)
                break
            if len(path) >= _LONG:
                _refuse_repetition(path)
            path.append((node, choice))
            node = self._current(node, choice)
        value = self._value(node, budget)  # the probability that the player to move there wins
        for parent, choice in reversed(path):
            value = 1.0 - value
            parent.visits[choice] += 1
            parent.wins[choice] += value
            parent.total += 1
            if node.outcome is not None:
                self._settle(parent)
            node = parent

    def _choose(self, node: _Node) -> int | None:
        """Return the number of the child with the largest PUCT score; None if the children prove the node."""
        assert node.children is not None
        best, best_score = None, -1.0
        strength, scale = self._strength, self._exploration * math.sqrt(node.total + 1)
        for number, (child, visits, wins, first, prior) in enumerate(
            zip(node.children, node.visits, node.wins, node.first, node.priors, strict=True)
        ):
            if child.outcome is None:
                score = (wins + strength * first) / (visits + strength) + scale * prior / (1 + visits)
                if score > best_score:
                    best, best_score = number, score
            elif child.outcome == "P":
                return None
        return best

    def _current(self, node: _Node, choice: int) -> _Node:
        """Return a child, as what it is now that more parts may be known."""
        assert node.children is not None
        child = node.children[choice]
        if any(part.value is not None for part in child.parts):
            child = node.children[choice] = self._node(self._table.fold(child.parts, child.heap))
        return child

    def _value(self, node: _Node, budget: Budget) -> float:
        """Return the probability that the player to move wins, after a look at the node."""
        if node.outcome is None and node.heap and node.heap > self._table.largest_value(node.parts, budget):
            node.outcome = "N"
        elif node.outcome is None and (node.visited or self._leaf == "belief") and self._has_room():
            node.grow(*self._children(self._table.children((node.parts, node.heap), budget), budget))
            self._settle(node)
        node.visited = True
        if node.outcome is not None:
            return 1.0 if node.outcome == "N" else 0.0
        if self._leaf == "belief" and self._loss is not None:
            return 1.0 - believed(self._loss, (node.parts, node.heap))
        return self._rollout(node, budget)

    def _has_room(self) -> bool:
        return len(self._nodes) < self._most_nodes and not self._table.is_full()

    def _settle(self, node: _Node) -> None:
        node.settle()
        if node.outcome == "P" and len(node.parts) == 1 and self._table.split:
            self._table.learn(node.parts[0], node.heap)
        if node.outcome is not None and not isinstance(node, _Root):
            node.children = None
            node.first, node.priors, node.visits, node.wins = [], [], [], []

    def _children(self, keys: list[Key], budget: Budget) -> tuple[list[_Node], list[float]]:
        children = [self._node(key) for key in keys]
        first = []
        for child in children:
            if child.outcome is not None:
                first.append(1.0 if child.outcome == "P" else 0.0)
            elif self._loss is None:
                first.append(0.5)
            else:
                budget.left()
                first.append(believed(self._loss, (child.parts, child.heap)))
        return children, _among_others(first) if self._leaf == "rollout" else first

    def _node(self, key: Key) -> _Node:
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = _Node(key)
        return node

    def _rollout(self, node: _Node, budget: Budget) -> float:
        """Play at random, without splitting or looking up; return 1.0 if the player to move wins, else 0.0."""
        left = [part.component for part in node.parts]
        options = [self._table.positions(part, budget) for part in node.parts]
        heap, to_move = node.heap, True
        met: dict[tuple[tuple[Component, ...], int], None] = {}
        for plies in itertools.count():
            budget.left()
            total = sum(map(len, options))
            if total + heap == 0 or heap > total:
                break
            number = self._random.randrange(total + heap)
            if number >= total:
                heap = number - total
            else:
                place = 0
                while number >= len(options[place]):
                    number -= len(options[place])
                    place += 1
                ruleset = left[place].ruleset
                left[place] = Component(ruleset, options[place][number], True)
                options[place] = ruleset.options(left[place].position)
            to_move = not to_move
            if plies >= _LONG:
                key = tuple(left), heap
                if key in met:
                    raise repetition(itertools.dropwhile(key.__ne__, met))
                met[key] = None
        return float(to_move == (heap > 0))

    def _moves(self, root: _Root) -> list[MoveFinding]:
        moves = root.listed.moves
        if root.children is None:
            return [MoveFinding(move, None, 0.5, 0, 1 / len(moves)) for move in moves]
        found = []
        for move, number in zip(moves, root.edges, strict=True):
            outcome, visits = root.children[number].outcome, root.visits[number]
            win = (root.wins[number] + self._strength * root.first[number]) / (visits + self._strength)
            if outcome is not None:
                win = 1.0 if outcome == "P" else 0.0
            found.append(MoveFinding(move, outcome, win, visits, root.priors[number]))
        return found


def _among_others(chances: list[float]) -> list[float]:
    """Return beliefs on the scale of random lines of play, where half of all moves win: 1/2 for the mean belief."""
    mean = sum(chances) / len(chances) if chances else 0.0
    return [each if each in (0.0, 1.0) else each / (each + mean) for each in chances]


def _refuse_repetition(path: list[tuple[_Node, int]]) -> None:
    first: dict[int, int] = {}
    for number, (node, _) in enumerate(path):
        start = first.setdefault(id(node), number)
        if start < number:
            raise repetition(((part.component for part in each.parts), each.heap) for each, _ in path[start:number])
