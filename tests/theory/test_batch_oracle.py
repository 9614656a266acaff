"""Labels of batches of positions, against the naive reference, brute force, and the solver."""

import contextlib
import functools
import itertools
import operator
import random

import numpy as np
import pytest

import sgai
from sgai.batch_cells import MANY, CellOracle
from sgai.batch_oracle import Oracle
from sgai.cell_sets import least_words, masks_of, rows_of, rows_of_flags
from sgai.errors import SgaiError, UnsupportedError
from sgai.heap_moves import heap_moves
from sgai.reference import TooManyCalls, reference_grundy
from sgai.removal_values import FEW_CELLS
from sgai.rulesets.heaps import HeapMove, HeapRuleset
from sgai.solver import Solver
from sgai.testing import random_positions

HEAP_GAMES = [
    "nim(piles=[1;3;5])",
    "kayles(piles=[7])",
    "grundys_game(piles=[9])",
    "lasker(piles=[5])",
    "subtraction(take=[2;5],piles=[9])",
    "treblecross_row(piles=[7])",
    "take_and_break(code=[0.{1;2;3}!{2+}],piles=[7])",
    "pile_dependent(piles=[2;3],sets=[[1];[2];[1;3]])",
]
OTHERS = [
    "cram(rows=3,columns=4)",
    "chomp(rows=3,columns=4)",
    "node_kayles(graph=cycle,vertices=9)",
    "tac_tix(rows=2,columns=3)",
    "sum(parts=[nim(piles~[3;4]);queen(rows~3;columns~4)])",
    "fibonacci_nim(piles=[3;4])",
]


@functools.cache
def by_definition(ruleset, position):
    return sgai.mex({by_definition(ruleset, option) for _, option in ruleset.moves(position)})


def expected(ruleset, position):
    """Return the Grundy value, and the indices of all moves and of those to positions of value 0, by the definition."""
    moves = [(ruleset.move_index(move), option) for move, option in ruleset.moves(position)]
    winning = [index for index, option in moves if by_definition(ruleset, option) == 0]
    value = by_definition(ruleset, position)
    with contextlib.suppress(TooManyCalls):
        assert value == reference_grundy(ruleset, position, max_calls=300)
    return value, sorted(index for index, _ in moves), sorted(winning)


def check(labels, row, value, legal, winning):
    assert labels.solved[row]
    assert labels.complete[row]
    assert not labels.unsolved[row]
    assert labels.grundy[row] == value
    assert labels.won[row] == (value != 0)
    assert labels.outcome[row] == ("N" if value else "P")
    assert np.flatnonzero(labels.legal[row]).tolist() == legal
    assert np.flatnonzero(labels.winning[row]).tolist() == winning
    assert np.flatnonzero(labels.optimal[row]).tolist() == (winning if value else legal)


@pytest.mark.parametrize("text", HEAP_GAMES + OTHERS)
def test_labels_are_those_of_the_definition(text):
    ruleset = sgai.load_ruleset(text)
    oracle = Oracle(ruleset)
    positions = list(random_positions(ruleset, 30, seed=4))
    if text in HEAP_GAMES:
        chance, largest = random.Random(7), max(ruleset.piles)
        some = [[chance.randint(0, largest) for _ in range(chance.randint(0, 3))] for _ in range(30)]
        positions += [ruleset.validate(each) for each in some]
    labels = oracle.label(positions)
    assert len(labels) == len(positions)
    assert labels.legal.shape == (len(positions), oracle.num_moves)
    for row, position in enumerate(positions):
        check(labels, row, *expected(ruleset, position))
    if text in HEAP_GAMES:
        wide = max(map(len, positions)) + 1
        array = np.array([[*each, *[0] * (wide - len(each))][::-1] for each in positions], dtype=np.int32)
        assert_equal(labels, oracle.label(array))
    elif hasattr(ruleset, "table"):
        assert_equal(labels, oracle.label(rows_of(positions, least_words(ruleset.table.cells))))
    if text in HEAP_GAMES or hasattr(ruleset, "table"):
        tensors = np.stack([ruleset.encode(position) for position in positions])
        assert_equal(labels, oracle.label_observations(tensors))
    else:
        with pytest.raises(UnsupportedError, match="read back"):
            oracle.label_observations(np.stack([ruleset.encode(position) for position in positions]))


def assert_equal(labels, others):
    for name in ("solved", "won", "grundy", "complete", "winning", "legal"):
        assert (getattr(labels, name) == getattr(others, name)).all(), name


@functools.cache
def loses_under_misere(heaps):
    options = [
        (*heaps[:i], *((left,) if left else ()), *heaps[i + 1 :]) for i in range(len(heaps)) for left in range(heaps[i])
    ]
    return bool(heaps) and not any(loses_under_misere(tuple(sorted(option))) for option in options)


