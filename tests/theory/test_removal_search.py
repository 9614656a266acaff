"""The compiled search for removal games: published values, the naive referee, budgets, room, and other processes."""

import contextlib
import functools
import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgai import NimberStore, Solver, StoreError, grundy_values, load_ruleset, mex, removal_search
from sgai.budget import Budget, OutOfBudget
from sgai.kernels.removal_stack import DONE, MOST_PEEKS, PAUSED, PEEKS
from sgai.kernels.removal_table import keep_form
from sgai.removal_search import RemovalSearch, ValueTooLarge
from sgai.removal_values import RemovalValues, is_mirrored
from sgai.rulesets.removal import RemovalTable, cells_of, mask_of

DATA = Path(__file__).parent.parent / "data"
CRAM = json.loads((DATA / "cram.json").read_text())["boards"]
MCGS = json.loads((DATA / "mcgs_cram_kayles.json").read_text())["cases"]
UNLIMITED = 10**12


def search_of(ruleset, **options):
    return RemovalSearch(load_ruleset(ruleset).table, **options)


def value_of(search, table, position):
    total = 0
    for part in table.parts(position):
        total ^= search.value(part, Budget(UNLIMITED))
    return total


def brute_force(table):
    @functools.cache
    def value(position):
        return mex(
            {
                value(position & ~kill)
                for need, kill in zip(table.needs, table.kills, strict=True)
                if need & position == need
            }
        )

    return value


def cram_boards(wanted):
    for name, value in CRAM.items():
        rows, columns = map(int, name.split("x"))
        if wanted(rows, columns):
            yield pytest.param(rows, columns, value, id=name)


def is_easy(rows, columns):
    return rows * columns <= 35 or (rows % 2 == 0 and columns % 2 == 0 and (rows, columns) != (6, 6))


# Published values


@pytest.mark.parametrize(("rows", "columns", "value"), list(cram_boards(is_easy)))
def test_cram_boards(rows, columns, value):
    # P. Beling's table; see the file for the source.
    solution = Solver().solve(load_ruleset(f"cram(rows={rows},columns={columns})"))
    assert solution.grundy == value
    assert bool(solution.winning_moves) == (value != 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "columns", "value"), list(cram_boards(lambda *size: size in {(4, 9), (5, 8), (6, 6)}))
)
def test_larger_cram_boards(rows, columns, value):
    ruleset = load_ruleset(f"cram(rows={rows},columns={columns})")
    assert RemovalSearch(ruleset.table).value(ruleset.initial(), Budget(UNLIMITED)) == value


def test_even_boards_by_search_too():
    # Without the pairing at the root: the values of all options, whose mex must be 0.
    ruleset = load_ruleset("cram(rows=4,columns=6)")
    search = RemovalSearch(ruleset.table)
    assert 0 not in {value_of(search, ruleset.table, option) for option in ruleset.options(ruleset.initial())}


@functools.cache
def mcgs_search(rows, columns):
    return search_of(f"cram(rows={rows},columns={columns})", memory=1 << 32)


def check_cram_of_mcgs(position, nimber):
    board = position.replace("|", "/")
    ruleset = load_ruleset(f"cram(rows={board.count('/') + 1},columns={len(board.split('/')[0])})")
    search = mcgs_search(ruleset.rows, ruleset.columns)
    assert value_of(search, ruleset.table, ruleset.parse(board)) == nimber, position
    assert load_ruleset(f"cram(cells=[{board}])").initial() == ruleset.parse(position)


CRAM_OF_MCGS = {case["position"]: case["nimber"] for case in MCGS if case["game"] == "domineering"}
LARGE = {position: nimber for position, nimber in CRAM_OF_MCGS.items() if position.count(".") > 39}
LONGEST = {"|".join(["..."] * rows): rows for rows in (20, 18, 16)}


