"""`sgai values` on long sequences: periods, budgets, progress, checkpoints."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import sgai
from sgai.checkpoints import default_checkpoint, load_sequence, save_sequence
from sgai.experiments.cli.main import main


@pytest.fixture
def values(capsys, tmp_path, monkeypatch):
    """Run `sgai values` with a cache folder of its own; return exit code, standard output and standard error."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def run(*arguments):
        code = main(["values", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_a_period_is_proved_and_printed(values):
    code, out, _ = values("0.16", "--find-period", "--to", "600000")
    assert code == 0
    assert out == (
        "take_and_break(code=[0.16]): period 149459 from heap 105351 on, proved by the values of heaps 0 to 509621\n"
    )
    code, out, _ = values("kayles", "--find-period", "--to", "170", "--format", "json")
    answer = json.loads(out)
    assert (code, answer["preperiod"], answer["period"], answer["proved_with"]) == (0, 71, 12, 167)
    assert answer["values"] == sgai.grundy_values("kayles", 170).tolist()


def test_no_period_is_an_answer_with_exit_code_3(values):
    code, out, err = values("0.007", "--find-period", "--to", "5000")
    assert (code, err) == (3, "")
    assert out == "take_and_break(code=[0.007]): no period is proved by the values of heaps 0 to 5000\n"
    code, out, _ = values("kayles", "--find-period", "--to", "100", "--format", "json")
    assert code == 3
    assert json.loads(out)["period"] is None


def test_a_game_without_a_theorem_is_refused(values):
    code, _, err = values("0.[3]", "--find-period")
    assert code == 2
    assert "no theorem" in err


def test_a_budget_of_seconds(values):
    started = time.perf_counter()
    code, out, _ = values("0.007", "--to", "900000", "--seconds", "0.7")
    assert code == 3
    assert "not all heaps to 900000 were computed within the budget" in out
    assert time.perf_counter() - started < 8


def start(folder, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "sgai", "values", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "XDG_CACHE_HOME": str(folder)},
    )


def test_ctrl_c_keeps_the_values_and_the_next_run_goes_on(tmp_path):
    file = tmp_path / "run.npz"
    arguments = ("0.007", "--to", "60000", "--format", "csv", "--checkpoint", str(file))
    first = start(tmp_path, "0.007", "--to", "900000", "--format", "csv", "--checkpoint", str(file))
    time.sleep(4)
    first.send_signal(signal.SIGINT)
    out, err = first.communicate(timeout=30)
    assert first.returncode == 130, err
    assert out == ""
    assert "the same command goes on from there" in err
    stored = load_sequence(file, sgai.load_ruleset("0.007"))
    assert len(stored) > 4097
    second = start(tmp_path, *arguments)
    out, err = second.communicate(timeout=60)
    assert second.returncode == 0
    assert f"going on from heap {len(stored) - 1}" in err
    found = [int(line.split(",")[1]) for line in out.splitlines()[1:]]
    np.testing.assert_array_equal(found[:20001], sgai.grundy_values("0.007", 20000))
    assert len(found) == 60001


def test_a_checkpoint_is_never_trusted_blindly(tmp_path, values):
    ruleset = sgai.load_ruleset("0.106")
    right = sgai.grundy_values(ruleset, 6000).astype(np.uint16)
    file = tmp_path / "c.npz"
    save_sequence(file, ruleset, right)
    np.testing.assert_array_equal(load_sequence(file, ruleset), right)
    assert load_sequence(tmp_path / "none.npz", ruleset) is None
    with pytest.raises(sgai.SgaiError, match="has ruleset"):
        load_sequence(file, sgai.load_ruleset("kayles"))
    code, _, err = values("kayles", "--to", "9000", "--checkpoint", str(file))
    assert code == 2
    assert "delete it or name another" in err
    data = file.read_bytes()
    for damaged in (data[: len(data) // 2], b"", b"not a checkpoint at all"):
        file.write_bytes(damaged)
        with pytest.raises(sgai.SgaiError, match="is damaged"):
            load_sequence(file, ruleset)
        assert file.read_bytes() == damaged
    np.save(tmp_path / "plain.npy", right)
    np.savez(tmp_path / "list.npz", values=right, about=np.array("[1]"))
    encrypted, newer = bytearray(data), bytearray(data)
    at = data.index(b"PK\x01\x02")  # the archive's list of files: versions, then flags
    encrypted[at + 8] |= 1
    newer[at + 6] = 200
    (tmp_path / "encrypted.npz").write_bytes(encrypted)
    (tmp_path / "newer.npz").write_bytes(newer)
    for name in ("plain.npy", "list.npz", "encrypted.npz", "newer.npz"):
        with pytest.raises(sgai.SgaiError, match="is damaged"):
            load_sequence(tmp_path / name, ruleset)
    wrong = right.copy()
    wrong[5000] += 1
    np.savez(file, values=wrong, about=np.load(_saved(tmp_path, ruleset, right))["about"])
    with pytest.raises(sgai.SgaiError, match="has sha256"):
        load_sequence(file, ruleset)


def _saved(folder, ruleset, numbers):
    file = folder / "other.npz"
    save_sequence(file, ruleset, numbers)
    return file


def test_a_checkpoint_that_cannot_be_written(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(sgai.SgaiError, match="cannot be written"):
        save_sequence(tmp_path / "file" / "c.npz", sgai.load_ruleset("kayles"), np.zeros(3, dtype=np.uint16))


def test_a_run_goes_on_where_checkpoints_cannot_be_written(tmp_path, values, monkeypatch):
    monkeypatch.setattr("sgai.experiments.cli.values._SAVE_SECONDS", 0.0)
    monkeypatch.setattr("sgai.experiments.cli.values._LOOK_SECONDS", 0.01)
    (tmp_path / "file").touch()
    arguments = ("0.007", "--to", "50000", "--format", "csv", "--checkpoint", str(tmp_path / "file" / "c.npz"))
    code, out, err = values(*arguments)
    assert (code, len(out.splitlines())) == (0, 50002)
    assert err.count("cannot be written") == 1

    heaps = []

    def interrupted(_bar, more):
        heaps.append(more)
        if sum(heaps) > 20_000:
            raise KeyboardInterrupt

    monkeypatch.setattr("tqdm.tqdm.update", interrupted)
    code, _, err = values(*arguments)
    assert code == 130
    assert "stopped after heap" in err
    assert "cannot be written" in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_output_that_does_not_fit_the_disk():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "sgai", "values", "0.77", "--to", "3000"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (
        2, "sgai: the disk is full, and what was to be written is not whole: free some space\n",
    )  # fmt: skip


def test_checkpoints_of_different_rules_are_different_files():
    names = {default_checkpoint(sgai.load_ruleset(text)) for text in ("0.106", "0.16", "kayles", "0.77")}
    assert len(names) == 4
    assert default_checkpoint(sgai.load_ruleset("kayles(piles=[3])")) == default_checkpoint(sgai.load_ruleset("kayles"))


def test_genera(values):
    code, out, _ = values("kayles", "--misere", "--to", "11")
    assert code == 0
    assert out.splitlines() == [
        "kayles: genera of heaps 0 to 11",
        " 0: 0^120 1^031 2^20  3^31  1^031 4^146 3^31  2^20  1^13  4^046",
        "10: 2^20  6^46",
    ]
    _, out, _ = values("kayles", "--misere", "--to", "1", "--format", "csv")
    assert out == "heap,genus\n0,0^120\n1,1^031\n"
    _, out, _ = values("kayles", "--misere", "--to", "1", "--format", "json")
    assert json.loads(out)["genera"] == ["0^120", "1^031"]
    code, _, err = values("queen", "--misere")
    assert (code, "no heaps" in err) == (2, True)
    code, _, err = values("kayles", "--misere", "--find-period")
    assert (code, "sgai.misere.quotient" in err) == (2, True)
