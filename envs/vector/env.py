"""Thousands of games of one ruleset, stepped at once, by the conventions of gymnasium's vector environments."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sgai.cell_sets import rows_of_flags
from sgai.conventions import check_convention
from sgai.envs.game import SgaiGame
from sgai.envs.loading import load_game
from sgai.envs.vector.autoreset import AutoresetMode, autoreset_mode
from sgai.envs.vector.buffers import Buffers
from sgai.envs.vector.chance import Streams
from sgai.envs.vector.checks import Seeds, checked_actions, checked_number, checked_seeds
from sgai.envs.vector.games import CellGames, Flags, Floats, Numbers, games_of
from sgai.errors import SgaiError, UnsupportedError, quote
from sgai.parameters import check_choice
from sgai.registry import load_ruleset
from sgai.ruleset import Ruleset

if TYPE_CHECKING:
    from sgai.envs.vector.gymnasium_env import GymnasiumVectorEnv

Infos = dict[str, Any]

MASKS = ("bool", "packed", "none")
_NOBODY = -1


class VectorEnv:
    """Many games of one ruleset, all stepped by one call.

    In every game two players move in turn; the environment shows both sides, so that one learner plays against itself,
    or two take turns. Actions are the moves' indices in the ruleset's alphabet: those of the OpenSpiel game of the same
    ruleset. Observations are the ruleset's tensors, ``ruleset.encode(position)``: the part ``position`` of what the
    OpenSpiel game's observer gives (`openspiel_tensors` has the whole).

    Parameters
    ----------
    ruleset : Ruleset, str or SgaiGame
        A heap game whose heaps are apart, or a removal game; or its text; or an OpenSpiel game of ours, or the text of
        one.
    num_envs : int
        How many games.
    play : "normal" or "misere", optional
        Whether who cannot move loses or wins; by default what the game says.
    seed : int or sequence of int, optional
        For the first `reset` that is given none.
    autoreset : AutoresetMode or str
        What happens to a game that has ended: "same_step", "next_step" or "disabled", as in gymnasium.
    random_moves : int
        Games start after a random number of random moves, from 0 to so many, all numbers alike likely; where that ends
        the game, both are drawn again. With 0 they start in the ruleset's initial position.
    max_moves : int, optional
        Games are truncated after so many moves (those before the start are not counted).
    masks : "bool", "packed" or "none"
        How ``infos["action_mask"]`` says which actions are legal: a bool for each action; eight to a byte, the lowest
        bit first, as by `numpy.packbits`; or not at all.
    copy : bool
        Whether observations and masks are copies. Otherwise they are read-only views, which the next step changes.

    Attributes
    ----------
    ruleset : Ruleset
        The rules.
    play : str
        The convention.
    num_envs, num_actions : int
        The number of games, and of actions.
    single_observation_shape : tuple of int
        The shape of one game's observation.
    autoreset_mode : AutoresetMode
        What happens to games that have ended.

    Raises
    ------
    UnsupportedError
        For a ruleset of another kind.
    SgaiError
        For bad arguments, a game that is over before it starts, and games too many for memory.

    Notes
    -----
    A step of a heap game takes time linear in the results of the heap sizes that come or go; one of a removal game in
    the moves that need the cells which die. Both are compiled, where numba works; else the same code runs as Python.

    Examples
    --------
    >>> env = VectorEnv("nim(piles=[1;2])", num_envs=2, seed=7)
    >>> observations, infos = env.reset()
    >>> observations.tolist(), infos["player"].tolist(), infos["action_mask"].tolist()
    ([[1.0, 1.0], [1.0, 1.0]], [0, 0], [[True, True, True], [True, True, True]])
    >>> observations, rewards, terminations, truncations, infos = env.step([0, 2])
    >>> observations.tolist(), infos["player"].tolist(), terminations.tolist()
    ([[0.0, 1.0], [1.0, 0.0]], [1, 1], [False, False])
    >>> observations, rewards, terminations, truncations, infos = env.step([1, 0])
    >>> rewards.tolist(), terminations.tolist(), infos["final_info"]["winner"].tolist()
    ([0.0, 1.0], [False, True], [-1, 1])
    """

    def __init__(
        self,
        ruleset: Ruleset[Any, Any] | SgaiGame | str,
        num_envs: int,
        *,
        play: str | None = None,
        seed: Seeds = None,
        autoreset: AutoresetMode | str = AutoresetMode.SAME_STEP,
        random_moves: int = 0,
        max_moves: int | None = None,
        masks: str = "bool",
        copy: bool = True,
    ) -> None:
        self.ruleset, own_play = _rules_and_play(ruleset)
        self.play = own_play if play is None else play
        check_convention(self.play, "disjunctive", "last")
        check_choice("masks", masks, MASKS)
        self.num_envs = checked_number("num_envs", num_envs, 1)
        self._random_moves = checked_number("random_moves", random_moves, 0)
        self._max_moves = None if max_moves is None else checked_number("max_moves", max_moves, 1)
        self.autoreset_mode = autoreset_mode(autoreset)
        self._masks, self._copy = masks, copy
        self._games = games_of(self.ruleset, self.num_envs, masks != "none")
        self.num_actions = self._games.moves
        self.single_observation_shape = self.ruleset.tensor_shape()
        self._games.put(slice(0, 1), [self.ruleset.initial()])
        shape = (self.num_envs, *self.single_observation_shape)
        self._tensors, self._last_tensors = Buffers(shape, np.float32), Buffers(shape, np.float32)
        self._shown_masks = Buffers((self.num_envs, self.num_actions if masks == "bool" else 0), np.bool_)
        self._start = self._games.tensors[0].copy(), self._games.mask[0].copy(), int(self._games.legal[0])
        if not self._start[2]:
            raise SgaiError(f"{self.ruleset}: play is over before it starts; choose a start with a move")
        self._all: Flags = np.ones(self.num_envs, dtype=np.bool_)
        self._everyone = _read_only(self._all)  # to show; numba would compile anew for read-only arrays
        self._win = 1.0 if self.play == "normal" else -1.0  # for who made the last move
        self._starts, self._picks = Streams(self.num_envs, purpose=0), Streams(self.num_envs, purpose=1)
        self._seed(self._all, self._random_seeds())
        self._seeds = checked_seeds(seed, self.num_envs)
        self._moves: Numbers = np.zeros(self.num_envs, dtype=np.int64)
        self._ended: Flags = np.zeros(self.num_envs, dtype=np.bool_)
        self._chosen: Numbers = np.zeros(self.num_envs, dtype=np.int64)
        self._given: Numbers = np.zeros(self.num_envs, dtype=np.int64)
        self._is_reset = False

    # The conventions of gymnasium

    def reset(self, *, seed: Seeds = None, options: dict[str, Any] | None = None) -> tuple[Floats, Infos]:
        """Begin all games anew, or some.

        Parameters
        ----------
        seed : int or sequence of int or None, optional
            Game i takes ``seed + i`` or ``seed[i]``, and with it all its random starts to come and the choices of
            `sample_actions` are decided. A game that is given none goes on with its random numbers.
        options : dict, optional
            ``reset_mask``: a bool array that says which games begin anew; the others go on.
            ``positions``: where to start instead of at the initial position: one position, or a list of one for each
            game, of those that are reset.

        Returns
        -------
        observations : float32 array of shape (num_envs, *single_observation_shape)
        infos : dict
            As of `step`.

        Raises
        ------
        SgaiError
            For bad arguments; nothing is changed.
        """
        unknown = set(options or {}) - {"reset_mask", "positions"}
        if unknown:
            raise SgaiError(f"options={quote(options)}: the options of a reset are 'reset_mask' and 'positions'")
        mask = self._checked_mask((options or {}).get("reset_mask"))
        seeds = checked_seeds(seed, self.num_envs)
        positions = self._checked_positions((options or {}).get("positions"), int(mask.sum()))
        if seeds is None and not self._is_reset:
            seeds = self._seeds
        if seeds is not None:
            self._seed(mask & seeds[1], seeds[0])
        which = np.flatnonzero(mask)
        if positions is None:
            self._restart(which)
        else:
            self._games.put(which, positions)
            self._moves[which] = 0
        self._ended[which] = False
        self._is_reset = True
        return self._observations(), self._infos()

    def step(self, actions: npt.ArrayLike) -> tuple[Floats, npt.NDArray[np.float64], Flags, Flags, Infos]:
        """Make a move in every game.

        Parameters
        ----------
        actions : int array of shape (num_envs,)
            The index of a legal move for each game. With ``NEXT_STEP`` the actions of games that have ended are not
            looked at.

        Returns
        -------
        observations : float32 array of shape (num_envs, *single_observation_shape)
            The positions after the moves, with ``SAME_STEP`` the start of the next game where one has ended.
        rewards : float64 array of shape (num_envs,)
            For the player who made the move: 1 if this won the game, -1 if it lost it (the last move under misere
            play), else 0. The other player's reward is the opposite.
        terminations, truncations : bool arrays of shape (num_envs,)
            Whether the game has ended; whether it was stopped because of ``max_moves``.
        infos : dict
            ``player``: int8, who is to move, 0 or 1, or -1 where the game is over. ``action_mask``: which actions are
            legal. ``_player`` and ``_action_mask``: which games these are of, all. Where games have ended:
            ``winner``, int8, -1 where there is none, and ``moves``, the moves that were made, with ``_winner`` and
            ``_moves``. With ``SAME_STEP`` these, the last ``player`` and, where ``max_moves`` is given, the last
            ``action_mask`` are in ``final_info`` instead, and the last observation is in ``final_obs``, each with
            ``_final_info`` or ``_final_obs`` saying for which games; rows of others are 0, or -1 for a player.

        Raises
        ------
        SgaiError
            For an action that is not legal, a game that has ended (with ``DISABLED``), or before `reset`; no game is
            changed.
        """
        if not self._is_reset:
            raise SgaiError("step before reset: reset the games first")
        # In an array of our own: numba would compile anew for a read-only one.
        moves = self._given
        moves[:] = checked_actions(actions, self.num_envs, self.num_actions)
        mode, active, again = self.autoreset_mode, self._all, None
        if mode is not AutoresetMode.SAME_STEP and self._ended.any():
            again, active = np.flatnonzero(self._ended), ~self._ended
            if mode is AutoresetMode.DISABLED:
                raise SgaiError(
                    f"game {again[0]} has ended; reset it first, by reset(options={{'reset_mask': mask}}). "
                    "No game was changed"
                )
        wrong = self._games.first_illegal(moves, active)
        if wrong >= 0:
            raise self._illegal(wrong, int(moves[wrong]))
        self._games.play(moves, active)
        self._moves += 1
        if again is not None:
            self._restart(again)
        terminations = self._games.legal == 0
        rewards = terminations * self._win
        if self._max_moves is None:
            truncations, ended = np.zeros(self.num_envs, dtype=np.bool_), terminations
        else:
            truncations = (self._moves >= self._max_moves) & ~terminations
            ended = terminations | truncations
        which = np.flatnonzero(ended)
        final: Infos = {}
        if mode is not AutoresetMode.SAME_STEP:
            self._ended = ended.copy()
            if len(which):
                final = self._ends(which, ended)
        elif len(which):
            final = self._final(which, ended)
            self._restart(which)
        return self._observations(), rewards, terminations, truncations, {**self._infos(), **final}

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    # What is beside them

    def sample_actions(self) -> Numbers:
        """Return a random legal action for every game, all alike likely; 0 where the game is over.

        Each game has its own random numbers, by its seed; they do not touch the random starts.

        Notes
        -----
        Linear in the heap sizes or, for removal games, in the moves. A choice among n is even up to n / 2**32.
        """
        self._games.choose(self._picks.draws(), self._chosen, self._all)
        return self._chosen.copy()

    @property
    def players(self) -> npt.NDArray[np.int8]:
        """Who is to move in each game: 0 or 1, or -1 where it is over."""
        players = (self._moves & 1).astype(np.int8)
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            players[self._games.legal == 0] = _NOBODY
        return players

    @property
    def num_legal_actions(self) -> Numbers:
        """How many actions are legal in each game."""
        return self._games.legal.copy()

    def action_masks(self) -> Flags:
        """Return whether each action is legal in each game, whatever ``masks`` says of the infos."""
        games = self._games
        return games.mask[:, : games.moves].copy() if games.mask.shape[1] else games.masks_of(games.tensors)

    def legal_actions(self, game: int) -> list[int]:
        """Return the legal actions of one game, ascending."""
        tensors = self._games.tensors[game : game + 1]
        return np.flatnonzero(self._games.masks_of(tensors)[0]).tolist()

    def position(self, game: int) -> Any:
        """Return the position of one game, as the ruleset has it."""
        return self._games.position(game)

    def positions(self) -> list[Any]:
        """Return the positions of all games."""
        return [self._games.position(game) for game in range(self.num_envs)]

    def words(self) -> npt.NDArray[np.uint64]:
        """Return the live cells of removal games as 64-bit words, of shape (num_envs, words); cell i is bit i.

        Raises
        ------
        UnsupportedError
            For a heap game: it has no cells.
        """
        if not isinstance(self._games, CellGames):
            raise UnsupportedError(f"{quote(str(self.ruleset))} has heaps, no cells; its observations count the heaps")
        return rows_of_flags(self._games.tensors > 0)

    def openspiel_tensors(self) -> Floats:
        """Return the observation tensors of the OpenSpiel game: who moves, one-hot, then the position."""
        players = self.players
        over = np.asarray(self._games.legal == 0)
        seats = [((players == seat) & ~over).astype(np.float32)[:, None] for seat in (0, 1)]
        return np.concatenate([*seats, self._games.tensors], axis=1)

    def largest_observation(self) -> Floats:
        """Return a bound on the observations of games that start in the initial position, of their shape."""
        return self._games.largest().reshape(self.single_observation_shape)

    def as_gymnasium(self) -> "GymnasiumVectorEnv":
        """Return these games as a `gymnasium.vector.VectorEnv`; a step of one is a step of the other.

        Raises
        ------
        UnsupportedError
            If gymnasium is not installed: it comes with the extra ``gymnasium``.
        """
        try:
            from sgai.envs.vector.gymnasium_env import GymnasiumVectorEnv  # loads gymnasium
        except ImportError as error:
            raise UnsupportedError(
                f"gymnasium cannot be loaded ({error}); it comes with the extra sgai-openspiel[gymnasium]"
            ) from error
        return GymnasiumVectorEnv(self)

    def __len__(self) -> int:
        return self.num_envs

    def __repr__(self) -> str:
        return f"VectorEnv({str(self.ruleset)!r}, num_envs={self.num_envs}, play={self.play!r})"

    # Inside

    def _seed(self, mask: Flags, seeds: npt.NDArray[np.uint64]) -> None:
        which = np.flatnonzero(mask)
        for streams in (self._starts, self._picks):
            streams.seed(which, seeds[which])

    def _restart(self, which: Numbers) -> None:
        """Begin some games anew, at random starts if these are wanted."""
        games, left = self._games, which
        games.copy_rows(which, *self._start)
        self._moves[which] = 0
        longest = min(self._random_moves, self.ruleset.max_game_length()) if self._random_moves else 0
        while longest and len(left):
            rounds = np.zeros(self.num_envs, dtype=np.int64)
            rounds[left] = (self._starts.draws(left) * (longest + 1)) >> 32
            drawn = np.zeros(self.num_envs, dtype=np.int64)
            while True:
                active = (rounds > 0) & (games.legal > 0)
                if not active.any():
                    break
                moving = np.flatnonzero(active)
                drawn[moving] = self._starts.draws(moving)
                games.choose(drawn, self._chosen, active)
                games.play(self._chosen, active)
                rounds[moving] -= 1
            left = left[games.legal[left] == 0]
            games.copy_rows(left, *self._start)

    def _positions(self) -> Floats:
        return self._games.tensors.reshape(self.num_envs, *self.single_observation_shape)

    def _observations(self) -> Floats:
        return self._tensors.copy_of(self._positions()) if self._copy else _read_only(self._positions())

    def _infos(self) -> Infos:
        infos: Infos = {"player": self.players, "_player": self._everyone}
        if self._masks != "none":
            masks = self._games.mask[:, : self.num_actions]
            if self._masks == "packed":
                shown = np.packbits(masks, axis=1, bitorder="little")
            else:
                shown = self._shown_masks.copy_of(masks) if self._copy else _read_only(masks)
            infos["action_mask"], infos["_action_mask"] = shown, self._everyone
        return infos

    def _ends(self, which: Numbers, ended: Flags) -> Infos:
        """Return what is to be said of games that have ended, before they begin anew."""
        winners = np.full(self.num_envs, _NOBODY, dtype=np.int8)
        over = which[self._games.legal[which] == 0]
        # The player to move has lost, or under misere play won.
        winners[over] = (self._moves[over] & 1) ^ (self.play == "normal")
        moves = np.where(ended, self._moves, 0)
        return {"winner": winners, "_winner": ended.copy(), "moves": moves, "_moves": ended.copy()}

    def _final(self, which: Numbers, ended: Flags) -> Infos:
        games = self._games
        players = np.full(self.num_envs, _NOBODY, dtype=np.int8)
        stopped = which[games.legal[which] > 0]
        players[stopped] = self._moves[stopped] & 1
        info = {**self._ends(which, ended), "player": players, "_player": ended.copy()}
        if self._max_moves is not None and self._masks != "none":
            masks = np.zeros((self.num_envs, self.num_actions), dtype=np.bool_)
            masks[which] = games.mask[which, : self.num_actions]
            packed = self._masks == "packed"
            info["action_mask"] = np.packbits(masks, axis=1, bitorder="little") if packed else masks
            info["_action_mask"] = ended.copy()
        return {
            "final_obs": self._last_tensors.rows_of(self._positions(), which),
            "_final_obs": ended.copy(),
            "final_info": info,
            "_final_info": ended.copy(),
        }

    # Bad input

    def _illegal(self, game: int, action: int) -> SgaiError:
        position, legal = self.position(game), self.legal_actions(game)
        ruleset = self.ruleset
        texts = [f"{each} ({ruleset.format_move(position, ruleset.move_from_index(each))})" for each in legal[:5]]
        more = ", ..." if len(legal) > 5 else ""
        return SgaiError(
            f"game {game}: action {action} is not legal in {quote(ruleset.format(position))} of {ruleset}; legal "
            f"actions: {', '.join(texts) + more}. No game was changed"
        )

    def _checked_mask(self, mask: Any) -> Flags:
        if mask is None:
            return self._all
        if not (isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (self.num_envs,)):
            raise SgaiError(f"reset_mask={quote(mask)}: it should be a bool array of shape ({self.num_envs},)")
        if not self._is_reset and not mask.all():
            raise SgaiError("reset_mask: the first reset is of all games")
        if not mask.any():
            raise SgaiError("reset_mask: it names no game; one at least should be True")
        return mask

    def _checked_positions(self, positions: Any, count: int) -> list[Any] | None:
        if positions is None:
            return None
        several = isinstance(positions, list)
        given = [self._games.check(each) for each in (positions if several else [positions])]
        if several and len(given) != count:
            raise SgaiError(f"{len(given)} positions for {count} games that are reset; give one, or one for each")
        for each in given:
            if next(iter(self.ruleset.moves(each)), None) is None:
                raise SgaiError(f"{quote(self.ruleset.format(each))}: play is over there; choose a start with a move")
        return given

    def _random_seeds(self) -> npt.NDArray[np.uint64]:
        return np.random.default_rng().integers(0, 1 << 64, self.num_envs, dtype=np.uint64)


def make_vector(ruleset: Ruleset[Any, Any] | SgaiGame | str, num_envs: int, **options: Any) -> VectorEnv:
    """Make a `VectorEnv`.

    Parameters
    ----------
    ruleset : Ruleset, SgaiGame or str
        The game.
    num_envs : int
        How many games.
    **options
        As of `VectorEnv`: ``seed``, ``play``, ``autoreset``, ``random_moves``, ``max_moves``, ``masks``, ``copy``.

    Examples
    --------
    >>> env = make_vector("sgai_nim(piles=[3;5],play=misere)", 100, seed=1)
    >>> env.play, env.num_actions, env.reset()[0].shape
    ('misere', 15, (100, 5))
    """
    return VectorEnv(ruleset, num_envs, **options)


def _rules_and_play(given: Any) -> tuple[Ruleset[Any, Any], str]:
    if isinstance(given, str) and given.strip().startswith("sgai_"):
        given = load_game(given)
    if isinstance(given, SgaiGame):
        return given.ruleset, given.play
    ruleset = load_ruleset(given)
    return ruleset, ruleset.default_play()


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
