"""Impartial games of OpenSpiel that sgai has no rules of, as rulesets: solved, played, declared, refused."""

import pickle
from pathlib import Path

import pyspiel
import pytest
from open_spiel.python.algorithms import minimax_solver

import sgai
import sgai.testing
from sgai.agents import AgentPolicy, ExactBot, HybridBot, PlainAlphaBetaBot, RandomBot
from sgai.envs import OpenSpielRuleset, as_ruleset, bridge
from sgai.envs.openspiel_ruleset import OVER
from sgai.reference import reference_grundy, reference_outcome


@pytest.fixture(scope="module")
def users():
    """Games of a user's, registered with OpenSpiel without sgai."""
    return sgai.load_plugin(str(Path(__file__).parent.parent / "data" / "users_openspiel_games.py"))


def board_of(state):
    return state.board


def test_kayles_of_a_user_has_the_values_of_kayles(users):
    # Kayles 1 to 11: 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6 (Winning Ways, chapter 4); rows of fewer pins are not proved.
    for size, value in ((5, 4), (6, 3), (7, 2), (8, 1)):
        ruleset = as_ruleset(pyspiel.load_game(f"users_kayles(size={size})"))
        assert isinstance(ruleset, OpenSpielRuleset)
        assert sgai.solve(ruleset).grundy == value == sgai.solve("kayles", (size,)).grundy
    assert sgai.Solver().solve(ruleset).states <= 2**8


def test_every_position_agrees_with_the_reference_and_with_openspiel(users):
    game = pyspiel.load_game("users_kayles(size=6)")
    ruleset, found = as_ruleset(game), bridge(game)
    assert found.ruleset == ruleset
    assert found.play == "normal"
    rows, waiting = sgai.load_ruleset("kayles"), [game.new_initial_state()]
    solver, minimax, seen = sgai.Solver(), minimax_solver.MinimaxSolver("users_kayles(size=6)"), set()
    minimax.solve()
    while waiting:
        state = waiting.pop()
        if str(state) in seen:
            continue
        seen.add(str(state))
        position = found.position(state)
        pins = tuple(sorted(len(row) for row in state.board.split(".") if row))
        if state.is_terminal():
            assert position == OVER
            assert list(ruleset.moves(position)) == []
            continue
        solution = solver.solve(ruleset, position)
        assert solution.grundy == sgai.solve(rows, pins).grundy == reference_grundy(ruleset, position)
        value = max(minimax.values_from_state(state))  # those of the actions, for the player to move
        assert solution.outcome == ("N" if value > 0 else "P")
        for move, option in ruleset.moves(position):
            action = found.action(state, move)
            assert action in state.legal_actions()
            assert found.position(state.child(action)) == option
        waiting.extend(state.child(action) for action in state.legal_actions())
    assert len(seen) > 60
    # The player is not in a position: there are fewer of them than states.
    assert len(solver) < len(seen)


def test_the_ruleset_conforms(users):
    sgai.testing.check_ruleset(as_ruleset(pyspiel.load_game("users_kayles(size=4)"), declared_impartial=True))
    sgai.testing.check_ruleset(as_ruleset(pyspiel.load_game("misere(game=nim(pile_sizes=1;2;2))")))


@pytest.mark.parametrize("make", [ExactBot, lambda game: HybridBot(game, nodes=2000), PlainAlphaBetaBot])
def test_bots_win_from_either_seat(users, make):
    game = pyspiel.load_game("users_kayles(size=7)")
    bot = make(game)
    assert pyspiel.evaluate_bots(game.new_initial_state(), [bot, RandomBot(game, seed=1)], 1)[0] == 1
    state = game.new_initial_state()
    state.apply_action(0)  # six pins in a row: value 3
    bot.restart_at(state)
    assert pyspiel.evaluate_bots(state, [RandomBot(game, seed=2), bot], 1)[1] == 1
    assert bot.last_decision.status in ("exact", "proved")


def test_policies(users):
    game = pyspiel.load_game("users_pile(size=7)")
    state = game.new_initial_state()
    assert AgentPolicy(game).action_probabilities(state) == {1: 1.0, 2: 0.0}
    assert AgentPolicy(game, spread="optimal").action_probabilities(state) == {1: 1.0, 2: 0.0}


def test_openspiels_nim_by_its_own_code(users):
    for text, play, outcome in (
        ("misere(game=nim(pile_sizes=1;2;3))", "normal", "P"),
        ("misere(game=nim(pile_sizes=1;1;3))", "normal", "N"),
        ("start_at(history=0;1,game=nim(pile_sizes=1;3;3;1,is_misere=false))", "normal", "P"),
    ):
        game = pyspiel.load_game(text)
        ruleset = as_ruleset(game)
        assert ruleset.default_play() == play
        assert sgai.solve(ruleset).outcome == outcome == reference_outcome(ruleset, ruleset.initial(), play)
    assert ruleset.format(ruleset.initial()) == "0 2 3 1"


def test_misere_games_are_found_out_and_not_solved_by_the_wrong_rule(users):
    game = pyspiel.load_game("users_kayles(size=6,misere=true)")
    ruleset = as_ruleset(game)
    assert ruleset.default_play() == ruleset.play == "misere"
    outcome = reference_outcome(ruleset, ruleset.initial(), "misere")
    assert sgai.solve(ruleset).outcome == outcome
    for bot in (ExactBot(game), HybridBot(game, seconds=0.5)):
        state = game.new_initial_state()
        state.apply_action(bot.step(state))
        position = ruleset.position(state)
        assert (reference_outcome(ruleset, position, "misere") == "P") == (outcome == "N")


