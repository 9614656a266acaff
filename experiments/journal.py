"""A folder that a long run writes as it goes: a manifest, and a file with one JSON object a line.

Whatever moment a run is killed at, what it had finished is there once, and the next run goes on from it.
"""

import json
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from sgai.errors import SgaiError, quote, quote_path, shortened
from sgai.experiments.run_files import append_line, cannot_write, lock_folder, read_object, write_whole

MANIFEST_FILE, LOCK_FILE = "manifest.json", ".lock"


class Journal:
    """Holds a folder for one run; a context manager, whose end lets go of it.

    Parameters
    ----------
    folder : Path
        Made if need be. It is new or empty, or holds a run of the same kind.
    name : str
        Of the file with the lines.

    Attributes
    ----------
    manifest : dict or None
        What an earlier run wrote with `begin`, None where there was none.
    entries : list of dict
        The lines that are there; a last one that was cut by a kill is dropped from the file.

    Raises
    ------
    SgaiError
        If the folder cannot be written, is in use by another run or holds something else, or a line other than the last
        is damaged.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Journal(Path(folder), "squares.jsonl") as journal:
    ...         journal.begin({"to": 3})
    ...         journal.append({"of": 2, "is": 4})
    ...     with Journal(Path(folder), "squares.jsonl") as journal:
    ...         journal.manifest, journal.entries
    ({'to': 3}, [{'of': 2, 'is': 4}])
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._path = folder, folder / name
        self._file: Any = None
        self.manifest: dict[str, Any] | None = None
        self.entries: list[dict[str, Any]] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(folder, error) from None
        self._lock = lock_folder(folder, LOCK_FILE)
        try:
            self._read()
        except BaseException:
            self._lock.release()
            raise

    def _read(self) -> None:
        path = self._folder / MANIFEST_FILE
        if not path.exists():
            others = [
                each.name for each in self._folder.iterdir() if each.name not in (LOCK_FILE, f".{path.name}.part")
            ]
            if others:
                raise SgaiError(f"folder {quote(str(self._folder))} is not empty; name a new one")
            return
        self.manifest = read_object(path)
        try:
            self.entries = list(read_lines(self._path)) if self._path.exists() else []
            self._open()
        except OSError as error:
            raise cannot_write(self._folder, error) from None

    def _open(self) -> None:
        self._file = self._path.open("ab")
        size = self._path.stat().st_size
        whole = self._path.read_bytes().rfind(b"\n") + 1
        if whole < size:
            self._file.truncate(whole)

    def begin(self, manifest: Mapping[str, Any]) -> None:
        """Write what the run is, whole or not at all; for a folder without a manifest."""
        assert self.manifest is None
        text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        try:
            write_whole(self._folder / MANIFEST_FILE, text.encode())
            self.manifest = dict(manifest)
            self._open()
        except OSError as error:
            raise cannot_write(self._folder, error) from None

    def append(self, entry: Mapping[str, Any]) -> None:
        """Add a line, and wait until it is on the disk."""
        append_line(self._file, self._path, entry)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
        self._lock.release()


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Read the objects of a file with one a line; a last line without its end, as a kill leaves it, is left out.

    Raises
    ------
    SgaiError
        If a line is damaged; the message gives its number.
    """
    *lines, rest = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines, 1):
        try:
            found = json.loads(line.decode("utf-8"))
            if not isinstance(found, dict):
                raise ValueError("it is no JSON object")
        except ValueError as error:
            raise SgaiError(f"{quote_path(path)}, line {number} is damaged: {shortened(str(error))}") from None
        yield found
    if rest:
        logging.getLogger(__name__).warning("%s: the last line was cut, and is left out", quote_path(path))