def test_cram_positions_of_mcgs():
    assert len(MCGS) == 502
    small = CRAM_OF_MCGS.keys() - LARGE.keys()
    assert LARGE.keys() >= LONGEST.keys()
    assert len(small) >= 299
    for position in small:
        check_cram_of_mcgs(position, CRAM_OF_MCGS[position])


@pytest.mark.slow
def test_longest_cram_boards_of_mcgs():
    """All on the largest board, where each takes what the others have found; that is a third of an hour."""
    ruleset = load_ruleset("cram(rows=20,columns=3)")
    search = search_of("cram(rows=20,columns=3)", memory=1 << 32)
    for position, rows in LONGEST.items():
        on_board = ruleset.parse("/".join(["..."] * rows + ["###"] * (20 - rows)))
        assert value_of(search, ruleset.table, on_board) == LARGE[position], rows


@pytest.mark.slow
@pytest.mark.parametrize("position", sorted(LARGE.keys() - LONGEST.keys()))
def test_large_cram_boards_of_mcgs(position):
    check_cram_of_mcgs(position, LARGE[position])


@pytest.mark.parametrize("most", [128, pytest.param(299, marks=pytest.mark.slow)])
def test_kayles_rows_of_mcgs(most):
    cases = {int(case["position"]): case["nimber"] for case in MCGS if case["game"] == "kayles"}
    table = load_ruleset(f"kayles_on_graph(graph=path,vertices={most})").table
    search = RemovalSearch(table)
    chosen = {length: value for length, value in cases.items() if length <= most}
    assert len(chosen) > 50
    assert {length: value_of(search, table, (1 << length) - 1) for length in chosen} == chosen


ROWS = [("kayles_on_graph", "0.77"), ("arc_kayles", "0.07"), ("node_kayles", "0.137")]


@pytest.mark.parametrize(("game", "code"), ROWS)
def test_rows_are_octal_games(game, code):
    expected = grundy_values(load_ruleset(code), 64).tolist()
    ruleset = load_ruleset(f"{game}(graph=path,vertices=64)")
    search = RemovalSearch(ruleset.table)
    assert [value_of(search, ruleset.table, (1 << length) - 1) for length in range(65)] == expected


@pytest.mark.parametrize(("game", "code", "lost"), [("kayles_on_graph", "0.77", None), ("node_kayles", "0.137", 3)])
def test_cycles_are_one_move_from_rows(game, code, lost):
    row = grundy_values(load_ruleset(code), 40).tolist()
    for length in (3, 4, 7, 12, 25, 40):
        options = {row[length - lost]} if lost else {row[length - 1], row[length - 2]}
        ruleset = load_ruleset(f"{game}(graph=cycle,vertices={length})")
        assert value_of(RemovalSearch(ruleset.table), ruleset.table, ruleset.initial()) == mex(options)


@pytest.mark.parametrize("size", [3, 4, 5])
def test_subset_takeaway_is_lost(size):
    # Gale and Neyman's conjecture, which holds for these sizes.
    ruleset = load_ruleset(f"subset_takeaway(size={size})")
    assert value_of(RemovalSearch(ruleset.table), ruleset.table, ruleset.initial()) == 0


# The referee


@st.composite
def tables(draw):
    cells = draw(st.integers(2, 9))
    sets = st.sets(st.integers(0, cells - 1), min_size=1, max_size=3)
    moves = []
    for number in range(draw(st.integers(1, 12))):
        need = draw(sets)
        kill = draw(sets) | {draw(st.sampled_from(sorted(need)))}
        moves.append((need, kill, str(number)))
    return RemovalTable.build(cells, moves)


