"""Self-play training of OpenSpiel's learners with curves against the exact oracle, kept and taken up again exactly."""

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from sgai.envs.environment import SgaiEnvironment, run_episode
from sgai.errors import SgaiError, quote_path
from sgai.experiments.engines import Engine
from sgai.experiments.patience import patient
from sgai.experiments.rl.evaluation import TestSet, evaluate, make_test_set
from sgai.experiments.rl.learners import (
    LearnerSpec,
    chance_state,
    numpy_state,
    set_chance_state,
    set_numpy_state,
)
from sgai.experiments.rl.report import records
from sgai.experiments.rl.run_writer import Line, RunWriter
from sgai.experiments.rl.runs import RunFolder, versions
from sgai.experiments.rl.saved import read_checkpoint, restore
from sgai.experiments.rl.scalars import summary_writer
from sgai.experiments.rl.start_options import StartsSpec, curriculum_in
from sgai.experiments.rl.train_settings import TrainSettings, settings_of


class TrainingInterrupted(Exception):
    """Ctrl-C in training; all that was done is in the folder, up to ``episode``."""

    def __init__(self, episode: int, curves: list[Line]) -> None:
        super().__init__("training was interrupted")
        self.episode, self.curves = episode, curves


def train(
    settings: TrainSettings,
    folder: str | Path,
    *,
    tensorboard: bool = False,
    watch: Callable[[int], None] | None = None,
    on_line: Callable[[Line], None] | None = None,
    engine: Engine | None = None,
) -> list[Line]:
    """Train two learners by playing each other, and judge them as they learn.

    Parameters
    ----------
    settings : TrainSettings
        What to do.
    folder : str or Path
        A new or empty folder. It gets ``manifest.json`` (settings, seed, versions), ``curves.jsonl`` and checkpoints.
    tensorboard : bool
        Whether to write the curves for TensorBoard too, in the folder ``tensorboard``.
    watch : callable, optional
        Called with 1 after each episode.
    on_line : callable, optional
        Called with each line of the curves.
    engine : Engine, optional
        Whose worker trains; by default this process does. What comes of it is the same, and is written here.

    Returns
    -------
    list of dict
        The lines of the curves: ``episode``, ``seconds`` (of this process's work), ``steps``, ``epsilon``, ``loss``
        (mean since the last line), what `records` gives for all positions, and ``by_size``: the policy accuracies by
        size.

    Raises
    ------
    TrainingInterrupted
        On Ctrl-C. It takes effect after the episode, or the evaluation, so that nothing is half-done.
    SgaiError
        For bad settings, or a folder that is not empty or cannot be written.

    Notes
    -----
    OpenSpiel's learners draw from numpy's global generator, which is seeded for the run and put back after it. Time
    aside, equal settings give equal curves, and a run that was interrupted or killed and is taken up by `resume` gives
    the curves of an unbroken one: the whole state of the learners is in the checkpoints, with a DQN's replay buffer.

    Examples
    --------
    >>> import tempfile
    >>> settings = TrainSettings("sgai_nim(piles=[2;2])", episodes=100, evaluate_every=50, positions=50, games=5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lines = train(settings, folder)
    >>> [line["episode"] for line in lines]
    [0, 50, 100]
    >>> lines[-1]["policy_accuracy"]["share"] > lines[-1]["random_accuracy"]
    True
    """
    if tensorboard:
        summary_writer()
    settings = settings.checked()
    training = Training(settings)  # what is bad or missing makes no folder
    run = RunFolder(folder)
    run.create(asdict(settings))
    with run.locked():
        return _go_on(training, run, None, tensorboard, watch, on_line, engine)


def resume(
    folder: str | Path,
    *,
    episodes: int | None = None,
    tensorboard: bool = False,
    watch: Callable[[int], None] | None = None,
    on_line: Callable[[Line], None] | None = None,
    engine: Engine | None = None,
) -> list[Line]:
    """Go on with a run from its last checkpoint, as if it had never stopped.

    Parameters
    ----------
    folder : str or Path
        The run's.
    episodes : int, optional
        How many episodes there should be in the end, if more than were planned. A curriculum then goes on by the new
        number.
    tensorboard, watch, on_line, engine
        As of `train`.

    Raises
    ------
    SgaiError
        If the folder is no run, is damaged, or is in use; nothing in it is changed then.
    """
    if tensorboard:
        summary_writer()
    run = RunFolder(folder)
    training = Training(longer(run, episodes))
    with run.locked():
        state = take_up(training, run)
        note_resumed(run, training)
        return _go_on(training, run, state, tensorboard, watch, on_line, engine)


