"""The independence audit: it confirms what is proved, and finds rulesets that lie about their components."""

import pytest

import sgai
from sgai.audit import audit, check_position
from sgai.audit_values import Judge
from sgai.budget import Budget
from sgai.counterexamples import COUNTEREXAMPLES, RectangleColumns, SharedStock, load_audited
from sgai.loopy import LoopyValue
from sgai.reference import reference_grundy
from sgai.ruleset import Component
from sgai.rulesets.heaps import HeapMove
from sgai.rulesets.sliding import Row, Sliding
from sgai.rulesets.subtraction import Nim


class Both(Nim):
    """Nim in which a move may also take one token from two piles at once, yet its piles are called components."""

    name = "both"

    def moves(self, position):
        yield from super().moves(position)
        if len(position) == 2:
            yield HeapMove(position[0], ("both",)), self.validate([pile - 1 for pile in position])

    def format_move(self, position, move):
        return "one of both" if move.result == ("both",) else super().format_move(position, move)


class Late(Nim):
    """Nim in which only two piles of one token are coupled."""

    name = "late"

    def moves(self, position):
        yield from super().moves(position)
        if position == (1, 1):
            yield HeapMove(1, (0,)), ()


class TooSmall(Nim):
    """Nim that forgets a component."""

    name = "too_small"

    def components(self, position):
        return super().components(position)[1:]


class WrongForm(Nim):
    """Nim whose canonical form takes all positions for one: only the values show that its components are wrong."""

    name = "wrong_form"

    def canonical(self, position):
        return (1,) if position else ()

    def components(self, position):
        return [Component(self.rules(), (1,), True) for _ in position]


@pytest.mark.parametrize(
    "ruleset",
    [
        "nim(piles=[1;2;3])",
        "kayles(piles=[4;5])",
        "take_and_break(piles=[5;5],code=[0.77])",
        "cram(rows=3,columns=3)",
        "node_kayles(graph=cycle,vertices=8)",
        "tac_tix(rows=2,columns=3)",
        "sum(parts=[nim(piles=[2;3]);leap_and_take(strip=[.OO.OO.],piles=[3])])",
        "leap_and_take(strip=[OO.O..OO...OO.O],piles=[3;4])",
        "leap_and_take(board=[OO./.../.../..O/.OO],piles=[2])",
    ],
)
def test_confirms_what_is_proved(ruleset):
    found = audit(ruleset)
    assert found.independent
    assert found.counterexample is None
    assert found.sampled_positions == 0
    assert found.checked_positions == len(sgai.load_ruleset(ruleset).reachable().indices)
    assert found.split_positions > 0


@pytest.mark.parametrize(
    ("ruleset", "approximate"),
    [
        ("fibonacci_nim(piles=[2;3],limit=1)", True),
        ("fibonacci_nim(piles=[5;8])", True),
        ("shuttle(piles=[1;2],track=1)", True),
        ("leap_and_take(strip=[OO.O],piles=[])", True),
        (Both(piles=(2, 3)), False),
        *((cls(), False) for cls in COUNTEREXAMPLES.values()),
        (SharedStock(piles=(1, 3, 4), moves_left=2), False),
        (RectangleColumns(rows=2, columns=3), False),
        (TooSmall(piles=(2, 3)), False),
        (WrongForm(piles=(2, 2)), False),
    ],
    ids=str,
)
def test_finds_components_that_interact(ruleset, approximate):
    found = audit(ruleset, approximate=approximate)
    assert found.independent is False
    wrong = found.counterexample
    again = check_position(wrong.ruleset, wrong.position, approximate)
    assert again == wrong
    assert wrong.why in str(wrong)
    if wrong.move is None:
        assert wrong.value != sgai.nim_sum(wrong.component_values)


def test_names_the_move_that_breaks_the_split():
    wrong = check_position(Both(), (2, 2))
    assert (wrong.move, [part.position for part in wrong.components]) == ("one of both", [(2,), (2,)])
    assert "move one of both" in wrong.why
    assert check_position(SharedStock(), SharedStock().validate(((2, 2), 1))) is not None
    forgotten = check_position(TooSmall(), (2, 3))
    assert (forgotten.move, forgotten.value, forgotten.component_values) == ("2->1", 1, (3,))


def test_a_move_of_a_component_that_the_whole_lacks():
    class Turns(Nim):
        """Nim in which only the smallest pile may be taken from."""

        name = "turns"

        def moves(self, position):
            for move, option in super().moves(position):
                if move.heap == position[0]:
                    yield move, option

    wrong = check_position(Turns(), (1, 3))
    assert wrong.move == "3->2"
    assert "no move of the whole" in wrong.why


def test_what_is_not_complete_is_not_confirmed():
    found = audit("cram(rows=4,columns=5)", budget=Budget(states=200), seed=3)
    again = audit("cram(rows=4,columns=5)", budget=Budget(states=200), seed=3)
    assert found.independent is None
    assert (found.checked_positions, found.sampled_positions > 20) == (100, True)
    assert (found.checked_positions, found.sampled_positions) == (again.checked_positions, again.sampled_positions)
    assert audit("nim(piles=[5000])", budget=Budget(states=5_000, seconds=0.5)).independent is None


