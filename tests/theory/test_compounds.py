"""Compounds: theories against play of the compound itself, values by hand, moves, budgets, and what is refused."""

import functools
import itertools
import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sgai
from sgai.budget import Budget, OutOfBudget
from sgai.compounds.analysis import Analysis, PositionTables
from sgai.compounds.parts import compound_parts
from sgai.compounds.positions import PositionGraph
from sgai.compounds.reference import reference_compound
from sgai.compounds.ruleset import CompoundRuleset, in_compound
from sgai.compounds.solution import CompoundSolution
from sgai.compounds.sweeps import graph_values
from sgai.compounds.theories import KINDS
from sgai.errors import IllegalMoveError, LoopError, SgaiError, UnsupportedError
from sgai.explicit_graph import ExplicitGraph
from sgai.kernels.compounds import ENDED, INFINITE
from sgai.reference import reference_outcome
from sgai.ruleset import Component, Ruleset
from sgai.rulesets.graph import Graph
from sgai.testing import check_ruleset

COMPOUNDS = [
    ("conjunctive", "first"),
    ("conjunctive", "last"),
    ("selective", "first"),
    ("selective", "last"),
    ("disjunctive", "first"),
]
CONVENTIONS = [(*each, play) for each in COMPOUNDS for play in ("normal", "misere")]


def random_game(chance):
    """Return a component: a graph of up to six vertices three times in five, else a heap; few have ended."""
    if chance.random() < 0.6:
        size, density = chance.randint(1, 6), chance.choice([0.3, 0.5, 0.8])
        lists = {v: [each for each in range(v) if chance.random() < density] for v in range(size)}
        found = Component(Graph.from_successors(lists, size - 1), size - 1)
    else:
        name, largest = chance.choice([("nim", 4), ("kayles", 6), ("grundys_game", 7)])
        ruleset = sgai.load_ruleset(name)
        found = Component(ruleset, ruleset.validate((chance.randint(0, largest),)))
    is_wanted = found.ruleset.options(found.position) or chance.random() < 0.1
    return found if is_wanted else random_game(chance)


GAMES = [random_game(random.Random(seed)) for seed in range(200)]


class Listed:
    """The moves of a ruleset, listed once for each position: all that the referee asks for."""

    def __init__(self, ruleset):
        self.moves = functools.cache(lambda position: list(ruleset.moves(position)))


listed = functools.cache(Listed)


@pytest.fixture(scope="module")
def tables():
    return PositionTables()


def check_against_play(parts, convention, tables):
    """Compare outcome, number of winning moves and the moves themselves with play of the compound itself."""
    compound, ending, play = convention
    game = CompoundRuleset(parts=parts, compound=compound, ending=ending)
    found = Analysis(game, game.initial(), play, tables, Budget())
    rules = [listed(part.ruleset) for part in parts]
    outcome, winning = reference_compound(rules, game.initial(), compound, ending, play)
    shown = (game, play)
    assert ("N" if found.is_won() else "P") == outcome, shown
    moves = list(found.winning_moves())
    assert {each.move for each in moves} == winning, shown
    assert len(moves) == found.count_winning_moves() == len(winning), shown
    return game, moves


@pytest.mark.parametrize("convention", CONVENTIONS, ids="-".join)
def test_pairs_and_triples_are_those_of_play(convention, tables):
    chance = random.Random(1)
    for count in (1,) * 40 + (2,) * 100 + (3,) * 30:
        game, moves = check_against_play(chance.sample(GAMES, count), convention, tables)
        for each in moves:
            assert game.apply(game.initial(), each.move) == each.position


@pytest.mark.slow
@pytest.mark.parametrize("convention", CONVENTIONS, ids="-".join)
def test_all_pairs_and_two_thousand_triples(convention, tables):
    for pair in itertools.combinations_with_replacement(dict.fromkeys(GAMES), 2):  # equal games once
        check_against_play(pair, convention, tables)
    chance = random.Random(2)
    for _ in range(2000):
        check_against_play(chance.choices(GAMES, k=3), convention, tables)


