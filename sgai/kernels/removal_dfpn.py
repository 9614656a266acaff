"""Depth-first proof-number search on removal games, for questions such as "has this component the value k?".

A node is a component X beside a nim-heap *k. The player to move loses exactly if the value of X is k, so proving that
gives an exact value and disproving it excludes one, and both go into the table of the alpha-beta search, which is
shared. What has several unsolved components is no node: the smaller ones are asked for their values, one value after
the other, until one component is left beside a nim-heap.

Depth-first proof-number search is A. Nagai's (*Df-pn algorithm for searching AND/OR trees and its applications*, 2002);
with Grundy numbers it is the subject of Cizek, Balko and Schmid, arXiv 2511.10339.
"""

from typing import Any, NamedTuple

import numpy as np

from sgai.kernels import masks
from sgai.kernels.jit import counting_nothing, inlined, inner
from sgai.kernels.masks import NONE, ONE, ZERO, Int, Mask
from sgai.kernels.removal_options import expand, peek, refresh
from sgai.kernels.removal_rules import Rules, mobility
from sgai.kernels.removal_stack import (
    ASKED,
    BEGAN,
    COST,
    COUNT,
    CURRENT,
    DONE,
    FIRST,
    KNOWN,
    LENGTH,
    NODES,
    OPTIONS,
    ORDER,
    PART,
    PART_TOP,
    PARTS,
    PAUSED,
    PEEKS,
    PHASE,
    POOL_FULL,
    START,
    TABLE_FULL,
    TARGET,
    TOO_LARGE,
    TOP,
    USED,
    Stack,
    pop,
    push,
)
from sgai.kernels.removal_table import ROOM, Table, find, keep, value_at
from sgai.kernels.value_sets import add_value, has_value, join_values, mex_of, missing_below

# Places in `Proofs.answer`: the numbers of the question that was answered last.
PHI, DELTA = range(2)

INFINITE = 1 << 30  # the proof number of what is disproved

# The phases of a frame, in `Stack.numbers`.
_NEW, _CHOOSE, _WAIT = range(3)
# Columns of `Stack.numbers` and of `Stack.options` that have another use here.
_HEAP, _CHOSEN = TARGET, CURRENT
_PHI, _DELTA = COST, ORDER

PROBES = 4  # places of the table of numbers that an entry may stand in
_SLACK = 4  # a node is left only when it looks a quarter worse than its best sibling: fewer ways back and forth


class Proofs(NamedTuple):
    """What proof-number search has beside the stack and the table of values."""

    limits: Any  # (depth, 2) int64: a frame is left once its numbers reach these
    answer: Any  # (2,) int64
    entries: Any  # (places, words + 2) uint64: the component, then heap + 1 and work, then both numbers


@inlined
def _home(proofs: Proofs, part: Mask, heap: Int) -> Int:
    h = masks.hashed(part) + np.uint64(heap) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((h ^ (h >> np.uint64(31))) & np.uint64(len(proofs.entries) - PROBES))


@inlined
def find_numbers(proofs: Proofs, part: Mask, heap: Int) -> Int:
    """Return the place of a node in the table of numbers, or -1."""
    place = _home(proofs, part, heap)
    for slot in range(place, place + PROBES):
        if np.int64(proofs.entries[slot, len(part)] & np.uint64(0xFFFFFFFF)) == heap + 1 and masks.same(
            masks.read(proofs.entries, slot, part), part
        ):
            return slot
    return -1


@inner
def keep_numbers(proofs: Proofs, part: Mask, heap: Int, phi: Int, delta: Int, nodes: Int) -> None:
    """Store the numbers of a node; where all places are taken, the one that took the fewest nodes makes room."""
    entries, words = proofs.entries, len(part)
    chosen = find_numbers(proofs, part, heap)
    if chosen < 0:
        chosen = _home(proofs, part, heap)
        for slot in range(chosen + 1, chosen + PROBES):
            if entries[slot, words] >> np.uint64(32) < entries[chosen, words] >> np.uint64(32):
                chosen = slot
        masks.write(entries, chosen, part)
        entries[chosen, words] = np.uint64(0)
    work = (entries[chosen, words] >> np.uint64(32)) + np.uint64(nodes)
    entries[chosen, words] = np.uint64(heap + 1) | (min(work, np.uint64(0xFFFFFFFF)) << np.uint64(32))
    entries[chosen, words + 1] = np.uint64(phi) << np.uint64(32) | np.uint64(delta)


@inlined
def _forget_numbers(proofs: Proofs, part: Mask, heap: Int) -> None:
    slot = find_numbers(proofs, part, heap)
    if slot >= 0:
        for i in range(len(part) + 2):
            proofs.entries[slot, i] = np.uint64(0)


