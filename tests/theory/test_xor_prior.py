"""The XOR prior: right where all is known, a probability elsewhere, and no more than a guess where pieces interact."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgai import SgaiError, Solver, load_ruleset
from sgai.beliefs import loss_probability
from sgai.budget import Budget
from sgai.reference import reference_outcome
from sgai.ruleset import Component
from sgai.xor_prior import XorPrior

NIM, CRAM = load_ruleset("nim"), load_ruleset("cram(rows=5,columns=6)")
SHUTTLE, FIBONACCI = load_ruleset("shuttle"), load_ruleset("fibonacci_nim")


def part_of(ruleset, position):
    return Component(ruleset, ruleset.validate(position), True)


@given(st.lists(st.integers(0, 30), max_size=5))
@settings(max_examples=40, deadline=None)
def test_what_is_known_is_exact(piles):
    position = NIM.validate(piles)
    total = 0
    for pile in piles:
        total ^= pile
    prior = XorPrior(Solver())
    assert prior.of_position(NIM, position) == (total == 0)
    assert [each.known for each in prior.beliefs(part_of(NIM, (pile,)) for pile in piles)] == piles


def test_what_is_solved_in_the_meantime_counts():
    solver = Solver()
    prior, position = XorPrior(solver), CRAM.initial() & ~0b11
    before = prior.of_position(CRAM, position)
    assert 0 < before < 1
    assert prior.of_position(CRAM, position) == before
    value = solver.grundy(CRAM, position)
    assert prior.of_position(CRAM, position) == (value == 0)
    assert prior.beliefs([part_of(CRAM, position)])[0].known == value


def test_excluded_values_are_struck_out():
    solver = Solver()
    prior, part = XorPrior(solver), part_of(CRAM, CRAM.initial())
    assert not solver.table.removals.has_value(CRAM, part.position, 0, Budget())  # it is 2: cram.json
    (belief,) = prior.beliefs([part])
    assert belief.known is None
    assert belief.array()[0] == 0
    assert prior.of_position(CRAM, part.position) == 0
    # A search is guided by the guess alone: what is known it has found by itself.
    assert prior([part]) > 0


def test_sums_are_xor_convolutions_of_guesses():
    prior = XorPrior(Solver())
    parts = [part_of(CRAM, CRAM.initial() & ~gone) for gone in (0b1, 0b110)]
    chances = [prior(parts, heap) for heap in range(64)]
    assert sum(chances) == pytest.approx(1)
    assert all(0 <= chance <= 1 for chance in chances)
    assert prior([]) == 1
    assert prior([], 3) == 0
    assert prior(reversed(parts), 2) == pytest.approx(chances[2])


def test_approximate_splits_are_mixed_in_as_far_as_they_are_trusted():
    part = part_of(SHUTTLE, (9, 12, 1))  # as two heaps of Nim it would be worth 9 XOR 12 = 5
    beliefs = [XorPrior(Solver(), trust=trust).beliefs([part])[0] for trust in (0.0, 0.5, 1.0)]
    assert beliefs[2].known == 9 ^ 12
    assert beliefs[0].known is None
    size = 1 + max(each.largest for each in beliefs)
    none, half, full = (each.array(size) for each in beliefs)
    assert half == pytest.approx((none + full) / 2)


def test_full_trust_overrides_even_what_is_known():
    # Each pile is a Fibonacci number, so lost alone; that is of use for nothing but to show the harm.
    position, solver = FIBONACCI.validate(((2, 3), 1)), Solver()
    assert reference_outcome(FIBONACCI, position) == "N"
    solver.grundy(FIBONACCI, position)
    assert XorPrior(solver, trust=0.99).of_position(FIBONACCI, position) == 0
    assert XorPrior(solver, trust=1.0).of_position(FIBONACCI, position) == 1


def test_beliefs_agree_with_the_probability():
    prior = XorPrior(Solver())
    parts = [part_of(CRAM, CRAM.initial() & ~1), part_of(NIM, (3,))]
    assert loss_probability(prior.beliefs(parts)) == pytest.approx(prior(parts[:1], 3))


@pytest.mark.parametrize("trust", [-0.1, 1.1, float("nan")])
def test_bad_trust(trust):
    with pytest.raises(SgaiError, match=f"trust={trust}"):
        XorPrior(Solver(), trust=trust)


def test_no_time_goes_into_pieces_once_it_is_over():
    solver = Solver()
    prior, part = XorPrior(solver), part_of(FIBONACCI, ((7, 12), 4))
    time_left = Budget(seconds=1e-9)
    assert time_left.is_late()
    prior.limit(time_left)
    assert prior([part]) == loss_probability([prior.model.belief(*part[:2])])
    assert len(solver) == 0
    prior.limit(None)
    prior([part])
    assert len(solver) > 0
