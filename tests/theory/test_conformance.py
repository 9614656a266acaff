"""The conformance suite on every ruleset of sgai, at two sizes each at least."""

import pytest

from sgai import load_ruleset, ruleset_names
from sgai.registry import origin
from sgai.rulesets.subtraction import PileDependent
from sgai.testing import RulesetConformance, check_ruleset

RULESETS = [
    "nim(piles=[1;2;3])",
    "nim(piles=[5;6;6;9])",
    "nim(piles=[])",
    "bash(piles=[4;7],most=2)",
    "bash(piles=[10;11;12],most=3)",
    "powers_of_two(piles=[3;5])",
    "powers_of_two(piles=[8;9;17])",
    "half_take(piles=[5;6])",
    "half_take(piles=[6;9;20])",
    "subtraction(piles=[7;9],take=[2;5])",
    "subtraction(piles=[3;8;11;20],take=[1;3;4;9;100])",
    "pile_dependent(piles=[3;5;6])",
    "pile_dependent(piles=[4;4;7],sets=[[1];[];[3;2];[1;4];[5];[2;3];[1;2;3;4]])",
    "take_and_break(piles=[5;6;7],code=[0.77])",
    "take_and_break(piles=[6;8],code=[4!.0])",
    "take_and_break(piles=[4;7],code=[0.[37]])",
    "take_and_break(piles=[5;6],code=[0.{1;2;3}{3}!])",
    "take_and_break(piles=[6;7],code=[{2+}~.03])",
    "take_and_break(piles=[7],code=[0.{0;2!;3+}7])",
    "take_and_break(piles=[7],code=[C?.F])",
    "kayles(piles=[3;4])",
    "kayles(piles=[5;7;9])",
    "dawsons_kayles(piles=[5;6])",
    "dawsons_kayles(piles=[7;10;12])",
    "dawsons_chess(piles=[3;4])",
    "dawsons_chess(piles=[6;9;11])",
    "treblecross_row(piles=[1;2;5])",
    "treblecross_row(piles=[9;14])",
    "grundys_game(piles=[5;6])",
    "grundys_game(piles=[7;8;10])",
    "lasker(piles=[2;3])",
    "lasker(piles=[3;4;7])",
    "graph(edges=[3-2;3-1;2-0],start=3)",
    "graph(edges=[a-b;a-c;b-c;c-d;b-e;lonely],start=a)",
    "graph(edges=[a-b;b-a;b-c;c-d;c-c;lonely],start=a,cycles=true)",
    "rook(rows=3,columns=4)",
    "rook(rows=8,columns=8,at=[5;6])",
    "king(rows=4,columns=3)",
    "king(rows=8,columns=9,at=[7;2])",
    "knight(rows=4,columns=5)",
    "knight(rows=9,columns=8,at=[6;7])",
    "queen(rows=3,columns=3)",
    "queen(rows=8,columns=8,at=[4;6])",
    "interval_splitting(end=5)",
    "interval_splitting(start=-2,end=6,gap=1,shortest=0)",
    "interval_splitting(start=3,end=13,gap=1,marks=[4;5;7;8;11])",
    "interval_splitting(end=9,shortest=2,marks=[2;3;6;7])",
    "sliding",
    "sliding(board=[O.O.../.O..O/OO],locked=false)",
    "sliding(board=[.O..O/..OO./O...O],retreat=left)",
    "sliding(board=[O..O/O....O],retreat=none)",
    "sum(parts=[nim(piles=[2;3]);kayles(piles=[4])])",
    "sum(parts=[nim(piles=[2]);sliding;graph(edges=[0-1;1-0;1-2],start=1,cycles=true)])",
    "sum(parts=[rook(rows=3,columns=3);interval_splitting(end=4);graph;take_and_break(code=[4~.0],piles=[6])])",
    "sum(parts=[nim(piles=[2]);sum(parts=[nim(piles=[2]);grundys_game(piles=[5])])])",
    "cram(rows=2,columns=3)",
    "cram(cells=[..#./..../.#..])",
    "polyominoes(rows=3,columns=3)",
    "polyominoes(rows=2,columns=5,pieces=[##;#.#;.##/##.],turns=false)",
    "tac_tix(rows=2,columns=3)",
    "tac_tix(cells=[...#/.#../....])",
    "treblecross",
    "treblecross(rows=3,columns=4)",
    "treblecross(cells=[....#.../..#...#.])",
    "chomp",
    "chomp(rows=3,columns=3,cells=[.../..#/.#.])",
    "rectangle_take(rows=2,columns=3)",
    "rectangle_take(cells=[.#../..#./...#])",
    "fibonacci_nim",
    "fibonacci_nim(piles=[2;3;3],limit=4)",
    "fibonacci_nim(piles=[13])",
    "wythoff",
    "wythoff(piles=[5;5])",
    "wythoff(piles=[0;7])",
    "euclid",
    "euclid(piles=[6;9])",
    "euclid(piles=[4;4])",
    "moores_nim",
    "moores_nim(piles=[1;2;2;3],most=3)",
    "moores_nim(piles=[3;4;5],most=1)",
    "moores_nim(piles=[4;0;4],most=5)",
    "paper_cutting",
    "paper_cutting(sheets=[4x7;2x2;6x4])",
    "paper_cutting(sheets=[5x9])",
    "shuttle",
    "shuttle(piles=[4;2],at=1,track=1)",
    "leap_and_take",
    "leap_and_take(strip=[OO.OO...OO.O],piles=[5;7],take=[2;5])",
    "leap_and_take(board=[.OO./O.O./..OO],piles=[2])",
    "node_kayles",
    "node_kayles(graph=grid,rows=3,columns=4)",
    "node_kayles(edges=[0-1;1-2;2-0;2-a;a-b.1;7],live=[0;1;2;a;7])",
    "arc_kayles(graph=cycle,vertices=7)",
    "arc_kayles(graph=grid,rows=2,columns=4,live=[0;1;2;3;5;6;7])",
    "arc_kayles(graph=complete,vertices=6)",
    "kayles_on_graph(vertices=6)",
    "kayles_on_graph(graph=cycle,vertices=6,live=[0;1;2;4;5])",
    "poset",
    "poset(relations=[1<2<3;4<5;1<5;6],live=[1;2;4;5;6])",
    "subset_takeaway",
    "subset_takeaway(size=4,live=[1;2;3;12;13;23;123;124])",
    "nimble",
    "nimble(coins=[0;0;2;5;5])",
    "silver_dollar",
    "silver_dollar(coins=[0;1;4;5;11])",
    "staircase_nim",
    "staircase_nim(steps=[0;3;1;0;2])",
    "turning_turtles",
    "turning_turtles(coins=[THHTTHTH])",
    "mock_turtles",
    "mock_turtles(coins=[HTTHTHTT])",
    "ruler",
    "ruler(coins=[TTHHTHTT])",
    "green_hackenbush",
    "green_hackenbush(edges=[0-1;0-1;1-2;1-2;2-2;0-0;0-0;a-2;a-b],ground=[a;0])",
    "vertex_geography",
    "vertex_geography(graph=grid,rows=3,columns=3,start=4)",
    "vertex_geography(edges=[a-b;b-c;c-a;c-d;d-e;e-b;7],start=d)",
    PileDependent.from_function(lambda heap: [k * k for k in range(1, heap + 1)], largest=12, piles=(6, 12)),
]
TESTS = [name for name in dir(RulesetConformance) if name.startswith("test_")]


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("ruleset", RULESETS, ids=str)
def test_conformance(ruleset, test):
    checked = type("Checked", (RulesetConformance,), {"ruleset": ruleset, "judged": 6})
    getattr(checked(), test)()


def test_the_suite_has_tests():
    assert len(TESTS) >= 10


def test_every_ruleset_of_sgai_is_covered_twice():
    own = {name for name in ruleset_names() if origin(name).module.startswith("sgai.")}
    covered = [load_ruleset(each).name for each in RULESETS]
    assert own == set(covered)
    assert {name for name in own if covered.count(name) < 2} == set()


def test_the_suite_finds_a_wrong_ruleset():
    broken = load_ruleset("nim(piles=[2;2])")

    class Shared(type(broken)):
        """Nim in which a move takes from all equal heaps: its heaps are no components."""

        name = "shared_nim"

        def moves(self, position):
            for heap in dict.fromkeys(position):
                rest = tuple(each for each in position if each != heap)
                for result in self.results(heap):
                    yield (heap, result), tuple(sorted(rest + result))

    with pytest.raises(AssertionError):
        check_ruleset(Shared(piles=(2, 2)))
