"""The command line: answers, exit codes, one-line errors, and what each subcommand loads."""

import json
import subprocess
import sys

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


def test_solve_text(sgai):
    code, out, err = sgai("solve", "subtraction(take=[2;5])", "[2;4;7]")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:10] == [
        "subtraction(take=[2;5]) [2;4;7]",
        "outcome       N: the player to move wins",
        "Grundy value  1",
        "components",
        "  subtraction(take=[2;5]) [2]: value 1",
        "  subtraction(take=[2;5]) [4]: value 0",
        "  subtraction(take=[2;5]) [7]: value 0",
        "winning moves",
        "  2->0  to [4;7]",
        "  4->2  to [2;2;7]",
    ]


def test_solve_json_has_its_keys(sgai):
    code, out, _ = sgai("solve", "subtraction(take=[2;5])", "[2;4;7]", "--json")
    answer = json.loads(out)
    assert code == 0
    assert {"grundy", "outcome", "components", "winning_moves", "exact", "states", "seconds"} <= set(answer)
    assert (answer["grundy"], answer["outcome"], answer["exact"]) == (1, "N", True)
    assert answer["components"] == [
        {"ruleset": "subtraction(take=[2;5])", "position": "[2]", "grundy": 1},
        {"ruleset": "subtraction(take=[2;5])", "position": "[4]", "grundy": 0},
        {"ruleset": "subtraction(take=[2;5])", "position": "[7]", "grundy": 0},
    ]
    assert answer["winning_moves"] == [
        {"move": "2->0", "position": "[4;7]"},
        {"move": "4->2", "position": "[2;2;7]"},
        {"move": "7->2", "position": "[2;2;4]"},
    ]


def test_equal_moves_are_listed_once_and_sorted(sgai):
    _, out, _ = sgai("solve", "nim", "[5;5;5;2]", "--json")
    moves = json.loads(out)["winning_moves"]
    assert moves == sorted(moves, key=lambda each: (each["move"], each["position"]))
    assert len({each["move"] for each in moves}) == len(moves)


def test_not_solved_is_an_answer_with_exit_code_3(sgai):
    code, out, err = sgai("solve", "king(rows=80,columns=80)", "--states", "100", "--json")
    answer = json.loads(out)
    assert (code, err) == (3, "")
    assert answer["grundy"] is answer["outcome"] is None
    assert not answer["exact"]
    assert answer["proved"]
    assert answer["states"] <= 100
    code, out, _ = sgai("solve", "king(rows=80,columns=80)", "--states", "100")
    assert code == 3
    assert "not solved within the budget" in out
    code, _, _ = sgai("solve", "grundys_game", "[1000000000000]")
    assert code == 3
    code, _, _ = sgai("solve", "king(rows=900,columns=900)", "--seconds", "0.05")
    assert code == 3


def test_misere(sgai):
    code, out, _ = sgai("solve", "nim", "[1;1]", "--play", "misere")
    assert code == 0
    assert "N: the player to move wins under misere play" in out
    code, out, _ = sgai("solve", "kayles", "[5;7]", "--play", "misere")
    assert code == 0
    assert "decided by    misere quotient of order 12, proved for all sums of heaps to 7" in out
    assert "kayles [5]: genus 4^146, restless, acts as c" in out
    code, out, _ = sgai("solve", "queen", "(3,5)", "--play", "misere", "--json")
    answer = json.loads(out)
    assert (answer["outcome"], answer["components"][0]["genus"]) == ("P", "0^02")
    assert answer["components"][0]["kind"] == "tame, firm"
    assert "fickle-firm" in answer["decided"]


def test_trace(sgai):
    code, out, _ = sgai("solve", "kayles", "[2]", "--trace")
    assert code == 0
    assert out.splitlines()[:3] == [
        "kayles [1] = 1: options nothing left = 0; excluded [0]; mex 1",
        "kayles [2] = 2: options [1] = 1; nothing left = 0; excluded [0, 1]; mex 2",
        "",
    ]
    _, out, _ = sgai("solve", "kayles", "[9]", "--trace", "--trace-limit", "2")
    assert "the trace stops after 2 steps" in out
    _, out, _ = sgai("solve", "kayles", "[2]", "--trace", "--json")
    assert len(json.loads(out)["trace"]) == 2


def test_values(sgai):
    _, out, _ = sgai("values", "kayles", "--to", "100")
    assert out.splitlines()[1] == "  0: 0 1 2 3 1 4 3 2 1 4 2 6 4 1 2 7 1 4 3 2"
    _, out, _ = sgai("values", "0.77", "--to", "4", "--format", "json")
    assert json.loads(out)["values"] == [0, 1, 2, 3, 1]
    _, out, _ = sgai("values", "4!.0", "--to", "4", "--format", "csv")
    assert out == "heap,grundy\n0,0\n1,0\n2,0\n3,1\n4,0\n"


