"""The engine on Ray: a local cluster of two CPUs, a match, a sweep, dead and hung workers, and bad addresses."""

import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest

import sgai
from sgai.experiments import latency, matches
from sgai.experiments.cli.main import main
from sgai.experiments.engines import Feed, Task, loaded_files, make_engine

ray = pytest.importorskip("ray")
ray_engine = pytest.importorskip("sgai.experiments.engines.ray_engine")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("ray")]

TASKS = '''
"""Tasks that behave and tasks that do not."""
import os, pathlib, signal, time

def square(number):
    return number * number

def hang():
    return sum(range(10**13))  # where no exception can reach

def raises():
    raise LookupError("nothing here")

def dies(folder):
    """End the process twice, and succeed the third time."""
    tries = pathlib.Path(folder) / "tries"
    tries.write_text((tries.read_text() if tries.exists() else "") + "x")
    if len(tries.read_text()) < 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return len(tries.read_text())

def dies_always():
    os._exit(7)

def unpicklable():
    return lambda: 1

def who():
    return os.getpid()

def value(name):
    import sgai
    return str(sgai.load_ruleset(name))
'''

PLUGIN = '''
import os, pathlib, signal
import sgai

@sgai.register
class Skips(sgai.Ruleset[int, int]):
    """Go down by one or three."""
    name = "skips"
    height: int = 4
    def initial(self):
        return self.height
    def moves(self, position):
        flag = pathlib.Path(__file__).with_name("kill")
        if self.height == 6 and flag.exists() and flag.read_text() != str(os.getpid()):  # not in the test itself
            flag.unlink(missing_ok=True)
            os.kill(os.getpid(), signal.SIGKILL)
        for step in (1, 3):
            if step <= position:
                yield step, position - step

class First:
    """A bot that makes its first legal move."""
    def __init__(self, game):
        pass
    def restart(self):
        pass
    def step(self, state):
        return state.legal_actions()[0]
'''


@pytest.fixture(scope="module")
def cluster():
    """Connect to a cluster of two CPUs of this machine, which the engines of the tests must leave running."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=100_000_000)
    yield
    assert ray.is_initialized()
    ray.shutdown()


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    """Write a user's file; its ruleset kills the process that plays it where there is a file ``kill`` beside it."""
    file = tmp_path_factory.mktemp("plugin") / "skips_plugin.py"
    file.write_text(PLUGIN)
    return file


@pytest.fixture(scope="module", autouse=True)
def only_files_of_these_tests():
    """Let engines send no plugins that tests of other modules have loaded, which may need what is gone."""
    others = set(ray_engine.loaded_files())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ray_engine, "loaded_files", lambda: [each for each in loaded_files() if each not in others])
        yield


@pytest.fixture
def tasks(tmp_path, monkeypatch):
    """Write a module of tasks where workers find it too."""
    (tmp_path / "tasks_of_a_ray_test.py").write_text(TASKS)
    monkeypatch.syspath_prepend(tmp_path)
    import tasks_of_a_ray_test

    yield tasks_of_a_ray_test
    del sys.modules["tasks_of_a_ray_test"]