@st.composite
def components(draw):
    size = draw(st.integers(1, 6))
    lists = {v: sorted(draw(st.sets(st.integers(0, v - 1)))) if v else [] for v in range(size)}
    return Component(Graph.from_successors(lists, size - 1), size - 1)


@settings(max_examples=40, deadline=None)
@given(st.lists(components(), min_size=1, max_size=3), st.sampled_from(CONVENTIONS))
def test_any_compound_is_that_of_play(parts, convention):
    check_against_play(parts, convention, PositionTables())


@pytest.mark.parametrize("convention", CONVENTIONS, ids="-".join)
def test_the_compound_as_a_ruleset_is_the_same_game(convention, tables):
    # Its own moves, judged by the referee of ordinary rulesets, which knows nothing of compounds.
    compound, ending, play = convention
    chance = random.Random(3)
    for _ in range(15):
        parts = chance.sample([each for each in GAMES if len(each.ruleset.options(each.position)) < 4], 2)
        game = CompoundRuleset(parts=parts, compound=compound, ending=ending)
        found = Analysis(game, game.initial(), play, tables, Budget())
        assert ("N" if found.is_won() else "P") == reference_outcome(game, game.initial(), play)


# Values by hand: take 1 or 2 (recomputed by the definitions; heaps 0 to 6)

TAKE_1_2 = {
    # The winner of 1 and 2 ends at once; 3 is lost in two moves, 4 and 5 are won in three, 6 is lost in four.
    "remoteness": [0, 1, 1, 2, 3, 3, 4],
    # Who wins delays: from 4 to 3, which the loser hurries through in two moves.
    "suspense": [0, 1, 1, 2, 3, 3, 4],
    # Under misere play 1 is lost, 2 and 3 are won by leaving it.
    "misere_remoteness": [0, 1, 2, 2, 3, 4, 4],
    "misere_suspense": [0, 1, 2, 2, 3, 4, 4],
    # 1 and 2 may not be left; 3 cannot be moved from otherwise, so it is 0.
    "foreclosed": [ENDED, INFINITE, INFINITE, 0, 1, 2, 0],
    "misere_foreclosed": [ENDED, 0, 1, 2, 0, 1, 2],
    "outcome": [0, 1, 1, 0, 1, 1, 0],
    "misere_outcome": [1, 0, 1, 1, 0, 1, 1],
}
TAKE_2_5 = {
    # Heaps 0 and 1 have ended, 2, 3, 5 and 6 can end at once; 4, 7 and 8 are lost: they leave 2; 5 or 2; 6 or 3.
    "remoteness": [0, 0, 1, 1, 2, 1, 1, 2, 2, 3],
    # From 5, 5->3 would leave a won position, so it ends at once; 6 delays by 4, and so from 8 one leaves 3, not 6.
    "suspense": [0, 0, 1, 1, 2, 1, 3, 2, 2, 3],
}


@pytest.mark.parametrize(
    ("take", "kind", "expected"),
    [((1, 2), kind, values) for kind, values in TAKE_1_2.items()]
    + [((2, 5), kind, values) for kind, values in TAKE_2_5.items()],
)
def test_values_of_small_subtraction_games_by_hand(take, kind, expected):
    ruleset = sgai.load_ruleset(f"subtraction(take=[{';'.join(map(str, take))}])")
    graph = PositionGraph(ruleset)
    found = [graph.value(kind, graph.number((n,) if n else (), Budget()), Budget()) for n in range(len(expected))]
    assert found == expected


def test_nim_hurries_and_delays():
    graph = PositionGraph(sgai.load_ruleset("nim"))
    values = [[graph.value(kind, graph.number((n,), Budget()), Budget()) for n in range(1, 7)] for kind in KINDS]
    by_kind = dict(zip(KINDS, values, strict=True))
    # Take all at once, or one token at a time as long as an odd number is ahead; 1 alone is lost under misere play.
    assert by_kind["remoteness"] == [1, 1, 1, 1, 1, 1]
    assert by_kind["misere_remoteness"] == [1, 2, 2, 2, 2, 2]
    assert by_kind["suspense"] == [1, 1, 1, 1, 1, 1]
    assert by_kind["foreclosed"] == [INFINITE] * 6
    assert by_kind["misere_foreclosed"] == [0, 1, 2, 3, 4, 5]


