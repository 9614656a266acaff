"""Every registered game at two sizes: OpenSpiel's conformance tests, golden playthroughs, and ours."""

import unittest
from pathlib import Path

import pyspiel
import pytest
from open_spiel.integration_tests import api_test
from open_spiel.python import games as openspiel_games  # noqa: F401 - registers python_tic_tac_toe
from open_spiel.python.algorithms import generate_playthrough

import sgai
from sgai.envs.testing import check_game, check_illegal_actions_change_nothing, check_text_names_the_player

PLAYTHROUGHS = Path(__file__).parent.parent / "data" / "playthroughs"

SIZES = {
    "arc_kayles": ["sgai_arc_kayles", "sgai_arc_kayles(graph=grid,rows=2,columns=3)"],
    "bash": ["sgai_bash", "sgai_bash(piles=[1;2;2;20],most=5)"],
    "chomp": ["sgai_chomp", "sgai_chomp(cells=[..../...#])"],
    "cram": ["sgai_cram", "sgai_cram(rows=3,columns=3,cells=[.../.#./...])"],
    "dawsons_chess": ["sgai_dawsons_chess", "sgai_dawsons_chess(piles=[1;4])"],
    "dawsons_kayles": ["sgai_dawsons_kayles", "sgai_dawsons_kayles(piles=[5])"],
    "euclid": ["sgai_euclid", "sgai_euclid(piles=[4;6])"],
    "fibonacci_nim": ["sgai_fibonacci_nim", "sgai_fibonacci_nim(piles=[2;6],limit=1)"],
    "graph": [
        "sgai_graph",
        "sgai_graph(edges=[a-b;b-c;a-c;c-d.1],start=a)",
        "sgai_graph(edges=[a-b;b-a;b-c;c-c;c-d],cycles=true,start=a,horizon=6)",
    ],
    "green_hackenbush": ["sgai_green_hackenbush", "sgai_green_hackenbush(edges=[0-1;1-2;1-2;2-2;a-b],ground=[0;a])"],
    "grundys_game": ["sgai_grundys_game", "sgai_grundys_game(piles=[3])"],
    "half_take": ["sgai_half_take", "sgai_half_take(piles=[2])"],
    "interval_splitting": ["sgai_interval_splitting", "sgai_interval_splitting(start=-2,end=5,gap=1,shortest=0)"],
    "kayles": ["sgai_kayles", "sgai_kayles(piles=[3])"],
    "kayles_on_graph": ["sgai_kayles_on_graph", "sgai_kayles_on_graph(edges=[0-1;1-2;2-0;5])"],
    "king": ["sgai_king", "sgai_king(rows=3,columns=5,at=[2;2])"],
    "knight": ["sgai_knight", "sgai_knight(rows=4,columns=4)"],
    "lasker": ["sgai_lasker", "sgai_lasker(piles=[1])"],
    "leap_and_take": ["sgai_leap_and_take", "sgai_leap_and_take(board=[OO./.O./...],piles=[3],take=[1;3])"],
    "mock_turtles": ["sgai_mock_turtles", "sgai_mock_turtles(coins=[HTHTH])"],
    "moores_nim": ["sgai_moores_nim", "sgai_moores_nim(piles=[1;1;3;2],most=3)"],
    "nim": ["sgai_nim", "sgai_nim(piles=[1],play=misere)"],
    "nimble": ["sgai_nimble", "sgai_nimble(coins=[0;2;2;6])"],
    "node_kayles": ["sgai_node_kayles", "sgai_node_kayles(graph=cycle,vertices=6)"],
    "paper_cutting": ["sgai_paper_cutting", "sgai_paper_cutting(sheets=[2x5;4x6])"],
    "pile_dependent": ["sgai_pile_dependent", "sgai_pile_dependent(piles=[2;2],sets=[[1];[2]])"],
    "polyominoes": ["sgai_polyominoes", "sgai_polyominoes(rows=2,columns=4,pieces=[##;#.#],turns=false)"],
    "poset": ["sgai_poset", "sgai_poset(relations=[a<b<c;a<d;e],live=[a;b;d;e])"],
    "powers_of_two": ["sgai_powers_of_two", "sgai_powers_of_two(piles=[9])"],
    "queen": ["sgai_queen", "sgai_queen(rows=3,columns=3)"],
    "rectangle_take": ["sgai_rectangle_take", "sgai_rectangle_take(rows=2,columns=2)"],
    "rook": ["sgai_rook", "sgai_rook(rows=1,columns=9)"],
    "ruler": ["sgai_ruler", "sgai_ruler(coins=[THHTTH])"],
    "shuttle": ["sgai_shuttle", "sgai_shuttle(piles=[2;5],at=1,track=3)"],
    "silver_dollar": ["sgai_silver_dollar", "sgai_silver_dollar(coins=[0;3;4;8])"],
    "staircase_nim": ["sgai_staircase_nim", "sgai_staircase_nim(steps=[0;2;1])"],
    "sliding": ["sgai_sliding", "sgai_sliding(board=[O.O./.O.O],locked=false,retreat=left,horizon=7)"],
    "subset_takeaway": ["sgai_subset_takeaway", "sgai_subset_takeaway(size=2)"],
    "subtraction": ["sgai_subtraction(take=[2;5],piles=[2;4;7])", "sgai_subtraction(take=[3],piles=[7])"],
    "sum": [
        "sgai_sum",
        "sgai_sum(parts=[subtraction(piles~[7];take~[2;5]);rook(at~[1;1]);nim(piles~[2]);nim(piles~[2])])",
    ],
    "tac_tix": ["sgai_tac_tix", "sgai_tac_tix(rows=2,columns=2)"],
    "take_and_break": ["sgai_take_and_break", "sgai_take_and_break(code=[0.{1;2;3}!{2+}],piles=[9])"],
    "treblecross": ["sgai_treblecross", "sgai_treblecross(rows=3,columns=3)"],
    "treblecross_row": ["sgai_treblecross_row", "sgai_treblecross_row(piles=[3;5])"],
    "turning_turtles": ["sgai_turning_turtles", "sgai_turning_turtles(coins=[THTHH])"],
    "vertex_geography": ["sgai_vertex_geography", "sgai_vertex_geography(edges=[a-b;b-c;c-a;c-d.1],start=c)"],
    "wythoff": ["sgai_wythoff", "sgai_wythoff(piles=[3;5])"],
}
GAMES = [text for texts in SIZES.values() for text in texts]


