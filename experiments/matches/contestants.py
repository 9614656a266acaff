"""Who plays in a match: sgai's agents, OpenSpiel's bots, bots of users, and bots in other processes."""

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyspiel

import sgai
from sgai.agents import AgentSpec
from sgai.agents.process_bot import ProcessBot
from sgai.errors import SgaiError, nearest, quote
from sgai.syntax import format_call, is_call, parse_call, unbracket

BUDGETS = ("seconds", "nodes", "simulations", "states")
_SUPPLIED = ("game", "player_id", "seat", "seed", "rng")


class Contestant(Protocol):
    """What a match asks of a kind of bot; its text is its name in the tables."""

    def make_bot(self, game: Any, seed: int, seat: int, limit: float | None) -> Any:
        """Return a new bot for a game."""

    def budget(self) -> dict[str, float]:
        """Return what it may spend on a move: any of `BUDGETS`."""

    def with_budget(self, given: Mapping[str, float]) -> "Contestant":
        """Return it with a budget, if it takes one and has none."""

    def identity(self) -> tuple[Any, ...]:
        """Return what two texts of the same contestant share."""


@dataclass(frozen=True)
class OwnContestant:
    """An agent of sgai, by its spec."""

    spec: AgentSpec

    def make_bot(self, game: Any, seed: int, seat: int, limit: float | None) -> Any:  # noqa: ARG002
        """Return a new bot."""
        return self.spec.make(game, seed)

    def budget(self) -> dict[str, float]:
        """Return the budgets among its parameters, defaults included."""
        given = dict(self.spec.arguments)
        values = {name: given.get(name, each.default) for name, each in self.spec.parameters().items()}
        if values.get("seconds") is not None:  # in place of simulations
            values.pop("simulations", None)
        return {name: values[name] for name in BUDGETS if values.get(name) is not None}

    def with_budget(self, given: Mapping[str, float]) -> "OwnContestant":
        """Return it with a budget, if it takes one and was given none."""
        parameters = self.spec.parameters()
        has = any(name in BUDGETS for name, _ in self.spec.arguments)
        added = tuple((name, parameters[name].check(value)) for name, value in given.items() if name in parameters)
        if has or self.spec.name == "exact":  # the exact agent has to find the answer
            return self
        return OwnContestant(replace(self.spec, arguments=self.spec.arguments + added))

    def identity(self) -> tuple[Any, ...]:
        """Return the kind and all parameters."""
        return self.spec.complete()

    def __str__(self) -> str:
        return str(self.spec)


@dataclass(frozen=True)
class UserContestant:
    """A bot by ``module:attribute`` or ``file.py:attribute``, with arguments; or OpenSpiel's by ``openspiel:name``.

    The attribute is called with those of ``game``, ``player_id`` (or ``seat``), ``seed`` and ``rng`` (a NumPy
    ``RandomState``) that it has, and the arguments that are written. What it returns needs a method ``step(state)``.
    """

    module: str
    attribute: str
    arguments: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def parse(cls, text: str) -> "UserContestant":
        """Read the text, and import what it names.

        Raises
        ------
        SgaiError
            If that does not exist, or does not take the arguments.
        """
        module, _, rest = text.partition(":")
        if not is_call(rest):
            raise SgaiError(f"{quote(text)}: after the colon should come a name, as module:Bot or module:Bot(depth=3)")
        call = parse_call(rest)
        arguments = tuple((name, _literal(value)) for name, value in call.arguments.items())
        found = cls(module.strip(), call.name, arguments)
        if found.module == "openspiel":
            known = pyspiel.registered_bots()
            if found.attribute not in known:
                raise SgaiError(f"unknown OpenSpiel bot {found.attribute!r}{nearest(found.attribute, known)}")
            return found
        parameters = _signature(found.load())
        if parameters is not None and not any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
            for name, _ in arguments:
                if name not in parameters or name in _SUPPLIED:
                    takes = ", ".join(each for each in parameters if each not in _SUPPLIED) or "none"
                    raise SgaiError(f"{quote(text)}: {found.attribute} takes no argument {name!r}; it takes: {takes}")
        return found

    def load(self) -> Any:
        """Import the module or file and return the attribute."""
        if self.module.endswith(".py"):
            module = sgai.load_plugin(self.module)
        else:
            if str(Path.cwd()) not in sys.path:  # where a command is run is no place of modules by itself
                sys.path.append(str(Path.cwd()))
            try:
                module = importlib.import_module(self.module)
            except Exception as error:
                raise SgaiError(
                    f"the module {quote(self.module)} cannot be imported: {type(error).__name__}: {error}"
                ) from error
        try:
            return getattr(module, self.attribute)
        except AttributeError:
            near = nearest(self.attribute, vars(module))
            raise SgaiError(f"{quote(self.module)} has no {self.attribute!r}{near}") from None

    def make_bot(self, game: Any, seed: int, seat: int, limit: float | None) -> Any:  # noqa: ARG002
        """Return a new bot."""
        arguments = dict(self.arguments)
        if self.module == "openspiel":
            if self.attribute == "uniform_random":
                arguments.setdefault("seed", seed % 2**31)
            return pyspiel.load_bot(self.attribute, game, seat, arguments)
        made = self.load()
        supplied = {
            "game": game, "player_id": seat, "seat": seat, "seed": seed, "rng": np.random.RandomState(seed % 2**32)
        }  # fmt: skip
        parameters = _signature(made)
        if parameters is None:  # a class in C++ does not say: then the game, as most of OpenSpiel's
            return made(game, **arguments)
        wanted = {name: value for name, value in supplied.items() if name in parameters and name not in arguments}
        bot = made(**wanted, **arguments)
        if not callable(getattr(bot, "step", None)):
            raise SgaiError(f"{self} gives {quote(bot)}, which has no method step(state)")
        return bot

    def budget(self) -> dict[str, float]:
        """Return the budgets among the arguments that are written."""
        return {name: value for name, value in self.arguments if name in BUDGETS and isinstance(value, int | float)}

    def with_budget(self, given: Mapping[str, float]) -> "UserContestant":
        """Return it with a budget, if it takes one and was given none."""
        if self.module == "openspiel" or self.budget():
            return self
        parameters = _signature(self.load()) or {}
        added = tuple((name, value) for name, value in given.items() if name in parameters)
        return replace(self, arguments=self.arguments + added)

    def identity(self) -> tuple[Any, ...]:
        """Return the name and the arguments."""
        return (self.module, self.attribute, *sorted(map(repr, self.arguments)))

    def __str__(self) -> str:
        written = [(name, str(value).lower() if isinstance(value, bool) else str(value)) for name, value in
                   self.arguments]  # fmt: skip
        return f"{self.module}:{format_call(self.attribute, written)}"


