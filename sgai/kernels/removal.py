"""One kernel for every removal game: Grundy values of positions that are sets of live cells.

A set of cells is a tuple of 64-bit words, so that one source serves boards of any size; it is compiled for the widths
in use. All state is in arrays: a search stops where it must (nodes, a full table) and goes on where it stopped.
"""

from typing import Any, NamedTuple

import numpy as np

from sgai.kernels.jit import counting_nothing, inlined, inlined_optimized, inner, inner_optimized
from sgai.kernels.masks import (
    NONE,
    ONE,
    ZERO,
    Int,
    Mask,
    Word,
    before,
    both,
    byte_at,
    cells,
    either,
    has,
    hashed,
    highest,
    inside,
    is_empty,
    lowest,
    lying,
    meets,
    nothing,
    ones,
    only,
    read,
    read_at,
    reversed_cells,
    same,
    shifted_down,
    shifted_up,
    size,
    trailing_zeros,
    without,
    without_lowest,
    write,
    write_at,
)

NO_TWINS, PENDANT_TWINS, CLOSED_TWINS = 0, 1, 2

# What `search` returns.
DONE, PAUSED, TABLE_FULL, POOL_FULL, TOO_LARGE = range(5)

# Places in `Stack.state`.
TOP, OPTIONS, PARTS, ANSWER, NODES, HITS, USED, STAMP, PEEKS, REFUTING, MOST_PEEKS = range(11)
STATE_SIZE = 11

# Symmetries of a board that has all: upside down, left to right, both; then transposed, and that with each of these.
_TRANSPOSITION = np.int64(3)

# The phases of a frame.
_NEW, _PASS, _TRY, _WAIT = 0, 1, 2, 3

ROOM = 4  # places an entry while the table may grow, so that the way to an empty one is short
PROBES = 8  # places of the table that an entry may stand in, counted from its hash
_ASKED_FOR = np.int64(128)  # nodes that what was asked for counts as, so that cheap entries make room before it does
_UNKNOWN_OPTION, _REFUTED_OPTION = 4, 3  # how much harder an option makes it to prove a value; the second was tried out
_UNKNOWN = 1  # in an entry: 1 is "no exact value yet", v + 2 is the value v


class Rules(NamedTuple):
    """The moves of a game and what may be done with its positions; every set is a row of words.

    Moves are sorted by the lowest cell that they need: those of cell c are ``first[c]`` to ``first[c + 1]`` - 1.
    """

    needs: Any  # (moves, words)
    kills: Any  # (moves, words)
    first: Any  # (cells + 1,)
    adjacent: Any  # (cells, words): components are connected parts of this graph, if `connected`
    single: Any  # (1, words): cells that a move needs alone
    distances: Any  # (few,): where neighbours' numbers differ by few distances, these
    lower: Any  # (few, words): the cells that have a neighbour so far up
    around: Any  # (moves, words): neighbours of what a move kills
    connected: bool  # whether `adjacent` tells the components; else they are found from the legal moves
    twins: Int  # which cells may be dropped beside a twin
    columns: Int  # of the board, if positions may be shifted; else 0
    rows: Int
    row: Any  # (cells,)
    images: Any  # (symmetries * bytes * 256, words): where the cells of each byte go
    bytes: Int  # of a board
    targets: Any  # (symmetries, cells): where each cell goes, -1 for nowhere
    turned: Any  # (symmetries,): whether rows become columns; then only boxes of `side` fit
    flipped: Any  # (symmetries, 2): whether the order of rows, and of columns, is reversed
    involution: Any  # (symmetries,)
    side: int  # 0 if rows may not become columns
    all_flips: bool  # whether a board has all symmetries of a rectangle, and of a square if `side`
    first_row: Any  # (1, words)


