"""What was measured, and the rows that follow: one for each game, agent and mode."""

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import sgai
from sgai.experiments.latency.measuring import Sample, Turn
from sgai.experiments.latency.settings import FRESH, MODES, LatencySettings, Point, deadline
from sgai.experiments.latency.statistics import Ratio, quantiles, ratio_of_medians
from sgai.experiments.one_decision import FAILED, NOT_SOLVED

Row = dict[str, Any]
WHOLE_PROCESS = "largest resident memory of the process"
_LOWEST = 1e-9  # seconds: a clock that did not move is no ratio's zero


@dataclass
class Results:
    """What a run measured.

    Attributes
    ----------
    settings : LatencySettings
        What was asked for.
    machine : dict
        Machine and versions, see `machine_info`: where the decisions were made; of several machines the first game's.
    memory_kind : str or None
        What the memory of cold and warm decisions is there, as of `MemoryMeter`.
    positions : dict
        The positions of each game, as texts.
    legal_actions : dict
        For each game the number of moves at each position.
    samples : list of Sample
        All decisions.
    turns : list of Turn
        The calibrations in between.
    interrupted : bool
        Whether Ctrl-C ended the run.
    machines : dict
        Of a run over an engine, the machine that measured each game.
    memory_kinds : dict
        Of such a run, the kind of memory of each game.
    games_at_once : int
        How many games were measured at the same time, at most; on one machine they disturb each other.
    """

    settings: LatencySettings
    machine: dict[str, Any]
    memory_kind: str | None = None
    positions: dict[str, list[str]] = field(default_factory=dict)
    legal_actions: dict[str, list[int]] = field(default_factory=dict)
    samples: list[Sample] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    interrupted: bool = False
    machines: dict[str, dict[str, Any]] = field(default_factory=dict)
    memory_kinds: dict[str, str | None] = field(default_factory=dict)
    games_at_once: int = 1
    _index: dict[tuple[str, str, str], list[Sample]] = field(default_factory=dict, init=False, repr=False)
    _indexed: int = field(default=0, init=False, repr=False)  # samples; more come at the end of the list only

    def rows(self, games: Sequence[str] | None = None) -> list[Row]:
        """Return one row for each game, mode and agent that made a decision; by default of all games.

        Returns
        -------
        list of dict
            ``game``, ``family``, ``size``, ``components``, ``agent``, ``mode``, ``budget_seconds``; ``positions``,
            ``legal_actions`` (median), ``decisions``, ``not_solved``, ``failed`` and the first ``failure``; ``p50``,
            ``p90``, ``p99``, ``max`` and, with ``cpu_`` before, the same of thread time, in seconds, over all decisions
            that did not fail; ``setup_p50``; ``overruns``, ``cpu_overruns`` (decisions over the budget by either clock)
            and ``worst_overrun`` (seconds over it); ``memory`` (the most, in bytes) and ``memory_kind``; ``states``
            (median); ``against``, ``ratio``, ``ratio_low``, ``ratio_high`` and, with ``cpu_`` before, the same of
            thread time: the median over that of the first agent, with its 95% bootstrap interval; ``machine``: where
            the game was measured, as of `machine_name`.
        """
        made = []
        for point in self.settings.points:
            if games is not None and point.game not in games:
                continue
            for mode in (*MODES, FRESH):
                for agent in self.settings.agents:
                    samples = self.of(point.game, str(agent), mode)
                    if samples:
                        made.append(self._row(point, str(agent), mode, deadline(agent), samples))
        return made

    def of(self, game: str, agent: str, mode: str) -> list[Sample]:
        """Return the samples of a game, agent and mode."""
        if self._indexed > len(self.samples):
            self._index, self._indexed = {}, 0
        for each in self.samples[self._indexed :]:
            self._index.setdefault((each.game, each.agent, each.mode), []).append(each)
        self._indexed = len(self.samples)
        return self._index.get((game, agent, mode), [])

    def sort(self) -> None:
        """Put all in the order of the settings' games, and say where the first of them was measured."""
        order = {point.game: index for index, point in enumerate(self.settings.points)}
        self.samples.sort(key=lambda each: order[each.game])
        self.turns.sort(key=lambda each: order[each.game])
        self._index, self._indexed = {}, 0
        self.machines = {game: self.machines[game] for game in order if game in self.machines}
        for game, machine in self.machines.items():
            self.machine, self.memory_kind = machine, self.memory_kinds[game]
            break

    def machine_of(self, game: str) -> dict[str, Any]:
        """Return the machine that a game was measured on."""
        return self.machines.get(game, self.machine)

    def machines_used(self) -> list[tuple[dict[str, Any], list[str]]]:
        """Return the different machines, each with the games that were measured there; their load may vary."""
        found: list[tuple[dict[str, Any], list[str]]] = []
        for point in self.settings.points:
            if point.game not in self.machines:
                continue
            machine = self.machines[point.game]
            for other, games in found:
                if _is_same_machine(machine, other):
                    games.append(point.game)
                    break
            else:
                found.append((machine, [point.game]))
        return found or [(self.machine, [point.game for point in self.settings.points])]

    def times(self, game: str, agent: str, mode: str, *, cpu: bool = False) -> dict[tuple[int, int], float]:
        """Return the times of decisions that did not fail, by position and round."""
        return _times(self.of(game, agent, mode), cpu=cpu)

    def work(self, game: str, mode: str, part: str, *, cpu: bool = False) -> dict[tuple[int, int], float]:
        """Return how long a part of the fixed work took before each turn, by position and round."""
        return {
            (each.position, each.round): each.calibration.work(part, cpu=cpu)
            for each in self.turns
            if each.game == game and each.fresh == (mode == FRESH)
        }

    def _row(self, point: Point, agent: str, mode: str, budget: float | None, samples: list[Sample]) -> Row:
        wall, cpu = _times(samples), _times(samples, cpu=True)
        failures = [each.problem for each in samples if each.problem and each.problem.startswith(FAILED)]
        over = [seconds - budget for seconds in wall.values() if budget is not None and seconds > budget]
        reference = str(self.settings.agents[0])
        against = None if reference == agent else reference
        row: Row = {
            "game": point.game,
            "family": point.family,
            "size": point.size,
            "components": point.components,
            "agent": agent,
            "mode": mode,
            "budget_seconds": budget,
            "positions": len({each.position for each in samples}),
            "legal_actions": _median(self.legal_actions.get(point.game, [])),
            "decisions": len(samples),
            "not_solved": sum(each.problem == NOT_SOLVED for each in samples),
            "failed": len(failures),
            "failure": failures[0] if failures else None,
            **quantiles(list(wall.values())),
            **{f"cpu_{name}": value for name, value in quantiles(list(cpu.values())).items()},
            "setup_p50": _median([each.setup_seconds for each in samples]),
            "overruns": None if budget is None or mode == FRESH else len(over),
            "cpu_overruns": None if budget is None or mode == FRESH else sum(each > budget for each in cpu.values()),
            "worst_overrun": max(over, default=None) if mode != FRESH else None,
            "memory": max((each.memory for each in samples if each.memory is not None), default=None),
            "memory_kind": WHOLE_PROCESS if mode == FRESH else self.memory_kinds.get(point.game, self.memory_kind),
            "states": _median([each.states for each in samples]),
            "against": against,
        }
        for prefix, values in (("", wall), ("cpu_", cpu)):
            found = None
            if against is not None:
                others = self.times(point.game, against, mode, cpu=bool(prefix))
                found = ratio_of_medians(values, others, paired=True)
            row.update(_ratio_columns(found, prefix))
        row["machine"] = machine_name(self.machine_of(point.game))
        return row

    def as_json(self) -> dict[str, Any]:
        """Return settings, machine and rows, ready for JSON.

        Where several machines measured, ``machine`` is None, and ``machines`` lists them with their games.
        """
        used = self.machines_used()
        where: dict[str, Any] = {"machine": used[0][0]}
        if len(used) > 1:
            where = {"machine": None, "machines": [{**machine, "games": games} for machine, games in used]}
        return {
            "settings": self.settings.as_json(),
            **where,
            "games_at_once": self.games_at_once,
            "interrupted": self.interrupted,
            "rows": self.rows(),
        }


