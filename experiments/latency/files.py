"""The files of a run: checked before it starts, and written as it goes."""

import csv
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from sgai.errors import SgaiError, quote_path
from sgai.experiments.latency.measuring import Sample


def check_writable(name: str | Path) -> Path:
    """Return the path of a file that is to be written later.

    Raises
    ------
    SgaiError
        If it cannot be written.
    """
    path = Path(name)
    if path.is_dir():
        raise SgaiError(f"{quote_path(path)} cannot be written: it is a folder")
    if not path.parent.is_dir():
        raise SgaiError(f"{quote_path(path)} cannot be written: there is no folder {quote_path(path.parent)}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise SgaiError(f"{quote_path(path)} cannot be written: permission denied")
    return path


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it has its old or its new contents whatever happens.

    Raises
    ------
    SgaiError
        If it cannot be written.
    """
    new = path.with_name(path.name + ".new")
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(path)
    except OSError as error:
        raise SgaiError(f"{quote_path(path)} cannot be written: {error.strerror}") from None


class CsvFile:
    """A CSV file that gets lines as they come; it is opened at once and flushed after each.

    Parameters
    ----------
    name : str, Path or None
        The file; None for none.

    Raises
    ------
    SgaiError
        Here and later, if it cannot be written.
    """

    def __init__(self, name: str | Path | None) -> None:
        self._file: TextIO | None = None
        self._writer: Any = None
        self._path = Path(name or "")
        if name is not None:
            check_writable(name)
            try:
                self._file = self._path.open("w", encoding="utf-8", newline="")
            except OSError as error:
                raise self._cannot_write(error) from None

    def write(self, rows: Sequence[dict[str, Any]]) -> None:
        """Append rows, all with the same keys; the first ones bring the header."""
        if self._file is None or not rows:
            return
        try:
            if self._writer is None:
                self._writer = csv.DictWriter(self._file, list(rows[0]))
                self._writer.writeheader()
            self._writer.writerows(rows)
            self._file.flush()
        except OSError as error:
            raise self._cannot_write(error) from None

    def write_sample(self, sample: Sample) -> None:
        """Append a decision."""
        self.write([asdict(sample)])

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            try:
                self._file.close()
            except OSError as error:
                raise self._cannot_write(error) from None

    def _cannot_write(self, error: OSError) -> SgaiError:
        return SgaiError(f"{quote_path(self._path)} cannot be written: {error.strerror}")

    def __enter__(self) -> "CsvFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
