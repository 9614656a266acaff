"""Bad input is a clear error that quotes the input, and odd but good input is answered."""

import numpy as np
import pytest

from sgai import SgaiError, Solver, UnsupportedError, decompose, grundy_values, load_ruleset, parameter, solve
from sgai.ruleset import Ruleset
from sgai.rulesets.graph import Graph
from sgai.rulesets.intervals import IntervalSplitting
from sgai.rulesets.subtraction import Bash, HalfTake, Nim, PileDependent, PowersOfTwo, Subtraction
from sgai.rulesets.sums import Sum
from sgai.rulesets.take_and_break import TakeAndBreak
from sgai.rulesets.walkers import Queen, Rook


def message_of(function, *given, **named):
    with pytest.raises(SgaiError) as caught:
        function(*given, **named)
    assert isinstance(caught.value, ValueError)
    return str(caught.value)


# Rulesets as text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kayels", ["'kayels'", "did you mean 'kayles'"]),
        ("grundy_game", ["'grundy_game'", "'grundys_game'"]),
        ("nim(pile=[3])", ["'pile'", "did you mean 'piles'"]),
        ("nim(zzz=[3])", ["'zzz'", "piles"]),
        ("bash(most=x)", ["most", "'x'", "integer"]),
        ("bash(most=2.5)", ["most", "'2.5'", "integer"]),
        ("bash(most=[2;3])", ["most", "2;3"]),
        ("bash(most=)", ["most", "integer"]),
        ("bash(most=0)", ["most=0", "1 or more"]),
        ("bash(most=-3)", ["most=-3"]),
        ("nim(piles=[3;x])", ["piles", "'x'", "integer"]),
        ("nim(piles=[3;;4])", ["piles", "[3;;4]"]),
        ("nim(piles=[3;-4])", ["piles", "-4"]),
        ("nim(piles=[3.0])", ["piles", "3.0"]),
        ("nim(piles=[3;4)", ["piles"]),
        ("nim(piles=[3;4]", ["nim(piles=[3;4]"]),
        ("nim(piles=3;4])", ["piles=3;4]"]),
        ("nim(piles={3;4])", ["piles"]),
        ("nim(piles=[3],piles=[4])", ["'piles' is given twice"]),
        ("nim([3])", ["[3]", "key=value"]),
        ("nim)", ["nim)"]),
        ("nim(piles=[3])x", ["nim(piles=[3])x"]),
        ("subtraction(take=[])", ["take=[]", "empty"]),
        ("subtraction(take=[0])", ["take=[0]", "0 is below 1"]),
        ("subtraction(take=[2;-5])", ["take=[2;-5]", "-5 is below 1"]),
        ("subtraction(take=[two])", ["take", "'two'"]),
        ("pile_dependent(sets=[[0]],piles=[1])", ["[0]", "0 is below 1"]),
        ("pile_dependent(sets=[[1]],piles=[2])", ["heap 2", "ends at heap 1"]),
        ("pile_dependent(sets=[[1];x],piles=[1])", ["sets", "'x'"]),
        ("take_and_break(code=[0.7x])", ["0.7x", "character 4"]),
        ("0.7x", ["0.7x", "character 4"]),
        ("0.{2", ["0.{2", "not closed"]),
        ("sum(parts=[])", ["parts", "at least"]),
        ("sum(parts=[nim;kayels])", ["parts", "'kayels'", "did you mean 'kayles'"]),
        ("sum(parts=[nim;0.7x])", ["0.7x", "character 4"]),
        ("sum(parts=[nim;subtraction(take~[0])])", ["0 is below 1"]),
        ("rook(rows=0)", ["rows=0"]),
        ("rook(columns=-2)", ["columns=-2"]),
        ("rook(at=[9;9])", ["9", "not a square"]),
        ("rook(at=[1])", ["1", "not a square"]),
        ("rook(at=[1;2;3])", ["not a square"]),
        ("graph(edges=[1-2-3])", ["1-2-3"]),
        ("graph(edges=[1-])", ["edges", "1-"]),
        ("graph(edges=[1-2],start=7)", ["'7'", "1, 2"]),
        ("graph(file=nowhere.json)", ["nowhere.json"]),
        ("interval_splitting(start=5,end=2)", ["start=5", "end=2"]),
        ("interval_splitting(gap=-1)", ["gap=-1"]),
        ("interval_splitting(gap=0,shortest=0)", ["gap=0", "shortest=0"]),
        ("", ["code"]),
        ("(piles=[3])", ["(piles=[3])"]),
    ],
)
def test_bad_ruleset_text(text, said):
    message = message_of(load_ruleset, text)
    for each in said:
        assert each in message