def own_game_names():
    return {name.removeprefix("sgai_") for name in pyspiel.registered_names() if name.startswith("sgai_")}


def test_every_ruleset_of_the_package_is_tested_and_registered():
    own = {name for name in sgai.ruleset_names() if sgai.registry.origin(name).module.startswith("sgai.")}
    assert own == set(SIZES)
    assert own <= own_game_names()


@pytest.mark.parametrize("text", GAMES)
def test_conforms(text):
    check_game(text)


@pytest.mark.parametrize("text", GAMES)
def test_openspiel_api(text):
    game = pyspiel.load_game(text)

    class Api(api_test.EnforceAPIOnPartialTreeBase):
        pass

    Api.game = game
    Api.game_name = game.get_type().short_name
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Api).run(result)
    assert result.testsRun > 3
    assert not result.failures + result.errors


@pytest.mark.parametrize("name", sorted(SIZES))
def test_golden_playthrough(name):
    """Actions, texts, observations and results of one play stay what they were."""
    expected, actual = generate_playthrough.replay(str(PLAYTHROUGHS / f"{name}.txt"))
    assert actual.strip().splitlines() == expected.strip().splitlines()


def test_the_conformance_suite_finds_what_is_wrong():
    """OpenSpiel's own Python tic-tac-toe neither names the player in its text nor refuses illegal actions."""
    state = pyspiel.load_game("python_tic_tac_toe").new_initial_state()
    with pytest.raises(AssertionError):
        check_text_names_the_player(state)
    state.apply_action(0)
    with pytest.raises((AssertionError, IndexError)):
        check_illegal_actions_change_nothing(state)
