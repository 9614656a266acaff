"""The one pair of OpenSpiel classes that serves every ruleset."""

import copy
import re
from collections.abc import Callable
from typing import Any, ClassVar

import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from sgai.compounds.ruleset import in_compound
from sgai.conventions import check_convention
from sgai.envs.node import Node, NodeCache
from sgai.envs.observer import PositionObserver
from sgai.envs.starting import checked_start
from sgai.errors import SgaiError, quote
from sgai.loopy import check_loopy_convention
from sgai.parameters import BOOLEAN, INTEGER, REAL, Kind, Parameter, check_integer
from sgai.registry import ensure_registered, origin, ruleset_class
from sgai.ruleset import Ruleset

PREFIX = "sgai_"
HORIZON = 100  # plies after which a play of a loopy game is a draw, where the game does not say
CONVENTION_DEFAULTS = {"play": "normal", "compound": "disjunctive", "ending": "last"}

_LARGEST_INT = 2**31 - 1
_NATIVE = (INTEGER, REAL, BOOLEAN)  # kinds that OpenSpiel's own parser reads
# OpenSpiel knows a parameter's type from its default only, so required ones have a default that stands for none.
_MISSING: dict[Kind, Any] = {INTEGER: -(2**31), REAL: -1.7976931348623157e308}


def game_type(cls: type[Ruleset[Any, Any]]) -> pyspiel.GameType:
    """Return what OpenSpiel wants to know of a ruleset before it is loaded."""
    specification = {each.name: _spiel_default(each) for each in cls.parameters().values()}
    doc = ((cls.__doc__ or "").strip() or cls.__name__).splitlines()[0]
    return pyspiel.GameType(
        short_name=PREFIX + cls.name,
        long_name=f"sgai {cls.name}: {doc}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**specification, **CONVENTION_DEFAULTS, **_horizon_default(cls)},
    )


def _horizon_default(cls: type[Ruleset[Any, Any]]) -> dict[str, int]:
    return {"horizon": HORIZON} if cls.loopy or cls.can_be_loopy else {}


def _spiel_default(parameter: Parameter) -> Any:
    if parameter.required:
        return _MISSING.get(parameter.kind, "")
    return parameter.default if parameter.kind in _NATIVE else parameter.kind.format(parameter.default)


