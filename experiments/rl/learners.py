"""OpenSpiel's learners for self-play, made by name and parameters, and all of their state, to save and take up."""

import io
import json
import random
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
from open_spiel.python import rl_tools
from open_spiel.python.algorithms.tabular_qlearner import QLearner, valuedict

from sgai.agents.named import Named
from sgai.envs.game import SgaiGame
from sgai.errors import SgaiError, nearest, quote
from sgai.parameters import check_choice
from sgai.syntax import parse_call

SEATS = (0, 1)


class Damaged(Exception):
    """What was saved cannot be read."""


class Learners(ABC):
    """The two learners of a self-play run, one for each seat.

    Attributes
    ----------
    agents : list
        OpenSpiel's learners, of player 0 and player 1.
    suffix : str
        Of files with their state.
    """

    agents: list[Any]
    suffix: ClassVar[str]

    @abstractmethod
    def losses(self) -> list[float | None]:
        """Return the loss of the last update of each learner; None before there was one."""

    @abstractmethod
    def epsilon(self) -> float:
        """Return the probability of a random action of player 0 at present."""

    @abstractmethod
    def steps(self) -> list[int]:
        """Return how far each learner is: the entries of a table, the steps of a network."""

    @abstractmethod
    def dump(self, about: dict[str, Any]) -> bytes:
        """Return all that is needed to go on, between two episodes, with what else belongs to the run."""

    @abstractmethod
    def restore(self, data: bytes) -> dict[str, Any]:
        """Take up what `dump` gave, and return what else it was given; raise `Damaged` where it is none of it."""


class TabularLearners(Learners):
    """OpenSpiel's `QLearner`.

    Notes
    -----
    Its state in full is the tables and the schedules of exploration. The tables are keyed by the text of observations.
    """

    suffix = ".npz"

    def __init__(self, game: SgaiGame, step_size: float, schedule: Callable[[], Any], discount: float) -> None:
        self.agents = [
            QLearner(seat, game.num_distinct_actions(), step_size, schedule(), discount_factor=discount)
            for seat in SEATS
        ]

    def losses(self) -> list[float | None]:
        """Return the last temporal differences, squared."""
        return [None if agent.loss is None else float(agent.loss) ** 2 for agent in self.agents]

    def epsilon(self) -> float:
        """Return the value of player 0's schedule."""
        return float(self.agents[0]._epsilon)

    def steps(self) -> list[int]:
        """Return the positions in each table."""
        return [len(agent._q_values) for agent in self.agents]

    def dump(self, about: dict[str, Any]) -> bytes:
        """Return tables and schedules as an npz file without objects."""
        arrays: dict[str, Any] = {}
        schedules = []
        for seat, agent in enumerate(self.agents):
            rows = [(key, action, value) for key, row in agent._q_values.items() for action, value in row.items()]
            keys = list(agent._q_values)
            numbers = {key: number for number, key in enumerate(keys)}
            arrays[f"keys{seat}"] = np.array(list("\n".join(keys).encode()), dtype=np.uint8)
            arrays[f"rows{seat}"] = np.array([numbers[key] for key, _, _ in rows], dtype=np.int64)
            arrays[f"actions{seat}"] = np.array([action for _, action, _ in rows], dtype=np.int64)
            arrays[f"values{seat}"] = np.array([value for _, _, value in rows], dtype=np.float64)
            schedule = agent._epsilon_schedule
            schedules.append(
                {
                    "epsilon": float(agent._epsilon),
                    "value": float(schedule.value),
                    "taken": getattr(schedule, "_steps_taken", None),
                    "loss": None if agent.loss is None else float(agent.loss),
                }
            )
        text = json.dumps({"about": about, "schedules": schedules})
        stream = io.BytesIO()
        np.savez(stream, about=np.array(text), **arrays)
        return stream.getvalue()

    def restore(self, data: bytes) -> dict[str, Any]:
        """Take up tables and schedules."""
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as stored:
                found = {name: stored[name] for name in stored.files}
            said = json.loads(str(found["about"]))
            for seat, agent in enumerate(self.agents):
                text = found[f"keys{seat}"].tobytes().decode()
                keys = text.split("\n") if text else []
                for key in keys:
                    agent._q_values[key] = valuedict()
                columns = (found[f"{name}{seat}"].tolist() for name in ("rows", "actions", "values"))
                for row, action, value in zip(*columns, strict=True):
                    agent._q_values[keys[row]][action] = value
                schedule, kept = agent._epsilon_schedule, said["schedules"][seat]
                agent._epsilon, agent._last_loss_value = kept["epsilon"], kept["loss"]
                schedule._value = kept["value"]
                if kept["taken"] is not None:
                    schedule._steps_taken = kept["taken"]
            return cast(dict[str, Any], said["about"])
        except (OSError, ValueError, KeyError, TypeError, IndexError, EOFError, zipfile.BadZipFile) as error:
            raise Damaged(str(error)) from error


