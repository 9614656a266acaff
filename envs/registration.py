"""Registering rulesets with OpenSpiel."""

import pyspiel

from sgai.envs.game import game_class, game_type
from sgai.errors import SgaiError
from sgai.registry import on_register, ruleset_class


def register_game(name: str) -> None:
    """Register a ruleset as the OpenSpiel game ``sgai_`` + name; a later registration replaces an earlier one."""
    # OpenSpiel releases what it is given only after Python has shut down. That is harmless for a class, which refers to
    # itself; any other callable would be freed then, and the process would abort at its exit.
    try:
        pyspiel.register_game(game_type(ruleset_class(name)), game_class(name))
    except (RuntimeError, TypeError) as error:
        raise SgaiError(f"OpenSpiel cannot take the ruleset {name!r} with these parameters: {error}") from None


def register_all() -> None:
    """Register all rulesets, those of users included, now and whenever one is added."""
    on_register(register_game)
