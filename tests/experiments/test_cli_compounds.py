"""`sgai solve` and `sgai play` on compounds."""

import json
import re

import pytest

from sgai.experiments.cli.main import main


@pytest.fixture
def sgai(capsys):
    """Run the command in this process; return exit code, standard output and standard error."""

    def run(*arguments):
        code = main(list(arguments))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_text(sgai):
    code, out, err = sgai("solve", "kayles", "[5;7]", "--compound", "selective", "--play", "misere")
    assert (code, err) == (0, "")
    assert re.sub("in .* s$", "in TIME", out.strip()).splitlines() == [
        "kayles [5;7]",
        "compound      selective, ending last: move in one or more until all have ended",
        "outcome       N: the player to move wins under misere play",
        "theory        P where every component is P, while two or more go on; one that goes on alone decides by itself",
        "components",
        "  kayles [5]: outcome N, misere outcome N",
        "  kayles [7]: outcome N, misere outcome N",
        "winning moves: 2",
        "  5->2+2 & 7->1+4  to [2;2] & [1;4]",
        "  5->2+2 & 7->3+3  to [2;2] & [3;3]",
        "evaluated 22 states, 28 table hits in TIME",
    ]


def test_equal_components_many_moves_and_none(sgai):
    _, out, _ = sgai("solve", "nim", "[9;9]", "--compound", "conjunctive", "--ending", "first")
    assert "  nim [9]: remoteness 1  (2 times)\nwinning moves: 17\n" in out
    _, out, _ = sgai("solve", "nim", "[60;60;60]", "--compound", "conjunctive", "--ending", "first")
    assert f"winning moves: {60**3 - 59**3:,}\n" in out
    assert f"  ... and {60**3 - 59**3 - 50:,} more (--json lists all)\n" in out
    _, out, _ = sgai("solve", "nim", "[60;60;60;60]", "--compound", "conjunctive", "--ending", "first")
    assert "(--json lists 20,000 of them)" in out
    _, out, _ = sgai("solve", "nim", "[]", "--compound", "conjunctive")
    assert "winning moves: none, the game is over" in out
    _, out, _ = sgai("solve", "subtraction(take=[1;2])", "[3;3]", "--compound", "selective")
    assert "outcome       P: the player to move loses\n" in out
    assert "winning moves: none\n" in out


def test_json(sgai):
    code, out, _ = sgai("solve", "nim", "[1;4]", "--ending", "first", "--json")
    answer = json.loads(out)
    assert code == 0
    assert (answer["compound"], answer["ending"], answer["play"]) == ("disjunctive", "first", "normal")
    assert (answer["outcome"], answer["grundy"], answer["number_of_winning_moves"]) == ("N", None, 2)
    assert answer["winning_moves"] == [
        {"move": "- & 4->0", "position": "[1] & []"},
        {"move": "1->0 & -", "position": "[] & [4]"},
    ]
    assert [part["values"] for part in answer["components"]] == [{"foreclosed value": "infinite"}] * 2


def test_not_solved_is_exit_code_3(sgai):
    code, out, _ = sgai("solve", "kayles", "[30;31]", "--compound", "conjunctive", "--states", "50")
    assert code == 3
    assert "not solved within the budget\n  proved: 0 of 2 components are solved" in out


def test_play_to_the_end(sgai, monkeypatch):
    lines = iter(["?", "h", "2->0 & 2->0"])
    monkeypatch.setattr("builtins.input", lambda _: next(lines, "q"))
    code, out, _ = sgai("play", "nim(piles=[2;2])", "--compound", "selective")
    assert code == 0
    assert "nim [2]: outcome N" in out
    assert "P where every component is P; you can win" in out
    assert "2->0 & 2->0: it wins" in out
    assert out.rstrip().endswith("[] & []: play has ended. You win.")


@pytest.mark.parametrize("agent", ["hybrid(nodes=1000)", "random", "plain_mcts(nodes=200)"])
def test_other_agents_play_compounds(sgai, monkeypatch, agent):
    monkeypatch.setattr("builtins.input", lambda _: "1")
    code, out, _ = sgai(
        "play", "nim(piles=[2;3])", "--compound", "conjunctive", "--ending", "first", "--agent", agent, "--explain"
    )
    assert code == 0
    assert "who is to move when play has ended loses" in out
    assert ": play has ended. " in out
