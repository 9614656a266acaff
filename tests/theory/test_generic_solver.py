"""The generic solver on rules written in Python: depth, counts, cycles, budgets, and what survives an interruption."""

import itertools
import time

import pytest

from sgai import Component, LoopError, Ruleset, SgaiError, Solver, load_ruleset, mex
from sgai.budget import Budget, OutOfBudget
from sgai.rulesets.graph import Graph
from sgai.rulesets.heaps import HeapRuleset
from sgai.rulesets.subtraction import Nim, Subtraction
from sgai.rulesets.take_and_break import TakeAndBreak
from sgai.trace import trace


class Steps(Ruleset[int, int]):
    """Take 1 to ``most`` from a number: Bash's game, but solved as a graph of positions."""

    name = "steps"
    start: int = 10
    most: int = 1

    def initial(self):
        return self.start

    def moves(self, position):
        for taken in range(1, min(self.most, position) + 1):
            yield taken, position - taken


class Clearing(Ruleset[tuple[int, ...], tuple[int, int]]):
    """Rows of pins as in Kayles, each a component of its own; written without the heap games."""

    name = "clearing"
    row: int = 9

    def initial(self):
        return (self.row,)

    def moves(self, position):
        for i, row in enumerate(position):
            for taken in (1, 2):
                for left in range(row - taken + 1):
                    parts = [part for part in (left, row - taken - left) if part]
                    yield (i, taken, left), tuple(sorted(position[:i] + position[i + 1 :] + tuple(parts)))

    def components(self, position):
        return [Component(self, (row,)) for row in position]


class Breaking(Ruleset[int, int]):
    """From 1 on play goes on as in Nim with a heap of ``heap`` tokens."""

    name = "breaking"
    heap: int = 3

    def initial(self):
        return 1

    def moves(self, position):
        if position > 0:
            yield 0, -self.heap
        elif position < 0:
            for left in range(-position):
                yield left, -left

    def components(self, position):
        return [Component(self, position)] if position > 0 else [Component(Nim(), (-position,))]


KAYLES = [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6]  # OEIS A002186


# Depth and counts


@pytest.mark.slow
def test_a_chain_of_a_million_states():
    started = time.perf_counter()
    solution = Solver().solve(Steps(start=1_000_000), states=2_000_000)
    assert (solution.grundy, solution.outcome, solution.exact) == (0, "P", True)
    assert solution.states == 1_000_001
    assert solution.paths == 1_000_001
    assert time.perf_counter() - started < 60


def test_a_chain_of_a_hundred_thousand_states_with_two_moves_each():
    solution = Solver().solve(Steps(start=100_000, most=2))
    assert solution.grundy == 100_000 % 3
    assert [each.move for each in solution.winning_moves] == [1]


def test_states_and_paths_of_a_small_graph():
    # By hand: paths(0) = 1, paths(1) = 1 + 1, paths(2) = 1 + 1 + 2, paths(3) = 1 + 1 + 2 + 4.
    graph = Graph.from_successors({3: [2, 1, 0], 2: [1, 0], 1: [0], 0: []}, start=3)
    solution = Solver().solve(graph)
    assert (solution.states, solution.paths) == (4, 8)
    assert (graph.reachable().paths, len(graph.reachable().indices), graph.reachable().edges) == (8, 4, 6)


def test_states_and_paths_of_a_chain_of_diamonds():
    # By hand: every diamond doubles the paths below it and adds three.
    links = {}
    for k in range(20):
        links |= {f"a{k}": [f"b{k}", f"c{k}"], f"b{k}": [f"a{k + 1}"], f"c{k}": [f"a{k + 1}"]}
    paths = 1
    for _ in range(20):
        paths = 2 * paths + 3
    solution = Solver().solve(Graph.from_successors(links, start="a0"))
    assert (solution.states, solution.paths) == (61, paths)


def test_states_count_each_component_once():
    solver = Solver()
    solution = solver.solve(Clearing(), (9, 9, 4))
    assert solution.grundy == KAYLES[4]
    assert solution.states == 9  # the rows of 1 to 9
    assert solver.solve(Clearing(), (9, 8)).states == 0
    assert len(solver) == 9


def test_paths_through_components_are_counted():
    # By hand: p(1) = 1 + 1 (an option that leaves nothing is one evaluation); p(2) = 1 + p(1) + 1.
    assert [Solver().solve(Clearing(), (row,)).paths for row in (1, 2)] == [2, 4]


