"""One search for every removal game: Grundy values of positions that are sets of live cells.

A set of cells is one number of 64 to 512 bits, so that one source serves boards of any size; it is compiled for the
widths in use. All state is in arrays: a search stops where it must (nodes, a full table) and goes on where it stopped.
"""

from typing import Any

import numpy as np

from sgai.kernels.jit import counting_nothing, inlined
from sgai.kernels.masks import (
    NONE,
    ONE,
    ZERO,
    Int,
    Mask,
    cells,
    is_empty,
    lying,
    read,
    same,
    size,
    without_lowest,
    write,
)
from sgai.kernels.removal_forms import canonical
from sgai.kernels.removal_options import expand, order_options, refresh
from sgai.kernels.removal_parts import without_twins
from sgai.kernels.removal_rules import NO_TWINS, Rules
from sgai.kernels.removal_stack import (
    ANSWER,
    ASKED,
    BEGAN,
    CANDIDATES,
    CURRENT,
    DONE,
    FIRST,
    KNOWN,
    LENGTH,
    NEW,
    NEXT,
    NODES,
    OPTIONS,
    ORDER,
    PART,
    PARTS,
    PASS,
    PAUSED,
    PHASE,
    POOL_FULL,
    START,
    TABLE_FULL,
    TARGET,
    TOO_LARGE,
    TOP,
    TRY,
    USED,
    WAIT,
    K,
    Stack,
    copy_row,
    pop,
    push,
)
from sgai.kernels.removal_table import ROOM, Table, find, keep, value_at
from sgai.kernels.value_sets import add_value, has_value, mex_of

_ASKED_FOR = np.int64(128)  # nodes that what was asked for counts as, so that cheap entries make room before it does


@counting_nothing
def reduce(rules: Rules, table: Table, form: Any, part: Mask) -> tuple[Int, Int]:
    """Write the canonical form of a component into a row; return its value or -1, and its place in the table or -1."""
    live = cells(part)
    if rules.twins != NO_TWINS:
        live, _ = without_twins(rules, live, live)
    if is_empty(without_lowest(live)):
        write(form, ZERO, live)
        return ONE, NONE  # a component has a move
    live, lost = canonical(rules, live)
    write(form, ZERO, live)
    if lost:
        return ZERO, NONE
    slot = find(table, live)
    return value_at(table, slot), slot


@inlined
def try_option(table: Table, stack: Stack, depth: Int, like: Mask) -> Int:
    """Go on with a frame's options: 1 one has the wanted value, 0 none has, 2 a question was pushed."""
    numbers, options, parts = stack.numbers, stack.options, stack.parts
    k, words, most = numbers[depth, K], len(like), 64 * stack.have.shape[1]
    while numbers[depth, CURRENT] < numbers[depth, CANDIDATES]:
        option = options[numbers[depth, FIRST] + numbers[depth, CURRENT], ORDER]
        length = options[option, LENGTH]
        if length > 0:
            length = refresh(table, stack, option, like)
        if length == 0:
            add_value(stack.have, depth, ZERO, options[option, KNOWN])
            if options[option, KNOWN] == k:
                return 1
        else:
            # All parts but the largest must be known exactly; of that one only whether it completes the nim-sum.
            chosen = options[option, START]
            for i in range(chosen + 1, options[option, START] + length):
                if size(read(parts, i, like)) < size(read(parts, chosen, like)):
                    chosen = i
            part = read(parts, chosen, like)
            slot = find(table, part)
            if length == 1:
                asked = options[option, KNOWN] ^ k
                if slot < 0 or not has_value(table.entries, slot, words, asked):
                    numbers[depth, PART] = chosen
                    numbers[depth, PHASE] = WAIT
                    push(stack, part, lying(parts, chosen, like), asked)
                    return 2
            else:
                if not same(part, read(stack.asked, depth, like)):
                    write(stack.asked, depth, part)
                    numbers[depth, NEXT] = 0
                asked = numbers[depth, NEXT]
                while slot >= 0 and asked < most and has_value(table.entries, slot, words, asked):
                    asked += 1
                if asked >= most:
                    stack.state[ANSWER] = asked
                    return 2
                numbers[depth, ASKED] = asked
                numbers[depth, PART] = chosen
                numbers[depth, PHASE] = WAIT
                push(stack, part, lying(parts, chosen, like), asked)
                return 2
        numbers[depth, CURRENT] += 1
        numbers[depth, NEXT] = 0
    return 0


