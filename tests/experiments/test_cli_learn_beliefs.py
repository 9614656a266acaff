"""`sgai learn-beliefs`: what it writes and says, also when it is stopped."""

import json
from pathlib import Path

import pytest

import sgai
from sgai.belief_learning import Sampler
from sgai.belief_models import BeliefModel
from sgai.belief_tables import BeliefTable
from sgai.experiments.cli.main import main

CRAM = "cram(rows=4,columns=4)"


@pytest.fixture
def learn(capsys, tmp_path, monkeypatch):
    """Run `sgai learn-beliefs` in a new folder; return exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = main(["learn-beliefs", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_a_table_is_written_and_judged(learn, tmp_path):
    code, out, _ = learn(CRAM, "--positions", "80", "--seed", "3", "--out", "cram.json")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith("cram: 80 different components of ")
    assert lines[1].startswith("log loss on ")
    assert [line.split()[0] for line in lines[2:5]] == ["table", "generic", "uniform"]
    assert lines[5] == f"written to cram.json ({(tmp_path / 'cram.json').stat().st_size:,} bytes)"
    table = BeliefTable.load("cram.json")
    assert len(table) == 80
    assert table.learned["from"] == [CRAM]
    cram = sgai.load_ruleset(CRAM)
    assert BeliefModel.load("cram.json").belief(cram, cram.initial()).known is None


def test_equal_seeds_write_equal_files(learn, tmp_path):
    for name, seed in (("one", "3"), ("same", "3"), ("other", "4")):
        learn(CRAM, "--positions", "60", "--seed", seed, "--out", name)
    one, same, other = ((tmp_path / name).read_bytes() for name in ("one", "same", "other"))
    assert one == same
    assert one != other


def test_json(learn):
    code, out, _ = learn(CRAM, "--positions", "80", "--json")
    found = json.loads(out)
    assert code == 0
    assert list(found) == ["ruleset", "file", "components", "games", "not_solved", "held_out", "log_loss"]
    assert (found["ruleset"], found["file"], found["components"]) == ("cram", "cram.beliefs.json", 80)
    assert found["log_loss"]["table"] < found["log_loss"]["generic"] < found["log_loss"]["uniform"]
    code, out, _ = learn(CRAM, "--positions", "1", "--json")
    found = json.loads(out)
    assert (found["held_out"], found["log_loss"]) == (0, {"table": None, "generic": None, "uniform": None})


def test_random_graphs_and_several_rulesets(learn):
    code, _, _ = learn("node_kayles", "--vertices", "9", "--positions", "30", "--largest", "6")
    assert code == 0
    assert all(row[0] <= 6 for row in json.loads(Path("node_kayles.beliefs.json").read_text())["counts"])
    code, out, _ = learn("nim", "nim(piles=[9])", "--positions", "1", "--largest", "7")
    assert code == 0
    assert "too few games to hold some out" in out
    assert BeliefTable.load("nim.beliefs.json").learned["from"] == ["nim", "nim(piles=[9])"]


def test_what_is_not_solved_is_counted(learn):
    code, out, _ = learn("king(rows=6,columns=6)", "--positions", "10", "--states", "3", "--json")
    assert code == 0
    assert json.loads(out)["not_solved"] > 0


def test_time_may_run_out(learn):
    code, out, _ = learn(CRAM, "--positions", "1000000", "--seconds", "0.001", "--json")
    assert code == 0
    assert 1 <= json.loads(out)["components"] < 100


@pytest.mark.parametrize("after", [0, 7])
def test_stopped(learn, tmp_path, monkeypatch, after):
    solve, calls = Sampler._value, iter(range(after))

    def interrupted(self, ruleset, position):
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return solve(self, ruleset, position)

    monkeypatch.setattr(Sampler, "_value", interrupted)
    code, out, err = learn(CRAM, "--out", "cram.json")
    assert (code, out) == (130, "")
    if after:
        assert "stopped; the 7 components that were solved are in cram.json" in err
        assert len(BeliefTable.load("cram.json")) == 7
    else:
        assert "stopped; nothing was solved yet" in err
        assert not list(tmp_path.iterdir())


def test_a_file_is_replaced_as_a_whole(learn, tmp_path, monkeypatch):
    learn(CRAM, "--positions", "20", "--out", "cram.json")
    before = (tmp_path / "cram.json").read_bytes()
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left")))
    code, _, err = learn(CRAM, "--positions", "40", "--out", "cram.json")
    assert code == 2
    assert err.endswith("sgai: the table 'cram.json' cannot be written: No space left\n")
    assert (tmp_path / "cram.json").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["cram.json"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["crram"], "unknown ruleset 'crram'; did you mean 'cram'?"),
        (["cram", "nim"], "a table is of one ruleset's name, not of cram, nim"),
        (["cram", "--positions", "0"], "'0' should be 1 or more"),
        (["cram", "--seed", "x"], "'x' is not an integer"),
        (["cram", "--vertices", "5"], "is not played on an undirected graph"),
        (["cram", "--out", "nowhere/cram.json"], "there is no folder 'nowhere'"),
        (["graph(edges=[a-b;b-a],start=a)"], "play can"),
        (["cram(rows=1,columns=1)"], "has no components"),
        ([], "RULESET"),
    ],
)
def test_bad_input(learn, tmp_path, arguments, message):
    code, out, err = learn(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())
