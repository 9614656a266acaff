"""Bots in OpenSpiel's own runners: fresh games, games begun in the middle, policies, and the safe MCTS."""

import subprocess
import sys

import pyspiel
import pytest
from open_spiel.python.algorithms import evaluate_bots as python_runner

import sgai
from sgai.agents import AgentBot, AgentSpec, AlphaBetaBot, ExactBot, MCTSBot, RandomAgent, RandomBot
from sgai.envs import bridge

N_POSITIONS = [
    "nim(pile_sizes=1;3;5;6)",
    "nim(pile_sizes=2;3;4,is_misere=false)",
    "sgai_nim(piles=[1;1],play=misere)",
    "sgai_kayles(piles=[2;5],play=misere)",
    "sgai_kayles(piles=[5;7])",
    "sgai_grundys_game(piles=[7;8])",
    "sgai_subtraction(take=[2;5],piles=[2;4;7])",
    "sgai_sum",
    "sgai_queen(rows=5,columns=5)",
]


def opponents(game, seed):
    return [RandomBot(game, seed), MCTSBot(game, simulations=60, seed=seed), AlphaBetaBot(game, depth=2)]


@pytest.mark.parametrize("text", N_POSITIONS)
def test_the_exact_bot_wins_every_game_that_it_starts_from_an_n_position(text):
    game = pyspiel.load_game(text)
    assert sgai.solve(bridge(game).ruleset, play=bridge(game).play).outcome == "N"
    for seed in range(3):
        for opponent in opponents(game, seed):
            bots = [ExactBot(game), opponent]
            assert pyspiel.evaluate_bots(game.new_initial_state(), bots, seed) == [1.0, -1.0]
            assert list(python_runner.evaluate_bots(game.new_initial_state(), bots, __import__("numpy").random)) == [
                1,
                -1,
            ]


def test_games_begun_in_the_middle():
    game = pyspiel.load_game("sgai_nim(piles=[3;4;5])")
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])  # 3->2 leaves [2;4;5], whose nim-sum is 3
    bots = [RandomBot(game, 1), ExactBot(game)]
    assert pyspiel.evaluate_bots(state, bots, 1) == [-1.0, 1.0]
    for bot in bots:
        bot.restart_at(state)


def test_policies_list_every_legal_action():
    game = pyspiel.load_game("sgai_nim(piles=[3;4;5])")
    state = game.new_initial_state()
    for bot in (
        ExactBot(game),
        RandomBot(game),
        MCTSBot(game, simulations=10),
        AgentBot(game, RandomAgent(bridge(game).ruleset)),
    ):
        policy, action = bot.step_with_policy(state)
        assert [each for each, _ in policy] == state.legal_actions()
        assert sum(probability for _, probability in policy) == pytest.approx(1.0)
        assert action in state.legal_actions()
        assert bot.provides_policy()
        assert len(bot.get_policy(state)) == len(policy)


def test_the_bot_keeps_what_the_agent_said():
    game = pyspiel.load_game("nim(pile_sizes=2;3)")
    bot = ExactBot(game)
    bot.step(game.new_initial_state())
    assert bot.last_decision.status == "exact"
    assert [part.position for part in bot.last_decision.components] == [(2,), (3,)]


def test_terminal_states_are_an_error():
    game = pyspiel.load_game("sgai_nim(piles=[1])")
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    for bot in (ExactBot(game), RandomBot(game), MCTSBot(game), AlphaBetaBot(game)):
        with pytest.raises(pyspiel.SpielError, match="the game is over"):
            bot.step(state)


def test_a_bot_for_another_game_refuses_to_move():
    bot = ExactBot(pyspiel.load_game("sgai_kayles"))
    for other in ("sgai_nim", "nim", "sgai_kayles(piles=[3])"):
        with pytest.raises(sgai.SgaiError, match="was made for"):
            bot.step(pyspiel.load_game(other).new_initial_state())


def test_two_simulations_are_enough_for_a_move():
    game = pyspiel.load_game("sgai_nim(piles=[9;9])")
    state = game.new_initial_state()
    assert MCTSBot(game, simulations=2).step(state) in state.legal_actions()


def test_mcts_is_seeded_and_runs_on_python_games_in_a_process_of_its_own():
    """OpenSpiel's own step() kills the process there, so a crash would show in the exit code."""
    program = """
import pyspiel, sgai.envs
from sgai.agents import MCTSBot
for text in ("sgai_kayles(piles=[4;5])", "nim"):
    game = pyspiel.load_game(text)
    state = game.new_initial_state()
    actions = {MCTSBot(game, simulations=50, seed=3).step(state) for _ in range(3)}
    assert len(actions) == 1, actions
    bot = MCTSBot(game, simulations=50, seed=3)
    while not state.is_terminal():
        state.apply_action(bot.step(state))
print("played")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "played\n"), done.stderr


def test_alpha_beta_sees_a_win_within_its_depth():
    game = pyspiel.load_game("sgai_nim(piles=[1;2])")
    state = game.new_initial_state()
    state.apply_action(AlphaBetaBot(game, depth=4).step(state))
    assert str(state) == "[1;1], player 1 to move"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ExactBot(pyspiel.load_game("tic_tac_toe")), "no impartial game"),
        (lambda: RandomBot(pyspiel.load_game("kuhn_poker")), "chance moves"),
        (lambda: MCTSBot(pyspiel.load_game("matrix_pd")), "do not move in turn"),
        (lambda: MCTSBot(pyspiel.load_game("nim"), simulations=1), "simulations=1: it should be 2 or more"),
        (lambda: MCTSBot(pyspiel.load_game("nim"), simulations=10**12), "simulations=1000000000000"),
        (lambda: MCTSBot(pyspiel.load_game("nim"), uct_c=float("nan")), "uct_c=nan"),
        (lambda: MCTSBot(pyspiel.load_game("nim"), uct_c=float("inf")), "uct_c=inf"),
        (lambda: MCTSBot(pyspiel.load_game("nim"), rollouts=0), "rollouts=0"),
        (lambda: AlphaBetaBot(pyspiel.load_game("nim"), depth=0), "depth=0"),
        (lambda: RandomBot("nim"), "not an OpenSpiel game"),
    ],
)
def test_bots_refuse_what_they_cannot_play(make, words):
    with pytest.raises(sgai.SgaiError, match=words):
        make()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("exakt", "did you mean 'exact'"),
        ("mcts(sims=3)", "has no parameter 'sims'"),
        ("mcts(simulations=x)", "simulations=x"),
        ("exact(states=1.5)", "states=1.5"),
        ("", "does not start with a name"),
    ],
)
def test_bad_agent_texts(text, words):
    with pytest.raises(sgai.SgaiError, match=words):
        AgentSpec.parse(text)


def test_agent_texts_round_trip():
    for text in ("exact", "exact(states=1000,seconds=0.5)", "mcts(simulations=50,uct_c=1.4)", "random(seed=3)"):
        assert str(AgentSpec.parse(text)) == text
