"""Engines: they run many independent tasks over workers, and survive workers that hang or die."""

from sgai.experiments.engines.alarm import Alarm, LastResort, Overdue
from sgai.experiments.engines.engine import ENGINES, Engine, Feed, Outcome, Task, loaded_files, make_engine

__all__ = [
    "ENGINES",
    "Alarm",
    "Engine",
    "Feed",
    "LastResort",
    "Outcome",
    "Overdue",
    "Task",
    "loaded_files",
    "make_engine",
]
