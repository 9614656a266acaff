"""The conformance suite of games: OpenSpiel's own tests, and what those miss.

Call `check_game` with the text of a game, one of sgai's or one made from a ruleset of yours.
"""

import copy
import pickle
import random
from typing import Any

import numpy as np
import pyspiel

from sgai.envs.loading import load_game


def check_game(text: str, simulations: int = 10, seed: int = 0) -> None:
    """Run all checks on a game.

    Parameters
    ----------
    text : str
        The game, as `load_game` reads it.
    simulations : int
        Random plays for OpenSpiel's own simulation test.
    seed : int
        Of the random plays of our checks.

    Raises
    ------
    AssertionError or pyspiel.SpielError
        At the first check that fails.
    """
    game = load_game(text)
    pyspiel.random_sim_test(game, num_sims=simulations, serialize=True, verbose=False)
    check_openspiel_simulation(game)
    for state in random_states(game, 30, seed):
        check_illegal_actions_change_nothing(state)
        check_text_names_the_player(state)
        check_copies_are_equal_and_apart(state)
        check_serialisation(game, state)
        check_observations(game, state)
        check_action_texts(state)


def random_states(game: Any, count: int, seed: int) -> list[Any]:
    """Return states of random plays, the first and the last ones among them."""
    chance = random.Random(seed)
    states: list[Any] = []
    state = game.new_initial_state()
    while len(states) < count:
        states.append(state.clone())
        if state.is_terminal():
            state = game.new_initial_state()
        else:
            state.apply_action(chance.choice(state.legal_actions()))
    return states


def check_openspiel_simulation(game: Any) -> None:
    """Run the simulation test that OpenSpiel ships for Python games."""
    from absl import flags
    from open_spiel.python.tests.games_sim_test import GamesSimTest

    if not flags.FLAGS.is_parsed():
        flags.FLAGS.mark_as_parsed()  # the test reads flags, which nobody has parsed outside its own runner
    GamesSimTest().sim_game(game)


def check_illegal_actions_change_nothing(state: Any) -> None:
    """Check that an action that is not legal is an error, and leaves the state as it was."""
    before, legal = str(state), set(state.legal_actions())
    wrong = [-1, state.num_distinct_actions(), state.num_distinct_actions() + 10**6]
    wrong += [action for action in range(min(state.num_distinct_actions(), 200)) if action not in legal][:20]
    for action in wrong:
        try:
            state.clone().apply_action(action)
        except pyspiel.SpielError:
            assert str(state) == before
            continue
        raise AssertionError(f"action {action} is applied in {before!r}, where it is not legal")


def check_text_names_the_player(state: Any) -> None:
    """Check that the text names the player to move: OpenSpiel's algorithms key on it."""
    if not state.is_terminal():
        assert f"player {state.current_player()}" in str(state)


def check_copies_are_equal_and_apart(state: Any) -> None:
    """Check that clones, copies and pickles are the same state, and that moves in them leave the state alone."""
    before = str(state)
    for twin in (state.clone(), copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert str(twin) == before
        assert twin.history() == state.history()
        assert twin.legal_actions() == state.legal_actions()
        assert list(twin.returns()) == list(state.returns())
        if not twin.is_terminal():
            twin.apply_action(twin.legal_actions()[0])
            assert str(state) == before
    game = state.get_game()
    for other in (copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        assert str(other) == str(game)
        assert str(other.new_initial_state()) == str(game.new_initial_state())


def check_serialisation(game: Any, state: Any) -> None:
    """Check that game and state come back from OpenSpiel's own text form."""
    again, twin = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert str(again) == str(game)
    assert str(twin) == str(state)
    assert twin.legal_actions() == state.legal_actions()


def check_observations(game: Any, state: Any) -> None:
    """Check that the observation tensor has the documented parts: who moves, and the position."""
    tensor = np.array(state.observation_tensor(0), dtype=np.float32)
    assert tensor.shape == (game.observation_tensor_size(),)
    assert tensor.tolist() == list(state.observation_tensor(1))
    player = [0.0, 0.0] if state.is_terminal() else [float(state.current_player() == seat) for seat in (0, 1)]
    assert tensor[:2].tolist() == player
    assert state.observation_string(0) == str(state)


def check_action_texts(state: Any) -> None:
    """Check that legal actions are ascending and have different texts, from which they can be found again."""
    actions = state.legal_actions()
    assert actions == sorted(set(actions))
    texts = [state.action_to_string(state.current_player(), action) for action in actions]
    assert len(set(texts)) == len(texts)
    assert [state.string_to_action(text) for text in texts] == actions
