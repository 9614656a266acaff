"""Training runs: they learn, repeat, go on exactly where they stopped, and refuse what is damaged."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from sgai.envs import load_game
from sgai.errors import SgaiError
from sgai.experiments.cli.main import main
from sgai.experiments.rl import training
from sgai.experiments.rl.evaluation import evaluate, make_test_set
from sgai.experiments.rl.learners import LearnerSpec, numpy_state, set_numpy_state
from sgai.experiments.rl.saved import load_learners
from sgai.experiments.rl.start_options import StartsSpec, curriculum_in
from sgai.experiments.rl.train_settings import TrainSettings
from sgai.experiments.rl.training import TrainingInterrupted, resume, train

NIM = "sgai_nim(piles=[2;3])"
SETTINGS = TrainSettings(
    NIM,
    "q_learning(step_size=0.5,epsilon=0.5,epsilon_end=0.1,epsilon_steps=300)",
    episodes=120,
    starts="balanced(source=curriculum,stages=3)",
    evaluate_every=40,
    checkpoint_every=25,
    positions=40,
    games=4,
)
DQN = "dqn(hidden=[16],batch=8,least=8,buffer=30,learn_every=3,target_every=10,epsilon_steps=100)"


def timeless(lines):
    return [{**line, "seconds": 0} for line in lines]


def tables(agents):
    return [{key: dict(row) for key, row in agent._q_values.items()} for agent in agents]


def stop_at(episode):
    """Return what presses Ctrl-C after so many episodes."""
    done = 0

    def watch(number):
        nonlocal done
        done += number
        if done == episode:
            signal.raise_signal(signal.SIGINT)

    return watch


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    """A run from start to end: its folder and the lines of its curves."""
    folder = tmp_path_factory.mktemp("runs") / "unbroken"
    return folder, train(SETTINGS, folder)


def test_a_q_learner_learns(unbroken):
    folder, lines = unbroken
    assert [line["episode"] for line in lines] == [0, 40, 80, 120]
    assert lines[0]["policy_accuracy"]["share"] < lines[-1]["policy_accuracy"]["share"]
    assert lines[-1]["policy_accuracy"]["low"] > lines[-1]["random_accuracy"]
    assert lines[-1]["epsilon"] < lines[0]["epsilon"] == 0.5
    assert sum(each["policy_accuracy"]["cases"] for each in lines[-1]["by_size"]) == lines[-1]["won"]
    assert lines == [json.loads(line) for line in (folder / "curves.jsonl").read_text().splitlines()]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["settings"]["seed"] == 0
    assert {"sgai", "open_spiel", "numpy", "python"} <= set(manifest["versions"])
    assert sorted(each.name for each in (folder / "checkpoints").iterdir()) == [
        "episode-0000000100.npz",
        "episode-0000000120.npz",
    ]


def test_equal_seeds_give_equal_curves(unbroken, tmp_path):
    np.random.seed(3)
    state = numpy_state()
    assert timeless(train(SETTINGS, tmp_path / "same")) == timeless(unbroken[1])
    assert numpy_state() == state
    other = train(replace(SETTINGS, seed=1, episodes=40), tmp_path / "other")
    assert timeless(other) != timeless(unbroken[1])[:2]


@pytest.mark.parametrize("stops", [(1, 70), (39, 41), (40,), (99, 100, 101)])
def test_a_run_that_is_stopped_goes_on_as_if_it_never_was(unbroken, tmp_path, stops):
    for place, episode in enumerate(stops):
        go = resume if place else lambda folder, **options: train(SETTINGS, folder, **options)
        with pytest.raises(TrainingInterrupted) as stopped:
            go(tmp_path / "run", watch=stop_at(episode))
        assert stopped.value.episode == episode
    assert timeless(resume(tmp_path / "run")) == timeless(unbroken[1])
    agents, expected = load_learners(tmp_path / "run"), load_learners(unbroken[0])
    assert tables(agents) == tables(expected)
    assert len(json.loads((tmp_path / "run" / "manifest.json").read_text())["resumed"]) == len(stops)


@pytest.mark.parametrize("lost", ["checkpoint", "curve"])
def test_a_run_that_was_killed_between_two_files_goes_on_exactly(unbroken, tmp_path, lost):
    """After the line of an evaluation and before its checkpoint, or while the line was written."""
    with pytest.raises(TrainingInterrupted):
        train(SETTINGS, tmp_path / "run", watch=stop_at(80))
    if lost == "checkpoint":
        (tmp_path / "run" / "checkpoints" / "episode-0000000080.npz").unlink()
    else:
        (tmp_path / "run" / "checkpoints" / "episode-0000000080.npz").unlink()
        text = (tmp_path / "run" / "curves.jsonl").read_bytes()
        (tmp_path / "run" / "curves.jsonl").write_bytes(text[:-100])
    assert timeless(resume(tmp_path / "run")) == timeless(unbroken[1])


def test_a_finished_run_can_be_given_more_episodes(tmp_path):
    settings = replace(SETTINGS, starts="uniform")
    train(replace(settings, episodes=40), tmp_path / "run")
    longer = resume(tmp_path / "run", episodes=80)
    assert timeless(longer) == timeless(train(replace(settings, episodes=80), tmp_path / "at_once"))
    assert resume(tmp_path / "run") == longer
    with pytest.raises(SgaiError, match="episodes=10: the run has 80 already"):
        resume(tmp_path / "run", episodes=10)


def test_learned_players_are_loaded(unbroken):
    folder, lines = unbroken
    tests = make_test_set(NIM, 40)
    for path in (folder, folder / "checkpoints" / "episode-0000000120.npz"):
        found = evaluate(str(path), tests, games=4).whole
        assert found.policy.share == lines[-1]["policy_accuracy"]["share"]
        assert found.value.share == lines[-1]["value_accuracy"]["share"]
    with pytest.raises(SgaiError, match=r"trained on .* with 6 actions .*; 'sgai_kayles.*' has"):
        evaluate(str(folder), make_test_set("sgai_kayles(piles=[9])", 5))


def test_evaluation_changes_no_learner(unbroken):
    agents = load_learners(unbroken[0])
    before = tables(agents)
    evaluate(agents, make_test_set(NIM, 40), games=4)
    assert tables(agents) == before


def test_what_a_kill_left_half_written_is_no_checkpoint(unbroken, tmp_path):
    with pytest.raises(TrainingInterrupted):
        train(SETTINGS, tmp_path / "run", watch=stop_at(50))
    half = tmp_path / "run" / "checkpoints" / "episode-0000000075.npz.123.part"
    half.write_bytes(b"PK")
    assert timeless(resume(tmp_path / "run")) == timeless(unbroken[1])
    assert not half.exists()


@pytest.mark.slow
def test_a_killed_process_goes_on_exactly(tmp_path):
    """SIGKILL at a moment of the machine's choosing, twice; half-written files are met so too."""
    settings = replace(SETTINGS, episodes=1500, evaluate_every=250, checkpoint_every=20)
    expected = train(settings, tmp_path / "unbroken")
    program = (
        "import sys; from sgai.experiments.rl.training import *; s = TrainSettings(**eval(sys.argv[2]));"
        "train(s, sys.argv[1]) if sys.argv[3] == 'train' else resume(sys.argv[1])"
    )
    for how in ("train", "resume"):
        done = subprocess.Popen([sys.executable, "-c", program, tmp_path / "run", repr(vars(settings)), how])
        deadline = time.monotonic() + 60
        first = {each.name for each in (tmp_path / "run").glob("checkpoints/*")}
        while time.monotonic() < deadline and done.poll() is None:
            now = {each.name for each in (tmp_path / "run").glob("checkpoints/*")}
            if len(now - first) >= 2:
                break
            time.sleep(0.01)
        os.kill(done.pid, signal.SIGKILL)
        assert done.wait() == -signal.SIGKILL
    assert timeless(resume(tmp_path / "run")) == timeless(expected)