def test_ray_survives_all_that_tasks_do(cluster, tasks, tmp_path):
    listed = [
        Task(0, tasks.square, (5,)),
        Task(1, tasks.hang),
        Task(2, tasks.raises),
        Task(3, tasks.dies, (str(tmp_path),)),
        Task(4, tasks.dies_always),
        *(Task(i, tasks.square, (i,)) for i in range(5, 9)),
        Task(9, tasks.unpicklable),
        Task(10, sys.exit, (3,)),
    ]
    with make_engine("ray", 2) as engine:
        found = {each.index: each for each in engine.run(iter(listed), seconds=5.0)}
        assert sorted(found) == list(range(11))
        assert (found[10].kind, found[10].reason) == ("raised", "SystemExit: 3")
        assert (found[0].kind, found[0].value) == ("done", 25)
        assert (found[1].kind, found[1].reason) == ("hung", "it took more than 5 s")
        assert (found[2].kind, found[2].reason) == ("raised", "LookupError: nothing here")
        assert (found[3].kind, found[3].value) == ("done", 3)
        assert found[4].kind == "died"
        assert found[4].reason.startswith("the worker ended")
        assert [found[i].value for i in range(5, 9)] == [i * i for i in range(5, 9)]
        assert found[9].kind == "raised"
        drawn = []

        def endless():
            for i in range(10**9):
                drawn.append(i)
                yield Task(i, tasks.who)

        outcomes = engine.run(endless())  # the same engine goes on, and the consumer may stop at any time
        worker = next(outcomes).value
        outcomes.close()
        assert worker != os.getpid()
        assert len(drawn) <= 5
    _wait_until_gone(worker)


def test_a_match_on_ray_is_that_of_the_pool(cluster, plugin, tmp_path):
    """A ruleset and a bot of a user's file, agents with budgets of nodes and simulations, and random openings."""
    played = {}
    for name in ("pool", "ray"):
        settings = matches.MatchSettings.parse(
            ["mcts(simulations=20)", "hybrid(nodes=50)", f"{plugin}:First"], ["sgai_nim(piles=[2;3;4])"],
            rounds=2, seed=5, openings="random", plugins=[str(plugin)],
        )  # fmt: skip
        with make_engine(name, 2, settings.plugins) as engine:
            records = matches.play_match(settings, matches.new_folder(str(tmp_path / name)), engine=engine)
        played[name] = [each.without_times() for each in records]
    assert len(played["ray"]) == 12
    assert played["ray"] == played["pool"]


def test_a_sweep_on_ray_is_that_of_the_pool_though_a_worker_is_killed(cluster, plugin, tmp_path):
    answers, flag = {}, plugin.with_name("kill")
    for name in ("pool", "ray"):
        command = [
            "sweep", "skips(height={n})", "cram(rows={rows},columns=4)", "--range", "n=1-9", "--range", "rows=1-3",
            "--plugin", str(plugin), "--engine", name, "--concurrency", "2", "--out", str(tmp_path / name),
            "--quiet",
        ]  # fmt: skip
        if name == "ray":
            flag.touch()
        assert main(command) == 0
        assert not flag.exists()
        answers[name] = [
            {k: v for k, v in each.items() if k != "seconds"}
            for each in map(json.loads, (tmp_path / name / "answers.jsonl").read_text().splitlines())
        ]
    assert len(answers["ray"]) == 12
    for each in answers.values():  # they came as they were ready
        each.sort(key=lambda answer: answer["ruleset"])
    assert answers["ray"] == answers["pool"]


def test_decisions_on_ray_are_those_of_this_process_though_a_worker_is_killed(cluster, plugin, tmp_path):
    """New processes find the plugin as the workers do."""
    flag = plugin.with_name("kill")
    sgai.load_plugin(plugin)
    settings = latency.LatencySettings.parse(
        ["exact", "mcts(simulations=20)"], ["sgai_skips(height={size})", "sgai_cram(rows=2,columns={size})"],
        sizes=[3, 6], positions=2, repeats=2, fresh=1, plugins=(str(plugin),),
    )  # fmt: skip
    here = latency.run_latency(settings)
    with make_engine("ray", 2, settings.plugins) as engine:
        found = latency.run_latency(settings, samples=tmp_path / "all.csv", engine=engine, begun=lambda _: flag.touch())
    assert not flag.exists()
    assert [_without_times(each) for each in found.samples] == [_without_times(each) for each in here.samples]
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 1 + len(here.samples) == 1 + 4 * (2 * 2 * 2 * 2 + 2)
    assert {each.problem for each in found.samples} == {None}
    assert {each["processor"] for each in found.machines.values()} == {here.machine["processor"]}


