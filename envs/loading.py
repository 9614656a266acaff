"""Loading OpenSpiel games from text that people type."""

from collections.abc import Collection
from typing import Any

import pyspiel

from sgai.errors import SgaiError, nearest, quote
from sgai.parameters import parse_integer, unknown_parameter
from sgai.syntax import Call, parse_call


def load_game(text: str) -> Any:
    """Load any OpenSpiel game, forgiving where OpenSpiel's parser is not.

    ``pyspiel.load_game`` reads ``piles=5`` as a number and then refuses it; here text stays text where the game wants
    text, and names that are not known get a suggestion.

    Parameters
    ----------
    text : str
        ``name`` or ``name(key=value,...)``, such as ``nim(pile_sizes=5)`` or ``sgai_kayles(piles=7)``.

    Returns
    -------
    pyspiel.Game

    Raises
    ------
    SgaiError
        If there is no such game or parameter, or the game refuses a value.

    Examples
    --------
    >>> str(load_game("sgai_kayles(piles=7)").new_initial_state())
    '[7], player 0 to move'
    """
    types = {each.short_name: each for each in pyspiel.registered_games()}
    call = _parse(text, types)
    if call.name not in types:
        raise SgaiError(f"unknown OpenSpiel game {call.name!r}{nearest(call.name, types)}")
    defaults = types[call.name].parameter_specification
    values: dict[str, Any] = {}
    for name, given in call.arguments.items():
        if name not in defaults:
            raise unknown_parameter(f"game {call.name!r}", name, sorted(defaults))
        values[name] = _value(name, given, defaults[name])
    if any(isinstance(default, dict) for default in defaults.values()):
        return _loaded(text, pyspiel.load_game, text)  # a game made from a game: its own parser knows how to nest
    return _loaded(text, pyspiel.load_game, call.name, values)


def _parse(text: str, known: Collection[str]) -> Call:
    if text.partition("(")[0].strip() in known and text.strip()[0].isdigit():  # 2048: no name of ours starts so
        call = parse_call(f"_{text.strip()}")
        return Call(call.name[1:], call.arguments)
    return parse_call(text)


def _value(name: str, given: str, default: Any) -> Any:
    try:
        if isinstance(default, bool):
            return {"true": True, "false": False}[given.lower()]
        if isinstance(default, int):
            number = parse_integer(given)
            if not -(2**31) <= number < 2**31:
                raise ValueError(given)
            return number
        if isinstance(default, float):
            return float(given)
    except (KeyError, ValueError):
        wanted = {bool: "true or false", int: "an integer that fits into 32 bits", float: "a number"}[type(default)]
        raise SgaiError(f"{name}={quote(given)} should be {wanted}") from None
    return given


def _loaded(text: str, load: Any, *arguments: Any) -> Any:
    try:
        return load(*arguments)
    except Exception as error:  # the code of a game in Python may raise anything
        raise SgaiError(f"game {quote(text)} cannot be loaded: {error}") from error
