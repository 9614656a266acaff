"""Removal games on a graph: Node Kayles, Arc Kayles, and Kayles itself on any graph."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sgai.errors import SgaiError, nearest, quote
from sgai.parameters import Kind, parameter
from sgai.registry import register
from sgai.ruleset import MoveT, PositionT, Ruleset
from sgai.rulesets.automorphisms import automorphisms
from sgai.rulesets.graph import Vertex, check_vertex, format_edges, natural_order
from sgai.rulesets.named_cells import NamedCells
from sgai.rulesets.removal import MOST_CELLS, MOST_MOVES, Permutation, RemovalTable, cells_of
from sgai.syntax import split, unbracket

Edge = tuple[Vertex, ...]  # its two ends, or (vertex,) for a vertex without edges

GRAPHS = {
    "path": ("vertices",),
    "cycle": ("vertices",),
    "complete": ("vertices",),
    "grid": ("rows", "columns"),
}  # the graphs with a name, and the parameters that say their size


def parse_undirected_edges(text: str) -> tuple[Edge, ...]:
    """Read edges such as ``[0-1;1-2;5]``; a vertex alone is allowed.

    Examples
    --------
    >>> parse_undirected_edges("[1-0;0-1;5]")
    ((0, 1), (5,))
    """
    return _check_edges([part.split("-") for part in split(unbracket(text))])


def _check_edges(value: Any) -> tuple[Edge, ...]:
    try:
        given = [tuple(map(check_vertex, edge)) for edge in value]
    except TypeError:
        raise SgaiError(f"{quote(value)} is not a list of edges") from None
    edges: set[Edge] = set()
    for edge in given:
        shown = "-".join(map(str, edge))
        if not 1 <= len(edge) <= 2:
            raise SgaiError(f"{quote(shown)} is not an edge; write two vertices as 0-1, or a vertex alone")
        if len(edge) == 2 and edge[0] == edge[1]:
            raise SgaiError(f"{quote(shown)} joins a vertex to itself; for a vertex alone write {edge[0]}")
        edges.add(tuple(sorted(edge, key=natural_order)))
    joined = {vertex for edge in edges if len(edge) == 2 for vertex in edge}
    kept = [edge for edge in edges if len(edge) == 2 or edge[0] not in joined]
    return tuple(sorted(kept, key=lambda edge: [natural_order(each) for each in edge]))


def _check_graph(value: Any) -> str:
    word = value.strip().lower() if isinstance(value, str) else value
    if word not in GRAPHS:
        raise SgaiError(
            f"there is no graph {quote(value)}{nearest(str(value), GRAPHS)}; graphs are: {', '.join(GRAPHS)}"
        )
    return str(word)


def read_networkx(graph: Any) -> tuple[tuple[Edge, ...], dict[Any, Vertex]]:
    """Return the edges and vertices alone of an undirected graph of networkx, and the vertex that each node becomes."""
    for question, said in (("is_directed", "directed"), ("is_multigraph", "a multigraph")):
        if hasattr(graph, question) and getattr(graph, question)():
            raise SgaiError(f"{quote(graph)} is {said}; these games are played on undirected simple graphs")
    try:
        nodes, edges = list(graph.nodes), [tuple(edge) for edge in graph.edges]
    except (AttributeError, TypeError):
        raise SgaiError(f"{quote(graph)} is no graph: it should have nodes and edges as networkx.Graph has") from None
    if not nodes:
        raise SgaiError(f"{quote(graph)} has no nodes; a game needs one at least")
    names: dict[Any, Vertex] = {}
    for node in nodes:
        names[node] = vertex_of(node)
    if len(set(names.values())) < len(nodes):
        twice = next(name for name in names.values() if list(names.values()).count(name) > 1)
        raise SgaiError(f"two nodes would both be the vertex {quote(str(twice))}; rename one")
    listed = [*((names[node],) for node in nodes), *((names[a], names[b]) for a, b in edges)]
    return tuple(listed), names


EDGES = Kind(
    "a list of edges such as [0-1;1-2;5]",
    parse_undirected_edges,
    format_edges,
    _check_edges,
)
GRAPH = Kind("the name of a graph such as path", lambda text: _check_graph(unbracket(text)), str, _check_graph)


class UndirectedGraph(NamedTuple):
    """Vertices in the order of the cells of a table, edges as pairs of cells, and what is known of its symmetry."""

    vertices: tuple[Vertex, ...]
    edges: tuple[tuple[int, int], ...]
    shape: tuple[int, int] | None
    symmetries: tuple[Permutation, ...]

    def neighbours(self) -> list[int]:
        """Return the mask of the neighbours of every cell."""
        near = [0] * len(self.vertices)
        for a, b in self.edges:
            near[a] |= 1 << b
            near[b] |= 1 << a
        return near


class OnGraph(Ruleset[PositionT, MoveT]):
    """A game on an undirected simple graph, which is given by its edges or by its name and size."""

    edges: tuple[Edge, ...] = parameter(
        default=(), kind=EDGES, doc="undirected edges such as [0-1;1-2]; a vertex alone; instead of a named graph"
    )
    graph: str = parameter(default="path", kind=GRAPH, doc="a named graph: path, cycle, complete or grid")
    vertices: int = parameter(default=8, doc="vertices of a path, a cycle or a complete graph")
    rows: int = parameter(default=3, doc="rows of a grid")
    columns: int = parameter(default=3, doc="columns of a grid")

    def check_size(self) -> None:
        """Reject sizes that the graph does not have, and graphs that are too large."""
        defaults = {name: each.default for name, each in self.parameters().items()}
        wanted = () if self.edges else GRAPHS[self.graph]
        meant = "edges" if self.edges else f"graph={self.graph}"
        for name in ("graph", "vertices", "rows", "columns"):
            value = getattr(self, name)
            if value != defaults[name] and name not in wanted and (name != "graph" or self.edges):
                sizes = f"; its size is said by {' and '.join(wanted)}" if wanted else ""
                raise SgaiError(f"{name}={value} does not go with {meant}{sizes}")
        count = 1
        for name in wanted:
            if getattr(self, name) < 1:
                raise SgaiError(f"{name}={getattr(self, name)}: a graph has one or more")
            count *= getattr(self, name)
        if count > MOST_CELLS:
            raise SgaiError(f"{meant} has {count:,} vertices; a game on a graph has at most {MOST_CELLS:,}")
        if not self.edges and self.graph == "complete" and count * (count - 1) // 2 > MOST_MOVES:
            raise SgaiError(
                f"vertices={count}: a complete graph of so many has {count * (count - 1) // 2:,} edges; a game on a "
                f"graph has at most {MOST_MOVES:,}"
            )
        if self.graph == "cycle" and not self.edges and self.vertices < 3:
            raise SgaiError(f"vertices={self.vertices}: a cycle has three or more")

    def written(self) -> dict[str, Any]:
        """Return the parameters that text shows: of the sizes only those of the graph."""
        wanted = ("edges",) if self.edges else ("graph", *GRAPHS[self.graph])
        other = {"edges", "graph", "vertices", "rows", "columns"}.difference(wanted)
        return {name: value for name, value in super().written().items() if name not in other}

    def undirected(self) -> UndirectedGraph:
        """Return the graph."""
        kept: UndirectedGraph | None = self.__dict__.get("_graph")
        if kept is None:
            kept = self.__dict__["_graph"] = _listed_graph(self.edges) if self.edges else self._named_graph()
        return kept

    def _named_graph(self) -> UndirectedGraph:
        count, shape = self.vertices, None
        if self.graph == "grid":
            shape = (self.rows, self.columns)
            count = self.rows * self.columns
            edges = [(a, a + 1) for a in range(count) if (a + 1) % self.columns]
            edges += [(a, a + self.columns) for a in range(count - self.columns)]
        elif self.graph == "complete":
            edges = [(a, b) for b in range(count) for a in range(b)]
        else:
            edges = [(a, a + 1) for a in range(count - 1)]
            shape = (1, count)
        symmetries: list[Permutation] = []
        if self.graph == "cycle":
            edges.append((0, count - 1))
            shape = None
            # All turns of a long cycle would be a large table for little gain; one reflection is a group too.
            turns = range(count) if count <= _LONGEST_TURNED_CYCLE else (0,)
            for turn in turns:
                symmetries.append(tuple((turn + a) % count for a in range(count)))
                symmetries.append(tuple((turn - a) % count for a in range(count)))
        return UndirectedGraph(tuple(range(count)), tuple(sorted(edges)), shape, tuple(symmetries))


class GraphRemoval(OnGraph[int, int], NamedCells):
    """A removal game on the vertices of a graph."""

    def __post_init__(self) -> None:
        """Reject sizes that the graph does not have, and unknown vertices."""
        self.check_size()
        super().__post_init__()

    @classmethod
    def from_networkx(cls, graph: Any, live: Iterable[Any] = ()) -> "GraphRemoval":
        """Make a game from an undirected graph of networkx, or anything that has its ``nodes`` and ``edges``.

        Parameters
        ----------
        graph : networkx.Graph
            Nodes are integers, names, or tuples of them: (0, 1) of ``grid_2d_graph`` becomes the vertex ``0.1``.
        live : iterable of nodes
            The nodes that are live at the start; by default all.
        """
        listed, names = read_networkx(graph)
        chosen = tuple(names[node] if node in names else vertex_of(node) for node in live)
        return cls(edges=listed, live=chosen)

    def cell_names(self) -> tuple[Vertex, ...]:
        """Return the vertices."""
        return self.undirected().vertices

    def canonical(self, position: int) -> int:
        """Return what removal games do; of a complete graph only the number of vertices matters."""
        if self.graph == "complete" and not self.edges:
            return (1 << self.table.needed(position).bit_count()) - 1
        return super().canonical(position)

    @abstractmethod
    def graph_moves(self, graph: UndirectedGraph) -> Iterator[tuple[list[int], list[int], str]]:
        """Yield the cells that each move needs, those that it kills, and its name."""

    def make_table(self) -> RemovalTable:
        """Return the table of the graph's moves."""
        graph = self.undirected()
        return RemovalTable.build(len(graph.vertices), self.graph_moves(graph), graph.shape, graph.symmetries)