# DQN


def test_a_dqn_goes_on_exactly(tmp_path):
    torch = pytest.importorskip("torch")
    settings = replace(SETTINGS, learner=DQN, episodes=60, evaluate_every=30)
    expected = train(settings, tmp_path / "unbroken")
    assert len(expected) == 3
    assert all(np.isfinite(line["loss"]) for line in expected[1:])
    with pytest.raises(TrainingInterrupted):
        train(settings, tmp_path / "run", watch=stop_at(44))
    assert timeless(resume(tmp_path / "run")) == timeless(expected)
    for one, other in zip(load_learners(tmp_path / "run"), load_learners(tmp_path / "unbroken"), strict=True):
        assert one.step_counter == other.step_counter > 60
        for network in ("_q_network", "_target_q_network"):
            pairs = zip(getattr(one, network).parameters(), getattr(other, network).parameters(), strict=True)
            assert all(torch.equal(left, right) for left, right in pairs)
        assert len(one.replay_buffer) == 30 < one.replay_buffer.entry_index
        for left, right in zip(one.replay_buffer.experience, other.replay_buffer.experience, strict=True):
            assert np.array_equal(left, right)
    found = evaluate(str(tmp_path / "run"), make_test_set(NIM, 40), games=2).whole
    assert found.policy.share == expected[-1]["policy_accuracy"]["share"]
    assert found.valued == 40
    last = tmp_path / "run" / "checkpoints" / "episode-0000000060.pt"
    for damaged in (last.read_bytes()[:2000], b"", b"text"):
        last.write_bytes(damaged)
        with pytest.raises(SgaiError, match=r"episode-0000000060.pt' is damaged"):
            load_learners(tmp_path / "run")


