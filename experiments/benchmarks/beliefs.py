"""What the arithmetic of beliefs costs, and how well beliefs foretell who wins a sum.

Run ``python -m sgai.experiments.benchmarks.beliefs``. Times are medians of CPU times, in one interleaved run.
"""

import itertools
import math
import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from tabulate import tabulate

import sgai
from sgai.belief_learning import Sampler
from sgai.belief_models import BeliefModel
from sgai.belief_tables import Observation
from sgai.beliefs import Belief, Floats, loss_probability, sum_belief, targets


def convolved(one: Floats, other: Floats) -> Floats:
    """Return an XOR-convolution by the definition."""
    places = np.arange(len(one))
    return np.asarray(other[places[:, None] ^ places] @ one)


def cpu_microseconds(works: dict[str, Callable[[], Any]], repeats: int = 50, times: int = 20) -> dict[str, float]:
    """Return the median CPU time of each piece of work, all measured in turn."""
    spent: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            started = time.process_time()
            for _ in range(times):
                work()
            spent[name].append((time.process_time() - started) / times)
    return {name: 1e6 * statistics.median(each) for name, each in spent.items()}


def arithmetic(values: int = 64, components: int = 20) -> dict[str, float]:
    """Return the microseconds of each operation on uncertain components, direct convolution beside them."""
    chance = np.random.default_rng(0)
    beliefs = [Belief(chance.dirichlet(np.ones(values))) for _ in range(components)]
    arrays = [belief.array() for belief in beliefs]

    def direct() -> Floats:
        total = arrays[0]
        for each in arrays[1:]:
            total = convolved(total, each)
        return total

    return cpu_microseconds(
        {
            "loss_probability": lambda: loss_probability(beliefs),
            "sum_belief": lambda: sum_belief(beliefs),
            "targets": lambda: targets(beliefs),
            "direct convolution": direct,
        }
    )


class OutcomeLosses(NamedTuple):
    """The log loss, in nats, of foretelling whether the player to move loses: less is better."""

    table: float
    generic: float
    share_alone: float


def outcome_losses(name: str, observations: Sequence[Observation], parts: int, sums: int = 2000) -> OutcomeLosses:
    """Judge beliefs by sums of random components beside a heap, which is the value of one more random component."""
    chance = random.Random(parts)
    models = (BeliefModel.shipped(), BeliefModel())
    totals, lost_sums = [0.0, 0.0], 0
    for _ in range(sums):
        *chosen, last = chance.choices(observations, k=parts + 1)
        lost = sgai.nim_sum(each.value for each in chosen) == last.value
        lost_sums += lost
        for i, model in enumerate(models):
            beliefs = [Belief.from_weights(model.weights(name, each.features, each.most)) for each in chosen]
            probability = loss_probability([Belief.point(last.value), *beliefs])
            totals[i] -= math.log(max(1e-12, probability if lost else 1 - probability))
    share = lost_sums / sums
    entropy = -share * math.log(share) - (1 - share) * math.log(1 - share)
    return OutcomeLosses(totals[0] / sums, totals[1] / sums, entropy)


def main() -> None:
    """Print the tables."""
    times = [(name, f"{spent:.1f}") for name, spent in arithmetic().items()]
    print(tabulate(times, headers=("20 uncertain components of 64 values", "us"), disable_numparse=True))
    print()
    rows: list[tuple[str, ...]] = []
    for text, vertices in (("cram(rows=6,columns=6)", None), ("node_kayles", 40)):
        ruleset = sgai.load_ruleset(text)
        sampler = Sampler([ruleset], seed=1234, largest=26, vertices=vertices)
        met = itertools.islice(sampler.observations(), 3000)
        large = [each for each in met if each.features.size is not None and each.features.size >= 12]
        for parts in (1, 2, 3):
            losses = outcome_losses(ruleset.name, large, parts)
            rows.append((ruleset.name, str(parts), *(f"{loss:.3f}" for loss in losses)))
    headers = ("log loss of outcomes", "components", "table", "generic", "share of losses alone")
    print(tabulate(rows, headers=headers, disable_numparse=True))


if __name__ == "__main__":
    main()
