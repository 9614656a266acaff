"""The XOR prior in OpenSpiel's Python MCTS: values, priors, and winning moves with two simulations."""

import pickle

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import mcts

import sgai
from sgai.agents import XorPriorEvaluator
from sgai.envs import bridge


def all_states(game):
    """Return one state for each position and player that can be reached and are not at the end."""
    waiting, found = [game.new_initial_state()], {}
    while waiting:
        state = waiting.pop()
        if not state.is_terminal() and str(state) not in found:
            found[str(state)] = state
            waiting.extend(state.child(action) for action in state.legal_actions())
    return list(found.values())


def winning_actions(game, solver, state):
    """Return the actions to lost positions, and whether the position itself is won."""
    found = bridge(game)

    def outcome(position):
        return solver.solve(found.ruleset, position, play=found.play).outcome

    won = [each for each in state.legal_actions() if outcome(found.position(state.child(each))) == "P"]
    assert bool(won) == (outcome(found.position(state)) == "N")
    return won


EXACT = [
    "nim(pile_sizes=1;2;3)",
    "nim(pile_sizes=2;3;3,is_misere=false)",
    "sgai_nim(piles=[1;2;2],play=misere)",
    "sgai_kayles(piles=[4;5])",
    "sgai_sum(parts=[nim(piles~[2]);queen(rows~3;columns~3)])",
    "sgai_cram(rows=2,columns=4)",
]


@pytest.mark.parametrize("text", EXACT)
def test_exact_where_everything_is_solved(text):
    game = pyspiel.load_game(text)
    evaluator, solver = XorPriorEvaluator(game), sgai.Solver()
    for state in all_states(game):
        won = winning_actions(game, solver, state)
        mover = state.current_player()
        value = evaluator.evaluate(state)
        assert list(value) == ([1.0, -1.0] if bool(won) == (mover == 0) else [-1.0, 1.0])
        prior = dict(evaluator.prior(state))
        assert list(prior) == state.legal_actions()
        sharing = won or state.legal_actions()
        assert prior == pytest.approx({each: (each in sharing) / len(sharing) for each in prior})


def test_puct_finds_a_winning_move_with_two_simulations_in_all_of_nim_1357():
    game = pyspiel.load_game("nim(pile_sizes=1;3;5;7,is_misere=false)")
    solver = sgai.Solver()
    bot = mcts.MCTSBot(
        game,
        1.0,
        2,
        XorPriorEvaluator(game),
        solve=True,
        random_state=np.random.RandomState(1),
        child_selection_fn=mcts.SearchNode.puct_value,
    )
    tried = 0
    for state in all_states(game):
        if state.current_player() == 0:  # the same positions come with both players
            won = winning_actions(game, solver, state)
            if won:
                tried += 1
                assert bot.step(state) in won, str(state)
    assert tried > 250


def test_what_is_not_solved_is_believed():
    game = pyspiel.load_game("sgai_cram(rows=5,columns=5)")
    state = game.new_initial_state()
    evaluator = XorPriorEvaluator(game, states=0)
    value = evaluator.evaluate(state)
    assert -1 < value[0] < 1
    assert value[1] == -value[0]
    chances = [chance for _, chance in evaluator.prior(state)]
    assert sum(chances) == pytest.approx(1.0)
    assert min(chances) > 0


def test_a_component_beyond_the_budget_is_tried_once(monkeypatch):
    game = pyspiel.load_game("sgai_queen(rows=40,columns=40)")
    evaluator = XorPriorEvaluator(game, states=20)
    tried = []
    monkeypatch.setattr(
        type(evaluator._solver.table), "value_if_small", lambda _, ruleset, position, budget: tried.append(position)
    )
    state = game.new_initial_state()
    for _ in range(2):
        evaluator.evaluate(state)
    assert tried == [bridge(game).position(state)]


def test_the_end_is_worth_what_the_game_says():
    game = pyspiel.load_game("sgai_nim(piles=[1])")
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    assert list(XorPriorEvaluator(game).evaluate(state)) == state.returns() == [1.0, -1.0]


def test_evaluators_survive_pickling():
    for text in ("sgai_kayles(piles=[5;7])", "nim"):
        game = pyspiel.load_game(text)
        evaluator, state = XorPriorEvaluator(game), game.new_initial_state()
        assert pickle.loads(pickle.dumps(evaluator)).prior(state) == evaluator.prior(state)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("sgai_kayles(play=misere)", {}, "misere"),
        ("tic_tac_toe", {}, "no impartial game"),
        ("nim", {"states": -1}, "states='-1'"),
        ("nim", {"states": 1.5}, "states='1.5'"),
        ("nim", {"trust": 2}, "trust=2"),
    ],
)
def test_bad_input(text, options, words):
    with pytest.raises(sgai.SgaiError, match=words):
        XorPriorEvaluator(pyspiel.load_game(text), **options)


def test_an_empty_solver_that_is_given_is_used():
    game, solver = pyspiel.load_game("sgai_kayles(piles=[5;7])"), sgai.Solver()
    XorPriorEvaluator(game, solver=solver).evaluate(game.new_initial_state())
    assert len(solver) > 0
