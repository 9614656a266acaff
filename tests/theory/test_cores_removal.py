"""The search cores for removal games: against the referee, with little memory, in steps, and in other processes."""

import functools
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgai import SgaiError, load_ruleset
from sgai.budget import Budget, OutOfBudget
from sgai.cores import Sum, SumMove
from sgai.cores.removal_outcome import RemovalOutcome, RemovalProofNumber
from sgai.kernels.jit import compiled, sources_digest
from sgai.reference import reference_grundy
from sgai.removal_proofs import ProofNumbers
from sgai.removal_search import RemovalSearch
from sgai.removal_values import LEAST_MEMORY, RemovalValues
from sgai.ruleset import Component

CORES = [RemovalOutcome, RemovalProofNumber]
UNLIMITED = 10**12
GRAPH = "edges=[0-1;1-2;2-3;3-4;4-5;5-0;1-4;2-6;6-7]"
RULESETS = [
    "cram(rows=3,columns=4)",
    f"node_kayles({GRAPH})",
    f"arc_kayles({GRAPH})",
    f"kayles_on_graph({GRAPH})",
    "chomp(rows=3,columns=4)",
    "tac_tix(rows=3,columns=3)",
    "treblecross(rows=1,columns=11)",
]


@functools.cache
def referee(ruleset):
    """Return the values of positions by their definition, each found once; small ones are checked by the referee."""

    @functools.cache
    def value(position):
        found = {value(option) for option in ruleset.options(position)}
        least = next(n for n in range(len(found) + 1) if n not in found)
        if position.bit_count() <= 5:
            assert least == reference_grundy(ruleset, position)
        return least

    return value


def position_of(ruleset, bits):
    """Return a position for any bits: the start after moves that they choose."""
    position = ruleset.initial()
    for _ in range(bits & 3):
        options = ruleset.options(position)
        if not options:
            break
        position = options[(bits >> 2) % len(options)]
        bits >>= 4
    return position


def sum_of(ruleset, positions, heap):
    parts = [part for position in positions for part in ruleset.components(position)]
    return Sum(tuple(parts), heap)


def value_of(root):
    value = root.heap
    for part in root.parts:
        value ^= referee(part.ruleset)(part.position)
    return value


def value_after(root, move):
    if move.part < 0:
        assert move.move < root.heap
        return value_of(root) ^ root.heap ^ move.move
    part = root.parts[move.part]
    values = referee(part.ruleset)
    return value_of(root) ^ values(part.position) ^ values(part.ruleset.apply(part.position, move.move))


def check(root, findings, solved=True):
    """Check all that is said of a sum; ``solved`` says that the outcome must be proved."""
    outcome = "N" if value_of(root) else "P"
    assert findings.outcome in ((outcome,) if solved else (outcome, None))
    for finding in findings.moves:
        assert 0 <= finding.win <= 1
        assert 0 <= finding.prior <= 1
        if finding.outcome is not None:
            assert finding.outcome == ("N" if value_after(root, finding.move) else "P")
            assert finding.win == (finding.outcome == "P")
    moves = [finding.move for finding in findings.moves]
    assert len(set(moves)) == len(moves)
    assert set(moves) >= {
        SumMove(number, move) for number, part in enumerate(root.parts) for move, _ in part.ruleset.moves(part.position)
    }
    if findings.outcome == "N":
        assert findings.moves[0].outcome == "P"
    elif findings.outcome == "P":
        assert all(finding.outcome == "N" for finding in findings.moves)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("name", RULESETS)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_agrees_with_the_definition(core, name, data):
    ruleset = load_ruleset(name)
    bits = data.draw(st.lists(st.integers(0, 2**16 - 1), min_size=1, max_size=2))
    root = sum_of(ruleset, [position_of(ruleset, each) for each in bits], data.draw(st.integers(0, 3)))
    check(root, core(ruleset).search(root, Budget(UNLIMITED)))


