"""Which of OpenSpiel's games are impartial: writes docs/openspiel-games.md.

``python -m sgai.experiments.openspiel_games docs/openspiel-games.md`` classifies every game that OpenSpiel registers,
each in a process of its own, since some of them may crash or hang.
"""

import argparse
import importlib.metadata
import json
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

SECONDS = 300  # for one game, in which it is loaded and classified

# Games that need others to be made of, with one example each.
EXAMPLES = {
    "add_noise": "add_noise(epsilon=1.0,seed=1,game=nim())",
    "cached_tree": "cached_tree(game=nim())",
    "misere": "misere(game=nim())",
    "normal_form_extensive_game": "normal_form_extensive_game(game=kuhn_poker())",
    "repeated_game": "repeated_game(stage_game=matrix_rps(),num_repetitions=3)",
    "restricted_nash_response": "restricted_nash_response(game=kuhn_poker())",
    "start_at": "start_at(history=0;1,game=nim())",
    "turn_based_simultaneous_game": "turn_based_simultaneous_game(game=goofspiel())",
    "zerosum": "zerosum(game=nim())",
}
# Games that need a file or a long description. The type of efg_game is that of the file's game, others' are fixed.
OF_DATA = ("efg_game", "nfg_game", "repeated_poker")

_NAMES = """
import json, pyspiel
from sgai.envs.classification.classifier import register_python_games
register_python_games()
print(json.dumps(sorted(name for name in pyspiel.registered_names() if not name.startswith("sgai_"))))
"""
_TYPE = """
import json, sys, pyspiel
from sgai.envs.classification.classifier import register_python_games
from sgai.envs.game_types import type_misfits
register_python_games()
found = next(each for each in pyspiel.registered_games() if each.short_name == sys.argv[1])
print(json.dumps([each.reason for each in type_misfits(found)]))
"""


_HEAD = """\
All {games} games that OpenSpiel {version} registers (those in Python and mean field games included), with their default
parameters, as `sgai classify` answers: {yes} are impartial ({examples} of them examples made of another game), {no} are
not, of {unknown} it is unknown. Written by `python -m sgai.experiments.openspiel_games`. The games that sgai registers
itself, `sgai_...`, are all impartial: their rules cannot depend on who is to move.
"""
_EVIDENCE = {
    "proved": "by the game's type, by its rules, by all of its states, or by a play that no impartial game has (a "
    "draw, two moves in a row, last movers who win here and lose there, wins of different sizes, a position with other "
    "options for the other player). `sgai classify GAME` prints the play.",
    "declared": "by a table of well-known games. In those that stand here so, a position never comes to both players, "
    "or random play found no draw, so that no play was found which shows that the other player's moves would differ.",
}


@dataclass(frozen=True)
class Row:
    """What is said of one game.

    Attributes
    ----------
    name : str
        The registered name.
    text : str
        The game that was classified; empty where none could be loaded.
    answer, reason, evidence : str
        As of `sgai.envs.Classification`.
    play : str or None
        As there.
    by_type : bool
        Whether the game's type alone decides.
    """

    name: str
    text: str
    answer: str
    reason: str
    evidence: str
    play: str | None = None
    by_type: bool = False


def registered_names() -> list[str]:
    """Return the names of all games of the installed OpenSpiel, those in Python and mean field games included."""
    names: list[str] = json.loads(_run("-c", _NAMES).stdout)
    return names


def classified(name: str) -> Row:
    """Classify one game in a process of its own, with its default parameters or as its example."""
    if name in OF_DATA:
        return _of_data(name)
    text = EXAMPLES.get(name, name)
    try:
        # States limit it, not time, so that a busy machine says the same.
        done = _run("-m", "sgai", "classify", text, "--json", "--seconds", str(100 * SECONDS))
    except subprocess.TimeoutExpired:
        return Row(name, text, "unknown", f"it was not classified in {SECONDS} s", "none")
    if done.returncode < 0:
        return Row(name, text, "unknown", "it crashes the process", "none")
    if done.returncode > 0:
        return Row(name, "", "unknown", f"it cannot be loaded: {done.stderr.strip().splitlines()[-1]}", "none")
    found = json.loads(done.stdout)
    by_type = found["answer"] == "no" and not found["states"]
    return Row(name, text, found["answer"], found["reason"], found["evidence"], found["play"], by_type)


