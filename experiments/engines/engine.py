"""The contract of an engine: tasks in, outcomes out as they come."""

import importlib
import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import sgai
from sgai.errors import SgaiError
from sgai.experiments.engines.alarm import mark_expendable
from sgai.parameters import check_choice

DONE, RAISED, HUNG, DIED = "done", "raised", "hung", "died"
ENGINES = ("pool", "ray", "serial")
ATTEMPTS = 3


@dataclass(frozen=True)
class Task:
    """A call that a worker makes.

    Attributes
    ----------
    index : int
        Tells the tasks of one run apart.
    function : callable
        Of a module that workers can import, so that it can be pickled.
    arguments : tuple
        Its arguments; they are pickled too.
    """

    index: int
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What became of a task.

    Attributes
    ----------
    index : int
        The task's.
    kind : "done", "raised", "hung" or "died"
        Whether there is a value, the function raised an error, its time was over, or the worker ended each time.
    value : object
        What the function returned.
    reason : str
        Why there is none.
    """

    index: int
    kind: str
    value: Any = None
    reason: str = ""


class Feed:
    """Tasks to which more are added while they run: an iterator that has none for the moment may have one later.

    Examples
    --------
    >>> import math
    >>> feed = Feed()
    >>> feed.add(Task(0, math.sqrt, (65536,)))
    >>> with make_engine("serial") as engine:
    ...     for each in engine.run(feed):
    ...         print(each.value)
    ...         if each.value > 2:
    ...             feed.add(Task(0, math.sqrt, (each.value,)))
    256.0
    16.0
    4.0
    2.0
    """

    def __init__(self) -> None:
        self._waiting: deque[Task] = deque()

    def add(self, task: Task) -> None:
        """Add a task, to be done after those that wait."""
        self._waiting.append(task)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Task:
        if not self._waiting:
            raise StopIteration
        return self._waiting.popleft()


class Engine(ABC):
    """Runs tasks over workers; a context manager, whose end is the workers' end.

    What an engine promises:

    - outcomes come as tasks end, in any order, exactly one a task;
    - tasks are taken from the iterable as workers become free, no more than a few ahead, so that whoever consumes the
      outcomes may stop at any time by closing the generator;
    - where the iterable has none, it is asked again after each outcome, so that one task may follow from another's
      outcome: see `Feed`;
    - a task that takes more than ``seconds`` is ended, with the worker if need be, and is "hung"; it is not redone;
    - a task whose worker died is redone, up to ``attempts`` times in all, and then "died";
    - workers are prepared by `prepare_worker` before their first task, and find modules where this process does;
    - on Ctrl-C the generator raises ``KeyboardInterrupt``; what was yielded before stays done.

    Parameters
    ----------
    workers : int
        How many tasks run at once.
    plugins : sequence of str
        Python files of users that each worker loads first.
    """

    has_one_process = False  # whether tasks run in this very process

    def __init__(self, workers: int = 1, plugins: Sequence[str] = ()) -> None:
        if workers < 1:
            raise SgaiError(f"concurrency={workers}: it takes 1 worker or more")
        self.workers, self.plugins = workers, tuple(plugins)

    @abstractmethod
    def run(
        self, tasks: Iterable[Task], *, seconds: float | None = None, attempts: int = ATTEMPTS
    ) -> Generator[Outcome, None, None]:
        """Run tasks and yield their outcomes as they come.

        Parameters
        ----------
        tasks : iterable of Task
            Drawn from as workers become free.
        seconds : float, optional
            The most time for a task; None for no limit.
        attempts : int
            How often a task is tried whose worker dies.
        """

    def close(self) -> None:  # noqa: B027 - some have nothing to end
        """End the workers."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def make_engine(name: str, workers: int = 1, plugins: Sequence[str] = (), address: str | None = None) -> Engine:
    """Make an engine by name.

    Parameters
    ----------
    name : "pool", "ray" or "serial"
        Processes of this machine; a Ray cluster; or this process itself, where nothing can end a hung task that is in
        compiled code.
    workers : int
        How many tasks run at once.
    plugins : sequence of str
        Python files that each worker loads first.
    address : str, optional
        Of a Ray cluster.

    Raises
    ------
    SgaiError
        For an unknown engine, or one whose extra is not installed.

    Examples
    --------
    >>> import math
    >>> with make_engine("serial") as engine:
    ...     [(each.index, each.value) for each in engine.run(Task(i, math.sqrt, (i * i,)) for i in range(3))]
    [(0, 0.0), (1, 1.0), (2, 2.0)]
    """
    check_choice("engine", name, ENGINES)
    if address is not None and name != "ray":
        raise SgaiError(f"address={address!r}: only the engine 'ray' has one, not {name!r}")
    if name == "ray":
        try:
            module = importlib.import_module("sgai.experiments.engines.ray_engine")
        except ModuleNotFoundError as error:
            raise SgaiError("the engine 'ray' is not installed: pip install 'sgai-openspiel[ray]'") from error
        engine: Engine = module.RayEngine(workers, plugins, address=address)
        return engine
    if name == "serial":
        from sgai.experiments.engines.serial import SerialEngine

        if workers != 1:
            raise SgaiError(f"concurrency={workers}: the engine 'serial' has one worker, this process; use 'pool'")
        return SerialEngine(workers, plugins)
    from sgai.experiments.engines.pool import PoolEngine

    return PoolEngine(workers, plugins)


def loaded_files() -> list[str]:
    """Return the files that were loaded as plugins, those of users' bots among them, as far as they are still there."""
    files = [str(each.__file__) for name, each in list(sys.modules.items()) if name.startswith("sgai_plugin_")]
    return [file for file in files if Path(file).is_file()]


def load_plugins(plugins: Sequence[str]) -> None:
    """Load what users registered."""
    for file in plugins:
        sgai.load_plugin(file)


def prepare_worker(plugins: Sequence[str]) -> None:
    """Do what a worker process does before its first task: a new one will take its place if it is ended."""
    mark_expendable()
    load_plugins(plugins)
