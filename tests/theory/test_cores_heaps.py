"""The compiled search of heap sums: what it proves is what the reference solver says, and limits are kept."""

import functools
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sgai
from sgai.budget import Budget
from sgai.compiling import can_compile
from sgai.cores import Sum, SumMove
from sgai.cores.heap_results import is_heaps
from sgai.errors import SgaiError
from sgai.reference import reference_grundy
from sgai.ruleset import Component
from sgai.rulesets.heaps import HeapMove, HeapRuleset

if not can_compile():
    pytest.skip("nothing can be compiled here", allow_module_level=True)

from sgai.cores.heap_mcts import HeapMCTS

judged = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


class Doubling(HeapRuleset):
    """A heap becomes two heaps that may hold more than it did: piles outnumber the tokens at the start."""

    name = "doubling"

    def results(self, heap):
        for part in range(1, heap):
            yield (part, part)
        yield ()


NIM, KAYLES, GRUNDY = (sgai.load_ruleset(name) for name in ("nim", "kayles", "grundys_game"))
SUBTRACTION = sgai.load_ruleset("subtraction(take=[2;3])")
positions = st.lists(st.integers(1, 5), max_size=2).map(lambda heaps: tuple(sorted(heaps)))
components = st.one_of(
    st.builds(Component, st.sampled_from([NIM, KAYLES, GRUNDY, SUBTRACTION]), positions),
    st.builds(Component, st.just(Doubling()), st.integers(1, 3).map(lambda heap: (heap,))),
)
sums = st.builds(Sum, st.lists(components, max_size=3).map(tuple), st.integers(0, 3))


@functools.cache
def value_of(ruleset, position):
    if len(position) > 1:
        return value_of(ruleset, position[:1]) ^ value_of(ruleset, position[1:])
    return reference_grundy(ruleset, position)


def total_of(root):
    total = root.heap
    for ruleset, position, _ in root.parts:
        total ^= value_of(ruleset, position)
    return total


def judge(root, found):
    total = total_of(root)
    assert found.outcome in (None, "N" if total else "P")
    for each in found.moves:
        part, move = each.move
        if part < 0:
            after = total ^ root.heap ^ move
        else:
            ruleset, position, _ = root.parts[part]
            after = total ^ value_of(ruleset, position) ^ value_of(ruleset, ruleset.apply(position, move))
        assert each.outcome in (None, "N" if after else "P")
        assert each.win == (each.outcome == "P") if each.outcome else 0 < each.win < 1
    if found.outcome == "N":
        assert found.moves[0].outcome == "P"
    if found.outcome == "P":
        assert all(each.outcome == "N" for each in found.moves)


def listed_moves(root):
    listed = [
        SumMove(number, move)
        for number, (ruleset, position, _) in enumerate(root.parts)
        for move, _ in ruleset.moves(position)
    ]
    return sorted([*listed, *(SumMove(-1, size) for size in range(min(root.heap, len(listed) + 1)))])


def nim(*piles, heap=0):
    return Sum((Component(NIM, tuple(sorted(piles))),), heap)


@pytest.fixture(scope="module")
def core():
    return HeapMCTS()


@pytest.mark.parametrize("split", [False, True])
@judged
@given(root=sums)
def test_what_is_proved_is_true(split, root):
    found = HeapMCTS(split=split).search(root, Budget(20_000))
    assert sorted(each.move for each in found.moves) == listed_moves(root)
    judge(root, found)
    if split:
        assert found.outcome is not None
        assert found.nodes == 0


@judged
@given(root=sums)
def test_small_sums_are_proved(root):
    core = HeapMCTS()
    if sum(map(sum, (part.position for part in root.parts))) + root.heap <= 7:
        assert core.search(root, Budget(500_000)).outcome is not None


@judged
@given(root=sums)
def test_single_simulations_make_the_same_search(root):
    core, other = HeapMCTS(), HeapMCTS()
    for _ in range(50):
        found = core.search(root, Budget(1))
        judge(root, found)
    assert found.moves == other.search(root, Budget(50)).moves


def test_a_seed_decides_the_search():
    root = nim(9, 9, 9, 8, 7)
    core = HeapMCTS(seed=1)
    first = core.search(root, Budget(3000))
    core.reset()
    assert core.search(root, Budget(3000)).moves == first.moves == HeapMCTS(seed=1).search(root, Budget(3000)).moves
    assert HeapMCTS(seed=2).search(root, Budget(3000)).moves != first.moves
    assert first.nodes == 3000


def test_moves_of_one_game_share_the_tree():
    core = HeapMCTS()
    root = Sum((Component(NIM, (9, 9)), Component(KAYLES, (8,))), 7)
    core.search(root, Budget(20_000))
    move = HeapMove(8, (3, 4))
    replied = Sum((Component(NIM, (5, 9)), Component(KAYLES, (3,)), Component(KAYLES, (4,))), 7)
    assert KAYLES.apply((8,), move) == (3, 4)
    kept = core.search(replied, Budget(1))
    assert sum({each.move.move: each.visits for each in kept.moves}.values()) > 10
    judge(replied, core.search(replied, Budget(20_000)))
    nearer = replied._replace(heap=2)
    kept = core.search(nearer, Budget(1))
    assert kept.nodes <= 1
    assert sum(each.visits for each in kept.moves) > 100
    fresh = HeapMCTS().search(nearer, Budget(1))
    assert sum(each.visits for each in fresh.moves) <= 1
    elsewhere = core.search(nim(8, 7, 6), Budget(10))
    assert sum(each.visits for each in elsewhere.moves) <= 10


