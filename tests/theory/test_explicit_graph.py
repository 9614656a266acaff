"""Explicit graphs: every value is that of the definition and of the generic solver, compiled or not."""

import itertools
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgai import graph_evaluation, graph_rulesets
from sgai.budget import Budget, OutOfBudget
from sgai.errors import LoopError, SgaiError
from sgai.explicit_graph import ExplicitGraph, grundy_table
from sgai.graph_evaluation import Evaluation
from sgai.reachable import PATHS_CAP
from sgai.reference import reference_grundy
from sgai.registry import load_ruleset
from sgai.ruleset import Component, Ruleset
from sgai.rulesets.graph import Graph
from sgai.search import StateTable
from sgai.solver import Solver

MUCH = Budget(10**12)
BOTH = pytest.mark.parametrize("use_kernels", [False, True], ids=["plain", "compiled"])


@st.composite
def acyclic_graphs(draw):
    size = draw(st.integers(1, 12))
    lists = {v: sorted(draw(st.sets(st.integers(0, v - 1)))) if v else [] for v in range(size)}
    names = draw(st.permutations(range(size)))
    return {names[v]: [names[each] for each in following] for v, following in lists.items()}


def evaluated(graph, use_kernels):
    evaluation = Evaluation(graph, use_kernels=use_kernels)
    evaluation.run(0, len(graph), MUCH)
    return evaluation


def complete(size):
    """The graph in which every vertex leads to all smaller ones: the heaps of Nim."""
    sources = np.repeat(np.arange(size), np.arange(size))
    return ExplicitGraph.from_edges(sources, np.concatenate([np.arange(v) for v in range(size)]), states=size)


@pytest.fixture
def always(monkeypatch):
    """Let every graph, however small, be evaluated as an explicit graph."""
    monkeypatch.setattr(graph_rulesets, "FEW_EDGES", -1)


def same_solution(found, right):
    assert (found.grundy, found.outcome, found.paths, found.complete) == (
        right.grundy,
        right.outcome,
        right.paths,
        right.complete,
    )
    assert found.winning_moves == right.winning_moves


# Values


@settings(max_examples=100, deadline=None)
@given(acyclic_graphs())
def test_random_graphs_against_the_definition(successors):
    game = Graph.from_successors(successors, start=max(successors))
    graph = ExplicitGraph.from_successors(successors)
    expected = [reference_grundy(game, vertex) for vertex in graph.states]
    assert graph.grundy_values().tolist() == expected
    assert evaluated(graph, use_kernels=True).values().tolist() == expected
    table = StateTable()
    for vertex in graph.states:
        table.value(game.rules(), vertex, MUCH)
    plays = [table.longest_play(game.rules(), vertex) for vertex in graph.states]
    assert graph.longest_plays().tolist() == plays
    assert evaluated(graph, use_kernels=True).longest_plays(MUCH).tolist() == plays


@settings(max_examples=50, deadline=None)
@given(acyclic_graphs(), st.randoms(use_true_random=False))
def test_edges_in_any_order_make_the_same_graph(successors, random):
    edges = [(v, each) for v, following in successors.items() for each in following]
    random.shuffle(edges)
    sources, targets = zip(*edges, strict=True) if edges else ((), ())
    graph = ExplicitGraph.from_edges(sources, targets, states=len(successors))
    lists = ExplicitGraph.from_successors(successors)
    values = dict(zip(lists.states, lists.grundy_values().tolist(), strict=True))
    assert graph.grundy_values().tolist() == [values[v] for v in range(len(successors))]


class Words(Ruleset[str, str]):
    """A word of letters a to f; each can be struck out with its neighbours, or made the letter before it if that is."""

    name = "words"

    def initial(self):
        return "fabc"

    def moves(self, position):
        for i, letter in enumerate(position):
            if letter == " ":
                continue
            yield f"{i}", position[: max(0, i - 1)] + " " * len(position[max(0, i - 1) : i + 2]) + position[i + 2 :]
            if letter > "a":
                yield f"{i}-", position[:i] + chr(ord(letter) - 1) + position[i + 1 :]

    def components(self, position):
        return [Component(self, word) for word in position.split()]

    def canonical(self, position):
        return min(position, position[::-1])