# Explicit graphs


def random_graph(size, chance):
    return {v: sorted(chance.sample(range(v), min(v, chance.randint(0, 4)))) for v in range(size)}


@pytest.mark.parametrize("kind", KINDS)
def test_graph_values_are_those_of_positions(kind):
    lists = random_graph(60, random.Random(4))
    names = random.Random(5).sample(range(60), 60)
    graph = ExplicitGraph.from_successors({names[v]: [names[each] for each in lists[v]] for v in lists})
    game = Graph.from_successors(lists, 59)
    positions = PositionGraph(game.rules())
    expected = [positions.value(kind, positions.number(v, Budget()), Budget()) for v in range(60)]
    plain = graph_values(graph, kind, use_kernels=False)
    assert [plain[graph.states.index(names[v])] for v in range(60)] == expected
    assert graph_values(graph, kind, use_kernels=True).tolist() == plain.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_million_states_take_less_than_five_seconds(kind):
    random_numbers = np.random.default_rng(1)
    sources = np.repeat(np.arange(1, 1_000_000), 5)
    targets = (random_numbers.random(len(sources)) * sources).astype(np.int64)
    targets[::5] = sources[::5] - 1
    graph = ExplicitGraph.from_edges(sources, targets)
    graph_values(ExplicitGraph.from_successors({1: [0]}), kind, use_kernels=True)  # compiles
    started = time.process_time()
    values = graph_values(graph, kind)
    assert time.process_time() - started < 5
    assert len(values) == 1_000_000


def test_large_graph_rulesets_take_the_kernels(monkeypatch):
    lists = random_graph(300, random.Random(6))
    expected = sgai.solve(Graph.from_successors(lists, 299), compound="conjunctive")
    monkeypatch.setattr("sgai.graph_rulesets.FEW_EDGES", 5)
    solver = sgai.Solver()
    game = Graph.from_successors(lists, 299)
    with_states = solver.solve(game, compound="conjunctive", states=3)
    assert not with_states.exact
    found = solver.solve(game, compound="conjunctive")
    assert [each.values for each in found.components] == [each.values for each in expected.components]
    assert {each.move for each in found.winning_moves} == {each.move for each in expected.winning_moves}
    assert solver.solve(game, compound="conjunctive").states == 0
    for v in range(299):  # those that the first did not reach too
        assert solver.solve(game, v, compound="selective").outcome == reference_outcome(game, v)


def test_graphs_that_have_no_such_values():
    cyclic = ExplicitGraph.from_successors({1: [2], 2: [1]})
    with pytest.raises(LoopError, match="1 -> 2 -> 1"):
        graph_values(cyclic, "remoteness")
    split = ExplicitGraph.from_ruleset("cram(rows=2,columns=4)")
    with pytest.raises(UnsupportedError, match="sums of states"):
        graph_values(split, "suspense")
    with pytest.raises(SgaiError, match="did you mean 'suspense'"):
        graph_values(cyclic, "suspens")
    chain = ExplicitGraph.from_successors({v: [v - 1] if v else [] for v in range(100)})
    with pytest.raises(OutOfBudget):
        graph_values(chain, "outcome", Budget(50))


# No limit of recursion, budgets, and going on


class Chain(Ruleset[int, int]):
    """Count down by one."""

    name = "chain_of_compounds"
    start: int = 5

    def initial(self):
        return self.start

    def moves(self, position):
        if position:
            yield position - 1, position - 1