class Stack(NamedTuple):
    """Everything that a search has to remember when it stops."""

    state: Any  # (STATE_SIZE,) int64
    masks: Any  # (depth, 2 * words): the position of each frame, in canonical form and as it lies on the board
    asked: Any  # (depth, words): the part whose exact value is being found
    numbers: Any  # (depth, NUMBERS) int64
    have: Any  # (depth, value words): values that options have
    looked: Any  # (1, value words): those of the position that was looked at last
    options: Any  # (pool, 7) int64: nim-sum of known parts, first part, number of parts, cost, place in the order, move
    # that leads there, whether an option of it is known to have the wanted value
    parts: Any  # (pool, 2 * words + 2): canonical form, the part as it lies; hash of the form, its place in the table
    option_of: Any  # (moves,) int64: the option to which a move leads, if that option names it as its move
    marks: Any  # (256,) uint64
    seen: Any  # (power of two, words + value words): values that positions looked at lately do not have
    forms: Any  # (power of two, 2 * words + 1): canonical forms met lately, by component
    splits: Any  # (power of two, 3 * words + 1): positions split lately: what is known, and the part that is not


# Columns of `Stack.numbers`.
_PHASE, TARGET, _K, _FIRST, _COUNT, _CURRENT, _CANDIDATES, _NEXT, _PART, _PART_TOP, BEGAN, _ASKED, _HINT = range(13)
NUMBERS = 13
# Columns of `Stack.options`.
_KNOWN, _START, _LENGTH, _COST, _ORDER, _MOVE, _REFUTED = range(7)
OPTION_SIZE = 7


@inlined
def copy_row(rows: Any, to: Int, number: Int) -> None:
    """Copy a row over another one."""
    for i in range(rows.shape[1]):
        rows[to, i] = rows[number, i]


# Sets of values: words of a row, from a place on


@inlined
def add_value(rows: Any, row: Int, place: Int, value: Int) -> None:
    """Put a value into a set."""
    rows[row, place + (value >> 6)] |= np.uint64(1) << np.uint64(value & 63)


@inlined
def has_value(rows: Any, row: Int, place: Int, value: Int) -> Any:
    """Tell whether a value is in a set."""
    return (rows[row, place + (value >> 6)] >> np.uint64(value & 63)) & np.uint64(1) != np.uint64(0)


@inlined
def mex_of(rows: Any, row: Int) -> Int:
    """Return the least value that is not in the set that is a whole row; 64 times its words where all are."""
    for i in range(rows.shape[1]):
        if rows[row, i] != ~np.uint64(0):
            return 64 * i + trailing_zeros(~rows[row, i])
    return 64 * rows.shape[1]


@inlined
def missing_below(rows: Any, row: Int, place: Int, value: Int) -> Int:
    """Return how many smaller values are not in a set."""
    last = value >> 6
    missing = ones(((np.uint64(1) << np.uint64(value & 63)) - np.uint64(1)) & ~rows[row, place + last])
    for i in range(last):
        missing += ones(~rows[row, place + i])
    return missing


@inlined
def join_values(rows: Any, row: Int, place: Int, others: Any, other: Int, there: Int, count: Int) -> None:
    """Put all values of another set into a set."""
    for i in range(count):
        rows[row, place + i] |= others[other, there + i]


@inlined
def clear_values(rows: Any, row: Int, place: Int, count: Int) -> None:
    """Empty a set."""
    for i in range(count):
        rows[row, place + i] = np.uint64(0)


# The table


class Table(NamedTuple):
    """What is known of positions; an entry stands in one of a few places, counted from its hash (open addressing)."""

    entries: Any  # (places, words + value words + 1): the position, values that it does not have, value and work
    tags: Any  # (places,) uint8: 0 where nothing is, else bits of the hash, so that most misses are seen here


@inlined
def home(table: Table, h: Any) -> Int:
    """Return the first place for a hash; the table has 2^k + `PROBES` - 1 places."""
    return np.int64(h & np.uint64(len(table.tags) - PROBES))


@inlined
def tag_of(h: Any) -> Any:
    """Return the tag for a hash, never 0."""
    return np.uint8((h >> np.uint64(57)) | np.uint64(128))


@inlined
def find(table: Table, mask: Mask) -> Int:
    """Return the place of a position in the table, or -1."""
    return find_hashed(table, mask, hashed(mask))


