"""Green Hackenbush: the two principles on known graphs, and the closed form against the definition on multigraphs."""

import random
from itertools import pairwise

import pytest

import sgai
from sgai.nimbers import mex, nim_sum
from sgai.reference import reference_grundy
from sgai.rulesets.hackenbush import GreenHackenbush


def stalk(length, foot=0, name="s"):
    """A path of so many edges from a vertex upwards."""
    vertices = [foot, *(f"{name}{height}" for height in range(length))]
    return list(pairwise(vertices))


def cycle(length, foot=0, name="c"):
    """A cycle of so many edges through a vertex."""
    vertices = [foot, *(f"{name}{place}" for place in range(length - 1)), foot]
    return list(pairwise(vertices))


def value(*parts, ground=(0,)):
    game = GreenHackenbush(edges=[edge for part in parts for edge in part], ground=ground)
    return game.proved_grundy(game.initial())


def random_graph(chance, edges, vertices):
    """A random multigraph with loops, all of it connected to the ground."""
    listed, met = [], [0]
    for _ in range(edges):
        one, other = chance.choice(met), chance.randrange(vertices)
        listed.append((one, other))
        if other not in met:
            met.append(other)
    ground = [0] + [vertex for vertex in met[1:] if chance.random() < 0.15]
    return GreenHackenbush(edges=listed, ground=ground)


def test_values_of_random_multigraphs():
    chance, checked = random.Random(11), 0
    for _ in range(150):
        game = random_graph(chance, chance.randint(1, 8), chance.randint(1, 6))
        values = {}

        def look(position, game=game, values=values):
            if position not in values:
                values[position] = mex([look(option) for option in game.options(position)])
            return values[position]

        look(game.initial())
        for position, expected in values.items():
            assert game.proved_grundy(position) == expected, game.format(position)
            assert nim_sum(game.closed_grundy(part.position) for part in game.components(position)) == expected
            checked += 1
    assert checked > 2_000


def test_values_agree_with_the_reference():
    chance = random.Random(5)
    for _ in range(60):
        game = random_graph(chance, chance.randint(1, 5), 4)
        assert game.proved_grundy(game.initial()) == reference_grundy(game, game.initial())


def test_stalks_are_heaps():
    """Ferguson, Game Theory, part I, section 6.1: bamboo stalks are Nim heaps."""
    assert [value(stalk(length)) for length in range(1, 9)] == list(range(1, 9))
    assert value(stalk(3, name="a"), stalk(5, name="b")) == 6


def test_a_fork():
    """Y. Peres, notes for Statistics 155 (2004), section 2.5: stalks of 2 and 3 that meet are a stalk of 1."""
    for foot in range(4):
        whole = [*stalk(foot), *stalk(2, name="a", foot=f"s{foot - 1}" if foot else 0)]
        whole += stalk(3, name="b", foot=f"s{foot - 1}" if foot else 0)
        assert value(whole) == foot + 1


def test_cycles_are_fused():
    """Conway, On Numbers and Games, chapter 13: a circuit becomes one node, its edges loops, a loop is like a twig."""
    assert [value(cycle(length)) for length in range(1, 8)] == [1, 0, 1, 0, 1, 0, 1]
    assert value(stalk(2), cycle(3, foot="s1")) == value(stalk(3)) == 3
    assert value(stalk(2), cycle(4, foot="s1")) == value(stalk(2)) == 2
    assert value(stalk(1), stalk(1, foot="s0", name="twig")) == value(stalk(1), [("s0", "s0")]) == 2


def test_stresses_of_a_tree():
    """The rule of the same chapter: an edge has the nim-sum of what it supports, plus 1 (values recomputed by hand)."""
    # The trunk supports twigs of stress 1, 1 and a branch of stress (1 + 1 nim) + 1 = 1, and a stalk of stress 4.
    tree = [(0, 1), (1, 2), (1, 3), (1, 4), (4, 5), (4, 6), *stalk(4, foot=1)]
    assert value(tree) == (1 ^ 1 ^ ((1 ^ 1) + 1) ^ 4) + 1 == 6


def test_the_ground_is_one_vertex():
    """An arch between two vertices of the ground is a cycle."""
    assert value([("g", 1), (1, 2), (2, 0)], ground=(0, "g")) == value(cycle(3)) == 1
    assert value([("g", 0), ("g", 0)], ground=(0, "g")) == 0
    game = GreenHackenbush(edges=[("g", 1), (1, 2), (0, 3), (0, 3), (0, "g"), (0, "g")], ground=[0, "g"])
    parts = [game.format(part.position) for part in game.components(game.initial())]
    assert sorted(parts) == ["{0-3;0-3}", "{0-g}", "{0-g}", "{1-2;1-g}"]


