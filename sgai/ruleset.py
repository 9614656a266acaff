"""The contract of a ruleset: what a game must say of itself to be solved, played, drawn and searched.

A subclass becomes a frozen dataclass by itself: its annotated class attributes are the parameters of the ruleset.
"""

import ast
import dataclasses
import functools
import inspect
import typing
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar, dataclass_transform

from sgai.errors import IllegalMoveError, SgaiError, quote
from sgai.parameters import Parameter, check_arguments, parameter, parameters_of
from sgai.syntax import format_call

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from sgai.reachable import ReachableGraph

PositionT = TypeVar("PositionT", bound=Hashable)
MoveT = TypeVar("MoveT", bound=Hashable)


class Component(NamedTuple):
    """A summand: a position of a ruleset that is independent of everything beside it.

    ``final`` says that it is known to split no further; without it the decomposer asks its ruleset.
    """

    ruleset: "Ruleset[Any, Any]"
    position: Any
    final: bool = False


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(parameter,))
class Ruleset(ABC, Generic[PositionT, MoveT]):
    """The rules of one impartial game.

    A position is an immutable, hashable value that holds everything that affects later moves, and nothing else. Two
    players move in turn with the same options; who cannot move has lost under normal play and won under misere play.

    Subclasses must give `initial` and `moves`. Everything else has a default: text by ``repr``, one component, the
    position itself as canonical form, and a move alphabet, a bound on the length of play and a tensor made by walking
    through all reachable positions (up to `reachable_limit`). Rulesets with equal parameters are equal.

    Attributes
    ----------
    name : str
        The name in text, ``name(key=value)``; OpenSpiel's is ``sgai_`` + name.
    loopy : bool
        Declares that play may go on for ever, which is a draw. A ruleset may set it by its parameters.
    can_be_loopy : bool
        Whether some rulesets of a class that is not loopy itself are, by their parameters.
    normal_disjunctive_only : str
        Why the rules are true to the real game in normal play of disjunctive sums only, so that every other convention
        is refused; empty where they are the game itself.
    rule_methods : tuple of str
        The methods that make the rules: a closed form is believed where it is defined no further up than they are.
    reachable_limit : int
        How many positions the defaults may walk through before they give up with a clear error.

    Examples
    --------
    >>> class Countdown(Ruleset[int, int]):
    ...     '''Take one or two from a single number.'''
    ...     name = "countdown"
    ...     start: int = 4
    ...     def initial(self):
    ...         return self.start
    ...     def moves(self, position):
    ...         for taken in (1, 2):
    ...             if taken <= position:
    ...                 yield taken, position - taken
    >>> countdown = Countdown(start=3)
    >>> list(countdown.moves(countdown.initial()))
    [(1, 2), (2, 1)]
    >>> countdown == Countdown(start=3), str(countdown)
    (True, 'countdown(start=3)')
    """

    name: ClassVar[str] = ""
    loopy: ClassVar[bool] = False
    can_be_loopy: ClassVar[bool] = False
    normal_disjunctive_only: ClassVar[str] = ""
    rule_methods: ClassVar[tuple[str, ...]] = ("moves",)
    reachable_limit: ClassVar[int] = 200_000

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Make the subclass a frozen dataclass whose constructor checks its parameters."""
        super().__init_subclass__(**kwargs)
        doc = cls.__dict__.get("__doc__")
        dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)(cls)
        cls.__doc__ = doc  # where there is none, a dataclass would show its signature
        generated = cls.__init__

        @functools.wraps(generated)
        def checked(self: Any, **given: Any) -> None:
            owner = cls.name or cls.__name__
            generated(self, **check_arguments(owner, type(self).parameters(), given))

        cls.__init__ = checked  # type: ignore[method-assign]

    # Identity and parameters

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """Return the parameters by name, in order of declaration."""
        if "_parameters" not in cls.__dict__:
            for field in dataclasses.fields(cls):  # type: ignore[arg-type]
                if hasattr(Ruleset, field.name):
                    raise SgaiError(
                        f"{cls.__name__} has a parameter {field.name!r}, which is what rulesets call something else; "
                        "choose another name (and give `name` without an annotation)"
                    )
            cls._parameters = parameters_of(cls, _hints(cls))  # type: ignore[attr-defined]
        return typing.cast(dict[str, Parameter], cls.__dict__["_parameters"])

    def arguments(self) -> dict[str, Any]:
        """Return the parameters that differ from their defaults, with their values."""
        values = {name: getattr(self, name) for name in self.parameters()}
        return {name: value for name, value in values.items() if value != self.parameters()[name].default}

    def written(self) -> dict[str, Any]:
        """Return the parameters that text shows: all of the rules, and those of the start that are not the default."""
        kinds = self.parameters()
        values = {name: getattr(self, name) for name in kinds}
        return {
            name: value
            for name, value in values.items()
            if value != kinds[name].default or not (kinds[name].start or value in ("", ()))
        }

    def rules(self) -> "Ruleset[PositionT, MoveT]":
        """Return the same rules without the parameters that say where play starts.

        Values are stored under it, so that games which differ only in their start share them.
        """
        kept = self.__dict__.get("_rules")
        if kept is None:
            starts = {
                each.name: each.default for each in self.parameters().values() if each.start and not each.required
            }
            changed = any(getattr(self, name) != default for name, default in starts.items())
            kept = type(self)(**{**self.arguments(), **starts}) if changed else self
            self.__dict__["_rules"] = kept
        return typing.cast("Ruleset[PositionT, MoveT]", kept)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return type(self) is type(other) and self._key() == typing.cast(Any, other)._key()

    def __hash__(self) -> int:
        kept = self.__dict__.get("_hash")
        if kept is None:
            kept = self.__dict__["_hash"] = hash(self._key())
        return typing.cast(int, kept)

    def _key(self) -> tuple[Any, ...]:
        return (type(self).name, *(getattr(self, name) for name in self.parameters()))

    def __str__(self) -> str:
        texts = [(name, self.parameters()[name].kind.format(value)) for name, value in self.written().items()]
        return format_call(self.name or type(self).__name__, texts)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.written().items())})"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        from sgai.registry import pickled  # a ruleset need not be registered, so the registry comes in only here

        return pickled(self)

    def __copy__(self) -> "Ruleset[PositionT, MoveT]":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Ruleset[PositionT, MoveT]":
        return self

    # The rules

    @abstractmethod
    def initial(self) -> PositionT:
        """Return the position in which play starts."""

    @abstractmethod
    def moves(self, position: PositionT) -> Iterator[tuple[MoveT, PositionT]]:
        """Yield every move with the option (the next position) that it leads to."""

    def options(self, position: PositionT) -> list[PositionT]:
        """Return the options of a position in the order of `moves`."""
        return [option for _, option in self.moves(position)]

    def apply(self, position: PositionT, move: MoveT) -> PositionT:
        """Return the option that a move leads to.

        Raises
        ------
        IllegalMoveError
            If the move is not one of `moves`; the message quotes both.
        """
        for legal, option in self.moves(position):
            if legal == move:
                return option
        raise self.illegal_move(position, move)

    def illegal_move(self, position: PositionT, move: Any) -> IllegalMoveError:
        """Return the error for a move that the rules do not allow, naming some that they do."""
        legal = [self.format_move(position, each) for each, _ in _first(self.moves(position), 6)]
        allowed = (", ".join(legal[:5]) + (", ..." if len(legal) > 5 else "")) or "none, the game is over"
        try:
            shown = move if isinstance(move, str) else self.format_move(position, move)
        except Exception:  # whatever was given need not even look like a move
            shown = str(move)
        return IllegalMoveError(
            f"{quote(shown)} is no legal move in {quote(self.format(position))} of {self}; legal moves: {allowed}"
        )

    def validate(self, position: Any) -> PositionT:
        """Return the normal form of a position that came from outside, or raise `SgaiError` where it is none."""
        try:
            hash(position)
        except TypeError:
            raise SgaiError(f"{quote(position)} is not a position of {self}: positions are immutable values") from None
        return typing.cast(PositionT, position)

    def default_play(self) -> str:
        """Return the convention meant when none is named: "misere" for a game taken over with that rule."""
        return "normal"

    # Structure

    def components(self, position: PositionT) -> Sequence[Component]:
        """Split a position into components that are *proved* independent; by default there is one, the position."""
        return (Component(self, position),)

    def approximate_components(self, position: PositionT) -> Sequence[Component]:  # noqa: ARG002 - for those that have
        """Split a position as if parts that can affect each other could not; by default there is no such split.

        It is *not* proved, so it is only ever a prior: no value, proof or winning move may be drawn from it. Components
        may be of this ruleset, on a smaller position, or of others; none means that there is nothing to gain.
        """
        return ()

    def lift_move(self, position: PositionT, index: int, move: Any) -> MoveT:  # noqa: ARG002 - for those that split
        """Return the move on the whole position that is ``move`` in component number ``index``.

        A ruleset that gives `components` should give this too: winning moves are then found component by component,
        else by looking at every move of the whole.
        """
        return typing.cast(MoveT, move)

    def heap_of(self, position: PositionT) -> int | None:  # noqa: ARG002 - for heap games
        """Return the size of the heap that the position is, where its value is that of one heap in a sequence."""
        return None

    def closed_grundy(self, position: PositionT) -> int | None:  # noqa: ARG002 - for games that have one
        """Return the Grundy value where a theorem gives it without search; by default None.

        Read it through `proved_grundy`, for a subclass may have changed the rules.
        """
        return None

    def closed_outcome(self, position: PositionT) -> str | None:  # noqa: ARG002 - for games that have one
        """Return "N" or "P" of normal play where a theorem gives the outcome without search; by default None.

        Where a theorem gives the Grundy value, `closed_grundy` is enough. Read it through `proved_outcome`.
        """
        return None

    def closed_winning_moves(self, position: PositionT) -> Iterable[MoveT] | None:  # noqa: ARG002
        """Return all moves to a position of Grundy value 0 where a theorem names them; by default None.

        Needed only where there are too many moves to test each of them. Read it through `proved_winning_moves`.
        """
        return None

    def proved_grundy(self, position: PositionT) -> int | None:
        """Return `closed_grundy`, if it was written for these rules."""
        return self.closed_grundy(position) if self._trusts("closed_grundy") else None

    def proved_outcome(self, position: PositionT) -> str | None:
        """Return the outcome of normal play, N or P, where a closed form gives it."""
        outcome = self.closed_outcome(position) if self._trusts("closed_outcome") else None
        if outcome is None:
            value = self.proved_grundy(position)
            outcome = None if value is None else ("N" if value else "P")
        return outcome

    def proved_winning_moves(self, position: PositionT) -> Iterable[MoveT] | None:
        """Return `closed_winning_moves`, if it was written for these rules."""
        return self.closed_winning_moves(position) if self._trusts("closed_winning_moves") else None

    @classmethod
    def has_closed_forms(cls) -> bool:
        """Tell whether the ruleset gives values or outcomes of positions by theorems that hold for its rules."""
        return cls._trusts("closed_grundy") or cls._trusts("closed_outcome")

    @classmethod
    def _trusts(cls, formula: str) -> bool:
        # A subclass that changes the rules inherits formulas which are no longer true.
        kept: dict[str, bool] | None = cls.__dict__.get("_trusted")
        if kept is None:
            kept = {}
            cls._trusted = kept  # type: ignore[attr-defined]
        if formula not in kept:
            given = getattr(cls, formula) is not getattr(Ruleset, formula)
            kept[formula] = given and all(owner(cls, formula) <= owner(cls, name) for name in cls.rule_methods)
        return kept[formula]

    def splits(self) -> bool:
        """Tell whether the ruleset gives `components` of its own."""
        return type(self).components is not Ruleset.components

    def lifts(self) -> bool:
        """Tell whether moves of components can be lifted to the whole position."""
        return not self.splits() or type(self).lift_move is not Ruleset.lift_move

    def canonical(self, position: PositionT) -> PositionT:
        """Return one position for all whose trees of options are the same; by default the position itself.

        Only isomorphic trees (equal options merged) may be identified here, so that the form is safe under every
        convention of play.
        """
        return position

    # Text and pictures

    def format(self, position: PositionT) -> str:
        """Write a position as text that `parse` reads back."""
        return repr(position)

    def parse(self, text: str) -> PositionT:
        """Read a position.

        Raises
        ------
        SgaiError
            If the text is no position; the message quotes it.
        """
        try:
            value = ast.literal_eval(text.strip())
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            example = self.format(self.initial())
            raise SgaiError(f"{quote(text)} is not a position of {self}; one is {quote(example)}") from None
        return self.validate(value)

    def format_move(self, position: PositionT, move: MoveT) -> str:  # noqa: ARG002 - for moves that need the position
        """Write a move as text; different legal moves of one position have different texts."""
        return str(move)

    def parse_move(self, position: PositionT, text: str) -> MoveT:
        """Return the legal move that is written so.

        Raises
        ------
        IllegalMoveError
            If no legal move is.
        """
        wanted = text.replace(" ", "")
        for move, _ in self.moves(position):
            if self.format_move(position, move).replace(" ", "") == wanted:
                return move
        raise self.illegal_move(position, text)

    def draw_text(self, position: PositionT) -> str:
        """Return a drawing for a terminal."""
        from sgai.drawing import draw_text  # drawing is loaded only where something is drawn

        return draw_text(self, position)

    def draw_svg(self, position: PositionT) -> str:
        """Return a drawing as an SVG document."""
        from sgai.drawing import draw_svg  # drawing is loaded only where something is drawn

        return draw_svg(self, position)

    def _repr_svg_(self) -> str:
        return self.draw_svg(self.initial())

    # What OpenSpiel and learners need besides

    def reachable(self) -> "ReachableGraph":
        """Return all positions reachable from `initial`, walked through once and kept.

        Raises
        ------
        SgaiError
            If there are more than `reachable_limit`.
        LoopError
            If play can come back to a position of a ruleset that is not declared loopy.
        """
        kept = self.__dict__.get("_reachable")
        if kept is None:
            from sgai.reachable import explore  # needs the contract itself

            kept = self.__dict__["_reachable"] = explore(self, self.reachable_limit)
        return typing.cast("ReachableGraph", kept)

    def num_moves(self) -> int:
        """Return the size of the move alphabet: every move of every reachable position has an index below it."""
        return len(self.reachable().moves)

    def move_index(self, move: MoveT) -> int:
        """Return the index of a move in the alphabet."""
        try:
            return self.reachable().move_indices[move]
        except (KeyError, TypeError):
            raise IllegalMoveError(f"{quote(str(move))} is no move of {self}") from None

    def move_from_index(self, index: int) -> MoveT:
        """Return the move with an index, the inverse of `move_index`."""
        if not 0 <= index < self.num_moves():
            raise self.no_such_index(index)
        return typing.cast(MoveT, self.reachable().moves[index])

    def no_such_index(self, index: int) -> IllegalMoveError:
        """Return the error for an index that is none of a move."""
        return IllegalMoveError(f"{index} is no index of a move of {self}; they run from 0 to {self.num_moves() - 1}")

    def legal_indices(self, position: PositionT) -> list[int]:
        """Return the indices of the legal moves, ascending."""
        return sorted(self.move_index(move) for move, _ in self.moves(position))

    def max_game_length(self) -> int:
        """Return a bound on the number of moves of any play from `initial`.

        Raises
        ------
        SgaiError
            If the ruleset is loopy: there is none.
        """
        if self.loopy:
            raise SgaiError(f"{self} is declared loopy: play may go on for ever, so its length has no bound")
        return self.reachable().longest_play

    def tensor_shape(self) -> tuple[int, ...]:
        """Return the shape of `encode`'s result; by default one number for every reachable position."""
        return (len(self.reachable().indices),)

    def encode(self, position: PositionT) -> "npt.NDArray[np.float32]":
        """Return the position as a float32 tensor of `tensor_shape`; by default it is one-hot."""
        import numpy as np  # rules load without it

        tensor = np.zeros(self.tensor_shape(), dtype=np.float32)
        tensor[self.reachable().indices[position]] = 1.0
        return tensor


def owner(cls: type, name: str) -> int:
    """Return how far up a class's ancestry an attribute is defined: 0 in the class itself, 1 in the next one, ..."""
    return next(distance for distance, base in enumerate(cls.__mro__) if name in base.__dict__)


def _hints(cls: type) -> dict[str, Any]:
    """Resolve annotations, also those of classes that were defined inside a function."""
    names: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        module = inspect.getmodule(base)
        names.update(vars(module) if module else {})
    return typing.get_type_hints(cls, localns=names)


def _first(items: Iterator[Any], count: int) -> list[Any]:
    return [item for item, _ in zip(items, range(count), strict=False)]