def _without_times(sample):
    return replace(sample, seconds=0, cpu_seconds=0, setup_seconds=None, memory=None)


def test_new_processes_of_a_machine_without_the_plugins_file_load_what_was_sent(cluster, tmp_path):
    file = tmp_path / "falls_plugin.py"
    file.write_text(PLUGIN.replace("Skips", "Falls").replace("skips", "falls"))
    sgai.load_plugin(file)
    settings = latency.LatencySettings.parse(
        ["random"], ["sgai_falls"], positions=1, repeats=1, modes=("cold",), fresh=1, plugins=(str(file),)
    )
    with make_engine("ray", 1, settings.plugins) as engine:  # which has read the file
        found = latency.run_latency(settings, engine=engine, begun=lambda _: file.unlink())
    assert [(each.mode, each.problem) for each in found.samples] == [("cold", None), ("fresh", None)]


def test_latency_on_ray_by_the_command_with_a_plugin_by_a_relative_path(cluster, plugin, capsys, monkeypatch):
    monkeypatch.chdir(plugin.parent)
    command = [
        "latency", "--plugin", plugin.name, "--game", "sgai_skips(height={size})", "--sizes", "4,5", "--agent",
        "random", "--positions", "1", "--repeats", "1", "--mode", "cold", "--fresh", "1", "--engine", "ray", "--quiet",
        "--concurrency", "2", "--json",
    ]  # fmt: skip
    assert main(command) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [(row["size"], row["mode"], row["failed"]) for row in shown["rows"]] == [
        (size, mode, 0) for size in (4, 5) for mode in ("cold", "fresh")
    ]
    assert shown["games_at_once"] == 2


def test_tasks_may_follow_from_outcomes_on_ray(cluster, tasks):
    feed, found = Feed(), []
    feed.add(Task(0, tasks.square, (2,)))
    feed.add(Task(1, tasks.square, (3,)))
    with make_engine("ray", 2) as engine:
        for each in engine.run(feed):
            found.append(each.value)
            if each.value < 1000:
                feed.add(Task(each.index, tasks.square, (each.value,)))
    assert sorted(found) == [4, 9, 16, 81, 256, 6561, 65536]


def test_rl_on_ray_is_that_of_this_process_though_a_worker_is_killed(cluster, plugin, tmp_path, monkeypatch, capsys):
    """Evaluation with a user's bot and a training run, a data set, and training with two seeds by short slices."""
    from sgai.experiments.rl import slices

    monkeypatch.setattr(slices, "SLICE_SECONDS", 0.1)
    flag, timeless = plugin.with_name("kill"), {}
    for name in ("here", "ray"):
        folder = tmp_path / name
        folder.mkdir()
        how = [
            "--plugin",
            str(plugin),
            "--quiet",
            *(["--engine", "ray", "--concurrency", "2"] if name == "ray" else []),
        ]
        game = ["--game", "sgai_skips(height=6)", "--positions", "20"]
        trained = str(tmp_path / "here" / "run" / "seed-2")
        commands = [
            ["train", *game, "--episodes", "200", "--evaluate-every", "50", "--checkpoint-every", "30", "--games", "2",
             "--seed", "1", "--seed", "2", "--out", str(folder / "run")],
            ["evaluate", *game, "--starts", "random_play", "--games", "3", "--agent", "exact", "--agent", trained,
             "--agent", f"{plugin}:First", "--agent", "random", "--out", str(folder / "found.jsonl")],
            ["dataset", "--game", "sgai_skips(height=1500)", "--positions", "1200", "--out", str(folder / "x.npz")],
        ]  # fmt: skip
        for command in commands:
            if name == "ray" and command[0] == "train":
                flag.write_text(str(os.getpid()))
            assert main(["rl", *command, *how]) == 0, capsys.readouterr().err
            assert not flag.exists()
        written = [*(folder / "run").rglob("*.jsonl"), folder / "found.jsonl"]
        timeless[name] = {
            path.relative_to(folder): [
                {**json.loads(line), "seconds": 0, "median_seconds": 0} for line in path.read_text().splitlines()
            ]
            for path in written
        }
    assert timeless["ray"] == timeless["here"]
    assert [len(lines) for path, lines in timeless["ray"].items() if path.name == "curves.jsonl"] == [5, 5]
    assert (tmp_path / "ray" / "x.npz").read_bytes() == (tmp_path / "here" / "x.npz").read_bytes()


