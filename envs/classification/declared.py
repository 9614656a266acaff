"""Well-known games whose players have different moves, and plays that prove it where plays can."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sgai.envs.classification.answer import Play
from sgai.envs.classification.checks import Against, Results, against_turns, ends_soon

# Games of these names are another game with the same board, moves and texts.
WRAPPERS = ("add_noise", "cached_tree", "misere", "start_at", "zerosum")

_MOVES_OWN = "each player moves only their own pieces"
_PLACES_OWN = "each player places only pieces of their own"

_REASONS = {
    "amazons": "each player moves only their own amazons",
    "antichess": _MOVES_OWN,
    "breakthrough": _MOVES_OWN,
    "checkers": _MOVES_OWN,
    "chess": _MOVES_OWN,
    "chinese_checkers": _MOVES_OWN,
    "clobber": _MOVES_OWN,
    "connect_four": "each player drops only discs of their own",
    "crazyhouse": _MOVES_OWN,
    "cursor_go": "each player places only stones of their own",
    "go": "each player places only stones of their own",
    "gomoku": _PLACES_OWN,
    "havannah": _PLACES_OWN,
    "hex": _PLACES_OWN,
    "hive": "each player places and moves only their own pieces",
    "lines_of_action": _MOVES_OWN,
    "mancala": "each player sows only from their own pits, and seeds are scored",
    "mnk": _PLACES_OWN,
    "nine_mens_morris": "each player places and moves only their own men",
    "othello": "each player places only discs of their own, and discs are counted at the end",
    "oware": "each player sows only from their own houses, and seeds are scored",
    "pentago": _PLACES_OWN,
    "python_tic_tac_toe": "each player writes only their own mark",
    "quoridor": "each player moves only their own pawn, towards their own goal",
    "shogi": _MOVES_OWN,
    "tic_tac_toe": "each player writes only their own mark",
    "twixt": _PLACES_OWN,
    "ultimate_tic_tac_toe": "each player writes only their own mark",
    "xiangqi": _MOVES_OWN,
    "y": _PLACES_OWN,
}

# Plays that random play hardly finds, on the default board.
_PLAYS: dict[str, tuple[tuple[int, ...], ...]] = {
    # Equal boards with the other player to move, as a piece was taken one row earlier: Black, on a2, wins at once.
    "breakthrough": (
        (108, 596, 196, 682, 302, 584, 397, 634, 482),
        (110, 596, 206, 498, 301, 682, 386, 586, 482, 634),
    ),
    "connect_four": (tuple(map(int, "254300043122204443504302125536366166565111")),),
}


@dataclass(frozen=True)
class Declared:
    """What the table says of a game: why its players' moves differ, and plays that may prove it."""

    reason: str
    plays: tuple[tuple[int, ...], ...] = ()


def innermost(game: Any) -> tuple[str, Mapping[str, Any]]:
    """Return the name and the parameters of a game, or of the one that it is made from.

    Examples
    --------
    >>> import pyspiel
    >>> innermost(pyspiel.load_game("misere(game=start_at(history=1;2,game=nim()))"))
    ('nim', {})
    """
    name, parameters = game.get_type().short_name, game.get_parameters()
    while name in WRAPPERS and isinstance(parameters.get("game"), Mapping):
        inner = dict(parameters["game"])
        name, parameters = inner.pop("name"), inner
    return name, parameters


def declared(game: Any) -> Declared | None:
    """Return what the table says of a game, None where it does not have it.

    Examples
    --------
    >>> import pyspiel
    >>> declared(pyspiel.load_game("misere(game=clobber())")).reason
    'each player moves only their own pieces'
    """
    name, _ = innermost(game)
    reason = _REASONS.get(name)
    if reason is None:
        return None
    return Declared(reason, _PLAYS.get(name, ()) if name == game.get_type().short_name else ())


def against_by_plays(game: Any, plays: tuple[tuple[int, ...], ...]) -> Against | None:
    """Return what the plays show against an impartial game; None where they show nothing or are no plays of it.

    Two plays that end in one position, as their texts have it, with the other player to move show it if one of them
    has an end of the game within two moves where the other has none.
    """
    states = [state for state in (_replayed(game, actions) for actions in plays) if state is not None]
    results = Results()
    for state in states:
        before = game.new_initial_state()
        for action in state.history():
            mover = before.current_player()
            before.apply_action(action)
            found = None if before.is_terminal() else against_turns(before, mover)
            if found is not None:
                return found
        found = results.against(state, mover) if state.is_terminal() else None
        if found is not None:
            return found
    if len(states) == 2 and not any(state.is_terminal() for state in states):
        first, second = states
        if (
            str(first) == str(second)
            and first.current_player() != second.current_player()
            and ends_soon(first) != ends_soon(second)
        ):
            reason = "a position has other options when the other player is to move"
            return Against(reason, (Play.of(first), Play.of(second)))
    return None


def _replayed(game: Any, actions: tuple[int, ...]) -> Any:
    state = game.new_initial_state()
    for action in actions:
        # OpenSpiel does not check actions itself.
        if state.is_terminal() or action not in state.legal_actions():
            return None
        state.apply_action(action)
    return state
