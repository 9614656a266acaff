"""A run kept in a file, and a later run compared with it as ratios."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sgai.errors import SgaiError, quote, quote_path
from sgai.experiments.latency.calibration import Calibration
from sgai.experiments.latency.files import write_whole
from sgai.experiments.latency.measuring import Sample, Turn
from sgai.experiments.latency.results import Results
from sgai.experiments.latency.settings import FRESH, MODES, LatencySettings, deadline
from sgai.experiments.latency.statistics import Ratio, ratio_of_medians

KIND, VERSION = "sgai latency baseline", 1
SLOWER, FASTER, SAME, UNKNOWN = "slower", "faster", "no clear change", "too few decisions"
MARGIN = 1.2  # a change is called one from here on
LEVEL = 0.99  # of the intervals: there are many rows to be wrong in

_SAMPLE: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("game", "agent", "mode"), str),
    **dict.fromkeys(("position", "round"), int),
    **dict.fromkeys(("seconds", "cpu_seconds"), (int, float)),
    "setup_seconds": (int, float, type(None)),
    **dict.fromkeys(("memory", "states"), (int, type(None))),
    "problem": (str, type(None)),
}


@dataclass(frozen=True)
class Baseline:
    """An earlier run.

    Attributes
    ----------
    settings, machine, positions : dict
        As of `Results`.
    samples : list of Sample
        All decisions.
    turns : list of Turn
        The calibrations in between.
    machines : dict
        Of a run over an engine, the machine that measured each game.
    """

    settings: dict[str, Any]
    machine: dict[str, Any]
    positions: dict[str, list[str]]
    samples: list[Sample]
    turns: list[Turn]
    machines: dict[str, dict[str, Any]] = field(default_factory=dict)

    def machine_of(self, game: str) -> dict[str, Any]:
        """Return the machine that a game was measured on."""
        return self.machines.get(game, self.machine)


@dataclass(frozen=True)
class Change:
    """How one row changed.

    Attributes
    ----------
    game, agent, mode : str
        The row.
    clock : "wall" or "cpu"
        Which time is compared.
    ratio : Ratio or None
        The time now over that of the baseline, as measured, with a 99% interval: the ratio of the medians at each
        position, of which the geometric mean.
    normalised : Ratio or None
        The same of multiples of the time that the fixed work took just before: what is left when a machine is slower
        at one moment than at another, or than another machine.
    judged : tuple of Ratio or None
        What decides: the ratios over the Python and over the NumPy part of the fixed work, since a busy machine slows
        the one more than the other; and for an agent with a budget in seconds, which uses the same time on any
        machine, the ratio as measured too.
    verdict : str
        "slower" or "faster" where the whole intervals of all that is judged lie beyond the margin, else "no clear
        change"; "too few decisions" where there is no interval.
    """

    game: str
    agent: str
    mode: str
    clock: str
    ratio: Ratio | None
    normalised: Ratio | None
    judged: tuple[Ratio | None, ...]
    verdict: str

    def is_slower_than(self, factor: float) -> bool:
        """Tell whether what is judged lies above a factor with its whole interval."""
        return verdict(self.judged, factor) == SLOWER


def save_baseline(results: Results, path: str | Path) -> None:
    """Keep a run.

    Raises
    ------
    SgaiError
        If it was interrupted, or the file cannot be written.
    """
    if results.interrupted:
        raise SgaiError(f"an interrupted run is no baseline: {quote_path(path)} is not written")
    kept = {
        "kind": KIND,
        "version": VERSION,
        "settings": results.settings.as_json(),
        "machine": results.machine,
        "machines": results.machines,
        "positions": results.positions,
        "turns": [asdict(each) for each in results.turns],
        "samples": [asdict(each) for each in results.samples],
    }
    write_whole(Path(path), json.dumps(kept) + "\n")


def load_baseline(path: str | Path) -> Baseline:
    """Read what `save_baseline` wrote.

    Raises
    ------
    SgaiError
        If there is no such file, it is damaged, or something else.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise SgaiError(f"baseline {quote_path(path)} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SgaiError(f"{quote_path(path)} is no latency baseline: it is no text") from None
    try:
        read = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise SgaiError(f"baseline {quote_path(path)} is damaged or none: {error}") from None
    if not isinstance(read, dict) or read.get("kind") != KIND:
        raise SgaiError(f"{quote_path(path)} is no latency baseline; sgai latency --save-baseline FILE writes one")
    if read.get("version") != VERSION:
        found = quote(read.get("version")).strip("'")
        raise SgaiError(
            f"baseline {quote_path(path)} has version {found}, and this program reads {VERSION}: save it anew"
        )
    try:
        samples = [_sample(each) for each in read["samples"]]
        turns = [_turn(each) for each in read["turns"]]
        settings, machine, positions = (dict(read[name]) for name in ("settings", "machine", "positions"))
        # Files of earlier versions have no machines.
        machines = {game: dict(each) for game, each in dict(read.get("machines", {})).items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SgaiError(f"baseline {quote_path(path)} is damaged: {type(error).__name__}: {error}") from None
    return Baseline(settings, machine, positions, samples, turns, machines)


def _sample(given: dict[str, Any]) -> Sample:
    sample = Sample(**given)
    for name, kind in _SAMPLE.items():
        value = getattr(sample, name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise TypeError(f"{name}={value!r}")
        if isinstance(value, float) and not 0 <= value < float("inf"):
            raise ValueError(f"{name}={value!r}")
    return sample


def _turn(given: dict[str, Any]) -> Turn:
    times = {name: float(value) for name, value in given["calibration"].items()}
    if any(not 0 < time < float("inf") for time in times.values()):
        raise ValueError(f"times of {times}")
    return Turn(**{**given, "calibration": Calibration(**times)})


def check_comparable(
    baseline: Baseline, settings: LatencySettings, positions: dict[str, list[str]] | None = None
) -> None:
    """Raise `SgaiError` if a baseline was measured with other settings, or on other positions."""
    now = settings.as_json()
    for name in dict.fromkeys((*now, *baseline.settings)):
        if now.get(name) != baseline.settings.get(name):
            raise SgaiError(
                f"the baseline was measured with other settings: {name} was {_brief(baseline.settings.get(name))}, and "
                f"is {_brief(now.get(name))}; run with the baseline's settings, or save a new one"
            )
    for game, texts in (positions or {}).items():
        if baseline.positions.get(game) != texts:
            raise SgaiError(
                f"the baseline was measured on other positions of {quote(game)}: the rules or their random play have "
                "changed since; save a new one"
            )


def _brief(value: Any) -> str:
    games = isinstance(value, list) and all(isinstance(each, dict) and "game" in each for each in value)
    return quote(json.dumps([each["game"] for each in value] if games else value), 200)


def compare(results: Results, baseline: Baseline, *, clock: str = "cpu", margin: float = MARGIN) -> list[Change]:
    """Compare a run with an earlier one, row by row.

    Parameters
    ----------
    results : Results
        The run; of an interrupted one what is done is compared.
    baseline : Baseline
        Of the same settings.
    clock : "cpu" or "wall"
        Which time to compare. The time that the thread computes is hardly touched by other programs; the time that
        passes is what counts for agents that wait or let others compute.
    margin : float
        From which ratio on a change is called one.

    Raises
    ------
    SgaiError
        If the baseline was measured with other settings or on other positions.
    """
    check_comparable(baseline, results.settings, results.positions)
    if clock not in ("cpu", "wall"):
        raise SgaiError(f"clock {quote(clock)} should be cpu or wall")
    before = Results(results.settings, baseline.machine, samples=baseline.samples, turns=baseline.turns)
    cpu = clock == "cpu"
    changes = []
    for point in results.settings.points:
        for mode in (*MODES, FRESH):
            for agent in results.settings.agents:
                row = (point.game, str(agent), mode)
                raw, both, *parts = (
                    _ratio(results, before, row, part=part, cpu=cpu) for part in (None, "both", "python", "numpy")
                )
                if raw is not None:
                    judged = (raw, *parts) if deadline(agent) is not None else tuple(parts)
                    changes.append(Change(*row, clock, raw, both, judged, verdict(judged, margin)))
    return changes


def _ratio(now: Results, before: Results, row: tuple[str, str, str], *, part: str | None, cpu: bool) -> Ratio | None:
    """Return the ratio of the times as they are or as multiples of the fixed work before each turn."""
    game, _, mode = row
    times = []
    for each in (now, before):
        found = each.times(*row, cpu=cpu)
        if part is not None:
            work = each.work(game, mode, part, cpu=cpu)
            found = {key: time / work[key] for key, time in found.items() if key in work}
        times.append(found)
    return ratio_of_medians(*times, paired=False, by_position=True, level=LEVEL)


def verdict(ratios: Iterable[Ratio | None], margin: float = MARGIN) -> str:
    """Return what all of some ratios agree on.

    Examples
    --------
    >>> verdict([Ratio(1.5, 1.3, 1.9, 20)]), verdict([Ratio(1.5, 1.3, 1.9, 20), Ratio(1.2, 0.9, 1.3, 20)])
    ('slower', 'no clear change')
    """
    known = [(each.low, each.high) if each is not None else (None, None) for each in ratios]
    if any(low is None or high is None for low, high in known):
        return UNKNOWN
    if all(low is not None and low > margin for low, _ in known):
        return SLOWER
    return FASTER if all(high is not None and high < 1 / margin for _, high in known) else SAME
