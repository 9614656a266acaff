"""Agents by name in `sgai match` and `sgai play`."""

import json

import pytest

from sgai.agents.players import PlayerSpec
from sgai.experiments.cli.main import main


@pytest.fixture
def sgai(capsys):
    """Run the command in this process; return exit code, standard output and standard error."""

    def run(*arguments):
        code = main(list(arguments))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


SEARCH = "hybrid(unsuited=[search],nodes=9)"


def answers(monkeypatch, *lines):
    waiting = iter(lines)
    monkeypatch.setattr("builtins.input", lambda _: next(waiting, "q"))


def test_a_match_of_searching_agents_is_recorded_and_replays(sgai, tmp_path):
    folder = tmp_path / "m"
    agents = ["hybrid(nodes=300)", "plain_mcts(nodes=200)", "plain_alpha_beta(nodes=200)", "mcts(seconds=0.002)"]
    given = [part for agent in agents for part in ("--agent", agent)]
    code, out, _ = sgai(
        "match", *given, "--game", "sgai_kayles(piles=[4;5])", "--rounds", "1", "--quiet", "--out", str(folder)
    )
    assert code == 0
    assert json.loads((folder / "manifest.json").read_text())["agents"] == agents
    assert all(agent in out for agent in agents)
    assert '"forfeit": null' in (folder / "games.jsonl").read_text()
    assert "raised" not in (folder / "games.jsonl").read_text()
    code, again, _ = sgai("match", "--replay", str(folder))
    assert (code, again.splitlines()[:-1]) == (0, out.splitlines()[:-1])


def test_a_match_on_a_game_that_is_not_impartial(sgai, tmp_path):
    arguments = ("--agent", "hybrid(nodes=100)", "--agent", "random", "--game", "tic_tac_toe", "--rounds", "2")
    code, out, _ = sgai("match", *arguments, "--quiet", "--json", "--out", str(tmp_path / "m"))
    rows = {row["agent"]: row for row in json.loads(out)}
    assert code == 0
    assert rows["hybrid(nodes=100)"]["forfeits"] == rows["random"]["forfeits"] == 0
    assert rows["hybrid(nodes=100)"]["wins"] >= rows["random"]["wins"]


def test_play_against_the_hybrid_agent_which_explains_its_moves(sgai, monkeypatch):
    answers(monkeypatch, "4->3")
    code, out, _ = sgai("play", "kayles(piles=[4;5])", "--agent", "hybrid(nodes=500)", "--explain")
    assert code == 0
    assert "the hybrid agent plays 5->3" in out
    assert "    kayles [5]: value 4\n" in out
    assert "The move 5->3 wins (exact)." in out


def test_other_agents_say_what_they_know(sgai, monkeypatch):
    answers(monkeypatch)
    _, out, _ = sgai("play", "nim(piles=[1;2])", "--second", "--explain")
    assert "  nim [2]: value 2\n  the move is exact, it wins" in out
    _, out, _ = sgai("play", "nim(piles=[1;2])", "--second", "--explain", "--agent", "plain_alpha_beta(nodes=500)")
    assert "the plain_alpha_beta agent plays 2->1\n  the move is proved, it wins" in out
    _, out, _ = sgai("play", "nim(piles=[2;2])", "--second", "--explain", "--agent", "random")
    assert "the move is estimated\n" in out
    _, out, _ = sgai("play", "nim(piles=[2;2])", "--second", "--explain")
    assert "no move wins against perfect play" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["play", "nim", "--agent", "hybird"], "did you mean 'hybrid'"),
        (["play", "nim", "--agent", "hybrid(second=1)"], "did you mean 'seconds'"),
        (["play", "nim", "--agent", "hybrid(nodes=few)"], "nodes=few"),
        (["play", "nim", "--agent", "hybrid(nodes=5,seconds=1)"], "one budget"),
        (["play", "nim", "--agent", "plain_mcts", "--play", "misere"], "normal play only"),
        (["match", "--agent", "hybrid(seconds=0)", "--agent", "exact"], "seconds=0"),
        (["match", "--agent", "hybrid", "--agent", "exact", "--game", "tic_tac_toe"], "no impartial game"),
        (["match", "--agent", "hybrid", "--agent", "random", "--game", "kuhn_poker"], "chance moves in it"),
        (
            ["match", "--agent", SEARCH, "--agent", SEARCH.replace("9", "8"), "--game", "backgammon"],
            "no game for a match: chance moves in it",
        ),
        (["match", "--agent", "plain_mcts", "--agent", "exact", "--game", "nim"], "normal play"),
    ],
)
def test_bad_input_is_one_clear_line(sgai, arguments, words):
    code, out, err = sgai(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("sgai: ")
    assert err.count("\n") == 1
    assert words in err


def test_player_texts_round_trip():
    for text in (
        "exact",
        "exact(states=1000)",
        "hybrid(seconds=0.1,core=[mcts])",
        "plain_mcts(nodes=10,seed=3)",
        "random",
    ):
        assert str(PlayerSpec.parse(text)) == text
