"""Matches over processes: the same games whatever runs them, resumed after kills, and bots that misbehave badly."""

import errno
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

import sgai
from sgai.envs import load_game
from sgai.experiments import matches
from sgai.experiments.cli.main import main
from sgai.experiments.engines import make_engine
from sgai.experiments.matches.playing import play_task
from sgai.experiments.matches.records import RecordWriter

NIM = "sgai_nim(piles=[2;3;4])"

BOTS = '''
"""Bots that do what bots should not."""
import os
import time

class Plays:
    """The least that a bot has to have."""
    def __init__(self, game, seat, which: int = 0):
        self.seat, self.which = seat, which
    def step(self, state):
        assert state.current_player() == self.seat
        legal = state.legal_actions()
        return legal[self.which % len(legal)]

class Dawdles(Plays):
    seconds = 0.0
    def __init__(self, game, seat, seconds: float = 0.01):
        super().__init__(game, seat)
        self.seconds = seconds
    def step(self, state):
        time.sleep(1.5 * self.seconds)
        return super().step(state)

class HangsInPython(Plays):
    def step(self, state):
        while True:
            try:
                time.sleep(0.001)
            except Exception:
                pass

class HangsInCompiledCode(Plays):
    def step(self, state):
        return sum(range(10**13))

class Exits(Plays):
    def step(self, state):
        raise SystemExit("enough")

class Dies(Plays):
    def step(self, state):
        os._exit(9)

class Meddles(Plays):
    """Moves in the state that it is shown."""
    def step(self, state):
        action = state.legal_actions()[0]
        state.apply_action(action)
        return action

class IsNone(Plays):
    def step(self, state):
        return None

class Unmakable(Plays):
    """It can be made for the check before the match only."""
    made = 0
    def __init__(self, game, seat):
        super().__init__(game, seat)
        Unmakable.made += 1
        if Unmakable.made > 1:
            raise OSError("no more")
'''


@pytest.fixture
def bots(tmp_path):
    """Write a file of bots and return its path."""
    file = tmp_path / "bots_of_a_test.py"
    file.write_text(BOTS)
    return str(file)


def parse(agents, games=(NIM,), rounds=2, seed=3, **more):
    return matches.MatchSettings.parse(agents, games, rounds, seed, **more)


def plain(records):
    return [record.without_times() for record in records]


def without_times(rows):
    return [{name: value for name, value in row.items() if not name.endswith("_seconds")} for row in rows]


def test_processes_give_the_same_games_and_table_as_one(tmp_path):
    settings = parse(["exact", "random", "mcts(simulations=5)"], (NIM, "sgai_kayles(piles=[5])"), openings="balanced")
    alone = matches.play_match(settings, matches.new_folder(str(tmp_path / "alone")))
    with make_engine("pool", 2) as engine:
        together = matches.play_match(settings, matches.new_folder(str(tmp_path / "two")), engine=engine)
    assert plain(alone) == plain(together)
    assert [record.index for record in together] == list(range(24))
    assert without_times(matches.table(alone)) == without_times(matches.table(together))
    assert not (tmp_path / "two" / "running").exists()


def command(folder, rounds, *more):
    agents = ["--agent", "random", "--agent", "mcts(simulations=2)"]
    begin = ["--game", NIM, "--rounds", str(rounds), "--openings", "balanced", "--out", str(folder), "--seed", "5"]
    return [sys.executable, "-m", "sgai", "match", *agents, *begin, "--quiet", *more]