class SgaiGame(pyspiel.Game):
    """A ruleset as an OpenSpiel game: two players, and who cannot move loses (or wins, with ``play=misere``).

    Load it by name, ``pyspiel.load_game("sgai_nim(piles=[3;4;5])")``. Games of rulesets that are loopy take a
    ``horizon``: after so many plies the play is a draw, and returns are 0.

    Attributes
    ----------
    ruleset : Ruleset
        The rules; those of the compound as a whole, with ``compound`` or ``ending`` other than the defaults.
    play : str
        "normal" or "misere".
    horizon : int
        For loopy rulesets, the most plies of a play; else 0.
    """

    ruleset_name: ClassVar[str]  # given by the subclass that `game_class` makes for each ruleset

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        cls = ruleset_class(self.ruleset_name)
        given = dict(params or {})
        convention = {key: given.pop(key, default) for key, default in CONVENTION_DEFAULTS.items()}
        horizon = given.pop("horizon", None) if _horizon_default(cls) else None
        try:
            check_convention(**convention)
            written = cls(**_values(cls.parameters(), given))
            self.ruleset = in_compound(written, **convention)
            self.play: str = convention["play"]
            self.horizon = _horizon(self.ruleset, horizon)
            if self.horizon:
                check_loopy_convention(self.ruleset, **convention)
            info = _game_info(self.ruleset, self.horizon)
            self.nodes = NodeCache(self.ruleset)
            self.start = self.nodes.node(self.ruleset.initial())
            if self.start.over:
                raise SgaiError(f"{self.ruleset}: play is over before it starts; choose a start with a move")
        except SgaiError as error:
            raise pyspiel.SpielError(str(error)) from error
        changed = {key: value for key, value in convention.items() if value != CONVENTION_DEFAULTS[key]}
        kinds = cls.parameters()
        shown = {
            key: value if kinds[key].kind in _NATIVE else kinds[key].kind.format(value)
            for key, value in written.written().items()
        }
        if self.horizon not in (0, HORIZON):
            changed["horizon"] = self.horizon
        self._params = {**shown, **changed}
        super().__init__(game_type(cls), info, self._params)

    def new_initial_state(self, state: str | None = None) -> "SgaiState":
        """Return a state at the start of the game, or at a start given as text.

        Parameters
        ----------
        state : str, optional
            A position as the ruleset writes it, or the text of a state, which also says who moves.

        Raises
        ------
        pyspiel.SpielError
            If the text is no position, or one that `new_initial_state_at` refuses.

        Examples
        --------
        >>> import pyspiel, sgai.envs
        >>> game = pyspiel.load_game("sgai_nim(piles=[3;4;5])")
        >>> print(game.new_initial_state("[1;4]"))
        [1;4], player 0 to move
        """
        if state is None:
            return self._state()
        if not isinstance(state, str):
            raise pyspiel.SpielError(f"{quote(state)} is no text of a state; one is {quote(str(self._state()))}")
        text, player, left = _split_state_text(state)
        if left not in (None, self.horizon):
            raise pyspiel.SpielError(f"{quote(state)}: a play starts with all of its {self.horizon} plies left")
        try:
            position = self.ruleset.parse(text)
        except SgaiError as error:
            raise pyspiel.SpielError(str(error)) from error
        return self.new_initial_state_at(position, player)

    def new_initial_state_at(self, position: Any, player: int = 0) -> "SgaiState":
        """Return a state in which play starts at another position than the game's.

        It copies, pickles and serialises as others do. Its history begins at ``state.start``, so what replays a
        history from ``game.new_initial_state()`` cannot follow it.

        Parameters
        ----------
        position : hashable
            A position of the ruleset. It need not be reachable from the game's start, but actions, tensor and the bound
            on a play's length are the game's, and have to hold it.
        player : int
            Who moves first, 0 or 1.

        Raises
        ------
        pyspiel.SpielError
            If it is no position of the ruleset, one without a move, or one that the game does not hold.

        Examples
        --------
        >>> import pyspiel, sgai.envs
        >>> game = pyspiel.load_game("sgai_nim(piles=[3;4;5])")
        >>> state = game.new_initial_state_at((1, 4), player=1)
        >>> print(state, state.start)
        [1;4], player 1 to move (1, 4)
        """
        if player not in (0, 1):
            raise pyspiel.SpielError(f"player={quote(player)} cannot move first; players are 0 and 1")
        try:
            position = checked_start(self.ruleset, position)
            return self._state(self.nodes.node(position), int(player))
        except SgaiError as error:
            raise pyspiel.SpielError(str(error)) from error

    def _state(self, start: Node | None = None, player: int = 0) -> "SgaiState":
        if self.horizon:
            from sgai.envs.horizon import HorizonState  # a kind of the states defined here

            return HorizonState(self, start, player)
        return SgaiState(self, start, player)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return an observer: the position's tensor, and one-hot who moves."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return PositionObserver(self.ruleset, params, self.horizon)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        # OpenSpiel's own pickling drops the attributes, and knows no game that the process has not registered.
        name = self.ruleset_name
        return _load_pickled, (self._params, name, *origin(name))

    def __copy__(self) -> "SgaiGame":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "SgaiGame":
        return self


def game_class(name: str) -> type[SgaiGame]:
    """Return the class of the OpenSpiel game of one ruleset."""
    return type(f"SgaiGame_{name}", (SgaiGame,), {"ruleset_name": name, "__doc__": SgaiGame.__doc__})


