"""Kernels for compounds on explicit graphs: remoteness, suspense, foreclosed values and outcomes.

The graph is in compressed sparse rows: the options of state v are the states ``targets[starts[v]]`` to
``targets[starts[v + 1] - 1]``. States are done in an order in which each comes behind all its options.

The functions are plain, and read and write arrays or lists alike: lists are faster as long as nothing is compiled.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

ENDED, INFINITE = -1, -2  # foreclosed values that are no numbers

Numbers = Any  # an array or a list of integers


class Kernels(NamedTuple):
    """The functions of this module, compiled or plain."""

    extremes: Callable[..., None]
    foreclosed: Callable[..., None]
    outcomes: Callable[..., None]


def plain_kernels() -> Kernels:
    """Return the functions as they are."""
    return Kernels(extremes, foreclosed, outcomes)


@functools.cache
def compiled_kernels() -> Kernels:
    """Return the compiled functions."""
    from sgai.kernels.jit import compiled  # numba is loaded with it

    return Kernels(compiled(extremes), compiled(foreclosed), compiled(outcomes))


def extremes(
    starts: Numbers,
    targets: Numbers,
    order: Numbers,
    first: int,
    stop: int,
    lost: int,
    is_fast: int,
    values: Numbers,
) -> None:
    """Compute remoteness or suspense of the states ``order[first]`` to ``order[stop - 1]``.

    Parameters
    ----------
    starts, targets : arrays
        The graph.
    order : array
        States, each behind all those that it leads to.
    first, stop : int
        Which of them to do now; those before are done.
    lost : 0 or 1
        The parity of lost positions: 0 under normal play, where the end (0) is lost, 1 under misere play.
    is_fast : 0 or 1
        1 for remoteness: the winner hurries and the loser delays; 0 for suspense, the other way round.
    values : array, one for each state
        Filled in.
    """
    for place in range(first, stop):
        vertex = order[place]
        winning, losing = -1, -1
        for edge in range(starts[vertex], starts[vertex + 1]):
            value = values[targets[edge]]
            if value & 1 == lost:
                if winning < 0 or (value < winning if is_fast else value > winning):
                    winning = value
            elif losing < 0 or (value > losing if is_fast else value < losing):
                losing = value
        # Without options both are -1, and the value is 0.
        values[vertex] = 1 + (winning if winning >= 0 else losing)


def foreclosed(
    starts: Numbers,
    targets: Numbers,
    order: Numbers,
    first: int,
    stop: int,
    is_misere: int,
    seen: Numbers,
    values: Numbers,
) -> None:
    """Compute foreclosed Grundy values of the states ``order[first]`` to ``order[stop - 1]``.

    Parameters
    ----------
    starts, targets, order, first, stop : arrays and int
        As in `extremes`.
    is_misere : 0 or 1
        Whether an option that has ended is no more than left out (1), or wins at once, which is `INFINITE` (0).
    seen : array of zeros, two more than the most options of a state
        Stamps: ``seen[x]`` is v + 1 if an option of v, the last state evaluated, has the value x.
    values : array, one for each state
        Filled in: the mex over the options with values from 0, or `ENDED` or `INFINITE`.
    """
    for place in range(first, stop):
        vertex = order[place]
        value = 0
        if starts[vertex] == starts[vertex + 1]:
            value = ENDED
        else:
            for edge in range(starts[vertex], starts[vertex + 1]):
                other = values[targets[edge]]
                if other >= 0:
                    if other < len(seen):
                        seen[other] = vertex + 1
                elif other == ENDED and not is_misere:
                    value = INFINITE
            if value == 0:
                while seen[value] == vertex + 1:  # ends: there are fewer options than stamps
                    value += 1
        values[vertex] = value


def outcomes(
    starts: Numbers, targets: Numbers, order: Numbers, first: int, stop: int, is_misere: int, values: Numbers
) -> None:
    """Compute outcomes of the states ``order[first]`` to ``order[stop - 1]``: 1 for N, 0 for P.

    Parameters
    ----------
    starts, targets, order, first, stop : arrays and int
        As in `extremes`.
    is_misere : 0 or 1
        The outcome of a state without options: 1 under misere play.
    values : array, one for each state
        Filled in.
    """
    for place in range(first, stop):
        vertex = order[place]
        value = 0
        if starts[vertex] == starts[vertex + 1]:
            value = is_misere
        for edge in range(starts[vertex], starts[vertex + 1]):
            if values[targets[edge]] == 0:
                value = 1
                break
        values[vertex] = value
