"""Wythoff's game and Euclid: published values, closed forms against the definition, and numbers of any size."""

import math
import random

import numpy as np
import pytest

import sgai
from sgai.errors import SgaiError
from sgai.reference import reference_grundy
from sgai.rulesets.golden import is_wythoff_pair, lower_wythoff, wythoff_partner
from sgai.rulesets.two_piles import BOTH, LARGER, SMALLER, Euclid, Pair, PairMove, Wythoff
from sgai.rulesets.walkers import Queen

# OEIS A317205 (rows of the triangle), which refers to Winning Ways, p. 76, and to Blass and Fraenkel 1990, table 2.
WYTHOFF_VALUES = [
    [0],
    [1, 2],
    [2, 0, 1],
    [3, 4, 5, 6],
    [4, 5, 3, 2, 7],
    [5, 3, 4, 0, 6, 8],
    [6, 7, 8, 1, 9, 10, 3],
    [7, 8, 6, 9, 0, 1, 4, 5],
    [8, 6, 7, 10, 1, 2, 5, 3, 4],
    [9, 10, 11, 12, 8, 7, 13, 14, 15, 16],
    [10, 11, 9, 8, 13, 12, 0, 15, 16, 17, 14],
    [11, 9, 10, 7, 12, 14, 2, 13, 17, 6, 18, 15],
]
# OEIS A047708: the values of two equal piles.
WYTHOFF_DIAGONAL = [0, 2, 1, 6, 7, 8, 3, 5, 4, 16, 14, 15, 10, 9, 11, 20, 13, 21, 12, 25]


def test_wythoff_published_values():
    solver, game = sgai.Solver(), Wythoff()
    for larger, row in enumerate(WYTHOFF_VALUES):
        assert [solver.grundy(game, Pair(smaller, larger)) for smaller in range(larger + 1)] == row
    assert [solver.grundy(game, Pair(pile, pile)) for pile in range(20)] == WYTHOFF_DIAGONAL


def test_wythoff_values_are_those_of_the_queen():
    solver, game, queen = sgai.Solver(), Wythoff(), Queen(rows=15, columns=15)
    for smaller in range(15):
        for larger in range(smaller, 15):
            assert solver.grundy(game, Pair(smaller, larger)) == solver.grundy(queen, (larger, smaller))


def test_wythoff_pairs_by_the_mex_rule_up_to_a_million():
    """The pair k is the least number that is in no earlier pair, and that plus k (Wythoff 1907): no phi is in it."""
    count = 10**6
    used = np.zeros(3 * count, dtype=bool)
    used[0] = True
    least = 0
    lower = np.zeros(count + 1, dtype=np.int64)
    for k in range(1, count + 1):
        least += 1
        while used[least]:
            least += 1
        used[least + k] = True
        lower[k] = least
    numbers = lower.tolist()
    assert all(lower_wythoff(k) == numbers[k] for k in range(count + 1))
    upper = lower + np.arange(count + 1)
    for k in range(1, count + 1, 997):
        first, second = numbers[k], int(upper[k])
        assert is_wythoff_pair(second, first)
        assert (wythoff_partner(first), wythoff_partner(second)) == (second, first)
        assert not is_wythoff_pair(first, second + 1)


def test_the_lost_positions_satisfy_the_definition():
    """No pair leads to a pair, and all else does: by moves alone, with the closed winning moves to check."""
    game = Wythoff()
    lost: set[Pair] = set()
    for larger in range(60):
        for smaller in range(larger + 1):
            position = Pair(smaller, larger)
            winning = {move for move, option in game.moves(position) if option in lost}
            if not winning:
                lost.add(position)
            named = game.proved_winning_moves(position)
            assert len(named) == len(winning)
            assert set(named) == winning
            assert game.proved_outcome(position) == ("N" if winning else "P")
    assert len(lost) == 23


def test_huge_pairs_by_exact_identities():
    """The floor a of k phi is the only number with a^2 - a k - k^2 < 0 < (a+1)^2 - (a+1) k - k^2, for k >= 1."""
    chance = random.Random(1)
    for digits in (20, 50, 200, 1000):
        k = chance.randrange(10 ** (digits - 1), 10**digits)
        a = lower_wythoff(k)
        assert a * a - a * k - k * k < 0 < (a + 1) ** 2 - (a + 1) * k - k * k
        game = Wythoff(piles=(a, a + k))
        assert game.proved_outcome(game.initial()) == "P"
        for changed in (Pair(a - 1, a + k), Pair(a, a + k + 1), Pair(a, a + k - 1), Pair(a + 1, a + k + 1)):
            assert game.proved_outcome(changed) == "N"
            moves = game.proved_winning_moves(changed)
            assert moves
            assert all(game.proved_outcome(game.apply(changed, move)) == "P" for move in moves)
    fibonacci = [1, 2]
    while len(fibonacci) < 500:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    for first, second in zip(fibonacci[0::2], fibonacci[1::2], strict=True):  # (1, 2), (3, 5), (8, 13), ...
        assert is_wythoff_pair(first, second)


