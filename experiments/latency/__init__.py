"""How long agents take to decide: over size of position, number of components and budget, cold and warm."""

from sgai.experiments.latency.baseline import Change, compare, load_baseline, save_baseline
from sgai.experiments.latency.results import Results
from sgai.experiments.latency.running import run_latency
from sgai.experiments.latency.settings import LatencySettings
from sgai.experiments.latency.table import format_changes, format_table

__all__ = [
    "Change",
    "LatencySettings",
    "Results",
    "compare",
    "format_changes",
    "format_table",
    "load_baseline",
    "run_latency",
    "save_baseline",
]
