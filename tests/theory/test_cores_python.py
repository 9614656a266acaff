"""The search cores in Python: what they prove of sums is what the reference solver says, and budgets are kept."""

import functools
import gc
import math
import random
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sgai
from sgai.budget import Budget
from sgai.cores import Sum, SumMove
from sgai.cores.python_depth_first import BoundedTable
from sgai.cores.python_dfpn import PythonProofNumber
from sgai.cores.python_mcts import PythonMCTS
from sgai.cores.python_outcome import PythonOutcome
from sgai.errors import LoopError, SgaiError, UnsupportedError
from sgai.reference import reference_grundy
from sgai.ruleset import Component, Ruleset
from sgai.rulesets.graph import Graph
from sgai.solver import Solver

CORES = (PythonMCTS, PythonOutcome, PythonProofNumber)
judged = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


class TwoCounters(Ruleset[tuple[int, int], int]):
    """Take 1 or 2 from the first counter, or 1 from both: rules without a split, as a user may write them."""

    name = "two_counters"

    def initial(self):
        return (3, 3)

    def moves(self, position):
        first, second = position
        for taken in (1, 2):
            if taken <= first:
                yield taken, (first - taken, second)
        if first and second:
            yield 3, (first - 1, second - 1)


KAYLES, CRAM = sgai.load_ruleset("kayles"), sgai.load_ruleset("cram(rows=2,columns=3)")
CYCLE = sgai.load_ruleset("node_kayles(graph=cycle,vertices=6)")
GRAPH = Graph(edges=((5, 4), (5, 3), (5, 1), (4, 3), (4, 0), (3, 2), (2, 1), (2, 0), (1, 0)), start=5)

components = st.one_of(
    st.integers(1, 7).map(lambda heap: Component(KAYLES, (heap,))),
    st.integers(0, 63).map(lambda cells: Component(CRAM, cells)),
    st.integers(0, 63).map(lambda cells: Component(CYCLE, cells)),
    st.integers(0, 5).map(lambda vertex: Component(GRAPH, vertex)),
    st.tuples(st.integers(0, 3), st.integers(0, 3)).map(lambda pair: Component(TwoCounters(), pair)),
)
sums = st.builds(Sum, st.lists(components, max_size=3).map(tuple), st.integers(0, 4))


@functools.cache
def value_of(ruleset, position):
    return reference_grundy(ruleset, position)


def option_value(root, total, move):
    if move.part < 0:
        return total ^ root.heap ^ move.move
    ruleset, position, _ = root.parts[move.part]
    return total ^ value_of(ruleset, position) ^ value_of(ruleset, ruleset.apply(position, move.move))


def judge(root, found):
    total = root.heap
    for ruleset, position, _ in root.parts:
        total ^= value_of(ruleset, position)
    assert found.outcome in (None, "N" if total else "P")
    for each in found.moves:
        assert 0 <= each.win <= 1
        if each.outcome is not None:
            assert each.outcome == ("N" if option_value(root, total, each.move) else "P")
            assert each.win == (each.outcome == "P")
    ranks = ["P", None, "N"]
    assert [ranks.index(each.outcome) for each in found.moves] == sorted(ranks.index(m.outcome) for m in found.moves)
    if found.outcome == "N":
        assert found.moves[0].outcome == "P"
    if found.outcome == "P":
        assert all(each.outcome == "N" for each in found.moves)


def listed_moves(root):
    return {
        SumMove(number, move)
        for number, (ruleset, position, _) in enumerate(root.parts)
        for move, _ in ruleset.moves(position)
    }


def whole(name):
    ruleset = sgai.load_ruleset(name)
    return Sum((Component(ruleset, ruleset.initial()),))


def lost():
    root = whole("cram(rows=3,columns=4)")
    return root._replace(heap=value_of(*root.parts[0][:2]))


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(("split", "small"), [(True, 0), (True, 64), (False, 0)])
@judged
@given(root=sums)
def test_what_is_proved_is_true(core, split, small, root):
    found = core(split=split, small=small).search(root, Budget(100_000))
    assert found.outcome is not None
    assert {each.move for each in found.moves if each.move.part >= 0} == listed_moves(root)
    judge(root, found)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("split", [True, False])
@judged
@given(root=sums)
def test_a_search_of_single_nodes_ends_with_the_same_proof(core, split, root):
    searching = core(split=split, small=0)
    for _ in range(20_000):
        found = searching.search(root, Budget(1))
        judge(root, found)
        assert found.nodes <= 1
        if found.outcome is not None:
            return
    raise AssertionError("no progress")


