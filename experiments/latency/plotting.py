"""A picture of a run: median times with their spread, over size, components or budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sgai.agents import AgentSpec
from sgai.errors import SgaiError, quote_path
from sgai.experiments.latency.files import check_writable
from sgai.experiments.latency.results import Results, Row
from sgai.experiments.latency.settings import BUDGETS, FRESH, MODES

FORMATS = (".png", ".svg", ".pdf")
_WIDTH, _HEIGHT = 5.2, 3.6  # inches a panel
_WIDE = 200  # from this ratio on only powers of ten are labelled
_MARKERS = "osD^vP*X"


@dataclass(frozen=True)
class Axis:
    """What the horizontal axis shows.

    Attributes
    ----------
    variable : str or None
        "size", "components", "seconds", "nodes" or "simulations"; None for agents side by side.
    budgets : dict
        For a budget, the name without it and the budget of each agent that has one.
    """

    variable: str | None
    budgets: dict[str, tuple[str, float]]

    @classmethod
    def of(cls, results: Results, rows: Sequence[Row]) -> "Axis":
        """Return the axis that suits a run: what varies."""
        for name in ("size", "components"):
            if len({row[name] for row in rows}) > 1:
                return cls(name, {})
        for name in BUDGETS:
            found = {}
            for agent in results.settings.agents:
                others = tuple(each for each in agent.arguments if each[0] != name)
                if len(others) < len(agent.arguments):
                    found[str(agent)] = str(AgentSpec(agent.name, others)), float(dict(agent.arguments)[name])
            # With several budgets of one agent; what has none of them should then be the same at all of them.
            if len({line for line, _ in found.values()}) < len(found):
                return cls(name, found)
        return cls(None, {})

    def line(self, row: Row) -> str:
        """Return the name of the line that a row belongs to."""
        agent: str = row["agent"]
        return self.budgets[agent][0] if agent in self.budgets else agent

    def place(self, row: Row) -> Any:
        """Return where on the axis a row belongs, None for nowhere."""
        if self.variable in BUDGETS:
            return self.budgets[row["agent"]][1] if row["agent"] in self.budgets else None
        return None if self.variable is None else row[self.variable]


def check_plot(name: str | Path) -> Path:
    """Return the path of a picture that is to be drawn later.

    Raises
    ------
    SgaiError
        If matplotlib is missing, the ending is unknown, or the file cannot be written.
    """
    path = Path(name)
    if path.suffix.lower() not in FORMATS:
        raise SgaiError(f"{quote_path(path)}: the name of a plot should end in {', '.join(FORMATS)}")
    _figure_class()
    return check_writable(path)


def plot(results: Results, path: str | Path) -> None:
    """Draw a run: a panel for each game (or family of games) and mode, times on a logarithmic scale.

    The horizontal axis is the size, else the number of components, else the budget, whichever varies. Lines join the
    medians; the shade, or the bar, goes from the median up to p99.

    Parameters
    ----------
    results : Results
        What was measured.
    path : str or Path
        A new file that ends in .png, .svg or .pdf.

    Raises
    ------
    SgaiError
        As of `check_plot`, and if nothing was measured.
    """
    path = check_plot(path)
    rows = [row for row in results.rows() if row["p50"] is not None]
    if not rows:
        raise SgaiError(f"there is nothing to draw in {quote_path(path)}: nothing was measured")
    axis = Axis.of(results, rows)
    panels = _panels(rows, axis.variable)
    modes = [mode for mode in (*MODES, FRESH) if any(row["mode"] == mode for row in rows)]
    figure = _figure_class()(figsize=(_WIDTH * len(modes), _HEIGHT * len(panels) + 0.6), layout="constrained")
    axes = figure.subplots(len(panels), len(modes), squeeze=False, sharey="row", sharex="row")
    agents = list(dict.fromkeys(axis.line(row) for row in rows))
    styles = {agent: {"color": f"C{i % 10}", "marker": _MARKERS[i % len(_MARKERS)]} for i, agent in enumerate(agents)}
    for line, (title, here) in zip(axes, panels, strict=True):
        _scale(line, [1000 * row[name] for row in here for name in ("p50", "p99")])
        for panel, mode in zip(line, modes, strict=True):
            shown = [row for row in here if row["mode"] == mode]
            _draw(panel, shown, axis, styles)
            panel.set_title(f"{title}\n{mode}", fontsize=9)
        line[0].set_ylabel("decision time in ms")
    count = len(results.machines_used())
    if count > 1:
        figure.suptitle(f"measured on {count} machines, each game on one", fontsize=9)
    handles, labels = _legend(axes)
    figure.legend(handles, labels, loc="outside lower center", ncols=min(3, len(labels)), fontsize=8, frameon=False)
    try:
        figure.savefig(path, dpi=130)
    except OSError as error:
        raise SgaiError(f"{quote_path(path)} cannot be written: {error.strerror}") from None


def _panels(rows: Sequence[Row], variable: str | None) -> list[tuple[str, list[Row]]]:
    """Group rows into panels: all that is not on the horizontal axis tells them apart."""
    panels: dict[str, list[Row]] = {}
    for row in rows:
        title = row["family"] if variable in ("size", "components") else row["game"]
        if variable == "size" and row["components"] is not None:
            title = f"{title}, {row['components']} component{'s' * (row['components'] != 1)}"
        if variable == "components" and row["size"] is not None:
            title = f"{title}, size {row['size']}"
        panels.setdefault(title, []).append(row)
    return [(title if len(title) < 70 else title[:67] + "...", here) for title, here in panels.items()]


def _draw(panel: Any, rows: Sequence[Row], axis: Axis, styles: dict[str, dict[str, str]]) -> None:
    names = [name for name in styles if any(axis.line(row) == name for row in rows)]
    for name in names:
        here = [row for row in rows if axis.line(row) == name]
        style = styles[name]
        places = [axis.place(row) for row in here]
        if axis.variable is None:
            places = [names.index(name)]
        elif places == [None]:  # an agent without such a budget is the same at all of them
            panel.axhline(1000 * here[0]["p50"], color=style["color"], linestyle="--", linewidth=1, label=name)
            continue
        order = sorted(range(len(here)), key=places.__getitem__)
        at = [places[i] for i in order]
        middle, top = ([1000 * here[i][each] for i in order] for each in ("p50", "p99"))
        if axis.variable is None:
            above = [high - low for low, high in zip(middle, top, strict=True)]
            panel.errorbar(at, middle, yerr=[[0.0] * len(above), above], capsize=4, linestyle="", label=name, **style)
            continue
        panel.plot(at, middle, label=name, markersize=4, **style)
        panel.fill_between(at, middle, top, color=style["color"], alpha=0.12, linewidth=0)
    if axis.variable is None:
        panel.set_xticks(range(len(names)), [""] * len(names))
        panel.set_xlim(-0.5, len(names) - 0.5)
        return
    ticks = sorted({place for row in rows if (place := axis.place(row)) is not None})
    if axis.variable in BUDGETS:
        panel.set_xscale("log")
        panel.minorticks_off()
        if axis.variable == "seconds":
            panel.plot(ticks, [1000 * each for each in ticks], color="0.5", linestyle=":", label="the budget")
    panel.set_xticks(ticks, [f"{each:g}" for each in ticks])
    panel.set_xlabel(f"budget in {axis.variable}" if axis.variable in BUDGETS else axis.variable)


def _scale(panels: Sequence[Any], times: Sequence[float]) -> None:
    """Give panels beside each other one logarithmic scale, with labels in plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    wide = max(times, default=1.0) > _WIDE * min(times, default=1.0)
    for panel in panels:
        panel.set_yscale("log")
        panel.yaxis.set_major_locator(LogLocator(subs=(1.0,) if wide else (1.0, 2.0, 5.0)))
        panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        panel.yaxis.set_minor_formatter(NullFormatter())
        panel.grid(True, which="major", alpha=0.3)


def _legend(axes: Any) -> tuple[list[Any], list[str]]:
    found: dict[str, Any] = {}
    for panel in axes.flat:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    return list(found.values()), list(found)


def _figure_class() -> Any:
    """Return matplotlib's figure, which draws into files without a display."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise SgaiError(f"plots need matplotlib: pip install 'sgai-openspiel[plots]' ({error})") from None
    return Figure
