"""A position as OpenSpiel's states hold it: with its legal actions, worked out once."""

from typing import Any

from sgai.errors import IllegalMoveError, SgaiError, quote
from sgai.ruleset import Ruleset


class Node:
    """A position and, once asked for, its moves by action. It never changes, so states share it when they are copied.

    Parameters
    ----------
    ruleset : Ruleset
        The rules.
    position : hashable
        The position.
    """

    __slots__ = ("_moves", "actions", "over", "position", "ruleset")

    def __init__(self, ruleset: Ruleset[Any, Any], position: Any) -> None:
        self.ruleset = ruleset
        self.position = position
        index = ruleset.move_index
        moves = list(ruleset.moves(position))
        self._moves = {index(move): (move, option) for move, option in moves}
        if len(self._moves) < len(moves):
            raise SgaiError(f"{ruleset}: two moves of {quote(ruleset.format(position))} are equal; moves must differ")
        self.actions = sorted(self._moves)
        self.over = not self.actions

    def option(self, action: int) -> Any:
        """Return the position after an action; raise `IllegalMoveError` if it is not legal here."""
        try:
            return self._moves[action][1]
        except KeyError:
            pass
        legal = ", ".join(f"{each} ({self.text(each)})" for each in self.actions[:5])
        more = ", ..." if len(self.actions) > 5 else ""
        raise IllegalMoveError(
            f"action {action} is not legal in {quote(self.ruleset.format(self.position))} of {self.ruleset}; legal "
            f"actions: {legal + more or 'none, the game is over'}"
        )

    def text(self, action: int) -> str:
        """Return the text of an action, legal or not."""
        entry = self._moves.get(action)
        move = entry[0] if entry else self.ruleset.move_from_index(action)
        return self.ruleset.format_move(self.position, move)

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
            found = Node(self.ruleset, position)
            self._moves += 1 + len(found.actions)
            if self._moves > self._most_moves:
                self._nodes.clear()
                self._moves = 0
            self._nodes[position] = found
        return found
