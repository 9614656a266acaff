"""Periods: proved where a theorem covers the game, as published, and refused where none does."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sgai
from sgai.budget import Budget
from sgai.periods import Period, PeriodTheorem, _match_lengths, find_period, period_theorem
from sgai.rulesets.codes import parse_code
from sgai.sequences import SequenceTable
from sgai.solver import Solver

OCTAL = json.loads((Path(__file__).parents[1] / "data" / "octal_periods.json").read_text())["games"]


def ruleset_of(code):
    return sgai.load_ruleset(f"take_and_break(code=[{code}])")


@pytest.mark.parametrize("game", OCTAL, ids=lambda game: game["code"])
def test_published_periods(game):
    """T. Czajka, A. Flammenkamp, R. Guy and C. Smith, A. Gangolli and T. Plambeck: see the data file."""
    largest = 2 * (game["preperiod"] + game["period"]) + 10
    found = Solver().find_period(ruleset_of(game["code"]), largest)
    assert (found.preperiod, found.period) == (game["preperiod"], game["period"])
    # The proof says which values it needs, and fewer prove nothing.
    again = Solver().find_period(ruleset_of(game["code"]), found.proved_with)
    assert again == found
    assert Solver().find_period(ruleset_of(game["code"]), found.proved_with - 1) is None


@pytest.mark.parametrize(
    ("code", "preperiod", "period"),
    # Recomputed, not read in a source; that these games are periodic is due to A. Gangolli and T. Plambeck (1989) and
    # A. Flammenkamp.
    [("0.56", 326640, 144), pytest.param("0.376", 2268248, 4, marks=pytest.mark.slow)],
)
def test_long_periods(code, preperiod, period):
    found = Solver().find_period(ruleset_of(code), 2 * (preperiod + period) + 10)
    assert (found.preperiod, found.period) == (preperiod, period)


@pytest.mark.slow
def test_the_longest_preperiod():
    """Recomputed; its preperiod of about ten million was found by A. Flammenkamp."""
    found = Solver().find_period(ruleset_of("0.354"), 20_200_000)
    assert (found.preperiod, found.period) == (10_061_916, 1180)


def test_hexadecimal_games_with_three_heaps():
    """Recomputed: the theorem for at most three heaps, and the period goes on as far as values were computed."""
    for code in ("0.8", "0.F", "0.B", "0.1C", "0.9", "0.D"):
        ruleset = ruleset_of(code)
        theorem = period_theorem(ruleset)
        assert theorem.most_heaps in (2, 3)
        values = SequenceTable(ruleset, use_kernels=False).values(220, Budget())
        found = find_period(values[:150], theorem)
        if found is not None:
            heaps = np.arange(found.preperiod, 220 - found.period)
            assert (values[heaps] == values[heaps + found.period]).all(), code


def test_a_false_period_is_not_proved():
    """With a start of 0 the test would prove that 0.4 has period 1: its first values are 0, 0, 0."""
    values = sgai.grundy_values("0.4", 400)
    assert values[:3].tolist() == [0, 0, 0]
    assert find_period(values[:3], PeriodTheorem(2, 1, 0)).period == 1
    assert find_period(values[:3], period_theorem(ruleset_of("0.4"))) is None
    assert find_period(values, period_theorem(ruleset_of("0.4"))).period == 34


@settings(max_examples=60, deadline=None)
@given(st.sets(st.integers(1, 9), min_size=1, max_size=4))
def test_periods_of_subtraction_sets_go_on(sizes):
    ruleset = sgai.load_ruleset(f"subtraction(take=[{';'.join(map(str, sizes))}])")
    values = SequenceTable(ruleset, use_kernels=False).values(3000, Budget())
    found = find_period(values[:1500], period_theorem(ruleset))
    if found is None:
        return
    heaps = np.arange(found.preperiod, 3001 - found.period)
    assert (values[heaps] == values[heaps + found.period]).all()
    # No smaller period holds from any point on, as far as can be seen.
    for smaller in range(1, found.period):
        tail = np.arange(2500 - smaller, 3001 - smaller)
        assert (values[tail] != values[tail + smaller]).any()


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=60))
def test_match_lengths_by_the_definition(numbers):
    values = np.array(numbers, dtype=np.uint16)
    expected = []
    for shift in range(len(values)):
        length = 0
        while length < len(values) - shift and values[-1 - length] == values[-1 - length - shift]:
            length += 1
        expected.append(length)
    assert _match_lengths(values).tolist() == expected


@pytest.mark.parametrize("text", ["0.[3]", "{2+}.0", "4!.0", "0.7?", "0.7=", "half_take", "lasker", "powers_of_two"])
def test_games_that_no_theorem_covers_are_refused(text):
    ruleset = sgai.load_ruleset(text)
    assert period_theorem(ruleset) is None
    with pytest.raises(sgai.UnsupportedError, match="no theorem"):
        Solver().find_period(ruleset, 1000)


def test_heaps_of_any_size_once_the_period_is_proved():
    solver = Solver()
    for text, heap in (
        ("kayles", 10**18),
        ("kayles", 10**30 + 5),
        ("0.07", 10**18),
        ("dawsons_chess", 123456789012345),
    ):
        ruleset = sgai.load_ruleset(text)
        small = SequenceTable(ruleset, use_kernels=False).values(400, Budget())
        period = solver.find_period(ruleset, 1000)
        assert solver.grundy(ruleset, (heap,)) == small[period.reduce(heap)]
    # Kayles has period 12 from 71 on: by hand, 10**18 = 4 (mod 12), as 76 is.
    assert sgai.grundy_values("kayles", 76)[76] == solver.grundy(sgai.load_ruleset("kayles"), (10**18,))
    assert solver.grundy(sgai.load_ruleset("subtraction(take=[2;5])"), (7 * 10**12 + 5,)) == 2
    assert len(solver) < 20_000


def test_a_winning_move_of_a_huge_heap_is_found():
    solver, ruleset = Solver(), sgai.load_ruleset("kayles")
    solution = solver.solve(ruleset, (10**18,))
    assert solution.outcome == "N"
    assert solution.winning_moves
    assert not solution.complete
    for each in solution.winning_moves[:50]:
        assert solver.grundy(ruleset, each.position) == 0
        assert ruleset.apply((10**18,), each.move) == each.position


@pytest.mark.parametrize("code", ["0.77", "4!.0", "0.16", "0.F{0,2}?", "0.4=7!"])
def test_results_in_turn_are_the_results(code):
    parsed = parse_code(code)
    for heap in range(25):
        assert sorted(parsed.results_in_turn(heap)) == sorted(parsed.results(heap))


def test_periods_of_shifted_games_count_their_own_heaps(monkeypatch):
    """Dawson's Kayles by the places where two pins can fall: a row of n + 1 pins, as Treblecross is 0.007 shifted."""
    from sgai.rulesets.take_and_break import CodeRuleset

    class Shifted(CodeRuleset):
        code_text = "0.07"
        shift = 1

    table = SequenceTable(Shifted())
    period = table.find_period(600, Budget())
    own = Solver().find_period(sgai.load_ruleset("0.07"), 600)
    assert period == Period(own.preperiod - 1, own.period, own.proved_with - 1)
    plain = SequenceTable(Shifted(), use_kernels=False).values(600, Budget())
    heaps = np.arange(period.preperiod, 600 - period.period)
    assert (plain[heaps] == plain[heaps + period.period]).all()
    assert table.values(600, Budget()).tolist() == plain.tolist()
    assert table.value(10**15, Budget()) == plain[period.reduce(10**15)]


