"""Values from the literature, and closed forms against the recurrence.

Sources. ``CGSuite``: the test suite of A. N. Siegel's CGSuite, GameHeapTest.scala (github.com/aaron-siegel/cgsuite).
``OEIS``: the On-Line Encyclopedia of Integer Sequences. ``octal_periods.json`` names its own sources. What no source is
named for is marked recomputed: it is worked out by hand or by brute force in the test.
"""

import functools
import itertools
import json
from pathlib import Path

import pytest

from sgai import Solver, grundy_values, load_ruleset, mex, nim_sum, solve
from sgai.budget import Budget
from sgai.reference import reference_grundy
from sgai.rulesets.codes import parse_code
from sgai.rulesets.graph import Graph
from sgai.rulesets.intervals import IntervalSplitting
from sgai.rulesets.subtraction import PileDependent, Subtraction
from sgai.rulesets.take_and_break import TakeAndBreak
from sgai.rulesets.walkers import King, Knight, Queen, Rook
from sgai.sequences import SequenceTable

OCTAL_GAMES = json.loads((Path(__file__).parents[1] / "data" / "octal_periods.json").read_text(encoding="utf-8"))[
    "games"
]
# 0.16 needs 500,000 heaps for its period and 0.127 93,000: too slow for the plain method.
GIANTS = {"0.16", "0.127"}


def by_recurrence(ruleset, largest):
    return SequenceTable(load_ruleset(ruleset), use_closed_form=False).values(largest, Budget()).tolist()


# Closed forms


