"""The folder of a training run: a manifest, a line for each evaluation, checkpoints, and one writer at a time."""

import contextlib
import json
import platform
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import sgai
from sgai.errors import SgaiError, quote, quote_path
from sgai.experiments.run_files import append_line, lock_folder, write_whole

MANIFEST_FILE, CURVES_FILE, CHECKPOINTS, LOCK_FILE = "manifest.json", "curves.jsonl", "checkpoints", "lock"
KIND, SEEDS_KIND, FORMAT = "sgai rl run", "sgai rl runs of several seeds", 1
_CHECKPOINT = re.compile(r"episode-\d{10}\.(npz|pt)")


def versions() -> dict[str, str]:
    """Return the versions of what a result depends on."""
    found = {"sgai": sgai.__version__, "python": platform.python_version()}
    for name in ("open_spiel", "numpy", "torch"):
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def new_manifest(kind: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return what the manifest of anything that begins now says."""
    return {
        "kind": kind,
        "format": FORMAT,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "settings": settings,
    }


class RunFolder:
    """The folder of one run.

    Parameters
    ----------
    path : str or Path
        The folder.

    Attributes
    ----------
    path : Path
        The folder.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    # The manifest

    def exists(self) -> bool:
        """Tell whether there is a run: the manifest is what is written last of a new one."""
        return (self.path / MANIFEST_FILE).exists()

    def create(self, settings: dict[str, Any], again: bool = False) -> None:
        """Make a new run: the folder must be new or empty.

        Parameters
        ----------
        settings : dict
            Of the run.
        again : bool
            Whether what a kill has left of a new run may be there.

        Raises
        ------
        SgaiError
            If it holds something already, or cannot be written.
        """
        self.make(again)
        self._write(CURVES_FILE, b"")
        with self._errors():
            (self.path / CHECKPOINTS).mkdir(exist_ok=True)
        self.write_manifest({**new_manifest(KIND, settings), "resumed": []})

    def make(self, again: bool = False) -> None:
        """Make the folder alone, as `create` does; it must be new or empty."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SgaiError(f"folder {quote_path(self.path)} cannot be made: {error.strerror}") from None
        self.check_new(again)

    def check_new(self, again: bool = False) -> None:
        """Raise `SgaiError` as `create` does, if the folder is there and holds something."""
        try:
            found = [*self.path.iterdir()] if self.path.exists() else []
            occupied = not all(again and _is_left(each) for each in found)
        except OSError as error:
            raise SgaiError(f"folder {quote_path(self.path)} cannot be made: {error.strerror}") from None
        if occupied and again:
            raise SgaiError(
                f"folder {quote_path(self.path)} holds something, but no {MANIFEST_FILE} of a run; put that back, or "
                "delete the folder to begin its run anew"
            )
        if occupied:
            raise SgaiError(
                f"folder {quote_path(self.path)} is not empty; name a new one with --out, or go on with a run in it by "
                "--resume"
            )

    def write_manifest(self, manifest: dict[str, Any]) -> None:
        """Replace the manifest."""
        self._write(MANIFEST_FILE, (json.dumps(manifest, indent=2) + "\n").encode())

    def manifest(self) -> dict[str, Any]:
        """Return the manifest.

        Raises
        ------
        SgaiError
            If there is none, or it is no manifest of a run.
        """
        path = self.path / MANIFEST_FILE
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise SgaiError(
                f"{quote_path(self.path)} is no training run: {quote_path(path)}: {error.strerror}"
            ) from None
        except ValueError as error:
            raise SgaiError(f"{quote_path(path)} is damaged: {error}") from None
        if isinstance(found, dict) and found.get("kind") == SEEDS_KIND:
            raise SgaiError(
                f"{quote_path(self.path)} holds the runs of several seeds; name one of them, such as "
                f"{quote_path(next(iter(sorted(self.path.glob('seed-*'))), self.path / 'seed-0'))}"
            )
        if not isinstance(found, dict) or found.get("kind") != KIND or not isinstance(found.get("settings"), dict):
            raise SgaiError(f"{quote_path(path)} is no manifest of a training run")
        if found.get("format") != FORMAT:
            raise SgaiError(
                f"{quote_path(path)} has the format {quote(found.get('format'))}; this version reads {FORMAT}"
            )
        return found

    # The curves

    def curves(self) -> list[dict[str, Any]]:
        """Return the lines of the curves; what a kill left unfinished at the end is not one.

        Raises
        ------
        SgaiError
            If another line is damaged; the message gives its number.
        """
        path = self.path / CURVES_FILE
        try:
            text = path.read_bytes()
        except OSError as error:
            raise SgaiError(f"{quote_path(path)} cannot be read: {error.strerror}") from None
        found = []
        lines = text.split(b"\n")
        for number, line in enumerate(lines[:-1], 1):
            try:
                record = json.loads(line)
                if not isinstance(record, dict) or not isinstance(record.get("episode"), int):
                    raise ValueError("there is no episode in it")
            except ValueError as error:
                raise SgaiError(
                    f"{quote_path(path)}, line {number} is damaged: {error}; delete it to go on without it"
                ) from None
            found.append(record)
        return found

    def keep_curves(self, episode: int) -> list[dict[str, Any]]:
        """Drop lines of later episodes, which will be played again, and return the others."""
        kept = [line for line in self.curves() if line["episode"] <= episode]
        self._write(CURVES_FILE, "".join(json.dumps(line) + "\n" for line in kept).encode())
        return kept

    def add_curve(self, line: dict[str, Any]) -> None:
        """Append a line."""
        with self._errors(), (self.path / CURVES_FILE).open("ab") as file:
            append_line(file, self.path / CURVES_FILE, line)

    # Checkpoints

    def checkpoints(self) -> list[Path]:
        """Return the checkpoints, the latest one last."""
        found = (self.path / CHECKPOINTS).glob("episode-*")
        return sorted(filter(is_checkpoint, found))

    def save_checkpoint(self, episode: int, suffix: str, data: bytes, keep: int) -> Path:
        """Write a checkpoint, whole or not at all, and delete all but the latest ones."""
        name = f"{CHECKPOINTS}/episode-{episode:010}{suffix}"
        self._write(name, data)
        with self._errors():
            for old in self.checkpoints()[:-keep]:
                old.unlink()
        return self.path / name

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder.

        Raises
        ------
        SgaiError
            If another process does.
        """
        lock = lock_folder(self.path, LOCK_FILE, "wait for it, or stop it")
        try:
            with self._errors():
                for unfinished in self.path.rglob("*.part"):  # of a run that was killed while it wrote
                    unfinished.unlink()
            yield
        finally:
            lock.release()

    def _write(self, name: str, data: bytes) -> None:
        path = self.path / name
        try:
            write_whole(path, data)
        except OSError as error:
            raise SgaiError(f"{quote_path(path)} cannot be written: {error.strerror}") from None

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise SgaiError(f"folder {quote_path(self.path)} cannot be written: {error.strerror}") from None


def _is_left(path: Path) -> bool:
    """Tell whether a kill can have left this of a new run, before the manifest was there."""
    if path.name in (CURVES_FILE, CHECKPOINTS):
        return not (any(path.iterdir()) if path.is_dir() else path.stat().st_size)
    return path.name in (LOCK_FILE, f".{MANIFEST_FILE}.part", f".{CURVES_FILE}.part")


def is_of_seeds(path: Path) -> bool:
    """Tell whether a folder holds the runs of several seeds."""
    try:
        found = json.loads((path / MANIFEST_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.get("kind") == SEEDS_KIND


def is_checkpoint(path: Path) -> bool:
    """Tell whether a file has the name of a checkpoint.

    Examples
    --------
    >>> is_checkpoint(Path("checkpoints/episode-0000000020.pt")), is_checkpoint(Path("episode-0000000020.npz.7.part"))
    (True, False)
    """
    return _CHECKPOINT.fullmatch(path.name) is not None