def longer(run: RunFolder, episodes: int | None) -> TrainSettings:
    """Return the settings of a run that there is, with more episodes if they are asked for.

    Raises
    ------
    SgaiError
        If the folder is no run, or has more episodes already.
    """
    settings = settings_of(run.manifest(), run.path)
    if episodes is None:
        return settings
    if episodes < settings.episodes:
        raise SgaiError(
            f"episodes={episodes:,}: the run has {settings.episodes:,} already; name more, or none "
            f"({quote_path(run.path)})"
        )
    return replace(settings, episodes=episodes).checked()


def take_up(training: "Training", run: RunFolder) -> bytes | None:
    """Give a training the state of a run's last checkpoint, and return that; None where there is none.

    Raises
    ------
    SgaiError
        If something in the folder is damaged; nothing was changed then.
    """
    saved = run.checkpoints()
    run.curves()
    if not saved:
        return None
    data = read_checkpoint(saved[-1])
    training.restore(data, saved[-1])
    return data


def note_resumed(run: RunFolder, training: "Training") -> None:
    """Write in the manifest of a run that it goes on, and by which settings."""
    manifest = run.manifest()
    manifest["settings"] = asdict(training.settings)
    manifest["resumed"] = [*manifest.get("resumed", []), {"episode": training.episode, "versions": versions()}]
    run.write_manifest(manifest)


def _go_on(
    training: "Training",
    run: RunFolder,
    state: bytes | None,
    tensorboard: bool,
    watch: Callable[[int], None] | None,
    on_line: Callable[[Line], None] | None,
    engine: Engine | None,
) -> list[Line]:
    """Play the episodes that are left, and write all that comes of them."""
    with contextlib.closing(
        RunWriter(run, training.settings.keep, training.learners.suffix, training.episode, tensorboard, on_line)
    ) as writer:
        if engine is not None:
            return _go_on_elsewhere(training, writer, state, watch, engine)
        if watch is not None:
            watch(training.episode)
        with patient() as stopped:
            state = training.go_on(writer, is_new=not writer.lines, stopped=stopped, watch=watch)
            if training.is_over:
                return writer.lines
            writer.checkpoint(training.episode, state)
            raise TrainingInterrupted(training.episode, writer.lines)


def _go_on_elsewhere(
    training: "Training",
    writer: RunWriter,
    state: bytes | None,
    watch: Callable[[int], None] | None,
    engine: Engine,
) -> list[Line]:
    from sgai.experiments.rl.slices import Sliced, train_in_slices  # it needs this module itself

    run = Sliced(training, writer, state)
    try:
        train_in_slices([run], engine, watch)
    except KeyboardInterrupt:
        raise TrainingInterrupted(run.episode, writer.lines) from None
    if run.failed is not None:
        raise SgaiError(run.failed)
    return writer.lines


class Notes(Protocol):
    """Who takes down what comes of training, as it comes."""

    def line(self, line: Line) -> None:
        """Take a line of the curves."""

    def checkpoint(self, episode: int, state: bytes) -> None:
        """Take the state after an episode, after the line that belongs to it."""


