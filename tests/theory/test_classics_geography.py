"""Vertex geography: outcomes by maximum matchings, against the definition and on graphs whose matchings are known."""

import random
import subprocess
import sys

import networkx
import pytest

import sgai
from sgai.reference import reference_outcome
from sgai.rulesets.geography import TokenOnGraph, VertexGeography
from sgai.rulesets.matchings import left_out_by_some, maximum_matching


def outcome(text, at=None):
    game = sgai.load_ruleset(f"vertex_geography({text})")
    return game.proved_outcome(game.initial() if at is None else game.parse(at))


def random_game(chance, most):
    vertices, density = chance.randint(1, most), chance.random()
    edges = [(a, b) for a in range(vertices) for b in range(a) if chance.random() < density]
    return VertexGeography(edges=[*edges, *((vertex,) for vertex in range(vertices))], start=chance.randrange(vertices))


def test_outcomes_agree_with_the_reference():
    chance = random.Random(4)
    for _ in range(150):
        game = random_game(chance, 5)
        assert game.proved_outcome(game.initial()) == reference_outcome(game, game.initial())


def test_outcomes_of_positions_in_larger_graphs():
    chance, seen = random.Random(9), set()
    for _ in range(60):
        game = random_game(chance, 8)
        wins = {}

        def look(position, game=game, wins=wins):
            if position not in wins:
                wins[position] = False in [look(option) for option in game.options(position)]
            return wins[position]

        look(game.initial())
        for position in chance.sample(sorted(wins), min(10, len(wins))):
            assert game.proved_outcome(position) == ("N" if wins[position] else "P"), game.format(position)
            winning = {move for move, option in game.moves(position) if not wins[option]}
            assert set(game.proved_winning_moves(position)) == winning, game.format(position)
            seen.add(wins[position])
    assert seen == {True, False}


