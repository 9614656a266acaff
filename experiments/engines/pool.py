"""The default engine: processes of this machine, by the library pebble, which can end a hung one."""

import concurrent.futures
import multiprocessing
import multiprocessing.connection
import os
import threading
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from sgai.errors import SgaiError
from sgai.experiments.engines.engine import ATTEMPTS, DIED, DONE, HUNG, RAISED, Engine, Outcome, Task, prepare_worker

POLL_SECONDS = 5.0  # after which it is looked for tasks whose worker is gone
MOST_BROKEN = 5  # pools one after the other, without a task done


class PoolEngine(Engine):
    """Runs tasks in a pool of new processes, which share nothing with this one.

    A script that uses it needs the line ``if __name__ == "__main__":``, as every one that starts processes.
    """

    def __init__(self, workers: int = 1, plugins: Sequence[str] = ()) -> None:
        super().__init__(workers, plugins)
        self._pool: Any = None

    def run(
        self, tasks: Iterable[Task], *, seconds: float | None = None, attempts: int = ATTEMPTS
    ) -> Generator[Outcome, None, None]:
        """Run tasks over the workers and yield their outcomes as they come."""
        waiting = iter(tasks)
        running: dict[Any, tuple[Task, int]] = {}
        again: list[tuple[Task, int]] = []
        broken = 0  # pools that broke since a task was done
        orphans: set[Any] = set()
        try:
            while True:
                is_broken = False
                # One task more than there are workers, so that none of them waits for this process.
                while len(running) <= self.workers and not is_broken:
                    entry = again.pop() if again else ((task, 1) if (task := next(waiting, None)) else None)
                    if entry is None:
                        break
                    try:
                        running[self._schedule(entry[0], seconds)] = entry
                    except RuntimeError:  # as pebble says that the pool broke since the last call
                        again.append(entry)
                        is_broken = True
                if not running and not again:
                    return
                done, _ = concurrent.futures.wait(
                    running, 0 if is_broken else POLL_SECONDS, return_when=concurrent.futures.FIRST_COMPLETED
                )
                outcomes = []
                for future in sorted(done, key=lambda each: running[each][0].index):
                    outcome, broke = _outcome_of(future, running[future][0], seconds)
                    outcomes.append((future, outcome))
                    is_broken |= broke
                if not done and not is_broken:
                    # Twice in a row: a worker that ended a moment ago is noticed soon.
                    lost, orphans = orphans, self._orphans()
                    outcomes = [
                        (future, Outcome(running[future][0].index, DIED, reason="the worker ended"))
                        for future in lost & orphans & running.keys()
                    ]
                for future, outcome in outcomes:
                    task, attempt = running.pop(future)
                    if outcome.kind == DIED and attempt < attempts:
                        again.append((task, attempt + 1))
                    else:
                        yield outcome
                    if outcome.kind != DIED:
                        broken = 0
                if is_broken:
                    broken += 1
                    if broken > MOST_BROKEN:
                        raise SgaiError("the workers end before they do anything; --engine serial may show why")
                    self.close()
                    again.extend(running.values())  # what was in it is lost
                    running.clear()
        finally:
            if running:  # the consumer went away, or Ctrl-C
                self.close()

    def close(self) -> None:
        """End the workers, finished or not."""
        if self._pool is not None:
            self._pool.stop()
            self._pool.join()
            self._pool = None

    def _orphans(self) -> set[Any]:
        """Return the futures of tasks whose worker is gone.

        Of a worker that ends at the very moment at which its task begins, pebble takes the end for that of an idle one.
        """
        manager = getattr(self._pool, "_pool_manager", None)
        try:
            workers, tasks = manager.worker_manager.workers, manager.task_manager.tasks  # type: ignore[union-attr]
            return {task.future for task in list(tasks.values()) if task.worker_id and task.worker_id not in workers}
        except (AttributeError, RuntimeError):  # another version of it; or they change right now
            return set()

    def _schedule(self, task: Task, seconds: float | None) -> Any:
        from pebble import ProcessPool  # loaded only where it is used

        if self._pool is None:
            self._pool = ProcessPool(
                max_workers=self.workers,
                initializer=_start_worker,
                initargs=(self.plugins,),
                context=multiprocessing.get_context("spawn"),
            )
        return self._pool.schedule(task.function, args=task.arguments, timeout=seconds)


def _outcome_of(future: Any, task: Task, seconds: float | None) -> tuple[Outcome, bool]:
    """Return what became of a task, and whether the pool broke."""
    from pebble import ProcessExpired

    if future.cancelled():
        return Outcome(task.index, DIED, reason="the pool of workers broke"), True
    error = future.exception()  # not raised: what a task raised may be SystemExit, which is not for this process
    if error is None:
        return Outcome(task.index, DONE, future.result()), False
    if isinstance(error, ProcessExpired):
        return Outcome(task.index, DIED, reason=f"the worker ended with exit code {error.exitcode}"), False
    if isinstance(error, BrokenProcessPool | concurrent.futures.CancelledError):
        return Outcome(task.index, DIED, reason=f"the pool of workers broke: {error}"), True
    is_limit = isinstance(error, concurrent.futures.TimeoutError) and getattr(error, "traceback", None) is None
    if is_limit and seconds is not None:  # else it is the function's own
        return Outcome(task.index, HUNG, reason=f"it took more than {seconds:g} s"), False
    return Outcome(task.index, RAISED, reason=f"{type(error).__name__}: {error}"), False


def _start_worker(plugins: Sequence[str]) -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    prepare_worker(plugins)


def _end_with(sentinel: int) -> None:
    """End this worker when the process that started it is gone, however it ended."""
    multiprocessing.connection.wait([sentinel])
    os._exit(1)
