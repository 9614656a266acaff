"""`sgai classify`: answers, JSON, budgets, a user's game, bad input; and the page about all of OpenSpiel's games."""

import importlib.metadata
import json
from pathlib import Path

import pytest

from sgai.experiments import openspiel_games
from sgai.experiments.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "openspiel-games.md"
USERS = str(Path(__file__).parents[1] / "data" / "users_openspiel_games.py")


def run(capsys, *arguments):
    code = main(["classify", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_yes(capsys):
    code, out, _ = run(capsys, "nim(pile_sizes=3;5;7)")
    assert code == 0
    assert out.splitlines() == [
        "nim(pile_sizes=3;5;7)",
        "impartial  yes, misere play",
        "reason     it is nim(piles=[3;5;7]) under misere play, whose rules sgai has",
        "evidence   proved",
    ]


def test_no_shows_the_play(capsys):
    code, out, _ = run(capsys, "breakthrough")
    assert code == 0
    assert "impartial  no\n" in out
    assert out.count("play  ") == 2
    assert ": player 1 to move" in out
    assert ": player 0 to move" in out
    assert out.count("  2bwww.www") == 2
    assert "looked at " in out
    assert ": the game is over" in run(capsys, "tic_tac_toe")[1]


def test_unknown_within_a_budget(capsys):
    code, out, _ = run(capsys, "users_kayles(size=11)", "--states", "500", "--seconds", "5", "--plugin", USERS)
    assert code == 0
    assert "impartial  unknown\n" in out
    assert "evidence   sampled" in out
    assert "looked at 500 states" in out


def test_json(capsys):
    keys = {"game", "answer", "play", "reason", "evidence", "states", "seconds", "counterexample"}
    for game, answer, plays in (
        ("nim", "yes", 0),
        ("tic_tac_toe", "no", 1),
        ("breakthrough", "no", 2),
        ("pig", "no", 0),
    ):
        code, out, _ = run(capsys, game, "--json")
        found = json.loads(out)
        assert code == 0
        assert keys <= set(found)
        assert (found["answer"], len(found["counterexample"])) == (answer, plays)
        for each in found["counterexample"]:
            assert set(each) == {"actions", "moves", "state", "player"}
            assert len(each["actions"]) == len(each["moves"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("tic_tac_to",), "did you mean 'tic_tac_toe'?"),
        (("kayles",), "did you mean 'sgai_kayles'?"),
        (("nim(piles=3)",), "'piles'"),
        (("misere",), "cannot be loaded"),
        (("nim", "--states", "0"), "1 or more"),
        (("nim", "--seconds", "x"), "'x'"),
        ((), "GAME"),
        (("users_game_that_does_not_load", "--plugin", USERS), "there is no such size"),
        (("users_broken_game", "--plugin", USERS), "cannot be played"),
    ],
)
def test_bad_input(capsys, arguments, words):
    code, out, err = run(capsys, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err


def same_version():
    version = importlib.metadata.version("open_spiel")
    return f"OpenSpiel {version} registers" in PAGE.read_text(encoding="utf-8")


def test_the_page_has_every_registered_game():
    if not same_version():
        pytest.skip("the page is about another version of OpenSpiel")
    text = PAGE.read_text(encoding="utf-8")
    names = openspiel_games.registered_names()
    assert len(names) > 130
    assert sorted(openspiel_games.names_of(text)) == names
    assert f"All {len(names)} games" in text


def test_rows_of_games_that_cannot_be_classified(monkeypatch):
    monkeypatch.setitem(openspiel_games.EXAMPLES, "no_such_game", "no_such_game")
    assert openspiel_games.classified("no_such_game").answer == "unknown"
    rows = [openspiel_games.Row("chess", "chess", "no", "each moves their own", "declared")]
    assert openspiel_games.names_of(openspiel_games.page(rows)) == ["chess"]


@pytest.mark.slow
def test_the_page_is_what_the_classifier_says_now():
    """Every game again, each in its own process: two to four minutes."""
    if not same_version():
        pytest.skip("the page is about another version of OpenSpiel")
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as pool:
        text = openspiel_games.page(pool.map(openspiel_games.classified, openspiel_games.registered_names()))
    assert text == PAGE.read_text(encoding="utf-8")