@inlined
def find_hashed(table: Table, mask: Mask, h: Any) -> Int:
    """Return the place of a position with that hash in the table, or -1."""
    place, tag = home(table, h), tag_of(h)
    for slot in range(place, place + PROBES):
        if table.tags[slot] == tag and same(read(table.entries, slot, mask), mask):
            return slot
        if table.tags[slot] == np.uint8(0):
            return -1
    return -1


@inlined
def value_at(table: Table, slot: Int) -> Int:
    """Return the exact value of an entry, or -1; also for the place -1."""
    if slot < 0:
        return -1
    return np.int64(table.entries[slot, table.entries.shape[1] - 1] & np.uint64(0xFFFF)) - 2


@inner_optimized
def keep(table: Table, state: Any, mask: Mask, value: Int, rows: Any, row: Int, place: Int, nodes: Int) -> None:
    """Store what was found: a value, or -1 and the set of values that it is not; and how many nodes that took.

    Where all places are taken, the entry that took the fewest nodes makes room.
    """
    entries, words = table.entries, len(mask)
    last = entries.shape[1] - 1
    work = np.uint64(0)
    while nodes > 0 and work < np.uint64(60):
        nodes >>= 1
        work += np.uint64(1)
    h = hashed(mask)
    start, fresh = home(table, h), True
    chosen, least = start, np.uint64(1000)
    for slot in range(start, start + PROBES):
        if table.tags[slot] == np.uint8(0):
            chosen = slot
            state[USED] += 1
            break
        if same(read(entries, slot, mask), mask):
            work = max(work, entries[slot, last] >> np.uint64(16))
            chosen, fresh = slot, False
            break
        if entries[slot, last] >> np.uint64(16) < least:
            least = entries[slot, last] >> np.uint64(16)
            chosen = slot
    if fresh:
        clear_values(entries, chosen, words, last - words)
        write(entries, chosen, mask)
        table.tags[chosen] = tag_of(h)
    if value < 0:
        join_values(entries, chosen, words, rows, row, place, last - words)
    entries[chosen, last] = np.uint64(value + 2 if value >= 0 else _UNKNOWN) | (work << np.uint64(16))


@counting_nothing
def keep_form(table: Table, state: Any, form: Any, value: Int, nodes: Int, like: Mask) -> None:
    """Store the value of a position in canonical form, the first row of an array."""
    keep(table, state, read(form, ZERO, like), value, form, ZERO, ZERO, nodes)


@counting_nothing
def move_all(source: Table, target: Table, state: Any, like: Mask) -> None:
    """Copy all entries into a larger empty table."""
    last = source.entries.shape[1] - 1
    state[USED] = 0
    for slot in range(len(source.tags)):
        if source.tags[slot] != np.uint8(0):
            work = (np.int64(1) << np.int64(source.entries[slot, last] >> np.uint64(16))) >> 1
            mask = read(source.entries, slot, like)
            keep(target, state, mask, value_at(source, slot), source.entries, slot, np.int64(len(like)), work)


# Components and their canonical forms


@inlined
def connected_on_board(rules: Rules, live: Mask, marked: Mask, part: Mask) -> Mask:
    """Do what `connected_part` does from a first cell on, where neighbours' numbers differ by one of two distances."""
    near, far = rules.distances[0], rules.distances[1]
    below_near, below_far = read(rules.lower, 0, live), read(rules.lower, 1, live)
    above_near, above_far = both(live, shifted_up(below_near, near)), both(live, shifted_up(below_far, far))
    below_near, below_far = both(live, below_near), both(live, below_far)
    while not inside(marked, part):
        grown = either(part, both(shifted_up(part, near), above_near))
        grown = either(grown, both(shifted_down(part, near), below_near))
        grown = either(grown, both(shifted_up(grown, far), above_far))
        grown = either(grown, both(shifted_down(grown, far), below_far))
        if same(grown, part):
            return part
        part = grown
    return live


