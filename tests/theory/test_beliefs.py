"""The arithmetic of beliefs against the definition, and what is no belief."""

import copy
import itertools
import math
import pickle

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

from sgai.beliefs import MOST_VALUES, Belief, loss_probability, sum_belief, targets, walsh_hadamard
from sgai.errors import SgaiError
from sgai.nimbers import nim_sum

TINY = 1e-12

examples = settings(max_examples=60, deadline=None)


@st.composite
def beliefs(draw, most=16):
    """Beliefs of all sizes: points, small and large, and distributions with zeros."""
    if draw(st.booleans()):
        return Belief.point(draw(st.integers(0, 40)))
    weights = draw(st.lists(st.integers(0, 9), min_size=1, max_size=most).filter(any))
    return Belief.from_weights(weights)


def likely_values(belief):
    return [(value, likely) for value, likely in enumerate(belief.array()) if likely]


def convolved(given):
    """Return the distribution of the XOR by the definition, value to probability."""
    total = {0: 1.0}
    for belief in given:
        then = {}
        for (value, weight), (other, likely) in itertools.product(total.items(), likely_values(belief)):
            then[value ^ other] = then.get(value ^ other, 0.0) + weight * likely
        total = then
    return total


def assert_same(belief, wanted):
    size = max([*wanted, belief.largest]) + 1
    assert sum(belief.probability(value) for value in range(size)) == pytest.approx(1, abs=TINY)
    for value in range(size):
        assert belief.probability(value) == pytest.approx(wanted.get(value, 0.0), abs=TINY)


@examples
@given(st.lists(beliefs(), max_size=4))
def test_sums_are_convolutions(given):
    wanted = convolved(given)
    assert_same(sum_belief(given), wanted)
    assert loss_probability(given) == pytest.approx(wanted.get(0, 0.0), abs=TINY)


@examples
@given(st.lists(beliefs(), min_size=1, max_size=4))
def test_targets_are_sums_of_all_others(given):
    found = targets(given)
    assert len(found) == len(given)
    for i, target in enumerate(found):
        assert_same(target, convolved(given[:i] + given[i + 1 :]))


def test_targets_where_transforms_are_zero():
    # The transform of a uniform belief is 0 but for its first place, so nothing may be divided by it.
    given = [Belief.uniform(4), Belief.uniform(4), Belief([0.75, 0.25]), Belief.point(9)]
    assert [target.known for target in targets(given)] == [None] * 4
    for i, target in enumerate(targets(given)):
        assert_same(target, convolved(given[:i] + given[i + 1 :]))


@examples
@given(st.lists(st.integers(0, 10**40), max_size=6))
def test_known_values_stay_exact(values):
    points = [Belief.point(value) for value in values]
    total = nim_sum(values)
    assert sum_belief(points) == Belief.point(total)
    assert sum_belief(points).known == total
    assert loss_probability(points) == (1.0 if total == 0 else 0.0)
    assert [target.known for target in targets(points)] == [total ^ value for value in values]


@examples
@given(st.lists(st.integers(0, 10**40), max_size=4), beliefs())
def test_one_uncertain_component_among_known_ones(values, belief):
    points = [Belief.point(value) for value in values]
    total = nim_sum(values)
    found = sum_belief([*points, belief])
    for value, likely in enumerate(belief.array()):
        assert found.probability(value ^ total) == pytest.approx(likely, abs=TINY)
    assert targets([*points, belief])[-1] == Belief.point(total)
    assert loss_probability([*points, belief]) == pytest.approx(belief.probability(total), abs=TINY)


def test_a_large_known_value_beside_uncertain_ones_cannot_cancel():
    given = [Belief.uniform(4), Belief.uniform(3), Belief.point(2**70 + 1)]
    assert loss_probability(given) == 0.0
    assert sum_belief(given).probability(2**70) == pytest.approx(0.25)
    with pytest.raises(SgaiError, match="an array holds 1,048,576 at most"):
        sum_belief(given).array()


def test_the_order_of_large_sums_does_not_matter():
    chance = np.random.default_rng(3)
    given = [Belief.from_weights(chance.random(int(size))) for size in chance.integers(1, 65, 20)]
    forwards, backwards = sum_belief(given).array(64), sum_belief(given[::-1]).array(64)
    assert forwards == pytest.approx(backwards, abs=TINY)
    assert loss_probability(given) == pytest.approx(forwards[0], abs=TINY)


def test_4096_values_against_direct_convolution():
    chance = np.random.default_rng(5)
    one, other = chance.dirichlet(np.ones(4096)), chance.dirichlet(np.ones(4096))
    places = np.arange(4096)
    direct = np.array([one @ other[places ^ value] for value in range(4096)])
    given = [Belief(one), Belief(other), Belief.point(5000)]
    found = sum_belief(given)
    assert found.array(8192)[places ^ 5000] == pytest.approx(direct, abs=TINY)
    assert loss_probability([*given, Belief.point(5001)]) == pytest.approx(direct[1], abs=TINY)


@pytest.mark.parametrize("size", [1, 2, 8, 64, 128, 1024])
def test_the_transform_against_the_matrix(size):
    values = np.random.default_rng(size).random((3, size))
    assert walsh_hadamard(values) == pytest.approx(values @ scipy.linalg.hadamard(size))


