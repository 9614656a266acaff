"""A picture of a run: median times with their spread, over size, components or budget."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sgai.errors import SgaiError, quote_path
from sgai.experiments.latency.files import check_writable
from sgai.experiments.latency.results import Results, Row
from sgai.experiments.latency.settings import FRESH, MODES

FORMATS = (".png", ".svg", ".pdf")
_WIDTH, _HEIGHT = 5.2, 3.6  # inches a panel
_WIDE = 200  # from this ratio on only powers of ten are labelled
_MARKERS = "osD^vP*X"


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

    Lines join the medians; the shade, or the bar, goes from the median up to p99.

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
    variable = next((name for name in ("size", "components") if len({row[name] for row in rows}) > 1), None)
    panels = _panels(rows, variable)
    modes = [mode for mode in (*MODES, FRESH) if any(row["mode"] == mode for row in rows)]
    figure = _figure_class()(figsize=(_WIDTH * len(modes), _HEIGHT * len(panels) + 0.6), layout="constrained")
    axes = figure.subplots(len(panels), len(modes), squeeze=False, sharey="row", sharex="row")
    agents = [str(agent) for agent in results.settings.agents]
    styles = {agent: {"color": f"C{i % 10}", "marker": _MARKERS[i % len(_MARKERS)]} for i, agent in enumerate(agents)}
    for line, (title, here) in zip(axes, panels, strict=True):
        for panel, mode in zip(line, modes, strict=True):
            shown = [row for row in here if row["mode"] == mode]
            _draw(panel, shown, variable, styles)
            panel.set_title(f"{title}\n{mode}", fontsize=9)
        line[0].set_ylabel("decision time in ms")
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
        title = row["family"] if variable else row["game"]
        if variable == "size" and row["components"] is not None:
            title = f"{title}, {row['components']} component{'s' * (row['components'] != 1)}"
        if variable == "components" and row["size"] is not None:
            title = f"{title}, size {row['size']}"
        panels.setdefault(title, []).append(row)
    return [(title if len(title) < 70 else title[:67] + "...", here) for title, here in panels.items()]


def _draw(panel: Any, rows: Sequence[Row], variable: str | None, styles: dict[str, dict[str, str]]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    panel.set_yscale("log")
    times = [1000 * row[name] for row in rows for name in ("p50", "p99")]
    wide = max(times, default=1.0) > _WIDE * min(times, default=1.0)
    panel.yaxis.set_major_locator(LogLocator(subs=(1.0,) if wide else (1.0, 2.0, 5.0)))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    panel.yaxis.set_minor_formatter(NullFormatter())
    panel.grid(True, which="major", alpha=0.3)
    names = [name for name in styles if any(row["agent"] == name for row in rows)]
    for name in names:
        here = [row for row in rows if row["agent"] == name]
        style = styles[name]
        middle, top = ([1000 * row[each] for row in here] for each in ("p50", "p99"))
        if variable is None:
            places: list[float] = [names.index(name)]
            above = [high - low for low, high in zip(middle, top, strict=True)]
            panel.errorbar(
                places, middle, yerr=[[0.0] * len(above), above], capsize=4, linestyle="", label=name, **style
            )
            continue
        here.sort(key=lambda row: row[variable])
        places = [row[variable] for row in here]
        panel.plot(places, middle, label=name, markersize=4, **style)
        panel.fill_between(places, middle, top, color=style["color"], alpha=0.12, linewidth=0)
    if variable is None:
        panel.set_xticks(range(len(names)), [""] * len(names))
        panel.set_xlim(-0.5, len(names) - 0.5)
        return
    panel.set_xticks(sorted({row[variable] for row in rows}))
    panel.set_xlabel({"size": "size", "components": "components"}[variable])


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
