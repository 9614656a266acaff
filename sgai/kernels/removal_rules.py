"""The moves of a removal game, in the form that all its kernels take."""

from typing import Any, NamedTuple

from sgai.kernels.jit import inlined
from sgai.kernels.masks import Int, Mask, inside, is_empty, lowest, read, without_lowest

NO_TWINS, PENDANT_TWINS, CLOSED_TWINS = 0, 1, 2


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
