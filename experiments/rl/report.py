"""Evaluations as JSON lines and as tables."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tabulate import tabulate

from sgai.errors import SgaiError, quote_path
from sgai.experiments.rl.evaluation import Evaluation, SizeResult
from sgai.experiments.rl.intervals import Share


def records(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return one record for all positions and one for each range of sizes, ready for JSON.

    Returns
    -------
    list of dict
        ``agent``, ``game``, ``source``, ``seed``, ``by``; ``sizes``: null or least and largest; ``positions``, ``won``,
        ``lost``, ``unsolved``, ``valued``, ``failures``, ``failure``, ``median_seconds``; ``random_accuracy``; and
        ``policy_accuracy``, ``value_accuracy`` (balanced), ``value_accuracy_won``, ``value_accuracy_lost``,
        ``blunder_rate``, ``wins_against_perfect``, ``wins_against_random``, each with ``share``, ``low``, ``high``
        (95%) and ``cases``. What there was no case of is null.
    """
    return [_record(evaluation, each) for each in [evaluation.whole, *evaluation.by_size]]


def _record(evaluation: Evaluation, result: SizeResult) -> dict[str, Any]:
    return {
        "agent": evaluation.agent,
        "game": evaluation.game,
        "source": evaluation.source,
        "seed": evaluation.seed,
        "by": evaluation.by,
        "sizes": None if result.sizes is None else list(result.sizes),
        "positions": result.positions,
        "won": result.won,
        "lost": result.lost,
        "unsolved": result.unsolved,
        "valued": result.valued,
        "failures": result.failures,
        "failure": evaluation.failure,
        "median_seconds": number(evaluation.median_seconds),
        "policy_accuracy": _share(result.policy),
        "random_accuracy": number(result.random),
        "value_accuracy": _share(result.value),
        "value_accuracy_won": _share(result.value_won),
        "value_accuracy_lost": _share(result.value_lost),
        "blunder_rate": _share(result.blunders),
        "wins_against_perfect": _share(result.perfect),
        "wins_against_random": _share(result.against_random),
    }


def number(value: float) -> float | None:
    """Return a number for JSON, which has no NaN.

    Examples
    --------
    >>> number(0.5), number(float("nan"))
    (0.5, None)
    """
    return None if math.isnan(value) else value


def _share(share: Share) -> dict[str, Any]:
    return {**{key: number(value) for key, value in share._asdict().items() if key != "cases"}, "cases": share.cases}


def write_lines(path: str | Path, lines: Iterable[dict[str, Any]]) -> None:
    """Write records as JSON lines.

    Raises
    ------
    SgaiError
        If the file cannot be written.
    """
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise SgaiError(f"{quote_path(path)} cannot be written: {error.strerror}") from None


def format_evaluations(evaluations: Sequence[Evaluation], *, curves: bool = True) -> str:
    """Return the table of players on one set of positions, and below it the accuracy of their policies by size."""
    whole = [_line(each.agent, each.whole, each.median_seconds) for each in evaluations]
    first = evaluations[0]
    lines = [
        f"{first.game}: {first.whole.positions:,} positions ({first.source}), {first.whole.won:,} won, "
        f"{first.whole.lost:,} lost" + (f", {first.whole.unsolved:,} not solved" if first.whole.unsolved else ""),
        "",
        _table(whole),
    ]
    if curves and len(first.by_size) > 1:
        lines += ["", _table(_curves(evaluations))]
    failed = [
        f"{each.agent}: {each.whole.failures:,} decisions failed, the first so: {each.failure}"
        for each in evaluations
        if each.failure
    ]
    return "\n".join([*lines, *(["", *failed] if failed else [])])


def _line(agent: str, result: SizeResult, seconds: float) -> dict[str, str]:
    return {
        "agent": agent,
        "policy accuracy": percent(result.policy),
        "random": percent(result.random),
        "value accuracy": percent(result.value),
        "blunders in games": percent(result.blunders),
        "wins against perfect": percent(result.perfect),
        "against random": percent(result.against_random),
        "median ms": "" if math.isnan(seconds) else f"{1000 * seconds:.3g}",
    }


def _curves(evaluations: Sequence[Evaluation]) -> list[dict[str, str]]:
    rows = []
    for place, result in enumerate(evaluations[0].by_size):
        assert result.sizes is not None
        low, high = result.sizes
        row = {
            evaluations[0].by: f"{low}" if low == high else f"{low}-{high}",
            "won": f"{result.policy.cases:,}",
            "random": percent(result.random),
        }
        for each in evaluations:
            row[f"policy of {each.agent}"] = percent(each.by_size[place].policy)
        rows.append(row)
    return rows


_FIGURES = {
    "policy": "policy_accuracy",
    "value": "value_accuracy",
    "blunders": "blunder_rate",
    "vs perfect": "wins_against_perfect",
    "vs random": "wins_against_random",
}


def format_seeds(curves: Mapping[int, Sequence[dict[str, Any]]]) -> str:
    """Return the table of the last lines of runs with several seeds, with their means, and the least and the largest.

    Parameters
    ----------
    curves : mapping
        For each seed its lines, as `train_seeds` returns them.

    Examples
    --------
    >>> share = {"share": 0.5}
    >>> line = {"episode": 20, "random_accuracy": 0.25} | {key: share for key in _FIGURES.values()}
    >>> table = format_seeds({3: [line], 4: [line | {"policy_accuracy": {"share": 0.75}}]})
    >>> for row in table.splitlines():
    ...     print(row[:42])
    seed       episode         policy    rando
    -------  ---------  -------------  -------
    3               20          50.0%     25.0
    4               20          75.0%     25.0
    mean                        62.5%
    from-to             50.0% - 75.0%
    """
    rows = []
    for seed, lines in curves.items():
        last = lines[-1]
        shares = {name: _known(last[key]["share"]) for name, key in _FIGURES.items()}
        row = {"seed": f"{seed}", "episode": f"{last['episode']:,}", **{name: percent(shares[name]) for name in shares}}
        row["random"] = percent(_known(last["random_accuracy"]))
        rows.append(row)
    mean, spread = {"seed": "mean"}, {"seed": "from-to"}
    for name, key in _FIGURES.items():
        found = [share for lines in curves.values() if (share := lines[-1][key]["share"]) is not None]
        mean[name] = percent(sum(found) / len(found)) if found else ""
        spread[name] = f"{percent(min(found))} - {percent(max(found))}" if found else ""
    columns = ("seed", "episode", "policy", "random", *list(_FIGURES)[1:])
    return _table([{column: row.get(column, "") for column in columns} for row in [*rows, mean, spread]])


def _known(share: float | None) -> float:
    return math.nan if share is None else share


def percent(share: Share | float) -> str:
    """Return a share as text, with its interval where it has one; nothing for NaN.

    Examples
    --------
    >>> percent(0.125), percent(Share(1.0, 0.95, 1.0, 70))
    ('12.5%', '100.0% (95.0 - 100.0)')
    """
    if isinstance(share, Share):
        if math.isnan(share.share):
            return ""
        return f"{share.share:.1%} ({100 * share.low:.1f} - {100 * share.high:.1f})"
    return "" if math.isnan(share) else f"{share:.1%}"


def _table(rows: Sequence[dict[str, str]]) -> str:
    aligned = ("left", *("right",) * (len(rows[0]) - 1))
    return str(tabulate(rows, headers="keys", disable_numparse=True, colalign=aligned))
