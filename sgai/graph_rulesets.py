"""Rulesets that are graphs, as explicit graphs; large ones are evaluated so for the solver's table of states."""

from collections.abc import Mapping, MutableMapping
from itertools import chain
from typing import Any

import numpy as np

from sgai.budget import Budget
from sgai.explicit_graph import ExplicitGraph
from sgai.graph_evaluation import Evaluation, boundless
from sgai.ruleset import Ruleset
from sgai.rulesets.graph import Graph, Vertex
from sgai.search import State

FEW_EDGES = 2_000  # up to here `StateTable` evaluates a graph as fast as arrays of it are made


def evaluate_graph(ruleset: Graph, states: MutableMapping[Any, State], start: Vertex, budget: Budget) -> None:
    """Evaluate a vertex of a graph and all that can be reached from it, for `StateTable`; nothing where they are few.

    Parameters
    ----------
    ruleset : Graph
        The graph.
    states : mapping
        What the table knows of its vertices; added to, whatever ends the evaluation.
    start : int or str
        The vertex.
    budget : Budget
        What may be spent.

    Raises
    ------
    LoopError, OutOfBudget
        As `Evaluation.run`.
    """
    graph = plain_graph(ruleset, start, states)
    if graph is None:
        return
    numbers = {vertex: i for i, vertex in enumerate(graph.states)}
    known = {numbers[vertex]: state for vertex, state in states.items() if state.value >= 0}
    evaluation = Evaluation(graph, {i: state.value for i, state in known.items()})
    budget.check_clock()
    try:
        evaluation.run(numbers[start], numbers[start] + 1, budget)
    finally:
        order = evaluation.order()
        plays = evaluation.longest_plays(boundless(), {i: state.longest or 0 for i, state in known.items()})
        paths = evaluation.count_paths(boundless(), {i: state.paths or 0 for i, state in known.items()})
        values = evaluation.values()[order].tolist()
        for i, value, longest, count in zip(order.tolist(), values, plays[order].tolist(), paths, strict=True):
            vertex = graph.states[i]
            state = states.get(vertex)
            if state is None:
                state = states[vertex] = State(ruleset, vertex)
            state.longest = longest
            state.paths = count
            state.value = value  # last: a state with a value is finished


def plain_graph(ruleset: Graph, start: Vertex, states: Mapping[Any, State] | None = None) -> ExplicitGraph | None:
    """Return a graph ruleset as an explicit graph, or None where few edges are reached or a subclass has other rules.

    Parameters
    ----------
    ruleset : Graph
        The graph.
    start : int or str
        The vertex from which edges are counted.
    states : mapping, optional
        Vertices that are evaluated; what lies behind them is not counted.
    """
    if not _has_plain_rules(ruleset) or not _reaches_many(ruleset, {} if states is None else states, start):
        return None
    graph: ExplicitGraph | None = ruleset.__dict__.get("_explicit")
    if graph is None:
        graph = ruleset.__dict__["_explicit"] = _from_graph(ruleset)
    return graph


def graph_of(ruleset: Ruleset[Any, Any]) -> ExplicitGraph | None:
    """Return all vertices of a `Graph` with their successors; None for other rulesets, and where its rules are changed.

    Examples
    --------
    >>> import sgai
    >>> len(graph_of(sgai.load_ruleset("graph")))
    4
    """
    return _from_graph(ruleset) if isinstance(ruleset, Graph) and _has_plain_rules(ruleset) else None


def _from_graph(ruleset: Graph) -> ExplicitGraph:
    successors = ruleset.successors()
    numbers = {vertex: i for i, vertex in enumerate(successors)}
    starts = np.zeros(len(successors) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, successors.values()), dtype=np.int64, count=len(successors)), out=starts[1:])
    followers = chain.from_iterable(successors.values())
    targets = np.fromiter(map(numbers.__getitem__, followers), dtype=np.int32, count=int(starts[-1]))
    return ExplicitGraph(list(successors), starts, targets)


def _has_plain_rules(ruleset: Graph) -> bool:
    names = ("moves", "successors", "components", "canonical")
    return all(getattr(type(ruleset), name) is getattr(Graph, name) for name in names)


def _reaches_many(ruleset: Graph, states: Mapping[Any, State], start: Vertex) -> bool:
    successors = ruleset.successors()
    edges = 0
    seen, waiting = {start}, [start]
    while waiting:
        following = successors[waiting.pop()]
        edges += len(following)
        if edges > FEW_EDGES:
            return True
        for vertex in following:
            if vertex not in seen and not (vertex in states and states[vertex].value >= 0):
                seen.add(vertex)
                waiting.append(vertex)
    return False