class Mixed(Ruleset[tuple[int, int], str]):
    """A counter beside a heap of Nim; counting down from 2 opens a new heap and a second counter."""

    name = "mixed"
    huge: int = 10**20

    def initial(self):
        return (4,), (self.huge, 5)

    def moves(self, position):
        counters, heaps = position
        for i, counter in enumerate(counters):
            rest = counters[:i] + counters[i + 1 :]
            if counter == 3:
                yield f"{i}!", (rest, (*heaps, self.huge))
            if counter == 2:
                yield f"{i}+", ((*rest, 1, 1), (*heaps, 3))
            if counter:
                yield f"{i}-", ((*rest, counter - 1), heaps)
        for i, heap in enumerate(heaps):
            for left in range(min(heap, 50)):
                yield f"h{i}{left}", (counters, (*heaps[:i], left, *heaps[i + 1 :]))

    def components(self, position):
        counters, heaps = position
        nim = load_ruleset("nim")
        return [Component(self, ((each,), ())) for each in counters] + [Component(nim, (each,)) for each in heaps]


RULESETS = [
    *map(
        load_ruleset,
        [
            "queen(rows=5,columns=6,at=[4;5])",
            "king(rows=5,columns=4,at=[4;3])",
            "knight(rows=6,columns=6,at=[5;5])",
            "interval_splitting(end=7)",
            "graph(edges=[a-b;a-c;b-c;c-d;b-e;lonely],start=a)",
            "sum(parts=[rook(rows=3,columns=3);interval_splitting(end=5);graph;take_and_break(code=[4~.0],piles=[6])])",
        ],
    ),
    Words(),
    Mixed(),
]


@BOTH
@pytest.mark.parametrize("ruleset", RULESETS, ids=str)
def test_states_of_rulesets_against_the_generic_solver(ruleset, use_kernels):
    graph = ExplicitGraph.from_ruleset(ruleset)
    evaluation = evaluated(graph, use_kernels)
    values, plays = evaluation.values().tolist(), evaluation.longest_plays(MUCH).tolist()
    table = StateTable()
    for state, value, longest in zip(graph.states, values, plays, strict=True):
        assert table.value(state.ruleset, state.position, MUCH) == value, state
        if not state.ruleset.has_closed_forms():  # by a theorem there is no play to count
            assert table.longest_play(state.ruleset, state.position) == (None if longest < 0 else longest), state
    assert len(graph.grundy_values()) == len(graph) > 2


@pytest.mark.parametrize(
    "ruleset", [Words(), load_ruleset("interval_splitting(end=5)"), load_ruleset("queen(rows=3,columns=4)")], ids=str
)
def test_tables_against_the_definition(ruleset):
    table = grundy_table(ruleset)
    for position, value in table.items():
        assert reference_grundy(ruleset, position, 10**6) == value, position
    assert len(table) > 2


def test_a_table_has_the_states_of_the_ruleset_alone():
    assert set(grundy_table(Mixed())) == {((n,), ()) for n in range(5)}
    assert grundy_table("kayles") == {}
    assert grundy_table("queen", (2, 0)) == {(2, 0): 2, (1, 0): 1, (0, 0): 0}


def test_large_values():
    graph = complete(2000)
    np.testing.assert_array_equal(graph.grundy_values(), np.arange(2000))
    np.testing.assert_array_equal(graph.longest_plays(), np.arange(2000))
    for use_kernels in (False, True):
        counts = evaluated(graph, use_kernels).count_paths(MUCH, {})
        assert counts == [min(2**n, PATHS_CAP) for n in range(2000)]


@BOTH
def test_a_chain_of_a_million(use_kernels):
    size = 1_000_000
    graph = ExplicitGraph.from_edges(np.arange(1, size), np.arange(size - 1))
    evaluation = Evaluation(graph, use_kernels=use_kernels)
    evaluation.run(size - 1, size, MUCH)  # from the far end, so that the stack holds it all
    np.testing.assert_array_equal(evaluation.values(), np.arange(size) % 2)
    np.testing.assert_array_equal(evaluation.longest_plays(MUCH), np.arange(size))


