"""The nimber store: Grundy values of solved components, kept between runs in one file.

The file is an SQLite database, because that gives transactions, use by several processes at once, and one file without
code of our own. A table mapped into memory would be read faster, but only components that were expensive to solve go
in here, and a look-up of some microseconds is nothing beside solving them.

Nothing in the file is taken on trust. It says that it is ours (``application_id``) and in which format
(``user_version``); every value has a checksum that is compared whenever it is read, and belongs to one version of the
mathematics, `RULES_VERSION`.
"""

import contextlib
import hashlib
import json
import logging
import os
import random
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from platformdirs import user_cache_path

from sgai.errors import SgaiError, StoreError, quote, quote_path
from sgai.parameters import check_integer
from sgai.store_report import StoredValue, StoreInfo, StoreReport, WrongValue

# Raise this when the text of rules or of a position, or the canonical form, comes to mean something else: values that
# were stored under another one are not used.
RULES_VERSION = "1"
FORMAT = 1
APPLICATION_ID = int.from_bytes(b"sgai", "big")

BUSY_SECONDS = 10.0
_LARGEST = 2**63 - 1

# The text of rules may be long, so a row has a digest of it in its place; `rulesets` says whose digest that is.
_TABLES = """
CREATE TABLE rulesets (id INTEGER PRIMARY KEY, version TEXT NOT NULL, rules TEXT NOT NULL);
CREATE TABLE nimbers (
    ruleset INTEGER NOT NULL, position TEXT NOT NULL, value INTEGER NOT NULL, checksum BLOB NOT NULL,
    PRIMARY KEY (ruleset, position)
) WITHOUT ROWID;
"""
_FIND = "SELECT value, checksum FROM nimbers WHERE ruleset = ? AND position = ?"
_POSITIONS = "SELECT position FROM nimbers WHERE ruleset = ?"
_ALL = "SELECT version, rules, position, value, checksum FROM nimbers LEFT JOIN rulesets ON ruleset = id"
_COUNTS = "SELECT version, rules, COUNT(*) FROM nimbers JOIN rulesets ON ruleset = id GROUP BY ruleset ORDER BY rules"

_log = logging.getLogger(__name__)
_of_another_process: list[sqlite3.Connection] = []


def default_store() -> Path:
    """Return the file that is used where none is named: ``$SGAI_STORE``, else one in the user's cache folder."""
    named = os.environ.get("SGAI_STORE")
    return Path(named).expanduser() if named else user_cache_path("sgai") / "nimbers.sqlite"


