"""Games on disk: a folder with one JSON line a game, and a manifest that says how they came about."""

import hashlib
import json
import logging
import os
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import sgai
from sgai.budget import Budget
from sgai.envs import load_game
from sgai.errors import SgaiError, quote, quote_path, shortened
from sgai.experiments.matches.oracle import Oracle
from sgai.experiments.matches.settings import MatchSettings
from sgai.experiments.run_files import append_line, cannot_write, lock_folder, read_object, write_whole

GAMES_FILE, MANIFEST_FILE, LOCK_FILE = "games.jsonl", "manifest.json", ".lock"
UNKNOWN = "-"
STATUSES = {"exact": "x", "proved": "p", "estimated": "e"}  # how they are written, one letter a decision


@dataclass(frozen=True)
class GameRecord:
    """A game that was played.

    Attributes
    ----------
    index : int
        Its number in the match.
    game : str
        The OpenSpiel game, as ``load_game`` reads it.
    agents : list of str
        Who moved first and second.
    seed : int
        The game's seed.
    actions, moves : list
        OpenSpiel's actions, and their texts; those of the opening come first.
    seconds : list of float
        The time that each decision took.
    returns : list of float
        The result for the first and the second agent.
    winner : str or None
        The agent that won; None for a draw.
    forfeit : str or None
        Why the loser lost without the game's end, if so.
    opening : int
        How many of the actions were the opening.
    opening_outcome : "N", "P" or None
        Who won after the opening, if the exact solver knew.
    seats : str
        For each decision "0" or "1": who made it.
    statuses : str
        For each decision "x" exact, "p" proved, "e" estimated or "-" where the bot does not say.
    nodes : list
        The states or nodes that each decision says it took, or None.
    outcomes : str
        For each position that was decided on, and the last one, "N", "P" or "-" where the exact solver does not know.
    adjudicated : bool
        Whether the exact solver ended the game.
    failed : str or None
        Why there is no result, if so: neither agent was to blame.
    """

    index: int
    game: str
    agents: list[str]
    seed: int
    actions: list[int]
    moves: list[str]
    seconds: list[float]
    returns: list[float]
    winner: str | None
    forfeit: str | None
    opening: int = 0
    opening_outcome: str | None = None
    seats: str = ""
    statuses: str = ""
    nodes: list[int | None] = field(default_factory=list)
    outcomes: str = ""
    adjudicated: bool = False
    failed: str | None = None

    def decided_by(self) -> str:
        """Return for each decision "0" or "1"; records of earlier versions do not say, and players took turns."""
        return self.seats or "".join(str(ply % 2) for ply in range(len(self.seconds)))

    def without_times(self) -> dict[str, Any]:
        """Return all that does not differ from run to run, where budgets are nodes or simulations."""
        return {name: value for name, value in asdict(self).items() if name != "seconds"}


def winner_of(agents: list[str], returns: list[float]) -> str | None:
    """Return the agent with the higher result, or None for a draw."""
    return None if returns[0] == returns[1] else agents[0 if returns[0] > returns[1] else 1]


def first_agents_score(record: GameRecord, agent: str) -> float | None:
    """Return 1, 1/2 or 0 for an agent's win, draw or loss, or None where the game failed."""
    if record.failed is not None:
        return None
    return 0.5 if record.winner is None else float(record.winner == agent)


def new_folder(name: str | None) -> Path:
    """Make the folder of a new match.

    Parameters
    ----------
    name : str or None
        The folder, which must be new or empty; None for ``matches/`` and the time in UTC.

    Raises
    ------
    SgaiError
        If it holds something already or cannot be made.
    """
    folder = Path(name) if name is not None else Path("matches") / datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        occupied = any(each.name != LOCK_FILE for each in folder.iterdir())
    except OSError as error:
        raise SgaiError(f"folder {quote(str(folder))} cannot be made: {error.strerror}") from None
    if occupied:
        raise SgaiError(f"folder {quote(str(folder))} is not empty; name a new one with --out, or --resume it")
    return folder


_TYPES: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("index", "seed", "opening"), int),
    **dict.fromkeys(("game", "seats", "statuses", "outcomes"), str),
    **dict.fromkeys(("agents", "actions", "moves", "seconds", "returns", "nodes"), list),
    **dict.fromkeys(("winner", "forfeit", "opening_outcome", "failed"), (str, type(None))),
    "adjudicated": bool,
}


def manifest_of(settings: MatchSettings) -> dict[str, Any]:
    """Return what a folder says of its match: when, by which versions and files, and all settings."""
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {
            "sgai": sgai.__version__,
            "open_spiel": version("open_spiel"),
            "numpy": version("numpy"),
            "python": platform.python_version(),
        },
        **settings.to_dict(),
        "plugins_sha256": [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in settings.plugins],
        "planned_games": len(settings),
    }


def read_manifest(folder: str | Path) -> dict[str, Any]:
    """Return the manifest of a folder.

    Raises
    ------
    SgaiError
        If there is none, or it is damaged.
    """
    return read_object(Path(folder) / MANIFEST_FILE)


def read_settings(folder: str | Path) -> MatchSettings:
    """Return the settings of the match in a folder, to resume it.

    Raises
    ------
    SgaiError
        If there is no match, it is of a version that wrote less, or a plugin has changed since.
    """
    manifest = read_manifest(folder)
    try:
        for file, digest in zip(manifest["plugins"], manifest["plugins_sha256"], strict=True):
            sgai.load_plugin(file)
            if hashlib.sha256(Path(file).read_bytes()).hexdigest() != digest:
                raise SgaiError(f"{quote_path(file)} has changed since the match began; begin a new one")
        settings = MatchSettings.from_dict(manifest)
    except (KeyError, TypeError) as error:
        raise SgaiError(
            f"{quote_path(Path(folder) / MANIFEST_FILE)} lacks what is needed to resume the match: {error}"
        ) from None
    now = manifest_of(settings)["versions"]
    if now != manifest.get("versions"):
        logging.getLogger(__name__).warning("the match was begun by %s; these are %s", manifest.get("versions"), now)
    return settings


