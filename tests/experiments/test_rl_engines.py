"""Evaluation, training and data sets on engines: what one process gives, whatever dies, stops or fails."""

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

import sgai
from sgai.envs import load_game
from sgai.errors import SgaiError
from sgai.experiments.cli.main import main
from sgai.experiments.engines import Engine, make_engine
from sgai.experiments.engines.serial import SerialEngine
from sgai.experiments.rl import datasets, several, slices, training
from sgai.experiments.rl.datasets import load_dataset, make_dataset, save_dataset
from sgai.experiments.rl.evaluation import evaluate, make_test_set
from sgai.experiments.rl.many import EvaluationFailed, EvaluationInterrupted, evaluate_all
from sgai.experiments.rl.players import portable
from sgai.experiments.rl.report import format_seeds, records
from sgai.experiments.rl.saved import load_learners
from sgai.experiments.rl.several import SeedsFailed, SeedsInterrupted, resume_seeds, train_seeds
from sgai.experiments.rl.train_settings import TrainSettings
from sgai.experiments.rl.training import TrainingInterrupted, resume, train

PLUGIN = '''
"""A ruleset that kills a worker once, where the file ``kill`` beside it names another process; and bots."""
import os, pathlib, signal
import sgai

FLAG = pathlib.Path(__file__).with_name("kill")

@sgai.register
class Strides(sgai.Ruleset[int, int]):
    """Go down by one or three."""
    name = "strides"
    height: int = 4
    def initial(self):
        return self.height
    def moves(self, position):
        if FLAG.exists() and FLAG.read_text() != str(os.getpid()):
            FLAG.unlink(missing_ok=True)
            os.kill(os.getpid(), signal.SIGKILL)
        for step in (1, 3):
            if step <= position:
                yield step, position - step

class First:
    """Makes its first legal move."""
    def __init__(self, game):
        pass
    def step(self, state):
        return state.legal_actions()[0]
    def restart(self):
        pass

class Drawn(First):
    """Makes a move by the global generator."""
    def step(self, state):
        import random
        return random.choice(state.legal_actions())

class Broken(First):
    def step(self, state):
        raise LookupError("no idea")

class Dies(First):
    def step(self, state):
        os._exit(9)
'''
GAME = "sgai_strides(height=12)"
SETTINGS = TrainSettings(
    GAME,
    "q_learning(step_size=0.5,epsilon=0.5,epsilon_end=0.1,epsilon_steps=300)",
    episodes=40,
    starts="balanced(source=random_play)",
    evaluate_every=20,
    checkpoint_every=15,
    positions=20,
    games=2,
)
SEEDS = (3, 8)


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    """Write and load a user's file."""
    file = tmp_path_factory.mktemp("plugin") / "strides_plugin.py"
    file.write_text(PLUGIN)
    sgai.load_plugin(file)
    return file


@pytest.fixture
def kill(plugin):
    """Return what lets the next worker that plays die."""
    flag = plugin.with_name("kill")
    yield lambda: flag.write_text(str(os.getpid()))
    assert not flag.exists()  # one died


@pytest.fixture(scope="module")
def pool(plugin):
    """Two processes for all tests."""
    with make_engine("pool", 2, [str(plugin)]) as engine:
        yield engine


@pytest.fixture(scope="module")
def unbroken(plugin, tmp_path_factory):
    """The runs of two seeds, each trained alone and in one go: their folders and curves."""
    folder = tmp_path_factory.mktemp("alone")
    return folder, {seed: train(replace(SETTINGS, seed=seed), folder / f"seed-{seed}") for seed in SEEDS}


def timeless(lines):
    return [{**line, "seconds": 0} for line in lines]


def answers(evaluations):
    return [{**line, "median_seconds": 0} for each in evaluations for line in records(each)]


def tables(folder):
    return [{key: dict(row) for key, row in agent._q_values.items()} for agent in load_learners(folder)]


def files(folder):
    return sorted(str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file())


def assert_same(folder, curves, unbroken):
    """Check curves, files, and what was learned against runs that were never cut."""
    alone, expected = unbroken
    assert {seed: timeless(lines) for seed, lines in curves.items()} == {
        seed: timeless(lines) for seed, lines in expected.items()
    }
    for seed in SEEDS:
        here, there = folder / f"seed-{seed}", alone / f"seed-{seed}"
        assert files(here) == files(there)
        written = [json.loads(line) for line in (here / "curves.jsonl").read_text().splitlines()]
        assert written == curves[seed]
        for checkpoint in (here / "checkpoints").iterdir():
            assert tables(checkpoint) == tables(there / "checkpoints" / checkpoint.name)


