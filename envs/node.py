"""A position as OpenSpiel's states hold it: with its legal actions, worked out once."""

import bisect
from typing import Any

from sgai.errors import IllegalMoveError, SgaiError, quote
from sgai.ruleset import Ruleset


class Node:
    """A position and its legal actions. It never changes, so states share it when they are copied.

    Parameters
    ----------
    ruleset : Ruleset
        The rules.
    position : hashable
        The position.
    cache : NodeCache, optional
        Where the nodes of options are kept; by default a new one.
    """

    __slots__ = ("_cache", "_options", "actions", "over", "position", "ruleset")

    def __init__(self, ruleset: Ruleset[Any, Any], position: Any, cache: "NodeCache | None" = None) -> None:
        self.ruleset = ruleset
        self.position = position
        self.actions = ruleset.legal_indices(position)
        if len(set(self.actions)) < len(self.actions):
            raise SgaiError(f"{ruleset}: two moves of {quote(ruleset.format(position))} are equal; moves must differ")
        self.over = not self.actions
        self._cache = NodeCache(ruleset) if cache is None else cache
        self._options: dict[int, Any] = {}

    def after(self, action: int) -> "Node":
        """Return the node after an action; raise `IllegalMoveError` if it is not legal here."""
        option = self._options.get(action, self)  # no position is a node
        if option is self:
            option = self._options[action] = self._option(action)
        return self._cache.node(option)

    def _option(self, action: int) -> Any:
        place = bisect.bisect_left(self.actions, action)
        if place < len(self.actions) and self.actions[place] == action:
            return self.ruleset.apply(self.position, self.ruleset.move_from_index(action))
        legal = ", ".join(f"{each} ({self.text(each)})" for each in self.actions[:5])
        more = ", ..." if len(self.actions) > 5 else ""
        raise IllegalMoveError(
            f"action {action} is not legal in {quote(self.ruleset.format(self.position))} of {self.ruleset}; legal "
            f"actions: {legal + more or 'none, the game is over'}"
        )

    def text(self, action: int) -> str:
        """Return the text of an action, legal or not."""
        return self.ruleset.format_move(self.position, self.ruleset.move_from_index(action))

    def __reduce__(self) -> tuple[type["Node"], tuple[Ruleset[Any, Any], Any]]:
        return Node, (self.ruleset, self.position)

    def __copy__(self) -> "Node":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Node":
        return self


class NodeCache:
    """The nodes of one game, by position; it starts afresh when it grows large."""

    _most_moves = 200_000

    def __init__(self, ruleset: Ruleset[Any, Any]) -> None:
        self.ruleset = ruleset
        self._nodes: dict[Any, Node] = {}
        self._moves = 0

    def node(self, position: Any) -> Node:
        """Return the node of a position."""
        found = self._nodes.get(position)
        if found is None:
            found = Node(self.ruleset, position, self)
            self._moves += 1 + len(found.actions)
            if self._moves > self._most_moves:
                self._nodes.clear()
                self._moves = 0
            self._nodes[position] = found
        return found