@inlined
def connected_part(rules: Rules, live: Mask, marked: Mask) -> Mask:
    """Return the connected part of the lowest marked cell, given that every part has a marked cell; all if none has."""
    if is_empty(marked):
        return live
    part = only(lowest(marked), live)
    if len(rules.distances) == 2:
        return connected_on_board(rules, live, marked, part)
    if len(rules.distances) > 0:
        while not inside(marked, part):
            near = nothing(live)
            for i in range(len(rules.distances)):
                lower = read(rules.lower, i, live)
                near = either(near, shifted_up(both(part, lower), rules.distances[i]))
                near = either(near, both(shifted_down(part, rules.distances[i]), lower))
            near = without(both(near, live), part)
            if is_empty(near):
                return part
            part = either(part, near)
        return live
    edge = part
    while not is_empty(edge):
        if inside(marked, part):
            return live
        cell = lowest(edge)
        new = without(both(read(rules.adjacent, cell, live), live), part)
        part = either(part, new)
        edge = either(without_lowest(edge), new)
    return part


@inner
def joined_part(rules: Rules, live: Mask) -> Mask:
    """Return the cells that legal moves join to the first one of them; the empty set where no move is legal."""
    needed = nothing(live)
    part = nothing(live)
    rest = live
    while not is_empty(rest):
        cell = lowest(rest)
        rest = without_lowest(rest)
        for move in range(rules.first[cell], rules.first[cell + 1]):
            need = read(rules.needs, move, live)
            if inside(need, live):
                if is_empty(part):
                    part = need
                needed = either(needed, need)
    grown = True
    while grown:
        grown = False
        rest = needed
        while not is_empty(rest):
            cell = lowest(rest)
            rest = without_lowest(rest)
            for move in range(rules.first[cell], rules.first[cell + 1]):
                need = read(rules.needs, move, live)
                if inside(need, live):
                    touched = either(need, both(read(rules.kills, move, live), needed))
                    if meets(touched, part) and not inside(touched, part):
                        part = either(part, touched)
                        grown = True
    return part


@inlined
def without_pendant_twins(rules: Rules, live: Mask, marked: Mask) -> tuple[Mask, Mask]:
    """Do what `without_twins` does for all cells at once, where neighbours' numbers differ by few distances."""
    once, more = nothing(live), nothing(live)  # cells with one neighbour at least, and with two
    for i in range(len(rules.distances)):
        lower = both(both(live, read(rules.lower, i, live)), shifted_down(live, rules.distances[i]))
        upper = shifted_up(lower, rules.distances[i])
        more = either(more, either(both(once, either(lower, upper)), both(lower, upper)))
        once = either(once, either(lower, upper))
    pendant = without(once, more)
    holders, dropped = nothing(live), nothing(live)  # cells beside a pendant one, and those that are not needed
    for i in range(len(rules.distances)):
        lower, distance = read(rules.lower, i, live), rules.distances[i]
        for below in range(2):
            if below:
                holder = both(live, shifted_up(both(pendant, lower), distance))
                twin = shifted_down(both(holder, holders), distance)
            else:
                holder = both(both(live, lower), shifted_down(pendant, distance))
                twin = shifted_up(both(holder, holders), distance)
            marked = either(marked, both(holder, holders))
            holders = either(holders, holder)
            dropped = either(dropped, twin)
    return without(live, dropped), without(marked, dropped)