class DqnLearners(Learners):
    """OpenSpiel's DQN in torch.

    Notes
    -----
    Its state in full is both networks, the optimiser, the replay buffer and the number of steps, by which exploration
    goes. OpenSpiel's own ``DQN.load`` (2.0.2) asks for names that its ``save`` does not write, and neither keeps the
    buffer, so this is done here.
    """

    suffix = ".pt"

    def __init__(self, make: Callable[[int], Any]) -> None:
        import torch

        with torch.random.fork_rng(devices=[]):
            self.agents = [make(seat) for seat in SEATS]

    def losses(self) -> list[float | None]:
        """Return the losses of the last batches."""
        return [None if agent.loss is None else float(agent.loss) for agent in self.agents]

    def epsilon(self) -> float:
        """Return the value of player 0's schedule."""
        return float(self.agents[0].epsilon_schedule(self.agents[0].step_counter))

    def steps(self) -> list[int]:
        """Return the steps of each learner."""
        return [int(agent.step_counter) for agent in self.agents]

    def dump(self, about: dict[str, Any]) -> bytes:
        """Return all state in torch's format, which is read back without running code."""
        import torch

        kept: dict[str, Any] = {"about": json.dumps(about), "seats": []}
        for agent in self.agents:
            buffer = agent.replay_buffer
            kept["seats"].append(
                {
                    "network": agent._q_network.state_dict(),
                    "target": agent._target_q_network.state_dict(),
                    "optimizer": agent._optimizer.state_dict(),
                    "steps": int(agent._iteration),
                    "loss": None if agent.loss is None else float(agent.loss),
                    "entries": None if buffer is None else int(buffer.entry_index),
                    "buffer": None
                    if buffer is None
                    else {
                        name: torch.from_numpy(np.ascontiguousarray(column[: len(buffer)]))
                        for name, column in buffer.experience._asdict().items()
                    },
                }
            )
        stream = io.BytesIO()
        torch.save(kept, stream)
        return stream.getvalue()

    def restore(self, data: bytes) -> dict[str, Any]:
        """Take up all state."""
        import pickle

        import torch
        from open_spiel.python.pytorch import dqn

        try:
            kept = torch.load(io.BytesIO(data), weights_only=True)
            for agent, seat in zip(self.agents, kept["seats"], strict=True):
                agent._q_network.load_state_dict(seat["network"])
                agent._target_q_network.load_state_dict(seat["target"])
                agent._optimizer.load_state_dict(seat["optimizer"])
                agent._iteration, agent._last_loss_value = seat["steps"], seat["loss"]
                if seat["buffer"] is not None:
                    columns = {name: column.numpy() for name, column in seat["buffer"].items()}
                    first = dqn.Transition(**{name: column[0] for name, column in columns.items()})
                    buffer = dqn.ReplayBuffer.init(agent._replay_buffer_capacity, first)
                    for name, column in columns.items():
                        getattr(buffer.experience, name)[: len(column)] = column
                    buffer.entry_index = np.array(seat["entries"])
                    agent._replay_buffer = buffer
            return cast(dict[str, Any], json.loads(kept["about"]))
        except (
            OSError, RuntimeError, ValueError, KeyError, TypeError, IndexError, EOFError, pickle.UnpicklingError
        ) as error:  # fmt: skip
            raise Damaged(str(error)) from error


def _q_learning(
    game: SgaiGame,
    seed: int = 0,  # noqa: ARG001 - its chance is numpy's, which the run seeds
    step_size: float = 0.1,
    epsilon: float = 0.2,
    epsilon_end: float | None = None,
    epsilon_steps: int = 10_000,
    discount: float = 1.0,
) -> Learners:
    _check("step_size", step_size, 0 < step_size <= 1, "above 0 and up to 1")
    _check("discount", discount, 0 <= discount <= 1, "from 0 to 1")
    _check_epsilons(epsilon, epsilon_end)
    _check("epsilon_steps", epsilon_steps, epsilon_steps >= 1, "1 or more")

    def schedule() -> Any:
        if epsilon_end is None:
            return rl_tools.ConstantSchedule(epsilon)
        return rl_tools.LinearSchedule(epsilon, epsilon_end, epsilon_steps)

    return TabularLearners(game, step_size, schedule, discount)