def test_paths_of_heap_games_by_hand():
    # Nim: p(n) = 1 + p(0) + ... + p(n - 1) = 2^n.
    assert [Solver().solve(Nim(), (n,)).paths for n in range(1, 11)] == [2**n for n in range(1, 11)]


def test_paths_are_none_where_they_were_not_counted():
    for piles in ((1_000,), (2, 1_000)):
        paths = Solver().solve(load_ruleset("kayles"), piles).paths
        assert paths is None


def test_plays_and_paths_that_go_on_in_a_heap_game():
    # By hand: one move, then at most three in the heap; one evaluation, then the 2^3 of the heap.
    solver = Solver()
    solution = solver.solve(Breaking(heap=3))
    assert solution.grundy == 0
    assert solver.longest_play(Breaking(heap=3), 1) == 4
    assert solution.paths == 9


def test_the_longest_play_by_hand():
    solver = Solver()
    for ruleset, position, longest in (
        (Steps(), 7, 7),
        (Clearing(), (3, 2), 5),
        (load_ruleset("kayles"), (4, 3), 7),
        (load_ruleset("grundys_game"), (5,), 3),  # 5 -> 4 + 1 -> 3 + 1 -> 2 + 1
        (load_ruleset("bash(most=2)"), (9,), 9),
    ):
        solver.grundy(ruleset, position)
        assert solver.longest_play(ruleset, position) == longest


# Cycles


def test_a_cycle_is_named():
    graph = Graph.from_successors({"a": ["b", "end"], "b": ["c"], "c": ["d", "end"], "d": ["b"], "end": []}, start="a")
    with pytest.raises(LoopError) as caught:
        Solver().solve(graph)
    cycle = caught.value.cycle
    place = cycle.index("b")
    assert cycle[place:] + cycle[:place] == ("b", "c", "d")
    assert " -> ".join((*cycle, cycle[0])) in str(caught.value)


def test_a_move_back_to_the_same_position_is_a_cycle():
    with pytest.raises(LoopError) as caught:
        Solver().solve(Graph.from_successors({0: [], 1: [1, 0]}, start=1))
    assert caught.value.cycle == ("1",)


def test_a_cycle_does_not_spoil_what_lies_beside_it():
    graph = Graph.from_successors({"a": ["b", "x"], "b": ["a"], "x": ["y"], "y": []}, start="a")
    solver = Solver()
    for _ in range(2):
        with pytest.raises(LoopError):
            solver.solve(graph)
        with pytest.raises(LoopError):
            solver.grundy(graph, "b")
        assert solver.solve(graph, "x").grundy == 1


def test_a_long_cycle_is_named_in_full():
    size = 5_000
    graph = Graph.from_successors({n: [(n + 1) % size] for n in range(size)}, start=0)
    with pytest.raises(LoopError) as caught:
        Solver().solve(graph)
    assert set(caught.value.cycle) == set(map(str, range(size)))
    assert len(str(caught.value)) < 1_000


class Regrowing(Ruleset[tuple[str, ...], str]):
    """Letters stand side by side as components; a -> b + z, b -> c, c -> a + z: the same letter comes again."""

    name = "regrowing"

    def initial(self):
        return ("a",)

    def moves(self, position):
        grown = {"a": ("b", "z"), "b": ("c",), "c": ("a", "z"), "z": ()}
        for i, letter in enumerate(position):
            yield f"{i}{letter}", tuple(sorted(position[:i] + position[i + 1 :] + grown[letter]))

    def components(self, position):
        return [Component(self, (letter,)) for letter in position]

    def format(self, position):
        return "+".join(position)


def test_a_cycle_through_components_is_named():
    with pytest.raises(LoopError) as caught:
        Solver().solve(Regrowing())
    cycle = caught.value.cycle
    place = cycle.index("a")
    assert cycle[place:] + cycle[:place] == ("a", "b", "c")


def test_a_ruleset_declared_loopy_has_a_loopy_value_and_no_trace():
    class Forever(Steps):
        """A game that says that it may go on for ever."""

        name = "forever"
        loopy = True

    solution = Solver().solve(Forever())
    assert solution.loopy_value.finite == solution.grundy == Solver().solve(Steps()).grundy
    with pytest.raises(SgaiError, match="forever"):
        list(trace(Forever(), 1))


# Budgets


