"""OpenSpiel bots: sgai's agents behind a thin adapter, and OpenSpiel's own players made safe and comparable."""

import random
from typing import Any

import pyspiel
from open_spiel.python.algorithms import minimax

from sgai.agents.agent import Agent, Decision
from sgai.agents.exact import ExactAgent
from sgai.agents.game_kinds import check_playable
from sgai.agents.tree_search import DEFAULT_SIMULATIONS, TreeSearch
from sgai.envs import bridge
from sgai.errors import SgaiError
from sgai.ruleset import Ruleset
from sgai.solver import Solver


class PythonBot(pyspiel.Bot):
    """What OpenSpiel's runners ask of a bot, around one method, `choose`."""

    def __init__(self) -> None:
        pyspiel.Bot.__init__(self)

    def choose(self, state: Any) -> int:
        """Return a legal action of a state in which a player is to move; subclasses say which."""
        raise SgaiError(f"{type(self).__name__} does not say how it chooses an action in {str(state)!r}")

    def new_game(self) -> None:
        """Forget what belongs to one game."""

    def step(self, state: Any) -> int:
        """Return the action to make."""
        if state.is_terminal():
            raise pyspiel.SpielError(f"there is no move to decide on in {str(state)!r}: the game is over")
        return self.choose(state)

    def restart(self) -> None:
        """Begin a new game."""
        self.new_game()

    def restart_at(self, state: Any) -> None:  # noqa: ARG002 - every state is decided on afresh
        """Begin in the middle of a game."""
        self.new_game()

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """Take note of the opponent's move; every state is decided on afresh, so there is nothing to note."""

    def provides_policy(self) -> bool:
        """Tell that `get_policy` works."""
        return True

    def get_policy(self, state: Any) -> list[tuple[int, float]]:
        """Return all legal actions with probability 1 for the chosen one."""
        return self.step_with_policy(state)[0]

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """Return the policy and the action."""
        chosen = self.step(state)
        return [(action, 1.0 if action == chosen else 0.0) for action in state.legal_actions()], chosen


class AgentBot(PythonBot):
    """An agent as a bot.

    Parameters
    ----------
    game : pyspiel.Game
        An impartial game: one of sgai's, OpenSpiel's ``nim``, or one that is proved or declared to be impartial.
    agent : Agent
        An agent for ``bridge(game).ruleset``, or for what `sgai.envs.as_ruleset` made of the game.

    Attributes
    ----------
    last_decision : Decision or None
        What the agent said of its last move.
    """

    def __init__(self, game: Any, agent: Agent) -> None:
        super().__init__()
        self._bridge = bridge(game, agent.ruleset)
        self._game_text = str(game)
        self.agent = agent
        self.last_decision: Decision | None = None

    def choose(self, state: Any) -> int:
        """Return the action of the agent's decision."""
        if str(state.get_game()) != self._game_text:
            raise SgaiError(f"this bot was made for {self._game_text}, not for {state.get_game()}")
        self.last_decision = self.agent.decide(self._bridge.position(state))
        return self._bridge.action(state, self.last_decision.move)

    def new_game(self) -> None:
        """Reset the agent."""
        self.agent.reset()


class ExactBot(AgentBot):
    """The exact agent as a bot; it takes the convention from the game.

    Parameters
    ----------
    game : pyspiel.Game
        An impartial game, as of `AgentBot`: ``nim`` in either convention, others under normal play.
    states : int, optional
        The most states to evaluate for a decision; by default as many as `ExactAgent` takes.
    seconds : float, optional
        The most seconds to take for the values of a decision.
    solver : Solver, optional
        Whose values to use and add to; by default the bot's own.
    ruleset : Ruleset, optional
        What `sgai.envs.as_ruleset` made of the game, where it is not known or proved to be impartial.

    Examples
    --------
    >>> import pyspiel, sgai.envs
    >>> game = pyspiel.load_game("nim(pile_sizes=1;3;5;6)")
    >>> pyspiel.evaluate_bots(game.new_initial_state(), [ExactBot(game), RandomBot(game)], 1)
    [1.0, -1.0]
    """

    def __init__(
        self,
        game: Any,
        states: int | None = None,
        seconds: float | None = None,
        solver: Solver | None = None,
        ruleset: Ruleset[Any, Any] | None = None,
    ) -> None:
        found = bridge(game, ruleset)
        super().__init__(
            game, ExactAgent(found.ruleset, play=found.play, states=states, seconds=seconds, solver=solver)
        )


