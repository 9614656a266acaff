"""Explicit graphs: compiled code, the same code in plain Python, and the generic solver; and how the cost grows.

Run ``python -m sgai.experiments.benchmarks.explicit_graphs``. Times are CPU seconds after compilation. Ratios come from
one run in which the methods take turns, all on the same graph in memory.
"""

import functools
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
from tabulate import tabulate

from sgai.budget import Budget
from sgai.experiments.benchmarks.sequences import cpu_seconds
from sgai.explicit_graph import ExplicitGraph
from sgai.graph_evaluation import Evaluation
from sgai.ruleset import Ruleset
from sgai.search import StateTable

_ALL = 10**12


class Successors(Ruleset[int, int]):
    """A graph in memory, with rules in plain Python: what `Graph` is to the generic solver."""

    name = "successors"
    vertices: int = 1

    def initial(self) -> int:
        """Return the last vertex."""
        return self.vertices - 1

    def moves(self, position: int) -> Any:
        """Yield the successors."""
        for following in self.__dict__["lists"][position]:
            yield following, following


def random_graph(vertices: int, degree: int, shuffled: bool = True) -> ExplicitGraph:
    """Return an acyclic graph whose vertices lead to the one before and to others, drawn at random.

    In shuffled order, the walk jumps about in memory.
    """
    random = np.random.default_rng(1)
    sources = np.repeat(np.arange(1, vertices), degree)
    targets = (random.random(len(sources)) * sources).astype(np.int64)
    targets[::degree] = sources[::degree] - 1
    names = np.arange(vertices)
    if shuffled:
        random.shuffle(names[:-1])
    return ExplicitGraph.from_edges(names[sources], names[targets], states=vertices)


def kernel_values(graph: ExplicitGraph, use_kernels: bool) -> Any:
    """Return the values of all vertices, compiled or not."""
    evaluation = Evaluation(graph, use_kernels=use_kernels)
    evaluation.run(0, len(graph), Budget(_ALL))
    return evaluation.values()


def generic_values(rules: Successors) -> list[int]:
    """Return the values of all vertices by the generic solver."""
    table = StateTable()
    table.value(rules, rules.vertices - 1, Budget(_ALL))
    return [table.value(rules, vertex, Budget(_ALL)) for vertex in range(rules.vertices)]


def rules_of(graph: ExplicitGraph) -> Successors:
    """Return the same graph as a ruleset."""
    rules = Successors(vertices=len(graph))
    starts, targets = graph.starts.tolist(), graph.targets.tolist()
    rules.__dict__["lists"] = [targets[starts[v] : starts[v + 1]] for v in range(len(graph))]
    return rules


def compare(vertices: int, degree: int, times: int = 3) -> list[str]:
    """Return a row with the CPU seconds of every method, taking turns, and their ratios."""
    graph = random_graph(vertices, degree)
    rules = rules_of(graph)
    methods: dict[str, Callable[[], Any]] = {
        "generic": lambda: generic_values(rules),
        "plain": lambda: kernel_values(graph, use_kernels=False),
        "compiled": lambda: kernel_values(graph, use_kernels=True),
    }
    assert methods["generic"]() == methods["plain"]().tolist() == methods["compiled"]().tolist()
    spent: dict[str, list[float]] = {name: [] for name in methods}
    for _ in range(times):
        for name, method in methods.items():
            spent[name].append(cpu_seconds(method))
    generic, plain, compiled = (statistics.median(each) for each in spent.values())
    edges = len(graph.targets)
    return [
        f"{vertices:,}",
        f"{edges:,}",
        *(f"{each:.4f}" for each in (generic, plain, compiled)),
        f"{generic / plain:.1f}",
        f"{generic / compiled:,.0f}",
    ]


def growth(vertices: int, degree: int, times: int = 3) -> list[str]:
    """Return a row with the compiled code's nanoseconds an edge, which stay where the cost is linear."""
    row = [f"{vertices:,}", f"{(vertices - 1) * degree:,}"]
    for shuffled in (False, True):
        graph = random_graph(vertices, degree, shuffled)
        work = functools.partial(kernel_values, graph, use_kernels=True)
        seconds = statistics.median(cpu_seconds(work) for _ in range(times))
        row += [f"{seconds:.4f}", f"{1e9 * seconds / len(graph.targets):.1f}"]
    return row


def main() -> None:
    """Print the tables."""
    kernel_values(random_graph(1000, 5), use_kernels=True)
    print("Random graphs, CPU seconds, taking turns")
    rows = [compare(*size) for size in ((10_000, 2), (100_000, 2), (10_000, 20), (100_000, 10))]
    headers = ["vertices", "edges", "generic", "plain", "compiled", "generic / plain", "generic / compiled"]
    print(tabulate(rows, headers=headers, disable_numparse=True))
    print("\nCompiled: linear; in shuffled order, once the values have outgrown the processor's cache as well")
    rows = [growth(vertices, 10) for vertices in (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)]
    headers = ["vertices", "edges", "seconds", "ns an edge", "seconds, shuffled", "ns an edge, shuffled"]
    print(tabulate(rows, headers=headers, disable_numparse=True))


if __name__ == "__main__":
    main()
