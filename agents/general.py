"""OpenSpiel's own searches as a bot, for games that are no impartial games that sgai knows."""

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import pyspiel
from open_spiel.python.algorithms import minimax

from sgai.agents.agent import ESTIMATED, PROVED, Decision
from sgai.agents.bots import PythonBot
from sgai.agents.effort import Effort
from sgai.agents.tree_search import LEAST_SIMULATIONS, MOST_SIMULATIONS, TreeSearch
from sgai.budget import Budget
from sgai.envs.game_types import is_written_in_python, misfits
from sgai.errors import SgaiError, UnsupportedError, quote, shortened
from sgai.parameters import check_choice

SEARCHES, UNSUITED = ("mcts", "alpha_beta", "refuse"), ("refuse", "search")
_DEEPEST = 300  # moves that alpha-beta looks ahead: it calls itself for each
_NEVER = ("simultaneous", "rewards")  # OpenSpiel has no search that takes these


@dataclass(frozen=True)
class GeneralDecision(Decision):
    """A decision by OpenSpiel's search; ``move`` is the action, and ``position`` the text of the state it leads to.

    Attributes
    ----------
    search : str
        What was done, in words.
    move_text : str
        The action as the game writes it.
    value : float or None
        The result that the player to move gets, proved or expected; None where the search gives none.

    Notes
    -----
    ``outcome`` is "N" where it is proved that the player to move wins, "P" for a loss, "D" for a draw.
    """

    search: str = ""
    move_text: str = ""
    value: float | None = None


class GeneralSearch(ABC):
    """Finds an action in a state of any game, within a budget."""

    @abstractmethod
    def decide(self, state: Any) -> GeneralDecision:
        """Choose an action of a state in which a player is to move."""


class GeneralBot(PythonBot):
    """Plays by OpenSpiel's search within a budget, and says that it does.

    Parameters
    ----------
    game : pyspiel.Game
        The game.
    seconds : float, optional
        The time for a decision; 0.05 if no other budget is given.
    nodes : int, optional
        In place of seconds, the simulations of MCTS (2 at least) or the states that alpha-beta looks at.
    search : "mcts", "alpha_beta" or "refuse"
        Which search; "refuse" takes no game.
    unsuited : "refuse" or "search"
        Whether to take games with chance, hidden information, other than two players or a general sum, where OpenSpiel
        has a search for them: MCTS that samples chance and lets each player maximise their own result, or
        information-set MCTS where something is hidden and the game can sample it.
    seed : int
        Of the playouts.
    why : str
        What the game is, so that theory does not play it: for `explain`.

    Raises
    ------
    UnsupportedError
        For a game that is not to be searched, or cannot be; the message says what fits it.

    Examples
    --------
    >>> import pyspiel
    >>> game = pyspiel.load_game("tic_tac_toe")
    >>> bot = GeneralBot(game, nodes=500)
    >>> bot.step(game.new_initial_state()) in range(9), bot.last_decision.status
    (True, 'estimated')
    """

    def __init__(
        self,
        game: Any,
        *,
        seconds: float | None = None,
        nodes: int | None = None,
        search: str = "mcts",
        unsuited: str = "refuse",
        seed: int = 0,
        why: str = "no impartial game that sgai knows",
    ) -> None:
        super().__init__()
        check_choice("search", search, SEARCHES)
        check_choice("unsuited", unsuited, UNSUITED)
        self._name, self._why = quote(str(game)), why
        self._misfits = misfits(game)
        self._check_suited(game, search, unsuited)
        seconds = Effort.of(seconds, nodes=nodes).begin().seconds
        self._search: GeneralSearch
        if any(each.kind == "hidden" for each in self._misfits):
            self._search = InformationSetMCTS(nodes, seconds, seed)
        elif search == "alpha_beta":
            self._search = AlphaBeta(game, nodes, seconds)
        else:
            self._search = MCTS(game, nodes, seconds, seed, proves=not self._misfits)
        self.last_decision: GeneralDecision | None = None

    def choose(self, state: Any) -> int:
        """Return the action that the search finds."""
        if quote(str(state.get_game())) != self._name:
            raise SgaiError(f"this bot was made for {self._name}, not for {state.get_game()}")
        self.last_decision = self._search.decide(state)
        return int(self.last_decision.move)

    def explain(self) -> str:
        """Say in words what was done instead of theory, and what it found."""
        decision = self.last_decision
        if decision is None:
            raise SgaiError("there is no decision to explain yet; call step first")
        lines = [f"{self._name} is {self._why}, so Grundy values do not apply."]
        if self._misfits:
            wrong = ", and ".join(each.reason for each in self._misfits)
            lines.append(f"Search for two players does not fit it ({wrong}): take this for a guess.")
        states = f"{decision.states:,} states in " if decision.states else ""
        lines.append(f"{decision.search}: {states}{1000 * decision.seconds:.0f} ms.")
        lines.append(f"The action {shortened(decision.move_text)} is {_how(decision)}.")
        return "\n".join(lines)

    def _check_suited(self, game: Any, search: str, unsuited: str) -> None:
        if search == "refuse":
            raise UnsupportedError(
                f"{self._name} is no impartial game that sgai knows; general='mcts' or general='alpha_beta' plays it "
                "by OpenSpiel's search"
            )
        if not self._misfits:
            return
        wrong = ", and ".join(f"{each.reason} (what fits: {each.instead})" for each in self._misfits)
        kinds = {each.kind for each in self._misfits}
        message = f"{self._name} is no game for search by two players who see everything: {wrong}"
        if kinds & set(_NEVER):
            raise UnsupportedError(message)
        if "hidden" in kinds and is_written_in_python(game):
            raise UnsupportedError(f"{message}; OpenSpiel's search for it crashes on games written in Python")
        if "hidden" in kinds and not _can_resample(game):
            raise UnsupportedError(f"{message}; OpenSpiel's search for it needs a game that can sample what is hidden")
        if unsuited == "refuse" or search == "alpha_beta":
            raise UnsupportedError(
                f"{message}; unsuited='search' with general='mcts' plays it by OpenSpiel's search all the same"
            )