def test_a_hung_and_a_dying_bot_forfeit_on_ray(cluster, tmp_path):
    bots = tmp_path / "bad_bots_of_a_ray_test.py"
    bots.write_text(
        "import os\n\nclass Hangs:\n    def step(self, state):\n        return sum(range(10**13))\n\n"
        "class Waits:\n    def step(self, state):\n        import time\n        time.sleep(1000)\n\n"
        "class Dies:\n    def step(self, state):\n        os._exit(9)\n"
    )
    for bot, why in (("Hangs", "had to be ended"), ("Waits", "took more than 1 s"), ("Dies", "the worker ended")):
        settings = matches.MatchSettings.parse([f"{bots}:{bot}", "random"], ["nim"], rounds=1, seed=0, limit=1.0)
        with make_engine("ray", 2) as engine:
            records = matches.play_match(settings, matches.new_folder(str(tmp_path / bot)), engine=engine)
        assert [each.winner for each in records] == ["random", "random"]
        assert all(why in (each.forfeit or "") for each in records), [each.forfeit for each in records]


def test_a_plugin_that_cannot_be_loaded_there(cluster, tmp_path, tasks):
    plugin = tmp_path / "breaks_elsewhere.py"
    plugin.write_text("import ray\nif ray.get_runtime_context().worker.mode != 0:\n    raise OSError('no')\n")
    with (
        make_engine("ray", 1, [str(plugin)]) as engine,
        pytest.raises(sgai.SgaiError, match=r"cannot be prepared: .*could not be loaded: OSError: no"),
    ):
        list(engine.run([Task(0, tasks.who)]))