def test_a_long_chain_overflows_no_stack():
    found = sgai.solve(Chain(start=20_000), compound="conjunctive", ending="first")
    assert (found.outcome, found.components[0].values) == ("P", (("remoteness", 20_000),))
    many = CompoundRuleset(parts=[(Chain(), 1)] * 1500, compound="selective", ending="last")
    found = Analysis(many, many.initial(), "normal", PositionTables(), Budget())
    assert (found.is_won(), found.count_winning_moves()) == (True, 1)
    assert next(found.winning_moves()).move == (0,) * 1500


def test_budgets_are_kept_and_a_second_call_goes_on():
    solver = sgai.Solver()
    first = solver.solve("kayles", (11, 12), compound="conjunctive", states=60)
    assert isinstance(first, CompoundSolution)
    assert (first.exact, first.outcome, first.winning_moves, first.complete) == (False, None, (), False)
    assert first.number_of_winning_moves is None
    assert first.proved == ("0 of 2 components are solved",)
    for _ in range(20):
        last = solver.solve("kayles", (11, 12), compound="conjunctive", states=60)
        if last.exact:
            break
    assert last.exact
    assert last.outcome == sgai.solve("kayles", (11, 12), compound="conjunctive").outcome
    assert not sgai.solve("kayles", (60,), compound="conjunctive", seconds=0.05).exact


@pytest.mark.parametrize(("limit", "most"), [("_MOST_EDGES", 200), ("_MOST_WAITING", 30)])
def test_memory_ends_a_search_as_the_budget_does(monkeypatch, limit, most):
    monkeypatch.setattr(f"sgai.compounds.positions.{limit}", most)
    assert not sgai.solve("nim", (40,), compound="conjunctive").exact
    assert sgai.solve("nim", (12,), compound="conjunctive").exact


def test_an_interrupt_leaves_the_positions_as_they_were(interrupt_after):
    ruleset = sgai.load_ruleset("kayles")
    whole = PositionGraph(ruleset)
    expected = whole.value("suspense", whole.number((7,), Budget()), Budget())
    graph = PositionGraph(ruleset)
    for lines in range(5, 1500, 61):
        interrupt_after(
            lines,
            lambda: graph.value("suspense", graph.number((7,), Budget()), Budget()),
            ("compounds/positions.py", "kernels/compounds.py"),
        )
    assert graph.value("suspense", graph.number((7,), Budget()), Budget()) == expected


def test_moves_are_counted_though_too_many_to_list():
    found = sgai.solve("nim", (60,) * 6, compound="conjunctive", ending="first")
    # To win is to end a heap at least: all sets of moves but those that end none.
    assert found.number_of_winning_moves == 60**6 - 59**6
    assert (len(found.winning_moves), found.complete) == (20_000, False)


# Components


def test_a_component_that_splits_stays_one_component():
    # A row of five pins, from which two rows of two are left: one game still, with a move in one of the rows.
    kayles = sgai.load_ruleset("kayles")
    solution = sgai.solve(kayles, (5,), compound="conjunctive")
    positions = {solution.game.format(each.position) for each in solution.winning_moves}
    assert "[2;2]" in positions
    assert reference_outcome(kayles, (5,)) == solution.outcome
    # Given two rows at the start, they are two components.
    assert [part.position for part in compound_parts(kayles, (2, 2))] == [(2,), (2,)]
    for convention in CONVENTIONS:
        check_against_play([Component(kayles, (5,)), Component(kayles, (2, 2))], convention, PositionTables())


def test_what_has_ended_at_the_start():
    empty = "sum(parts=[nim(piles~[]);nim(piles~[2])])"
    assert [str(each.ruleset) for each in compound_parts(sgai.load_ruleset(empty), ((), (2,)))] == ["nim", "nim"]
    for compound, ending, play in CONVENTIONS:
        found = sgai.solve(empty, compound=compound, ending=ending, play=play)
        expected = reference_compound([sgai.load_ruleset("nim")] * 2, [(), (2,)], compound, ending, play)
        assert found.outcome == expected[0]
        assert {each.move for each in found.winning_moves} == expected[1]
        assert bool(found.winning_moves) == (ending == "last")
    nothing = sgai.solve("nim", (), compound="conjunctive")
    assert (nothing.outcome, len(nothing.components), nothing.winning_moves) == ("P", 1, ())
    # A list of heaps holds no empty heaps.
    assert len(sgai.solve("nim", (0, 2), ending="first").components) == 1


