"""Engines: results, hung tasks, dead workers, interrupts, and what workers import."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import sgai
from sgai.experiments.engines import Alarm, Feed, Overdue, Task, make_engine

TASKS = '''
"""Tasks that behave and tasks that do not."""
import os, pathlib, time

def square(number):
    return number * number

def hang():
    while True:
        time.sleep(1)

def raises():
    raise LookupError("nothing here")

def exits():
    raise SystemExit(3)

def dies(folder):
    """End the process twice, and succeed the third time."""
    tries = pathlib.Path(folder) / "tries"
    tries.write_text((tries.read_text() if tries.exists() else "") + "x")
    if len(tries.read_text()) < 3:
        os._exit(7)
    return len(tries.read_text())

def dies_always():
    os._exit(7)

def once(folder):
    """Hang the first time."""
    begun = pathlib.Path(folder) / "begun"
    if not begun.exists():
        begun.touch()
        hang()
    return "again"

def who():
    return os.getpid()

def value(name):
    import sgai
    return str(sgai.load_ruleset(name))
'''

PLUGIN = '''
import sgai

@sgai.register
class Hops(sgai.Ruleset[int, int]):
    """Hop down by one."""
    name = "hops"
    height: int = 4
    def initial(self):
        return self.height
    def moves(self, position):
        if position:
            yield 1, position - 1
'''


@pytest.fixture
def tasks(tmp_path, monkeypatch):
    """Write a module of tasks where workers find it too."""
    (tmp_path / "tasks_of_a_test.py").write_text(TASKS)
    monkeypatch.syspath_prepend(tmp_path)
    import tasks_of_a_test

    yield tasks_of_a_test
    del sys.modules["tasks_of_a_test"]


def test_the_pool_survives_all_that_tasks_do(tasks, tmp_path):
    listed = [
        Task(0, tasks.square, (5,)),
        Task(1, tasks.hang),
        Task(2, tasks.raises),
        Task(3, tasks.dies, (str(tmp_path),)),
        Task(4, tasks.dies_always),
        *(Task(i, tasks.square, (i,)) for i in range(5, 9)),
        Task(9, tasks.exits),
    ]
    with make_engine("pool", 2) as engine:
        found = {each.index: each for each in engine.run(iter(listed), seconds=3.0)}
        assert sorted(found) == list(range(10))
        assert (found[9].kind, found[9].reason) == ("raised", "SystemExit: 3")
        assert (found[0].kind, found[0].value) == ("done", 25)
        assert (found[1].kind, found[1].reason) == ("hung", "it took more than 3 s")
        assert (found[2].kind, found[2].reason) == ("raised", "LookupError: nothing here")
        assert (found[3].kind, found[3].value) == ("done", 3)
        assert (found[4].kind, found[4].reason) == ("died", "the worker ended with exit code 7")
        assert [found[i].value for i in range(5, 9)] == [i * i for i in range(5, 9)]
        # The same engine goes on, and its workers are others than this process.
        again = next(engine.run([Task(0, tasks.who)]))
        assert again.value != os.getpid()


def test_a_task_whose_worker_is_gone_unnoticed_is_redone(tasks, tmp_path, monkeypatch):
    monkeypatch.setattr("sgai.experiments.engines.pool.POLL_SECONDS", 0.3)
    with make_engine("pool", 1) as engine:
        outcomes = engine.run([Task(0, tasks.who), Task(1, tasks.once, (str(tmp_path),))])
        worker = next(outcomes).value
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        engine._pool._pool_manager.worker_manager.workers.pop(worker)  # as if pebble had seen it end before
        os.kill(worker, signal.SIGKILL)
        assert [(each.index, each.value) for each in outcomes] == [(1, "again")]


def test_a_pool_that_breaks_is_replaced(tasks, tmp_path):
    """A worker that is killed while it waits breaks pebble's pool."""
    with make_engine("pool", 1) as engine:
        worker = next(engine.run([Task(0, tasks.who)])).value
        os.kill(worker, signal.SIGKILL)
        time.sleep(0.5)
        found = list(engine.run([Task(i, tasks.square, (i,)) for i in range(4)]))
        assert sorted(each.value for each in found) == [0, 1, 4, 9]
    (tmp_path / "broken.py").write_text("import os\nos._exit(3)\n")
    with (
        make_engine("pool", 1, [str(tmp_path / "broken.py")]) as engine,
        pytest.raises(sgai.SgaiError, match="the workers end before they do anything"),
    ):
        list(engine.run([Task(i, tasks.square, (1,)) for i in range(20)]))


