"""An explicit graph as a game: a token moves along directed edges from vertex to vertex."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from sgai.errors import LoopError, SgaiError, nearest, quote
from sgai.parameters import Kind, parameter
from sgai.registry import register
from sgai.ruleset import Ruleset
from sgai.syntax import split, unbracket

Vertex = int | str
Edge = tuple[Vertex, ...]  # (from, to), or (vertex,) for a vertex named alone

_VERTEX = re.compile(r"[A-Za-z0-9_.]+")


def parse_vertex(text: str) -> Vertex:
    """Read a vertex: decimal digits are a number, other letters, digits, dots and underscores are a name.

    Examples
    --------
    >>> parse_vertex("12"), parse_vertex("a1")
    (12, 'a1')
    """
    text = text.strip()
    if not _VERTEX.fullmatch(text):
        raise SgaiError(f"{quote(text)} is not a vertex: use letters, digits, dots and underscores")
    return int(text) if text.isdecimal() and len(text) < 19 and str(int(text)) == text else text


def check_vertex(value: Any) -> Vertex:
    """Return the normal form of a vertex: an integer from 0, or a name."""
    if type(value) is int and 0 <= value < 10**18:  # most of them; their text would say the same
        return value
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise SgaiError(f"{quote(value)} is not a vertex: use an integer >= 0 or a name")
    return parse_vertex(str(value))


def _parse_edges(text: str) -> tuple[Edge, ...]:
    return _normal([tuple(part.split("-")) for part in split(unbracket(text))], parse_vertex)


def _check_edges(value: Any) -> tuple[Edge, ...]:
    try:
        edges = _normal(list(map(tuple, value)), check_vertex)
    except TypeError:
        raise SgaiError(f"{quote(value)} is not a list of edges") from None
    for wrong in (edge for edge in edges if not 1 <= len(edge) <= 2):
        raise SgaiError(f"{'-'.join(map(str, wrong))!r} is not an edge; write from-to, or a vertex alone")
    return edges


def _normal(edges: Sequence[tuple[Any, ...]], check: Callable[[Any], Vertex]) -> tuple[Edge, ...]:
    # Every vertex is checked but once: there may be a million edges.
    if not set(map(type, chain.from_iterable(edges))) <= {int, str}:  # such as True, which is equal to 1
        return tuple(tuple(map(check, edge)) for edge in edges)
    normal = {vertex: check(vertex) for vertex in dict.fromkeys(chain.from_iterable(edges))}
    if all(vertex is form for vertex, form in normal.items()):
        return tuple(edges)
    return tuple(tuple(map(normal.__getitem__, edge)) for edge in edges)


def format_edges(edges: tuple[Edge, ...]) -> str:
    """Write edges, directed or not, in brackets.

    Examples
    --------
    >>> format_edges(((3, 2), (5,)))
    '[3-2;5]'
    """
    return "[" + ";".join("-".join(map(str, edge)) for edge in edges) + "]"


EDGES = Kind("a list of directed edges such as [3-2;3-1;2-0]", _parse_edges, format_edges, _check_edges)
# In brackets, since OpenSpiel would take a bare 3 for a number where it wants text.
VERTEX = Kind(
    "a vertex such as 3 or a1", lambda text: parse_vertex(unbracket(text)), lambda vertex: f"[{vertex}]", check_vertex
)

_MANY_NAMES = 10_000  # a misspelt one is looked for among fewer

_DEFAULT_EDGES = ((3, 2), (3, 1), (3, 0), (2, 1), (2, 0), (1, 0))


def natural_order(vertex: Vertex) -> tuple[bool, int, str]:
    """Return a key that sorts numbers by size, before names."""
    return (isinstance(vertex, str), vertex if isinstance(vertex, int) else 0, str(vertex))


@register
class Graph(Ruleset[Vertex, Vertex]):
    """Move a token along a directed edge; a position is the vertex it stands on.

    Play must come to an end: where it can come back to a vertex, that is an error which names the cycle, unless
    ``cycles`` says that it may. The graph is loopy then, and play that goes on for ever is a draw.

    Examples
    --------
    >>> game = Graph.from_successors({3: [2, 1, 0], 2: [1, 0], 1: [0], 0: []}, start=3)
    >>> game.options(2)
    [0, 1]
    """

    name = "graph"
    can_be_loopy = True

    edges: tuple[Edge, ...] = parameter(
        default=_DEFAULT_EDGES, kind=EDGES, doc="directed edges from-to; a vertex alone"
    )
    file: str = parameter(
        default="", doc='instead of edges: a file of successor lists, JSON {"3": [2, 1]} or lines "3: 2 1"'
    )
    cycles: bool = parameter(default=False, doc="whether play may come back to a vertex, and go on for ever")
    start: Vertex = parameter(default=3, kind=VERTEX, start=True, doc="the vertex where the token starts")

    def __post_init__(self) -> None:
        """Read the file if one is given; sort the edges; reject an unknown start."""
        if self.file:
            try:
                edges = _edges_of(_read_successors(self.file))
            except SgaiError as error:
                raise SgaiError(f"file={self.file}: {error}") from None
            object.__setattr__(self, "edges", edges)
            object.__setattr__(self, "file", "")
        object.__setattr__(self, "edges", _in_order(self.edges))
        if self.cycles:
            object.__setattr__(self, "loopy", True)
        if self.start != self.parameters()["start"].default:
            self.validate(self.start)

    @classmethod
    def from_successors(cls, successors: Mapping[Any, Iterable[Any]], start: Vertex, cycles: bool = False) -> "Graph":
        """Make a game from successor lists.

        Parameters
        ----------
        successors : mapping
            Vertex (an integer or a name) to the vertices that a move may lead to.
        start : int or str
            Where play starts.
        cycles : bool
            Whether play may come back to a vertex.
        """
        return cls(edges=_edges_of(successors), start=start, cycles=cycles)

    def successors(self) -> dict[Vertex, tuple[Vertex, ...]]:
        """Return the successor list of every vertex."""
        kept: dict[Vertex, tuple[Vertex, ...]] | None = self.__dict__.get("_successors")
        if kept is None:
            kept = dict.fromkeys(chain.from_iterable(self.edges), ())
            for vertex, edges in groupby(self.edges, itemgetter(0)):  # they are sorted
                kept[vertex] = tuple(edge[1] for edge in edges if len(edge) == 2)
            self.__dict__["_successors"] = kept
        return kept

    def written(self) -> dict[str, Any]:
        """Leave out that there are no cycles, as there are none in most graphs."""
        return {name: value for name, value in super().written().items() if name != "cycles" or value}

    def rules(self) -> "Graph":
        """Return the graph without its start; the successor lists are shared."""
        rules = super().rules()
        assert isinstance(rules, Graph)
        if "_successors" in self.__dict__:
            rules.__dict__.setdefault("_successors", self.__dict__["_successors"])
        return rules

    def initial(self) -> Vertex:
        """Return the start."""
        try:
            return self.validate(self.start)
        except SgaiError as error:
            raise SgaiError(f"start=[{self.start}]: {error}") from None

    def moves(self, position: Vertex) -> Iterator[tuple[Vertex, Vertex]]:
        """Yield the successors; a move is named by the vertex that it leads to."""
        for following in self.successors()[position]:
            if following == position and not self.loopy:
                raise LoopError([str(position)])
            yield following, following

    def validate(self, position: Any) -> Vertex:
        """Reject a vertex that the graph does not have."""
        vertex = check_vertex(position)
        if vertex not in self.successors():
            known = [str(each) for each in self.successors()]
            few = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
            meant = nearest(str(vertex), known) if len(known) < _MANY_NAMES else ""
            raise SgaiError(f"the graph has no vertex {str(vertex)!r}{meant}; it has: {few}")
        return vertex

    def format(self, position: Vertex) -> str:
        """Write the vertex."""
        return str(position)

    def parse(self, text: str) -> Vertex:
        """Read a vertex."""
        return self.validate(parse_vertex(text))


def _in_order(edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
    """Sort the edges, each once, without the vertices alone that other edges have."""
    if len(set(map(type, chain.from_iterable(edges)))) < 2:  # numbers, or names: much faster without a key
        ordered = sorted(edges)
    else:
        vertices = sorted(set(chain.from_iterable(edges)), key=natural_order)
        ranks = {vertex: rank for rank, vertex in enumerate(vertices)}
        ordered = sorted(edges, key=lambda edge: (ranks[edge[0]], ranks[edge[1]] if len(edge) == 2 else -1))
    once = [edge for edge, _ in groupby(ordered)]
    if 1 in set(map(len, once)):
        used = set(chain.from_iterable(edge for edge in once if len(edge) == 2))
        once = [edge for edge in once if len(edge) == 2 or edge[0] not in used]
    return tuple(once)


def _edges_of(successors: Mapping[Any, Iterable[Any]]) -> tuple[Edge, ...]:
    edges: list[tuple[Any, ...]] = []
    for vertex, following in successors.items():
        edges.append((vertex,))
        edges.extend((vertex, each) for each in following)
    return _normal(edges, check_vertex)


def _read_successors(file: str) -> Mapping[Any, Iterable[Any]]:
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SgaiError(f"it cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if text.lstrip().startswith("{"):
        try:
            table = json.loads(text)
        except json.JSONDecodeError as error:
            raise SgaiError(f"not valid JSON: {error}") from None
        for vertex, following in table.items():
            if not isinstance(following, list):
                raise SgaiError(f"the successors of {vertex!r} should be a list")
        return table  # type: ignore[no-any-return]
    lists: dict[str, list[str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        vertex, colon, following = content.partition(":")
        if not colon:
            raise SgaiError(f"line {number}: {quote(line)} should be a vertex, a colon and its successors")
        lists.setdefault(vertex.strip(), []).extend(following.replace(",", " ").split())
    return lists
