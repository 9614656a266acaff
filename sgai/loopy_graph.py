"""Loopy values of all states of an explicit graph, and the graph of what play from a position can reach."""

from array import array
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sgai.budget import Budget
from sgai.compiling import can_compile
from sgai.errors import SgaiError
from sgai.explicit_graph import ExplicitGraph
from sgai.graph_rulesets import graph_of
from sgai.kernels import loopy as kernels
from sgai.loopy import LoopyValue
from sgai.ruleset import Ruleset

_STEPS, _STEPS_COMPILED = 100_000, 20_000_000  # edges looked at between two looks at the clock, and for Ctrl-C
_COMPILED_EDGES = 200_000  # from here on compiled code is faster even when numba must be loaded first
_MANY_EDGES = 100_000  # from here on a graph is turned into arrays as a whole, without a walk through it
_BOUNDLESS = 10**18
_LEVEL_BITS = 32  # levels are below the number of states, which is below 2**31

Numbers = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class LoopyValues:
    """The loopy values of the states of a graph.

    Attributes
    ----------
    graph : ExplicitGraph
        The graph.
    finite : int32 array
        The finite values, -1 for infinity.
    levels : int32 array
        For finite values: in which round of its label a state got it. Every option of a state that has no value, or a
        larger one, can be answered by a move to a state of the same value and a lower level. Where the value is 0,
        twice the level is the longest that the winner can be kept from the last move. -1 for infinity.
    """

    graph: ExplicitGraph
    finite: Numbers
    levels: Numbers

    def value(self, number: int) -> LoopyValue:
        """Return the value of a state."""
        finite = int(self.finite[number])
        if finite >= 0:
            return LoopyValue(finite)
        starts, targets = self.graph.starts, self.graph.targets
        options = self.finite[targets[starts[number] : starts[number + 1]]].tolist()
        return LoopyValue.infinite(each for each in options if each >= 0)

    def potential(self, number: int) -> int:
        """Return a number that orders the states of finite value by value and then level, 0 for infinity.

        Replies by which a won sum is kept won can be chosen so that the sum of these numbers falls in every round that
        has no move in a component without cycles.
        """
        finite = int(self.finite[number])
        return 0 if finite < 0 else (finite << _LEVEL_BITS) + int(self.levels[number])


def loopy_values(graph: ExplicitGraph, budget: Budget | None = None, use_kernels: bool | None = None) -> LoopyValues:
    """Return the loopy values of all states of a graph, with cycles or without.

    Parameters
    ----------
    graph : ExplicitGraph
        The graph; its options are single states.
    budget : Budget, optional
        How much time to take; by default as much as it takes.
    use_kernels : bool, optional
        Whether compiled code does it; by default where there are many edges. Values are the same.

    Raises
    ------
    SgaiError
        If options are sums.
    OutOfBudget
        If time is up first.

    Notes
    -----
    Memory is linear in the graph. Time is linear in the edges, plus the edges into each state times the number of
    different finite values among its options.

    Examples
    --------
    >>> graph = ExplicitGraph.from_successors({"a": ["b", "x"], "b": ["a", "x"], "x": ["end"]})
    >>> found = loopy_values(graph)
    >>> [str(found.value(i)) for i in range(4)]
    ['inf(1)', 'inf(1)', '1', '0']
    """
    if len(graph.part_starts):
        raise SgaiError("loopy values are for graphs whose options are single states, and this one has sums")
    budget = budget or Budget(_BOUNDLESS)
    compiled = len(graph.targets) >= _COMPILED_EDGES and can_compile() if use_kernels is None else use_kernels
    functions = kernels.compiled_kernels() if compiled else kernels.plain_kernels()
    count = len(graph.states)

    def prepared(numbers: Numbers) -> Any:
        return numbers if compiled else numbers.tolist()  # plain code is faster with lists

    entries, sources = prepared(np.zeros(count + 2, np.int64)), prepared(np.zeros(len(graph.targets), np.int32))
    budget.check_clock()
    functions.reverse(prepared(graph.starts), prepared(graph.targets), entries, sources)
    values, levels = (prepared(np.full(count, kernels.INFINITE, np.int32)) for _ in range(2))
    unlabelled = prepared(np.diff(graph.starts).astype(np.int32))
    unanswered, answered_at, eligible_at, order = (prepared(np.zeros(count, np.int32)) for _ in range(4))
    eligible, progress = prepared(np.arange(count, dtype=np.int32)), prepared(np.zeros(kernels.PROGRESS, np.int64))
    work = (values, levels, unlabelled, unanswered, answered_at, eligible_at, eligible, order, progress)
    status = kernels.MORE
    while status == kernels.MORE:
        budget.check_clock()
        status = functions.label(entries, sources, *work, _STEPS_COMPILED if compiled else _STEPS)
    return LoopyValues(graph, np.asarray(values, np.int32), np.asarray(levels, np.int32))


