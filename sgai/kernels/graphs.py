"""Kernels for explicit graphs: Grundy values, longest plays and paths, in time linear in the graph.

The graph is in compressed sparse rows: the options of state v are ``starts[v]`` to ``starts[v + 1]`` - 1. An option is
one state, ``targets[option]``; or, where ``part_starts`` is not empty, the disjunctive sum of a nimber,
``bases[option]``, and the states ``targets[part_starts[option]]`` to ``targets[part_starts[option + 1] - 1]``.

The functions are plain, and read and write arrays or lists alike: lists are faster as long as nothing is compiled.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

UNKNOWN, ON_STACK = -1, -2  # values of states that are not evaluated
DONE, MORE, CYCLE, OUT_OF_STATES = 0, 1, 2, 3  # what `evaluate` comes back with
PATHS_BASE = 10**15  # paths are counted in two digits of this base; its square is `sgai.reachable.PATHS_CAP`

Numbers = Any  # an array or a list of integers


class Kernels(NamedTuple):
    """The functions of this module, compiled or plain."""

    evaluate: Callable[..., int]
    longest_plays: Callable[..., None]
    count_paths: Callable[..., None]


def plain_kernels() -> Kernels:
    """Return the functions as they are."""
    return Kernels(evaluate, longest_plays, count_paths)


@functools.cache
def compiled_kernels() -> Kernels:
    """Return the compiled functions."""
    from sgai.kernels.jit import compiled  # numba is loaded with it

    return Kernels(compiled(evaluate), compiled(longest_plays), compiled(count_paths))


def evaluate(
    starts: Numbers,
    part_starts: Numbers,
    targets: Numbers,
    bases: Numbers,
    values: Numbers,
    seen: Numbers,
    stack: Numbers,
    cursors: Numbers,
    order: Numbers,
    progress: Numbers,
    stop: int,
    most_states: int,
    most_steps: int,
) -> int:
    """Compute the Grundy values of some states and of all that can be reached from them.

    States are entered depth first with an explicit stack and evaluated when they are left, so after all their options.
    All of the search is in the arrays: it goes on where it was when it is called again with the same ones.

    Parameters
    ----------
    starts, part_starts, targets, bases : arrays
        The graph.
    values : array, one for each state
        Grundy values, `UNKNOWN` at first; those that are known already are taken as they are.
    seen : array of zeros, one more than the most options of a state
        Stamps: ``seen[x]`` is v + 1 if an option of v, the last state evaluated, has the value x.
    stack, cursors, order : arrays, one for each state
        The states entered and not left; how far their options are looked through; the states evaluated, in order.
    progress : array of 4
        The height of the stack, the next state to start from, and how many states were evaluated and entered.
    stop : int
        Where to end: all states from ``progress[1]`` to ``stop`` - 1 are started from.
    most_states, most_steps : int
        How many states may be entered in all, and how many options may be looked at in this call, about.

    Returns
    -------
    int
        `DONE`; `MORE` when the steps ended; `OUT_OF_STATES`; or `CYCLE`: the state on top of the stack has an option,
        at its cursor, that is further down in the stack.
    """
    summed = len(part_starts) > 0
    depth, root, evaluated, entered = progress[0], progress[1], progress[2], progress[3]
    steps = 0
    status = DONE
    while True:
        if steps >= most_steps:
            status = MORE
            break
        if depth == 0:
            while root < stop and values[root] >= 0:
                root += 1
            if root >= stop:
                break
            child = root
        else:
            vertex = stack[depth - 1]
            first, last = starts[vertex], starts[vertex + 1]
            edge = cursors[depth - 1]
            end = part_starts[last] if summed else last
            steps += 1 - edge
            while edge < end and values[targets[edge]] >= 0:
                edge += 1
            steps += edge
            cursors[depth - 1] = edge
            if edge == end:
                for option in range(first, last):
                    if summed:
                        value = bases[option]
                        for part in range(part_starts[option], part_starts[option + 1]):
                            value ^= values[targets[part]]
                    else:
                        value = values[targets[option]]
                    if value < len(seen):
                        seen[value] = vertex + 1
                least = 0
                while seen[least] == vertex + 1:  # ends: there are fewer options than stamps
                    least += 1
                values[vertex] = least
                order[evaluated] = vertex
                evaluated += 1
                depth -= 1
                steps += last - first
                continue
            child = targets[edge]
            if values[child] == ON_STACK:
                status = CYCLE
                break
        if entered >= most_states:
            status = OUT_OF_STATES
            break
        values[child] = ON_STACK
        stack[depth] = child
        cursors[depth] = part_starts[starts[child]] if summed else starts[child]
        depth += 1
        entered += 1
    progress[0], progress[1], progress[2], progress[3] = depth, root, evaluated, entered
    return status


def longest_plays(
    starts: Numbers,
    part_starts: Numbers,
    targets: Numbers,
    base_plays: Numbers,
    order: Numbers,
    first: int,
    stop: int,
    plays: Numbers,
) -> None:
    """Compute the lengths of the longest plays from the states ``order[first]`` to ``order[stop - 1]``.

    Parameters
    ----------
    starts, part_starts, targets : arrays
        The graph.
    base_plays : array, one for each option
        The longest plays from the nimbers of the options, -1 where they are not known.
    order : array
        States, each behind all those that it leads to.
    first, stop : int
        Which of them to do now; those before are done.
    plays : array, one for each state
        Filled in; -1 where a length is not known.
    """
    summed = len(part_starts) > 0
    for place in range(first, stop):
        vertex = order[place]
        longest = 0
        for option in range(starts[vertex], starts[vertex + 1]):
            if summed:
                length = base_plays[option]
                for part in range(part_starts[option], part_starts[option + 1]):
                    length = -1 if length < 0 or plays[targets[part]] < 0 else length + plays[targets[part]]
            else:
                length = plays[targets[option]]
            if length < 0:
                longest = -1
                break
            if length >= longest:
                longest = length + 1
        plays[vertex] = longest


def count_paths(
    starts: Numbers, targets: Numbers, order: Numbers, first: int, stop: int, high: Numbers, low: Numbers
) -> None:
    """Count the paths from the states ``order[first]`` to ``order[stop - 1]`` of a graph without sums.

    Parameters
    ----------
    starts, targets, order, first, stop : arrays and int
        As in `longest_plays`.
    high, low : arrays, one for each state
        Filled in with the two digits of the count, in the base `PATHS_BASE`; counts stop at the square of the base.
    """
    for place in range(first, stop):
        vertex = order[place]
        upper, lower = 0, 1
        for option in range(starts[vertex], starts[vertex + 1]):
            upper += high[targets[option]]
            lower += low[targets[option]]
            if lower >= PATHS_BASE:
                lower -= PATHS_BASE
                upper += 1
            if upper >= PATHS_BASE:
                upper, lower = PATHS_BASE, 0
                break
        high[vertex], low[vertex] = upper, lower
