"""Values of a long sequence on disk, so that an interrupted run goes on where it stopped."""

import contextlib
import hashlib
import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from platformdirs import user_cache_path

from sgai._version import __version__
from sgai.errors import SgaiError, quote_path
from sgai.ruleset import Ruleset


def default_checkpoint(ruleset: Ruleset[Any, Any]) -> Path:
    """Return the file in the user's cache folder that belongs to a ruleset."""
    name = hashlib.sha256(str(ruleset.rules()).encode()).hexdigest()[:16]
    return user_cache_path("sgai") / "sequences" / f"{ruleset.name}-{name}.npz"


def save_sequence(file: Path, ruleset: Ruleset[Any, Any], values: npt.NDArray[Any]) -> None:
    """Write values to a file, which is replaced as a whole or not at all.

    Raises
    ------
    SgaiError
        If it cannot be written.
    """
    about = {"sgai": __version__, "ruleset": str(ruleset.rules()), "sha256": _digest(values)}
    beside = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("wb") as stream:
            np.savez(stream, values=values, about=np.array(json.dumps(about)))
        beside.replace(file)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise SgaiError(f"checkpoint {quote_path(file)} cannot be written: {error.strerror}") from None


def load_sequence(file: Path, ruleset: Ruleset[Any, Any]) -> npt.NDArray[Any] | None:
    """Read values that `save_sequence` wrote, or return None where there is no file.

    Raises
    ------
    SgaiError
        If the file is damaged, or belongs to another ruleset or version; it is not touched.
    """
    if not file.exists():
        return None
    try:
        with np.load(file, allow_pickle=False) as stored:
            values, about = stored["values"], json.loads(str(stored["about"]))
        if not isinstance(about, dict):
            raise ValueError("it does not say what it is")
    except (OSError, ValueError, KeyError, EOFError, TypeError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise SgaiError(f"checkpoint {quote_path(file)} is damaged, delete it or name another: {error}") from None
    expected = {"sgai": __version__, "ruleset": str(ruleset.rules()), "sha256": _digest(values)}
    for key, wanted in expected.items():
        if about.get(key) != wanted:
            raise SgaiError(
                f"checkpoint {quote_path(file)} has {key} {about.get(key)!r}, not {wanted!r}: delete it or name another"
            )
    loaded: npt.NDArray[Any] = values
    return loaded


def _digest(values: npt.NDArray[Any]) -> str:
    return hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()
