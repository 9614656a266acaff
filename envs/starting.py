"""Which positions a play of an OpenSpiel game may start at."""

from typing import Any

from sgai.errors import SgaiError, quote
from sgai.ruleset import Ruleset
from sgai.rulesets.sums import Sum

AnyRuleset = Ruleset[Any, Any]


def checked_start(ruleset: AnyRuleset, position: Any) -> Any:
    """Return a position in normal form, if a game of the ruleset can start there.

    The game's actions, tensor and bound on the length of a play belong to its own start; another start keeps to them.

    Parameters
    ----------
    ruleset : Ruleset
        The game's, with its own start.
    position : hashable
        Where play is to start.

    Raises
    ------
    SgaiError
        If it is no position of the ruleset, has no move, or is too large for the game.

    Examples
    --------
    >>> import sgai
    >>> checked_start(sgai.load_ruleset("nim(piles=[3;4;5])"), [4, 0, 1])
    (1, 4)
    """
    position = ruleset.validate(position)
    if type(ruleset).move_index is Ruleset.move_index and position not in ruleset.reachable().indices:
        # Such a ruleset knows its positions by listing them; it may know no better whether this is one.
        raise SgaiError(f"{quote(str(position))} is no position that play of {ruleset} can reach; start at one that is")
    shown = quote(ruleset.format(position))
    if next(iter(ruleset.moves(position)), None) is None:
        raise SgaiError(f"{shown} of {ruleset} has no move: play would be over before it starts")
    try:
        for move, _ in ruleset.moves(position):
            ruleset.move_index(move)
        _check_tensor(ruleset, position)
        # Of a loopy game the horizon is the bound, from wherever play starts.
        length, most = (0, 0) if ruleset.loopy else (longest_play_bound(ruleset, position), ruleset.max_game_length())
    except (SgaiError, LookupError) as error:
        raise SgaiError(
            f"{shown} does not fit into {ruleset}: it has a move or a tensor that the game lacks ({error}); start at a "
            "smaller position, or load a larger game"
        ) from error
    if length > most:
        raise SgaiError(
            f"{shown} does not fit into {ruleset}: play from there may take {length} moves, and the game has {most} at "
            "most; start at a smaller position, or load a larger game"
        )
    return position


def longest_play_bound(ruleset: AnyRuleset, position: Any) -> int:
    """Return what `Ruleset.max_game_length` says, were play to start at a position.

    Parameters
    ----------
    ruleset : Ruleset
        The rules. One whose bound does not depend on its `initial` gives its own bound back.
    position : hashable
        A position of it; of rulesets that have their bound by enumeration, a reachable one.

    Examples
    --------
    >>> import sgai
    >>> nim = sgai.load_ruleset("nim(piles=[3;4;5])")
    >>> longest_play_bound(nim, (1, 4)), nim.max_game_length()
    (5, 12)
    """
    if isinstance(ruleset, Sum):
        return sum(longest_play_bound(part, at) for part, at in zip(ruleset.parts, position, strict=True))
    if type(ruleset).max_game_length is Ruleset.max_game_length:
        return ruleset.reachable().longest_plays[position]
    # Bounds ask for `initial`. A twin with another one keeps the tables that are made once, such as those of moves.
    twin = object.__new__(type(ruleset))
    twin.__dict__.update(ruleset.__dict__)
    twin.__dict__["initial"] = lambda: position
    return twin.max_game_length()


def _check_tensor(ruleset: AnyRuleset, position: Any) -> None:
    try:
        shape = ruleset.tensor_shape()
    except SgaiError:
        return  # a game that is too large for any tensor is played without
    if ruleset.encode(position).shape != shape:
        raise SgaiError(f"its tensor is not of shape {shape}")
