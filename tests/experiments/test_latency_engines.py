"""Decision times over engines: the same decisions, plugins, dead workers, errors, interrupts, several machines."""

import csv
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

import sgai
from sgai.agents.specs import BOTS
from sgai.errors import SgaiError
from sgai.experiments.engines import Outcome, Task, make_engine
from sgai.experiments.engines.serial import SerialEngine
from sgai.experiments.latency import (
    LatencySettings,
    compare,
    format_changes,
    format_table,
    load_baseline,
    one_game,
    run_latency,
    running,
    save_baseline,
)
from sgai.experiments.latency.results import machine_info

AGENTS = ("exact", "mcts(simulations=10)")
GAMES = ("sgai_nim(piles=[3;4])", "sgai_nim(piles=[5])", "sgai_kayles(piles=[6])")

PLUGIN = '''
"""A ruleset that needs a module of the user's, and once ends the process that plays it."""
import os, pathlib, signal
import sgai
from steps_of_a_latency_test import STEPS

@sgai.register
class {upper}(sgai.Ruleset[int, int]):
    """Go down by one or three."""
    name = "{lower}"
    height: int = 4
    def initial(self):
        return self.height
    def moves(self, position):
        if (flag := pathlib.Path(__file__).with_name("kill")).exists():
            flag.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        for step in STEPS:
            if step <= position:
                yield step, position - step
'''


class Elsewhere(SerialEngine):
    """Runs tasks in this process as if it were another machine, the last one first."""

    has_one_process = False
    changed: tuple[Outcome, ...] = ()  # in place of the task's own

    def run(self, tasks: Iterable[Task], **options):
        for task in reversed(list(tasks)):
            mine = [each for each in self.changed if each.index == task.index]
            yield from mine or super().run([task], **options)


def parse(agents=AGENTS, games=GAMES, **others):
    return LatencySettings.parse(agents, games, **{"positions": 2, "repeats": 2, **others})


def without_times(results):
    return [replace(each, seconds=0, cpu_seconds=0, setup_seconds=None, memory=None) for each in results.samples], [
        (each.game, each.fresh, each.position, each.round) for each in results.turns
    ]


def lines(path):
    return list(csv.DictReader(path.open()))


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """What this process decides without an engine, and its files; small boards stand after a large one.

    Those are searched by compiled code where a large one has loaded that before.
    """
    folder = tmp_path_factory.mktemp("here")
    games = ("sgai_cram(rows=5,columns=5)", "sgai_cram(rows=3,columns=3)", GAMES[0], GAMES[2])
    settings = parse(games=games, repeats=1)
    found = run_latency(settings, csv=folder / "rows.csv", samples=folder / "all.csv")
    assert len(found.samples) == 4 * 2 * 2 * 2
    assert found.machines == {}
    return folder, found


@pytest.mark.parametrize(("name", "workers"), [("serial", 1), pytest.param("pool", 2, marks=pytest.mark.slow)])
def test_every_engine_makes_the_same_decisions(tmp_path, here, name, workers):
    folder, expected = here
    settings = expected.settings
    with make_engine(name, workers) as engine:
        found = run_latency(settings, csv=tmp_path / "rows.csv", samples=tmp_path / "all.csv", engine=engine)
    assert without_times(found) == without_times(expected)
    assert all(each.seconds > 0 for each in found.samples)
    assert found.positions == expected.positions
    assert list(found.machines) == [point.game for point in settings.points]
    assert not found.interrupted
    assert found.games_at_once == workers
    # In the files games stand in the order in which they ended.
    for file in ("rows.csv", "all.csv"):
        first, second = lines(folder / file), lines(tmp_path / file)
        assert list(first[0]) == list(second[0])
        assert sorted((row["game"], row["agent"], row["mode"]) for row in first) == sorted(
            (row["game"], row["agent"], row["mode"]) for row in second
        )
    assert f"Measured on {machine_info()['name']}, " in format_table(found)
    assert ("Up to 2 games were measured at once" in format_table(found)) == (workers == 2)


