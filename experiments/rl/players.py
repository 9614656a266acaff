"""One way to ask all who play: sgai's agents, OpenSpiel's bots, policies and learners."""

import contextlib
import importlib
import inspect
import random
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyspiel
from open_spiel.python import policy, rl_agent
from open_spiel.python.algorithms.tabular_qlearner import QLearner

from sgai.agents import AgentBot, AgentSpec
from sgai.agents.agent import Agent
from sgai.envs.environment import SgaiEnvironment
from sgai.envs.game import SgaiGame
from sgai.errors import SgaiError, quote, quote_path
from sgai.experiments.rl.saved import SavedLearners
from sgai.registry import load_plugin

SEATS = (0, 1)


class Choice(NamedTuple):
    """An action, and the result that is expected for the player to move, from -1 to 1; None where nothing is said."""

    action: Any
    value: float | None = None


class Player(ABC):
    """Who chooses actions in states of one game.

    Attributes
    ----------
    name : str
        For tables.
    seats : tuple of int
        The players, 0 or 1, that it can be.
    """

    name = "player"
    seats: tuple[int, ...] = SEATS

    @abstractmethod
    def choose(self, state: Any) -> Choice:
        """Choose an action of a state in which one of `seats` is to move."""

    def begin(self, state: Any) -> None:  # noqa: B027 - most keep nothing
        """Forget what was, for play begins at this state."""

    def inform(self, state: Any, action: int) -> None:  # noqa: B027 - most look at the state alone
        """Take note of the opponent's action in a state."""


class BotPlayer(Player):
    """An OpenSpiel bot.

    What it expects is read from the attributes ``last_value`` and ``last_decision``, where it has them.
    """

    def __init__(self, bot: Any, name: str) -> None:
        self.bot, self.name = bot, name

    def begin(self, state: Any) -> None:
        """Restart the bot."""
        try:
            self.bot.restart_at(state)
        except Exception:  # bots that keep nothing need not know how
            self.bot.restart()

    def inform(self, state: Any, action: int) -> None:
        """Tell the bot, if it wants to know."""
        if hasattr(self.bot, "inform_action"):
            self.bot.inform_action(state, state.current_player(), action)

    def choose(self, state: Any) -> Choice:
        """Return the bot's action."""
        if type(self.bot) is pyspiel.MCTSBot:  # its `step` crashes the process on games written in Python
            return Choice(self.bot.mcts_search(state).best_child().action)
        action = self.bot.step(state)
        return Choice(action, _expected(self.bot))


class PolicyPlayer(Player):
    """An OpenSpiel policy; its actions are drawn by its probabilities."""

    def __init__(self, subject: Any, name: str, seed: int) -> None:
        self.policy, self.name = subject, name
        self._chance = random.Random(seed)

    def choose(self, state: Any) -> Choice:
        """Return an action drawn from the policy, and the policy's ``value(state)``, if it has one."""
        chances = self.policy.action_probabilities(state)
        action = self._chance.choices(list(chances), weights=list(chances.values()))[0]
        value = self.policy.value(state) if hasattr(self.policy, "value") else None
        return Choice(action, None if value is None else float(value))


class LearnerPlayer(Player):
    """OpenSpiel's learners, one for each seat or one for one of them; they play as they have learned.

    Nothing of them changes: neither what they learned nor, for `QLearner`, which positions are in its table.
    """

    def __init__(self, learners: Sequence[Any], game: SgaiGame, name: str, seed: int) -> None:
        self.name = name
        self._by_seat = {_seat(each): each for each in learners}
        if len(self._by_seat) < len(learners):
            raise SgaiError(f"{name}: two learners of one seat; give one for player 0 and one for player 1")
        self.seats = tuple(sorted(self._by_seat))
        self._environment = SgaiEnvironment(game)
        self._chance = random.Random(seed)

    def choose(self, state: Any) -> Choice:
        """Return the greedy action, and the largest Q-value of a legal action where there are Q-values."""
        self._environment.set_state(state)
        step = self._environment.get_time_step()
        seat = step.current_player()
        learner = self._by_seat[seat]
        seen, legal = step.observations["info_state"][seat], step.observations["legal_actions"][seat]
        if type(learner) is QLearner:
            values = q_values(learner, seen, legal)
            best = max(values)
            return Choice(
                self._chance.choice([action for action, value in zip(legal, values, strict=True) if value == best]),
                best,
            )
        action = learner.step(step, is_evaluation=True).action
        network = getattr(learner, "_q_network", None)
        return Choice(action, None if network is None else network_value(network, seen, legal))