@st.composite
def graph_tables(draw):
    # Few vertices and many leaves, so that twins come up; every kind of graph game.
    cells = draw(st.integers(2, 10))
    edges = {(draw(st.integers(0, cell - 1)), cell) for cell in range(1, cells) if draw(st.integers(0, 5))}
    edges |= draw(st.sets(st.tuples(st.integers(0, cells - 1), st.integers(0, cells - 1)), max_size=5))
    pairs = sorted({(min(pair), max(pair)) for pair in edges if pair[0] != pair[1]})
    text = ";".join([*(f"{a}-{b}" for a, b in pairs), *map(str, range(cells))])
    game = draw(st.sampled_from(["node_kayles", "arc_kayles", "kayles_on_graph"]))
    return load_ruleset(f"{game}(edges=[{text}])").table


@st.composite
def board_tables(draw):
    rows, columns = draw(st.sampled_from([(2, 5), (3, 3), (3, 4), (1, 9)]))
    boards = ["cram", "tac_tix", "rectangle_take", "polyominoes"]
    name = draw(st.sampled_from(boards))
    return load_ruleset(f"{name}(rows={rows},columns={columns})").table


@settings(max_examples=300, deadline=None)
@given(st.one_of(tables(), graph_tables(), board_tables()), st.data())
def test_agrees_with_brute_force(table, data):
    expected, search = brute_force(table), RemovalSearch(table)
    for _ in range(4):
        position = data.draw(st.integers(0, (1 << table.cells) - 1))
        for part in table.parts(position):
            value = expected(part)
            guess = data.draw(st.integers(0, 4))
            assert search.has_value(part, guess, Budget()) == (value == guess)
            assert not search.excluded(part) >> value & 1
            assert search.known(part) in (None, value)
            assert search.value(part, Budget()) == value
            assert search.known(part) == value
            assert not is_mirrored(table, part) or value == 0


@pytest.mark.parametrize(
    "name",
    [
        "cram(rows=3,columns=4)",
        "tac_tix(rows=3,columns=3)",
        "treblecross(rows=3,columns=4)",
        "chomp(rows=3,columns=4)",
        "node_kayles(graph=grid,rows=3,columns=4)",
        "polyominoes(rows=3,columns=4)",
        "poset(relations=[a<b<c;d<e<f;a<f;d<c;g<c;h])",
    ],
)
def test_the_solver_agrees_with_brute_force(name):
    ruleset = load_ruleset(name)
    value = brute_force(ruleset.table)
    expected = value(ruleset.initial())
    solution = Solver().solve(ruleset)
    assert solution.grundy == expected
    assert {move.position for move in solution.winning_moves} == {
        option for option in ruleset.options(ruleset.initial()) if value(option) == 0
    }
    assert value_of(RemovalSearch(ruleset.table), ruleset.table, ruleset.initial() & ~ruleset.always_live()) == expected


# Large games


def test_boards_of_more_than_64_cells():
    # The same region on a small and on a large board.
    small, large = load_ruleset("cram(rows=4,columns=5)"), load_ruleset("cram(rows=9,columns=12)")
    assert RemovalSearch(large.table).words == 2
    region = "....#/...../#..../..#.."
    board = "/".join(["#" * 12] * 4 + [f"#####{row}##" for row in region.split("/")] + ["#" * 12])
    search = RemovalSearch(large.table)
    assert value_of(search, large.table, large.parse(board)) == brute_force(small.table)(small.parse(region))
    assert search.words == 2


@pytest.mark.slow
@pytest.mark.parametrize(("vertices", "words"), [(200, 4), (400, 8)])
def test_wide_masks(vertices, words):
    ruleset = load_ruleset(f"node_kayles(graph=path,vertices={vertices})")
    search = RemovalSearch(ruleset.table)
    assert search.words == words
    assert search.value(ruleset.initial(), Budget()) == grundy_values(load_ruleset("0.137"), vertices)[-1]


def test_games_too_wide_for_the_search_are_solved_in_python(caplog):
    ruleset = load_ruleset("node_kayles(graph=path,vertices=600)")
    assert not RemovalValues().takes(ruleset, ruleset.initial())
    assert "600 cells" in caplog.text
    position = ruleset.parse("{0;1;2;3;4;5;6;7;8;9;10;11;12;13}")
    assert Solver().solve(ruleset, position).grundy == grundy_values(load_ruleset("0.137"), 14)[-1]


