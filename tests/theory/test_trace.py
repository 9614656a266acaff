"""The trace of a derivation: every state once, in order, with its options, their values and what memory gave."""

import itertools
import re
import types

import pytest

from sgai import LoopError, SgaiError, Solver, decompose, load_ruleset, mex, nim_sum
from sgai.rulesets.graph import Graph
from sgai.testing import random_positions
from sgai.trace import trace

RULESETS = [
    "nim(piles=[3;4])",
    "lasker(piles=[5;5])",
    "subtraction(piles=[9;12],take=[2;5])",
    "kayles(piles=[7;6])",
    "grundys_game(piles=[9])",
    "take_and_break(piles=[7],code=[{2+}!.03])",
    "treblecross_row(piles=[11])",
    "queen(rows=5,columns=5)",
    "graph",
    "interval_splitting(end=7,marks=[1;2;4;5])",
    "sum(parts=[nim(piles=[2]);kayles(piles=[5]);queen(rows=3,columns=3)])",
]


@pytest.mark.parametrize("text", RULESETS)
def test_steps_agree_with_the_values_and_each_state_comes_once(text):
    ruleset, solver = load_ruleset(text), Solver()
    for position in itertools.islice(random_positions(ruleset, 20, seed=1), 20):
        seen = {}
        for step in trace(ruleset, position):
            state = (step.ruleset, step.position)
            assert state not in seen
            # Every component of an option was evaluated before, and has the value that is shown.
            for option in step.options:
                shown = [value for _, value in option.components]
                assert option.value == nim_sum(shown)
                for component, value in option.components:
                    assert (value, component) in {(seen[each], each[0].format(each[1])) for each in seen}
            assert step.value == mex(option.value for option in step.options)
            assert step.value == solver.grundy(step.ruleset, step.position)
            seen[state] = step.value
        assert solver.grundy(ruleset, position) == nim_sum(
            seen[part.ruleset, part.ruleset.canonical(part.position)] for part in decompose(ruleset, position)
        )


def test_options_are_those_of_the_rules():
    for step in trace(load_ruleset("kayles"), (6,)):
        expected = {tuple(map(str, option)) for option in step.ruleset.options(step.position)}
        listed = {tuple(text.strip("[]") for text, _ in option.components) for option in step.options}
        assert listed == expected


def test_equal_components_are_evaluated_once():
    steps = list(trace(load_ruleset("kayles"), (5, 5, 3)))
    assert [step.position for step in steps] == [(n,) for n in (1, 2, 3, 4, 5)]


def test_memo_hits_are_the_components_known_before():
    # A diamond: 0 is looked up twice, first from the one middle vertex, which has it evaluated, then from the other.
    graph = Graph.from_successors({3: [2, 1], 2: [0], 1: [0], 0: []}, start=3)
    hits = {step.position: sum(option.memo_hits for option in step.options) for step in trace(graph, 3)}
    assert sum(hits.values()) == 1
    assert sorted((hits[1], hits[2])) == [0, 1]


def test_a_chain_has_no_memo_hits():
    chain = Graph.from_successors({3: [2], 2: [1], 1: [0], 0: []}, start=3)
    assert all(option.memo_hits == 0 for step in trace(chain, 3) for option in step.options)


def test_text_of_the_subtraction_example():
    # By hand: with {2, 5} the values of 0 to 7 are 0, 0, 1, 1, 0, 2, 1, 0. The trace takes the heap of 2 first, then
    # 4 (options 2), then 7 (options 5 and 2); 5 needs 3 and 0, and 3 needs 1.
    steps = list(trace(load_ruleset("subtraction"), (2, 4, 7)))
    values = {step.position: step.value for step in steps}
    assert {position[0] if position else 0: value for position, value in values.items()} == {
        1: 0, 2: 1, 3: 1, 4: 0, 5: 2, 7: 0
    }  # fmt: skip
    name = "subtraction(take=[2;5])"
    texts = [without_memo(str(step)) for step in steps]
    assert texts[0] == f"{name} [2] = 1: options nothing left = 0; excluded [0]; mex 1"
    assert texts[1] == f"{name} [4] = 0: options [2] = 1; excluded [1]; mex 0"
    assert texts[-1] == f"{name} [7] = 0: options [5] = 2; [2] = 1; excluded [1, 2]; mex 0"
    assert f"{name} [1] = 0: no options" in texts
    assert f"{name} [5] = 2: options [3] = 1; nothing left = 0; excluded [0, 1]; mex 2" in texts
    # 7 -> 2 was evaluated long before 7 was looked at.
    assert "[2] = 1 (1 from memo)" in str(steps[-1])


def without_memo(text):
    return re.sub(r" \([0-9]+ from memo\)", "", text)


def test_splits_are_shown_with_their_nim_sum():
    steps = [without_memo(str(step)) for step in trace(load_ruleset("grundys_game"), (5,))]
    assert steps[-1] == (
        "grundys_game [5] = 2: options [1] = 0 + [4] = 0, nim-sum 0; [2] = 0 + [3] = 1, nim-sum 1; "
        "excluded [0, 1]; mex 2"
    )


def test_steps_come_one_by_one():
    steps = trace(load_ruleset("nim"), (10**6,))
    assert isinstance(steps, types.GeneratorType)


def test_a_position_without_components_has_no_steps():
    assert list(trace(load_ruleset("nim"), ())) == []


def test_a_deep_derivation_needs_no_deep_stack():
    steps = list(trace(load_ruleset("bash(most=1)"), (20_000,)))
    assert len(steps) == 20_000
    assert steps[-1].value == 0


def test_a_cycle_is_named():
    graph = Graph.from_successors({"a": ["b", "d"], "b": ["c"], "c": ["b"], "d": []}, start="a")
    with pytest.raises(LoopError) as caught:
        list(trace(graph, "a"))
    assert set(caught.value.cycle) == {"b", "c"}


def test_a_loopy_ruleset_is_refused():
    loopy = type("LoopyGraph", (Graph,), {"name": "loopy_graph", "loopy": True, "__module__": __name__})
    with pytest.raises(SgaiError, match="loopy"):
        list(trace(loopy(), 3))
