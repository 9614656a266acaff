"""The grammar of take-and-break codes, and what a code allows."""

import itertools
import pickle
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgai import SgaiError, grundy_values
from sgai.rulesets.codes import DIGITS, CodeError, parse_code
from sgai.rulesets.take_and_break import TakeAndBreak

# What a digit says, apart from the parser: (allowed number of heaps, modifier) pairs and the start of an open range.
Meaning = tuple[dict[int, str], tuple[int, str] | None]
modifiers = st.sampled_from(["", "", "!", "?", "="])


@st.composite
def digits(draw):
    """Return the text of a digit and its meaning."""
    if draw(st.booleans()):
        value, modifier = draw(st.integers(0, 35)), draw(modifiers)
        return DIGITS[value] + modifier, ({i: modifier for i in range(6) if value >> i & 1}, None)
    counts = sorted(draw(st.sets(st.integers(0, 7), min_size=1, max_size=4)))
    for_all = draw(modifiers)
    each = {count: for_all or draw(modifiers) for count in counts}
    inside = [str(count) if for_all else f"{count}{each[count]}" for count in counts]
    more = None
    if draw(st.booleans()):
        inside[-1] += "+"
        more = (counts[-1], each.pop(counts[-1]))
    order = draw(st.permutations(inside[:-1]))
    return "{" + ",".join([*order, inside[-1]]) + "}" + for_all, (each, more)


@st.composite
def codes(draw):
    """Return the text of a code and the meanings of its digits, the first 13 of them."""
    first = draw(digits().filter(lambda digit: all(count > 1 for count in counts_of(digit[1]))))
    after = draw(st.lists(digits(), max_size=4))
    repeating = draw(st.lists(digits(), max_size=3))
    text = f"{first[0]}.{''.join(each for each, _ in after)}"
    if repeating:
        text += f"[{''.join(each for each, _ in repeating)}]"
    meanings = [meaning for _, meaning in [first, *after, *repeating * 13]][:13]
    return text, meanings


def counts_of(meaning):
    return [*meaning[0], *([meaning[1][0]] if meaning[1] else [])]


def is_allowed(meaning, parts):
    counts, more = meaning
    if more and len(parts) >= more[0]:
        modifier = more[1]
    elif len(parts) in counts:
        modifier = counts[len(parts)]
    else:
        return False
    if len(parts) < 2 or modifier == "":
        return True
    pairs = list(itertools.combinations(parts, 2))
    if modifier == "!":
        return all(a != b for a, b in pairs)
    if modifier == "=":
        return all(a == b for a, b in pairs)
    return not all(a == b for a, b in pairs)


def partitions(total, largest):
    if total == 0:
        yield ()
    for first in range(min(total, largest), 0, -1):
        for rest in partitions(total - first, first):
            yield (*rest, first)


ALL_PARTITIONS = [sorted(partitions(total, total)) for total in range(13)]


@settings(max_examples=300, deadline=None)
@given(codes())
def test_results_are_the_partitions_that_the_code_allows(code):
    text, meanings = code
    parsed = parse_code(text)
    for heap in range(1, 10):
        expected = [
            parts
            for taken, meaning in enumerate(meanings[: heap + 1])
            for parts in ALL_PARTITIONS[heap - taken]
            if is_allowed(meaning, parts)
        ]
        listed = list(parsed.results(heap))
        assert sorted(listed) == sorted(expected)
        assert len(set(listed)) == len(listed)
        for parts in itertools.chain.from_iterable(ALL_PARTITIONS[: heap + 1]):
            assert parsed.allows(heap, parts) == (parts in expected)


@settings(max_examples=500, deadline=None)
@given(codes())
def test_normal_form_round_trips(code):
    parsed = parse_code(code[0])
    assert parse_code(str(parsed)) == parsed
    assert str(parse_code(str(parsed))) == str(parsed)
    assert hash(parse_code(str(parsed))) == hash(parsed)


