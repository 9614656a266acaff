"""Random small positions, at least 1,000 a ruleset, against the reference solver.

Positions are generated here and not by play, and kept so small that the reference solver, which remembers nothing,
judges each of them within `CALLS` visits; it raises an error if it does not. (The most that any of them needs was
worked out by counting: 41,179 for a sum, 28,093 for six sizes, 27,129 for the code that allows everything.)
"""

import functools
import itertools
import operator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sgai import Solver, load_ruleset
from sgai.reference import reference_grundy, reference_outcome
from sgai.rulesets.graph import Graph
from sgai.rulesets.intervals import IntervalSplitting
from sgai.rulesets.subtraction import Bash, Nim, PileDependent, Subtraction
from sgai.rulesets.sums import Sum
from sgai.rulesets.take_and_break import GrundysGame, Kayles, TakeAndBreak
from sgai.rulesets.walkers import King, Knight, Queen, Rook

pytestmark = pytest.mark.slow

CALLS = 100_000
judged = settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))


def judge(ruleset, position):
    solution = Solver().solve(ruleset, ruleset.validate(position))
    assert solution.grundy == reference_grundy(ruleset, solution.position, CALLS)
    assert solution.outcome == reference_outcome(ruleset, solution.position, "normal", CALLS)
    assert solution.exact


@st.composite
def heaps(draw, tokens):
    """Heaps, some of them empty, with at most so many tokens in all."""
    position = []
    for _ in range(draw(st.integers(0, 4))):
        position.append(draw(st.integers(0, tokens)))
        tokens -= position[-1]
    return position


HEAP_GAMES = {
    "nim": 8,
    "powers_of_two": 8,
    "half_take": 12,
    "kayles": 7,
    "dawsons_kayles": 13,
    "dawsons_chess": 11,
    "treblecross_row": 10,
    "grundys_game": 12,
    "lasker": 6,
}


@pytest.mark.parametrize("name", HEAP_GAMES)
def test_heap_games(name):
    ruleset = load_ruleset(name)

    @judged
    @given(heaps(HEAP_GAMES[name]))
    def check(position):
        judge(ruleset, position)

    check()


@judged
@given(st.integers(1, 6), heaps(8))
def test_bash(most, position):
    judge(Bash(most=most), position)


@judged
@given(st.lists(st.integers(1, 12), min_size=1, max_size=6), heaps(10))
def test_subtraction_sets(take, position):
    judge(Subtraction(take=take), position)


@judged
@given(st.lists(st.lists(st.integers(1, 9), max_size=4), min_size=8, max_size=8), heaps(8))
def test_pile_dependent_sets(sets, position):
    judge(PileDependent(sets=sets, piles=()), position)


@st.composite
def listed_digit(draw):
    counts = sorted(draw(st.sets(st.integers(0, 6), min_size=1, max_size=4)))
    open_range = draw(st.booleans())
    inside = [f"{count}{draw(st.sampled_from(['', '', '!', '?', '=']))}" for count in counts]
    return "{" + ",".join(inside) + ("+" if open_range else "") + "}"


plain_digit = st.builds(
    str.__add__, st.sampled_from("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"), st.sampled_from(["", "", "", "!", "?", "="])
)
digit = st.one_of(plain_digit, listed_digit())
first_digit = st.builds(
    str.__add__,
    st.sampled_from(["0", "0", "4", "8", "C", "G", "{2+}", "{3+}", "{2,4}"]),
    st.sampled_from(["", "!", "?", "="]),
)


@st.composite
def codes(draw):
    after = "".join(draw(st.lists(digit, max_size=4)))
    repeating = "".join(draw(st.lists(digit, max_size=3)))
    return f"{draw(first_digit)}.{after}" + (f"[{repeating}]" if repeating else "")


@judged
@given(codes(), heaps(6))
def test_take_and_break_codes_on_small_positions(code, position):
    judge(TakeAndBreak(code=code), position)


