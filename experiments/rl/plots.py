"""Plots of evaluations and of training, with matplotlib where it is installed."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sgai.errors import SgaiError, quote_path
from sgai.experiments.rl.evaluation import Evaluation
from sgai.experiments.rl.intervals import Share

FORMATS = (".pdf", ".png", ".svg")


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
        axes.set(title=title, xlabel=f"{first.by} of the position", ylabel="share", ylim=(-0.03, 1.03))
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
    figure.suptitle(first.game, fontsize=10)
    _save(figure, file)


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
    left.set(xlabel="episodes", ylabel="share", ylim=(-0.03, 1.03), title="against the exact oracle")
    sizes = [sum(each["sizes"]) / 2 for each in lines[-1]["by_size"]]
    for place in sorted({0, len(lines) // 2, len(lines) - 1}):
        shares = [_share(each["policy_accuracy"]) for each in lines[place]["by_size"]]
        _curve(right, sizes, shares, f"after {episodes[place]:,} episodes")
    right.plot(sizes, [_number(each["random_accuracy"]) for each in lines[-1]["by_size"]], "k--", label="a random move")
    right.set(
        xlabel=f"{lines[-1]['by']} of the position", ylabel="share", ylim=(-0.03, 1.03), title="won positions kept won"
    )
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
    figure.suptitle(title, fontsize=10)
    _save(figure, file)


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
