"""Compiled sequences: every value is that of the plain method, whatever the method and the machine code's state."""

import contextlib
import itertools
import json
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sgai
from sgai import compiled_sequences, option_values, sequences
from sgai.budget import Budget, OutOfBudget
from sgai.compiled_sequences import CompiledSequence, RareClass, choose_rare_class, form_of_code, form_of_set
from sgai.rulesets.codes import parse_code
from sgai.rulesets.subtraction import Subtraction
from sgai.sequences import SequenceTable

MUCH = Budget(10**12)
OCTAL = json.loads((Path(__file__).parents[1] / "data" / "octal_periods.json").read_text())["games"]

# Games with a sparse space and without one, with classes that depend on the heap's parity (0.106, 0.104, 0.051, 0.324),
# with every modifier, and with split and single takes mixed.
CODES = """
    0.77 4!.0 0.106 0.16 0.007 0.6 0.142 0.104 0.051 0.324 0.07 0.137 0.45 0.54 4.7 4.005 4.444 0.3 0.12
    4?.1 4=.7 0.7!7?7= 0.[37] 4.[3] 0.[4] 0.{0,2}5!
"""


def plain(code, largest):
    ruleset = sgai.load_ruleset(f"take_and_break(code=[{code.replace(',', ';').replace('=', '~')}])")
    return SequenceTable(ruleset, use_kernels=False).values(largest, Budget(10**9))


def compiled(form, largest, sparse=True, step=None):
    sequence = CompiledSequence(form, sparse=sparse)
    for end in range(step or largest, largest + (step or 1), step or largest):
        sequence.extend(min(end, largest), Budget(10**12))
    return sequence


@pytest.mark.parametrize("code", CODES.split())
def test_both_methods_give_the_values_of_the_definition(code, monkeypatch):
    # The rare values are chosen early, so that the sparse method has most of the work even in a short test.
    monkeypatch.setattr(compiled_sequences, "_FIRST_CHOICE", 128)
    monkeypatch.setattr(compiled_sequences, "_MOST_RARE", 10.0)
    largest = 900 if "[" in code else 2500  # a code without an end has a digit for every heap
    form = form_of_code(parse_code(code), largest)
    expected = plain(code, largest)
    sparse = compiled(form, largest)
    np.testing.assert_array_equal(sparse.values[: largest + 1], expected)
    np.testing.assert_array_equal(compiled(form, largest, sparse=False).values[: largest + 1], expected)
    np.testing.assert_array_equal(compiled(form, largest, step=37).values[: largest + 1], expected)
    if len(form.splitting()):
        assert sparse.rare_class is not None


@pytest.mark.parametrize("code", ["0.106", "4!.0", "0.16", "0.6", "0.142", "0.324"])
def test_long_sequences_are_the_same_by_both_methods(code):
    form = form_of_code(parse_code(code), 20_000)
    sparse = compiled(form, 20_000)
    assert sparse.rare_class is not None
    np.testing.assert_array_equal(sparse.values[:20_001], compiled(form, 20_000, sparse=False).values[:20_001])


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 255),
    st.booleans(),
    st.sampled_from(["0.77", "4!.0", "0.106", "0.16", "0.07", "0.34", "4?.5"]),
    st.integers(20, 300),
)
def test_the_choice_of_rare_values_decides_only_the_speed(mask, by_parity, code, start):
    """Whatever classes are taken, a wrong guess among them, the values are the right ones."""
    form = form_of_code(parse_code(code), 600)
    sequence = CompiledSequence(form)
    sequence.extend(start, Budget(10**9))
    splitting = form.splitting()
    alike = len({int(taken) % 2 for taken in splitting}) == 1
    chosen = RareClass(mask, by_parity and alike, int(splitting[0]) % 2)
    sequence.rare_class = chosen
    sequence._rares = chosen.of_heaps(sequence.values[: sequence.known]).astype(np.uint64)
    sequence._progress = (sequence.known, len(sequence._rares))
    sequence._next_choice = 10**9
    sequence.extend(600, Budget(10**9))
    np.testing.assert_array_equal(sequence.values[:601], plain(code, 600))


def test_the_mask_with_the_fewest_rare_heaps_is_chosen():
    """Recounted for every mask, without the transform."""
    form = form_of_code(parse_code("0.106"), 2000)
    values = compiled(form, 2000, sparse=False).values[:2001]
    chosen = choose_rare_class(values, form.splitting())
    counts = {
        (mask, by_parity): len(RareClass(mask, by_parity, 1).of_heaps(values))
        for mask in range(32)
        for by_parity in (False, True)
        if mask or by_parity
    }
    assert counts[chosen.mask, chosen.by_parity] == min(counts.values()) == len(chosen.of_heaps(values))
    assert chosen.by_parity


