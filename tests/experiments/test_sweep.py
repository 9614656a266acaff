"""Sweeps: what is solved, what is kept after kills, and bad input."""

import json
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import sgai
from sgai.experiments import sweeps
from sgai.experiments.cli.main import main
from sgai.experiments.engines import Engine, Outcome
from sgai.experiments.journal import Journal
from sgai.experiments.sweeps.settings import Question
from sgai.reference import reference_grundy

PLUGIN = '''
import sgai, time

@sgai.register
class Paces(sgai.Ruleset[int, int]):
    """Go down by one or two, slowly."""
    name = "paces"
    height: int = 4
    def initial(self):
        return self.height
    def moves(self, position):
        time.sleep(0.003)
        for step in (1, 2):
            if step <= position:
                yield step, position - step
'''


def lines(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]


def sgai_sweep(*arguments: object) -> int:
    return main(["sweep", *map(str, arguments), "--quiet", "--engine", "serial"])


def test_boards_by_ranges_have_their_values(tmp_path, capsys):
    out = tmp_path / "boards"
    code = sgai_sweep("cram(rows={rows},columns={columns})", "kayles [3;4]", "--range", "rows=1-3", "--range",
                      "columns=1,3", "--out", out, "--json")  # fmt: skip
    assert code == 0
    found = json.loads(capsys.readouterr().out)
    assert found == lines(out)
    assert [each["ruleset"] for each in found] == [
        *(f"cram(rows={rows},columns={columns})" for rows in (1, 2, 3) for columns in (1, 3)), "kayles",
    ]  # fmt: skip
    for each in found:
        ruleset = sgai.load_ruleset(each["ruleset"])
        expected = reference_grundy(ruleset, ruleset.parse(each["position"]))
        assert (each["grundy"], each["outcome"], each["solved"]) == (expected, "N" if expected else "P", True)
    assert sgai_sweep("--resume", out) == 0
    shown = capsys.readouterr().out
    assert "7 of 7 solved; P: 2, N: 5" in shown
    assert shown.splitlines()[1].split()[:4] == ["cram(rows=1,columns=1)", ".", "P", "0"]
    assert len(lines(out)) == 7


def test_codes_from_a_file_have_values_and_periods(tmp_path, capsys):
    """Kayles, 0.77, has period 12 from heap 71 on, and Dawson's Kayles, 0.07, period 34 from 53 on (Winning Ways)."""
    file = tmp_path / "codes.txt"
    file.write_text("# two that are known\n0.77\n\n  0.07\n4!.0\n0.{1,2}{6}\n")
    out = tmp_path / "codes"
    assert sgai_sweep("--file", file, "--heaps", 400, "--find-period", "--values", "--out", out) == 0
    kayles, dawson, modified, _ = lines(out)
    assert (kayles["period"]["preperiod"], kayles["period"]["period"]) == (71, 12)
    assert (dawson["period"]["preperiod"], dawson["period"]["period"]) == (53, 34)
    assert kayles["values"] == sgai.grundy_values("kayles", 400).tolist()
    assert (kayles["grundy"], kayles["computed"], kayles["largest_value"]) == (kayles["values"][400], 400, 8)
    assert dawson["values"] == sgai.grundy_values("0.07", 400).tolist()
    assert modified["period"] is None
    assert modified["proved"] == ["no theorem says when this game is periodic"]
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].split() == [
        "ruleset",
        "position",
        "outcome",
        "Grundy",
        "period",
        "from",
        "heap",
        "states",
        "seconds",
    ]
    assert shown[1].split()[:6] == ["0.77", "[400]", "N", str(kayles["grundy"]), "12", "71"]
    assert shown[4].split()[:1] == ["0.6{6}"]


def test_budgets_end_items_and_the_sweep_goes_on(tmp_path, capsys):
    out = tmp_path / "budget"
    assert sgai_sweep("domineering_free", "--out", tmp_path / "none") == 2
    assert "unknown ruleset 'domineering_free'" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()
    assert sgai_sweep("cram(rows=5,columns=5)", "nim", "--states", 5, "--out", out) == 3
    first, second = lines(out)
    assert (first["solved"], first["outcome"], first["grundy"]) == (False, None, None)
    assert (second["solved"], second["failed"]) == (True, None)
    assert "1 of 2 solved" in capsys.readouterr().out
    assert sgai_sweep("0.77", "--heaps", 5000, "--states", 100, "--out", tmp_path / "heaps") == 3
    (heaps,) = lines(tmp_path / "heaps")
    assert (heaps["computed"], heaps["solved"], heaps["grundy"]) == (100, False, None)


