"""Paper cutting: the reduced game against the real one, and tables of values against the definition."""

import functools
import itertools
import json
import time

import pyspiel
import pytest

import sgai
import sgai.envs
from sgai.agents import ExactAgent, HybridAgent
from sgai.budget import Budget, OutOfBudget
from sgai.errors import SgaiError, UnsupportedError
from sgai.experiments.cli.main import main
from sgai.reference import TooManyCalls, reference_grundy
from sgai.rulesets.paper_cutting import PaperCutting, SheetCut, check_sheets
from sgai.sheet_values import SheetValues
from sgai.solver import Solver

# The real game: whoever first cuts off a 1x1 has won. Strips are sheets here, and every cut along the grid is allowed.


def real_options(position):
    """Return the sheets after every cut; where a 1x1 lies on the table the game is over."""
    if (1, 1) in position:
        return
    for i, sheet in enumerate(position):
        rest = position[:i] + position[i + 1 :]
        for side, beside in {sheet, sheet[::-1]}:
            for at in range(1, side // 2 + 1):
                parts = [tuple(sorted((at, beside))), tuple(sorted((side - at, beside)))]
                yield tuple(sorted((*rest, *parts)))


@functools.cache
def real_is_won(position):
    return any(not real_is_won(option) for option in real_options(position))


@functools.cache
def real_value(position):
    values = {real_value(option) for option in real_options(position)}
    return next(n for n in range(len(values) + 1) if n not in values)


def outcome(position):
    return sgai.solve(PaperCutting(), position).outcome


def test_a_strip_is_won_at_once():
    for length in range(2, 9):
        assert real_is_won(((1, length),))
        assert any((1, 1) in option for option in real_options(((1, length),)))


def test_one_sheet_has_the_outcome_of_the_real_game():
    solver = Solver()
    for sides in itertools.combinations_with_replacement(range(2, 8), 2):
        assert (solver.solve(PaperCutting(), (sides,)).outcome == "N") == real_is_won((sides,)), sides
    for longer in range(8, 15):
        assert (outcome(((2, longer),)) == "N") == real_is_won(((2, longer),)), longer


def test_several_sheets_have_the_outcome_of_the_real_game():
    small = [(2, 2), (2, 3), (2, 4), (2, 5), (3, 3), (3, 4), (2, 6), (4, 4)]
    pairs = list(itertools.combinations_with_replacement(small, 2))
    triples = list(itertools.combinations_with_replacement(small[:6], 3))
    won = 0
    for sheets in [*pairs, *triples, ((4, 5), (4, 5)), ((3, 6), (2, 7)), ((4, 5), (2, 4)), ((5, 5), (3, 4))]:
        position = check_sheets(sheets)
        assert (outcome(position) == "N") == real_is_won(position), position
        won += real_is_won(position)
    assert 10 < won < len(pairs) + len(triples)


def test_winning_cuts_are_those_of_the_real_game():
    for sheets in [((4, 5),), ((4, 4),), ((5, 6),), ((2, 4), (2, 6)), ((4, 4), (2, 7)), ((3, 5), (4, 4))]:
        position = check_sheets(sheets)
        found = {each.position for each in sgai.solve(PaperCutting(), position).winning_moves}
        assert found == {option for option in real_options(position) if not real_is_won(option)}


def test_the_values_are_not_those_of_the_real_game():
    assert sgai.solve("paper_cutting(sheets=[4x4])").grundy == 1
    assert real_value(((4, 4),)) == 2


def test_sheets_of_the_poj_problem():
    """POJ 2311, Cutting Game: 2 x 2 and 3 x 2 are lost, 4 x 2 is won."""
    assert [outcome(((2, longer),)) for longer in (2, 3, 4)] == ["P", "P", "N"]


def test_values_agree_with_the_reference():
    game, solver = PaperCutting(), Solver()
    for sides in itertools.combinations_with_replacement(range(2, 9), 2):
        try:
            value = reference_grundy(game, (sides,), 5_000)
        except TooManyCalls:
            continue
        assert solver.grundy(game, (sides,)) == value, sides


def table_by_definition(longest):
    """Values by the recurrence, in plain Python."""
    values: dict[tuple[int, int], int] = {}
    for a, b in sorted(itertools.product(range(2, longest + 1), repeat=2), key=sum):
        found = {values[x, b] ^ values[a - x, b] for x in range(2, a - 1)}
        found |= {values[a, y] ^ values[a, b - y] for y in range(2, b - 1)}
        values[a, b] = next(n for n in range(len(found) + 1) if n not in found)
    return values


def test_the_table_agrees_with_the_recurrence_however_it_grows():
    expected = table_by_definition(40)
    values = SheetValues()
    for sheet in [(4, 9), (2, 30), (12, 12), (3, 3), (7, 40), (40, 40), (20, 33)]:
        assert values.value((sheet,), Budget()) == expected[sheet]
        for known in itertools.combinations_with_replacement(range(2, 41), 2):
            assert values.known((known,)) in (None, expected[known])
    assert all(values.known((sheet,)) == expected[sheet] for sheet in expected if sheet[0] <= sheet[1])
    assert len(values) == 39 * 40 // 2


def test_all_sheets_to_200_in_time():
    started = time.perf_counter()
    solver, game = Solver(), PaperCutting()
    solver.grundy(game, ((200, 200),))
    for sheet in itertools.combinations_with_replacement(range(2, 201), 2):
        assert solver.table.known(game, (sheet,)) is not None
    assert time.perf_counter() - started < 5
    assert len(solver) == 199 * 200 // 2


def test_a_budget_that_ends_leaves_what_was_found():
    solver, game = Solver(), PaperCutting()
    assert solver.solve(game, ((30, 40),), states=100).grundy is None
    assert len(solver) == 100
    for _ in range(12):
        solution = solver.solve(game, ((30, 40),), states=100)
    assert solution.grundy == Solver().grundy(game, ((30, 40),))
    with pytest.raises(OutOfBudget):
        Solver().grundy(game, ((10**9, 10**9),))
    assert sgai.solve(game, ((10**9, 10**9),)).outcome is None


def test_a_subclass_with_other_rules_has_values_of_its_own():
    class Halving(PaperCutting):
        def moves(self, position):
            return (each for each in super().moves(position) if each[0].side == 2 * each[0].at)

    game, solver = Halving(), Solver()
    solver.grundy(PaperCutting(), ((8, 9),))
    assert solver.grundy(game, ((4, 9),)) == reference_grundy(game, ((4, 9),)) == 1
    assert solver.grundy(game, ((2, 9),)) == 0


def test_agents_cut_well():
    game = PaperCutting(sheets=((50, 64), (41, 96)))
    for agent in (ExactAgent(game), HybridAgent(game, nodes=20_000)):
        decision = agent.decide(game.initial())
        assert (decision.status, decision.outcome) == ("exact", "N")
        assert sgai.solve(game, decision.position).outcome == "P"


@pytest.mark.parametrize("given", [{"play": "misere"}, {"compound": "selective"}, {"ending": "first"}])
def test_other_conventions_are_refused_with_the_reason(given):
    why = "first cuts off a 1x1"
    for game in ("paper_cutting", "sum(parts=[nim(piles=[2]);paper_cutting])"):
        with pytest.raises(UnsupportedError, match=why):
            sgai.solve(game, **given)
        for agent in (ExactAgent, lambda ruleset, **given: HybridAgent(ruleset, nodes=9, **given)):
            with pytest.raises(UnsupportedError, match=why):
                agent(sgai.load_ruleset(game), **given)
    with pytest.raises(UnsupportedError, match=why):
        list(Solver().winning_moves(PaperCutting(), ((4, 4),), play="misere"))
    text = ",".join(f"{key}={value}" for key, value in given.items())
    with pytest.raises(pyspiel.SpielError, match=why):
        pyspiel.load_game(f"sgai_paper_cutting({text})")


def test_the_command_line(capsys):
    assert main(["solve", "paper_cutting(sheets=[4x5;3x3])", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["position"], answer["outcome"]) == ("[3x3;4x5]", "N")
    assert answer["components"][0]["grundy"] == 0
    assert all(move["move"].startswith("4x5->") for move in answer["winning_moves"])
    assert main(["solve", "paper_cutting", "--play", "misere"]) == 2
    assert "first cuts off a 1x1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [("[1x4]", "1x4"), ("[3x0]", "0x3"), ("[3]", "'3'"), ("[3x4x5]", "3x4x5"), ("[axb]", "axb"), ("[-2x3]", "-2x3")],
)
def test_bad_sheets_are_quoted(text, said):
    with pytest.raises(SgaiError, match=said):
        sgai.load_ruleset(f"paper_cutting(sheets={text})")
    with pytest.raises(SgaiError, match=said):
        PaperCutting().parse(text)


def test_bad_positions():
    for position in (3, [(2, 3, 4)], [(2,)], ["ab"], [(1, 2)], [(2.0, 3)], None):
        with pytest.raises(SgaiError):
            PaperCutting().validate(position)
    assert PaperCutting().validate([(5, 3), [2, 2]]) == ((2, 2), (3, 5))


@pytest.mark.parametrize("longest", [2, 3, 4, 5, 6, 9])
def test_the_alphabet_has_no_gaps(longest):
    game = PaperCutting(sheets=((2, longest),))
    moves = [game.move_from_index(index) for index in range(game.num_moves())]
    assert [game.move_index(move) for move in moves] == list(range(len(moves)))
    assert set(moves) == {
        SheetCut(side, beside, at)
        for side in range(2, longest + 1)
        for beside in range(2, longest + 1)
        for at in range(2, side // 2 + 1)
    }


def test_drawings(capsys):
    game = PaperCutting(sheets=((2, 3), (2, 3), (50, 60)))
    assert game.draw_text(game.initial()) == "2x3 (2 times)\n. . .\n. . .\n\n50x60"
    assert game.draw_svg(game.initial()).count("<rect") == 4
    assert main(["show", "paper_cutting"]) == 0
    assert "3x4" in capsys.readouterr().out
