"""A compound as a ruleset of its own: its positions are tuples of positions of its components."""

import functools
import itertools
import json
import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sgai.compounds.parts import compound_parts
from sgai.conventions import COMPOUNDS, ENDINGS, check_convention, refuse_other_conventions
from sgai.errors import IllegalMoveError, LoopError, SgaiError, UnsupportedError, quote, shortened
from sgai.parameters import Kind, check_choice, parameter
from sgai.reachable import ReachableGraph, explore
from sgai.ruleset import Component, Ruleset

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

AnyRuleset = Ruleset[Any, Any]
Positions = tuple[Any, ...]  # of the components
Moves = tuple[Any, ...]  # of the components, None for those that do not move

_MOST_LEGAL = 100_000  # legal moves of one position, where they are numbered
_QUOTED = r'"(?:[^"\\]|\\.)*"'


def _check_parts(value: Any) -> tuple[Component, ...]:
    try:
        return tuple(Component(ruleset.rules(), ruleset.validate(position), True) for ruleset, position, *_ in value)
    except (TypeError, ValueError, AttributeError) as error:
        if isinstance(error, SgaiError):
            raise
        raise SgaiError(f"{quote(value)} is not a list of pairs of a ruleset and a position") from None


def _parse_parts(text: str) -> Any:
    raise SgaiError(f"{quote(text)}: the components of a compound are not read from text; use `in_compound`")


def _format_parts(parts: tuple[Component, ...]) -> str:
    return "[" + ";".join(f"{part.ruleset} {part.ruleset.format(part.position)}" for part in parts) + "]"


def _check_word(value: Any) -> str:
    if not isinstance(value, str):
        raise SgaiError(f"{quote(value)} is not a word")
    return value


WORD = Kind("a word such as conjunctive", str, str, _check_word)
PARTS = Kind("a list of pairs of a ruleset and a position", _parse_parts, _format_parts, _check_parts)