def test_a_budget_of_states_ends_and_the_next_call_goes_on():
    solver = Solver()
    ruleset = Steps(start=1_000, most=3)
    first = solver.solve(ruleset, states=600)
    assert (first.exact, first.grundy, first.outcome, first.winning_moves) == (False, None, None, ())
    assert first.states <= 600
    assert first.proved
    assert any("at most 3" in fact for fact in first.proved)
    assert not first.complete
    assert first.paths is None


def test_finished_states_are_kept_when_a_budget_ends():
    class Wide(Steps):
        """Many short branches side by side, so that a search finishes states all the time."""

        name = "wide"

        def moves(self, position):
            if position == 0:
                yield from ((branch, branch) for branch in range(1, self.start + 1))
            elif position % 10:
                yield 1, position + 1

    solver = Solver()
    ruleset = Wide(start=1_000)
    calls = 0
    while not (solution := solver.solve(ruleset, 0, states=100)).exact:
        assert solution.proved
        assert solution.grundy is None
        calls += 1
        assert calls < 30, "the search does not go on from what it finished"
    assert solution.grundy == 2
    assert calls > 5


def test_what_is_proved_of_an_unsolved_position_is_true():
    solver = Solver()
    ruleset = Steps(start=200, most=3)
    assert solver.solve(ruleset, 198).exact  # known now: 198 -> 2, 197 -> 1, 196 -> 0
    solution = solver.solve(ruleset, 201, states=1)
    assert not solution.exact
    assert any("is not 2:" in fact for fact in solution.proved)
    assert solver.solve(ruleset, 201).grundy == 1


def test_a_budget_of_seconds_ends_in_time_and_the_next_call_finishes():
    class Slow(Steps):
        """A game whose moves take their time."""

        name = "slow"

        def moves(self, position):
            if self.most > 1:
                time.sleep(0.0005)
            yield from Steps.moves(self, position)

    solver = Solver()
    started = time.perf_counter()
    first = solver.solve(Slow(start=1_500, most=2), seconds=0.1)
    assert time.perf_counter() - started < 2
    assert (first.exact, first.grundy) == (False, None)
    assert first.proved
    assert solver.solve(Slow(start=1_500, most=2)).grundy == 0


def test_the_clock_is_read_while_the_options_of_one_state_are_listed():
    class Endless(Ruleset[int, int]):
        """A position with more moves than anyone can list; it fails rather than hang."""

        name = "endless"

        def initial(self):
            return 1

        def moves(self, position):
            started = time.perf_counter()
            for move in range(10**12 if position else 0):
                assert time.perf_counter() - started < 3, "the budget of seconds is long over"
                yield move, 0

    solution = Solver().solve(Endless(), seconds=0.1)
    assert (solution.exact, solution.grundy) == (False, None)


def test_a_sum_with_an_unsolved_part_says_what_is_known_of_the_rest():
    ruleset = load_ruleset("sum(parts=[nim(piles=[3;4]);kayles(piles=[2000])])")
    solver = Solver()
    solution = solver.solve(ruleset, states=100)
    assert not solution.exact
    assert [part.grundy for part in solution.components] == [3, 4, None]
    assert any("nim-sum is 7" in fact for fact in solution.proved)
    assert solver.solve(ruleset).exact


def test_a_sequence_goes_on_after_its_budget():
    solver = Solver()
    kayles = load_ruleset("kayles")
    with pytest.raises(OutOfBudget):
        solver.grundy(kayles, (500,), Budget(states=100))
    assert solver.grundy(kayles, (11,), Budget(states=11)) == KAYLES[11]
    assert solver.grundy(kayles, (500,), Budget(states=489)) == Solver().grundy(kayles, (500,))


@pytest.mark.parametrize("options", [{"states": 0}, {"states": True}, {"states": 1.5}, {"seconds": 0}, {"seconds": -1}])
def test_impossible_budgets_are_refused(options):
    with pytest.raises(SgaiError, match=next(iter(options))):
        Solver().solve(Steps(), **options)


# Errors and interruptions


def test_a_ruleset_that_raises_leaves_the_solver_usable():
    broken = {300}

    class Fragile(Steps):
        """A game with a mistake at one position."""

        name = "fragile"

        def moves(self, position):
            for move, option in Steps.moves(self, position):
                if position in broken:
                    raise ZeroDivisionError(position)
                yield move, option

    solver = Solver()
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            solver.solve(Fragile(start=500, most=2))
    assert solver.solve(Fragile(start=500, most=2), 299).grundy == 299 % 3
    broken.clear()
    assert solver.solve(Fragile(start=500, most=2)).grundy == 500 % 3


