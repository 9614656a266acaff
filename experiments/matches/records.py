"""Games on disk: a folder with one JSON line a game, and a manifest that says how they came about."""

import json
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import sgai
from sgai.envs import load_game
from sgai.errors import SgaiError, quote, quote_path
from sgai.experiments.matches.settings import MatchSettings

GAMES_FILE, MANIFEST_FILE = "games.jsonl", "manifest.json"


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
        OpenSpiel's actions, and their texts.
    seconds : list of float
        The time that each decision took.
    returns : list of float
        The result for the first and the second agent.
    winner : str or None
        The agent that won; None for a draw.
    forfeit : str or None
        Why the loser lost without the game's end, if so.
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


def winner_of(agents: list[str], returns: list[float]) -> str | None:
    """Return the agent with the higher result, or None for a draw."""
    return None if returns[0] == returns[1] else agents[0 if returns[0] > returns[1] else 1]


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
        occupied = any(folder.iterdir())
    except OSError as error:
        raise SgaiError(f"folder {quote(str(folder))} cannot be made: {error.strerror}") from None
    if occupied:
        raise SgaiError(f"folder {quote(str(folder))} is not empty; name a new one with --out")
    return folder


_TYPES: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("index", "seed"), int),
    "game": str,
    **dict.fromkeys(("agents", "actions", "moves", "seconds", "returns"), list),
    **dict.fromkeys(("winner", "forfeit"), (str, type(None))),
}


class RecordWriter:
    """Writes games as they end, so that an interrupted match keeps all that were finished."""

    def __init__(self, folder: Path, settings: MatchSettings) -> None:
        manifest = {
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": {
                "sgai": sgai.__version__,
                "open_spiel": version("open_spiel"),
                "numpy": version("numpy"),
                "python": platform.python_version(),
            },
            "seed": settings.seed,
            "rounds": settings.rounds,
            "agents": [str(agent) for agent in settings.agents],
            "games": list(settings.games),
            "planned_games": len(settings),
        }
        try:
            (folder / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
            self._file = (folder / GAMES_FILE).open("w", encoding="utf-8")
        except OSError as error:
            raise SgaiError(f"folder {quote(str(folder))} cannot be written: {error.strerror}") from None

    def write(self, record: GameRecord) -> None:
        """Append a game and hand it to the operating system."""
        self._file.write(json.dumps(asdict(record)) + "\n")
        self._file.flush()

    def __enter__(self) -> "RecordWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def read_records(folder: str | Path) -> Iterator[GameRecord]:
    """Read the games of a folder.

    Raises
    ------
    SgaiError
        If there are none, or a line is damaged; the message gives its number.
    """
    path = Path(folder) / GAMES_FILE
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SgaiError(f"{quote_path(path)} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    for number, line in enumerate(lines, 1):
        try:
            record = GameRecord(**json.loads(line))
        except (TypeError, json.JSONDecodeError) as error:
            raise SgaiError(f"{quote_path(path)}, line {number} is not a game: {error}") from None
        wrong = [
            field.name
            for field in fields(GameRecord)
            if not isinstance(getattr(record, field.name), _TYPES[field.name])
        ]
        if wrong:
            raise SgaiError(f"{quote_path(path)}, line {number} is not a game: {wrong[0]} is of the wrong type")
        yield record


def replay(folder: str | Path) -> Iterator[GameRecord]:
    """Yield the games of a folder after playing their actions again and comparing the results.

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
        if record.forfeit is None and list(state.returns()) != record.returns:
            raise SgaiError(f"game {record.index} does not replay: {state.returns()} instead of {record.returns}")
        if record.winner != winner_of(record.agents, record.returns):
            raise SgaiError(f"game {record.index} does not replay: {record.winner!r} did not win by {record.returns}")
        yield record