@pytest.mark.slow
def test_a_users_ruleset_in_workers_one_of_which_is_killed(tmp_path, monkeypatch):
    """New processes find the plugin, and the module it imports, as the worker does."""
    monkeypatch.syspath_prepend(tmp_path / "modules")
    plugin, flag = written(tmp_path, "Drops"), tmp_path / "kill"
    sgai.load_plugin(plugin)
    settings = parse(("random",), ["sgai_drops(height=5)"], repeats=1, modes=("cold",), fresh=1, plugins=(str(plugin),))
    with make_engine("pool", 1, settings.plugins) as engine:
        found = run_latency(settings, engine=engine, begun=lambda _: flag.touch())
    assert not flag.exists()
    assert [each.mode for each in found.samples] == ["cold", "cold", "fresh"]
    assert {each.problem for each in found.samples} == {None}


@pytest.fixture(autouse=True)
def forgotten():
    """Forget which files a test has loaded: later engines of this process would send them to their workers too."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("sgai_plugin_"):
            del sys.modules[name]


def written(folder, name):
    """Write a plugin that registers a ruleset, and beside it a folder with the module that it imports."""
    (folder / "modules").mkdir()
    (folder / "modules" / "steps_of_a_latency_test.py").write_text("STEPS = 1, 3\n")
    plugin = folder / "plugin_of_a_latency_test.py"
    plugin.write_text(PLUGIN.format(upper=name, lower=name.lower()))
    return plugin


@pytest.mark.slow
def test_new_processes_load_plugins_from_where_the_worker_has_them(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path / "modules")
    plugin = written(tmp_path, "Sinks")
    there = tmp_path / "there"
    there.mkdir()
    moved = shutil.move(plugin, there / "moved_plugin.py")
    sgai.load_plugin(moved)
    settings = parse(("random",), ["sgai_sinks"], modes=(), fresh=1, positions=1, plugins=(str(plugin),))
    (sample,) = run_latency(settings, engine=Elsewhere()).samples
    assert (sample.mode, sample.problem) == ("fresh", None)
    assert one_game.plugins_here([str(plugin)])[-1] == str(moved)
    # In this process they are where the settings say.
    (sample,) = run_latency(settings, engine=SerialEngine()).samples
    assert "there is no file" in sample.problem


def test_a_program_that_is_its_own_plugin_is_loaded_in_new_processes(tmp_path, monkeypatch):
    assert str(Path(__file__).resolve()) in one_game.plugins_here([__file__])
    assert "nowhere.py" not in one_game.plugins_here(["nowhere.py"])
    monkeypatch.syspath_prepend(tmp_path)
    assert one_game.paths_to_add()[0] == str(tmp_path)
    assert all(Path(each).exists() for each in one_game.paths_to_add())


def test_results_come_in_the_order_of_the_settings(tmp_path):
    settings = parse(modes=("cold",), repeats=1)
    found = run_latency(settings, csv=tmp_path / "rows.csv", samples=tmp_path / "all.csv", engine=Elsewhere())
    assert without_times(found) == without_times(run_latency(settings))
    assert list(dict.fromkeys(row["game"] for row in lines(tmp_path / "rows.csv"))) == list(reversed(GAMES))
    assert list(dict.fromkeys(row["game"] for row in lines(tmp_path / "all.csv"))) == list(reversed(GAMES))
    assert len(lines(tmp_path / "all.csv")) == len(found.samples)
    assert [row["game"] for row in found.rows()] == [game for game in GAMES for _ in range(2)]
    assert all(row["decisions"] == 2 for row in found.rows())


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome(1, "died", reason="the worker ended with exit code 7"), "the worker ended with exit code 7"),
        (Outcome(1, "raised", reason="SgaiError: no such thing"), "no such thing"),
    ],
)
def test_what_was_measured_is_written_before_a_game_ends_the_run(tmp_path, outcome, words):
    engine = Elsewhere()
    engine.changed = (outcome,)
    with pytest.raises(SgaiError, match=r"^game 'sgai_nim\(piles=\[5\]\)' could not be measured: " + words):
        run_latency(parse(repeats=1), csv=tmp_path / "rows.csv", samples=tmp_path / "all.csv", engine=engine)
    # The third and the first one had begun, so they were let end.
    assert list(dict.fromkeys(row["game"] for row in lines(tmp_path / "rows.csv"))) == [GAMES[2], GAMES[0]]
    assert len(lines(tmp_path / "all.csv")) == 2 * 2 * 2 * 2


def test_no_game_begins_after_one_that_failed(tmp_path, monkeypatch):
    """An agent that cannot be made in the worker, where it could be made before."""
    made = []

    class Once(BOTS["random"]):
        def __init__(self, game, seed: int = 0):
            if str(game) in made:
                raise OSError("no more")
            made.append(str(game))
            super().__init__(game, seed)

    monkeypatch.setitem(BOTS, "once", Once)
    begun = []
    monkeypatch.setattr(running, "measure_game", lambda *args: (begun.append(args[1]), one_game.measure_game(*args))[1])
    with pytest.raises(SgaiError, match=r"'sgai_nim\(piles=\[3;4\]\)' could not be measured: OSError: no more"):
        run_latency(parse(["once"]), csv=tmp_path / "rows.csv", engine=SerialEngine())
    assert begun == [GAMES[0]]
    assert (tmp_path / "rows.csv").read_text() == ""


def test_an_agents_error_at_a_decision_is_one_decision_that_failed(monkeypatch):
    class Breaks(BOTS["random"]):
        def step(self, state):
            raise LookupError("nothing here")

    monkeypatch.setitem(BOTS, "breaks", Breaks)
    found = run_latency(parse(["breaks", "random"], GAMES[:1]), engine=SerialEngine())
    assert [(row["agent"], row["failed"]) for row in found.rows()] == [("breaks", 4), ("random", 0)] * 2
    assert found.rows()[0]["failure"] == "failed: LookupError: nothing here"


def test_other_positions_in_the_worker_are_refused():
    settings = parse()
    with pytest.raises(
        SgaiError, match=r"other positions are drawn in the worker, such as '\[.*\], player . to move for \[9\]'"
    ):
        one_game.measure_game(settings, GAMES[0], ["[9]", "[3]"], False)


def test_ctrl_c_keeps_the_games_that_are_done(tmp_path, monkeypatch):
    left = 9  # in the middle of the second game
    made = one_game.measure_point

    def stopped(*arguments, **options):
        nonlocal left
        for found in made(*arguments, **options):
            left -= isinstance(found, one_game.Sample)
            if left < 0:
                raise KeyboardInterrupt
            yield found

    monkeypatch.setattr(one_game, "measure_point", stopped)
    settings = parse(["exact"])
    found = run_latency(settings, csv=tmp_path / "rows.csv", samples=tmp_path / "all.csv", engine=SerialEngine())
    assert found.interrupted
    assert {each.game for each in found.samples} == {GAMES[0]} == set(found.machines)
    assert len(found.samples) == len(lines(tmp_path / "all.csv")) == 8
    assert [row["game"] for row in lines(tmp_path / "rows.csv")] == [GAMES[0]] * 2
    assert "The run was interrupted" in format_table(found)


@pytest.mark.parametrize("when", [1, 2], ids=["decisions", "rows"])
def test_ctrl_c_while_a_game_is_written_takes_effect_after_it(tmp_path, monkeypatch, when):
    real, calls = running.CsvFile.write, []

    def pressed(self, rows):
        calls.append(rows)
        if len(calls) == when:
            signal.raise_signal(signal.SIGINT)
        real(self, rows)

    monkeypatch.setattr(running.CsvFile, "write", pressed)
    files = {"csv": tmp_path / "rows.csv", "samples": tmp_path / "all.csv"}
    found = run_latency(parse(["exact"]), **files, engine=SerialEngine())
    assert found.interrupted
    assert [row["game"] for row in lines(files["csv"])] == [GAMES[0]] * 2
    assert len(lines(files["samples"])) == len(found.samples) == 8


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
@pytest.mark.parametrize("engine", [None, SerialEngine()], ids=["here", "serial"])
@pytest.mark.parametrize("file", ["csv", "samples"])
def test_a_full_disk_is_an_error_in_words(engine, file):
    with pytest.raises(SgaiError, match=r"^'/dev/full' cannot be written: No space left on device$"):
        run_latency(parse(["random"], GAMES[:1]), engine=engine, **{file: "/dev/full"})


def on_machines(monkeypatch, *machines):
    """Run on machines in turns."""
    names = iter(machines * 3)
    monkeypatch.setattr(
        one_game, "machine_info", lambda: {**machine_info(), "name": (name := next(names)), "processor": f"of {name}"}
    )
    return run_latency(parse(AGENTS[:1], modes=("cold",), repeats=1), engine=Elsewhere())


def test_several_machines_are_told_and_compared_game_by_game(tmp_path, monkeypatch):
    found = on_machines(monkeypatch, "a", "b")
    assert [found.machines[game]["name"] for game in GAMES] == ["a", "b", "a"]
    assert [row["machine"] for row in found.rows()] == ["a, of a", "b, of b", "a, of a"]
    shown = found.as_json()
    assert shown["machine"] is None
    assert [(each["name"], each["games"]) for each in shown["machines"]] == [
        ("a", [GAMES[0], GAMES[2]]),
        ("b", [GAMES[1]]),
    ]
    table = format_table(found)
    assert "moves (median), on b, of b\n" in table
    assert "Measured on 2 machines, each game on one" in table
    save_baseline(found, tmp_path / "b.json")
    baseline = load_baseline(tmp_path / "b.json")
    assert baseline.machines == found.machines
    # The second game comes to another machine, half as fast, and takes twice as long there.
    now = on_machines(monkeypatch, "a")
    slower = {"python": 2.0, "numpy": 2.0, "cpu_python": 2.0, "cpu_numpy": 2.0}
    now.samples = [slowed(each) for each in found.samples]
    now.turns = [
        replace(each, calibration=replace(each.calibration, **{k: 2 * getattr(each.calibration, k) for k in slower}))
        if each.game == GAMES[1]
        else each
        for each in found.turns
    ]
    changes = compare(now, baseline)
    assert {change.game: round(change.ratio.value, 6) for change in changes} == dict(zip(GAMES, (1, 2, 1), strict=True))
    assert {round(change.normalised.value, 6) for change in changes} == {1}
    text = format_changes(changes, baseline, now)
    assert f"The baseline of {GAMES[1]} is of another machine: of b, and this is of a." in text
    assert text.count("another machine") == 1
    assert "The fixed work takes 1.00 to 2.00, by game, times as long as then" in text


def slowed(sample):
    factor = 2 if sample.game == GAMES[1] else 1
    return replace(sample, seconds=factor * sample.seconds, cpu_seconds=factor * sample.cpu_seconds)


def test_one_machine_that_is_not_this_one_is_the_runs_machine(tmp_path, monkeypatch):
    found = on_machines(monkeypatch, "far")
    assert found.machine["name"] == found.as_json()["machine"]["name"] == "far"
    table = format_table(found)
    assert "Measured on far, of far." in table
    assert "at once" not in table
    save_baseline(run_latency(found.settings), tmp_path / "b.json")
    baseline = load_baseline(tmp_path / "b.json")
    text = format_changes(compare(found, baseline), baseline, found)
    assert f"The baseline is of another machine: {machine_info()['processor']}, and this is of far." in text


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds children by /proc")
def test_a_new_process_ends_with_the_one_that_started_it():
    code = (
        "from sgai.experiments.latency import *\n"
        "run_latency(LatencySettings.parse(['mcts(seconds=60)'], ['sgai_nim(piles=[9;9;9])'], positions=1, modes=(),"
        " fresh=1))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        child = wait_for(lambda: next(iter(children(process.pid)), None))
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    wait_for(lambda: not is_alive(child))


@pytest.mark.slow
def test_ctrl_c_over_a_pool(tmp_path):
    """The first game is written; the second one takes minutes, for search proves a lost position late."""
    command = [
        sys.executable, "-m", "sgai", "latency", "--engine", "pool", "--game", "sgai_nim(piles=[{size};{size}])",
        "--agent", "mcts(simulations={simulations})", "--simulations", "10,1000000", "--sizes", "1,99", "--csv",
        str(tmp_path / "rows.csv"), "--quiet", "--positions", "1", "--repeats", "1", "--moves", "0", "--mode", "cold",
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: (tmp_path / "rows.csv").exists() and len(lines(tmp_path / "rows.csv")) == 2)
    started = children(process.pid)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "The run was interrupted" in out
    assert "sgai_nim(piles=[1;1])" in out
    assert "sgai_nim(piles=[99;99])" not in out
    assert len(lines(tmp_path / "rows.csv")) == 2
    for each in started:
        wait_for(lambda pid=each: not is_alive(pid))


def wait_for(condition, seconds=30.0):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.02)
    pytest.fail("it did not come to be")


def children(pid):
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdecimal():
            try:
                if int((each / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                    found.append(int(each.name))
            except OSError:
                continue
    return found


def is_alive(pid):
    try:
        # Nothing waits for a zombie in a container without init.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
