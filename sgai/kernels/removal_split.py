"""Positions of a removal game as a nim-heap, for what is known, beside components in canonical form."""

from typing import Any

import numpy as np

from sgai.kernels.jit import counting_nothing, inlined
from sgai.kernels.masks import (
    ZERO,
    Int,
    Mask,
    has,
    hashed,
    is_empty,
    lowest,
    lying,
    read,
    read_at,
    same,
    without,
    without_lowest,
    write,
    write_at,
)
from sgai.kernels.removal_forms import canonical
from sgai.kernels.removal_parts import connected_part, joined_part, without_twins
from sgai.kernels.removal_rules import NO_TWINS, Rules
from sgai.kernels.removal_stack import HITS, PARTS, Stack, copy_row
from sgai.kernels.removal_table import Table, find_hashed, value_at


@inlined
def fold(rules: Rules, table: Table, stack: Stack, live: Mask, marked: Mask, start: Int) -> tuple[Int, Int]:
    """Split a position; return the nim-sum of the parts whose value is known, and how many others are in ``parts``.

    Parts stay where they lie on the board, so that two moves in either order lead to the same set of cells, which is
    split once.
    """
    known, count = 0, 0
    state, parts, splits = stack.state, stack.parts, stack.splits
    words = len(live)
    place = np.int64(hashed(live) & np.uint64(len(splits) - 1))
    summary: Int = np.int64(splits[place, words])  # 0 in an empty row, else 2 * (known + 1) + unknown parts
    if summary != 0 and same(read(splits, place, live), live):
        known = (summary >> 1) - 1
        if summary & 1:
            part = read_at(splits, place, words + 1, live)
            h = hashed(part)
            slot = find_hashed(table, part, h)
            value: Int = value_at(table, slot)
            if value < 0:
                write(parts, start, part)
                write_at(parts, start, words, read_at(splits, place, 2 * words + 1, live))
                parts[start, 2 * words], parts[start, 2 * words + 1] = h, np.uint64(slot)
                return known, 1
            known ^= value
            splits[place, words] = np.uint64(2 * (known + 1))
        state[HITS] += 1
        return known, 0
    whole = live
    if rules.twins != NO_TWINS:
        live, marked = without_twins(rules, live, marked)
    rest = live
    while not is_empty(rest):
        if rules.connected:
            part = connected_part(rules, rest, marked)
            marked = without(marked, part)
        else:
            part = joined_part(rules, rest)
            if is_empty(part):
                break
        rest = without(rest, part)
        as_it_lies = part
        if is_empty(without_lowest(part)):
            if has(read(rules.single, ZERO, live), lowest(part)):
                known ^= 1
            continue
        form = np.int64(hashed(part) & np.uint64(len(stack.forms) - 1))
        if stack.forms[form, 2 * words] != np.uint64(0) and same(read(stack.forms, form, live), part):
            value = np.int64(stack.forms[form, 2 * words]) - 2
            part = read_at(stack.forms, form, words, live)
        else:
            write(stack.forms, form, part)
            part, lost = canonical(rules, part)
            write_at(stack.forms, form, words, part)
            value = 0 if lost else -1
            if is_empty(without_lowest(part)):
                value = 1  # twins were dropped beside it, so there is a move
            stack.forms[form, 2 * words] = np.uint64(value + 2)
        if value < 0:
            h = hashed(part)
            slot = find_hashed(table, part, h)
            value = value_at(table, slot)
            if value < 0:
                write(parts, start + count, part)
                write_at(parts, start + count, words, as_it_lies)
                parts[start + count, 2 * words], parts[start + count, 2 * words + 1] = h, np.uint64(slot)
                count += 1
                for i in range(start, start + count - 1):
                    if same(read(parts, i, live), part):
                        count -= 2
                        copy_row(parts, i, start + count)  # equal parts cancel
                        break
                continue
            stack.forms[form, 2 * words] = np.uint64(value + 2)
        state[HITS] += 1
        known ^= value
    if count < 2:
        write(splits, place, whole)
        splits[place, words] = np.uint64(2 * (known + 1) + count)
        if count:
            write_at(splits, place, words + 1, read(parts, start, live))
            write_at(splits, place, 2 * words + 1, lying(parts, start, live))
    return known, count


@counting_nothing
def split_all(
    rules: Rules,
    table: Table,
    stack: Stack,
    positions: Any,
    found: Any,
    parts: Any,
    like: Mask,
) -> None:
    """Split positions into components; what the stack holds stays.

    Parameters
    ----------
    rules, table, stack
        Those of a search.
    positions : uint64 array of shape (positions, words)
        Sets of live cells.
    found : int64 array of shape (positions, 2)
        Takes the nim-sum of the components whose value is known, and the number of others.
    parts : uint64 array of shape (enough, words)
        Takes these others in canonical form, one position's after the other's.
    like : tuple of uint64
        A mask of the right width.
    """
    top, free = 0, stack.state[PARTS]
    for number in range(len(positions)):
        live = read(positions, number, like)
        known, count = fold(rules, table, stack, live, live, free)
        found[number, 0], found[number, 1] = known, count
        for i in range(count):
            write(parts, top + i, read(stack.parts, free + i, like))
        top += count
