"""The typed parameters of rulesets and agents: reading them from text, checking them, writing them back."""

import dataclasses
import inspect
import operator
import re
import types
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from sgai.errors import SgaiError, nearest, quote
from sgai.syntax import bracketed_to_plain, plain_to_bracketed, split, unbracket

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Kind:
    """A type of parameter.

    Parameters
    ----------
    describe : str
        What a right value is, with an example; the end of the sentence "... should be".
    parse : callable
        Text to value; raises `SgaiError`, quoting the text. It should take text in square brackets too.
    format : callable
        Value to text, the inverse of ``parse``; in square brackets, so that OpenSpiel never takes it for a number.
    check : callable
        Any Python value to the normal, immutable form of it; raises `SgaiError`.
    """

    describe: str
    parse: Callable[[str], Any]
    format: Callable[[Any], str]
    check: Callable[[Any], Any]


def parse_integer(text: str) -> int:
    """Read an integer, or say that it is none.

    Examples
    --------
    >>> parse_integer(" 12 ")
    12
    """
    if not re.fullmatch(r"[+-]?[0-9]+", text.strip()):
        raise SgaiError(f"{quote(text)} is not an integer")
    if len(text) > 4000:
        raise SgaiError(f"{quote(text)} is too long a number; write at most 4,000 digits")
    return int(text)


def check_integer(value: Any) -> int:
    """Return the value as ``int`` if it is an integer of any kind (NumPy's too, but no bool)."""
    if isinstance(value, bool):
        raise SgaiError(f"{quote(value)} is not an integer")
    try:
        return int(operator.index(value))
    except TypeError:
        raise SgaiError(f"{quote(value)} is not an integer") from None


def parse_integers(text: str) -> tuple[int, ...]:
    """Read a list of integers; brackets are optional, ``;`` and ``,`` both separate.

    Examples
    --------
    >>> parse_integers("[3;4;7]"), parse_integers("5"), parse_integers("[]")
    ((3, 4, 7), (5,), ())
    """
    return tuple(parse_integer(part) for part in split(unbracket(text)))


def _check_integers(value: Any) -> tuple[int, ...]:
    try:
        return tuple(check_integer(item) for item in value)
    except TypeError:
        raise SgaiError(f"{quote(value)} is not a list of integers") from None


def format_integers(values: tuple[int, ...]) -> str:
    """Write a list of integers in brackets, so that OpenSpiel's parser always reads it as text."""
    return "[" + ";".join(map(str, values)) + "]"