@pytest.mark.parametrize("given", [5, None, ["nim"], b"nim", Nim])
def test_what_is_no_ruleset_at_all(given):
    assert "neither a ruleset nor text" in message_of(load_ruleset, given)


def test_a_missing_parameter_is_named():
    class Needy(Ruleset[int, int]):
        """A game with a parameter that has no default."""

        name = "needy"
        size: int
        other: str = parameter(default="x")

        def initial(self):
            return self.size

        def moves(self, position):
            return iter(())

    message = message_of(Needy)
    assert "needy" in message
    assert "'size'" in message
    assert "integer" in message
    assert Needy(size=3).initial() == 3


# Rulesets made in Python


@pytest.mark.parametrize(
    ("cls", "given", "quoted"),
    [
        (Nim, {"piles": True}, "True"),
        (Nim, {"piles": [True]}, "True"),
        (Nim, {"piles": [np.True_]}, "True"),
        (Nim, {"piles": [3.0]}, "3.0"),
        (Nim, {"piles": ["3"]}, "'3'"),
        (Nim, {"piles": [None]}, "None"),
        (Nim, {"piles": None}, "None"),
        (Nim, {"piles": 5}, "5"),
        (Nim, {"piles": [-1]}, "-1"),
        (Nim, {"piles": [[3]]}, "[3]"),
        (Nim, {"piles": "three"}, "'three'"),
        (Nim, {"heaps": [3]}, "'heaps'"),
        (Bash, {"most": True}, "True"),
        (Bash, {"most": 2.0}, "2.0"),
        (Bash, {"most": None}, "None"),
        (Subtraction, {"take": ()}, "take=[]"),
        (Subtraction, {"take": (0, 2)}, "[0;2]"),
        (Subtraction, {"take": [True]}, "True"),
        (Subtraction, {"take": 2}, "2"),
        (Subtraction, {"take": {2: None, "x": None}}, "'x'"),
        (PileDependent, {"sets": [1, 2]}, "[1, 2]"),
        (PileDependent, {"sets": [[1.5]]}, "1.5"),
        (TakeAndBreak, {"code": 0.77}, "0.77"),
        (TakeAndBreak, {"code": None}, "None"),
        (TakeAndBreak, {"code": "0.7?x"}, "0.7?x"),
        (Graph, {"edges": [(1, 2, 3)]}, "1-2-3"),
        (Graph, {"edges": [(1, -2)]}, "-2"),
        (Graph, {"edges": [(1, True)]}, "True"),
        (Graph, {"edges": [("a b", 1)]}, "a b"),
        (Graph, {"edges": 7}, "7"),
        (Rook, {"rows": "many"}, "'many'"),
        (Rook, {"at": (1, True)}, "True"),
        (Rook, {"at": (0, 8)}, "8"),
        (IntervalSplitting, {"end": 2.5}, "2.5"),
        (IntervalSplitting, {"marks": ["a"]}, "'a'"),
        (Sum, {"parts": ()}, "parts=[]"),
        (Sum, {"parts": [5]}, "5"),
        (Sum, {"parts": 5}, "5"),
    ],
)
def test_bad_parameters_in_python(cls, given, quoted):
    assert quoted in message_of(cls, **given)


def test_good_but_odd_parameters():
    assert Nim(piles=()).initial() == ()
    assert Nim(piles=[0, 0]).initial() == ()
    assert Nim(piles="5").initial() == (5,)
    assert Nim(piles="[5;0;3]").initial() == (3, 5)
    assert Nim(piles=np.array([5, 3])).initial() == (3, 5)
    assert Nim(piles=iter([5, 3])).initial() == (3, 5)
    assert Bash(most=np.int64(3)) == Bash(most="3")
    assert Subtraction(take=[5, 2, 2, 10**30]).take == (2, 5, 10**30)
    assert Graph(edges=[(1,)], start=1).options(1) == []
    assert IntervalSplitting(start=4, end=4).initial() == ()
    assert Rook(rows=1, columns=1).options((0, 0)) == []
    assert Sum(parts="[nim(piles=[3]);0.77]").parts == (Nim(piles=(3,)), TakeAndBreak())
    assert load_ruleset("nim(piles=[3;4])") == load_ruleset(" nim(piles=[3,4]) ") == load_ruleset("nim(piles~[3;4])")


def test_a_sum_of_one_part_that_does_not_move():
    solution = solve(load_ruleset("sum(parts=[nim(piles=[])])"))
    assert (solution.grundy, solution.outcome, solution.winning_moves) == (0, "P", ())


