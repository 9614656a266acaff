"""Players of all kinds, named by ``module:attribute`` in tests."""

import pyspiel
from open_spiel.python import policy, rl_agent
from open_spiel.python.algorithms import random_agent


class FirstBot(pyspiel.Bot):
    """Makes the first legal action."""

    def __init__(self, game):
        pyspiel.Bot.__init__(self)

    def step(self, state):
        return state.legal_actions()[0]

    def restart(self):
        pass


def uniform(game):
    return policy.UniformRandomPolicy(game)


def first_policy(game, seed):
    assert isinstance(seed, int)
    return policy.FirstActionPolicy(game)


def learners(game):
    return [random_agent.RandomAgent(seat, game.num_distinct_actions()) for seat in (0, 1)]


class SecondSeat(rl_agent.AbstractAgent):
    """The second player alone: an OpenSpiel agent of one seat that makes the last legal action."""

    def __init__(self, game):
        self.player_id = 1

    def step(self, time_step, is_evaluation=False):
        assert is_evaluation
        assert time_step.current_player() == 1
        return rl_agent.StepOutput(action=time_step.observations["legal_actions"][1][-1], probs=[])


class Broken(FirstBot):
    """Raises where a heap of two is left, and is illegal where one of three is."""

    def step(self, state):
        if 2 in state.position:
            raise RuntimeError("no idea")
        return 10_000 if 3 in state.position else super().step(state)


class AlwaysBroken(FirstBot):
    def step(self, state):
        raise RuntimeError("no idea at all")


def fails(game):
    raise RuntimeError("cannot be made")


nothing = 5