def partitions(total, largest):
    """Yield the ways to write a total as a descending sum of parts that are not above ``largest``."""
    if total == 0:
        yield ()
    for first in range(min(total, largest), 0, -1):
        for rest in partitions(total - first, first):
            yield (first, *rest)


PARTITIONS = [[parts[::-1] for parts in partitions(total, total)] for total in range(12)]


@settings(judged, max_examples=300)
@given(codes())
def test_take_and_break_codes_on_larger_heaps(code):
    # The reference solver would need hours here. This judge shares the values of single heaps, but lists every
    # partition and asks the code about each (test_codes.py judges what the code allows).
    ruleset = TakeAndBreak(code=code)
    values = []
    for heap in range(12):
        found = set()
        for parts in itertools.chain.from_iterable(PARTITIONS[: heap + 1]):
            if heap and ruleset.heap_code().allows(heap, parts):
                found.add(functools.reduce(operator.xor, (values[part] for part in parts if part < heap), 0))
        values.append(min(set(range(len(found) + 1)) - found))
    assert Solver().grundy_values(ruleset, 11).tolist() == values


@st.composite
def acyclic_graphs(draw):
    size = draw(st.integers(1, 9))
    return {vertex: sorted(draw(st.sets(st.integers(0, vertex - 1)))) if vertex else [] for vertex in range(size)}


@judged
@given(acyclic_graphs())
def test_acyclic_graphs(successors):
    game = Graph.from_successors(successors, start=max(successors))
    judge(game, max(successors))


@pytest.mark.parametrize("walker", [Rook, King, Knight, Queen])
def test_walkers(walker):
    @judged
    @given(st.integers(1, 30), st.integers(1, 30), st.data())
    def check(rows, columns, data):
        row = data.draw(st.integers(0, min(rows - 1, 6)))
        column = data.draw(st.integers(0, min(columns - 1, 6 - row)))
        judge(walker(rows=rows, columns=columns), (row, column))

    check()


@st.composite
def interval_games(draw):
    gap = draw(st.integers(0, 2))
    shortest = draw(st.integers(0 if gap else 1, 2))
    marks = draw(st.one_of(st.just([]), st.lists(st.integers(-4, 6), min_size=1, max_size=8)))
    intervals, length = [], 7
    for _ in range(draw(st.integers(0, 3))):
        first = draw(st.integers(-4, 4))
        last = first + draw(st.integers(0, length))
        length -= last - first
        intervals.append((first, last))
    return IntervalSplitting(gap=gap, shortest=shortest, marks=marks), intervals


@judged
@given(interval_games())
def test_interval_splitting(game):
    judge(*game)


def part(ruleset, tokens):
    return st.tuples(st.just(ruleset), heaps(tokens))


parts = st.one_of(
    part(Nim(), 2),
    part(Bash(most=2), 2),
    part(Subtraction(take=(1, 3)), 3),
    part(Kayles(), 2),
    part(GrundysGame(), 4),
    part(TakeAndBreak(code="0.[37]"), 2),
    st.tuples(st.just(Rook(rows=3, columns=3)), st.tuples(st.integers(0, 2), st.just(0))),
    st.tuples(st.just(Queen(rows=3, columns=2)), st.tuples(st.integers(0, 1), st.integers(0, 1))),
    st.tuples(st.just(Graph()), st.integers(0, 2)),
    st.tuples(st.just(IntervalSplitting()), st.lists(st.just((2, 5)), max_size=1)),
)


@judged
@given(st.lists(parts, min_size=1, max_size=3))
def test_sums_of_different_rulesets(summands):
    judge(Sum(parts=tuple(ruleset for ruleset, _ in summands)), tuple(position for _, position in summands))


@judged
@given(heaps(8))
def test_misere_nim(position):
    nim = Nim()
    solution = Solver().solve(nim, position, play="misere")
    assert solution.outcome == reference_outcome(nim, solution.position, "misere", CALLS)
    winning = {
        move for move, option in nim.moves(solution.position) if reference_outcome(nim, option, "misere", CALLS) == "P"
    }
    assert {each.move for each in solution.winning_moves} == winning
    assert solution.complete
