"""Loopy values against retrograde analysis of the sums' own graphs, kernels against plain code, published examples."""

import itertools
import random
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgai import SgaiError
from sgai.budget import Budget, OutOfBudget
from sgai.explicit_graph import ExplicitGraph
from sgai.loopy import LoopyValue, loopy_sum
from sgai.loopy_graph import LoopyTable, loopy_values, reachable_graph
from sgai.nimbers import mex
from sgai.reference import retrograde
from sgai.registry import load_ruleset


def summed(*graphs):
    """Return the graph of the disjunctive sum of graphs."""
    result = {}
    for vertices in itertools.product(*graphs):
        result[vertices] = [
            (*vertices[:i], option, *vertices[i + 1 :])
            for i, graph in enumerate(graphs)
            for option in graph[vertices[i]]
        ]
    return result


def nim_heap(size):
    return {n: list(range(n)) for n in range(size + 1)}


def random_digraph(chance, most=6):
    count = chance.randint(2, most)
    # Edges downwards give values, some upwards make cycles that play can leave or not.
    down, up = chance.choice([0.5, 0.6, 0.8, 0.9]), chance.choice([0.05, 0.1, 0.2, 0.3])
    return {
        vertex: [each for each in range(count) if chance.random() < (down if each < vertex else up)]
        for vertex in range(count)
    }


def values_of(successors, use_kernels=False):
    graph = ExplicitGraph.from_successors(successors)
    found = loopy_values(graph, use_kernels=use_kernels)
    return {vertex: found.value(i) for i, vertex in enumerate(graph.states)}


CHANCE = random.Random(6)
DIGRAPHS = [random_digraph(CHANCE) for _ in range(60)]
VALUES = [values_of(graph) for graph in DIGRAPHS]


def check_sum(graphs, values):
    """Compare outcomes, winning and drawing moves by values with those of the sum's own graph."""
    whole = summed(*graphs)
    judged = retrograde(whole)
    for vertices, options in whole.items():
        parts = [value[vertex] for value, vertex in zip(values, vertices, strict=True)]
        assert loopy_sum(parts).outcome == judged[vertices]
        for option in options:  # P wins, D keeps the draw
            after = [value[vertex] for value, vertex in zip(values, option, strict=True)]
            assert loopy_sum(after).outcome == judged[option]


def test_the_digraphs_have_values_of_all_kinds():
    found = {value for values in VALUES for value in values.values()}
    assert {LoopyValue(n) for n in range(4)} <= found
    assert len({value for value in found if value.finite is None}) >= 5
    assert {value.outcome for value in found} == {"N", "P", "D"}


def test_all_pairs_of_digraphs():
    for i, j in itertools.combinations_with_replacement(range(len(DIGRAPHS)), 2):
        check_sum([DIGRAPHS[i], DIGRAPHS[j]], [VALUES[i], VALUES[j]])


def test_triples_of_digraphs():
    chance = random.Random(3)
    small = [i for i, graph in enumerate(DIGRAPHS) if len(graph) <= 4]
    for _ in range(60):
        chosen = chance.choices(small, k=3)
        check_sum([DIGRAPHS[i] for i in chosen], [VALUES[i] for i in chosen])


def test_a_value_is_a_nim_heap_in_sums_with_heaps_of_all_sizes():
    for graph, values in zip(DIGRAPHS, VALUES, strict=True):
        largest = 1 + max(map(len, graph.values()))
        heap = nim_heap(largest)
        check_sum([graph, heap], [values, {n: LoopyValue(n) for n in heap}])
        judged = retrograde(summed(graph, heap))
        for vertex, value in values.items():
            # The definition, read off the sums: lost beside the heap of the value alone; won beside those of K.
            if value.finite is not None:
                assert [n for n in heap if judged[vertex, n] == "P"] == [value.finite]
                assert "D" not in {judged[vertex, n] for n in heap}
            else:
                assert {n for n in heap if judged[vertex, n] == "N"} == value.options
                assert "P" not in {judged[vertex, n] for n in heap}


def test_the_labelling_rule_in_any_order():
    # As docs/theory.md states it: v gets m, the mex of its options' numbers so far, if every option without a number
    # has an option with the number m.
    chance = random.Random(5)
    for successors, values in zip(DIGRAPHS, VALUES, strict=True):
        numbers, waiting = {}, list(successors)
        chance.shuffle(waiting)
        while True:
            for vertex in waiting:
                number = mex(numbers[each] for each in successors[vertex] if each in numbers)
                unnumbered = [each for each in successors[vertex] if each not in numbers]
                if all(any(numbers.get(after) == number for after in successors[each]) for each in unnumbered):
                    numbers[vertex] = number
                    waiting.remove(vertex)
                    break
            else:
                break
        assert numbers == {vertex: value.finite for vertex, value in values.items() if value.finite is not None}