def test_values_past_a_proved_period_are_filled_in():
    solver, ruleset = Solver(), sgai.load_ruleset("kayles")
    solver.find_period(ruleset, 1000)
    values = solver.grundy_values(ruleset, 30_000)
    np.testing.assert_array_equal(values, SequenceTable(ruleset, use_kernels=False).values(30_000, Budget(10**6)))


def test_reduce():
    assert [Period(5, 3, 20).reduce(heap) for heap in (0, 4, 5, 7, 8, 9, 10**20)] == [
        0,
        4,
        5,
        7,
        5,
        6,
        5 + (10**20 - 5) % 3,
    ]


def test_what_a_formula_or_a_period_gives_is_known_without_work():
    nim, kayles = SequenceTable(sgai.load_ruleset("nim")), SequenceTable(sgai.load_ruleset("kayles"))
    assert (nim.known(10**9), len(nim)) == (10**9, 1)
    assert kayles.known(5) is None
    kayles.find_period(1000, Budget(2000))
    plain = SequenceTable(sgai.load_ruleset("kayles"), use_kernels=False).values(100, Budget(1000))
    for heap in (5, 70, 71, 500, 10**18):
        assert kayles.known(heap) == kayles.value(heap, Budget(1)) == plain[heap if heap < 71 else 72 + heap % 12]
    table = Solver().table
    assert table.known(sgai.load_ruleset("nim"), (7,)) == 7
    assert table.known(sgai.load_ruleset("kayles"), (7,)) is None