class NimberStore:
    """Grundy values of components, kept in a file from one run to the next.

    Any number of processes (of one computer) and threads may use a file at once. Every `put` is one transaction: it is
    stored as a whole or, after Ctrl-C or a crash, not at all. Values hold for normal play and disjunctive sums only.

    Parameters
    ----------
    path : str or Path, optional
        The file; by default `default_store`. It is made when the first value is stored.

    Attributes
    ----------
    bad_rows : int
        How many rows `get` and `put` have met whose checksum was wrong; such rows are not used.

    Raises
    ------
    StoreError
        Here and from every method: if the file is something else, which is then left as it is, damaged, of another
        format, locked, cannot be read or written, or the disk is full. The message says what to do.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with NimberStore(f"{folder.name}/nimbers.sqlite") as store:
    ...     store.put("kayles", {"[5]": 4, "[7]": 2})
    ...     store.get("kayles", ["[5]", "[6]", "[7]"])
    ...     len(store)
    2
    {'[5]': 4, '[7]': 2}
    2
    >>> folder.cleanup()
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = default_store() if path is None else Path(path)
        self.bad_rows = 0
        self._connection: sqlite3.Connection | None = None
        self._process = os.getpid()
        self._lock = threading.RLock()
        with self._transaction():  # what is no store is refused at once
            pass

    def __enter__(self) -> "NimberStore":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[type["NimberStore"], tuple[Path]]:
        return NimberStore, (self.path,)

    def __repr__(self) -> str:
        return f"NimberStore({str(self.path)!r})"

    def __len__(self) -> int:
        """Return the number of values that can be used."""
        return sum(self.info().entries.values())

    def close(self) -> None:
        """Let go of the file; a later call opens it again."""
        with self._lock, self._explained():
            connection = self._current()
            self._connection = None
            if connection is not None:
                connection.close()

    def get(self, rules: str, positions: Iterable[str]) -> dict[str, int]:
        """Return the values that are known.

        Parameters
        ----------
        rules : str
            The rules without their start, ``str(ruleset.rules())``.
        positions : iterable of str
            Canonical positions as text.

        Returns
        -------
        dict of str to int
            The values by position; positions that are not known are left out.
        """
        wanted = [_check_text(position) for position in positions]
        with self._transaction() as connection:
            return {} if connection is None else self._read(connection, _check_text(rules), wanted)

    def values(self, rules: str) -> dict[str, int]:
        """Return all values of a ruleset that can be used, by position."""
        with self._transaction() as connection:
            if connection is None:
                return {}
            rows = connection.execute(_POSITIONS, (_Seal(RULES_VERSION, _check_text(rules)).id,)).fetchall()
            return self._read(connection, rules, [position for (position,) in rows if isinstance(position, str)])

    def put(self, rules: str, values: Mapping[str, int]) -> int:
        """Store values, all of them or none.

        Parameters
        ----------
        rules : str
            The rules without their start, ``str(ruleset.rules())``.
        values : mapping of str to int
            Grundy values by canonical position as text.

        Returns
        -------
        int
            How many of them were not known before.

        Raises
        ------
        StoreError
            If another value is known for one of the positions, besides what the class says. The old one is kept, and
            nothing is stored.
        """
        rules = _check_text(rules)
        given = {_check_text(position): _check_value(rules, position, value) for position, value in values.items()}
        if not given:
            return 0
        with self._transaction(write=True) as connection:
            assert connection is not None
            known = self._read(connection, rules, given)
            for position, value in known.items():
                if value != given[position]:
                    raise StoreError(
                        f"{self._named()} has the value {value} for {quote(position)} of {quote(rules)}, not "
                        f"{given[position]}: one of them is wrong, and nothing was stored; "
                        "`sgai store verify --recompute N` computes again"
                    )
            seal = _Seal(RULES_VERSION, rules)
            rows = [
                (seal.id, position, value, seal.checksum(position, value))
                for position, value in given.items()
                if position not in known
            ]
            if rows:
                connection.execute("REPLACE INTO rulesets VALUES (?, ?, ?)", (seal.id, RULES_VERSION, rules))
                # Only a row whose checksum is wrong can be replaced here.
                connection.executemany("REPLACE INTO nimbers VALUES (?, ?, ?, ?)", rows)
            return len(rows)

    def info(self) -> StoreInfo:
        """Return where the store is and what it holds."""
        entries: dict[str, int] = {}
        outdated = 0
        with self._transaction() as connection:
            for version, rules, number in connection.execute(_COUNTS) if connection else ():
                if version == RULES_VERSION:
                    entries[str(rules)] = number
                else:
                    outdated += number
            size = _size(self.path) + _size(self.path.with_name(f"{self.path.name}-wal"))
            return StoreInfo(self.path, self.path.exists(), size, FORMAT, RULES_VERSION, entries, outdated)

    def verify(
        self,
        rules: str | None = None,
        *,
        sample: int = 0,
        recompute: Callable[[str, str], int | None] | None = None,
    ) -> StoreReport:
        """Compare every checksum, let SQLite examine the file, and compute some values again.

        Parameters
        ----------
        rules : str, optional
            Look at the values of these rules only.
        sample : int
            How many values, chosen at random, to compute again.
        recompute : callable, optional
            Called with rules and position as text; returns the Grundy value, or None where it cannot tell.

        Examples
        --------
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> with NimberStore(f"{folder.name}/nimbers.sqlite") as store:
        ...     store.put("kayles", {"[5]": 4, "[7]": 2})
        ...     report = store.verify(sample=2, recompute=lambda rules, position: 4)
        2
        >>> report.good, report.bad, report.wrong
        (2, (), (WrongValue(rules='kayles', position='[7]', stored=2, recomputed=4),))
        >>> folder.cleanup()
        """
        good = outdated = usable = 0
        bad: list[StoredValue] = []
        drawn: list[StoredValue] = []
        integrity: list[str] = []
        seals: dict[tuple[str, str], _Seal] = {}
        with self._transaction() as connection:
            for version, name, position, value, checksum in connection.execute(_ALL) if connection else ():
                if rules is not None and name != rules:
                    continue
                if (version, name) not in seals:
                    seals[version, name] = _Seal(str(version), str(name))
                row = StoredValue("unknown rules" if name is None else str(name), str(position), value)
                if not seals[version, name].fits(position, value, checksum):
                    bad.append(row)
                    continue
                good += 1
                if version != RULES_VERSION:
                    outdated += 1
                    continue
                # Every usable value has the same chance to be among those that are computed again.
                usable += 1
                if len(drawn) < sample:
                    drawn.append(row)
                elif (place := random.randrange(usable)) < sample:
                    drawn[place] = row
            if connection is not None:
                found = [str(line) for (line,) in connection.execute("PRAGMA integrity_check")]
                integrity = [line for line in found if line != "ok"]
        # Outside of the transaction: others need not wait for what takes long.
        answers = [(row, recompute(row.rules, row.position)) for row in drawn] if recompute else []
        wrong = [WrongValue(*row, answer) for row, answer in answers if answer is not None and answer != row.value]
        unknown = sum(answer is None for _, answer in answers)
        return StoreReport(
            self.path, good, outdated, tuple(bad), tuple(integrity), len(answers) - unknown, unknown, tuple(wrong)
        )

    def clear(self, rules: str | None = None) -> int:
        """Remove the values of some rules or, by default, all, of all versions; return how many there were."""
        with self._transaction(write=True, create=False) as connection:
            if connection is None:
                return 0
            if rules is None:
                # Without a condition SQLite empties a table at once, but counts all the same.
                removed = connection.execute("DELETE FROM nimbers").rowcount
                connection.execute("DELETE FROM rulesets")
            else:
                ours = "(SELECT id FROM rulesets WHERE rules = ?)"
                removed = connection.execute(f"DELETE FROM nimbers WHERE ruleset IN {ours}", (rules,)).rowcount
                connection.execute("DELETE FROM rulesets WHERE rules = ?", (rules,))
        # The values are gone; giving their room back to the disk can wait where somebody else is at work.
        with self._lock, contextlib.suppress(sqlite3.Error):
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return removed

    def _read(self, connection: sqlite3.Connection, rules: str, positions: Iterable[str]) -> dict[str, int]:
        seal = _Seal(RULES_VERSION, rules)
        found: dict[str, int] = {}
        bad: list[str] = []
        for position in positions:
            for value, checksum in connection.execute(_FIND, (seal.id, position)):
                if seal.fits(position, value, checksum):
                    found[position] = value
                else:
                    bad.append(position)
        if bad:
            self.bad_rows += len(bad)
            _log.warning(
                "%s has %d values with a wrong checksum, which are not used: %s %s%s",
                self._named(),
                len(bad),
                rules,
                quote(bad[0]),
                " and others" if len(bad) > 1 else "",
            )
        return found

    # Opening

    @contextlib.contextmanager
    def _transaction(self, write: bool = False, create: bool = True) -> Iterator[sqlite3.Connection | None]:
        """Give a connection with a transaction, or None where there is no file and nothing to make it for."""
        with self._lock, self._explained():
            connection = self._current()
            if connection is None:
                connection = self._connection = self._connect(write and create)
            if connection is None:
                yield None
                return
            try:
                if connection.in_transaction:  # Ctrl-C came before it was ended
                    connection.rollback()
                connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    connection.rollback()
                raise

    def _current(self) -> sqlite3.Connection | None:
        if self._process != os.getpid():
            # SQLite forbids to use or even close what was opened before a fork, so it is kept as it is.
            if self._connection is not None:
                _of_another_process.append(self._connection)
            self._connection, self._process = None, os.getpid()
        return self._connection

    def _connect(self, create: bool) -> sqlite3.Connection | None:
        if self.path.exists() and not self.path.is_file():
            raise StoreError(f"{self._named()} is no file: name a file, with --file or SGAI_STORE")
        if not _size(self.path):
            if not create:
                return None
            self.path.parent.mkdir(parents=True, exist_ok=True)
        else:
            self._refuse_foreign()
        connection = self._connection_with("mode=rwc" if create else "mode=rw")
        try:
            if create:
                self._make(connection)
            try:
                self._check(connection)
            except sqlite3.OperationalError as error:
                if create or _code(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                    raise
                # Where nothing can be written beside the file, it can still be read, without what others are writing.
                connection.close()
                connection = self._connection_with("mode=ro&immutable=1")
                self._check(connection)
            if connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
                # A loss of power may then cost the last transactions, but never harms the file.
                connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _connection_with(self, mode: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?{mode}",
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,  # transactions are begun and ended by `_transaction`
            check_same_thread=False,  # `_lock` sees to that
        )
        # Text that was damaged is a bad row, not an error.
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        # What a damaged or forged file says must not be run, and is looked at closely.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        return connection

    def _refuse_foreign(self) -> None:
        # Read in this way nothing is locked, written or repaired, whoever the file belongs to. It is not read with
        # open(): closing that would end the locks that other connections of this process have on the file.
        with contextlib.closing(self._connection_with("mode=ro&immutable=1")) as connection:
            try:
                self._check(connection)
            except sqlite3.DatabaseError as error:
                # Anything else may come of another process that is writing just now; `_connect` looks again.
                if _code(error) == sqlite3.SQLITE_NOTADB:
                    raise

    def _check(self, connection: sqlite3.Connection) -> None:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if (application, version) == (0, 0) and not _size(self.path):
            return
        if application != APPLICATION_ID:
            raise StoreError(
                f"{self._named()} is a database of another program, and left as it is: name another file, with --file "
                "or SGAI_STORE"
            )
        if version != FORMAT:
            raise StoreError(
                f"{self._named()} has format {version}, and this version of sgai reads format {FORMAT}: name another "
                "file, with --file or SGAI_STORE, or delete it"
            )

    def _make(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        if not _size(self.path):  # still: from here on nobody else can write to it
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {FORMAT}")
            for table in _TABLES.split(";"):
                connection.execute(table)
        connection.execute("COMMIT")
        self._check(connection)
        # Readers and a writer then do not wait for each other. Some file systems cannot do it, and where another
        # process has the file open it may do it instead.
        with contextlib.suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode = WAL").fetchone()

    # Errors

    def _named(self) -> str:
        return f"nimber store {quote_path(self.path)}"

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what SQLite and the file system say into one line that says what to do."""
        try:
            yield
        except (sqlite3.Error, MemoryError, UnicodeDecodeError) as error:
            # The next call looks at the file anew: it may have been replaced.
            connection, self._connection = self._connection, None
            if connection is not None:
                with contextlib.suppress(sqlite3.Error):
                    connection.close()
            raise StoreError(f"{self._named()} {_explanation(error)}") from None
        except UnicodeEncodeError as error:
            raise StoreError(f"{quote(error.object)} is no text that can be stored: it has lone surrogates") from None
        except (OSError, ValueError) as error:
            if isinstance(error, SgaiError):
                raise
            reason = error.strerror if isinstance(error, OSError) else error
            raise StoreError(
                f"{self._named()} cannot be used ({reason}): name another file, with --file or SGAI_STORE"
            ) from None