class Training:
    """A run in this process, from its start or from a state that was kept.

    Parameters
    ----------
    settings : TrainSettings
        Of the run, checked.
    tests : TestSet, optional
        Those of the settings, where they were made before.
    """

    def __init__(self, settings: TrainSettings, tests: TestSet | None = None) -> None:
        self.settings = settings
        self.game = settings.loaded_game()
        self.learners = LearnerSpec.parse(settings.learner).learners(self.game, settings.seed)
        self.sampler = StartsSpec.parse(settings.starts).sampler(self.game, settings.seed)
        self.environment = SgaiEnvironment(self.game, self.sampler)
        self.tests = tests or make_test_set(
            settings.game,
            settings.positions,
            starts=settings.test_starts,
            by=settings.by,
            seed=settings.test_seed,
        )
        self.episode = 0
        self.seconds = 0.0
        self._losses: list[float] = []  # since the last line
        with _own_numpy(None):
            np.random.seed(settings.seed % 2**32)
            self._numpy = numpy_state()

    @property
    def is_over(self) -> bool:
        """Whether all episodes are played."""
        return self.episode >= self.settings.episodes

    def restore(self, state: bytes, file: str | Path) -> None:
        """Take up the state of a checkpoint; the file is for the message where it is damaged."""
        about = restore(self.learners, state, file)
        try:
            self.episode, self.seconds = int(about["episode"]), float(about["seconds"])
            self._numpy, self._losses = about["numpy"], list(about["losses"])
            set_chance_state(self.sampler._chance, about["starts"])
            with _own_numpy(None):
                set_numpy_state(self._numpy)
        except (KeyError, TypeError, ValueError) as error:
            raise SgaiError(f"checkpoint {quote_path(file)} is damaged: {error}") from None

    def go_on(
        self,
        notes: Notes,
        *,
        is_new: bool,
        stopped: Callable[[], bool],
        watch: Callable[[int], None] | None = None,
    ) -> bytes:
        """Play episodes until all are played, or it is stopped between two of them; return the state at the end.

        Parameters
        ----------
        notes : Notes
            Get the lines, and the states after which a checkpoint is due.
        is_new : bool
            Whether there is no line of this run yet.
        stopped : callable
            Asked before each episode.
        watch : callable, optional
            Called with 1 after each episode.
        """
        settings = self.settings
        curriculum = curriculum_in(self.sampler)
        kept = -1, b""  # the last checkpoint, and its episode

        def keep() -> None:
            nonlocal kept
            kept = self.episode, self._state()
            notes.checkpoint(*kept)

        with _own_numpy(self._numpy), _one_thread():
            if is_new:
                notes.line(self.line())
                keep()
            last = time.perf_counter()
            while not self.is_over and not stopped():
                if curriculum is not None:
                    curriculum.progress = self.episode / settings.episodes
                self.play()
                self.seconds += time.perf_counter() - last
                due = self.episode % settings.evaluate_every == 0 or self.is_over
                if due:
                    notes.line(self.line())
                if due or self.episode % settings.checkpoint_every == 0:
                    keep()
                if watch is not None:
                    watch(1)
                last = time.perf_counter()
            return kept[1] if kept[0] == self.episode else self._state()

    def play(self) -> None:
        """Play one episode, from which both learn."""
        try:
            run_episode(self.environment, self.learners.agents)
        except AttributeError:
            if self._is_finite():
                raise
        if not self._is_finite():  # OpenSpiel's DQN then gives no action at all
            raise SgaiError(
                f"learning diverged in episode {self.episode + 1:,}: the loss is no number any more; choose a smaller "
                "learning_rate or loss=huber (what was written before stays)"
            )
        self.episode += 1
        self._losses += [loss for loss in self.learners.losses() if loss is not None]

    def _is_finite(self) -> bool:
        return all(math.isfinite(loss) for loss in self.learners.losses() if loss is not None)

    def line(self) -> Line:
        """Judge the learners as they are; their chance is left as it was."""
        found = evaluate(self.learners.agents, self.tests, games=self.settings.games, seed=self.settings.test_seed)
        whole, *sizes = records(found)
        loss = float(np.mean(self._losses)) if self._losses else None
        self._losses = []
        left_out = ("agent", "game", "source", "seed", "by", "sizes", "failures", "failure", "median_seconds")
        return {
            "episode": self.episode,
            "seconds": round(self.seconds, 3),
            "steps": self.learners.steps(),
            "epsilon": self.learners.epsilon(),
            "loss": loss,
            **{key: value for key, value in whole.items() if key not in left_out},
            "by": whole["by"],
            "by_size": [
                {key: each[key] for key in ("sizes", "won", "random_accuracy", "policy_accuracy")} for each in sizes
            ],
        }

    def _state(self) -> bytes:
        about = {
            "episode": self.episode,
            "seconds": self.seconds,
            "numpy": numpy_state(),
            "starts": chance_state(self.sampler._chance),
            "losses": self._losses,
        }
        return self.learners.dump(about)


@contextlib.contextmanager
def _own_numpy(state: list[Any] | None) -> Iterator[None]:
    """Give numpy's global generator a state, and put it back as it was after."""
    before = np.random.get_state()
    try:
        if state is not None:
            set_numpy_state(state)
        yield
    finally:
        np.random.set_state(before)


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch use one thread: the networks are small, and sums in one order repeat a run exactly."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
