"""OpenSpiel's own DQN in torch on our games: its losses are numbers, and what it learned is judged by exact labels."""

import math

import numpy as np
import pyspiel
import pytest

import sgai
from sgai.envs import BalancedStarts, SgaiEnvironment, UniformStarts, run_episode

torch = pytest.importorskip("torch")

from open_spiel.python.pytorch import dqn  # noqa: E402 - it needs torch


class Watched(dqn.DQN):
    """A DQN that writes down its losses."""

    def learn(self):
        loss = super().learn()
        if loss is not None:
            self.losses.append(loss)
        return loss


def share_of_winning_moves(game, agents):
    environment, solver, right, total = SgaiEnvironment(game), sgai.Solver(), 0, 0
    for position in game.ruleset.reachable().indices:
        winning = {game.ruleset.move_index(each.move) for each in solver.winning_moves(game.ruleset, position)}
        for player, agent in enumerate(agents):
            if winning:
                environment.set_state(game.new_initial_state_at(position, player))
                action = agent.step(environment.get_time_step(), is_evaluation=True).action
                assert action in environment.get_state.legal_actions()
                total += 1
                right += action in winning
    return right / total


def test_dqn_trains_on_nim_from_balanced_starts():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the networks are small
    try:
        game = pyspiel.load_game("sgai_nim(piles=[3;3])")
        environment = SgaiEnvironment(game, BalancedStarts(UniformStarts(game)), seed=0)
        agents = [
            Watched(
                player,
                environment.observation_spec()["info_state"][0],
                environment.action_spec()["num_actions"],
                hidden_layers_sizes=[32],
                batch_size=32,
                learn_every=4,  # with 1 or 2 it learns before there is anything to learn from, and fails
                min_buffer_size_to_learn=32,
                update_target_network_every=20,
                epsilon_start=1.0,
                epsilon_end=0.2,
                epsilon_decay_duration=600,
                learning_rate=0.01,
                optimizer_str="adam",
                seed=player,
            )
            for player in (0, 1)
        ]
        for agent in agents:
            agent.losses = []
        np.random.seed(0)
        torch.manual_seed(0)
        before = share_of_winning_moves(game, agents)
        for _ in range(300):
            run_episode(environment, agents)  # an illegal action would be an error
        after = share_of_winning_moves(game, agents)
    finally:
        torch.set_num_threads(threads)
    for agent in agents:
        assert len(agent.losses) > 100
        assert all(map(math.isfinite, agent.losses))
        assert np.mean(agent.losses[-30:]) < np.mean(agent.losses[:30])
    assert after > before
    assert after >= 0.75