# Positions


@pytest.mark.parametrize(
    ("ruleset", "position"),
    [
        ("nim", "[3;x]"),
        ("nim", "[3;-4]"),
        ("nim", "[3;4"),
        ("nim", "3;4]"),
        ("nim", "[[3]]"),
        ("nim", "[3.5]"),
        ("nim", "three"),
        ("nim", "[3;;4]"),
        ("pile_dependent", "[3;99]"),
        ("kayles", "[1e3]"),
        ("graph", "17"),
        ("graph", "a b"),
        ("graph", ""),
        ("rook", "(8,0)"),
        ("rook", "(-1,0)"),
        ("rook", "(1,2,3)"),
        ("rook", "(1"),
        ("rook", "e4"),
        ("rook", "5"),
        ("rook", "(1.0,2)"),
        ("rook", "(True,1)"),
        ("interval_splitting", "[0:4;5]"),
        ("interval_splitting", "[4:0]"),
        ("interval_splitting", "[0:4"),
        ("interval_splitting", "0-4"),
        ("sum", "[3]"),
        ("sum", "[3] + [4] + [5] + [6]"),
        ("sum", "[3] + x + [5]"),
        ("sum", "[3 + [4] + [5]"),
    ],
)
def test_bad_position_text(ruleset, position):
    # Square brackets may be gone from what is quoted, and a pair may be written as Python writes it.
    message = message_of(solve, ruleset, position).replace(", ", ",")
    assert any(each in message for each in (position, position.strip("[]"), "'x'", "heap 99", "'(4,0)'"))


@pytest.mark.parametrize(
    ("ruleset", "position", "quoted"),
    [
        ("nim", 5, "5"),
        ("nim", (3, -4), "-4"),
        ("nim", (3, "4"), "'4'"),
        ("nim", (3, 4.0), "4.0"),
        ("nim", (True,), "True"),
        ("kayles", ((1, 2),), "(1, 2)"),
        ("pile_dependent", (7,), "7"),
        ("graph", 17, "17"),
        ("graph", (1, 2), "(1, 2)"),
        ("graph", True, "True"),
        ("queen", (8, 8), "(8, 8)"),
        ("queen", 3, "3"),
        ("queen", (1, 2, 3), "(1, 2, 3)"),
        ("interval_splitting", 7, "7"),
        ("interval_splitting", ((1, 2, 3),), "(1, 2, 3)"),
        ("interval_splitting", ((5, 2),), "(5, 2)"),
        ("sum", ((3,), (4,)), "((3,), (4,))"),
        ("sum", 3, "3"),
        ("sum", ((3,), (4,), ("x",)), "'x'"),
    ],
)
def test_bad_positions_in_python(ruleset, position, quoted):
    assert quoted in message_of(solve, load_ruleset(ruleset), position)


def test_good_but_odd_positions():
    assert solve("nim", "[]").outcome == "P"
    assert solve("nim", "").outcome == "P"
    assert solve("nim", "[0;0]").outcome == "P"
    assert solve("nim", "7").grundy == 7
    assert solve("nim", "[1]").outcome == "N"
    assert solve("subtraction", "[0]").grundy == 0
    assert solve("queen", " ( 1 , 2 ) ").outcome == "P"
    assert solve(load_ruleset("nim"), [0, 2, 2]).outcome == "P"
    assert solve(load_ruleset("nim"), np.array([3, 1])).grundy == 2
    assert solve("nim", "[]", play="misere").outcome == "N"


@pytest.mark.parametrize("text", ["", "3->3", "3->4", "5->1", "3->-1", "x", "3->", "->3", "3->1+1", "3->1->0", "\0"])
def test_bad_moves(text):
    nim = Nim()
    message = message_of(nim.parse_move, (3, 4), text)
    assert "legal moves" in message
    for move in ((3, (3,)), (5, (1,)), (3, (1, 1)), (3, (-1,)), 3, None, "3->1", (3,), (3, 1), (3, (0,)), ("3", (1,))):
        assert "legal moves" in message_of(nim.apply, (3, 4), move)
    assert "game is over" in message_of(nim.apply, (), (3, (1,)))


# Sizes


