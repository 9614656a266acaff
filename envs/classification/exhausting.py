"""Going through all states of a game: the one way to prove of an unknown game that it is impartial."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sgai.budget import Budget, OutOfBudget
from sgai.envs.classification.answer import Play
from sgai.envs.classification.checks import Against, Results, against_turns
from sgai.envs.classification.playouts import legal_actions
from sgai.envs.game_types import is_written_in_python
from sgai.envs.position_key import PositionKey
from sgai.errors import UnsupportedError, shortened

_END = 0  # the number of the tree without options


@dataclass(frozen=True)
class Exhausted:
    """What all states of a game show.

    Attributes
    ----------
    play : "normal", "misere" or None
        Not None if it is proved that the game, from its start, is an impartial combinatorial game.
    against : Against or None
        A counterexample.
    why : str
        What was compared, or why nothing is proved.
    """

    play: str | None = None
    against: Against | None = None
    why: str = ""


def exhaust(game: Any, key: PositionKey, budget: Budget) -> Exhausted:
    """Go through all states of a game, and compare each position that both players can meet.

    Parameters
    ----------
    game : pyspiel.Game
        A sequential game of two players without chance.
    key : PositionKey
        How to read positions. States with equal keys and the same player to move are taken for the same, as
        OpenSpiel's own tabular algorithms do with texts. Each time that play comes to one again its actions are
        compared, and the first time, or where the actions differ, what they lead to.
    budget : Budget
        The most states to look at (a state counts each time that play comes to it), and seconds.

    Returns
    -------
    Exhausted
        Proved are games in which, besides the players' taking turns and the results: play never comes back to a
        position; positions that both players can meet have the same options for both; and every action that is
        legal anywhere is legal in a position that both players can meet. Without that last condition every game in
        which the position tells who is to move would pass, such as Clobber, where the number of pieces does.

    Notes
    -----
    Time and memory are linear in states and moves.
    """
    walk = _Walk(game, key, budget)
    try:
        return walk.run()
    except _Refuted as refuted:
        return Exhausted(against=refuted.against)
    except (_Undecided, UnsupportedError) as error:
        return Exhausted(why=str(error))
    except OutOfBudget:
        return Exhausted(why=f"it has more states than the {budget.spent:,} that were looked at")


class _Refuted(Exception):
    def __init__(self, against: Against) -> None:
        super().__init__(against.reason)
        self.against = against


class _Undecided(Exception):
    """Nothing can be proved, for the reason given."""


class _Id(NamedTuple):
    """A state as far as play goes on from it."""

    position: Hashable
    player: int


class _Node:
    """The first state with an id, the ids that its actions lead to (None is the end), and the number of its tree.

    Trees have equal numbers where their options have; equal options count once.
    """

    __slots__ = ("actions", "compared", "ends", "moves", "state", "tree")

    def __init__(self, state: Any, moves: dict[int, _Id | None], ends: set[Hashable]) -> None:
        self.state, self.moves, self.ends, self.actions = state, moves, ends, set(moves)
        self.tree: int | None = None
        self.compared = False

    @property
    def options(self) -> set[_Id | None]:
        return set(self.moves.values())

    def looks_like(self, other: "_Node") -> bool:
        """Tell whether both players have the same moves, by their actions or by what they lead to."""
        if _positions(self.options) != _positions(other.options):
            return False
        if self.moves.keys() == other.moves.keys():
            return all(_position(self.moves[action]) == _position(other.moves[action]) for action in self.moves)
        # The same moves may be called otherwise, but then the ends have to look alike too.
        return self.ends == other.ends and None not in self.ends


class _Walk:
    def __init__(self, game: Any, key: PositionKey, budget: Budget) -> None:
        self._game, self._key, self._budget = game, key, budget
        self._results = Results()
        self._nodes: dict[_Id, _Node] = {}
        self._ends: set[Hashable] = set()

    def run(self) -> Exhausted:
        trees: dict[frozenset[int], int] = {frozenset(): _END}
        start = self._game.new_initial_state()
        here = self._id(start)
        node, waiting = self._arrive(here, start)
        stack, open_positions = [(here, node, waiting)], {here.position}
        while stack:
            here, node, waiting = stack[-1]
            if waiting:
                child, below = waiting.pop()
                if below.position in open_positions:
                    raise _Undecided(
                        f"play can come back to {shortened(repr(str(child)))}, as far as {self._key.description} tells"
                    )
                known = below in self._nodes
                found, below_waiting = self._arrive(below, child)
                if not known:
                    stack.append((below, found, below_waiting))
                    open_positions.add(below.position)
                continue
            stack.pop()
            open_positions.discard(here.position)
            numbers = frozenset(self._tree(option) for option in node.options)
            node.tree = trees.setdefault(numbers, len(trees))
        return self._compared()

    def _id(self, state: Any) -> _Id:
        return _Id(self._key.key(state), state.current_player())

    def _tree(self, option: _Id | None) -> int:
        tree = _END if option is None else self._nodes[option].tree
        assert tree is not None
        return tree

    def _arrive(self, here: _Id, state: Any) -> tuple[_Node, list[tuple[Any, _Id]]]:
        """Look at a state's children; return its node and the children in which the game goes on."""
        self._budget.spend()
        self._budget.check_clock()
        actions = legal_actions(state)
        node = self._nodes.get(here)
        if node is not None and node.compared and list(node.moves) == actions:
            return node, []
        children: list[tuple[Any, _Id]] = []
        moves: dict[int, _Id | None] = {}
        ends: set[Hashable] = set()
        for action in actions:
            child = state.child(action)
            ended = child.is_terminal()
            found = self._results.against(child, here.player) if ended else against_turns(child, here.player)
            if found is not None:
                raise _Refuted(found)
            if ended:
                moves[action] = None
                ends.add(self._key.end_key(child))
            else:
                below = self._id(child)
                moves[action] = below
                children.append((child, below))
        if node is None:
            node = self._nodes[here] = _Node(state, moves, ends)
            self._ends |= ends
            return node, children
        node.compared = True
        if node.options != set(moves.values()):
            raise _Undecided(
                f"{self._key.description} does not show the whole position: {shortened(repr(str(state)))} has other "
                "options after other moves; give position=, a function from a state to all that affects later moves"
            )
        node.actions.update(actions)
        return node, []

    def _compared(self) -> Exhausted:
        positions: dict[Hashable, list[_Node]] = {}
        for here, node in self._nodes.items():
            positions.setdefault(here.position, []).append(node)
        shared = [nodes for nodes in positions.values() if len(nodes) == 2]
        for first, second in shared:
            if first.tree != second.tree:
                self._refute(first.state, second.state)
            if not first.looks_like(second):
                raise _Undecided(
                    f"{shortened(repr(str(first.state)))} has other options for the other player as far as "
                    f"{self._key.description} tells, though equivalent ones; give position=, a function from a state "
                    "to all that affects later moves and nothing else"
                )
        looked = f"all {len(self._nodes):,} states were looked at"
        both = f"of {len(positions):,} positions both players can meet {len(shared):,}"
        if not shared:
            raise _Undecided(f"{looked}, but no position can come to both players, so that there is nothing to compare")
        if not (self._ends - {None}).isdisjoint(positions):
            raise _Undecided(f"{looked}, and a position seems to end the game for one player but not for the other")
        actions = set().union(*(node.actions for node in self._nodes.values()))
        common = set().union(*(node.actions for nodes in shared for node in nodes))
        if common != actions:
            state = next(node.state for node in self._nodes.values() if not node.actions <= common)
            action = min(set(state.legal_actions()) - common)
            raise _Undecided(
                f"{looked}, and {both}, with the same options for both; but the action "
                f"{state.action_to_string(state.current_player(), action)!r} is legal only in others, where it cannot "
                "be compared: try a larger start"
            )
        return Exhausted(play=self._results.play, why=f"{looked}: {both}, with the same options for both")

    def _refute(self, first: Any, second: Any) -> None:
        if is_written_in_python(self._game) and not _differ_in_player_only(first, second):
            raise _Undecided(
                f"{shortened(repr(str(first)))} has other options for the other player, but the two states differ in "
                f"more than {self._key.description} shows"
            )
        plays = (Play.of(first), Play.of(second))
        raise _Refuted(Against("a position has other options when the other player is to move", plays))


def _position(option: _Id | None) -> Hashable:
    return None if option is None else option.position


def _positions(options: set[_Id | None]) -> set[Hashable]:
    return {_position(option) for option in options}


def _differ_in_player_only(first: Any, second: Any) -> bool:
    """Tell whether two Python states' attributes are equal, save for those that hold who is to move."""
    one, other = vars(first), vars(second)
    players = (first.current_player(), second.current_player())
    return one.keys() == other.keys() and all(
        _equal(one[name], other[name]) or (_equal(one[name], players[0]) and _equal(other[name], players[1]))
        for name in one
    )


def _equal(first: Any, second: Any) -> bool:
    try:
        same = first == second
        return bool(same.all()) if hasattr(same, "all") else bool(same)
    except (TypeError, ValueError):
        return False