def test_arrays_of_every_kind():
    expected = [0, 1, 2, 0]
    for kind in (np.int8, np.int32, np.int64, np.uint32, np.uint64):
        graph = ExplicitGraph.from_edges(np.array([2, 1, 2], dtype=kind), np.array([1, 0, 0], dtype=kind), states=4)
        assert evaluated(graph, use_kernels=True).values().tolist() == expected
        starts, targets = graph.starts.astype(kind), graph.targets.astype(kind)
        starts.flags.writeable = targets.flags.writeable = False
        again = ExplicitGraph("abcd", np.repeat(starts, 2)[::2], targets)
        assert evaluated(again, use_kernels=True).values().tolist() == expected
        assert again.format(2) == "c"
    assert ExplicitGraph.from_edges([], []).grundy_values().tolist() == []
    assert ExplicitGraph.from_successors({}).longest_plays().tolist() == []


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: ExplicitGraph(range(2), [0, 1], [0]), "starts should be 3 numbers"),
        (lambda: ExplicitGraph(range(2), [0, 2, 1], [0]), "starts should be 3 numbers"),
        (lambda: ExplicitGraph(range(2), [0, 0, 2], [0]), "starts should end with 1"),
        (lambda: ExplicitGraph(range(2), [0, 0, 1], [2]), r"targets\[0\]=2 is no state"),
        (lambda: ExplicitGraph(range(2), [0, 0, 1], [-1]), r"targets\[0\]=-1 is no state"),
        (lambda: ExplicitGraph(range(2), [0, 0, 1], [0.5]), "targets=.*integers"),
        (lambda: ExplicitGraph(range(2), [0, 0, 1], [[0], [1, 1]]), "targets=.*integers"),
        (lambda: ExplicitGraph(range(2), [0, 0, 1], [2**63]), "targets=.*integers"),
        (lambda: ExplicitGraph(range(2), [0, 0, 1], [0], [0, 1], [-1], [0]), "bases"),
        (lambda: ExplicitGraph(range(2), [0, 0, 1], [0], [0, 1], [], []), "bases"),
        (lambda: ExplicitGraph(range(2), [0, 0, 1], [0], [0, 2], [1], [0]), "part_starts should end with 1"),
        (lambda: ExplicitGraph.from_edges([0, 1], [0]), "2 sources and 1 targets"),
        (lambda: ExplicitGraph.from_edges([5], [0], states=3), "from 0 to 2"),
        (lambda: ExplicitGraph.from_edges([-1], [0]), "from 0 to 0"),
        (lambda: ExplicitGraph.from_successors({1: 2}), "successors of '1'"),
    ],
)
def test_what_is_no_graph_is_refused(make, named):
    with pytest.raises(SgaiError, match=named):
        make()


# Cycles


@BOTH
def test_cycles_are_named(use_kernels):
    graph = ExplicitGraph.from_successors({"a": ["b", "x"], "b": ["c"], "c": ["d", "x"], "d": ["b"], "x": []})
    with pytest.raises(LoopError) as caught:
        evaluated(graph, use_kernels)
    assert caught.value.cycle == ("b", "c", "d")
    loop = ExplicitGraph.from_edges([1, 1], [0, 1])
    for _ in range(2):
        with pytest.raises(LoopError) as caught:
            evaluated(loop, use_kernels)
        assert caught.value.cycle == ("1",)
        with pytest.raises(LoopError):
            loop.grundy_values()
        with pytest.raises(LoopError):
            loop.longest_plays()


@BOTH
def test_a_long_cycle_is_named_in_full(use_kernels):
    size = 300_000
    graph = ExplicitGraph.from_edges(np.arange(size), (np.arange(size) + 1) % size)
    with pytest.raises(LoopError) as caught:
        evaluated(graph, use_kernels)
    assert caught.value.cycle == tuple(map(str, range(size)))


def test_a_cycle_among_components_is_named():
    class Back(Ruleset[str, str]):
        """Each letter becomes the next, the last one the first and a second one beside it."""

        name = "back"

        def initial(self):
            return "a"

        def moves(self, position):
            yield from {"a": [("1", "b")], "b": [("2", "z c")], "c": [("3", "a z")], "z": []}[position]

        def components(self, position):
            return [Component(self, letter) for letter in position.split()]

        def format(self, position):
            return f"<{position}>"

    with pytest.raises(LoopError) as caught:
        grundy_table(Back())
    assert caught.value.cycle == ("<a>", "<b>", "<c>")