def test_large_graphs_need_no_search():
    chance = random.Random(2)
    tree = [(chance.randrange(vertex), vertex) for vertex in range(1, 3_000)]
    supports = [0] * 3_000
    for low, high in reversed(tree):
        supports[low] ^= supports[high] + 1
    assert value(tree) == supports[0]
    assert value(stalk(4_000)) == 4_000
    grid = [((row, column), there) for row in range(30) for column in range(30) for there in [(row + 1, column)]]
    grid += [((row, column), (row, column + 1)) for row in range(1, 31) for column in range(29)]
    named = [tuple("0" if row == 0 else f"v{row}.{column}" for row, column in edge) for edge in grid]
    assert value(named) == len(named) % 2


def test_winning_moves_lead_to_zero():
    """The tree of stress 6 beside a stalk of 3: the only winning moves are those that leave 3 ^ 3 or 6 ^ 6."""
    game = GreenHackenbush(edges=[*stalk(3), (0, 1), (1, 2), (1, 3), *stalk(2, foot=1, name="t")])
    start = game.initial()
    winning = {each.move for each in sgai.solve(game).winning_moves}
    assert game.proved_grundy(start) == 3 ^ ((1 ^ 1 ^ 2) + 1) == 0
    assert winning == set()
    option = game.apply(start, game.parse_move(start, "1-2"))
    winning = {each.move for each in sgai.solve(game, option).winning_moves}
    assert winning == {move for move, left in game.moves(option) if game.proved_grundy(left) == 0} != set()


def test_equal_edges_are_one_move():
    game = GreenHackenbush(edges=[(0, 1), (1, 0), (1, 2), (2, 1), (2, 1), (2, 2)])
    start = game.initial()
    assert [game.format_move(start, move) for move, _ in game.moves(start)] == ["0-1", "1-2", "2-2"]
    assert game.format(start) == "{0-1;0-1;1-2;1-2;1-2;2-2}"
    option = game.apply(start, game.parse_move(start, "1-2"))
    assert game.parse("{2-1;0-1;1-0;1-2;2-2}") == option
    assert game.validate(start ^ 0b100) == option  # whichever of the equal edges is cut
    assert game.num_moves() == 3
    assert list(game.encode(option)) == [2, 2, 1]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"edges": "[0-1;2-3]"}, "the edge 2-3 is not connected to the ground"),
        ({"edges": "[0-1;2]"}, "'2' is not an edge"),
        ({"edges": "[0-1-2]"}, "'0-1-2' is not an edge"),
        ({"edges": "[1-2]"}, "no edge has the vertex '0'"),
        ({"edges": "[a-b]", "ground": "[]"}, "one vertex or more is on the ground"),
        ({"edges": "[a-b]", "ground": "[a;c]"}, "no edge has the vertex 'c'"),
    ],
)
def test_bad_graphs_are_errors(given, words):
    with pytest.raises(sgai.SgaiError, match=words):
        GreenHackenbush(**given)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0-1", "write the live edges in braces"),
        ("{0-9}", "there is no edge 0-9"),
        ("{1-2}", "the edge 1-2 is not connected"),
        ("{0-1;0-1}", "comes 2 times, and the graph has it 1 times"),
        ("{0-1;x!}", "not a vertex"),
    ],
)
def test_bad_positions_are_errors(text, words):
    with pytest.raises(sgai.SgaiError, match=words):
        GreenHackenbush().parse(text)


def test_bad_masks_and_moves_are_errors():
    game = GreenHackenbush()
    for position in (-1, 1 << 7, 0b100, "0-1", None, True):
        with pytest.raises(sgai.SgaiError):
            game.validate(position)
    for move in (-1, 7, True, "0-1", None):
        with pytest.raises(sgai.SgaiError):
            game.apply(game.initial(), move)
        with pytest.raises(sgai.SgaiError):
            game.move_index(move)


def test_a_formula_is_not_believed_for_other_rules():
    class Pruned(GreenHackenbush):
        """Only the first edge may be cut."""

        name = "pruned"

        def moves(self, position):
            return ((move, option) for move, option in super().moves(position) if move == 0)

    assert Pruned().proved_grundy(Pruned().initial()) is None


def test_no_edges_and_drawings():
    empty = GreenHackenbush(edges=())
    assert sgai.load_ruleset(str(empty)) == empty
    assert empty.proved_grundy(empty.initial()) == 0
    assert "nothing is left" in empty.draw_text(0)
    game = GreenHackenbush()
    assert game.draw_text(game.initial()) == "0 (ground) - 1 4\n1 - 2 3\n4 - 5 6\n2 - 3"
    assert "edges are live" in GreenHackenbush(edges=stalk(100)).draw_svg((1 << 100) - 1)