class Stops(SerialEngine):
    """This process, and Ctrl-C after so many outcomes."""

    def __init__(self, after):
        super().__init__()
        self.after = after

    def run(self, tasks, **options):
        for number, outcome in enumerate(super().run(tasks, **options)):
            if number == self.after:
                raise KeyboardInterrupt
            yield outcome


# Evaluation


@pytest.mark.slow
def test_agents_on_engines_answer_as_in_this_process(plugin, pool, unbroken):
    tests = make_test_set(GAME, 20, starts="random_play", seed=2)
    names = ["exact", "random", "mcts(simulations=20)", "First", "Drawn", str(unbroken[0] / "seed-3")]
    agents = [f"{plugin}:{name}" if name in ("First", "Drawn") else name for name in names]
    expected = answers([evaluate(each, tests, games=4, seed=5) for each in agents])
    seen, done = [], []
    found = evaluate_all(
        agents, tests, games=4, seed=5, engine=pool, watch=done.append, on_found=lambda each: seen.append(len(each))
    )
    assert answers(found) == expected
    assert [each.agent for each in found] == names
    assert seen == [1, 2, 3, 4, 5, 6]
    assert sum(done) == 6 * 24
    assert answers(evaluate_all(agents, tests, games=4, seed=5)) == expected  # on the engine "serial"


def test_what_a_budget_suffices_for_does_not_depend_on_who_was_judged_before():
    """In positions of which, with so few states, more would be found by who knows the labels."""
    tests = make_test_set("sgai_chomp(rows=4,columns=5)", 30, seed=1, states=15)
    assert tests.labels.solved.sum() > 0
    alone = evaluate("random", tests, games=10, seed=3)
    evaluate("exact", tests, games=10, seed=3)
    assert answers([evaluate("random", tests, games=10, seed=3)]) == answers([alone])
    assert answers([evaluate("random", pickle.loads(pickle.dumps(tests)), games=10, seed=3)]) == answers([alone])


@pytest.mark.parametrize("game", ["sgai_cram(rows=3,columns=3)", "sgai_sum", "zhou-riis-5", GAME])
def test_test_sets_can_be_sent(plugin, game):
    tests = make_test_set(game, 30, seed=4)
    sent = pickle.loads(pickle.dumps(tests))
    assert (sent.positions, sent.sizes, sent.name, sent.source, sent.by) == (
        tests.positions, tests.sizes, tests.name, tests.source, tests.by
    )  # fmt: skip
    assert np.array_equal(sent.labels.winning, tests.labels.winning)
    assert (sent.judge.states, sent.judge.seconds) == (tests.judge.states, tests.judge.seconds)


@pytest.mark.slow
def test_an_agent_whose_worker_is_killed_is_judged_again(plugin, pool, kill):
    tests = make_test_set(GAME, 40, starts="random_play", seed=2)
    agents = ["exact", "random", f"{plugin}:Drawn"]
    kill()
    assert answers(evaluate_all(agents, tests, games=4, engine=pool)) == answers(evaluate_all(agents, tests, games=4))


def test_agents_that_fail_are_named_and_the_others_kept(plugin, pool, tmp_path, capsys):
    tests = make_test_set(GAME, 10, starts="random_play")
    agents = ["exact", f"{plugin}:Broken", "random"]
    with pytest.raises(
        EvaluationFailed, match=r"Broken: every decision failed, the first so: LookupError: no idea$"
    ) as failed:
        evaluate_all(agents, tests, games=1, engine=pool)
    expected = [evaluate(each, tests, games=1) for each in ("exact", "random")]
    assert answers(failed.value.evaluations) == answers(expected)
    asked = ["rl", "evaluate", "--game", GAME, "--starts", "random_play", "--positions", "10", "--games", "1"]
    out = tmp_path / "found.jsonl"
    who = [option for agent in agents for option in ("--agent", agent)]
    assert main([*asked, *who, "--quiet", "--json", "--out", str(out)]) == 2
    shown = capsys.readouterr()
    assert "no idea" in shown.err
    assert {line["agent"] for line in json.loads(shown.out)} == {"exact", "random"}
    assert [json.loads(line) for line in out.read_text().splitlines()] == json.loads(shown.out)