def test_values_of_64_and_more():
    row = load_ruleset("rectangle_take(rows=1,columns=80)")
    with pytest.raises(ValueTooLarge):
        RemovalSearch(row.table).value(row.initial(), Budget())
    assert RemovalSearch(row.table, values=256).value(row.initial(), Budget()) == 80
    values = RemovalValues()
    assert values.value(row, row.initial(), Budget()) == 80
    assert values.value(row, row.initial() >> 10, Budget()) == 70
    assert values.has_value(row, row.initial() >> 5, 75, Budget()) is True


def test_stored_values_that_need_more_room_than_was_made_before():
    row = load_ruleset("rectangle_take(rows=1,columns=80)")
    values = RemovalValues()
    assert values.value(row, (1 << 12) - 1, Budget()) == 12
    values.add(row, {(1 << 70) - 1: 70, (1 << 71) - 1: 10**6})  # for a million there is never room
    assert values.known(row, (1 << 70) - 1) == 70
    assert values.known(row, (1 << 71) - 1) is None
    assert values.value(row, (1 << 13) - 1, Budget()) == 13


def test_targets_beyond_the_room_for_values(tmp_path):
    # A stored value of 100 beside a nim heap of 66: the winning move is to a value that the search has no room for.
    game = load_ruleset("sum(parts=[rectangle_take(rows=1,columns=100);nim(piles=[66])])")
    RemovalValues().value(load_ruleset("cram(rows=3,columns=4)"), 4095, Budget())  # loads the compiled code
    found = [Solver(store=NimberStore(tmp_path / "nimbers")).solve(game) for _ in range(2)]
    assert [(each.grundy, each.complete, len(each.winning_moves)) for each in found] == [(38, True, 1)] * 2
    row = search_of("tac_tix(rows=1,columns=70)")
    with pytest.raises(ValueTooLarge):
        row.has_value((1 << 70) - 1, 70, Budget())
    assert row.has_value((1 << 70) - 1, 10**30, Budget()) is False


def test_a_lone_cell_has_no_other_components_excluded_values():
    table = load_ruleset("node_kayles(edges=[0-1;1-2;2-3;3-4;5-6;6-7;7-5])").table
    search = RemovalSearch(table)
    path, triangle = table.parts(255)
    for value in range(6):
        search.has_value(path, value, Budget())
    assert (search.known(triangle), search.excluded(triangle)) == (1, 0)


def test_all_values_that_are_added_stay_where_there_is_room():
    ruleset = load_ruleset("cram(rows=5,columns=6)")
    search, rng = RemovalSearch(ruleset.table), random.Random(1)
    forms = {part for _, parts in search.split(rng.getrandbits(30) for _ in range(40_000)) for part in parts}
    assert len(forms) > 4096
    for part in forms:
        search.add(part, 7)
    assert search.entries > 0.99 * len(forms)  # a few had no place near their hash


def test_a_slow_watcher_does_not_make_slices_small(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])
    search, called = search_of("cram(rows=5,columns=6)"), []

    def watch(_budget):
        clock[0] += 1.0
        called.append(search.nodes)

    assert search.value((1 << 30) - 1, Budget(watch=watch)) == 2
    assert len(called) < 20


def test_a_watcher_may_ask_the_same_search():
    # The frames of what was asked first were given up then, and the answer to the other question taken for its own.
    ruleset = load_ruleset("cram(rows=5,columns=6)")
    called = 0
    for missing in (1, 1 << 7, 0b11, 1 << 14):
        part = ruleset.initial() & ~missing
        expected = search_of("cram(rows=5,columns=6)").value(part, Budget())
        search, others = search_of("cram(rows=5,columns=6)"), iter(range(1, 1 << 12))

        def watch(_budget, search=search, others=others):
            nonlocal called
            called += 1
            search.value(0b111_111000_111111 ^ next(others) << 15, Budget())
            search.has_value(0b111_111111_111111, 2, Budget())

        assert search.value(part, Budget(watch=watch)) == expected
        search = search_of("cram(rows=5,columns=6)")
        assert search.has_value(part, expected, Budget(watch=watch))
        assert not search.has_value(part, expected + 1, Budget(watch=watch))
    assert called > 20


