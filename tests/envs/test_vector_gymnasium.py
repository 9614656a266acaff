"""The vector environments beside gymnasium's own: the same steps and infos as `SyncVectorEnv` in every mode."""

import numpy as np
import pytest

import sgai
from sgai.envs import VectorEnv
from sgai.errors import UnsupportedError

gymnasium = pytest.importorskip("gymnasium")


class OneGame(gymnasium.Env):
    """One game, written by gymnasium's rules for a single environment, from the ruleset alone."""

    def __init__(self, text, max_moves):
        self.ruleset = sgai.load_ruleset(text)
        self.max_moves = max_moves
        shape = self.ruleset.tensor_shape()
        self.observation_space = gymnasium.spaces.Box(0, np.inf, shape, np.float32)
        self.action_space = gymnasium.spaces.Discrete(self.ruleset.num_moves())

    def _seen(self):
        legal = {self.ruleset.move_index(move) for move, _ in self.ruleset.moves(self.position)}
        mask = np.array([action in legal for action in range(self.action_space.n)])
        info = {"player": np.int8(self.moves % 2 if legal else -1), "action_mask": mask}
        return self.ruleset.encode(self.position), info, not legal

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.position, self.moves = self.ruleset.initial(), 0
        return self._seen()[:2]

    def step(self, action):
        self.position = self.ruleset.apply(self.position, self.ruleset.move_from_index(int(action)))
        self.moves += 1
        seen, info, terminated = self._seen()
        truncated = not terminated and self.moves == self.max_moves
        if terminated or truncated:
            winner = (self.moves - 1) % 2 if terminated else -1
            info |= {"winner": np.int8(winner), "moves": np.int64(self.moves)}
        return seen, float(terminated), terminated, truncated, info


def equal(one, other):
    """Compare infos where gymnasium says that there is something; what it leaves at 0 elsewhere has no meaning."""
    assert set(one) == set(other)
    for key, mask in one.items():
        if key.startswith("_"):
            assert (mask == other[key]).all(), (key, mask, other[key])
        elif isinstance(mask, dict):
            equal(mask, other[key])
        else:
            for i in np.flatnonzero(one["_" + key]):
                assert np.array_equal(mask[i], other[key][i]), (key, i)
            if mask.dtype == object:
                assert other[key].dtype == object
                assert [each is None for each in mask] == [each is None for each in other[key]]
            else:
                assert mask.dtype == other[key].dtype


@pytest.mark.parametrize("mode", gymnasium.vector.AutoresetMode)
@pytest.mark.parametrize("text", ["nim(piles=[1;2;2])", "cram(rows=2,columns=4)"])
def test_steps_and_infos_are_those_of_gymnasium(text, mode):
    count, limit = 7, 3
    theirs = gymnasium.vector.SyncVectorEnv([lambda: OneGame(text, limit)] * count, autoreset_mode=mode)
    games = VectorEnv(text, count, seed=2, autoreset=mode, max_moves=limit)
    ours = games.as_gymnasium()
    assert isinstance(ours, gymnasium.vector.VectorEnv)
    assert ours.metadata["autoreset_mode"] == mode
    assert (ours.single_action_space, ours.action_space) == (theirs.single_action_space, theirs.action_space)
    expected, found = theirs.reset(seed=1), ours.reset(seed=1)
    ended = np.zeros(2, dtype=int)
    for _ in range(40):
        assert (expected[0] == found[0]).all()
        assert found[0] in ours.observation_space
        equal(expected[-1], found[-1])
        for a, b in zip(expected[1:-1], found[1:-1], strict=True):
            assert a.dtype == b.dtype
            assert (a == b).all()
        if len(expected) == 5 and mode is gymnasium.vector.AutoresetMode.DISABLED:
            done = expected[2] | expected[3]
            if done.any():
                options = {"reset_mask": done}
                first, second = theirs.reset(options=dict(options)), ours.reset(options=dict(options))
                assert (first[0] == second[0]).all()
        if len(expected) == 5:
            ended += [expected[2].sum(), expected[3].sum()]
        actions = games.sample_actions()
        assert actions in ours.action_space
        expected, found = theirs.step(actions), ours.step(actions)
    assert (ended > 5).all()


@pytest.mark.parametrize("mode", ["same_step", "next_step"])
def test_gymnasiums_wrappers_count_as_over_its_own_vector(mode):
    # Beside gymnasium's own, because some of its releases count one move too few in same-step mode.
    text, count = "nim(piles=[2;3])", 5
    games = VectorEnv(text, count, seed=3, autoreset=mode)
    vectors = [
        games.as_gymnasium(),
        gymnasium.vector.SyncVectorEnv(
            [lambda: OneGame(text, 9)] * count, autoreset_mode=gymnasium.vector.AutoresetMode[mode.upper()]
        ),
    ]
    ours, theirs = [gymnasium.wrappers.vector.RecordEpisodeStatistics(each) for each in vectors]
    ours.reset(seed=1)
    theirs.reset(seed=1)
    ended = 0
    for _ in range(30):
        actions = games.sample_actions()
        found, expected = ours.step(actions), theirs.step(actions)
        done = expected[2]
        assert (found[2] == done).all()
        if done.any():
            ended += done.sum()
            for key in ("l", "r"):
                assert (found[4]["episode"][key][done] == expected[4]["episode"][key][done]).all()
    assert ended > 20


def test_random_masked_actions_of_the_space_are_legal():
    env = VectorEnv("kayles(piles=[6;7])", 4, seed=3).as_gymnasium()
    _, infos = env.reset()
    for _ in range(20):
        mask = tuple(each.astype(np.int8) for each in infos["action_mask"])
        infos = env.step(env.action_space.sample(mask=mask))[4]


def test_without_gymnasium(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sgai.envs.vector.gymnasium_env", None)
    with pytest.raises(UnsupportedError, match="gymnasium cannot be loaded"):
        VectorEnv("nim", 2).as_gymnasium()
