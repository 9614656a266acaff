"""Walking through every position that play can reach."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from sgai.errors import LoopError, SgaiError
from sgai.ruleset import Ruleset

PATHS_CAP = 10**30  # counts of paths stop here: exact ones would have as many digits as there are states


@dataclass(frozen=True)
class ReachableGraph:
    """All positions reachable from the start of a ruleset.

    Attributes
    ----------
    indices : dict
        Position to its number; options come before the positions that have them.
    moves : list
        Every move that occurs, in a stable order: sorted, or by text where moves cannot be compared.
    move_indices : dict
        Move to its place in ``moves``.
    edges : int
        Number of moves, counted at every position.
    paths : int
        Number of paths from the start: the positions that a walk which never recognises one would visit;
        no more than `PATHS_CAP`.
    longest_play : int
        Moves of the longest play.
    """

    indices: dict[Hashable, int]
    moves: list[Any]
    move_indices: dict[Any, int]
    edges: int
    paths: int
    longest_play: int


def explore(ruleset: Ruleset[Any, Any], limit: int) -> ReachableGraph:
    """Visit every reachable position once, depth first with an explicit stack.

    Parameters
    ----------
    ruleset : Ruleset
        Whose positions, from ``ruleset.initial()`` on.
    limit : int
        The most positions to visit.

    Raises
    ------
    SgaiError
        If there are more positions than that.
    LoopError
        If play can come back to a position.

    Notes
    -----
    Time and memory are linear in positions and moves.

    Examples
    --------
    >>> import sgai
    >>> graph = explore(sgai.load_ruleset("nim(piles=[1;2])"), limit=100)
    >>> len(graph.indices), graph.edges, graph.paths, graph.longest_play
    (5, 7, 10, 3)
    """
    start = ruleset.initial()
    indices: dict[Hashable, int] = {}
    longest: dict[Hashable, int] = {}
    paths: dict[Hashable, int] = {}
    moves: set[Any] = set()
    edges = 0
    stack: list[tuple[Any, list[Any], list[Any]]] = []
    on_stack: set[Any] = set()

    def enter(position: Any) -> None:
        nonlocal edges
        if len(indices) + len(stack) >= limit:
            raise SgaiError(
                f"{ruleset} has more than {limit:,} reachable positions: give the ruleset its own move_index, "
                "move_from_index, num_moves, max_game_length, tensor_shape and encode, or choose smaller parameters"
            )
        options = []
        for move, option in ruleset.moves(position):
            moves.add(move)
            options.append(option)
        edges += len(options)
        stack.append((position, options, list(options)))
        on_stack.add(position)

    enter(start)
    while stack:
        position, options, waiting = stack[-1]
        if waiting:
            option = waiting.pop()
            if option in on_stack:
                path = [entry[0] for entry in stack]
                raise LoopError([ruleset.format(each) for each in path[path.index(option) :]])
            if option not in indices:
                enter(option)
            continue
        stack.pop()
        on_stack.discard(position)
        indices[position] = len(indices)
        longest[position] = 1 + max(longest[option] for option in options) if options else 0
        paths[position] = min(PATHS_CAP, 1 + sum(paths[option] for option in options))
    ordered = _stable_order(moves)
    return ReachableGraph(
        indices, ordered, {move: i for i, move in enumerate(ordered)}, edges, paths[start], longest[start]
    )


def _stable_order(moves: set[Any]) -> list[Any]:
    try:
        return sorted(moves)
    except TypeError:
        return sorted(moves, key=lambda move: (type(move).__name__, repr(move)))
