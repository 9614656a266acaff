"""Kernels for nim-sequences of games that leave a heap as at most two heaps.

A game is two arrays: how many tokens may be taken, ascending, and for each what may be left (see the flags). Values are
kept up to a power of two; a kernel that meets a larger one returns, and goes on from there once there is room.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from sgai.kernels.jit import compiled

# What may be left after taking so many tokens: nothing, one heap, two heaps of any sizes, two unequal, two equal ones.
NOTHING, ONE, TWO, TWO_UNEQUAL, TWO_EQUAL = 1, 2, 4, 8, 16

Values = npt.NDArray[Any]  # uint16, or uint32 once a value is too large for that
Numbers = npt.NDArray[np.uint64]  # unsigned, so that the compiled code need not look for negative indices


@compiled
def extend(
    values: Values,
    start: int,
    stop: int,
    takes: Numbers,
    flags: Numbers,
    seen: Numbers,
    sparse: bool,
    is_rare: npt.NDArray[np.bool_],
    by_parity: int,
    parity: int,
    rares: Numbers,
    counters: Numbers,
) -> int:
    """Compute the values of the heaps from ``start`` to ``stop`` - 1.

    Without ``sparse`` a value is the mex of all options, as the definition says. With it, values are split into two
    classes, rare and common, such that the class of a nim-sum is the sum of the classes: a common option of two heaps
    has exactly one rare part. The least common value that no option has is therefore found from the rare heaps alone,
    and it is the answer once all rare values below it are seen among the options. That is tried with more and more
    pairs of heaps, all of them if need be, so the result is exact whatever the classes are.

    Sources: Berlekamp, Conway and Guy, *Winning Ways*, chapter 4 (sparse spaces); A. Flammenkamp's tables.

    Parameters
    ----------
    values : uint16 or uint32 array
        Values of all heaps below ``start``; filled in.
    start, stop : int
        The heaps to compute; ``start`` is 1 or more.
    takes, flags : uint64 arrays
        The game.
    seen : uint64 array
        Stamps, one for each possible value: the last heap that has an option of it. Its length is a power of two.
    sparse : bool
        Whether to go by way of the rare heaps.
    is_rare : bool array
        Whether a value belongs to the rare class, for heaps whose size has the given ``parity``.
    by_parity : int
        1 if the class is the other one for heaps of the other parity, else 0.
    parity : int
        The parity of the numbers that a splitting move takes.
    rares : uint64 array
        The rare heaps so far, ascending, with room for one more for every heap to compute.
    counters : uint64 array of length 1
        The number of rare heaps, kept up to date.

    Returns
    -------
    int
        ``stop``, or the first heap whose value has no room in ``seen``.
    """
    size = len(seen)
    zero, one = np.uint64(0), np.uint64(1)
    open_rares = np.zeros(size, dtype=np.int64)
    for n in range(start, stop):
        heap = np.uint64(n)
        rare_count = counters[0]
        longest = zero
        for i in range(len(takes)):
            if takes[i] > heap:
                break
            left = heap - takes[i]
            flag = flags[i]
            if left == 0:
                if flag & np.uint64(1):
                    seen[0] = heap
                continue
            if flag & np.uint64(2):
                seen[values[left]] = heap
            if flag & np.uint64(16) and left & one == 0:
                seen[0] = heap
            if flag & np.uint64(12):
                # The largest first part: without the middle one where the parts must be unequal.
                half = left >> one
                if not flag & np.uint64(4):
                    half = (left - one) >> one
                longest = max(longest, half)
                if not sparse:
                    for a in range(one, half + one):
                        seen[values[a] ^ values[left - a]] = heap
                    continue
                end = rare_count
                while end > zero and rares[end - one] >= left:
                    end -= one
                j = zero
                if not flag & np.uint64(4) and left & one == 0:
                    # Two equal parts are not allowed: stop before the heap that would be both.
                    while j < end and rares[j] < left >> one:
                        seen[values[rares[j]] ^ values[left - rares[j]]] = heap
                        j += one
                    if j < end and rares[j] == left >> one:
                        j += one
                while j < end:
                    a = rares[j]
                    seen[values[a] ^ values[left - a]] = heap
                    j += one
        if not sparse:
            least = 0
            while least < size and seen[least] == heap:
                least += 1
            if least >= size:
                return n
            values[heap] = least
            continue
        # The least common value that is free, and the rare values below it that are.
        flip = by_parity & (n - parity) & 1
        common = 0
        open_count = 0
        while common < size:
            if seen[common] != heap:
                if is_rare[common] == (flip != 0):
                    break
                open_rares[open_count] = common
                open_count += 1
            common += 1
        first = one
        while open_count > 0 and first <= longest:
            last = first + np.uint64(63)
            for i in range(len(takes)):
                flag = flags[i]
                if takes[i] + one + one > heap:
                    break
                if not flag & np.uint64(12):
                    continue
                left = heap - takes[i]
                half = left >> one
                if not flag & np.uint64(4):
                    half = (left - one) >> one
                until = min(last, half)
                for a in range(first, until + one):
                    seen[values[a] ^ values[left - a]] = heap
            # Those that are still open move to the front.
            still = 0
            for i in range(open_count):
                if seen[open_rares[i]] != heap:
                    open_rares[still] = open_rares[i]
                    still += 1
            open_count = still
            first = last + one
        least = common
        if open_count > 0:
            least = open_rares[0]
        if least >= size:
            return n
        values[heap] = least
        if is_rare[least] != (flip != 0):
            rares[rare_count] = heap
            counters[0] += one
    return stop


@compiled
def match_lengths(values: Values, lengths: npt.NDArray[np.int64]) -> None:
    """Find for every shift how far the sequence, read from its end, equals itself shifted by so much.

    Parameters
    ----------
    values : array
        The sequence.
    lengths : int64 array of the same length
        Gets at p the largest z with ``values[n] == values[n - p]`` for the last z places n.

    Notes
    -----
    The Z algorithm (D. Gusfield, *Algorithms on Strings, Trees, and Sequences*, 1997) on the reversed sequence: linear
    time.
    """
    count = len(values)
    left = 0
    right = 0
    lengths[0] = count
    for p in range(1, count):
        z = 0
        if p < right:
            z = min(right - p, lengths[p - left])
        while p + z < count and values[count - 1 - z] == values[count - 1 - p - z]:
            z += 1
        lengths[p] = z
        if p + z > right:
            left = p
            right = p + z
