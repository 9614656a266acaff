"""The exact agent: it wins what can be won, makes losing hard for the opponent, and refuses what it cannot prove."""

import functools
import random
import time

import pytest

import sgai
from sgai.agents import ExactAgent, RandomAgent
from sgai.reference import reference_outcome
from sgai.testing import random_positions

RULESETS = [
    "nim(piles=[2;3;5])",
    "kayles(piles=[6;7])",
    "grundys_game(piles=[8;9])",
    "lasker(piles=[3;4])",
    "subtraction(take=[1;4],piles=[7;9])",
    "0.{1,2,3}{2+}!",
    "queen(rows=6,columns=7)",
    "graph",
    "interval_splitting(end=8,gap=1,shortest=0)",
    "sum(parts=[nim(piles~[2]);nim(piles~[2]);king(rows~3;columns~3);kayles(piles~[4])])",
]


@pytest.mark.parametrize("text", RULESETS)
def test_moves_to_a_lost_position_whenever_there_is_one(text):
    ruleset = sgai.load_ruleset(text)
    agent = ExactAgent(ruleset)
    for position in random_positions(ruleset, 40, seed=1):
        if not ruleset.options(position):
            continue
        decision = agent.decide(position)
        assert decision.status == "exact"
        assert ruleset.apply(position, decision.move) == decision.position
        grundy = {option: sgai.solve(ruleset, option).grundy for option in ruleset.options(position)}
        assert (decision.outcome == "N") == any(value == 0 for value in grundy.values())
        if decision.outcome == "N":
            assert grundy[decision.position] == 0


def replies_that_win(ruleset, position):
    return sum(sgai.solve(ruleset, option).outcome == "P" for _, option in ruleset.moves(position))


@pytest.mark.parametrize("text", ["kayles(piles=[5;5])", "nim(piles=[2;3;1])", "lasker(piles=[3;3])", "0.137"])
def test_in_a_lost_position_leaves_the_fewest_winning_replies_then_the_longest_play(text):
    ruleset = sgai.load_ruleset(text)
    checked = 0
    for position in random_positions(ruleset, 60, seed=2):
        if sgai.solve(ruleset, position).outcome == "N" or not ruleset.options(position):
            continue
        decision = ExactAgent(ruleset).decide(position)
        fewest = min(replies_that_win(ruleset, option) for option in ruleset.options(position))
        assert replies_that_win(ruleset, decision.position) == fewest
        equal = [each for each in ruleset.options(position) if replies_that_win(ruleset, each) == fewest]
        assert longest_play(ruleset, decision.position) == max(longest_play(ruleset, each) for each in equal)
        checked += 1
    assert checked


@functools.cache
def longest_play(ruleset, position):
    return max((1 + longest_play(ruleset, option) for option in ruleset.options(position)), default=0)


def test_among_winning_moves_leaves_least_to_play():
    ruleset = sgai.load_ruleset("subtraction(take=[1;3;5])")  # g(n) = n mod 2: every odd size wins from an odd heap
    assert str(ExactAgent(ruleset).decide((7,)).move) == "7->2"


def random_games(ruleset, play, games, seed):
    """Play the exact agent against random, from both sides; yield whether it won and whether it ever stood to win."""
    exact, chance = ExactAgent(ruleset, play=play), RandomAgent(ruleset, seed)
    for number in range(games):
        position, turn, stood_to_win = ruleset.initial(), number % 2, False
        while ruleset.options(position):
            if turn == 0:
                decision = exact.decide(position)
                stood_to_win = stood_to_win or decision.outcome == "N"
            else:
                decision = chance.decide(position)
            position, turn = decision.position, 1 - turn
        no_move_loses = play == "normal"
        yield (turn == 1) == no_move_loses, stood_to_win


@pytest.mark.parametrize(
    ("text", "play"),
    [
        ("nim(piles=[3;5;6])", "normal"),
        ("nim(piles=[1;2;3])", "misere"),
        ("kayles(piles=[8;8])", "normal"),
        ("grundys_game(piles=[9;9])", "normal"),
    ],
)
def test_never_loses_a_game_it_stood_to_win(text, play):
    results = list(random_games(sgai.load_ruleset(text), play, games=100, seed=5))
    assert all(won for won, stood_to_win in results if stood_to_win)
    assert sum(stood_to_win for _, stood_to_win in results) > 60


