"""From OpenSpiel's states and actions to positions and moves of a ruleset, and back."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from typing import Any

from sgai.budget import Budget
from sgai.envs.game import SgaiGame
from sgai.envs.game_types import check_is_game, misfits
from sgai.envs.openspiel_ruleset import OpenSpielRuleset
from sgai.errors import SgaiError, UnsupportedError, quote
from sgai.parameters import parameter
from sgai.ruleset import Ruleset
from sgai.rulesets.heaps import HeapMove, Heaps, normal_heaps
from sgai.rulesets.subtraction import Nim

_STATES, _SECONDS = 20_000, 5.0  # for finding out whether a game is impartial
_MOST_FOUND = 64  # games of which it is kept
_MOVES_OF_DECLARED = 2_000  # of random plays of a game that is declared to be impartial


_found: "dict[tuple[str, type], OpenSpielRuleset | str]" = {}


class Bridge(ABC):
    """A ruleset that describes an OpenSpiel game.

    Attributes
    ----------
    ruleset : Ruleset
        The rules.
    play : str
        "normal" or "misere".
    """

    ruleset: Ruleset[Any, Any]
    play: str

    @abstractmethod
    def position(self, state: Any) -> Any:
        """Return the position of a state."""

    @abstractmethod
    def action(self, state: Any, move: Any) -> int:
        """Return the action that makes a move in a state."""


class OpenSpielNim(Nim):
    """Nim as OpenSpiel's own game ``nim`` has it: by default who takes the last token loses."""

    play: str = parameter(default="misere", doc="normal or misere")

    def default_play(self) -> str:
        """Return the game's own convention."""
        return self.play

    def rules(self) -> Nim:
        """Return plain Nim: the heaps' values do not depend on the convention."""
        return Nim()

    def written(self) -> dict[str, Any]:
        """Leave the convention out: it is no parameter of the ruleset ``nim``."""
        return {name: value for name, value in super().written().items() if name != "play"}


class _OwnBridge(Bridge):
    def __init__(self, game: SgaiGame) -> None:
        self.ruleset, self.play = game.ruleset, game.play

    def position(self, state: Any) -> Any:
        return state.position

    def action(self, state: Any, move: Any) -> int:  # noqa: ARG002
        return self.ruleset.move_index(move)


class _NimBridge(Bridge):
    """OpenSpiel's C++ ``nim``: piles keep their places, and an action is (taken - 1) * piles + place."""

    def __init__(self, game: Any) -> None:
        parameters = game.get_parameters()
        piles = tuple(int(pile) for pile in parameters["pile_sizes"].split(";"))
        self.play = "misere" if parameters["is_misere"] else "normal"
        self.ruleset = OpenSpielNim(piles=piles, play=self.play)

    def piles(self, state: Any) -> list[int]:
        """Return the piles in their places; the state's text is all that OpenSpiel shows of them."""
        _, _, sizes = str(state).partition(": ")
        return [int(size) for size in sizes.split()]

    def position(self, state: Any) -> Heaps:
        return normal_heaps(self.piles(state))

    def action(self, state: Any, move: HeapMove) -> int:
        piles = self.piles(state)
        taken = move.heap - sum(move.result)
        return (taken - 1) * len(piles) + piles.index(move.heap)


class OpenSpielBridge(Bridge):
    """Any impartial game of OpenSpiel, by its own code.

    Parameters
    ----------
    ruleset : OpenSpielRuleset
        What `as_ruleset` made of the game.
    """

    ruleset: OpenSpielRuleset

    def __init__(self, ruleset: OpenSpielRuleset) -> None:
        self.ruleset, self.play = ruleset, ruleset.play

    def position(self, state: Any) -> Any:
        """Return the state's position."""
        return self.ruleset.position(state)

    def action(self, state: Any, move: Any) -> int:
        """Return the action that leads to the same position as the move, which the other player may call otherwise."""
        wanted = self.ruleset.apply(self.position(state), move)
        actions: list[int] = state.legal_actions()
        if move in actions and self.position(state.child(move)) == wanted:
            return int(move)
        for action in actions:
            if self.position(state.child(action)) == wanted:
                return action
        raise UnsupportedError(
            f"{quote(self.ruleset.game)} is no impartial game: in {quote(str(state))} no action leads to "
            f"{quote(self.ruleset.format(wanted))}, where the other player's does"
        )


def own_bridge(game: Any) -> Bridge | None:
    """Return the bridge of one of sgai's games or OpenSpiel's ``nim``, whose rules sgai has; None for others."""
    if isinstance(game, SgaiGame):
        return _OwnBridge(game)
    return _NimBridge(game) if game.get_type().short_name == "nim" else None


