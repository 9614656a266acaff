"""What the folders of long runs have in common: one run at a time, and files that a kill leaves whole."""

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from filelock import FileLock, Timeout

from sgai.errors import SgaiError, quote_path


def lock_folder(folder: Path, name: str, otherwise: str = "wait for it, or name another") -> FileLock:
    """Take the lock of a folder, for the caller to release.

    Parameters
    ----------
    folder : Path
        The folder; it is there.
    name : str
        Of the file to lock.
    otherwise : str
        What to do where the folder is in use, for the message.

    Raises
    ------
    SgaiError
        If another run has it, or nothing can be written there.
    """
    lock = FileLock(folder / name)
    try:
        (folder / name).touch()  # else a folder that cannot be written would look like one in use
        lock.acquire(timeout=0)
    except Timeout:
        raise SgaiError(f"folder {quote_path(folder)} is in use by another run; {otherwise}") from None
    except OSError as error:
        raise cannot_write(folder, error) from None
    return lock


def cannot_write(folder: Path, error: OSError) -> SgaiError:
    """Return the error for a folder that cannot be written."""
    return SgaiError(f"folder {quote_path(folder)} cannot be written: {error.strerror or error}")


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all; what a kill leaves beside it ends in ``.part``."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def append_line(file: IO[bytes], path: Path, entry: Mapping[str, Any]) -> None:
    """Add a JSON object as a line to an open file, and wait until it is on the disk."""
    try:
        file.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
    except OSError as error:
        raise SgaiError(f"{quote_path(path)} cannot be written: {error.strerror}") from None


def read_object(path: Path) -> dict[str, Any]:
    """Read a file that holds one JSON object.

    Raises
    ------
    SgaiError
        If it cannot be read, or holds something else.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise ValueError("it is no JSON object")
    except (OSError, ValueError) as error:
        raise SgaiError(f"{quote_path(path)} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return found