class MCTS(GeneralSearch):
    """OpenSpiel's C++ MCTS with random playouts and proved results."""

    def __init__(self, game: Any, nodes: int | None, seconds: float | None, seed: int, *, proves: bool) -> None:
        simulations = None if nodes is None else max(LEAST_SIMULATIONS, nodes)
        self._tree = TreeSearch(game, simulations=simulations, seconds=seconds, seed=seed)
        # What is "proved" against chance or players with other aims is proved only if they play as the search does.
        self._proves = proves

    def decide(self, state: Any) -> GeneralDecision:
        """Choose the action with a proved win, or the most visits."""
        started = time.perf_counter()
        root = self._tree.search(state)
        best = root.best_child()
        player = state.current_player()
        result = best.outcome[player] if best.outcome else None
        # A win is one whatever the other actions are; other results are proved when all are.
        proved = self._proves and result is not None and (result > 0 or bool(root.outcome))
        expected = best.total_reward / best.explore_count if best.explore_count else None
        return _made(
            state,
            best.action,
            result if proved else expected,
            proved,
            "OpenSpiel's MCTS with random playouts",
            root.explore_count,
            started,
        )


class InformationSetMCTS(GeneralSearch):
    """OpenSpiel's C++ information-set MCTS, which samples what the player does not see."""

    def __init__(self, nodes: int | None, seconds: float | None, seed: int) -> None:
        seed %= 2**31
        self._nodes = 0 if nodes is None else nodes
        self._bot = pyspiel.ISMCTSBot(
            seed,
            pyspiel.RandomRolloutEvaluator(1, seed),
            2.0,
            MOST_SIMULATIONS if nodes is None else max(LEAST_SIMULATIONS, nodes),
            -1,
            pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT,
            False,
            False,
            -1.0 if seconds is None else seconds,
        )

    def decide(self, state: Any) -> GeneralDecision:
        """Choose the action with the most visits."""
        started = time.perf_counter()
        action = self._bot.step(state)
        # OpenSpiel does not tell how many simulations fitted into the time.
        return _made(state, action, None, False, "OpenSpiel's information-set MCTS", self._nodes, started)