@pytest.mark.parametrize("core", CORES)
def test_small_graphs(core):
    @settings(max_examples=25, deadline=None)
    @given(
        edges=st.sets(
            st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda edge: edge[0] < edge[1]), min_size=1
        ),
        game=st.sampled_from(["node_kayles", "arc_kayles", "kayles_on_graph"]),
        heap=st.integers(0, 3),
    )
    def agrees(edges, game, heap):
        ruleset = load_ruleset(f"{game}(edges=[{';'.join(f'{a}-{b}' for a, b in sorted(edges))}])")
        root = sum_of(ruleset, [ruleset.initial()], heap)
        check(root, core(ruleset).search(root, Budget(UNLIMITED)))

    agrees()


# Budgets


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("states", [1, 3, 40])
def test_in_steps(core, states):
    ruleset = load_ruleset("cram(rows=4,columns=5)")
    root = sum_of(ruleset, [ruleset.initial()], 2)  # the value is 2: cram.json
    searching, steps = core(ruleset), 0
    findings = searching.search(root, Budget(states))
    while findings.outcome is None:
        assert findings.nodes <= states
        steps += 1
        assert steps < 20_000
        findings = searching.search(root, Budget(states))
    assert findings.outcome == "P"
    assert steps > 3


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("states", [1, 2, 7, 60])
def test_what_is_proved_of_an_unfinished_search_is_right(core, states):
    ruleset = load_ruleset("cram(rows=3,columns=4)")
    for heap in range(4):
        root = sum_of(ruleset, [ruleset.initial(), ruleset.options(ruleset.initial())[3]], heap)
        check(root, core(ruleset).search(root, Budget(states)), solved=False)


@pytest.mark.parametrize("core", CORES)
def test_equal_calls_give_equal_findings(core):
    ruleset = load_ruleset("cram(rows=5,columns=6)")
    root = sum_of(ruleset, [ruleset.initial()], 1)
    searching = core(ruleset)

    def play():
        found = [searching.search(root, Budget(states)) for states in (100, 37, 400)]
        return [(each.outcome, each.moves, each.nodes, each.hits) for each in found]

    first = play()
    assert first[0][0] is None
    searching.reset()
    assert play() == first


@pytest.mark.parametrize("core", CORES)
def test_seconds_run_out(core):
    ruleset = load_ruleset("cram(rows=7,columns=9)")
    root = sum_of(ruleset, [ruleset.initial()], 0)
    searching = core(ruleset)
    searching.search(root, Budget(1))  # loads the compiled code
    for seconds in (0.001, 0.05):
        began = time.perf_counter()
        assert searching.search(root, Budget(UNLIMITED, seconds)).outcome is None
        assert time.perf_counter() - began < seconds + 0.5  # the machine may be busy


def test_another_question_in_between():
    ruleset = load_ruleset("cram(rows=5,columns=6)")
    numbers = ProofNumbers(RemovalSearch(ruleset.table))
    with pytest.raises(OutOfBudget):
        numbers.is_lost([ruleset.initial()], 2, Budget(500))
    assert not numbers.is_lost([ruleset.initial()], 0, Budget(UNLIMITED))
    assert numbers.is_lost([ruleset.initial()], 2, Budget(UNLIMITED))


def test_a_watcher_may_ask_about_another_sum():
    ruleset = load_ruleset("cram(rows=5,columns=5)")
    part = ruleset.initial() & ~1
    value = RemovalSearch(ruleset.table).value(part, Budget())
    numbers, asked = ProofNumbers(RemovalSearch(ruleset.table)), []

    def watch(_budget):
        asked.append(numbers.is_lost([ruleset.initial() & ~(0b111 << len(asked) % 20)], 0, Budget()))

    assert [numbers.is_lost([part], heap, Budget(watch=watch)) for heap in range(value + 2)] == [
        heap == value for heap in range(value + 2)
    ]
    assert asked


