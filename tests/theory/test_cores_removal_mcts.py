"""Compiled MCTS on removal games: what it proves, how it stays within its arrays, and that it is repeatable."""

import functools
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sgai import SgaiError, load_ruleset
from sgai.belief_models import BeliefModel
from sgai.budget import Budget, OutOfBudget
from sgai.cores import Sum, SumMove
from sgai.cores.removal_mcts import RemovalMCTS
from sgai.reference import reference_grundy
from sgai.removal_search import RemovalSearch
from sgai.ruleset import Component
from sgai.solver import Solver

GRAPH = "edges=[0-1;1-2;2-3;3-4;4-5;5-0;1-4;2-6;6-7]"
# With 70 and 140 cells, so that sets of cells take two words and four.
PATH, CYCLE = "graph=path,vertices=140", "graph=cycle,vertices=70"
SMALL = [
    "cram(rows=3,columns=4)",
    f"node_kayles({GRAPH})",
    f"arc_kayles({GRAPH})",
    f"kayles_on_graph({GRAPH})",
    "chomp(rows=3,columns=3)",
    "tac_tix(rows=3,columns=3)",
]
WIDE = [
    f"node_kayles({CYCLE})",
    f"arc_kayles({CYCLE})",
    f"node_kayles({PATH})",
    f"kayles_on_graph({PATH})",
    "cram(rows=9,columns=9)",
    "tac_tix(rows=12,columns=12)",
]
MANY_CELLS = "cram(rows=8,columns=8)"

few = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
options = st.fixed_dictionaries(
    {
        "patience": st.integers(0, 4),
        "nodes": st.sampled_from([2, 9, 50, 1 << 12]),
        "seed": st.integers(0, 5),
        "how": st.sampled_from(["rollout", "believed rollout", "belief", "plain"]),
    }
)


def core_of(ruleset, *, how="rollout", search=None, nodes=1 << 12, **others):
    beliefs = BeliefModel.shipped() if "belie" in how else None
    leaf = "belief" if how == "belief" else "rollout"
    search = search or RemovalSearch(ruleset.table)
    return RemovalMCTS(search, beliefs=beliefs, leaf=leaf, splits=how != "plain", nodes=nodes, **others)


def tree_of(core):
    (tree,) = core._trees.values()
    return tree


@functools.cache
def judge():
    """Return a solver that all tests share: it is judged by the referee elsewhere."""
    return Solver()


def value_of(ruleset, position):
    value = judge().grundy(ruleset, position)
    if position.bit_count() <= 5:
        assert value == reference_grundy(ruleset, position)
    return value


def check(root, found, solved=True):
    """Check all that is said of a sum; ``solved`` says that the outcome must be proved."""
    values = [value_of(*part[:2]) for part in root.parts]
    total = functools.reduce(int.__xor__, values, root.heap)
    truth = "N" if total else "P"
    assert found.outcome in ((truth,) if solved else (truth, None))
    for each in found.moves:
        assert 0 <= each.win <= 1
        assert 0 <= each.prior <= 1
        if each.move.part < 0:
            after = total ^ root.heap ^ each.move.move
        else:
            part = root.parts[each.move.part]
            option = part.ruleset.apply(part.position, each.move.move)  # raises where the move is not legal
            after = total ^ values[each.move.part] ^ value_of(part.ruleset, option)
        if each.outcome is not None:
            assert each.outcome == ("N" if after else "P")
            assert each.win == (each.outcome == "P")
    ranks = [["P", None, "N"].index(each.outcome) for each in found.moves]
    assert ranks == sorted(ranks)
    if found.outcome == "N":
        assert found.moves[0].outcome == "P"
    if found.outcome == "P":
        assert all(each.outcome == "N" for each in found.moves)


def played(ruleset, bits, most_cells=None):
    """Return a component after moves that the bits choose: any, or one small enough."""
    position = ruleset.initial()
    while bits > 1 or (most_cells is not None and position.bit_count() > most_cells):
        choices = list(ruleset.moves(position))
        if not choices:
            break
        position = choices[bits % len(choices)][1]
        bits = bits // 7 or 1
        if most_cells is not None:
            position = min((part.position for part in ruleset.components(position)), key=int.bit_count, default=0)
    return ruleset.components(position)


# What is proved


@pytest.mark.parametrize("name", SMALL)
@few
@given(bits=st.lists(st.integers(1, 10**6), min_size=1, max_size=3), heap=st.integers(0, 3), chosen=options)
def test_agrees_with_the_solver(name, bits, heap, chosen):
    ruleset = load_ruleset(name)
    parts = [part for each in bits for part in played(ruleset, each)]
    root = Sum(tuple(parts[:4]), heap)
    for budget in (1, 30, 3000):
        check(root, core_of(ruleset, **chosen).search(root, Budget(budget)), solved=False)