def test_misere_play_and_loopy_games(tmp_path):
    out = tmp_path / "misere"
    assert sgai_sweep("nim [1;1]", "nim [1;1;1]", "--play", "misere", "--out", out) == 0
    assert [each["outcome"] for each in lines(out)] == ["N", "P"]
    out = tmp_path / "loopy"
    assert sgai_sweep("graph(edges=[a-b;b-a],start=[a],cycles=true)", "--out", out) == 0
    assert [(each["outcome"], each["grundy"]) for each in lines(out)] == [("D", None)]
    assert lines(out)[0]["loopy_value"]


def test_a_store_keeps_values_for_the_next_sweep(tmp_path, capsys):
    file = tmp_path / "nimbers.sqlite"
    states = []
    for name in ("first", "second"):
        assert sgai_sweep("chomp(rows=4,columns=5)", "--store", file, "--out", tmp_path / name) == 0
        states.append(lines(tmp_path / name)[0]["states"])
    assert states == [142, 0]
    (tmp_path / "text").write_text("no store")
    assert sgai_sweep("nim", "--store", tmp_path / "text", "--out", tmp_path / "third") == 2
    assert not (tmp_path / "third").exists()


def test_killed_at_random_moments_and_resumed_nothing_is_lost_or_doubled(tmp_path):
    """Two kills, a line that was cut, and a user's ruleset; then the answers are those of an unbroken sweep."""
    plugin = tmp_path / "paces.py"
    plugin.write_text(PLUGIN)
    out, rng = tmp_path / "killed", random.Random(4)
    command = [
        sys.executable, "-m", "sgai", "sweep", "paces(height={n})", "--range", "n=1-24", "--plugin", str(plugin),
        "--engine", "serial", "--quiet", "--out", str(out),
    ]  # fmt: skip
    kills = 0
    while kills < 2:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before = (out / "answers.jsonl").read_bytes().count(b"\n") if (out / "answers.jsonl").exists() else 0
        deadline = time.monotonic() + 20
        while process.poll() is None and time.monotonic() < deadline:
            if (out / "answers.jsonl").exists() and (out / "answers.jsonl").read_bytes().count(b"\n") > before:
                break
            time.sleep(0.01)
        time.sleep(rng.random() * 0.2)
        process.kill()
        process.wait()
        kills += 1
        if kills == 1:  # as if a kill had cut the line that was being written
            with (out / "answers.jsonl").open("a") as file:
                file.write('{"ruleset": "paces(hei')
        else:
            assert all(line.endswith(b"}\n") for line in (out / "answers.jsonl").read_bytes().splitlines(True))
    sgai.load_plugin(plugin)
    settings = sweeps.read_settings(out)
    answers = sweeps.sweep(settings, out)
    assert Counter(each["position"] for each in lines(out)) == Counter(str(n) for n in range(1, 25))
    assert [each.grundy for each in answers] == [n % 3 for n in range(1, 25)]
    plugin.write_text(PLUGIN + "\n# changed\n")
    with pytest.raises(sgai.SgaiError, match="has changed since the sweep began"):
        sweeps.read_settings(out)


def test_the_pool_gives_what_one_process_gives(tmp_path, capsys):
    answers = []
    for arguments in (["--engine", "serial"], ["--engine", "pool", "--concurrency", "2"]):
        command = ["sweep", "subtraction(take=[1;{b}])", "--range", "b=2-9", "--heaps", "60", "--json", "--quiet"]
        assert main([*command, "--out", str(tmp_path / arguments[1]), *arguments]) == 0
        found = json.loads(capsys.readouterr().out)
        answers.append([{name: value for name, value in each.items() if name != "seconds"} for each in found])
    assert answers[0] == answers[1]
    assert len(answers[0]) == 8