class RandomBot(PythonBot):
    """Makes every legal action with the same probability, in any sequential game of OpenSpiel.

    Parameters
    ----------
    game : pyspiel.Game
        The game.
    seed : int
        Equal seeds give equal actions.
    """

    def __init__(self, game: Any, seed: int = 0) -> None:
        super().__init__()
        check_playable(game)
        self._chance = random.Random(seed)

    def choose(self, state: Any) -> int:
        """Return a random legal action."""
        return int(self._chance.choice(state.legal_actions()))

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """Return equal probabilities and the action."""
        actions = state.legal_actions()
        return [(action, 1.0 / len(actions)) for action in actions], self.step(state)


class MCTSBot(PythonBot):
    """OpenSpiel's own C++ Monte Carlo tree search, with random rollouts.

    ``pyspiel.MCTSBot.step`` crashes the process on games written in Python (OpenSpiel 2.0.2); its search is called
    another way here, with the same result.

    Parameters
    ----------
    game : pyspiel.Game
        Any deterministic two-player game with perfect information.
    simulations : int
        Simulations a move, 2 or more.
    uct_c : float
        Exploration constant of UCT.
    rollouts : int
        Random playouts at each leaf.
    max_memory_mb : int
        Size of the search tree.
    seed : int
        Equal seeds and simulations give equal actions.
    seconds : float, optional
        The time for a move, in place of simulations, which then have no bound. The clock is read between simulations.

    Attributes
    ----------
    last_simulations : int or None
        How many simulations the last search made.
    last_value : float or None
        The result, proved or expected, that the last search gave to its action.
    """

    def __init__(
        self,
        game: Any,
        simulations: int = DEFAULT_SIMULATIONS,
        uct_c: float = 2.0,
        rollouts: int = 1,
        max_memory_mb: int = 1000,
        seed: int = 0,
        seconds: float | None = None,
    ) -> None:
        super().__init__()
        check_playable(game)
        if seconds is not None and simulations != DEFAULT_SIMULATIONS:
            raise SgaiError("give one budget: seconds or simulations")
        self._tree = TreeSearch(
            game,
            simulations=simulations if seconds is None else None,
            seconds=seconds,
            uct_c=uct_c,
            rollouts=rollouts,
            max_memory_mb=max_memory_mb,
            seed=seed,
        )
        self.last_simulations: int | None = None
        self.last_value: float | None = None

    def choose(self, state: Any) -> int:
        """Return the action with the best result of a new search."""
        root = self._tree.search(state)
        self.last_simulations = int(root.explore_count)
        best = root.best_child()
        expected = best.total_reward / best.explore_count if best.explore_count else None
        self.last_value = best.outcome[state.current_player()] if best.outcome else expected
        return int(best.action)


class AlphaBetaBot(PythonBot):
    """OpenSpiel's alpha-beta search to a fixed depth; what it does not see to the end counts as a draw.

    Parameters
    ----------
    game : pyspiel.Game
        Any deterministic two-player game with perfect information and results of opposite sign.
    depth : int
        How many moves to look ahead.
    """

    def __init__(self, game: Any, depth: int = 4) -> None:
        super().__init__()
        check_playable(game)
        if not 1 <= depth < 1000:
            raise SgaiError(f"depth={depth}: it should be from 1 to 999")
        self._game, self._depth = game, depth

    def choose(self, state: Any) -> int:
        """Return the action with the best value; the first one where all look equal."""
        _, action = minimax.alpha_beta_search(
            self._game,
            state=state,
            value_function=lambda _: 0.0,
            maximum_depth=self._depth,
            maximizing_player_id=state.current_player(),
        )
        return int(action)