@pytest.mark.parametrize("how", ["rollout", "believed rollout", "belief"])
@pytest.mark.parametrize("name", SMALL)
def test_it_proves_small_sums(name, how):
    ruleset = load_ruleset(name)
    start = Component(ruleset, ruleset.initial(), True)
    other = played(ruleset, 3)
    for heap in range(4):
        for parts in ((start,), other[:1], (start, *other[:1])):
            root = Sum(parts, heap)
            found = core_of(ruleset, how=how, nodes=1 << 16).search(root, Budget(40_000))
            check(root, found, solved=len(parts) == 1)


@pytest.mark.parametrize(
    "name", [each if each.startswith("cram") else pytest.param(each, marks=pytest.mark.slow) for each in WIDE]
)
@settings(few, max_examples=6)
@given(data=st.data())
def test_wide_sets_of_cells(name, data):
    ruleset = load_ruleset(name)
    parts = []
    for bits in data.draw(st.lists(st.integers(10**4, 10**6), min_size=1, max_size=2)):
        parts.extend(played(ruleset, bits, most_cells=12))
    root = Sum(tuple(parts[:3]), data.draw(st.integers(0, 3)))
    check(root, core_of(ruleset, **data.draw(options)).search(root, Budget(500)), solved=False)


def test_the_sizes_above_are_of_one_two_and_four_words():
    assert {RemovalSearch(load_ruleset(name).table).words for name in SMALL} == {1}
    assert {RemovalSearch(load_ruleset(name).table).words for name in WIDE} == {2, 4}


@pytest.mark.parametrize("how", ["rollout", "believed rollout", "plain"])
def test_equal_parts_cancel(how):
    ruleset = load_ruleset("cram(rows=3,columns=4)")
    part = Component(ruleset, ruleset.options(ruleset.initial())[1], True)
    root = Sum((part, part))
    found = core_of(ruleset, how=how, nodes=1 << 16).search(root, Budget(5000))
    check(root, found, solved=False)
    if how != "plain":
        assert found.outcome == "P"


@pytest.mark.parametrize("name", ["cram(rows=3,columns=5)", f"arc_kayles({GRAPH})", "chomp(rows=3,columns=4)"])
def test_what_it_puts_into_the_table_is_true(name):
    ruleset = load_ruleset(name)
    search = RemovalSearch(ruleset.table)
    start = Component(ruleset, ruleset.initial(), True)
    for heap in range(4):
        core_of(ruleset, search=search, how="believed rollout", patience=heap).search(Sum((start,), heap), Budget(3000))
    assert search.entries > 10
    kept = search.expensive(0)
    assert kept
    for position, value in kept.items():
        assert value == value_of(ruleset, position | ruleset.always_live())
    for option in ruleset.options(ruleset.initial()):
        for part in ruleset.components(option):
            bare = part.position & ~ruleset.always_live()
            assert value_of(ruleset, part.position) not in [
                value for value in range(64) if search.excluded(bare) >> value & 1
            ]
    assert search.value(ruleset.initial() & ~ruleset.always_live(), Budget()) == value_of(ruleset, ruleset.initial())


def test_beside_an_exact_search_that_has_stopped_half_way():
    ruleset = load_ruleset("cram(rows=5,columns=6)")
    search = RemovalSearch(ruleset.table)
    root = Sum((Component(ruleset, ruleset.initial(), True),), 1)
    for _ in range(5):
        with pytest.raises(OutOfBudget):
            search.value(ruleset.initial(), Budget(20))
        core_of(ruleset, search=search, how="believed rollout").search(root, Budget(50))
    assert search.value(ruleset.initial(), Budget()) == 2  # cram.json


# Room


def test_more_parts_than_before():
    # The arrays that were made for up to four parts are too small for five: 540 moves, and a mark for each child.
    ruleset = load_ruleset(MANY_CELLS)
    full = ruleset.initial()
    five = tuple(Component(ruleset, full & ~gone, True) for gone in (0b1, 0b10000000100, 0b10, 1 << 3, 1 << 11))
    one, two = five[:2]
    for how in ("plain", "rollout"):
        core = core_of(ruleset, how=how)
        core.search(Sum((one,)), Budget(2))
        assert len(tree_of(core).legal) == 4 * len(ruleset.table.needs) == 448
        found = core.search(Sum((one, two)), Budget(2))
        assert len(found.moves) > 112
        found = core.search(Sum(five), Budget(2))
        assert len(found.moves) > 448
        assert len(tree_of(core).legal) == 560
        assert len(tree_of(core).marks) >= len(found.moves)


