"""Leap and take: its rules by hand, and the independence of its groups on every small strip and board."""

import functools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sgai
from sgai.decomposition import decompose
from sgai.reference import reference_grundy
from sgai.rulesets import leap_groups
from sgai.rulesets.leap_and_take import LeapAndTake, LeapPosition
from sgai.rulesets.leap_groups import can_leap, cropped, groups, leaps, least_image, reach


@functools.cache
def values(rows, columns):
    """Grundy values of all positions of a board by the definition, without any split."""
    table = bytearray(1 << rows * columns)
    for pieces in sorted(range(len(table)), key=int.bit_count):
        options = {table[pieces ^ leap.triple] for leap in leaps(rows, columns) if pieces & leap.triple == leap.pair}
        table[pieces] = next(value for value in range(len(options) + 1) if value not in options)
    return table


def boards_of(parts):
    return sorted((part.rows, part.columns, part.pieces) for part in parts)


def check_all(rows, columns):
    """Split every position: the values must XOR to that of the whole, and its options be those of its groups."""
    split = 0
    for pieces in range(1 << rows * columns):
        found = groups(rows, columns, pieces)
        split += len(found) > 1
        value = 0
        for group in found:
            value ^= values(group.rows, group.columns)[group.pieces]
        assert value == values(rows, columns)[pieces], (rows, columns, bin(pieces))
        assert values(*least_image(rows, columns, pieces)[:2])[least_image(rows, columns, pieces)[2]] == value
        here = {
            tuple(boards_of(groups(rows, columns, pieces ^ leap.triple)))
            for leap in leaps(rows, columns)
            if pieces & leap.triple == leap.pair
        }
        there = set()
        for i, group in enumerate(found):
            rest = found[:i] + found[i + 1 :]
            for leap in leaps(group.rows, group.columns):
                if group.pieces & leap.triple == leap.pair:
                    after = groups(group.rows, group.columns, group.pieces ^ leap.triple)
                    there.add(tuple(boards_of(rest + after)))
        assert here == there, (rows, columns, bin(pieces))
    return split


@pytest.mark.parametrize("cells", range(1, 13))
def test_split_on_every_strip(cells):
    assert (check_all(1, cells) > 0) == (cells >= 7)  # OO...OO is the shortest


@pytest.mark.slow
@pytest.mark.parametrize("cells", range(13, 17))
def test_split_on_every_longer_strip(cells):
    assert check_all(1, cells) > 0


@pytest.mark.parametrize(("rows", "columns", "splits"), [(2, 5, 0), (3, 3, 8), (2, 6, 18), (7, 1, 1)])
def test_split_on_every_small_board(rows, columns, splits):
    assert check_all(rows, columns) == splits


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "columns"), [(3, 4), (2, 7), (3, 5), (2, 8), (4, 4)])
def test_split_on_every_larger_board(rows, columns):
    assert check_all(rows, columns) > 0


@pytest.mark.parametrize(
    ("strip", "parts"),
    [
        ("OO...OO", ["OO.", ".OO"]),  # three empty cells are always enough
        ("OO..OO", ["OO..OO"]),  # both reach theirs, and stand side by side
        ("OO..O.O.OO", ["OO..O.O.OO"]),
        ("OO..O.O..OO", ["OO.", ".OO"]),  # what cannot be reached and cannot move is in no group
        ("OO.O..OO.", ["OO.O..OO."]),
        (".OOO..O.OO.O", [".OOO..O.OO.O"]),
        ("O.O.O", []),
        ("OOOO", []),
        ("OO..O", ["OO."]),
        ("OO.O..O", ["OO.O."]),
    ],
)
def test_gap_between_groups(strip, parts):
    game = LeapAndTake(strip=strip, piles=())
    found = decompose(game, game.initial())
    assert [game.format(part.position) for part in found] == [f"{part} + []" for part in parts]


def test_a_strip_is_a_board_of_one_row():
    """The rule for the ends of strips finds what the sums of weights find."""
    for cells in range(1, 11):
        for pieces in range(1 << cells):
            by_weight = sorted(leap_groups._board_groups(1, cells, pieces))
            by_weight = tuple(cropped(cells, *part) for part in by_weight if can_leap(1, cells, part[0]))
            assert groups(1, cells, pieces) == by_weight


