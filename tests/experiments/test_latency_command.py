"""`sgai latency`: tables, files, baselines, Ctrl-C and bad input."""

import csv
import json

import pytest

from sgai.experiments.cli.main import main
from sgai.experiments.latency import LatencySettings, Results, format_table, one_game, run_latency
from sgai.experiments.latency.results import machine_info

SMALL = ("latency", "--quiet", "--positions", "2", "--repeats", "3", "--game", "sgai_nim", "--sizes", "3,4")
AGENTS = ("--agent", "exact", "--agent", "mcts(simulations=10)")


def test_a_run_prints_tables_and_writes_its_files(tmp_path, capsys):
    files = ["--csv", str(tmp_path / "rows.csv"), "--samples", str(tmp_path / "all.csv")]
    assert main([*SMALL, *AGENTS, "--components", "1,2", *files]) == 0
    out = capsys.readouterr().out
    assert "sgai_nim(piles=[4;4]): size 4, components 2, 2 positions with" in out
    assert "times the first: the median over that of exact" in out
    rows = list(csv.DictReader((tmp_path / "rows.csv").open()))
    assert len(rows) == 2 * 2 * 2 * 2
    assert {(row["size"], row["components"], row["agent"], row["mode"]) for row in rows} == {
        (size, count, agent, mode)
        for size in "34"
        for count in "12"
        for agent in ("exact", "mcts(simulations=10)")
        for mode in ("cold", "warm")
    }
    assert all(0 < float(row["p50"]) <= float(row["p90"]) <= float(row["p99"]) <= float(row["max"]) for row in rows)
    samples = list(csv.DictReader((tmp_path / "all.csv").open()))
    assert len(samples) == sum(int(row["decisions"]) for row in rows) == 16 * 6