def test_random_plays_find_what_is_far_from_the_start(monkeypatch):
    monkeypatch.setattr("sgai.audit._MOST_CALLS", 1)  # values would tell from afar
    found = audit(Late(piles=(1, 9, 9)), budget=Budget(states=60))
    assert found.independent is False
    assert found.sampled_positions > 0


def test_time_is_held():
    found = audit("cram(rows=8,columns=8)", budget=Budget(states=10_000, seconds=0.3))
    assert found.independent is None
    assert found.seconds < 3
    assert found.checked_positions > 0


def test_nothing_approximate_is_no_claim():
    found = audit("queen(rows=3,columns=3)", approximate=True)
    assert (found.independent, found.split_positions) == (True, 0)


def test_a_split_that_goes_on_for_ever_is_an_error():
    class Endless(Nim):
        """Nim whose approximate split is never finer."""

        name = "endless"

        def approximate_components(self, position):
            return [Component(self.rules(), position)]

    with pytest.raises(sgai.SgaiError, match="goes on splitting"):
        audit(Endless(piles=(2,)), approximate=True)


@pytest.mark.parametrize("name", sorted(COUNTEREXAMPLES))
def test_values_alone_catch_the_counterexamples(name):
    """Some position of each has a Grundy value that is not the XOR of those of its false components."""
    ruleset = load_audited(name)
    wrong = []
    for position in ruleset.reachable().indices:
        parts = ruleset.components(position)
        if len(parts) > 1:
            values = [reference_grundy(part.ruleset, part.position) for part in parts]
            wrong.append(reference_grundy(ruleset, position) != sgai.nim_sum(values))
    assert any(wrong)


def test_counterexamples_are_not_registered_and_their_text_is_read():
    assert not set(COUNTEREXAMPLES) & set(sgai.ruleset_names())
    stock = load_audited("shared_stock(piles=[1;4],moves_left=2)")
    assert stock.parse(stock.format(stock.initial())) == ((1, 4), 2)
    assert load_audited("kayles") == sgai.load_ruleset("kayles")
    with pytest.raises(sgai.SgaiError, match="did you mean 'shared_stock'"):
        load_audited("shared_stok")
    with pytest.raises(sgai.SgaiError, match="moves_left"):
        load_audited("shared_stock(moves_lef=2)")
    for text in ("[1;4]", "[1] stock x", "[1] stock -1"):
        with pytest.raises(sgai.SgaiError, match=r"stock|integer"):
            stock.parse(text)


@pytest.mark.parametrize("ruleset", ["kayles(piles=[3;4])", "cram(rows=2,columns=4)", "graph", "fibonacci_nim"])
def test_remembered_values_are_those_of_the_reference(ruleset):
    rules = sgai.load_ruleset(ruleset)
    judge = Judge(50)
    for position in list(rules.reachable().indices)[:60]:
        value = judge.value(rules, position)
        assert value is None or value.finite == reference_grundy(rules, position)
    complete = Judge(10_000).value(rules, rules.initial())
    assert complete.finite == reference_grundy(rules, rules.initial())


def test_values_of_what_goes_round_are_an_error_that_names_the_cycle():
    with pytest.raises(sgai.LoopError, match="a -> b -> a"):
        Judge(100).value(sgai.load_ruleset("graph(edges=[s-a;a-b;b-a],start=s)"), "s")


def test_how_much_was_checked():
    found = audit("kayles(piles=[4;5])")
    assert (found.checked_positions, found.split_positions, found.compared_values) == (43, 37, 37)
    moves = 0
    for position in sgai.load_ruleset("kayles(piles=[4;5])").reachable().indices:
        if len(position) > 1:  # a move of the whole in each distinct pile, and one of each pile
            each = {pile: len(sgai.load_ruleset("kayles").options((pile,))) for pile in position}
            moves += sum(each.values()) + sum(each[pile] for pile in position)
    assert found.checked_moves == moves
    large = audit("nim(piles=[150;150;150])", budget=Budget(states=12))
    assert large.compared_values < large.split_positions


def test_the_start_is_checked_and_may_be_any_position():
    assert audit("kayles", (3, 2)).checked_positions == audit("kayles(piles=[2;3])").checked_positions
    with pytest.raises(sgai.SgaiError):
        audit("kayles", (-1,))


def test_loopy_rulesets_are_audited_by_loopy_values():
    found = audit("sliding(board=[O.O/O..O])")
    assert (found.independent, found.compared_values) == (True, found.split_positions)

    class Drawn(Sliding):
        """Sliding whose rows are called over: their moves agree with nothing, and neither do their values."""

        name = "drawn"

        def components(self, position):
            return [Component(self.rules(), (Row(2, 0, 1),), True) for _ in position]

    wrong = audit(Drawn(board="O..O/OO")).counterexample
    assert (wrong.move is not None, wrong.value) == (True, LoopyValue.infinite([0]))
    assert wrong.to_dict()["loopy_value"] == "inf(0)"
    assert wrong.to_dict()["grundy"] is None
