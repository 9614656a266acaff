"""Sets of cells in compiled code, against whole numbers in Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgai.kernels import masks
from sgai.kernels.jit import counting_nothing
from sgai.removal_arrays import WIDTHS, to_words
from tests.theory.test_removal_parts import number

GUARD = 0x0123456789ABCDEF  # in places that nothing may be written to


@counting_nothing
def made_sets(a, b, places, cell, rows):
    like, a, b = a, masks.cells(a), masks.cells(b)
    masks.write(rows, 0, masks.both(a, b))
    masks.write(rows, 1, masks.either(a, b))
    masks.write(rows, 2, masks.without(a, b))
    masks.write(rows, 3, masks.without_lowest(a))
    masks.write(rows, 4, masks.nothing(like))
    masks.write(rows, 5, masks.only(cell, like))
    masks.write(rows, 6, masks.reversed_cells(a))
    masks.write(rows, 7, masks.shifted_down(a, places))
    masks.write(rows, 8, masks.shifted_up(a, places))
    masks.write_at(rows, 9, len(a), a)
    masks.write(rows, 9, masks.lying(rows, 9, a))
    masks.write(rows, 10, masks.read_at(rows, 9, 1, a))
    masks.write(rows, 11, masks.read(rows, 8, like))


@counting_nothing
def made_numbers(a, b, cell, numbers):
    first, a, b = a[0], masks.cells(a), masks.cells(b)
    numbers[0] = masks.is_empty(a)
    numbers[1] = masks.same(a, b)
    numbers[2] = masks.meets(a, b)
    numbers[3] = masks.inside(a, b)
    numbers[4] = masks.before(a, b)
    numbers[5] = masks.size(a)
    numbers[6] = masks.lowest(a)
    numbers[7] = masks.highest(a)
    numbers[8] = masks.has(a, cell)
    numbers[9] = masks.byte_at(a, cell & ~7)
    numbers[10] = masks.trailing_zeros(first)
    numbers[11] = masks.ones(first)
    numbers[12] = masks.same(a, b) == (masks.hashed(a) == masks.hashed(b))


@pytest.mark.parametrize("words", WIDTHS)
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_sets_are_numbers(words, data):
    bits = 64 * words
    sparse = st.lists(st.integers(0, bits - 1), max_size=4).map(lambda cells: sum(1 << cell for cell in set(cells)))
    a, b = (data.draw(st.one_of(st.integers(0, (1 << bits) - 1), sparse)) for _ in range(2))
    if data.draw(st.booleans()):
        b = data.draw(st.sampled_from([a, a & b, a | b]))
    places, cell = data.draw(st.integers(0, bits - 1)), data.draw(st.integers(0, bits - 1))
    everything = (1 << bits) - 1
    rows = np.full((12, 2 * words + 1), GUARD, dtype=np.uint64)
    made_sets(to_words(a, words), to_words(b, words), places, cell, rows)
    twice = a | a << bits | GUARD << 2 * bits  # the ninth row, from which words are read from the second on
    assert [number(row[:words]) for row in rows] == [
        a & b,
        a | b,
        a & ~b,
        a & (a - 1) if a else 0,
        0,
        1 << cell,
        int(f"{a:0{bits}b}"[::-1], 2),
        a >> places,
        a << places & everything,
        a,
        twice >> 64 & everything,
        a << places & everything,
    ]
    assert (rows[:9, words:] == GUARD).all()
    assert (rows[10:, words:] == GUARD).all()
    assert (rows[9, 2 * words :] == GUARD).all()

    numbers = np.full(13, -1, dtype=np.int64)
    made_numbers(to_words(a, words), to_words(b, words), cell, numbers)
    first = a & (1 << 64) - 1
    expected = [a == 0, a == b, a & b != 0, a & ~b == 0, a < b, a.bit_count()]
    assert numbers[:6].tolist() == expected
    if a:
        assert numbers[6:8].tolist() == [(a & -a).bit_length() - 1, a.bit_length() - 1]
    lowest = (first & -first).bit_length() - 1 if first else 64
    assert numbers[8:].tolist() == [a >> cell & 1, a >> (cell & ~7) & 255, lowest, first.bit_count(), True]