@settings(max_examples=100, deadline=None)
@given(st.sets(st.integers(1, 60), min_size=1, max_size=8))
def test_subtraction_sets(sizes):
    take = tuple(sorted(sizes))
    expected = SequenceTable(Subtraction(take=take), use_kernels=False).values(500, Budget(10**6))
    np.testing.assert_array_equal(compiled(form_of_set(take), 500).values[:501], expected)


@pytest.mark.slow
def test_values_past_65535_get_more_room():
    """Nim's values are its heaps: the narrow numbers are left behind on the way, and nothing is lost."""
    sequence = CompiledSequence(form_of_code(parse_code("0.[3]"), 70_000))
    assert sequence.values.dtype == np.uint16
    sequence.extend(70_000, Budget(10**9))
    assert sequence.values.dtype == np.uint32
    np.testing.assert_array_equal(sequence.values[:70_001], np.arange(70_001))


def test_the_clock_is_read_at_every_heap_that_splits_into_many():
    # 256 heaps between two looks at it may take longer than all the time there is.
    seen = []
    SequenceTable(sgai.load_ruleset("8.0")).values(100, Budget(watch=lambda budget: seen.append(budget.spent)))
    assert sorted(set(seen)) == list(range(1, 101))


@pytest.mark.parametrize(("code", "largest"), [("8.0", 140), ("nim", 20_000), ("0.[3]", 300), ("{2+}.0", 140)])
def test_slices_of_no_time_come_to_an_end(code, largest):
    # Tables that double are filled anew, and a formula's values were kept only at the end.
    table, tries = SequenceTable(sgai.load_ruleset(code)), 0
    while len(table) <= largest and tries < 200_000:
        tries += 1
        with contextlib.suppress(OutOfBudget):
            table.extend(largest, Budget(10**9, seconds=1e-9))
    assert len(table) > largest
    assert tries > 3
    expected = SequenceTable(sgai.load_ruleset(code)).values(largest, Budget(10**9))
    np.testing.assert_array_equal(table.computed()[: largest + 1], expected[: largest + 1])


def test_the_plain_method_goes_on_where_a_code_has_too_many_digits_for_compiled_code(monkeypatch):
    monkeypatch.setattr(compiled_sequences, "_MOST_DIGITS", 3000)
    ruleset = sgai.load_ruleset("0.[3]")
    stored = SequenceTable(ruleset)
    stored.extend(2500, Budget(10**9))
    table = SequenceTable(ruleset)
    assert table.resume(stored.computed())
    table.extend(3100, Budget(10**9))
    np.testing.assert_array_equal(
        table.computed()[:3101], SequenceTable(ruleset, use_kernels=False).values(3100, Budget(10**9))[:3101]
    )


@pytest.mark.parametrize("size", [2**63 - 1, 2**63, 2**64 - 1, 10**20])
def test_sizes_that_no_array_holds(size):
    ruleset = sgai.load_ruleset(f"subtraction(take=[1;{size}])")
    assert sgai.Solver().solve(ruleset, (200_000,)).grundy == 0
    assert sgai.Solver().solve(ruleset, (200_001,)).grundy == 1
    assert sgai.Solver().find_period(ruleset, 3000) is None
    assert sgai.Solver().find_period(sgai.load_ruleset(f"bash(most={size})"), 20) is None


def test_budgets_and_going_on():
    sequence = CompiledSequence(form_of_code(parse_code("0.007"), 10**6))
    with pytest.raises(OutOfBudget):
        sequence.extend(10**6, Budget(states=5000))
    assert sequence.known == 5001
    started = time.perf_counter()
    with pytest.raises(OutOfBudget):
        sequence.extend(10**6, Budget(10**9, seconds=0.2))
    assert time.perf_counter() - started < 2.0
    known = sequence.known
    sequence.extend(known + 100, Budget(10**9))
    np.testing.assert_array_equal(sequence.values[:2001], plain("0.007", 2000))
    again = CompiledSequence(sequence.form)
    again.resume(sequence.values[:known])
    again.extend(known + 100, Budget(10**9))
    np.testing.assert_array_equal(again.values[: known + 101], sequence.values[: known + 101])