def test_random_play_of_many_parts():
    # Each falls apart into some: together more than the root's parts and the cells of one.
    ruleset = load_ruleset("tac_tix(rows=8,columns=8)")
    full = ruleset.initial()
    parts = tuple(Component(ruleset, full & ~(1 << cell), True) for cell in range(16))
    core = core_of(ruleset)
    core.search(Sum(parts), Budget(5))
    assert len(tree_of(core).work) > 16 * 64 // 2


@pytest.mark.parametrize("how", ["rollout", "believed rollout", "plain"])
def test_a_full_tree_stops_growing(how):
    ruleset = load_ruleset("cram(rows=6,columns=6)")
    root = Sum((Component(ruleset, ruleset.initial() & ~1, True),), 2)
    for nodes in (2, 100, 1000):
        core = core_of(ruleset, how=how, nodes=nodes, patience=0)
        found = core.search(root, Budget(2000))
        assert found.moves
        assert sum(each.visits for each in found.moves) >= 1000
        assert tree_of(core).state[1] <= len(tree_of(core).parts)
        assert tree_of(core).state[0] <= len(tree_of(core).nodes) == 1 + max(nodes, 4 * 60 + 64)


def test_a_tree_shared_by_searches_that_need_unlike_room():
    # One had room for many children, and the other one took it for its many parts.
    row, trees = load_ruleset("cram(rows=1,columns=5)"), {}
    part = Component(row, row.initial(), True)
    many = core_of(row, how="plain", trees=trees, nodes=2)
    large = core_of(row, search=RemovalSearch(row.table, values=4096), trees=trees, nodes=2)
    for core, parts in ((large, 1), (many, 200), (large, 1), (many, 200)):
        core.search(Sum((part,) * parts, 0), Budget(10))
        (tree,) = trees.values()
        assert len(tree.work) > parts * 3
        assert len(tree.legal) >= parts * 4
    assert len(tree.marks) >= 4096


@pytest.mark.slow
def test_room_for_large_values():
    # With sets of 256 values a heap may have 255 moves.
    ruleset = load_ruleset("chomp(rows=1,columns=200)")
    search = RemovalSearch(ruleset.table, values=256)
    start = Component(ruleset, ruleset.initial(), True)
    for heap, outcome in ((3, "N"), (63, "N")):
        found = core_of(ruleset, search=search).search(Sum((start,), heap), Budget(2000))
        assert found.outcome in (outcome, None)
    row = load_ruleset("rectangle_take(rows=1,columns=80)")
    search = RemovalSearch(row.table, values=256)
    for length in range(1, 81):
        search.add((1 << length) - 1, length)
    parts = tuple(Component(row, ((1 << length) - 1) << 1, True) for length in (79, 70))
    core = core_of(row, search=RemovalSearch(row.table, values=256))
    assert core.search(Sum(parts, 9), Budget(200)).outcome in ("N", None)
    assert len(tree_of(core).marks) == 4 * len(row.table.needs) + 256
    # With all values known a move leads to nothing but a heap.
    check(Sum(parts, 79 ^ 70), core_of(row, search=search).search(Sum(parts, 79 ^ 70), Budget(200)), solved=False)


BOUNDS = """
import sys
sys.path.insert(0, sys.argv[1])
import test_cores_removal_mcts as tests
tests.test_more_parts_than_before()
tests.test_random_play_of_many_parts()
tests.test_room_for_large_values()
for how in ("rollout", "belief", "plain"):
    for name in (tests.SMALL[0], tests.SMALL[2], tests.SMALL[4]):
        ruleset = tests.load_ruleset(name)
        root = tests.Sum((tests.Component(ruleset, ruleset.initial(), True),) * 2, 3)
        for nodes in (2, 60, 5000):
            tests.core_of(ruleset, how=how, nodes=nodes, patience=0).search(root, tests.Budget(300))
print("within")
"""


@pytest.mark.slow
def test_nothing_is_written_beside_the_arrays(run_program, tmp_path):
    # numba checks indices only where it is told to, and then everything is compiled anew.
    done = run_program(BOUNDS, __file__.rpartition("/")[0], NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path))
    assert done.stdout.split() == ["within"], done.stderr


# Repeatability


