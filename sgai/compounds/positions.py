"""The positions of components and their values: a graph that grows as it is asked, positions behind their options."""

from array import array
from typing import Any

import numpy as np

from sgai.budget import Budget, OutOfBudget
from sgai.compiling import can_compile
from sgai.compounds.sweeps import sweep
from sgai.errors import LoopError
from sgai.explicit_graph import ExplicitGraph
from sgai.graph_evaluation import MANY_EDGES, Evaluation
from sgai.graph_rulesets import plain_graph
from sgai.kernels.graphs import longest_plays
from sgai.ruleset import Ruleset
from sgai.rulesets.graph import Graph

LONGEST = "longest"  # a kind of value besides those of `sgai.compounds.theories`
_OPTIONS_A_LOOK = 1024  # the clock is read each time so many options of one position are listed
_MOST_EDGES = 50_000_000  # options of all positions of one ruleset together, at four bytes each
_MOST_WAITING = 4_000_000  # options of the positions that are being looked at, at some hundred bytes each
_STATES_A_SLICE = 20_000  # and each time so many values are found


class PositionGraph:
    """All positions that components of one ruleset have reached, as whole positions that are never split.

    Positions in canonical form have numbers in the order in which they are finished, so that options come before what
    leads to them. What is finished stays, whatever interrupts the walk.

    Parameters
    ----------
    ruleset : Ruleset
        The rules.
    """

    def __init__(self, ruleset: Ruleset[Any, Any]) -> None:
        self.ruleset = ruleset
        self._numbers: dict[Any, int] = {}
        self._starts, self._targets = array("q", [0]), array("i")
        self._values: dict[str, array[int]] = {}
        self._evaluation: tuple[Any, Evaluation] | None = None  # of an explicit graph, with its start, while it lasts

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, position: Any, budget: Budget) -> int:
        """Return the number of a position, after a walk through all that it leads to.

        Raises
        ------
        OutOfBudget
            If the budget ends first, or memory would; a second call goes on from what is finished.
        LoopError
            If play can come back to a position; it names the cycle.
        """
        start = self.ruleset.canonical(position)
        known = self._numbers.get(start)
        if known is not None:
            budget.hits += 1
            return known
        if not self._numbers and isinstance(self.ruleset, Graph):
            self._walk_graph(self.ruleset, start, budget)
            if start in self._numbers:
                return self._numbers[start]
        # Every entry: a position, its options, and those among them that are still to be looked at.
        stack = [(start, *self._options(start, budget))]
        entered = {start}
        held = len(stack[0][1])  # options on the stack
        while stack:
            at, options, waiting = stack[-1]
            while waiting and waiting[-1] in self._numbers:
                waiting.pop()
            if not waiting:
                self._finish(at, options)
                entered.discard(at)
                stack.pop()
                held -= len(options)
                continue
            following = waiting.pop()
            if following in entered:
                path = [entry[0] for entry in stack]
                raise LoopError([self.ruleset.format(each) for each in path[path.index(following) :]])
            stack.append((following, *self._options(following, budget)))
            entered.add(following)
            held += len(stack[-1][1])
            if held > _MOST_WAITING or len(self._targets) > _MOST_EDGES:
                raise OutOfBudget
        return self._numbers[start]

    def known(self, position: Any) -> int | None:
        """Return the number of a position that is finished, else None."""
        return self._numbers.get(self.ruleset.canonical(position))

    def has_ended(self, number: int) -> bool:
        """Tell whether a position has no options."""
        return self._starts[number] == self._starts[number + 1]

    def value(self, kind: str, number: int, budget: Budget) -> int:
        """Return a value of a position: one of the kinds of `sgai.compounds.theories`, or the longest play from it."""
        values = self._values.setdefault(kind, array("i"))
        while len(values) <= number:
            self._extend(kind, values, min(len(self), len(values) + _STATES_A_SLICE))
            budget.check_clock()
        return values[number]

    def _walk_graph(self, ruleset: Graph, start: Any, budget: Budget) -> None:
        """Walk through an explicit graph by its kernels, where it is large."""
        if self._evaluation is None or self._evaluation[0] != start:
            graph = plain_graph(ruleset, start)
            if graph is None:
                return
            self._evaluation = start, Evaluation(graph)
        evaluation = self._evaluation[1]
        place = {vertex: i for i, vertex in enumerate(evaluation.graph.states)}[start]
        evaluation.run(place, place + 1, budget)
        order = evaluation.order()
        starts, targets = reordered(evaluation.graph, order)
        self._starts, self._targets = array("q", starts.tobytes()), array("i", targets.tobytes())
        self._numbers = {evaluation.graph.states[i]: number for number, i in enumerate(order.tolist())}
        self._evaluation = None

    def _extend(self, kind: str, values: "array[int]", stop: int) -> None:
        first = len(values)
        filled = array("i", values)  # so that an interrupt leaves the values as they were
        filled.extend([0] * (stop - first))
        if kind == LONGEST:
            longest_plays(self._starts, (), self._targets, (), range(stop), first, stop, filled)
        elif self._starts[stop] - self._starts[first] >= MANY_EDGES and can_compile():
            numbers = np.array(filled, dtype=np.int32)
            arrays = np.array(self._starts), np.array(self._targets, dtype=np.int32), np.arange(stop)
            sweep(kind, *arrays, first, stop, numbers, use_kernels=True)
            filled = array("i", numbers.tobytes())
        else:
            sweep(kind, self._starts, self._targets, range(stop), first, stop, filled, use_kernels=False)
        self._values[kind] = filled
        values[:] = filled

    def _options(self, position: Any, budget: Budget) -> tuple[list[Any], list[Any]]:
        budget.spend()
        ruleset = self.ruleset
        options: dict[Any, None] = {}
        for count, (_, option) in enumerate(ruleset.moves(position), 1):
            if budget.seconds is not None or count % _OPTIONS_A_LOOK == 0:
                budget.check_clock()
            if count > _MOST_WAITING:
                raise OutOfBudget
            options[ruleset.canonical(option)] = None
        return list(options), list(options)

    def _finish(self, position: Any, options: list[Any]) -> None:
        number = len(self._numbers)
        # An interrupt may have left a position half finished here.
        del self._starts[number + 1 :]
        del self._targets[self._starts[number] :]
        self._targets.extend([self._numbers[option] for option in options])
        self._starts.append(len(self._targets))
        self._numbers[position] = number


def reordered(graph: ExplicitGraph, order: Any) -> tuple[Any, Any]:
    """Return the rows of a graph without sums, in another order of its states.

    Parameters
    ----------
    graph : ExplicitGraph
        The graph.
    order : int array
        States, with all options of each.

    Returns
    -------
    starts : int64 array
        As of the graph, for the states in ``order``.
    targets : int32 array
        Options as places in ``order``.

    Examples
    --------
    >>> starts, targets = reordered(ExplicitGraph.from_successors({2: [1, 0], 1: [0]}), np.array([2, 1, 0]))
    >>> starts.tolist(), targets.tolist()
    ([0, 0, 1, 3], [0, 1, 0])
    """
    counts = np.diff(graph.starts)[order]
    starts = np.zeros(len(order) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    # The edges of the states one after the other: each begins where its state's do in the graph.
    edges = np.arange(starts[-1]) + np.repeat(graph.starts[:-1][order] - starts[:-1], counts)
    places = np.zeros(len(graph), dtype=np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return starts, places[graph.targets[edges]]