@judged
@given(root=sums, choices=st.lists(st.integers(0, 10**6), min_size=8, max_size=8))
def test_what_stays_in_the_tree_is_true(root, choices):
    core = HeapMCTS()
    for choice in choices:
        found = core.search(root, Budget(300))
        judge(root, found)
        if not found.moves:
            break
        part, move = sorted(each.move for each in found.moves)[choice % len(found.moves)]
        if part < 0:
            root = root._replace(heap=move)
        else:
            parts = list(root.parts)
            ruleset, position, _ = parts[part]
            parts[part] = Component(ruleset, ruleset.apply(position, move))
            root = root._replace(parts=tuple(parts))


def test_a_full_tree_goes_on_with_rollouts():
    core = HeapMCTS(nodes=500)
    root = nim(9, 9, 9, 8, 7)
    found = core.search(root, Budget(5000))
    assert found.nodes == 5000
    assert len(core._tree.arrays.child) == 500
    assert sum(each.visits for each in found.moves) >= 4999  # equal piles' moves are listed once in one part


def test_a_tree_grows_without_changing_the_search(monkeypatch):
    root = nim(9, 9, 8, 7, heap=5)
    expected = HeapMCTS().search(root, Budget(4000))
    monkeypatch.setattr("sgai.cores.heap_tree._FIRST_NODES", 64)
    assert HeapMCTS().search(root, Budget(4000)).moves == expected.moves


def test_a_few_thousand_tokens():
    root = Sum((Component(NIM, (3000,)), Component(KAYLES, (300, 400))), 2)
    found = HeapMCTS().search(root, Budget(2000))
    assert found.nodes == 2000
    assert len(found.moves) == len(listed_moves(root))
    exact = HeapMCTS(split=True).search(root, Budget(1))
    assert exact.outcome == "N"
    assert exact.moves[0].outcome == "P"


def test_a_huge_nim_heap_is_not_listed(core):
    found = core.search(nim(2, heap=10**30), Budget(10_000))
    assert found.outcome == "N"
    assert found.moves[0].move == SumMove(-1, 2)
    assert len(found.moves) == 5


def test_no_moves_are_lost_at_once(core):
    for root in (Sum(()), Sum((Component(SUBTRACTION, (1, 1)), Component(NIM, ())))):
        found = core.search(root, Budget(1, 1e-9))
        assert (found.outcome, found.moves) == ("P", ())


def test_after_an_interruption_the_search_goes_on(interrupt_after):
    root = nim(9, 8, 7, heap=3)
    files = ("heap_mcts.py", "heap_tree.py", "heap_results.py")
    for lines in range(1, 400, 23):
        core = HeapMCTS()
        core.search(nim(9, 9, 8, 7), Budget(100))
        interrupt_after(lines, lambda each=core: each.search(root, Budget(30_000)), files)
        found = core.search(root, Budget(30_000))
        judge(root, found)
        assert found.nodes > 0


def test_seconds_are_held(core, own_clock):
    root = nim(*[20] * 9)
    over = []
    for _ in range(8):
        started = time.perf_counter()
        assert core.search(root, Budget(10**9, 0.02)).outcome is None
        over.append(time.perf_counter() - started - 0.02)
    assert min(over) < 0.003
    assert {each.outcome for each in core.search(nim(*[700] * 9), Budget(10**9, 1e-9)).moves} == {None}


def test_what_it_does_not_take_is_refused(core):
    assert is_heaps(Component(KAYLES, (3, 4)))
    cram = sgai.load_ruleset("cram")
    for root in (Sum((Component(cram, cram.initial()),)), nim(10**6)):
        assert not is_heaps(root.parts[0])
        with pytest.raises(SgaiError, match="another core"):
            core.search(root, Budget(10))
    three = sgai.load_ruleset("take_and_break(code=[0.F])")
    with pytest.raises(SgaiError, match="may become 3 heaps"):
        core.search(Sum((Component(three, (9,)),)), Budget(10))
    with pytest.raises(SgaiError, match="nodes=0"):
        HeapMCTS(nodes=0)


def test_the_cached_kernel_gives_the_same_in_another_process(run_program):
    program = """
from sgai import load_ruleset
from sgai.budget import Budget
from sgai.cores import Sum
from sgai.cores.heap_mcts import HeapMCTS
from sgai.kernels.heap_mcts import simulate
from sgai.ruleset import Component

found = HeapMCTS(seed=3).search(Sum((Component(load_ruleset("kayles"), (9, 11, 12)),), 2), Budget(2000))
print([(str(each.move.move), each.outcome, each.visits) for each in found.moves])
print(sum(simulate.stats.cache_hits.values()))
"""
    runs = [run_program(program) for _ in range(2)]
    assert [run.stderr for run in runs] == ["", ""]
    (first, _), (second, hits) = [run.stdout.splitlines() for run in runs]
    assert first == second
    assert int(hits) >= 1
    here = HeapMCTS(seed=3).search(Sum((Component(KAYLES, (9, 11, 12)),), 2), Budget(2000))
    assert first == str([(str(each.move.move), each.outcome, each.visits) for each in here.moves])


def test_a_kept_tree_has_room_for_the_moves_of_the_next_sum():
    # Its 30 has one move and 29 has 29: the tree of the first sum is too small for the second one's root.

    class Uneven(HeapRuleset):
        """A heap of 30 loses one token, every other heap any number."""

        name = "uneven"

        def results(self, heap):
            for left in [29] if heap == 30 else range(heap):
                yield (left,) if left else ()

    ruleset, core = Uneven(), HeapMCTS(nodes=25)
    core.search(Sum((Component(ruleset, (20, 30)),)), Budget(200))
    found = core.search(Sum((Component(ruleset, (20, 29)),)), Budget(400))
    assert found.nodes == 400
    assert len(found.moves) == 49
