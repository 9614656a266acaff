"""Training on the workers of an engine, a slice at a time: a state in, the lines and the states that came of it out.

Workers see no folder: the process that gives the slices writes them, so a cluster needs no disk that all share, and a
slice that was lost with its worker is redone from the same state, which gives the same.
"""

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sgai.errors import SgaiError
from sgai.experiments.engines import Engine, Feed, Outcome, Task
from sgai.experiments.patience import patient
from sgai.experiments.rl.evaluation import TestSet
from sgai.experiments.rl.run_writer import Line, RunWriter
from sgai.experiments.rl.train_settings import TrainSettings
from sgai.experiments.rl.training import Training

SLICE_SECONDS = 15.0  # after which a slice ends with the episode
_MOST_BYTES = 64_000_000  # of checkpoints, with which it ends too


@dataclass(frozen=True)
class Slice:
    """What came of a slice of a run.

    Attributes
    ----------
    notes : list
        Lines of the curves, and checkpoints as pairs of episode and state, in the order in which they came; of the
        checkpoints the latest, so many as the run keeps.
    episode : int
        Where it ended.
    state : bytes
        The state there.
    failed : str or None
        Why it cannot go on.
    stopped : bool
        Whether Ctrl-C was pressed, where it ran in the process that takes it.
    """

    notes: list[Line | tuple[int, bytes]]
    episode: int
    state: bytes = b""
    failed: str | None = None
    stopped: bool = False


class _Kept:
    """Takes notes in a slice."""

    def __init__(self, keep: int) -> None:
        self.notes: list[Line | tuple[int, bytes]] = []
        self._keep = keep

    def line(self, line: Line) -> None:
        self.notes.append(line)

    def checkpoint(self, episode: int, state: bytes) -> None:
        self.notes.append((episode, state))
        for old in self._checkpoints()[: -self._keep]:
            self.notes.remove(old)

    def size(self) -> int:
        return sum(len(state) for _, state in self._checkpoints())

    def _checkpoints(self) -> list[tuple[int, bytes]]:
        return [each for each in self.notes if isinstance(each, tuple)]


def train_slice(
    settings: TrainSettings, tests: TestSet, state: bytes | None, is_new: bool, seconds: float, is_here: bool
) -> Slice:
    """Train for a while.

    Parameters
    ----------
    settings : TrainSettings
        The run's.
    tests : TestSet
        Its test positions.
    state : bytes or None
        Where to go on from; None for the start.
    is_new : bool
        Whether there is no line of the run yet.
    seconds : float
        After which it ends, between two episodes.
    is_here : bool
        Whether this is the process that Ctrl-C is meant for.

    Returns
    -------
    Slice
        Which holds what was done also where learning failed.
    """
    training, kept = Training(settings, tests), _Kept(settings.keep)
    if state is not None:
        training.restore(state, "of the slice before")
    begun, until = -1 if is_new else training.episode, time.monotonic() + seconds
    with patient() if is_here else contextlib.nullcontext(lambda: False) as pressed:

        def stopped() -> bool:
            spent = time.monotonic() >= until or kept.size() > _MOST_BYTES
            return pressed() or (spent and training.episode > begun)

        try:
            state = training.go_on(kept, is_new=is_new, stopped=stopped)
        except Exception as error:  # a user's rules may raise anything; what was done before is kept
            why = str(error) if isinstance(error, SgaiError) else f"{type(error).__name__}: {error}"
            return Slice(kept.notes, training.episode, failed=why)
        return Slice(kept.notes, training.episode, state, stopped=pressed())


class Sliced:
    """A run that is trained in slices, with all that is written of it.

    Parameters
    ----------
    training : Training
        With the settings, and the episode from which it goes on.
    writer : RunWriter
        Of its folder, which the caller holds.
    state : bytes or None
        The state at this episode; None for the start.

    Attributes
    ----------
    episode : int
        How far it is.
    failed : str or None
        Why it cannot go on.
    """

    def __init__(self, training: Training, writer: RunWriter, state: bytes | None) -> None:
        self.settings, self.tests, self.writer = training.settings, training.tests, writer
        self.episode, self._state = training.episode, state
        self.failed: str | None = None

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to do: all episodes are played, and judged."""
        return self.failed is not None or (self.episode >= self.settings.episodes and bool(self.writer.lines))

    def task(self, index: int, is_here: bool) -> Task:
        """Return the next slice as a task."""
        arguments = (self.settings, self.tests, self._state, not self.writer.lines, SLICE_SECONDS, is_here)
        return Task(index, train_slice, arguments)

    def take(self, outcome: Outcome) -> bool:
        """Write what came of a slice; return whether it was stopped by Ctrl-C."""
        if outcome.kind != "done":
            self.failed = f"its worker could not go on after episode {self.episode:,}: {outcome.kind}: {outcome.reason}"
            self.keep()
            return False
        found: Slice = outcome.value
        for note in found.notes:
            if isinstance(note, tuple):
                self.writer.checkpoint(*note)
            else:
                self.writer.line(note)
        if found.failed is not None:
            self.failed = found.failed
            self.keep()  # as it was before this slice, where no checkpoint of it is later
        else:
            self.episode, self._state = found.episode, found.state
        return found.stopped

    def keep(self) -> None:
        """Write the state of now, where no checkpoint was due."""
        if self._state is not None and self.writer.saved < self.episode:
            self.writer.checkpoint(self.episode, self._state)


def train_in_slices(runs: Sequence[Sliced], engine: Engine, watch: Callable[[int], None] | None = None) -> None:
    """Train runs to their ends, or until they fail, side by side.

    Parameters
    ----------
    runs : sequence of Sliced
        The runs.
    engine : Engine
        What works on them: on each a slice at a time, and on the next one as soon as the last is back.
    watch : callable, optional
        Called with the number of episodes played since the last call.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C; what came back is written then.
    SgaiError
        If a folder cannot be written, or no worker begins.
    """
    feed, given = Feed(), dict[int, Sliced]()

    def give(run: Sliced) -> None:
        if not run.is_over:
            index = len(given)
            given[index] = run
            feed.add(run.task(index, engine.has_one_process))

    if watch is not None:
        watch(sum(run.episode for run in runs))
    for run in runs:
        give(run)
    outcomes = engine.run(feed)
    try:
        for outcome in outcomes:
            run = given[outcome.index]
            before = run.episode
            with patient() as pressed:  # what came back is written whole
                is_stopped = run.take(outcome)
            if watch is not None:
                watch(run.episode - before)
            if is_stopped or pressed():
                raise KeyboardInterrupt
            give(run)
    except BaseException:  # Ctrl-C, or whatever breaks an engine, a folder or a caller's function
        for run in runs:
            with contextlib.suppress(SgaiError):  # of a full disk the first error tells
                run.keep()
        raise
    finally:
        outcomes.close()
