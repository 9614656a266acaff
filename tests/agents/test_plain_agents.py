"""The agents that search and know no theory: what they prove is true, and they use no theory for it."""

import random
import time

import pytest

import sgai
from sgai.agents.plain import AlphaBetaAgent, MCTSAgent
from sgai.cores.heap_mcts import HeapMCTS
from sgai.cores.python_mcts import PythonMCTS
from sgai.cores.removal_mcts import RemovalMCTS
from sgai.reference import reference_outcome
from sgai.testing import random_positions

AGENTS = [MCTSAgent, AlphaBetaAgent]
RULESETS = [
    "nim(piles=[1;2;3])",
    "kayles(piles=[4;5])",
    "cram(rows=3,columns=4)",
    "node_kayles(graph=cycle,vertices=7)",
    "shuttle(piles=[2;3])",
    "queen(rows=4,columns=4)",
    "sum(parts=[nim(piles~[2]);cram(rows~2,columns~3)])",
]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("text", RULESETS)
@pytest.mark.parametrize("nodes", [1, 20, 3000])
def test_what_is_proved_is_true(agent, text, nodes):
    ruleset = sgai.load_ruleset(text)
    deciding, solver = agent(ruleset, nodes=nodes), sgai.Solver()
    for position in random_positions(ruleset, 10, seed=1):
        if not ruleset.options(position):
            continue
        decision = deciding.decide(position)
        assert ruleset.apply(position, decision.move) == decision.position
        outcome = solver.solve(ruleset, position).outcome
        assert decision.outcome in (None, outcome)
        if decision.status == "proved":
            assert outcome == "P" or solver.solve(ruleset, decision.position).outcome == "P"
        assert decision.components == ()
        assert decision.states <= nodes


@pytest.mark.parametrize("agent", AGENTS)
def test_small_games_are_proved(agent):
    ruleset = sgai.load_ruleset("cram(rows=2,columns=4)")
    decision = agent(ruleset, nodes=20_000).decide(ruleset.initial() & ~1)
    assert decision.status == "proved"
    assert decision.outcome == reference_outcome(ruleset, ruleset.initial() & ~1)


@pytest.mark.parametrize("agent", AGENTS)
def test_symmetry_is_theory(agent):
    # By symmetry it is lost at once, which these may not see.
    ruleset = sgai.load_ruleset("cram(rows=8,columns=8)")
    decision = agent(ruleset, nodes=300).decide(ruleset.initial())
    assert (decision.status, decision.outcome) == ("estimated", None)


@pytest.mark.parametrize(
    ("text", "core"), [("cram", RemovalMCTS), ("nim", HeapMCTS), ("kayles", HeapMCTS), ("shuttle", PythonMCTS)]
)
def test_compiled_cores_are_used_where_there_are_some(text, core):
    assert type(MCTSAgent(sgai.load_ruleset(text), nodes=5)._core) is core


@pytest.mark.parametrize("text", ["nim(piles=[9;9;9;9])", "cram(rows=7,columns=7)", "shuttle(piles=[20;30])"])
def test_equal_decisions_after_a_reset(text):
    ruleset = sgai.load_ruleset(text)

    def game(agent):
        position, found = ruleset.initial(), []
        for _ in range(3):
            decision = agent.decide(position)
            found.append((decision.move, decision.status, decision.states))
            position = decision.position
        return found

    agent = MCTSAgent(ruleset, nodes=200, seed=2)
    first = game(agent)
    agent.reset()
    assert game(agent) == first
    assert game(MCTSAgent(ruleset, nodes=200, seed=2)) == first


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("text", ["cram(rows=8,columns=8)", "nim(piles=[20;30;40;50])"])
def test_seconds(agent, text, own_clock):
    ruleset = sgai.load_ruleset(text)
    deciding, chance, took = agent(ruleset, seconds=0.02), random.Random(1), []
    for _ in range(8):
        position = chance.choice(ruleset.options(ruleset.initial()))
        began = time.perf_counter()
        deciding.decide(position)
        took.append(time.perf_counter() - began)
    assert min(took) < 0.04


@pytest.mark.parametrize("agent", AGENTS)
def test_bad_input(agent):
    nim = sgai.load_ruleset("nim")
    for value in (0, -1):
        with pytest.raises(sgai.SgaiError, match="a budget is"):
            agent(nim, nodes=value)
        with pytest.raises(sgai.SgaiError, match="a budget is"):
            agent(nim, seconds=value)
    with pytest.raises(sgai.SgaiError, match="one budget"):
        agent(nim, seconds=1, nodes=5)
    deciding = agent(nim, nodes=5)
    with pytest.raises(sgai.SgaiError, match="the game is over"):
        deciding.decide(())
    with pytest.raises(sgai.SgaiError, match="'cram' is not a list of heaps"):
        deciding.decide("cram")
