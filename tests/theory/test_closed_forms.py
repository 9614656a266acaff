"""Closed forms: values and outcomes by theorem, used by the solver and the agents instead of a search."""

import json
import random
import time

import pytest

import sgai
import sgai.testing
from sgai import Ruleset, load_ruleset
from sgai.agents import ExactAgent, HybridAgent
from sgai.budget import Budget, OutOfBudget
from sgai.cores.core import Sum
from sgai.cores.python_dfpn import PythonProofNumber
from sgai.cores.python_mcts import PythonMCTS
from sgai.cores.python_outcome import PythonOutcome
from sgai.errors import SgaiError
from sgai.experiments.cli.main import main
from sgai.reference import reference_grundy, reference_outcome
from sgai.ruleset import Component
from sgai.rulesets.subtraction import Nim
from sgai.rulesets.walkers import Queen, Rook
from sgai.search import StateTable, closed_value, is_won_by_theorem
from sgai.solver import Solver

HUGE = "queen(rows=2000000,columns=2000000)"
PAIR = (1_000_000, 1_618_034)  # floor(k phi) and floor(k phi) + k for k = 618034


class Countdown(Ruleset[int, int]):
    """Take 1, 2 or 3 from a number; the moves that are looked at are counted."""

    start: int = 21

    def initial(self):
        return self.start

    def moves(self, position):
        self.__dict__["looked"] = self.__dict__.get("looked", 0) + 1
        for taken in (1, 2, 3):
            if taken <= position:
                yield taken, position - taken


class ByValue(Countdown):
    """A theorem gives the value."""

    def closed_grundy(self, position):
        return position % 4


class ByOutcome(Countdown):
    """A theorem gives the outcome."""

    def closed_outcome(self, position):
        return "N" if position % 4 else "P"


class TakesFour(ByValue, ByOutcome):
    """Other rules, to which neither theorem applies."""

    def moves(self, position):
        for taken in (1, 2, 3, 4):
            if taken <= position:
                yield taken, position - taken


class TwoCountdowns(Countdown):
    """Splits into two numbers that theorems speak of; positions are the sum, in tens and ones."""

    def initial(self):
        return (7, 6)

    def moves(self, position):
        for i in (0, 1):
            for taken in (1, 2, 3):
                if taken <= position[i]:
                    yield (i, taken), tuple(n - taken * (i == j) for j, n in enumerate(position))

    def components(self, position):
        return tuple(Component(ByOutcome(), n, True) for n in position)

    def lift_move(self, position, index, move):
        return index, move


def test_a_value_by_theorem_takes_no_search():
    game, table = ByValue(), StateTable()
    assert table.known(game, 10**30 + 3) == 3
    assert table.value(game, 10**30 + 3, Budget(1)) == 3
    assert table.has_value(game, 10**30 + 3, 3, Budget(1))
    assert not table.has_value(game, 10**30 + 3, 2, Budget(1))
    assert game.__dict__.get("looked", 0) == 0


def test_an_outcome_by_theorem_takes_no_search():
    game, table = ByOutcome(), StateTable()
    assert table.known(game, 10**30) == 0
    assert table.known(game, 10**30 + 3) is None
    assert table.excluded(game, 10**30 + 3) == [0]
    assert not table.has_value(game, 10**30 + 3, 0, Budget(1))
    assert Solver().has_grundy(game, 10**30, 0, Budget(1))
    assert not Solver().has_grundy(game, 10**30 + 1, 0, Budget(1))
    assert game.__dict__.get("looked", 0) == 0
    assert table.value(game, 7, Budget()) == 3


def test_components_met_in_a_search_are_valued_by_theorem():
    class UpToThousand(ByValue):
        def closed_grundy(self, position):
            return position % 4 if position <= 1000 else None

    budget = Budget()
    assert StateTable().value(UpToThousand(), 1007, budget) == 3
    assert budget.spent == 7