def _dqn(
    game: SgaiGame,
    seed: int = 0,
    hidden: tuple[int, ...] = (64, 64),
    batch: int = 32,
    buffer: int = 10_000,
    learning_rate: float = 0.001,
    learn_every: int = 4,
    least: int = 100,
    target_every: int = 200,
    epsilon: float = 1.0,
    epsilon_end: float = 0.1,
    epsilon_steps: int = 10_000,
    optimizer: str = "adam",
    loss: str = "mse",
    discount: float = 1.0,
) -> Learners:
    for name, number in (("batch", batch), ("buffer", buffer), ("least", least), ("target_every", target_every)):
        _check(name, number, number >= 1, "1 or more")
    # OpenSpiel's agent learns before it has anything to learn from with 1 or 2, and fails.
    _check("learn_every", learn_every, learn_every >= 3, "3 or more")
    _check("hidden", list(hidden), bool(hidden) and min(hidden) >= 1, "sizes of layers such as [64;64]")
    _check("learning_rate", learning_rate, learning_rate > 0, "above 0")
    _check("discount", discount, 0 <= discount <= 1, "from 0 to 1")
    _check("epsilon_steps", epsilon_steps, epsilon_steps >= 1, "1 or more")
    _check("buffer", buffer, buffer >= max(batch, least), "no less than batch and least")
    _check_epsilons(epsilon, epsilon_end)
    _check("epsilon", epsilon, epsilon > 0, "above 0 for a DQN")
    check_choice("optimizer", optimizer, ("adam", "rmsprop", "sgd"))
    check_choice("loss", loss, ("mse", "huber"))
    try:
        from open_spiel.python.pytorch import dqn
    except ModuleNotFoundError as error:
        raise SgaiError(f"a DQN needs the extra 'rl': pip install 'sgai-openspiel[rl]' ({error})") from error

    def make(seat: int) -> Any:
        return dqn.DQN(
            seat,
            game.observation_tensor_size(),
            game.num_distinct_actions(),
            hidden_layers_sizes=list(hidden),
            batch_size=batch,
            replay_buffer_capacity=buffer,
            learning_rate=learning_rate,
            update_target_network_every=target_every,
            learn_every=learn_every,
            discount_factor=discount,
            min_buffer_size_to_learn=least,
            epsilon_start=epsilon,
            epsilon_end=epsilon_end,
            epsilon_decay_duration=epsilon_steps,
            epsilon_decay_schedule_str="linear",
            optimizer_str=optimizer,
            loss_str=loss,
            seed=(2 * seed + seat) % 2**32,
        )

    return DqnLearners(make)


def _check(name: str, value: Any, good: bool, wanted: str) -> None:
    if not good:
        raise SgaiError(f"{name}={quote(value)}: it should be {wanted}")


def _check_epsilons(epsilon: float, end: float | None) -> None:
    _check("epsilon", epsilon, 0 <= epsilon <= 1, "from 0 to 1")
    if end is not None:
        _check("epsilon_end", end, 0 <= end <= epsilon, "from 0 to epsilon")


LEARNERS: dict[str, Callable[..., Learners]] = {"dqn": _dqn, "q_learning": _q_learning}


@dataclass(frozen=True)
class LearnerSpec(Named):
    """A kind of learner with its parameters, to be made for a game.

    Examples
    --------
    >>> spec = LearnerSpec.parse("q_learning(step_size=0.5)")
    >>> str(spec), sorted(LearnerSpec.parse("dqn").parameters())[:4]
    ('q_learning(step_size=0.5)', ['batch', 'buffer', 'discount', 'epsilon'])
    """

    makers: ClassVar = LEARNERS
    skipped: ClassVar = ("game", "seed")

    @classmethod
    def parse(cls, text: str) -> "LearnerSpec":
        """Read ``name`` or ``name(key=value,...)``."""
        name = parse_call(text).name
        if name not in LEARNERS:
            raise SgaiError(
                f"unknown learner {quote(name)}{nearest(name, LEARNERS)}; learners are: {', '.join(sorted(LEARNERS))}"
            )
        return super().parse(text)

    def learners(self, game: SgaiGame, seed: int) -> Learners:
        """Return learners that know nothing yet.

        Raises
        ------
        SgaiError
            For parameters that make no sense, or a library that is missing.
        """
        state = np.random.get_state()  # making a network seeds the global generators
        try:
            made: Learners = LEARNERS[self.name](game, seed=seed, **dict(self.arguments))
        finally:
            np.random.set_state(state)
        return made


def chance_state(chance: random.Random) -> list[Any]:
    """Return the state of a generator in a form that JSON keeps.

    Examples
    --------
    >>> one, other = random.Random(1), random.Random(2)
    >>> set_chance_state(other, json.loads(json.dumps(chance_state(one))))
    >>> one.random() == other.random()
    True
    """
    version, words, gauss = chance.getstate()
    return [version, list(words), gauss]


def set_chance_state(chance: random.Random, state: list[Any]) -> None:
    """Give a generator a state that `chance_state` returned."""
    version, words, gauss = state
    chance.setstate((version, tuple(words), gauss))


def numpy_state() -> list[Any]:
    """Return the state of numpy's global generator in a form that JSON keeps."""
    name, words, place, has_gauss, gauss = np.random.get_state()
    return [name, [int(word) for word in words], int(place), int(has_gauss), float(gauss)]


def set_numpy_state(state: list[Any]) -> None:
    """Give numpy's global generator a state that `numpy_state` returned."""
    name, words, place, has_gauss, gauss = state
    np.random.set_state((name, np.array(words, dtype=np.uint32), place, has_gauss, gauss))
