"""Walks over the options of a position as the search does, step by step, so that a benchmark can time the steps."""

from typing import Any

from sgai.kernels import masks
from sgai.kernels.jit import counting_nothing
from sgai.kernels.removal_forms import canonical
from sgai.kernels.removal_parts import connected_part, without_twins
from sgai.kernels.removal_rules import NO_TWINS, Rules
from sgai.kernels.removal_split import fold
from sgai.kernels.removal_stack import Stack
from sgai.kernels.removal_table import Table, find

MAKE, SPLIT, FORM, LOOK_UP, FOLD = range(5)


@counting_nothing
def walk_options(
    rules: Rules, table: Table, stack: Stack, positions: Any, step: Any, like: masks.Mask
) -> tuple[Any, Any]:
    """Make all options of positions and do with them what a step says.

    Parameters
    ----------
    rules, table, stack
        Those of a search.
    positions : uint64 array of shape (positions, words)
        Components in canonical form.
    step : int
        `MAKE` the options; `SPLIT` off their first part, `FORM`: make it canonical, `LOOK_UP`: find it in the table;
        or `FOLD`: all that the search does.
    like : tuple of uint64
        A mask of the right width.

    Returns
    -------
    tuple of int
        The number of options, and a number that depends on all results, so that none can be left out.
    """
    options, total = 0, 0
    for number in range(len(positions)):
        live = masks.read(positions, number, like)
        rest = live
        while not masks.is_empty(rest):
            cell = masks.lowest(rest)
            rest = masks.without_lowest(rest)
            for move in range(rules.first[cell], rules.first[cell + 1]):
                if not masks.inside(masks.read(rules.needs, move, live), live):
                    continue
                left = masks.without(live, masks.read(rules.kills, move, live))
                options += 1
                marked = masks.both(masks.read(rules.around, move, live), left)
                if step == MAKE or masks.is_empty(marked):
                    total += masks.size(left)
                elif step == FOLD:
                    known, count = fold(rules, table, stack, left, marked, 0)
                    total += known + count
                else:
                    if rules.twins != NO_TWINS:
                        left, marked = without_twins(rules, left, marked)
                    part = connected_part(rules, left, marked)
                    if step != SPLIT:
                        part, _ = canonical(rules, part)
                    total += find(table, part) if step == LOOK_UP else masks.size(part)
    return options, total