def test_more_components_than_the_pool_has_places():
    # What came after the pool in memory was written over.
    ruleset = load_ruleset("cram(rows=5,columns=5)")
    search = RemovalSearch(ruleset.table)
    numbers = ProofNumbers(search)
    forms = sorted({part for bits in range(1, 1 << 25, 4001) for part in search.split([bits])[0][1]})
    assert len(forms) > len(numbers._stack.parts)
    with pytest.raises(OutOfBudget):
        numbers.is_lost(forms, 0, Budget(1))
    assert len(forms) + search.cells <= len(numbers._stack.parts)


@pytest.mark.parametrize("core", CORES)
def test_interrupted_between_slices(core):
    ruleset = load_ruleset("cram(rows=4,columns=5)")
    root = sum_of(ruleset, [ruleset.initial()], 2)
    searching = core(ruleset)

    def stop(budget):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        searching.search(root, Budget(UNLIMITED, watch=stop))
    assert searching.search(root, Budget(UNLIMITED)).outcome == "P"


def test_interrupted_at_every_line(interrupt_after):
    ruleset = load_ruleset("cram(rows=4,columns=5)")
    files = ("removal_proofs.py", "removal_search.py", "removal_outcome.py")
    root = sum_of(ruleset, [ruleset.initial()], 2)
    for core in CORES:
        searching, line = core(ruleset), 1
        while interrupt_after(line, lambda: searching.search(root, Budget(30)), files):  # noqa: B023 - called at once
            line += 41
        while (found := searching.search(root, Budget(1000))).outcome is None:
            pass
        assert found.outcome == "P"
        assert line > 500


# Room


@pytest.mark.parametrize("heap", range(4))
def test_tiny_tables(heap):
    # 4x6 has the value 0 by symmetry, which the search sees; without a corner it must be searched.
    ruleset = load_ruleset("cram(rows=4,columns=5)")
    search = RemovalSearch(ruleset.table, memory=1)
    numbers = ProofNumbers(search, memory=1)
    assert numbers.is_lost([ruleset.initial()], heap, Budget(1_000_000)) == (heap == 2)
    assert numbers.stored <= 300


def test_replacement():
    ruleset = load_ruleset("cram(rows=5,columns=6)")
    numbers = ProofNumbers(RemovalSearch(ruleset.table, memory=1), memory=1)
    values = [heap for heap in range(4) if numbers.is_lost([ruleset.initial()], heap, Budget(3_000_000))]
    assert values == [2]  # cram.json
    assert numbers.search.entries <= 4096 + 8


def test_heaps_larger_than_any_value():
    ruleset = load_ruleset("cram(rows=3,columns=4)")
    numbers = ProofNumbers(RemovalSearch(ruleset.table))
    parts = [ruleset.initial(), 0b0111_0111_0001, 0b0110_1111_0010]
    assert not any(numbers.is_lost(parts, heap, Budget()) for heap in (63, 64, 10**12))
    for core in CORES:
        for heap in (63, 64, 1000):
            root = sum_of(ruleset, [ruleset.initial()], heap)
            findings = core(ruleset).search(root, Budget(UNLIMITED))
            assert findings.outcome == "N"
            assert findings.moves[0].move == SumMove(-1, referee(ruleset)(ruleset.initial()))


def test_pools_grow():
    ruleset = load_ruleset("cram(rows=4,columns=5)")
    numbers = ProofNumbers(RemovalSearch(ruleset.table))
    few = {name: getattr(numbers._stack, name)[:2].copy() for name in ("masks", "asked", "numbers", "have", "options")}
    numbers._stack = numbers._stack._replace(**few)
    numbers._proofs = numbers._proofs._replace(limits=numbers._proofs.limits[:2].copy())
    assert [numbers.is_lost([ruleset.initial()], heap, Budget()) for heap in range(4)] == [False, False, True, False]
    assert len(numbers._stack.masks) > 2


