"""The size of a position, by which results are told apart: heaps, tokens, live cells, components or moves."""

from collections.abc import Callable, Sequence
from typing import Any

from sgai.decomposition import decompose
from sgai.errors import UnsupportedError, quote
from sgai.parameters import check_choice
from sgai.ruleset import Ruleset
from sgai.rulesets.heaps import HeapRuleset
from sgai.rulesets.removal import RemovalRuleset

AnyRuleset = Ruleset[Any, Any]

SIZES = ("heaps", "tokens", "cells", "components", "moves")


def size_function(ruleset: AnyRuleset, by: str | None = None) -> tuple[str, Callable[[Any], int]]:
    """Return the name of a size and the function that gives it of a position.

    Parameters
    ----------
    ruleset : Ruleset
        The rules.
    by : str, optional
        "heaps" or "tokens" of heap games, "cells" (the live ones) of removal games, "components" that play as one, or
        "moves" (the legal ones). By default heaps, cells or components, by the kind of game.

    Raises
    ------
    UnsupportedError
        If the game has no such size.

    Examples
    --------
    >>> import sgai
    >>> name, size = size_function(sgai.load_ruleset("nim(piles=[3;4;5])"))
    >>> name, size((1, 4))
    ('heaps', 2)
    """
    is_heaps, is_cells = isinstance(ruleset, HeapRuleset), isinstance(ruleset, RemovalRuleset)
    if by is None:
        by = "heaps" if is_heaps else "cells" if is_cells else "components"
    check_choice("by", by, SIZES)
    if (by in ("heaps", "tokens") and not is_heaps) or (by == "cells" and not is_cells):
        raise UnsupportedError(
            f"by={by!r}: {quote(str(ruleset))} has no {by}; use "
            f"{'heaps, tokens, ' if is_heaps else 'cells, ' if is_cells else ''}components or moves"
        )
    functions: dict[str, Callable[[Any], int]] = {
        "heaps": len,
        "tokens": sum,
        "cells": int.bit_count,
        "components": lambda position: len(decompose(ruleset, position)),
        "moves": lambda position: sum(1 for _ in ruleset.moves(position)),
    }
    return by, functions[by]


def bins(sizes: Sequence[int], most: int = 10) -> list[tuple[int, int]]:
    """Return ranges, least and largest size, that hold all sizes: one for each size if there are few, else equal ones.

    Examples
    --------
    >>> bins([3, 1, 1, 2])
    [(1, 1), (2, 2), (3, 3)]
    >>> bins(range(1, 26), most=5)
    [(1, 5), (6, 10), (11, 15), (16, 20), (21, 25)]
    """
    if not sizes:
        return []
    least, largest = min(sizes), max(sizes)
    width = -(-(largest - least + 1) // most)
    ranges = [(low, min(low + width - 1, largest)) for low in range(least, largest + 1, width)]
    return [(low, high) for low, high in ranges if any(low <= size <= high for size in sizes)]