def test_json_has_rows_machine_and_settings(capsys):
    assert main([*SMALL, *AGENTS, "--mode", "warm", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert set(shown) == {"settings", "machine", "games_at_once", "interrupted", "rows"}
    assert {row["mode"] for row in shown["rows"]} == {"warm"}
    assert shown["settings"]["seed"] == 0
    assert {"sgai", "open_spiel", "numpy", "numba", "python"} == set(shown["machine"]["versions"])
    assert all(row["ratio"] > 0 for row in shown["rows"] if row["against"])


def test_a_baseline_is_kept_and_compared(tmp_path, capsys):
    file = str(tmp_path / "b.json")
    assert main([*SMALL, *AGENTS, "--save-baseline", file]) == 0
    assert main([*SMALL, *AGENTS, "--baseline", file, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out.split("\n{\n", 1)[1].join(["{\n", ""]))
    assert len(shown["changes"]) == 2 * 2 * 2
    # Had everything been a thousand times as fast then, this run would be slower.
    kept = json.loads((tmp_path / "b.json").read_text())
    for sample in kept["samples"]:
        sample["seconds"], sample["cpu_seconds"] = sample["seconds"] / 1000, sample["cpu_seconds"] / 1000
    (tmp_path / "b.json").write_text(json.dumps(kept))
    assert main([*SMALL, *AGENTS, "--baseline", file]) == 0
    assert "8 of 8 got slower:" in capsys.readouterr().out
    assert main([*SMALL, *AGENTS, "--baseline", file, "--fail-if-slower", "1.5"]) == 1
    assert "sgai: slower than 1.5 times the baseline" in capsys.readouterr().err
    assert main([*SMALL, *AGENTS, "--baseline", file, "--seed", "1"]) == 2
    assert "other settings: seed was '0', and is '1'" in capsys.readouterr().err


def test_ctrl_c_keeps_what_is_done(tmp_path, capsys, monkeypatch):
    left = 17  # in the middle of the second game
    made = one_game.measure_point

    def stopped(*arguments, **options):
        nonlocal left
        for found in made(*arguments, **options):
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
            yield found

    monkeypatch.setattr(one_game, "measure_point", stopped)
    files = ["--csv", str(tmp_path / "rows.csv"), "--save-baseline", str(tmp_path / "b.json")]
    assert main([*SMALL, "--agent", "exact", "--mode", "cold", "--repeats", "5", *files, "--json"]) == 130
    said = capsys.readouterr()
    shown = json.loads(said.out)
    assert shown["interrupted"]
    rows = list(csv.DictReader((tmp_path / "rows.csv").open()))
    assert [row["decisions"] for row in rows] == [str(row["decisions"]) for row in shown["rows"]]
    assert sum(row["decisions"] for row in shown["rows"]) == 8
    assert "no baseline is saved" in said.err
    left = 3
    assert main([*SMALL, "--agent", "exact", "--mode", "cold"]) == 130
    assert "The run was interrupted" in capsys.readouterr().out
    assert not (tmp_path / "b.json").exists()


def test_budgets_show_overruns_and_what_is_not_solved(capsys):
    arguments = ("latency", "--quiet", "--positions", "2", "--repeats", "2", "--game", "sgai_kayles(piles=[9;8])")
    assert main([*arguments, "--agent", "mcts", "--agent", "exact(states=1)", "--seconds", "0.001,0.002"]) == 0
    out = capsys.readouterr().out
    assert "mcts(seconds=0.001)" in out
    assert "mcts(seconds=0.002)" in out
    assert "late: decisions over the budget" in out
    assert "not solved" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--agent", "exakt"], "unknown agent 'exakt'; did you mean 'exact'"),
        (["--game", "sgai_crm"], "unknown OpenSpiel game 'sgai_crm'"),
        (["--game", "sgai_nim(piles=[2])", "--moves", "3", "--agent", "exact"], "allow fewer moves"),
        (["--game", "sgai_cram(rows=1,columns={size})", "--sizes", "1"], "'sgai_cram(rows=1,columns=1)'"),
        (["--sizes", "3,x"], "'x'"),
        (["--moves", "5-2"], "'5-2' should be"),
        (["--csv", "no/such/folder.csv"], "'no/such/folder.csv' cannot be written"),
        (["--samples", "."], "'.' cannot be written: it is a folder"),
        (["--plot", "x.gif"], "'x.gif': the name of a plot should end in .png"),
        (["--csv", "a", "--samples", "a"], "written twice"),
        (["--csv", "a", "--baseline", "a"], "--csv would overwrite the baseline 'a'"),
        (["--baseline", "nowhere.json"], "'nowhere.json' cannot be read"),
        (["--fail-if-slower", "1.5"], "needs --baseline"),
        (["--fail-if-slower", "0.5", "--baseline", "b"], "'0.5' should be a factor of 1 or more"),
        (["--compile"], "give --fresh N too"),
        (["--engine", "nonsense", "--csv", "a"], "engine='nonsense' is unknown"),
        (["--address", "10.0.0.1:6379", "--csv", "a"], "only the engine 'ray' has one, not 'serial'"),
        (["--address", "10.0.0.1:6379", "--concurrency", "2"], "only the engine 'ray' has one, not 'pool'"),
        (["--engine", "serial", "--concurrency", "2", "--samples", "a"], "'serial' has one worker"),
        (["--concurrency", "0"], "'0' should be 1 or more"),
    ],
)
def test_bad_input_is_one_clear_line(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["latency", *arguments]) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert said.err.count("\n") == 1
    assert not said.out
    assert not list(tmp_path.iterdir())


def test_nothing_measured_is_said():
    settings = LatencySettings.parse(["exact"], ["nim"])
    assert format_table(Results(settings, machine_info())) == "nothing was measured"


@pytest.mark.parametrize(
    ("ending", "start", "grid"),
    [(".png", b"\x89PNG", {"sizes": [3, 4]}), (".svg", b"<?xml", {}), (".svg", b"<?xml", {"nodes": [5, 9]})],
)
def test_plots_are_drawn_over_what_varies(tmp_path, ending, start, grid):
    pytest.importorskip("matplotlib")
    from sgai.experiments.latency.plotting import Axis, plot

    game = "sgai_nim" if "sizes" in grid else "sgai_queen"
    agents = ["random", "plain_alpha_beta" if "nodes" in grid else "exact"]
    results = run_latency(LatencySettings.parse(agents, [game], positions=1, repeats=1, **grid))
    assert Axis.of(results, results.rows()).variable == {"sizes": "size", "nodes": "nodes"}.get(next(iter(grid), None))
    file = tmp_path / f"plot{ending}"
    plot(results, file)
    drawn = file.read_bytes()
    assert drawn.startswith(start)
    assert len(drawn) > 5000


def test_plots_without_matplotlib_say_what_to_install(monkeypatch, capsys):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert main(["latency", "--plot", "x.png"]) == 2
    assert "pip install 'sgai-openspiel[plots]'" in capsys.readouterr().err