class _Seal:
    """The checksums of the values of some rules, under a version of the mathematics."""

    def __init__(self, version: str, rules: str) -> None:
        self._start = hashlib.blake2b(json.dumps([FORMAT, version, rules]).encode(), digest_size=8)
        self.id = int.from_bytes(self._start.digest(), "big", signed=True)

    def checksum(self, position: str, value: int) -> bytes:
        """Return the checksum of a row."""
        state = self._start.copy()
        state.update(json.dumps([position, value]).encode())
        return state.digest()

    def fits(self, position: Any, value: Any, checksum: Any) -> bool:
        """Tell whether a row is as it was written; in a damaged file its parts may be of any type."""
        return (
            isinstance(position, str)
            and isinstance(value, int)
            and value >= 0
            and bool(checksum == self.checksum(position, value))
        )


def _check_text(text: Any) -> str:
    if not isinstance(text, str):
        raise StoreError(f"{quote(text)} is not text: rules and positions are stored as text")
    return text


def _check_value(rules: str, position: str, value: Any) -> int:
    number = check_integer(value)
    if not 0 <= number <= _LARGEST:
        raise StoreError(
            f"{number} cannot be the Grundy value of {quote(position)} of {quote(rules)}: it is from 0 to {_LARGEST}"
        )
    return number