class CompoundRuleset(Ruleset[Positions, Moves]):
    """Several games at once, other than as a sum; a move is a tuple with the move of each component, or None.

    In a conjunctive compound one moves in every component that has not ended, in a selective one in as many of them as
    one likes, in a disjunctive one in one. It ends with its last component or its first. A component has ended when it
    has no moves; it keeps its place.

    Parameters
    ----------
    parts : sequence of pairs
        A ruleset and a position for every component.
    compound : "conjunctive", "selective" or "disjunctive"
        How one moves.
    ending : "last" or "first"
        Whether play ends when all components have ended, or as soon as one has.

    Raises
    ------
    SgaiError
        For a disjunctive compound that ends with the last component: that is a sum, and splits.
    UnsupportedError
        For components that can be played for ever, or whose rules are true for sums only.

    Examples
    --------
    >>> import sgai
    >>> game = in_compound(sgai.load_ruleset("nim(piles=[1;2])"), "conjunctive", "last")
    >>> [(game.format_move(game.initial(), move), game.format(option)) for move, option in game.moves(game.initial())]
    [('1->0 & 2->1', '[] & [1]'), ('1->0 & 2->0', '[] & []')]
    """

    name = "compound"
    reachable_limit = 20_000  # positions of each component, where moves are numbered
    rule_methods = ("moves", "is_over")

    parts: tuple[Component, ...] = parameter(kind=PARTS, doc="a ruleset and a position for every component")
    compound: str = parameter(default="conjunctive", kind=WORD, doc="disjunctive, conjunctive or selective")
    ending: str = parameter(default="last", kind=WORD, doc="last or first")

    def __post_init__(self) -> None:
        """Reject what is no compound, and components that have no place in one."""
        check_choice("compound", self.compound, COMPOUNDS)
        check_choice("ending", self.ending, ENDINGS)
        if (self.compound, self.ending) == ("disjunctive", "last"):
            raise SgaiError("a disjunctive compound that ends with its last component is a sum: use the ruleset `sum`")
        if not self.parts:
            raise SgaiError("parts=[]: a compound has one component at least")
        for part in self.parts:
            refuse_other_conventions(part.ruleset, "normal", self.compound, self.ending)
            if part.ruleset.loopy:
                raise UnsupportedError(
                    f"{quote(str(part.ruleset))} is declared loopy: play may go on for ever, and there is no theory "
                    f"here of {self.compound} compounds that end with the {self.ending} component for such games"
                )

    # The rules

    def initial(self) -> Positions:
        """Return the positions of the components at the start."""
        return tuple(part.position for part in self.parts)

    def is_over(self, position: Positions) -> bool:
        """Tell whether play has ended."""
        ended = (next(iter(part.ruleset.moves(at)), None) is None for part, at in self._pairs(position))
        return any(ended) if self.ending == "first" else all(ended)

    def moves(self, position: Positions) -> Iterator[tuple[Moves, Positions]]:
        """Yield every combination of moves that the compound allows, none where play has ended."""
        if self.is_over(position):
            return
        each = [list(part.ruleset.moves(at)) for part, at in self._pairs(position)]
        if self.compound == "disjunctive":
            for i, moves in enumerate(each):
                for move, option in moves:
                    yield self._alone(i, move), (*position[:i], option, *position[i + 1 :])
            return
        staying = [(None, at) for at in position]
        if self.compound == "selective":
            choices = [[stay, *moves] for stay, moves in zip(staying, each, strict=True)]
        else:
            choices = [moves or [stay] for stay, moves in zip(staying, each, strict=True)]
        for chosen in itertools.product(*choices):
            made = tuple([move for move, _ in chosen])
            if any(move is not None for move in made):
                yield made, tuple([option for _, option in chosen])

    def apply(self, position: Positions, move: Moves) -> Positions:
        """Make the moves of all components, or raise `IllegalMoveError`."""
        if not isinstance(move, tuple) or len(move) != len(self.parts) or not self._allows(position, move):
            raise self.illegal_move(position, move)
        try:
            return tuple(
                at if inner is None else part.ruleset.apply(at, inner)
                for (part, at), inner in zip(self._pairs(position), move, strict=True)
            )
        except IllegalMoveError:
            raise self.illegal_move(position, move) from None

    def _allows(self, position: Positions, move: Moves) -> bool:
        if self.is_over(position):
            return False
        moved = sum(inner is not None for inner in move)
        if self.compound == "conjunctive":
            return all(
                inner is not None or next(iter(part.ruleset.moves(at)), None) is None
                for (part, at), inner in zip(self._pairs(position), move, strict=True)
            )
        return moved == 1 if self.compound == "disjunctive" else moved >= 1

    def validate(self, position: Any) -> Positions:
        """Check that there is a position for every component."""
        if not isinstance(position, tuple | list) or len(position) != len(self.parts):
            raise SgaiError(
                f"{quote(position)} is not a tuple of {len(self.parts)} positions, one for every component of "
                f"{shortened(str(self))}"
            )
        return tuple(part.ruleset.validate(at) for part, at in zip(self.parts, position, strict=True))

    def canonical(self, position: Positions) -> Positions:
        """Bring every component to its canonical form, and components with the same rules into order."""
        forms = [part.ruleset.canonical(at) for part, at in self._pairs(position)]
        places: dict[AnyRuleset, list[int]] = {}
        for i, part in enumerate(self.parts):
            places.setdefault(part.ruleset, []).append(i)
        for same in places.values():
            for i, form in zip(same, sorted((forms[i] for i in same), key=repr), strict=True):
                forms[i] = form
        return tuple(forms)

    # Text

    def format(self, position: Positions) -> str:
        """Write the positions of the components, joined by `` & ``."""
        return " & ".join(_packed(part.ruleset.format(at)) for part, at in self._pairs(position))

    def parse(self, text: str) -> Positions:
        """Read the positions of the components, joined by ``&``."""
        texts = _split_text(text)
        if len(texts) != len(self.parts):
            raise SgaiError(
                f"{quote(text)} has {len(texts)} components; {shortened(str(self))} has {len(self.parts)}, as in "
                f"{quote(self.format(self.initial()))}"
            )
        return tuple(part.ruleset.parse(each) for part, each in zip(self.parts, texts, strict=True))

    def format_move(self, position: Positions, move: Moves) -> str:
        """Write the moves of all components in order, joined by `` & ``, with ``-`` for one that does not move."""
        return " & ".join(
            "-" if inner is None else _packed(part.ruleset.format_move(at, inner))
            for (part, at), inner in zip(self._pairs(position), move, strict=True)
        )

    def parse_move(self, position: Positions, text: str) -> Moves:
        """Read the moves of all components."""
        try:
            texts = _split_text(text, keep_dash=True)
            if len(texts) != len(self.parts):
                raise self.illegal_move(position, text)
            move = tuple(
                None if each is None else part.ruleset.parse_move(at, each)
                for (part, at), each in zip(self._pairs(position), texts, strict=True)
            )
            self.apply(position, move)
        except IllegalMoveError:
            raise self.illegal_move(position, text) from None
        return move

    # The move alphabet: every component's own, with 0 for none, as digits of one number

    def num_moves(self) -> int:
        """Return the number of combinations of moves, or of single moves where they are made one at a time."""
        sizes = [len(slot.moves) for slot in self._slots()]
        return sum(sizes) if self.compound == "disjunctive" else math.prod(size + 1 for size in sizes) - 1

    def move_index(self, move: Moves) -> int:
        """Return the index of a move."""
        slots = self._slots()
        if not isinstance(move, tuple) or len(move) != len(slots) or all(inner is None for inner in move):
            raise IllegalMoveError(f"{quote(str(move))} is no move of {shortened(str(self))}")
        try:
            digits = [
                0 if inner is None else 1 + slot.move_indices[inner] for slot, inner in zip(slots, move, strict=True)
            ]
        except (KeyError, TypeError):
            raise IllegalMoveError(f"{quote(str(move))} is no move of {shortened(str(self))}") from None
        if self.compound == "disjunctive":
            moved = [i for i, digit in enumerate(digits) if digit]
            if len(moved) > 1:
                raise IllegalMoveError(f"{quote(str(move))} is no move of {shortened(str(self))}")
            return sum(len(slot.moves) for slot in slots[: moved[0]]) + digits[moved[0]] - 1
        code = 0
        for slot, digit in zip(slots, digits, strict=True):
            code = code * (len(slot.moves) + 1) + digit
        return code - 1

    def move_from_index(self, index: int) -> Moves:
        """Return the move with an index."""
        count = self.num_moves()
        if not 0 <= index < count:
            raise IllegalMoveError(
                f"{index} is no index of a move of {shortened(str(self))}; they run from 0 to {count - 1}"
            )
        slots = self._slots()
        if self.compound == "disjunctive":
            for i, slot in enumerate(slots):
                if index < len(slot.moves):
                    return self._alone(i, slot.moves[index])
                index -= len(slot.moves)
        move: list[Any] = []
        code = index + 1
        for slot in reversed(slots):
            code, digit = divmod(code, len(slot.moves) + 1)
            move.append(slot.moves[digit - 1] if digit else None)
        return tuple(reversed(move))

    def legal_indices(self, position: Positions) -> list[int]:
        """Return the indices of the legal moves, ascending.

        Raises
        ------
        SgaiError
            If there are too many to list.
        """
        if self.is_over(position):
            return []
        slots = self._slots()
        each = [
            sorted(1 + slot.move_indices[move] for move, _ in part.ruleset.moves(at))
            for slot, (part, at) in zip(slots, self._pairs(position), strict=True)
        ]
        sizes = [len(slot.moves) for slot in slots]
        if self.compound == "disjunctive":
            offsets = itertools.accumulate([0, *sizes])
            return [offset + digit - 1 for offset, digits in zip(offsets, each, strict=False) for digit in digits]
        choices = [[0, *digits] if self.compound == "selective" or not digits else digits for digits in each]
        count = math.prod(map(len, choices))
        if count > _MOST_LEGAL:
            raise SgaiError(
                f"{quote(self.format(position))} of {shortened(str(self))} has {count:,} legal moves, more than the "
                f"{_MOST_LEGAL:,} that are listed: choose fewer or smaller components"
            )
        codes = [0]
        for size, digits in zip(sizes, choices, strict=True):
            codes = [code * (size + 1) + digit for code in codes for digit in digits]
        return [code - 1 for code in codes if code]

    def max_game_length(self) -> int:
        """Return a bound from the components' longest plays: one after the other, or at the same time."""
        longest = [slot.longest_play for slot in self._slots()]
        if self.compound == "conjunctive":
            return min(longest) if self.ending == "first" else max(longest)
        return sum(longest)

    def tensor_shape(self) -> tuple[int, ...]:
        """Return one number for every position that each component can reach."""
        return (sum(len(slot.indices) for slot in self._slots()),)

    def encode(self, position: Positions) -> "npt.NDArray[np.float32]":
        """Return the position of each component, one-hot, one behind the other."""
        import numpy as np  # rules load without it

        tensor = np.zeros(self.tensor_shape(), dtype=np.float32)
        offset = 0
        for slot, at in zip(self._slots(), position, strict=True):
            tensor[offset + slot.indices[at]] = 1.0
            offset += len(slot.indices)
        return tensor

    def _slots(self) -> list[ReachableGraph]:
        kept: list[ReachableGraph] | None = self.__dict__.get("_kept_slots")
        if kept is None:
            kept = self.__dict__["_kept_slots"] = [_slot(part, self.reachable_limit) for part in self.parts]
        return kept

    def _pairs(self, position: Positions) -> Iterator[tuple[Component, Any]]:
        return zip(self.parts, position, strict=True)

    def _alone(self, place: int, move: Any) -> Moves:
        return (*[None] * place, move, *[None] * (len(self.parts) - place - 1))