def test_declared_games(users):
    game = pyspiel.load_game("users_fibonacci_nim(size=7)")
    with pytest.raises(sgai.UnsupportedError, match="does not show the whole position"):
        as_ruleset(game)
    # It does not repeat enough for a proof, so that the user's word is needed.
    with pytest.raises(sgai.UnsupportedError, match="declared_impartial=True"):
        as_ruleset(game, position=board_of)
    ruleset = as_ruleset(game, position=board_of, declared_impartial=True)
    assert ruleset.initial() == (7, 6)
    assert sgai.solve(ruleset).outcome == "N"
    # One pile is lost exactly at Fibonacci numbers (M. J. Whinihan, 1963).
    for size in range(2, 15):
        game = pyspiel.load_game(f"users_fibonacci_nim(size={size})")
        ruleset = as_ruleset(game, position=board_of, declared_impartial=True)
        assert (sgai.solve(ruleset).outcome == "P") == (size in (2, 3, 5, 8, 13))
    bot = ExactBot(game, ruleset=ruleset)
    assert pyspiel.evaluate_bots(game.new_initial_state(), [bot, RandomBot(game)], 1)[0] == 1
    bot = HybridBot(game, nodes=1000, ruleset=ruleset)
    assert pyspiel.evaluate_bots(game.new_initial_state(), [bot, RandomBot(game)], 1)[0] == 1
    with pytest.raises(sgai.SgaiError, match="was made of"):
        ExactBot(pyspiel.load_game("users_pile"), ruleset=ruleset)


def test_what_cannot_be_told_from_the_player_needs_a_position(users):
    game = pyspiel.load_game("users_silent_dominoes")
    with pytest.raises(sgai.UnsupportedError, match="give position=, a function from a state"):
        as_ruleset(game, declared_impartial=True)
    ruleset = as_ruleset(game, declared_impartial=True, position=str)
    # Dominoes on a row of 7: Dawson's Kayles, 0, 0, 1, 1, 2, 0, 3, 1 for 0 to 7 cells (recomputed by its ruleset).
    assert sgai.solve(ruleset).grundy == sgai.solve("dawsons_kayles", (7,)).grundy == 1


def test_declared_wrongly_is_an_error_where_it_shows(users):
    for name, words in (
        ("users_drawn_pile", "draw"),
        ("users_pile_won_by_player_0", "who moves last can win, and can lose"),
        ("dots_and_boxes", "twice in a row"),
    ):
        with pytest.raises(sgai.UnsupportedError, match=words):
            as_ruleset(pyspiel.load_game(name), position=str, declared_impartial=True)
    # What random plays may miss is an error where the solver comes to it.
    for name, size, words in (
        ("users_drawn_pile", 4, "neither wins"),
        ("users_pile_won_by_player_0", 4, "who moves last loses"),
    ):
        ruleset = OpenSpielRuleset.of(pyspiel.load_game(f"{name}(size={size})"), "normal")
        with pytest.raises(sgai.UnsupportedError, match=words):
            sgai.solve(ruleset)
    with pytest.raises(sgai.UnsupportedError, match="other player should be to move"):
        sgai.solve(OpenSpielRuleset.of(pyspiel.load_game("dots_and_boxes"), "normal", str))
    with pytest.raises(sgai.UnsupportedError, match="chance moves"):
        as_ruleset(pyspiel.load_game("kuhn_poker"), declared_impartial=True)
    with pytest.raises(sgai.LoopError):
        sgai.solve(as_ruleset(pyspiel.load_game("users_circle"), declared_impartial=True))


@pytest.mark.parametrize("text", ["users_partisan_pile", "users_drawn_pile", "clobber", "kuhn_poker"])
def test_other_games_are_refused_with_the_reason(users, text):
    game = pyspiel.load_game(text)
    with pytest.raises(sgai.UnsupportedError, match="is no impartial game: "):
        as_ruleset(game)
    if text != "kuhn_poker":
        bot = HybridBot(game, nodes=20)
        assert bot.step(game.new_initial_state()) in game.new_initial_state().legal_actions()
        assert "no impartial game that sgai knows" in bot.explain()


def test_text_pickles_and_bad_positions(users):
    game = pyspiel.load_game("users_kayles(size=5)")
    ruleset = as_ruleset(game)
    copy = pickle.loads(pickle.dumps(ruleset))
    assert copy == ruleset
    assert sgai.solve(copy).grundy == 4
    for position in (*ruleset.reachable().indices, OVER):
        assert copy.parse(ruleset.format(position)) == position
    assert ruleset.format(ruleset.initial()) == "|||||"
    for text in ("||||||", "", "nim"):
        with pytest.raises(sgai.SgaiError, match="no position that play"):
            ruleset.parse(text)
    with pytest.raises(sgai.SgaiError, match="no position that play"):
        sgai.solve(ruleset, "||||||")
    assert as_ruleset(game, position=board_of) != ruleset
    state = game.new_initial_state()
    state.apply_action(2)
    before = (str(state), state.history())
    assert ruleset.format(ruleset.position(state)) == "||.||"
    assert (str(state), state.history()) == before
