"""The text form of rulesets and agents: OpenSpiel's own ``name(key=value,key=value)``.

OpenSpiel splits at commas and equals signs, so lists and codes stand in brackets, where ``;`` stands for ``,`` and
``~`` for ``=``.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote

from sgai.errors import SgaiError, quote

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


class Call(NamedTuple):
    """A name with its arguments, still as text."""

    name: str
    arguments: dict[str, str]


def is_call(text: str) -> bool:
    """Tell whether the text starts as ``name`` or ``name(...`` does (a take-and-break code does not).

    Examples
    --------
    >>> is_call("nim(piles=[3])"), is_call("kayles"), is_call("0.77"), is_call("A.1")
    (True, True, False, False)
    """
    match = _NAME.match(text.strip())
    return match is not None and text.strip()[match.end() :].lstrip()[:1] in ("", "(")


def parse_call(text: str) -> Call:
    """Parse ``name(key=value,...)``; values keep their brackets.

    Raises
    ------
    SgaiError
        If a bracket is not closed, an argument is no ``key=value``, or a key comes twice.

    Examples
    --------
    >>> parse_call("subtraction(take=[2;5],piles=[7])")
    Call(name='subtraction', arguments={'take': '[2;5]', 'piles': '[7]'})
    >>> parse_call("nim(pile_sizes=1;3;5)")
    Call(name='nim', arguments={'pile_sizes': '1;3;5'})
    """
    stripped = text.strip()
    match = _NAME.match(stripped)
    if match is None:
        raise SgaiError(f"{quote(text)} does not start with a name; write name or name(key=value,key=value)")
    name, rest = match.group(), stripped[match.end() :].strip()
    if not rest:
        return Call(name, {})
    if not (rest.startswith("(") and rest.endswith(")")):
        raise SgaiError(f"{quote(text)}: after {name!r} should come arguments in parentheses, as name(key=value)")
    arguments: dict[str, str] = {}
    for group in split(rest[1:-1], ","):
        key = ""
        for argument in split(group, ";"):
            found = re.search("[=~]", argument)
            if found is not None:
                key = argument[: found.start()].strip()
                if key in arguments:
                    raise SgaiError(f"{quote(text)}: {key!r} is given twice")
                arguments[key] = argument[found.end() :].strip()
            elif key:
                arguments[key] += ";" + argument  # a list without brackets, as OpenSpiel's nim has it
            else:
                raise SgaiError(f"{quote(text)}: {quote(argument)} should be key=value")
    return Call(name, arguments)


def format_call(name: str, arguments: Iterable[tuple[str, str]]) -> str:
    """Write a name and its arguments; without arguments the name alone.

    Examples
    --------
    >>> format_call("nim", [("piles", "[3;4]")])
    'nim(piles=[3;4])'
    """
    inside = ",".join(f"{key}={value}" for key, value in arguments)
    return f"{name}({inside})" if inside else name


def split(text: str, separators: str = ",;") -> list[str]:
    """Split at the separators that stand outside all brackets; empty text has no parts.

    Raises
    ------
    SgaiError
        If brackets do not match.

    Examples
    --------
    >>> split("nim(piles=[3;4]);0.77")
    ['nim(piles=[3;4])', '0.77']
    """
    parts: list[str] = []
    expected: list[str] = []
    start = 0
    for i, character in enumerate(text):
        if character in _CLOSING:
            expected.append(_CLOSING[character])
        elif character in _CLOSING.values():
            if not expected or expected.pop() != character:
                raise SgaiError(f"{quote(text)}: {character!r} at character {i + 1} closes no bracket")
        elif character in separators and not expected:
            parts.append(text[start:i].strip())
            start = i + 1
    if expected:
        raise SgaiError(f"{quote(text)}: {expected[-1]!r} is missing at the end")
    last = text[start:].strip()
    return [*parts, last] if parts or last else []


def unbracket(text: str) -> str:
    """Take off one pair of square brackets that holds the whole text.

    Examples
    --------
    >>> unbracket("[3;4]"), unbracket("3;4"), unbracket("[1];[2]")
    ('3;4', '3;4', '[1];[2]')
    """
    text = text.strip()
    if not text.startswith("["):
        return text
    depth = 0
    for i, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if depth == 0:
            return text[1:-1].strip() if i == len(text) - 1 else text
    return text


def bracketed_to_plain(text: str) -> str:
    """Read text that may stand in brackets, where ``;`` is a comma, ``~`` an equals sign, and ``%3B`` a semicolon.

    Examples
    --------
    >>> bracketed_to_plain("[0.{1;2}{6}]"), bracketed_to_plain("4!.0")
    ('0.{1,2}{6}', '4!.0')
    """
    inside = unbracket(text)
    if inside == text.strip():
        return inside
    return unquote(inside.replace(";", ",").replace("~", "="))


def plain_to_bracketed(text: str) -> str:
    """Write text in brackets, the inverse of `bracketed_to_plain`.

    What would be misread there, brackets without a partner included, is written by its code, as in web addresses.

    Examples
    --------
    >>> plain_to_bracketed("4=.0"), plain_to_bracketed("a;b")
    ('[4~.0]', '[a%3Bb]')
    """
    coded = text.replace("%", "%25").replace(";", "%3B").replace("~", "%7E")
    try:
        split(coded)
    except SgaiError:
        for bracket in "()[]{}":
            coded = coded.replace(bracket, f"%{ord(bracket):02X}")
    return "[" + coded.replace(",", ";").replace("=", "~") + "]"
