"""The tables of a match: wins with their intervals, ratings, and how the agents decided."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from tabulate import tabulate

from sgai.experiments.matches.ratings import ratings
from sgai.experiments.matches.records import STATUSES, UNKNOWN, GameRecord

# Budgets that count something, which a bot may say that it exceeded.
_COUNTS = ("nodes", "simulations", "states")


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


def table(
    records: Sequence[GameRecord], budgets: Mapping[str, Mapping[str, float]] | None = None, seed: int = 0
) -> list[dict[str, Any]]:
    """Return one row an agent, most wins first.

    Parameters
    ----------
    records : sequence of GameRecord
        The games.
    budgets : mapping, optional
        What each agent may spend on a move, as ``Contestant.budget`` gives it; without it overruns are not told.
    seed : int
        Of the bootstrap.

    Returns
    -------
    list of dict
        ``agent``, ``games``, ``wins``, ``draws``, ``forfeits``, ``failed`` (games without a result, which count
        nowhere else), ``win_rate``, ``win_rate_low`` and ``win_rate_high`` (95% Wilson interval), ``mean_length``
        (moves a game), ``by_game``: game to wins and games; ``elo``, ``elo_low``, ``elo_high``, ``elo_is_bounded`` as
        of `Rating`; ``won_positions``: decisions on positions that the exact solver knows to be won, and ``won_kept``:
        after how many of them it knows that they still were, ``won_lost``: that they no longer were; ``decisions``, and
        of them ``exact``, ``proved``, ``estimated``; ``overruns``: decisions that took more than the budget, and
        ``worst_overrun``: the greatest part of the budget above it; ``median_seconds``, ``p90_seconds``,
        ``p99_seconds`` and ``max_seconds`` a move.
    """
    rated = ratings(records, seed)
    rows = []
    for agent in dict.fromkeys(name for record in records for name in record.agents):
        played = [record for record in records if agent in record.agents and record.failed is None]
        failed = sum(record.failed is not None for record in records if agent in record.agents)
        if not played:
            continue
        wins = sum(record.winner == agent for record in played)
        low, high = wilson_interval(wins, len(played))
        decided = [each for record in played for each in _decisions(record, agent)]
        times = [each.seconds for each in decided]
        by_game = {}
        for game in dict.fromkeys(record.game for record in played):
            here = [record.winner for record in played if record.game == game]
            by_game[game] = {"wins": here.count(agent), "games": len(here)}
        over = [part for each in decided if (part := each.overrun((budgets or {}).get(agent, {}))) > 0]
        elo = rated[agent]
        rows.append(
            {
                "agent": agent,
                "games": len(played),
                "wins": wins,
                "draws": sum(record.winner is None for record in played),
                "forfeits": sum(record.forfeit is not None and record.winner != agent for record in played),
                "failed": failed,
                "win_rate": wins / len(played),
                "win_rate_low": low,
                "win_rate_high": high,
                "mean_length": float(np.mean([len(record.actions) for record in played])),
                "elo": elo.elo,
                "elo_low": elo.low,
                "elo_high": elo.high,
                "elo_is_bounded": elo.is_bounded,
                "won_positions": sum(each.before == "N" and each.after != UNKNOWN for each in decided),
                "won_kept": sum(each.before == "N" and each.after == "P" for each in decided),
                "won_lost": sum(each.before == "N" and each.after == "N" for each in decided),
                "decisions": len(decided),
                **{name: sum(each.status == letter for each in decided) for name, letter in STATUSES.items()},
                "overruns": len(over),
                "worst_overrun": max(over, default=0.0),
                **{
                    f"{name}_seconds": float(np.percentile(times, part)) if times else None
                    for name, part in (("median", 50), ("p90", 90), ("p99", 99), ("max", 100))
                },
                "by_game": by_game,
            }
        )
    return sorted(rows, key=lambda row: -row["wins"])


class _Decision(NamedTuple):
    seconds: float
    status: str
    nodes: int | None
    before: str
    after: str

    def overrun(self, budget: Mapping[str, float]) -> float:
        """Return the greatest part of a budget that the decision took above it, 0 where it kept to it."""
        over = [self.seconds / budget["seconds"] - 1] if "seconds" in budget else []
        if self.nodes is not None:
            over += [self.nodes / budget[name] - 1 for name in _COUNTS if name in budget]
        return max(0.0, *over, 0.0)


def _decisions(record: GameRecord, agent: str) -> Iterator[_Decision]:
    seats = record.decided_by()
    for i, spent in enumerate(record.seconds):
        if record.agents[int(seats[i])] == agent:
            yield _Decision(
                spent,
                record.statuses[i : i + 1] or UNKNOWN,
                record.nodes[i] if i < len(record.nodes) else None,
                record.outcomes[i : i + 1] or UNKNOWN,
                record.outcomes[i + 1 : i + 2] or UNKNOWN,
            )


def format_table(
    records: Sequence[GameRecord], budgets: Mapping[str, Mapping[str, float]] | None = None, seed: int = 0
) -> str:
    """Return the table as text, below it the wins by game, and how the agents decided."""
    rows = table(records, budgets, seed)
    if not rows:
        return "no game was finished" if not records else f"no game has a result: {records[0].failed}"
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
    first = _aligned([list(each.values()) for each in shown], list(shown[0]))
    second = _aligned(by_game, ["wins by game", *(row["agent"] for row in rows)])
    third = _decision_table(rows)
    return "\n\n".join([first, second, third, *_notes(records, rows)])


def _decision_table(rows: list[dict[str, Any]]) -> str:
    """Return ratings and how the agents decided; columns in which there is nothing to say are left out."""
    knows = any(row["won_positions"] for row in rows)
    says = any(row[name] for row in rows for name in ("exact", "proved", "estimated"))
    late = any(row["overruns"] for row in rows)
    shown = [
        [
            row["agent"],
            f"{row['elo']:+.0f}",
            f"{row['elo_low']:+.0f} to {row['elo_high']:+.0f}",
            *([_share(row["won_kept"], row["won_positions"])] if knows else []),
            *([_share(row["exact"] + row["proved"], said(row))] if says else []),
            *([f"{row['overruns']} (+{row['worst_overrun']:.0%})" if row["overruns"] else ""] if late else []),
            *(_milliseconds(row[f"{name}_seconds"]) for name in ("p90", "max")),
        ]
        for row in rows
    ]
    header = ["decisions", "Elo", "95% interval", *(["won positions kept"] if knows else []),
              *(["proved"] if says else []), *(["overruns"] if late else []), "p90 ms", "max ms"]  # fmt: skip
    return _aligned(shown, header)


def said(row: Mapping[str, Any]) -> int:
    """Return of how many decisions the agent says how it knows."""
    return int(row["exact"] + row["proved"] + row["estimated"])


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%} of {whole}" if whole else ""


def _aligned(rows: list[list[Any]], header: list[str]) -> str:
    return tabulate(rows, headers=header, disable_numparse=True, colalign=("left", *("right",) * (len(header) - 1)))


def _notes(records: Sequence[GameRecord], rows: list[dict[str, Any]]) -> list[str]:
    notes = []
    if not all(row["elo_is_bounded"] for row in rows):
        notes.append("some agents won or lost all games against the others, so that their Elo has no bound on one side")
    if failed := [record for record in records if record.failed is not None]:
        notes.append(f"{len(failed)} games have no result; game {failed[0].index}: {failed[0].failed}")
    first = {record.agents[record.winner == record.agents[0]]: record for record in records[::-1] if record.forfeit}
    if first:
        notes.append("\n".join(f"forfeit in game {each.index}: {each.forfeit}" for each in first.values()))
    if repeats := count_repeats(records):
        notes.append(
            f"{repeats} of {len(records)} games repeat an earlier one move by move, so the intervals are too narrow"
        )
    return notes


def count_repeats(records: Sequence[GameRecord]) -> int:
    """Return how many games are the same, move by move, as an earlier one of the same agents.

    Agents without chance in them play the same game each round; the interval takes games for independent.
    """
    return len(records) - len({(record.game, *record.agents, tuple(record.actions)) for record in records})


def _milliseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{1000 * seconds:.3g}"