def _of_data(name: str) -> Row:
    reasons = json.loads(_run("-c", _TYPE, name).stdout)
    if name != "efg_game" and reasons:
        return Row(name, name, "no", reasons[0], "proved", by_type=True)
    return Row(name, "", "unknown", "it is read from a file, and depends on it", "none")


def _run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=SECONDS, encoding="utf-8"
    )


def page(rows: Iterable[Row]) -> str:
    """Return the page that says it, in Markdown."""
    return "\n".join(_page(list(rows))) + "\n"


def _page(rows: list[Row]) -> Iterator[str]:
    made = [row for row in rows if row.name in EXAMPLES]
    plain = [row for row in rows if row.name not in EXAMPLES]
    counts = {answer: sum(row.answer == answer for row in rows) for answer in ("yes", "no", "unknown")}
    version = importlib.metadata.version("open_spiel")
    yield "# Which of OpenSpiel's games are impartial?"
    yield ""
    yield from textwrap.wrap(
        _HEAD.format(games=len(rows), version=version, examples=sum(row.answer == "yes" for row in made), **counts), 118
    )
    for evidence, meaning in _EVIDENCE.items():
        yield ""
        yield from textwrap.wrap(f"- **{evidence}**: {meaning}", 118, subsequent_indent="  ")
    yield ""
    yield "## Yes"
    yield ""
    yield from _table([row for row in plain if row.answer == "yes"], played=True)
    yield ""
    yield "With `is_misere=false`, `nim` is the same under normal play."
    yield ""
    yield "## Unknown"
    yield ""
    yield from _table([row for row in plain if row.answer == "unknown"])
    yield ""
    yield "## No, by play or by declaration"
    yield ""
    yield from _table([row for row in plain if row.answer == "no" and not row.by_type])
    yield ""
    yield "## Made of another game"
    yield ""
    yield "The answer depends on that game; here is one example each."
    yield ""
    yield from _table(made, played=True)
    yield ""
    yield "## No, by type"
    yield ""
    yield "What these games declare of themselves decides: proved."
    yield ""
    yield "| game | reason |"
    yield "|---|---|"
    for row in plain:
        if row.answer == "no" and row.by_type:
            yield f"| {row.name} | {row.reason} |"


def _table(rows: list[Row], played: bool = False) -> Iterator[str]:
    yield f"| game |{' answer |' if played else ''} reason | evidence |"
    yield f"|---|{'---|' if played else ''}---|---|"
    for row in rows:
        shown = row.name if row.text in ("", row.name) else f"{row.name}: `{row.text}`"
        play = f", {row.play} play" if row.play else ""
        answer = f" {row.answer}{play} |" if played else ""
        yield f"| {shown} |{answer} {row.reason} | {row.evidence} |"


def names_of(text: str) -> list[str]:
    r"""Return the names of the games that a page says something of, in its order.

    Examples
    --------
    >>> names_of("| game | reason |\n|---|---|\n| chess | no |\n| misere: `misere(game=nim())` | yes |")
    ['chess', 'misere']
    """
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| game |")]
    return [row.removeprefix("| ").split(" |")[0].split(":")[0] for row in rows]


def main() -> None:
    """Write the page to a file, or print it."""
    parser = argparse.ArgumentParser(description="Classify all of OpenSpiel's games.")
    parser.add_argument("file", nargs="?", type=Path, help="where to write the page (default: the screen)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes at a time (default: 2)")
    options = parser.parse_args()
    with ThreadPoolExecutor(options.jobs) as pool:
        text = page(pool.map(classified, registered_names()))
    if options.file is None:
        print(text, end="")
    else:
        options.file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