def games_in(folder):
    file = folder / "games.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def killed_and_resumed(folder, rounds, kills, chance, *more):
    """Play a match, kill it that many times, finish it, and return what it printed at the end."""
    arguments = command(folder, rounds, *more)
    killed = 0
    while True:
        process = subprocess.Popen(
            arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        if killed == kills:
            out, err = process.communicate()
            assert process.returncode == 0, err
            return out
        at = games_in(folder) + chance.randint(1, 2 * rounds // (kills + 1))
        while process.poll() is None and games_in(folder) < at:
            time.sleep(0.002)
        assert process.poll() is None, process.communicate()
        # Some kills take the workers too, others leave them to end by themselves.
        (os.killpg if killed % 2 else os.kill)(process.pid, signal.SIGKILL)
        process.communicate()
        killed += 1
        arguments = [sys.executable, "-m", "sgai", "match", "--resume", str(folder), "--quiet", *more]


def check_kills(tmp_path, rounds, kills, *more):
    unbroken = tmp_path / "unbroken"
    settings = parse(["random", "mcts(simulations=2)"], rounds=rounds, seed=5, openings="balanced")
    shown = matches.format_table(matches.play_match(settings, matches.new_folder(str(unbroken))))
    broken = tmp_path / "broken"
    out = killed_and_resumed(broken, rounds, kills, random.Random(rounds), *more)
    expected, found = (
        sorted(matches.read_records(each), key=lambda record: record.index) for each in (unbroken, broken)
    )
    assert len(expected) == len(found) == 2 * rounds
    assert plain(expected) == plain(found)
    assert without_times(matches.table(expected)) == without_times(matches.table(found))
    assert len(list(matches.replay(broken))) == 2 * rounds
    assert f"{2 * rounds} games written to" in out
    for one, other in zip(out.splitlines()[:4], shown.splitlines()[:4], strict=True):
        assert one.split()[:-2] == other.split()[:-2]  # all but the times
    return expected


def test_a_match_that_was_killed_and_resumed_is_the_same(tmp_path):
    records = check_kills(tmp_path, 15, 1, "--engine", "serial")
    assert Counter(record.opening_outcome for record in records)["N"] == 16


@pytest.mark.slow
def test_killed_workers_change_nothing(tmp_path):
    settings = parse(["random", "mcts(simulations=200)"], ("sgai_nim(piles=[5;6;7])",), rounds=60, openings="balanced")
    expected = matches.play_match(settings, matches.new_folder(str(tmp_path / "whole")))
    killed = []

    def kill():
        while len(killed) < 5:
            time.sleep(0.7)
            workers = [each for each in multiprocessing.active_children() if "pebble" in each.name]
            if workers and list((tmp_path / "broken" / "running").glob("*.txt")):
                killed.append(workers[0].pid)
                os.kill(workers[0].pid, signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    with make_engine("pool", 2) as engine:
        found = matches.play_match(settings, matches.new_folder(str(tmp_path / "broken")), engine=engine)
    assert killed
    assert plain(found) == plain(expected)


@pytest.mark.slow
def test_a_thousand_games_killed_five_times(tmp_path):
    check_kills(tmp_path, 500, 5, "--concurrency", "2")


def test_a_last_line_that_was_cut_is_played_again(tmp_path):
    settings = parse(["exact", "random"])
    folder = matches.new_folder(str(tmp_path / "m"))
    expected = plain(matches.play_match(settings, folder))
    file = folder / "games.jsonl"
    whole = file.read_bytes()
    begin = whole.rstrip(b"\n").rfind(b"\n") + 1
    for cut in (begin, begin + 1, begin + 40, len(whole) - 2, len(whole) - 1):
        file.write_bytes(whole[:cut])
        left = len(list(matches.read_records(folder)))
        assert left == (4 if cut == len(whole) - 1 else 3)
        assert plain(matches.play_match(settings, folder, resume=True)) == expected
        assert len(list(matches.read_records(folder))) == len(expected)
    file.write_bytes(whole[: begin + 30] + b"\0" * 50)
    assert plain(matches.play_match(settings, folder, resume=True)) == expected


def test_a_damaged_line_is_named_and_nothing_is_written(tmp_path):
    settings = parse(["exact", "random"])
    folder = matches.new_folder(str(tmp_path / "m"))
    matches.play_match(settings, folder)
    file = folder / "games.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    for wrong in (b"{}\n", b'{"index": 1, "gam\n', b"\n", b"\xff\xfe\n"):
        damaged = b"".join([lines[0], wrong, *lines[2:]])
        file.write_bytes(damaged)
        with pytest.raises(sgai.SgaiError, match="line 2 is not a game"):
            matches.play_match(settings, folder, resume=True)
        assert file.read_bytes() == damaged
    file.write_bytes(b"".join([*lines, lines[1]]))
    with pytest.raises(sgai.SgaiError, match="has game 1 twice"):
        matches.play_match(settings, folder, resume=True)
    # Games that the settings do not give are not gone on from.
    changed = json.loads(lines[0])
    changed["seed"] += 1
    file.write_bytes(json.dumps(changed).encode() + b"\n")
    with pytest.raises(sgai.SgaiError, match="another version"):
        matches.play_match(settings, folder, resume=True)


def test_two_runs_on_one_folder(tmp_path):
    settings = parse(["exact", "random"])
    folder = matches.new_folder(str(tmp_path / "m"))
    with RecordWriter(folder, settings), pytest.raises(sgai.SgaiError, match="in use by another run"):
        matches.play_match(settings, folder, resume=True)
    # A lock that a killed run left behind is none.
    assert (folder / ".lock").exists()
    assert len(matches.play_match(settings, folder, resume=True)) == 4
    with pytest.raises(sgai.SgaiError, match="holds a match already"):
        matches.play_match(settings, folder)


def test_folders_that_cannot_be_written(tmp_path, capsys, monkeypatch):
    settings = parse(["exact", "random"])
    with pytest.raises(sgai.SgaiError, match="'/proc/self' cannot be written"):
        matches.play_match(settings, Path("/proc/self"))
    for where, words in (("/proc/nowhere", "cannot be made"), (str(tmp_path / "no.txt" / "m"), "cannot be made")):
        (tmp_path / "no.txt").touch()
        assert main(["match", "--quiet", "--agent", "exact", "--agent", "random", "--game", NIM, "--out", where]) == 2
        assert words in capsys.readouterr().err
    written = []

    def full(number):
        written.append(number)
        if len(written) == 4:  # the manifest and two games fit
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.fsync", full)
    folder = matches.new_folder(str(tmp_path / "full"))
    with pytest.raises(sgai.SgaiError, match="cannot be written: No space left"):
        matches.play_match(settings, folder)
    monkeypatch.undo()
    assert len(matches.play_match(settings, folder, resume=True)) == 4


def against_random(bot, tmp_path, engine=None, **more):
    """Play two games, from both seats, and return the records and why games were forfeited."""
    records = matches.play_match(
        parse(["random", bot], rounds=1, **more), matches.new_folder(str(tmp_path / bot.split(":")[1])), engine=engine
    )
    assert len(records) == 2
    assert sorted(matches.replay(tmp_path / bot.split(":")[1]), key=lambda record: record.index) == records
    assert not any(record.failed for record in records)
    why = {record.forfeit and record.forfeit.removeprefix(bot).strip() for record in records}
    assert why == {None} or {record.winner for record in records} == {"random"}
    return records, why


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("HangsInPython", "took more than 0.3 s"),
        ("Exits", "raised SystemExit: enough"),
        ("IsNone", "returned None, which is not legal in"),
        ("Unmakable", "raised OSError: no more"),
        ("Meddles", None),  # it moved in a copy
    ],
)
def test_bots_that_misbehave_forfeit(name, words, bots, tmp_path):
    records, why = against_random(f"{bots}:{name}", tmp_path, limit=0.3 if name == "HangsInPython" else 300)
    if words is None:
        assert why == {None}
    else:
        assert all(words in each for each in why)
        assert words in matches.format_table(records)


def test_a_bot_that_is_stuck_in_compiled_code_forfeits(bots, tmp_path):
    with make_engine("pool", 2) as engine:
        _, why = against_random(f"{bots}:HangsInCompiledCode", tmp_path, engine, limit=0.3)
    assert why == {"took more than 0.3 s, and its process had to be ended"}


@pytest.mark.slow
def test_a_bot_that_ends_its_process_forfeits_and_the_match_goes_on(bots, tmp_path):
    with make_engine("pool", 2) as engine:
        _, why = against_random(f"{bots}:Dies", tmp_path, engine)
        assert why == {"was to answer when it failed: the worker ended with exit code 9"}
        _, why = against_random(f"{bots}:Plays", tmp_path, engine)
        assert why == {None}


def test_a_plugin_that_has_changed_ends_the_match(tmp_path, capsys):
    plugin = tmp_path / "steps_of_a_match.py"
    text = (
        "import sgai\n@sgai.register\nclass Steps(sgai.Ruleset[int, int]):\n    'Steps.'\n"
        "    name = 'steps_of_a_match'\n    height: int = 5\n    def initial(self):\n        return self.height\n"
        "    def moves(self, position):\n        for step in (1, 2):\n            if step <= position:\n"
        "                yield step, position - step\n"
    )
    plugin.write_text(text)
    folder = tmp_path / "m"
    arguments = ["match", "--plugin", str(plugin), "--game", "sgai_steps_of_a_match", "--agent", "exact"]
    assert main([*arguments, "--agent", "random", "--quiet", "--out", str(folder)]) == 0
    assert {record.failed or record.forfeit for record in matches.read_records(folder)} == {None}
    assert main(["match", "--resume", str(folder), "--quiet"]) == 0
    plugin.write_text(text + "\n")
    capsys.readouterr()
    assert main(["match", "--resume", str(folder), "--quiet"]) == 2
    assert "has changed since the match began" in capsys.readouterr().err


def test_games_of_workers_without_the_folder(tmp_path, monkeypatch):
    """They keep their notes elsewhere, so that there too a bot that was stuck loses when the game is tried again."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    pairing = next(parse(["exact", "random"]).pairings())
    record = play_task(pairing, matches.Rules(), "/no/such/folder/running")
    assert record.without_times() == play_task(pairing, matches.Rules(), None).without_times()
    (folder,) = tmp_path.iterdir()
    assert not any(folder.iterdir())
    (folder / f"{pairing.index}.txt").write_text("begin\nask 0\nTimeout (0:00:03)!\n")
    stuck = play_task(pairing, matches.Rules(limit=1.0), "/no/such/folder/running")
    assert stuck.winner == "random"
    assert "exact took more than 1 s" in stuck.forfeit
    assert not any(folder.iterdir())


def test_overruns_are_counted(bots, tmp_path):
    settings = parse([f"{bots}:Dawdles(seconds=0.005)", f"{bots}:Plays(which=1)"], rounds=1)
    records = matches.play_match(settings, matches.new_folder(str(tmp_path / "m")))
    budgets = {str(agent): agent.budget() for agent in settings.agents}
    rows = {row["agent"].split(":")[1]: row for row in matches.table(records, budgets)}
    late, other = rows["Dawdles(seconds=0.005)"], rows["Plays(which=1)"]
    assert late["overruns"] == late["decisions"] > 0
    assert late["worst_overrun"] >= 0.5
    assert other["overruns"] == 0
    assert "overruns" in matches.format_table(records, budgets)
    assert late["median_seconds"] <= late["p90_seconds"] <= late["p99_seconds"] <= late["max_seconds"]


def test_openings_are_balanced_shared_and_recorded(tmp_path):
    games = (NIM, "sgai_kayles(piles=[7;8])", "tic_tac_toe")
    settings = parse(["exact", "random", "mcts(simulations=3)"], games[:2], rounds=10, openings="balanced")
    pairings = list(settings.pairings())
    for game in games[:2]:
        here = [each for each in pairings if each.game == game]
        assert Counter(each.opening_outcome for each in here) == {"N": 30, "P": 30}
        assert len({each.opening for each in here}) >= 8
    for first, second in zip(pairings[::2], pairings[1::2], strict=True):
        assert first.agents == second.agents[::-1]
        assert (first.opening, first.game) == (second.opening, second.game)
        # The solver's word against Nim's own theory.
        if first.game == NIM:
            state = load_game(NIM).new_initial_state()
            for action in first.opening:
                state.apply_action(action)
            total = 0
            for pile in state.position:
                total ^= pile
            assert first.opening_outcome == ("N" if total else "P")
    records = matches.play_match(
        parse(["exact", "random"], games[:2], openings="balanced"), matches.new_folder(str(tmp_path / "m"))
    )
    assert all(record.opening and record.seats and len(record.seconds) == len(record.seats) for record in records)
    assert list(matches.replay(tmp_path / "m")) == records
    # A game that sgai has no rules of: openings that nobody judges.
    unknown = list(parse(["random", "mcts(simulations=3)"], games[2:], openings="balanced", plies=3).pairings())
    assert all(1 <= len(each.opening) <= 3 and each.opening_outcome is None for each in unknown)


def test_the_exact_solver_judges_moves_as_the_theory_of_nim_does(tmp_path):
    records = matches.play_match(
        parse(["random", "mcts(simulations=20)"], rounds=6), matches.new_folder(str(tmp_path / "m"))
    )
    won = kept = 0
    for record in records:
        state = load_game(NIM).new_initial_state()
        outcomes = ""
        for action in record.actions:
            outcomes += "N" if state.position and nim_sum(state.position) else "P"
            state.apply_action(action)
        outcomes += "P"
        assert record.outcomes == outcomes
        for seat, before, after in zip(record.seats, outcomes, outcomes[1:], strict=False):
            if record.agents[int(seat)] == "random" and before == "N":
                won, kept = won + 1, kept + (after == "P")
    row = next(row for row in matches.table(records) if row["agent"] == "random")
    assert (row["won_positions"], row["won_kept"], row["won_lost"]) == (won, kept, won - kept)
    assert won > kept > 0
    assert not matches.play_match(
        parse(["random", "exact"], rounds=1, oracle_states=0), matches.new_folder(str(tmp_path / "n"))
    )[0].outcomes.strip("-NP")


def nim_sum(piles):
    total = 0
    for pile in piles:
        total ^= pile
    return total


@pytest.mark.parametrize("game", [NIM, "nim(pile_sizes=1;2;5)"])
def test_adjudication_gives_the_game_to_who_stands_to_win(game, tmp_path):
    settings = parse(["random", "mcts(simulations=3)"], (game,), openings="random", adjudicate=True, rounds=5)
    records = matches.play_match(settings, matches.new_folder(str(tmp_path / "m")))
    for record in records:
        assert record.adjudicated
        assert record.seconds == []
        # Two players in turn: who is to move follows from the number of moves.
        to_move = record.agents[len(record.actions) % 2]
        assert (record.winner == to_move) == (record.opening_outcome == "N")
    assert list(matches.replay(tmp_path / "m")) == records
    line = json.loads((tmp_path / "m" / "games.jsonl").read_text().splitlines()[0])
    line["returns"].reverse()
    line["winner"] = next(agent for agent in line["agents"] if agent != line["winner"])
    (tmp_path / "m" / "games.jsonl").write_text(json.dumps(line))
    with pytest.raises(sgai.SgaiError, match="does not replay"):
        list(matches.replay(tmp_path / "m"))
