"""Learning on impartial games, judged by exact labels: evaluation, training, data sets, benchmarks by name.

Examples
--------
>>> from sgai.experiments import rl
>>> found = rl.evaluate("exact", rl.make_test_set("zhou-riis-5", 100), games=5)
>>> found.whole.policy.share
1.0
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sgai.experiments.rl.boards import BENCHMARKS, Benchmark, benchmark
    from sgai.experiments.rl.datasets import Dataset, check_dataset, load_dataset, make_dataset, save_dataset
    from sgai.experiments.rl.evaluation import Evaluation, TestSet, dataset_test_set, evaluate, make_test_set
    from sgai.experiments.rl.players import Choice, Player, as_player
    from sgai.experiments.rl.report import format_evaluations, records
    from sgai.experiments.rl.training import TrainingInterrupted, TrainSettings, load_learners, resume, train

__all__ = [
    "BENCHMARKS",
    "Benchmark",
    "Choice",
    "Dataset",
    "Evaluation",
    "Player",
    "TestSet",
    "TrainSettings",
    "TrainingInterrupted",
    "as_player",
    "benchmark",
    "check_dataset",
    "dataset_test_set",
    "evaluate",
    "format_evaluations",
    "load_dataset",
    "load_learners",
    "make_dataset",
    "make_test_set",
    "records",
    "resume",
    "save_dataset",
    "train",
]

# OpenSpiel is loaded where it is used: the command line looks at this package for other things too.
_MODULES = {
    "boards": ("BENCHMARKS", "Benchmark", "benchmark"),
    "datasets": ("Dataset", "check_dataset", "load_dataset", "make_dataset", "save_dataset"),
    "evaluation": ("Evaluation", "TestSet", "dataset_test_set", "evaluate", "make_test_set"),
    "players": ("Choice", "Player", "as_player"),
    "report": ("format_evaluations", "records"),
    "training": ("TrainSettings", "TrainingInterrupted", "load_learners", "resume", "train"),
}
_LAZY = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'sgai.experiments.rl' has no attribute {name!r}")
    return getattr(importlib.import_module(f"sgai.experiments.rl.{_LAZY[name]}"), name)