def test_the_whole_of_a_study_of_nim():
    """The board of X. Zhou and S. Riis (arXiv 2205.12787), 1;3;5;7;9, has 2 * 4 * 6 * 8 * 10 = 3,840 positions."""
    ruleset = sgai.load_ruleset("nim(piles=[1;3;5;7;9])")
    grid = np.array(list(itertools.product(*(range(pile + 1) for pile in ruleset.piles))))
    assert len(grid) == 3840
    normal, misere = Oracle(ruleset).label(grid), Oracle(ruleset, play="misere").label(grid)
    nim_sums = np.bitwise_xor.reduce(grid, axis=1)
    assert (normal.grundy == nim_sums).all()
    assert (misere.grundy == nim_sums).all()
    for row, heaps in enumerate(grid.tolist()):
        position = ruleset.validate(heaps)
        assert misere.won[row] == (not loses_under_misere(position))
        for labels, is_lost in ((normal, lambda option: sgai.nim_sum(option) == 0), (misere, loses_under_misere)):
            winning = [ruleset.move_index(move) for move, option in ruleset.moves(position) if is_lost(option)]
            assert sorted(winning) == np.flatnonzero(labels.winning[row]).tolist()
            assert bool(winning) == labels.won[row] or not position


def test_misere_is_refused_but_for_nim():
    for text in ("kayles", "lasker", "cram", "bash", "sum(parts=[nim;kayles])", "queen"):
        with pytest.raises(UnsupportedError, match="Nim only"):
            Oracle(text, play="misere")
    oracle = Oracle("sum(parts=[nim(piles~[1;2]);nim(piles~[2])])", play="misere")
    positions = list(random_positions(oracle.ruleset, 40, seed=1))
    labels = oracle.label(positions)
    for row, position in enumerate(positions):
        heaps = tuple(sorted(heap for part in position for heap in part))
        assert labels.won[row] == (not loses_under_misere(heaps))


@pytest.mark.parametrize(
    "text", ["cram(rows=4,columns=5)", "node_kayles(graph=grid,rows=4,columns=5)", "chomp(rows=4,columns=5)"]
)
def test_the_compiled_search_and_the_solver_agree(text):
    ruleset = sgai.load_ruleset(text)
    positions = list(dict.fromkeys(random_positions(ruleset, 150, seed=3)))
    cells = CellOracle(ruleset, Solver())
    assert cells.is_for(positions)
    labels = Oracle(ruleset).label(positions)
    solver = Solver()
    for row, position in enumerate(positions):
        solution = solver.solve(ruleset, position)
        winning = sorted(ruleset.move_index(each.move) for each in solution.winning_moves)
        legal = sorted(ruleset.move_index(move) for move, _ in ruleset.moves(position))
        check(labels, row, solution.grundy, legal, winning)


