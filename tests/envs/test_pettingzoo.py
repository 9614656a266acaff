"""PettingZoo environments: PettingZoo's own tests, and what shimmy does wrong, so that we notice when it is mended."""

import copy
import io
import pickle
import warnings
from contextlib import redirect_stdout

import numpy as np
import pyspiel
import pytest

import sgai

pytest.importorskip("shimmy")
pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, seed_test
from shimmy import OpenSpielCompatibilityV0

from sgai.envs import UniformStarts, pettingzoo_env

TEXTS = [
    "sgai_nim(piles=[2;3])",
    "sgai_nim(piles=[1;2],play=misere)",
    "sgai_kayles(piles=[5])",
    "sgai_cram(rows=2,columns=3)",
    "sgai_queen(rows=3,columns=3)",
    "sgai_sum",
]


def play(environment, seed=0):
    """Play at random by PettingZoo's loop; return what `last` said to each agent in turn, without observations."""
    chance = np.random.RandomState(seed)
    environment.reset(seed=seed)
    said = []
    for agent in environment.agent_iter():
        _, reward, terminated, truncated, info = environment.last()
        said.append((agent, reward, terminated, truncated))
        environment.step(None if terminated or truncated else chance.choice(np.flatnonzero(info["action_mask"])))
    return said


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("with_starts", [False, True])
def test_pettingzoos_own_tests(text, with_starts):
    def make():
        return pettingzoo_env(text, start_sampler=UniformStarts(text) if with_starts else None)

    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")  # that numbers have no bounds, and that an empty position is all zeros
        api_test(make(), num_cycles=100)
        seed_test(make, num_cycles=20)


@pytest.mark.parametrize("text", TEXTS)
def test_every_agent_is_told_its_result_once(text):
    environment = pettingzoo_env(text, start_sampler=UniformStarts(text))
    for seed in range(20):
        *before, first, second = play(environment, seed)
        moves = len(before)
        assert [agent for agent, *_ in before] == [f"player_{move % 2}" for move in range(moves)]
        assert all(rest == [0.0, False, False] for _, *rest in before)
        winner = (moves - 1) % 2 if environment.game_state.get_game().play == "normal" else moves % 2
        for seat, told in enumerate((first, second)):
            assert told == (f"player_{seat}", 1.0 if seat == winner else -1.0, True, False)


def test_what_shimmy_does_otherwise():
    """If this fails, shimmy has mended something: then see what of `SgaiPettingZooEnv` can go."""
    game = pyspiel.load_game("sgai_nim(piles=[1;2])")
    # Its reset loads the game again, without the parameters that came with `env` or within `game_name`,
    for theirs in (OpenSpielCompatibilityV0(env=game), OpenSpielCompatibilityV0(game_name=str(game))):
        theirs.reset()
        assert str(theirs.game_state) == "[3;4;5], player 0 to move"
    # so that only `config` keeps them. Then the second agent's result comes twice, and the longest plays are truncated.
    theirs = OpenSpielCompatibilityV0(game_name="sgai_nim", config=game.get_parameters())
    theirs.reset()
    for action in (0, 1, 0):  # [1;2], [2], [1], []
        theirs.step(action)
    last = {}
    for agent in theirs.agent_iter():
        last[agent] = theirs.last()
        theirs.step(None)
    assert {agent: told[1:4] for agent, told in last.items()} == {
        "player_0": (1.0, True, True),
        "player_1": (-2.0, True, True),
    }
    # The last observation is the one before the last move: one heap of 1, player 0 to move.
    assert last["player_1"][0].tolist() == [1.0, 0.0, 1.0, 0.0]
    # Pickles lose `config`, and the spaces are new ones after every step, without the seed that they were given.
    twin = pickle.loads(pickle.dumps(theirs))
    assert twin.config is None
    theirs.reset()
    before = theirs.action_space("player_0")
    theirs.step(0)
    assert theirs.action_space("player_0") is not before