@counting_nothing
def search(
    rules: Rules, table: Table, stack: Stack, limit: Int, can_grow: bool, most_options: Int, most_parts: Int, like: Mask
) -> Int:
    """Answer the question on the stack, whether the value of a position is the one asked for.

    Every question is asked as in Lemoine and Viennot (*Nimbers are inevitable*, arXiv 1011.5841): first no option may
    have the value n, then for k = 0, 1, ... below n some option must have the value k. What is learned on the way
    (exact values, excluded values) stays in the table.

    Parameters
    ----------
    rules, table, stack
        The game, what is known, and where the search is.
    limit : Int
        Stop when so many nodes have been expanded, counted from the start of the search; ``state[MOST_PEEKS]`` is the
        same for positions whose options are looked at.
    can_grow : bool
        Whether to stop when the table is a quarter full.
    most_options, most_parts : Int
        Room that one position may need in the pools.
    like : tuple of uint64
        A mask of the right width.

    Returns
    -------
    int
        `DONE` (``state[ANSWER]`` is the exact value, or -1 if only "not that one" is known), `PAUSED`, `TABLE_FULL`,
        `POOL_FULL`, or `TOO_LARGE` if a value came up for which the sets of values have no room.
    """
    state, numbers = stack.state, stack.numbers
    most = 64 * stack.have.shape[1]
    while state[TOP] >= 0:
        depth = state[TOP]
        if state[ANSWER] >= most:
            return TOO_LARGE
        phase = numbers[depth, PHASE]
        n = numbers[depth, TARGET]
        found = 2  # 1: an option has the value k; 0: none has
        if phase == NEW:
            if state[NODES] >= limit:
                return PAUSED
            if can_grow and ROOM * state[USED] > len(table.tags):
                return TABLE_FULL
            if (
                state[OPTIONS] + most_options > len(stack.options)
                or state[PARTS] + most_parts > len(stack.parts)
                or depth + 1 >= len(stack.masks)
            ):
                return POOL_FULL
            state[NODES] += 1
            count = expand(rules, table, stack, depth, like)
            live = read(stack.masks, depth, like)
            if count < 0:
                if depth == 0 or find(table, live) >= 0:
                    keep(table, state, live, NONE, stack.have, depth, ZERO, _ASKED_FOR if depth == 0 else ZERO)
                pop(stack, depth, NONE)
                continue
            if count > 0:
                numbers[depth, K] = n
                numbers[depth, NEXT] = 0
                numbers[depth, PHASE] = PASS
                continue
            found = 0
            numbers[depth, K] = mex_of(stack.have, depth)
            if numbers[depth, K] >= most:
                return TOO_LARGE
            n = most  # so that the value is K below
        elif phase == WAIT:
            option = stack.options[numbers[depth, FIRST] + numbers[depth, CURRENT], ORDER]
            answer = state[ANSWER]
            if answer >= 0:
                last = stack.options[option, START] + stack.options[option, LENGTH] - 1
                copy_row(stack.parts, numbers[depth, PART], last)
                stack.options[option, KNOWN] ^= answer
                stack.options[option, LENGTH] -= 1
                numbers[depth, NEXT] = 0
            elif stack.options[option, LENGTH] == 1:
                numbers[depth, CURRENT] += 1
                numbers[depth, NEXT] = 0
            else:
                numbers[depth, NEXT] = numbers[depth, ASKED] + 1
            numbers[depth, PHASE] = TRY
        elif phase == PASS:
            found = order_options(rules, table, stack, depth, like)
            if found == 2:
                return PAUSED
            numbers[depth, PHASE] = TRY
            if found == 0:
                continue
        if phase == TRY:
            found = try_option(table, stack, depth, like)
        if found == 2:
            continue
        k = numbers[depth, K]
        answer = -2
        if found == 1:
            add_value(stack.have, depth, ZERO, k)
            if k == n:
                answer = -1
        elif k < n:
            answer = k  # all smaller values are there, and this one is not
        if answer == -2:
            k = mex_of(stack.have, depth)
            if k >= n:
                answer = n
            else:
                numbers[depth, K] = k
                numbers[depth, NEXT] = 0
                numbers[depth, PHASE] = PASS
                continue
        live = read(stack.masks, depth, like)
        nodes = state[NODES] - numbers[depth, BEGAN]
        keep(table, state, live, answer, stack.have, depth, ZERO, nodes if depth > 0 else max(nodes, _ASKED_FOR))
        pop(stack, depth, answer)
    return DONE
