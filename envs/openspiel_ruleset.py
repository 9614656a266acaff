"""Any impartial game of OpenSpiel as a ruleset, so that solvers and agents work on it."""

from collections.abc import Callable, Collection, Hashable, Iterator
from typing import Any

from sgai.envs.game_types import check_is_game
from sgai.envs.loading import load_game
from sgai.envs.position_key import PositionKey, find_key, tells_players_apart
from sgai.errors import IllegalMoveError, LoopError, SgaiError, UnsupportedError, quote
from sgai.parameters import parameter
from sgai.ruleset import Ruleset

OVER = ("over",)  # the position of all states in which the game is over: none of them has options


class OpenSpielRuleset(Ruleset[Hashable, int]):
    """A game of OpenSpiel whose players have the same moves; its own code says what they are.

    A position is what is left of a state without who is to move; a move is an action of the first state that was seen
    of the position. Make one with `sgai.envs.as_ruleset`, which finds out whether the game is impartial.

    Parameters
    ----------
    game : str
        The text of the game.
    play : "normal" or "misere"
        Whether who moves last wins or loses. A play that ends otherwise is an error where a solver comes to it.

    Notes
    -----
    One state of each position that was looked at is kept, so memory is linear in positions.
    """

    name = "openspiel"

    game: str = parameter(doc="the text of an OpenSpiel game")
    play: str = parameter(default="normal", doc="normal or misere")

    @classmethod
    def of(
        cls, game: Any, play: str, position: Callable[[Any], Hashable] | None = None, key: PositionKey | None = None
    ) -> "OpenSpielRuleset":
        """Return the ruleset of a game.

        Parameters
        ----------
        game : pyspiel.Game
            The game.
        play : "normal" or "misere"
            The convention.
        position : callable, optional
            From a state to a hashable value: all that affects later moves, without who is to move.
        key : PositionKey, optional
            The same, where it was found before.

        Raises
        ------
        UnsupportedError
            If there is no ``position`` and the states' texts do not tell it from who is to move.
        """
        check_is_game(game)
        key = key or find_key(game, position)
        if not tells_players_apart(game, key):
            raise UnsupportedError(
                f"{quote(str(game))}: the texts of its states do not tell the position from who is to move (as in "
                "'... player 0 to move'); give position=, a function from a state to a hashable position without the "
                "player (position=str where the text does not show the player)"
            )
        made = cls(game=str(game), play=play)
        made.__dict__.update(_loaded=game, _reader=key, _function=position)
        return made

    @property
    def openspiel_game(self) -> Any:
        """The game itself."""
        return self._kept("_loaded", lambda: load_game(self.game))

    def initial(self) -> Hashable:
        """Return the position in which play starts."""
        return self.position(self.openspiel_game.new_initial_state())

    def position(self, state: Any) -> Hashable:
        """Return the position of a state of the game; the state is not changed.

        Raises
        ------
        UnsupportedError
            If the position cannot be told from who is to move.
        """
        if state.is_terminal():
            self._check_end(state)
            return OVER
        return self._known(state.clone())

    def moves(self, position: Hashable) -> Iterator[tuple[int, Hashable]]:
        """Yield the actions of a position."""
        if position == OVER:
            return
        state = self._state(position)
        player = state.current_player()
        for action in state.legal_actions():
            child = state.child(action)
            if child.is_terminal():
                self._check_end(child, player)
                yield action, OVER
                continue
            if child.current_player() != 1 - player:
                raise UnsupportedError(
                    f"{quote(self.game)} is no impartial game: after {quote(str(state))} and "
                    f"{quote(state.action_to_string(player, action))} the other player should be to move"
                )
            yield action, self._known(child)

    def default_play(self) -> str:
        """Return the game's own convention."""
        return self.play

    def validate(self, position: Any) -> Hashable:
        """Return a position that play has come to, or can."""
        given = super().validate(position)
        if given == OVER or given in self._states() or given in self._reachable_positions(given):
            return given
        raise SgaiError(f"{quote(position)} is no position that play of {self} can come to")

    def format(self, position: Hashable) -> str:
        """Write a position as its text, in one line."""
        if position == OVER:
            return "over"
        return " / ".join(_lines(position)).strip() if isinstance(position, str) else repr(position)

    def parse(self, text: str) -> Hashable:
        """Read a position, by going through those that play can come to."""
        wanted = text.strip()
        searches: tuple[Callable[[], Collection[Hashable]], ...] = (
            lambda: (OVER, *self._states()),
            lambda: self._reachable_positions(text),
        )
        for positions in searches:
            found = [each for each in positions() if self.format(each).strip() == wanted]
            if found:
                return found[0]
        raise SgaiError(
            f"{quote(text)} is no position that play of {self} can come to; one is {quote(self.format(self.initial()))}"
        )

    def format_move(self, position: Hashable, move: int) -> str:
        """Write a move as the game does, for the player to move in the first state that was seen."""
        state = self._state(position)
        text = str(state.action_to_string(state.current_player(), move))
        others = (other for other in state.legal_actions() if other != move)
        same = any(state.action_to_string(state.current_player(), other) == text for other in others)
        return f"{text} ({move})" if same else text

    def num_moves(self) -> int:
        """Return the number of the game's actions."""
        return int(self.openspiel_game.num_distinct_actions())

    def move_index(self, move: int) -> int:
        """Return the action."""
        return self.move_from_index(move)

    def move_from_index(self, index: int) -> int:
        """Return the action."""
        if not 0 <= index < self.num_moves():
            raise IllegalMoveError(f"{index} is no action of {self}; they run from 0 to {self.num_moves() - 1}")
        return index

    def max_game_length(self) -> int:
        """Return the game's own bound."""
        return int(self.openspiel_game.max_game_length())

    def draw_text(self, position: Hashable) -> str:
        """Return the position's text in its lines."""
        return "\n".join(_lines(position)) if isinstance(position, str) else self.format(position)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        # By its text: OpenSpiel's own pickling of games in Python drops their attributes.
        return _made, (self.game, self.play, self.__dict__.get("_function"))

    def _key(self) -> tuple[Any, ...]:
        return (*super()._key(), self.__dict__.get("_function"))

    def _reachable_positions(self, wanted: object) -> Collection[Hashable]:
        try:
            return self.reachable().indices
        except LoopError:
            raise
        except SgaiError as error:
            raise SgaiError(
                f"{quote(wanted)} is not among the positions of {self} seen so far, and there are too many to look "
                "through; take one from a state, with position(state)"
            ) from error

    def _kept(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self.__dict__:
            self.__dict__[name] = make()
        return self.__dict__[name]

    def _states(self) -> dict[Hashable, Any]:
        states: dict[Hashable, Any] = self._kept("_first_states", dict)
        return states

    def _known(self, state: Any) -> Hashable:
        reader: PositionKey = self._kept("_reader", lambda: find_key(self.openspiel_game))
        position = reader.key(state)
        self._states().setdefault(position, state)
        return position

    def _state(self, position: Hashable) -> Any:
        return self._states()[self.validate(position)]

    def _check_end(self, state: Any, mover: int | None = None) -> None:
        returns = state.returns()
        if mover is None:
            before = self.openspiel_game.new_initial_state()
            mover = before.current_player()
            for action in state.history():
                mover = before.current_player()
                before.apply_action(action)
        margin = returns[mover] - returns[1 - mover]
        if margin == 0 or (margin > 0) != (self.play == "normal"):
            what = "neither wins" if margin == 0 else "who moves last " + ("wins" if margin > 0 else "loses")
            raise UnsupportedError(
                f"{quote(self.game)} is no impartial game under {self.play} play: {what} in {quote(str(state))}"
            )


def _lines(text: str) -> list[str]:
    """Return the lines of a text without what is left at their ends where who is to move was taken out."""
    return [line for line in (line.rstrip(" ,;") for line in text.splitlines()) if line]


def _made(game: str, play: str, position: Callable[[Any], Hashable] | None) -> OpenSpielRuleset:
    return OpenSpielRuleset.of(load_game(game), play, position)