class _Broken(Engine):
    """An engine whose tasks all end badly, and that is interrupted at the third one."""

    def run(self, tasks, *, seconds=None, attempts=3):
        assert seconds is not None
        for task, kind in zip(tasks, ("hung", "died", "stop"), strict=False):
            if kind == "stop":
                raise KeyboardInterrupt
            yield Outcome(task.index, kind, reason="so it is")


def test_failed_items_say_why_and_ctrl_c_keeps_what_there_is(tmp_path):
    settings = sweeps.SweepSettings.parse(["nim [1]", "nim [2]", "nim [3]"], Question(seconds=1.0))
    with pytest.raises(sweeps.SweepInterrupted) as stopped:
        sweeps.sweep(settings, tmp_path, engine=_Broken())
    assert [each.failed for each in stopped.value.answers] == ["hung: so it is", "died: so it is"]
    assert "failed: nim [1]: hung: so it is" in sweeps.format_table(stopped.value.answers)
    answers = sweeps.sweep(settings, tmp_path)
    assert [each.grundy for each in answers] == [None, None, 3]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "nothing to solve"),
        (["nim", "--find-period"], "--heaps N"),
        (["cram", "--heaps", "9"], "item 'cram': cram(rows=4,columns=5) has no heaps"),
        (["nim", "--heaps", "9", "--play", "misere"], "leave out --play misere"),
        (["nim", "--play", "mixed"], "mixed"),
        (["nim [x]"], "item 'nim [x]'"),
        (["cram(rows={row})", "--range", "rows=1-2"], "{row} has no range; did you mean 'rows'?"),
        (["nim", "--range", "rows=1-2"], "no item has {rows}"),
        (["cram(rows={rows})", "--range", "rows=5-2"], "5-2 goes nowhere"),
        (["cram(rows={rows})", "--range", "rows"], "should be name=2-5"),
        (["cram(rows={rows})", "--range", "rows=1", "--range", "rows=2"], "given twice"),
        (["cram(rows={rows})", "--range", "rows=0-2"], "item 'cram(rows=0)'"),
        (["nim [{n}]", "--range", "n=1-9999999"], "more than 1,000,000"),
        (["--file", "missing.txt"], "'missing.txt' cannot be read"),
        (["nim", "--address", "here:1"], "only the engine 'ray'"),
        (["nim", "--resume", "x"], "item with --resume"),
        (["--resume", "missing"], "cannot|No such file"),
    ],
)
def test_bad_input(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert sgai_sweep(*arguments) == 2
    err = capsys.readouterr().err
    assert any(each in err for each in words.split("|")), err
    assert not any(tmp_path.iterdir())


def test_folders_that_hold_something_else(tmp_path, capsys):
    out = tmp_path / "sweep"
    assert sgai_sweep("nim", "--states", 10, "--out", out) == 0
    assert sgai_sweep("nim", "--states", 11, "--out", out) == 2
    assert "its states are '10', not '11'" in capsys.readouterr().err
    assert sgai_sweep("kayles", "--states", 10, "--out", out) == 2
    assert "its items are" in capsys.readouterr().err
    with Journal(out, "answers.jsonl"):
        assert sgai_sweep("--resume", out) == 2
    assert "in use by another run" in capsys.readouterr().err
    whole = (out / "answers.jsonl").read_text()
    (out / "answers.jsonl").write_text(whole + whole)
    assert sgai_sweep("--resume", out) == 2
    assert "there twice" in capsys.readouterr().err
    for damaged, words in (("{}\n", "is not an answer"), ("nonsense\n", "line 2 is damaged"),
                           (whole.replace("true", '"yes"'), "solved is of the wrong type")):  # fmt: skip
        (out / "answers.jsonl").write_text(whole + damaged)
        assert sgai_sweep("--resume", out) == 2
        assert words in capsys.readouterr().err
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    assert sgai_sweep("nim", "--out", tmp_path / "other") == 2
    assert "is not empty" in capsys.readouterr().err
    assert sgai_sweep("nim", "--out", tmp_path / "other" / "letter.txt") == 2
    assert "cannot be written" in capsys.readouterr().err
