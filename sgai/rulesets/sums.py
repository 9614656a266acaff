"""Disjunctive sums: several games, of the same or of different rules, and a move is a move in one of them."""

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from sgai.errors import IllegalMoveError, SgaiError, quote
from sgai.parameters import Kind, parameter
from sgai.registry import load_ruleset, register
from sgai.ruleset import Component, Ruleset
from sgai.rulesets.subtraction import Nim
from sgai.rulesets.take_and_break import GrundysGame, Kayles
from sgai.syntax import split, unbracket

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Parts = tuple[Any, ...]
AnyRuleset = Ruleset[Any, Any]


class PartMove(NamedTuple):
    """A move in one part, parts being counted from 0."""

    part: int
    move: Any


def _parse_parts(text: str) -> tuple[AnyRuleset, ...]:
    return tuple(load_ruleset(part) for part in split(unbracket(text)))


def _check_parts(value: Any) -> tuple[AnyRuleset, ...]:
    try:
        parts = [load_ruleset(part) for part in value]
    except TypeError:
        raise SgaiError(f"{quote(value)} is not a list of rulesets") from None
    # A sum of sums is one sum.
    return tuple(inner for part in parts for inner in getattr(part, "parts", (part,)))


def _format_parts(parts: tuple[AnyRuleset, ...]) -> str:
    # OpenSpiel's serialisation splits at every equals sign, so nested arguments are written with ~ and ; throughout.
    return "[" + ";".join(_nested(part) for part in parts) + "]"


def _nested(part: AnyRuleset) -> str:
    kinds = part.parameters()
    texts = [f"{name}~{kinds[name].kind.format(value)}" for name, value in part.written().items()]
    return f"{part.name}({';'.join(texts)})" if texts else part.name


PARTS = Kind(
    "a list of rulesets such as [nim(piles=[3;4]);kayles(piles=[9])]", _parse_parts, _format_parts, _check_parts
)


def _packed(text: str) -> str:
    """Make a part's text safe beside others: in parentheses where it has a plus, quoted where brackets do not match."""
    try:
        split(text, "+")
        return text if "+" not in text and '"' not in text else _quoted_or_wrapped(text)
    except SgaiError:
        return json.dumps(text)


def _quoted_or_wrapped(text: str) -> str:
    return json.dumps(text) if '"' in text else f"({text})"


def _unpacked(text: str) -> str:
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except json.JSONDecodeError as error:
            raise SgaiError(f"{quote(text)}: the quoted part is not closed: {error}") from None
    return text[1:-1] if "+" in text and text.startswith("(") and text.endswith(")") else text


def _split_parts(text: str) -> list[str]:
    # Quoted parts are set aside while the rest is split.
    kept = re.findall(r'"(?:[^"\\]|\\.)*"', text)
    parts = split(re.sub(r'"(?:[^"\\]|\\.)*"', '""', text), "+")
    return [kept.pop(0) if part == '""' else part for part in parts]


