"""Moore's Nim: the closed outcome and the winning moves against the definition, and against Nim."""

import itertools
import math
import random
import time

import pytest

import sgai
from sgai.agents import ExactAgent, HybridAgent
from sgai.errors import SgaiError
from sgai.nimbers import nim_sum
from sgai.reference import reference_grundy
from sgai.rulesets.moores_nim import MooresNim

CASES = [(1, 3, 6), (2, 3, 6), (2, 4, 4), (3, 4, 4), (3, 5, 3), (4, 5, 3)]


@pytest.mark.parametrize(("most", "count", "largest"), CASES)
def test_outcomes_and_winning_moves_by_the_definition(most, count, largest):
    """E. H. Moore, Annals of Mathematics 11 (1910): P if most + 1 divides the number of piles with each digit."""
    game = MooresNim(most=most)
    lost: set[tuple[int, ...]] = set()
    positions = {game.validate(piles) for piles in itertools.combinations_with_replacement(range(largest + 1), count)}
    for position in sorted(positions, key=sum):
        winning = {move for move, option in game.moves(position) if option in lost}
        if not winning:
            lost.add(position)
        assert game.proved_outcome(position) == ("N" if winning else "P")
        named = list(game.proved_winning_moves(position))
        assert len(named) == len(winning)
        assert set(named) == winning
    assert len(lost) > 1


def test_moves_take_from_up_to_so_many_piles():
    game = MooresNim(most=2)
    moves = [game.format_move((1, 1, 2), move) for move, _ in game.moves((1, 1, 2))]
    assert sorted(moves) == sorted(["1->0", "1->0 & 1->0", "1->0 & 2->0", "1->0 & 2->1", "2->0", "2->1"])


def test_one_pile_a_move_is_nim():
    game = MooresNim(most=1, piles=(3, 5, 6))
    solution = sgai.solve(game)
    assert solution.grundy == nim_sum((3, 5, 6)) == 0
    assert [str(part.ruleset) for part in solution.components] == ["nim"] * 3
    assert sgai.solve(game, (3, 5, 7)).grundy == 1
    assert {game.format_move((3, 5, 7), each.move) for each in sgai.solve(game, (3, 5, 7)).winning_moves} == {
        "3->2",
        "5->4",
        "7->6",
    }


def test_several_piles_a_move_are_one_component():
    game = MooresNim(most=2, piles=(1, 1))
    assert len(sgai.solve(game).components) == 1
    assert reference_grundy(game, (1, 1)) == sgai.solve(game).grundy == 2  # Nim has 0


def test_values_agree_with_the_reference():
    chance = random.Random(5)
    solver = sgai.Solver()
    for _ in range(40):
        game = MooresNim(most=chance.choice([2, 3]))
        position = game.validate([chance.randint(0, 3) for _ in range(3)])
        assert solver.grundy(game, position) == reference_grundy(game, position, 10**6)


def test_huge_piles_are_decided_at_once():
    started = time.perf_counter()
    game = MooresNim(piles=(10**60, 3 * 10**59, 7**70, 5**85))
    first = next(iter(game.proved_winning_moves(game.initial())))
    assert game.proved_outcome(game.apply(game.initial(), first)) == "P"
    solution = sgai.solve("moores_nim(piles=[1000000;1618035;77777;1234567])")
    assert (solution.outcome, solution.complete) == ("N", True)
    assert all(game.proved_outcome(each.position) == "P" for each in solution.winning_moves)
    many = MooresNim(most=3, piles=(7, *range(1000, 2000)))
    first = next(iter(many.proved_winning_moves(many.initial())))
    assert many.proved_outcome(many.apply(many.initial(), first)) == "P"
    assert time.perf_counter() - started < 3


@pytest.mark.parametrize("make", [ExactAgent, lambda game: HybridAgent(game, seconds=0.2)], ids=["exact", "hybrid"])
def test_agents_win(make):
    game = MooresNim(piles=(50_000, 70_000, 90_001, 123_456))
    agent = make(game)
    position = game.initial()
    for _ in range(3):
        decision = agent.decide(position)
        assert (decision.status, decision.outcome) == ("exact", "N")
        assert game.proved_outcome(decision.position) == "P"
        position = next(option for _, option in game.moves(decision.position))


@pytest.mark.parametrize(("most", "piles"), [(1, (2, 3)), (2, (3, 2, 3)), (3, (2, 2, 1, 2)), (7, (3, 1))])
def test_the_alphabet_has_no_gaps(most, piles):
    game = MooresNim(most=most, piles=piles)
    widest, largest = min(most, len(piles)), max(piles)
    pairs = largest * (largest + 1) // 2
    assert game.num_moves() == sum(math.comb(pairs + size - 1, size) for size in range(1, widest + 1))
    moves = [game.move_from_index(index) for index in range(game.num_moves())]
    assert len(set(moves)) == len(moves)
    assert [game.move_index(move) for move in moves] == list(range(len(moves)))


def test_the_alphabet_of_huge_piles_is_only_counted():
    game = MooresNim(piles=(10**9, 10**9, 10**9))
    move = ((123_456, 77), (10**9, 999_999_999))
    assert game.move_from_index(game.move_index(move)) == move


def test_bad_input():
    with pytest.raises(SgaiError, match="most=0"):
        MooresNim(most=0)
    with pytest.raises(SgaiError, match="-3"):
        MooresNim(piles=(-3, 2))
    game = MooresNim(piles=(2, 3, 4))
    bad: list = [(), ((2, 2),), ((3, 1), (2, 0)), ((2, 0), (2, 1)), ((5, 0),), ((2, 0), (3, 0), (4, 0)), None, "2->1"]
    for move in [*bad, ((2, True),), ((2, -1),), [(2, 1)]]:
        with pytest.raises(sgai.IllegalMoveError):
            game.apply((2, 3, 4), move)
    for text in ("", "2->2", "2->1 & 2->0", "2->1, 3->0", "9->1", "2->1&3->0&4->0", "x"):
        with pytest.raises(sgai.IllegalMoveError):
            game.parse_move((2, 3, 4), text)
    assert game.parse_move((2, 3, 4), "4->0 & 2->1") == ((2, 1), (4, 0))
    for index in (((9, 1),), ((2, 2),), (), 5, ((2, 1),) * 4):
        with pytest.raises(sgai.IllegalMoveError):
            game.move_index(index)
