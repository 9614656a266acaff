"""Quantiles, ratios with bootstrap intervals, and verdicts, on fixed numbers."""

import itertools
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


def geometric_mean_of_ratios(first, second):
    """By hand, of lists of times for each position."""
    ratios = [statistics.median(one) / statistics.median(two) for one, two in zip(first, second, strict=True)]
    return statistics.geometric_mean(ratios)


def median_ratio(first, second):
    return statistics.median(itertools.chain(*first)) / statistics.median(itertools.chain(*second))


def by_hand(first, second, paired, ratio, level, seed, resamples=1500):
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
            tops.append([first[position, number] for number in picked])
            bottoms.append([second[position, number] for number in others])
        ratios.append(ratio(tops, bottoms))
    ratios.sort()
    return ratios[int((1 - level) / 2 * resamples)], ratios[int((1 + level) / 2 * resamples)]


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("missing", [(), ((2, 1), (5, 0))])
@pytest.mark.parametrize("by_position", [True, False])
def test_the_interval_is_the_bootstrap_done_by_hand(paired, missing, by_position):
    chance = random.Random(3)
    keys = [(position, number) for position in range(8) for number in range(4) if (position, number) not in missing]
    noise = {key: chance.lognormvariate(0, 0.4) for key in keys}
    first = {key: 2 * noise[key] * chance.lognormvariate(0, 0.1) for key in keys}
    second = {key: noise[key] * chance.lognormvariate(0, 0.1) for key in keys}
    found = ratio_of_medians(first, second, paired=paired, by_position=by_position, level=0.9)
    ratio = geometric_mean_of_ratios if by_position else median_ratio
    tables = [[[each[key] for key in keys if key[0] == position] for position in range(8)] for each in (first, second)]
    assert found.value == pytest.approx(ratio(*tables), rel=1e-12)
    assert (found.low, found.high) == pytest.approx(by_hand(first, second, paired, ratio, 0.9, seed=1), rel=0.04)
    assert found.count == len(keys)


def test_noise_that_both_share_leaves_the_ratio_sharp():
    chance = random.Random(5)
    busy = {(position, number): chance.choice((1, 1, 4)) for position in range(5) for number in range(6)}
    first = {key: 3.0 * busy[key] for key in busy}
    second = {key: 1.5 * busy[key] for key in busy}
    assert ratio_of_medians(first, second, paired=True) == Ratio(2.0, 2.0, 2.0, 30)
    apart = ratio_of_medians(first, second, paired=False)
    assert apart.low < 1.9 < 2.1 < apart.high


@pytest.mark.parametrize("by_position", [True, False])
def test_the_interval_covers_as_often_as_it_says(by_position):
    """Times of 6 positions and 5 rounds, whose true ratio of medians is 1.5."""
    made = np.random.default_rng(1)
    covered = 0
    for seed in range(60):
        values = made.lognormal(0, 0.3, (2, 6, 5))
        first, second = (
            {(i, j): scale * table[i, j] for i in range(6) for j in range(5)}
            for scale, table in zip((1.5, 1.0), values, strict=True)
        )
        found = ratio_of_medians(first, second, paired=False, by_position=by_position, seed=seed)
        covered += found.low <= 1.5 <= found.high
    assert covered >= 54  # 95% of 60 is 57, and two stages are on the wide side


def test_positions_of_their_own_length_do_not_blur_the_ratio_of_two_runs():
    chance = random.Random(6)
    keys = [(position, number) for position in range(8) for number in range(5)]
    first, second = ({key: 4.0 ** key[0] * chance.lognormvariate(0, 0.05) for key in keys} for _ in range(2))
    sharp = ratio_of_medians(first, second, paired=False, by_position=True)
    blurred = ratio_of_medians(first, second, paired=False)
    assert 0.93 < sharp.low < 1 < sharp.high < 1.07
    assert blurred.high - blurred.low > 1.5 * (sharp.high - sharp.low)


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