def _parse_real(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SgaiError(f"{quote(text)} is not a number") from None


def _check_real(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SgaiError(f"{quote(value)} is not a number")
    return float(value)


def _parse_boolean(text: str) -> bool:
    lowered = text.strip().lower()
    if lowered not in ("true", "false"):
        raise SgaiError(f"{quote(text)} is neither true nor false")
    return lowered == "true"


def _check_boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise SgaiError(f"{quote(value)} is neither True nor False")
    return value


def _check_text(value: Any) -> str:
    if not isinstance(value, str):
        raise SgaiError(f"{quote(value)} is not text")
    return value


INTEGER = Kind("an integer such as 5", parse_integer, str, check_integer)
REAL = Kind("a number such as 0.5", _parse_real, repr, _check_real)
BOOLEAN = Kind("true or false", _parse_boolean, lambda value: str(value).lower(), _check_boolean)
TEXT = Kind("text, best in brackets: [text]", bracketed_to_plain, plain_to_bracketed, _check_text)
INTEGERS = Kind("a list of integers such as [3;4;7]", parse_integers, format_integers, _check_integers)

_KINDS: dict[Any, Kind] = {int: INTEGER, float: REAL, bool: BOOLEAN, str: TEXT, tuple[int, ...]: INTEGERS}


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One parameter: its name, kind, default, whether it says only where play starts, and a line of documentation."""

    name: str
    kind: Kind
    default: Any
    start: bool
    doc: str

    @property
    def required(self) -> bool:
        """Whether there is no default."""
        return self.default is dataclasses.MISSING

    def parse(self, text: str) -> Any:
        """Read a value, naming the parameter in any error."""
        return self._named(self.kind.parse, text)

    def check(self, value: Any) -> Any:
        """Return the normal form of a value; text is parsed first, where the kind is not text itself."""
        if isinstance(value, str) and self.kind is not TEXT:
            value = self.parse(value)
        return self._named(self.kind.check, value)

    def _named(self, convert: Callable[[Any], Any], value: Any) -> Any:
        try:
            return convert(value)
        except SgaiError as error:
            message = f"{self.name}={value if isinstance(value, str) else quote(value)}: {error}"
            if self.kind.describe.split(" such")[0] not in message:
                message += f"; it should be {self.kind.describe}"
            raise SgaiError(message) from None


def parameter(
    *, default: Any = dataclasses.MISSING, kind: Kind | None = None, start: bool = False, doc: str = ""
) -> Any:
    """Declare a parameter of a ruleset, where an annotation with a default does not say enough.

    Parameters
    ----------
    default : optional
        Value of the parameter when none is given; without it the parameter is required.
    kind : Kind, optional
        How it is read and written; found from the annotation for int, float, bool, str and ``tuple[int, ...]``.
    start : bool
        Whether it says only where play starts: it is then no part of the rules, and values are shared across it.
    doc : str
        A line for ``sgai games``.
    """
    return dataclasses.field(default=default, metadata={"kind": kind, "start": start, "doc": doc})


def parameters_of(cls: type, hints: Mapping[str, Any]) -> dict[str, Parameter]:
    """Collect the parameters of a dataclass from its fields and their resolved annotations."""
    found = {}
    for field in dataclasses.fields(cls):
        kind = field.metadata.get("kind") or _KINDS.get(hints[field.name])
        if kind is None:
            raise SgaiError(
                f"parameter {field.name!r} of {cls.__name__} has the type {hints[field.name]!r}; use int, float, bool, "
                "str or tuple[int, ...], or give a kind: sgai.parameter(kind=...)"
            )
        each = Parameter(
            field.name, kind, field.default, field.metadata.get("start", False), field.metadata.get("doc", "")
        )
        if not each.required:
            normal = each.check(each.default)
            if type(normal) is not type(each.default) or normal != each.default:
                raise SgaiError(
                    f"parameter {field.name!r} of {cls.__name__} has the default {each.default!r}; "
                    f"it should be {normal!r}"
                )
        found[field.name] = each
    return found


def parameters_from_signature(signature: inspect.Signature, skip: Collection[str] = ()) -> dict[str, Parameter]:
    """Collect the parameters of a function from its annotations, leaving out those that are not for users."""
    found = {}
    for name, each in signature.parameters.items():
        if name not in skip:
            kind = _KINDS[_unless_none(each.annotation)]
            default = dataclasses.MISSING if each.default is inspect.Parameter.empty else each.default
            found[name] = Parameter(name, kind, default, start=False, doc="")
    return found


def _unless_none(annotation: Any) -> Any:
    """Return the type beside None in an annotation: text always gives a value."""
    if isinstance(annotation, types.UnionType):
        return next(each for each in annotation.__args__ if each is not type(None))
    return annotation


def unknown_parameter(owner: str, name: str, known: Collection[str]) -> SgaiError:
    """Return the error for a parameter that an owner does not have; it names the nearest one, and all."""
    listed = ", ".join(known) or "none"
    return SgaiError(f"{owner} has no parameter {name!r}{nearest(name, known)}; its parameters are: {listed}")


def check_choice(what: str, given: Any, known: Collection[str]) -> None:
    """Raise `SgaiError` for a value that is none of the known words; it names the nearest one, and all.

    Examples
    --------
    >>> check_choice("play", "misere", ("normal", "misere"))
    """
    if given not in known:
        near = nearest(given, known) if isinstance(given, str) else ""
        raise SgaiError(f"{what}={quote(given)} is unknown{near}; it is one of: {', '.join(known)}")


def check_arguments(owner: str, parameters: Mapping[str, Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Check the names and values given for a list of parameters.

    Returns
    -------
    dict
        The normal form of every value that was given.

    Raises
    ------
    SgaiError
        For an unknown name (with the nearest known one), a missing one, or a value that is not of its kind.
    """
    for name in given:
        if name not in parameters:
            raise unknown_parameter(owner, name, parameters)
    for each in parameters.values():
        if each.required and each.name not in given:
            raise SgaiError(f"{owner} needs the parameter {each.name!r}: {each.kind.describe}")
    return {name: parameters[name].check(value) for name, value in given.items()}
