"""The engine without workers: tasks run one after the other in this process."""

from collections.abc import Generator, Iterable

from sgai.experiments.engines.alarm import Alarm, Overdue
from sgai.experiments.engines.engine import ATTEMPTS, DONE, HUNG, RAISED, Engine, Outcome, Task, load_plugins


class SerialEngine(Engine):
    """Runs tasks in this process: for debugging, and where starting workers takes longer than the tasks."""

    has_one_process = True

    def run(
        self,
        tasks: Iterable[Task],
        *,
        seconds: float | None = None,
        attempts: int = ATTEMPTS,  # noqa: ARG002 - this process is not redone when it dies
    ) -> Generator[Outcome, None, None]:
        """Run tasks in turn; a hung one is ended if it is Python code, on systems that have alarms."""
        load_plugins(self.plugins)
        for task in tasks:
            try:
                with Alarm(seconds):
                    value = task.function(*task.arguments)
            except Overdue:
                yield Outcome(task.index, HUNG, reason=f"it took more than {seconds:g} s")
            except (Exception, SystemExit) as error:  # a task may raise anything; the others go on
                yield Outcome(task.index, RAISED, reason=f"{type(error).__name__}: {error}")
            else:
                yield Outcome(task.index, DONE, value)