def test_wythoff_solved_at_once():
    lost = sgai.solve("wythoff(piles=[1000000;1618034])")
    assert (lost.outcome, lost.grundy, lost.winning_moves) == ("P", 0, ())
    won = sgai.solve("wythoff(piles=[1000000;1618035])")
    assert (won.outcome, won.grundy, won.complete) == ("N", None, True)
    assert [Wythoff().format(each.position) for each in won.winning_moves] == ["[1000000;1618034]"]
    assert sgai.solve("wythoff(piles=[7;9])").grundy == 14


def test_wythoff_moves_and_their_texts():
    game = Wythoff(piles=(3, 5))
    assert game.format_move(Pair(3, 5), PairMove(BOTH, 2)) == "3+5->1+3"
    assert game.parse_move(Pair(3, 5), " 5 -> 2") == PairMove(LARGER, 3)
    assert game.parse_move(Pair(3, 5), "3->0") == PairMove(SMALLER, 3)
    assert game.parse_move(Pair(4, 4), "4->0") == PairMove(LARGER, 4)
    huge = Pair(10**30, 10**31)
    assert game.parse_move(huge, f"{10**31}->7") == PairMove(LARGER, 10**31 - 7)
    for text in ("4->2", "3->3", "3+5->1+2", "5->6", "3+5", "5->-1", "", "3->", "1+3->1+3"):
        with pytest.raises(sgai.IllegalMoveError):
            game.parse_move(Pair(3, 5), text)
    for move in (PairMove(BOTH, 4), PairMove(SMALLER, 0), (3, 1), (1, True), (1,), None, "x", PairMove(LARGER, 6)):
        with pytest.raises(sgai.IllegalMoveError):
            game.apply(Pair(3, 5), move)
    with pytest.raises(sgai.IllegalMoveError):
        game.apply(Pair(4, 4), PairMove(SMALLER, 1))  # of equal piles only the larger one is named


def test_other_rules_are_not_believed():
    class AtMostTwo(Wythoff):
        def moves(self, position):
            return (each for each in super().moves(position) if each[0].taken <= 2)

    game = AtMostTwo(piles=(2, 3))
    assert not game.has_closed_forms()
    assert sgai.Solver().grundy(game, Pair(3, 4)) == reference_grundy(game, Pair(3, 4))
    with pytest.raises(sgai.IllegalMoveError):
        game.apply(Pair(3, 5), PairMove(LARGER, 3))
    with pytest.raises(sgai.IllegalMoveError):
        game.parse_move(Pair(3, 5), "5->2")


@pytest.mark.parametrize("name", ["wythoff", "euclid"])
@pytest.mark.parametrize("piles", ["[1;2;3]", "[4]", "[]", "[-1;3]", "[a;2]"])
def test_bad_piles_are_quoted(name, piles):
    with pytest.raises(SgaiError, match=r"two piles|integer"):
        sgai.load_ruleset(f"{name}(piles={piles})")
    with pytest.raises(SgaiError, match=r"\[3;5\]"):
        sgai.load_ruleset(name).parse(piles)
    with pytest.raises(SgaiError):
        sgai.load_ruleset(name).validate(3)


def test_euclid_needs_tokens_in_both_piles():
    with pytest.raises(SgaiError, match="1 token or more"):
        Euclid(piles=(0, 4))
    assert Wythoff(piles=(4, 0)).initial() == (0, 4)


def test_euclid_values_by_the_definition():
    """Nivasch 2006: floor(|y/x - x/y|)."""
    values: dict[Pair, int] = {}
    game = Euclid()
    for larger in range(1, 61):
        for smaller in range(1, larger + 1):
            position = Pair(smaller, larger)
            options = {values[option] for option in game.options(position)}
            value = next(n for n in range(len(options) + 1) if n not in options)
            values[position] = value
            assert game.proved_grundy(position) == value == math.floor(larger / smaller - smaller / larger + 1e-12)
            winning = [move for move, option in game.moves(position) if values[option] == 0]
            assert game.proved_winning_moves(position) == winning


def test_euclid_ends_with_the_greatest_common_divisor():
    game = Euclid(piles=(12, 18))
    assert list(game.moves(Pair(6, 6))) == []
    assert game.num_moves() == 2
    assert [game.format(option) for option in game.options(game.initial())] == ["[6;12]"]


def test_euclid_of_huge_numbers():
    """The player to move loses exactly if the quotient of the piles is below phi (Cole and Davie 1969)."""
    big = 10**60
    phi = lower_wythoff(big)  # floor(phi 10^60)
    assert sgai.solve("euclid", Pair(big, phi)).outcome == "P"
    won = sgai.solve("euclid", Pair(big, phi + 1))
    assert (won.grundy, won.outcome) == (1, "N")
    assert [each.move for each in won.winning_moves] == [1]
    assert sgai.solve("euclid", Pair(3, 10**40)).grundy == 10**40 // 3