def test_a_watcher_may_ask_the_same_solver():
    ruleset, rng = load_ruleset("cram(rows=5,columns=6)"), random.Random(3)
    called = 0
    for _ in range(20):
        position = ruleset.initial() & ~mask_of(rng.sample(range(30), 5))
        solver = Solver()

        def watch(_budget, solver=solver):
            nonlocal called
            called += 1
            solver.grundy(ruleset, ruleset.initial() & ~mask_of(rng.sample(range(30), 18)))

        found = solver.solve(ruleset, position, watch=watch)
        assert (found.grundy, found.exact) == (Solver().grundy(ruleset, position), True)
    assert called > 10


@pytest.mark.parametrize("states", [1, 3, 20])
def test_two_components_are_solved_in_small_steps(states):
    ruleset = load_ruleset("cram(rows=4,columns=9)")
    position = ruleset.parse("#...#..../....#.#../....#..../....#....")
    solver = Solver()
    RemovalValues().value(load_ruleset("cram(rows=3,columns=4)"), 4095, Budget())
    for _ in range(200):
        solution = solver.solve(ruleset, position, states=states)
        if solution.exact:
            break
    assert solution.grundy == Solver().solve(ruleset, position).grundy


def test_symmetries_of_boxes_taller_than_wide_without_transposition():
    table = load_ruleset("polyominoes(rows=4,columns=4,pieces=[##;#/#/#],turns=false)").table
    assert table.translates
    assert not table.transposes
    search = RemovalSearch(table)
    corner = 0b0011_0001_0001  # three cells down, and one beside: taller than wide
    mirrored = 0b0011_0010_0010
    search.value(corner, Budget())
    entries = search.entries
    assert search.value(mirrored, Budget()) == search.value(corner, Budget())
    assert search.entries == entries


# Budgets, slices, room


@pytest.mark.parametrize("states", [1, 7, 50])
def test_a_search_goes_on_where_it_stopped(states):
    search, whole = search_of("cram(rows=4,columns=5)"), search_of("cram(rows=4,columns=5)")
    full = (1 << 20) - 1
    value, calls = None, 0
    while value is None:
        try:
            value = search.value(full, Budget(states))
        except OutOfBudget:
            calls += 1
    assert value == whole.value(full, Budget()) == 2
    # Nothing is done twice, whatever the slices are.
    assert search.nodes == whole.nodes
    assert calls >= (whole.nodes - 1) // states


def test_node_budgets_are_kept_and_repeat_exactly():
    for _ in range(2):
        search = search_of("cram(rows=5,columns=6)")
        budget = Budget(100)
        with pytest.raises(OutOfBudget):
            search.value((1 << 30) - 1, budget)
        assert (budget.spent, search.nodes) == (100, 100)
    counts = [(search.entries, search.looks, search.hits) for search in (search_of("cram(rows=5,columns=6)"), search)]
    assert counts[0] == (0, 0, 0)
    search.value((1 << 30) - 1, Budget())
    again = search_of("cram(rows=5,columns=6)")
    again.value((1 << 30) - 1, Budget())
    assert (search.entries, search.nodes) == (again.entries, again.nodes)


def test_cram_5x6_takes_few_entries():
    # The number of entries depends on no machine; igsolve's best method stores 6,150 here.
    search = search_of("cram(rows=5,columns=6)")
    assert search.value((1 << 30) - 1, Budget()) == 2
    assert search.entries < 6150


