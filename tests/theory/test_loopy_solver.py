"""The solver on loopy rulesets: outcomes, winning and drawing moves against retrograde analysis; budgets; refusals."""

import random

import pytest

import sgai
from sgai import LoopError, SgaiError, Solver, UnsupportedError
from sgai.budget import Budget
from sgai.reference import reference_loopy, retrograde
from sgai.rulesets.graph import Graph
from sgai.rulesets.sums import Sum

RING = "graph(edges=[a-b;b-a;a-x;b-x;x-y],cycles=true,start=a)"


def random_graph(chance):
    count = chance.randint(2, 5)
    down, up = chance.choice([0.5, 0.8]), chance.choice([0.1, 0.3])
    successors = {v: [u for u in range(count) if chance.random() < (down if u < v else up)] for v in range(count)}
    return Graph.from_successors(successors, start=count - 1, cycles=True)


def whole_graph(ruleset):
    successors, waiting = {}, [ruleset.initial()]
    while waiting:
        position = waiting.pop()
        if position not in successors:
            successors[position] = ruleset.options(position)
            waiting.extend(successors[position])
    return successors


def random_sum(chance):
    parts = [random_graph(chance) for _ in range(chance.randint(1, 2))]
    extra = ["nim(piles=[1;2])", "kayles(piles=[4])", "sliding(board=[O.O],retreat=left)", "sliding(board=[O..O])"]
    return Sum(parts=(*parts, chance.choice(extra)))


def test_sums_by_retrograde_analysis():
    chance = random.Random(1)
    solver = Solver()
    kinds = set()
    for _ in range(40):
        ruleset = random_sum(chance)
        judged = retrograde(whole_graph(ruleset))
        for position in chance.sample(sorted(judged, key=repr), min(12, len(judged))):
            solution = solver.solve(ruleset, position)
            assert solution.exact
            assert solution.complete
            assert solution.outcome == judged[position], (ruleset, position)
            kinds.add(solution.outcome)
            moves = list(ruleset.moves(position))
            won = {move for move, option in moves if judged[option] == "P"}
            held = {move for move, option in moves if judged[option] == "D" and judged[position] == "D"}
            assert {each.move for each in solution.winning_moves} == won
            assert {each.move for each in solution.drawing_moves} == held
            for each in (*solution.winning_moves, *solution.drawing_moves):
                assert ruleset.apply(position, each.move) == each.position
    assert kinds == {"N", "P", "D"}


def test_values_are_those_of_the_reference():
    chance = random.Random(2)
    for _ in range(40):
        ruleset = random_graph(chance)
        value = Solver().solve(ruleset).loopy_value
        assert (value.finite, value.options) == reference_loopy(ruleset, ruleset.initial())


def test_rules_without_lifting_are_solved_move_by_move():
    class Unlifted(Sum):
        """A sum that says nothing of its moves."""

        name = "unlifted"
        lift_move = sgai.Ruleset.lift_move

    chance = random.Random(3)
    for _ in range(10):
        ruleset = random_sum(chance)
        other = Unlifted(parts=ruleset.parts)
        first, second = Solver().solve(ruleset), Solver().solve(other)
        assert (first.outcome, first.loopy_value) == (second.outcome, second.loopy_value)
        assert first.to_dict()["winning_moves"] == second.to_dict()["winning_moves"]
        assert first.to_dict()["drawing_moves"] == second.to_dict()["drawing_moves"]


def test_json_keys():
    answer = sgai.solve(RING).to_dict()
    assert (answer["outcome"], answer["grundy"], answer["loopy_value"]) == ("D", None, "inf(1)")
    assert answer["drawing_moves"] == [{"move": "b", "position": "b"}]
    assert answer["winning_moves"] == []
    assert answer["components"][0]["loopy_value"] == "inf(1)"
    finite = sgai.solve(RING, "x").to_dict()
    assert (finite["outcome"], finite["grundy"], finite["loopy_value"]) == ("N", 1, "1")
    loop_free = sgai.solve("nim").to_dict()
    assert (loop_free["loopy_value"], loop_free["drawing_moves"]) == (None, [])
    assert "loopy_value" not in loop_free["components"][0]