def test_files_that_a_machine_does_not_have_are_written_there(tmp_path, monkeypatch):
    from sgai.experiments.engines import ray_engine

    loaded = []
    monkeypatch.setattr(ray_engine, "prepare_worker", loaded.extend)
    monkeypatch.setattr(sgai.registry, "_moved", {})
    monkeypatch.chdir(tmp_path)
    here = tmp_path / "here.py"
    here.write_bytes(b"x = 1\n")
    gone = tmp_path / "gone"
    ray_engine.prepare_here(
        str(gone),
        {str(here): b"x = 1\n", str(gone / "bots" / "mine.py"): b"y = 2\n", "/elsewhere/other.py": b"z = 3\n"},
    )
    assert Path(loaded[0]) == here
    assert Path("bots/mine.py").read_bytes() == b"y = 2\n"  # by the name that it has below the current folder
    assert Path(loaded[1]) == Path.cwd() / "bots" / "mine.py"
    assert Path(loaded[2]).read_bytes() == b"z = 3\n"
    assert sgai.load_plugin("/elsewhere/other.py").z == 3  # by the path that it has where it came from
    changed = tmp_path / "changed.py"
    changed.write_bytes(b"old\n")
    ray_engine.prepare_here(str(tmp_path), {str(changed): b"new\n"})
    assert Path.cwd() == tmp_path
    assert Path(loaded[3]).read_bytes() == b"new\n"
    assert changed.read_bytes() == b"old\n"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("127.0.0.1:9", "no Ray cluster answers at '127.0.0.1:9'"),
        ("ray://127.0.0.1:9", "no Ray cluster answers at 'ray://127.0.0.1:9'"),
        ("127.0.0.1", "should be HOST:PORT"),
        ("there:99999", "no Ray cluster answers|should be"),
    ],
)
def test_addresses_that_do_not_answer(address, words, tmp_path):
    code = (
        "import sys, sgai.experiments.engines as e\n"
        "try:\n    e.make_engine('ray', 1, (), sys.argv[1])\nexcept Exception as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    started = time.monotonic()
    found = subprocess.run([sys.executable, "-c", code, address], capture_output=True, text=True, timeout=120)
    assert re.search(f"SgaiError .*({words})", found.stdout), found
    assert time.monotonic() - started < 60


def test_the_command_starts_and_ends_its_own_cluster_also_on_ctrl_c(tmp_path):
    """What is finished stays, nothing that it started stays, and the match goes on from there."""
    folder = tmp_path / "match"
    command = [sys.executable, "-m", "sgai", "match", "--quiet"]
    begin = [
        *command, "--agent", "mcts(simulations=300)", "--agent", "random", "--game", "sgai_nim(piles=[5;6;7])",
        "--rounds", "40", "--engine", "ray", "--concurrency", "2", "--out", str(folder),
    ]  # fmt: skip
    process = subprocess.Popen(begin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if (folder / "games.jsonl").exists() and len((folder / "games.jsonl").read_bytes().splitlines()) >= 3:
            break
        time.sleep(0.05)
    children = _descendants(process.pid)
    assert len(children) > 2
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "interrupted after" in out
    for each in children:
        _wait_until_gone(each)
    kept = len(list(matches.read_records(folder)))
    assert 3 <= kept < 80
    found = subprocess.run([*command, "--resume", str(folder)], capture_output=True, text=True, timeout=300)
    assert found.returncode == 0, found.stderr
    assert sorted(each.index for each in matches.read_records(folder)) == list(range(80))


def test_a_cluster_at_an_address_is_used_and_left_running(plugin, tmp_path, monkeypatch):
    """It asks for a token, as clusters may; what a killed worker makes Ray say does not come among the JSON."""
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))  # of this cluster alone
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ray_command = [str(Path(sys.executable).with_name("ray")), "start", "--head", "--block", "--num-cpus", "2"]
    options = ["--port", str(port), "--include-dashboard", "false", "--disable-usage-stats", "--temp-dir"]
    with tempfile.TemporaryDirectory(prefix="ray") as folder:  # Ray's sockets need a short path
        head = subprocess.Popen(
            [*ray_command, *options, folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path
        )
        try:
            assert _answers_within(port, 60)
            for run in ("first", "second"):  # the second one finds the cluster as the first one did
                plugin.with_name("kill").touch()
                command = [
                    sys.executable, "-m", "sgai", "sweep", "skips(height={n})", "--range", "n=1-9", "--plugin",
                    str(plugin), "--engine", "ray", "--address", f"127.0.0.1:{port}", "--concurrency", "2", "--out",
                    str(tmp_path / run), "--json", "--quiet",
                ]  # fmt: skip
                found = subprocess.run(command, capture_output=True, text=True, timeout=120)
                assert found.returncode == 0, found.stderr
                assert not plugin.with_name("kill").exists()
                assert [each["grundy"] for each in json.loads(found.stdout)] == [n % 2 for n in range(1, 10)]
            assert head.poll() is None
        finally:
            started = _descendants(head.pid)
            head.terminate()
            head.wait(timeout=60)
            for each in started:
                _wait_until_gone(each)


def _answers_within(port: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return True
        except OSError:
            time.sleep(0.2)
    return False


def _descendants(pid: int) -> list[int]:
    parents = {}
    for each in Path("/proc").iterdir():
        if each.name.isdecimal():
            try:
                parents[int(each.name)] = int((each / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = [pid]
    for each in found:
        found.extend(child for child, parent in parents.items() if parent == each)
    return found[1:]


def _wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return
        if state == "Z":  # nothing waits for it in a container without init
            return
        time.sleep(0.05)
    pytest.fail(f"process {pid} lives on")