@pytest.mark.parametrize(
    ("ruleset", "formula"),
    [
        ("nim", lambda n: n),  # C. L. Bouton, 1901
        ("bash(most=1)", lambda n: n % 2),
        ("bash(most=4)", lambda n: n % 5),
        ("bash(most=7)", lambda n: n % 8),
        ("powers_of_two", lambda n: n % 3),  # no power of two is a multiple of 3
        ("half_take", lambda n: ((n + 1) // ((n + 1) & -(n + 1)) - 1) // 2),  # the odd part of n + 1, halved
        ("lasker", lambda n: n + 1 if n % 4 == 3 else n - 1 if n and n % 4 == 0 else n),  # Winning Ways, chapter 4
        ("subtraction(take=[1])", lambda n: n % 2),
        ("subtraction(take=[1;3])", lambda n: n % 2),
    ],
)
def test_closed_form_is_what_the_recurrence_gives(ruleset, formula):
    expected = [formula(n) for n in range(400)]
    assert by_recurrence(ruleset, 399) == expected
    assert grundy_values(ruleset, 399).tolist() == expected


def test_closed_forms_answer_huge_heaps_at_once():
    huge = 10**18
    heaps = {"nim": huge, "bash(most=6)": huge % 7, "powers_of_two": huge % 3, "half_take": huge // 2}
    for ruleset, value in {**heaps, "lasker": huge - 1}.items():
        assert Solver().grundy(load_ruleset(ruleset), (huge,)) == value


# Subtraction games


@pytest.mark.parametrize(
    ("take", "values"),
    [
        # Recomputed by hand: every value is the mex of the values that many tokens below.
        ((2, 5), [0, 0, 1, 1, 0]),
        ((2, 3), [0, 0, 1, 1, 2, 0]),
        ((1, 3), [0, 1, 0, 1, 0]),
        ((1,), [0, 1, 0, 1, 0, 1]),
        ((5, 2, 2, 900), [0, 0, 1, 1, 0]),  # unsorted, repeated and too large sizes change nothing
        # CGSuite: period 5, no preperiod
        ((2, 3, 7), [0, 0, 1, 1, 2] * 4 + [0]),
    ],
)
def test_subtraction_values(take, values):
    assert grundy_values(Subtraction(take=take), len(values) - 1).tolist() == values


def test_subtraction_outcomes():
    # Recomputed by hand from the values above.
    assert solve("subtraction(take=[2;3])", "[2;3]").outcome == "P"
    assert solve("subtraction(take=[1])", "[1;2;3]").outcome == "P"
    for piles in itertools.chain.from_iterable(itertools.combinations_with_replacement((1, 4), k) for k in range(6)):
        assert solve(load_ruleset("subtraction(take=[2;5])"), piles).outcome == "P"
    assert solve("nim", "[3;1]").outcome == "N"
    assert solve("nim", "[1;1]").outcome == "P"


def test_a_subtraction_value_is_at_most_the_number_of_sizes():
    for take in itertools.combinations((1, 2, 4, 5, 7, 10, 11), 3):
        assert grundy_values(Subtraction(take=take), 300).max() <= len(take)


def test_a_hundred_sizes_and_a_hundred_piles_of_ten_thousand():
    take = tuple(range(3, 600, 6))
    assert len(take) == 100
    piles = tuple(range(9_900, 10_000))
    solution = solve(Subtraction(take=take), piles)
    values = [0]  # recomputed by the definition
    for heap in range(1, 10_000):
        values.append(mex(values[heap - size] for size in take if size <= heap))
    assert solution.grundy == nim_sum(values[heap] for heap in piles)


def test_pile_dependent_sets_follow_the_recurrence():
    squares = PileDependent.from_function(lambda heap: [k * k for k in range(1, heap + 1)], largest=20)
    # Recomputed by hand; A. N. Siegel and others call it Subtract a Square.
    assert grundy_values(squares, 10).tolist() == [0, 1, 0, 1, 2, 0, 1, 0, 1, 2, 0]


# Take-and-break codes


@pytest.mark.parametrize("game", OCTAL_GAMES, ids=lambda game: game["code"])
def test_octal_game_values(game):
    values = game.get("values", [])
    assert values or "largest" in game  # every game of the file is checked by this test or the next ones
    assert grundy_values(game["code"], 39).tolist()[: len(values)] == values


@pytest.mark.parametrize(
    "game", [game for game in OCTAL_GAMES if game["code"] not in GIANTS], ids=lambda game: game["code"]
)
def test_octal_game_period(game):
    preperiod, period = game["preperiod"], game["period"]
    # By the octal-game periodicity theorem (Winning Ways, chapter 4) so many heaps prove the period for all heaps.
    last = 2 * preperiod + 2 * period + len(parse_code(game["code"]).digits)
    values = grundy_values(game["code"], last).tolist()
    assert values[preperiod + period :] == values[preperiod:-period]
    assert preperiod == 0 or values[preperiod - 1] != values[preperiod - 1 + period]
    for shorter in range(1, period):
        assert values[preperiod + shorter :] != values[preperiod:-shorter]


@pytest.mark.parametrize(
    "game",
    [game for game in OCTAL_GAMES if 0 < game.get("largest_index", 0) < 100_000],  # all but 0.16, at heap 229,790
    ids=lambda game: game["code"],
)
def test_largest_value_of_an_octal_game(game):
    values = grundy_values(game["code"], game["largest_index"] + 100).tolist()
    assert max(values) == game["largest"]
    assert values.index(game["largest"]) == game["largest_index"]


def test_kayles_table():
    # OEIS A002186: period 12 from 71 on, and these exceptions only.
    values = grundy_values("kayles", 400).tolist()
    assert values[:24] == [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1, 4, 6, 7]
    period = [4, 1, 2, 8, 1, 4, 7, 2, 1, 8, 2, 7]
    exceptions = [n for n, value in enumerate(values) if value != period[n % 12]]
    assert exceptions == [0, 3, 6, 9, 11, 15, 18, 21, 22, 28, 34, 39, 57, 70]


def test_dawsons_games():
    # OEIS A002187: 0.137 has period 34 with these exceptions only; 0.07 has the same values one heap later, 0.4 two.
    values = grundy_values("dawsons_chess", 400).tolist()
    assert values[:18] == [0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0, 5, 2, 2]
    exceptions = [n for n in range(367) if values[n] != values[n + 34 * ((400 - n) // 34)]]
    assert exceptions == [0, 14, 16, 17, 31, 34, 51]
    assert grundy_values("dawsons_kayles", 401).tolist() == [0, *values]
    assert grundy_values("0.4", 402).tolist() == [0, 0, *values]


def test_grundys_game():
    # OEIS A002188
    values = [0, 0, 0, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 3, 2, 1, 3, 2, 4, 3, 0, 4, 3, 0, 4, 3, 0, 4, 1, 2, 3, 1, 2, 4]
    assert grundy_values("grundys_game", len(values) - 1).tolist() == values
    assert grundy_values("4!.0", 200).tolist() == grundy_values("grundys_game", 200).tolist()
    assert not list(load_ruleset("grundys_game").moves((1, 2)))  # no equal split, no empty part


CGSUITE = [
    # CGSuite: code, number of options of heap 20, values of the heaps 0 to 20
    ("0.[3]", 20, list(range(21))),
    ("4!.0", 9, [0, 0, 0, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 3, 2, 1, 3, 2, 4, 3, 0]),
    ("0.77", 20, [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1]),
    ("0.07", 10, [0, 0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0, 5, 2, 2, 3, 3]),
    ("0.0330003", 3, [0, 0, 1, 1, 2, 0, 0, 1, 1, 2, 0, 0, 1, 1, 2, 0, 0, 1, 1, 2, 0]),
    ("0.3003330[3]", 17, [0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7, 8, 9, 8, 9, 10]),
    ("0.3F", 38, [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 7, 8, 6, 7, 8, 9, 10, 11]),
]


@pytest.mark.parametrize(("code", "options", "values"), CGSUITE, ids=[each[0] for each in CGSUITE])
def test_codes_of_cgsuites_tests(code, options, values):
    ruleset = load_ruleset(code)
    assert grundy_values(ruleset, 20).tolist() == values
    assert len(ruleset.options((20,))) == options


def test_dawsons_kayles_has_period_34_from_53_on():
    # CGSuite: Periodicity(Period => 34, Preperiod => 53, Saltus => 0)
    values = grundy_values("0.07", 300).tolist()
    assert values[53 + 34 :] == values[53:-34]
    assert values[52] != values[52 + 34]


@pytest.mark.parametrize(
    "code", ["0.4!", "0.{1,2,3,4,5,6}{6}", "4.0", "{2+}.0", "{2+}=.0", "8!.0", "{2,3}.0", "0.[37]", "0.{0+}"]
)
def test_codes_of_the_documentation_against_the_reference(code):
    # The codes are CGSuite's documented examples; their values are recomputed.
    game = TakeAndBreak(code=code)
    assert grundy_values(game, 8).tolist() == [reference_grundy(game, (n,), 2_000_000) for n in range(9)]


def test_codes_that_name_the_same_game():
    for code, name in (("0.[3]", "nim"), ("0.77", "kayles"), ("4!.0", "grundys_game"), ("4.[3]", "lasker")):
        assert by_recurrence(code, 150) == by_recurrence(name, 150)
    assert by_recurrence("0.03003", 150) == by_recurrence("subtraction(take=[2;5])", 150)
    assert by_recurrence("C.0", 60) == by_recurrence("{2,3}.0", 60)
    assert by_recurrence("0.33", 150) == by_recurrence("bash(most=2)", 150)


# Games on rows


@functools.cache
def value_of_safe_treblecross(row):
    """Brute force on rows of cells ("." and "X"): crosses are never set within two cells of another."""
    options = set()
    for cell, content in enumerate(row):
        if content == "." and "X" not in row[max(0, cell - 2) : cell + 3]:
            options.add(value_of_safe_treblecross(row[:cell] + "X" + row[cell + 1 :]))
    return mex(options)


@functools.cache
def next_player_wins_treblecross(row):
    """Brute force of the real rules: who makes three crosses in a row first wins."""
    for cell, content in enumerate(row):
        if content == ".":
            after = row[:cell] + "X" + row[cell + 1 :]
            if "XXX" in after or not next_player_wins_treblecross(after):
                return True
    return False


def test_treblecross_row_is_the_game_without_losing_moves():
    ruleset = load_ruleset("treblecross_row")
    values = [value_of_safe_treblecross("." * cells) for cells in range(17)]
    assert grundy_values(ruleset, 16).tolist() == values
    # Winning Ways, chapter 4: Treblecross is 0.007; a row of n cells is heap n + 2.
    assert grundy_values("0.007", 18).tolist() == [0, 0, *values]


def test_treblecross_row_has_the_winner_of_the_real_game():
    # With fewer than three cells nobody can make three in a row, so the real game says nothing there.
    for cells in range(3, 14):
        won = next_player_wins_treblecross("." * cells)
        assert solve(load_ruleset("treblecross_row"), (cells,)).outcome == ("N" if won else "P")


@functools.cache
def value_of_node_kayles(vertices):
    """Brute force on a path: choosing a vertex removes it and its neighbours."""
    options = {value_of_node_kayles(vertices - {each - 1, each, each + 1}) for each in vertices}
    return mex(options)


def test_dawsons_chess_is_node_kayles_on_a_path():
    values = [value_of_node_kayles(frozenset(range(n))) for n in range(16)]
    assert grundy_values("dawsons_chess", 15).tolist() == values
    assert grundy_values("0.137", 15).tolist() == values


# Walkers


def table(ruleset):
    solver = Solver()
    return [[solver.grundy(ruleset, (row, column)) for column in range(ruleset.columns)] for row in range(ruleset.rows)]


def brute_force_table(rows, columns, steps):
    values = {}
    for row, column in sorted(itertools.product(range(rows), range(columns)), key=sum):
        values[row, column] = mex(
            values[row + down, column + right]
            for down, right in steps
            if 0 <= row + down < rows and 0 <= column + right < columns
        )
    return [[values[row, column] for column in range(columns)] for row in range(rows)]


def test_rook_is_nim_with_two_heaps():
    assert table(Rook(rows=16, columns=16)) == [[row ^ column for column in range(16)] for row in range(16)]


def test_queen_is_wythoffs_game():
    values = table(Queen(rows=11, columns=21))
    # CGSuite: the row of 10
    assert values[10] == [10, 11, 9, 8, 13, 12, 0, 15, 16, 17, 14, 18, 7, 6, 2, 3, 1, 4, 5, 23, 28]
    # OEIS A317205, rows of a triangle
    triangle = [[0], [1, 2], [2, 0, 1], [3, 4, 5, 6], [4, 5, 3, 2, 7], [5, 3, 4, 0, 6, 8], [6, 7, 8, 1, 9, 10, 3]]
    assert [values[n][: n + 1] for n in range(7)] == triangle


def test_queen_loses_at_the_pairs_of_wythoff():
    # W. A. Wythoff, 1907: pair number k has difference k and begins with the least number not used before.
    lost, used = set(), set()
    for difference in range(30):
        first = mex(used)
        used |= {first, first + difference}
        lost |= {(first, first + difference), (first + difference, first)}
    values = table(Queen(rows=32, columns=32))
    zeros = {square for square in itertools.product(range(32), repeat=2) if values[square[0]][square[1]] == 0}
    assert zeros == {(row, column) for row, column in lost if max(row, column) < 32}
    assert (20, 12) in zeros


def test_king_and_knight_by_brute_force():
    # Recomputed
    assert table(King(rows=9, columns=12)) == brute_force_table(9, 12, [(-1, 0), (0, -1), (-1, -1)])
    knight = [(-2, -1), (-2, 1), (-1, -2), (1, -2)]
    assert table(Knight(rows=10, columns=13)) == brute_force_table(10, 13, knight)
    # Recomputed by hand
    assert [line[:4] for line in table(King(rows=4, columns=4))] == [
        [0, 1, 0, 1],
        [1, 2, 3, 2],
        [0, 3, 0, 1],
        [1, 2, 1, 2],
    ]


# Graphs and intervals


def test_explicit_graph():
    game = Graph.from_successors({3: [2, 1, 0], 2: [1, 0], 1: [0], 0: []}, start=3)
    assert [Solver().grundy(game, vertex) for vertex in range(4)] == [0, 1, 2, 3]


def test_explicit_graph_from_a_file(tmp_path):
    lines, table = tmp_path / "graph.txt", tmp_path / "graph.json"
    lines.write_text("3: 2 1 0\n2: 1, 0  # a comment\n\n1: 0\n0:\n", encoding="utf-8")
    table.write_text('{"3": [2, 1, 0], "2": [1, 0], "1": [0], "0": []}', encoding="utf-8")
    expected = load_ruleset("graph(edges=[3-2;3-1;3-0;2-1;2-0;1-0],start=3)")
    for file in (lines, table):
        assert Graph(file=str(file), start=3) == expected
    assert solve(expected).grundy == 3


@pytest.mark.parametrize(("gap", "shortest"), [(0, 1), (0, 2), (1, 0), (1, 1), (2, 0), (3, 2)])
def test_interval_splitting_follows_the_recurrence(gap, shortest):
    values = []  # by length, recomputed
    for length in range(40):
        cuts = range(shortest, length - gap - shortest + 1)
        values.append(mex(values[left] ^ values[length - gap - left] for left in cuts))
    game = IntervalSplitting(gap=gap, shortest=shortest)
    assert [Solver().grundy(game, game.validate([(5, 5 + length)])) for length in range(40)] == values


def test_interval_splitting_with_named_codes():
    # Cutting without loss is 4.0; a cut that takes two, whose parts may vanish, is Dawson's Kayles.
    for game, code in ((IntervalSplitting(), "4.0"), (IntervalSplitting(gap=2, shortest=0), "0.07")):
        values = [Solver().grundy(game, game.validate([(0, length)])) for length in range(30)]
        assert values == grundy_values(code, 29).tolist()


def test_interval_splitting_with_marks_depends_on_both_ends():
    game = IntervalSplitting(marks=(2, 3, 7))

    @functools.cache
    def value(first, last):
        return mex(value(first, cut) ^ value(cut, last) for cut in (2, 3, 7) if first < cut < last)

    for first, last in itertools.combinations(range(10), 2):
        assert Solver().grundy(game, ((first, last),)) == value(first, last)
    # Recomputed by hand: 0:3 has one cut, into two stretches that cannot be cut; 3:6 has none.
    assert (value(0, 3), value(3, 6)) == (1, 0)