class SgaiState(pyspiel.State):
    """A position with the player to move."""

    def __init__(self, game: SgaiGame, start: Node | None = None, player: int = 0) -> None:
        super().__init__(game)
        # Copied by every clone: a number and an object that is its own copy.
        self._node: Node = start or game.start
        self._player = player
        if start is not None:  # the usual state goes without it: each attribute makes clones slower
            self._start = start

    @property
    def position(self) -> Any:
        """The position of the ruleset."""
        return self._node.position

    @property
    def start(self) -> Any:
        """The position in which play began, where `history` sets in."""
        return self.__dict__.get("_start", self.get_game().start).position

    def current_player(self) -> int:
        """Return the player to move, or the id that says that the game is over."""
        return int(pyspiel.PlayerId.TERMINAL) if self._node.over else self._player

    def is_terminal(self) -> bool:
        """Tell whether no move is left."""
        return self._node.over

    def returns(self) -> list[float]:
        """Return 1 for the winner and -1 for the loser once no move is left, zeros before that."""
        if not self._node.over:
            return [0.0, 0.0]
        return [1.0, -1.0] if self._winner() == 0 else [-1.0, 1.0]

    def _winner(self) -> int:
        return self._player if self.get_game().play == "misere" else 1 - self._player

    def _legal_actions(self, player: int) -> list[int]:  # noqa: ARG002 - OpenSpiel asks for the player to move only
        return self._node.actions

    def _apply_action(self, action: int) -> None:
        try:
            self._node = self._node.after(action)
        except SgaiError as error:
            raise pyspiel.SpielError(str(error)) from error
        self._player = 1 - self._player

    def _action_to_string(self, player: int, action: int) -> str:  # noqa: ARG002 - moves are the same for both
        try:
            return self._node.text(action)
        except SgaiError as error:
            raise pyspiel.SpielError(str(error)) from error

    def __str__(self) -> str:
        # OpenSpiel's tabular algorithms take states with equal text for equal, so the player must be in it.
        text = self._node.ruleset.format(self._node.position)
        if self.is_terminal():
            return f"{text}, {self._over_text()}"
        return f"{text}, player {self._player} to move"

    def _over_text(self) -> str:
        return f"player {self._winner()} has won"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        game, history = self.get_game(), self.history()
        if "_start" not in self.__dict__:
            return _replay_pickled, (game, history)
        return _replay_pickled, (game, history, self.start, self._player ^ len(history) & 1)

    def __copy__(self) -> "SgaiState":
        return self.clone()  # type: ignore[no-any-return]

    def __deepcopy__(self, memo: dict[int, Any]) -> "SgaiState":
        # OpenSpiel's clone deep-copies the attributes of a state, not the state: there is no way back to here.
        return self.clone()  # type: ignore[no-any-return]


def _split_state_text(text: str) -> tuple[str, int, int | None]:
    match = re.fullmatch(r"(.*), player ([01]) to move(?:, (\d+) pl(?:y|ies) left)?", text.strip(), re.DOTALL)
    return (match[1], int(match[2]), int(match[3]) if match[3] else None) if match else (text, 0, None)


def _values(parameters: dict[str, Parameter], given: dict[str, Any]) -> dict[str, Any]:
    return {
        name: parameters[name].parse(value) if name in parameters and isinstance(value, str) else copy.copy(value)
        for name, value in given.items()
        if not (name in parameters and parameters[name].required and value == _spiel_default(parameters[name]))
    }


def _horizon(ruleset: Ruleset[Any, Any], given: Any) -> int:
    if not ruleset.loopy:
        if given not in (None, HORIZON):
            raise SgaiError(f"horizon={given}: {quote(str(ruleset))} is not loopy, so every play of it ends")
        return 0
    horizon = HORIZON if given is None else check_integer(given)
    if horizon < 1:
        raise SgaiError(f"horizon={horizon}: it is 1 ply or more, after which the play is a draw")
    return horizon


def _game_info(ruleset: Ruleset[Any, Any], horizon: int) -> pyspiel.GameInfo:
    moves, length = ruleset.num_moves(), horizon or ruleset.max_game_length()
    for what, number in (("different moves", moves), ("moves in the longest play", length)):
        if number > _LARGEST_INT:
            raise SgaiError(
                f"{quote(str(ruleset))} has {number:,} {what}; OpenSpiel allows {_LARGEST_INT:,}: choose smaller ones"
            )
    return pyspiel.GameInfo(
        num_distinct_actions=max(1, moves),
        max_chance_outcomes=0,
        num_players=2,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0,
        max_game_length=max(1, length),
    )


def _load_pickled(params: dict[str, Any], name: str, module: str, file: str | None) -> Any:
    import sgai.envs  # noqa: F401 - registers the games in a fresh process

    ensure_registered(name, module, file)
    return pyspiel.load_game(PREFIX + name, params)


def _replay_pickled(game: SgaiGame, history: list[int], start: Any = None, player: int = 0) -> SgaiState:
    state = game.new_initial_state() if start is None else game.new_initial_state_at(start, player)
    for action in history:
        state.apply_action(action)
    return state
