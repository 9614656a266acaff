"""Games of a given size and number of components, from the text of one game."""

from typing import Any

import pyspiel

from sgai.envs import bridge, load_game
from sgai.envs.game import SgaiGame
from sgai.errors import SgaiError, UnsupportedError, quote
from sgai.rulesets.heaps import HeapRuleset
from sgai.rulesets.sums import Sum
from sgai.syntax import format_call, parse_call

SIZE = "{size}"
# Parameters that say how large a game is, and how a size is written there; all of a group are set together.
_SIZES = (
    {"piles": "[{}]"},
    {"pile_sizes": "{}"},
    {"vertices": "{}"},
    {"rows": "{}", "columns": "{}"},
    {"board_size": "{}"},
    {"size": "{}"},
)


def sized(text: str, size: int | None) -> str:
    """Return a game's text with a size filled in.

    Parameters
    ----------
    text : str
        An OpenSpiel game. The size goes where ``{size}`` stands; where it stands nowhere, into the parameters that say
        how large a game of this name is (piles, rows and columns, vertices), if they are not given.
    size : int or None
        None leaves a text without ``{size}`` as it is.

    Raises
    ------
    SgaiError
        If it is not clear where the size belongs, or there is none.

    Examples
    --------
    >>> sized("sgai_cram(rows=2,columns={size})", 5), sized("sgai_cram", 3), sized("nim", 4)
    ('sgai_cram(rows=2,columns=5)', 'sgai_cram(rows=3,columns=3)', 'nim(pile_sizes=4)')
    """
    if SIZE in text:
        if size is None:
            raise SgaiError(f"game {quote(text)} needs a size: give --sizes, such as 3,4,5")
        return text.replace(SIZE, str(size))
    if size is None:
        return text
    load_game(text)  # an unknown name gets its own error
    call = parse_call(text)
    known = {each.short_name: each for each in pyspiel.registered_games()}[call.name].parameter_specification
    for group in _SIZES:
        if "vertices" in group and "grid" in call.arguments.get("graph", ""):
            continue  # a grid has rows and columns
        if set(group) <= set(known) and not set(group) & set(call.arguments):
            added = {name: written.format(size) for name, written in group.items()}
            return format_call(call.name, {**call.arguments, **added}.items())
    raise SgaiError(f"game {quote(text)}: write {SIZE} where its size belongs, as in sgai_cram(rows=2,columns={SIZE})")


def with_components(text: str, components: int | None) -> str:
    """Return the text of the sum of so many equal games.

    Heaps are put side by side in one game, other games of sgai become a ``sum``.

    Parameters
    ----------
    text : str
        An OpenSpiel game.
    components : int or None
        How many times; None and 1 leave the text as it is.

    Raises
    ------
    SgaiError
        If the game cannot be added up: it is no game of sgai's and not OpenSpiel's ``nim``.

    Examples
    --------
    >>> with_components("sgai_nim(piles=[5])", 3)
    'sgai_nim(piles=[5;5;5])'
    >>> with_components("sgai_cram(rows=2,columns=3)", 2)
    'sgai_sum(parts=[cram(rows~2;columns~3);cram(rows~2;columns~3)])'
    """
    if components is None or components == 1:
        return text
    game = load_game(text)
    try:
        ruleset: Any = bridge(game).ruleset
    except UnsupportedError:
        raise SgaiError(
            f"components={components}: {quote(text)} cannot be added up; sgai's games and OpenSpiel's nim can"
        ) from None
    call = parse_call(text)
    if isinstance(ruleset, HeapRuleset):
        piles = ";".join(map(str, ruleset.piles * components))
        own = isinstance(game, SgaiGame)
        added = {"piles": f"[{piles}]"} if own else {"pile_sizes": piles}
        return format_call(call.name, {**call.arguments, **added}.items())
    whole = Sum(parts=(ruleset,) * components)
    kinds = whole.parameters()
    arguments = {name: kinds[name].kind.format(value) for name, value in whole.written().items()}
    if "play" in call.arguments:
        arguments["play"] = call.arguments["play"]
    return format_call("sgai_sum", arguments.items())
