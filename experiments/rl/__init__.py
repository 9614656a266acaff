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
    from sgai.experiments.rl.many import EvaluationFailed, EvaluationInterrupted, evaluate_all
    from sgai.experiments.rl.players import Choice, Player, as_player
    from sgai.experiments.rl.report import format_evaluations, format_seeds, records
    from sgai.experiments.rl.saved import load_learners
    from sgai.experiments.rl.several import SeedsFailed, SeedsInterrupted, resume_seeds, train_seeds
    from sgai.experiments.rl.train_settings import TrainSettings
    from sgai.experiments.rl.training import TrainingInterrupted, resume, train

__all__ = [
    "BENCHMARKS",
    "Benchmark",
    "Choice",
    "Dataset",
    "Evaluation",
    "EvaluationFailed",
    "EvaluationInterrupted",
    "Player",
    "SeedsFailed",
    "SeedsInterrupted",
    "TestSet",
    "TrainSettings",
    "TrainingInterrupted",
    "as_player",
    "benchmark",
    "check_dataset",
    "dataset_test_set",
    "evaluate",
    "evaluate_all",
    "format_evaluations",
    "format_seeds",
    "load_dataset",
    "load_learners",
    "make_dataset",
    "make_test_set",
    "records",
    "resume",
    "resume_seeds",
    "save_dataset",
    "train",
    "train_seeds",
]

# OpenSpiel is loaded where it is used: the command line looks at this package for other things too.
_MODULES = {
    "boards": ("BENCHMARKS", "Benchmark", "benchmark"),
    "datasets": ("Dataset", "check_dataset", "load_dataset", "make_dataset", "save_dataset"),
    "evaluation": ("Evaluation", "TestSet", "dataset_test_set", "evaluate", "make_test_set"),
    "many": ("EvaluationFailed", "EvaluationInterrupted", "evaluate_all"),
    "players": ("Choice", "Player", "as_player"),
    "report": ("format_evaluations", "format_seeds", "records"),
    "saved": ("load_learners",),
    "several": ("SeedsFailed", "SeedsInterrupted", "resume_seeds", "train_seeds"),
    "train_settings": ("TrainSettings",),
    "training": ("TrainingInterrupted", "resume", "train"),
}
_LAZY = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'sgai.experiments.rl' has no attribute {name!r}")
    return getattr(importlib.import_module(f"sgai.experiments.rl.{_LAZY[name]}"), name)