def q_values(learner: QLearner, seen: Sequence[float], legal: Sequence[int]) -> list[float]:
    """Return a tabular learner's values of actions; 0 for those that it never made."""
    known = learner._q_values.get(str(seen), {})
    return [float(known.get(action, 0.0)) for action in legal]


def network_value(network: Any, seen: Sequence[float], legal: Sequence[int]) -> float | None:
    """Return the largest output of a torch network for a legal action; None for networks of other libraries."""
    torch = sys.modules.get("torch")  # where there is a network of it, it is loaded
    if torch is None or not isinstance(network, torch.nn.Module):
        return None
    with torch.no_grad():
        outputs = network(torch.tensor([seen], dtype=torch.float32))[0]
    return float(outputs[list(legal)].max())


def as_player(subject: Any, game: SgaiGame, *, seed: int = 0, name: str | None = None) -> Player:
    """Return a player of a game from whatever can play it.

    Parameters
    ----------
    subject
        A bot, policy or agent of OpenSpiel or of sgai; a learner (``rl_agent``), or a list of one for each seat; a
        function or class that makes one of these from the game (and a ``seed``, if it has such an argument); or text:
        sgai's own bots, such as ``mcts(simulations=100)``, ``module:attribute`` or ``file.py:attribute``, or the folder
        of a training run or a checkpoint in it.
    game : SgaiGame
        The game.
    seed : int
        Of what is left to chance.
    name : str, optional
        For tables.

    Raises
    ------
    SgaiError
        If it can be none of these, or does not play the game.

    Examples
    --------
    >>> from sgai.envs import load_game
    >>> game = load_game("sgai_nim(piles=[1;2])")
    >>> player = as_player("exact", game)
    >>> choice = player.choose(game.new_initial_state())
    >>> game.new_initial_state().action_to_string(choice.action), choice.value
    ('2->1', 1.0)
    """
    if isinstance(subject, str):
        return _from_text(subject, game, seed, name or subject)
    name = name or type(subject).__name__
    if isinstance(subject, Player):
        return subject
    if isinstance(subject, SavedLearners):
        return _learned(subject, game, seed, name)
    if isinstance(subject, Agent):
        return BotPlayer(AgentBot(game, subject), name)
    if isinstance(subject, pyspiel.Bot):
        return BotPlayer(subject, name)
    if isinstance(subject, policy.Policy | pyspiel.Policy):
        return PolicyPlayer(subject, name, seed)
    if isinstance(subject, rl_agent.AbstractAgent):
        return LearnerPlayer([subject], game, name, seed)
    if (
        isinstance(subject, list | tuple)
        and subject
        and all(isinstance(each, rl_agent.AbstractAgent) for each in subject)
    ):
        return LearnerPlayer(subject, game, type(subject[0]).__name__, seed)
    if inspect.isroutine(subject) or inspect.isclass(subject):
        return _made(subject, game, seed, getattr(subject, "__name__", name))
    if hasattr(subject, "action_probabilities"):
        return PolicyPlayer(subject, name, seed)
    if hasattr(subject, "step") and hasattr(subject, "restart"):
        return BotPlayer(subject, name)
    raise SgaiError(
        f"{quote(subject)} cannot play: give an OpenSpiel bot, policy or learner, an agent of sgai, a function that "
        "makes one from the game, or text"
    )