def test_ours_does_all_of_that_right():
    environment = pettingzoo_env(pyspiel.load_game("sgai_nim(piles=[1;2])"))
    environment.reset()
    assert str(environment.game_state) == "[1;2], player 0 to move"
    space = environment.action_space("player_0")
    for action in (0, 1, 0):
        environment.step(action)
    told = {}
    for agent in environment.agent_iter():
        told[agent] = environment.last()
        assert environment.rewards[agent] in (told[agent][1], 0.0)
        environment.step(None)
    assert {agent: each[1:4] for agent, each in told.items()} == {
        "player_0": (1.0, True, False),
        "player_1": (-1.0, True, False),
    }
    for observation, *_ in told.values():
        assert observation.tolist() == [0.0, 0.0, 0.0, 0.0]
    assert environment.action_space("player_0") is space


def test_masks_and_observations_are_the_states():
    environment = pettingzoo_env("sgai_cram(rows=2,columns=3)")
    environment.reset()
    for agent in environment.agent_iter():
        observation, _, over, _, info = environment.last()
        state = environment.game_state
        assert observation.ravel().tolist() == state.observation_tensor(0)
        assert np.flatnonzero(info["action_mask"]).tolist() == state.legal_actions()
        other = environment.infos.get("player_1" if agent == "player_0" else "player_0")
        assert other is None or not other["action_mask"].any()
        assert environment.observation_space(agent).contains(observation)
        environment.step(None if over else state.legal_actions()[0])


def test_illegal_actions_are_errors_that_change_nothing():
    environment = pettingzoo_env("sgai_nim(piles=[1;2])")
    with pytest.raises(sgai.SgaiError, match="before the first reset"):
        environment.step(0)
    with pytest.raises(sgai.SgaiError, match="before the first reset"):
        environment.render()
    environment.reset()
    environment.step(0)
    errors = {0: r"not legal in '\[2\]'", 77: r"not legal in '\[2\]'", -1: "kInvalidAction", None: "None", 1.5: "1.5"}
    for action, words in errors.items():
        with pytest.raises((pyspiel.SpielError, sgai.SgaiError), match=words):
            environment.step(action)
        assert str(environment.game_state) == "[2], player 1 to move"
        assert environment.agent_selection == "player_1"
    environment.step(2)
    with pytest.raises(sgai.SgaiError, match=r"step\(None\)"):
        environment.step(0)
    environment.step(None)
    environment.step(None)
    with pytest.raises(sgai.SgaiError, match="call reset"):
        environment.step(None)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda environment: pickle.loads(pickle.dumps(environment))])
def test_copies_go_on_where_it_is(copied):
    text = "sgai_nim(piles=[4;5])"
    environment = pettingzoo_env(text, start_sampler=UniformStarts(text))
    environment.reset(seed=3)
    environment.step(environment.game_state.legal_actions()[0])
    twin = copied(environment)
    assert str(twin.game_state) == str(environment.game_state)
    twin.step(twin.game_state.legal_actions()[0])
    assert str(twin.game_state) != str(environment.game_state)
    assert play(twin, 5) == play(environment, 5)


def test_seeds_repeat_the_starts():
    text = "sgai_nim(piles=[9;9])"
    environment = pettingzoo_env(text, start_sampler=UniformStarts(text))

    def start(seed=None):
        environment.reset(seed=seed)
        return str(environment.game_state)

    drawn = [start(1), *(start() for _ in range(5))]
    assert len(set(drawn)) > 2
    assert [start(1), *(start() for _ in range(5))] == drawn


def test_drawings(capsys):
    environment = pettingzoo_env("sgai_cram(rows=2,columns=3)", render_mode="ansi")
    environment.reset()
    assert ".../..., player 0 to move" in environment.render()
    environment = pettingzoo_env("sgai_cram(rows=2,columns=3)", render_mode="human")
    environment.reset()
    assert environment.render() is None
    assert ".../..., player 0 to move" in capsys.readouterr().out


def test_bad_arguments():
    with pytest.raises(sgai.SgaiError, match="none of sgai's games"):
        pettingzoo_env("tic_tac_toe")
    with pytest.raises(sgai.SgaiError, match="render_mode='rgb_array'"):
        pettingzoo_env("sgai_nim", render_mode="rgb_array")
    with pytest.raises(sgai.SgaiError, match="start sampler is of"):
        pettingzoo_env("sgai_nim", start_sampler=UniformStarts("sgai_nim(piles=[7])"))
    with pytest.raises(sgai.SgaiError, match="too large for a tensor"):
        pettingzoo_env("sgai_rook(rows=40000,columns=40000,at=[0;5])")