def in_compound(
    ruleset: AnyRuleset, compound: str, ending: str, position: Any = None, play: str = "normal"
) -> AnyRuleset:
    """Return the compound of the components of a position as a ruleset; the ruleset itself for ordinary sums.

    Parameters
    ----------
    ruleset : Ruleset
        The rules.
    compound, ending : str
        How the components are played together.
    position : hashable, optional
        The position; by default the initial one.
    play : "normal" or "misere"
        Under which convention it will be played.

    Raises
    ------
    SgaiError
        For names that are not known.
    UnsupportedError
        For rulesets that are true for other conventions only, or loopy ones.
    """
    check_convention(play, compound, ending)
    if isinstance(ruleset, CompoundRuleset):
        if (compound, ending) not in (("disjunctive", "last"), (ruleset.compound, ruleset.ending)):
            raise SgaiError(f"{shortened(str(ruleset))} is a {ruleset.compound} compound already")
        return ruleset
    refuse_other_conventions(ruleset, play, compound, ending)
    if (compound, ending) == ("disjunctive", "last"):
        return ruleset
    at = ruleset.initial() if position is None else ruleset.validate(position)
    if ruleset.loopy:  # before its parts are looked at
        return CompoundRuleset(parts=(Component(ruleset, at),), compound=compound, ending=ending)
    return CompoundRuleset(parts=compound_parts(ruleset, at), compound=compound, ending=ending)