@pytest.mark.parametrize("dominoes", [FEW_CELLS // 2, pytest.param(15, marks=pytest.mark.slow)])
def test_past_64_cells(dominoes):
    # With more than a few cells the search is compiled for two words, which takes a while.
    ruleset, chance = sgai.load_ruleset("cram(rows=3,columns=23)"), random.Random(5)
    needs = ruleset.table.needs
    positions = [functools.reduce(operator.or_, chance.sample(needs, dominoes)) for _ in range(2 * MANY)]
    rows = rows_of(positions, 2)
    assert (rows_of_flags(np.stack([ruleset.encode(each).reshape(-1) for each in positions]) > 0) == rows).all()
    assert masks_of(rows) == positions
    labels, solver = Oracle(ruleset).label(rows), Solver()
    for row, position in enumerate(positions):
        assert labels.grundy[row] == solver.grundy(ruleset, position)
        assert (labels.winning[row] & ~labels.legal[row]).sum() == 0


@pytest.mark.parametrize("few", [True, False])
def test_what_a_budget_leaves_out_is_never_guessed(few):
    ruleset = sgai.load_ruleset("cram(rows=5,columns=6)")
    positions = list(dict.fromkeys(random_positions(ruleset, 60, seed=5)))
    positions.sort(key=int.bit_count)
    if few:
        positions = positions[-MANY + 1 :]
    exact = Oracle(ruleset).label(positions)
    assert exact.complete.all()
    labels = Oracle(ruleset).label(positions, states=30)
    assert labels.unsolved.any()
    assert (labels.complete <= labels.solved).all()
    assert (labels.grundy == np.where(labels.solved, exact.grundy, -1)).all()
    assert (labels.won == (exact.won & labels.solved)).all()
    assert (labels.winning == (exact.winning & labels.complete[:, None])).all()
    assert (labels.optimal == (exact.optimal & labels.complete[:, None])).all()
    assert (labels.legal == exact.legal).all()
    assert (labels.outcome == np.where(labels.solved, exact.outcome, "")).all()


def test_seconds_end_the_work():
    oracle = Oracle("cram(rows=8,columns=8)")
    positions = list(random_positions(oracle.ruleset, 10, seed=1))
    labels = oracle.label(positions, seconds=0.05)
    assert labels.unsolved.any()
    assert (labels.grundy[labels.unsolved] == -1).all()


def test_heaps_beyond_the_budget_are_unsolved():
    oracle = Oracle("grundys_game(piles=[60])")
    piles = np.array([[20, 25], [5, 60], [59, 59], [0, 0]])
    labels = oracle.label(piles, states=30)
    assert labels.solved.tolist() == [True, False, False, True]
    exact = Oracle("grundys_game(piles=[60])").label(piles)
    assert exact.solved.all()
    assert (labels.grundy == np.where(labels.solved, exact.grundy, -1)).all()
    assert (labels.winning == (exact.winning & labels.solved[:, None])).all()


@pytest.mark.parametrize("text", HEAP_GAMES)
def test_the_alphabet_is_that_of_the_ruleset(text):
    ruleset = sgai.load_ruleset(text)
    moves = heap_moves(ruleset)
    assert len(moves.heap) == ruleset.num_moves()
    for index, heap in enumerate(moves.heap.tolist()):
        parts = tuple(moves.parts[moves.starts[index] : moves.starts[index + 1]].tolist())
        assert ruleset.move_from_index(index) == HeapMove(heap, parts)
        assert moves.first[heap] <= index < moves.first[heap + 1]


def test_users_rules_with_an_order_of_their_own():
    class Halves(HeapRuleset):
        name = "halves_backwards"

        def results(self, heap):
            yield from ((left,) for left in range(1, heap) if heap % left == 0)

        def _result_index(self, heap, result):
            return self.count_results(heap) - 1 - super()._result_index(heap, result)

        def _result_at(self, heap, number):
            return super()._result_at(heap, self.count_results(heap) - 1 - number)

    ruleset = Halves(piles=(12, 8))
    positions = list(random_positions(ruleset, 40, seed=1))
    labels = Oracle(ruleset).label(positions)
    for row, position in enumerate(positions):
        check(labels, row, *expected(ruleset, position))


@pytest.mark.parametrize("text", ["nim(piles=[])", "grundys_game(piles=[2])", "cram(rows=1,columns=1)"])
def test_alphabets_without_moves(text):
    ruleset = sgai.load_ruleset(text)
    labels = Oracle(ruleset).label([ruleset.initial()] * 2)
    assert labels.complete.all()
    assert labels.grundy.tolist() == [0, 0]
    assert labels.optimal.shape == (2, 0)


def test_where_play_is_over():
    for play, won in (("normal", False), ("misere", True)):
        labels = Oracle("nim(piles=[1])", play=play).label(np.zeros((1, 3), dtype=np.int64))
        assert labels.won.tolist() == [won]
        assert not labels.optimal.any()


def test_bad_input():
    nim, cram, queen = Oracle("nim(piles=[3;4])"), Oracle("cram(rows=2,columns=3)"), Oracle("queen(rows=3,columns=3)")
    for oracle, positions, message in [
        (nim, np.array([[1, 2], [1, 5]]), r"row 1: .*heaps are from 0 to 4"),
        (nim, np.array([[-1, 2]]), "row 0"),
        (nim, np.array([[1.0, 2.0]]), "float64"),
        (nim, np.array([1, 2]), r"shape \(2,\)"),
        (nim, np.array(1), r"shape \(\)"),
        (cram, np.array(1), r"shape \(\)"),
        (nim, [(1, 2), (9,)], "row 1"),
        (nim, [(1, "x")], "x"),
        (nim, 3, "list of lists"),
        (nim, [3], "not a list of heaps"),
        (cram, np.array([[1]]), "int64"),
        (cram, np.array([[1, 2]], dtype=np.uint64), r"shape \(1, 2\)"),
        (cram, np.array([[1], [64]], dtype=np.uint64), "row 1: .*6 cells"),
        (cram, [1, -1], "row 1"),
        (cram, 7, "list of positions"),
        (queen, np.array([[1, 1]]), "no array form"),
        (queen, [(1, 1), (7, 7)], "row 1"),
    ]:
        with pytest.raises(SgaiError, match=message):
            oracle.label(positions)
    for oracle, observations, message in [
        (nim, np.zeros((2, 5)), "shape"),
        (nim, np.array([[0, 0.5, 0, 0]]), "row 0"),
        (nim, np.array([[0, -1, 0, 0]]), "row 0"),
        (cram, np.array([[[0, 1, 0], [0, 2, 0]]]), "row 0"),
        (cram, np.full((1, 2, 3), np.nan), "row 0"),
    ]:
        with pytest.raises(SgaiError, match=message):
            oracle.label_observations(observations)
    for options in ({"states": 0}, {"seconds": -1}):
        with pytest.raises(SgaiError, match="budget"):
            nim.label([(1,)], **options)
    with pytest.raises(SgaiError, match="too many for one batch"):
        Oracle("nim(piles=[300])").label(np.ones((200_000, 1), dtype=np.int64))
    assert len(nim.label([])) == len(nim.label(np.zeros((0, 2), dtype=np.int64))) == len(cram.label([])) == 0
