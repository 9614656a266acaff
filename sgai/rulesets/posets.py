"""Removal games on an ordered set: choose an element, and it goes with everything above it."""

import itertools
from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from sgai.errors import SgaiError, quote
from sgai.parameters import Kind, parameter
from sgai.registry import register
from sgai.rulesets.automorphisms import automorphisms
from sgai.rulesets.graph import Vertex, check_vertex, natural_order
from sgai.rulesets.named_cells import NamedCells
from sgai.rulesets.removal import MOST_CELLS, Permutation, RemovalTable
from sgai.syntax import split, unbracket

Relation = tuple[Vertex, ...]  # (below, above), or (element,) for one without relations


def _check_relations(value: Any) -> tuple[Relation, ...]:
    try:
        chains = [tuple(map(check_vertex, chain)) for chain in value]
    except TypeError:
        raise SgaiError(f"{quote(value)} is not a list of relations") from None
    if not all(chains):
        raise SgaiError(f"{quote(value)} has a relation without elements")
    if not chains:
        raise SgaiError("an order should have one element at least")
    above: dict[Vertex, set[Vertex]] = {element: set() for chain in chains for element in chain}
    if len(above) > MOST_CELLS:
        raise SgaiError(f"{len(above):,} elements; a removal game has at most {MOST_CELLS:,}")
    for chain in chains:
        for lower, upper in itertools.pairwise(chain):
            above[lower].add(upper)
    everything = _upper_sets(above)
    # Only the covers are kept, so that equal orders are equal however they are written.
    covers: list[Relation] = []
    for lower, direct in above.items():
        implied = set().union(*(everything[upper] for upper in direct))
        covers.extend((lower, upper) for upper in direct - implied)
    related = {element for pair in covers for element in pair}
    covers.extend((element,) for element in above if element not in related)
    return tuple(sorted(covers, key=lambda relation: [natural_order(each) for each in relation]))


def _upper_sets(above: dict[Vertex, set[Vertex]]) -> dict[Vertex, set[Vertex]]:
    """Return all that is above each element, given what is directly above it; a cycle is an error that names it."""
    done: dict[Vertex, set[Vertex]] = {}
    for start in above:
        path = [start] if start not in done else []
        waiting = [iter(above[start])]
        while path:
            following = next((each for each in waiting[-1] if each not in done), None)
            if following is None:
                top = path.pop()
                waiting.pop()
                done[top] = above[top].union(*(done[each] for each in above[top]))
            elif following in path:
                cycle = [*path[path.index(following) :], following]
                raise SgaiError(f"{quote('<'.join(map(str, cycle)))} goes round in a circle; an order does not")
            else:
                path.append(following)
                waiting.append(iter(above[following]))
    return done


def parse_relations(text: str) -> tuple[Relation, ...]:
    """Read an order such as ``[a<b;b<c<d;e]``, and return its covers.

    Examples
    --------
    >>> parse_relations("[a<b<c;a<c;d]")
    (('a', 'b'), ('b', 'c'), ('d',))
    """
    parts = split(unbracket(text))
    try:
        return _check_relations([part.split("<") for part in parts])
    except SgaiError as error:
        if "is not a vertex" not in str(error):
            raise
        raise SgaiError(
            f"{quote(text)}: relations are written a<b or a<b<c, an element alone by its name (letters, digits, dots "
            "and underscores)"
        ) from None


RELATIONS = Kind(
    "a list of relations such as [a<b;b<c<d;e]",
    parse_relations,
    lambda relations: "[" + ";".join("<".join(map(str, each)) for each in relations) + "]",
    _check_relations,
)


class OrderedCells(NamedCells):
    """A game in which an element goes with everything above it."""

    cell_word = "element"

    @abstractmethod
    def covers(self) -> list[tuple[int, int]]:
        """Return the pairs of cells of which the second is directly above the first."""

    @abstractmethod
    def symmetries(self) -> Iterable[Permutation]:
        """Return a group of symmetries of the order; the identity alone is one."""

    def make_table(self) -> RemovalTable:
        """Return a table with a move for every element, which has its name."""
        names = self.cell_names()
        above: dict[Vertex, set[Vertex]] = {name: set() for name in names}
        for lower, upper in self.covers():
            above[names[lower]].add(names[upper])
        upper_sets = _upper_sets(above)
        moves = (
            ([cell], [cell, *(self.cell_of(upper) for upper in upper_sets[name])], str(name))
            for cell, name in enumerate(names)
        )
        return RemovalTable.build(len(names), moves, symmetries=self.symmetries())