def test_other_rules_do_not_believe_the_theorem():
    changed = TakesFour()
    assert not changed.has_closed_forms()
    assert (changed.proved_grundy(4), changed.proved_outcome(4), changed.proved_winning_moves(4)) == (None,) * 3
    assert Solver().grundy(changed, 4) == reference_grundy(changed, 4) == 4
    solution = Solver().solve(changed, 9)
    assert (solution.grundy, solution.outcome) == (4, "N")


def test_a_walker_with_other_targets_does_not_believe_the_theorem():
    class Jumper(Queen):
        def targets(self, row, column):
            yield (row - 1, column - 1)

    class Limited(Rook):
        def moves(self, position):
            return (each for each in super().moves(position) if sum(position) - sum(each[0]) < 2)

    for cls in (Jumper, Limited):
        game = cls(rows=4, columns=6)
        assert not game.has_closed_forms()
        for row in range(4):
            for column in range(6):
                assert Solver().grundy(game, (row, column)) == reference_grundy(game, (row, column))
        with pytest.raises(SgaiError):
            game.apply((3, 5), (3, 0))


def test_the_referee_knows_no_theorem():
    class Liar(Countdown):
        def closed_grundy(self, position):
            return 7

    assert reference_grundy(Liar(), 5) == 1
    assert reference_outcome(Liar(), 4) == "P"


def test_the_conformance_suite_finds_a_wrong_theorem():
    class Wrong(Countdown):
        def closed_outcome(self, position):
            return "P"

    with pytest.raises(AssertionError):
        sgai.testing.check_ruleset(Wrong(start=6))

    class WrongMoves(ByOutcome):
        def closed_winning_moves(self, position):
            return [1]

    with pytest.raises(AssertionError):
        sgai.testing.check_ruleset(WrongMoves(start=6))
    sgai.testing.check_ruleset(ByOutcome(start=6))


def values_of(game):
    """Return the values of all squares by the definition."""
    values: dict[tuple[int, int], int] = {}
    for row in range(game.rows):
        for column in range(game.columns):
            options = {values[option] for option in game.options((row, column))}
            values[row, column] = next(n for n in range(len(options) + 1) if n not in options)
    return values


@pytest.mark.parametrize("cls", [Rook, Queen])
def test_walkers_agree_with_the_definition(cls):
    game = cls(rows=12, columns=13)
    values = values_of(game)
    for position, value in values.items():
        assert game.proved_grundy(position) in (None, value)
        assert game.proved_outcome(position) == ("N" if value else "P")
        named = game.proved_winning_moves(position)
        assert sorted(named) == sorted(move for move, option in game.moves(position) if values[option] == 0)
    assert closed_value(Rook(), (5, 3)) == 6
    assert is_won_by_theorem(Queen(), (5, 4))
    assert not is_won_by_theorem(Queen(), (5, 3))


def test_solve_gives_an_outcome_without_a_value():
    started = time.perf_counter()
    lost = sgai.solve(HUGE, PAIR)
    assert (lost.grundy, lost.outcome, lost.winning_moves, lost.complete, lost.exact) == (0, "P", (), True, True)
    won = sgai.solve(HUGE, (PAIR[0], PAIR[1] + 1))
    assert (won.grundy, won.outcome, won.complete, won.exact) == (None, "N", True, True)
    assert [each.position for each in won.winning_moves] == [PAIR]
    assert [each.grundy for each in won.components] == [None]
    assert won.paths is None
    assert "not 0: a theorem" in won.proved[0]
    assert won.to_dict()["grundy"] is None
    assert time.perf_counter() - started < 1


