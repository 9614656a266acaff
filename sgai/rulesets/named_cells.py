"""Removal games whose cells have names: vertices of a graph, elements of an order."""

from abc import abstractmethod
from typing import Any, ClassVar

from sgai.errors import SgaiError, nearest, quote
from sgai.parameters import Kind, parameter
from sgai.rulesets.graph import Vertex, check_vertex, parse_vertex
from sgai.rulesets.removal import RemovalRuleset, cells_of, mask_of
from sgai.syntax import split, unbracket


def parse_vertices(text: str) -> tuple[Vertex, ...]:
    """Read a list of vertices in brackets or braces.

    Examples
    --------
    >>> parse_vertices("{0;2;5}"), parse_vertices("[a]"), parse_vertices("{}")
    ((0, 2, 5), ('a',), ())
    """
    inside = unbracket(text).strip()
    if inside.startswith("{") and inside.endswith("}"):
        inside = inside[1:-1]
    return tuple(map(parse_vertex, split(inside)))


def _check_vertices(value: Any) -> tuple[Vertex, ...]:
    try:
        return tuple(map(check_vertex, value))
    except TypeError:
        raise SgaiError(f"{quote(value)} is not a list of vertices") from None


VERTICES = Kind(
    "a list of vertices such as [0;2;5]",
    parse_vertices,
    lambda vertices: "[" + ";".join(map(str, vertices)) + "]",
    _check_vertices,
)


class NamedCells(RemovalRuleset):
    """A removal game whose cells have names; a position is written as the live ones, ``{0;2;5}``."""

    cell_word: ClassVar[str] = "vertex"  # what a cell is called in messages

    live: tuple[Vertex, ...] = parameter(
        default=(), kind=VERTICES, start=True, doc="what is live at the start; by default everything"
    )

    def __post_init__(self) -> None:
        """Reject unknown names at the start, and bring them into order."""
        if self.live:
            try:
                cells = sorted({self.cell_of(name) for name in self.live})
            except SgaiError as error:
                raise SgaiError(f"live={VERTICES.format(self.live)}: {error}") from None
            names = self.cell_names()
            chosen = () if len(cells) == len(names) else tuple(names[cell] for cell in cells)
            object.__setattr__(self, "live", chosen)

    def written(self) -> dict[str, Any]:
        """Return the parameters that text shows, the start last."""
        shown = super().written()
        if "live" in shown:
            shown["live"] = shown.pop("live")
        return shown

    @abstractmethod
    def cell_names(self) -> tuple[Vertex, ...]:
        """Return the names of the cells, in the order of the table."""

    def cell_of(self, name: Vertex) -> int:
        """Return the number of a cell, or raise `SgaiError` for a name that no cell has."""
        numbers: dict[Vertex, int] | None = self.__dict__.get("_numbers")
        if numbers is None:
            numbers = {each: number for number, each in enumerate(self.cell_names())}
            self.__dict__["_numbers"] = numbers
        if name not in numbers:
            known = [str(each) for each in numbers]
            few = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
            raise SgaiError(
                f"there is no {self.cell_word} {quote(str(name))}{nearest(str(name), known)}; there are: {few}"
            )
        return numbers[name]

    def initial(self) -> int:
        """Return the live cells of the parameters, all of them where none are named."""
        if self.live:
            return mask_of(map(self.cell_of, self.live))
        return (1 << len(self.cell_names())) - 1

    def format(self, position: int) -> str:
        """Write the live cells."""
        names = self.cell_names()
        return "{" + ";".join(str(names[cell]) for cell in cells_of(position)) + "}"

    def parse(self, text: str) -> int:
        """Read the live cells."""
        if not text.strip().startswith(("{", "[")):
            raise SgaiError(
                f"{quote(text)} is not a position of {self}; write what is live in braces, as "
                f"{quote(self.format(self.initial()))}"
            )
        try:
            return mask_of(map(self.cell_of, parse_vertices(text)))
        except SgaiError as error:
            raise SgaiError(f"{quote(text)}: {error}") from None
