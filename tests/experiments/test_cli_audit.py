"""`sgai audit`: verdicts, JSON, bad input, a user's ruleset that lies."""

import json

import pytest

from sgai.experiments.cli.main import main

PLUGIN = """
import sgai
from sgai.rulesets.subtraction import Nim

@sgai.register
class AllAtOnce(Nim):
    name = "all_at_once"

    def moves(self, position):
        yield from super().moves(position)
        if len(position) > 1:
            yield (0, ()), ()
"""


def run(capsys, *arguments):
    code = main(["audit", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_independent(capsys):
    code, out, _ = run(capsys, "nim(piles=[1;2;3])")
    assert code == 0
    assert "independent: the components of every reachable position were checked" in out
    assert "checked 14 positions" in out


def test_counterexample(capsys):
    code, out, _ = run(capsys, "fibonacci_nim", "[2;3] limit 1", "--approximate")
    assert code == 0
    assert "not independent" in out
    assert "Grundy value of the position: " in out


def test_not_complete(capsys):
    code, out, _ = run(capsys, "cram(rows=4,columns=4)", "--states", "50", "--seed", "1")
    assert code == 0
    assert "no counterexample among the components that were checked" in out
    assert "of random plays" in out


def test_nothing_splits(capsys):
    assert "no approximate components to check" in run(capsys, "queen(rows=3,columns=3)", "--approximate")[1]


def test_counterexamples_are_caught(capsys):
    code, out, _ = run(capsys, "--counterexamples")
    assert code == 0
    assert out.count("not independent") == 5
    for name in ("fibonacci_per_pile", "shuttle_per_pile", "shared_stock", "rectangle_rows", "rectangle_columns"):
        assert f"component {name}" in out or (name == "shuttle_per_pile" and "component nim [1]" in out)
    answers = json.loads(run(capsys, "--counterexamples", "--json")[1])
    assert [each["independent"] for each in answers] == [False] * 5
    by_name = run(capsys, "shared_stock(piles=[1;1],moves_left=1)", "[2;2] stock 1")
    assert "not independent" in by_name[1]


def test_the_names_of_the_counterexamples():
    from sgai.counterexamples import COUNTEREXAMPLES
    from sgai.experiments.cli import audit

    assert tuple(COUNTEREXAMPLES) == audit._EXAMPLES


def test_loopy(capsys):
    code, out, _ = run(capsys, "sliding(board=[O.O/O..O])", "O..O/.O..O")
    assert code == 0
    assert "independent: the components of every reachable position were checked" in out
    assert "compared the values of" in out


@pytest.mark.parametrize(("approximate", "independent"), [((), True), (("--approximate",), False)])
def test_json_keys(capsys, approximate, independent):
    code, out, _ = run(capsys, "leap_and_take(strip=[OO.OO],piles=[1])", "--json", *approximate)
    answer = json.loads(out)
    keys = {"ruleset", "position", "independent", "counterexample", "checked_positions", "sampled_positions", "seconds"}
    assert code == 0
    assert keys <= set(answer)
    assert answer["independent"] is independent
    assert (answer["counterexample"] is None) == independent
    if not independent:
        assert {"position", "components", "move", "why", "grundy"} <= set(answer["counterexample"])


def test_a_users_ruleset_that_lies(capsys, tmp_path):
    file = tmp_path / "lying_rules.py"
    file.write_text(PLUGIN, encoding="utf-8")
    code, out, _ = run(capsys, "all_at_once(piles=[1;2])", "--plugin", str(file))
    assert code == 0
    assert "not independent" in out


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("nim", "--counterexamples"),
        ("nimm",),
        ("shared_stok",),
        ("nim", "[x]"),
        ("nim", "--states", "0"),
        ("nim", "--seconds", "-1"),
    ],
)
def test_bad_input(capsys, arguments):
    code, out, err = run(capsys, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_interrupted(capsys, monkeypatch):
    def stop(*_arguments, **_named):
        raise KeyboardInterrupt

    monkeypatch.setattr("sgai.audit.audit", stop)
    assert run(capsys, "nim")[0] == 130