def test_solve_looks_for_the_value_with_the_budget_that_is_named():
    assert sgai.solve("queen(rows=12,columns=13)").grundy == values_of(Queen(rows=12, columns=13))[11, 12]
    big = "queen(rows=3,columns=250)"
    assert sgai.solve(big).grundy is None
    assert sgai.solve(big).states == 0
    assert sgai.solve("queen(rows=66,columns=66)").states == 2_000
    again = sgai.solve(big, states=10_000)
    assert again.grundy is not None
    assert again.outcome == "N"
    assert again.proved == ()
    assert sgai.solve(big, states=10).grundy is None


def test_a_value_in_a_store_is_used(tmp_path):
    store = sgai.NimberStore(tmp_path / "values.sqlite")
    game = load_ruleset("queen(rows=3,columns=200)")
    assert Solver().solve(game).grundy is None
    found = Solver(store=store).solve(game, states=10_000)
    assert found.grundy is not None
    again = Solver(store=store).solve(game)
    assert (again.grundy, again.states) == (found.grundy, 0)


def test_solve_agrees_with_the_definition_in_sums():
    game = TwoCountdowns()
    for first in range(8):
        for second in range(8):
            solution = Solver().solve(game, (first, second))
            assert solution.grundy == (first % 4) ^ (second % 4)
            winning = {each.move for each in Solver().winning_moves(game, (first, second))}
            assert winning == {move for move, (a, b) in game.moves((first, second)) if a % 4 == b % 4}


PARTS = [
    "wythoff(piles~[{0};{1}])",
    "euclid(piles~[{2};{3}])",
    "moores_nim(piles~[{0};{1}])",
    "fibonacci_nim(piles~[{3}])",
    "paper_cutting(sheets~[2x{4};3x4])",
    "nim(piles~[{0}])",
    "queen(rows~4;columns~4;at~[{0};{1}])",
    "rook(rows~4;columns~4;at~[{0};{1}])",
    "king(rows~3;columns~3;at~[{1};{1}])",
]


@pytest.mark.parametrize("seed", range(30))
def test_random_sums_agree_with_the_reference(seed):
    chance = random.Random(seed)
    numbers = [(0, 2), (0, 1), (1, 3), (1, 4), (2, 5)]
    parts = [each.format(*(chance.randint(*pair) for pair in numbers)) for each in chance.choices(PARTS, k=2)]
    game = load_ruleset(f"sum(parts=[{';'.join(parts)}])")
    start = game.initial()
    value = reference_grundy(game, start)
    judged = {move for move, option in game.moves(start) if reference_grundy(game, option) == 0}
    assert {each.move for each in Solver().winning_moves(game, start)} == judged
    solution = Solver().solve(game, start)
    assert (solution.grundy, solution.outcome, solution.complete) == (value, "N" if value else "P", True)
    assert {each.move for each in solution.winning_moves} == judged
    for states in (1, 3):
        solution = Solver().solve(game, start, states=states)
        assert solution.outcome in (None, "N" if value else "P")
        assert solution.grundy in (None, value)
        moves = {each.move for each in solution.winning_moves}
        assert moves == judged if solution.complete else moves <= judged


def test_a_theorem_beside_other_components():
    alone = sgai.solve(f"sum(parts=[{HUGE};nim(piles=[3])])", seconds=0.1)
    assert (alone.grundy, alone.outcome, alone.exact, alone.winning_moves) == (None, None, False, ())
    assert any("not 0: a theorem" in fact for fact in alone.proved)
    game = load_ruleset(f"sum(parts=[{HUGE};nim(piles=[3;3])])")
    beside = sgai.solve(game)
    assert (beside.grundy, beside.outcome, beside.exact, beside.complete) == (None, "N", True, False)
    parts = [each.position for each in beside.winning_moves]
    assert len(parts) == 3
    assert all(load_ruleset(HUGE).proved_outcome(square) == "P" and piles == (3, 3) for square, piles in parts)
    with pytest.raises(OutOfBudget):
        list(Solver().winning_moves(game, game.initial()))
    small = load_ruleset("sum(parts=[queen(rows=3,columns=4);nim(piles=[2;2])])")
    solution = sgai.solve(small)
    assert solution.complete
    judged = {move for move, option in small.moves(small.initial()) if reference_grundy(small, option) == 0}
    assert {each.move for each in solution.winning_moves} == judged


