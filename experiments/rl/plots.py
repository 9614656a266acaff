"""Plots of evaluations and of training, with matplotlib where it is installed."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sgai.errors import SgaiError, quote_path
from sgai.experiments.rl.evaluation import Evaluation
from sgai.experiments.rl.intervals import Share

FORMATS = (".pdf", ".png", ".svg")
_MOST_NAMED = 8  # seeds, each with a name of its own


def check_plot(file: str | Path) -> None:
    """Raise `SgaiError` if a plot could not be written to such a file: for its ending, or without matplotlib."""
    if Path(file).suffix.lower() not in FORMATS:
        raise SgaiError(f"{quote_path(file)}: a plot's name should end in {', '.join(FORMATS)}")
    _figure(1)


def plot_evaluations(evaluations: Sequence[Evaluation], file: str | Path) -> None:
    """Draw generalisation curves: policy and value accuracy over the size of the position, with 95% intervals.

    Parameters
    ----------
    evaluations : sequence of Evaluation
        Of different players on the same positions.
    file : str or Path
        Ends in .png, .svg or .pdf.

    Raises
    ------
    SgaiError
        If matplotlib is missing, or the file cannot be written.
    """
    check_plot(file)
    figure, (left, right) = _figure(2)
    first = evaluations[0]
    middles = [sum(result.sizes or (0, 0)) / 2 for result in first.by_size]
    for place, each in enumerate(evaluations):
        shift = 0.04 * (place - (len(evaluations) - 1) / 2) * (middles[-1] - middles[0] or 1) / max(1, len(middles) - 1)
        shifted = [middle + shift for middle in middles]
        colour = f"C{place % 10}"  # one for each player in both plots
        _curve(left, shifted, [result.policy for result in each.by_size], each.agent, colour)
        if any(not math.isnan(result.value.share) for result in each.by_size):
            _curve(right, shifted, [result.value for result in each.by_size], each.agent, colour)
    left.plot(middles, [result.random for result in first.by_size], "k--", label="a random move, exactly")
    right.axhline(0.5, color="black", linestyle="--", label="chance")
    for axes, title in ((left, "won positions kept won"), (right, "value accuracy, balanced")):
        axes.set(title=title, xlabel=f"{first.by} of the position")
    _finish(figure, (left, right), 2, first.game, file)


_CURVES = (
    ("policy_accuracy", "policy accuracy"),
    ("value_accuracy", "value accuracy, balanced"),
    ("wins_against_perfect", "wins against perfect play"),
    ("wins_against_random", "wins against random play"),
)


def plot_training(lines: Sequence[dict[str, Any]], file: str | Path, title: str = "") -> None:
    """Draw the curves of a training run, and its policy accuracy by size at the start, half-way and at the end.

    Parameters
    ----------
    lines : sequence of dict
        As `train` returns them.
    file : str or Path
        Ends in .png, .svg or .pdf.
    title : str
        Above the plots.

    Raises
    ------
    SgaiError
        If matplotlib is missing, or the file cannot be written.
    """
    check_plot(file)
    if not lines:
        raise SgaiError("there is no line of curves to plot yet")
    figure, (left, right) = _figure(2)
    episodes = [line["episode"] for line in lines]
    for key, label in _CURVES:
        _curve(left, episodes, [_share(line[key]) for line in lines], label, bars=False)
    left.plot(episodes, [line["random_accuracy"] for line in lines], "k--", label="policy accuracy of a random move")
    left.set(xlabel="episodes", title="against the exact oracle")
    sizes = [sum(each["sizes"]) / 2 for each in lines[-1]["by_size"]]
    for place in sorted({0, len(lines) // 2, len(lines) - 1}):
        shares = [_share(each["policy_accuracy"]) for each in lines[place]["by_size"]]
        _curve(right, sizes, shares, f"after {episodes[place]:,} episodes")
    right.plot(sizes, [_number(each["random_accuracy"]) for each in lines[-1]["by_size"]], "k--", label="a random move")
    right.set(xlabel=f"{lines[-1]['by']} of the position", title="won positions kept won")
    _finish(figure, (left, right), 2, title, file)


def plot_seeds(curves: Mapping[int, Sequence[dict[str, Any]]], file: str | Path, title: str = "") -> None:
    """Draw the policy accuracies of runs with several seeds, each over the episodes and at the end by size.

    The mean of the seeds is drawn too, with a band from the least to the largest; over the episodes as far as all are.

    Parameters
    ----------
    curves : mapping
        For each seed its lines, as `train_seeds` returns them.
    file : str or Path
        Ends in .png, .svg or .pdf.
    title : str
        Above the plots.

    Raises
    ------
    SgaiError
        If matplotlib is missing, or the file cannot be written.
    """
    check_plot(file)
    runs = {seed: lines for seed, lines in curves.items() if lines}
    if not runs:
        raise SgaiError("there is no line of curves to plot yet")
    figure, (left, right) = _figure(2)
    last = next(iter(runs.values()))[-1]
    sizes = [sum(each["sizes"]) / 2 for each in last["by_size"]]
    over = [[(line["episode"], _number(line["policy_accuracy"]["share"])) for line in lines] for lines in runs.values()]
    shared = set.intersection(*({episode for episode, _ in each} for each in over))
    ends = [
        list(zip(sizes, [_number(each["policy_accuracy"]["share"]) for each in lines[-1]["by_size"]], strict=True))
        for lines in runs.values()
    ]
    _band(left, [[pair for pair in each if pair[0] in shared] for each in over], over, list(runs))
    _band(right, ends, ends, list(runs))
    first = next(iter(runs.values()))
    left.plot(
        [line["episode"] for line in first], [line["random_accuracy"] for line in first], "k--", label="a random move"
    )
    right.plot(sizes, [_number(each["random_accuracy"]) for each in last["by_size"]], "k--", label="a random move")
    left.set(xlabel="episodes", title="won positions kept won")
    right.set(xlabel=f"{last['by']} of the position", title="the same by size, at the end")
    _finish(figure, (left, right), 3, title, file)


def _finish(figure: Any, plots: Sequence[Any], columns: int, title: str, file: str | Path) -> None:
    """Give plots of shares over something what they have in common, and write the file."""
    for axes in plots:
        axes.set(ylabel="share", ylim=(-0.03, 1.03))
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=columns)
    figure.suptitle(title, fontsize=10)
    _save(figure, file)


_Pairs = Sequence[tuple[float, float]]


def _band(axes: Any, shared: Sequence[_Pairs], curves: Sequence[_Pairs], seeds: Sequence[int]) -> None:
    """Draw curves, and the mean, least and largest of what they share."""
    for seed, pairs in zip(seeds, curves, strict=True):
        label = f"seed {seed}" if len(seeds) <= _MOST_NAMED else None
        axes.plot([x for x, _ in pairs], [y for _, y in pairs], linewidth=0.9, alpha=0.7, label=label)
    columns = [[y for _, y in column] for column in zip(*shared, strict=True)]
    places = [x for x, _ in shared[0]]
    axes.plot(places, [sum(column) / len(column) for column in columns], "o-", color="black", markersize=3,
              label=f"mean of {len(seeds)} seeds")  # fmt: skip
    axes.fill_between(
        places, [min(column) for column in columns], [max(column) for column in columns], color="black", alpha=0.12,
        label="least to largest",
    )  # fmt: skip


def _figure(plots: int) -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator
    except ModuleNotFoundError as error:
        raise SgaiError(f"plots need the extra 'plots': pip install 'sgai-openspiel[plots]' ({error})") from error
    figure = Figure(figsize=(5.5 * plots, 5.0), layout="constrained")
    axes = figure.subplots(1, plots)
    for each in figure.axes:
        each.xaxis.set_major_locator(MaxNLocator(integer=True))  # sizes and episodes are whole numbers
    return figure, axes


def _curve(
    axes: Any,
    places: Sequence[float],
    shares: Sequence[Share],
    label: str,
    colour: str | None = None,
    *,
    bars: bool = True,
) -> None:
    middle = [share.share for share in shares]
    if bars:
        down = [share.share - share.low for share in shares]
        up = [share.high - share.share for share in shares]
        axes.errorbar(places, middle, [down, up], fmt="o-", markersize=4, capsize=3, label=label, color=colour)
        return
    (line,) = axes.plot(places, middle, "o-", markersize=3, label=label)
    axes.fill_between(
        places, [share.low for share in shares], [share.high for share in shares], alpha=0.15, color=line.get_color()
    )


def _share(record: dict[str, Any]) -> Share:
    share, low, high = (_number(record[key]) for key in ("share", "low", "high"))
    return Share(share, low, high, record["cases"])


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _save(figure: Any, file: str | Path) -> None:
    try:
        figure.savefig(file, dpi=120)
    except OSError as error:
        raise SgaiError(f"{quote_path(file)} cannot be written: {error.strerror}") from None
