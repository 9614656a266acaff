"""Fibonacci Nim and the shuttle: published facts, values by the definition, and that their piles do not add up."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sgai
from sgai.nimbers import nim_sum
from sgai.reference import reference_grundy
from sgai.rulesets.coupled_piles import FibonacciNim, LimitedPiles, Shuttle, ShuttlePosition

FIBONACCI = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89]


def zeckendorf(number):
    """The summands of a number as Fibonacci numbers, no two of them neighbours, largest first."""
    summands = []
    for each in reversed(FIBONACCI):
        if each <= number:
            summands.append(each)
            number -= each
    return summands


def least_winning_limits(largest):
    """Return for every pile the least limit with which the player to move wins, by the rules alone.

    A take of t wins if the opponent, who may then take 2t, has less than wins from what is left.
    """
    least = [10**9]
    for pile in range(1, largest + 1):
        least.append(next(taken for taken in range(1, pile + 1) if 2 * taken < least[pile - taken]))
    return least


def test_first_player_loses_at_fibonacci_numbers():
    """M. J. Whinihan, Fibonacci Nim, Fibonacci Quarterly 1 (1963)."""
    limits = least_winning_limits(100_000)
    game = FibonacciNim()
    lost = [pile for pile in range(1, 100_001) if limits[pile] > pile - 1]
    assert lost[: len(FIBONACCI)] == FIBONACCI
    assert len(lost) == 24
    assert lost == [pile for pile in range(1, 100_001) if game.proved_outcome(LimitedPiles((pile,), 0)) == "P"]


def test_a_limit_wins_from_the_least_summand_on():
    """With limit q the player to move wins exactly if q is not below the least Zeckendorf summand (Whinihan, 1963)."""
    game = FibonacciNim()
    for pile, limit in enumerate(least_winning_limits(20_000)):
        if pile:
            assert game.proved_outcome(LimitedPiles((pile,), limit)) == "N"
            assert limit == 1 or game.proved_outcome(LimitedPiles((pile,), limit - 1)) == "P"


def test_winning_moves_by_the_definition():
    game = FibonacciNim()
    lost: set[LimitedPiles] = set()
    for pile in range(61):
        for limit in range(1, 2 * 61):
            position = LimitedPiles((pile,) if pile else (), limit)
            winning = {move for move, option in game.moves(position) if option in lost}
            if not winning:
                lost.add(position)
            assert game.proved_outcome(position) == ("N" if winning else "P")
            named = game.proved_winning_moves(position)
            assert len(named) == len(winning)
            assert set(named) == winning
        first = LimitedPiles((pile,) if pile else (), 0)
        winning = {move for move, option in game.moves(first) if option in lost}
        assert set(game.proved_winning_moves(first)) == winning
        assert game.proved_outcome(first) == ("N" if winning else "P")


def test_huge_piles_are_decided_at_once():
    fibonacci = [1, 2]
    while len(fibonacci) < 300:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    pile = fibonacci[299] + fibonacci[200] + fibonacci[50]
    assert sgai.solve(FibonacciNim(piles=(fibonacci[299],))).outcome == "P"
    solution = sgai.solve(FibonacciNim(piles=(pile,)))
    assert (solution.outcome, solution.complete) == ("N", True)
    assert {pile - sum(each.position.piles) for each in solution.winning_moves} == {
        fibonacci[50],
        fibonacci[50] + fibonacci[200],
    }


def test_no_theorem_for_several_piles():
    game = FibonacciNim()
    assert game.proved_outcome(LimitedPiles((2, 3), 1)) is None
    assert game.proved_winning_moves(LimitedPiles((2, 3), 1)) is None
    assert game.proved_outcome(LimitedPiles((), 4)) == "P"


def test_25_has_two_winning_moves():
    """25 = 21 + 3 + 1: take 1, or 3 + 1, of which twice is still below 21 (recomputed)."""
    assert zeckendorf(25) == [21, 3, 1]
    solution = sgai.solve("fibonacci_nim(piles=[25])")
    assert {str(winning.move) for winning in solution.winning_moves} == {"25->24", "25->21"}


def test_piles_under_one_limit_do_not_split():
    game = FibonacciNim(piles=(2, 3), limit=1)
    assert reference_grundy(game, game.initial()) == sgai.solve(game).grundy == 2
    parts = game.approximate_components(game.initial())
    assert nim_sum(reference_grundy(*part[:2]) for part in parts) == 0
    assert [game.format(part.position) for part in parts] == ["[2] limit 1", "[3] limit 1"]
    assert game.approximate_components(game.parse("[3] limit 1")) == ()


def test_the_first_move_leaves_something_of_each_pile():
    game = FibonacciNim(piles=(1, 3))
    assert [game.format(option) for option in game.options(game.initial())] == ["[1;2] limit 2", "[1;1] limit 4"]
    assert list(game.moves(game.parse("[1;1]"))) == []
    assert game.canonical(game.parse("[4;4]")) == game.parse("[4;4] limit 3")
    assert game.canonical(game.parse("[3;4] limit 99")) == game.parse("[3;4] limit 4")


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), max_size=3), st.integers(0, 4))
def test_canonical_form_keeps_the_value(piles, limit):
    game = FibonacciNim()
    position = game.validate((piles, limit))
    assert reference_grundy(game, position, 1_000_000) == reference_grundy(game, game.canonical(position), 1_000_000)


@pytest.mark.parametrize("text", ["[2;3] limit", "[2;3] limit 0", "[2;3] limit -1", "[2;3] limit 1 2", "[-1] limit 2"])
def test_bad_limits_are_errors(text):
    with pytest.raises(sgai.SgaiError):
        FibonacciNim().parse(text)
    with pytest.raises(sgai.SgaiError, match="limit=-1"):
        FibonacciNim(limit=-1)


def test_the_shuttle_decides_what_may_be_taken():
    game = Shuttle(piles=(1, 2), track=1)
    assert reference_grundy(game, game.initial()) == sgai.solve(game).grundy == 1
    assert nim_sum(reference_grundy(*part[:2]) for part in game.approximate_components(game.initial())) == 3
    assert [str(move) for move, _ in game.moves(ShuttlePosition(2, 2, 1))] == ["back", "take 1", "take 2"]
    assert [str(move) for move, _ in Shuttle(track=2).moves(ShuttlePosition(2, 2, 1))] == ["back", "on"]


def test_play_with_the_shuttle_ends_with_both_piles_empty():
    game = Shuttle(piles=(3, 3), track=3, at=1)
    ends = {position for position in game.reachable().indices if not game.options(position)}
    assert {(position.first, position.second) for position in ends} == {(0, 0)}


@pytest.mark.parametrize("given", [{"track": 0}, {"piles": (1, 2, 3)}, {"piles": (-1, 2)}, {"at": 5}])
def test_bad_shuttles_are_errors(given):
    with pytest.raises(sgai.SgaiError):
        Shuttle(**given)