def machine_info() -> dict[str, Any]:
    """Return what is known of the machine, and the versions of what was measured.

    Returns
    -------
    dict
        ``name`` (in its network), ``system``, ``processor``, ``processors`` (how many), ``load`` (the mean number of
        programs that want to run, over the last minute) and ``versions``.
    """
    processor = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        processor = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), processor)
    except OSError:
        pass  # only Linux has that file
    return {
        "name": platform.node(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": processor,
        "processors": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "versions": {
            "sgai": sgai.__version__,
            "open_spiel": version("open_spiel"),
            "numpy": version("numpy"),
            "numba": version("numba"),
            "python": platform.python_version(),
        },
    }


def machine_name(machine: Mapping[str, Any]) -> str:
    """Return how a machine is called in tables.

    Examples
    --------
    >>> machine_name({"name": "node7", "processor": "fast one"}), machine_name({"processor": "fast one"})
    ('node7, fast one', 'fast one')
    """
    return ", ".join(str(machine[each]) for each in ("name", "processor") if machine.get(each))


def _is_same_machine(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one.get(name) == other.get(name) for name in {*one, *other} - {"load"})


def _times(samples: Sequence[Sample], *, cpu: bool = False) -> dict[tuple[int, int], float]:
    return {
        (each.position, each.round): max(_LOWEST, each.cpu_seconds if cpu else each.seconds)
        for each in samples
        if each.problem is None or each.problem == NOT_SOLVED
    }


def _ratio_columns(ratio: Ratio | None, prefix: str) -> Row:
    names = (f"{prefix}ratio", f"{prefix}ratio_low", f"{prefix}ratio_high")
    if ratio is None:
        return dict.fromkeys(names)
    return dict(zip(names, (ratio.value, ratio.low, ratio.high), strict=True))


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else None