def test_a_graph_without_cycles_has_its_grundy_values():
    edges = "edges=[3-2;3-1;2-0;1-0;3-0]"
    plain, declared = sgai.solve(f"graph({edges})"), sgai.solve(f"graph({edges},cycles=true)")
    assert plain.grundy == declared.grundy == declared.loopy_value.finite
    assert [each.move for each in plain.winning_moves] == [each.move for each in declared.winning_moves]


def test_a_cycle_in_a_graph_that_declares_none_is_named():
    with pytest.raises(LoopError, match="a -> b -> a"):
        sgai.solve("graph(edges=[a-b;b-a],start=a)")
    assert "cycles" not in str(sgai.load_ruleset("graph(edges=[1-0],start=1)"))
    assert "cycles=true" in str(sgai.load_ruleset(RING))
    assert sgai.load_ruleset(RING).rules().loopy
    assert sgai.load_ruleset(f"sum(parts=[nim;{RING.replace('=', '~').replace(',', ';')}])").loopy


def test_budget():
    solver = Solver()
    long = sgai.load_ruleset("sliding(board=[O.............O])")
    few = solver.solve(long, states=20)
    assert (few.exact, few.outcome, few.grundy, few.loopy_value, few.states) == (False, None, None, None, 20)
    assert "reaches more positions" in few.proved[0]
    assert solver.solve(long, states=200).outcome == "N"
    assert solver.solve(long, states=1).states == 0  # it is known by now
    beside = Sum(parts=(sgai.load_ruleset(RING), sgai.load_ruleset("sliding(board=[O.......................O])")))
    assert solver.solve(beside, states=20).exact is False
    # Two infinities are a draw, whatever is beside them.
    three = Sum(parts=(sgai.load_ruleset(RING), *beside.parts))
    drawn = solver.solve(three, states=20)
    assert (drawn.exact, drawn.outcome, drawn.complete) == (True, "D", False)
    assert [part.loopy_value is None for part in drawn.components] == [False, False, True]
    assert str(drawn.loopy_value) == "inf()"
    assert solver.solve(sgai.load_ruleset("sliding(board=[O....................O])"), seconds=1e-9).exact is False


@pytest.mark.parametrize(
    ("ruleset", "convention", "words"),
    [
        (RING, {"play": "misere"}, ["declared loopy", "play='misere'"]),
        (RING, {"compound": "conjunctive"}, ["compound='conjunctive'"]),
        (RING, {"ending": "first"}, ["ending='first'"]),
        ("sliding(locked=false)", {"play": "misere"}, ["every position that play can reach has a move"]),
        ("graph(edges=[0-1;1-0],cycles=true,start=[0])", {"play": "misere"}, ["every position", "misere"]),
        (f"sum(parts=[nim;{RING.replace('=', '~').replace(',', ';')}])", {"play": "misere"}, ["declared loopy"]),
    ],
)
def test_other_conventions_are_refused(ruleset, convention, words):
    with pytest.raises(UnsupportedError) as caught:
        sgai.solve(ruleset, **convention)
    for word in words:
        assert word in str(caught.value)


def test_unknown_conventions_name_the_nearest():
    with pytest.raises(SgaiError, match="did you mean 'misere'"):
        sgai.solve(RING, play="misre")
    with pytest.raises(SgaiError, match="did you mean 'selective'"):
        sgai.solve(RING, compound="selectve")


def test_a_solver_counts_what_it_knows():
    solver = Solver()
    solver.solve(RING)
    assert len(solver) == 4
    again = solver.solve(RING)
    assert (again.states, again.hits > 0) == (0, True)


def test_loopy_positions_are_explored_in_canonical_form():
    solver = Solver()
    ruleset = sgai.load_ruleset("sliding(board=[O....O])")
    solution = solver.solve(ruleset)
    assert solution.states < len(ruleset.reachable().indices)
    assert Solver().loopy.value(ruleset, ruleset.initial(), Budget()) == solution.loopy_value
