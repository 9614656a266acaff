"""Agents on compounds: they win what can be won, say how, and refuse what they cannot prove."""

import pyspiel
import pytest

import sgai
import sgai.envs
from sgai.agents import AgentPolicy, ExactAgent, ExactBot, HybridAgent, HybridBot, RandomBot, XorPriorEvaluator
from sgai.agents.players import PlayerSpec
from sgai.compounds.reference import reference_compound
from sgai.compounds.ruleset import in_compound

CONVENTIONS = [
    (compound, ending, play)
    for compound, ending in (
        ("conjunctive", "first"),
        ("conjunctive", "last"),
        ("selective", "first"),
        ("selective", "last"),
        ("disjunctive", "first"),
    )
    for play in ("normal", "misere")
]
SUM = "sum(parts=[subtraction(piles~[3;4];take~[1;3]);kayles(piles~[3])])"


@pytest.fixture(scope="module")
def kept():
    return {"solver": sgai.Solver()}


@pytest.mark.parametrize("convention", CONVENTIONS, ids="-".join)
@pytest.mark.parametrize("kind", [ExactAgent, HybridAgent])
def test_agents_play_every_position_perfectly(kind, convention, kept):
    compound, ending, play = convention
    more = {"nodes": 10_000} if kind is HybridAgent else {}
    agent = kind(sgai.load_ruleset(SUM), compound=compound, ending=ending, play=play, **more, **kept)
    game = agent.ruleset
    rules = [part.ruleset for part in game.parts]
    seen, waiting = set(), [game.initial()]
    while waiting and len(seen) < 25:
        position = waiting.pop(0)
        if position in seen or game.is_over(position):
            continue
        seen.add(position)
        waiting.extend(game.options(position)[:4])
        outcome, winning = reference_compound(rules, position, compound, ending, play)
        decision = agent.decide(position)
        assert (decision.status, decision.outcome) == ("exact", outcome)
        assert game.apply(position, decision.move) == decision.position
        assert outcome == "P" or decision.move in winning
    assert seen


def test_the_hybrid_agent_says_which_theory_decides():
    agent = HybridAgent(sgai.load_ruleset("nim(piles=[2;3])"), compound="conjunctive", ending="first", nodes=1000)
    agent.decide(agent.ruleset.initial())
    assert agent.explain().splitlines() == [
        "A conjunctive compound of 2 components, ending with the first component, under normal play:",
        "  nim [2]: remoteness 1",
        "  nim [3]: remoteness 1",
        "The least remoteness decides: P where it is even. The player to move wins.",
        "The move 2->0 & 3->0 wins (exact).",
    ]


def test_what_is_not_proved_is_an_estimate_or_refused():
    kayles = sgai.load_ruleset("kayles(piles=[14;15])")
    estimate = HybridAgent(kayles, compound="conjunctive", nodes=20)
    decision = estimate.decide(estimate.ruleset.initial())
    assert decision.status == "estimated"
    assert decision.move in {move for move, _ in estimate.ruleset.moves(estimate.ruleset.initial())}
    assert estimate.explain()
    many = HybridAgent(sgai.load_ruleset("kayles(piles=[30;31;32])"), compound="conjunctive", nodes=20)
    assert many.decide(many.ruleset.initial()).status == "estimated"
    assert "too many moves to be searched" in many.explain()
    for agent in (
        HybridAgent(kayles, compound="conjunctive", play="misere", nodes=20),
        ExactAgent(kayles, compound="conjunctive", states=20),
    ):
        with pytest.raises(sgai.NotSolvedError, match="give the agent a larger budget"):
            agent.decide(agent.ruleset.initial())


def test_a_won_game_is_not_made_long_nor_a_lost_one_short():
    agent = ExactAgent(sgai.load_ruleset("nim(piles=[5;6])"), compound="selective")
    assert agent.decide(agent.ruleset.initial()).position == ((), ())
    # Lost: from 3 and 3 of "take 1 or 2", the reply to every move is one; the longest play is left.
    lost = ExactAgent(sgai.load_ruleset("subtraction(take=[1;2],piles=[3;3])"), compound="selective")
    decision = lost.decide(lost.ruleset.initial())
    assert decision.outcome == "P"
    assert decision.position in {((2,), (3,)), ((3,), (2,))}


def test_play_that_has_ended_and_positions_of_the_whole():
    for kind in (ExactAgent, HybridAgent):
        agent = kind(sgai.load_ruleset("nim(piles=[2;3])"), compound="conjunctive", ending="first")
        with pytest.raises(sgai.SgaiError, match="the game is over"):
            agent.decide(((), (3,)))
        with pytest.raises(sgai.SgaiError, match="2 positions, one for every component"):
            agent.decide((2, 3, 4))


def test_refusals():
    for kind in (ExactAgent, HybridAgent):
        with pytest.raises(sgai.UnsupportedError, match="left out"):
            kind(sgai.load_ruleset("treblecross"), compound="selective")
        with pytest.raises(sgai.SgaiError, match="did you mean 'selective'"):
            kind(sgai.load_ruleset("nim"), compound="selectiv")


@pytest.mark.parametrize(
    "text",
    [
        "sgai_kayles(piles=[4;5],compound=conjunctive,ending=last,play=misere)",
        "sgai_nim(piles=[2;3],compound=selective,ending=first)",
    ],
)
def test_bots_take_the_compound_from_the_game(text):
    game = pyspiel.load_game(text)
    solution = sgai.Solver().solve(game.ruleset, play=game.play)
    for bot in (ExactBot(game), HybridBot(game, nodes=10_000)):
        for seed in range(5):
            bots = [bot, RandomBot(game, seed)] if solution.outcome == "N" else [RandomBot(game, seed), bot]
            returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
            assert returns == ([1.0, -1.0] if solution.outcome == "N" else [-1.0, 1.0])


def test_policies_and_evaluators_take_the_compound_or_refuse():
    game = pyspiel.load_game("sgai_kayles(piles=[4;5],compound=conjunctive,play=misere)")
    state = game.new_initial_state()
    outcome, winning = reference_compound([sgai.load_ruleset("kayles")] * 2, state.position, *CONVENTIONS[3])
    assert outcome == "N"
    policy = AgentPolicy(game).action_probabilities(state)
    moves = {game.ruleset.move_from_index(action) for action, chance in policy.items() if chance}
    assert moves
    assert moves <= winning
    with pytest.raises(sgai.UnsupportedError, match="compound"):
        XorPriorEvaluator(game).prior(state)
    normal = pyspiel.load_game("sgai_kayles(piles=[4;5],compound=conjunctive)")
    prior = XorPriorEvaluator(normal).prior(normal.new_initial_state())
    _, winning = reference_compound([sgai.load_ruleset("kayles")] * 2, state.position, *CONVENTIONS[2])
    assert {normal.ruleset.move_from_index(action) for action, chance in prior if chance} == winning


def test_players_by_name_take_the_compound():
    nim = sgai.load_ruleset("nim(piles=[2;3])")
    convention = {"play": None, "compound": "selective", "ending": "first"}
    game = in_compound(nim, "selective", "first")
    for text in (
        "exact",
        "hybrid(nodes=1000)",
        "random",
        "plain_mcts(nodes=200)",
        "plain_alpha_beta(nodes=9999)",
    ):
        agent = PlayerSpec.parse(text).make_for(nim, convention, seed=1)
        assert agent.ruleset == game
        decision = agent.decide(game.initial())
        assert decision.position in set(game.options(game.initial()))
        if text != "random":
            assert sgai.Solver().solve(game, decision.position).outcome == "P"
