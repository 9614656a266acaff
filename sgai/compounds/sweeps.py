"""Values of all states of an explicit graph: one sweep over the states, each behind its options."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sgai.budget import Budget
from sgai.compiling import can_compile
from sgai.compounds.theories import FORECLOSED, KINDS, MISERE, OUTCOME, REMOTENESS
from sgai.errors import UnsupportedError
from sgai.explicit_graph import ExplicitGraph
from sgai.graph_evaluation import MANY_EDGES, Evaluation
from sgai.kernels import compounds as kernels
from sgai.parameters import check_choice

_EDGES_A_SLICE, _EDGES_A_SLICE_COMPILED = 200_000, 20_000_000  # between two looks at the clock, and for Ctrl-C
_ALL = 10**18


def sweep(
    kind: str, starts: Any, targets: Any, order: Any, first: int, stop: int, values: Any, *, use_kernels: bool
) -> None:
    """Fill in one kind of value for the states ``order[first]`` to ``order[stop - 1]``.

    Parameters
    ----------
    kind : str
        One of `sgai.compounds.theories.KINDS`.
    starts, targets, order, values : arrays or lists
        As the kernels of `sgai.kernels.compounds` take them.
    first, stop : int
        Which states to do now; those before are done.
    use_kernels : bool
        Whether compiled code does it.
    """
    seen: Any
    functions = kernels.compiled_kernels() if use_kernels else kernels.plain_kernels()
    is_misere = int(kind in MISERE.values())
    plain = kind.removeprefix("misere_")
    graph = starts, targets, order, first, stop
    if plain == OUTCOME:
        functions.outcomes(*graph, is_misere, values)
    elif plain == FORECLOSED:
        if use_kernels:
            seen = np.zeros(int(np.diff(starts).max(initial=0)) + 2, dtype=np.int32)
        else:
            seen = [0] * (max((starts[order[i] + 1] - starts[order[i]] for i in range(first, stop)), default=0) + 2)
        functions.foreclosed(*graph, is_misere, seen, values)
    else:
        functions.extremes(*graph, is_misere, int(plain == REMOTENESS), values)


def graph_values(
    graph: ExplicitGraph, kind: str, budget: Budget | None = None, use_kernels: bool | None = None
) -> npt.NDArray[np.int32]:
    """Return the values of all states of an explicit graph that decide compounds.

    Parameters
    ----------
    graph : ExplicitGraph
        A graph without sums.
    kind : str
        "remoteness", "suspense", "foreclosed" or "outcome", or one of these after "misere_".
    budget : Budget, optional
        How many states, and how much time to take; by default as much as it takes.
    use_kernels : bool, optional
        Whether compiled code does it; by default where there are a million edges. Values are the same.

    Returns
    -------
    numpy.ndarray of int32, one for each state
        Moves to the end for remoteness and suspense; foreclosed Grundy values, or `ENDED` (-1) and `INFINITE` (-2) of
        `sgai.kernels.compounds`; for outcomes 1 for N and 0 for P.

    Raises
    ------
    SgaiError
        For an unknown kind.
    UnsupportedError
        For a graph with sums: an option that was split and evaluated has none of these values.
    LoopError
        If play can come back to a state; it names the cycle.
    OutOfBudget
        If the budget ends first.

    Notes
    -----
    Time and memory are linear in the graph.

    Examples
    --------
    >>> graph = ExplicitGraph.from_successors({3: [2, 0], 2: [1], 1: [0]})
    >>> graph_values(graph, "remoteness").tolist(), graph_values(graph, "suspense").tolist()
    ([1, 2, 1, 0], [3, 2, 1, 0])
    """
    check_choice("kind", kind, KINDS)
    if len(graph.part_starts):
        raise UnsupportedError(
            f"this graph has options that are sums of states: {kind!r} is of whole positions, which are not split"
        )
    budget = Budget(_ALL) if budget is None else budget
    if use_kernels is None:
        use_kernels = len(graph.targets) >= MANY_EDGES and can_compile()
    evaluation = Evaluation(graph, use_kernels=use_kernels)
    evaluation.run(0, len(graph), budget)  # what is wanted of it is the order
    order, values = evaluation.order(), np.zeros(len(graph), dtype=np.int32)
    starts, targets = graph.starts, graph.targets
    arrays: list[Any] = [starts, targets, order, values]
    if not use_kernels:  # plain code is faster with lists
        arrays = [each.tolist() for each in arrays]
    edges_a_state = 1 + len(targets) // max(1, len(graph))
    step = max(1, (_EDGES_A_SLICE_COMPILED if use_kernels else _EDGES_A_SLICE) // edges_a_state)
    for first in range(0, len(graph), step):
        stop = min(len(graph), first + step)
        sweep(kind, arrays[0], arrays[1], arrays[2], first, stop, arrays[3], use_kernels=use_kernels)
        budget.check_clock()
    return np.asarray(arrays[3], dtype=np.int32)
