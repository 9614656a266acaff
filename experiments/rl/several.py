"""Training by the same settings with several seeds, side by side, in one folder with a run each."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from sgai.errors import SgaiError, quote, quote_path
from sgai.experiments.engines import Engine, make_engine
from sgai.experiments.rl.evaluation import TestSet
from sgai.experiments.rl.run_writer import Line, RunWriter
from sgai.experiments.rl.runs import FORMAT, LOCK_FILE, MANIFEST_FILE, SEEDS_KIND, RunFolder, is_of_seeds, new_manifest
from sgai.experiments.rl.scalars import summary_writer
from sgai.experiments.rl.slices import Sliced, train_in_slices
from sgai.experiments.rl.train_settings import TrainSettings, settings_of
from sgai.experiments.rl.training import Training, longer, note_resumed, take_up
from sgai.experiments.run_files import lock_folder, read_object

Curves = dict[int, list[Line]]


class SeedsInterrupted(Exception):
    """Ctrl-C in training with several seeds; what came back is in the folders.

    Attributes
    ----------
    curves : dict
        The lines of each seed.
    episodes : dict
        How far each seed is.
    """

    def __init__(self, curves: Curves, episodes: dict[int, int]) -> None:
        super().__init__("training was interrupted")
        self.curves, self.episodes = curves, episodes


class SeedsFailed(SgaiError):
    """Training failed with some seeds, which the message names; ``curves`` are those of the others, at their end."""

    def __init__(self, message: str, curves: Curves) -> None:
        super().__init__(message)
        self.curves = curves


def train_seeds(
    settings: TrainSettings,
    seeds: Sequence[int],
    folder: str | Path,
    *,
    engine: Engine | None = None,
    tensorboard: bool = False,
    watch: Callable[[int], None] | None = None,
    on_line: Callable[[int, Line], None] | None = None,
) -> Curves:
    """Train with several seeds; all are judged on the same positions.

    Parameters
    ----------
    settings : TrainSettings
        What to do; its own seed does not count.
    seeds : sequence of int
        The seeds, each once.
    folder : str or Path
        A new or empty folder. It gets ``manifest.json`` and for each seed a folder ``seed-N``, which is that of a run
        as `train` writes it: `resume` goes on with it alone, and players and plots take it.
    engine : Engine, optional
        What trains, a slice of a run as one task; by default this process, with all in turn. Equal settings give equal
        curves and checkpoints, those of `train`, times aside. This process writes all files.
    tensorboard : bool
        As of `train`.
    watch : callable, optional
        Called with the number of episodes played since the last call.
    on_line : callable, optional
        Called with the seed and each line of the curves.

    Returns
    -------
    dict
        For each seed its lines, as of `train`.

    Raises
    ------
    SeedsInterrupted
        On Ctrl-C.
    SeedsFailed
        After the others are through, if learning diverged with a seed, or the workers ended each time.
    SgaiError
        For bad settings, or a folder that is not empty or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> settings = TrainSettings("sgai_nim(piles=[2;2])", episodes=60, evaluate_every=30, positions=50, games=5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     curves = train_seeds(settings, [1, 2], folder)
    >>> {seed: [line["episode"] for line in lines] for seed, lines in curves.items()}
    {1: [0, 30, 60], 2: [0, 30, 60]}
    """
    each_settings = _with_seeds(settings, seeds)
    if tensorboard:
        summary_writer()
    first = Training(each_settings[0])  # what is bad or missing makes no folder
    path = Path(folder)
    whole = RunFolder(path)
    whole.make()
    whole.write_manifest({**new_manifest(SEEDS_KIND, asdict(each_settings[0])), "seeds": list(seeds)})
    with contextlib.ExitStack() as ends:
        ends.callback(lock_folder(path, LOCK_FILE, "wait for it, or stop it").release)
        trainings = [Training(each, first.tests) for each in each_settings]
        return _train(_created(trainings, path, ends), ends, engine, tensorboard, watch, on_line)


def resume_seeds(
    folder: str | Path,
    *,
    episodes: int | None = None,
    engine: Engine | None = None,
    tensorboard: bool = False,
    watch: Callable[[int], None] | None = None,
    on_line: Callable[[int, Line], None] | None = None,
) -> Curves:
    """Go on with the runs in a folder of `train_seeds`, each from its last checkpoint, as if they had never stopped.

    Parameters
    ----------
    folder : str or Path
        The folder.
    episodes : int, optional
        How many episodes there should be in the end, if more than were planned.
    engine, tensorboard, watch, on_line
        As of `train_seeds`.

    Raises
    ------
    SgaiError
        If the folder is none of `train_seeds`, or a run in it is damaged or in use; nothing is changed then.
    """
    if tensorboard:
        summary_writer()
    path = Path(folder)
    settings, seeds = settings_of_seeds(path)
    runs = [RunFolder(path / _name(seed)) for seed in seeds]
    begun = [run for run in runs if run.exists()]
    given = {run.path: longer(run, episodes) for run in begun}
    for run in runs:
        if run.path not in given:
            run.check_new(again=True)
    settings = replace(settings, episodes=max(episodes or 0, settings.episodes))
    # After a kill while more were being asked for, some know of it and others do not yet.
    given = {path: replace(each, episodes=max(each.episodes, settings.episodes)) for path, each in given.items()}
    known: list[Training] = []
    trainings = []
    for seed, run in zip(seeds, runs, strict=True):
        wanted = given.get(run.path, replace(settings, seed=seed)).checked()
        known.append(Training(wanted, _same_tests(wanted, known)))
        trainings.append(known[-1])
    with contextlib.ExitStack() as ends:
        ends.callback(lock_folder(path, LOCK_FILE, "wait for it, or stop it").release)
        for run in begun:
            ends.enter_context(run.locked())
        states = {
            run.path: take_up(training, run) for training, run in zip(trainings, runs, strict=True) if run.path in given
        }
        if episodes is not None:
            RunFolder(path).write_manifest({**read_object(path / MANIFEST_FILE), "settings": asdict(settings)})
        entries = []
        for training, run in zip(trainings, runs, strict=True):
            if run.path in given:
                note_resumed(run, training)
                entries.append((training, run, states[run.path]))
            else:
                entries += _created([training], path, ends)
        return _train(entries, ends, engine, tensorboard, watch, on_line)


_Entry = tuple[Training, RunFolder, bytes | None]


def _created(trainings: Sequence[Training], path: Path, ends: contextlib.ExitStack) -> list[_Entry]:
    """Make the folders of new runs, and hold them."""
    entries: list[_Entry] = []
    for training in trainings:
        run = RunFolder(path / _name(training.settings.seed))
        run.create(asdict(training.settings), again=True)
        ends.enter_context(run.locked())
        entries.append((training, run, None))
    return entries


def _train(
    entries: Sequence[_Entry],
    ends: contextlib.ExitStack,
    engine: Engine | None,
    tensorboard: bool,
    watch: Callable[[int], None] | None,
    on_line: Callable[[int, Line], None] | None,
) -> Curves:
    runs: dict[int, Sliced] = {}
    for training, folder, state in entries:
        seed = training.settings.seed
        writer = RunWriter(
            folder,
            training.settings.keep,
            training.learners.suffix,
            training.episode,
            tensorboard,
            None if on_line is None else _with_seed(on_line, seed),
        )
        ends.enter_context(contextlib.closing(writer))
        runs[seed] = Sliced(training, writer, state)
    try:
        train_in_slices([*runs.values()], engine or ends.enter_context(make_engine("serial")), watch)
    except KeyboardInterrupt:
        raise SeedsInterrupted(
            {seed: run.writer.lines for seed, run in runs.items()}, {seed: run.episode for seed, run in runs.items()}
        ) from None
    failed = [f"seed {seed}: {run.failed}" for seed, run in runs.items() if run.failed is not None]
    curves = {seed: run.writer.lines for seed, run in runs.items() if run.failed is None}
    if failed:
        raise SeedsFailed("; ".join(failed), curves)
    return curves


def _with_seed(on_line: Callable[[int, Line], None], seed: int) -> Callable[[Line], None]:
    return lambda line: on_line(seed, line)


def _same_tests(settings: TrainSettings, known: Sequence[Training]) -> TestSet | None:
    """Return the test positions of a training that has the same ones."""
    names = ("game", "positions", "test_starts", "test_seed", "by")
    for each in known:
        if all(getattr(each.settings, name) == getattr(settings, name) for name in names):
            return each.tests
    return None


# The folder


def _name(seed: int) -> str:
    return f"seed-{seed}"


def settings_of_seeds(path: Path) -> tuple[TrainSettings, list[int]]:
    """Return the settings, of the first seed, and the seeds of a folder of `train_seeds`, or raise `SgaiError`."""
    file = path / MANIFEST_FILE
    if not is_of_seeds(path):
        raise SgaiError(f"{quote_path(path)} holds no runs of several seeds: {quote_path(file)} does not say so")
    found = read_object(file)
    if found.get("format") != FORMAT:
        raise SgaiError(f"{quote_path(file)} has the format {quote(found.get('format'))}; this version reads {FORMAT}")
    settings = settings_of(found, path)
    try:
        return settings, [each.seed for each in _with_seeds(settings, found["seeds"])]
    except (KeyError, TypeError, SgaiError) as error:
        why = str(error) if isinstance(error, SgaiError) else f"{type(error).__name__}: {error}"
        raise SgaiError(f"{quote_path(file)} is damaged: {why}") from None


def _with_seeds(settings: TrainSettings, seeds: Sequence[int]) -> list[TrainSettings]:
    """Return the settings of each seed, checked."""
    if not seeds:
        raise SgaiError("seeds=[]: give one or more")
    for place, seed in enumerate(seeds):
        if seed in seeds[:place]:
            raise SgaiError(f"seed {seed} is given twice")
    return [replace(settings, seed=seed).checked() for seed in seeds]