class RecordWriter:
    """Writes games as they end, each to the disk before the next, so that nothing finished is lost.

    The folder is locked as long as it is open.

    Parameters
    ----------
    folder : Path
        An empty folder, or one to resume.
    settings : MatchSettings
        What the manifest says.
    resume : bool
        Whether to keep the games that are there; a last line that was cut by a kill is dropped.

    Attributes
    ----------
    records : dict
        The games that are on disk, by number.

    Raises
    ------
    SgaiError
        If the folder is in use or cannot be written, or, to resume, a line other than the last is damaged.
    """

    def __init__(self, folder: Path, settings: MatchSettings, resume: bool = False) -> None:
        self.records: dict[int, GameRecord] = {}
        self._path = folder / GAMES_FILE
        self._lock = lock_folder(folder, LOCK_FILE)
        try:
            if resume:
                self._keep(folder)
            else:
                if self._path.exists():
                    raise SgaiError(f"folder {quote(str(folder))} holds a match already; name a new one, or resume it")
                text = json.dumps(manifest_of(settings), indent=2) + "\n"
                write_whole(folder / MANIFEST_FILE, text.encode())
            self._file = self._path.open("ab")
        except OSError as error:
            self._lock.release()
            raise cannot_write(folder, error) from None
        except SgaiError:
            self._lock.release()
            raise

    def _keep(self, folder: Path) -> None:
        if not self._path.exists():
            return
        text = self._path.read_bytes()
        for record in read_records(folder):
            if record.index in self.records:
                raise SgaiError(f"{quote_path(self._path)} has game {record.index} twice")
            self.records[record.index] = record
        whole = text.rfind(b"\n") + 1
        rest = text[whole:]
        if not rest:
            return
        with self._path.open("r+b") as file:
            # Each record is one line: where fewer were read than there are lines, the last one was cut.
            if len(self.records) > sum(1 for line in text[:whole].splitlines() if line.strip()):
                file.seek(0, os.SEEK_END)
                file.write(b"\n")
            else:
                file.truncate(whole)
            os.fsync(file.fileno())

    def write(self, record: GameRecord) -> None:
        """Append a game, and wait until it is on the disk."""
        append_line(self._file, self._path, vars(record))
        self.records[record.index] = record

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._lock.release()


def read_records(folder: str | Path) -> Iterator[GameRecord]:
    """Read the games of a folder, in the order in which they ended.

    A last line without its end is what a kill leaves behind: it is left out, with a warning in the log.

    Parameters
    ----------
    folder : str or Path
        The folder, or its file of games.

    Raises
    ------
    SgaiError
        If there are none, or a line is damaged; the message gives its number.
    """
    path = Path(folder)
    if not path.is_file():
        path = path / GAMES_FILE
    try:
        # Text mode would take a lone carriage return for the end of a line.
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise SgaiError(f"{quote_path(path)} cannot be read: {error.strerror or error}") from None
    for number, line in enumerate(lines, 1):
        is_cut = number == len(lines)  # after the last line's end nothing is left
        if is_cut and not line.strip():
            continue
        try:
            record = GameRecord(**json.loads(line.decode("utf-8")))
        except (TypeError, ValueError) as error:
            if is_cut:
                logging.getLogger(__name__).warning("%s: line %d was cut, and is left out", quote_path(path), number)
                continue
            raise SgaiError(f"{quote_path(path)}, line {number} is not a game: {shortened(str(error))}") from None
        wrong = [each.name for each in fields(record) if not isinstance(getattr(record, each.name), _TYPES[each.name])]
        if wrong:
            raise SgaiError(f"{quote_path(path)}, line {number} is not a game: {wrong[0]} is of the wrong type")
        yield record


def replay(folder: str | Path) -> Iterator[GameRecord]:
    """Yield the games of a folder after playing their actions again and comparing the results.

    Parameters
    ----------
    folder : str or Path
        The folder, or its file of games.

    Raises
    ------
    SgaiError
        If a game does not replay.
    """
    loaded: dict[str, Any] = {}
    for record in read_records(folder):
        if record.game not in loaded:
            loaded[record.game] = load_game(record.game)
        state = loaded[record.game].new_initial_state()
        for action in record.actions:
            if action not in state.legal_actions():
                raise SgaiError(f"game {record.index} does not replay: action {action} is illegal in {str(state)!r}")
            state.apply_action(action)
        if record.failed is None:
            _check_result(record, loaded[record.game], state)
        yield record


def _check_result(record: GameRecord, game: Any, state: Any) -> None:
    returns = list(state.returns())
    if record.adjudicated:
        outcome = Oracle(game).outcome(state, Budget())
        if outcome is not None:
            returns = [1.0 if (seat == state.current_player()) == (outcome == "N") else -1.0 for seat in (0, 1)]
    if record.forfeit is None and returns != record.returns:
        raise SgaiError(f"game {record.index} does not replay: {returns} instead of {record.returns}")
    if record.winner != winner_of(record.agents, record.returns):
        raise SgaiError(f"game {record.index} does not replay: {record.winner!r} did not win by {record.returns}")
