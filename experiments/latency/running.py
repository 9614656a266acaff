"""A whole run: every point of the grid, with progress, written as it goes, and kept after Ctrl-C."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tqdm import tqdm

from sgai.errors import SgaiError, quote
from sgai.experiments.engines import Engine, Outcome, Task
from sgai.experiments.latency.files import CsvFile
from sgai.experiments.latency.measuring import Turn
from sgai.experiments.latency.memory import MemoryMeter
from sgai.experiments.latency.one_game import measure_game, measured
from sgai.experiments.latency.positions import Place, draw_positions
from sgai.experiments.latency.results import Results, machine_info
from sgai.experiments.latency.settings import LatencySettings
from sgai.experiments.patience import patient


def run_latency(
    settings: LatencySettings,
    *,
    csv: str | Path | None = None,
    samples: str | Path | None = None,
    progress: bool = False,
    begun: Callable[[Results], None] | None = None,
    engine: Engine | None = None,
) -> Results:
    """Measure all that the settings ask for.

    Ctrl-C ends the run early: what was measured is returned, with ``interrupted`` set; with an engine these are the
    games that were done.

    Parameters
    ----------
    settings : LatencySettings
        What to measure.
    csv : str or Path, optional
        A file for the rows of each game, written when the game is done.
    samples : str or Path, optional
        A file for every decision, written as they are made; with an engine, when a game is done.
    progress : bool
        Whether to show a bar on standard error.
    begun : callable, optional
        Called with the results once all positions are drawn, before anything is timed; what it raises ends the run.
    engine : Engine, optional
        What measures the games, each of them as one task; by default this process, one after the other. The engine has
        to be made with the settings' plugins. Games that are measured at once on one machine slow each other.

    Returns
    -------
    Results
        In the order of the settings' games, whatever the order in which they ended.

    Raises
    ------
    SgaiError
        For games and agents that do not go together, games without positions, or a file that cannot be written. With an
        engine also for a game that raised an error in the worker, or whose worker ended each time; those that have
        begun by then are measured and written first.

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
    if begun is not None:
        begun(results)
    with (
        CsvFile(csv) as table,
        CsvFile(samples) as list_of_all,
        tqdm(total=_decisions(settings, places), unit="decision", disable=not progress, leave=False) as bar,
    ):
        if engine is None:
            _measure_here(results, games, places, meter, table, list_of_all, bar)
        else:
            _measure_over(engine, results, table, list_of_all, bar)
    return results


def _measure_here(
    results: Results,
    games: Mapping[str, Any],
    places: Mapping[str, Sequence[Place]],
    meter: MemoryMeter,
    table: CsvFile,
    list_of_all: CsvFile,
    bar: Any,
) -> None:
    settings = results.settings
    written: set[str] = set()
    try:
        for name, game in games.items():
            for found in measured(settings, name, game, places[name], meter, plugins=settings.plugins):
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


def _measure_over(engine: Engine, results: Results, table: CsvFile, list_of_all: CsvFile, bar: Any) -> None:
    settings = results.settings
    names = [point.game for point in settings.points]
    results.games_at_once = min(engine.workers, len(names))
    failed: list[Outcome] = []

    def tasks() -> Iterator[Task]:
        for index, name in enumerate(names):
            if failed:  # what has begun is let come to its end, else it would be lost
                return
            yield Task(index, measure_game, (settings, name, results.positions[name], not engine.has_one_process))

    outcomes = engine.run(tasks())
    try:
        for outcome in outcomes:
            if outcome.kind != "done":
                failed.append(outcome)
                continue
            name, found = names[outcome.index], outcome.value
            with patient() as pressed:  # a game is written whole
                results.samples += found.samples
                results.turns += found.turns
                results.machines[name], results.memory_kinds[name] = found.machine, found.memory_kind
                list_of_all.write([asdict(each) for each in found.samples])
                table.write(results.rows([name]))
            bar.update(len(found.samples))
            if pressed():
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        results.interrupted = True
    finally:
        outcomes.close()
    if failed:
        why = failed[0].reason.removeprefix("SgaiError: ")
        raise SgaiError(f"game {quote(names[failed[0].index])} could not be measured: {why}")
    results.sort()


def _decisions(settings: LatencySettings, places: dict[str, list[Place]]) -> int:
    in_turns = settings.repeats * len(settings.modes)
    each = sum(in_turns * len(here) + len(here[: settings.fresh]) for here in places.values())
    return len(settings.agents) * each