@pytest.mark.parametrize("how", ["rollout", "believed rollout", "belief", "plain"])
def test_equal_tables_and_seeds_give_equal_findings(how):
    ruleset = load_ruleset("cram(rows=6,columns=6)")
    part = Component(ruleset, ruleset.initial() & ~1, True)

    def findings(core):
        found = [core.search(Sum((part,), heap), Budget(400)) for heap in (2, 3)]
        return [(each.outcome, each.moves, each.nodes, each.hits) for each in found]

    first, second, other = (core_of(ruleset, how=how, seed=seed) for seed in (4, 4, 5))
    expected = findings(first)
    assert findings(second) == expected
    if how != "belief":
        assert findings(other) != expected
    if how == "plain":  # it adds nothing to the table
        assert findings(first) != expected
        first.reset()
        assert findings(first) == expected


@pytest.mark.parametrize("seconds", [0.0, 1.0])
def test_the_clock_does_not_change_what_is_found(monkeypatch, seconds):
    """Slices are long or short as time goes; the table grows at the same simulation all the same."""
    from sgai import removal_search
    from sgai.cores import removal_mcts

    monkeypatch.setattr(removal_search, "_SMALLEST_TABLE", 64)
    ruleset = load_ruleset("cram(rows=4,columns=6)")
    root = Sum((Component(ruleset, ruleset.initial() & ~1, True),), 1)

    def findings():
        search = RemovalSearch(ruleset.table)
        found = core_of(ruleset, search=search, nodes=1 << 16, patience=0).search(root, Budget(20_000))
        return found.outcome, found.moves, found.nodes, found.hits, search.entries

    expected = findings()
    assert expected[-1] > 300  # so that it grew several times
    monkeypatch.setattr(removal_mcts, "_SLICE_SECONDS", seconds)
    assert findings() == expected


@pytest.mark.parametrize("seed", [-1, 0, 2**70])
def test_any_seed(seed):
    ruleset = load_ruleset("cram(rows=3,columns=4)")
    root = Sum((Component(ruleset, ruleset.initial(), True),), 1)
    check(root, core_of(ruleset, seed=seed).search(root, Budget(20_000)))


PROGRAM = """
import time, sgai
from sgai.budget import Budget
from sgai.cores import Sum
from sgai.cores.removal_mcts import RemovalMCTS
from sgai.removal_search import RemovalSearch
from sgai.ruleset import Component
ruleset = sgai.load_ruleset("cram(rows=6,columns=6)")
began = time.process_time()
core = RemovalMCTS(RemovalSearch(ruleset.table), nodes=4096)
found = core.search(Sum((Component(ruleset, ruleset.initial() & ~1, True),), 2), Budget(400))
print(time.process_time() - began)
print(found.outcome, found.moves, found.nodes, found.hits)
"""


def test_the_next_process_loads_the_compiled_code_and_finds_the_same(run_program):
    ruleset = load_ruleset("cram(rows=6,columns=6)")
    root = Sum((Component(ruleset, ruleset.initial() & ~1, True),), 2)
    found = core_of(ruleset).search(root, Budget(400))
    done = run_program(PROGRAM)
    assert done.returncode == 0, done.stderr
    seconds, said = done.stdout.splitlines()
    assert said == f"{found.outcome} {found.moves} {found.nodes} {found.hits}"
    assert float(seconds) < 8  # compiling takes longer


# Budgets


def test_one_simulation():
    ruleset = load_ruleset("cram(rows=4,columns=5)")
    for states in (1, 2, 17):
        budget = Budget(states)
        found = core_of(ruleset).search(Sum((Component(ruleset, ruleset.initial(), True),), 1), budget)
        assert found.nodes == budget.spent == states
        assert len(found.moves) > 1


def test_seconds_run_out():
    ruleset = load_ruleset("cram(rows=9,columns=9)")
    core = core_of(ruleset, how="believed rollout")
    root = Sum((Component(ruleset, ruleset.initial(), True),), 1)
    core.search(root, Budget(1))
    took = [core.search(root, Budget(10**9, 0.02)).seconds for _ in range(5)]
    assert 0.02 <= min(took) < 0.06


def test_after_an_interruption(interrupt_after):
    ruleset = load_ruleset("cram(rows=3,columns=4)")
    root = Sum((Component(ruleset, ruleset.initial(), True),), 1)
    core, line = core_of(ruleset), 1
    while interrupt_after(line, lambda: core.search(root, Budget(30)), ("cores/removal_mcts.py", "removal_search.py")):
        line += 7
    assert line > 40
    found = core.search(root, Budget(20_000))
    assert found.outcome == "P"  # the value is 1: cram.json
    check(root, found)


# Sums without anything to search, and bad input