def test_a_small_table_replaces_and_stays_right(caplog):
    ruleset = load_ruleset("cram(rows=5,columns=6)")
    search = RemovalSearch(ruleset.table, memory=1)
    assert search.value(ruleset.initial(), Budget(UNLIMITED)) == 2
    assert search.entries <= 4096 + 8
    assert caplog.text.count("the table is full") == 1


def test_seconds_run_out():
    budget = Budget(UNLIMITED, 0.2)
    with pytest.raises(OutOfBudget):
        search_of("cram(rows=7,columns=9)").value((1 << 63) - 1, budget)
    assert budget.elapsed() < 5


def test_what_is_proved_is_said():
    solution = Solver().solve(load_ruleset("cram(rows=6,columns=7)"), states=30_000)
    assert not solution.exact
    assert any("is not 0: search excludes" in fact for fact in solution.proved)
    assert solution.states == 30_000
    assert solution.hits > 0


def test_what_is_proved_of_the_question_stays_in_the_table():
    # The first question ends at once; other positions must not take its place, or a search would start again.
    ruleset = load_ruleset("cram(rows=6,columns=7)")
    search = RemovalSearch(ruleset.table)
    for _ in range(30):
        with contextlib.suppress(OutOfBudget):
            search.value(ruleset.initial(), Budget(1000))
        assert search.excluded(ruleset.initial()) & 1


def test_interrupted_at_every_line(interrupt_after):
    ruleset = load_ruleset("cram(rows=4,columns=4,cells=[..../..../..#./....])")
    expected = Solver().solve(ruleset).grundy
    for lines in range(1, 400, 3):
        solver = Solver()
        interrupt_after(lines, functools.partial(solver.solve, ruleset))
        assert solver.solve(ruleset).grundy == expected


def test_interrupted_while_the_table_grows(interrupt_after):
    # Few nodes a slice, so that there are many lines between the calls of the kernel.
    full = (1 << 20) - 1
    for lines in range(5, 3000, 250):
        search = search_of("cram(rows=4,columns=5)")
        for _ in range(3):
            interrupt_after(lines, lambda search=search: [sliced(search, full) for _ in range(10)])
        assert search.value(full, Budget()) == 2


def sliced(search, part):
    with contextlib.suppress(OutOfBudget):
        search.value(part, Budget(20))


# Symmetry


def test_the_symmetry_strategy():
    for name in (
        "cram(rows=10,columns=10)",
        "node_kayles(graph=grid,rows=8,columns=8)",
        "arc_kayles(graph=grid,rows=6,columns=10)",
    ):
        solution = Solver().solve(load_ruleset(name))
        assert (solution.grundy, solution.states) == (0, 0)


def test_no_symmetry_where_the_middle_is_shared():
    assert not is_mirrored(load_ruleset("cram(rows=3,columns=5)").table, (1 << 15) - 1)
    assert not is_mirrored(load_ruleset("node_kayles(graph=path,vertices=6)").table, 63)


# Other processes


@pytest.fixture
def printed_by(run_program):
    def run(program, *arguments, **environment):
        done = run_program(program, *arguments, **environment)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


SOLVE = "import sgai, sgai.solver; print(sgai.solve('cram(rows=4,columns=7)').grundy)"


def test_the_next_process_loads_the_compiled_code(printed_by):
    assert [printed_by(SOLVE) for _ in range(2)] == ["3", "3"]


@pytest.mark.parametrize("how", ["missing", "broken", "disabled"])
def test_without_numba(how, tmp_path, printed_by):
    # Not there at all, there but not to be imported, and told not to compile.
    before, environment = "import sgai; ", {}
    if how == "missing":
        before = "import sys; sys.modules['numba'] = None; import sgai; "
    elif how == "broken":
        (tmp_path / "numba.py").write_text("raise ImportError('no numba here')")
        environment["PYTHONPATH"] = str(tmp_path)
    else:
        environment["NUMBA_DISABLE_JIT"] = "1"
    assert printed_by(before + "print(sgai.solve('cram(rows=4,columns=5)').grundy)", **environment) == "2"
    expected = grundy_values(load_ruleset("0.77"), 9000)[-1]
    found = printed_by(before + "print(sgai.grundy_values(sgai.load_ruleset('0.77'), 9000)[-1])", **environment)
    assert found == str(expected)


