"""The sliding game: rules, and the loopy values of rows against retrograde analysis."""

import itertools

import pytest

import sgai
from sgai.budget import Budget
from sgai.loopy import LoopyValue
from sgai.loopy_graph import LoopyTable
from sgai.reference import retrograde
from sgai.rulesets.sliding import Row, SlideMove, Sliding


def rows(columns):
    return [Row(columns, left, right) for left, right in itertools.combinations(range(columns), 2)]


def expected(rules, row):
    if rules.retreat != "both":
        return LoopyValue(row.gap)
    if rules.locked:
        known = 0 if row.gap == 0 else 1 if row.columns == 3 else None
        return LoopyValue.infinite([0]) if known is None else LoopyValue(known)
    return LoopyValue(0) if row.columns == 2 else LoopyValue.infinite()


@pytest.mark.parametrize("locked", [True, False])
@pytest.mark.parametrize("retreat", ["both", "left", "none"])
def test_values_of_rows(locked, retreat):
    """Recomputed: the values that the docstring of the ruleset proves."""
    rules = Sliding(locked=locked, retreat=retreat)
    table = LoopyTable()
    for columns in range(2, 9):
        for row in rows(columns):
            assert table.value(rules, (row,), Budget()) == expected(rules, row), row


@pytest.mark.parametrize("locked", [True, False])
@pytest.mark.parametrize("retreat", ["both", "left", "none"])
def test_sums_of_rows_by_retrograde_analysis(locked, retreat):
    rules = Sliding(locked=locked, retreat=retreat)
    table = LoopyTable()
    for first, second in itertools.combinations_with_replacement(range(2, 5), 2):
        positions = [(a, b) for a in rows(first) for b in rows(second)]
        judged = retrograde({position: rules.options(position) for position in positions})
        for position, outcome in judged.items():
            parts = [table.value(rules, (row,), Budget()) for row in position]
            assert (parts[0] + parts[1]).outcome == outcome, rules.format(position)


def test_moves():
    rules = Sliding(board="..O.O.")
    texts = [rules.format_move(rules.initial(), move) for move, _ in rules.moves(rules.initial())]
    assert texts == ["1: 3->1", "1: 3->2", "1: 3->4", "1: 5->4", "1: 5->6"]
    left = Sliding(board="..O.O.", retreat="left")
    assert [left.format(option) for option in left.options(left.initial())] == ["O...O.", ".O..O.", "...OO.", "..OO.."]
    assert list(rules.moves(rules.parse("OO..."))) == []
    assert rules.options(rules.parse("OO")) == []
    free = Sliding(locked=False)
    assert [free.format(option) for option in free.options(free.parse("OO.."))] == ["O.O.", "O..O"]
    both = Sliding(board="O.O/O..O")
    assert both.apply(both.initial(), SlideMove(1, 1, 2)) == both.parse("O.O/O.O.")


def test_is_loopy_unless_no_piece_retreats():
    assert Sliding().loopy
    assert Sliding(retreat="left").rules().loopy
    forwards = Sliding(board="O...O/.O..O", retreat="none")
    assert not forwards.loopy
    assert sgai.solve(forwards).grundy == 3 ^ 2
    assert forwards.max_game_length() == 5
    with pytest.raises(sgai.SgaiError, match="no bound"):
        Sliding().max_game_length()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sliding(board=[O..])", ["'O..'", "two pieces"]),
        ("sliding(board=[OO/OOO])", ["'OOO'"]),
        ("sliding(board=[OX.O])", ["'OX.O'"]),
        ("sliding(board=[])", ["two pieces"]),
        ("sliding(retreat=right)", ["'right'", "both, left, none"]),
        ("sliding(locked=maybe)", ["'maybe'"]),
        ("sliding(rows=3)", ["'rows'", "board"]),
    ],
)
def test_bad_parameters(text, words):
    with pytest.raises(sgai.SgaiError) as caught:
        sgai.load_ruleset(text)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("position", [((3, 1, 1),), ((3, 0, 3),), ((2, 1, 0),), ((2, 0),), 7, (), ((3, 0, True),)])
def test_bad_positions(position):
    with pytest.raises(sgai.SgaiError, match="two pieces"):
        Sliding().validate(position)


def test_long_rows_are_drawn_in_figures():
    rules = Sliding(board=[(500, 3, 77), (4, 0, 3)])
    assert rules.draw_text(rules.initial()) == "1 | pieces at 4 and 78 of 500 squares\n2 | O . . O"
    assert "pieces at 4" in rules.draw_svg(rules.initial())
