"""What several test modules of experiments share."""

import signal

import pytest

from sgai.experiments.rl import training


@pytest.fixture
def ctrl_c_in_episode_7(monkeypatch):
    """Press Ctrl-C when the seventh episode of training begins, and again once what is returned is cleared."""
    real, done = training.run_episode, []

    def pressed(*arguments):
        done.append(1)
        if len(done) == 7:
            signal.raise_signal(signal.SIGINT)
        return real(*arguments)

    monkeypatch.setattr(training, "run_episode", pressed)
    return done
