"""The tables of a run, for people."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from tabulate import tabulate

from sgai.experiments.latency.baseline import LEVEL, MARGIN, SLOWER, Baseline, Change
from sgai.experiments.latency.memory import PEAK
from sgai.experiments.latency.results import Results, Row, machine_name
from sgai.experiments.latency.settings import FRESH
from sgai.experiments.latency.statistics import Ratio


def format_table(results: Results) -> str:
    """Return one table a game, and the notes that belong to all."""
    rows = results.rows()
    if not rows:
        return "nothing was measured"
    tables = []
    for point in results.settings.points:
        here = [row for row in rows if row["game"] == point.game]
        if here:
            where = f", on {here[0]['machine']}" if len(results.machines_used()) > 1 else ""
            tables.append(f"{_title(here)}{where}\n{_tabulated([_shown(row, rows) for row in here])}")
    return "\n\n".join([*tables, "\n".join(_notes(results, rows))])


def _title(rows: Sequence[Row]) -> str:
    first = rows[0]
    filled = [f"{name} {first[name]}" for name in ("size", "components") if first[name] is not None]
    count = max(row["positions"] for row in rows)
    positions = f"{count} position{'s' * (count != 1)} with {first['legal_actions']:g} moves (median)"
    return f"{first['game']}: {', '.join([*filled, positions])}"


def _shown(row: Row, rows: Sequence[Row]) -> dict[str, str]:
    """Return the cells of a row; columns that are empty in all rows are left out."""

    def any_has(*names: str) -> bool:
        return any(each[name] for each in rows for name in names)

    cells = {
        "agent": row["agent"],
        "": row["mode"],
        "n": str(row["decisions"]),
        **{f"{name} ms": milliseconds(row[name]) for name in ("p50", "p90", "p99", "max")},
        "cpu p50": milliseconds(row["cpu_p50"]),
    }
    if any_has("budget_seconds"):
        cells["late"] = "" if row["overruns"] is None else f"{row['overruns']} ({row['cpu_overruns']})"
        cells["worst"] = "" if not row["worst_overrun"] else f"+{milliseconds(row['worst_overrun'])}"
    if any_has("not_solved", "failed"):
        cells["not solved"], cells["failed"] = str(row["not_solved"]), str(row["failed"])
    if any_has("memory"):
        cells["MB"] = "" if row["memory"] is None else f"{row['memory'] / 1e6:.1f}"
    if any_has("states"):
        cells["states"] = "" if row["states"] is None else f"{row['states']:,.0f}"
    if any_has("against"):
        cells["times the first"] = _interval(row, "")
        cells["by cpu"] = _interval(row, "cpu_")
    return cells


def _interval(row: Row, prefix: str) -> str:
    value, low, high = (row[f"{prefix}{name}"] for name in ("ratio", "ratio_low", "ratio_high"))
    if value is None:
        return ""
    return number(value) if low is None else f"{number(value)} ({number(low)} - {number(high)})"


def _notes(results: Results, rows: Sequence[Row]) -> list[str]:
    notes = ["Times in ms. cold: a new agent with empty tables; warm: the same agent after all positions, tables kept."]
    if any(row["mode"] == FRESH for row in rows):
        notes.append("fresh: from the start of a new process to its answer, imports and loading included.")
    if any(row["budget_seconds"] for row in rows):
        notes.append("late: decisions over the budget, in brackets those that computed for longer than it.")
    if any(row["memory"] for row in rows):
        kinds = sorted({kind or "resident memory" for kind in results.memory_kinds.values() or [results.memory_kind]})
        seen = [f"{kind}, {'above what was there before' if kind == PEAK else 'growth'}" for kind in kinds]
        words = f"MB: the most over the decisions, {' or '.join(seen)} (a lower bound: freed memory is used again)"
        fresh = "; of a fresh process all that it had" if any(row["mode"] == FRESH for row in rows) else ""
        notes.append(f"{words}{fresh}.")
    if any(row["against"] for row in rows):
        notes.append(
            f"times the first: the median over that of {results.settings.agents[0]}, with a 95% bootstrap interval."
        )
    if min(row["decisions"] for row in rows) < 100:
        notes.append("With fewer than 100 decisions p99 lies between the two longest.")
    notes += _places(results)
    if results.interrupted:
        notes.append("The run was interrupted: this is what was done.")
    notes += [f"{row['agent']} on {row['game']}: {row['failure']}" for row in rows if row["failure"]]
    return notes


def _places(results: Results) -> list[str]:
    """Say where a run over an engine was measured, and whether games disturbed each other there."""
    used = results.machines_used()
    notes = []
    if len(used) > 1:
        notes.append(
            f"Measured on {len(used)} machines, each game on one: times of different games may differ by that, "
            "ratios within a game do not."
        )
    elif results.machines:
        notes.append(f"Measured on {machine_name(used[0][0])}.")
    if results.games_at_once > len(used):
        notes.append(f"Up to {results.games_at_once} games were measured at once: on one machine they slow each other.")
    return notes


def format_changes(changes: Sequence[Change], baseline: Baseline, results: Results) -> str:
    """Return the table of a comparison, and in words what got slower."""
    if not changes:
        return "nothing to compare with the baseline"
    shown = [
        {
            "game": change.game,
            "agent": change.agent,
            "": change.mode,
            "as measured": _ratio(change.ratio),
            "normalised": _ratio(change.normalised),
            "verdict": change.verdict,
        }
        for change in changes
    ]
    slower = [change for change in changes if change.verdict == SLOWER]
    clock = changes[0].clock
    lines = [
        f"against the baseline: {clock} time now over that then (mean over the positions), {LEVEL:.0%} intervals",
        _tabulated(shown),
        f"{_speed(baseline, results, clock == 'cpu')} Changes are named from {MARGIN:g} times on.",
    ]
    lines += _other_machines(baseline, results)
    if slower:
        lines.append(f"{len(slower)} of {len(changes)} got slower:")
        lines += [f"  {each.agent} on {each.game}, {each.mode}: {_ratio(each.normalised)}" for each in slower]
    else:
        lines.append("Nothing got clearly slower.")
    return "\n".join(lines)


def _other_machines(baseline: Baseline, results: Results) -> list[str]:
    """Say which games were measured by another processor then."""
    found: dict[tuple[Any, Any], list[str]] = {}
    games = [point.game for point in results.settings.points]
    measured = [game for game in games if game in results.machines] if results.machines else games
    for game in measured:
        pair = baseline.machine_of(game).get("processor"), results.machine_of(game)["processor"]
        found.setdefault(pair, []).append(game)
    lines = []
    for (then, now), here in found.items():
        which = "" if len(found) == 1 else f" of {', '.join(here)}"
        if then != now:
            lines.append(f"The baseline{which} is of another machine: {then}, and this is {now}.")
    return lines


def _speed(baseline: Baseline, results: Results, cpu: bool) -> str:
    ratios = []
    # Where all was measured on one machine then and now, one ratio says it; else each game has its own.
    are_several = len(results.machines_used()) > 1 or len(set(map(machine_name, baseline.machines.values()))) > 1
    for game in sorted({each.game for each in results.turns}) if are_several else [None]:
        medians = []
        for turns in (results.turns, baseline.turns):
            times = [each.calibration.work("both", cpu=cpu) for each in turns if game is None or each.game == game]
            medians.append(float(np.median(times)) if times else None)
        now, then = medians
        if now and then:
            ratios.append(now / then)
    if not ratios:
        return "Nothing is known of the machine's speed."
    low, high = min(ratios), max(ratios)
    times_as_long = f"{low:.2f}" if len(ratios) == 1 else f"{low:.2f} to {high:.2f}, by game,"
    return f"The fixed work takes {times_as_long} times as long as then, which the normalised ratio divides out."


def _ratio(ratio: Ratio | None) -> str:
    if ratio is None:
        return ""
    if ratio.low is None or ratio.high is None:
        return number(ratio.value)
    return f"{number(ratio.value)} ({number(ratio.low)} - {number(ratio.high)})"


def number(value: float) -> str:
    """Write a number with three digits.

    Examples
    --------
    >>> number(0.01234), number(12345.6), number(1.0)
    ('0.0123', '12,346', '1.00')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:#.3g}"


def milliseconds(seconds: float | None) -> str:
    """Write a time in milliseconds.

    Examples
    --------
    >>> milliseconds(0.01234), milliseconds(None)
    ('12.3', '')
    """
    return "" if seconds is None else number(1000 * seconds)


def _tabulated(rows: Sequence[dict[str, Any]]) -> str:
    left = [name in ("agent", "", "game", "verdict") for name in rows[0]]
    return tabulate(
        rows,
        headers="keys",
        disable_numparse=True,
        colalign=["left" if each else "right" for each in left],
    )
