"""What learners have learned, read from the folder of a run, to play with it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sgai.envs.game import SgaiGame
from sgai.errors import SgaiError, quote, quote_path
from sgai.experiments.rl.learners import Damaged, Learners, LearnerSpec
from sgai.experiments.rl.runs import CHECKPOINTS, RunFolder, is_checkpoint
from sgai.experiments.rl.train_settings import TrainSettings, settings_of


@dataclass(frozen=True)
class SavedLearners:
    """The learners of a run as they were written: plain data, which can be sent to where there is no such folder.

    Attributes
    ----------
    settings : TrainSettings
        The run's.
    data : bytes
        The checkpoint.
    path, file : str
        The folder or checkpoint that was named, and the checkpoint that was read, for messages.
    """

    settings: TrainSettings
    data: bytes
    path: str
    file: str

    @classmethod
    def read(cls, path: str | Path) -> "SavedLearners":
        """Read the folder of a run, of which the last checkpoint is taken, or a checkpoint in it.

        Raises
        ------
        SgaiError
            If it is no run, or has no checkpoint yet.
        """
        path = Path(path)
        if path.is_file() and not is_checkpoint(path):
            raise SgaiError(
                f"{quote_path(path)} is no checkpoint: those are episode-... in the folder {CHECKPOINTS!r} of a run"
            )
        run = RunFolder(path if path.is_dir() else path.resolve().parent.parent)
        settings = settings_of(run.manifest(), run.path)
        saved = [path] if path.is_file() else run.checkpoints()
        if not saved:
            raise SgaiError(f"the run {quote_path(path)} has no checkpoint yet in {CHECKPOINTS!r}")
        return cls(settings, read_checkpoint(saved[-1]), str(path), str(saved[-1]))

    def check(self, game: SgaiGame) -> None:
        """Raise `SgaiError` if the game has not the actions and tensors of the learners' own."""
        own = self.settings.loaded_game()
        if _shape(game) != _shape(own):
            raise SgaiError(
                f"{quote_path(self.path)} was trained on {quote(str(own))} with {_shape(own)[0]} actions and "
                f"observations of {_shape(own)[1]} numbers; {quote(str(game))} has {_shape(game)[0]} and "
                f"{_shape(game)[1]}"
            )

    def agents(self) -> list[Any]:
        """Return the learners, for player 0 and player 1.

        Raises
        ------
        SgaiError
            If the checkpoint is damaged.
        """
        learners = LearnerSpec.parse(self.settings.learner).learners(self.settings.loaded_game(), self.settings.seed)
        restore(learners, self.data, self.file)
        return learners.agents


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
    saved = SavedLearners.read(path)
    if game is not None:
        saved.check(game)
    return saved.agents()


def read_checkpoint(file: Path) -> bytes:
    """Return what is in a checkpoint, or raise `SgaiError`."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise SgaiError(f"checkpoint {quote_path(file)} cannot be read: {error.strerror}") from None


def restore(learners: Learners, data: bytes, file: str | Path) -> dict[str, Any]:
    """Give learners the state in a checkpoint, and return what else it holds.

    Raises
    ------
    SgaiError
        If it is damaged, or of other learners; the message names the file.
    """
    try:
        return learners.restore(data)
    except Damaged as error:
        said = " ".join(str(error).split())
        raise SgaiError(
            f"checkpoint {quote_path(file)} is damaged, or of another run ({said[:200]}); delete it to go on from the "
            "one before"
        ) from None


def _shape(game: SgaiGame) -> tuple[int, int]:
    return game.num_distinct_actions(), game.observation_tensor_size()
