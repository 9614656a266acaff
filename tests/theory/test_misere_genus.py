"""Genera, and canonical forms under misere play, against published values and brute force."""

import functools
import itertools
import random

import pytest

import sgai
from sgai.budget import Budget, OutOfBudget
from sgai.errors import UnsupportedError
from sgai.misere.forms import FormTooLarge, Work, add_forms, form_of, nim_form
from sgai.misere.genus import Genus
from sgai.misere.search import MisereTable
from sgai.misere.tame import NOTHING, STAR, Tame, tame_sum

# The genera of heaps 0 to 20 that CGSuite 2 expects of itself (aaron-siegel/cgsuite, GameHeapTest.scala). A number
# alone is a heap of Nim; one raised digit belongs to a tame game; otherwise the last two digits alternate.
CGSUITE = {
    "4!.0": "0,0,0,1,0,2,1,0,2,1,0,2,1,3^1431,2,1,3^1431,2,4^0564,3^1431,0^20",
    "0.77": "0,1,2,3,1,4^146,3,2^2,1^1,4^046,2^2,6^46,4^046,1^1,2^2,7^57,1^13,4^64,3^31,2^20,1^031",
    "0.07": "0,0,1,1,2,0,3,1,1,0,3^1431,3,2^0520,2,4^146,0,5^057,2^0520,2,3^1431,3",
    "0.[3]": "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20",
    "subtraction(take=[2;3;7])": "0,0,1,1,2,0,0,1,1,2,0,0,1,1,2,0,0,1,1,2,0",
    "0.3F": "0,1,2,0,1,2,3^1431,4^0564,5^46,3^1431,4^0564,5^4875,6^(1;9;10;8),7^075,8^6875,6^(1;9;10;8),7^075,"
    "8^(6;10;8),9^(1;9;12;11;9),10^(0;11;13;9;11),11^(6;10;8)",
}
# Table entries of the game 0.312 on T. E. Plambeck's pages (misere octal games, 0.312).
PLAMBECK_312 = {2: "2^20", 3: "0^02", 4: "2^1420", 5: "0^02", 6: "1^13"}


def read(text):
    grundy, _, raised = text.partition("^")
    if not raised:
        size = int(grundy)
        return Genus.of_tame([NOTHING, STAR][size] if size < 2 else Tame(size, size))
    digits = tuple(map(int, raised[1:-1].split(";") if raised.startswith("(") else raised))
    if len(digits) == 1:
        digits = (digits[0], digits[0] ^ 2)
    return Genus(int(grundy), digits)


def genera(text, largest):
    ruleset = sgai.load_ruleset(text).rules()
    table = MisereTable()
    for heap in range(largest + 1):
        part = table.part(ruleset, (heap,) if heap else (), Budget())
        yield part, table.genus((part,) if part.sums else (), Budget())


@pytest.mark.parametrize("text", CGSUITE)
def test_published_genera_of_heaps(text):
    found = list(genera(text, 20))
    expected = [read(each) for each in CGSUITE[text].split(",")]
    assert [str(genus) for _, genus in found] == [str(genus) for genus in expected]
    for (part, _), written in zip(found, CGSUITE[text].split(","), strict=True):
        # A number alone or with one digit is tame there, and several digits are not.
        assert (part.tame is not None) == (len(written.partition("^")[2]) < 2), written


def test_published_genera_of_a_game_of_period_two():
    found = [str(genus) for _, genus in genera("0.312", 6)]
    assert {heap: found[heap] for heap in PLAMBECK_312} == PLAMBECK_312


def test_published_genera_of_walking_queens():
    # Wythoff's game at (10, n) for n = 3, 4, ..., 20 (CGSuite, as above).
    ruleset = sgai.load_ruleset("queen(rows=21,columns=21)")
    table = MisereTable()
    values = [8, 13, 12, 0, 15, 16, 17, 14, 18, 7, 6, 2, 3, 1, 4, 5, 23, 28]
    for column, value in enumerate(values, 3):
        assert table.part(ruleset.rules(), (10, column), Budget()).tame == Tame(value, value)


def misere_grundy(options_of, game, known):
    if game not in known:
        values = {misere_grundy(options_of, option, known) for option in options_of(game)}
        known[game] = next(n for n in range(99) if n not in values) if values else 1
    return known[game]


@pytest.mark.parametrize("text", ["0.77", "4!.0", "0.123", "4.7", "0.3F"])
def test_genera_by_definition(text):
    # The misere Grundy values of a heap beside heaps of 2, played out.
    ruleset = sgai.load_ruleset(text)
    nim = sgai.load_ruleset("nim")
    known = {}

    def options_of(game):
        heaps, beside = game
        return [(option, beside) for option in ruleset.options(heaps)] + [
            (heaps, option) for option in nim.options(beside)
        ]

    for heap, (_, genus) in enumerate(genera(text, 9)):
        for twos in range(4):
            expected = misere_grundy(options_of, ((heap,) if heap else (), (2,) * twos), known)
            assert genus.value(twos) == expected, (heap, twos)


def born_by(day):
    forms = {nim_form(0)}
    for _ in range(day):
        forms = {
            form_of(options)
            for count in range(len(forms) + 1)
            for options in itertools.combinations(sorted(forms, key=lambda form: form.number), count)
        }
    return sorted(forms, key=lambda form: form.number)