@pytest.mark.slow
def test_an_agent_whose_worker_dies_each_time_is_named(plugin, pool):
    tests = make_test_set(GAME, 10, starts="random_play")
    with pytest.raises(EvaluationFailed, match=r"Dies: died: the worker ended with exit code 9$") as failed:
        evaluate_all(["exact", f"{plugin}:Dies", "random"], tests, games=1, engine=pool)
    assert [each.agent for each in failed.value.evaluations] == ["exact", "random"]


def test_ctrl_c_keeps_the_evaluations_that_are_through():
    tests = make_test_set("sgai_nim(piles=[2;3])", 10)
    with pytest.raises(EvaluationInterrupted) as stopped:
        evaluate_all(["exact", "random", "exact"], tests, games=1, engine=Stops(2))
    assert [each.agent for each in stopped.value.evaluations] == ["exact", "random"]


def test_learners_are_sent_without_their_folder(unbroken, tmp_path):
    tests = make_test_set(GAME, 20, starts="random_play")
    folder = tmp_path / "run"
    shutil.copytree(unbroken[0] / "seed-3", folder)
    expected = evaluate(str(folder), tests, games=2)
    sent = portable(str(folder), tests.game)
    shutil.rmtree(folder)
    assert evaluate(pickle.loads(pickle.dumps(sent)), tests, games=2).whole == expected.whole
    for wrong, words in ((str(folder), "there is no run or checkpoint"), ("exakt", "did you mean 'exact'")):
        with pytest.raises(SgaiError, match=words):
            portable(wrong, tests.game)
    with pytest.raises(SgaiError, match="was trained on"):
        portable(str(unbroken[0] / "seed-3"), load_game("sgai_nim(piles=[2;3])"))


def test_what_cannot_be_sent_is_refused(pool):
    tests = make_test_set("sgai_nim(piles=[2;3])", 10)
    with pytest.raises(SgaiError, match=r"<lambda> cannot be sent to workers .*give text such as module:attribute"):
        evaluate_all([lambda game: "random"], tests, engine=pool)
    with pytest.raises(SgaiError, match="there are 1 players"):
        evaluate_all(["exact"], tests, names=["a", "b"])


# Training


def test_slices_of_one_episode_give_the_unbroken_runs(unbroken, tmp_path, monkeypatch):
    monkeypatch.setattr(slices, "SLICE_SECONDS", 0.0)
    seen, done = [], []
    curves = train_seeds(SETTINGS, SEEDS, tmp_path, watch=done.append, on_line=lambda seed, line: seen.append(seed))
    assert_same(tmp_path, curves, unbroken)
    assert seen == [3, 8] * 3  # in turn
    assert sum(done) == 80
    assert len(done) == 1 + 2 * 41
    assert resume_seeds(tmp_path) == curves
    assert_same(tmp_path, curves, unbroken)


def test_training_on_a_pool(unbroken, tmp_path, pool, monkeypatch):
    monkeypatch.setattr(slices, "SLICE_SECONDS", 0.02)
    curves = train_seeds(SETTINGS, SEEDS, tmp_path / "several", engine=pool)
    assert_same(tmp_path / "several", curves, unbroken)
    one = train(replace(SETTINGS, seed=3), tmp_path / "one", engine=pool)
    assert timeless(one) == timeless(unbroken[1][3])
    assert tables(tmp_path / "one") == tables(unbroken[0] / "seed-3")


@pytest.mark.slow
def test_a_slice_whose_worker_is_killed_is_trained_again(unbroken, tmp_path, pool, kill, monkeypatch):
    monkeypatch.setattr(slices, "SLICE_SECONDS", 0.02)
    kill()
    assert_same(tmp_path, train_seeds(SETTINGS, SEEDS, tmp_path, engine=pool), unbroken)


def test_runs_that_were_interrupted_go_on_together_or_alone(unbroken, tmp_path, monkeypatch):
    monkeypatch.setattr(slices, "SLICE_SECONDS", 0.0)
    with pytest.raises(SeedsInterrupted) as stopped:
        train_seeds(SETTINGS, SEEDS, tmp_path, engine=Stops(35))  # slice 0 is the first line
    assert stopped.value.episodes == {3: 17, 8: 16}
    assert [len(lines) for lines in stopped.value.curves.values()] == [1, 1]
    for seed, episode in stopped.value.episodes.items():  # also where none was due
        assert (tmp_path / f"seed-{seed}" / "checkpoints" / f"episode-{episode:010}.npz").exists()
    assert timeless(resume(tmp_path / "seed-8")) == timeless(unbroken[1][8])
    with pytest.raises(SeedsInterrupted) as stopped:
        resume_seeds(tmp_path, engine=Stops(5))
    assert stopped.value.episodes == {3: 22, 8: 40}
    assert_same(tmp_path, resume_seeds(tmp_path), unbroken)
    manifest = json.loads((tmp_path / "seed-3" / "manifest.json").read_text())
    assert [each["episode"] for each in manifest["resumed"]] == [17, 22]


