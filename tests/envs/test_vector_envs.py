"""Vector environments: every step equals that of the OpenSpiel game; autoreset, seeds, starts, bad input."""

import copy
import itertools
import pickle

import numpy as np
import pytest

import sgai
from sgai.envs import AutoresetMode, VectorEnv, load_game, make_vector
from sgai.errors import SgaiError, UnsupportedError
from sgai.rulesets.heaps import HeapRuleset

HEAP_GAMES = [
    "sgai_nim(piles=[1;3;5;7;9])",
    "sgai_nim(piles=[2;2;3],play=misere)",
    "sgai_kayles(piles=[6;7])",
    "sgai_grundys_game(piles=[9;3])",
    "sgai_lasker(piles=[4;5])",
    "sgai_subtraction(take=[2;5],piles=[2;7;9])",
    "sgai_treblecross_row(piles=[9;4])",
    "sgai_take_and_break(code=[0.{1;2;3}!{2+}],piles=[9])",
]
CELL_GAMES = [
    "sgai_cram(rows=3,columns=4)",
    "sgai_cram(rows=9,columns=9)",
    "sgai_chomp(rows=3,columns=4,play=misere)",
    "sgai_node_kayles(graph=grid,rows=5,columns=14)",
    "sgai_arc_kayles(graph=cycle,vertices=9)",
    "sgai_tac_tix(rows=3,columns=3,play=misere)",
    "sgai_cram(rows=3,columns=3,cells=[.../.#./...])",
]


@pytest.mark.parametrize("text", HEAP_GAMES + CELL_GAMES)
def test_every_step_is_that_of_the_openspiel_game(text):
    game, count = load_game(text), 6
    env = VectorEnv(text, count, seed=3, autoreset="next_step")
    assert (env.num_actions, env.play) == (game.num_distinct_actions(), game.play)
    observations, infos = env.reset()
    states = [game.new_initial_state() for _ in range(count)]
    seats = [0] * count
    ended = 0
    while ended < 2 * count:
        for i, state in enumerate(states):
            legal = state.legal_actions()
            assert env.position(i) == state.position
            assert infos["player"][i] == (-1 if state.is_terminal() else state.current_player())
            assert np.flatnonzero(infos["action_mask"][i]).tolist() == legal == env.legal_actions(i)
            assert env.num_legal_actions[i] == len(legal)
            assert (observations[i] == game.ruleset.encode(state.position)).all()
            assert env.openspiel_tensors()[i].tolist() == state.observation_tensor(0)
        actions = env.sample_actions()
        observations, rewards, terminations, truncations, infos = env.step(actions)
        assert not truncations.any()
        for i, state in enumerate(states):
            if state.is_terminal():
                states[i] = game.new_initial_state()
                assert (rewards[i], terminations[i]) == (0.0, False)
                ended += 1
                continue
            seats[i] = state.current_player()
            state.apply_action(int(actions[i]))
            assert terminations[i] == state.is_terminal()
            assert rewards[i] == state.returns()[seats[i]]
            if state.is_terminal():
                assert infos["_winner"][i]
                assert state.returns()[infos["winner"][i]] == 1.0
                assert infos["moves"][i] == len(state.history())


def test_same_step_is_next_step_without_the_pause():
    text = "sgai_kayles(piles=[3;4])"
    env = VectorEnv(text, 40, seed=1)
    assert env.autoreset_mode is AutoresetMode.SAME_STEP
    _, infos = env.reset()
    game = load_game(text)
    states = [game.new_initial_state() for _ in range(40)]
    finished = 0
    for _ in range(30):
        actions = env.sample_actions()
        observations, rewards, terminations, _, infos = env.step(actions)
        for i, state in enumerate(states):
            state.apply_action(int(actions[i]))
            assert rewards[i] == terminations[i]
            assert terminations[i] == state.is_terminal()
            if state.is_terminal():
                finished += 1
                final = infos["final_info"]
                assert all((infos["_final_obs"][i], infos["_final_info"][i], final["_winner"][i]))
                assert (infos["final_obs"][i] == game.ruleset.encode(state.position)).all()
                assert state.returns()[final["winner"][i]] == 1.0
                assert (final["moves"][i], final["player"][i]) == (len(state.history()), -1)
                states[i] = state = game.new_initial_state()
            elif "final_obs" in infos:
                assert not any((infos["_final_obs"][i], infos["_final_info"][i]))
                assert final_is_empty(infos, i)
            assert (observations[i] == game.ruleset.encode(state.position)).all()
            assert infos["player"][i] == state.current_player()
            assert np.flatnonzero(infos["action_mask"][i]).tolist() == state.legal_actions()
    assert finished > 100


