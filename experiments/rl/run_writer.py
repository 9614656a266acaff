"""What comes of training, written to the folder of a run in an order that a kill does no harm to."""

from collections.abc import Callable
from typing import Any

from sgai.experiments.rl.runs import RunFolder
from sgai.experiments.rl.scalars import Scalars

Line = dict[str, Any]


class RunWriter:
    """Writes lines and checkpoints of one run, whose folder the caller holds.

    Parameters
    ----------
    run : RunFolder
        The folder.
    keep : int
        How many checkpoints to keep.
    suffix : str
        Of the checkpoints' files.
    episode : int
        Where the run sets in; lines of later episodes are dropped, for they come again.
    tensorboard : bool
        Whether to write the lines for TensorBoard too.
    on_line : callable, optional
        Called with each line once it is on the disk.

    Attributes
    ----------
    lines : list of dict
        All lines of the run.
    saved : int
        The episode of the last checkpoint, -1 where there is none.
    """

    def __init__(
        self,
        run: RunFolder,
        keep: int,
        suffix: str,
        episode: int,
        tensorboard: bool = False,
        on_line: Callable[[Line], None] | None = None,
    ) -> None:
        self.run, self._keep, self._suffix, self._on_line = run, keep, suffix, on_line
        self._scalars = Scalars(run.path / "tensorboard", episode) if tensorboard else None
        self.lines: list[Line] = run.keep_curves(episode)
        self.saved = episode if run.checkpoints() else -1

    def line(self, line: Line) -> None:
        """Add a line to the curves."""
        self.run.add_curve(line)
        self.lines.append(line)
        if self._scalars is not None:
            self._scalars.add(line)
        if self._on_line is not None:
            self._on_line(line)

    def checkpoint(self, episode: int, state: bytes) -> None:
        """Write a checkpoint, after the line that belongs to it."""
        self.run.save_checkpoint(episode, self._suffix, state, self._keep)
        self.saved = episode

    def close(self) -> None:
        """Finish what is written for TensorBoard."""
        if self._scalars is not None:
            self._scalars.close()
