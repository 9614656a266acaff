"""The engine past one machine: workers are actors of a Ray cluster. Of all modules this one alone imports Ray."""

import logging
import os
import pickle
import re
import socket
import sys
import tempfile
import time
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray
from ray import cloudpickle

import sgai
from sgai.errors import SgaiError, quote, shortened
from sgai.experiments.engines.engine import (
    ATTEMPTS,
    DIED,
    DONE,
    HUNG,
    RAISED,
    Engine,
    Outcome,
    Task,
    loaded_files,
    prepare_worker,
)
from sgai.registry import note_moved

MOST_BROKEN = 5  # workers one after the other that end before their first task
CONNECT_SECONDS = 5.0
PATIENCE_SECONDS = 30.0  # without a free CPU of the cluster, before that is said
_OBJECT_STORE = 100_000_000  # bytes; tasks and their results are small


@dataclass
class _Running:
    worker: Any
    task: Task
    attempt: int
    deadline: float | None


class RayEngine(Engine):
    """Runs tasks on actors of a Ray cluster, each of which takes one CPU.

    Tasks, results and the files of plugins are sent; sgai itself has to be installed on every machine, in the same
    version. Modules are found where this process finds them, as far as those folders are there.

    Parameters
    ----------
    workers : int
        How many tasks run at once.
    plugins : sequence of str
        Python files that each worker loads first.
    address : str, optional
        Of a cluster: ``HOST:PORT``, ``ray://HOST:PORT`` or ``auto`` for the one that runs on this machine. By default
        the one that this process is connected to already, else the one in the variable ``RAY_ADDRESS``, else a new one
        on this machine, which ends with the engine.

    Raises
    ------
    SgaiError
        If the address does not answer.
    """

    def __init__(self, workers: int = 1, plugins: Sequence[str] = (), *, address: str | None = None) -> None:
        super().__init__(workers, plugins)
        self._files = {str(Path(file).resolve()): Path(file).read_bytes() for file in [*plugins, *loaded_files()]}
        self._idle: list[Any] = []
        self._starting: dict[Any, Any] = {}  # workers by what says that they are ready
        self._broken = 0  # workers that ended before their first task, one after the other
        self._is_ours = _connect(address, workers)
        self._actor = _actor_class()

    def run(
        self, tasks: Iterable[Task], *, seconds: float | None = None, attempts: int = ATTEMPTS
    ) -> Generator[Outcome, None, None]:
        """Run tasks over the actors and yield their outcomes as they come."""
        waiting = iter(tasks)
        again: list[tuple[Task, int]] = []
        running: dict[Any, _Running] = {}
        try:
            while True:
                while again or (task := next(waiting, None)) is not None:
                    if not again and task is not None:
                        again.append((task, 1))
                    if not self._idle:
                        self._start(self.workers - len(running))
                        break
                    entry, worker = again.pop(), self._idle.pop()
                    data = cloudpickle.dumps((entry[0].function, entry[0].arguments))
                    deadline = None if seconds is None else time.monotonic() + seconds
                    running[worker.run.remote(data)] = _Running(worker, *entry, deadline)
                if not running and not again:
                    return
                ref = self._wait(running)
                if ref is not None:
                    each = running.pop(ref)
                    outcome = self._outcome(each, ref)
                    if outcome.kind == DIED and each.attempt < attempts:
                        again.append((each.task, each.attempt + 1))
                    else:
                        yield outcome
                for ref, each in list(running.items()):
                    if each.deadline is not None and time.monotonic() > each.deadline and not _is_ready(ref):
                        del running[ref]
                        ray.kill(each.worker)
                        yield Outcome(each.task.index, HUNG, reason=f"it took more than {seconds:g} s")
        finally:
            for each in running.values():  # the consumer went away, or Ctrl-C
                ray.kill(each.worker)

    def close(self) -> None:
        """End the workers, and the cluster if this engine started it."""
        if ray.is_initialized():
            for worker in [*self._idle, *self._starting.values()]:
                ray.kill(worker)
            if self._is_ours:
                ray.shutdown()
        self._idle, self._starting, self._is_ours = [], {}, False

    def _start(self, most: int) -> None:
        """Let workers begin, so that there are so many beside those that have a task."""
        for _ in range(most - len(self._idle) - len(self._starting)):
            worker = self._actor.remote()
            ready = worker.prepare.remote(sgai.__version__, [*map(str, map(Path.resolve, map(Path, sys.path)))],
                                          str(Path.cwd()), self._files)  # fmt: skip
            self._starting[ready] = worker

    def _wait(self, running: dict[Any, _Running]) -> Any:
        """Wait until something happens; return what says that a task has ended, if one has."""
        deadlines = [each.deadline for each in running.values() if each.deadline is not None]
        patience = max(0.0, min(deadlines) - time.monotonic()) if deadlines else PATIENCE_SECONDS
        done, _ = ray.wait([*running, *self._starting], num_returns=1, timeout=min(patience, PATIENCE_SECONDS))
        if not done and not running:
            logging.getLogger(__name__).warning("no worker has begun yet: the Ray cluster may have no free CPU")
        if not done or done[0] in running:
            return done[0] if done else None
        worker = self._starting.pop(done[0])
        try:
            problem = ray.get(done[0])
        except ray.exceptions.RayError as error:
            self._broken += 1
            if self._broken > MOST_BROKEN:
                raise SgaiError(f"the workers end before they do anything: {_in_a_line(error)}") from None
            return None
        if problem:
            ray.kill(worker)
            raise SgaiError(f"a worker of the Ray cluster cannot be prepared: {problem}")
        self._broken = 0
        self._idle.append(worker)
        return None

    def _outcome(self, each: _Running, ref: Any) -> Outcome:
        try:
            kind, value = ray.get(ref)
        except ray.exceptions.RayError as error:
            ray.kill(each.worker)  # it may live on, where only the way to it was lost
            return Outcome(each.task.index, DIED, reason=f"the worker ended: {_in_a_line(error)}")
        self._idle.append(each.worker)
        if kind == RAISED:
            return Outcome(each.task.index, RAISED, reason=value)
        return Outcome(each.task.index, DONE, pickle.loads(value))


