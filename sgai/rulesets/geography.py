"""Vertex geography: a token walks on a graph and never comes back to a vertex."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from sgai.errors import IllegalMoveError, SgaiError, nearest, quote
from sgai.parameters import check_integer, parameter
from sgai.registry import register
from sgai.rulesets.graph import VERTEX, Vertex, parse_vertex
from sgai.rulesets.graph_games import GRAPH, OnGraph, read_networkx, vertex_of
from sgai.rulesets.matchings import left_out_by_some, maximum_matching
from sgai.rulesets.named_cells import parse_vertices
from sgai.rulesets.removal import cells_of, mask_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_POSITION = re.compile(r"\s*at\s+([^\s{}]+)(?:\s+left\s*(\{.*\}))?\s*", re.DOTALL)


class TokenOnGraph(NamedTuple):
    """The number of the vertex where the token stands, and the mask of those where it has not been yet."""

    at: int
    left: int


@register
class VertexGeography(OnGraph[TokenOnGraph, int]):
    """Move a token along an edge to a vertex where it has not been yet.

    On an undirected graph the player to move wins exactly if every maximum matching covers the vertex of the token: he
    goes along the edges of one, and who stands on a vertex that some maximum matching leaves out has lost (A. S.
    Fraenkel, E. R. Scheinerman and D. Ullman, *Undirected edge geography*, Theoretical Computer Science 112, 1993). To
    compute Grundy values is PSPACE-complete (K. Burke, M. Ferland and S.-H. Teng, 2021, arXiv 2106.02114).

    Examples
    --------
    >>> game = VertexGeography(graph="path", vertices=4, start=1)
    >>> [game.format(option) for option in game.options(game.initial())]
    ['at 0 left {2;3}', 'at 2 left {0;3}']
    >>> game.proved_outcome(game.initial())
    'N'
    """

    name = "vertex_geography"

    # On a path, which other games have by default, there is nothing to choose after the first move.
    graph: str = parameter(default="grid", kind=GRAPH, doc="a named graph: path, cycle, complete or grid")
    columns: int = parameter(default=4, doc="columns of a grid")
    start: Vertex = parameter(default=0, kind=VERTEX, start=True, doc="the vertex where the token starts")

    def __post_init__(self) -> None:
        """Reject sizes that the graph does not have, and an unknown start."""
        self.check_size()
        if self.start != self.parameters()["start"].default:
            self.initial()

    @classmethod
    def from_networkx(cls, graph: Any, start: Any) -> "VertexGeography":
        """Make a game from an undirected graph of networkx, or anything that has its ``nodes`` and ``edges``.

        Parameters
        ----------
        graph : networkx.Graph
            Nodes are integers, names, or tuples of them: (0, 1) of ``grid_2d_graph`` becomes the vertex ``0.1``.
        start : node
            The node where the token starts.
        """
        listed, names = read_networkx(graph)
        return cls(edges=listed, start=names[start] if start in names else vertex_of(start))

    def initial(self) -> TokenOnGraph:
        """Return the token on the start, with all other vertices left."""
        try:
            at = self._number(self.start)
        except SgaiError as error:
            raise SgaiError(f"start=[{self.start}]: {error}") from None
        return TokenOnGraph(at, self._all() ^ 1 << at)

    def moves(self, position: TokenOnGraph) -> Iterator[tuple[int, TokenOnGraph]]:
        """Yield the vertices that the token may go to; a move is named by the number of its vertex."""
        for vertex in cells_of(self._near()[position.at] & position.left):
            yield vertex, TokenOnGraph(vertex, position.left ^ 1 << vertex)

    def closed_outcome(self, position: TokenOnGraph) -> str:
        """Return N if every maximum matching of what is left covers the token's vertex, else P.

        The time is that of one maximum matching, at worst cubic in the number of vertices.
        """
        within, mates = self._matching(position)
        return "P" if left_out_by_some(self._near(), within, mates) >> position.at & 1 else "N"

    def closed_winning_moves(self, position: TokenOnGraph) -> list[int]:
        """Return the vertices next to the token that some maximum matching of what is left then leaves out."""
        if self.closed_outcome(position) == "P":
            return []
        within, mates = self._matching(position)
        # Every maximum matching covers the token's vertex, so one without its edge is maximum without the vertex.
        lost = (position.at, mates[position.at])
        rest = {vertex: mate for vertex, mate in mates.items() if vertex not in lost}
        left_out = left_out_by_some(self._near(), within ^ 1 << position.at, rest)
        return list(cells_of(self._near()[position.at] & position.left & left_out))

    def canonical(self, position: TokenOnGraph) -> TokenOnGraph:
        """Leave out the vertices that the token cannot reach any more."""
        return TokenOnGraph(position.at, self._reached(position))

    def validate(self, position: Any) -> TokenOnGraph:
        """Reject what is no vertex with a set of other ones."""
        try:
            at, left = map(check_integer, position)
            right = 0 <= at < len(self._near()) and 0 <= left <= self._all() and not left >> at & 1
        except (TypeError, ValueError):
            right = False
        if not right:
            raise SgaiError(
                f"{quote(position)} is not a position of {self}: it has the number of the token's vertex and the mask "
                "of the vertices where the token has not been, which are others"
            )
        return TokenOnGraph(at, left)

    # Text

    def format(self, position: TokenOnGraph) -> str:
        """Write ``at 1 left {0;2}``."""
        names = self.undirected().vertices
        left = ";".join(str(names[vertex]) for vertex in cells_of(position.left))
        return f"at {names[position.at]} left {{{left}}}"

    def parse(self, text: str) -> TokenOnGraph:
        """Read ``at 1 left {0;2}``; ``at 1`` alone leaves all other vertices."""
        match = _POSITION.fullmatch(text)
        if match is None:
            example = self.format(TokenOnGraph(0, self._all() ^ 1))
            raise SgaiError(f"{quote(text)} is not a position of {self}; one is {quote(example)}")
        try:
            at = self._number(parse_vertex(match[1]))
            others = self._all() ^ 1 << at
            left = mask_of(map(self._number, parse_vertices(match[2]))) if match[2] else others
            if left >> at & 1:
                raise SgaiError(f"the token is at {match[1]}, so that vertex is not left")
        except SgaiError as error:
            raise SgaiError(f"{quote(text)}: {error}") from None
        return TokenOnGraph(at, left)

    def format_move(self, position: TokenOnGraph, move: int) -> str:  # noqa: ARG002
        """Write the vertex that the token goes to."""
        return str(self.undirected().vertices[move])

    # What OpenSpiel and learners need

    def num_moves(self) -> int:
        """Return the number of vertices: a move is named by where it goes."""
        return len(self._near())

    def move_index(self, move: int) -> int:
        """Return the move itself: moves are numbers of vertices."""
        if isinstance(move, bool) or not isinstance(move, int) or not 0 <= move < self.num_moves():
            raise IllegalMoveError(f"{quote(str(move))} is no move of {self}")
        return move

    def move_from_index(self, index: int) -> int:
        """Return the index itself."""
        if not 0 <= index < self.num_moves():
            raise self.no_such_index(index)
        return index

    def legal_indices(self, position: TokenOnGraph) -> list[int]:
        """Return the numbers of the vertices that the token may go to."""
        if not self._trusts("legal_indices"):  # a subclass has other moves
            return super().legal_indices(position)
        return list(cells_of(self._near()[position.at] & position.left))

    def max_game_length(self) -> int:
        """Return the number of vertices without the start: each is gone to once at most."""
        return self.num_moves() - 1

    def tensor_shape(self) -> tuple[int, ...]:
        """Return two planes of the vertices."""
        return (2, self.num_moves())

    def encode(self, position: TokenOnGraph) -> "npt.NDArray[np.float32]":
        """Return 1 where the token stands, then 1 for the vertices where it has not been."""
        import numpy as np  # rules load without it

        tensor = np.zeros(self.tensor_shape(), dtype=np.float32)
        tensor[0, position.at] = 1.0
        tensor[1, list(cells_of(position.left))] = 1.0
        return tensor

    def _all(self) -> int:
        return (1 << len(self._near())) - 1

    def _near(self) -> list[int]:
        kept: list[int] | None = self.__dict__.get("_neighbours")
        if kept is None:
            kept = self.__dict__["_neighbours"] = self.undirected().neighbours()
        return kept

    def _matching(self, position: TokenOnGraph) -> tuple[int, dict[int, int]]:
        """Return what the token can reach, its own vertex included, and a maximum matching of it."""
        kept: tuple[TokenOnGraph, int, dict[int, int]] | None = self.__dict__.get("_last_matching")
        if kept is None or kept[0] != position:
            within = self._reached(position) | 1 << position.at
            kept = position, within, maximum_matching(self._near(), within)
            self.__dict__["_last_matching"] = kept  # the outcome and the winning moves are asked for in turn
        return kept[1:]

    def _number(self, vertex: Vertex) -> int:
        kept: dict[Vertex, int] | None = self.__dict__.get("_numbers")
        if kept is None:
            kept = self.__dict__["_numbers"] = {each: i for i, each in enumerate(self.undirected().vertices)}
        if vertex not in kept:
            known = [str(each) for each in kept]
            few = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
            raise SgaiError(f"the graph has no vertex {quote(str(vertex))}{nearest(str(vertex), known)}; it has: {few}")
        return kept[vertex]

    def _reached(self, position: TokenOnGraph) -> int:
        """Return the vertices that the token can still come to."""
        near = self._near()
        found, waiting = 0, 1 << position.at
        while waiting:
            vertex = waiting.bit_length() - 1
            new = near[vertex] & position.left & ~found
            found |= new
            waiting ^= 1 << vertex | new
        return found