@inlined
def without_twins(rules: Rules, live: Mask, marked: Mask) -> tuple[Mask, Mask]:
    """Drop cells beside which another one does as well; only the marked ones, which lost a neighbour, can be new ones.

    Returns what is left, and marks that every part of it still has one of.

    Where moves take two neighbours: of the cells whose only neighbour is the same cell only one can ever be taken, and
    it does not matter which. Where they take a cell with its neighbours: taking one of two neighbours that have the
    same neighbours besides is the same as taking the other.
    """
    if rules.twins == PENDANT_TWINS and len(rules.distances) > 0:
        return without_pendant_twins(rules, live, marked)
    kept, changed = live, marked
    while not is_empty(changed):
        cell = lowest(changed)
        changed = without_lowest(changed)
        near = both(read(rules.adjacent, cell, live), kept)
        if is_empty(near):
            continue
        if rules.twins == PENDANT_TWINS:
            if is_empty(without_lowest(near)):
                others = without(both(read(rules.adjacent, lowest(near), live), kept), only(cell, live))
                while not is_empty(others):
                    other = lowest(others)
                    others = without_lowest(others)
                    if same(both(read(rules.adjacent, other, live), kept), near):
                        kept = without(kept, only(cell, live))
                        marked = either(marked, near)
                        break
        else:
            closed = either(near, only(cell, live))
            while not is_empty(near):
                other = lowest(near)
                near = without_lowest(near)
                if same(either(both(read(rules.adjacent, other, live), kept), only(other, live)), closed):
                    kept = without(kept, only(cell, live))
                    marked = either(marked, only(other, live))
                    break
    return kept, both(marked, kept)


@inlined
def image(rules: Rules, symmetry: Int, live: Mask) -> Mask:
    """Return where a symmetry takes the cells."""
    mask = nothing(live)
    for part in range((highest(live) >> 3) + 1):
        byte = byte_at(live, 8 * part)
        mask = either(mask, read(rules.images, 256 * (rules.bytes * symmetry + part) + byte, live))
    return mask


@inner
def mirrored(rules: Rules, live: Mask, symmetry: Int, shift: Int) -> Any:
    """Tell whether the second player can answer every move by its image, for a symmetry that is its own inverse."""
    rest = live
    while not is_empty(rest):
        cell = lowest(rest)
        rest = without_lowest(rest)
        for move in range(rules.first[cell], rules.first[cell + 1]):
            need = read(rules.needs, move, live)
            if inside(need, live):
                answer = nothing(live)
                while not is_empty(need):
                    answer = either(answer, only(rules.targets[symmetry, lowest(need)] - shift, live))
                    need = without_lowest(need)
                if meets(answer, read(rules.kills, move, live)):
                    return False
    return True


@inlined
def upside_down(rules: Rules, live: Mask, high: Int) -> Mask:
    """Reverse the order of the rows of a box in the corner."""
    row = read(rules.first_row, ZERO, live)
    flipped = nothing(live)
    for r in range(high):
        one = both(shifted_down(live, r * rules.columns), row)
        flipped = either(flipped, shifted_up(one, (high - 1 - r) * rules.columns))
    return flipped


@inlined
def turned_round(live: Mask, last: Int) -> Mask:
    """Turn a box in the corner by 180 degrees; its last cell has the number ``last``."""
    return shifted_down(reversed_cells(live), 64 * len(live) - 1 - last)


@inlined_optimized
def canonical(rules: Rules, live: Mask) -> tuple[Mask, Any]:
    """Return one component for all that are equal by shift or symmetry, and whether symmetry makes its value 0."""
    high, wide = 0, 0
    if rules.columns > 0:
        top = rules.row[lowest(live)]
        high = rules.row[highest(live)] - top + 1
        live = shifted_down(live, top * rules.columns)
        row, columns = read(rules.first_row, ZERO, live), nothing(live)
        for r in range(high):
            columns = either(columns, both(shifted_down(live, r * rules.columns), row))
        left = lowest(columns)
        wide = highest(columns) + 1 - left
        live = shifted_down(live, left)
        if rules.all_flips:
            return of_box(rules, live, high, wide)
    best, lost = live, False
    for symmetry in range(len(rules.turned)):
        shift = 0
        if rules.turned[symmetry]:
            if high > rules.side or wide > rules.side:
                continue
            if rules.flipped[symmetry, 0]:
                shift += (rules.rows - wide) * rules.columns
            if rules.flipped[symmetry, 1]:
                shift += rules.columns - high
        elif rules.columns > 0:
            if rules.flipped[symmetry, 0]:
                shift += (rules.rows - high) * rules.columns
            if rules.flipped[symmetry, 1]:
                shift += rules.columns - wide
        turned = shifted_down(image(rules, symmetry, live), shift)
        if before(turned, best):
            best = turned
        elif not lost and rules.involution[symmetry] and same(turned, live):
            lost = mirrored(rules, live, symmetry, shift)
    return best, lost


