"""The hybrid bot on games that sgai knows, on others of OpenSpiel, and on those that search does not fit."""

import random
import subprocess
import sys

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import evaluate_bots as python_runner
from open_spiel.python.algorithms import minimax

import sgai
from sgai.agents import AgentSpec, HybridBot, PlainAlphaBetaBot, PlainMCTSBot, RandomBot
from sgai.envs import bridge, classify

KNOWN = [
    "nim(pile_sizes=1;3;5;6)",
    "nim(pile_sizes=2;3;4,is_misere=false)",
    "sgai_nim(piles=[1;1],play=misere)",
    "sgai_kayles(piles=[2;5],play=misere)",
    "sgai_kayles(piles=[5;7])",
    "sgai_sum",
    "sgai_queen(rows=5,columns=5)",
]


@pytest.mark.parametrize("text", KNOWN)
def test_on_games_that_sgai_knows_it_is_the_hybrid_agent(text):
    game = pyspiel.load_game(text)
    assert sgai.solve(bridge(game).ruleset, play=bridge(game).play).outcome == "N"
    bot = HybridBot(game, nodes=5000)
    for seed in range(2):
        bots = [bot, RandomBot(game, seed)]
        assert pyspiel.evaluate_bots(game.new_initial_state(), bots, seed) == [1.0, -1.0]
        assert list(python_runner.evaluate_bots(game.new_initial_state(), bots, np.random)) == [1, -1]
    assert (bot.last_decision.status, bot.last_decision.outcome) == ("exact", "N")
    assert "exact" in bot.explain()


def play(game, bot, seat, seed):
    """Return the result of a game against random moves; chance and opponent are seeded."""
    chance = random.Random(seed)
    state = game.new_initial_state()
    bot.restart_at(state)
    while not state.is_terminal():
        if state.is_chance_node():
            action = chance.choice([action for action, _ in state.chance_outcomes()])
        elif state.current_player() == seat:
            action = bot.step(state)
            assert action in state.legal_actions()
        else:
            action = chance.choice(state.legal_actions())
            bot.inform_action(state, state.current_player(), action)
        state.apply_action(action)
    return state.player_return(seat)


@pytest.mark.parametrize(
    "text", ["tic_tac_toe", "python_tic_tac_toe", "connect_four", "breakthrough(rows=5,columns=4)"]
)
@pytest.mark.parametrize("general", ["mcts", "alpha_beta"])
def test_other_games_are_played_by_openspiels_search(text, general):
    import open_spiel.python.games  # noqa: F401 - registers python_tic_tac_toe

    game = pyspiel.load_game(text)
    bot = HybridBot(game, nodes=500, general=general)
    results = [play(game, bot, seat, seed) for seed in range(3) for seat in (0, 1)]
    assert sum(results) >= 4  # random play would come out near 0
    words = bot.explain()
    assert "no impartial game that sgai knows, so Grundy values do not apply" in words
    assert {"mcts": "OpenSpiel's MCTS", "alpha_beta": "OpenSpiel's alpha-beta"}[general] in words
    assert bot.last_decision.status in ("proved", "estimated")
    assert 1 <= bot.last_decision.states <= 500


def positions_of(game, count, moves, seed):
    chance = random.Random(seed)
    found = []
    while len(found) < count:
        state = game.new_initial_state()
        for _ in range(chance.randint(*moves)):
            if not state.is_terminal():
                state.apply_action(chance.choice(state.legal_actions()))
        if not state.is_terminal():
            found.append(state)
    return found


@pytest.mark.parametrize("general", ["mcts", "alpha_beta"])
def test_what_is_called_proved_is_true(general):
    game = pyspiel.load_game("tic_tac_toe")
    bot = HybridBot(game, nodes=300, general=general)
    seen = set()
    for state in positions_of(game, 60, (2, 7), 5):
        true, _ = minimax.alpha_beta_search(game, state=state, maximizing_player_id=state.current_player())
        action = bot.step(state)
        decision = bot.last_decision
        assert decision.position == str(state.child(action))
        if decision.status != "proved":
            assert decision.outcome is None
            continue
        seen.add(decision.outcome)
        assert decision.outcome == {1.0: "N", 0.0: "D", -1.0: "P"}[true]
        after = state.child(action)
        reached, _ = minimax.alpha_beta_search(game, state=after, maximizing_player_id=state.current_player())
        assert reached == true
    assert seen == {"N", "D", "P"}