def test_graphs_without_cycles_have_their_grundy_values():
    chance = random.Random(8)
    for _ in range(50):
        graph = ExplicitGraph.from_successors({v: chance.sample(range(v), chance.randint(0, v)) for v in range(12)})
        assert loopy_values(graph).finite.tolist() == graph.grundy_values().tolist()


@st.composite
def digraphs(draw):
    count = draw(st.integers(1, 5))
    return {v: draw(st.lists(st.integers(0, count - 1), max_size=3, unique=True)) for v in range(count)}


@given(digraphs(), digraphs())
@settings(max_examples=60, deadline=None)
def test_sums_of_any_two_digraphs(first, second):
    check_sum([first, second], [values_of(first), values_of(second)])


def test_sums_of_values_agree_with_the_value_of_the_sum():
    chance = random.Random(5)
    for _ in range(120):
        i, j = chance.choices(range(len(DIGRAPHS)), k=2)
        whole = values_of(summed(DIGRAPHS[i], DIGRAPHS[j]))
        for (u, v), value in whole.items():
            assert value == VALUES[i][u] + VALUES[j][v]


def levels_hold(successors):
    """Check what makes won sums end: every option that is not below a value is answered on a lower level."""
    graph = ExplicitGraph.from_successors(successors)
    found = loopy_values(graph)
    for v in range(len(graph)):
        value = found.finite[v]
        if value < 0:
            assert found.levels[v] == -1
            continue
        for u in graph.targets[graph.starts[v] : graph.starts[v + 1]]:
            assert found.finite[u] != value
            if not 0 <= found.finite[u] < value:
                replies = graph.targets[graph.starts[u] : graph.starts[u + 1]]
                assert any(found.finite[w] == value and found.levels[w] < found.levels[v] for w in replies)


def test_levels():
    chance = random.Random(2)
    for graph in [*DIGRAPHS, *(random_digraph(chance, 30) for _ in range(30))]:
        levels_hold(graph)


def test_level_of_a_lost_position_is_half_its_remoteness():
    chance = random.Random(4)
    for _ in range(60):
        graph = random_digraph(chance, 12)
        judged, remoteness = retrograde(graph), {}
        for _ in graph:  # the winner hurries, the loser delays
            for vertex, options in graph.items():
                if judged[vertex] == "P" and all(each in remoteness for each in options):
                    remoteness[vertex] = 1 + max((remoteness[each] for each in options), default=-1)
                elif judged[vertex] == "N":
                    lost = [remoteness[each] for each in options if judged[each] == "P" and each in remoteness]
                    if lost:
                        remoteness[vertex] = 1 + min(lost)
        found = loopy_values(ExplicitGraph.from_successors(graph))
        assert found.finite.tolist().count(0) == list(judged.values()).count("P")
        for vertex, outcome in judged.items():
            if outcome == "P":
                assert remoteness[vertex] == 2 * found.levels[vertex]


def test_kernels_agree_with_plain_code():
    pytest.importorskip("numba")
    chance = np.random.default_rng(1)
    for count, share in ((1, 0.0), (50, 0.1), (400, 0.02), (400, 0.3)):
        edges = 4 * count
        ends = chance.integers(0, count, (2, edges))
        upwards = chance.random(edges) < share
        low, high = ends.min(axis=0), ends.max(axis=0)
        graph = ExplicitGraph.from_edges(np.where(upwards, low, high), np.where(upwards, high, low), count)
        plain, fast = loopy_values(graph, use_kernels=False), loopy_values(graph, use_kernels=True)
        assert plain.finite.tolist() == fast.finite.tolist()
        assert plain.levels.tolist() == fast.levels.tolist()


