"""What an OpenSpiel game declares of itself that two players who see everything and move in turn do not fit."""

from dataclasses import dataclass
from typing import Any

import pyspiel

from sgai.errors import SgaiError, quote


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


def check_is_game(game: Any) -> None:
    """Raise `SgaiError` for what is no OpenSpiel game."""
    if not isinstance(game, pyspiel.Game):
        raise SgaiError(f"{quote(game)} is not an OpenSpiel game; load one with pyspiel.load_game")


def is_written_in_python(game: Any) -> bool:
    """Tell whether a game is written in Python: some of OpenSpiel 2.0.2's C++ bots crash the process on such games."""
    return not type(game).__module__.startswith("pyspiel")


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
    check_is_game(game)
    players = game.num_players()
    misfit = Misfit(
        "players",
        f"it has {players} player{'s' * (players != 1)}, not 2",
        "search in which each player maximises their own result",
    )
    return ([misfit] if players != 2 else []) + type_misfits(game.get_type())


def type_misfits(kind: Any) -> list[Misfit]:
    """Return the same of a `pyspiel.GameType`, which does not say how many players there are."""
    types = pyspiel.GameType
    one_shot = kind.information == types.Information.ONE_SHOT
    found = (
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