def test_games_begun_in_the_middle_and_policies():
    game = pyspiel.load_game("tic_tac_toe")
    state = game.new_initial_state()
    for action in (0, 3, 1, 4):
        state.apply_action(action)
    bot = HybridBot(game, nodes=200)
    bot.restart_at(state)
    policy, action = bot.step_with_policy(state)
    assert action == 2  # it completes the row
    assert [each for each, _ in policy] == state.legal_actions()
    assert bot.provides_policy()
    assert pyspiel.evaluate_bots(state, [bot, RandomBot(game)], 1) == [1.0, -1.0]


def test_equal_budgets_and_seeds_give_equal_actions():
    game = pyspiel.load_game("connect_four")
    state = game.new_initial_state()
    assert len({HybridBot(game, simulations=100, seed=7).step(state) for _ in range(3)}) == 1


@pytest.mark.parametrize("general", ["mcts", "alpha_beta"])
def test_seconds_are_kept(general):
    game = pyspiel.load_game("connect_four")
    bot = HybridBot(game, seconds=0.05, general=general)
    spent = []
    for state in positions_of(game, 5, (0, 8), 2):
        bot.step(state)
        spent.append(bot.last_decision.seconds)
    assert sorted(spent)[2] < 0.2  # the median, on a machine that may be busy
    assert bot.last_decision.states > 10


@pytest.mark.parametrize(
    ("text", "reasons", "searched"),
    [
        ("kuhn_poker", ("chance moves", "do not see everything"), "information-set MCTS"),
        ("leduc_poker", ("chance moves", "do not see everything"), "information-set MCTS"),
        ("backgammon", ("chance moves", "expected values"), "MCTS"),
        ("catch", ("1 player, not 2",), "MCTS"),
        ("bargaining", ("do not sum to zero",), "information-set MCTS"),
        ("chinese_checkers(players=3)", ("3 players, not 2",), "MCTS"),
        ("goofspiel", ("do not move in turn", "equilibrium methods"), None),
        ("matrix_pd", ("do not move in turn", "do not sum to zero"), None),
        ("cliff_walking", ("rewards before its end",), None),
        ("dark_hex", ("do not see everything", "can sample what is hidden"), None),
        ("python_kuhn_poker", ("crashes on games written in Python",), None),
    ],
)
def test_what_search_does_not_fit_is_refused_with_the_reason_or_searched_as_asked(text, reasons, searched):
    import open_spiel.python.games  # noqa: F401

    game = pyspiel.load_game(text)
    with pytest.raises(sgai.SgaiError) as refused:
        HybridBot(game)
    assert all(each in str(refused.value) for each in reasons)
    assert classify(game).answer == "no"
    if searched is None:
        with pytest.raises(sgai.SgaiError, match=reasons[0]):
            HybridBot(game, unsuited="search")
        return
    assert "unsuited='search'" in str(refused.value)
    with pytest.raises(sgai.SgaiError, match="general='mcts'"):
        HybridBot(game, unsuited="search", general="alpha_beta")
    bot = HybridBot(game, unsuited="search", nodes=20)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    assert bot.step(state) in state.legal_actions()
    assert (bot.last_decision.status, bot.last_decision.outcome) == ("estimated", None)
    assert searched in bot.explain()
    assert "does not fit" in bot.explain()


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("tic_tac_toe", {"general": "refuse"}, "no impartial game that sgai knows"),
        ("tic_tac_toe", {"general": "minimax"}, "general='minimax' is unknown"),
        ("tic_tac_toe", {"unsuited": "play"}, "unsuited='play' is unknown"),
        ("tic_tac_toe", {"core": "mtcs"}, "did you mean 'mcts'"),
        ("tic_tac_toe", {"seconds": 0}, "seconds=0"),
        ("tic_tac_toe", {"seconds": -1.0}, "seconds=-1.0"),
        ("tic_tac_toe", {"nodes": 0}, "nodes=0"),
        ("tic_tac_toe", {"seconds": 1.0, "nodes": 5}, "one budget"),
        ("tic_tac_toe", {"simulations": 5, "nodes": 5}, "one budget"),
        ("tic_tac_toe", {"simulations": 5, "general": "alpha_beta"}, "those of MCTS"),
        ("nim", {"seconds": 0}, "seconds=0"),
        ("nim", {"simulations": 5, "core": "dfpn"}, "core='mcts'"),
    ],
)
def test_bad_options(text, options, words):
    with pytest.raises(sgai.SgaiError, match=words):
        HybridBot(pyspiel.load_game(text), **options)


