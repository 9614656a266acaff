"""OpenSpiel's own C++ nim, read as a ruleset."""

import pyspiel
import pytest
from open_spiel.python.algorithms import minimax

import sgai
from sgai.envs import as_ruleset, bridge
from sgai.reference import reference_outcome
from sgai.rulesets.sums import Sum


@pytest.mark.parametrize("misere", [True, False])
def test_positions_actions_and_outcomes_agree(misere):
    game = pyspiel.load_game("nim", {"pile_sizes": "3;1;2", "is_misere": misere})
    ruleset, found = as_ruleset(game), bridge(game)
    assert found.play == ruleset.default_play() == ("misere" if misere else "normal")
    assert ruleset.initial() == (1, 2, 3)
    waiting, seen = [game.new_initial_state()], set()
    while waiting:
        state = waiting.pop()
        if str(state) in seen:
            continue
        seen.add(str(state))
        position = found.position(state)
        if state.is_terminal():
            assert position == ()
            continue
        wins = minimax.alpha_beta_search(game, state=state, maximizing_player_id=state.current_player())[0]
        outcome = sgai.solve(ruleset, position).outcome
        assert outcome == ("N" if wins > 0 else "P") == reference_outcome(ruleset, position, found.play)
        made = {found.position(state.child(action)) for action in state.legal_actions()}
        assert made == set(ruleset.options(position))
        for move, option in ruleset.moves(position):
            action = found.action(state, move)
            assert action in state.legal_actions()
            assert found.position(state.child(action)) == option
        waiting.extend(state.child(action) for action in state.legal_actions())
    assert len(seen) > 30


def test_the_default_game_is_misere():
    ruleset = as_ruleset(pyspiel.load_game("nim"))
    assert str(ruleset) == "nim(piles=[1;3;5;7])"
    assert sgai.solve(ruleset).play == "misere"
    assert sgai.solve(ruleset, play="normal").play == "normal"
    with pytest.raises(sgai.SgaiError, match="misere"):
        Sum(parts=[ruleset])


def test_values_are_shared_with_plain_nim():
    assert as_ruleset(pyspiel.load_game("nim")).rules() == sgai.load_ruleset("nim").rules()