def test_reach_holds_every_cell_that_is_ever_occupied():
    rows, columns = 3, 4
    occupied = {}
    for pieces in sorted(range(1 << rows * columns), key=int.bit_count):
        occupied[pieces] = pieces
        for leap in leaps(rows, columns):
            if pieces & leap.triple == leap.pair:
                occupied[pieces] |= occupied[pieces ^ leap.triple]
    missed = [bin(pieces) for pieces, cells in occupied.items() if cells & ~reach(rows, columns, pieces)]
    assert missed == []


def test_no_piece_gets_five_rows_beyond_the_others():
    """Conway's solitaire army (*Winning Ways*, chapter 23): four rows are possible, five are not."""
    rows, columns = 11, 13
    army = ((1 << 5 * columns) - 1) << 6 * columns
    assert reach(rows, columns, army) & (1 << columns) - 1 == 0
    assert reach(rows, columns, army) >> columns & (1 << columns) - 1 == 0
    assert reach(rows, columns, army) >> 2 * columns & (1 << columns) - 1


@pytest.mark.parametrize("pieces", range(1, 4))
def test_weights_know_how_many_pieces_it_takes(pieces):
    """One row beyond needs 2 pieces and two rows need 4, so fewer do not reach them from any place."""
    chance = random.Random(pieces)
    rows, columns = 6, 7
    for _ in range(50):
        army = sum(1 << cell for cell in chance.sample(range(3 * columns, rows * columns), pieces))
        far = (1 << 2 * columns) - 1  # the two highest rows; the army stands in the lower three
        assert reach(rows, columns, army) & far == 0
        assert pieces > 1 or reach(rows, columns, army) == army


@settings(deadline=None)
@given(
    st.text("O.", min_size=1, max_size=8),
    st.lists(st.integers(0, 2), max_size=2),
    st.sets(st.integers(1, 3), min_size=1),
)
def test_solver_agrees_with_the_reference(strip, piles, take):
    game = LeapAndTake(strip=strip, piles=tuple(piles), take=tuple(take))
    assert sgai.solve(game).grundy == reference_grundy(game, game.initial(), 1_000_000)


def test_canonical_form_of_symmetric_boards_is_one():
    texts = [".OO.O.", ".O.OO.", "...O.OO..", "./O/./O/O/.", "...OO.O.O..O"]
    game = LeapAndTake()
    assert {game.canonical(game.parse(text)) for text in texts[:4]} == {LeapPosition(1, 6, 0b10110, ())}
    assert game.canonical(game.parse("OO.../...../...O.")) == game.canonical(game.parse("OO."))


def test_piles_are_a_subtraction_game():
    game = LeapAndTake(strip="OO.", piles=(7, 3), take=(5, 2, 2))
    assert game.take == (2, 5)
    parts = [str(part.ruleset) for part in decompose(game, game.initial())]
    assert parts == ["leap_and_take(take=[1;2])", "subtraction(take=[2;5])", "subtraction(take=[2;5])"]
    assert [part.ruleset.heap_of(part.position) for part in decompose(game, game.initial())[1:]] == [3, 7]


def test_long_strips_share_the_values_of_equal_groups():
    game = LeapAndTake(strip="...".join(["OO.OO.O"] * 12), piles=(5,) * 10)
    solution = sgai.solve(game)
    assert solution.grundy == 0
    assert solution.states < 100


@pytest.mark.parametrize(
    ("arguments", "quoted"),
    [
        ({"strip": "oo."}, "'o'"),
        ({"strip": ""}, "empty"),
        ({"strip": "OO./..."}, "board="),
        ({"board": "OO./.."}, "row 2"),
        ({"strip": "OO.", "board": "O./.O"}, "one of both"),
        ({"take": ()}, "take=[]"),
        ({"take": (0,)}, "0"),
        ({"piles": (-1,)}, "-1"),
        ({"strip": "." * 5000}, "at most"),
    ],
)
def test_bad_parameters_are_named(arguments, quoted):
    with pytest.raises(sgai.SgaiError) as caught:
        LeapAndTake(**arguments)
    assert quoted in str(caught.value)


@pytest.mark.parametrize("text", ["", "+ [3]", ".OO + [x]", ".OO + [3] + [4]", ".O#"])
def test_bad_positions_are_errors(text):
    with pytest.raises(sgai.SgaiError):
        LeapAndTake().parse(text)


def test_approximate_components_are_finer():
    game = LeapAndTake()
    found = game.approximate_components(game.parse(".OO..OO.O + [3]"))
    assert [part.ruleset.format(part.position) for part in found] == [".OO. + []", ".OO. + []", "[3]"]
    assert game.approximate_components(game.parse(".OOO. + [3]")) == ()
    assert game.approximate_components(game.parse("OO...OO.../O........O + [3]")) == ()
