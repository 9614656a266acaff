"""A whole run: every point of the grid, with progress, written as it goes, and kept after Ctrl-C."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

from tqdm import tqdm

from sgai.experiments.latency.files import CsvFile
from sgai.experiments.latency.fresh import measure_fresh
from sgai.experiments.latency.measuring import Sample, Turn, measure_point
from sgai.experiments.latency.memory import MemoryMeter
from sgai.experiments.latency.positions import Place, draw_positions
from sgai.experiments.latency.results import Results, machine_info
from sgai.experiments.latency.settings import LatencySettings


def run_latency(
    settings: LatencySettings,
    *,
    csv: str | Path | None = None,
    samples: str | Path | None = None,
    progress: bool = False,
    begun: Callable[[Results], None] | None = None,
) -> Results:
    """Measure all that the settings ask for.

    Ctrl-C ends the run early: what was measured is returned, with ``interrupted`` set.

    Parameters
    ----------
    settings : LatencySettings
        What to measure.
    csv : str or Path, optional
        A file for the rows of each game, written when the game is done.
    samples : str or Path, optional
        A file for every decision, written as they are made.
    progress : bool
        Whether to show a bar on standard error.
    begun : callable, optional
        Called with the results once all positions are drawn, before anything is timed; what it raises ends the run.

    Raises
    ------
    SgaiError
        For games and agents that do not go together, games without positions, or a file that cannot be written.

    Examples
    --------
    >>> settings = LatencySettings.parse(["exact", "random"], ["sgai_nim(piles=[3;4])"], positions=2, repeats=3)
    >>> results = run_latency(settings)
    >>> [(row["agent"], row["mode"], row["decisions"]) for row in results.rows()]
    [('exact', 'cold', 6), ('random', 'cold', 6), ('exact', 'warm', 6), ('random', 'warm', 6)]
    """
    games = settings.load_games()
    meter = MemoryMeter()
    results = Results(settings, machine_info(), meter.kind)
    places: dict[str, list[Place]] = {}
    for name, game in games.items():
        places[name] = draw_positions(game, settings.positions, settings.moves, settings.seed)
        results.positions[name] = [str(place.state) for place in places[name]]
        results.legal_actions[name] = [place.legal_actions for place in places[name]]
    written: set[str] = set()
    if begun is not None:
        begun(results)
    with (
        CsvFile(csv) as table,
        CsvFile(samples) as list_of_all,
        tqdm(total=_decisions(settings, places), unit="decision", disable=not progress, leave=False) as bar,
    ):
        try:
            for name, game in games.items():
                for found in _measured(settings, name, game, places[name], meter):
                    if isinstance(found, Turn):
                        results.turns.append(found)
                        continue
                    results.samples.append(found)
                    list_of_all.write_sample(found)
                    bar.update()
                table.write(results.rows([name]))
                written.add(name)
        except KeyboardInterrupt:
            results.interrupted = True
            table.write(results.rows([name for name in games if name not in written]))
    return results


def _measured(
    settings: LatencySettings, name: str, game: object, places: list[Place], meter: MemoryMeter
) -> Iterator[Sample | Turn]:
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
            plugins=settings.plugins,
            compile_anew=settings.compile_anew,
        ),
    )


def _decisions(settings: LatencySettings, places: dict[str, list[Place]]) -> int:
    in_turns = settings.repeats * len(settings.modes)
    each = sum(in_turns * len(here) + len(here[: settings.fresh]) for here in places.values())
    return len(settings.agents) * each