@inlined
def read_phi(proofs: Proofs, slot: Int) -> Int:
    """Return the proof number of an entry."""
    return np.int64(proofs.entries[slot, proofs.entries.shape[1] - 1] >> np.uint64(32))


@inlined
def read_delta(proofs: Proofs, slot: Int) -> Int:
    """Return the disproof number of an entry."""
    return np.int64(proofs.entries[slot, proofs.entries.shape[1] - 1] & np.uint64(0xFFFFFFFF))


@counting_nothing
def read_numbers(proofs: Proofs, rows: Any, heaps: Any, found: Any, like: Mask) -> None:
    """Write both numbers and the work of the nodes that are kept into rows of ``found``."""
    for i in range(len(rows)):
        slot = find_numbers(proofs, masks.read(rows, i, like), heaps[i])
        if slot >= 0:
            found[i, 0], found[i, 1] = read_phi(proofs, slot), read_delta(proofs, slot)
            found[i, 2] = np.int64(proofs.entries[slot, len(like)] >> np.uint64(32))


@inner
def estimate(
    rules: Rules, table: Table, stack: Stack, proofs: Proofs, counts: Any, option: Int, k: Int, like: Mask
) -> None:
    """Give an option its numbers: those kept, or a guess from its own options without searching them."""
    options, parts, words = stack.options, stack.parts, len(like)
    phi: Int = 1
    delta: Int = 1
    length = refresh(table, stack, option, like)
    if length == 1:
        part, heap = masks.read(parts, options[option, START], like), options[option, KNOWN] ^ k
        slot = find(table, part)
        if slot >= 0 and has_value(table.entries, slot, words, heap):
            phi, delta = 0, INFINITE
        else:
            kept = find_numbers(proofs, part, heap)
            if kept >= 0:
                phi, delta = read_phi(proofs, kept), read_delta(proofs, kept)
            else:
                stack.state[PEEKS] += 1
                value, unknown = peek(rules, table, stack, part, heap, NONE, stack.looked, ZERO, ZERO)
                if value == -2:
                    phi, delta = 0, INFINITE
                elif value >= 0:
                    if value < 64 * stack.have.shape[1]:
                        keep(table, counts, part, value, stack.looked, ZERO, ZERO, ONE)
                    options[option, KNOWN] ^= value
                    length = 0
                else:
                    # It is lost if all of these are won, and all smaller values are there.
                    delta = (unknown + 2) * (2 + missing_below(stack.looked, ZERO, ZERO, heap)) // 2
                    keep_numbers(proofs, part, heap, phi, delta, ZERO)
        options[option, LENGTH] = length
    elif length > 1:
        # One component at least must be evaluated.
        phi = INFINITE
        for i in range(options[option, START], options[option, START] + length):
            phi = min(phi, 1 + mobility(rules, masks.read(parts, i, like)))
        delta = phi
    if length == 0:
        won = options[option, KNOWN] != k
        phi, delta = (0, INFINITE) if won else (INFINITE, 0)
    options[option, _PHI], options[option, _DELTA] = phi, delta


@inner
def open_part(rules: Rules, table: Table, stack: Stack, proofs: Proofs, counts: Any, depth: Int, like: Mask) -> Int:
    """List a frame's options that are not known to be won: 0, or 1 where one is lost, so that the frame is won."""
    state, numbers, options = stack.state, stack.numbers, stack.options
    k = numbers[depth, _HEAP]
    count = expand(rules, table, stack, depth, like)
    if count < 0:
        numbers[depth, COUNT] = 0
        return 1
    live, first, values = masks.read(stack.masks, depth, like), numbers[depth, FIRST], 64 * stack.have.shape[1]
    if count == 0:
        value = mex_of(stack.have, depth)
        if value >= values:
            return -1
        keep(table, counts, live, value, stack.have, depth, ZERO, ONE)
        return 1 if value != k else 0
    for option in range(first, first + count):
        estimate(rules, table, stack, proofs, counts, option, k, like)
        if options[option, _DELTA] == 0:
            add_value(stack.have, depth, ZERO, k)
            return 1
    slot = find(table, live)
    if slot >= 0:
        join_values(stack.have, depth, ZERO, table.entries, slot, len(like), stack.have.shape[1])
    # The nim-heap's own options.
    masks.write(stack.parts, state[PARTS], live)
    for heap in range(k):
        if not has_value(stack.have, depth, ZERO, heap):
            option = first + count
            options[option, KNOWN] = heap ^ k
            options[option, START] = state[PARTS]
            options[option, LENGTH] = 1
            kept = find_numbers(proofs, live, heap)
            options[option, _PHI] = read_phi(proofs, kept) if kept >= 0 else 1
            options[option, _DELTA] = (
                read_delta(proofs, kept)
                if kept >= 0
                else numbers[depth, COUNT] + missing_below(stack.have, depth, ZERO, heap)
            )
            count += 1
    state[PARTS] += 1
    state[OPTIONS] = first + count
    numbers[depth, COUNT] = count
    return 0


