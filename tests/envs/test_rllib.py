"""Ray RLlib: its own wrapper on our games, ours with masks of legal actions, and PPO in a worker. Ray loads slowly."""

import copy
import pickle

import numpy as np
import pyspiel
import pytest

import sgai
from sgai.envs import RandomPlayStarts, SgaiGame, UniformStarts, load_game

pytestmark = pytest.mark.slow

ray = pytest.importorskip("ray")
pytest.importorskip("ray.rllib")

TEXTS = ["sgai_nim(piles=[2;3])", "sgai_nim(piles=[1;2],play=misere)", "sgai_cram(rows=2,columns=3)", "sgai_sum"]

PLUGIN = '''
import sgai

class Stairs(sgai.Ruleset[int, int]):
    """Go down one or two steps."""

    name = "rllib_stairs"
    height: int = 4

    def initial(self):
        return self.height

    def moves(self, position):
        for steps in (1, 2):
            if steps <= position:
                yield steps, position - steps

sgai.register(Stairs)
'''


def environment(game, **config):
    from sgai.envs import SgaiRLlibEnv  # it takes seconds to import

    return SgaiRLlibEnv({"game": game, **config})


@pytest.mark.parametrize("text", TEXTS)
def test_steps_say_what_the_state_does(text):
    env = environment(text, start_sampler=RandomPlayStarts(text, (0, 1)), seed=2)
    assert env.possible_agents == [0, 1]
    for _ in range(10):
        observations, infos = env.reset()
        assert infos == {}
        moves = 0
        while observations:
            state = env.state
            ((player, seen),) = observations.items()
            assert player == state.current_player()
            assert env.get_observation_space(player).contains(seen)
            assert seen["observations"].tolist() == state.observation_tensor(player)
            assert np.flatnonzero(seen["action_mask"]).tolist() == state.legal_actions()
            # What RLlib does when it takes random steps, and when it checks an environment:
            action = env.get_action_space(player).sample()
            assert action in state.legal_actions()
            observations, rewards, terminated, truncated, infos = env.step({player: action})
            moves += 1
            over = not observations
            assert terminated == {0: over, 1: over, "__all__": over}
            assert truncated == {0: False, 1: False, "__all__": False}
            assert over or rewards == {0: 0.0, 1: 0.0}
        winner = (moves - 1) % 2 if state.get_game().play == "normal" else moves % 2
        assert rewards == {winner: 1.0, 1 - winner: -1.0}


def test_rllibs_own_check_passes():
    from ray.rllib.utils.pre_checks.env import check_multiagent_environments

    for _ in range(20):  # it makes one random step
        check_multiagent_environments(environment("sgai_nim(piles=[2;3])"))


def test_illegal_actions_are_errors_that_change_nothing():
    env = environment("sgai_nim(piles=[1;2])")
    env.reset()
    env.step({0: 0})
    for action in (0, 77, -1):
        with pytest.raises(pyspiel.SpielError):
            env.step({1: action})
    for action in ({0: 1}, {}, {1: None}, {1: 1.5}):
        with pytest.raises(sgai.SgaiError):
            env.step(action)
    assert str(env.state) == "[2], player 1 to move"
    assert env.step({1: np.int64(2)})[1] == {0: -1.0, 1: 1.0}
    with pytest.raises(sgai.SgaiError, match="call reset"):
        env.step({0: 0})


def test_rllibs_own_wrapper_plays_our_games_with_a_penalty_for_illegal_actions():
    """It relies on games that refuse illegal actions, puts a random legal one in their place, and takes 0.1 off."""
    from ray.rllib.env.wrappers.open_spiel import OpenSpielEnv

    env = OpenSpielEnv(pyspiel.load_game("sgai_nim(piles=[1;1])"))
    observations, _ = env.reset()
    assert list(observations) == [0]
    assert env.observation_space[0].contains(observations[0])
    _, rewards, terminated, *_ = env.step({0: 99})
    assert rewards == {0: -0.1, 1: 0.0}
    assert not terminated["__all__"]
    observations, rewards, terminated, *_ = env.step({1: 0})
    assert (observations, rewards, terminated["__all__"]) == ({}, {0: -1.0, 1: 1.0}, True)