def test_misere_play_uses_no_theorem(monkeypatch):
    solution = sgai.solve(HUGE, PAIR, play="misere", states=300)
    assert (solution.outcome, solution.winning_moves, solution.exact) == (None, (), False)
    with pytest.raises(SgaiError, match="not solved"):
        ExactAgent(load_ruleset(HUGE), play="misere", states=300).decide(PAIR)

    monkeypatch.setattr(Nim, "closed_outcome", lambda self, position: "N" if any(position) else "P", raising=False)
    monkeypatch.setattr(Nim, "closed_winning_moves", lambda self, position: [], raising=False)
    monkeypatch.setattr(Nim, "_trusted", {}, raising=False)
    assert Nim().proved_outcome((1,)) == "N"
    for piles in [(1,), (1, 1), (1, 2, 3), (2, 2), (3, 4, 5)]:
        solution = sgai.solve("nim", piles, play="misere")
        assert solution.outcome == reference_outcome(load_ruleset("nim"), piles, "misere")
        assert bool(solution.winning_moves) == (solution.outcome == "N")
        assert ExactAgent(load_ruleset("nim"), play="misere").decide(piles).outcome == solution.outcome


def test_solve_on_the_command_line(capsys):
    assert main(["solve", HUGE, "(1000000,1618035)", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["grundy"], answer["outcome"], answer["exact"]) == (None, "N", True)
    assert answer["winning_moves"] == [{"move": "(1000000,1618034)", "position": "(1000000,1618034)"}]
    assert main(["solve", HUGE, "(1000000,1618035)"]) == 0
    out = capsys.readouterr().out
    assert "outcome       N: the player to move wins" in out
    assert "Grundy value  not found; a theorem gives the outcome" in out
    assert "value not found" in out
    assert "(1000000,1618034)" in out
    assert main(["solve", HUGE, "(1000000,1618034)"]) == 0
    assert "Grundy value  0" in capsys.readouterr().out


@pytest.mark.parametrize(
    "make",
    [
        ExactAgent,
        lambda game: HybridAgent(game, seconds=0.5),
        lambda game: HybridAgent(game, nodes=500),
        lambda game: HybridAgent(game, simulations=100),
    ],
    ids=["exact", "seconds", "nodes", "simulations"],
)
def test_agents_play_a_huge_board_perfectly(make):
    game = load_ruleset("queen(rows=300000,columns=300000)")
    agent = make(game)
    position = (100_000, 161_806)
    for _ in range(4):
        started = time.perf_counter()
        decision = agent.decide(position)
        assert time.perf_counter() - started < 1
        assert (decision.status, decision.outcome) == ("exact", "N")
        assert game.closed_outcome(decision.position) == "P"
        decision = agent.decide(lost := decision.position)
        assert (decision.status, decision.outcome) == ("exact", "P")
        position = lost[0] - 7, lost[1] - 3
    if isinstance(agent, HybridAgent):
        agent.decide(position)
        assert "A theorem gives the outcome without the value: the player to move wins." in agent.explain()
        assert "value not found, but it is not 0" in agent.explain()
        assert "(exact)" in agent.explain()


@pytest.mark.parametrize("core", [PythonOutcome, PythonProofNumber, PythonMCTS])
def test_searches_see_moves_to_positions_that_theorems_decide(core):
    search = core(solver=Solver())
    found = search.search(Sum((Component(ByOutcome(), 10**9 + 2, True),)), Budget(50))
    assert found.outcome == "N"
    assert (found.moves[0].move.move, found.moves[0].outcome) == (2, "P")
    lost = core(solver=Solver()).search(Sum((Component(ByOutcome(), 10**9, True),)), Budget(50))
    assert lost.outcome == "P"
