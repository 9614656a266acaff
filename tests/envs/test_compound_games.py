"""Compounds as OpenSpiel games: the conformance tests, who wins, and the action space."""

import pickle

import pyspiel
import pytest
from open_spiel.python.algorithms import minimax

from sgai.compounds.reference import reference_compound
from sgai.compounds.ruleset import CompoundRuleset
from sgai.envs.testing import check_game, random_states

GAMES = [
    "sgai_nim(piles=[3;4],compound=conjunctive,ending=first)",
    "sgai_kayles(piles=[4;3],compound=conjunctive,play=misere)",
    "sgai_grundys_game(piles=[5;6],compound=selective)",
    "sgai_sum(parts=[nim(piles~[2]);cram(rows~1,columns~3);kayles(piles~[2])],compound=selective,ending=first,play=misere)",
    "sgai_subtraction(piles=[5;6],take=[1;2],ending=first)",
    "sgai_nim(piles=[1;2;2],ending=first,play=misere)",
]


@pytest.mark.parametrize("text", GAMES)
def test_conformance(text):
    check_game(text, simulations=3)


@pytest.mark.parametrize("text", GAMES)
def test_openspiels_own_search_finds_the_outcome(text):
    game = pyspiel.load_game(text)
    ruleset = game.ruleset
    assert isinstance(ruleset, CompoundRuleset)
    for state in random_states(game, 8, seed=2):
        if state.is_terminal():
            continue
        expected = reference_compound(
            [part.ruleset for part in ruleset.parts], state.position, ruleset.compound, ruleset.ending, game.play
        )
        value, _ = minimax.alpha_beta_search(game, state, None, 30, state.current_player())
        assert (value > 0) == (expected[0] == "N")
        texts = {state.action_to_string(action) for action in state.legal_actions()}
        assert {ruleset.format_move(state.position, move) for move in expected[1]} <= texts


def test_the_action_space_keeps_the_places_of_components():
    game = pyspiel.load_game("sgai_nim(piles=[2;2],compound=selective)")
    # Moves of a heap of two: 1->0, 2->0, 2->1, or none; all pairs but none and none.
    assert game.num_distinct_actions() == 4 * 4 - 1
    state = game.new_initial_state()
    state.apply_action(state.string_to_action("2->0 & -"))
    assert str(state) == "[] & [2], player 1 to move"
    assert [state.action_to_string(each) for each in state.legal_actions()] == ["- & 2->0", "- & 2->1"]
    assert game.observation_tensor_shape() == [2 + 3 + 3]


def test_who_has_won_when_the_first_component_ends():
    for play, winner in (("normal", 0), ("misere", 1)):
        game = pyspiel.load_game(f"sgai_nim(piles=[1;5],compound=selective,ending=first,play={play})")
        state = game.new_initial_state()
        state.apply_action(state.string_to_action("1->0 & -"))
        assert state.is_terminal()
        assert state.returns()[winner] == 1.0


def test_games_come_back_from_pickles():
    game = pyspiel.load_game(GAMES[3])
    again = pickle.loads(pickle.dumps(game))
    assert again.ruleset == game.ruleset
    assert hash(again.ruleset) == hash(game.ruleset)
    assert pickle.loads(pickle.dumps(game.ruleset)) == game.ruleset