@pytest.mark.parametrize("core", [RemovalOutcome, pytest.param(RemovalProofNumber, marks=pytest.mark.slow)])
def test_values_of_64_and_more(core):
    ruleset = load_ruleset("chomp(rows=1,columns=70)")
    for heap, outcome in ((69, "P"), (68, "N")):
        found = core(ruleset).search(sum_of(ruleset, [ruleset.initial()], heap), Budget(UNLIMITED))
        assert found.outcome == outcome
    row, twice = load_ruleset("rectangle_take(rows=1,columns=80)"), [(1 << length) - 1 for length in (80, 75)]
    for heap, outcome in ((80 ^ 75, "P"), (80 ^ 75 ^ 64, "N"), (300, "N")):
        assert core(row).search(sum_of(row, twice, heap), Budget(UNLIMITED)).outcome == outcome


# Sharing


@pytest.mark.parametrize("core", CORES)
def test_a_shared_table(core):
    ruleset = load_ruleset("cram(rows=4,columns=5)")
    values = RemovalValues(LEAST_MEMORY)
    values.value(ruleset, ruleset.initial(), Budget())
    root = sum_of(ruleset, [ruleset.initial()], 2)
    sharing, alone = core(ruleset, values), core(ruleset)
    found = sharing.search(root, Budget())
    assert found.outcome == "P"
    assert found.nodes < alone.search(root, Budget()).nodes
    sharing.reset()
    assert values.known(ruleset, ruleset.initial()) == 2


def test_proofs_become_values():
    ruleset = load_ruleset("cram(rows=4,columns=5)")
    values = RemovalValues()
    core = RemovalProofNumber(ruleset, values)
    core.search(Sum((Component(ruleset, ruleset.initial()),), 2), Budget())
    assert values.known(ruleset, ruleset.initial()) == 2


def test_a_prior_orders_the_moves():
    ruleset = load_ruleset("cram(rows=5,columns=6)")
    root = sum_of(ruleset, [ruleset.initial()], 3)

    def loss(parts, heap):
        return 0.9 if heap == 1 and parts[0].position == ruleset.initial() else 0.1

    found = RemovalOutcome(ruleset, prior=loss).search(root, Budget(3))
    assert found.outcome is None
    assert found.moves[0].move == SumMove(-1, 1)
    assert found.moves[0].win == 0.9
    assert sum(each.prior for each in found.moves) == pytest.approx(1)


@pytest.mark.parametrize("core", CORES)
def test_a_slow_prior_gets_half_of_the_time(core):
    ruleset = load_ruleset("cram(rows=5,columns=6)")
    root, asked, slow = sum_of(ruleset, [ruleset.initial()], 3), [], []

    def loss(parts, heap):
        asked.append(heap)
        if slow:
            time.sleep(0.2)
        return 0.5

    everything = core(ruleset, prior=loss).search(root, Budget(1))
    assert len(asked) > 10
    asked.clear()
    slow.append(True)
    found = core(ruleset, prior=loss).search(root, Budget(1, seconds=0.1))
    assert len(asked) <= 1
    assert {each.move for each in found.moves} == {each.move for each in everything.moves}
    assert sum(each.prior for each in found.moves) == pytest.approx(1)


# Sums without anything to search, and bad input


@pytest.mark.parametrize("core", CORES)
def test_solved_sums(core):
    ruleset = load_ruleset("cram(rows=3,columns=4)")
    part = Component(ruleset, ruleset.initial())
    nothing = core(ruleset).search(Sum(()), Budget())
    assert (nothing.outcome, nothing.moves, nothing.nodes) == ("P", (), 0)
    heap = core(ruleset).search(Sum((), 5), Budget())
    assert heap.outcome == "N"
    assert heap.moves[0].move == SumMove(-1, 0)
    twice = core(ruleset).search(Sum((part, part)), Budget())
    assert twice.outcome in ("P", None)
    check(Sum((part, part)), twice)