@pytest.mark.parametrize("core", CORES)
@judged
@given(roots=st.lists(sums, min_size=2, max_size=4))
def test_what_one_search_learned_is_right_in_the_next(core, roots):
    searching = core(solver=Solver(), small=0)
    for root in roots:
        judge(root, searching.search(root, Budget(30)))
        judge(root, searching.search(root, Budget(30)))


@pytest.mark.parametrize("core", CORES)
def test_little_memory_is_enough(core):
    root = lost()
    few = {"nodes": 200} if core is PythonMCTS else {"entries": 400}
    searching = core(small=0, **few)
    searching._table.room = 1000
    found = searching.search(root, Budget(10_000))
    judge(root, found)
    if core is not PythonMCTS:
        assert found.outcome == "P"
        assert len(searching._known) <= 400


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("split", [True, False])
def test_equal_searches_are_equal(core, split):
    root = whole("cram(rows=4,columns=5)")
    searching = core(split=split)
    first = [searching.search(root, Budget(states)) for states in (1, 20, 30)]
    searching.reset()
    again = [searching.search(root, Budget(states)) for states in (1, 20, 30)]
    fresh = core(split=split)
    others = [fresh.search(root, Budget(states)) for states in (1, 20, 30)]
    assert [(each.outcome, each.moves, each.nodes) for each in first] == [(f.outcome, f.moves, f.nodes) for f in again]
    assert [(each.outcome, each.moves, each.nodes) for each in first] == [(f.outcome, f.moves, f.nodes) for f in others]


def test_another_seed_is_another_search():
    root = whole("cram(rows=5,columns=5)")
    visits = [
        [each.visits for each in PythonMCTS(seed=seed, split=False).search(root, Budget(200)).moves] for seed in (1, 2)
    ]
    assert visits[0] != visits[1]


@pytest.mark.parametrize("core", CORES)
def test_a_proved_part_tells_the_solver_its_value(core):
    root = lost()
    solver = Solver()
    searching = core(solver=solver, small=0)
    assert searching.search(root, Budget(100_000)).outcome == "P"
    ruleset, position, _ = root.parts[0]
    assert solver.table.known(ruleset, position) == root.heap == sgai.solve(ruleset).grundy
    beside = searching.search(Sum(root.parts, 5), Budget(100))
    assert beside.moves[0].move == SumMove(-1, root.heap)
    assert beside.moves[0].outcome == "P"


@pytest.mark.parametrize("core", CORES)
def test_a_huge_nim_heap_is_not_listed(core):
    root = Sum((Component(KAYLES, (9,)), Component(TwoCounters(), (3, 2))), 10**30)
    found = core(small=0).search(root, Budget(100_000))
    judge(root, found)
    assert found.outcome == "N"
    assert len(found.moves) < 100


@pytest.mark.parametrize("core", CORES)
def test_no_moves_are_lost_at_once(core):
    for root in (Sum(()), Sum((Component(CRAM, 1), Component(CRAM, 0))), Sum((Component(TwoCounters(), (0, 3)),))):
        found = core().search(root, Budget(1, 1e-9))
        assert (found.outcome, found.moves) == ("P", ())


@pytest.mark.parametrize("core", CORES)
def test_without_time_all_moves_are_listed_and_none_is_proved(core):
    root = whole("cram(rows=5,columns=6)")
    found = core().search(root, Budget(10**9, 1e-9))
    assert found.outcome is None
    assert {each.move for each in found.moves} == listed_moves(root)
    assert {each.outcome for each in found.moves} == {None}


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("split", [True, False])
def test_seconds_are_held(core, split, own_clock):
    root = whole("cram(rows=7,columns=7)")
    listed_moves(root)
    searching = core(split=split)
    over = []
    for _ in range(8):
        started = time.perf_counter()
        assert searching.search(root, Budget(10**9, 0.03)).outcome is None
        over.append(time.perf_counter() - started - 0.03)
    assert min(over) < 0.003