class AlphaBeta(GeneralSearch):
    """OpenSpiel's alpha-beta search, one move deeper each time, without knowledge of what lies beyond its horizon."""

    def __init__(self, game: Any, nodes: int | None, seconds: float | None) -> None:
        self._game, self._nodes, self._seconds = game, nodes, seconds

    def decide(self, state: Any) -> GeneralDecision:
        """Choose a proved win, else an action that the deepest finished search did not refute."""
        started = time.perf_counter()
        watch = _Watch(Budget(MOST_SIMULATIONS if self._nodes is None else self._nodes, self._seconds))
        action, value, proved, depth = state.legal_actions()[0], 0.0, False, 0
        try:
            while not proved and depth < _DEEPEST:
                watch.horizon = False
                value, found = minimax.alpha_beta_search(
                    self._game,
                    state=_Watched(state, watch),
                    value_function=watch.beyond,
                    maximum_depth=depth + 1,
                    maximizing_player_id=state.current_player(),
                )
                depth += 1
                # What lies beyond the horizon counts as a draw, so another result comes from ends of the game alone.
                proved = value != 0 or not watch.horizon
                if depth == 1 or value >= 0:  # in a lost state the action that an earlier search did not refute
                    action = found
        except _Stopped:
            pass
        words = f"OpenSpiel's alpha-beta search, {depth} move{'s' * (depth != 1)} deep"
        return _made(state, int(action), value if proved else None, proved, words, watch.budget.spent, started)


class _Stopped(Exception):
    """The budget of an alpha-beta search is spent."""


class _Watch:
    """Counts the states of a search and stops it; remembers whether the search saw the horizon."""

    def __init__(self, budget: Budget) -> None:
        self.budget, self.horizon = budget, False

    def count(self) -> None:
        if self.budget.is_over():
            raise _Stopped
        self.budget.spent += 1

    def beyond(self, _: Any) -> float:
        self.horizon = True
        return 0.0


class _Watched:
    """A state as OpenSpiel's alpha-beta search asks for it, which cannot be interrupted otherwise."""

    def __init__(self, state: Any, watch: _Watch) -> None:
        self._state, self._watch = state, watch
        self.apply_action = state.apply_action
        self.current_player = state.current_player
        self.legal_actions = state.legal_actions
        self.player_return = state.player_return

    def is_terminal(self) -> bool:
        self._watch.count()
        return bool(self._state.is_terminal())

    def clone(self) -> "_Watched":
        return _Watched(self._state.clone(), self._watch)


def _made(
    state: Any, action: int, value: float | None, proved: bool, search: str, states: int, started: float
) -> GeneralDecision:
    outcome = None
    if proved and value is not None:
        outcome = "D" if value == 0 else "N" if value > 0 else "P"
    return GeneralDecision(
        move=action,
        position=str(state.child(action)),
        status=PROVED if proved else ESTIMATED,
        outcome=outcome,
        components=(),
        states=states,
        seconds=time.perf_counter() - started,
        search=search,
        move_text=state.action_to_string(state.current_player(), action),
        value=value,
    )


def _can_resample(game: Any) -> bool:
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    try:
        state.resample_from_infostate(state.current_player(), lambda: 0.5)
    except pyspiel.SpielError:
        return False
    return True


_PROVED = {"N": "it wins", "P": "every action loses", "D": "no action wins, and it draws"}


def _how(decision: GeneralDecision) -> str:
    if decision.outcome is not None:
        return f"proved: {_PROVED[decision.outcome]}"
    if decision.value is None:
        return "an estimate"
    return f"an estimate: the result expected of it is {decision.value:.2f}"