@pytest.mark.slow
def test_without_a_folder_to_write_to(tmp_path, printed_by):
    # Numba then finds no place for what it compiles, and compiles again.
    code = "import sys; import numba.core.caching as c\n"
    code += "c._CacheLocator.ensure_cache_path = lambda self: (_ for _ in ()).throw(OSError('no'))\n"
    assert printed_by(code + SOLVE) == "3"


# The store


def test_expensive_values_are_kept(tmp_path):
    file = tmp_path / "nimbers"
    ruleset = load_ruleset("cram(rows=5,columns=6)")
    first = Solver(store=NimberStore(file)).solve(ruleset)
    kept = NimberStore(file).values(str(ruleset))
    assert kept["/".join(["......"] * 5)] == first.grundy == 2
    fresh = RemovalSearch(ruleset.table)
    for text, value in kept.items():
        assert value_of(fresh, ruleset.table, ruleset.parse(text)) == value
    second = Solver(store=NimberStore(file)).solve(ruleset)
    assert (second.grundy, second.states) == (2, 0)
    # Another start of the same rules finds them too.
    third = Solver(store=NimberStore(file)).solve(load_ruleset("cram(cells=[....../....../....../....../......])"))
    assert (third.grundy, third.states) == (2, 0)


def test_a_store_that_fails_does_not_stop_the_solver(tmp_path, caplog, monkeypatch):
    def fail(*arguments):
        raise StoreError("the disk is full")

    store = NimberStore(tmp_path / "nimbers")
    monkeypatch.setattr(store, "put", fail)
    solver = Solver(store=store)
    assert solver.solve("cram(rows=5,columns=6)").grundy == 2
    assert caplog.text.count("values are not kept: the disk is full") == 1
    assert solver.solve("cram(rows=5,columns=5)").grundy == 0


def test_an_interrupted_search_keeps_what_it_found(tmp_path):
    store = NimberStore(tmp_path / "nimbers")
    ruleset = load_ruleset("cram(rows=5,columns=7)")
    calls = 0

    def stop(budget):
        nonlocal calls
        calls += 1
        if budget.spent > 10_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Solver(store=store).solve(ruleset, watch=stop)
    kept = store.values(str(ruleset))
    assert calls > 1
    assert kept
    whole = Solver().solve(ruleset)
    resumed = Solver(store=store).solve(ruleset)
    assert resumed.grundy == whole.grundy == 1
    assert resumed.states < whole.states


def test_a_second_run_with_a_store_does_not_search_more_than_the_first(tmp_path, printed_by):
    code = "import sys, sgai; from sgai.solver import Solver; n = []\n"
    code += "solver = Solver(store=sgai.NimberStore(sys.argv[1]))\n"
    code += "s = solver.solve('cram(rows=5,columns=6)', watch=lambda budget: n.append(budget.spent))\n"
    code += "print(s.grundy, len(s.winning_moves), s.complete, max(n, default=0) < 10_000)"
    file = str(tmp_path / "nimbers")
    assert [printed_by(code, file) for _ in range(2)] == ["2 9 True True"] * 2


def test_users_rulesets_are_not_kept(tmp_path):
    from sgai.rulesets.boards import Cram

    class MyCram(Cram):
        name = "my_cram_of_a_test"

    store = NimberStore(tmp_path / "nimbers")
    assert Solver(store=store).solve(MyCram(rows=5, columns=6)).grundy == 2
    assert len(store) == 0


