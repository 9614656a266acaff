"""Green Hackenbush: cut an edge of a graph that stands on the ground; what hangs on nothing any more falls off."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sgai.errors import IllegalMoveError, SgaiError, nearest, quote
from sgai.parameters import Kind, check_integer, parameter
from sgai.registry import register
from sgai.ruleset import Component, Ruleset
from sgai.rulesets.graph import Edge, Vertex, check_vertex, format_edges, natural_order
from sgai.rulesets.named_cells import VERTICES
from sgai.rulesets.removal import cells_of
from sgai.syntax import split, unbracket

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_GROUND = 0  # the number of the ground among the vertices
_MOST_EDGES = 100_000


def parse_multigraph(text: str) -> tuple[Edge, ...]:
    """Read edges such as ``[0-1;1-2;1-2;2-2]``; an edge may come several times and may be a loop.

    Examples
    --------
    >>> parse_multigraph("[1-0;2-1;1-2]")
    ((0, 1), (1, 2), (1, 2))
    """
    return _check_multigraph([part.split("-") for part in split(unbracket(text))])


def _check_multigraph(value: Any) -> tuple[Edge, ...]:
    try:
        given = [tuple(map(check_vertex, edge)) for edge in value]
    except TypeError:
        raise SgaiError(f"{quote(value)} is not a list of edges") from None
    for edge in given:
        if len(edge) != 2:
            raise SgaiError(f"{quote('-'.join(map(str, edge)))} is not an edge; write two vertices as 0-1")
    edges = [tuple(sorted(edge, key=natural_order)) for edge in given]
    return tuple(sorted(edges, key=lambda edge: [natural_order(end) for end in edge]))


MULTIGRAPH = Kind(
    "a list of edges such as [0-1;1-2;1-2;2-2]",
    parse_multigraph,
    format_edges,
    _check_multigraph,
)


@register
class GreenHackenbush(Ruleset[int, int]):
    """Cut an edge; it falls off with all that is then no longer connected to the ground.

    The graph may have loops and several edges between two vertices; these are alike, so only their number counts, and
    cutting any of them is one move. A position is the set of live edges as a mask in the order of ``edges``: of equal
    edges the first ones are live, and every live edge is connected to the ground.

    The value follows from two theorems (J. H. Conway, *On Numbers and Games*, chapter 13; *Winning Ways*, chapter 7).
    Fusion principle: all vertices of a cycle may be made one, whereby its edges become loops, each worth a stalk of one
    edge. Colon principle: of what stands on a vertex only the Grundy value matters; a bridge below a part of value g is
    a stalk of g + 1.

    Examples
    --------
    >>> game = GreenHackenbush(edges=[(0, 1), (1, 2), (1, 3)])
    >>> [f"{game.format_move(7, move)}: {game.format(option)}" for move, option in game.moves(game.initial())]
    ['0-1: {}', '1-2: {0-1;1-3}', '1-3: {0-1;1-2}']
    >>> game.proved_grundy(game.initial())
    1
    """

    name = "green_hackenbush"

    edges: tuple[Edge, ...] = parameter(
        default=((0, 1), (0, 4), (1, 2), (1, 3), (2, 3), (4, 5), (4, 6)),
        kind=MULTIGRAPH,
        doc="edges such as [0-1;1-2;1-2;2-2]; loops and equal edges are allowed",
    )
    ground: tuple[Vertex, ...] = parameter(default=(0,), kind=VERTICES, doc="the vertices that are on the ground")

    def __post_init__(self) -> None:
        """Reject graphs without a ground, and edges that are not connected to it."""
        if len(self.edges) > _MOST_EDGES:
            raise SgaiError(f"{len(self.edges):,} edges; a graph has at most {_MOST_EDGES:,}")
        known = {vertex for edge in self.edges for vertex in edge}
        if not self.ground:
            raise SgaiError("ground=[]: one vertex or more is on the ground")
        for vertex in self.ground if known else ():
            if vertex not in known:
                near = nearest(str(vertex), map(str, known))
                raise SgaiError(f"ground={VERTICES.format(self.ground)}: no edge has the vertex {str(vertex)!r}{near}")
        object.__setattr__(self, "ground", tuple(sorted(set(self.ground), key=natural_order)))
        loose = self._all() & ~self._connected(self._all())
        if loose:
            raise SgaiError(f"edges={quote(format_edges(self.edges))}: {self._not_connected(loose)}")

    # Structure of the graph: ends of the edges as numbers, all of the ground being number 0

    def ends(self) -> list[tuple[int, int]]:
        """Return the ends of every edge as numbers of vertices; every vertex on the ground is number 0."""
        kept: list[tuple[int, int]] | None = self.__dict__.get("_ends")
        if kept is None:
            numbers: dict[Vertex, int] = dict.fromkeys(self.ground, _GROUND)
            for vertex in (end for edge in self.edges for end in edge):
                numbers.setdefault(vertex, len(numbers) - len(self.ground) + 1)
            kept = self.__dict__["_ends"] = [(numbers[a], numbers[b]) for a, b in self.edges]
        return kept

    def classes(self) -> list[int]:
        """Return for every kind of edge, in the order of `edges`, the mask of the edges that are equal to it."""
        kept: list[int] | None = self.__dict__.get("_classes")
        if kept is None:
            masks: dict[Edge, int] = {}
            for number, edge in enumerate(self.edges):
                masks[edge] = masks.get(edge, 0) | 1 << number
            kept = self.__dict__["_classes"] = list(masks.values())
        return kept

    # The rules

    def initial(self) -> int:
        """Return all edges."""
        return self._all()

    def moves(self, position: int) -> Iterator[tuple[int, int]]:
        """Yield a move for every kind of edge that is live; a move is the number of the kind."""
        for kind, alike in enumerate(self.classes()):
            live = position & alike
            if live:
                yield kind, self._connected(position ^ 1 << (live.bit_length() - 1))

    def apply(self, position: int, move: int) -> int:
        """Return the option that a cut leads to, or raise `IllegalMoveError`."""
        if not self._trusts("apply"):  # a subclass has other moves
            return super().apply(position, move)
        known = isinstance(move, int) and not isinstance(move, bool) and 0 <= move < len(self.classes())
        live = position & self.classes()[move] if known else 0
        if not live:
            raise self.illegal_move(position, move)
        return self._connected(position ^ 1 << (live.bit_length() - 1))

    def closed_grundy(self, position: int) -> int:
        """Return the value by the fusion and the colon principle, in time linear in the number of edges.

        A depth-first search from the ground finds the bridges (R. E. Tarjan, 1974). What hangs on a bridge adds its
        value + 1 to the vertex below; an edge on a cycle adds 1 to the vertex that its cycle is fused to.
        """
        near = self._neighbours(position)
        number = {_GROUND: 0}  # vertices in the order of their discovery
        lowest = {_GROUND: 0}  # the first vertex that edges outside of the search tree reach from here or above
        value = dict.fromkeys([_GROUND], 0)
        used = 0  # edges that the search has gone along
        path: list[tuple[int, Iterator[tuple[int, int]]]] = [(_GROUND, iter(near.get(_GROUND, ())))]
        while path:
            vertex, edges = path[-1]
            for edge, other in edges:
                if used >> edge & 1:
                    continue
                used |= 1 << edge
                if other not in number:
                    number[other] = lowest[other] = len(number)
                    value[other] = 0
                    path.append((other, iter(near[other])))
                    break
                value[vertex] ^= 1
                lowest[vertex] = min(lowest[vertex], number[other])
            else:
                path.pop()
                if path:
                    below = path[-1][0]
                    lowest[below] = min(lowest[below], lowest[vertex])
                    is_bridge = lowest[vertex] > number[below]
                    value[below] ^= value[vertex] + 1 if is_bridge else value[vertex] ^ 1
        return value[_GROUND]

    def components(self, position: int) -> tuple[Component, ...]:
        """Return the parts that are joined only at the ground: what is cut in one never falls off in another."""
        rules = self.rules()
        return tuple(Component(rules, part, True) for part in self._parts(position))

    def lift_move(self, position: int, index: int, move: int) -> int:  # noqa: ARG002
        """Return the move itself: it names its kind of edge."""
        return move

    def validate(self, position: Any) -> int:
        """Reject what is no mask of edges, or has edges that are not connected to the ground."""
        try:
            mask = check_integer(position)
        except SgaiError:
            mask = -1
        if not 0 <= mask <= self._all():
            raise SgaiError(f"{quote(position)} is not a position of {self}: bit i is 1 where edge number i is live")
        loose = mask & ~self._connected(mask)
        if loose:
            raise SgaiError(self._not_connected(loose))
        return self._first_of_equals(mask)

    # Text

    def format(self, position: int) -> str:
        """Write the live edges, ``{0-1;1-2;1-2}``."""
        return "{" + ";".join(map(self._name, cells_of(position))) + "}"

    def parse(self, text: str) -> int:
        """Read the live edges, ``{0-1;1-2;1-2}``."""
        inside = text.strip()
        if not (inside.startswith("{") and inside.endswith("}")):
            raise SgaiError(
                f"{quote(text)} is not a position of {self}; write the live edges in braces, as "
                f"{quote(self.format(self.initial()))}"
            )
        try:
            wanted = Counter(parse_multigraph(inside[1:-1]))
            known = dict(zip(dict.fromkeys(self.edges), self.classes(), strict=True))
            mask = 0
            for edge, count in wanted.items():
                name = format_edges((edge,))[1:-1]
                if edge not in known:
                    names = [self._name(number) for number in range(len(self.edges))]
                    raise SgaiError(f"there is no edge {name}{nearest(name, names)}")
                alike = list(cells_of(known[edge]))
                if count > len(alike):
                    raise SgaiError(f"the edge {name} comes {count} times, and the graph has it {len(alike)} times")
                for number in alike[:count]:
                    mask |= 1 << number
            return self.validate(mask)
        except SgaiError as error:
            raise SgaiError(f"{quote(text)}: {error}") from None

    def format_move(self, position: int, move: int) -> str:  # noqa: ARG002
        """Write the edge that is cut."""
        return self._name(next(cells_of(self.classes()[move])))

    # What OpenSpiel and learners need

    def num_moves(self) -> int:
        """Return the number of different edges."""
        return len(self.classes())

    def move_index(self, move: int) -> int:
        """Return the move itself: moves are numbers of kinds of edges."""
        if isinstance(move, bool) or not isinstance(move, int) or not 0 <= move < len(self.classes()):
            raise IllegalMoveError(f"{quote(str(move))} is no move of {self}")
        return move

    def move_from_index(self, index: int) -> int:
        """Return the index itself."""
        if not 0 <= index < self.num_moves():
            raise self.no_such_index(index)
        return index

    def legal_indices(self, position: int) -> list[int]:
        """Return the numbers of the kinds of edges that are live."""
        if not self._trusts("legal_indices"):  # a subclass has other moves
            return super().legal_indices(position)
        return [kind for kind, alike in enumerate(self.classes()) if position & alike]

    def max_game_length(self) -> int:
        """Return the number of edges: every move removes one at least."""
        return len(self.edges)

    def tensor_shape(self) -> tuple[int, ...]:
        """Return the number of different edges, at least 1."""
        return (max(1, len(self.classes())),)

    def encode(self, position: int) -> "npt.NDArray[np.float32]":
        """Return how many live edges there are of each kind."""
        import numpy as np  # rules load without it

        tensor = np.zeros(self.tensor_shape(), dtype=np.float32)
        for kind, alike in enumerate(self.classes()):
            tensor[kind] = (position & alike).bit_count()
        return tensor

    def _all(self) -> int:
        return (1 << len(self.edges)) - 1

    def _name(self, number: int) -> str:
        return format_edges((self.edges[number],))[1:-1]

    def _not_connected(self, loose: int) -> str:
        edge = self._name(next(cells_of(loose)))
        return f"the edge {edge} is not connected to the ground, {VERTICES.format(self.ground)}"

    def _first_of_equals(self, mask: int) -> int:
        for alike in self.classes():
            live = mask & alike
            if alike & (alike - 1) and live:
                kept = 0
                for number, _ in zip(cells_of(alike), range(live.bit_count()), strict=False):
                    kept |= 1 << number
                mask ^= live ^ kept
        return mask

    def _neighbours(self, mask: int) -> dict[int, list[tuple[int, int]]]:
        """Return for every vertex the live edges that it has, each with the vertex at the other end."""
        ends = self.ends()
        near: dict[int, list[tuple[int, int]]] = {}
        for edge in cells_of(mask):
            a, b = ends[edge]
            near.setdefault(a, []).append((edge, b))
            if a != b:
                near.setdefault(b, []).append((edge, a))
        return near

    def _connected(self, mask: int) -> int:
        """Return the edges of the mask that are connected to the ground."""
        near = self._neighbours(mask)
        found, waiting, kept = {_GROUND}, [_GROUND], 0
        while waiting:
            for edge, other in near.get(waiting.pop(), ()):
                kept |= 1 << edge
                if other not in found:
                    found.add(other)
                    waiting.append(other)
        return kept

    def _parts(self, position: int) -> Iterator[int]:
        near = self._neighbours(position)
        found: set[int] = set()
        for edge, first in near.get(_GROUND, ()):
            if first == _GROUND:  # a loop on the ground, or an edge between two vertices of it: a part of its own
                alike = next(alike for alike in self.classes() if alike >> edge & 1)
                yield alike & -alike
            elif first not in found:
                found.add(first)
                waiting, part = [first], 0
                while waiting:
                    for each, other in near[waiting.pop()]:
                        part |= 1 << each
                        if other != _GROUND and other not in found:
                            found.add(other)
                            waiting.append(other)
                yield part
