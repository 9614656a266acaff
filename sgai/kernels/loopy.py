"""Kernels for graphs with cycles: the generalised Grundy values of Smith and Fraenkel, by labels in rising order.

The graph is in compressed sparse rows: the options of state v are ``targets[starts[v]]`` to
``targets[starts[v + 1] - 1]``. The functions are plain, and read and write arrays or lists alike.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

INFINITE = -1  # the value of states that get no label
DONE, MORE = 0, 1  # what `label` comes back with
PROGRESS = 5  # numbers that `label` keeps between calls

Numbers = Any  # an array or a list of integers


class Kernels(NamedTuple):
    """The functions of this module, compiled or plain."""

    reverse: Callable[..., None]
    label: Callable[..., int]


def plain_kernels() -> Kernels:
    """Return the functions as they are."""
    return Kernels(reverse, label)


@functools.cache
def compiled_kernels() -> Kernels:
    """Return the compiled functions."""
    from sgai.kernels.jit import compiled  # numba is loaded with it

    return Kernels(compiled(reverse), compiled(label))


def reverse(starts: Numbers, targets: Numbers, entries: Numbers, sources: Numbers) -> None:
    """Turn all edges round.

    Parameters
    ----------
    starts, targets : arrays
        The graph.
    entries : array of zeros, two longer than there are states
        Filled in: the edges into state v come from ``sources[entries[v]]`` to ``sources[entries[v + 1] - 1]``.
    sources : array, as long as ``targets``
        Filled in.
    """
    count = len(starts) - 1
    for edge in range(len(targets)):
        entries[targets[edge] + 2] += 1
    for vertex in range(2, count + 2):
        entries[vertex] += entries[vertex - 1]
    # Where the next edge goes stands one place further on, so that the starts are right in the end.
    for vertex in range(count):
        for edge in range(starts[vertex], starts[vertex + 1]):
            place = entries[targets[edge] + 1]
            sources[place] = vertex
            entries[targets[edge] + 1] = place + 1


def label(
    entries: Numbers,
    sources: Numbers,
    values: Numbers,
    levels: Numbers,
    unlabelled: Numbers,
    unanswered: Numbers,
    answered_at: Numbers,
    eligible_at: Numbers,
    eligible: Numbers,
    order: Numbers,
    progress: Numbers,
    most_steps: int,
) -> int:
    """Give labels: the values of all states that have a finite one.

    The label m is given in stage m, when all smaller ones are given. A state gets it if it has options with all
    smaller labels, and each of its other options can be answered by a move to a state that got the label m before (C.
    A. B. Smith, *Graphs and composite games*, 1966; A. S. Fraenkel and Y. Yesha, *The generalized Sprague-Grundy
    function and its invariance under certain mappings*, 1986). A stage goes in rounds, and the round is the level of a
    state: it is larger than the levels of the states by which its options are answered. It does not depend on what else
    is in the graph.

    Parameters
    ----------
    entries, sources : arrays
        The edges turned round, see `reverse`.
    values, levels : arrays, one for each state
        Filled in; both `INFINITE` at first, and for ever where there is no finite value.
    unlabelled : array, one for each state
        At first the number of its options; afterwards of those without a label.
    unanswered, answered_at, eligible_at, order : arrays of zeros, one for each state
        Of the unlabelled options, those not answered in this stage; the last stage in which a state was seen to have an
        option with its label, plus 1; the last stage in which it could get its label; the states by their labels.
    eligible : array, one for each state
        All states at first; afterwards those that can still get a label.
    progress : array of `PROGRESS` zeros
        How far it is: the stage, whether it has begun, how many are eligible, the head and the end of ``order``.
    most_steps : int
        How many edges may be looked at in this call, about.

    Returns
    -------
    int
        `DONE`, or `MORE` when the steps ended: then call it again with the same arrays.

    Notes
    -----
    A state is eligible in no more stages than it has options. So the time is linear in the edges, and in the edges into
    states each times the number of different labels among their options.
    """
    stage, begun, count, head, end = progress[0], progress[1], progress[2], progress[3], progress[4]
    if stage == 0 and begun == 0:
        count = len(values)
    steps = 0
    status = DONE
    while True:
        if begun == 0:
            for i in range(count):
                vertex = eligible[i]
                eligible_at[vertex] = stage
                unanswered[vertex] = unlabelled[vertex]
                if unlabelled[vertex] == 0:
                    values[vertex], levels[vertex] = stage, 0
                    order[end] = vertex
                    end += 1
            steps += count
            begun = 1
        while head < end and steps < most_steps:
            found = order[head]
            head += 1
            level = levels[found] + 1
            first, last = entries[found], entries[found + 1]
            steps += last - first
            for entry in range(first, last):
                answered = sources[entry]
                unlabelled[answered] -= 1
                if values[answered] >= 0 or answered_at[answered] == stage + 1:
                    continue
                answered_at[answered] = stage + 1
                steps += entries[answered + 1] - entries[answered]
                for back in range(entries[answered], entries[answered + 1]):
                    vertex = sources[back]
                    if values[vertex] >= 0:
                        continue
                    unanswered[vertex] -= 1
                    if unanswered[vertex] == 0 and eligible_at[vertex] == stage:
                        values[vertex], levels[vertex] = stage, level
                        order[end] = vertex
                        end += 1
        if head < end:
            status = MORE
            break
        # Only who has an option with this label can get a larger one.
        kept = 0
        for i in range(count):
            vertex = eligible[i]
            if values[vertex] < 0 and answered_at[vertex] == stage + 1:
                eligible[kept] = vertex
                kept += 1
        count = kept
        if count == 0:
            break
        stage += 1
        begun = 0
    progress[0], progress[1], progress[2], progress[3], progress[4] = stage, begun, count, head, end
    return status
