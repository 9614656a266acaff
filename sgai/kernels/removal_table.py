"""What is known of the positions of a removal game, by a position's canonical form."""

from typing import Any, NamedTuple

import numpy as np

from sgai.kernels.jit import counting_nothing, inlined, inner_optimized
from sgai.kernels.masks import ZERO, Int, Mask, hashed, read, same, write
from sgai.kernels.removal_stack import USED
from sgai.kernels.value_sets import clear_values, join_values

ROOM = 4  # places an entry while the table may grow, so that the way to an empty one is short
PROBES = 8  # places of the table that an entry may stand in, counted from its hash
_UNKNOWN = 1  # in an entry: 1 is "no exact value yet", v + 2 is the value v


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
            value = max(value, value_at(table, slot))  # an exact one stays
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