def _is_ready(ref: Any) -> bool:
    return bool(ray.wait([ref], timeout=0)[0])


def _in_a_line(error: Exception) -> str:
    return shortened(" ".join(str(error).split()) or type(error).__name__)


def _connect(address: str | None, workers: int) -> bool:
    """Connect this process to a cluster, unless it is; tell whether it is for the engine to end that."""
    if ray.is_initialized():
        if address is not None:
            raise SgaiError(f"address={quote(address)}: this process is connected to a Ray cluster already")
        return False
    address = address or os.environ.get("RAY_ADDRESS") or "local"
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address == "local":
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # what is started here does not report to anybody
            ray.init("local", num_cpus=workers, include_dashboard=False, object_store_memory=_OBJECT_STORE, **quiet)
        else:
            _check_answers(address)
            ray.init(address, **quiet)
    except SgaiError:
        raise
    except Exception as error:  # Ray has many
        what = "cannot be started here" if address == "local" else f"cannot be joined at {quote(address)}"
        hint = (
            ""
            if address == "local"
            else "; it takes the same Ray and Python, and RAY_AUTH_TOKEN where there is a token"
        )
        raise SgaiError(f"a Ray cluster {what}: {type(error).__name__}: {_in_a_line(error)}{hint}") from None
    return True


def _check_answers(address: str) -> None:
    """Raise `SgaiError` at once where Ray itself would try for minutes."""
    if address == "auto":
        return
    found = re.fullmatch(r"(?:ray://)?(?:\[(.+)\]|([^:/]+)):(\d{1,5})", address)
    if found is None:
        raise SgaiError(f"address={quote(address)} should be HOST:PORT, ray://HOST:PORT or auto")
    try:
        socket.create_connection((found[1] or found[2], int(found[3])), timeout=CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise SgaiError(f"no Ray cluster answers at {quote(address)}: {why}") from None


def _actor_class() -> Any:
    # A class in a function is sent whole, so that a worker needs to find no module before its paths are set.
    class Worker:
        """Does tasks one after the other, in the main thread of its process."""

        def prepare(self, version: str, paths: list[str], folder: str, files: dict[str, bytes]) -> str:
            """Return what is wrong, if anything."""
            import sys
            from pathlib import Path

            sys.path.extend(each for each in paths if each not in sys.path and Path(each).exists())
            try:
                import sgai
                from sgai.experiments.engines import ray_engine
            except ImportError as error:
                return f"sgai is not installed there ({error})"
            if sgai.__version__ != version:
                return f"sgai is {sgai.__version__} there and {version} here"
            try:
                ray_engine.prepare_here(folder, files)
            except (sgai.SgaiError, OSError) as error:
                return str(error)
            return ""

        def run(self, data: bytes) -> tuple[str, Any]:
            """Return "done" and the pickled value, or "raised" and why."""
            import pickle

            try:
                function, arguments = pickle.loads(data)
                return "done", pickle.dumps(function(*arguments))
            except (Exception, SystemExit) as error:  # a task may raise anything; the others go on
                return "raised", f"{type(error).__name__}: {error}"

    return ray.remote(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")(Worker)


def prepare_here(folder: str, files: dict[str, bytes]) -> None:
    """Do in a worker what it needs before its first task: be in the same folder, and load files.

    Where the machine does not have them, a new folder takes their place.

    Parameters
    ----------
    folder : str
        The current folder of the process that gives the tasks.
    files : dict
        Python files to load, by their paths there, with what is in them.
    """
    if Path(folder).is_dir():
        os.chdir(folder)
        there = None
    else:
        there = Path(tempfile.mkdtemp(prefix="sgai-"))
        os.chdir(there)
    placed = {path: _placed(Path(path), Path(folder), content, there) for path, content in files.items()}
    for path, place in placed.items():
        note_moved(path, place)
    prepare_worker([str(place) for place in placed.values()])


def _placed(path: Path, folder: Path, content: bytes, there: Path | None) -> Path:
    """Return where a file with a content is on this machine; written now, if need be."""
    try:
        if path.read_bytes() == content:
            return path
    except OSError:
        pass
    there = there or Path(tempfile.mkdtemp(prefix="sgai-"))
    placed = there / (path.relative_to(folder) if path.is_relative_to(folder) else path.name)
    placed.parent.mkdir(parents=True, exist_ok=True)
    placed.write_bytes(content)
    return placed