def _size(file: Path) -> int:
    """Return a file's size, 0 where there is none; raise where its name can be none, which SQLite would cut short."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _code(error: Exception) -> int:
    """Return SQLite's primary result code, 0 where it gave none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _explanation(error: sqlite3.Error | MemoryError | UnicodeDecodeError) -> str:
    other = "name another file, with --file or SGAI_STORE"
    if isinstance(error, MemoryError):  # a length that was damaged may ask for any amount
        return f"needs more memory than there is, or is damaged: free some memory, delete the file, or {other}"
    # SQLite quotes what it cannot understand, over several lines or in bytes that are no text.
    reason = " ".join(str(error).split())[:100]
    match _code(error):
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return f"was locked by another process for {BUSY_SECONDS:g} s: try again, or stop that process"
        case sqlite3.SQLITE_FULL:
            return f"cannot grow, the disk is full: free some space, or {other}; what was stored before is kept"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return f"cannot be opened or written ({reason}): make it and its folder writable, or {other}"
        case sqlite3.SQLITE_NOTADB:
            return f"is a file of another kind, and left as it is: {other}"
        case sqlite3.SQLITE_IOERR:
            return f"cannot be read or written ({reason}): look after the disk, or {other}"
        case _:
            return f"is damaged ({reason}): delete it, for its values can be computed again, or {other}"