class _From:
    """A component as `explore` sees a ruleset."""

    def __init__(self, part: Component) -> None:
        self.part = part
        self.moves, self.format, self.loopy = part.ruleset.moves, part.ruleset.format, part.ruleset.loopy

    def initial(self) -> Any:
        return self.part.position


@functools.lru_cache(maxsize=256)
def _slot(part: Component, limit: int) -> ReachableGraph:
    try:
        return explore(_From(part), limit)  # type: ignore[arg-type]
    except LoopError:
        raise
    except SgaiError:
        raise SgaiError(
            f"the component {part.ruleset.format(part.position)} of {shortened(str(part.ruleset))} can reach more than "
            f"{limit:,} positions, so the moves of a compound cannot be numbered; choose a smaller one"
        ) from None


def _packed(text: str) -> str:
    return json.dumps(text) if "&" in text or '"' in text or text.strip() in ("-", "") else text


def _split_text(text: str, keep_dash: bool = False) -> list[Any]:
    """Split at ``&``, outside quotes; with ``keep_dash``, None stands for an unquoted ``-``."""
    kept = re.findall(_QUOTED, text)
    found: list[Any] = []
    for each in re.sub(_QUOTED, '""', text).split("&"):
        part = each.strip()
        if part == '""':
            try:
                found.append(str(json.loads(kept.pop(0))))
            except json.JSONDecodeError as error:
                raise SgaiError(f"{quote(text)}: a quoted component is not closed: {error}") from None
        else:
            found.append(None if keep_dash and part == "-" else part)
    return found
