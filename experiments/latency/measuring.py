"""Timing decisions at one point of the grid: all agents, cold and warm, take turns on the same positions."""

import gc
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sgai.experiments.latency.calibration import Calibration, Clocks, calibrate
from sgai.experiments.latency.memory import MemoryMeter
from sgai.experiments.latency.positions import Place
from sgai.experiments.latency.settings import WARM
from sgai.experiments.one_decision import FAILED, failure, states_of


@dataclass(frozen=True)
class Turn:
    """The calibration before a position's turn.

    Attributes
    ----------
    game : str
        The game.
    fresh : bool
        Whether new processes decide then.
    position, round : int
        As of the samples that follow.
    calibration : Calibration
        How long the fixed work took.
    """

    game: str
    fresh: bool
    position: int
    round: int
    calibration: Calibration


@dataclass(frozen=True)
class Sample:
    """One decision.

    Attributes
    ----------
    game, agent, mode : str
        What decided, in which way: "cold", "warm" or "fresh".
    position, round : int
        Which position, and which of the repeats.
    seconds, cpu_seconds : float
        The time that passed, and that the thread computed; of a fresh process all from its start on.
    setup_seconds : float or None
        What it took before to make the agent; of a fresh process to start, import, load the game and make the agent.
    memory : int or None
        Bytes: by how much memory grew (see `MemoryMeter`); of a fresh process the largest that it had.
    states : int or None
        States, nodes and simulations, where the agent tells.
    problem : str or None
        "not solved", or "failed" with the reason: an error, or an illegal action. None for a decision.
    """

    game: str
    agent: str
    mode: str
    position: int
    round: int
    seconds: float
    cpu_seconds: float
    setup_seconds: float | None
    memory: int | None
    states: int | None
    problem: str | None = None


def turns(count: int, turn: int) -> list[int]:
    """Return in which order so many contestants act at a turn.

    Who begins moves on from turn to turn, and every other cycle goes backwards: each has every place, and each
    neighbour before it, equally often.

    Examples
    --------
    >>> [turns(3, turn) for turn in range(6)]
    [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [0, 2, 1], [1, 0, 2]]
    """
    first = turn % count
    if turn // count % 2 == 0:
        return [(first + i) % count for i in range(count)]
    return [(count - 1 + first - i) % count for i in range(count)]


def seed_of(seed: int, game: str, position: int, number: int) -> int:
    """Return the seed of the agents at a decision, the same one for all agents."""
    return random.Random(f"{seed}|{game}|{position}|{number}").getrandbits(31)


def measure_point(
    game: Any,
    name: str,
    agents: Sequence[Any],
    places: Sequence[Place],
    *,
    modes: Sequence[str],
    repeats: int,
    seed: int = 0,
    clocks: Clocks | None = None,
    meter: MemoryMeter | None = None,
) -> Iterator[Sample | Turn]:
    """Time decisions of all agents in all modes, in turns on each position, with a calibration before each position.

    A cold agent is made for each decision, so that its tables are empty; code is loaded and compiled already. A warm
    one has decided on every position before it is timed, and keeps its tables throughout.

    Parameters
    ----------
    game : pyspiel.Game
        The game.
    name : str
        Its name in the samples.
    agents : sequence of AgentSpec
        Anything with ``make(game, seed)`` that returns a bot.
    places : sequence of Place
        What to decide on.
    modes : sequence of "cold" and "warm"
        Which to time.
    repeats : int
        Rounds over all positions.
    seed : int
        Of the agents.
    clocks : Clocks, optional
        What to read times from.
    meter : MemoryMeter, optional
        What to measure memory with.
    """
    clocks, meter = clocks or Clocks(), meter or MemoryMeter()
    contestants = [(agent, mode) for mode in modes for agent in agents]
    warm = {str(agent): _warmed(agent, game, places, seed_of(seed, name, -1, 0)) for agent in agents if WARM in modes}
    gc.collect()  # else what lay about before is cleared up in somebody's time
    turn = 0
    for number in range(repeats):
        for position, place in enumerate(places):
            if not contestants:
                return
            yield Turn(name, False, position, number, calibrate(clocks))
            for each in turns(len(contestants), turn):
                agent, mode = contestants[each]
                setup = None
                if mode == WARM:
                    bot = warm[str(agent)]
                else:
                    started = clocks.wall()
                    bot = agent.make(game, seed_of(seed, name, position, number))
                    setup = clocks.wall() - started
                    bot.restart_at(place.state)
                seconds, cpu, memory, problem = timed(partial(bot.step, place.state), place, clocks, meter)
                yield Sample(
                    name, str(agent), mode, position, number, seconds, cpu, setup, memory, states_of(bot), problem
                )
            turn += 1


def timed(
    step: Callable[[], Any], place: Place, clocks: Clocks, meter: MemoryMeter
) -> tuple[float, float, int | None, str | None]:
    """Return wall and thread seconds of a decision, the growth of memory in bytes, and what went wrong."""
    action, problem = None, None
    meter.begin()
    cpu_started, started = clocks.cpu(), clocks.wall()
    try:
        action = step()
    except Exception as error:  # a bot may raise anything; the others go on
        problem = failure(error)
    seconds, cpu = clocks.wall() - started, clocks.cpu() - cpu_started
    memory = meter.growth()
    if problem is None and action not in place.state.legal_actions():
        problem = f"{FAILED}: the action {action!r} is not legal in {str(place.state)!r}"
    return seconds, cpu, memory, problem


def _warmed(agent: Any, game: Any, places: Sequence[Place], seed: int) -> Any:
    bot = agent.make(game, seed)
    bot.restart_at(places[0].state)
    for place in places:
        try:
            bot.step(place.state)
        except Exception:  # it is recorded when it is timed
            continue
    return bot
