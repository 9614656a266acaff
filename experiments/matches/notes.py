"""A note that a game in play keeps on disk, so that it is known who was to move if its process does not come back."""

from dataclasses import dataclass, field
from pathlib import Path

from sgai.experiments.engines import LastResort

_TRACE = "Timeout ("  # how the trace of a process begins that was stuck


@dataclass
class Interrupted:
    """What a note says of a game that did not end.

    Attributes
    ----------
    seat : int or None
        Who was asked something, if anyone.
    actions : list of int
        The moves so far, without the opening.
    seats : str
        Who made them.
    was_stuck : bool
        Whether the process was ended because a bot took too long.
    """

    seat: int | None = None
    actions: list[int] = field(default_factory=list)
    seats: str = ""
    was_stuck: bool = False


class Note:
    """The note of one game.

    Parameters
    ----------
    path : Path
        Its file.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(exist_ok=True)
        self._path = path
        self._file = path.open("a", encoding="ascii", errors="replace")
        self._last_resort = LastResort(self._file)
        self._write("begin")

    def asking(self, seat: int, seconds: float | None) -> None:
        """Note that a bot is asked for something that may take so long."""
        self._write(f"ask {seat}")
        if seconds is not None:
            self._last_resort.put_off(seconds)

    def moved(self, seat: int, action: int) -> None:
        """Note a move."""
        self._write(f"move {seat} {action}")

    def rest(self) -> None:
        """Note that no bot is asked for anything now."""
        self._write("rest")
        self._last_resort.cancel()

    def remove(self) -> None:
        """Take the note away: the game is over."""
        self._last_resort.cancel()
        self._file.close()
        self._path.unlink(missing_ok=True)

    def _write(self, line: str) -> None:
        self._file.write(line + "\n")
        self._file.flush()


def read_note(path: Path) -> Interrupted | None:
    """Return what a note says, or None where there is none."""
    try:
        lines = path.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    found = Interrupted()
    for line in lines:
        word, *rest = line.split()[:3] or [""]
        if word == "begin":
            found = Interrupted()
        elif line.startswith(_TRACE):
            found.was_stuck = True
        elif word in ("ask", "move") and all(each.lstrip("-").isdecimal() for each in rest) and rest:
            if word == "ask":
                found.seat = int(rest[0])
            elif len(rest) == 2:
                found.seats += rest[0]
                found.actions.append(int(rest[1]))
        elif word == "rest":
            found.seat = None
    return found