def test_more_episodes_for_all_seeds(tmp_path):
    settings = TrainSettings("sgai_nim(piles=[2;2])", episodes=20, evaluate_every=10, positions=20, games=2)
    expected = train_seeds(replace(settings, episodes=40), SEEDS, tmp_path / "at_once")
    train_seeds(settings, SEEDS, tmp_path / "run")
    with pytest.raises(SgaiError, match=r"episodes=10: the run has 20 already; .*seed-3"):
        resume_seeds(tmp_path / "run", episodes=10)
    curves = resume_seeds(tmp_path / "run", episodes=40)
    assert [timeless(lines) for lines in curves.values()] == [timeless(lines) for lines in expected.values()]
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["settings"]["episodes"] == 40


@pytest.mark.parametrize(
    "left", [pytest.param((), marks=pytest.mark.slow), (".manifest.json.part", "curves.jsonl", "checkpoints")]
)
def test_a_kill_while_the_folders_were_made(unbroken, tmp_path, left):
    train_seeds(SETTINGS, SEEDS, tmp_path)
    folder = tmp_path / "seed-8"
    for each in sorted(folder.rglob("*"), reverse=True):
        each.rmdir() if each.is_dir() else each.unlink()
    for name in left:
        (folder / name).mkdir() if name == "checkpoints" else (folder / name).write_text("")
    assert_same(tmp_path, resume_seeds(tmp_path), unbroken)


def test_a_run_that_lost_its_manifest_is_not_begun_anew(tmp_path):
    settings = TrainSettings("sgai_nim(piles=[2;2])", episodes=10, evaluate_every=10, positions=10, games=1)
    train_seeds(settings, SEEDS, tmp_path)
    (tmp_path / "seed-8" / "manifest.json").unlink()
    before = {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()}
    with pytest.raises(SgaiError, match=r"seed-8' holds something, but no manifest.json of a run; put that back, or"):
        resume_seeds(tmp_path, episodes=20)
    assert {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()} == before


def test_a_kill_while_more_episodes_were_asked_for(tmp_path):
    settings = TrainSettings("sgai_nim(piles=[2;2])", episodes=10, evaluate_every=10, positions=10, games=1)
    train_seeds(settings, SEEDS, tmp_path)
    manifest = tmp_path / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"episodes": 10', '"episodes": 20'))
    resume(tmp_path / "seed-3", episodes=30)  # alone, which the others do not know of
    assert [lines[-1]["episode"] for lines in resume_seeds(tmp_path).values()] == [30, 20]


def test_learning_that_fails_with_one_seed_names_it_and_the_others_go_on(unbroken, tmp_path, monkeypatch):
    real = training.Training.play

    def fails(self):
        if self.settings.seed == 8 and self.episode == 31:
            raise SgaiError("learning diverged in episode 32")
        real(self)

    monkeypatch.setattr(training.Training, "play", fails)
    with pytest.raises(SeedsFailed, match=r"^seed 8: learning diverged in episode 32$") as failed:
        train_seeds(SETTINGS, SEEDS, tmp_path)
    assert {seed: timeless(lines) for seed, lines in failed.value.curves.items()} == {3: timeless(unbroken[1][3])}
    names = [each.name for each in sorted((tmp_path / "seed-8" / "checkpoints").iterdir())]
    assert names == ["episode-0000000020.npz", "episode-0000000030.npz"]  # what was written before stays
    with pytest.raises(SgaiError, match=r"^learning diverged in episode 32$"), make_engine("serial") as engine:
        train(replace(SETTINGS, seed=8), tmp_path / "one", engine=engine)
    monkeypatch.undo()
    assert_same(tmp_path, resume_seeds(tmp_path), unbroken)


class Loses(SerialEngine):
    """This process, and from some outcome on workers that end each time."""

    def __init__(self, after):
        super().__init__()
        self.after = after

    def run(self, tasks, **options):
        for number, outcome in enumerate(super().run(tasks, **options)):
            yield outcome if number < self.after else replace(outcome, kind="died", value=None, reason="it ended")


