"""The tables of a run, for people."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from tabulate import tabulate

from sgai.experiments.latency.baseline import LEVEL, MARGIN, SLOWER, Baseline, Change
from sgai.experiments.latency.memory import PEAK
from sgai.experiments.latency.results import Results, Row
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
            tables.append(f"{_title(here)}\n{_tabulated([_shown(row, rows) for row in here])}")
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
        kind = results.memory_kind or "resident memory"
        seen = "above what was there before" if kind == PEAK else "growth"
        words = f"MB: the most over the decisions, {kind}, {seen} (a lower bound: freed memory is used again)"
        fresh = "; of a fresh process all that it had" if any(row["mode"] == FRESH for row in rows) else ""
        notes.append(f"{words}{fresh}.")
    if any(row["against"] for row in rows):
        notes.append(
            f"times the first: the median over that of {results.settings.agents[0]}, with a 95% bootstrap interval."
        )
    if min(row["decisions"] for row in rows) < 100:
        notes.append("With fewer than 100 decisions p99 lies between the two longest.")
    if results.interrupted:
        notes.append("The run was interrupted: this is what was done.")
    notes += [f"{row['agent']} on {row['game']}: {row['failure']}" for row in rows if row["failure"]]
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
    if baseline.machine.get("processor") != results.machine["processor"]:
        lines.append(
            f"The baseline is of another machine: {baseline.machine.get('processor')}, and this is "
            f"{results.machine['processor']}."
        )
    if slower:
        lines.append(f"{len(slower)} of {len(changes)} got slower:")
        lines += [f"  {each.agent} on {each.game}, {each.mode}: {_ratio(each.normalised)}" for each in slower]
    else:
        lines.append("Nothing got clearly slower.")
    return "\n".join(lines)


def _speed(baseline: Baseline, results: Results, cpu: bool) -> str:
    medians = []
    for turns in (results.turns, baseline.turns):
        found = [each.calibration.work("both", cpu=cpu) for each in turns]
        medians.append(float(np.median(found)) if found else None)
    now, then = medians
    if not now or not then:
        return "Nothing is known of the machine's speed."
    return f"The fixed work takes {now / then:.2f} times as long as then, which the normalised ratio divides out."


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
