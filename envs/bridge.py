"""From OpenSpiel's states and actions to positions and moves of a ruleset, and back."""

from abc import ABC, abstractmethod
from typing import Any

import pyspiel

from sgai.envs.game import SgaiGame
from sgai.errors import SgaiError, UnsupportedError, quote
from sgai.parameters import parameter
from sgai.ruleset import Ruleset
from sgai.rulesets.heaps import HeapMove, Heaps, normal_heaps
from sgai.rulesets.subtraction import Nim


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


def bridge(game: Any) -> Bridge:
    """Return the bridge of an OpenSpiel game.

    Parameters
    ----------
    game : pyspiel.Game
        One of sgai's games, or OpenSpiel's own ``nim``.

    Raises
    ------
    UnsupportedError
        For other games: it is not known that they are impartial.
    """
    if isinstance(game, SgaiGame):
        return _OwnBridge(game)
    if not isinstance(game, pyspiel.Game):
        raise SgaiError(f"{quote(game)} is not an OpenSpiel game; load one with pyspiel.load_game")
    if game.get_type().short_name == "nim":
        return _NimBridge(game)
    raise UnsupportedError(
        f"{quote(str(game))} is not known to be an impartial game; this version takes sgai's own games and "
        "OpenSpiel's nim"
    )


def as_ruleset(game: Any) -> Ruleset[Any, Any]:
    """Return the ruleset that an OpenSpiel game follows, with its convention as the default.

    Parameters
    ----------
    game : pyspiel.Game
        One of sgai's games, or OpenSpiel's own ``nim``.

    Returns
    -------
    Ruleset
        For ``nim`` its `default_play` is "misere" unless the game was loaded with ``is_misere=false``.

    Raises
    ------
    UnsupportedError
        For other games: it is not known that they are impartial.

    Examples
    --------
    >>> import pyspiel, sgai
    >>> ruleset = as_ruleset(pyspiel.load_game("nim"))
    >>> sgai.solve(ruleset).play, sgai.solve(ruleset).outcome
    ('misere', 'P')
    """
    return bridge(game).ruleset