def portable(subject: Any, game: SgaiGame) -> Any:
    """Return a player as it can be sent to other processes: of a training run's folder what is in it.

    A text that names nobody is refused, and a user's file is loaded, so that engines send it.

    Parameters
    ----------
    subject
        Anything that `as_player` takes.
    game : SgaiGame
        The game that is to be played.

    Raises
    ------
    SgaiError
        If a text cannot be read, what it names is not there, or learners do not play the game.

    Examples
    --------
    >>> from sgai.envs import load_game
    >>> portable("mcts(simulations=5)", load_game("sgai_nim(piles=[1;2])"))
    'mcts(simulations=5)'
    """
    if not isinstance(subject, str):
        return subject
    path = Path(subject)
    if path.exists():
        saved = SavedLearners.read(path)
        saved.check(game)
        return saved
    named = _named(subject)
    if named is not None:
        _attribute(subject, *named)
    else:
        _spec(subject)
    return subject


def _learned(saved: SavedLearners, game: SgaiGame, seed: int, name: str) -> Player:
    saved.check(game)
    return LearnerPlayer(saved.agents(), game, name, seed)


def _made(make: Callable[..., Any], game: SgaiGame, seed: int, name: str) -> Player:
    try:
        takes_seed = "seed" in inspect.signature(make).parameters
        made = make(game, seed=seed) if takes_seed else make(game)
    except SgaiError:
        raise
    except Exception as error:  # a user's code may raise anything
        raise SgaiError(f"{name}: making it from the game raised {type(error).__name__}: {error}") from error
    if inspect.isroutine(made) or inspect.isclass(made):
        raise SgaiError(f"{name} gave {quote(made)}, which cannot play")
    return as_player(made, game, seed=seed, name=name)


def _from_text(text: str, game: SgaiGame, seed: int, name: str) -> Player:
    path = Path(text)
    if path.exists():
        return _learned(SavedLearners.read(path), game, seed, name)
    named = _named(text)
    if named is None:
        return BotPlayer(_spec(text).make(game, seed), name)
    found = _attribute(text, *named)
    if isinstance(found, str):
        raise SgaiError(f"{quote(text)} is {quote(found)}, which cannot play")
    return as_player(found, game, seed=seed, name=name)


def _named(text: str) -> tuple[str, str] | None:
    """Return the module and the attribute that a text names, None where it names none."""
    module, colon, attribute = text.partition(":")
    return (module, attribute) if colon and "(" not in module and attribute else None


def _spec(text: str) -> AgentSpec:
    if "/" in text and "(" not in text:
        raise SgaiError(f"there is no run or checkpoint {quote_path(text)}")
    return AgentSpec.parse(text)


def _attribute(text: str, module: str, attribute: str) -> Any:
    """Return what ``module:attribute`` names; modules of the current folder are found too."""
    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        found: Any = load_plugin(module) if module.endswith(".py") else importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
        return found
    except Exception as error:  # a module may raise anything when it is loaded
        raise SgaiError(
            f"{quote(text)} cannot be loaded ({type(error).__name__}: {error}); it should be module:attribute, such as "
            "my_agents:make_agent"
        ) from error
    finally:
        if added:
            sys.path.remove(here)


def _seat(learner: Any) -> int:
    for attribute in ("player_id", "_player_id"):
        seat = getattr(learner, attribute, None)
        if seat in SEATS:
            return int(seat)
    raise SgaiError(f"{type(learner).__name__} does not say which player it is: its player_id should be 0 or 1")


_OUTCOMES = {"N": 1.0, "P": -1.0, "D": 0.0}


def _expected(bot: Any) -> float | None:
    if getattr(bot, "last_value", None) is not None:
        return float(bot.last_value)
    decision = getattr(bot, "last_decision", None)
    if decision is None:
        return None
    if decision.outcome is not None:
        return _OUTCOMES[decision.outcome]
    chance, value = getattr(decision, "chance", None), getattr(decision, "value", None)
    if chance is not None:
        return 2.0 * float(chance) - 1.0
    return None if value is None else float(value)


@contextlib.contextmanager
def own_chance(seed: int) -> Iterator[None]:
    """Seed the global generators, which OpenSpiel's learners and users' agents draw from, and put them back after."""
    before = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed % 2**32)
    try:
        yield
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])
