"""The options of a position of a removal game: what is known of them, and which to search first."""

from typing import Any

import numpy as np

from sgai.kernels.jit import inlined, inner
from sgai.kernels.masks import (
    NONE,
    ONE,
    ZERO,
    Int,
    Mask,
    Word,
    both,
    hashed,
    inside,
    is_empty,
    lowest,
    lying,
    meets,
    nothing,
    read,
    same,
    without,
    without_lowest,
    write,
)
from sgai.kernels.removal_rules import Rules, mobility
from sgai.kernels.removal_split import fold
from sgai.kernels.removal_stack import (
    ANSWER,
    CANDIDATES,
    COST,
    COUNT,
    CURRENT,
    FIRST,
    HINT,
    KNOWN,
    LENGTH,
    MOST_PEEKS,
    MOVE,
    NEXT,
    OPTIONS,
    ORDER,
    PART_TOP,
    PARTS,
    PEEKS,
    REFUTED,
    REFUTING,
    STAMP,
    START,
    TARGET,
    K,
    Stack,
    copy_row,
)
from sgai.kernels.removal_table import Table, find, keep, value_at
from sgai.kernels.value_sets import add_value, clear_values, has_value, join_values, mex_of, missing_below

_UNKNOWN_OPTION, _REFUTED_OPTION = 4, 3  # how much harder an option makes it to prove a value; the second was tried out


@inlined
def list_option(
    stack: Stack, option: Int, others: Int, known: Int, start: Int, length: Int, mark: Word, move: Int, like: Mask
) -> Any:
    """Write an option after the ``others`` before it, unless one of them is like it; tell whether it is new."""
    options, parts = stack.options, stack.parts
    cost = np.int64(mark >> np.uint64(2))
    for other in range(option - others, option):
        alike = options[other, COST] == cost and options[other, KNOWN] == known
        if alike and options[other, LENGTH] == length:
            equal = True
            for i in range(start, start + length):
                found = False
                for j in range(options[other, START], options[other, START] + length):
                    found |= same(read(parts, i, like), read(parts, j, like))
                equal &= found
            if equal:
                return False
    options[option, KNOWN] = known
    options[option, START] = start
    options[option, LENGTH] = length
    options[option, COST] = cost
    options[option, MOVE] = move
    return True


@inlined
def peek(
    rules: Rules, table: Table, stack: Stack, live: Mask, target: Int, hint: Int, values: Any, row: Int, listing: Int
) -> tuple[Int, Int]:
    """Look at the options of a position whose value is asked for, without searching any; that of a hint first.

    The values that options are known to have are left in a row of ``values``, and the move to one that has the value
    ``target`` in ``state[REFUTING]``.

    Parameters
    ----------
    hint : Int
        A legal move, or -1.
    listing : Int
        Other than 0 to put different unknown options into ``stack.options``, and their parts into ``stack.parts``.

    Returns
    -------
    int
        The value where all options are known; -2 where one of them has the value ``target``, else -1.
    int
        How many different options are unknown if they are listed. Else that in quarters: `_UNKNOWN_OPTION` for each,
        less if it is known not to have the value ``target``.
    """
    state, words = stack.state, len(live)
    state[STAMP] += 1
    stamp = np.uint64(state[STAMP]) * np.uint64(0x9E3779B97F4A7C15)
    unknown = ZERO
    clear_values(values, row, ZERO, values.shape[1])
    top = state[PARTS]
    rest = live
    first, end = hint, hint + 1
    if hint < 0:
        end = first
    while first < end or not is_empty(rest):
        if first == end:
            cell = lowest(rest)
            rest = without_lowest(rest)
            first, end = rules.first[cell], rules.first[cell + 1]
        for move in range(first, end):
            if not inside(read(rules.needs, move, live), live):
                continue
            left = without(live, read(rules.kills, move, live))
            known, count = fold(rules, table, stack, left, both(read(rules.around, move, live), left), top)
            if count == 0:
                add_value(values, row, ZERO, known)
                if known == target:
                    state[REFUTING] = move
                    return -2, unknown
                continue
            mark = stamp + np.uint64(known)
            for i in range(top, top + count):
                mark += stack.parts[i, 2 * words]
            if listing:
                if list_option(stack, state[OPTIONS] + unknown, unknown, known, top, count, mark, move, live):
                    unknown += 1
                    top += count
                continue
            place = mark >> np.uint64(56)
            if stack.marks[place] != mark:  # merely counts, so an accident does no harm
                stack.marks[place] = mark
                weight = _UNKNOWN_OPTION
                if count == 1:
                    slot = np.int64(stack.parts[top, 2 * words + 1])
                    if slot >= 0 and has_value(table.entries, slot, words, known ^ target):
                        weight = _REFUTED_OPTION
                unknown += weight
        first = end
    return (mex_of(values, row) if unknown == 0 else -1), unknown