@pytest.mark.parametrize("code", ["4!.0", "0.106", "0.6"])
def test_an_interrupt_at_any_line_leaves_the_values_right(code, monkeypatch, interrupt_after):
    monkeypatch.setattr(compiled_sequences, "_FIRST_CHOICE", 64)
    monkeypatch.setattr(compiled_sequences, "_MOST_RARE", 10.0)
    monkeypatch.setattr(compiled_sequences, "_A_SLICE", 1)
    form = form_of_code(parse_code(code), 600)
    expected = plain(code, 600)
    for line in itertools.count(1):
        sequence = CompiledSequence(form)
        interrupted = interrupt_after(line, lambda sequence=sequence: sequence.extend(300, Budget(10**9)))
        sequence.extend(600, Budget(10**9))
        np.testing.assert_array_equal(sequence.values[:601], expected)
        if sequence.rare_class is not None:
            rares = sequence._rares[: sequence.rare_count]
            assert rares.tolist() == sequence.rare_class.of_heaps(sequence.values[:601]).tolist()
        if not interrupted:
            break
    assert line > 100


def test_a_clock_that_ends_every_slice_loses_nothing(monkeypatch):
    monkeypatch.setattr(compiled_sequences, "_FIRST_CHOICE", 64)
    monkeypatch.setattr(compiled_sequences, "_MOST_RARE", 10.0)
    monkeypatch.setattr(compiled_sequences, "_A_SLICE", 1)
    sequence = CompiledSequence(form_of_code(parse_code("4!.0"), 900))
    tries = 0
    while sequence.known <= 900:
        tries += 1
        try:
            sequence.extend(900, Budget(10**9, seconds=1e-9))
        except OutOfBudget:
            continue
    assert tries > 5
    np.testing.assert_array_equal(sequence.values[:901], plain("4!.0", 900))


@pytest.mark.parametrize(
    "code", ["0.8", "0.{2+}", "8!.0", "0.F?", "0.{3,4}=7", "{2+}!.0", "0.{1,3}{2,3,5}", "0.{0,4+}7"]
)
def test_splits_into_three_heaps_and_more(code, monkeypatch):
    expected = plain(code, 90)
    monkeypatch.setattr(option_values, "_FEW_TOTALS", 0)
    np.testing.assert_array_equal(plain(code, 90), expected)


@pytest.mark.parametrize("text", ["kayles", "0.106", "treblecross_row", "subtraction(take=[3;5;9])", "4.[3]", "0.[37]"])
def test_tables_change_over_to_compiled_code_without_a_seam(text, monkeypatch):
    ruleset = sgai.load_ruleset(text)
    expected = SequenceTable(ruleset, use_kernels=False).values(700, Budget(10**6))
    monkeypatch.setattr(sequences, "FEW_HEAPS", 100)
    table = SequenceTable(ruleset)
    for largest in (60, 300, 301, 700):
        np.testing.assert_array_equal(table.values(largest, Budget(10**6)), expected[: largest + 1])
    fresh = SequenceTable(ruleset)
    assert [fresh.value(heap, Budget(10**6)) for heap in range(0, 701, 7)] == expected[::7].tolist()


def test_a_subclass_with_other_rules_is_not_compiled():
    from sgai.rulesets.take_and_break import Kayles

    class OneOnly(Kayles):
        def results(self, heap):
            yield (heap - 1,) if heap > 1 else ()

    assert sequences.two_heap_form(OneOnly(), 100) is None
    assert sequences.period_theorem(OneOnly()) is None


SECOND_PROCESS = """
import sgai
print(sgai.grundy_values("0.106", 9000).sum(), sgai.grundy_values("8!.0", 200).sum())
"""


def test_compiled_code_from_the_cache_gives_the_same(tmp_path, run_program):
    """The first process compiles, the second loads what the first one kept."""
    done = [run_program(SECOND_PROCESS, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2)]
    assert [each.returncode for each in done] == [0, 0], done[1].stderr
    assert done[0].stdout == done[1].stdout
    assert list(tmp_path.rglob("*.nbi"))


def test_without_a_place_for_the_cache_it_works(run_program):
    """Numba refuses a function that it cannot cache; ours is then compiled without."""
    program = f"""
import numba.core.caching as caching
caching.CodeLibraryCacheImpl._locator_classes = caching.CompileResultCacheImpl._locator_classes = []
{SECOND_PROCESS}"""
    done = run_program(program)
    assert done.returncode == 0, done.stderr
    assert done.stdout == run_program(SECOND_PROCESS).stdout


def test_without_numba_it_works(run_program):
    program = """
import sys, importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "numba" else found(name, *rest)
sys.modules["numba"] = None
import sgai
print(sgai.grundy_values("0.106", 9000).sum(), sgai.grundy_values("8!.0", 200).sum())
print(sgai.Solver().find_period(sgai.load_ruleset("kayles"), 1000))
"""
    done = run_program(program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == run_program(SECOND_PROCESS).stdout.strip()
    assert "period=12" in done.stdout


def test_numba_is_loaded_only_for_many_heaps(run_program):
    program = "import sys, sgai; sgai.grundy_values('kayles', 1000); print('numba' in sys.modules)"
    assert run_program(program).stdout == "False\n"