def test_values_do_not_depend_on_how_often_the_clock_is_read(monkeypatch):
    graph = ExplicitGraph.from_successors({n: [(n - 1) % 60, n // 2] if n else [] for n in range(60)})
    whole = loopy_values(graph, use_kernels=False)
    monkeypatch.setattr("sgai.loopy_graph._STEPS", 1)
    looks = []
    sliced = loopy_values(graph, Budget(watch=lambda _: looks.append(1)), use_kernels=False)
    assert len(looks) > 20
    assert sliced.finite.tolist() == whole.finite.tolist()
    assert sliced.levels.tolist() == whole.levels.tolist()


def test_parallel_edges_and_loops_at_a_vertex():
    graph = ExplicitGraph.from_edges([0, 0, 1, 1, 2, 3, 3], [1, 1, 2, 2, 2, 3, 4], 5)
    assert [str(loopy_values(graph).value(i)) for i in range(5)] == ["inf()", "inf()", "inf()", "inf(0)", "0"]


@pytest.mark.parametrize(
    ("successors", "expected"),
    [
        # Back and forth for ever; where one of the two can leave, the other one loses.
        ({"a": ["b"], "b": ["a"]}, {"a": "inf()", "b": "inf()"}),
        ({"a": ["b"], "b": ["a", "end"]}, {"a": "0", "b": "1", "end": "0"}),
        # To leave is to lose, so nobody does, but beside a heap of 1 who moves from a or b wins.
        ({"a": ["b", "x"], "b": ["a", "x"], "x": ["end"]}, {"a": "inf(1)", "b": "inf(1)", "x": "1"}),
        # Three in a ring with one way out: all finite. A loop at one of them, and it can be passed for ever.
        ({"a": ["b"], "b": ["c"], "c": ["a", "end"]}, {"a": "1", "b": "0", "c": "2"}),
        ({"a": ["b"], "b": ["c"], "c": ["a", "c", "end"]}, {"a": "1", "b": "0", "c": "inf(0;1)"}),
    ],
)
def test_small_graphs_by_hand(successors, expected):
    """Worked out by hand, and judged beside heaps by retrograde analysis: not from a source."""
    values = values_of(successors)
    assert {vertex: str(values[vertex]) for vertex in expected} == expected
    heap = nim_heap(4)
    check_sum([with_ends(successors), heap], [values, {n: LoopyValue(n) for n in heap}])


def with_ends(successors):
    ends = {each for options in successors.values() for each in options}
    return {**{each: [] for each in ends}, **successors}


@pytest.mark.parametrize(
    ("size", "take", "expected"),
    [
        (7, [1, 2, 5], ["0", "1", "2", "0", "1", "2", "0"]),
        (4, [2], ["0", "inf()", "1", "inf()"]),
        (5, [1, 3], ["0", "inf(0)", "inf(0)", "inf(0)", "0"]),
        (6, [2, 3], ["0", "1", "1", "2", "0", "0"]),
    ],
)
def test_wind_up(size, take, expected):
    """Subtraction modulo n, over at 0: a game of A. Davies, values from the tests of the Rust library cgt (WindUp)."""
    successors = {n: [(n - taken) % size for taken in take] if n else [] for n in range(size)}
    values = values_of(successors)
    assert [str(values[n]) for n in range(size)] == expected


def test_sums_cannot_be_labelled():
    graph = ExplicitGraph(["a", "b"], [0, 1, 1], [1], [0, 1], [2], [2])
    with pytest.raises(SgaiError, match="has sums"):
        loopy_values(graph)


def test_budget():
    ruleset = load_ruleset("sliding(board=[O.......O])")
    with pytest.raises(OutOfBudget):
        reachable_graph(ruleset, ruleset.initial(), Budget(10))
    table = LoopyTable()
    with pytest.raises(OutOfBudget):
        table.value(ruleset, ruleset.initial(), Budget(10))
    assert len(table) == 0
    assert table.value(ruleset, ruleset.initial(), Budget(100)).finite is None


def test_a_table_keeps_values_once():
    graph = load_ruleset("graph(edges=[0-1;1-0;1-2;0-2;2-3;4-0],cycles=true,start=[4])")
    table = LoopyTable()
    assert str(table.value(graph, 1, Budget())) == "inf(1)"
    assert len(table) == 4
    assert str(table.value(graph, 4, Budget())) == "inf()"
    assert len(table) == 5
    budget = Budget()
    assert str(table.value(graph, 0, budget)) == "inf(1)"
    assert (budget.spent, budget.hits) == (0, 1)


def test_large_graphs_are_not_walked_through(monkeypatch):
    chance = random.Random(7)
    edges = [(v, chance.randrange(40)) for v in range(40) for _ in range(3)]
    plain = load_ruleset("graph")
    ruleset = type(plain)(edges=edges, start=0, cycles=True)
    walked = LoopyTable()
    expected = [walked.value(ruleset, v, Budget()) for v in range(40)]
    monkeypatch.setattr("sgai.loopy_graph._MANY_EDGES", 10)
    table, budget = LoopyTable(), Budget()
    assert [table.value(ruleset, v, budget) for v in range(40)] == expected
    assert (budget.spent, len(table)) == (40, 40)
    assert LoopyTable().value(ruleset, 39, Budget(len(reachable_graph(ruleset, 39, Budget())))) == expected[39]


@pytest.mark.slow
@pytest.mark.skipif("coverage" in sys.modules, reason="times are not those of plain runs")
def test_time_is_linear():
    """A million states and five million edges in under 5 s, and half of them in about half of that."""
    pytest.importorskip("numba")
    chance = np.random.default_rng(0)
    taken = []
    for count in (1_000, 500_000, 1_000_000):
        ends = chance.integers(0, count, (2, 5 * count))
        upwards = chance.random(5 * count) < 0.05
        low, high = ends.min(axis=0), ends.max(axis=0)
        graph = ExplicitGraph.from_edges(np.where(upwards, low, high), np.where(upwards, high, low), count)
        started = time.process_time()
        loopy_values(graph, use_kernels=True)
        taken.append(time.process_time() - started)
    assert taken[2] < 5
    assert taken[2] < 4 * taken[1]
