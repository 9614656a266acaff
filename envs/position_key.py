"""The position of an OpenSpiel state: what the state is, without who is to move."""

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from sgai.envs.game import SgaiGame
from sgai.errors import UnsupportedError, quote

_PLAYOUTS, _MOST_STATES = 20, 2_000  # looked at to find out how a game writes who is to move

# How texts say who is to move.
_MARKERS = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        r"^\(\d\):",
        r"\b(?:current|active|next)[ _]?player\b\s*[:=]?\s*\w+",
        r"\bplayer\b\s*[:=#]?\s*\w+(?:'s turn\b| (?:is )?to (?:move|play)\b)?",
        r"\b(?:to[ _]play|to[ _]move|turn|next|mover)\b\s*[:=]\s*\w+",
        r"\b\w+(?: \(\w+\))?(?:'s turn\b| (?:is )?to (?:move|play)\b)",
        r"\bp[01]\b",
    )
)


class PositionKey(ABC):
    """How to read the position of a state of one game, so that equal positions have equal, hashable keys.

    Attributes
    ----------
    description : str
        What the position is read from, in words.
    """

    description: str

    @abstractmethod
    def key(self, state: Any) -> Hashable:
        """Return the position of a state in which a player is to move.

        Raises
        ------
        UnsupportedError
            Where the position cannot be told from the player.
        """

    @abstractmethod
    def end_key(self, state: Any) -> Hashable:
        """Return the position of a state in which the game is over, None where it cannot be told."""


class GivenKey(PositionKey):
    """The position by a function of a user's.

    Parameters
    ----------
    position : callable
        From a state to a hashable value that holds everything that affects later moves, except who is to move.
    description : str
        What that is.
    """

    def __init__(self, position: Callable[[Any], Hashable], description: str = "what position= returns") -> None:
        self.position, self.description = position, description

    def key(self, state: Any) -> Hashable:
        """Return what the function returns, if it can be hashed."""
        value = self.position(state)
        if value is None:
            raise UnsupportedError("position= returned None; return a tuple, text or a number")
        try:
            hash(value)
        except TypeError:
            raise UnsupportedError(
                f"position= returned {quote(value)}, which cannot be hashed; return a tuple, text or a number"
            ) from None
        return value

    def end_key(self, state: Any) -> Hashable:
        """Return what the function returns, if it takes such a state."""
        try:
            return self.key(state)
        except Exception:  # a function of a user's need not be made for it
            return None


class TextKey(PositionKey):
    """The position by the state's text, with the phrase taken out that says who is to move.

    Key and player together make the text again, so that nothing else is lost.

    Parameters
    ----------
    marker : pattern or None
        Matches the phrase, once in each text; None where the text does not say who is to move.
    players : dict
        From the phrase to the player: there is one phrase for each.
    """

    def __init__(self, marker: "re.Pattern[str] | None" = None, players: dict[str, int] | None = None) -> None:
        self._marker, self._players = marker, players or {}
        self.description = "the state's text" if marker is None else "the state's text without the player to move"

    @property
    def strips(self) -> bool:
        """Whether the text says who is to move."""
        return self._marker is not None

    def key(self, state: Any) -> Hashable:
        """Return the text without the player."""
        text = str(state)
        if self._marker is None:
            return text
        found = list(self._marker.finditer(text))
        if len(found) != 1 or self._players.get(found[0].group()) != state.current_player():
            raise UnsupportedError(
                f"the text {quote(text)} does not say who is to move as other states' texts do; give position=, a "
                "function from a state to its position"
            )
        return _without(text, found[0])

    def end_key(self, state: Any) -> Hashable:
        """Return the text without what stands where the player does in others."""
        text = str(state)
        found = [] if self._marker is None else list(self._marker.finditer(text))
        return _without(text, found[0]) if len(found) == 1 else text


def _without(text: str, found: "re.Match[str]") -> str:
    return text[: found.start()] + text[found.end() :]


def own_key(game: Any) -> PositionKey | None:
    """Return how to read positions of sgai's own games, None for others."""
    if isinstance(game, SgaiGame):
        return GivenKey(lambda state: state.position, "the position of the ruleset")
    return None


def find_key(game: Any, position: Callable[[Any], Hashable] | None = None) -> PositionKey:
    """Return how to read the positions of a game's states.

    Parameters
    ----------
    game : pyspiel.Game
        A sequential game of two players without chance.
    position : callable, optional
        From a state to its position; by default the text of a state without the phrase for the player to move. It is
        found by looking at random playouts: a phrase such as "player 0 to move" that is in each text once, and is one
        of two.
    """
    if position is not None:
        return GivenKey(position)
    found = own_key(game)
    if found is not None:
        return found
    seen = list(_sample(game))
    for marker in _MARKERS:
        players = _players(marker, seen)
        if players is not None:
            return TextKey(marker, players)
    return TextKey()


def tells_players_apart(game: Any, key: PositionKey) -> bool:
    """Tell whether keys are known to be without the player: by a phrase taken out, or a text both players have seen."""
    if not isinstance(key, TextKey) or key.strips:
        return True
    players: dict[str, int] = {}
    return any(players.setdefault(text, player) != player for text, player in _sample(game))


def _sample(game: Any) -> Iterable[tuple[str, int]]:
    chance, states = random.Random(0), 0
    for _ in range(_PLAYOUTS):
        state = game.new_initial_state()
        while not state.is_terminal() and state.current_player() in (0, 1) and states < _MOST_STATES:
            yield str(state), state.current_player()
            states += 1
            actions = state.legal_actions()
            if not actions:
                break
            state.apply_action(chance.choice(actions))


def _players(marker: "re.Pattern[str]", seen: list[tuple[str, int]]) -> dict[str, int] | None:
    """Return which phrase stands for which player, None where the marker does not say it."""
    players: dict[str, int] = {}
    for text, player in seen:
        found = marker.findall(text)
        if len(found) != 1 or players.setdefault(found[0], player) != player:
            return None
    return players if sorted(players.values()) == [0, 1] else None