@register
class Poset(OrderedCells):
    """Choose an element of an ordered set; it goes with everything above it.

    Nim heaps are chains, and Chomp is the product of two chains without its least element.

    Examples
    --------
    >>> game = Poset(relations="[a<b;a<c]")
    >>> [game.format(option) for option in game.options(game.initial())]
    ['{}', '{a;c}', '{a;b}']
    """

    name = "poset"

    relations: tuple[Relation, ...] = parameter(
        default=(("a", "c"), ("b", "c"), ("b", "d"), ("c", "e"), ("d", "f")),
        kind=RELATIONS,
        doc="the order: chains such as a<b<c; an element alone",
    )

    def cell_names(self) -> tuple[Vertex, ...]:
        """Return the elements, sorted."""
        kept: tuple[Vertex, ...] | None = self.__dict__.get("_names")
        if kept is None:
            elements = {element for relation in self.relations for element in relation}
            kept = self.__dict__["_names"] = tuple(sorted(elements, key=natural_order))
        return kept

    def covers(self) -> list[tuple[int, int]]:
        """Return the relations that are not implied by others."""
        return [(self.cell_of(each[0]), self.cell_of(each[1])) for each in self.relations if len(each) == 2]

    def symmetries(self) -> Iterable[Permutation]:
        """Return the symmetries of the order where a short search finds them."""
        above = [0] * len(self.cell_names())
        for lower, upper in self.covers():
            above[lower] |= 1 << upper
        return automorphisms(above)


@register
class SubsetTakeaway(OrderedCells):
    """Choose one of the proper, non-empty subsets of {1, ..., size} that are left; it goes with its supersets.

    D. Gale and A. Neyman (1982) conjectured that the second player wins; A. E. Brouwer and J. D. Christensen (2017)
    found that this fails at size 7.

    Examples
    --------
    >>> game = SubsetTakeaway(size=2)
    >>> game.format(game.initial())
    '{1;2}'
    """

    name = "subset_takeaway"
    cell_word = "subset"

    size: int = parameter(default=3, doc="the subsets are those of {1, ..., size}: 2 to 8")

    def __post_init__(self) -> None:
        """Reject sizes without a game, and those with too many subsets."""
        if not 2 <= self.size <= 8:
            raise SgaiError(f"size={self.size}: it should be from 2 to 8")
        super().__post_init__()

    def subsets(self) -> list[tuple[int, ...]]:
        """Return the subsets, smallest first."""
        numbers = range(1, self.size + 1)
        return [subset for size in range(1, self.size) for subset in itertools.combinations(numbers, size)]

    def cell_names(self) -> tuple[Vertex, ...]:
        """Return the subsets, written as their digits."""
        kept: tuple[Vertex, ...] | None = self.__dict__.get("_names")
        if kept is None:
            kept = self.__dict__["_names"] = tuple(_name(subset) for subset in self.subsets())
        return kept

    def covers(self) -> list[tuple[int, int]]:
        """Return the pairs of a subset and one with one number more."""
        subsets = self.subsets()
        numbers = {subset: cell for cell, subset in enumerate(subsets)}
        found = []
        for subset in subsets:
            for left_out in range(len(subset)):
                lower = subset[:left_out] + subset[left_out + 1 :]
                if lower:
                    found.append((numbers[lower], numbers[subset]))
        return found

    def symmetries(self) -> Iterable[Permutation]:
        """Return all permutations of few numbers; of many, only turns and reflections."""
        count = self.size
        if count <= 5:
            renamings = list(itertools.permutations(range(count)))
        else:
            renamings = [
                tuple((turn + sign * number) % count for number in range(count))
                for turn in range(count)
                for sign in (1, -1)
            ]
        subsets = self.subsets()
        for renaming in renamings:
            yield tuple(self.cell_of(_name(sorted(renaming[n - 1] + 1 for n in subset))) for subset in subsets)


def _name(subset: Iterable[int]) -> int:
    return int("".join(map(str, subset)))


def levels(covers: Iterable[tuple[int, int]], count: int) -> list[int]:
    """Return the level of every cell in a drawing: 0 with nothing below, else one above the highest cell below.

    Examples
    --------
    >>> levels([(0, 1), (1, 2), (0, 2)], 4)
    [0, 1, 2, 0]
    """
    below: list[int] = [0] * count
    for lower, upper in covers:
        below[upper] |= 1 << lower
    level = [0] * count
    settled, waiting = 0, list(range(count))
    height = 0
    while waiting:
        ready = [cell for cell in waiting if not below[cell] & ~settled]
        for cell in ready:
            level[cell] = height
            settled |= 1 << cell
        waiting = [cell for cell in waiting if not settled >> cell & 1]
        height += 1
    return level