def test_cells_are_what_masks_say():
    assert list(cells_of(0b1011)) == [0, 1, 3]


@pytest.mark.parametrize(
    ("name", "value"),
    [("cram(rows=3,columns=5)", 1), ("cram(rows=4,columns=5)", 2), ("cram(rows=1,columns=70)", None)],
)
def test_loading_learns_nothing(name, value):
    ruleset = load_ruleset(name)
    search = RemovalSearch(ruleset.table)
    search.load()
    assert (search.entries, search.nodes, search.hits) == (0, 0, 0)
    if value is None:
        value = grundy_values("0.07", 70)[70]  # a row is that octal game
    assert search.value(ruleset.initial(), Budget()) == value  # boards: cram.json


AMID_NODES = [
    "cram(rows=4,columns=5)",
    "cram(rows=5,columns=27)",
    "node_kayles(graph=grid,rows=4,columns=5)",
    "chomp(rows=4,columns=4)",
]


@pytest.mark.parametrize("name", AMID_NODES)
def test_stopping_amid_a_node_changes_nothing(name, monkeypatch):
    ruleset = load_ruleset(name)
    part = ruleset.initial() & ~ruleset.always_live()
    if ruleset.table.cells > 64:
        part = mask_of(27 * row + column for row in range(4) for column in range(5))

    def found(states):
        search = RemovalSearch(ruleset.table)
        answers = []
        for budget in [Budget(states=states)] * 3 + [Budget()]:
            budget.spent = 0
            try:
                answers.append(search.value(part, budget))
            except OutOfBudget:
                answers.append(budget.spent)
        return answers, search.nodes, search.looks, search.hits, search.entries

    expected = [found(states) for states in (1, 7, 10**6)]
    slices = []
    monkeypatch.setattr(removal_search, "_OPTIONS_A_SECOND", 0)  # so one option is looked at in a slice
    monkeypatch.setattr(Budget, "check_clock", lambda _self: slices.append(1))
    assert [found(states) for states in (1, 7, 10**6)] == expected
    assert len(slices) > 20


def test_a_node_of_a_large_board_does_not_outlast_the_time():
    # It has some 750 options, and to look at all of them takes half a second.
    search = RemovalSearch(load_ruleset("cram(rows=20,columns=19)").table)
    search.load()
    seen = []
    for _ in range(3):
        with pytest.raises(OutOfBudget):
            search.value((1 << 380) - 1, Budget(seconds=1e-9))
        seen.append((search.nodes, search.looks))
    assert len({nodes for nodes, _ in seen}) == 1  # the same node goes on
    assert 0 < seen[0][1] < seen[1][1] < seen[2][1] < 20


def test_an_exact_value_stays_in_the_table_where_it_is_said_not_to_be_another():
    cram = load_ruleset("cram(rows=3,columns=4)")
    search = RemovalSearch(cram.table)
    value = search.value(cram.initial(), Budget())
    _, table, stack, like = search.arrays()
    keep_form(table, stack.state, np.array([[cram.initial()]], dtype=np.uint64), -1, 0, like)
    assert search.known(cram.initial()) == value


def test_slow_slices_do_not_make_all_that_follow_small(monkeypatch):
    # Where to look at one option takes longer than a slice should, slices were halved to nothing.
    search, asked, clock = search_of("cram(rows=4,columns=5)"), [], [0.0]
    search.load()
    state = search.arrays()[2].state

    def step(_limit):
        asked.append(int(state[MOST_PEEKS] - state[PEEKS]))
        state[PEEKS] = state[MOST_PEEKS]
        clock[0] += 1.0 if len(asked) < 1500 else 1e-5
        return PAUSED if len(asked) < 1520 else DONE

    monkeypatch.setattr("time.perf_counter", lambda: clock[0])
    search.run(step, state, lambda: None, Budget(seconds=1e6))
    assert asked[1400] == 1
    assert asked[-1] > 1000