def test_reduced_values_are_not_used():
    # Symmetry and Grundy values say nothing of compounds: heaps 2 and 2 are N here, though 2 XOR 2 is 0.
    found = sgai.solve("nim", (2, 2), compound="conjunctive", ending="first")
    assert (found.outcome, found.grundy) == ("N", None)
    rook = sgai.solve("sum(parts=[rook(at~[2;2]);rook(at~[2;2])])", compound="selective")
    assert rook.outcome == "P"
    assert sgai.solve("sum(parts=[rook(at~[2;2]);rook(at~[2;1])])", compound="selective").outcome == "N"


def test_the_solver_lists_moves_of_a_compound_by_its_theory():
    solver = sgai.Solver()
    game = in_compound(sgai.load_ruleset("kayles(piles=[3;4])"), "selective", "first")
    listed = {each.move for each in solver.winning_moves(game, game.initial(), play="misere")}
    expected = reference_compound([sgai.load_ruleset("kayles")] * 2, game.initial(), "selective", "first", "misere")
    assert listed == expected[1]
    assert listed
    with pytest.raises(OutOfBudget):
        next(sgai.Solver().winning_moves(game, game.initial(), budget=Budget(2)))


# The compound as a ruleset


@pytest.mark.parametrize(("compound", "ending"), COMPOUNDS)
def test_the_contract_of_rulesets_is_kept(compound, ending):
    check_ruleset(in_compound(sgai.load_ruleset("sum(parts=[nim(piles~[2]);kayles(piles~[3])])"), compound, ending))


def test_text_of_positions_and_moves():
    game = in_compound(sgai.load_ruleset("sum(parts=[kayles(piles~[4]);cram(rows~1,columns~3)])"), "selective", "last")
    start = game.initial()
    assert game.format(start) == "[4] & ..."
    assert game.parse(" [1;2] & .## ")[0] == (1, 2)
    moves = {game.format_move(start, move) for move, _ in game.moves(start)}
    assert {"4->1+2 & -", "- & (0,0)-(0,1)", "4->3 & (0,1)-(0,2)"} <= moves
    assert game.parse_move(start, "4->1+2 & -") == ((4, (1, 2)), None)
    for wrong in ("- & -", "4->3", "4->5 & -", "4->3 & - & -", "x"):
        with pytest.raises(IllegalMoveError, match="legal moves: "):
            game.parse_move(start, wrong)
    for wrong in ("[4]", "[4] & ... & ...", "[x] & ...", "[4] & ...."):
        with pytest.raises(SgaiError):
            game.parse(wrong)
    with pytest.raises(SgaiError, match="2 positions"):
        game.validate(((4,),))


class Ampersands(Chain):
    """Count down, in text that is hard to tell apart."""

    name = "ampersands_of_compounds"

    def format(self, position):
        return "&" * position or '"'

    def parse(self, text):
        return 0 if text == '"' else len(text)

    def format_move(self, position, move):
        return "-" if move else "&"


def test_text_that_looks_like_a_separator():
    game = CompoundRuleset(parts=[(Ampersands(), 2)] * 2, compound="selective", ending="last")
    for position in (game.initial(), (0, 1), (1, 0), (0, 0)):
        assert game.parse(game.format(position)) == position
        texts = [game.format_move(position, move) for move, _ in game.moves(position)]
        assert len(set(texts)) == len(texts)
        assert [game.parse_move(position, text) for text in texts] == [move for move, _ in game.moves(position)]


