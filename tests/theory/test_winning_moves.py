"""All winning moves, and no others: against brute force."""

import functools
import random
import re
import subprocess
import sys

import pytest

from sgai import Component, Ruleset, Solver, load_ruleset, nim_sum
from sgai.rulesets.heaps import HeapMove
from sgai.rulesets.subtraction import Nim
from sgai.testing import random_positions


def brute_force(ruleset):
    """Return a function from a position to its winning moves; it remembers whole positions and splits nothing."""

    @functools.cache
    def is_won(position, play):
        options = ruleset.options(position)
        if not options:
            return play == "misere"
        return not all(is_won(option, play) for option in options)

    return lambda position, play="normal": {
        move for move, option in ruleset.moves(position) if not is_won(option, play)
    }


def check(ruleset, positions, play="normal"):
    judge, solver = brute_force(ruleset), Solver()
    for position in positions:
        solution = solver.solve(ruleset, position, play=play)
        moves = [each.move for each in solution.winning_moves]
        assert solution.complete
        assert set(moves) == judge(position, play), ruleset.format(position)
        assert len(set(moves)) == len(moves), ruleset.format(position)
        for each in solution.winning_moves:
            assert each.position == ruleset.apply(position, each.move)


@pytest.mark.parametrize(
    "text",
    [
        "nim(piles=[3;5;6])",
        "nim(piles=[4;4;4;7])",
        "bash(piles=[7;9],most=3)",
        "powers_of_two(piles=[9;10])",
        "half_take(piles=[13;12])",
        "half_take(piles=[40])",
        "subtraction(piles=[7;9;12],take=[2;5])",
        "subtraction(piles=[25;14],take=[1;3;4;7;8;9;10;11;12;13])",
        "pile_dependent(piles=[3;5;6])",
        "take_and_break(piles=[8;7],code=[0.37])",
        "take_and_break(piles=[9],code=[{2+}.03])",
        "take_and_break(piles=[10],code=[0.{1;2!}[3]])",
        "kayles(piles=[7;8])",
        "dawsons_kayles(piles=[13;9])",
        "dawsons_chess(piles=[9;8])",
        "treblecross_row(piles=[12])",
        "grundys_game(piles=[14;7])",
        "lasker(piles=[4;7])",
        "rook",
        "king(rows=12,columns=15)",
        "knight(rows=12,columns=15)",
        "queen(rows=15,columns=12)",
        "interval_splitting(end=11)",
        "interval_splitting(end=12,gap=1,shortest=0,marks=[1;2;4;5;7;8;10])",
        "sum(parts=[nim(piles=[3;4]);kayles(piles=[5]);queen(rows=4,columns=4)])",
    ],
)
def test_positions_of_random_plays(text):
    ruleset = load_ruleset(text)
    check(ruleset, random_positions(ruleset, 150, seed=1))


def test_random_heaps():
    chance = random.Random(2)
    for name in ("nim", "kayles", "grundys_game", "lasker", "half_take", "powers_of_two", "0.[37]", "subtraction"):
        ruleset = load_ruleset(name)
        positions = [sorted(chance.choices(range(1, 8), k=chance.randrange(1, 4))) for _ in range(60)]
        check(ruleset, map(tuple, positions))


def test_every_square_of_a_board():
    for name in ("rook", "king", "knight", "queen"):
        ruleset = load_ruleset(f"{name}(rows=9,columns=9)")
        check(ruleset, [(row, column) for row in range(9) for column in range(9)])


def test_sums_of_equal_parts():
    for part in (
        "nim(piles=[2;3])",
        "kayles(piles=[4])",
        "queen(rows=3,columns=4)",
        "graph",
        "interval_splitting(end=4)",
    ):
        ruleset = load_ruleset(f"sum(parts=[{part};{part};{part}])")
        check(ruleset, random_positions(ruleset, 60, seed=3))
        positions = dict.fromkeys(random_positions(ruleset, 60, seed=4))
        equal = [(at, at, at) for at, _, _ in positions]
        check(ruleset, equal)


def test_a_sum_counts_its_equal_parts_apart():
    ruleset = load_ruleset("sum(parts=[nim(piles=[2]);nim(piles=[2]);nim(piles=[3])])")
    moves = {ruleset.format_move(ruleset.initial(), each.move) for each in Solver().solve(ruleset).winning_moves}
    # 2 XOR 2 XOR 3 = 3: a heap of 2 has to become 1, or the heap of 3 to go.
    assert moves == {"1: 2->1", "2: 2->1", "3: 3->0"}