def test_learning_that_diverges_is_a_clear_error(tmp_path):
    pytest.importorskip("torch")
    settings = replace(SETTINGS, learner="dqn(hidden=[8],batch=4,least=4,learning_rate=1e30,learn_every=3)")
    with pytest.raises(SgaiError, match=r"diverged in episode \d+: .* smaller learning_rate"):
        train(settings, tmp_path / "run")
    assert len(load_learners(tmp_path / "run")) == 2


def test_a_dqn_without_torch_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "open_spiel.python.pytorch", None)
    monkeypatch.setitem(sys.modules, "open_spiel.python.pytorch.dqn", None)
    with pytest.raises(SgaiError, match=r"pip install 'sgai-openspiel\[rl\]'"):
        LearnerSpec.parse("dqn").learners(load_game(NIM), 0)


@pytest.mark.slow
def test_a_dqn_learns_nim(tmp_path):
    pytest.importorskip("torch")
    settings = TrainSettings(
        "sgai_nim(piles=[3;3])",
        "dqn(hidden=[32],batch=32,least=32,target_every=20,epsilon_end=0.2,epsilon_steps=600,learning_rate=0.01)",
        episodes=600,
        starts="balanced",
        evaluate_every=200,
    )
    lines = train(settings, tmp_path / "run")
    assert lines[-1]["policy_accuracy"]["share"] > 0.75 > lines[0]["policy_accuracy"]["share"]


# Bad input


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"learner": "q_learnin"}, "'q_learnin'; did you mean 'q_learning'"),
        ({"learner": "q_learning(step=1)"}, "'step'"),
        ({"learner": "q_learning(step_size=0)"}, "step_size='0.0'.*above 0"),
        ({"learner": "q_learning(epsilon=0.1,epsilon_end=0.2)"}, "epsilon_end"),
        ({"learner": "dqn(learn_every=2)"}, "learn_every='2'.*3 or more"),
        ({"learner": "dqn(optimizer=adamw)"}, "'adamw'.*did you mean 'adam'"),
        ({"starts": "everywhere"}, "'everywhere'.*starts are"),
        ({"starts": "random_play(least=9,most=3)"}, "moves='.9, 3.'"),
        ({"episodes": 0}, "episodes='0'"),
        ({"games": -1}, "games='-1'"),
        ({"game": "sgai_nimm"}, "'sgai_nimm'"),
        ({"game": "tic_tac_toe"}, "none of sgai's games"),
        ({"by": "cells"}, "by='cells'"),
    ],
)
def test_bad_settings_make_no_folder(tmp_path, options, words):
    with pytest.raises(SgaiError, match=words):
        train(replace(SETTINGS, **options), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.fixture
def stopped(tmp_path):
    """The folder of a run that was stopped half-way."""
    with pytest.raises(TrainingInterrupted):
        train(SETTINGS, tmp_path / "run", watch=stop_at(50))
    return tmp_path / "run"


def contents(folder):
    return {each.name: each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def damage_checkpoint(folder):
    path = folder / "checkpoints" / "episode-0000000050.npz"
    path.write_bytes(path.read_bytes()[:500])


def damage_line(folder):
    path = folder / "curves.jsonl"
    path.write_text(path.read_text().replace('"episode": 0', '"episode" 0'))


def damage_manifest(folder):
    (folder / "manifest.json").write_text("{")


def change_settings(folder):
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"episodes": 120', '"episodes": "many"'))


def drop_setting(folder):
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"keep"', '"keeps"'))


def change_learner(folder):
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace(NIM, "sgai_nim(piles=[9])").replace("balanced", "balance"))


def drop_manifest(folder):
    (folder / "manifest.json").unlink()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (damage_checkpoint, r"episode-0000000050.npz' is damaged.*delete it"),
        (damage_line, r"curves.jsonl', line 1 is damaged"),
        (damage_manifest, r"manifest.json' is damaged"),
        (change_settings, r"episodes='many'"),
        (drop_setting, r"its settings should be"),
        (change_learner, r"'balance'"),
        (drop_manifest, r"is no training run"),
    ],
)
def test_damaged_runs_are_refused_and_left_alone(stopped, damage, words):
    damage(stopped)
    before = contents(stopped)
    with pytest.raises(SgaiError, match=words):
        resume(stopped)
    assert contents(stopped) == before