def test_bounds_of_the_length_of_play():
    start = sgai.load_ruleset("nim(piles=[2;5])")
    bounds = {each: in_compound(start, *each).max_game_length() for each in COMPOUNDS}
    assert bounds == {
        ("conjunctive", "first"): 2,
        ("conjunctive", "last"): 5,
        ("selective", "first"): 7,
        ("selective", "last"): 7,
        ("disjunctive", "first"): 7,
    }


def test_sizes_that_cannot_be_numbered(monkeypatch):
    game = in_compound(sgai.load_ruleset("nim(piles=[100;100;100])"), "conjunctive", "last")
    with pytest.raises(SgaiError, match="1,000,000 legal moves"):
        game.legal_indices(game.initial())
    monkeypatch.setattr(CompoundRuleset, "reachable_limit", 500)
    with pytest.raises(SgaiError, match="more than 500 positions"):
        in_compound(sgai.load_ruleset("kayles(piles=[30])"), "conjunctive", "last").num_moves()


def test_drawings():
    game = in_compound(sgai.load_ruleset("nim(piles=[1;2])"), "conjunctive", "last")
    assert game.draw_text(game.initial()) == "component 1: nim\n1 | o\n\ncomponent 2: nim\n2 | o o"
    assert game.draw_svg(game.initial()).count("<circle") == 3


# What is refused


@pytest.mark.parametrize(
    ("ruleset", "options", "words"),
    [
        ("nim", {"compound": "conjuctive"}, "did you mean 'conjunctive'"),
        ("nim", {"ending": "lst", "compound": "selective"}, "did you mean 'last'"),
        ("treblecross", {"compound": "conjunctive"}, "left out"),
        ("treblecross", {"ending": "first"}, "left out"),
        ("treblecross", {"play": "misere"}, "left out"),
        ("sum(parts=[nim;treblecross])", {"compound": "selective"}, "left out"),
        ("graph(edges=[1-2;2-1],start=[1])", {"compound": "conjunctive"}, "1 -> 2 -> 1"),
        ("graph(edges=[1-1],start=[1])", {"ending": "first"}, "1 -> 1"),
    ],
)
def test_refusals(ruleset, options, words):
    with pytest.raises(SgaiError, match=words):
        sgai.solve(ruleset, **options)


def test_loopy_rulesets_are_refused():
    class Wandering(Chain):
        name = "wandering_of_compounds"
        loopy = True

    for options in ({"compound": "conjunctive"}, {"ending": "first", "play": "misere"}):
        with pytest.raises(UnsupportedError, match="declared loopy"):
            sgai.solve(Wandering(), **options)


def test_a_compound_says_what_it_is_no_compound_of():
    for parts, words in (([], "one component"), ("nim", "read from text"), ([3], "pairs")):
        with pytest.raises(SgaiError, match=words):
            CompoundRuleset(parts=parts)
    with pytest.raises(SgaiError, match="is a sum"):
        CompoundRuleset(parts=[(Chain(), 1)], compound="disjunctive", ending="last")
    game = in_compound(Chain(), "conjunctive", "last")
    assert in_compound(game, "disjunctive", "last") is game
    with pytest.raises(SgaiError, match="conjunctive compound already"):
        in_compound(game, "selective", "last")


def test_answers_as_plain_values():
    solution = sgai.solve("nim", "[1;2]", compound="conjunctive", ending="first", play="misere")
    answer = solution.to_dict()
    assert answer["components"] == [
        {"ruleset": "nim", "position": "[1]", "grundy": None, "values": {"misere remoteness": 1}},
        {"ruleset": "nim", "position": "[2]", "grundy": None, "values": {"misere remoteness": 2}},
    ]
    assert (answer["outcome"], answer["winning_moves"], answer["number_of_winning_moves"]) == ("P", [], 0)
    assert answer["rule"] == "the least misere remoteness decides: P where it is odd"
    assert set(sgai.solve("nim").to_dict()) < set(answer)
    inside = sgai.Solver().solve(solution.game, ((1,), (2,)), play="misere")
    assert inside.outcome == "P"
    assert np.array_equal(inside.to_dict()["components"], answer["components"])
