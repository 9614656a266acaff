"""The exact agent in games that may go on for ever: it really wins what is won, and never loses a draw."""

import random

import pytest

import sgai
from sgai import NotSolvedError, SgaiError, Solver, UnsupportedError
from sgai.agents import ExactAgent, HybridAgent, RandomAgent
from sgai.budget import Budget
from sgai.loopy import loopy_sum
from sgai.rulesets.graph import Graph
from sgai.rulesets.sums import Sum

# Winning moves that go round: from a, both to itself by way of b and straight on.
DETOUR = "graph(edges=[a-p;p-u;u-p;u-q;q-w;w-p;w-r;w-end;r-v;v-end],cycles=true,start=a)"


def random_graph(chance, most=7):
    count = chance.randint(3, most)
    down, up = chance.choice([0.4, 0.7]), chance.choice([0.05, 0.1])
    successors = {v: [u for u in range(count) if chance.random() < (down if u < v else up)] for v in range(count)}
    return Graph.from_successors(successors, start=count - 1, cycles=True)


def random_sums(count, seed):
    """Yield sums of graphs with cycles and one more game; a third are lost, by a nim-heap that makes them so."""
    chance = random.Random(seed)
    while count:
        parts = [random_graph(chance) for _ in range(chance.randint(1, 2))]
        value = loopy_sum([Solver().solve(part).loopy_value for part in parts])
        extra = ["nim(piles=[1;2])", "kayles(piles=[4])", "sliding(board=[..O.O],retreat=left)"]
        if count % 3 == 0:
            if not value.finite:
                continue
            extra = [f"nim(piles=[{value.finite}])"]
        count -= 1
        yield Sum(parts=(*parts, chance.choice(extra)))


def delaying(agent, chance):
    """Return an opponent that loses as late as it can, where it has lost."""

    def move(ruleset, position):
        loopy = agent.solver.loopy

        def delay(option):
            found = loopy.judged_moves(ruleset, option, Budget(), "P")
            return min((each.potential for each in found), default=0)

        options = ruleset.options(position)
        lost = loopy.value(ruleset, position, Budget()).outcome == "P"
        return max(options, key=delay) if lost else chance.choice(options)

    return move


def randomly(chance):
    return lambda ruleset, position: chance.choice(ruleset.options(position))


def play(ruleset, agent, other, plies, agent_first=True):
    """Play, and return whether the agent made the last move, or None if play went on."""
    position = ruleset.initial()
    agents_turn = agent_first
    for _ in range(plies):
        if not ruleset.options(position):
            return not agents_turn
        position = agent.decide(position).position if agents_turn else other(ruleset, position)
        agents_turn = not agents_turn
    return None


def test_won_positions_are_won_and_draws_are_held():
    seen = {"N": 0, "P": 0, "D": 0}
    chance = random.Random(5)
    for ruleset in random_sums(24, seed=4):
        agent = ExactAgent(ruleset)
        if not ruleset.options(ruleset.initial()):
            continue
        outcome = agent.decide(ruleset.initial()).outcome
        seen[outcome] += 1
        itself = lambda rules, at, agent=agent: agent.decide(at).position  # noqa: E731
        opponents = [randomly(chance), delaying(agent, chance), itself]
        for i, opponent in enumerate(opponents):
            result = play(ruleset, agent, opponent, 30)
            if outcome == "N":
                assert result is True, (ruleset, i)
            elif outcome == "D":
                assert result is not False
                assert i != 2 or result is None
            elif i == 2:
                assert result is False
            # Moving second, a lost start is won.
            second = play(ruleset, agent, opponent, 30, agent_first=False)
            assert second is True if outcome == "P" else outcome != "D" or second is not False
    assert min(seen.values()) > 3


def test_every_round_brings_the_win_nearer():
    """The sum of levels falls from one winning move to the next, or a component without cycles was moved in."""
    rounds = 0
    for ruleset in random_sums(90, seed=9):
        agent = ExactAgent(ruleset)
        position = ruleset.initial()
        last = None
        while ruleset.options(position) and agent.decide(position).outcome == "N":
            position = agent.decide(position).position
            potential = sum(
                agent.solver.loopy.table.potential(part, at, Budget())
                for whole, where in zip(ruleset.parts, position, strict=True)
                for part, at, *_ in whole.components(where)
                if part.loopy
            )
            assert last is None or potential < last
            options = list(ruleset.moves(position))
            if not options:
                break
            move, position = max(options, key=lambda each: len(ruleset.options(each[1])))
            last = potential if ruleset.parts[move.part].loopy else None
            rounds += 1
    assert rounds > 30


def test_a_winning_move_that_only_goes_round_is_not_made():
    ruleset = sgai.load_ruleset(DETOUR)
    agent = ExactAgent(ruleset)
    assert agent.decide("u").outcome == "N"
    winning = {str(each.move) for each in agent.solver.solve(ruleset, "w").winning_moves}
    assert len(winning) > 1
    assert agent.decide("w").move == "end"
    assert play(ruleset, agent, delaying(agent, random.Random(1)), 20) is True


def test_outcomes_and_values_of_a_decision():
    agent = ExactAgent(sgai.load_ruleset("sliding(board=[O.O/O..O])"))
    decision = agent.decide(agent.ruleset.initial())
    assert (decision.outcome, decision.status) == ("D", "exact")
    assert [str(part.loopy_value) for part in decision.components] == ["1", "inf(0)"]
    with pytest.raises(SgaiError, match="the game is over"):
        agent.decide(agent.ruleset.parse("OO./.OO"))


def test_refusals():
    sliding = sgai.load_ruleset("sliding")
    with pytest.raises(UnsupportedError, match="misere"):
        ExactAgent(sliding, play="misere")
    with pytest.raises(UnsupportedError, match="the exact agent"):
        HybridAgent(sliding)
    with pytest.raises(NotSolvedError, match="not solved within"):
        ExactAgent(sgai.load_ruleset("sliding(board=[O............O])"), states=5).decide(
            sgai.load_ruleset("sliding(board=[O............O])").initial()
        )
    assert RandomAgent(sliding, seed=1).decide(sliding.initial()).position in sliding.options(sliding.initial())