def test_misere_nim_is_perfect_on_every_small_position():
    ruleset = sgai.load_ruleset("nim")
    agent = ExactAgent(ruleset, play="misere")
    for a in range(4):
        for b in range(a, 4):
            for c in range(max(b, 1), 5):
                position = ruleset.validate((a, b, c))
                decision = agent.decide(position)
                outcome = reference_outcome(ruleset, position, "misere")
                assert decision.outcome == outcome
                if outcome == "N":
                    assert reference_outcome(ruleset, decision.position, "misere") == "P"


@pytest.mark.parametrize(
    "text", ["kayles(piles=[2;5])", "sum", "bash(piles=[3;4])", "queen(rows=3,columns=4)", "cram(rows=2,columns=3)"]
)
def test_misere_is_perfect_in_wild_and_tame_games(text):
    ruleset = sgai.load_ruleset(text)
    agent = ExactAgent(ruleset, play="misere")
    won = {}

    def is_won(position):
        if position not in won:
            options = [is_won(option) for option in ruleset.options(position)]
            won[position] = not options or not all(options)
        return won[position]

    is_won(ruleset.initial())
    for position in list(won)[:150]:
        if ruleset.options(position):
            decision = agent.decide(position)
            assert decision.outcome == ("N" if won[position] else "P")
            assert decision.position in ruleset.options(position)
            assert not won[position] or not won[decision.position]


def test_a_sum_of_nims_is_nim_under_misere_play_too():
    ruleset = sgai.load_ruleset("sum(parts=[nim(piles~[1]);nim(piles~[1])])")
    decision = ExactAgent(ruleset, play="misere").decide(ruleset.initial())
    assert decision.outcome == "N"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"play": "mizere"}, "did you mean 'misere'"),
        ({"compound": "conjunctiv"}, "did you mean 'conjunctive'"),
        ({"ending": "frist"}, "did you mean 'first'"),
        ({"states": 0}, "states=0"),
        ({"seconds": -1.0}, "seconds=-1.0"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises(sgai.SgaiError, match=words):
        ExactAgent(sgai.load_ruleset("nim"), **options)


def test_positions_without_moves_and_no_positions():
    for agent in (ExactAgent(sgai.load_ruleset("nim")), RandomAgent(sgai.load_ruleset("nim"))):
        with pytest.raises(sgai.SgaiError, match="the game is over"):
            agent.decide(())
        with pytest.raises(sgai.SgaiError, match="-3"):
            agent.decide((-3,))
    with pytest.raises(sgai.SgaiError, match="the game is over"):
        ExactAgent(sgai.load_ruleset("nim"), play="misere").decide(())


def test_a_position_past_the_budget_is_an_error_not_a_guess():
    ruleset = sgai.load_ruleset("king(rows=60,columns=60)")
    agent = ExactAgent(ruleset, states=500)
    with pytest.raises(sgai.NotSolvedError, match="not solved within 500 states"):
        agent.decide(ruleset.initial())
    # What was found is kept, so asking again gets there in the end.
    for _ in range(20):
        try:
            assert agent.decide(ruleset.initial()).outcome == "N"
            return
        except sgai.NotSolvedError:
            continue
    raise AssertionError("finished states were lost")


def test_a_thousand_piles_cost_time_linear_in_the_piles():
    """No clock is trusted here: the number of values looked at is."""
    ruleset = sgai.load_ruleset("nim")
    chance = random.Random(7)
    piles = [chance.randint(1, 10_000) for _ in range(999)]
    for last in (0, 1):  # a lost position, then a won one
        nim_sum = sgai.nim_sum(piles)
        position = ruleset.validate([*piles, nim_sum ^ last])
        started = time.process_time()
        decision = ExactAgent(ruleset).decide(position)
        assert decision.outcome == "PN"[last]
        assert time.process_time() - started < 2.0  # two hundred times what it takes
        if last:
            assert sgai.nim_sum(decision.position) == 0


def test_random_agent_is_seeded_and_uniform():
    ruleset = sgai.load_ruleset("nim(piles=[4])")
    again = [[str(RandomAgent(ruleset, seed).decide((4,)).move) for seed in range(400)] for _ in range(2)]
    assert again[0] == again[1]
    counts = [again[0].count(move) for move in ("4->3", "4->2", "4->1", "4->0")]
    assert sum(counts) == 400
    assert min(counts) > 60