# Budgets and interruptions


@BOTH
def test_slices_and_budgets_lose_nothing(use_kernels, monkeypatch):
    monkeypatch.setattr(graph_evaluation, "_STEPS", 1)
    monkeypatch.setattr(graph_evaluation, "_STEPS_COMPILED", 1)
    for ruleset in (RULESETS[0], Mixed()):
        graph = ExplicitGraph.from_ruleset(ruleset)
        right = graph.grundy_values().tolist()
        evaluation = Evaluation(graph, use_kernels=use_kernels)
        tries = 0
        for tries in itertools.count(1):
            try:
                evaluation.run(0, len(graph), Budget(states=1 + tries % 3, seconds=1e-9))
                break
            except OutOfBudget:
                continue
        assert tries >= len(graph)
        assert evaluation.values().tolist() == right
        assert sorted(evaluation.order().tolist()) == list(range(len(graph)))


def test_a_second_call_goes_on():
    graph = ExplicitGraph.from_edges(np.arange(1, 100), np.arange(99))
    with pytest.raises(OutOfBudget):
        graph.grundy_values(Budget(states=60))
    with pytest.raises(OutOfBudget):
        graph.longest_plays(Budget(states=30))
    assert graph.grundy_values(Budget(states=10)).tolist() == [n % 2 for n in range(100)]
    with pytest.raises(ValueError, match="read-only"):
        graph.grundy_values()[0] = 1
    with pytest.raises(OutOfBudget):
        ExplicitGraph.from_ruleset("queen(rows=9,columns=9,at=[8;8])", budget=Budget(states=80))


# Graph, the ruleset


@settings(max_examples=60, deadline=None)
@given(acyclic_graphs(), acyclic_graphs())
def test_the_solver_gives_the_same_either_way(successors, others):
    few, many = graph_rulesets.FEW_EDGES, graph_evaluation.MANY_EDGES
    for each in (successors, others):
        game = Graph.from_successors(each, start=max(each))
        generic = Solver()
        right = generic.solve(game)
        longest = generic.longest_play(game, max(each))
        for use_kernels in (False, True):
            solver = Solver()
            try:
                graph_rulesets.FEW_EDGES, graph_evaluation.MANY_EDGES = -1, 0 if use_kernels else 10**9
                solver.grundy(game, min(each))  # what is known already is taken as it is
                found = solver.solve(game)
            finally:
                graph_rulesets.FEW_EDGES, graph_evaluation.MANY_EDGES = few, many
            same_solution(found, right)
            assert solver.longest_play(game, max(each)) == longest


