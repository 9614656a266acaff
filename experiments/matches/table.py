"""The table of a match: wins with their intervals, lengths of games, decision times."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from tabulate import tabulate

from sgai.experiments.matches.records import GameRecord


def wilson_interval(wins: int, games: int) -> tuple[float, float]:
    """Return the Wilson score interval of a win rate at 95% (E. B. Wilson, 1927).

    Examples
    --------
    >>> [round(bound, 4) for bound in wilson_interval(8, 10)]
    [0.4902, 0.9433]
    """
    from scipy.stats import binomtest  # takes half a second to load

    interval = binomtest(wins, games).proportion_ci(confidence_level=0.95, method="wilson")
    return float(interval.low), float(interval.high)


def table(records: Sequence[GameRecord]) -> list[dict[str, Any]]:
    """Return one row an agent, most wins first.

    Returns
    -------
    list of dict
        ``agent``, ``games``, ``wins``, ``draws``, ``forfeits``, ``win_rate``, ``win_rate_low`` and ``win_rate_high``
        (95% Wilson interval), ``mean_length`` (moves a game), ``median_seconds`` and ``p99_seconds`` a move, and
        ``by_game``: game to wins and games.
    """
    rows = []
    for agent in dict.fromkeys(name for record in records for name in record.agents):
        played = [record for record in records if agent in record.agents]
        wins = sum(record.winner == agent for record in played)
        low, high = wilson_interval(wins, len(played))
        times = [
            spent for record in played for ply, spent in enumerate(record.seconds) if record.agents[ply % 2] == agent
        ]
        by_game = {}
        for game in dict.fromkeys(record.game for record in played):
            here = [record.winner for record in played if record.game == game]
            by_game[game] = {"wins": here.count(agent), "games": len(here)}
        rows.append(
            {
                "agent": agent,
                "games": len(played),
                "wins": wins,
                "draws": sum(record.winner is None for record in played),
                "forfeits": sum(record.forfeit is not None and record.winner != agent for record in played),
                "win_rate": wins / len(played),
                "win_rate_low": low,
                "win_rate_high": high,
                "mean_length": float(np.mean([len(record.actions) for record in played])),
                "median_seconds": float(np.median(times)) if times else None,
                "p99_seconds": float(np.percentile(times, 99)) if times else None,
                "by_game": by_game,
            }
        )
    return sorted(rows, key=lambda row: -row["wins"])


def format_table(records: Sequence[GameRecord]) -> str:
    """Return the table as text, and below it the wins by game."""
    if not records:
        return "no game was finished"
    rows = table(records)
    shown = [
        {
            "agent": row["agent"],
            "games": row["games"],
            "wins": row["wins"],
            **{each: row[each] for each in ("draws", "forfeits") if any(other[each] for other in rows)},
            "win rate": f"{row['win_rate']:.1%}",
            "95% interval": f"{row['win_rate_low']:.1%} - {row['win_rate_high']:.1%}",
            "moves a game": f"{row['mean_length']:.1f}",
            "median ms": _milliseconds(row["median_seconds"]),
            "p99 ms": _milliseconds(row["p99_seconds"]),
        }
        for row in rows
    ]
    games = list(dict.fromkeys(record.game for record in records))
    by_game = [
        [game, *(f"{won['wins']}/{won['games']}" if (won := row["by_game"].get(game)) else "" for row in rows)]
        for game in games
    ]
    numbers = ("right",) * len(rows)
    first = tabulate(shown, headers="keys", disable_numparse=True, colalign=("left", *("right",) * (len(shown[0]) - 1)))
    second = tabulate(
        by_game,
        headers=["wins by game", *(row["agent"] for row in rows)],
        disable_numparse=True,
        colalign=("left", *numbers),
    )
    note = ""
    if repeats := count_repeats(records):
        note = (
            f"\n\n{repeats} of {len(records)} games repeat an earlier one move by move, so the intervals are too narrow"
        )
    return f"{first}\n\n{second}{note}"


def count_repeats(records: Sequence[GameRecord]) -> int:
    """Return how many games are the same, move by move, as an earlier one of the same agents.

    Agents without chance in them play the same game each round; the interval takes games for independent.
    """
    return len(records) - len({(record.game, *record.agents, tuple(record.actions)) for record in records})


def _milliseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{1000 * seconds:.3g}"
