"""Self-play training of OpenSpiel's learners with curves against the exact oracle, kept and taken up again exactly."""

import contextlib
import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from sgai.envs.environment import SgaiEnvironment, run_episode
from sgai.envs.game import SgaiGame
from sgai.envs.starts import own_game
from sgai.errors import SgaiError, quote, quote_path
from sgai.experiments.rl.boards import find_benchmark
from sgai.experiments.rl.evaluation import evaluate, make_test_set
from sgai.experiments.rl.learners import (
    Damaged,
    Learners,
    LearnerSpec,
    chance_state,
    numpy_state,
    set_chance_state,
    set_numpy_state,
)
from sgai.experiments.rl.report import records
from sgai.experiments.rl.runs import CHECKPOINTS, RunFolder, is_checkpoint, versions
from sgai.experiments.rl.scalars import Scalars, summary_writer
from sgai.experiments.rl.start_options import StartsSpec, curriculum_in

Line = dict[str, Any]


@dataclass(frozen=True)
class TrainSettings:
    """What a run is made of.

    Attributes
    ----------
    game : str
        An OpenSpiel game of ours, or a benchmark such as ``zhou-riis-5``.
    learner : str
        ``q_learning`` or ``dqn``, with parameters.
    episodes : int
        Games of self-play.
    starts : str
        Where they start: initial, uniform, random_play, balanced or curriculum, with parameters.
    evaluate_every, checkpoint_every : int
        Episodes between evaluations and between checkpoints; there is a checkpoint at each evaluation too.
    positions : int
        Test positions: the benchmark's, or drawn by ``test_starts`` and ``test_seed``, so that runs with different
        seeds are judged on the same ones.
    games : int
        Won positions among them to play from, against perfect and against random play.
    by : str or None
        Which size to tell results apart by.
    keep : int
        How many checkpoints to keep.
    seed : int
        Of all that is random in training.
    """

    game: str
    learner: str = "q_learning"
    episodes: int = 1000
    starts: str = "uniform"
    evaluate_every: int = 100
    checkpoint_every: int = 1000
    positions: int = 200
    games: int = 20
    test_starts: str = "uniform"
    test_seed: int = 0
    by: str | None = None
    keep: int = 2
    seed: int = 0

    def checked(self) -> "TrainSettings":
        """Return the settings with games and learners in their normal form, or raise `SgaiError`."""
        for name in ("episodes", "evaluate_every", "checkpoint_every", "positions", "keep"):
            self._whole(name, 1)
        for name in ("games", "seed", "test_seed"):
            self._whole(name, 0)
        return replace(
            self,
            learner=str(LearnerSpec.parse(self.learner)),
            starts=str(StartsSpec.parse(self.starts)),
            test_starts=str(StartsSpec.parse(self.test_starts)),
        )

    def _whole(self, name: str, least: int) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise SgaiError(f"{name}={quote(value)}: it should be a whole number, {least} or more")

    def loaded_game(self) -> SgaiGame:
        """Return the game."""
        board = find_benchmark(self.game)
        return own_game(board.game if board else self.game)


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
    training = _Training(settings)  # what is bad or missing makes no folder
    run = RunFolder(folder)
    run.create(asdict(settings))
    with run.locked():
        return training.go_on(run, tensorboard, watch, on_line)


def resume(
    folder: str | Path,
    *,
    episodes: int | None = None,
    tensorboard: bool = False,
    watch: Callable[[int], None] | None = None,
    on_line: Callable[[Line], None] | None = None,
) -> list[Line]:
    """Go on with a run from its last checkpoint, as if it had never stopped.

    Parameters
    ----------
    folder : str or Path
        The run's.
    episodes : int, optional
        How many episodes there should be in the end, if more than were planned. A curriculum then goes on by the new
        number.
    tensorboard, watch, on_line
        As of `train`.

    Raises
    ------
    SgaiError
        If the folder is no run, is damaged, or is in use; nothing in it is changed then.
    """
    if tensorboard:
        summary_writer()
    run = RunFolder(folder)
    manifest = run.manifest()
    settings = settings_of(manifest, run)
    if episodes is not None:
        if episodes < settings.episodes:
            raise SgaiError(f"episodes={episodes:,}: the run has {settings.episodes:,} already; name more, or none")
        settings = replace(settings, episodes=episodes).checked()
    training = _Training(settings)
    with run.locked():
        saved = run.checkpoints()
        run.curves()  # a damaged line is refused before anything is changed
        if saved:
            training.restore(saved[-1])
        manifest["settings"] = asdict(settings)
        manifest["resumed"] = [*manifest.get("resumed", []), {"episode": training.episode, "versions": versions()}]
        run.write_manifest(manifest)
        return training.go_on(run, tensorboard, watch, on_line)


def settings_of(manifest: dict[str, Any], run: RunFolder) -> TrainSettings:
    """Return the settings that a manifest holds, or raise `SgaiError` where they are none."""
    given = manifest["settings"]
    known = {each.name for each in fields(TrainSettings)}
    if set(given) != known:
        raise SgaiError(
            f"the manifest of {quote_path(run.path)} is damaged: its settings should be {', '.join(sorted(known))}"
        )
    try:
        return TrainSettings(**given).checked()
    except (TypeError, AttributeError) as error:
        raise SgaiError(f"the manifest of {quote_path(run.path)} is damaged: {error}") from None


