"""`sgai store`: what it shows, what it finds wrong, what it removes."""

import json
import sqlite3
import subprocess
import sys

import pytest

import sgai
from sgai.experiments.cli.main import main
from sgai.store import NimberStore


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A store with true values, and the one that is used by default."""
    named = tmp_path / "nimbers.sqlite"
    monkeypatch.setenv("SGAI_STORE", str(named))
    with NimberStore(named) as store:
        store.put(
            "kayles", {f"[{size}]": value for size, value in enumerate(sgai.grundy_values("kayles", 30).tolist())}
        )
        store.put("subtraction(take=[2;5])", {"[4]": 0, "[7]": 0})
    return named


@pytest.fixture
def store(capsys):
    """Run `sgai store` in this process; return exit code, standard output and standard error."""

    def run(*arguments):
        code = main(["store", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def alter(file, command):
    connection = sqlite3.connect(file)
    connection.execute(command)
    connection.commit()
    connection.close()


def test_info(file, store):
    code, out, err = store("info")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        f"file    {file} ({file.stat().st_size:,} bytes)",
        "format  1, rules of version 1",
        "values  33",
        "  31  kayles",
        "   2  subtraction(take=[2;5])",
    ]
    _, out, _ = store("info", "--json")
    assert json.loads(out) == {
        "path": str(file),
        "exists": True,
        "bytes": file.stat().st_size,
        "format": 1,
        "rules_version": "1",
        "values": 33,
        "rulesets": [{"ruleset": "kayles", "values": 31}, {"ruleset": "subtraction(take=[2;5])", "values": 2}],
        "outdated": 0,
    }
    _, out, _ = store("info", "--ruleset", "kayles(piles=[9])")  # where play starts makes no other rules
    assert out.splitlines()[2:] == ["values  31 of kayles"]
    _, out, _ = store("info", "--ruleset", "nim", "--json")
    assert json.loads(out)["values"] == 0


def test_a_store_that_is_not_there(tmp_path, store):
    file = tmp_path / "none.sqlite"
    code, out, _ = store("info", "--file", str(file))
    assert (code, out.splitlines()[0]) == (0, f"file    {file} (not made yet)")
    code, out, _ = store("verify", "--file", str(file), "--recompute", "3")
    assert (code, out) == (0, f"{file}: not made yet, so there is nothing to verify\n")
    code, out, _ = store("clear", "--file", str(file))
    assert (code, out) == (0, f"removed 0 values from {file}\n")
    assert not file.exists()


def test_clear(file, store):
    code, out, _ = store("clear", "--ruleset", "subtraction(take=[2;5],piles=[3])")
    assert (code, out) == (0, f"removed 2 values of subtraction(take=[2;5]) from {file}\n")
    code, out, _ = store("clear", "--json")
    assert json.loads(out) == {"path": str(file), "ruleset": None, "removed": 31}
    _, out, _ = store("info")
    assert "values  0" in out


def test_verify(file, store):
    code, out, err = store("verify")
    assert (code, out, err) == (0, f"{file}: 33 values, all with the right checksum\n", "")
    code, out, _ = store("verify", "--recompute", "100")
    assert (code, out.splitlines()[1:]) == (0, ["computed again: 33, all equal"])
    _, out, _ = store("verify", "--ruleset", "kayles", "--recompute", "4", "--json")
    assert json.loads(out) == {
        "path": str(file),
        "ok": True,
        "good": 31,
        "outdated": 0,
        "bad": [],
        "integrity": [],
        "recomputed": 4,
        "not_recomputed": 0,
        "wrong": [],
    }


def test_verify_says_what_it_could_not_compute(file, store, monkeypatch):
    monkeypatch.setattr("sgai.experiments.cli.store._SECONDS_A_VALUE", 0.05)
    with NimberStore(file) as filled:
        filled.clear()
        filled.put("rules_of_a_plugin", {"[1]": 1})
        filled.put("queen(rows=900,columns=900)", {"(899,898)": 1})
    code, out, _ = store("verify", "--recompute", "5")
    assert (code, out.splitlines()[1:]) == (0, ["not computed again: 2 (over 0.05 s, or unknown rules)"])
    code, out, _ = store("clear", "--ruleset", "rules_of_a_plugin")
    assert (code, out) == (0, f"removed 1 values of rules_of_a_plugin from {file}\n")


def one_line(err):
    assert err.startswith("sgai: ")
    assert err.count("\n") == 1
    return err


def test_verify_finds_wrong_values(file, store):
    with NimberStore(file) as filled:
        filled.put("kayles", {"[31]": 9})  # it is 2
    code, _, _ = store("verify")
    assert code == 0
    code, out, err = store("verify", "--recompute", "100")
    assert (code, out) == (2, "")
    assert "1 wrong values among 34 computed again, the first of '[31]' of 'kayles': 2, not 9" in one_line(err)
    code, out, _ = store("verify", "--recompute", "100", "--json")
    assert code == 2
    assert json.loads(out)["wrong"] == [{"ruleset": "kayles", "position": "[31]", "stored": 9, "recomputed": 2}]


def test_verify_finds_damage(file, store):
    alter(file, "UPDATE nimbers SET value = x'ff' WHERE position = '[7]'")
    code, out, err = store("verify")
    assert (code, out) == (2, "")
    assert "2 values with a wrong checksum beside 31 good ones" in one_line(err)
    assert str(file) in err
    code, out, _ = store("verify", "--json")
    assert code == 2
    answer = json.loads(out)
    assert (answer["ok"], answer["good"]) == (False, 31)
    assert {"ruleset": "kayles", "position": "[7]", "value": "b'\\xff'"} in answer["bad"]


@pytest.mark.parametrize("action", ["info", "verify", "clear"])
def test_a_file_that_is_no_store(tmp_path, store, action):
    file = tmp_path / "notes.txt"
    file.write_text("shopping list\n")
    code, out, err = store(action, "--file", str(file))
    assert (code, out) == (2, "")
    assert f"nimber store '{file}' is a file of another kind, and left as it is" in one_line(err)
    assert file.read_text() == "shopping list\n"
    code, out, err = store(action, "--file", str(tmp_path))
    assert (code, out) == (2, "")
    assert "is no file" in one_line(err)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "info|verify|clear"),
        (["empty"], "'empty'"),
        (["info", "--ruleset", "kayels"], "did you mean 'kayles'?"),
        (["verify", "--recompute", "0"], "1 or more"),
        (["clear", "--recompute", "3"], "belongs to `sgai store verify`"),
    ],
)
def test_bad_input(file, store, arguments, words):
    code, out, err = store(*arguments)
    assert (code, out) == (2, "")
    assert words in one_line(err)
    assert len(NimberStore(file)) == 33


def test_it_loads_little(tmp_path):
    program = (
        "import sys\nfrom sgai.experiments.cli.main import main\n"
        f"main(['store', 'info', '--file', {str(tmp_path / 's')!r}])\nprint(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"pyspiel", "numba", "numpy", "matplotlib", "scipy", "tqdm"}
    without = subprocess.run(
        [sys.executable, "-c", "import sys, sgai.experiments.cli.main\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "sqlite3" not in without.stdout.split()


def test_a_stores_file_holds_all_once_the_command_has_ended(tmp_path):
    named = tmp_path / "nimbers.sqlite"
    assert main(["solve", "cram(rows=3,columns=5)", "--store", str(named)]) == 0
    assert [each.name for each in tmp_path.iterdir()] in ([], ["nimbers.sqlite"])
    assert main(["solve", "cram(rows=4,columns=7)", "--store", str(named)]) == 0
    assert [each.name for each in tmp_path.iterdir()] == ["nimbers.sqlite"]
