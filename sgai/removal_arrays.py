"""Turning the table of a removal game into the arrays that the compiled search works on."""

import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from sgai.cell_sets import Words, rows_of
from sgai.kernels.removal_rules import CLOSED_TWINS, NO_TWINS, PENDANT_TWINS, Rules
from sgai.rulesets.removal import RemovalTable, cells_of

WIDTHS = (1, 2, 4, 8)  # words of 64 bits
_MOST_SYMMETRIES = 32
_FEW_DISTANCES = 4  # up to here shifting whole sets is faster than going from cell to cell

_made: weakref.WeakKeyDictionary[RemovalTable, Rules] = weakref.WeakKeyDictionary()


class Symmetry(NamedTuple):
    """Where the cells go (-1: nowhere), and for a board what becomes of its rows and columns."""

    targets: list[int]
    turned: bool
    rows_flipped: bool
    columns_flipped: bool
    involution: bool


def words_for(cells: int) -> int:
    """Return how many words a set of cells takes.

    Examples
    --------
    >>> [words_for(cells) for cells in (1, 64, 65, 130, 300)]
    [1, 1, 2, 4, 8]
    """
    return next(width for width in WIDTHS if 64 * width >= cells)


def to_words(mask: int, words: int) -> tuple[Any, ...]:
    """Return a set of cells as the kernel takes it."""
    return tuple(np.uint64(mask >> 64 * i & 0xFFFF_FFFF_FFFF_FFFF) for i in range(words))


def rules_of(table: RemovalTable) -> Rules:
    """Return the arrays of a game whose cells fit the largest width; they are made once."""
    rules = _made.get(table)
    if rules is None:
        rules = _made[table] = make_rules(table)
    return rules