@inlined
def of_box(rules: Rules, live: Mask, high: Int, wide: Int) -> tuple[Mask, Any]:
    """Do the same for a box in the corner of a board with all its symmetries, without going from cell to cell.

    Boxes that fit either way lie down, so only those of as many rows as columns have eight images, the others four.
    """
    if high > wide and high <= rules.side:
        live = image(rules, _TRANSPOSITION, live)
        high, wide = wide, high
    last = (high - 1) * rules.columns + wide - 1
    best, lost = live, False
    other = live
    for turned in range(2 if high == wide and high <= rules.side else 1):
        if turned:
            other = image(rules, _TRANSPOSITION, live)
            if before(other, best):
                best = other
            elif not lost and same(other, live):
                lost = mirrored(rules, live, _TRANSPOSITION, ZERO)
        down = upside_down(rules, other, high)
        for way in range(3):
            if way == 0:
                flipped = down
            elif way == 1:
                flipped = turned_round(down, last)
            else:
                flipped = turned_round(other, last)
            if before(flipped, best):
                best = flipped
            elif not lost and same(flipped, live) and (not turned or way == 2):
                # A quarter turn is not its own inverse.
                shift = (rules.rows - high) * rules.columns if way != 1 else 0
                if way != 0:
                    shift += rules.columns - wide
                lost = mirrored(rules, live, turned * (1 + _TRANSPOSITION) + way, shift)
    return best, lost


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


@inlined
def list_option(
    stack: Stack, option: Int, others: Int, known: Int, start: Int, length: Int, mark: Word, move: Int, like: Mask
) -> Any:
    """Write an option after the ``others`` before it, unless one of them is like it; tell whether it is new."""
    options, parts = stack.options, stack.parts
    cost = np.int64(mark >> np.uint64(2))
    for other in range(option - others, option):
        alike = options[other, _COST] == cost and options[other, _KNOWN] == known
        if alike and options[other, _LENGTH] == length:
            equal = True
            for i in range(start, start + length):
                found = False
                for j in range(options[other, _START], options[other, _START] + length):
                    found |= same(read(parts, i, like), read(parts, j, like))
                equal &= found
            if equal:
                return False
    options[option, _KNOWN] = known
    options[option, _START] = start
    options[option, _LENGTH] = length
    options[option, _COST] = cost
    options[option, _MOVE] = move
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


@inlined
def mobility(rules: Rules, live: Mask) -> Int:
    """Return the number of legal moves."""
    total = 0
    rest = live
    while not is_empty(rest):
        cell = lowest(rest)
        rest = without_lowest(rest)
        for move in range(rules.first[cell], rules.first[cell + 1]):
            if inside(read(rules.needs, move, live), live):
                total += 1
    return total


# The search


@inner
def expand(rules: Rules, table: Table, stack: Stack, depth: Int, like: Mask) -> Int:
    """List the different unknown options of a frame's position; -1 once an option is known to have the target."""
    state, numbers = stack.state, stack.numbers
    first, top = state[OPTIONS], state[PARTS]
    numbers[depth, _FIRST], numbers[depth, _PART_TOP] = first, top
    live, target = lying(stack.masks, depth, like), numbers[depth, TARGET]
    value, count = peek(rules, table, stack, live, target, NONE, stack.have, depth, ONE)
    if value == -2:
        return -1
    numbers[depth, _COUNT] = count
    state[OPTIONS] = first + count
    if count:
        state[PARTS] = stack.options[first + count - 1, _START] + stack.options[first + count - 1, _LENGTH]
    return count