@pytest.mark.parametrize(
    ("piles", "rewards"), [("1", {0: [1.0]}), ("1;1", {0: [-1.0], 1: [1.0]}), ("1;1;1", {0: [0.0, 1.0], 1: [-1.0]})]
)
def test_rllibs_episodes_give_the_loser_its_result_too(piles, rewards):
    """An agent without a last observation gets its result all the same; one that made no move is left out."""
    from ray.rllib.env.multi_agent_episode import MultiAgentEpisode

    env, episode = environment(f"sgai_nim(piles=[{piles}])"), MultiAgentEpisode()
    observations, infos = env.reset()
    episode.add_env_reset(observations=observations, infos=infos)
    while not episode.is_done:
        action = dict.fromkeys(observations, 0)
        observations, reward, terminated, truncated, infos = env.step(action)
        episode.add_env_step(observations, action, reward, infos, terminateds=terminated, truncateds=truncated)
    assert {agent: list(each.get_rewards()) for agent, each in episode.agent_episodes.items()} == rewards


def test_environments_have_samplers_of_their_own():
    starts = UniformStarts("sgai_nim(piles=[9;9])", seed=1)

    class Config(dict):  # as RLlib gives it
        worker_index, vector_index = 1, 0

    def drawn(worker, vector=0):
        config = Config(game=starts.game, start_sampler=starts, seed=5)
        config.worker_index, config.vector_index = worker, vector
        from sgai.envs import SgaiRLlibEnv

        env = SgaiRLlibEnv(config)
        return [str(env.reset() and env.state) for _ in range(6)]

    assert drawn(1) == drawn(1)
    assert len({tuple(drawn(worker, vector)) for worker in (1, 2) for vector in (0, 1)}) == 4
    env = environment(starts.game, start_sampler=starts)
    first = str(env.reset(seed=3) and env.state)
    assert str(env.reset(seed=3) and env.state) == first
    assert starts.position() == UniformStarts(starts.game, seed=1).position()  # the one that was given is left alone


def test_spaces_pickle_as_plain_ones():
    env = environment("sgai_nim(piles=[1;2])")
    space = env.get_action_space(0)
    for twin in (copy.deepcopy(space), pickle.loads(pickle.dumps(space))):
        assert type(twin).__name__ == "Discrete"
        assert twin == space


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({}, 'needs the key "game"'),
        ({"game": "tic_tac_toe"}, "none of sgai's games"),
        ({"game": "sgai_nim", "sampler": None}, "'sampler'"),
        ({"game": "sgai_nim", "start_sampler": UniformStarts("sgai_kayles")}, "start sampler is of"),
        ({"game": "sgai_rook(rows=40000,columns=40000,at=[0;5])"}, "too large for a tensor"),
    ],
)
def test_bad_configurations(config, words):
    from sgai.envs import SgaiRLlibEnv

    with pytest.raises(sgai.SgaiError, match=words):
        SgaiRLlibEnv(config)


def test_ppo_trains_in_a_worker_on_a_game_of_a_users_file(tmp_path, monkeypatch):
    """The worker has imported nothing of ours: the game that it is given brings the user's file along."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

    from sgai.envs import SgaiRLlibEnv

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    file = tmp_path / "stairs.py"
    file.write_text(PLUGIN)
    sgai.load_plugin(file)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        game = load_game("sgai_rllib_stairs(height=6)")
        assert isinstance(game, SgaiGame)
        module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [16]})
        config = (
            PPOConfig()
            .environment(
                SgaiRLlibEnv, env_config={"game": game, "start_sampler": RandomPlayStarts(game, (0, 1)), "seed": 1}
            )
            .env_runners(num_env_runners=1)
            .multi_agent(policies={"both"}, policy_mapping_fn=lambda agent, episode, **_: "both")
            .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"both": module}))
            .training(train_batch_size_per_learner=100, minibatch_size=50, num_epochs=1)
        )
        algorithm = config.build_algo()
        try:
            result = algorithm.train()
        finally:
            algorithm.stop()
    finally:
        ray.shutdown()
        del sgai.registry._classes["rllib_stairs"], sgai.registry._origins["rllib_stairs"]
    played = result["env_runners"]
    assert played["num_env_steps_sampled_lifetime"] >= 100
    assert 2 <= played["episode_len_mean"] <= 6
    assert played["episode_return_mean"] == 0.0  # of both agents: the winner's 1 and the loser's -1
    assert np.isfinite(result["learners"]["both"]["total_loss"])
