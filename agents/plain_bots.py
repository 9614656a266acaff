"""The baselines on sgai's own search cores as OpenSpiel bots, for sgai's games and OpenSpiel's ``nim``."""

from typing import Any

from sgai.agents.bots import AgentBot
from sgai.agents.plain import AlphaBetaAgent, MCTSAgent
from sgai.envs import Bridge, bridge
from sgai.errors import UnsupportedError


class PlainMCTSBot(AgentBot):
    """`MCTSAgent` as a bot: Monte Carlo tree search on whole positions, without theory.

    Parameters
    ----------
    game : pyspiel.Game
        One of sgai's games, or OpenSpiel's ``nim``, under normal play.
    seconds, nodes, seed
        As of `MCTSAgent`.

    Examples
    --------
    >>> import pyspiel
    >>> game = pyspiel.load_game("sgai_nim(piles=[1;1;2])")
    >>> state = game.new_initial_state()
    >>> state.action_to_string(PlainMCTSBot(game, nodes=2000).step(state))
    '2->0'
    """

    def __init__(self, game: Any, seconds: float | None = None, nodes: int | None = None, seed: int = 0) -> None:
        super().__init__(game, MCTSAgent(_normal(game).ruleset, seconds=seconds, nodes=nodes, seed=seed))


class PlainAlphaBetaBot(AgentBot):
    """`AlphaBetaAgent` as a bot: alpha-beta with a transposition table on whole positions, without theory.

    Parameters
    ----------
    game : pyspiel.Game
        One of sgai's games, or OpenSpiel's ``nim``, under normal play.
    seconds, nodes
        As of `AlphaBetaAgent`.
    """

    def __init__(self, game: Any, seconds: float | None = None, nodes: int | None = None) -> None:
        super().__init__(game, AlphaBetaAgent(_normal(game).ruleset, seconds=seconds, nodes=nodes))


def _normal(game: Any) -> Bridge:
    found = bridge(game)
    if found.play != "normal":
        raise UnsupportedError(f"{str(game)!r} is played {found.play}; the search cores are for normal play")
    return found