@pytest.mark.parametrize("core", CORES)
def test_after_an_interruption_the_search_goes_on(core, interrupt_after):
    root = lost()
    random_lines = random.Random(5)
    files = ("python_nodes.py", "python_mcts.py", "python_depth_first.py", "python_outcome.py", "python_dfpn.py")
    for _ in range(12):
        searching = core(small=0)
        lines = random_lines.randrange(1, 20_000)
        interrupt_after(lines, lambda each=searching: each.search(root, Budget(100_000)), files)
        found = searching.search(root, Budget(100_000))
        assert found.outcome == "P"
        judge(Sum((Component(CRAM, 63),)), searching.search(Sum((Component(CRAM, 63),)), Budget(1000)))


def test_a_belief_is_followed_until_search_knows_better():
    root = Sum((Component(KAYLES, (6,)), Component(TwoCounters(), (3, 3))), 1)

    def loss(parts, heap):
        total = heap
        for ruleset, position, _ in parts:
            total ^= value_of(ruleset, position)
        return float(total == 0)

    total = root.heap
    for ruleset, position, _ in root.parts:
        total ^= value_of(ruleset, position)
    visited = [each for each in PythonMCTS(small=0, loss=loss).search(root, Budget(5)).moves if each.visits]
    assert visited
    assert all(option_value(root, total, each.move) == 0 for each in visited)
    assert math.isclose(visited[0].prior, max(each.prior for each in visited))
    for leaf in ("rollout", "belief"):
        wrong = PythonMCTS(small=0, loss=lambda *sum: 1 - loss(*sum), leaf=leaf).search(root, Budget(50_000))
        judge(root, wrong)
        assert wrong.outcome == "N"
    for core in (PythonOutcome, PythonProofNumber):
        assert core(small=0, loss=loss).search(root, Budget(50_000)).outcome == "N"


def test_the_lost_move_that_took_most_to_refute_comes_first():
    found = PythonMCTS(small=0).search(lost(), Budget(10_000))
    visits = [each.visits for each in found.moves]
    assert found.outcome == "P"
    assert visits == sorted(visits, reverse=True)
    assert visits[0] > visits[-1]


class Circle(Ruleset[int, int]):
    """Go round a circle for ever, without saying so."""

    name = "circle"

    def initial(self):
        return 0

    def moves(self, position):
        yield 1, (position + 1) % 3


class DeclaredCircle(Circle):
    loopy = True


@pytest.mark.parametrize("core", CORES)
def test_play_that_repeats_is_an_error(core):
    with pytest.raises(UnsupportedError, match="declared loopy"):
        core().search(Sum((Component(DeclaredCircle(), 0),)), Budget(10))
    with pytest.raises(LoopError, match=r"0 -> 1 -> 2|1 -> 2 -> 0|2 -> 0 -> 1"):
        core(small=0).search(Sum((Component(Circle(), 0),)), Budget(1000))


@pytest.mark.parametrize("core", CORES)
def test_an_error_of_the_rules_passes_through(core):
    class Broken(TwoCounters):
        name = "broken"

        def moves(self, position):
            if position[0] == 1:
                raise ZeroDivisionError("a fault in the rules")
            yield from super().moves(position)

    with pytest.raises(ZeroDivisionError, match="a fault in the rules"):
        core().search(Sum((Component(Broken(), (3, 3)),)), Budget(1000))


def test_bad_options_are_refused():
    with pytest.raises(SgaiError, match="'rollout' or 'belief'"):
        PythonMCTS(leaf="guess")
    with pytest.raises(SgaiError, match="needs a belief"):
        PythonMCTS(leaf="belief")
    with pytest.raises(SgaiError, match="2 entries or more"):
        PythonOutcome(entries=1)


def test_a_full_table_keeps_what_is_used():
    table = BoundedTable(10)
    table.put("kept", 0)
    for number in range(100):
        table.put(number, number)
        assert table.get("kept") == 0
        assert len(table) <= 10


def test_the_collector_waits_only_for_searches_with_a_deadline():
    seen = []

    class Watching(TwoCounters):
        name = "watching"

        def moves(self, position):
            seen.append(gc.isenabled())
            if position in stops:
                raise KeyboardInterrupt
            return super().moves(position)

    root, stops = Sum((Component(Watching(), (3, 3)),)), set()
    PythonOutcome().search(root, Budget(100))
    assert all(seen)
    seen.clear()
    PythonOutcome().search(root, Budget(100, 5.0))
    assert not all(seen)
    assert gc.isenabled()
    stops.add((2, 2))
    with pytest.raises(KeyboardInterrupt):
        PythonOutcome(small=0).search(root, Budget(1000, 5.0))
    assert gc.isenabled()
