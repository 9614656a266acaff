"""`sgai solve` on boards and graphs: output, bad input, the store, Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from sgai.experiments.cli.main import main


def run(capsys, *arguments):
    code = main(list(arguments))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_a_board_given_as_text(capsys):
    code, out, _ = run(capsys, "solve", "cram(rows=3,columns=4)", "..#./..../.#..")
    assert code == 0
    assert "Grundy value  2" in out
    assert "(1,1)-(1,2)  to ..#./.##./.#.." in out
    assert run(capsys, "solve", "cram(rows=3,columns=4)", "..#.|....|.#..")[1].split("in ")[0] == out.split("in ")[0]


def test_json_has_nodes_hits_and_seconds(capsys):
    code, out, _ = run(capsys, "solve", "cram(rows=5,columns=6)", "--json")
    answer = json.loads(out)
    assert (code, answer["grundy"], answer["outcome"]) == (0, 2, "N")
    assert answer["states"] > 0
    assert answer["table_hits"] > 0
    assert answer["seconds"] > 0


def test_not_solved_says_what_is_proved(capsys):
    code, out, _ = run(capsys, "solve", "cram(rows=6,columns=7)", "--states", "40000")
    assert code == 3
    assert "is not 0: search excludes these" in out or "is not 0, 1: search excludes these" in out


def test_a_second_run_uses_the_store(capsys, tmp_path):
    file = str(tmp_path / "nimbers")
    first = json.loads(run(capsys, "solve", "cram(rows=5,columns=6)", "--store", file, "--json")[1])
    second = json.loads(run(capsys, "solve", "cram(rows=5,columns=6)", "--store", file, "--json")[1])
    assert first["states"] > second["states"] == 0
    assert first["winning_moves"] == second["winning_moves"]
    assert "cram(rows=5,columns=6)" in run(capsys, "store", "info", "--file", file)[1]
    code, out, _ = run(capsys, "store", "verify", "--file", file, "--recompute", "3")
    assert code == 0
    assert "computed again: 3, all equal" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cram(rows=3,columns=4)", "..#./..../.#."], "'..#./..../.#.'"),
        (["cram(rows=3,columns=4)", "..x./..../...."], "x"),
        (["cram(cells=[../...])"], "../..."),
        (["node_kayles(edges=[0-0])"], "0"),
        (["node_kayles(edges=[0-1])", "{7}"], "7"),
        (["node_kayles(graph=ring)"], "ring"),
        (["arc_kayles(graph=path,vertices=0)"], "0"),
        (["poset(relations=[a<b;b<a])"], "a"),
        (["cram(rows=5,columns=6)", "--memory", "0"], "0"),
    ],
)
def test_bad_input_is_one_clear_line(capsys, arguments, said):
    code, out, err = run(capsys, "solve", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("sgai: ")
    assert err.count("\n") == 1
    assert said in err


def test_a_foreign_store_is_refused(capsys, tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("shopping list")
    code, _, err = run(capsys, "solve", "cram(rows=4,columns=5)", "--store", str(file))
    assert code == 2
    assert "notes.txt" in err
    assert file.read_text() == "shopping list"


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to send")
def test_ctrl_c_keeps_what_was_found(tmp_path):
    file = tmp_path / "nimbers"
    command = [sys.executable, "-m", "sgai", "solve", "cram(rows=6,columns=7)", "--store", str(file)]
    reset = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)  # noqa: E731 - a shell may have it ignored
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=reset)
    try:
        shown = ""
        while "states" not in shown:  # the search is under way, after compilation if need be
            character = process.stderr.read(1)
            assert character, shown
            shown += character
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert out == ""
    assert err.strip().endswith("sgai: interrupted")
    assert "what took long and can be stored is kept, and the same command goes on from there" in err
    listed = subprocess.run(
        [sys.executable, "-m", "sgai", "store", "info", "--file", str(file)], capture_output=True, text=True, check=True
    )
    assert "cram(rows=6,columns=7)" in listed.stdout
