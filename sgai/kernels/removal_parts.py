"""The components of a position of a removal game."""

from sgai.kernels.jit import inlined, inner
from sgai.kernels.masks import (
    Mask,
    both,
    either,
    inside,
    is_empty,
    lowest,
    meets,
    nothing,
    only,
    read,
    same,
    shifted_down,
    shifted_up,
    without,
    without_lowest,
)
from sgai.kernels.removal_rules import PENDANT_TWINS, Rules


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