def test_a_graph_with_many_edges_is_handed_over():
    size = 20_000
    game = Graph.from_successors({v: {v - 1, v // 2, v // 3} - {v} for v in range(size)} | {0: []}, start=size - 1)
    solver = Solver()
    found = solver.solve(game)
    assert "_explicit" in game.rules().__dict__
    assert found.states == size == len(solver)
    assert solver.solve(game, size // 2).states == 0
    assert solver.longest_play(game, size - 1) == size - 1
    plain = type("PlainGraph", (Graph,), {"name": "plain_graph", "moves": lambda *each: Graph.moves(*each)})
    other = plain(edges=game.edges, start=size - 1)
    same_solution(found, Solver().solve(other))
    assert "_explicit" not in other.rules().__dict__


def test_budgets_of_a_graph_that_is_handed_over(always):
    size = 500
    game = Graph.from_successors(
        {v: [] if v % 50 == 0 else [v - 1] for v in range(size)} | {-1 % 1000: range(size)}, 999
    )
    solver = Solver()
    spent, tries = 0, 0
    while not (solution := solver.solve(game, states=100)).exact:
        assert solution.states == 100
        assert len(solver) > 0
        spent += 100
        tries += 1
        assert tries < 20
    assert tries > 3
    assert spent < 2 * size
    same_solution(solution, Solver().solve(game))


def test_cycles_of_a_graph_that_is_handed_over(always):
    game = Graph.from_successors({"a": ["x", "b"], "b": ["c"], "c": ["b"], "x": ["y"], "y": []}, start="a")
    solver = Solver()
    with pytest.raises(LoopError) as caught:
        solver.solve(game)
    assert caught.value.cycle == ("b", "c")
    assert solver.solve(game, "x").grundy == 1


def test_an_interrupt_at_any_line_leaves_the_solver_right(always, interrupt_after, monkeypatch):
    monkeypatch.setattr(graph_evaluation, "_STEPS", 2)
    game = Graph.from_successors({5: [4, 2], 4: [3, 1], 3: [1], 2: [1, 0], 1: [0], 0: []}, start=5)
    right = [Solver().solve(game, vertex) for vertex in (5, 4, 2)]
    for line in itertools.count(1):
        solver = Solver()
        solver.solve(game, 1)
        interrupted = interrupt_after(line, lambda solver=solver: solver.solve(game))
        for expected in right:
            same_solution(solver.solve(game, expected.position), expected)
        if not interrupted:
            break
    assert line > 200


def test_an_interrupt_at_any_line_leaves_the_graph_right(interrupt_after):
    for line in itertools.count(1):
        graph = ExplicitGraph.from_successors({3: [2, 1, 0], 2: [1, 0], 1: [0]})
        interrupted = interrupt_after(line, graph.longest_plays)
        assert graph.grundy_values().tolist() == graph.longest_plays().tolist() == [3, 2, 1, 0]
        if not interrupted:
            break
    assert line > 100


def test_edges_are_brought_to_one_order():
    mixed = Graph(edges=[("b", 10), (10, 9), ("a", "b"), ("10", "9"), (2, "a"), ("b",), ("z",), ("b", "10")], start=2)
    assert mixed.edges == ((2, "a"), (10, 9), ("a", "b"), ("b", 10), ("z",))
    assert mixed.successors() == {2: ("a",), "a": ("b",), 10: (9,), 9: (), "b": (10,), "z": ()}
    with pytest.raises(SgaiError, match="True"):
        Graph(edges=[(1, 0), (2, True)])


# Processes


SECOND_PROCESS = """
import numpy as np
from sgai.explicit_graph import ExplicitGraph
size = 300_000
sources = np.repeat(np.arange(4, size), 4)
graph = ExplicitGraph.from_edges(sources, sources - np.tile([1, 2, 3, 4], size - 4) ** 2 % sources // 2 - 1)
print(graph.grundy_values().sum(), graph.longest_plays().sum())
"""


def test_compiled_code_from_the_cache_gives_the_same(tmp_path, run_program):
    """The first process compiles, the second loads what the first one kept, the third has no numba."""
    done = [run_program(SECOND_PROCESS, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2)]
    kept = list(tmp_path.rglob("*.nbi"))
    without = """
import sys, importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "numba" else found(name, *rest)
sys.modules["numba"] = None
"""
    done.append(run_program(without + SECOND_PROCESS))
    assert [each.returncode for each in done] == [0, 0, 0], done[-1].stderr
    assert done[0].stdout == done[1].stdout == done[2].stdout
    assert len(kept) == 2


def test_numba_is_loaded_only_for_many_edges(run_program):
    program = """
import sys, sgai
from sgai.rulesets.graph import Graph
game = Graph.from_successors({v: range(max(0, v - 9), v) for v in range(5000)}, start=4999)
print(sgai.solve(game).grundy, 'numba' in sys.modules)
"""
    assert run_program(program).stdout == "9 False\n"


ENDLESS = """
import sys
import numpy as np
from sgai.explicit_graph import ExplicitGraph
size = 6000
lists = [np.arange(v) for v in range(size)]
graph = ExplicitGraph(range(size), np.cumsum([0] + list(map(len, lists))), np.concatenate(lists))
graph.grundy_values()
print("started", flush=True)
while True:
    graph.__dict__.pop("_values"), graph.__dict__.pop("_evaluation")
    graph.grundy_values()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_ctrl_c_is_answered_within_a_second():
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "started\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        started = time.perf_counter()
        _, error = process.communicate(timeout=60)
        assert time.perf_counter() - started < 5  # a second, and room for a loaded machine
        assert "KeyboardInterrupt" in error
    finally:
        process.kill()
