"""Any agent as an OpenSpiel policy."""

from typing import Any

from open_spiel.python import policy

from sgai.agents.agent import Agent
from sgai.agents.exact import ExactAgent
from sgai.budget import Budget
from sgai.envs import bridge
from sgai.errors import SgaiError, UnsupportedError, quote
from sgai.parameters import check_choice

SPREADS = ("chosen", "optimal")


class AgentPolicy(policy.Policy):
    """What an agent does in every state, for OpenSpiel's tabular algorithms and exploitability.

    An agent is asked once for each position, so that this is one policy also if the agent decides by chance or by time.

    Parameters
    ----------
    game : pyspiel.Game
        An impartial game: one of sgai's, OpenSpiel's ``nim``, or one that is proved or declared to be impartial.
    agent : Agent, optional
        An agent for ``bridge(game).ruleset``; by default the exact one.
    spread : "chosen" or "optimal"
        Whether the agent's move has probability 1, or all winning moves the same where there are some; the second is
        for the exact agent.

    Examples
    --------
    >>> import pyspiel
    >>> game = pyspiel.load_game("sgai_nim(piles=[2;2;2])")
    >>> state = game.new_initial_state()
    >>> AgentPolicy(game).action_probabilities(state)
    {1: 0.0, 2: 1.0}
    """

    def __init__(self, game: Any, agent: Agent | None = None, *, spread: str = "chosen") -> None:
        super().__init__(game, list(range(game.num_players())))
        self._bridge = bridge(game, None if agent is None else agent.ruleset)
        self._agent = agent or ExactAgent(self._bridge.ruleset, play=self._bridge.play)
        check_choice("spread", spread, SPREADS)
        if spread == "optimal" and not isinstance(self._agent, ExactAgent):
            raise UnsupportedError(
                f"spread='optimal' needs all winning moves, which the agent {self._agent.name!r} does not find; use an "
                "ExactAgent"
            )
        self._spread = spread
        self._good: dict[Any, tuple[Any, ...]] = {}

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """Return every legal action with its probability.

        Raises
        ------
        SgaiError
            If the game is over or another player is to move.
        """
        if player_id is not None and player_id != state.current_player():
            raise SgaiError(f"player {player_id} is not to move in {quote(str(state))}")
        position = self._bridge.position(state)
        good = self._good.get(position)
        if good is None:
            good = self._good[position] = self._find_good(position)
        actions = state.legal_actions()
        if self._spread == "chosen":
            chosen = [self._bridge.action(state, good[0])]
        else:
            chosen = [action for action in actions if self._bridge.position(state.child(action)) in good]
        return {action: 1 / len(chosen) if action in chosen else 0.0 for action in actions}

    def _find_good(self, position: Any) -> tuple[Any, ...]:
        """Return the agent's move, or the positions that good moves lead to."""
        decision = self._agent.decide(position)
        if self._spread == "chosen":
            return (decision.move,)
        agent = self._agent
        assert isinstance(agent, ExactAgent)
        won = agent.solver.winning_moves(
            agent.ruleset, position, play=agent.play, budget=Budget(agent.states, agent.seconds)
        )
        return tuple(each.position for each in won) or (decision.position,)