def test_without_a_decision_there_is_nothing_to_explain():
    for text in ("nim", "tic_tac_toe"):
        bot = HybridBot(pyspiel.load_game(text), nodes=10)
        assert bot.last_decision is None
        with pytest.raises(sgai.SgaiError, match="no decision to explain"):
            bot.explain()
    with pytest.raises(sgai.SgaiError, match="not an OpenSpiel game"):
        HybridBot("nim")


def test_a_bot_for_another_game_refuses_to_move():
    for text in ("sgai_kayles", "tic_tac_toe"):
        bot = HybridBot(pyspiel.load_game(text), nodes=10)
        with pytest.raises(sgai.SgaiError, match="was made for"):
            bot.step(pyspiel.load_game("connect_four").new_initial_state())


def test_ended_games_are_an_error():
    game = pyspiel.load_game("tic_tac_toe")
    state = game.new_initial_state()
    for action in (0, 3, 1, 4, 2):
        state.apply_action(action)
    with pytest.raises(pyspiel.SpielError, match="the game is over"):
        HybridBot(game, nodes=10).step(state)


def test_the_plain_bots_play_whole_positions_under_normal_play():
    game = pyspiel.load_game("sgai_nim(piles=[1;2;4])")
    for bot in (PlainMCTSBot(game, nodes=3000, seed=1), PlainAlphaBetaBot(game, nodes=3000)):
        assert pyspiel.evaluate_bots(game.new_initial_state(), [bot, RandomBot(game)], 1) == [1.0, -1.0]
        assert bot.last_decision.components == ()
    for make in (PlainMCTSBot, PlainAlphaBetaBot):
        for misere in ("nim", "sgai_kayles(play=misere)"):
            with pytest.raises(sgai.SgaiError, match="normal play"):
                make(pyspiel.load_game(misere))
        with pytest.raises(sgai.SgaiError, match="no impartial game: each player moves only their own"):
            make(pyspiel.load_game("chess"))


def test_agent_texts_with_optional_numbers():
    for text in (
        "hybrid(seconds=0.1)",
        "hybrid(nodes=500,core=[mcts],prior=[off],strength=2.5,audit=true)",
        "plain_mcts(nodes=100,seed=3)",
        "plain_alpha_beta(seconds=0.1)",
        "mcts(seconds=0.1)",
    ):
        assert str(AgentSpec.parse(text)) == text
    for text, words in (("hybrid(nodes=many)", "nodes=many"), ("hybrid(second=1)", "did you mean 'seconds'")):
        with pytest.raises(sgai.SgaiError, match=words):
            AgentSpec.parse(text)


def test_native_searches_run_on_games_written_in_python_in_a_process_of_their_own():
    """A crash would show in the exit code."""
    program = """
import pyspiel, sgai.envs, open_spiel.python.games
from sgai.agents import HybridBot, MCTSBot
for text in ("python_tic_tac_toe", "sgai_kayles(piles=[4;5])"):
    game = pyspiel.load_game(text)
    for bot in (HybridBot(game, seconds=0.01), HybridBot(game, nodes=30), MCTSBot(game, seconds=0.01)):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(bot.step(state))
print("played")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "played\n"), done.stderr
