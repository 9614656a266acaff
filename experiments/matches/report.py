"""A match as one HTML file that needs nothing else: tables, and charts as SVG within it."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import sgai
from sgai.errors import SgaiError, quote_path
from sgai.experiments.matches.charts import Interval, bar_chart, colour, distribution_chart, interval_chart
from sgai.experiments.matches.records import GameRecord
from sgai.experiments.matches.table import count_repeats, said, table, wilson_interval

REPORT_FILE = "report.html"
_MOST_LISTED = 50
_STYLE = """
body { font: 15px/1.45 sans-serif; color: #222222; background: #ffffff; max-width: 1000px;
margin: 2em auto; padding: 0 1em }
h1 { font-size: 1.6em } h2 { font-size: 1.15em; margin-top: 2em; border-bottom: 1px solid #dddddd }
table { border-collapse: collapse; display: block; overflow-x: auto } th, td { padding: .25em .7em; text-align: right }
th { border-bottom: 2px solid #222222; vertical-align: bottom }
td { border-bottom: 1px solid #eeeeee; white-space: nowrap }
th:first-child, td:first-child { text-align: left } svg { max-width: 100%; height: auto; display: block }
.key span { display: inline-block; margin-right: 1.5em } .key i { display: inline-block; width: .8em; height: .8em;
margin-right: .4em } pre { background: #f6f6f6; padding: .8em; overflow-x: auto } .note { color: #666666 }
"""


def write_report(
    path: str | Path,
    records: Sequence[GameRecord],
    manifest: Mapping[str, Any],
    budgets: Mapping[str, Mapping[str, float]] | None = None,
    verdict: str | None = None,
) -> None:
    """Write the report of a match.

    Parameters
    ----------
    path : str or Path
        The file.
    records : sequence of GameRecord
        The games that count.
    manifest : mapping
        The match's settings and versions, which are shown as they are.
    budgets : mapping, optional
        What each agent may spend on a move.
    verdict : str, optional
        What an SPRT says.

    Raises
    ------
    SgaiError
        If the file cannot be written.
    """
    text = report(records, manifest, budgets, verdict)
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise SgaiError(f"{quote_path(path)} cannot be written: {error.strerror}") from None


def report(
    records: Sequence[GameRecord],
    manifest: Mapping[str, Any],
    budgets: Mapping[str, Mapping[str, float]] | None = None,
    verdict: str | None = None,
) -> str:
    """Return the report as text."""
    rows = table(records, budgets, int(manifest.get("seed", 0)))
    parts = [f"<p>{len(records)} games{_openings(records)}. {escape(str(manifest.get('started', '')))}</p>"]
    if verdict is not None:
        parts.append(f"<p><strong>{escape(verdict)}</strong></p>")
    if rows:
        parts += [_key(rows), _results(rows), _crosstable(records, rows), *_charts(records, rows)]
    parts += [_notes(records), "<h2>Settings</h2>", f"<pre>{escape(json.dumps(dict(manifest), indent=2))}</pre>"]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Match report</title>'
        f"<style>{_STYLE}</style></head>\n<body><h1>Match report</h1>\n"
        + "\n".join(part for part in parts if part)
        + f'\n<p class="note">Written by sgai {escape(sgai.__version__)}.</p></body></html>\n'
    )


def _openings(records: Sequence[GameRecord]) -> str:
    counts = Counter(record.opening_outcome for record in records)
    known = [f"{counts[each]} from {each}-positions" for each in ("N", "P") if counts[each]]
    if counts[None] and known:
        known.append(f"{counts[None]} from positions that are not known")
    return f": {', '.join(known)}" if known else ""


def _key(rows: Sequence[Mapping[str, Any]]) -> str:
    spans = (f'<span><i style="background:{colour(i)}"></i>{escape(row["agent"])}</span>' for i, row in enumerate(rows))
    return f'<p class="key">{"".join(spans)}</p>'


def _html_table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table; cells are HTML."""
    head = "".join(f"<th>{each}</th>" for each in header)
    body = "".join(f"<tr>{''.join(cell if cell.startswith('<td') else f'<td>{cell}</td>' for cell in line)}</tr>"
                   for line in lines)  # fmt: skip
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _results(rows: Sequence[Mapping[str, Any]]) -> str:
    results = [
        [
            escape(row["agent"]),
            *(f"{row[name]}" for name in ("games", "wins", "draws", "forfeits")),
            f"{row['win_rate']:.1%}",
            f"{row['win_rate_low']:.1%} to {row['win_rate_high']:.1%}",
            f"{row['elo']:+.0f}",
            f"{row['elo_low']:+.0f} to {row['elo_high']:+.0f}",
            f"{row['mean_length']:.1f}",
        ]
        for row in rows
    ]
    decisions = [
        [
            escape(row["agent"]),
            f"{row['decisions']}",
            _part(row["won_kept"], row["won_positions"]),
            *(f"{row[name] / said(row):.1%}" if said(row) else "" for name in ("exact", "proved", "estimated")),
            f"{row['overruns']}" + (f" (worst +{row['worst_overrun']:.0%})" if row["overruns"] else ""),
            *(_milliseconds(row[f"{name}_seconds"]) for name in ("median", "p90", "p99", "max")),
        ]
        for row in rows
    ]
    header = ["agent", "games", "wins", "draws", "forfeits", "win rate", "95% interval", "Elo", "95% interval"]
    shown = ["agent", "decisions", "won positions kept", "exact", "proved", "estimated", "overruns"]
    return (
        f"<h2>Results</h2>{_html_table([*header, 'moves a game'], results)}"
        f"<h2>Decisions</h2>{_html_table([*shown, 'p50 ms', 'p90 ms', 'p99 ms', 'max ms'], decisions)}"
    )


def _milliseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{1000 * seconds:.3g}"


def _part(part: int, whole: int) -> str:
    return f"{part / whole:.1%} of {whole}" if whole else ""


def _crosstable(records: Sequence[GameRecord], rows: Sequence[Mapping[str, Any]]) -> str:
    agents = [row["agent"] for row in rows]
    results: Counter[tuple[str, str, str]] = Counter()
    for record in records:
        if record.failed is None:
            for agent, other in (record.agents, record.agents[::-1]):
                results[agent, other, "=" if record.winner is None else "+" if record.winner == agent else "-"] += 1
    lines = []
    for agent in agents:
        line = [escape(agent)]
        for other in agents:
            won, drawn, lost = (results[agent, other, sign] for sign in "+=-")
            played = won + drawn + lost
            if not played:
                line.append("")
                continue
            score = (won + drawn / 2) / played
            # From red (all lost) over white to blue (all won), pale enough for black text.
            shade = f"rgba(0,114,178,{score - 0.5:.2f})" if score >= 0.5 else f"rgba(213,94,0,{0.5 - score:.2f})"
            line.append(f'<td style="background:{shade}">+{won} ={drawn} -{lost} ({score:.1%})</td>')
        lines.append(line)
    return f"<h2>Cross table</h2>{_html_table(['row against column', *map(escape, agents)], lines)}"


def _charts(records: Sequence[GameRecord], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    parts = ["<h2>Elo, with 95% bootstrap intervals</h2>"]
    ratings = [Interval(row["agent"], row["elo"], row["elo_low"], row["elo_high"]) for row in rows]
    parts.append(interval_chart("Elo of each agent", ratings, lambda elo: f"{elo:+.0f}"))
    if not rows[0]["elo_is_bounded"]:
        note = "Some agents won or lost all games against the others: there the Elo is a smoothed value."
        parts.append(f'<p class="note">{note}</p>')
    games = dict.fromkeys(record.game for record in records)
    groups = [(game, [_won(row, game) for row in rows]) for game in games]
    parts += [
        "<h2>Win rate by game, with 95% intervals</h2>",
        bar_chart("Win rate of each agent by game", groups, _percent),
    ]
    spent: dict[str, list[float]] = {row["agent"]: [] for row in rows}
    for record in records:
        for seat, seconds in zip(record.decided_by(), record.seconds, strict=False):
            spent.setdefault(record.agents[int(seat)], []).append(max(1000 * seconds, 1e-3))
    series = [(row["agent"], spent[row["agent"]]) for row in rows]
    if all(times for _, times in series):
        parts += ["<h2>Decision times: share of decisions within a time</h2>",
                  distribution_chart("Distribution of decision times", series, "ms")]  # fmt: skip
    if any(row["won_positions"] for row in rows):
        blunders = []
        for row in rows:
            lost, all_ = row["won_lost"], row["won_positions"]
            low, high = wilson_interval(lost, all_) if all_ else (0.0, 1.0)
            blunders.append(Interval(row["agent"], lost / all_ if all_ else 0.0, low, high, f" ({lost} of {all_})"))
        top = max(0.01, *(each.high for each in blunders))
        parts += ["<h2>Blunders: won positions given away, with 95% intervals</h2>",
                  interval_chart("Blunder rate of each agent", blunders, _percent, (0.0, top))]  # fmt: skip
    return parts


def _won(row: Mapping[str, Any], game: str) -> Interval:
    found = row["by_game"].get(game)
    if found is None:
        return Interval(row["agent"], float("nan"), 0.0, 0.0)
    low, high = wilson_interval(found["wins"], found["games"])
    return Interval(row["agent"], found["wins"] / found["games"], low, high, f" ({found['wins']}/{found['games']})")


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"


def _notes(records: Sequence[GameRecord]) -> str:
    notes = [f"game {record.index}: {record.forfeit}" for record in records if record.forfeit is not None]
    notes += [f"game {record.index} has no result: {record.failed}" for record in records if record.failed is not None]
    if len(notes) > _MOST_LISTED:
        notes[_MOST_LISTED:] = [f"... and {len(notes) - _MOST_LISTED} more"]
    if adjudicated := sum(record.adjudicated for record in records):
        notes.insert(0, f"{adjudicated} games were adjudicated by the exact solver")
    if repeats := count_repeats(records):
        notes.insert(0, f"{repeats} games repeat an earlier one move by move, so the intervals are too narrow")
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f"<h2>Remarks</h2><ul>{items}</ul>" if notes else ""