@pytest.mark.parametrize("heap", [10**18, 10**30, 10**300], ids=["10^18", "10^30", "10^300"])
def test_huge_piles_of_nim_are_exact(heap):
    solution = solve(Nim(), (heap, heap + 1, 5))
    assert solution.grundy == heap ^ (heap + 1) ^ 5
    assert solution.exact
    assert solution.complete
    assert {sum(each.position) for each in solution.winning_moves} == {
        pile + other + (pile ^ other)
        for pile, other, third in ((heap, heap + 1, 5), (heap, 5, heap + 1), (heap + 1, 5, heap))
        if pile ^ other < third
    }
    lost = solve(Nim(), (heap, heap))
    assert (lost.outcome, lost.winning_moves, lost.complete) == ("P", (), True)
    assert solve(Nim(), (heap, 1), play="misere").outcome == "N"


@pytest.mark.parametrize("heap", [10**18, 10**30], ids=["10^18", "10^30"])
@pytest.mark.parametrize("ruleset", [Bash(most=4), Bash(most=10**20), PowersOfTwo()], ids=str)
def test_huge_piles_of_other_games_with_a_closed_form(ruleset, heap):
    solution = solve(ruleset, (heap,))
    assert solution.grundy == ruleset.closed_form(heap)
    assert solution.exact


def test_the_value_of_a_huge_pile_of_half_take():
    # (the odd part of n + 1, less 1) / 2, and 10^18 + 1 and 10^30 + 1 are odd
    for heap in (10**18, 10**30):
        assert Solver().grundy(HalfTake(), (heap,)) == heap // 2


@pytest.mark.parametrize("ruleset", ["subtraction", "kayles", "dawsons_chess"])
def test_huge_piles_of_periodic_games_are_solved(ruleset):
    for heap in (10**18, 10**30):
        assert solve(load_ruleset(ruleset), (heap,), seconds=20).exact


@pytest.mark.parametrize("ruleset", ["grundys_game", "0.[37]", "{2+}.0", "treblecross_row", "0.8"])
def test_huge_piles_without_a_closed_form_are_not_solved_but_answered(ruleset, own_clock):
    for heap in (10**18, 10**30):
        solution = solve(load_ruleset(ruleset), (heap,), seconds=1)
        assert (solution.exact, solution.grundy, solution.outcome) == (False, None, None)
        assert solution.winning_moves == ()
        assert not solution.complete
        assert solution.seconds < 3


def test_long_numbers_are_errors_not_crashes():
    assert "too long" in message_of(load_ruleset, f"nim(piles=[{'9' * 5_000}])")
    assert "too long" in message_of(solve, "nim", "9" * 5_000)
    message_of(Nim, piles=[-(10**5_000)])


def test_positions_of_two_thousand_heaps():
    heaps = tuple(range(1, 2_001))
    assert solve(Nim(), heaps).grundy == 2_000  # 1 XOR ... XOR n = n where 4 divides n
    assert len(decompose(Nim(), heaps)) == 2_000


@pytest.mark.parametrize("largest", [-1, 2.5, True, None, "5", 10**12])
def test_bad_lengths_of_a_sequence(largest):
    message_of(grundy_values, "kayles", largest)


def test_a_sequence_of_a_game_without_heaps():
    assert "rook" in message_of(grundy_values, "rook", 5)


# Conventions


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"play": "misre"}, ["'misre'", "did you mean 'misere'"]),
        ({"play": "MISERE"}, ["'MISERE'", "normal, misere"]),
        ({"play": 5}, ["5", "normal, misere"]),
        ({"compound": "disjunctiv"}, ["'disjunctiv'", "did you mean 'disjunctive'"]),
        ({"ending": "frist"}, ["'frist'", "did you mean 'first'"]),
        ({"compound": ""}, ["''", "conjunctive"]),
        ({"ending": None}, ["None", "last, first"]),
    ],
)
def test_unknown_conventions(options, said):
    message = message_of(solve, "nim", **options)
    for each in said:
        assert each in message


@pytest.mark.parametrize(
    ("ruleset", "options", "named"),
    [
        ("treblecross", {"compound": "conjunctive"}, "conjunctive"),
        ("treblecross", {"compound": "selective"}, "selective"),
        ("treblecross", {"ending": "first"}, "first"),
        ("treblecross", {"play": "misere"}, "misere"),
    ],
)
def test_conventions_that_are_not_built_are_refused(ruleset, options, named):
    with pytest.raises(UnsupportedError, match=named):
        solve(ruleset, **options)


def test_an_error_changes_nothing():
    solver = Solver()
    queen = Queen(rows=5, columns=5)
    assert solver.solve(queen).grundy == Solver().solve(queen).grundy
    states = len(solver)
    for position in ((5, 5), "x", None.__class__, (1,)):
        message_of(solver.solve, queen, position)
    message_of(solver.solve, queen, play="mizere")
    assert len(solver) == states
    assert solver.solve(queen).states == 0