def test_what_came_back_is_kept_when_a_workers_end_is_a_runs_end(unbroken, tmp_path, monkeypatch):
    monkeypatch.setattr(slices, "SLICE_SECONDS", 0.0)
    with pytest.raises(SeedsFailed, match=r"^seed 3: its worker could not go on after episode 6: died: it ended; seed"):
        train_seeds(SETTINGS, SEEDS, tmp_path, engine=Loses(14))
    assert files(tmp_path / "seed-3" / "checkpoints")[-1] == "episode-0000000006.npz"
    monkeypatch.undo()
    assert_same(tmp_path, resume_seeds(tmp_path), unbroken)


def test_ctrl_c_while_a_slice_is_written_takes_effect_after_it(unbroken, tmp_path, monkeypatch):
    real = several.RunWriter.line

    def pressed(self, line):
        if line["episode"] == 20:
            signal.raise_signal(signal.SIGINT)
        real(self, line)

    monkeypatch.setattr(several.RunWriter, "line", pressed)
    with pytest.raises(SeedsInterrupted) as stopped:
        train_seeds(SETTINGS, SEEDS, tmp_path)
    assert stopped.value.episodes == {3: 40, 8: 0}
    assert timeless(stopped.value.curves[3]) == timeless(unbroken[1][3])
    monkeypatch.undo()
    assert_same(tmp_path, resume_seeds(tmp_path), unbroken)


def test_rules_that_raise_in_training_are_named(tmp_path, monkeypatch):
    real = training.Training.play

    def fails(self):
        if self.episode == 31:
            raise LookupError("no such heap")
        real(self)

    monkeypatch.setattr(training.Training, "play", fails)
    with pytest.raises(SeedsFailed, match=r"^seed 3: LookupError: no such heap; seed 8: LookupError: no such heap$"):
        train_seeds(SETTINGS, SEEDS, tmp_path)
    assert len((tmp_path / "seed-3" / "curves.jsonl").read_text().splitlines()) == 2  # of the same slice


class Breaks(Engine):
    """Gives one outcome, and then cannot go on."""

    def run(self, tasks, **options):
        yield next(SerialEngine().run(tasks))
        raise SgaiError("the workers end before they do anything")


def test_what_came_back_is_kept_when_an_engine_breaks(unbroken, tmp_path, monkeypatch):
    monkeypatch.setattr(slices, "SLICE_SECONDS", 0.0)
    with pytest.raises(SgaiError, match="the workers end"):
        train_seeds(SETTINGS, SEEDS, tmp_path, engine=Breaks())
    assert files(tmp_path / "seed-3" / "checkpoints") == ["episode-0000000000.npz"]
    monkeypatch.undo()
    assert_same(tmp_path, resume_seeds(tmp_path), unbroken)


def test_ctrl_c_in_this_process_takes_effect_after_the_episode(unbroken, tmp_path, ctrl_c_in_episode_7, capsys):
    asked = ["rl", "train", "--game", GAME, "--positions", "20", "--games", "2", "--quiet", "--out"]
    assert main([*asked, str(tmp_path / "one"), "--engine", "serial"]) == 130
    assert f"stopped after 7 episodes; `sgai rl train --resume {tmp_path / 'one'}` goes on" in capsys.readouterr().err
    ctrl_c_in_episode_7.clear()
    assert main([*asked, str(tmp_path / "two"), "--seed", "3", "--seed", "8"]) == 130
    said = capsys.readouterr().err
    assert "stopped after these episodes: 7 of seed 3, 0 of seed 8; `sgai rl train --resume " in said
    assert files(tmp_path / "two" / "seed-3" / "checkpoints")[-1] == "episode-0000000007.npz"
    ctrl_c_in_episode_7.clear()
    with make_engine("serial") as engine, pytest.raises(TrainingInterrupted) as stopped:
        train(SETTINGS, tmp_path / "three", engine=engine)
    assert stopped.value.episode == 7


