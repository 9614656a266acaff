"""Who can play in a match: OpenSpiel's bots, bots of users, and bots in other processes; and settings from a file."""

import json
import re
import sys
from pathlib import Path

import pytest

import sgai
from sgai.agents import process_bot
from sgai.experiments import matches
from sgai.experiments.cli.main import main
from sgai.experiments.matches import parse_contestant

NIM = "sgai_nim(piles=[2;3;4])"
PROTOCOL = Path(__file__).parents[2] / "docs" / "match-protocol.md"

ENGINE = """
import sys, time
how = sys.argv[1] if len(sys.argv) > 1 else ""
if how == "silent":
    time.sleep(100)
for line in sys.stdin:
    words = line.split()
    if words[0] == "sgai":
        print("hello", flush=True)
        print("sgai 1 test", flush=True)
    elif words[0] == "newgame":
        print("error no such game" if how == "refuses" else "ready", flush=True)
    elif words[0] == "go":
        if how == "log":
            print(" ".join(words), file=open(sys.argv[2], "a"))
        if how == "late":
            time.sleep(100)
        if how == "ends":
            sys.exit(4)
        print("thinking", flush=True)
        print("info nodes 17 status proved", flush=True)
        print("bestmove", {"words": "two", "illegal": "999"}.get(how, moves), flush=True)
    elif words[0] == "position":
        moves = 0 if len(words) == 1 else 1 + int(words[-1])
    elif words[0] == "quit":
        break
"""


@pytest.fixture(autouse=True)
def _no_process_is_left():
    yield
    process_bot.close_processes()


@pytest.fixture
def engine(tmp_path):
    """Write a program that speaks the protocol, and return how to start it in some mood."""
    file = tmp_path / "engine.py"
    file.write_text(ENGINE)
    return lambda how="", budget="": f"process{budget}:{sys.executable} {file} {how}".strip()


def play(agents, folder, games=(NIM,), rounds=1, **more):
    settings = matches.MatchSettings.parse(agents, games, rounds, 1, **more)
    return matches.play_match(settings, matches.new_folder(str(folder)))


def test_openspiels_bots(tmp_path):
    names = ["openspiel:uniform_random", "open_spiel.python.bots.uniform_random:UniformRandomBot"]
    records = play([*names, "random"], tmp_path / "m", games=(NIM, "tic_tac_toe"), rounds=2)
    assert not any(record.forfeit for record in records)
    assert {name for record in records for name in record.agents} == {*names, "random"}
    again = play([*names, "random"], tmp_path / "n", games=(NIM, "tic_tac_toe"), rounds=2)
    assert [record.without_times() for record in records] == [record.without_times() for record in again]
    assert len({tuple(record.actions) for record in records}) > 10


def test_a_module_of_a_user(tmp_path, monkeypatch):
    (tmp_path / "bots_by_module.py").write_text(
        "class Last:\n    def __init__(self, game, back: int = 1, name: str = 'x'):\n        self.back = back\n"
        "    def step(self, state):\n        return state.legal_actions()[-self.back]\n"
    )
    monkeypatch.chdir(tmp_path)
    bot = parse_contestant("bots_by_module:Last(back=1,name=[a;b])")
    assert bot.arguments == (("back", 1), ("name", "a;b"))
    records = play(["bots_by_module:Last", "exact"], tmp_path / "m")
    assert not any(record.forfeit for record in records)
    for text, words in (
        ("bots_by_module:Last(bak=1)", "takes no argument 'bak'; it takes: back, name"),
        ("bots_by_module:Lats", "did you mean 'Last'"),
        ("no_such_module:Bot", "'no_such_module' cannot be imported: ModuleNotFoundError"),
        ("no_such_file.py:Bot", "there is no file 'no_such_file.py'"),
        ("openspiel:uniform_randomm", "did you mean 'uniform_random'"),
        ("bots_by_module:", "after the colon should come a name"),
    ):
        with pytest.raises(sgai.SgaiError, match=re.escape(words)):
            parse_contestant(text)
    with pytest.raises(sgai.SgaiError, match="named twice"):
        matches.MatchSettings.parse(["bots_by_module:Last(back=1)", "bots_by_module:Last( back = 1 )"], [NIM], 1, 0)


def test_the_example_of_the_protocol_plays(tmp_path):
    blocks = re.findall(r"```py\n(.*?)```", PROTOCOL.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "engine.py").write_text(blocks[0])
    names = [f"process:{sys.executable} {tmp_path / 'engine.py'}", "exact"]
    records = play(names, tmp_path / "m", games=(NIM, "nim"), openings="balanced")
    assert [record.forfeit for record in records] == [None] * 4
    again = play(names, tmp_path / "n", games=(NIM, "nim"), openings="balanced")
    assert [record.without_times() for record in records] == [record.without_times() for record in again]


def test_an_agent_behind_the_protocol_plays_as_it_does_without(tmp_path):
    served = f"process:{sys.executable} -m sgai.experiments.matches.serve exact"
    direct = play(["exact", "random(seed=3)"], tmp_path / "a", rounds=3, openings="balanced")
    apart = play([served, "random(seed=3)"], tmp_path / "b", rounds=3, openings="balanced")
    assert [record.actions for record in direct] == [record.actions for record in apart]
    row = next(row for row in matches.table(apart) if row["agent"] == served)
    assert row["exact"] == row["decisions"] > 0