def test_vertices_that_some_maximum_matching_leaves_out():
    """Without such a vertex the maximum matchings are as large as before (networkx counts their edges)."""
    chance = random.Random(7)
    for _ in range(60):
        vertices, density = chance.randint(1, 14), chance.random() ** 2 * 0.7
        graph = networkx.gnp_random_graph(vertices, density, seed=chance.randrange(10**6))
        near = [sum(1 << other for other in graph[vertex]) for vertex in range(vertices)]
        mates = maximum_matching(near, (1 << vertices) - 1)
        assert len(mates) == 2 * largest(graph)
        assert all(mates[mate] == vertex and graph.has_edge(vertex, mate) for vertex, mate in mates.items())
        left_out = left_out_by_some(near, (1 << vertices) - 1, mates)
        for vertex in range(vertices):
            rest = graph.subgraph(set(graph) - {vertex})
            assert (largest(rest) == len(mates) // 2) == bool(left_out >> vertex & 1)


def largest(graph):
    return len(networkx.max_weight_matching(graph, maxcardinality=True))


def test_large_graphs_need_no_search():
    grid = sgai.load_ruleset("vertex_geography(graph=grid,rows=40,columns=41,start=0)")
    solution = sgai.solve(grid)
    assert solution.outcome == "N"
    # Dominoes cover the board; along either edge of the corner some covering goes.
    assert {str(grid.format_move(grid.initial(), each.move)) for each in solution.winning_moves} == {"1", "41"}


def test_graphs_whose_matchings_are_known():
    """A perfect matching wins from everywhere, and where all but one vertex can be matched any of them loses."""
    assert [outcome(f"graph=complete,vertices={n}") for n in range(1, 8)] == ["P", "N"] * 3 + ["P"]
    assert [outcome(f"graph=cycle,vertices={n}") for n in range(3, 9)] == ["P", "N"] * 3
    # On a path of 5 vertices a maximum matching can leave out the 1st, 3rd or 5th.
    assert [outcome("graph=path,vertices=5", f"at {n}") for n in range(5)] == ["P", "N", "P", "N", "P"]
    # Dominoes cover 20 x 20 squares; of 15 x 15 they leave out any square with the colour of the corners.
    assert outcome("graph=grid,rows=20,columns=20,start=77") == "N"
    assert outcome("graph=grid,rows=15,columns=15,start=0") == "P"
    assert outcome("graph=grid,rows=15,columns=15,start=1") == "N"


def test_visited_vertices_count():
    assert outcome("graph=path,vertices=5", "at 1 left {2;3;4}") == "N"
    assert outcome("graph=path,vertices=5", "at 2 left {3;4}") == "P"
    assert outcome("graph=path,vertices=5", "at 2 left {0;4}") == "P"  # nowhere to go


def test_the_canonical_form_leaves_out_what_cannot_be_reached():
    game = VertexGeography(graph="path", vertices=7)
    assert game.canonical(game.parse("at 2 left {0;1;4;5}")) == game.parse("at 2 left {0;1}")


def test_graphs_of_networkx():
    petersen = VertexGeography.from_networkx(networkx.petersen_graph(), start=3)
    assert petersen.proved_outcome(petersen.initial()) == "N"  # it has a perfect matching (J. Petersen, 1891)
    grid = VertexGeography.from_networkx(networkx.grid_2d_graph(3, 3), start=(1, 1))
    assert grid.format(grid.initial()).startswith("at 1.1 left {0.0;")
    with pytest.raises(sgai.SgaiError, match="no vertex '9'"):
        VertexGeography.from_networkx(networkx.path_graph(3), start=9)


def test_networkx_is_loaded_only_for_an_outcome():
    code = (
        "import sys, sgai; game = sgai.load_ruleset('vertex_geography'); list(game.moves(game.initial()));"
        "assert 'networkx' not in sys.modules; game.proved_outcome(game.initial()); assert 'networkx' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_formula_is_not_believed_for_other_rules():
    class Forward(VertexGeography):
        """Moves go to higher vertices only."""

        name = "forward"

        def moves(self, position):
            return ((move, option) for move, option in super().moves(position) if move > position.at)

    assert Forward().proved_outcome(Forward().initial()) is None
    assert VertexGeography().proved_grundy(VertexGeography().initial()) is None  # the theorem gives outcomes only


def test_text():
    game = VertexGeography(edges=[("a", "b"), ("b", "c")], start="b")
    assert str(game) == "vertex_geography(edges=[a-b;b-c],start=[b])"
    assert game.format(game.initial()) == "at b left {a;c}"
    assert game.parse("at b") == game.initial() == TokenOnGraph(1, 0b101)
    assert game.draw_text(game.initial()) == "b - a c\n2 of 3 vertices are left"
    grid = sgai.load_ruleset("vertex_geography(graph=grid,rows=2,columns=3)")
    assert grid.draw_text(grid.parse("at 4 left {0;2;3}")) == "o . o\no T ."


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("start=99", "no vertex '99'"),
        ("edges=[a-b],start=c", r"start=\[c\]: the graph has no vertex 'c'"),
        ("graph=cycle,vertices=2", "a cycle has three or more"),
        ("graph=path,rows=4", "rows=4 does not go with graph=path"),
    ],
)
def test_bad_graphs_are_errors(given, words):
    with pytest.raises(sgai.SgaiError, match=words):
        sgai.load_ruleset(f"vertex_geography({given})")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2", "not a position"),
        ("at 99", "no vertex '99'"),
        ("at 2 left {2;3}", "that vertex is not left"),
        ("at 2 left {3;x}", "no vertex 'x'"),
        ("at 2 left 3", "not a position"),
    ],
)
def test_bad_positions_are_errors(text, words):
    with pytest.raises(sgai.SgaiError, match=words):
        VertexGeography(graph="path").parse(text)


def test_bad_values_and_moves_are_errors():
    game = VertexGeography(graph="path", vertices=3)
    for position in ((0, 1), (3, 0), (0, 8), (0,), 5, None, (True, 0)):
        with pytest.raises(sgai.SgaiError, match="not a position"):
            game.validate(position)
    for move in (-1, 3, True, "1", None):
        with pytest.raises(sgai.SgaiError):
            game.move_index(move)
    with pytest.raises(sgai.SgaiError, match=r"start=\[0\]"):
        VertexGeography(edges=[("a", "b")]).initial()
