"""Nimble, the silver dollar game and staircase Nim: published positions; the closed forms against the definition."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sgai
from sgai.nimbers import mex, nim_sum
from sgai.reference import reference_grundy, reference_outcome
from sgai.rulesets.staircase import StaircaseNim, StepDown
from sgai.rulesets.strips import Nimble, SilverDollar, Slide


def values_by_definition(game):
    """The Grundy values of all positions that play can reach, each computed once."""
    values = {}

    def value(position):
        if position not in values:
            values[position] = mex([value(option) for option in game.options(position)])
        return values[position]

    value(game.initial())
    return values


@pytest.mark.parametrize(
    "text",
    [
        "nimble(coins=[0;3;5;6;6])",
        "silver_dollar(coins=[3;6;7;10])",
        "silver_dollar(coins=[0;3;5;8;10])",
        "staircase_nim(steps=[2;1;3;2])",
        "staircase_nim(steps=[0;3;1;0;2])",
    ],
)
def test_values_of_all_positions(text):
    game = sgai.load_ruleset(text)
    values = values_by_definition(game)
    assert len(values) > 100
    for position, value in values.items():
        assert game.proved_grundy(position) == value, game.format(position)
        assert game.proved_grundy(game.canonical(position)) == value
        named = game.proved_winning_moves(position)
        if named is not None:
            assert len(named) == len(set(named))
            assert set(named) == {move for move, option in game.moves(position) if values[option] == 0}


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 3), max_size=3))
def test_nimble_is_nim(coins):
    game, position = Nimble(), tuple(sorted(coins))
    assert game.proved_grundy(position) == reference_grundy(game, position) == nim_sum(coins)
    assert game.proved_outcome(position) == reference_outcome(game, position)


@settings(deadline=None, max_examples=30)
@given(st.sets(st.integers(0, 5), max_size=3))
def test_silver_dollar_value_is_the_nim_sum_of_every_other_gap(coins):
    game, position = SilverDollar(), tuple(sorted(coins))
    assert game.proved_grundy(position) == reference_grundy(game, position)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 2), max_size=3).filter(lambda steps: sum(steps) < 5))
def test_staircase_value_is_the_nim_sum_of_the_odd_steps(steps):
    game = StaircaseNim()
    position = game.validate(steps)
    assert game.proved_grundy(position) == reference_grundy(game, position) == nim_sum(steps[::2])


def test_position_of_on_numbers_and_games():
    """J. H. Conway, On Numbers and Games, chapter 11, figure 23: every other gap from the right is 3, 5, 4, 2, 0.

    The drawn move increases 2 to 5, and the answer is to slide the coin to the right by the same three squares. What
    the other gaps are is not told, so they are made up here.
    """
    others, gaps = (4, 3, 2, 3, 0), (0, 2, 4, 5, 3)  # from the left
    coins, square = [], -1
    for other, gap in zip(others, gaps, strict=True):
        coins.append(square + other + 1)
        square = coins[-1] + gap + 1
        coins.append(square)
    game = SilverDollar(coins=coins)
    start = game.initial()
    assert game.gaps(start)[::2] == (3, 5, 4, 2, 0)
    assert game.proved_outcome(start) == "P"
    moved = game.apply(start, Slide(coins[2], coins[2] - 3))
    assert game.gaps(moved)[::2] == (3, 5, 4, 5, 0)
    assert game.proved_outcome(moved) == "N"
    assert game.proved_outcome(game.apply(moved, Slide(coins[3], coins[3] - 3))) == "P"


def test_staircase_of_peres():
    """Y. Peres, notes for Statistics 155 (2004), section 2.4: P where the odd steps are a P-position of Nim."""
    game = StaircaseNim()
    for odd, outcome in [((1, 2, 3), "P"), ((1, 2, 2), "N"), ((5, 5, 0), "P")]:
        steps = (odd[0], 7, odd[1], 4, odd[2], 9)
        assert game.proved_outcome(steps) == outcome
    # What is moved from an even step is moved on by the answer.
    moved = game.apply((1, 7, 2, 4, 3, 9), StepDown(4, 3))
    assert game.proved_outcome(moved) == "N"
    assert game.proved_outcome(game.apply(moved, StepDown(3, 3))) == "P"


def test_a_strip_is_a_staircase():
    """The gaps, the rightmost first, are the steps: options go to options."""
    strip, stairs = SilverDollar(coins=(2, 3, 6, 8)), StaircaseNim()
    for position in strip.reachable().indices:
        there = {stairs.validate(strip.gaps(option)) for option in strip.options(position)}
        assert there == set(stairs.options(stairs.validate(strip.gaps(position))))


def test_winning_moves_lead_to_zero():
    for text in ("nimble(coins=[2;5;7])", "silver_dollar(coins=[0;3;7;9])", "staircase_nim(steps=[3;1;1])"):
        game = sgai.load_ruleset(text)
        start = game.initial()
        winning = {each.move for each in sgai.solve(game).winning_moves}
        assert winning == {move for move, option in game.moves(start) if game.proved_grundy(option) == 0}
        assert bool(winning) == (game.proved_outcome(start) == "N")


def test_winning_moves_need_no_search():
    far = 10**30
    solution = sgai.solve("silver_dollar", (far, far + 9, 2 * far))
    assert {str(each.move) for each in solution.winning_moves} == {f"{far}->{far - 10}"}
    solution = sgai.solve("staircase_nim", (far, 3, far + 2, far))
    assert solution.grundy == far ^ (far + 2) == 2
    assert {str(each.move) for each in solution.winning_moves} == {"2 from step 2", "2 from step 3"}
    assert sgai.solve("nimble", (far, 1, far)).grundy == 1


def test_values_need_no_search():
    far = 10**30
    assert Nimble().proved_grundy((far, far + 5)) == far ^ (far + 5)
    assert SilverDollar().proved_grundy((far, far + 9, 2 * far)) == (far - 10) ^ far
    assert StaircaseNim().proved_grundy((far, 1, 7, far)) == far ^ 7


def test_moves_are_numbered_without_walking_through_positions():
    game = Nimble(coins=(60_000,))
    assert game.num_moves() == 60_001 * 60_000 // 2
    assert game.move_from_index(game.move_index(Slide(59_999, 123))) == Slide(59_999, 123)
    stairs = StaircaseNim(steps=(1, 0, 2))
    assert [str(stairs.move_from_index(i)) for i in range(stairs.num_moves())] == [
        *("1 from step 1", "2 from step 1", "3 from step 1"),
        *("1 from step 2", "2 from step 2", "1 from step 3", "2 from step 3"),
    ]


def test_a_formula_is_not_believed_for_other_rules():
    class OneStep(SilverDollar):
        """Coins slide by one square only."""

        name = "one_step"

        def moves(self, position):
            return ((move, option) for move, option in super().moves(position) if move.start - move.target == 1)

    class Halfway(SilverDollar):
        """Coins stop at square 1."""

        name = "halfway"

        def barrier(self, position, place):
            return max(1, super().barrier(position, place))

    assert OneStep().proved_grundy((3,)) is None
    assert Halfway().proved_grundy((3,)) is None
    assert SilverDollar().proved_grundy((3,)) == 3

    class Short(Nimble):
        """Coins slide by two squares at most, so they are no Nim heaps."""

        name = "short"

        def barrier(self, position, place):
            return max(0, position[place] - 2)

    assert Short().proved_grundy((3,)) is None
    assert sgai.solve(Short(coins=(2, 3))).grundy == 2 ^ 0


@pytest.mark.parametrize(
    ("cls", "given", "words"),
    [
        (Nimble, {"coins": (-1, 2)}, "leftmost one is 0"),
        (SilverDollar, {"coins": (3, 3)}, "two coins are on square 3"),
        (SilverDollar, {"coins": (3, -3)}, "-3 is no square"),
        (StaircaseNim, {"steps": (1, -2)}, "-2 is negative"),
    ],
)
def test_bad_starts_are_errors(cls, given, words):
    with pytest.raises(sgai.SgaiError, match=words):
        cls(**given)


@pytest.mark.parametrize("cls", [Nimble, SilverDollar, StaircaseNim])
def test_bad_positions_and_moves_are_errors(cls):
    game = cls()
    for text in ("[1;x]", "1;-1", "(1;2)"):
        with pytest.raises(sgai.SgaiError, match="not a position such as"):
            game.parse(text)
    for move in ((1, 1, 1), (3, 9), "1->0", (True, 0), None):
        with pytest.raises(sgai.SgaiError):
            game.apply(game.initial(), move)
        with pytest.raises(sgai.SgaiError):
            game.move_index(move)
    with pytest.raises(sgai.SgaiError, match=r"beyond square|above step"):
        game.encode((0, 1, 2, 3, 4, 5, 6, 7, 8, 99))


def test_long_strips_are_drawn_as_text():
    assert Nimble().draw_text((0, 3, 3, 7)) == "o . . 2 . . . o\n0 1 2 3 4 5 6 7"
    assert Nimble().draw_text((999,)) == "coins on squares [999]"
    assert SilverDollar(coins=()).draw_text(()) == ".\n0"
    assert StaircaseNim().draw_text((1, 0, 20)) == "3 | o o o o o o o o o o o o ... (20)\n2 |\n1 | o"
    assert "floor" in StaircaseNim().draw_text(())