def reachable_graph(ruleset: Ruleset[Any, Any], position: Any, budget: Budget) -> ExplicitGraph:
    """Return the graph of all positions that play from a position can reach, in canonical form and not split.

    Parameters
    ----------
    ruleset : Ruleset
        The rules; play may go round.
    position : hashable
        The position; the first state.
    budget : Budget
        Counts the positions.

    Raises
    ------
    OutOfBudget
        If there are more than that.

    Examples
    --------
    >>> import sgai
    >>> ruleset = sgai.load_ruleset("graph(edges=[0-1;1-0;1-2],cycles=true,start=[0])")
    >>> reachable_graph(ruleset, 0, Budget()).states
    [0, 1, 2]
    """
    start = ruleset.canonical(position)
    numbers = {start: 0}
    states = [start]
    starts, targets = array("q", [0]), array("i")
    for state in states:  # more are found on the way
        budget.spend()
        options = dict.fromkeys(ruleset.canonical(option) for _, option in ruleset.moves(state))
        for option in options:
            number = numbers.setdefault(option, len(states))
            if number == len(states):
                states.append(option)
            targets.append(number)
        starts.append(len(targets))
    return ExplicitGraph(states, np.asarray(starts), np.asarray(targets))


@dataclass(frozen=True, eq=False)
class _Solved:
    numbers: dict[Any, int]
    values: LoopyValues


@dataclass(eq=False)
class LoopyTable:
    """The loopy values of components, kept by ruleset and parameters."""

    _solved: dict[Ruleset[Any, Any], list[_Solved]] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of positions whose values are stored."""
        return sum(len(each.numbers) for kept in self._solved.values() for each in kept)

    def value(self, ruleset: Ruleset[Any, Any], position: Any, budget: Budget) -> LoopyValue:
        """Return the value of a position.

        Raises
        ------
        OutOfBudget
            If the positions that it leads to are too many, or time is up; nothing of them is kept then.
        """
        solved, number = self._find(ruleset, position, budget)
        return solved.values.value(number)

    def potential(self, ruleset: Ruleset[Any, Any], position: Any, budget: Budget) -> int:
        """Return `LoopyValues.potential` of a position."""
        solved, number = self._find(ruleset, position, budget)
        return solved.values.potential(number)

    def _find(self, ruleset: Ruleset[Any, Any], position: Any, budget: Budget) -> tuple[_Solved, int]:
        rules = ruleset.rules()
        form = rules.canonical(position)
        kept = self._solved.setdefault(rules, [])
        for solved in reversed(kept):
            number = solved.numbers.get(form)
            if number is not None:
                budget.hits += 1
                return solved, number
        graph = self._graph(rules, form, budget)
        solved = _Solved({state: i for i, state in enumerate(graph.states)}, loopy_values(graph, budget))
        # What was reached from here before is part of this graph now.
        kept[:] = [each for each in kept if each.values.graph.states[0] not in solved.numbers]
        kept.append(solved)
        return solved, solved.numbers[form]

    def _graph(self, rules: Ruleset[Any, Any], form: Any, budget: Budget) -> ExplicitGraph:
        whole = graph_of(rules) if len(getattr(rules, "edges", ())) >= _MANY_EDGES else None
        if whole is None:
            return reachable_graph(rules, form, budget)
        if len(whole) > budget.states - budget.spent:
            return reachable_graph(rules, form, budget)  # there may be fewer that can be reached
        budget.spend(len(whole))
        return whole
