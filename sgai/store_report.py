"""What can be told of a nimber store: what it holds, and what is wrong with it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple


class StoredValue(NamedTuple):
    """A row as it is in the file, right or not."""

    rules: str
    position: str
    value: Any


class WrongValue(NamedTuple):
    """A stored value that came out otherwise when it was computed again."""

    rules: str
    position: str
    stored: int
    recomputed: int


@dataclass(frozen=True)
class StoreInfo:
    """What a store holds.

    Parameters
    ----------
    path : Path
        The file.
    exists : bool
        Whether it is there; it is made when the first value is stored.
    bytes : int
        Its size, with what SQLite keeps beside it while it is in use.
    format : int
        The version of the file's format.
    rules_version : str
        The version of the mathematics; values of another one are not used.
    entries : dict of str to int
        The number of values by ruleset.
    outdated : int
        The number of values of another version of the mathematics.
    """

    path: Path
    exists: bool
    bytes: int
    format: int
    rules_version: str
    entries: dict[str, int]
    outdated: int


@dataclass(frozen=True)
class StoreReport:
    """What an examination of a store found.

    Parameters
    ----------
    path : Path
        The file.
    good : int
        The number of values whose checksum is right, ``outdated`` ones among them.
    outdated : int
        The number of good values of another version of the mathematics.
    bad : tuple of StoredValue
        Rows whose checksum is wrong. They are never used.
    integrity : tuple of str
        What SQLite's integrity check found wrong.
    recomputed : int
        The number of values that were computed again, with whatever result.
    not_recomputed : int
        The number of values that were to be computed again but could not be.
    wrong : tuple of WrongValue
        Values that came out otherwise.
    """

    path: Path
    good: int
    outdated: int
    bad: tuple[StoredValue, ...]
    integrity: tuple[str, ...]
    recomputed: int
    not_recomputed: int
    wrong: tuple[WrongValue, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.bad or self.integrity or self.wrong)