def test_a_damaged_checkpoint_can_be_deleted(stopped, unbroken):
    damage_checkpoint(stopped)
    (stopped / "checkpoints" / "episode-0000000050.npz").unlink()
    assert timeless(resume(stopped)) == timeless(unbroken[1])


def test_two_runs_on_one_folder(stopped):
    run = training.RunFolder(stopped)
    with run.locked(), pytest.raises(SgaiError, match="in use by another run"):
        resume(stopped)
    with pytest.raises(SgaiError, match="is not empty; name a new one"):
        train(SETTINGS, stopped)


def test_folders_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "run", "/proc/sgai_run"):
        with pytest.raises(SgaiError, match="cannot be made"):
            train(SETTINGS, path)


# Starts and generators


def test_a_curriculum_follows_the_progress(tmp_path):
    sampler = StartsSpec.parse("balanced(source=curriculum,stages=3)").sampler(load_game(NIM), 0)
    assert curriculum_in(sampler).stages == 3
    assert curriculum_in(StartsSpec.parse("uniform").sampler(load_game(NIM), 0)) is None


def test_numpys_state_survives_json():
    np.random.seed(3)
    np.random.normal()  # one of a pair is kept back
    kept = json.loads(json.dumps(numpy_state()))
    expected = np.random.normal(), np.random.random()
    set_numpy_state(kept)
    assert (np.random.normal(), np.random.random()) == expected


# The command


def run(capsys, *arguments):
    code = main(["rl", "train", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_command_trains_and_goes_on(capsys, tmp_path):
    folder = str(tmp_path / "run")
    asked = ["--game", NIM, "--episodes", "20", "--evaluate-every", "10", "--positions", "20", "--games", "2"]
    code, out, _ = run(capsys, *asked, "--out", folder)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[:4]] == ["episode", "0", "10", "20"]
    assert out.splitlines()[-1] == f"20 episodes; curves and checkpoints are in {folder}"
    code, out, _ = run(capsys, "--resume", folder, "--episodes", "30", "--json", "--quiet")
    assert [line["episode"] for line in json.loads(out)] == [0, 10, 20, 30]
    for wrong, words in (
        ([], "--game GAME and --out DIR"),
        (["--resume", folder, "--seed", "3"], "--seed cannot be changed"),
        (["--resume", str(tmp_path / "no")], "is no training run"),
        ([*asked, "--out", folder], "is not empty"),
        ([*asked, "--out", folder, "--plot", "x.gif"], "x.gif"),
    ):
        code, out, err = run(capsys, *wrong, "--quiet")
        assert (code, out) == (2, "")
        assert words in err


def test_ctrl_c_keeps_what_was_done(capsys, tmp_path, ctrl_c_in_episode_7):
    asked = ["--game", NIM, "--positions", "20", "--games", "2", "--out", str(tmp_path / "run")]
    code, _, err = run(capsys, *asked, "--quiet")
    assert code == 130
    assert f"stopped after 7 episodes; `sgai rl train --resume {tmp_path / 'run'}` goes on" in err
    assert [each.name for each in (tmp_path / "run" / "checkpoints").iterdir()] != []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_tensorboards_curves(tmp_path, monkeypatch):
    pytest.importorskip("tensorboardX")
    train(replace(SETTINGS, episodes=40), tmp_path / "run", tensorboard=True)
    assert next((tmp_path / "run" / "tensorboard").iterdir()).stat().st_size > 200
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    with pytest.raises(SgaiError, match=r"sgai-openspiel\[tensorboard\]"):
        train(SETTINGS, tmp_path / "other", tensorboard=True)
    assert not (tmp_path / "other").exists()


def test_the_curves_are_drawn(unbroken, tmp_path):
    pytest.importorskip("matplotlib")
    from sgai.experiments.rl.plots import plot_training

    plot_training(unbroken[1], tmp_path / "x.svg", "a run")
    assert (tmp_path / "x.svg").stat().st_size > 1000
    with pytest.raises(SgaiError, match="no line of curves"):
        plot_training([], tmp_path / "y.svg")
