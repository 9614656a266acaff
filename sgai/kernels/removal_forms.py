"""One component for all that are equal by shift or symmetry."""

from typing import Any

import numpy as np

from sgai.kernels.jit import inlined, inlined_optimized, inner
from sgai.kernels.masks import (
    ZERO,
    Int,
    Mask,
    before,
    both,
    byte_at,
    either,
    highest,
    inside,
    is_empty,
    lowest,
    meets,
    nothing,
    only,
    read,
    reversed_cells,
    same,
    shifted_down,
    shifted_up,
    without_lowest,
)
from sgai.kernels.removal_rules import Rules

# Symmetries of a board that has all: upside down, left to right, both; then transposed, and that with each of these.
_TRANSPOSITION = np.int64(3)


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
