"""What kind of game an OpenSpiel game is: whether search for two players fits it, and whether it is impartial."""

import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import pyspiel

from sgai.envs import bridge
from sgai.errors import SgaiError, UnsupportedError, quote

_PLAYOUTS, _MOST_MOVES = 20, 20_000  # tried to find out that a game is not impartial


@dataclass(frozen=True)
class Misfit:
    """A reason why search for two players who see everything and move in turn does not fit a game.

    Attributes
    ----------
    kind : "players", "simultaneous", "chance", "hidden", "general_sum" or "rewards"
        What does not fit.
    reason : str
        That in words.
    instead : str
        What fits such games.
    """

    kind: str
    reason: str
    instead: str


def misfits(game: Any) -> list[Misfit]:
    """Return what of an OpenSpiel game does not fit search for two players, by what the game declares of itself.

    Examples
    --------
    >>> import pyspiel
    >>> [each.kind for each in misfits(pyspiel.load_game("leduc_poker"))]
    ['chance', 'hidden']
    >>> misfits(pyspiel.load_game("chess"))
    []
    """
    if not isinstance(game, pyspiel.Game):
        raise SgaiError(f"{quote(game)} is not an OpenSpiel game; load one with pyspiel.load_game")
    kind, types = game.get_type(), pyspiel.GameType
    one_shot = kind.information == types.Information.ONE_SHOT
    found = (
        (
            game.num_players() != 2,
            Misfit(
                "players",
                f"it has {game.num_players()} player{'s' * (game.num_players() != 1)}, not 2",
                "search in which each player maximises their own result",
            ),
        ),
        (
            kind.dynamics != types.Dynamics.SEQUENTIAL,
            Misfit(
                "simultaneous",
                "its players do not move in turn",
                "equilibrium methods (CFR, fictitious play) or reinforcement learning",
            ),
        ),
        (
            kind.chance_mode != types.ChanceMode.DETERMINISTIC,
            Misfit("chance", "chance moves in it", "expected values, by expectiminimax or by sampling"),
        ),
        (
            kind.information != types.Information.PERFECT_INFORMATION and not one_shot,
            Misfit(
                "hidden",
                "its players do not see everything",
                "information-set search, equilibrium methods (CFR) or reinforcement learning",
            ),
        ),
        (
            kind.utility != types.Utility.ZERO_SUM,
            Misfit(
                "general_sum",
                "its results do not sum to zero",
                "search in which each player maximises their own result, or reinforcement learning",
            ),
        ),
        (
            kind.reward_model != types.RewardModel.TERMINAL,
            Misfit("rewards", "there are rewards before its end", "reinforcement learning"),
        ),
    )
    return [misfit for applies, misfit in found if applies]


def check_playable(
    game: Any, ignored: Collection[str] = ("general_sum", "rewards"), *, use: str = "for this bot"
) -> None:
    """Raise `UnsupportedError` for a game with misfits of other kinds than those ignored."""
    wrong = [each.reason for each in misfits(game) if each.kind not in ignored]
    if wrong:
        raise UnsupportedError(f"{quote(str(game))} is no game {use}: {', and '.join(wrong)}")


def is_written_in_python(game: Any) -> bool:
    """Tell whether a game is written in Python: some of OpenSpiel 2.0.2's C++ bots crash the process on such games."""
    return not type(game).__module__.startswith("pyspiel")


@dataclass(frozen=True)
class ImpartialAnswer:
    """Whether a game is an impartial game that ends, with who moves last winning (or losing).

    Attributes
    ----------
    answer : "yes", "no" or "unknown"
        "yes" for games that sgai has the rules of.
    reason : str
        Why.
    evidence : str
        What shows it: the line of play that a "no" was found by, else empty.
    """

    answer: str
    reason: str
    evidence: str = ""


def is_impartial_game(game: Any, seed: int = 0) -> ImpartialAnswer:
    """Tell whether an OpenSpiel game is known to be an impartial combinatorial game.

    It is one if sgai has its rules. It is none if it declares chance, hidden information or the like, or if one of
    some random playouts shows a player who moves twice, a draw, or that who moves last both wins and loses. Whether
    both players have the same moves cannot be asked of OpenSpiel's states, so that what passes stays unknown.

    Parameters
    ----------
    game : pyspiel.Game
        Any game.
    seed : int
        Of the playouts.

    Examples
    --------
    >>> import pyspiel
    >>> is_impartial_game(pyspiel.load_game("nim")).answer
    'yes'
    >>> found = is_impartial_game(pyspiel.load_game("tic_tac_toe"))
    >>> found.answer, found.reason
    ('no', 'it can end in a draw')
    """
    wrong = misfits(game)
    if wrong:
        return ImpartialAnswer("no", ", and ".join(each.reason for each in wrong))
    try:
        found = bridge(game)
    except UnsupportedError:
        return _by_playouts(game, random.Random(seed))
    return ImpartialAnswer("yes", f"it is {found.ruleset} under {found.play} play, whose rules sgai has")


def _by_playouts(game: Any, chance: random.Random) -> ImpartialAnswer:
    last_wins: dict[bool, str] = {}
    moves = 0
    for _ in range(_PLAYOUTS):
        state = game.new_initial_state()
        players: list[int] = []
        for player in _played(state, chance):
            if players and player == players[-1]:
                return ImpartialAnswer("no", "a player can move twice in a row", _line(state))
            players.append(player)
            moves += 1
            if moves == _MOST_MOVES:
                return ImpartialAnswer("unknown", f"{moves:,} moves of random play show nothing against it")
        returns = state.returns()
        if returns[0] == returns[1]:
            return ImpartialAnswer("no", "it can end in a draw", _line(state))
        last_wins.setdefault(returns[players[-1]] > returns[1 - players[-1]], _line(state))
        if len(last_wins) == 2:
            evidence = f"{last_wins[True]} (won by who moved last) and {last_wins[False]} (lost)"
            return ImpartialAnswer("no", "who moves last both wins and loses, so that this does not decide", evidence)
    return ImpartialAnswer("unknown", f"{_PLAYOUTS} random playouts show nothing against it, which proves nothing")


def _played(state: Any, chance: random.Random) -> Iterator[int]:
    while not state.is_terminal():
        player = state.current_player()
        state.apply_action(chance.choice(state.legal_actions()))
        yield player


def _line(state: Any) -> str:
    return f"actions {state.history()}"