@register
class Sum(Ruleset[Parts, PartMove]):
    """Several games side by side: a move is a move in one of them.

    Examples
    --------
    >>> game = load_ruleset("sum(parts=[nim(piles=[1]);rook(at=[0;1])])")
    >>> game.format(game.initial())
    '[1] + (0,1)'
    """

    name = "sum"
    can_be_loopy = True

    parts: tuple[AnyRuleset, ...] = parameter(
        default=(Nim(piles=(3, 4)), Kayles(piles=(5,)), GrundysGame(piles=(7,))),
        kind=PARTS,
        doc="the games, each with its own parameters",
    )

    def __post_init__(self) -> None:
        """Reject an empty sum, and parts played by different conventions."""
        if not self.parts:
            raise SgaiError("parts=[]: name one game at least, such as parts=[nim;kayles]")
        if any(part.default_play() != "normal" for part in self.parts):
            raise SgaiError("parts: a part that is played by the misere convention cannot be put into a sum")
        if any(part.loopy for part in self.parts):
            object.__setattr__(self, "loopy", True)
        reasons = [part.normal_disjunctive_only for part in self.parts if part.normal_disjunctive_only]
        if reasons:
            object.__setattr__(self, "normal_disjunctive_only", reasons[0])

    def initial(self) -> Parts:
        """Return the parts' initial positions."""
        return tuple(part.initial() for part in self.parts)

    def moves(self, position: Parts) -> Iterator[tuple[PartMove, Parts]]:
        """Yield the moves of every part."""
        for i, part in enumerate(self.parts):
            for move, option in part.moves(position[i]):
                yield PartMove(i, move), (*position[:i], option, *position[i + 1 :])

    def apply(self, position: Parts, move: PartMove) -> Parts:
        """Make the move in its part, or raise `IllegalMoveError`."""
        try:
            i, inner = move
            part = self._part(i)
        except (TypeError, ValueError):
            raise self.illegal_move(position, move) from None
        option = part.apply(position[i], inner)
        return (*position[:i], option, *position[i + 1 :])

    def components(self, position: Parts) -> tuple[Component, ...]:
        """Return every part as a component."""
        return tuple(Component(part, at) for part, at in zip(self.parts, position, strict=True))

    def lift_move(self, position: Parts, index: int, move: Any) -> PartMove:  # noqa: ARG002
        """Return the move with the part's number."""
        return PartMove(index, move)

    def canonical(self, position: Parts) -> Parts:
        """Bring every part to its canonical form, and parts with the same rules into order."""
        forms = [part.canonical(at) for part, at in zip(self.parts, position, strict=True)]
        places: dict[AnyRuleset, list[int]] = {}
        for i, part in enumerate(self.parts):
            places.setdefault(part.rules(), []).append(i)
        for same in places.values():
            ordered = sorted((forms[i] for i in same), key=repr)
            for i, form in zip(same, ordered, strict=True):
                forms[i] = form
        return tuple(forms)

    def validate(self, position: Any) -> Parts:
        """Check that there is a position for every part."""
        try:
            given = tuple(position)
        except TypeError:
            raise SgaiError(f"{quote(position)} is not a list of positions, one for every part of {self}") from None
        if len(given) != len(self.parts):
            raise SgaiError(f"{quote(position)} has {len(given)} parts; {self} has {len(self.parts)}")
        return tuple(part.validate(at) for part, at in zip(self.parts, given, strict=True))

    def format(self, position: Parts) -> str:
        """Write the parts' positions, joined by `` + ``."""
        texts = [part.format(at) for part, at in zip(self.parts, position, strict=True)]
        return " + ".join(map(_packed, texts))

    def parse(self, text: str) -> Parts:
        """Read the parts' positions, joined by ``+``."""
        texts = _split_parts(text)
        if len(texts) != len(self.parts):
            raise SgaiError(
                f"{quote(text)} has {len(texts)} parts; {self} has {len(self.parts)}, as in "
                f"{quote(self.format(self.initial()))}"
            )
        return tuple(part.parse(_unpacked(each)) for part, each in zip(self.parts, texts, strict=True))

    def format_move(self, position: Parts, move: PartMove) -> str:
        """Write the part's number, counted from 1, and its move: ``2: 5->4``."""
        return f"{move.part + 1}: {self.parts[move.part].format_move(position[move.part], move.move)}"

    def num_moves(self) -> int:
        """Return the sum of the parts' alphabets."""
        return self._offsets()[-1]

    def move_index(self, move: PartMove) -> int:
        """Return the index in the part's alphabet, behind those of the parts before."""
        try:
            i, inner = move
            part = self._part(i)
        except (TypeError, ValueError):
            raise IllegalMoveError(f"{quote(str(move))} is no move of {self}") from None
        return self._offsets()[i] + part.move_index(inner)

    def move_from_index(self, index: int) -> PartMove:
        """Return the move with an index."""
        offsets = self._offsets()
        for i, part in enumerate(self.parts):
            if offsets[i] <= index < offsets[i + 1]:
                return PartMove(i, part.move_from_index(index - offsets[i]))
        raise self.no_such_index(index)

    def max_game_length(self) -> int:
        """Return the sum of the parts' bounds; a part that is loopy has none."""
        return sum(part.max_game_length() for part in self.parts)

    def tensor_shape(self) -> tuple[int, ...]:
        """Return the sum of the sizes of the parts' tensors: they are laid out one behind the other."""
        import math

        return (sum(math.prod(part.tensor_shape()) for part in self.parts),)

    def encode(self, position: Parts) -> "npt.NDArray[np.float32]":
        """Return the parts' tensors, flattened and joined."""
        import numpy as np  # rules load without it

        return np.concatenate([part.encode(at).ravel() for part, at in zip(self.parts, position, strict=True)])

    def _part(self, number: Any) -> AnyRuleset:
        if number not in range(len(self.parts)):
            raise ValueError(number)
        part: AnyRuleset = self.parts[number]
        return part

    def _offsets(self) -> list[int]:
        kept: list[int] | None = self.__dict__.get("_kept_offsets")
        if kept is None:
            kept = [0]
            for part in self.parts:
                kept.append(kept[-1] + part.num_moves())
            self.__dict__["_kept_offsets"] = kept
        return kept