class Rows(Ruleset[tuple[int, ...], str]):
    """Nim heaps kept in places, with moves that name the place; components are given, lifting is not."""

    name = "rows"
    kind: str = "nim"

    def initial(self):
        return (2, 3)

    def moves(self, position):
        for place, heap in enumerate(position):
            for move, option in load_ruleset(self.kind).moves((heap,) if heap else ()):
                yield f"{place}: {move}", (*position[:place], sum(option), *position[place + 1 :])

    def components(self, position):
        rules = load_ruleset(self.kind)
        return [Component(rules, (heap,) if heap else ()) for heap in position]


class LiftedRows(Rows):
    """The same, with lifting."""

    name = "lifted_rows"

    def lift_move(self, position, index, move):
        return f"{index}: {move}"


@pytest.mark.parametrize("rows", [Rows, LiftedRows])
@pytest.mark.parametrize("kind", ["nim", "subtraction(take=[1;3])", "half_take"])
def test_components_of_a_users_ruleset(rows, kind):
    ruleset = rows(kind=kind)
    assert ruleset.lifts() == (rows is LiftedRows)
    check(ruleset, [(), (0,), (2, 3), (3, 3), (1, 2, 3), (4, 0, 5), (1, 1, 1), (5, 4, 3)])


@pytest.mark.parametrize("rows", [Rows, LiftedRows])
def test_misere_play_of_a_users_ruleset_with_components_of_nim(rows):
    check(rows(), [(), (0,), (1,), (1, 1), (2, 3), (3, 3), (1, 2, 3), (4, 0, 5), (1, 1, 1), (2, 1, 1)], play="misere")


def test_misere_nim():
    chance = random.Random(5)
    positions = {tuple(sorted(chance.choices(range(1, 6), k=chance.randrange(0, 6)))) for _ in range(150)}
    check(Nim(), positions, play="misere")


def test_misere_play_of_a_sum_of_nims():
    ruleset = load_ruleset("sum(parts=[nim(piles=[1;2]);nim(piles=[1;3])])")
    check(ruleset, random_positions(ruleset, 80, seed=6), play="misere")


def test_nim_with_a_thousand_piles():
    chance = random.Random(7)
    for _ in range(3):
        piles = tuple(sorted(chance.randrange(1, 10**9) for _ in range(1_000)))
        total = nim_sum(piles)
        expected = {HeapMove(pile, (pile ^ total,) if pile ^ total else ()) for pile in piles if pile ^ total < pile}
        solution = Solver().solve(Nim(), piles)
        assert solution.grundy == total
        assert {each.move for each in solution.winning_moves} == expected
        assert all(nim_sum(each.position) == 0 for each in solution.winning_moves)
        assert solution.complete


def test_a_thousand_piles_that_are_lost():
    piles = tuple(range(1, 501)) * 2
    solution = Solver().solve(Nim(), piles)
    assert (solution.outcome, solution.winning_moves, solution.complete) == ("P", (), True)


def test_kayles_with_three_hundred_piles():
    solution = Solver().solve(load_ruleset("kayles"), tuple(range(1, 301)))
    values = Solver().grundy_values(load_ruleset("kayles"), 300).tolist()
    total = nim_sum(values)
    expected = 0
    for heap in range(1, 301):
        for taken in (1, 2):
            for left in range((heap - taken) // 2 + 1 if heap >= taken else 0):
                expected += values[left] ^ values[heap - taken - left] == values[heap] ^ total
    assert len(solution.winning_moves) == expected
    assert solution.complete


@pytest.mark.parametrize(
    ("ruleset", "heap", "moves"),
    [
        # g = heap mod 3 = 1 at 10,000,000: to a multiple of 3, so one, four, sixteen, ...: every even power of two.
        ("powers_of_two", 10_000_000, [4**k for k in range(12)]),
        ("powers_of_two", 10**18, [4**k for k in range(30)]),
        ("bash(most=5)", 10**18, [10**18 % 6]),
        ("nim", 10**18, [10**18]),
    ],
)
def test_winning_moves_of_huge_heaps_with_a_closed_form(ruleset, heap, moves):
    solution = Solver().solve(load_ruleset(ruleset), (heap,))
    assert sorted(heap - sum(each.position) for each in solution.winning_moves) == moves
    assert solution.complete


@pytest.mark.parametrize("heap", [1_000_000, 4_900_000, 10**18])
def test_listing_the_winning_moves_of_half_take_keeps_to_its_budget(heap):
    # In a process of its own, since it may not come back. All these heaps have a value that is not 0.
    code = f"import sgai; print(sgai.solve('half_take(piles=[{heap}])', seconds=0.05))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=6, check=True).stdout
    assert "outcome='N'" in answer
    assert float(re.search(r" seconds=([0-9.e-]+)", answer)[1]) < 0.5