_LONGEST_TURNED_CYCLE = 64


def _pairs(graph: UndirectedGraph) -> Iterator[tuple[list[int], list[int], str]]:
    for edge in graph.edges:
        yield list(edge), list(edge), "-".join(str(graph.vertices[end]) for end in edge)


@register
class NodeKayles(GraphRemoval):
    """Choose a live vertex; it goes with all its neighbours (T. J. Schaefer, 1978). On a path this is 0.137.

    Examples
    --------
    >>> game = NodeKayles(vertices=4)
    >>> [game.format(option) for option in game.options(game.initial())]
    ['{2;3}', '{3}', '{0}', '{0;1}']
    """

    name = "node_kayles"

    def graph_moves(self, graph: UndirectedGraph) -> Iterator[tuple[list[int], list[int], str]]:
        """Yield a move for every vertex, which has its name."""
        for cell, near in enumerate(graph.neighbours()):
            yield [cell], [cell, *cells_of(near)], str(graph.vertices[cell])


@register
class ArcKayles(GraphRemoval):
    """Choose an edge between live vertices; both go (T. J. Schaefer, 1978). On a path Dawson's Kayles, on a grid Cram.

    Examples
    --------
    >>> game = ArcKayles(edges=[(0, 1), (1, 2)])
    >>> [game.format(option) for option in game.options(game.initial())]
    ['{2}', '{0}']
    """

    name = "arc_kayles"

    def graph_moves(self, graph: UndirectedGraph) -> Iterator[tuple[list[int], list[int], str]]:
        """Yield a move for every edge, written as in ``edges``."""
        return _pairs(graph)