@pytest.mark.slow
def test_a_dqn_in_slices(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(slices, "SLICE_SECONDS", 0.0)
    settings = replace(
        SETTINGS,
        game="sgai_nim(piles=[2;3])",
        learner="dqn(hidden=[16],batch=8,least=8,buffer=30,learn_every=3,target_every=10,epsilon_steps=100)",
        starts="uniform",
        episodes=16,
        evaluate_every=8,
        positions=10,
        games=1,
    )
    expected = train(settings, tmp_path / "alone")
    with make_engine("serial") as engine:
        assert timeless(train(settings, tmp_path / "sliced", engine=engine)) == timeless(expected)
    for one, other in zip(load_learners(tmp_path / "sliced"), load_learners(tmp_path / "alone"), strict=True):
        pairs = zip(one._q_network.parameters(), other._q_network.parameters(), strict=True)
        assert all(torch.equal(left, right) for left, right in pairs)


def test_large_checkpoints_end_a_slice(unbroken, tmp_path, monkeypatch):
    monkeypatch.setattr(slices, "_MOST_BYTES", 1)
    done = []
    curves = train_seeds(SETTINGS, SEEDS, tmp_path, watch=done.append)
    assert_same(tmp_path, curves, unbroken)
    assert len(done) > 10


@pytest.mark.slow
def test_a_killed_command_goes_on_and_so_does_one_that_was_interrupted(tmp_path):
    """SIGKILL of the process that writes, then Ctrl-C, with workers; the end is that of an unbroken run."""
    settings = TrainSettings("sgai_nim(piles=[3;4;5])", episodes=6000, evaluate_every=500, checkpoint_every=100)
    asked = ["rl", "train", "--game", settings.game, "--episodes", "6000", "--evaluate-every", "500",
             "--checkpoint-every", "100", "--seed", "3", "--seed", "8"]  # fmt: skip
    folder = tmp_path / "run"
    how = ["--engine", "pool", "--concurrency", "2", "--quiet"]
    program = [
        "import sys",
        "from sgai.experiments.rl import slices",
        "from sgai.experiments.cli.main import main",
        "if __name__ == '__main__':",
        "    slices.SLICE_SECONDS = 0.3",
        "    sys.exit(main(sys.argv[1:]))",
    ]
    (tmp_path / "short_slices.py").write_text("\n".join(program))
    command = [sys.executable, str(tmp_path / "short_slices.py")]
    expected = {seed: train(replace(settings, seed=seed), tmp_path / f"alone-{seed}") for seed in SEEDS}
    begun = [*asked, "--out", str(folder)]
    for number in (signal.SIGKILL, signal.SIGINT):
        process = subprocess.Popen([*command, *begun, *how], stderr=subprocess.PIPE, text=True)
        before = {each.name for each in folder.rglob("episode-*")}
        deadline = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < deadline:
            if len({each.name for each in folder.rglob("episode-*")} - before) >= 2:
                break
            time.sleep(0.01)
        assert process.poll() is None
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
        begun = ["rl", "train", "--resume", str(folder)]
    assert process.returncode == 130
    assert "of seed 8; `sgai rl train --resume" in said
    assert max(len((folder / f"seed-{seed}" / "curves.jsonl").read_text().splitlines()) for seed in SEEDS) < 13
    assert subprocess.run([*command, *begun, *how], timeout=300).returncode == 0
    for seed in SEEDS:
        lines = [json.loads(line) for line in (folder / f"seed-{seed}" / "curves.jsonl").read_text().splitlines()]
        assert timeless(lines) == timeless(expected[seed])
        assert tables(folder / f"seed-{seed}") == tables(tmp_path / f"alone-{seed}")


# Data sets


@pytest.mark.parametrize(
    ("game", "options"),
    [
        (GAME.replace("12", "300"), {}),
        ("sgai_kayles(piles=[9;9])", {"split": "more_heaps"}),
        ("sgai_grundys_game(piles=[30;31])", {"states": 25}),  # of which not all are solved
        pytest.param("sgai_chomp(rows=4,columns=5)", {"states": 25}, marks=pytest.mark.slow),
    ],
)
def test_data_sets_are_equal_byte_by_byte(plugin, pool, tmp_path, monkeypatch, game, options):
    monkeypatch.setattr(datasets, "CHUNK", 12)
    with make_engine("serial") as serial:
        for name, engine in (("none", None), ("serial", serial), ("pool", pool)):
            save_dataset(make_dataset(game, 50, seed=6, engine=engine, **options), tmp_path / name)
    contents = {(tmp_path / name).read_bytes() for name in ("none", "serial", "pool")}
    assert len(contents) == 1
    solved = load_dataset(tmp_path / "none").solved
    assert solved.any()
    assert solved.all() == ("states" not in options)


@pytest.mark.slow
def test_a_data_set_whose_worker_dies(plugin, pool, tmp_path, monkeypatch, kill):
    monkeypatch.setattr(datasets, "CHUNK", 12)
    kill()
    found = make_dataset(GAME.replace("12", "300"), 50, engine=pool)
    assert np.array_equal(found.grundy, make_dataset(GAME.replace("12", "300"), 50).grundy)
    assert found.grundy.tolist() == [int(text) % 2 for text in found.positions.tolist()]


def test_chunks_that_fail_are_named(plugin, monkeypatch):
    monkeypatch.setattr(datasets, "CHUNK", 5)

    class Fails(SerialEngine):
        def run(self, tasks, **options):
            for outcome in super().run(tasks, **options):
                yield replace(outcome, kind="raised", reason="LookupError: not here")

    with pytest.raises(SgaiError, match="positions 1 to 5 could not be labelled: raised: LookupError: not here"):
        make_dataset(GAME.replace("12", "9000"), 10, engine=Fails())


# The command


@pytest.mark.slow
@pytest.mark.parametrize("how", [["--engine", "serial"], ["--concurrency", "2"]], ids=["serial", "pool"])
def test_the_commands_take_engines(plugin, tmp_path, capsys, how):
    """A user's ruleset and bot in workers; the files and answers are those of this process."""
    where = ["--plugin", str(plugin), "--quiet"]
    for name in ("here", "there"):
        folder = tmp_path / name
        folder.mkdir()
        file, where = str(folder / "found.jsonl"), [*where, *(how if name == "there" else [])]
        commands = [
            ["evaluate", "--starts", "random_play", "--positions", "20", "--games", "2", "--agent", f"{plugin}:First",
             "--agent", "exact", "--out", file],
            ["dataset", "--positions", "10", "--out", str(folder / "x.npz")],
            ["train", "--episodes", "20", "--evaluate-every", "10", "--positions", "20", "--games", "2", "--seed", "3",
             "--seed", "8", "--out", str(folder / "run")],
        ]  # fmt: skip
        for command, *rest in commands:
            assert main(["rl", command, "--game", GAME, *rest, *where]) == 0
        out = capsys.readouterr().out
        assert f"curves and checkpoints are in {folder / 'run'}/seed-N" in out
        assert [line.split()[0] for line in out.splitlines()[-7:-2]] == ["-------", "3", "8", "mean", "from-to"]
    here, there = tmp_path / "here", tmp_path / "there"
    where = ["--plugin", str(plugin), "--quiet"]
    assert (here / "x.npz").read_bytes() == (there / "x.npz").read_bytes()
    assert files(here) == files(there)
    for name, time_ in (("found.jsonl", "median_seconds"), ("run/seed-8/curves.jsonl", "seconds")):
        one, other = (
            [{**json.loads(line), time_: 0} for line in (each / name).read_text().splitlines()]
            for each in (here, there)
        )
        assert one == other
    assert main(["rl", "train", "--resume", str(here / "run"), "--episodes", "30", "--json", *where]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(line["seed"], line["episode"]) for line in found] == [
        (seed, episode) for seed in SEEDS for episode in (0, 10, 20, 30)
    ]


def test_what_the_commands_do_not_take(tmp_path, capsys):
    settings = TrainSettings("sgai_nim(piles=[2;2])", episodes=10, evaluate_every=10, positions=10, games=1)
    run, data = str(tmp_path / "run"), str(tmp_path / "x.npz")
    train_seeds(settings, SEEDS, run)
    save_dataset(make_dataset(settings.game, 5), data)
    for command, words in (
        (["evaluate", "--game", settings.game, "--agent", run], "holds the runs of several seeds; name one"),
        (["train", "--resume", run, "--episodes", "5"], "episodes=5: the run has 10 already"),
        (["train", "--resume", run, "--seed", "3"], "--seed cannot be changed"),
        (["dataset", "--check", data, "--concurrency", "2"], "--check is done in this process"),
    ):
        assert main(["rl", *command, "--quiet"]) == 2
        assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["evaluate", "--engine", "pol"], "did you mean 'pool'"),
        (["evaluate", "--address", "here:1"], "only the engine 'ray' has one"),
        (["evaluate", "--engine", "serial", "--concurrency", "2"], "one worker"),
        (["evaluate", "--agent", "exact", "--agent", "exakt", "--concurrency", "2"], "did you mean 'exact'"),
        (["evaluate", "--agent", "no.py:Bot", "--concurrency", "2"], "there is no file 'no.py'"),
        (["train", "--engine", "pol"], "did you mean 'pool'"),
        (["train", "--seed", "4", "--seed", "4"], "seed 4 is given twice"),
        (["train", "--seed", "1", "--seed", "2", "--learner", "q_learnin", "--concurrency", "2"], "'q_learnin'"),
        (["train", "--seed", "1", "--seed", "2", "--starts", "everywhere"], "'everywhere'"),
        (["train", "--seed", "1", "--seed", "2", "--address", "here:1"], "only the engine 'ray' has one"),
        (["train", "--seed", "1", "--seed", "-2"], "-2"),
        (["dataset", "--address", "here:1"], "only the engine 'ray' has one"),
        (["dataset", "--concurrency", "0"], "1 or more"),
    ],
)
def test_bad_combinations_write_nothing(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command, *rest = arguments
    assert main(["rl", command, "--game", "sgai_nim(piles=[2;3])", "--out", "out", "--quiet", *rest]) == 2
    shown = capsys.readouterr()
    assert words in shown.err
    assert shown.out == ""
    assert not any(tmp_path.iterdir())


def test_folders_that_hold_something_else(tmp_path):
    settings = TrainSettings("sgai_nim(piles=[2;2])", episodes=10, evaluate_every=10, positions=10, games=1)
    train_seeds(settings, [1, 2], tmp_path / "run")
    with pytest.raises(SgaiError, match="is not empty; name a new one"):
        train_seeds(settings, [1, 2], tmp_path / "run")
    with pytest.raises(SgaiError, match="holds no runs of several seeds"):
        resume_seeds(tmp_path / "run" / "seed-1")
    with pytest.raises(SgaiError, match=r"holds the runs of several seeds; name one of them, such as '.*seed-1'"):
        resume(tmp_path / "run")
    run = training.RunFolder(tmp_path / "run" / "seed-2")
    with run.locked(), pytest.raises(SgaiError, match=r"seed-2' is in use by another run"):
        resume_seeds(tmp_path / "run")
    with pytest.raises(SgaiError, match="give one or more"):
        train_seeds(settings, [], tmp_path / "none")
    checkpoint = next((tmp_path / "run" / "seed-2" / "checkpoints").iterdir())
    checkpoint.with_name("episode-0000000010.npz").write_bytes(b"PK")
    before = {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()}
    with pytest.raises(SgaiError, match=r"seed-2/checkpoints/episode-0000000010.npz' is damaged"):
        resume_seeds(tmp_path / "run", episodes=20)
    assert {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()} == before
    manifest = tmp_path / "run" / "manifest.json"
    whole = manifest.read_text()
    manifest.write_text(whole.replace('"keep"', '"kept"'))
    with pytest.raises(SgaiError, match=r"the manifest of '.*run' is damaged: its settings should be by, checkpoint_e"):
        resume_seeds(tmp_path / "run")
    manifest.write_text(whole.replace('"seeds"', '"seds"'))
    with pytest.raises(SgaiError, match=r"manifest.json' is damaged: KeyError: 'seeds'"):
        resume_seeds(tmp_path / "run")
    for seeds, words in (
        ([1, 2, 1], "seed 1 is given twice"),
        ([], "give one or more"),
        ([-2], "seed='-2'"),
        (3, "'int'"),
    ):
        manifest.write_text(json.dumps({**json.loads(whole), "seeds": seeds}))
        with pytest.raises(SgaiError, match=f"manifest.json' is damaged: .*{words}"):
            resume_seeds(tmp_path / "run")
    with pytest.raises(SgaiError, match="cannot be made"):
        train_seeds(settings, [1, 2], "/proc/sgai_runs")


def test_the_table_of_seeds(unbroken):
    last = [lines[-1]["policy_accuracy"]["share"] for lines in unbroken[1].values()]
    shown = format_seeds(unbroken[1]).splitlines()
    assert f"{sum(last) / 2:.1%}" in shown[4]
    assert f"{min(last):.1%} - {max(last):.1%}" in shown[5]
    nothing = {"share": None, "low": None, "high": None, "cases": 0}
    assert "nan" not in format_seeds({1: [{**unbroken[1][3][-1], "value_accuracy": nothing}]})


@pytest.mark.slow
def test_the_plot_of_seeds(unbroken, tmp_path):
    pytest.importorskip("matplotlib")
    from sgai.experiments.rl.plots import plot_seeds

    shorter = {3: unbroken[1][3], 8: unbroken[1][8][:2]}  # one is not as far
    plot_seeds(shorter, tmp_path / "x.svg", "runs")
    assert (tmp_path / "x.svg").stat().st_size > 1000
    with pytest.raises(SgaiError, match="no line of curves"):
        plot_seeds({1: []}, tmp_path / "y.svg")


def test_names_are_public():
    from sgai.experiments import rl

    for name in ("evaluate_all", "train_seeds", "resume_seeds", "format_seeds", "SeedsFailed", "EvaluationFailed"):
        assert name in rl.__all__
        assert getattr(rl, name)
    assert rl.train_seeds is several.train_seeds
