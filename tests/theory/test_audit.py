"""The independence audit: it confirms what is proved, and finds rulesets that lie about their components."""

import pytest

import sgai
from sgai.audit import audit, check_position
from sgai.budget import Budget
from sgai.ruleset import Component, Ruleset
from sgai.rulesets.boards import RectangleTake
from sgai.rulesets.heaps import HeapMove
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


class Stock(Ruleset[tuple, int]):
    """Two piles that lose single tokens while a common stock of moves lasts; each is named with the whole stock."""

    name = "stock"

    def initial(self):
        return (2, 2, 3)

    def moves(self, position):
        *piles, stock = position
        for i, pile in enumerate(piles):
            if pile and stock:
                yield i, (*piles[:i], pile - 1, *piles[i + 1 :], stock - 1)

    def components(self, position):
        *piles, stock = position
        return [Component(self, (pile, stock)) for pile in piles]


class Rows(RectangleTake):
    """Rectangle take whose rows are called components."""

    name = "rows"

    def components(self, position):
        row = (1 << self.columns) - 1
        rows = [position & row << i * self.columns for i in range(self.rows)]
        return [Component(self.rules(), part, True) for part in rows if part]


class Columns(RectangleTake):
    """Rectangle take whose columns are called components."""

    name = "columns"

    def components(self, position):
        column = sum(1 << i * self.columns for i in range(self.rows))
        columns = [position & column << i for i in range(self.columns)]
        return [Component(self.rules(), part, True) for part in columns if part]


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
        (Stock(), False),
        (Rows(rows=2, columns=2), False),
        (Columns(rows=2, columns=3), False),
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
    missing = check_position(Stock(), (2, 2, 1))
    assert missing is not None
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


def test_random_plays_find_what_is_far_from_the_start():
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