@examples
@given(beliefs(), beliefs())
def test_agreement_is_the_loss_of_the_sum(one, other):
    assert one.agreement(other) == pytest.approx(loss_probability([one, other]), abs=TINY)


@examples
@given(beliefs(), st.sets(st.integers(0, 50)))
def test_strikes_condition_on_what_is_left(belief, struck):
    array = belief.array(64)
    array[list(struck)] = 0
    if not array.any():
        with pytest.raises(SgaiError, match="a proof or the belief is wrong"):
            belief.strike(struck)
        return
    left = belief.strike(struck)
    assert left.array(64) == pytest.approx(array / array.sum(), abs=TINY)
    assert (left.known is not None) == (np.count_nonzero(array) == 1)
    assert belief.strike(iter(struck)) == left


@examples
@given(beliefs(), st.integers(-2, 50))
def test_bounds_condition_on_what_is_left(belief, most):
    if belief.array(64)[: max(most + 1, 0)].any():
        assert belief.at_most(most) == belief.strike(range(most + 1, 64))
    else:
        with pytest.raises(SgaiError, match="a proof or the belief is wrong"):
            belief.at_most(most)


def test_what_is_possible_is_never_rounded_to_impossible():
    rare = Belief.from_weights([1e300, 1e-300, 0])
    assert rare.known is None
    assert rare.strike([0]).known == 1
    total = sum_belief([rare, rare, Belief.from_weights([1e300, 1e-300, 1e-300])])
    assert all(total.probability(value) > 0 for value in range(4))
    assert total.strike([0]).known is None


def test_what_is_left_of_a_belief_is_known_only_where_it_is_the_only_one():
    belief = Belief([0.25, 0.25, 0.25, 0.25])
    assert belief.strike([0, 1, 2]).known == 3
    assert belief.strike([0, 1]).known is None
    assert belief.strike([0, 1]) == Belief([0, 0, 0.5, 0.5])
    assert belief.strike([7, 10**30]) is belief
    assert belief.at_most(0) == Belief.point(0)


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ([0.5, -0.25, 0.75, 0.0], "value 1 has the probability -0.25"),
        ([0.5, 0.25], "sum to 0.75, they should sum to 1"),
        ([0.0, 0.0], "sum to 0.0"),
        ([math.nan, 1.0], "value 0 has the probability nan"),
        ([math.inf, 0.0], "value 0 has the probability inf"),
        ([0.5, 0.25, 0.25], "3 probabilities: the number of values should be a power of two"),
        ([[0.5, 0.5]], r"shape \(1, 2\)"),
        ([], r"shape \(0,\)"),
        (1.0, r"shape \(\)"),
        (["many", "few"], "is no list of probabilities"),
        ([[0.5], [0.25, 0.25]], "is no list of probabilities"),
    ],
)
def test_what_is_no_distribution(probabilities, message):
    with pytest.raises(SgaiError, match=message):
        Belief(probabilities)


@pytest.mark.parametrize(
    "bad",
    [
        lambda: Belief.point(-1),
        lambda: Belief.point(0.5),
        lambda: Belief.point(True),
        lambda: Belief.uniform(0),
        lambda: Belief.uniform(MOST_VALUES + 1),
        lambda: Belief.from_weights([0, 0]),
        lambda: Belief.from_weights([1, math.nan]),
        lambda: Belief.uniform(4).array(3),
        lambda: Belief.uniform(4).strike(["0"]),
        lambda: Belief.uniform(4).at_most(-1),
        lambda: Belief.uniform(2).at_most(2.5),
        lambda: Belief.uniform(2).shifted(-1),
        lambda: Belief.point(10**5000).array(),
        lambda: Belief.point(10**5000).strike([10**5000]),
    ],
)
def test_bad_questions(bad):
    with pytest.raises(SgaiError):
        bad()


def test_beliefs_are_values():
    source = np.array([0.5, 0.5])
    belief = Belief(source)
    source[0] = 1.0
    assert belief == Belief.uniform(2)
    assert belief != Belief([0.25, 0.75])
    assert belief != [0.5, 0.5]
    assert len({belief, Belief.uniform(2), Belief([0.5, 0.5, 0, 0])}) == 1
    assert len({Belief([0.5, 0, 0.5, 0]), Belief([0.5, -0.0, 0.5, -0.0])}) == 1
    belief.array()[0] = 1.0
    assert belief.probability(0) == 0.5
    with pytest.raises(AttributeError):
        belief.known = 3
    with pytest.raises(ValueError, match="read-only"):
        belief.transform()[0] = 2.0
    for other in (copy.copy(belief), copy.deepcopy(belief), pickle.loads(pickle.dumps(belief))):
        assert other == belief
        assert loss_probability([other, other]) == 0.5


@examples
@given(st.lists(beliefs(), max_size=5))
def test_equal_questions_have_equal_answers(given):
    again = [pickle.loads(pickle.dumps(each)) for each in given]
    assert sum_belief(given) == sum_belief(again)
    assert targets(given) == targets(again)
    assert loss_probability(given) == loss_probability(again)
