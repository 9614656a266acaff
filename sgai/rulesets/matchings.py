"""Maximum matchings of undirected graphs, and the vertices that some maximum matching leaves out.

Graphs are lists of masks of neighbours, of which a mask says the vertices that count.
"""

from collections.abc import Iterator, Mapping, Sequence

from sgai.rulesets.removal import cells_of


def maximum_matching(near: Sequence[int], within: int) -> dict[int, int]:
    """Return a maximum matching: the partner of every vertex that has one.

    Parameters
    ----------
    near : sequence of int
        For every vertex the mask of its neighbours.
    within : int
        The mask of the vertices that count.

    Examples
    --------
    >>> maximum_matching([0b010, 0b101, 0b010], 0b110)
    {1: 2, 2: 1}
    """
    import networkx  # used nowhere else, so only those who ask for a matching load it

    graph = networkx.Graph()
    graph.add_nodes_from(cells_of(within))
    for vertex in cells_of(within):
        graph.add_edges_from((other, vertex) for other in cells_of(near[vertex] & within & ((1 << vertex) - 1)))
    try:
        colours = networkx.bipartite.color(graph)
    except networkx.NetworkXError:  # it has an odd cycle
        pairs = networkx.max_weight_matching(graph, maxcardinality=True, weight="none")
        mates = dict(pairs) | {one: other for other, one in pairs}
    else:  # much faster
        first = [vertex for vertex, colour in colours.items() if colour]
        mates = networkx.bipartite.hopcroft_karp_matching(graph, first)
    return dict(sorted(mates.items()))


def left_out_by_some(near: Sequence[int], within: int, mates: Mapping[int, int]) -> int:
    """Return the mask of the vertices that one maximum matching or another leaves out.

    They are the ends of the paths of even length that start at a vertex without a partner and go along every other edge
    of the matching (J. Edmonds, *Paths, trees, and flowers*, 1965; T. Gallai, 1964). Odd cycles on the way are shrunk,
    so that all their vertices count as ends.

    Parameters
    ----------
    near, within
        The graph, as for `maximum_matching`.
    mates : mapping
        A maximum matching of it; for another one the result may be wrong.

    Examples
    --------
    >>> path = [0b010, 0b101, 0b010]
    >>> bin(left_out_by_some(path, 0b111, {0: 1, 1: 0}))
    '0b101'
    """
    forest = _Forest(mates)
    waiting = [vertex for vertex in cells_of(within) if vertex not in mates]
    forest.even.update(waiting)
    while waiting:
        vertex = waiting.pop()
        for other in cells_of(near[vertex] & within):
            if other in forest.even:
                waiting.extend(forest.shrink(vertex, other))
            elif other not in forest.reached_from:
                forest.reached_from[other] = vertex
                forest.even.add(mates[other])
                waiting.append(mates[other])
    return sum(1 << vertex for vertex in forest.even)


class _Forest:
    """The trees of alternating paths, with their shrunk cycles; each is named by its vertex nearest to the root."""

    def __init__(self, mates: Mapping[int, int]) -> None:
        self.mates = mates
        self.even: set[int] = set()
        self.reached_from: dict[int, int] = {}  # the vertex before each one at the end of a path of odd length
        self._shrunk_to: dict[int, int] = {}

    def shrink(self, one: int, other: int) -> Iterator[int]:
        """Shrink the odd cycle that an edge between two ends of even paths closes; yield what becomes such an end."""
        one, other = self._name(one), self._name(other)
        if one == other:
            return
        # The matching is maximum, so both are in one tree.
        above = set(self._upwards(one))
        top = next(vertex for vertex in self._upwards(other) if vertex in above)
        for start in (one, other):
            path = list(self._upwards(start))
            for vertex in path[: path.index(top)]:
                between = self.mates[vertex]
                self._shrunk_to[vertex] = self._shrunk_to[between] = top
                self.even.add(between)
                yield between

    def _upwards(self, vertex: int) -> Iterator[int]:
        yield vertex
        while vertex in self.mates and self.mates[vertex] in self.reached_from:
            vertex = self._name(self.reached_from[self.mates[vertex]])
            yield vertex

    def _name(self, vertex: int) -> int:
        while vertex in self._shrunk_to:
            above = self._shrunk_to[vertex]
            if above in self._shrunk_to:
                self._shrunk_to[vertex] = self._shrunk_to[above]
            vertex = above
        return vertex
