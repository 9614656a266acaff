"""How the compiled search takes positions apart: whole boards as cell by cell, and moves that may change places."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgai import Solver, load_ruleset
from sgai.budget import Budget
from sgai.kernels import masks
from sgai.kernels import removal_parts as kernel
from sgai.kernels.jit import counting_nothing
from sgai.removal_arrays import rules_of, to_words, words_for
from sgai.removal_search import RemovalSearch
from sgai.rulesets.removal import RemovalTable, cells_of
from tests.theory.test_removal_search import brute_force

BOARDS = [(1, 9), (2, 6), (4, 5), (5, 5), (3, 25), (9, 9)]


@counting_nothing
def write_connected_part(rules, live, marked, found):
    masks.write(found, 0, kernel.connected_part(rules, masks.cells(live), masks.cells(marked)))


@counting_nothing
def write_without_twins(rules, live, marked, found):
    kept, marks = kernel.without_twins(rules, masks.cells(live), masks.cells(marked))
    masks.write(found, 0, kept)
    masks.write(found, 1, marks)


def connected_part(rules, live, marked):
    found = np.zeros((1, len(live)), dtype=np.uint64)
    write_connected_part(rules, live, marked, found)
    return found[0]


def without_twins(rules, live, marked):
    found = np.zeros((2, len(live)), dtype=np.uint64)
    write_without_twins(rules, live, marked, found)
    return found


def number(words):
    return sum(int(word) << 64 * i for i, word in enumerate(words))


def cell_by_cell(rules):
    """Return rules that do not say how far apart neighbours' numbers are, so that the kernel goes from cell to cell."""
    return rules._replace(distances=rules.distances[:0], lower=rules.lower[:0])


def drawn_position(data, rows, columns):
    """Return a board, live cells of it, and what makes words of cells."""
    table = load_ruleset(f"cram(rows={rows},columns={columns})").table
    live = data.draw(st.integers(0, (1 << table.cells) - 1))
    return table, live, functools.partial(to_words, words=words_for(table.cells))


def neighbours(table, cell, live):
    return [other for other in cells_of(live) if (1 << cell | 1 << other) in set(table.needs)]


@pytest.mark.parametrize(("rows", "columns"), BOARDS)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_connected_parts_of_boards(rows, columns, data):
    table, live, as_words = drawn_position(data, rows, columns)
    expected = {part for part in table.parts(live) if part.bit_count() > 1}
    for each in (rules_of(table), cell_by_cell(rules_of(table))):
        rest, found = live, set()
        while rest:
            # Every cell is marked, or of each part one at least.
            part = number(connected_part(each, as_words(rest), as_words(rest)))
            found.add(part)
            rest &= ~part
        assert {part for part in found if part.bit_count() > 1} == expected


@pytest.mark.parametrize(("rows", "columns"), BOARDS)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_of_pendant_cells_at_one_cell_one_is_left(rows, columns, data):
    table, live, as_words = drawn_position(data, rows, columns)
    holders = {}
    for cell in cells_of(live):
        near = neighbours(table, cell, live)
        if len(near) == 1:
            holders.setdefault(near[0], set()).add(cell)
    for each in (rules_of(table), cell_by_cell(rules_of(table))):
        kept, marked = map(number, without_twins(each, as_words(live), as_words(live)))
        dropped = live & ~kept
        assert kept & ~live == 0
        assert marked & ~kept == 0
        assert dropped & ~sum(1 << cell for pendant in holders.values() for cell in pendant) == 0
        for holder, pendant in holders.items():
            left = [cell for cell in pendant if kept >> cell & 1]
            assert len(left) == 1
            if len(pendant) > 1:
                assert marked >> holder & 1


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_part_that_lost_a_twin_keeps_a_mark(data):
    # After a move only cells beside it are marked, and every part of what is left has one.
    table = load_ruleset("cram(rows=4,columns=6)").table
    rules = rules_of(table)
    part = max(table.parts(data.draw(st.integers(1, (1 << table.cells) - 1))), default=0)
    if part.bit_count() < 2:
        return
    live, _ = without_twins(rules, to_words(part, 1), to_words(part, 1))
    legal = [move for move in range(len(rules.needs)) if int(rules.needs[move, 0]) & ~int(live[0]) == 0]
    move = data.draw(st.sampled_from(legal))
    left = int(live[0]) & ~int(rules.kills[move, 0])
    kept, marked = without_twins(rules, to_words(left, 1), to_words(left & int(rules.around[move, 0]), 1))
    for part in table.parts(int(kept[0])):
        assert part & int(marked[0])


@st.composite
def unequal_tables(draw):
    cells = draw(st.integers(8, 12))
    moves = []
    for name in range(draw(st.integers(6, 24))):
        first = draw(st.integers(0, cells - 1))
        need = {first, (first + draw(st.integers(0, 2))) % cells}
        moves.append((need, need | draw(st.sets(st.integers(0, cells - 1), max_size=2)), str(name)))
    return RemovalTable.build(cells, moves)


@settings(max_examples=200, deadline=None)
@given(unequal_tables())
def test_moves_that_end_one_another(table):
    # One of two moves may leave the other legal while that one does not, so that only one order of both can be played.
    value, search = brute_force(table), RemovalSearch(table)
    for part in table.parts((1 << table.cells) - 1):
        assert search.value(part, Budget()) == value(part)


@pytest.mark.parametrize(
    "name", ["chomp(rows=4,columns=4)", "rectangle_take(rows=3,columns=4)", "subset_takeaway(size=4)"]
)
def test_games_of_unequal_moves(name):
    ruleset = load_ruleset(name)
    expected = brute_force(ruleset.table)(ruleset.initial() & ~ruleset.always_live())
    search = RemovalSearch(ruleset.table)
    assert search.value(ruleset.initial() & ~ruleset.always_live(), Budget()) == expected
    assert Solver().solve(ruleset).grundy == expected