@settings(max_examples=200, deadline=None)
@given(codes())
def test_rulesets_bring_codes_to_normal_form(code):
    ruleset = TakeAndBreak(code=code[0])
    assert ruleset == TakeAndBreak(code=str(parse_code(code[0])))
    assert ruleset.heap_code() == parse_code(code[0])


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("0.77", "0.77"),
        ("0.770", "0.77"),
        (" 0.77 ", "0.77"),
        ("0.{0,1,2}{2,0,1}", "0.77"),
        ("0.77[0]", "0.77"),
        ("4", "4.0"),
        ("4.", "4.0"),
        ("4.000", "4.0"),
        ("4!", "4!.0"),
        ("{2}!.0", "4!.0"),
        ("C", "C.0"),
        ("{2,3}.0", "C.0"),
        ("0.3!3=", "0.33"),  # a modifier says nothing of fewer than two heaps
        ("0.7!", "0.7!"),
        ("0.{0,1,2!}", "0.7!"),
        ("0.[3]", "0.[3]"),
        ("0.3[3]", "0.[3]"),
        ("0.33[33]", "0.[3]"),
        ("0.[3333]", "0.[3]"),
        ("0.7[37]", "0.[73]"),
        ("0.[3737]", "0.[37]"),
        ("{2+}.0", "{2+}.0"),
        ("{2,3,4+}.0", "{2+}.0"),
        ("0.{0,1+}", "0.{0+}"),
        ("0.{0,1,2!,3!+}", "0.{0,1,2+}!"),
        ("0.{6}{1,2,3,4,5}", "0.{6}{1,2,3,4,5}"),
        ("0.{5}", "0.W"),
        ("0.{2!,3=}", "0.{2!,3=}"),
        ("0.0", "0.0"),
        ("0", "0.0"),
    ],
)
def test_normal_form(text, normal):
    assert parse_code(str(parse_code(normal))) == parse_code(normal)
    assert parse_code(text) == parse_code(normal)
    assert str(parse_code(text)) == str(parse_code(normal))
    assert hash(parse_code(text)) == hash(parse_code(normal))


@pytest.mark.parametrize("text", ["0.77", "4!.0", "0.[3]", "0.[37]", "{2+}.0", "0.07", "0.4!", "C?.F=", "4.[3]"])
def test_short_codes_are_written_as_they_are(text):
    assert str(parse_code(text)) == text


def test_different_rules_are_different_codes():
    texts = ["0.7", "0.77", "0.07", "0.7!", "0.7=", "4.7", "4!.7", "0.[7]", "0.7[3]", "0.{2+}", "0.{3+}", "0.{2+}!"]
    assert len({parse_code(text) for text in texts}) == len(texts)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", 0),
        (".77", 0),
        ("x", 0),
        ("0.7x", 3),
        ("0.7a", 3),
        ("0.7 7", 3),
        ("0.77.7", 4),
        ("0,77", 1),
        ("44.0", 0),
        ("40.017", 0),
        ("20.017", 0),
        ("3.0", 0),
        ("1.7", 0),
        ("{0+}.0", 0),
        ("{1,2}.0", 0),
        ("0.[3", 2),
        ("0.7[3", 3),
        ("0.3]", 3),
        ("0.[]", 3),
        ("0.[[3]]", 3),
        ("0.[3]7", 5),
        ("0.[3][3]", 5),
        ("0.{2", 2),
        ("0.7{2,3", 3),
        ("0.2}", 3),
        ("0.{}", 3),
        ("0.{,2}", 3),
        ("0.{2,}", 5),
        ("0.{2,2}", 5),
        ("0.{2,2+}", 5),
        ("0.{2;3}", 4),
        ("0.{-2}", 3),
        ("0.{1234567}", 3),
        ("0.{3,2+}", 5),
        ("0.{2+,3}", 5),
        ("0.{2++}", 5),
        ("0.{2!,3}?", 8),
        ("0.7!!", 4),
        ("!0.7", 0),
        ("0.!7", 2),
        ("0.7é", 3),
        ("0.{²}", 3),
    ],
)
def test_errors_point_at_the_character(text, place):
    with pytest.raises(CodeError) as caught:
        parse_code(text)
    assert caught.value.place == place
    assert isinstance(caught.value, SgaiError)
    assert repr(text) in str(caught.value)
    pointed = repr(text[place]) if place < len(text) else "the end"
    assert f"character {place + 1}, {pointed}: " in str(caught.value)


def test_a_code_that_adds_tokens_is_refused_because_play_may_not_end():
    # CGSuite reads a second digit before the point as adding tokens; 20.017 is the example of its documentation.
    for text in ("20.017", "40.017"):
        with pytest.raises(CodeError, match="play may not end"):
            parse_code(text)


def test_errors_survive_pickling():
    with pytest.raises(CodeError) as caught:
        parse_code("0.7x")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.place) == (str(caught.value), caught.value.place)


def test_lower_case_letters_are_pointed_out():
    with pytest.raises(CodeError, match="upper case: C"):
        parse_code("0.c")


@pytest.mark.parametrize("count", [50, 5_000])
def test_a_large_number_of_heaps_costs_small_heaps_nothing(count):
    # No heap of ten can be left as so many: only taking the last token is left, so the values are 0, 1, 0, 0, ...
    ruleset = TakeAndBreak(code=f"0.{{0,{count}}}")
    started = time.perf_counter()
    assert grundy_values(ruleset, 10).tolist() == [0, 1] + [0] * 9
    assert time.perf_counter() - started < 1.0
