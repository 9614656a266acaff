"""Agents as OpenSpiel policies: exploitability, every legal action, and spreading over all winning moves."""

import pickle

import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import exploitability, policy_utils

import sgai
from sgai.agents import AgentPolicy, ExactAgent, HybridAgent, RandomAgent
from sgai.envs import bridge

TINY = [
    "sgai_nim(piles=[1;2])",
    "sgai_nim(piles=[1;1;2],play=misere)",
    "nim(pile_sizes=1;2)",
    "nim(pile_sizes=1;1;2,is_misere=false)",
    "sgai_kayles(piles=[4])",
]


@pytest.mark.parametrize("text", TINY)
@pytest.mark.parametrize("spread", ["chosen", "optimal"])
def test_the_exact_policy_cannot_be_exploited(text, spread):
    game = pyspiel.load_game(text)
    assert exploitability.exploitability(game, AgentPolicy(game, spread=spread)) == pytest.approx(0.0)


def test_other_agents_policies():
    game = pyspiel.load_game("sgai_nim(piles=[1;2])")
    ruleset = bridge(game).ruleset
    hybrid = AgentPolicy(game, HybridAgent(ruleset, nodes=1000))
    assert exploitability.exploitability(game, hybrid) == pytest.approx(0.0)
    values = [exploitability.exploitability(game, AgentPolicy(game, RandomAgent(ruleset, seed))) for seed in range(8)]
    assert max(values) == pytest.approx(1.0)  # losing everything that could be won


@pytest.mark.parametrize("text", TINY)
def test_every_legal_action_is_listed(text):
    game = pyspiel.load_game(text)
    exact = AgentPolicy(game)
    table = policy_utils.policy_to_dict(exact, game)
    assert table
    for actions in table.values():
        chances = [chance for _, chance in actions]
        assert sorted(chances) == [0.0] * (len(chances) - 1) + [1.0]
    state = game.new_initial_state()
    assert list(exact.action_probabilities(state)) == state.legal_actions()
    assert exact(state) == exact.action_probabilities(state, 0)
    assert exact.sample_action(state) in state.legal_actions()
    assert exact.to_tabular().action_probabilities(state) == exact.action_probabilities(state)


def test_all_winning_moves_share_the_probability():
    # Nim-sum 3 ^ 3 ^ 3 = 3: any of the three equal piles may go; OpenSpiel has an action for each.
    game = pyspiel.load_game("nim(pile_sizes=3;3;3,is_misere=false)")
    state = game.new_initial_state()
    shared = AgentPolicy(game, spread="optimal").action_probabilities(state)
    assert {action: chance for action, chance in shared.items() if chance} == pytest.approx(
        {6: 1 / 3, 7: 1 / 3, 8: 1 / 3}
    )
    game = pyspiel.load_game("sgai_subtraction(take=[2;5],piles=[2;4;7])")
    state = game.new_initial_state()
    shared = AgentPolicy(game, spread="optimal").action_probabilities(state)
    names = {state.action_to_string(action): chance for action, chance in shared.items() if chance}
    assert names == pytest.approx({"2->0": 1 / 3, "4->2": 1 / 3, "7->2": 1 / 3})
    lost = AgentPolicy(pyspiel.load_game("sgai_nim(piles=[2;2])"), spread="optimal")
    assert sorted(lost(lost.game.new_initial_state()).values()) == [0.0, 1.0]  # the agent's own choice


def test_an_agent_that_decides_by_chance_is_asked_once_a_position():
    game = pyspiel.load_game("sgai_nim(piles=[9;9;9])")
    state = game.new_initial_state()
    made = AgentPolicy(game, RandomAgent(bridge(game).ruleset))
    assert len({max(made(state), key=made(state).get) for _ in range(5)}) == 1


@pytest.mark.parametrize("text", ["sgai_nim(piles=[1;2])", "nim(pile_sizes=1;2)"])
def test_policies_survive_pickling(text):
    game = pyspiel.load_game(text)
    made = AgentPolicy(game)
    state = game.new_initial_state()
    assert pickle.loads(pickle.dumps(made)).action_probabilities(state) == made.action_probabilities(state)


def test_bad_input():
    game = pyspiel.load_game("sgai_nim(piles=[1])")
    ruleset = bridge(game).ruleset
    with pytest.raises(sgai.SgaiError, match="spread='all' is unknown"):
        AgentPolicy(game, spread="all")
    with pytest.raises(sgai.SgaiError, match="use an ExactAgent"):
        AgentPolicy(game, RandomAgent(ruleset), spread="optimal")
    with pytest.raises(sgai.SgaiError, match="no impartial game"):
        AgentPolicy(pyspiel.load_game("tic_tac_toe"))
    state = game.new_initial_state()
    made = AgentPolicy(game, ExactAgent(ruleset))
    assert isinstance(made, policy.Policy)
    with pytest.raises(sgai.SgaiError, match="player 1 is not to move"):
        made.action_probabilities(state, 1)
    state.apply_action(state.legal_actions()[0])
    with pytest.raises(sgai.SgaiError, match="the game is over"):
        made.action_probabilities(state)
