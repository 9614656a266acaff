"""Quantiles, ratios with bootstrap intervals, and verdicts, on fixed numbers."""

import random
import statistics

import numpy as np
import pytest

from sgai.experiments.latency.baseline import FASTER, SAME, SLOWER, UNKNOWN, verdict
from sgai.experiments.latency.statistics import Ratio, quantiles, ratio_of_medians


def test_quantiles_of_fixed_numbers():
    numbers = list(range(1, 101))
    random.Random(0).shuffle(numbers)
    assert quantiles(numbers) == {"p50": 50.5, "p90": 90.1, "p99": 99.01, "max": 100.0}
    assert quantiles([7.0]) == dict.fromkeys(("p50", "p90", "p99", "max"), 7.0)
    assert quantiles([]) == dict.fromkeys(("p50", "p90", "p99", "max"))


def by_hand(first, second, paired, level, seed, resamples=4000):
    """The two-stage bootstrap in plain Python: positions, then rounds of each."""
    chance = random.Random(seed)
    positions = sorted({position for position, _ in first})
    rounds = {each: [number for position, number in first if position == each] for each in positions}
    ratios = []
    for _ in range(resamples):
        tops, bottoms = [], []
        for position in chance.choices(positions, k=len(positions)):
            picked = chance.choices(rounds[position], k=len(rounds[position]))
            others = picked if paired else chance.choices(rounds[position], k=len(rounds[position]))
            tops += [first[position, number] for number in picked]
            bottoms += [second[position, number] for number in others]
        ratios.append(statistics.median(tops) / statistics.median(bottoms))
    ratios.sort()
    return ratios[int((1 - level) / 2 * resamples)], ratios[int((1 + level) / 2 * resamples)]


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("missing", [(), ((2, 1), (5, 0))])
def test_the_interval_is_the_bootstrap_done_by_hand(paired, missing):
    chance = random.Random(3)
    keys = [(position, number) for position in range(8) for number in range(4) if (position, number) not in missing]
    noise = {key: chance.lognormvariate(0, 0.4) for key in keys}
    first = {key: 2 * noise[key] * chance.lognormvariate(0, 0.1) for key in keys}
    second = {key: noise[key] * chance.lognormvariate(0, 0.1) for key in keys}
    found = ratio_of_medians(first, second, paired=paired, level=0.9)
    assert found.value == statistics.median(first.values()) / statistics.median(second.values())
    assert (found.low, found.high) == pytest.approx(by_hand(first, second, paired, 0.9, seed=1), rel=0.04)
    assert found.count == len(keys)


def test_noise_that_both_share_leaves_the_ratio_sharp():
    chance = random.Random(5)
    busy = {(position, number): chance.choice((1, 1, 4)) for position in range(5) for number in range(6)}
    first = {key: 3.0 * busy[key] for key in busy}
    second = {key: 1.5 * busy[key] for key in busy}
    assert ratio_of_medians(first, second, paired=True) == Ratio(2.0, 2.0, 2.0, 30)
    apart = ratio_of_medians(first, second, paired=False)
    assert apart.low < 1.9 < 2.1 < apart.high


def test_the_interval_covers_as_often_as_it_says():
    """Times of 6 positions and 5 rounds, whose true ratio of medians is 1.5."""
    made = np.random.default_rng(1)
    covered = 0
    for seed in range(60):
        values = made.lognormal(0, 0.3, (2, 6, 5))
        first, second = (
            {(i, j): scale * table[i, j] for i in range(6) for j in range(5)}
            for scale, table in zip((1.5, 1.0), values, strict=True)
        )
        found = ratio_of_medians(first, second, paired=False, seed=seed)
        covered += found.low <= 1.5 <= found.high
    assert covered >= 54  # 95% of 60 is 57, and two stages are on the wide side


def test_only_what_both_have_is_compared_and_few_values_have_no_interval():
    first = {(0, 0): 2.0, (0, 1): 4.0, (1, 0): 6.0}
    assert ratio_of_medians(first, {(0, 0): 1.0, (0, 1): 2.0, (7, 7): 99.0}, paired=True) == Ratio(2.0, None, None, 2)
    assert ratio_of_medians(first, {(7, 7): 1.0}, paired=True) is None
    assert ratio_of_medians(first, dict.fromkeys(first, 0.0), paired=True) is None


def test_a_verdict_needs_all_intervals_beyond_the_margin():
    slow, slight, same, fast = (Ratio(low * 1.2, low, low * 1.5, 20) for low in (1.3, 1.1, 0.9, 0.4))
    few = Ratio(9.0, None, None, 2)
    assert [verdict([each], 1.2) for each in (slow, slight, same, fast)] == [SLOWER, SAME, SAME, FASTER]
    assert verdict([slow, slow], 1.2) == SLOWER
    assert verdict([slow, same], 1.2) == SAME
    assert verdict([slow, fast], 1.2) == SAME
    assert verdict([slow, few], 1.2) == verdict([None], 1.2) == UNKNOWN
    assert verdict([slow], 1.4) == SAME
