"""OpenSpiel's environment for reinforcement learning, with starts that vary."""

import operator
from collections.abc import Sequence
from typing import Any

from open_spiel.python import rl_environment

from sgai.envs.game import SgaiGame
from sgai.envs.starts import StartSampler, own_game
from sgai.errors import SgaiError, quote


class SgaiEnvironment(rl_environment.Environment):
    """``rl_environment.Environment`` of one of sgai's games, in which every episode may start somewhere else.

    OpenSpiel's own class works on these games too; this one draws the start, reads a game's text as `load_game` does,
    and refuses at once what would fail at the first reset.

    Parameters
    ----------
    game : SgaiGame or str
        The game, or its text.
    start_sampler : StartSampler, optional
        Where episodes start; it has to be of the same game. By default all start where the game does.
    seed : int, optional
        Of the sampler; nothing else here is random. OpenSpiel's learners take their chance from ``numpy.random``.
    **options
        What else ``rl_environment.Environment`` takes, such as ``discount`` and ``include_full_state``.

    Raises
    ------
    SgaiError
        If the game is none of sgai's or too large for a tensor, or the sampler is of another game.

    Notes
    -----
    An action that is not legal is a ``pyspiel.SpielError`` and changes nothing, also without
    ``enable_legality_check``. After the last step of an episode `step` ignores its action and resets, as OpenSpiel's
    does.

    Examples
    --------
    >>> from sgai.envs import SgaiEnvironment, UniformStarts
    >>> environment = SgaiEnvironment("sgai_nim(piles=[3;4;5])", UniformStarts("sgai_nim(piles=[3;4;5])"), seed=1)
    >>> [str(environment.reset() and environment.get_state) for _ in range(2)]
    ['[1;4], player 0 to move', '[2;3], player 0 to move']
    """

    def __init__(
        self,
        game: SgaiGame | str,
        start_sampler: StartSampler | None = None,
        seed: int | None = None,
        **options: Any,
    ) -> None:
        loaded = own_game(game)
        check_same_game(loaded, start_sampler)
        loaded.ruleset.tensor_shape()
        super().__init__(loaded, **options)
        self.start_sampler = start_sampler
        if seed is not None:
            self.seed(seed)

    def seed(self, seed: int | None = None) -> None:
        """Start the sampler's positions anew from a seed."""
        super().seed(seed)
        if self.start_sampler is not None:
            self.start_sampler.seed(seed)

    def reset(self) -> rl_environment.TimeStep:
        """Start an episode and return its first time step, which has neither rewards nor discounts."""
        if self.start_sampler is None:
            return super().reset()
        self._state = self.start_sampler.state()
        return self.get_time_step()._replace(rewards=None, discounts=None, step_type=rl_environment.StepType.FIRST)


def run_episode(
    environment: rl_environment.Environment, agents: Sequence[Any], is_evaluation: bool = False
) -> rl_environment.TimeStep:
    """Play one episode with OpenSpiel's learners, and tell those that made a move how it ended.

    Whoever made none is not told: OpenSpiel's `QLearner` would take the end for its last move, and fail an assertion
    in the next episode. Starts that are one move from the end are such episodes.

    Parameters
    ----------
    environment : rl_environment.Environment
        Of a game of two players who move in turn.
    agents : sequence of rl_agent.AbstractAgent
        The players.
    is_evaluation : bool
        Whether they play as they have learned, and learn nothing.

    Returns
    -------
    TimeStep
        The last one; its ``rewards`` are the result.
    """
    time_step = environment.reset()
    moved = set()
    while not time_step.last():
        player = time_step.current_player()
        moved.add(player)
        time_step = environment.step([agents[player].step(time_step, is_evaluation).action])
    for player in sorted(moved):
        agents[player].step(time_step, is_evaluation)
    return time_step


def action_number(action: Any) -> int:
    """Return an action as an integer, or raise `SgaiError` for what is none, such as None and 1.5."""
    try:
        return operator.index(action)
    except TypeError:
        raise SgaiError(f"{quote(action)} is no action; actions are integers") from None


def check_same_game(game: SgaiGame, sampler: StartSampler | None) -> None:
    """Raise `SgaiError` if a sampler's positions belong to another game."""
    if sampler is not None and str(sampler.game) != str(game):
        raise SgaiError(f"the start sampler is of {str(sampler.game)!r}, the environment of {str(game)!r}")