def test_what_processes_are_told_and_say(engine, tmp_path):
    log = tmp_path / "log.txt"
    records = play([engine(f"log {log}", "(seconds=0.25)"), "random"], tmp_path / "m")
    assert set(log.read_text().splitlines()) == {"go seconds 0.25"}
    for record in records:
        mine = [i for i, seat in enumerate(record.seats) if record.agents[int(seat)] != "random"]
        said = [i for i in mine if record.nodes[i] is not None]
        assert {record.statuses[i] for i in said} <= {"p"}
        assert {record.nodes[i] for i in said} <= {17}
    assert any("process" in record.agents[0] and record.statuses[0] == "p" for record in records)
    play([engine(f"log {log}"), "random"], tmp_path / "n", budget={"nodes": 40})
    assert log.read_text().splitlines()[-1] == "go nodes 40"


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("late", "took more than 0.2 s"),
        ("ends", "ended with exit code 4 without an answer"),
        ("words", "answered bestmove 'two', which is no action"),
        ("illegal", "returned 999, which is not legal"),
    ],
)
def test_processes_that_misbehave_forfeit(how, words, engine, tmp_path):
    records = play([engine(how), "random"], tmp_path / "m", limit=0.2 if how == "late" else 60)
    assert {record.winner for record in records} == {"random"}
    assert all(words in record.forfeit for record in records)


def test_processes_that_cannot_play_are_named_before_the_match(engine, tmp_path, monkeypatch):
    with pytest.raises(sgai.SgaiError, match=r"does not play sgai_nim\(.*\): no such game"):
        play([engine("refuses"), "random"], tmp_path / "m")
    monkeypatch.setattr(process_bot, "START_SECONDS", 0.3)
    with pytest.raises(sgai.SgaiError, match=r"gave no answer within 0.3 s"):
        play([engine("silent"), "random"], tmp_path / "m")
    with pytest.raises(sgai.SgaiError, match="'/no/such/engine' cannot be started"):
        play(["process:/no/such/engine", "random"], tmp_path / "m")
    for text in ("process:", "process(depth=3):x", "process(seconds=x):y"):
        with pytest.raises(sgai.SgaiError, match="should be process:COMMAND"):
            parse_contestant(text)


def test_a_budget_goes_to_all_who_take_it_and_have_none(tmp_path):
    settings = matches.MatchSettings.parse(
        ["hybrid", "mcts(simulations=7)", "plain_mcts", "exact", "random"], ["sgai_kayles"], 1, 0, budget={"nodes": 50}
    )
    assert [str(agent) for agent in settings.agents] == [
        "hybrid(nodes=50)",
        "mcts(simulations=7)",
        "plain_mcts(nodes=50)",
        "exact",
        "random",
    ]
    assert settings.agents[1].budget() == {"simulations": 7}
    assert matches.MatchSettings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings


CONFIG = """
agent = ["exact", "random"]
game = ["sgai_nim(piles=[1;2])"]
rounds = 4
oracle-states = 500
openings = "balanced"
engine = "serial"
adjudicate = false
"""


def test_a_file_of_settings_which_flags_override(tmp_path, capsys):
    file = tmp_path / "match.toml"
    file.write_text(CONFIG)
    folder = tmp_path / "m"
    assert main(["match", "--config", str(file), "--rounds", "2", "--quiet", "--out", str(folder)]) == 0
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["rounds"], manifest["oracle_states"], manifest["openings"]) == (2, 500, "balanced")
    assert "4 games written to" in capsys.readouterr().out
    assert main(["match", "--resume", str(folder), "--engine", "serial", "--quiet"]) == 0
    assert "4 games written to" in capsys.readouterr().out
    assert (folder / "report.html").exists()
    assert main(["match", "--replay", str(folder / "games.jsonl")]) == 0
    assert "4 games replayed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("round = 4", "unknown setting 'round'; did you mean 'rounds'?"),
        ('rounds = "four"', "rounds = 'four' should be a whole number"),
        ("rounds = true", "rounds = 'True' should be a whole number"),
        ("rounds = -1", "should be a whole number"),
        ("rounds = 0", "rounds=0"),
        ('agent = "exact"', "should be a list of text"),
        ("rounds = ", "is not TOML"),
        ("adjudicate = 1", "should be true or false"),
        ("nodes = 5\nsimulations = 5", "nodes and simulations are given"),
        ("limit = 0", "limit=0"),
        ('openings = "blanced"', "did you mean 'balanced'"),
        ('engine = "ray"\nconcurrency = 0', "concurrency=0|not installed"),
    ],
)
def test_bad_files_of_settings(text, words, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("match.toml").write_text(text)
    code = main(["match", "--quiet", "--game", "sgai_nim", "--config", "match.toml"])
    error = capsys.readouterr().err
    assert code == 2
    assert re.search(words.replace("?", r"\?"), error), error
    assert not Path("matches").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--config", "nowhere.toml"], "'nowhere.toml' cannot be read"),
        (["--resume", "nowhere"], "cannot be read"),
        (["--resume", "nowhere", "--rounds", "3"], "--rounds with --resume"),
        (["--resume", "nowhere", "--config", "match.toml"], "--config|cannot be read"),
        (
            ["--agent", "exact", "--agent", "random", "--agent", "mcts", "--sprt", "elo1=5"],
            "compares two agents, not 3",
        ),
        (["--engine", "pools"], "did you mean 'pool'"),
        (["--address", "here"], "only the engine 'ray'"),
        (["--adjudicate", "--oracle-states", "0"], "needs 1 state or more"),
    ],
)
def test_bad_options(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    game = [] if "--resume" in arguments else ["--game", "sgai_nim(piles=[2])"]
    code = main(["match", "--quiet", *game, *arguments])
    error = capsys.readouterr().err
    assert (code, error.count("\n")) == (2, 1)
    assert re.search(words, error)