def test_sums_without_parts():
    core = core_of(load_ruleset("cram(rows=2,columns=3)"))
    nothing = core.search(Sum(()), Budget(1))
    assert (nothing.outcome, nothing.moves, nothing.nodes) == ("P", (), 0)
    heap = core.search(Sum((), 3), Budget(1))
    assert heap.outcome == "N"
    assert {each.move: each.outcome for each in heap.moves} == {
        SumMove(-1, 0): "P",
        SumMove(-1, 1): "N",
        SumMove(-1, 2): "N",
    }
    assert heap.moves[0].outcome == "P"


@pytest.mark.parametrize("how", ["rollout", "plain"])
def test_parts_in_which_nothing_can_be_moved(how):
    # Decomposing gives none of them, but a sum may have them; no legal move is left at the corners.
    ruleset = load_ruleset("cram(rows=3,columns=4)")
    dead, live = Component(ruleset, 0b1000_0000_0001), Component(ruleset, ruleset.initial(), True)
    for parts in ((dead,), (dead, dead), (live, dead)):
        for heap in range(3):
            found = core_of(ruleset, how=how, nodes=1 << 16).search(Sum(parts, heap), Budget(5000))
            check(Sum(parts, heap), found, solved=how == "rollout")


@pytest.mark.parametrize("heap", [-1, 64, 10**12])
def test_heaps_that_are_refused(heap):
    ruleset = load_ruleset("cram(rows=2,columns=3)")
    for parts in ((), (Component(ruleset, ruleset.initial(), True),)):
        with pytest.raises(SgaiError, match=f"heap={heap}"):
            core_of(ruleset).search(Sum(parts, heap), Budget(1))


def test_bad_sums():
    ruleset = load_ruleset("cram(rows=2,columns=3)")
    part = Component(ruleset, ruleset.initial(), True)
    core = core_of(ruleset)
    nim, larger = load_ruleset("nim"), load_ruleset("cram(rows=3,columns=3)")
    with pytest.raises(SgaiError, match="no removal game"):
        core.search(Sum((Component(nim, (3,)),)), Budget(1))
    with pytest.raises(SgaiError, match="not the game"):
        core.search(Sum((Component(larger, larger.initial()),)), Budget(1))
    with pytest.raises(SgaiError, match="one ruleset"):
        core.search(Sum((part, Component(larger, 3))), Budget(1))
    with pytest.raises(SgaiError, match="'64' is not a position"):
        core.search(Sum((Component(ruleset, 64),)), Budget(1))


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("leaf", "guess"),
        ("leaf", "belief"),
        ("patience", -1),
        ("nodes", 1),
        ("strength", -0.5),
        ("strength", math.nan),
        ("exploration", math.inf),
        ("exploration", -1.0),
    ],
)
def test_bad_options(what, value):
    with pytest.raises(SgaiError, match=f"{what}='?{value}"):
        RemovalMCTS(RemovalSearch(load_ruleset("cram").table), **{what: value})


def test_another_game_of_the_same_size_is_refused():
    path = load_ruleset("node_kayles(graph=path,vertices=10)")
    star = load_ruleset(f"node_kayles(edges=[{';'.join(f'0-{leaf}' for leaf in range(1, 10))}])")
    core = RemovalMCTS(RemovalSearch(path.table))
    with pytest.raises(SgaiError, match="is not the game of the exact search"):
        core.search(Sum((Component(star, star.initial()),)), Budget(10))


def test_seconds_are_those_of_one_search():
    ruleset = load_ruleset("cram(rows=6,columns=7)")
    core, budget = RemovalMCTS(RemovalSearch(ruleset.table)), Budget(2_000)
    root = Sum((Component(ruleset, ruleset.initial() & ~0b1011),))
    spent = 0.0
    for _ in range(4):
        spent += core.search(root, budget.share(0.25)).seconds
        spent += core.search(root, Budget(1)).seconds
    assert 0 < spent <= budget.elapsed()


@pytest.mark.parametrize("game", ["node_kayles", "arc_kayles"])
@pytest.mark.parametrize("vertices", [40, 100])
def test_a_part_that_is_not_connected_is_split_as_it_is_played(game, vertices):
    """A move marks cells beside it alone, so that whole components have no mark; a search did not end on such parts."""
    half = vertices // 2
    joined = [(v, v + step) for first in (0, half) for v in range(first, first + half) for step in (1, 7)]
    edges = ";".join(f"{a}-{b}" for a, b in joined if b < half or (a >= half and b < vertices))
    ruleset = load_ruleset(f"{game}(edges=[{edges}])")
    core = RemovalMCTS(RemovalSearch(ruleset.table), nodes=2000)
    root = Sum((Component(ruleset.rules(), ruleset.initial(), True),), heap=1)
    budget = Budget(200)
    found = core.search(root, budget)
    assert found.outcome is not None or budget.spent == 200
    assert found.moves