def final_is_empty(infos, i):
    final = infos["final_info"]
    return (final["winner"][i], final["moves"][i]) == (-1, 0) and not infos["final_obs"][i].any()


def test_disabled_waits_for_a_reset():
    env = VectorEnv("nim(piles=[1;2])", 3, seed=0, autoreset=AutoresetMode.DISABLED)
    env.reset(options={"positions": [(1,), (1, 2), (2,)]})
    _, rewards, terminations, _, infos = env.step([0, 0, 1])
    assert rewards.tolist() == [1.0, 0.0, 0.0]
    assert terminations.tolist() == [True, False, False]
    assert infos["player"].tolist() == [-1, 1, 1]
    assert env.sample_actions()[0] == 0
    before = env.positions()
    with pytest.raises(SgaiError, match="game 0 has ended"):
        env.step([0, 1, 0])
    assert env.positions() == before == [(), (2,), (1,)]
    _, infos = env.reset(options={"reset_mask": np.array([True, False, False])})
    assert env.positions() == [(1, 2), (2,), (1,)]
    assert infos["player"].tolist() == [0, 1, 1]
    _, rewards, terminations, _, _ = env.step([0, 2, 0])
    assert (rewards.tolist(), terminations.tolist()) == ([0.0, 1.0, 1.0], [False, True, True])


@pytest.mark.parametrize("masks", ["bool", "packed"])
@pytest.mark.parametrize("text", ["cram(rows=3,columns=4)", "nim(piles=[4;5;6])"])
def test_truncation(text, masks):
    env = VectorEnv(text, 50, seed=2, max_moves=2, masks=masks)
    env.reset()
    expected = VectorEnv(text, 50, seed=2, autoreset="disabled")
    expected.reset()
    for _ in range(2):
        actions = env.sample_actions()
        _, rewards, terminations, truncations, infos = env.step(actions)
        last, own_rewards, own_terminations, _, own_infos = expected.step(actions)
        assert (terminations == own_terminations).all()
        assert (rewards == own_rewards).all()
    assert not terminations.any()
    assert truncations.all()
    final = infos["final_info"]
    assert (infos["final_obs"] == last).all()
    assert (final["player"] == 0).all()
    assert (final["winner"] == -1).all()
    assert (final["moves"] == 2).all()
    shown = final["action_mask"]
    if masks == "packed":
        shown = np.unpackbits(shown, axis=1, count=env.num_actions, bitorder="little").astype(bool)
    assert (shown == own_infos["action_mask"]).all()
    assert (infos["player"] == 0).all()


def test_truncation_is_not_named_where_the_game_ends():
    env = VectorEnv("nim(piles=[1])", 1, max_moves=1)
    env.reset()
    _, rewards, terminations, truncations, _ = env.step([0])
    assert (rewards[0], terminations[0], truncations[0]) == (1.0, True, False)


def play(env, steps, seed=None):
    record = [env.reset(seed=seed)[0]]
    for _ in range(steps):
        actions = env.sample_actions()
        observations, rewards, *_ = env.step(actions)
        record += [actions, observations, rewards]
    return record