def test_an_interrupted_search_keeps_what_it_finished():
    pressed = False

    class Interrupted(Steps):
        """Like steps, but the user presses Ctrl-C at one position."""

        name = "interrupted"

        def moves(self, position):
            nonlocal pressed
            if position == 5 and not pressed:
                pressed = True
                raise KeyboardInterrupt
            yield from Steps.moves(self, position)

    solver = Solver()
    assert solver.solve(Interrupted(most=2), 4).grundy == 1
    with pytest.raises(KeyboardInterrupt):
        solver.solve(Interrupted(most=2))
    assert len(solver) == 5
    solution = solver.solve(Interrupted(most=2))
    assert (solution.grundy, solution.states) == (1, 6)


class Triples(HeapRuleset):
    """Take one or two tokens from a heap, or split it into three: listed, so solved without vectors."""

    name = "triples"

    def results(self, heap):
        yield from ((heap - taken,) if heap > taken else () for taken in (1, 2) if taken <= heap)
        for first in range(1, heap // 3 + 1):
            for second in range(first, (heap - first) // 2 + 1):
                yield first, second, heap - first - second


@pytest.mark.parametrize(
    ("ruleset", "known", "first", "later"),
    [
        (Steps(most=3), 0, 6, [7, 6, 5, 2]),
        (Clearing(), (1,), (4,), [(5,), (4,), (3,)]),
        (Breaking(), 0, 1, [1]),
        (Subtraction(take=(1, 3, 4)), (1,), (6,), [(8,), (6,), (3,)]),
        pytest.param(TakeAndBreak(code="0.7{1,3}"), (5,), (6,), [(9,), (6,), (5,), (3,)], marks=pytest.mark.slow),
        # Here the table of splits grows: the heap of 7 has the value 8.
        pytest.param(TakeAndBreak(code="8!.[3]"), (7,), (9,), [(16,), (15,), (9,)], marks=pytest.mark.slow),
        (Triples(), (1,), (7,), [(9,), (7,), (5,)]),
    ],
    ids=str,
)
def test_an_interrupt_at_any_line_leaves_the_solver_right(interrupt_after, ruleset, known, first, later):
    expected = [Solver().solve(ruleset, position) for position in later]
    for line in itertools.count(1):
        solver = Solver()
        solver.solve(ruleset, known)
        interrupted = interrupt_after(line, lambda solver=solver: solver.solve(ruleset, first))
        for position, right in zip(later, expected, strict=True):
            solution = solver.solve(ruleset, position)
            found = (solution.grundy, solution.outcome, solution.winning_moves, solution.paths)
            assert found == (right.grundy, right.outcome, right.winning_moves, right.paths), f"line {line}"
        if not interrupted:
            break
    assert line > 50


# One solver for many rulesets


def test_rulesets_in_one_solver_never_share_values():
    solver = Solver()
    rulesets = [Steps(most=most) for most in range(1, 6)]
    for heap in (7, 3, 12):
        for most, ruleset in enumerate(rulesets, 1):
            assert solver.solve(ruleset, heap).grundy == heap % (most + 1)
    for take in itertools.combinations(range(1, 6), 2):
        values = [0]
        for heap in range(1, 30):
            values.append(mex(values[heap - size] for size in take if size <= heap))
        assert [solver.grundy(Subtraction(take=take), (heap,)) for heap in range(30)] == values


def test_classes_of_one_name_never_share_values():
    def make(step):
        class Twin(Ruleset[int, int]):
            """One of two classes with the same name, no parameters, and different rules."""

            name = "twin"

            def initial(self):
                return 6

            def moves(self, position):
                if position >= step:
                    yield step, position - step

        return Twin()

    solver = Solver()
    assert [solver.solve(make(step)).grundy for step in (1, 2, 3, 6, 7)] == [0, 1, 0, 1, 0]


def test_equal_parameters_share_values_whatever_the_start():
    solver = Solver()
    assert solver.solve(Subtraction(take=(1, 3), piles=(40,))).states == 40
    assert solver.solve(Subtraction(take=[3, 1, 1], piles=(39, 12))).states == 0
    assert solver.solve(Subtraction(take=(1, 4), piles=(39, 12))).states == 39
    graph = load_ruleset("queen(rows=6,columns=6,at=[5;5])")
    assert solver.solve(graph).states > 0
    assert solver.solve(load_ruleset("queen(rows=6,columns=6,at=[4;5])")).states == 0
    assert solver.solve(load_ruleset("queen(rows=6,columns=7,at=[4;5])")).states > 0
