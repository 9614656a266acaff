"""The hybrid agent as an OpenSpiel bot, which plays by OpenSpiel's search where there is no theory to use."""

from collections.abc import Callable
from typing import Any

from sgai.agents.agent import Decision
from sgai.agents.bots import AgentBot, PythonBot
from sgai.agents.general import SEARCHES, UNSUITED, GeneralBot
from sgai.agents.hybrid import PRIORS, HybridAgent
from sgai.agents.hybrid_cores import CORES
from sgai.belief_models import BeliefModel
from sgai.envs import Bridge, bridge
from sgai.errors import SgaiError, UnsupportedError
from sgai.parameters import check_choice
from sgai.ruleset import Ruleset


class HybridBot(PythonBot):
    """The hybrid agent as a bot; on games that sgai has no rules of it plays by OpenSpiel's search, and says so.

    Parameters
    ----------
    game : pyspiel.Game
        An impartial game (one of sgai's, OpenSpiel's ``nim``, or one that is proved to be impartial in five seconds),
        in its convention; or any other game.
    seconds : float, optional
        The time for a decision; 0.05 if no other budget is given.
    nodes : int, optional
        In place of seconds, the number of states, nodes and simulations together.
    simulations : int, optional
        In place of seconds, the simulations of MCTS.
    core, prior, strength, audit
        As of `HybridAgent`; OpenSpiel's search makes no use of them.
    beliefs : str, optional
        A file that ``sgai learn-beliefs`` wrote; by default the tables that are shipped.
    seed : int
        Of MCTS and its playouts.
    general : "mcts", "alpha_beta" or "refuse"
        How to play games that sgai has no rules of.
    unsuited : "refuse" or "search"
        Whether to search such a game also if it has chance, hidden information, other than two players or a general
        sum; as of `GeneralBot`.
    ruleset : Ruleset, optional
        What `sgai.envs.as_ruleset` made of the game, where it is not known or proved to be impartial.

    Raises
    ------
    SgaiError
        As of `HybridAgent` and `GeneralBot`.

    Examples
    --------
    >>> import pyspiel
    >>> game = pyspiel.load_game("sgai_kayles(piles=[5;7])")
    >>> bot = HybridBot(game, nodes=1000)
    >>> state = game.new_initial_state()
    >>> state.action_to_string(bot.step(state)), bot.last_decision.status
    ('7->5', 'exact')
    >>> game = pyspiel.load_game("tic_tac_toe")
    >>> bot = HybridBot(game, nodes=1000)
    >>> _ = bot.step(game.new_initial_state())
    >>> bot.explain().splitlines()[0]
    "'tic_tac_toe()' is no impartial game that sgai knows, so Grundy values do not apply."
    """

    def __init__(
        self,
        game: Any,
        seconds: float | None = None,
        nodes: int | None = None,
        simulations: int | None = None,
        core: str = "auto",
        prior: str = "on",
        strength: float = 3.0,
        beliefs: str | None = None,
        seed: int = 0,
        audit: bool = False,
        general: str = "mcts",
        unsuited: str = "refuse",
        ruleset: Ruleset[Any, Any] | None = None,
    ) -> None:
        super().__init__()
        for what, given, words in (
            ("core", core, CORES),
            ("prior", prior, PRIORS),
            ("general", general, SEARCHES),
            ("unsuited", unsuited, UNSUITED),
        ):
            check_choice(what, given, words)
        found = _bridge_or_none(game, ruleset)
        why = "no impartial game that sgai knows"
        self._bot: AgentBot | GeneralBot
        self._explain: Callable[[], str]
        if found is not None:
            agent = HybridAgent(
                found.ruleset,
                seconds=seconds,
                nodes=nodes,
                simulations=simulations,
                core=core,
                prior=prior,
                strength=strength,
                beliefs=None if beliefs is None else BeliefModel.load(beliefs),
                seed=seed,
                audit=audit,
                play=found.play,
            )
            self._bot, self._explain = AgentBot(game, agent), agent.explain
            return
        if simulations is not None:
            if nodes is not None:
                raise SgaiError("give one budget: seconds, nodes or simulations")
            if general == "alpha_beta":
                raise SgaiError(f"simulations={simulations} with general='alpha_beta': simulations are those of MCTS")
        budget = simulations if nodes is None else nodes
        self._bot = GeneralBot(
            game, seconds=seconds, nodes=budget, search=general, unsuited=unsuited, seed=seed, why=why
        )
        self._explain = self._bot.explain

    @property
    def last_decision(self) -> Decision | None:
        """What was decided last: a `HybridDecision`, or a `GeneralDecision` by OpenSpiel's search."""
        return self._bot.last_decision

    def explain(self) -> str:
        """Say in words how the last decision was made.

        Raises
        ------
        SgaiError
            If there was none.
        """
        return self._explain()

    def choose(self, state: Any) -> int:
        """Return the action of the agent's decision, or the one that search finds."""
        return self._bot.choose(state)

    def new_game(self) -> None:
        """Forget what belongs to one game."""
        self._bot.new_game()


def _bridge_or_none(game: Any, ruleset: Ruleset[Any, Any] | None) -> Bridge | None:
    try:
        return bridge(game, ruleset)
    except UnsupportedError:
        return None