def same(a, b):
    return all((x == y).all() for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("text", ["nim(piles=[3;5;7])", "cram(rows=4,columns=4)"])
def test_equal_seeds_give_equal_games(text):
    def made(seed, count=20):
        return VectorEnv(text, count, seed=seed, random_moves=3)

    first = play(made(5), 25)
    assert same(first, play(made(5), 25))
    assert not same(first, play(made(6), 25))
    # Each game has a seed of its own, so it does not matter which others there are.
    shifted = play(made(6, 19), 25)
    assert same([each[1:] for each in first], shifted)
    env = made(99)
    env.reset(seed=5)
    env.step(env.sample_actions())
    assert same(first, play(env, 25, seed=5))
    assert same(first, play(env, 25, seed=range(5, 25)))
    assert not same(first, play(env, 25))
    assert not same(play(made(None), 25), play(made(None), 25))


def test_some_games_are_seeded_and_reset():
    env, other = (VectorEnv("nim(piles=[5;6;7])", 4, seed=1, random_moves=3) for _ in range(2))
    env.reset()
    other.reset()
    env.step(env.sample_actions())
    before = env.positions()
    mask = np.array([False, True, True, False])
    env.reset(seed=[None, 2, None, 9], options={"reset_mask": mask})
    assert env.position(0) == before[0]
    assert env.position(3) == before[3]
    # Game 1 has had the seed 2 from the start, and game 2 goes on with its own random numbers.
    assert env.position(1) == other.position(1)
    unseeded = [VectorEnv("nim(piles=[5;6;7])", 2, seed=[1, None], random_moves=3) for _ in range(9)]
    for each in unseeded:
        each.reset()
    assert len({each.position(0) for each in unseeded}) == 1 < len({each.position(1) for each in unseeded})


@pytest.mark.parametrize("text", ["nim(piles=[3;5;7])", "cram(rows=4,columns=4)"])
def test_copies_go_on_alike_and_apart(text):
    env = VectorEnv(text, 6, seed=1)
    play(env, 5)
    twins = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    going_on = play_on(env, 20)
    for twin in twins:
        assert same(play_on(twin, 20), going_on)


def play_on(env, steps):
    record = []
    for _ in range(steps):
        record += [env.sample_actions()]
        observations, *_, infos = env.step(record[-1])
        record += [observations, infos["action_mask"]]
    return record


def test_actions_may_be_of_any_integer_type_and_read_only():
    env = VectorEnv("nim(piles=[3;5])", 3, seed=1)
    env.reset()
    for dtype in (np.int8, np.uint8, np.int32, np.uint64, np.int64):
        actions = env.sample_actions().astype(dtype)
        actions.flags.writeable = False
        env.step(actions)
    assert len(getattr(env._games.kernels.play_heaps, "signatures", "1")) == 1  # compiled once, where it is compiled


def test_starts_do_not_depend_on_play():
    text = "nim(piles=[5;6])"
    one, two = (VectorEnv(text, 1, seed=4, random_moves=4) for _ in range(2))
    starts = []
    for env, pick in ((one, min), (two, max)):
        env.reset()
        found = [env.position(0)]
        while len(found) < 10:
            if env.step([pick(env.legal_actions(0))])[2][0]:
                found.append(env.position(0))
        starts.append(found)
    assert starts[0] == starts[1]
    assert len(set(starts[0])) > 3


@pytest.mark.parametrize("text", ["nim(piles=[2;2])", "cram(rows=2,columns=3)", "grundys_game(piles=[5])"])
def test_random_starts_are_reachable_and_not_over(text):
    env = VectorEnv(text, 500, seed=0, random_moves=50)
    env.reset()
    ruleset = sgai.load_ruleset(text)
    positions, reachable = env.positions(), set(ruleset.reachable().indices)
    assert set(positions) == {each for each in reachable if any(True for _ in ruleset.moves(each))}
    assert (env.players == 0).all()
    assert env.positions().count(ruleset.initial()) > 50


def test_sampled_actions_are_uniform():
    for text, position in (("nim(piles=[2;3])", (2, 3)), ("cram(rows=3,columns=4)", 0b111101111111)):
        env = VectorEnv(text, 60_000, seed=8)
        env.reset(options={"positions": position})
        actions = env.sample_actions()
        counts = np.bincount(actions, minlength=env.num_actions)
        legal = env.legal_actions(0)
        assert np.flatnonzero(counts).tolist() == legal
        expected = env.num_envs / len(legal)
        # 99.99% of a chi-squared variable with up to 16 degrees of freedom is below 45.
        assert len(legal) < 18
        assert ((counts[legal] - expected) ** 2 / expected).sum() < 45
        assert abs(np.corrcoef(actions[:-1], actions[1:])[0, 1]) < 0.03


def test_masks_packed_and_left_out():
    for text in ("nim(piles=[3;5])", "cram(rows=3,columns=3)"):
        envs = {masks: VectorEnv(text, 9, seed=1, masks=masks) for masks in ("bool", "packed", "none")}
        for env in envs.values():
            env.reset()
        for _ in range(12):
            found = {masks: env.step(env.sample_actions())[4] for masks, env in envs.items()}
            mask = found["bool"]["action_mask"]
            assert mask.shape == (9, envs["bool"].num_actions)
            packed = found["packed"]["action_mask"]
            assert packed.shape == (9, -(-mask.shape[1] // 8))
            assert (np.unpackbits(packed, axis=1, count=mask.shape[1], bitorder="little") == mask).all()
            assert "action_mask" not in found["none"]
            for env in envs.values():
                assert (env.action_masks() == mask).all()


def test_without_copies():
    env = VectorEnv("nim(piles=[3;5])", 4, seed=1, copy=False)
    observations, infos = env.reset()
    before = observations.copy()
    for array in (observations, infos["action_mask"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    env.step(env.sample_actions())
    assert (observations != before).any()
    own = VectorEnv("nim(piles=[3;5])", 4, seed=1)
    observations, infos = own.reset()
    observations[:], infos["action_mask"][:] = 7, False
    assert own.positions() == [(3, 5)] * 4
    assert own.action_masks().any()


def test_what_was_given_away_is_not_changed_while_anyone_has_it():
    env = VectorEnv("cram(rows=2,columns=3)", 3, seed=1)
    kept = [env.reset()[0][:1]]
    for _ in range(40):
        observations, _, _, _, infos = env.step(env.sample_actions())
        kept += [observations[1], infos["action_mask"][2:], *([infos["final_obs"].T] if "final_obs" in infos else [])]
        del observations, infos
        if len(kept) > 60:
            del kept[:20:2]
    values = [each.copy() for each in kept]
    for _ in range(40):
        env.step(env.sample_actions())
    assert same(kept, values)
    assert not any(np.shares_memory(a, b) for a, b in itertools.combinations(kept, 2))
    assert not any(np.shares_memory(each, env._games.tensors) for each in kept)


def test_memory_is_used_again():
    env = VectorEnv("cram(rows=2,columns=3)", 3, seed=1)
    observations, _ = env.reset()
    seen = set()
    for _ in range(40):
        observations, *_ = env.step(env.sample_actions())
        seen.add(observations.__array_interface__["data"][0])
    assert len(seen) == 2


def test_words_are_the_live_cells():
    env = VectorEnv("cram(rows=9,columns=9)", 5, seed=1)
    env.reset()
    for _ in range(9):
        env.step(env.sample_actions())
    assert env.words().shape == (5, 2)
    assert [int(low) | int(high) << 64 for low, high in env.words()] == env.positions()
    with pytest.raises(UnsupportedError, match="no cells"):
        VectorEnv("nim", 1).words()


# Bad input


@pytest.mark.parametrize("text", ["nim(piles=[3;5])", "cram(rows=3,columns=3)", "chomp(rows=2,columns=3)"])
@pytest.mark.parametrize("wrong", [-1, "taken", "last", 10**12, -(10**12), np.uint64(2**64 - 1)])
def test_illegal_actions_change_nothing(text, wrong):
    env = VectorEnv(text, 5, seed=1)
    env.reset()
    first = env.sample_actions()
    env.step(first)
    actions = env.sample_actions()
    if isinstance(wrong, str):
        legal = env.legal_actions(3)
        wrong = env.num_actions if wrong == "last" else min(set(range(env.num_actions)) - set(legal))
    given = actions.astype(type(wrong)) if isinstance(wrong, np.uint64) else actions.copy()
    given[3] = wrong
    before, masks = env.positions(), env.action_masks()
    with pytest.raises(SgaiError, match=r"^game 3: action -?\d+ is not legal in .* No game was changed"):
        env.step(given)
    assert env.positions() == before
    assert (env.action_masks() == masks).all()
    env.step(actions)


def test_bad_arguments():
    for text, message in [
        ("fibonacci_nim", "no vectorised form"),
        ("queen", "no vectorised form"),
        ("nim(piles=[])", "over before it starts"),
        ("nim(piles=[100000])", "choose smaller piles"),
        ("nimm", "did you mean 'nim'"),
    ]:
        with pytest.raises(SgaiError, match=message):
            make_vector(text, 2)
    with pytest.raises(SgaiError, match="choose fewer games, or masks='none'"):
        make_vector("nim(piles=[2000])", 100_000)
    for options, message in [
        ({"num_envs": 0}, "num_envs=0"),
        ({"num_envs": 2.0}, "num_envs"),
        ({"num_envs": 2, "autoreset": "sane_step"}, "did you mean 'same_step'"),
        ({"num_envs": 2, "autoreset": None}, "the modes are"),
        ({"num_envs": 2, "play": "nice"}, "nice"),
        ({"num_envs": 2, "masks": "dense"}, "dense"),
        ({"num_envs": 2, "seed": -1}, "0 to 2\\*\\*64"),
        ({"num_envs": 2, "seed": [1, 2, 3]}, "a list of 2"),
        ({"num_envs": 2, "seed": 1.5}, "a list of 2"),
        ({"num_envs": 2, "random_moves": -1}, "random_moves"),
        ({"num_envs": 2, "max_moves": 0}, "max_moves"),
    ]:
        with pytest.raises(SgaiError, match=message):
            make_vector("nim", **options)
    env = make_vector("nim(piles=[3;4])", 2)
    with pytest.raises(SgaiError, match="before reset"):
        env.step([0, 0])
    mask = np.array([True, False])
    with pytest.raises(SgaiError, match="the first reset"):
        env.reset(options={"reset_mask": mask})
    env.reset()
    for actions, message in [([0], "shape"), ([0.0, 1.0], "float64"), ([True, True], "bool"), ([[0, 0]], "shape")]:
        with pytest.raises(SgaiError, match=message):
            env.step(actions)
    for options, message in [
        ({"mask": mask}, "the options of a reset"),
        ({"reset_mask": [True, False]}, "bool array"),
        ({"reset_mask": np.zeros(2, dtype=bool)}, "no game"),
        ({"positions": [(1,), (2,), (3,)]}, "3 positions for 2"),
        ({"positions": (5,)}, "largest at the start"),
        ({"positions": ()}, "play is over there"),
        ({"positions": (-1,)}, "negative"),
    ]:
        with pytest.raises(SgaiError, match=message):
            env.reset(options=options)
    assert env.positions() == [(3, 4)] * 2


def test_changed_subclasses_are_refused():
    class Odd(type(sgai.load_ruleset("nim"))):
        name = "odd_nim"

        def encode(self, position):
            return super().encode(position) + 1

    with pytest.raises(UnsupportedError, match="no vectorised form"):
        VectorEnv(Odd(), 2)


def test_users_heap_games_keep_their_numbering():
    class Growing(HeapRuleset):
        """Heaps that break up into more tokens than they had."""

        name = "growing"

        def results(self, heap):
            if heap > 1:
                yield (heap - 1, heap - 1)
                yield (1, heap - 1) if heap > 2 else ()

    ruleset = Growing(piles=(4,))
    env = VectorEnv(ruleset, 3, seed=1)
    env.reset()
    for _ in range(40):
        actions, before = env.sample_actions(), env.positions()
        terminations = env.step(actions)[2]
        for i in np.flatnonzero(~terminations):
            assert env.position(i) == ruleset.apply(before[i], ruleset.move_from_index(int(actions[i])))
    assert np.isinf(env.largest_observation()).all()


PROGRAM = """
import sys
if sys.argv[1] == "missing":
    sys.modules["numba"] = None
import sgai
from sgai.envs import VectorEnv
for text in ("nim(piles=[1;3;5;7;9])", "lasker(piles=[4;5])", "cram(rows=9,columns=9)"):
    env = VectorEnv(text, 7, seed=5, random_moves=2)
    env.reset()
    for _ in range(30):
        actions = env.sample_actions()
        infos = env.step(actions)[4]
        print(actions.tolist(), infos["action_mask"].sum(axis=1).tolist())
    print(env.positions())
env = VectorEnv("cram(rows=4,columns=4)", 30, seed=5, random_moves=3)
observations, _ = env.reset()
labels = sgai.Oracle(env.ruleset).label_observations(observations)
print(labels.grundy.tolist(), labels.winning.sum(axis=1).tolist())
"""


@pytest.mark.parametrize("how", ["missing", pytest.param("disabled", marks=pytest.mark.slow)])
def test_without_numba_all_is_the_same(how, run_program, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["", "compiled"])
    exec(PROGRAM, {})
    printed = capsys.readouterr().out
    plain = run_program(PROGRAM, how, **({"NUMBA_DISABLE_JIT": "1"} if how == "disabled" else {}))
    assert plain.returncode == 0, plain.stderr
    assert plain.stdout == printed
    assert len(printed.splitlines()) == 94
