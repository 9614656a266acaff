"""Curves for TensorBoard, where it is wanted and installed."""

from pathlib import Path
from typing import Any

from sgai.errors import SgaiError

_SHARES = (
    "policy_accuracy",
    "value_accuracy",
    "blunder_rate",
    "wins_against_perfect",
    "wins_against_random",
)


def summary_writer() -> Any:
    """Return tensorboardX's writer, or raise `SgaiError` where it is not installed."""
    try:
        from tensorboardX import SummaryWriter
    except ModuleNotFoundError as error:
        raise SgaiError(
            f"TensorBoard's curves need the extra 'tensorboard': pip install 'sgai-openspiel[tensorboard]' ({error})"
        ) from error
    return SummaryWriter


class Scalars:
    """Writes the lines of a run's curves as TensorBoard's scalars.

    Parameters
    ----------
    folder : Path
        Where to.
    episode : int
        Where the run sets in; what was written of later episodes does not count.

    Raises
    ------
    SgaiError
        If tensorboardX is not installed.
    """

    def __init__(self, folder: Path, episode: int) -> None:
        self._writer = summary_writer()(str(folder), purge_step=episode or None)

    def add(self, line: dict[str, Any]) -> None:
        """Write one line."""
        values = {name: line[name]["share"] for name in _SHARES}
        values |= {name: line[name] for name in ("random_accuracy", "epsilon", "loss")}
        for name, value in values.items():
            if value is not None:
                self._writer.add_scalar(name, value, line["episode"])
        self._writer.flush()

    def close(self) -> None:
        """Finish the file."""
        self._writer.close()