def bridge(game: Any, ruleset: Ruleset[Any, Any] | None = None) -> Bridge:
    """Return the bridge of an OpenSpiel game.

    Parameters
    ----------
    game : pyspiel.Game
        One of sgai's games, OpenSpiel's own ``nim``, or a game that `classify` proves to be impartial in five seconds.
    ruleset : Ruleset, optional
        What `as_ruleset` made of this game, so that nothing has to be found out.

    Raises
    ------
    UnsupportedError
        For other games: it is not known that they are impartial.
    """
    check_is_game(game)
    if isinstance(ruleset, OpenSpielRuleset):
        if ruleset.game != str(game):
            raise SgaiError(f"{ruleset} was made of {ruleset.game}, not of {game}")
        return OpenSpielBridge(ruleset)
    return own_bridge(game) or OpenSpielBridge(_proved(game, None))


def as_ruleset(
    game: Any, *, position: Callable[[Any], Hashable] | None = None, declared_impartial: bool = False
) -> Ruleset[Any, Any]:
    """Return the ruleset that an OpenSpiel game follows, with its convention as the default.

    Parameters
    ----------
    game : pyspiel.Game
        One of sgai's games, OpenSpiel's own ``nim``, or any impartial game.
    position : callable, optional
        From a state to a hashable value: all that affects later moves, without who is to move. By default it is read
        from the state's text, without the phrase that says who is to move.
    declared_impartial : bool
        Whether you vouch that the game is impartial; else `classify` must prove it, in five seconds. It is refused if
        its type or a few random plays show otherwise, and these say who wins; the rest is for you to check.

    Returns
    -------
    Ruleset
        For ``nim`` its `default_play` is "misere" unless the game was loaded with ``is_misere=false``. For games that
        sgai has no rules of it is an `OpenSpielRuleset`, which never splits into components.

    Raises
    ------
    UnsupportedError
        If it is not proved that the game is impartial, or positions cannot be told from who is to move.

    Examples
    --------
    >>> import pyspiel, sgai
    >>> ruleset = as_ruleset(pyspiel.load_game("nim"))
    >>> sgai.solve(ruleset).play, sgai.solve(ruleset).outcome
    ('misere', 'P')
    """
    check_is_game(game)
    own = own_bridge(game)
    if own is not None:
        return own.ruleset
    return _vouched(game, position) if declared_impartial else _proved(game, position)


def _proved(game: Any, position: Callable[[Any], Hashable] | None) -> OpenSpielRuleset:
    """Return the ruleset of a game that is proved to be impartial; what was found out is kept."""
    key = (str(game), type(game))  # the class too: a game in Python may be registered anew
    found = _found.get(key) if position is None else None
    if found is None:
        found = _find_out(game, position)
        if position is None:
            if len(_found) >= _MOST_FOUND:
                _found.clear()
            _found[key] = found
    if isinstance(found, str):
        raise UnsupportedError(found)
    return found


def _find_out(game: Any, position: Callable[[Any], Hashable] | None) -> OpenSpielRuleset | str:
    """Return the ruleset of a game that is impartial, or why it is not, or not known to be."""
    from sgai.envs.classification import classify, is_ruled_out  # it needs this module first

    reason = is_ruled_out(game)
    if reason:
        return f"{quote(str(game))} is no impartial game: {reason}"
    found = classify(game, position=position, states=_STATES, seconds=_SECONDS)
    if found.answer == "no":
        return f"{quote(str(game))} is no impartial game: {found.reason}"
    if found.play is None:
        return (
            f"{quote(str(game))} is not known to be an impartial game ({found.reason}); if it is one, "
            "as_ruleset(game, declared_impartial=True) takes your word for it"
        )
    return OpenSpielRuleset.of(game, found.play, position)


def _vouched(game: Any, position: Callable[[Any], Hashable] | None) -> OpenSpielRuleset:
    wrong = misfits(game)
    if wrong:
        raise UnsupportedError(
            f"{quote(str(game))} is no impartial game: {', and '.join(each.reason for each in wrong)}"
        )
    from sgai.envs.classification import against_by_playouts  # it needs this module first

    if game.new_initial_state().is_terminal():
        raise UnsupportedError(f"{quote(str(game))} is over before it starts")
    found = against_by_playouts(game, Budget(_MOVES_OF_DECLARED))
    if found.against is not None:
        raise UnsupportedError(f"{quote(str(game))} is no impartial game: {found.against.reason}")
    if found.play is None:
        raise UnsupportedError(f"{quote(str(game))}: no play ended within {_MOVES_OF_DECLARED:,} moves")
    return OpenSpielRuleset.of(game, found.play, position)
