"""Loopy games in OpenSpiel: play that ends at a horizon, in states that know how many plies are left."""

import copy
import pickle

import pyspiel
import pytest
from open_spiel.python.algorithms import minimax

import sgai
from sgai.agents import ExactBot, RandomBot
from sgai.envs import load_game

RING = "sgai_graph(edges=[a-b;b-a;a-x;b-x;x-y],cycles=true,start=a,horizon=4)"


def test_play_ends_at_the_horizon_as_a_draw():
    game = load_game(RING)
    assert (game.max_game_length(), game.horizon) == (4, 4)
    state = game.new_initial_state()
    assert str(state) == "a, player 0 to move, 4 plies left"
    go_round = {"a": "b", "b": "a"}
    while not state.is_terminal():
        state.apply_action(state.string_to_action(go_round[state.position]))
    assert (str(state), state.returns(), state.plies_left) == ("a, drawn", [0.0, 0.0], 0)
    assert state.legal_actions() == []


def test_the_last_ply_may_still_win():
    state = load_game("sgai_graph(edges=[x-y;y-x;y-z],cycles=true,start=y,horizon=1)").new_initial_state()
    state.apply_action(state.string_to_action("z"))
    assert (str(state), state.returns()) == ("z, player 0 has won", [1.0, -1.0])


def test_states_that_differ_in_the_plies_left_differ():
    game = load_game(RING)
    first, later = game.new_initial_state(), game.new_initial_state()
    for text in ("b", "a"):
        later.apply_action(later.string_to_action(text))
    assert (first.position, first.current_player()) == (later.position, later.current_player())
    assert str(first) != str(later)
    assert list(first.observation_tensor(0)) != list(later.observation_tensor(0))
    for twin in (later.clone(), copy.deepcopy(later), pickle.loads(pickle.dumps(later))):
        assert (str(twin), twin.plies_left) == (str(later), 2)
    game_again, state_again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, later))
    assert (str(game_again), str(state_again)) == (str(game), str(later))
    assert pickle.loads(pickle.dumps(game)).horizon == 4


def test_default_horizon_and_what_takes_none():
    assert load_game("sgai_sliding").max_game_length() == 100
    assert "horizon" not in str(load_game("sgai_sliding"))
    assert "horizon=7" in str(load_game("sgai_sliding(horizon=7)"))
    assert load_game("sgai_sliding(retreat=none)").max_game_length() == 2
    assert load_game("sgai_graph").horizon == 0
    assert load_game("sgai_sum(parts=[nim(piles~[1]);sliding],horizon=5)").max_game_length() == 5
    with pytest.raises(sgai.SgaiError, match="horizon"):
        load_game("sgai_kayles(horizon=5)")


@pytest.mark.parametrize("board", ["O..O/O.O", "O..O", "O..O/OO", "O.O/O.O", "O.O.", "O...O"])
def test_a_horizon_far_enough_away_changes_no_outcome(board):
    value, _ = minimax.alpha_beta_search(load_game(f"sgai_sliding(board=[{board}],horizon=7)"))
    assert {1.0: "N", -1.0: "P", 0.0: "D"}[value] == sgai.solve(f"sliding(board=[{board}])").outcome


def test_the_exact_bot_wins_or_draws():
    for board, result in (("O..O", 1.0), ("O..O/O.O", 0.0), ("O..O/O...O", 0.0)):
        game = load_game(f"sgai_sliding(board=[{board}],horizon=40)")
        for seed in range(3):
            returns = pyspiel.evaluate_bots(game.new_initial_state(), [ExactBot(game), RandomBot(game, seed)], seed)
            assert returns[0] >= result
        drawn = pyspiel.evaluate_bots(game.new_initial_state(), [ExactBot(game), ExactBot(game)], 1)
        assert drawn == [result, -result]
