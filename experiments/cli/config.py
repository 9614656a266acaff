"""Settings of a subcommand from a TOML file."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sgai.errors import SgaiError, nearest, quote, quote_path


def read_config(file: str, known: Mapping[str, tuple[type, ...]]) -> dict[str, Any]:
    """Read a file of settings.

    Parameters
    ----------
    file : str
        A TOML file; ``-`` and ``_`` in names are the same.
    known : mapping
        The names of settings, each with the types that it may have; lists are lists of text.

    Returns
    -------
    dict
        Name to value.

    Raises
    ------
    SgaiError
        If the file cannot be read, or a name or a value in it is wrong; the message says which.
    """
    try:
        found = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SgaiError(f"{quote_path(file)} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    except tomllib.TOMLDecodeError as error:
        raise SgaiError(f"{quote_path(file)} is not TOML: {error}") from None
    values = {}
    for written, value in found.items():
        name = written.replace("-", "_")
        if name not in known:
            all_ = ", ".join(known)
            raise SgaiError(f"{quote_path(file)}: unknown setting {written!r}{nearest(name, known)}; there are: {all_}")
        kinds = known[name]
        is_right = isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))
        if isinstance(value, list):
            is_right = is_right and all(isinstance(each, str) for each in value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            is_right = is_right and value >= 0
        if not is_right:
            is_ = {list: "a list of text", int: "a whole number", float: "a number", str: "text", bool: "true or false"}
            raise SgaiError(f"{quote_path(file)}: {written} = {quote(value)} should be {is_[kinds[-1]]}")
        values[name] = value
    return values