@inner
def _push(stack: Stack, proofs: Proofs, part: Mask, heap: Int, phi: Int, delta: Int) -> None:
    push(stack, part, part, heap)
    depth = stack.state[TOP]
    proofs.limits[depth, PHI], proofs.limits[depth, DELTA] = phi, delta


@inner
def _close(
    table: Table, stack: Stack, proofs: Proofs, counts: Any, depth: Int, phi: Int, delta: Int, like: Mask
) -> None:
    """Answer the question of the top frame with its numbers, keep what they say, and give its room back."""
    state, numbers = stack.state, stack.numbers
    if depth > 0:
        live, k = masks.read(stack.masks, depth, like), numbers[depth, _HEAP]
        nodes = state[NODES] - numbers[depth, BEGAN]
        if delta == 0:
            keep(table, counts, live, k, stack.have, depth, ZERO, nodes)
            _forget_numbers(proofs, live, k)
        elif phi == 0:
            if numbers[depth, COUNT] > 0 and value_at(table, find(table, live)) < 0:
                add_value(stack.have, depth, ZERO, k)
                keep(table, counts, live, NONE, stack.have, depth, ZERO, nodes)
            _forget_numbers(proofs, live, k)
        else:
            keep_numbers(proofs, live, k, phi, delta, nodes)
    pop(stack, depth, ZERO)
    proofs.answer[PHI], proofs.answer[DELTA] = phi, delta


@inner
def _choose(stack: Stack, depth: Int) -> tuple[Int, Int, Int, Int]:
    """Drop won options; return both numbers of a frame, its best option and the disproof number of the second best."""
    options, numbers = stack.options, stack.numbers
    first = numbers[depth, FIRST]
    phi, second, best, delta = INFINITE, INFINITE, -1, 0
    option, end = first, first + numbers[depth, COUNT]
    while option < end:
        if options[option, _PHI] == 0:
            end -= 1
            for i in range(options.shape[1]):
                options[option, i] = options[end, i]
            continue
        if options[option, _DELTA] < phi:
            phi, second, best = options[option, _DELTA], phi, option
        elif options[option, _DELTA] < second:
            second = options[option, _DELTA]
        delta = max(delta, options[option, _PHI])
        option += 1
    numbers[depth, COUNT] = end - first
    # Options share most of what is below them, so adding their numbers would count that many times.
    if end > first:
        delta = min(INFINITE, delta + end - first - 1)
    return phi, delta, best, second


@counting_nothing
def ask(stack: Stack, proofs: Proofs, positions: Any, count: Int, heap: Int, like: Mask) -> None:
    """Ask who wins a sum of components in canonical form and a nim-heap; what was asked before is given up."""
    state = stack.state
    state[TOP], state[OPTIONS], state[PARTS] = -1, 1, count
    _push(stack, proofs, masks.nothing(like), 0, INFINITE, INFINITE)
    for i in range(count):
        masks.write(stack.parts, i, masks.read(positions, i, like))
    stack.options[0, KNOWN], stack.options[0, START], stack.options[0, LENGTH] = heap, 0, count
    stack.options[0, _PHI], stack.options[0, _DELTA] = 1, 1
    stack.numbers[0, FIRST], stack.numbers[0, COUNT], stack.numbers[0, PART_TOP] = 0, 1, 0
    stack.numbers[0, PHASE] = _CHOOSE