def load_learners(path: str | Path, game: SgaiGame | None = None) -> list[Any]:
    """Return the learners of a run, for player 0 and player 1.

    Parameters
    ----------
    path : str or Path
        The folder of a run, of which the last checkpoint is taken, or a checkpoint in it.
    game : SgaiGame, optional
        The game that they are to play; it has to have the actions and tensors of their own.

    Raises
    ------
    SgaiError
        If it is no run, the checkpoint is damaged, or the game does not fit.
    """
    path = Path(path)
    if path.is_file() and not is_checkpoint(path):
        raise SgaiError(
            f"{quote_path(path)} is no checkpoint: those are episode-... in the folder {CHECKPOINTS!r} of a run"
        )
    run = RunFolder(path if path.is_dir() else path.resolve().parent.parent)
    settings = settings_of(run.manifest(), run)
    own = settings.loaded_game()
    if game is not None and _shape(game) != _shape(own):
        raise SgaiError(
            f"{quote_path(path)} was trained on {quote(str(own))} with {_shape(own)[0]} actions and observations of "
            f"{_shape(own)[1]} numbers; {quote(str(game))} has {_shape(game)[0]} and {_shape(game)[1]}"
        )
    saved = [path] if path.is_file() else run.checkpoints()
    if not saved:
        raise SgaiError(f"the run {quote_path(path)} has no checkpoint yet in {CHECKPOINTS!r}")
    learners = LearnerSpec.parse(settings.learner).learners(own, settings.seed)
    _restore(learners, saved[-1])
    return learners.agents


def _shape(game: SgaiGame) -> tuple[int, int]:
    return game.num_distinct_actions(), game.observation_tensor_size()


def _restore(learners: Learners, file: Path) -> dict[str, Any]:
    try:
        return learners.restore(file.read_bytes())
    except OSError as error:
        raise SgaiError(f"checkpoint {quote_path(file)} cannot be read: {error.strerror}") from None
    except Damaged as error:
        said = " ".join(str(error).split())
        raise SgaiError(
            f"checkpoint {quote_path(file)} is damaged, or of another run ({said[:200]}); delete it to go on from the "
            "one before"
        ) from None


class _Training:
    """A run in this process."""

    def __init__(self, settings: TrainSettings) -> None:
        self.settings = settings
        self.game = settings.loaded_game()
        self.learners = LearnerSpec.parse(settings.learner).learners(self.game, settings.seed)
        self.sampler = StartsSpec.parse(settings.starts).sampler(self.game, settings.seed)
        self.environment = SgaiEnvironment(self.game, self.sampler)
        self.tests = make_test_set(
            settings.game,
            settings.positions,
            starts=settings.test_starts,
            by=settings.by,
            seed=settings.test_seed,
        )
        self.episode = 0
        self.seconds = 0.0
        self._losses: list[float] = []  # sum and number since the last line
        with _own_numpy(None):
            np.random.seed(settings.seed % 2**32)
            self._numpy = numpy_state()

    def restore(self, file: Path) -> None:
        """Take up the state of a checkpoint."""
        about = _restore(self.learners, file)
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
        run: RunFolder,
        tensorboard: bool,
        watch: Callable[[int], None] | None,
        on_line: Callable[[Line], None] | None,
    ) -> list[Line]:
        """Play the episodes that are left."""
        settings = self.settings
        curriculum = curriculum_in(self.sampler)
        scalars = Scalars(run.path / "tensorboard", self.episode) if tensorboard else None
        lines = run.keep_curves(self.episode)

        def judge() -> None:
            line = self.line()
            run.add_curve(line)
            lines.append(line)
            if scalars is not None:
                scalars.add(line)
            if on_line is not None:
                on_line(line)

        if watch is not None:
            watch(self.episode)
        with _own_numpy(self._numpy), _one_thread(), _patient() as stopped:
            if not lines:
                judge()
                self.save(run)
            last = time.perf_counter()
            while self.episode < settings.episodes and not stopped():
                if curriculum is not None:
                    curriculum.progress = self.episode / settings.episodes
                self.play()
                self.seconds += time.perf_counter() - last
                due = self.episode % settings.evaluate_every == 0 or self.episode == settings.episodes
                if due:
                    judge()
                if due or self.episode % settings.checkpoint_every == 0:
                    self.save(run)
                if watch is not None:
                    watch(1)
                last = time.perf_counter()
            if self.episode < settings.episodes:
                self.save(run)
                raise TrainingInterrupted(self.episode, lines)
        if scalars is not None:
            scalars.close()
        return lines

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

    def save(self, run: RunFolder) -> None:
        """Write a checkpoint."""
        about = {
            "episode": self.episode,
            "seconds": self.seconds,
            "numpy": numpy_state(),
            "starts": chance_state(self.sampler._chance),
            "losses": self._losses,
        }
        run.save_checkpoint(self.episode, self.learners.suffix, self.learners.dump(about), self.settings.keep)


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


@contextlib.contextmanager
def _patient() -> Iterator[Callable[[], bool]]:
    """Tell whether Ctrl-C was pressed, instead of raising anywhere; pressed again, it raises."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    pressed = False

    def note(number: int, frame: Any) -> None:
        nonlocal pressed
        if pressed:
            signal.default_int_handler(number, frame)
        pressed = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before if before is not None else signal.SIG_DFL)