def test_the_number_of_forms_by_birthday():
    # 1, 2, 3, 5, 22, and then 4,171,780 (Conway, On Numbers and Games, chapter 12; the first five recomputed here).
    assert [len(born_by(day)) for day in range(5)] == [1, 2, 3, 5, 22]


@functools.cache
def plain_sum_is_lost(first, second):
    """Play the sum of two games out, each a nested frozenset."""
    options = [(option, second) for option in first] + [(first, option) for option in second]
    return bool(options) and not any(plain_sum_is_lost(*option) for option in options)


@functools.cache
def tree_of(form):
    return frozenset(tree_of(option) for option in form.options)


@functools.cache
def form_of_tree(tree):
    return form_of(form_of_tree(option) for option in tree)


def test_forms_are_equal_if_and_only_if_no_small_game_tells_them_apart():
    born = [tree_of(form) for form in born_by(4)]
    pool = list(dict.fromkeys([*born, *(frozenset(pair) for pair in itertools.combinations(born, 2))]))
    chance = random.Random(0)
    tests = list(pool)
    # Different forms are told apart, ...
    alike = {frozenset(pair) for pair in itertools.combinations(born, 2)}
    for tries in itertools.count():
        test = pool[tries] if tries < len(pool) else frozenset(chance.sample(pool, chance.randint(2, 9)))
        lost = {game for game in born if plain_sum_is_lost(game, test)}
        alike = {pair for pair in alike if len(pair & lost) != 1}
        if not alike:
            break
        assert tries < 40_000, alike
    # ... and games of the same form are not.
    small = [tree_of(form) for form in born_by(3)]
    games = [frozenset(options) for count in range(6) for options in itertools.combinations(small, count)]
    games += [frozenset([each, *more]) for each in games[5:] for more in ([], small[:1], small[1:3])]
    games = list(dict.fromkeys(games))
    behaviour = {game: tuple(plain_sum_is_lost(game, test) for test in tests[:600]) for game in games}
    reduced = 0
    for first, second in itertools.combinations(games, 2):
        if form_of_tree(first) is form_of_tree(second):
            reduced += 1
            assert behaviour[first] == behaviour[second]
    assert reduced > 10
    for game in games:
        assert form_of_tree(game).is_lost == plain_sum_is_lost(game, frozenset())


def test_sums_and_nim_heaps():
    for first, second in itertools.product(range(5), repeat=2):
        total = add_forms(nim_form(first), nim_form(second))
        tame = tame_sum(Tame(size, size) if size > 1 else [NOTHING, STAR][size] for size in (first, second))
        assert total.tame == tame
    assert add_forms(nim_form(1), nim_form(2)) is nim_form(3)
    assert add_forms(nim_form(2), nim_form(2)) is not nim_form(0)
    assert add_forms(nim_form(2), nim_form(2)) is add_forms(nim_form(3), nim_form(3))


def heap_form(ruleset, heap):
    forms = {0: nim_form(0)}
    for size in range(1, heap + 1):
        options = []
        for result in ruleset.results(size):
            total = nim_form(0)
            for part in result:
                total = add_forms(total, forms[part])
            options.append(total)
        forms[size] = form_of(options)
    return forms[heap]


def test_the_printed_form():
    # What CGSuite 2 expects of Grundy's game with 22 tokens (GameHeapTest.scala).
    grundys_game = sgai.load_ruleset("grundys_game")
    assert str(heap_form(grundys_game, 22)) == (
        "*[(((2[2]21)[2](2[2]21)20)(2[2]21)3)((2[2]21)[2](2[2]21)20)(2[2]21)[1]2[2]1]"
    )
    two, four = nim_form(2), nim_form(4)
    assert str(form_of([four, two])) == "*[42]"
    assert str(form_of([two])) == "*[2[#]]"
    assert str(add_forms(two, two)) == "*[2[2]]"
    assert str(form_of([add_forms(form_of([two]), two)])) == "*[2[#2#]]"
    assert str(nim_form(12)) == "*[12]"
    assert str(form_of([nim_form(12), two])) == "*[(12)2]"


def test_forms_that_take_too_much_work_are_not_made():
    with pytest.raises(FormTooLarge):
        add_forms(nim_form(30), form_of([nim_form(29)]), Work(5))
    with pytest.raises(FormTooLarge):
        nim_form(61)


def test_kinds():
    kinds = {heap: part.kind for heap, (part, _) in enumerate(genera("0.77", 20))}
    assert kinds[1] == "tame, fickle"
    assert kinds[8] == "tame, firm"
    assert kinds[5] == "restless"
    assert kinds[9] == kinds[19] == kinds[20] == "wild"  # 19 and 20 have tame genera
    assert [genus.is_tame for _, genus in genera("0.77", 20)][19:] == [True, True]


def test_a_genus_within_a_budget():
    ruleset = sgai.load_ruleset("cram(rows=4,columns=4)")
    with pytest.raises(OutOfBudget):
        MisereTable().part(ruleset, ruleset.initial(), Budget(5))
    with pytest.raises(UnsupportedError, match="no heaps"):
        sgai.misere.quotient(ruleset, 3)