@counting_nothing
def search(
    rules: Rules,
    table: Table,
    stack: Stack,
    proofs: Proofs,
    counts: Any,
    limit: Int,
    can_grow: bool,
    most_options: Int,
    most_parts: Int,
    like: Mask,
) -> Int:
    """Go on with the question on the stack; at the end ``proofs.answer`` holds a player to move's numbers before it.

    Parameters
    ----------
    rules, table
        The game, and what is known.
    stack, proofs
        Where this search is; its own, not those of the alpha-beta search.
    counts : int64 array
        The state of the search that owns the table, which counts its entries.
    limit : Int
        Stop when so many nodes have been expanded, counted from the start of the search.
    can_grow : bool
        Whether to stop when the table is a quarter full.
    most_options, most_parts : Int
        Room that one position may need in the pools.
    like : tuple of uint64
        A mask of the right width.

    Returns
    -------
    int
        `DONE`, `PAUSED`, `TABLE_FULL`, `POOL_FULL`, or `TOO_LARGE` if a value came up for which there is no room.
    """
    state, numbers, options = stack.state, stack.numbers, stack.options
    words, values = len(like), 64 * stack.have.shape[1]
    while state[TOP] >= 0:
        depth = state[TOP]
        phase, k = numbers[depth, PHASE], numbers[depth, _HEAP]
        if phase == _NEW:
            live = masks.read(stack.masks, depth, like)
            slot = find(table, live)
            value = value_at(table, slot)
            numbers[depth, FIRST], numbers[depth, COUNT] = state[OPTIONS], 0
            numbers[depth, PART_TOP] = state[PARTS]
            if value >= 0:
                pop(stack, depth, ZERO)
                proofs.answer[PHI], proofs.answer[DELTA] = (INFINITE, 0) if value == k else (0, INFINITE)
                continue
            if k >= values and k <= mobility(rules, live):
                return TOO_LARGE
            if k >= values or (slot >= 0 and has_value(table.entries, slot, words, k)):
                pop(stack, depth, ZERO)
                proofs.answer[PHI], proofs.answer[DELTA] = 0, INFINITE
                continue
            if state[NODES] >= limit:
                return PAUSED
            if can_grow and ROOM * counts[USED] > len(table.tags):
                return TABLE_FULL
            if (
                state[OPTIONS] + most_options + values > len(options)
                or state[PARTS] + most_parts + 1 > len(stack.parts)
                or depth + 1 >= len(stack.masks)
            ):
                return POOL_FULL
            state[NODES] += 1
            numbers[depth, ASKED] = -1
            found = open_part(rules, table, stack, proofs, counts, depth, like)
            if found < 0:
                return TOO_LARGE
            if found > 0:
                _close(table, stack, proofs, counts, depth, 0, INFINITE, like)
                continue
            numbers[depth, PHASE] = _CHOOSE
        changed = -1  # an option that has fewer unknown components than before
        if phase == _WAIT:
            numbers[depth, PHASE] = _CHOOSE
            option, phi, delta = numbers[depth, _CHOSEN], proofs.answer[PHI], proofs.answer[DELTA]
            if options[option, LENGTH] == 1:
                options[option, _PHI], options[option, _DELTA] = phi, delta
            elif delta == 0:
                last = options[option, START] + options[option, LENGTH] - 1
                masks.write(stack.parts, numbers[depth, PART], masks.read(stack.parts, last, like))
                options[option, KNOWN] ^= numbers[depth, ASKED]
                options[option, LENGTH] -= 1
                changed = option
        if changed < 0:
            phi, delta, best, second = _choose(stack, depth)
            if phi >= proofs.limits[depth, PHI] or delta >= proofs.limits[depth, DELTA] or phi == 0 or delta == 0:
                _close(table, stack, proofs, counts, depth, phi, delta, like)
                continue
            if options[best, LENGTH] > 1:
                before = options[best, LENGTH]
                if refresh(table, stack, best, like) < before:
                    changed = best
        if changed >= 0:
            numbers[depth, ASKED] = -1
            estimate(rules, table, stack, proofs, counts, changed, k, like)
            continue
        start = options[best, START]
        chosen = start
        for i in range(start + 1, start + options[best, LENGTH]):
            if masks.size(masks.read(stack.parts, i, like)) < masks.size(masks.read(stack.parts, chosen, like)):
                chosen = i
        part = masks.read(stack.parts, chosen, like)
        if options[best, LENGTH] == 1:
            limit_phi, limit_delta = proofs.limits[depth, DELTA], proofs.limits[depth, PHI]
            if limit_phi < INFINITE:
                limit_phi -= numbers[depth, COUNT] - 1
            limit_delta = min(limit_delta, second + 1 + second // _SLACK)
            asked = options[best, KNOWN] ^ k
        else:
            # Which value it has must be known, whatever that takes.
            limit_phi, limit_delta = INFINITE, INFINITE
            asked = 0
            if numbers[depth, _CHOSEN] == best and numbers[depth, PART] == chosen:
                asked = numbers[depth, ASKED] + 1
            slot = find(table, part)
            while slot >= 0 and asked < values and has_value(table.entries, slot, words, asked):
                asked += 1
        numbers[depth, _CHOSEN], numbers[depth, PART], numbers[depth, ASKED] = best, chosen, asked
        numbers[depth, PHASE] = _WAIT
        _push(stack, proofs, part, asked, limit_phi, limit_delta)
    return DONE
