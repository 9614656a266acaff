"""Running a sweep over the workers of an engine, and going on with one."""

import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from tqdm import tqdm

import sgai
from sgai.errors import SgaiError, quote, quote_path
from sgai.experiments.engines import Engine, Outcome, Task, make_engine
from sgai.experiments.journal import MANIFEST_FILE, Journal
from sgai.experiments.sweeps.items import Item
from sgai.experiments.sweeps.settings import SweepSettings
from sgai.experiments.sweeps.solving import Answer, answer

ANSWERS_FILE = "answers.jsonl"
_GRACE_SECONDS, _GRACE = 30.0, 2.0  # what is added, and the factor, before a worker that is out of time is ended
_TYPES: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("ruleset", "position"), str),
    **dict.fromkeys(("outcome", "loopy_value", "failed"), (str, type(None))),
    **dict.fromkeys(("grundy", "computed", "largest_value"), (int, type(None))),
    "states": int,
    "seconds": (int, float),
    "solved": bool,
    "period": (dict, type(None)),
    "values": (list, type(None)),
    "proved": list,
}


class SweepInterrupted(Exception):
    """Ctrl-C in a sweep; ``answers`` are those that were finished and written."""

    def __init__(self, answers: list[Answer]) -> None:
        super().__init__("the sweep was interrupted")
        self.answers = answers


def sweep(
    settings: SweepSettings, folder: Path, progress: bool = False, *, engine: Engine | None = None
) -> list[Answer]:
    """Solve all items and write each answer as it comes.

    Parameters
    ----------
    settings : SweepSettings
        What to solve.
    folder : Path
        A new or empty folder, or that of a sweep with these settings: then what it lacks is solved.
    progress : bool
        Whether to show a bar on standard error.
    engine : Engine, optional
        What runs the items; by default this process, one after the other.

    Returns
    -------
    list of Answer
        In the order of the items, whatever the order in which they ended.

    Raises
    ------
    SweepInterrupted
        On Ctrl-C; the answers so far are on disk.
    SgaiError
        If the folder cannot be written, is in use, or holds what it should not.

    Examples
    --------
    >>> import tempfile
    >>> settings = SweepSettings.parse(["kayles [5]", "cram(rows=2,columns=3)"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [(each.grundy, each.outcome) for each in sweep(settings, Path(folder))]
    [(4, 'N'), (1, 'N')]
    """
    with Journal(folder, ANSWERS_FILE) as journal, contextlib.ExitStack() as ends:
        now = json.loads(json.dumps(settings.to_dict()))
        if journal.manifest is None:
            journal.begin(now)
        else:
            _check_same(journal.manifest, now, folder)
        known = _known(journal, settings, folder)
        if engine is None:
            engine = ends.enter_context(make_engine("serial"))
        bar = ends.enter_context(
            tqdm(total=len(settings.items), initial=len(known), unit="item", disable=not progress, leave=False)
        )

        def tasks() -> Iterator[Task]:
            for index, item in enumerate(settings.items):
                if item not in known:
                    yield Task(index, answer, (item, settings.question))

        seconds = settings.question.seconds
        # The solver keeps the time itself; the engine's end is for what does not look at the clock.
        limit = None if seconds is None else _GRACE * seconds + _GRACE_SECONDS
        outcomes = engine.run(tasks(), seconds=limit)
        try:
            for outcome in outcomes:
                found = _answer(settings.items[outcome.index], outcome)
                journal.append(vars(found))
                known[found.item()] = found
                bar.update()
        except KeyboardInterrupt:
            raise SweepInterrupted([known[item] for item in settings.items if item in known]) from None
        finally:
            outcomes.close()
        return [known[item] for item in settings.items]


def read_settings(folder: str | Path) -> SweepSettings:
    """Return the settings of the sweep in a folder, to resume it; its plugins are loaded.

    Raises
    ------
    SgaiError
        If there is none, or a plugin has changed since.
    """
    path = Path(folder) / MANIFEST_FILE
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        for file, digest in zip(found["plugins"], found["plugins_sha256"], strict=True):
            sgai.load_plugin(file)
            if hashlib.sha256(Path(file).read_bytes()).hexdigest() != digest:
                raise SgaiError(f"{quote_path(file)} has changed since the sweep began; begin a new one")
        return SweepSettings.from_dict(found)
    except SgaiError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        why = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
        raise SgaiError(f"{quote_path(path)} is not that of a sweep: {why}") from None


def _check_same(then: dict[str, Any], now: dict[str, Any], folder: Path) -> None:
    for name, value in now.items():
        if name == "question" and isinstance(then.get(name), dict):
            _check_same(then[name], value, folder)
        elif name not in then or then[name] != value:
            shown = f"{quote(then.get(name))}, not {quote(value)}"
            raise SgaiError(
                f"folder {quote(str(folder))} holds another run: its {name} are {shown}; name a new folder, or go on "
                "with --resume alone"
            )


def _known(journal: Journal, settings: SweepSettings, folder: Path) -> dict[Item, Answer]:
    items, known = set(settings.items), dict[Item, Answer]()
    path = quote_path(folder / ANSWERS_FILE)
    for number, entry in enumerate(journal.entries, 1):
        try:
            found = Answer(**entry)
        except TypeError as error:
            raise SgaiError(f"{path}, line {number} is not an answer: {error}") from None
        wrong = [each.name for each in fields(found) if not isinstance(getattr(found, each.name), _TYPES[each.name])]
        if wrong:
            raise SgaiError(f"{path}, line {number} is not an answer: {wrong[0]} is of the wrong type")
        if found.item() not in items or found.item() in known:
            raise SgaiError(f"{path}, line {number}: {found.ruleset} {found.position} is not asked for, or there twice")
        known[found.item()] = found
    return known


def _answer(item: Item, outcome: Outcome) -> Answer:
    if outcome.kind == "done":
        found: Answer = outcome.value
        return found
    return Answer(item.ruleset, item.position, failed=f"{outcome.kind}: {outcome.reason}")
