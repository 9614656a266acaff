"""The evaluation of explicit graphs, by compiled code where they are large; it stops where it must, and goes on."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sgai.budget import Budget, OutOfBudget
from sgai.compiling import can_compile
from sgai.errors import LoopError
from sgai.kernels import graphs as kernels

if TYPE_CHECKING:
    from sgai.explicit_graph import ExplicitGraph

MANY_EDGES = 1_000_000  # from here on, compiled code is faster even when numba must be loaded first
_STEPS, _STEPS_COMPILED = 200_000, 20_000_000  # options looked at between two looks at the clock, and for Ctrl-C

Numbers = npt.NDArray[Any]


def boundless() -> Budget:
    """Return a budget for work that is to be done whatever it takes."""
    return Budget(10**18)


class Evaluation:
    """The evaluation of a graph, as far as it got.

    Parameters
    ----------
    graph : ExplicitGraph
        The graph.
    known : mapping, optional
        Values of states, by their numbers, that need not be evaluated.
    use_kernels : bool, optional
        Whether compiled code does it; by default where there are many edges. Values are the same.
    """

    def __init__(
        self, graph: "ExplicitGraph", known: Mapping[int, int] | None = None, use_kernels: bool | None = None
    ) -> None:
        self.graph = graph
        if use_kernels is None:
            use_kernels = len(graph.targets) >= MANY_EDGES and can_compile()
        self._compiled = use_kernels
        self._kernels = kernels.compiled_kernels() if use_kernels else kernels.plain_kernels()
        count = len(graph.states)
        values = np.full(count, kernels.UNKNOWN, dtype=np.int32)
        if known:
            values[list(known)] = list(known.values())
        self._arrays = {
            name: self._prepare(each)
            for name, each in {
                "starts": graph.starts,
                "part_starts": graph.part_starts,
                "targets": graph.targets,
                "bases": graph.bases,
                "values": values,
                "seen": np.zeros(int(np.diff(graph.starts).max(initial=0)) + 1, dtype=np.int32),
                "stack": np.zeros(count, dtype=np.int32),
                "cursors": np.zeros(count, dtype=np.int64),
                "order": np.zeros(count, dtype=np.int32),
                "progress": np.zeros(4, dtype=np.int64),
            }.items()
        }

    def run(self, first: int, stop: int, budget: Budget) -> None:
        """Evaluate the states from ``first`` to ``stop`` - 1 and all that they lead to.

        Raises
        ------
        LoopError
            If play can come back to a state.
        OutOfBudget
            If the budget ends first; a second call goes on.
        """
        progress, stack = self._arrays["progress"], self._arrays["stack"]
        progress[1] = max(first, int(progress[1]))
        status = kernels.MORE
        while status == kernels.MORE:
            before = int(progress[3])
            most = before + max(0, budget.states - budget.spent)
            status = self._kernels.evaluate(
                **self._arrays, stop=stop, most_states=most, most_steps=_STEPS_COMPILED if self._compiled else _STEPS
            )
            budget.spend(int(progress[3]) - before)
            if status != kernels.DONE:
                budget.check_clock()
        if status == kernels.OUT_OF_STATES:
            raise OutOfBudget
        if status == kernels.CYCLE:
            entered = [int(each) for each in stack[: int(progress[0])]]
            again = int(self.graph.targets[int(self._arrays["cursors"][len(entered) - 1])])
            raise LoopError([self.graph.format(each) for each in entered[entered.index(again) :]])

    def values(self) -> Numbers:
        """Return the values of all states, negative where they are not known."""
        return np.asarray(self._arrays["values"], dtype=np.int32)

    def order(self) -> Numbers:
        """Return the states that were evaluated, each behind all those that it leads to."""
        return np.asarray(self._arrays["order"][: int(self._arrays["progress"][2])], dtype=np.int32)

    def longest_plays(self, budget: Budget, known: Mapping[int, int] | None = None) -> Numbers:
        """Return the longest play from each state that was evaluated, -1 where its length is not known."""
        plays = np.zeros(len(self.graph.states), dtype=np.int64)
        if known:
            plays[list(known)] = list(known.values())
        filled = self._prepare(plays)
        graph = (self._arrays[name] for name in ("starts", "part_starts", "targets"))
        work = (*graph, self._prepare(self.graph.base_plays), self._prepare(self.order()))
        self._in_slices(lambda first, stop: self._kernels.longest_plays(*work, first, stop, filled), budget)
        return np.asarray(filled)

    def count_paths(self, budget: Budget, known: Mapping[int, int]) -> list[int]:
        """Return for each state that was evaluated, in order, the number of paths from it, in a graph without sums."""
        digits = [np.zeros(len(self.graph.states), dtype=np.int64) for _ in range(2)]
        for state, paths in known.items():
            digits[0][state], digits[1][state] = divmod(paths, kernels.PATHS_BASE)
        order = self.order()
        high, low = map(self._prepare, digits)
        work = (self._arrays["starts"], self._arrays["targets"], self._prepare(order))
        self._in_slices(lambda first, stop: self._kernels.count_paths(*work, first, stop, high, low), budget)
        both = zip(np.asarray(high)[order].tolist(), np.asarray(low)[order].tolist(), strict=True)
        return [upper * kernels.PATHS_BASE + lower if upper else lower for upper, lower in both]

    def _in_slices(self, work: Callable[[int, int], None], budget: Budget) -> None:
        count = len(self.order())
        edges_a_state = 1 + len(self.graph.targets) // max(1, len(self.graph.states))
        step = max(1, (_STEPS_COMPILED if self._compiled else _STEPS) // edges_a_state)
        for first in range(0, count, step):
            work(first, min(count, first + step))
            budget.check_clock()

    def _prepare(self, numbers: Numbers) -> Any:
        return numbers if self._compiled else numbers.tolist()  # plain code is faster with lists