def test_games(sgai):
    _, out, _ = sgai("games")
    assert "subtraction: Take a number of tokens" in out
    assert "take=[2;5]" in out
    _, out, _ = sgai("games", "nim", "--json")
    assert json.loads(out)[0]["parameters"][0]["name"] == "piles"


def test_show(sgai, tmp_path):
    _, out, _ = sgai("show", "nim", "[2;3]")
    assert out == "nim [2;3]\n2 | o o\n3 | o o o\n"
    file = tmp_path / "position.svg"
    code, _, _ = sgai("show", "queen", "(2,3)", "--svg", str(file))
    assert code == 0
    assert file.read_text().startswith("<svg")
    code, _, err = sgai("show", "queen", "--svg", str(tmp_path / "no" / "folder.svg"))
    assert code == 2
    assert "cannot be written" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "COMMAND"),
        (["slove"], "slove"),
        (["solve"], "RULESET"),
        (["solve", "kayels"], "unknown ruleset 'kayels'; did you mean 'kayles'?"),
        (["solve", "nim(pils=[3])"], "no parameter 'pils'; did you mean 'piles'?"),
        (["solve", "nim(piles=[three])"], "'three' is not an integer"),
        (["solve", "nim(piles=[3;-4])"], "-4 is negative"),
        (["solve", "nim", "[3;-4]"], "-4 is negative"),
        (["solve", "nim", "three"], "'three'"),
        (["solve", "subtraction(take=[])"], "empty"),
        (["solve", "subtraction(take=[0])"], "below 1"),
        (["solve", "0.7x"], "character 4"),
        (["solve", "20.017"], "add tokens"),
        (["solve", "nim(piles=[3;4)"], "'piles=[3;4': ']' is missing"),
        (["solve", "graph(edges=[1-2;2-1],start=[1])"], "1 -> 2 -> 1"),
        (["solve", "graph(start=[7])"], "no vertex '7'"),
        (["solve", "nim", "--compound", "selectiv"], "did you mean 'selective'?"),
        (["solve", "nim", "--ending", "frist"], "did you mean 'first'?"),
        (["solve", "nim", "--ending", "first", "--trace"], "--trace derives Grundy values"),
        (["solve", "treblecross", "--compound", "selective"], "left out"),
        (["solve", "nim", "--play", "miser"], "did you mean 'misere'?"),
        (["solve", "nim", "--states", "0"], "1 or more"),
        (["solve", "nim", "--seconds", "soon"], "not a number of seconds"),
        (["values", "queen"], "no heaps"),
        (["values", "nim", "--to", "-1"], "0 or more"),
        (["values", "kayles", "--to", "100000000000"], "too large"),
        (["--plugin", "nowhere.py", "games"], "there is no file 'nowhere.py'"),
        (["match", "--agent", "exact"], "two agents"),
        (["match", "--game", "sgai_kayels"], "did you mean 'sgai_kayles'?"),
        (["match", "--replay", "nowhere"], "cannot be read"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_code_2(sgai, arguments, words):
    code, out, err = sgai(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("sgai: ")
    assert err.count("\n") == 1
    assert words in err
    assert "Traceback" not in err
    assert "usage:" not in err


def test_version(sgai, capsys):
    with pytest.raises(SystemExit) as left:
        sgai("--version")
    assert left.value.code == 0
    assert capsys.readouterr().out.startswith("sgai 0.")


def test_ctrl_c_is_exit_code_130(sgai, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("sgai.solver.Solver.solve", interrupted)
    code, _, err = sgai("solve", "nim")
    hint = "sgai: stopped; with --store, what takes long is kept for the next run\n"
    assert (code, err) == (130, hint + "sgai: interrupted\n")


def answers(monkeypatch, *lines):
    waiting = iter(lines)

    def answer(_):
        try:
            return next(waiting)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", answer)


def test_play_to_the_end(sgai, monkeypatch):
    answers(monkeypatch, "?", "h", "m", "17", "nonsense", "3->1", "1", "1", "1", "1", "1")
    code, out, _ = sgai("play", "nim(piles=[3;4;5])")
    assert code == 0
    assert "nim-sum 2; you can win" in out
    assert "3->1: it wins" in out
    assert "'17' is no legal move" in out
    assert "'nonsense' is no legal move" in out
    assert out.rstrip().endswith("wins.")


def test_play_a_game_that_the_person_wins(sgai, monkeypatch):
    answers(monkeypatch, "2->1", "1->0")
    _, out, _ = sgai("play", "nim(piles=[1;2])")
    assert out.rstrip().endswith("You win.")
    answers(monkeypatch, "2->0")
    _, out, _ = sgai("play", "nim(piles=[1;2])", "--play", "misere")
    assert out.rstrip().endswith("You win.")
    answers(monkeypatch, "1")
    _, out, _ = sgai("play", "nim(piles=[1;1])", "--play", "misere", "--second")
    assert out.rstrip().endswith("The agent wins.")


@pytest.mark.parametrize("lines", [["q"], []])
def test_play_can_be_left(sgai, monkeypatch, lines):
    answers(monkeypatch, *lines)
    code, out, _ = sgai("play", "kayles", "--agent", "random", "--second")
    assert code == 0
    assert out.rstrip().endswith("goodbye")


def test_match_and_replay(sgai, tmp_path):
    folder = str(tmp_path / "m")
    arguments = ("--agent", "exact", "--agent", "random", "--game", "nim", "--game", "sgai_kayles(piles=[3])")
    code, out, err = sgai("match", *arguments, "--rounds", "1", "--out", folder)
    assert code == 0
    assert "4/4" in err or "0/4" in err  # the progress bar
    assert f"4 games written to {folder}" in out
    code, again, _ = sgai("match", "--replay", folder)
    assert code == 0
    assert again.splitlines()[:-1] == out.splitlines()[:-1]
    code, _, err = sgai("match", *arguments, "--out", folder)
    assert code == 2
    assert "not empty" in err
    code, out, err = sgai("match", *arguments, "--rounds", "1", "--quiet", "--json", "--out", str(tmp_path / "n"))
    assert err == ""
    assert {row["agent"] for row in json.loads(out)} == {"exact", "random"}


def test_an_interrupted_match_shows_what_it_has(sgai, tmp_path, monkeypatch):
    from sgai.experiments import matches

    def interrupted(settings, folder, **_):
        raise matches.MatchInterrupted([])

    monkeypatch.setattr(matches, "play_match", interrupted)
    code, out, err = sgai("match", "--out", str(tmp_path / "m"))
    assert code == 130
    assert "interrupted after 0 games" in out
    assert err == "sgai: interrupted\n"


PLUGIN = '''
import sgai

class Stairs(sgai.Ruleset[int, int]):
    """Step down one or two stairs."""

    name = "stairs"
    height: int = 4

    def initial(self):
        return self.height

    def moves(self, position):
        for steps in (1, 2):
            if steps <= position:
                yield steps, position - steps

sgai.register(Stairs)
'''


def test_a_plugin_that_raises_is_one_line(tmp_path):
    (tmp_path / "my_rules.py").write_text(PLUGIN.replace("if steps <= position:", "if steps <= len(position):"))
    done = run_apart("--plugin", "my_rules.py", "solve", "stairs", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.strip().splitlines() == [
        "sgai: the plugin's rules raised TypeError: object of type 'int' has no len() (my_rules.py, line 15)"
    ]


def test_nothing_found_is_not_nothing_there(sgai):
    _, out, _ = sgai("solve", "lasker", "[100000000000]")
    assert "N: the player to move wins" in out
    assert "winning moves: none found within the budget" in out


def test_play_takes_a_moves_own_text_before_its_number(sgai, monkeypatch):
    answers(monkeypatch, "2")
    _, out, _ = sgai("play", "graph(edges=[3-0;3-1;3-2;2-0],start=[3])")
    assert "the exact agent plays 0" in out  # from vertex 2, not from vertex 1, the second on the list


def test_play_of_a_game_that_is_not_solved(sgai, monkeypatch):
    answers(monkeypatch, "?", "h", "q")
    code, out, err = sgai("play", "grundys_game(piles=[1000000000])")
    assert (code, err) == (0, "")
    assert out.count("not solved within") == 2
    assert "you lose" not in out


def test_play_of_a_game_with_too_many_moves_to_number(sgai, monkeypatch):
    answers(monkeypatch, "1000000000->1", "q")
    code, out, _ = sgai("play", "nim(piles=[1000000000;1])", "--agent", "exact")
    assert code == 0
    assert "... and more: m lists them" in out


def test_a_huge_board_is_drawn_in_words(sgai, tmp_path):
    _, out, _ = sgai("show", "rook(rows=100000,columns=100000)")
    assert "R at (99999,99999) of 100000 x 100000 squares" in out
    code, _, _ = sgai("show", "rook(rows=100000,columns=100000)", "--svg", str(tmp_path / "a.svg"))
    assert code == 0


def test_a_trace_stops_at_the_budget(sgai):
    _, out, _ = sgai("solve", "nim", "[20000]", "--trace", "--states", "50000")
    assert "... the trace stops at its budget" in out


def test_a_file_with_a_byte_order_mark(sgai, tmp_path):
    file = tmp_path / "graph.json"
    file.write_bytes(b'\xef\xbb\xbf{"3": [2, 1], "2": [0]}')
    code, _, _ = sgai("solve", f"graph(file={file})", "3")
    assert code == 0
    file.write_text("3: 2 !\n")
    code, _, err = sgai("solve", f"graph(file={file})", "3")
    assert code == 2
    assert str(file) in err


def run_apart(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "sgai", *arguments], capture_output=True, text=True, cwd=cwd, check=False
    )


def test_a_plugin_works_in_every_subcommand(tmp_path):
    (tmp_path / "my_rules.py").write_text(PLUGIN)
    for arguments, expected in [
        (["--plugin", "my_rules.py", "solve", "stairs", "5"], "Grundy value  2"),
        (["solve", "stairs(height=3)", "--plugin", "my_rules.py"], "Grundy value  0"),
        (["--plugin", "my_rules.py", "games", "stairs"], "Step down one or two stairs."),
        (["--plugin", "my_rules.py", "show", "stairs"], "stairs(height=4) 4"),
        (
            ["--plugin", "my_rules.py", "match", "--game", "sgai_stairs(height=7)", "--rounds", "1", "--quiet"],
            "6 games written to matches/",
        ),
    ]:
        done = run_apart(*arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert expected in done.stdout
    (tmp_path / "broken.py").write_text("1 / 0\n")
    done = run_apart("--plugin", "broken.py", "games", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.strip().splitlines() == [
        "sgai: 'broken.py' could not be loaded: ZeroDivisionError: division by zero"
    ]


def loaded_modules(program):
    listing = f"{program}\nimport sys\nprint(*sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_imports_are_lean():
    heavy = {"pyspiel", "numba", "matplotlib", "scipy", "tqdm"}
    assert not loaded_modules("import sgai") & (heavy | {"numpy"})
    run = "from sgai.experiments.cli.main import main\nmain({})"
    assert not loaded_modules(run.format(["values", "kayles"])) & heavy
    assert not loaded_modules(run.format(["solve", "kayles"])) & heavy
    assert not loaded_modules(run.format(["games"])) & (heavy | {"numpy"})
    assert "pyspiel" not in loaded_modules("from sgai.agents import ExactAgent")


def test_a_closed_pipe_is_no_traceback(tmp_path):
    program = f"{sys.executable} -m sgai values nim --to 200000 --format csv | head -1"
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "heap,grundy\n"
    assert done.stderr == ""


RING = "graph(edges=[a-b;b-a;a-x;b-x;x-y],cycles=true,start=a)"


def test_solve_a_drawn_position(sgai):
    code, out, _ = sgai("solve", RING)
    assert code == 0
    for line in (
        "outcome       D: a draw, neither player can force a win",
        "loopy value   infinity with 1",
        "  b  to b",
    ):
        assert line in out.splitlines()
    assert "drawing moves" in out
    code, out, _ = sgai("solve", RING, "--json")
    answer = json.loads(out)
    assert (code, answer["outcome"], answer["grundy"], answer["loopy_value"]) == (0, "D", None, "inf(1)")
    assert (answer["winning_moves"], answer["drawing_moves"]) == ([], [{"move": "b", "position": "b"}])


def test_solve_loopy_positions_that_are_won_lost_and_not_solved(sgai):
    won = sgai("solve", "sliding", "O..O")[1]
    assert "outcome       N: the player to move wins" in won
    assert "loopy value   infinity with 0" in won
    assert "winning moves\n  1: 1->3  to ..OO" in won
    lost = sgai("solve", "sliding", "O.O/.O.O.", "--json")[1]
    assert json.loads(lost)["outcome"] == "D"
    assert "winning moves: none, the game is over" in sgai("solve", "sliding", "OO/.OO")[1]
    code, out, _ = sgai("solve", "sliding(board=[O...........O])", "--states", "9")
    assert code == 3
    assert "reaches more positions than were looked at" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((RING, "--play", "misere"), "no theory here covers play='misere'"),
        ((RING, "--compound", "selective"), "compound='selective'"),
        (("sliding(locked=false)", "--play", "misere"), "nobody ever moves last"),
        ((RING, "--trace"), "declared loopy"),
        ((RING.replace("cycles=true,", ""),), "a -> b -> a"),
    ],
)
def test_solve_refuses_what_has_no_theory(sgai, arguments, words):
    code, _, err = sgai("solve", *arguments)
    assert (code, err.count("\n")) == (2, 1)
    assert words in err


def test_play_a_loopy_game(sgai, monkeypatch):
    answers = iter(["?", "h", "q"])
    monkeypatch.setattr("builtins.input", lambda *_: next(answers))
    code, out, _ = sgai("play", "sliding(board=[O.O/O..O])")
    assert code == 0
    for words in (
        "play may go on for ever",
        "value infinity with 0",
        "a draw against perfect play",
        "it holds the draw",
    ):
        assert words in out