@inner
def expand(rules: Rules, table: Table, stack: Stack, depth: Int, like: Mask) -> Int:
    """List the different unknown options of a frame's position; -1 once an option is known to have the target."""
    state, numbers = stack.state, stack.numbers
    first, top = state[OPTIONS], state[PARTS]
    numbers[depth, FIRST], numbers[depth, PART_TOP] = first, top
    live, target = lying(stack.masks, depth, like), numbers[depth, TARGET]
    value, count = peek(rules, table, stack, live, target, NONE, stack.have, depth, ONE)
    if value == -2:
        return -1
    numbers[depth, COUNT] = count
    state[OPTIONS] = first + count
    if count:
        state[PARTS] = stack.options[first + count - 1, START] + stack.options[first + count - 1, LENGTH]
    return count


@inlined
def refresh(table: Table, stack: Stack, option: Int, like: Mask) -> Int:
    """Fold the parts of an option whose values have become known; return how many are left."""
    options, parts = stack.options, stack.parts
    start, length = options[option, START], options[option, LENGTH]
    i = 0
    while i < length:
        value = value_at(table, find(table, read(parts, start + i, like)))
        if value >= 0:
            options[option, KNOWN] ^= value
            length -= 1
            copy_row(parts, start + i, start + length)
        else:
            i += 1
    options[option, LENGTH] = length
    return length


@inlined
def order_options(rules: Rules, table: Table, stack: Stack, depth: Int, like: Mask) -> Int:
    """Sort a frame's options by how hard it looks to prove that one has the wanted value.

    Returns 1 once one has it, 0 when all are sorted, and 2 where it stopped because of ``state[MOST_PEEKS]``; then the
    next call goes on from there.

    An option looks easy where few of its options are unknown, and few smaller values are missing among them. One that
    has an option of the wanted value is left out. So is, unseen, the one to which that last move leads when it is made
    first, if the other move is still there then; and that move is what the next options are tried with first.
    """
    state, numbers, options = stack.state, stack.numbers, stack.options
    k = numbers[depth, K]
    first, count = numbers[depth, FIRST], numbers[depth, COUNT]
    words, value_words = len(like), stack.have.shape[1]
    option_of, start = stack.option_of, numbers[depth, NEXT]
    candidates, hint = numbers[depth, CANDIDATES], numbers[depth, HINT]
    if start == 0:
        candidates, hint = ZERO, NONE
        for option in range(first, first + count):
            option_of[options[option, MOVE]] = option
            options[option, REFUTED] = 0
    for option in range(first + start, first + count):
        if options[option, REFUTED]:
            continue
        length = options[option, LENGTH]
        if length > 0:
            length = refresh(table, stack, option, like)
            if length == 0:
                add_value(stack.have, depth, ZERO, options[option, KNOWN])
        if length == 0:
            if options[option, KNOWN] == k:
                return 1
            continue
        cost = 0
        if length == 1:
            part = read(stack.parts, options[option, START], like)
            target = options[option, KNOWN] ^ k
            # What is known not to be its value is in the table, or in a memory of what was looked at lately.
            rows, row = table.entries, find(table, part)
            if row < 0:
                rows, row = stack.seen, np.int64(hashed(part) & np.uint64(len(stack.seen) - 1))
                if not same(read(rows, row, like), part):
                    write(rows, row, part)
                    clear_values(rows, row, words, value_words)
            if has_value(rows, row, words, target):
                continue
            if state[PEEKS] >= state[MOST_PEEKS]:
                numbers[depth, NEXT], numbers[depth, CANDIDATES] = option - first, candidates
                numbers[depth, HINT] = hint
                return 2
            state[PEEKS] += 1
            live = lying(stack.parts, options[option, START], like)
            value, unknown = peek(rules, table, stack, live, target, hint, stack.looked, ZERO, ZERO)
            join_values(rows, row, words, stack.looked, ZERO, ZERO, value_words)
            if value == -2:
                hint = state[REFUTING]
                other = option_of[hint]
                found = first <= other and other < first + count and options[other, MOVE] == hint
                if found and not meets(read(rules.needs, options[option, MOVE], like), read(rules.kills, hint, like)):
                    options[other, REFUTED] = 1
                continue
            if value >= 64 * value_words:
                state[ANSWER] = value
                return 0
            if value >= 0:
                keep(table, state, part, value, stack.looked, ZERO, ZERO, ONE)
                options[option, KNOWN] ^= value
                options[option, LENGTH] = 0
                add_value(stack.have, depth, ZERO, options[option, KNOWN])
                if options[option, KNOWN] == k:
                    return 1
                continue
            cost = (unknown + 2 * _UNKNOWN_OPTION) * (1 + missing_below(rows, row, words, target))
        else:
            for i in range(options[option, START], options[option, START] + length):
                cost += _UNKNOWN_OPTION * mobility(rules, read(stack.parts, i, like))
        options[option, COST] = cost
        place = candidates
        while place > 0 and options[options[first + place - 1, ORDER], COST] > cost:
            options[first + place, ORDER] = options[first + place - 1, ORDER]
            place -= 1
        options[first + place, ORDER] = option
        candidates += 1
    numbers[depth, CANDIDATES] = candidates
    numbers[depth, CURRENT] = 0
    numbers[depth, NEXT] = 0
    write(stack.asked, depth, nothing(like))
    return 0
