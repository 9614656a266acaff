"""Steppers for many games at once: they check, make and choose moves, one for each game.

The functions are plain, so that they also work, slowly, where nothing is compiled. Game i is row i of every array.
Those that make moves are to be called with legal moves only: see `first_illegal_heaps` and `first_illegal_cells`.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

Array = Any


class Kernels(NamedTuple):
    """The functions of this module, compiled or plain."""

    first_illegal_heaps: Callable[..., int]
    play_heaps: Callable[..., None]
    choose_heaps: Callable[..., None]
    first_illegal_cells: Callable[..., int]
    play_cells: Callable[..., None]
    choose_cells: Callable[..., None]


def plain_kernels() -> Kernels:
    """Return the functions as they are."""
    return Kernels(first_illegal_heaps, play_heaps, choose_heaps, first_illegal_cells, play_cells, choose_cells)


@functools.cache
def compiled_kernels() -> Kernels:
    """Return functions that are compiled when they are first called."""
    from sgai.kernels.jit import counting_nothing  # numba is loaded with it

    plain: tuple[Callable[..., Any], ...] = plain_kernels()
    return Kernels(*map(counting_nothing, plain))


def first_illegal_heaps(heap: Array, counts: Array, actions: Array, active: Array) -> int:
    """Return the first game that is active and whose action is no legal move, or -1.

    Parameters
    ----------
    heap : int64 array of shape (moves,)
        As in `sgai.heap_moves.HeapMoves`.
    counts : float32 array of shape (games, largest heap)
        How many heaps of size n + 1 there are.
    actions : int64 array of shape (games,)
        The moves, any integers.
    active : bool array of shape (games,)
        Which games are looked at.
    """
    for i in range(len(actions)):
        if active[i]:
            move = actions[i]
            if move < 0 or move >= len(heap) or counts[i, heap[move] - 1] == 0:
                return i
    return -1


def play_heaps(
    heap: Array, first: Array, starts: Array, parts: Array,
    counts: Array, legal: Array, mask: Array, actions: Array, active: Array,
) -> None:  # fmt: skip
    """Make a legal move in every active game.

    Parameters
    ----------
    heap, first, starts, parts : int64 arrays
        As in `sgai.heap_moves.HeapMoves`.
    counts, actions, active
        As in `first_illegal_heaps`; the counts are changed.
    legal : int64 array of shape (games,)
        The number of legal moves; changed.
    mask : bool array of shape (games, moves), or (games, 0) if not wanted
        Which moves are legal; changed.
    """
    masked = mask.shape[1] > 0
    for i in range(len(actions)):
        if not active[i]:
            continue
        move = actions[i]
        size = heap[move]
        counts[i, size - 1] -= 1
        if counts[i, size - 1] == 0:
            legal[i] -= first[size + 1] - first[size]
            if masked:
                for other in range(first[size], first[size + 1]):
                    mask[i, other] = False
        for at in range(starts[move], starts[move + 1]):
            size = parts[at]
            counts[i, size - 1] += 1
            if counts[i, size - 1] == 1:
                legal[i] += first[size + 1] - first[size]
                if masked:
                    for other in range(first[size], first[size + 1]):
                        mask[i, other] = True


def choose_heaps(first: Array, counts: Array, legal: Array, draws: Array, actions: Array, active: Array) -> None:
    """Choose a legal move in every active game, all alike likely; 0 where there is none.

    Parameters
    ----------
    first, counts, legal, active
        As in `play_heaps`.
    draws : int64 array of shape (games,)
        Random numbers from 0 to 2**32 - 1.
    actions : int64 array of shape (games,)
        Filled in.
    """
    largest = counts.shape[1]
    for i in range(len(actions)):
        if not active[i]:
            continue
        actions[i] = 0
        if legal[i] > 0:
            pick = (draws[i] * legal[i]) >> 32
            for size in range(1, largest + 1):
                if counts[i, size - 1] > 0:
                    many = first[size + 1] - first[size]
                    if pick < many:
                        actions[i] = first[size] + pick
                        break
                    pick -= many


def first_illegal_cells(mask: Array, actions: Array, active: Array) -> int:
    """Return the first game that is active and whose action is no legal move, or -1; as `first_illegal_heaps`."""
    for i in range(len(actions)):
        if active[i]:
            move = actions[i]
            if move < 0 or move >= mask.shape[1] or not mask[i, move]:
                return i
    return -1


def play_cells(
    kill_starts: Array, kills: Array, need_starts: Array, needed_by: Array,
    live: Array, legal: Array, mask: Array, actions: Array, active: Array,
) -> None:  # fmt: skip
    """Make a legal move of a removal game in every active game.

    Parameters
    ----------
    kill_starts, kills : int64 arrays of shapes (moves + 1,) and (cells killed by all moves,)
        Move m kills the cells ``kills[kill_starts[m]]`` to ``kills[kill_starts[m + 1] - 1]``.
    need_starts, needed_by : int64 arrays of shapes (cells + 1,) and (cells needed by all moves,)
        Likewise for each cell the moves that need it.
    live : float32 array of shape (games, cells)
        1 for live cells; changed.
    legal, mask, actions, active
        As in `play_heaps`; there is always a mask.

    Notes
    -----
    A cell dies once, so a whole game takes time linear in the needs of all moves and in the kills of those made.
    """
    for i in range(len(actions)):
        if not active[i]:
            continue
        move = actions[i]
        for at in range(kill_starts[move], kill_starts[move + 1]):
            cell = kills[at]
            if live[i, cell] != 0:
                live[i, cell] = 0
                for place in range(need_starts[cell], need_starts[cell + 1]):
                    other = needed_by[place]
                    if mask[i, other]:
                        mask[i, other] = False
                        legal[i] -= 1


def choose_cells(mask: Array, eights: Array, legal: Array, draws: Array, actions: Array, active: Array) -> None:
    """Choose a legal move in every active game, all alike likely; 0 where there is none; as `choose_heaps`.

    Parameters
    ----------
    eights : int64 array of shape (games, moves / 8)
        The mask, whose rows are filled up with False, seen as words of eight bytes.
    """
    for i in range(len(actions)):
        if not active[i]:
            continue
        actions[i] = 0
        if legal[i] > 0:
            pick = (draws[i] * legal[i]) >> 32
            for place in range(eights.shape[1]):
                # The sum of the eight bytes, each 0 or 1.
                many = eights[i, place]
                many += many >> 32
                many += many >> 16
                many = (many + (many >> 8)) & 15
                if pick < many:
                    move = 8 * place
                    while pick > 0 or not mask[i, move]:
                        pick -= mask[i, move]
                        move += 1
                    actions[i] = move
                    break
                pick -= many