@pytest.mark.parametrize("core", CORES)
def test_bad_input(core):
    cram = load_ruleset("cram(rows=2,columns=2)")
    with pytest.raises(SgaiError, match="no removal game"):
        core(load_ruleset("nim"))
    with pytest.raises(SgaiError, match="one ruleset"):
        core(cram).search(Sum((Component(load_ruleset("cram(rows=2,columns=3)"), 3),)), Budget())
    with pytest.raises(SgaiError, match="not a position"):
        core(cram).search(Sum((Component(cram, 16),)), Budget())
    with pytest.raises(SgaiError, match="heap=-1"):
        core(cram).search(Sum((), -1), Budget())


# Compiled code on disk

PROGRAM = """
import time, sgai
from sgai.budget import Budget
from sgai.cores import Sum
from sgai.cores.removal_outcome import RemovalProofNumber
from sgai.ruleset import Component
ruleset = sgai.load_ruleset("cram(rows=3,columns=4)")
import sgai.removal_proofs
began = time.process_time()
found = RemovalProofNumber(ruleset).search(Sum((Component(ruleset, ruleset.initial()),), 2), Budget())
print(found.outcome, time.process_time() - began)
"""


def test_the_next_process_loads_the_compiled_code(run_program):
    ruleset = load_ruleset("cram(rows=3,columns=4)")
    RemovalProofNumber(ruleset).search(sum_of(ruleset, [ruleset.initial()], 2), Budget())  # compiled here if nowhere
    done = run_program(PROGRAM)
    assert done.returncode == 0, done.stderr
    outcome, seconds = done.stdout.split()
    assert outcome == "N"
    assert float(seconds) < 5  # compiling takes longer; loading is under a second where nothing else runs


def test_without_numba(run_program):
    done = run_program(PROGRAM.replace("import sgai.removal_proofs", ""), NUMBA_DISABLE_JIT="1")
    assert "numba does not work here" in done.stderr


TWO_FILES = """
import sys
sys.path.insert(0, sys.argv[1])
from sgai.kernels import jit
jit.sources_digest = lambda: sys.argv[2]
import outer
print(outer.twice(1), sum(outer.twice.stats.cache_hits.values()))
"""


def test_an_edited_kernel_is_compiled_again_where_it_is_used(tmp_path):
    (tmp_path / "inner.py").write_text(
        "from sgai.kernels.jit import compiled\n\n\n@compiled\ndef add(n):\n    return n + 1\n"
    )
    (tmp_path / "outer.py").write_text(
        "from sgai.kernels.jit import compiled\nfrom inner import add\n\n\n"
        "@compiled\ndef twice(n):\n    return add(add(n))\n"
    )

    def run(digest):
        arguments = [sys.executable, "-c", TWO_FILES, str(tmp_path), digest]
        return subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=120).stdout.split()

    assert run("before") == ["3", "0"]
    assert run("before") == ["3", "1"]
    (tmp_path / "inner.py").write_text((tmp_path / "inner.py").read_text().replace("n + 1", "n + 10"))
    assert run("after") == ["21", "0"]


def test_the_digest_follows_all_sources(tmp_path):
    assert sources_digest(tmp_path) == ""
    (tmp_path / "a.py").write_text("one")
    sources_digest.cache_clear()
    first = sources_digest(tmp_path)
    (tmp_path / "b.py").write_text("two")
    sources_digest.cache_clear()
    assert sources_digest(tmp_path) not in ("", first)
    sources_digest.cache_clear()


def test_other_versions_of_numba_do_no_harm(monkeypatch):
    import numba

    class Dispatcher:
        def __init__(self, function):
            self.function = function

    monkeypatch.setattr(numba, "njit", lambda **_: Dispatcher)
    assert compiled(len).function is len
