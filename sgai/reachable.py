"""Walking through every position that play can reach."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from sgai.errors import LoopError, SgaiError, quote
from sgai.ruleset import Ruleset

PATHS_CAP = 10**30  # counts of paths stop here: exact ones would have as many digits as there are states


@dataclass(frozen=True)
class ReachableGraph:
    """All positions reachable from the start of a ruleset.

    Attributes
    ----------
    indices : dict
        Position to its number, in a stable order.
    moves : list
        Every move that occurs, in a stable order.
    move_indices : dict
        Move to its place in ``moves``.
    edges : int
        Number of moves, counted at every position.
    paths : int
        Number of paths from the start: the positions that a walk which never recognises one would visit;
        no more than `PATHS_CAP`, and -1 for a ruleset that is declared loopy.
    longest_play : int
        Moves of the longest play; -1 for a ruleset that is declared loopy.
    longest_plays : dict
        Position to the moves of the longest play from there; empty for a ruleset that is declared loopy.
    """

    indices: dict[Hashable, int]
    moves: list[Any]
    move_indices: dict[Any, int]
    edges: int
    paths: int
    longest_play: int
    longest_plays: dict[Hashable, int]


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
        If play can come back to a position of a ruleset that is not declared loopy.

    Notes
    -----
    Time and memory are linear in positions and moves.

    Examples
    --------
    >>> import sgai
    >>> graph = explore(sgai.load_ruleset("nim(piles=[1;2])"), limit=100)
    >>> len(graph.indices), graph.edges, graph.paths, graph.longest_play
    (5, 7, 10, 3)
    >>> graph.longest_plays[(2,)]
    2
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
            try:
                moves.add(move)
            except TypeError:
                raise SgaiError(f"move {quote(str(move))} of {ruleset} cannot be hashed; moves are immutable") from None
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
                if ruleset.loopy:
                    continue
                path = [entry[0] for entry in stack]
                raise LoopError([ruleset.format(each) for each in path[path.index(option) :]])
            if option not in indices:
                enter(option)
            continue
        stack.pop()
        on_stack.discard(position)
        indices[position] = len(indices)
        if ruleset.loopy:
            continue
        longest[position] = 1 + max(longest[option] for option in options) if options else 0
        paths[position] = min(PATHS_CAP, 1 + sum(paths[option] for option in options))
    ordered = sorted(moves, key=sort_key)
    numbers = {position: number for number, position in enumerate(sorted(indices, key=sort_key))}
    return ReachableGraph(
        numbers,
        ordered,
        {move: i for i, move in enumerate(ordered)},
        edges,
        paths.get(start, -1),
        longest.get(start, -1),
        longest,
    )


def sort_key(value: Any) -> tuple[Any, ...]:
    """Return a key that sorts values of any kind, sets among them, in the same way in every process.

    Examples
    --------
    >>> sorted([frozenset("z"), (1, "x"), "b", frozenset("a"), 2], key=sort_key)
    [2, 'b', (1, 'x'), frozenset({'a'}), frozenset({'z'})]
    """
    if isinstance(value, int | float):
        return (0, value)
    if isinstance(value, str):
        return (1, value)
    if isinstance(value, tuple | list):
        return (2, tuple(map(sort_key, value)))
    if isinstance(value, frozenset | set):
        return (3, tuple(sorted(map(sort_key, value))))
    return (4, type(value).__name__, repr(value))
