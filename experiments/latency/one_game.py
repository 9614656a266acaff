"""All decisions on one game of the grid, which one process makes: this one, or a worker of an engine."""

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sgai.errors import SgaiError, quote
from sgai.experiments.engines import loaded_files
from sgai.experiments.latency.fresh import measure_fresh
from sgai.experiments.latency.measuring import Sample, Turn, measure_point
from sgai.experiments.latency.memory import MemoryMeter
from sgai.experiments.latency.positions import Place, draw_positions
from sgai.experiments.latency.results import machine_info
from sgai.experiments.latency.settings import LatencySettings


@dataclass(frozen=True)
class GameMeasured:
    """What a worker says of a game.

    Attributes
    ----------
    samples : list of Sample
        All decisions, in the order in which they were made.
    turns : list of Turn
        The calibrations in between.
    machine : dict
        The worker's, as of `machine_info`.
    memory_kind : str or None
        As of the worker's `MemoryMeter`.
    """

    samples: list[Sample]
    turns: list[Turn]
    machine: dict[str, Any]
    memory_kind: str | None


def measured(
    settings: LatencySettings,
    name: str,
    game: Any,
    places: Sequence[Place],
    meter: MemoryMeter,
    *,
    plugins: Sequence[str],
    paths: Sequence[str] = (),
) -> Iterator[Sample | Turn]:
    """Make all decisions on a game, in this process and in the new ones that it starts.

    Parameters
    ----------
    settings : LatencySettings
        What to measure.
    name : str
        The game's text.
    game : pyspiel.Game
        The game.
    places : sequence of Place
        Its positions.
    meter : MemoryMeter
        What to measure memory with.
    plugins, paths : sequence of str
        As of `measure_fresh`.

    Yields
    ------
    Turn or Sample
        As they come.
    """
    return itertools.chain(
        measure_point(
            game,
            name,
            settings.agents,
            places,
            modes=settings.modes,
            repeats=settings.repeats,
            seed=settings.seed,
            meter=meter,
        ),
        measure_fresh(
            name,
            settings.agents,
            places[: settings.fresh],
            seed=settings.seed,
            plugins=plugins,
            paths=paths,
            compile_anew=settings.compile_anew,
        ),
    )


def measure_game(settings: LatencySettings, name: str, positions: Sequence[str], is_worker: bool) -> GameMeasured:
    """Make all decisions on a game as a task of an engine does: load the game and draw its positions again first.

    Parameters
    ----------
    settings : LatencySettings
        What to measure.
    name : str
        The text of the game, one of the settings'.
    positions : sequence of str
        What positions have to be drawn.
    is_worker : bool
        Whether this is a worker, perhaps of another machine: then new processes load the plugins that it has loaded.

    Raises
    ------
    SgaiError
        If other positions are drawn here, or as of `LatencySettings.load_games`.

    Examples
    --------
    >>> settings = LatencySettings.parse(["exact", "random"], ["sgai_nim(piles=[2])"], repeats=1, modes=("cold",))
    >>> places = ["[2], player 0 to move", "[1], player 1 to move"]
    >>> found = measure_game(settings, "sgai_nim(piles=[2])", places, is_worker=False)
    >>> [(each.agent, each.position) for each in found.samples]
    [('exact', 0), ('random', 0), ('random', 1), ('exact', 1)]
    """
    machine, meter = machine_info(), MemoryMeter()
    alone = replace(settings, points=tuple(point for point in settings.points if point.game == name))
    game = alone.load_games()[name]
    places = draw_positions(game, settings.positions, settings.moves, settings.seed)
    drawn = [str(place.state) for place in places]
    if drawn != list(positions):
        raise SgaiError(
            f"other positions are drawn in the worker, such as {quote(_first_difference(drawn, positions))}: the rules "
            "give their moves in another order there, or differ"
        )
    plugins = plugins_here(settings.plugins) if is_worker else settings.plugins
    paths = paths_to_add() if is_worker and settings.fresh else ()
    found = list(measured(settings, name, game, places, meter, plugins=plugins, paths=paths))
    return GameMeasured(
        [each for each in found if isinstance(each, Sample)],
        [each for each in found if isinstance(each, Turn)],
        machine,
        meter.kind,
    )


def _first_difference(drawn: Sequence[str], expected: Sequence[str]) -> str:
    for here, there in itertools.zip_longest(drawn, expected):
        if here != there:
            return f"{here} for {there}"
    raise AssertionError


def plugins_here(plugins: Sequence[str]) -> list[str]:
    """Return the files that new processes should load, so that they know what this worker knows.

    On another machine plugins are not where they were; a plugin may be the program itself, whose file this process has
    as a module of another name.
    """
    files = loaded_files()
    others = {str(Path(str(each.__file__)).resolve()) for each in [*sys.modules.values()] if hasattr(each, "__file__")}
    return [*files, *(file for file in plugins if str(Path(file).resolve()) in others.difference(files))]


def paths_to_add() -> list[str]:
    """Return where this process looks for modules and a new one would not."""
    command = [sys.executable, "-c", "import json, sys; print(json.dumps(sys.path))"]
    said = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    known = {Path(each).resolve() for each in json.loads(said)}
    return [each for each in sys.path if Path(each).exists() and Path(each).resolve() not in known]