@inlined
def refresh(table: Table, stack: Stack, option: Int, like: Mask) -> Int:
    """Fold the parts of an option whose values have become known; return how many are left."""
    options, parts = stack.options, stack.parts
    start, length = options[option, _START], options[option, _LENGTH]
    i = 0
    while i < length:
        value = value_at(table, find(table, read(parts, start + i, like)))
        if value >= 0:
            options[option, _KNOWN] ^= value
            length -= 1
            copy_row(parts, start + i, start + length)
        else:
            i += 1
    options[option, _LENGTH] = length
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
    k = numbers[depth, _K]
    first, count = numbers[depth, _FIRST], numbers[depth, _COUNT]
    words, value_words = len(like), stack.have.shape[1]
    option_of, start = stack.option_of, numbers[depth, _NEXT]
    candidates, hint = numbers[depth, _CANDIDATES], numbers[depth, _HINT]
    if start == 0:
        candidates, hint = ZERO, NONE
        for option in range(first, first + count):
            option_of[options[option, _MOVE]] = option
            options[option, _REFUTED] = 0
    for option in range(first + start, first + count):
        if options[option, _REFUTED]:
            continue
        length = options[option, _LENGTH]
        if length > 0:
            length = refresh(table, stack, option, like)
            if length == 0:
                add_value(stack.have, depth, ZERO, options[option, _KNOWN])
        if length == 0:
            if options[option, _KNOWN] == k:
                return 1
            continue
        cost = 0
        if length == 1:
            part = read(stack.parts, options[option, _START], like)
            target = options[option, _KNOWN] ^ k
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
                numbers[depth, _NEXT], numbers[depth, _CANDIDATES] = option - first, candidates
                numbers[depth, _HINT] = hint
                return 2
            state[PEEKS] += 1
            live = lying(stack.parts, options[option, _START], like)
            value, unknown = peek(rules, table, stack, live, target, hint, stack.looked, ZERO, ZERO)
            join_values(rows, row, words, stack.looked, ZERO, ZERO, value_words)
            if value == -2:
                hint = state[REFUTING]
                other = option_of[hint]
                found = first <= other and other < first + count and options[other, _MOVE] == hint
                if found and not meets(read(rules.needs, options[option, _MOVE], like), read(rules.kills, hint, like)):
                    options[other, _REFUTED] = 1
                continue
            if value >= 64 * value_words:
                state[ANSWER] = value
                return 0
            if value >= 0:
                keep(table, state, part, value, stack.looked, ZERO, ZERO, ONE)
                options[option, _KNOWN] ^= value
                options[option, _LENGTH] = 0
                add_value(stack.have, depth, ZERO, options[option, _KNOWN])
                if options[option, _KNOWN] == k:
                    return 1
                continue
            cost = (unknown + 2 * _UNKNOWN_OPTION) * (1 + missing_below(rows, row, words, target))
        else:
            for i in range(options[option, _START], options[option, _START] + length):
                cost += _UNKNOWN_OPTION * mobility(rules, read(stack.parts, i, like))
        options[option, _COST] = cost
        place = candidates
        while place > 0 and options[options[first + place - 1, _ORDER], _COST] > cost:
            options[first + place, _ORDER] = options[first + place - 1, _ORDER]
            place -= 1
        options[first + place, _ORDER] = option
        candidates += 1
    numbers[depth, _CANDIDATES] = candidates
    numbers[depth, _CURRENT] = 0
    numbers[depth, _NEXT] = 0
    write(stack.asked, depth, nothing(like))
    return 0


@inlined
def push(stack: Stack, mask: Mask, as_it_lies: Mask, target: Int) -> None:
    """Ask whether the value of a position, in canonical form and as it lies on the board, is ``target``."""
    state = stack.state
    state[TOP] += 1
    depth = state[TOP]
    write(stack.masks, depth, mask)
    write_at(stack.masks, depth, len(mask), as_it_lies)
    stack.numbers[depth, _PHASE] = _NEW
    stack.numbers[depth, TARGET] = target
    stack.numbers[depth, BEGAN] = state[NODES]


