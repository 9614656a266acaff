"""Sweeps: many rulesets, codes or boards solved over the workers of an engine, with the answers in one file."""

from sgai.experiments.sweeps.items import Item, expand, parse_range, read_items
from sgai.experiments.sweeps.running import SweepInterrupted, read_settings, sweep
from sgai.experiments.sweeps.settings import SweepSettings
from sgai.experiments.sweeps.solving import Answer
from sgai.experiments.sweeps.table import format_table

__all__ = [
    "Answer",
    "Item",
    "SweepInterrupted",
    "SweepSettings",
    "expand",
    "format_table",
    "parse_range",
    "read_items",
    "read_settings",
    "sweep",
]