def make_rules(table: RemovalTable) -> Rules:
    """Make the arrays of a game."""
    words = words_for(table.cells)
    lows, order = _lowest_needed(table), move_order(table)
    first = np.searchsorted(np.sort(np.array(lows, dtype=np.int64)), np.arange(table.cells + 1))
    adjacent = witnessed_pairs(table)
    near = adjacent or table.neighbours
    around = []
    for move in order:
        touched = 0
        for cell in cells_of(table.kills[move]):
            touched |= near[cell]
        around.append(touched & ~table.kills[move])
    rows, columns = table.shape if table.shape is not None and table.translates else (0, 0)
    symmetries = list(_board_symmetries(table) if rows else _listed_symmetries(table))
    has_turned = any(each.turned for each in symmetries)
    distances = _distances(adjacent) if adjacent is not None else {}
    return Rules(
        needs=rows_of((table.needs[move] for move in order), words),
        kills=rows_of((table.kills[move] for move in order), words),
        first=first.astype(np.int64),
        adjacent=rows_of(near, words),
        single=rows_of([sum(need for need in set(table.needs) if need.bit_count() == 1)], words),
        distances=np.array(sorted(distances), dtype=np.int64),
        lower=rows_of((distances[each] for each in sorted(distances)), words),
        around=rows_of(around, words),
        connected=adjacent is not None,
        twins={"arc": PENDANT_TWINS, "node": CLOSED_TWINS}.get(table.graph_determined, NO_TWINS),
        columns=columns,
        rows=rows,
        row=np.array([cell // columns if columns else 0 for cell in range(table.cells)], dtype=np.int64),
        images=_byte_images([each.targets for each in symmetries], table.cells, words).reshape(-1, words),
        bytes=-(-table.cells // 8),
        targets=np.array([each.targets for each in symmetries], dtype=np.int64).reshape(-1, table.cells),
        turned=np.array([each.turned for each in symmetries], dtype=np.int64),
        flipped=np.array([each[2:4] for each in symmetries], dtype=np.int64).reshape(-1, 2),
        involution=np.array([each.involution for each in symmetries], dtype=np.int64),
        side=min(rows, columns) if has_turned else 0,
        all_flips=rows > 0 and len(symmetries) == (7 if has_turned else 3),
        first_row=rows_of([(1 << columns) - 1], words),
    )


def move_order(table: RemovalTable) -> list[int]:
    """Return the moves of a table in the order in which the kernel has them, by the lowest cell that they need.

    Examples
    --------
    >>> import sgai
    >>> move_order(sgai.load_ruleset("cram(rows=2,columns=2)").table)
    [0, 1, 2, 3]
    """
    lows = _lowest_needed(table)
    return sorted(range(len(lows)), key=lows.__getitem__)


def _lowest_needed(table: RemovalTable) -> list[int]:
    return [(need & -need).bit_length() - 1 for need in table.needs]


def witnessed_pairs(table: RemovalTable) -> list[int] | None:
    """Return a graph whose connected parts are the components of every position, or None where this finds none.

    Two cells are joined if, while both are live, each is needed by a legal move and one such move touches both. That
    tells the components if the cells that a move needs are connected so, and all that it kills are beside one of them.

    Examples
    --------
    >>> import sgai
    >>> witnessed_pairs(sgai.load_ruleset("cram(rows=2,columns=2)").table)
    [6, 9, 9, 6]
    """
    alone = {need for need in table.needs if need.bit_count() == 1}
    needed_by: dict[tuple[int, int], set[int]] = {}
    for need, kill in zip(table.needs, table.kills, strict=True):
        cells = list(cells_of(need))
        if len(cells) == 2:
            needed_by.setdefault((cells[0], cells[1]), set()).update(cells)
        elif len(cells) == 1:
            for other in cells_of(kill & ~need):
                pair = (min(cells[0], other), max(cells[0], other))
                needed_by.setdefault(pair, set()).add(cells[0])
    adjacent = [0] * table.cells
    for pair, needed in needed_by.items():
        if all(cell in needed or 1 << cell in alone for cell in pair):
            adjacent[pair[0]] |= 1 << pair[1]
            adjacent[pair[1]] |= 1 << pair[0]
    for need, kill in zip(table.needs, table.kills, strict=True):
        reached = edge = need & -need
        while edge:
            cell = edge.bit_length() - 1
            new = adjacent[cell] & need & ~reached
            reached |= new
            edge = edge ^ 1 << cell | new
        if reached != need or any(not adjacent[cell] & need for cell in cells_of(kill & ~need)):
            return None
    return adjacent


def _distances(adjacent: list[int]) -> dict[int, int]:
    # For each distance of two joined cells the lower ones; nothing where there are many distances.
    lower: dict[int, int] = {}
    for cell, near in enumerate(adjacent):
        for other in cells_of(near >> cell + 1 << cell + 1):
            lower[other - cell] = lower.get(other - cell, 0) | 1 << cell
    return lower if len(lower) <= _FEW_DISTANCES else {}


def _listed_symmetries(table: RemovalTable) -> Iterator[Symmetry]:
    for targets in table.symmetries[1 : 1 + _MOST_SYMMETRIES]:
        own_inverse = all(targets[targets[cell]] == cell for cell in range(table.cells))
        yield Symmetry(list(targets), False, False, False, own_inverse)


def _board_symmetries(table: RemovalTable) -> Iterator[Symmetry]:
    assert table.shape is not None
    rows, columns = table.shape
    side, known = min(rows, columns), set(table.symmetries)
    for turned in (False, True) if table.transposes else (False,):
        for down, right in ((False, False), (True, False), (False, True), (True, True)):
            flipped = [
                (rows - 1 - r if down else r) * columns + (columns - 1 - c if right else c)
                for r in range(rows)
                for c in range(columns)
            ]
            if tuple(flipped) not in known or not (turned or down or right):
                continue
            targets = flipped
            if turned:
                # Only boxes in the square in the corner are turned, so no other cell needs a place to go to.
                targets = [-1] * table.cells
                for r in range(side):
                    for c in range(side):
                        targets[r * columns + c] = flipped[c * columns + r]
            yield Symmetry(targets, turned, down, right, not turned or down == right)


def _byte_images(targets: list[list[int]], cells: int, words: int) -> Words:
    count = (cells + 7) // 8
    images = np.zeros((len(targets), count, 256, words), dtype=np.uint64)
    for symmetry, goes_to in enumerate(targets):
        for cell, target in enumerate(goes_to):
            if target >= 0:
                holding = np.flatnonzero(np.arange(256) >> (cell & 7) & 1)
                images[symmetry, cell >> 3, holding, target >> 6] |= np.uint64(1 << (target & 63))
    return images