@inlined
def pop(stack: Stack, depth: Int, answer: Int) -> None:
    """Answer the question of the top frame, and give its room back."""
    state, numbers = stack.state, stack.numbers
    state[OPTIONS], state[PARTS] = numbers[depth, _FIRST], numbers[depth, _PART_TOP]
    state[TOP] -= 1
    state[ANSWER] = answer


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
    k, words, most = numbers[depth, _K], len(like), 64 * stack.have.shape[1]
    while numbers[depth, _CURRENT] < numbers[depth, _CANDIDATES]:
        option = options[numbers[depth, _FIRST] + numbers[depth, _CURRENT], _ORDER]
        length = options[option, _LENGTH]
        if length > 0:
            length = refresh(table, stack, option, like)
        if length == 0:
            add_value(stack.have, depth, ZERO, options[option, _KNOWN])
            if options[option, _KNOWN] == k:
                return 1
        else:
            # All parts but the largest must be known exactly; of that one only whether it completes the nim-sum.
            chosen = options[option, _START]
            for i in range(chosen + 1, options[option, _START] + length):
                if size(read(parts, i, like)) < size(read(parts, chosen, like)):
                    chosen = i
            part = read(parts, chosen, like)
            slot = find(table, part)
            if length == 1:
                asked = options[option, _KNOWN] ^ k
                if slot < 0 or not has_value(table.entries, slot, words, asked):
                    numbers[depth, _PART] = chosen
                    numbers[depth, _PHASE] = _WAIT
                    push(stack, part, lying(parts, chosen, like), asked)
                    return 2
            else:
                if not same(part, read(stack.asked, depth, like)):
                    write(stack.asked, depth, part)
                    numbers[depth, _NEXT] = 0
                asked = numbers[depth, _NEXT]
                while slot >= 0 and asked < most and has_value(table.entries, slot, words, asked):
                    asked += 1
                if asked >= most:
                    stack.state[ANSWER] = asked
                    return 2
                numbers[depth, _ASKED] = asked
                numbers[depth, _PART] = chosen
                numbers[depth, _PHASE] = _WAIT
                push(stack, part, lying(parts, chosen, like), asked)
                return 2
        numbers[depth, _CURRENT] += 1
        numbers[depth, _NEXT] = 0
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
        phase = numbers[depth, _PHASE]
        n = numbers[depth, TARGET]
        found = 2  # 1: an option has the value k; 0: none has
        if phase == _NEW:
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
                numbers[depth, _K] = n
                numbers[depth, _NEXT] = 0
                numbers[depth, _PHASE] = _PASS
                continue
            found = 0
            numbers[depth, _K] = mex_of(stack.have, depth)
            if numbers[depth, _K] >= most:
                return TOO_LARGE
            n = most  # so that the value is K below
        elif phase == _WAIT:
            option = stack.options[numbers[depth, _FIRST] + numbers[depth, _CURRENT], _ORDER]
            answer = state[ANSWER]
            if answer >= 0:
                last = stack.options[option, _START] + stack.options[option, _LENGTH] - 1
                copy_row(stack.parts, numbers[depth, _PART], last)
                stack.options[option, _KNOWN] ^= answer
                stack.options[option, _LENGTH] -= 1
                numbers[depth, _NEXT] = 0
            elif stack.options[option, _LENGTH] == 1:
                numbers[depth, _CURRENT] += 1
                numbers[depth, _NEXT] = 0
            else:
                numbers[depth, _NEXT] = numbers[depth, _ASKED] + 1
            numbers[depth, _PHASE] = _TRY
        elif phase == _PASS:
            found = order_options(rules, table, stack, depth, like)
            if found == 2:
                return PAUSED
            numbers[depth, _PHASE] = _TRY
            if found == 0:
                continue
        if phase == _TRY:
            found = try_option(table, stack, depth, like)
        if found == 2:
            continue
        k = numbers[depth, _K]
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
                numbers[depth, _K] = k
                numbers[depth, _NEXT] = 0
                numbers[depth, _PHASE] = _PASS
                continue
        live = read(stack.masks, depth, like)
        nodes = state[NODES] - numbers[depth, BEGAN]
        keep(table, state, live, answer, stack.have, depth, ZERO, nodes if depth > 0 else max(nodes, _ASKED_FOR))
        pop(stack, depth, answer)
    return DONE