def test_workers_load_plugins_and_end_with_the_engine(tasks, tmp_path):
    plugin = tmp_path / "hops_plugin.py"
    plugin.write_text(PLUGIN)
    drawn = []

    def endless():
        for i in range(10**9):
            drawn.append(i)
            yield Task(i, tasks.who)

    with make_engine("pool", 1, [str(plugin)]) as engine:
        assert next(engine.run([Task(0, tasks.value, ("hops(height=2)",))])).value == "hops(height=2)"
        outcomes = engine.run(endless())
        worker = next(outcomes).value
        outcomes.close()  # the consumer may stop at any time
        assert len(drawn) <= 4
    deadline = time.monotonic() + 20
    while Path(f"/proc/{worker}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{worker}").exists()


def test_the_serial_engine(tasks):
    with make_engine("serial") as engine:
        functions = (tasks.raises, tasks.exits, tasks.hang)
        listed = [Task(4, tasks.square, (3,)), *(Task(i, each) for i, each in enumerate(functions, 5))]
        found = list(engine.run(listed, seconds=0.2))
    assert [(each.index, each.kind) for each in found] == [(4, "done"), (5, "raised"), (6, "raised"), (7, "hung")]
    assert found[0].value == 9


@pytest.mark.parametrize("name", ["serial", "pool"])
def test_tasks_may_follow_from_outcomes(tasks, name):
    feed = Feed()
    feed.add(Task(0, tasks.square, (2,)))
    feed.add(Task(1, tasks.square, (3,)))
    found = []
    with make_engine(name) as engine:
        for each in engine.run(feed):
            found.append(each.value)
            if each.value < 1000:
                feed.add(Task(each.index, tasks.square, (each.value,)))
    assert sorted(found) == [4, 9, 16, 81, 256, 6561, 65536]


def test_alarms_nest():
    with pytest.raises(Overdue), Alarm(0.05), Alarm(10):
        time.sleep(5)
    with Alarm(10), pytest.raises(Overdue), Alarm(0.05):
        time.sleep(5)
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    with Alarm(None):
        pass


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("pool", 0), "concurrency=0"),
        (("serial", 2), "one worker"),
        (("pol", 1), "did you mean 'pool'"),
        (("pool", 1, (), "10.0.0.1:6379"), "only the engine 'ray'"),
    ],
)
def test_bad_engines(arguments, words):
    with pytest.raises(sgai.SgaiError, match=words):
        make_engine(*arguments)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "sgai.experiments.engines.ray_engine", raising=False)
    with pytest.raises(sgai.SgaiError, match=r"pip install 'sgai-openspiel\[ray\]'"):
        make_engine("ray", 2)


def test_ctrl_c_ends_the_workers(tasks, tmp_path):
    script = tmp_path / "main.py"
    script.write_text(
        "from sgai.experiments.engines import Task, make_engine\nimport tasks_of_a_test as tasks\n"
        "if __name__ == '__main__':\n"
        "    try:\n"
        "        with make_engine('pool', 1) as engine:\n"
        "            for each in engine.run([Task(0, tasks.who), Task(1, tasks.hang)]):\n"
        "                print(each.value, flush=True)\n"
        "    except KeyboardInterrupt:\n"
        "        print('interrupted', flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    worker = int(process.stdout.readline())
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert out == "interrupted\n"
    assert not Path(f"/proc/{worker}").exists()


def test_workers_end_when_the_process_that_started_them_is_killed(tasks, tmp_path):
    script = tmp_path / "main.py"
    script.write_text(
        "from sgai.experiments.engines import Task, make_engine\nimport tasks_of_a_test as tasks\n"
        "if __name__ == '__main__':\n"
        "    with make_engine('pool', 1) as engine:\n"
        "        for each in engine.run([Task(0, tasks.who), Task(1, tasks.hang)]):\n"
        "            print(each.value, flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    worker = int(process.stdout.readline())
    process.kill()
    process.wait()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{worker}/stat").read_text().split()[2]
        except OSError:
            break
        if state == "Z":  # nothing waits for it in a container without init
            break
        time.sleep(0.05)
    else:
        pytest.fail("the worker lives on")