@register
class KaylesOnGraph(GraphRemoval):
    """Choose a live vertex, or two live vertices with an edge between them, and remove them. On a path this is Kayles.

    Examples
    --------
    >>> game = KaylesOnGraph(graph="complete", vertices=2)
    >>> [game.format(option) for option in game.options(game.initial())]
    ['{1}', '{0}', '{}']
    """

    name = "kayles_on_graph"

    def graph_moves(self, graph: UndirectedGraph) -> Iterator[tuple[list[int], list[int], str]]:
        """Yield a move for every vertex and every edge."""
        for cell, vertex in enumerate(graph.vertices):
            yield [cell], [cell], str(vertex)
        yield from _pairs(graph)


def vertex_of(node: Any) -> Vertex:
    """Return the vertex that a node of networkx becomes: an integer or a name; tuples are joined by dots."""
    if isinstance(node, tuple) and node:
        return check_vertex(".".join(str(vertex_of(part)) for part in node))
    if hasattr(node, "__index__") and not isinstance(node, bool):
        node = int(node)
    return check_vertex(node)


def _listed_graph(edges: tuple[Edge, ...]) -> UndirectedGraph:
    vertices = sorted({vertex for edge in edges for vertex in edge}, key=natural_order)
    if len(vertices) > MOST_CELLS:
        raise SgaiError(f"the graph has {len(vertices):,} vertices; a game on a graph has at most {MOST_CELLS:,}")
    numbers = {vertex: number for number, vertex in enumerate(vertices)}
    pairs = [(numbers[edge[0]], numbers[edge[1]]) for edge in edges if len(edge) == 2]
    graph = UndirectedGraph(tuple(vertices), tuple(pairs), None, ())
    return graph._replace(symmetries=automorphisms(graph.neighbours()))