@dataclass(frozen=True)
class ProcessContestant:
    """A bot in another process: ``process:COMMAND`` or ``process(seconds=0.1):COMMAND``."""

    command: str
    given: tuple[tuple[str, float], ...] = ()

    @classmethod
    def parse(cls, text: str) -> "ProcessContestant":
        """Read the text."""
        found = re.fullmatch(r"process(?:\((\w+)=([0-9.eE+-]+)\))?:(.+)", text.strip(), re.DOTALL)
        if found is None or (found[1] is not None and found[1] not in BUDGETS[:3]):
            raise SgaiError(
                f"{quote(text)} should be process:COMMAND or process(seconds=0.1):COMMAND, with seconds, nodes or "
                "simulations"
            )
        given = () if found[1] is None else ((found[1], float(_literal(found[2]))),)
        return cls(found[3].strip(), given)

    def make_bot(self, game: Any, seed: int, seat: int, limit: float | None) -> Any:  # noqa: ARG002
        """Return a bot that speaks to the process."""
        return ProcessBot(game, self.command, seed, dict(self.given), limit)

    def budget(self) -> dict[str, float]:
        """Return what it is told to spend."""
        return dict(self.given)

    def with_budget(self, given: Mapping[str, float]) -> "ProcessContestant":
        """Return it with a budget, if it has none."""
        return self if self.given else replace(self, given=tuple(given.items())[:1])

    def identity(self) -> tuple[Any, ...]:
        """Return command and budget."""
        return ("process", self.command, *self.given)

    def __str__(self) -> str:
        inside = "".join(f"({name}={value:g})" for name, value in self.given)
        return f"process{inside}:{self.command}"


def parse_contestant(text: str) -> Contestant:
    """Read who plays.

    Parameters
    ----------
    text : str
        A spec of sgai's such as ``mcts(simulations=100)``; ``openspiel:uniform_random``; ``module:Bot(depth=3)`` or
        ``bots.py:Bot``; or ``process:COMMAND``.

    Raises
    ------
    SgaiError
        For what cannot be read or does not exist.

    Examples
    --------
    >>> str(parse_contestant("mcts( simulations = 100 )"))
    'mcts(simulations=100)'
    >>> str(parse_contestant("process(seconds=0.1):python3 my_engine.py"))
    'process(seconds=0.1):python3 my_engine.py'
    """
    if re.match(r"\s*process[:(]", text):
        return ProcessContestant.parse(text)
    if re.match(r"[^(\[]*:", text):
        return UserContestant.parse(text)
    return OwnContestant(AgentSpec.parse(text))


def _signature(made: Any) -> Mapping[str, inspect.Parameter] | None:
    try:
        return inspect.signature(made).parameters
    except (TypeError, ValueError):
        return None


def _literal(text: str) -> Any:
    """Read a number, a truth value or else text."""
    lowered = text.strip().lower()
    if lowered in ("true", "false", "none"):
        return {"true": True, "false": False, "none": None}[lowered]
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        value = None
    return value if isinstance(value, int | float) else unbracket(text)
