"""Removal games: their tables, their text, what splits and what is merged, and the values they should have."""

import functools
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgai import IllegalMoveError, SgaiError, Solver, decompose, grundy_values, load_ruleset, mex, solve
from sgai.reference import reference_grundy, reference_outcome
from sgai.rulesets.automorphisms import automorphisms
from sgai.rulesets.boards import Cram, Polyominoes, Treblecross
from sgai.rulesets.graph_games import ArcKayles, KaylesOnGraph, NodeKayles
from sgai.rulesets.posets import Poset
from sgai.rulesets.removal import RemovalRuleset, RemovalTable, board_permutations, cells_of, image_under, mask_of
from sgai.testing import check_ruleset

# Small enough that every set of cells is looked at.
SMALL = [
    "cram(rows=3,columns=3)",
    "cram(rows=2,columns=5)",
    "cram(rows=4,columns=2)",
    "cram(rows=1,columns=8)",
    "polyominoes(rows=3,columns=3)",
    "polyominoes(rows=3,columns=3,pieces=[#./##],turns=false)",
    "polyominoes(rows=2,columns=5,pieces=[##;#.#],turns=false)",
    "tac_tix(rows=3,columns=3)",
    "tac_tix(rows=2,columns=4)",
    "treblecross(rows=1,columns=9)",
    "treblecross(rows=3,columns=3)",
    "treblecross(rows=2,columns=5)",
    "treblecross(rows=5,columns=2)",
    "chomp(rows=3,columns=3)",
    "chomp(rows=2,columns=5)",
    "rectangle_take(rows=3,columns=3)",
    "rectangle_take(rows=2,columns=4)",
    "node_kayles(graph=path,vertices=8)",
    "node_kayles(graph=cycle,vertices=8)",
    "node_kayles(graph=grid,rows=2,columns=5)",
    "node_kayles(graph=complete,vertices=5)",
    "node_kayles(edges=[0-1;1-2;2-0;2-3;3-4;4-5;4-6;7])",
    "arc_kayles(graph=cycle,vertices=8)",
    "arc_kayles(graph=grid,rows=4,columns=2)",
    "arc_kayles(graph=complete,vertices=6)",
    "arc_kayles(edges=[0-1;1-2;2-3;3-0;0-4;1-5;2-6;3-7])",
    "kayles_on_graph(graph=path,vertices=7)",
    "kayles_on_graph(graph=cycle,vertices=7)",
    "kayles_on_graph(graph=complete,vertices=5)",
    "kayles_on_graph(graph=grid,rows=3,columns=3)",
    "poset",
    "poset(relations=[a<b<c;d<e<f;a<f;d<c;g])",
    "subset_takeaway(size=3)",
]


def message_of(function, *given, **named):
    with pytest.raises(SgaiError) as caught:
        function(*given, **named)
    return str(caught.value)


class Trees:
    """Trees of options, equal options merged: equal numbers mean isomorphic trees. Also their Grundy values."""

    def __init__(self):
        self.numbers = {}
        self.values = {}

    def of(self, table):
        @functools.cache
        def tree(position):
            options = frozenset(
                tree(position & ~kill)
                for need, kill in zip(table.needs, table.kills, strict=True)
                if need & position == need
            )
            number = self.numbers.setdefault(options, len(self.numbers))
            if number not in self.values:
                self.values[number] = mex(self.values[option] for option in options)
            return number

        return tree


def positions_of(ruleset):
    always = ruleset.always_live()
    return [position for position in range(1 << ruleset.table.cells) if always & ~position == 0]


# What is merged and what splits, on all positions of small games


@pytest.mark.parametrize("text", SMALL)
def test_canonical_forms_have_the_same_tree(text):
    ruleset = load_ruleset(text)
    trees = Trees()
    tree = trees.of(ruleset.table)
    for position in positions_of(ruleset):
        form = ruleset.canonical(position)
        assert tree(form) == tree(position), ruleset.format(position)
        assert ruleset.canonical(form) == form
        assert ruleset.validate(form) == form


@pytest.mark.parametrize("text", SMALL)
def test_components_are_a_sum(text):
    ruleset = load_ruleset(text)
    trees = Trees()
    tree = trees.of(ruleset.table)
    for position in positions_of(ruleset):
        parts = [part.position for part in ruleset.components(position)]
        value = 0
        for part in parts:
            value ^= trees.values[tree(part)]
        assert value == trees.values[tree(position)], ruleset.format(position)
        always = ruleset.always_live()
        bare = [part & ~always for part in parts]
        assert all(a & b == 0 for a, b in itertools.combinations(bare, 2))
        assert [part & -part for part in bare] == sorted(part & -part for part in bare)
        # A move in one part leaves all the others as they are.
        for (i, part), (j, other) in itertools.permutations(enumerate(bare), 2):
            for need, kill in zip(ruleset.table.needs, ruleset.table.kills, strict=True):
                if need & part == need:
                    assert kill & other == 0, f"parts {i} and {j} of {ruleset.format(position)}"


def test_symmetric_and_shifted_boards_are_one():
    cram = load_ruleset("cram(rows=3,columns=5)")
    forms = {
        cram.canonical(cram.parse(text))
        for text in [
            "..###/#.###/#####",
            ".####/..###/#####",  # a reflection
            "#####/###../####.",  # shifted
            "#####/####./###..",
            "##.##/##..#/.###.",  # turned, with lone cells beside it
        ]
    }
    assert len(forms) == 1
    assert cram.canonical(cram.parse("##.../#####/#####")) == cram.canonical(cram.parse("####./####./####."))
    assert cram.canonical(cram.parse("#..../#####/#####")) != cram.canonical(cram.parse("##.../#####/#####"))
    path = load_ruleset("node_kayles(vertices=9)")
    assert path.canonical(path.parse("{5;6;7}")) == path.parse("{0;1;2}")
    chomp = load_ruleset("chomp(rows=3,columns=3)")
    assert chomp.canonical(chomp.parse("..#/.##/.##")) == chomp.canonical(chomp.parse(".../.##/###"))


def test_what_is_known_of_the_tables():
    for text, translates, determined, symmetries in [
        ("cram(rows=3,columns=3)", True, "arc", 8),
        ("cram(rows=3,columns=4)", True, "arc", 4),
        ("cram(rows=1,columns=4)", True, "arc", 2),
        ("tac_tix(rows=2,columns=3)", True, "", 4),
        ("tac_tix(rows=1,columns=2)", True, "kayles", 2),
        ("treblecross(rows=1,columns=9)", True, "node", 2),
        ("treblecross(rows=4,columns=4)", False, "node", 8),  # (0,1) and (1,0) are in no line of three
        ("polyominoes", True, "", 8),
        ("polyominoes(pieces=[##./.##],turns=false)", True, "", 2),
        ("chomp(rows=3,columns=3)", False, "", 2),
        ("chomp(rows=3,columns=4)", False, "", 1),
        ("rectangle_take(rows=3,columns=3)", True, "", 2),
        ("node_kayles(graph=grid,rows=3,columns=4)", True, "node", 4),
        ("arc_kayles(graph=grid,rows=3,columns=4)", True, "arc", 4),
        ("kayles_on_graph(graph=path,vertices=5)", True, "kayles", 2),
        ("node_kayles(graph=cycle,vertices=7)", False, "node", 14),
        ("arc_kayles(edges=[0-1;1-2;2-3;3-0])", False, "arc", 8),
        ("node_kayles(edges=[0-1;0-2;0-3])", False, "node", 6),
        ("poset(relations=[a<b;a<c])", False, "", 2),
        ("subset_takeaway(size=4)", False, "", 24),
        ("subset_takeaway(size=6)", False, "", 12),
    ]:
        table = load_ruleset(text).table
        found = (table.translates, table.graph_determined, len(table.symmetries))
        assert found == (translates, determined, symmetries), text
        assert table.symmetries[0] == tuple(range(table.cells))


def test_tables_are_shared_by_all_starts():
    start = load_ruleset("cram(cells=[..#/...])")
    assert start.rules() == load_ruleset("cram(rows=2,columns=3)")
    assert start.table is start.rules().table
    assert {part.ruleset for part in start.components(start.initial())} == {start.rules()}


# Tables made by hand


@st.composite
def tables(draw):
    cells = draw(st.integers(1, 7))
    subsets = st.sets(st.integers(0, cells - 1), min_size=1, max_size=3)
    moves = []
    for number in range(draw(st.integers(0, 8))):
        need, more = draw(subsets), draw(subsets)
        kill = more | {draw(st.sampled_from(sorted(need)))}
        moves.append((need, kill, f"move {number}"))
    return RemovalTable.build(cells, moves, shape=(1, cells) if draw(st.booleans()) else None)


@settings(max_examples=300, deadline=None)
@given(tables(), st.data())
def test_any_table_splits_and_merges_rightly(table, data):
    trees = Trees()
    tree = trees.of(table)
    position = data.draw(st.integers(0, (1 << table.cells) - 1))
    parts = table.parts(position)
    assert (
        functools.reduce(lambda a, b: a ^ b, (trees.values[tree(part)] for part in parts), 0)
        == (trees.values[tree(position)])
    )
    assert functools.reduce(lambda a, b: a | b, parts, 0) == table.needed(position)
    form = table.least_image(position)
    assert tree(form) == tree(position)
    assert table.least_image(form) == form


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(["cram(rows=4,columns=6)", "node_kayles(graph=grid,rows=4,columns=5)", "tac_tix", "polyominoes"]),
    st.data(),
)
def test_random_positions_agree_with_the_referee(text, data):
    ruleset = load_ruleset(text)
    cells = data.draw(st.sets(st.integers(0, ruleset.table.cells - 1), max_size=7))
    position = mask_of(cells)
    value = reference_grundy(ruleset, position)
    assert reference_grundy(ruleset, ruleset.canonical(position)) == value
    assert reference_outcome(ruleset, ruleset.canonical(position), "misere") == reference_outcome(
        ruleset, position, "misere"
    )
    assert Solver().grundy(ruleset, position) == value
    assert ruleset.parse(ruleset.format(position)) == position


def test_a_table_is_checked():
    build = RemovalTable.build
    assert "'nothing' needs no cell" in message_of(build, 2, [([], [0], "nothing")])
    assert "'idle' kills no cell that it needs" in message_of(build, 2, [([0], [1], "idle")])
    assert "'far': there is no cell 2" in message_of(build, 2, [([0], [0, 2], "far")])
    assert "there is no cell -1" in message_of(build, 2, [([-1], [0], "far")])
    assert "'twin'" in message_of(build, 2, [([0], [0], "twin"), ([1], [1], "twin")])
    assert "is no symmetry" in message_of(build, 2, [([0], [0], "a")], symmetries=[(1, 0)])
    assert "is no symmetry" in message_of(build, 2, [([0], [0], "a")], symmetries=[(0, 0)])
    assert "2 x 2" in message_of(build, 3, [], shape=(2, 2))
    assert "cells" in message_of(build, 0, [])
    assert "5,000" in message_of(build, 5_000, [])
    merged = build(2, [([0, 1], [1], "first"), ([1, 0], [1], "second")])
    assert merged.names == ("first",)
    assert (merged.neighbours, merged.moves_of) == ((2, 1), ((0,), (0,)))


@given(st.integers(1, 130), st.data())
def test_images_of_sets(count, data):
    permutation = tuple(data.draw(st.permutations(range(count))))
    cells = data.draw(st.sets(st.integers(0, count - 1)))
    assert set(cells_of(image_under(permutation)(mask_of(cells)))) == {permutation[cell] for cell in cells}


def test_permutations_of_boards_form_groups():
    for rows, columns in [(1, 1), (1, 4), (3, 1), (2, 3), (3, 3)]:
        group = set(board_permutations(rows, columns))
        assert all(tuple(a[b[i]] for i in range(rows * columns)) in group for a in group for b in group)


def test_automorphisms_are_found_or_given_up():
    cube = [mask_of(v ^ (1 << bit) for bit in range(3)) for v in range(8)]
    assert len(automorphisms(cube)) == 48
    brute = {
        p
        for p in itertools.permutations(range(5))
        if all(image_under(p)(near) == HOUSE[p[v]] for v, near in enumerate(HOUSE))
    }
    assert set(automorphisms(HOUSE)) == brute
    assert automorphisms([0] * 40) == (tuple(range(40)),)  # 40! of them
    assert automorphisms([0b10, 0]) == ((0, 1),)  # directed: 0 to 1


HOUSE = [0b00110, 0b01001, 0b10001, 0b10010, 0b01100]  # a cycle of five


# Text


def test_boards_are_read_in_both_forms():
    cram = load_ruleset("cram(cells=[..#./....|.#..])")
    assert (cram.rows, cram.columns) == (3, 4)
    assert cram.format(cram.initial()) == "..#./..../.#.."
    assert cram.parse("..#.|....|.#..") == cram.initial()
    assert str(cram) == "cram(rows=3,columns=4,cells=[..#./..../.#..])"
    assert load_ruleset("cram(rows=2,columns=2,cells=[../..])") == load_ruleset("cram(rows=2,columns=2)")
    assert load_ruleset("cram(rows=2,cells=[..../....])").columns == 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cram(rows=0)", ["rows=0", "one or more"]),
        ("cram(rows=1000,columns=1000)", ["rows=1000", "4,096"]),
        ("cram(cells=[..#./...])", ["'..#./...'", "row 2"]),
        ("cram(cells=[..x])", ["'..x'", "'x'", "'.'", "'#'"]),
        ("cram(cells=[/])", ["'/'", "one cell at least"]),
        ("cram(rows=2,cells=[...])", ["rows=2", "'...'", "1 x 3"]),
        ("cram(columns=7,cells=[.../...])", ["columns=7", "2 x 3"]),
        ("chomp(cells=[#.])", ["'#.'", "poisoned"]),
        ("treblecross(rows=2,columns=2)", ["rows=2", "three in line"]),
        ("treblecross(cells=[../..])", ["three in line"]),
        ("polyominoes(pieces=[])", ["pieces=[]", "one piece"]),
        ("polyominoes(pieces=[..])", ["'..'", "without cells"]),
        ("polyominoes(pieces=[#x])", ["'#x'", "'x'"]),
        ("polyominoes(turns=maybe)", ["'maybe'"]),
        ("tac_tix(row=3)", ["'row'", "did you mean 'rows'"]),
        ("node_kayles(edges=[0-0])", ["'0-0'", "itself"]),
        ("node_kayles(edges=[0-1-2])", ["'0-1-2'"]),
        ("node_kayles(edges=[0-1;-])", ["''", "not a vertex"]),
        ("node_kayles(edges=[0-1;a!])", ["'a!'", "not a vertex"]),
        ("node_kayles(graph=pth)", ["'pth'", "did you mean 'path'", "grid"]),
        ("node_kayles(graph=grid,vertices=7)", ["vertices=7", "graph=grid", "rows and columns"]),
        ("node_kayles(graph=path,rows=7)", ["rows=7", "graph=path", "vertices"]),
        ("node_kayles(edges=[0-1],rows=7)", ["rows=7", "edges"]),
        ("node_kayles(edges=[0-1],graph=grid)", ["graph=grid", "edges"]),
        ("node_kayles(vertices=0)", ["vertices=0"]),
        ("node_kayles(vertices=5000)", ["5,000", "4,096"]),
        ("node_kayles(graph=cycle,vertices=2)", ["vertices=2", "three"]),
        ("arc_kayles(graph=complete,vertices=1000)", ["vertices=1000", "499,500"]),
        ("arc_kayles(live=[9])", ["'9'", "0, 1, 2"]),
        ("kayles_on_graph(edges=[alpha-beta],live=[alpa])", ["'alpa'", "did you mean 'alpha'"]),
        ("poset(relations=[a<b;c<d;b<c<a])", ["a<b<c<a", "circle"]),
        ("poset(relations=[a<a])", ["'a<a'"]),
        ("poset(relations=[])", ["relations=[]", "one element"]),
        ("poset(relations=[a<<b])", ["[a<<b]", "written a<b"]),
        ("poset(live=[z])", ["element 'z'", "a, b"]),
        ("subset_takeaway(size=9)", ["size=9", "2 to 8"]),
        ("subset_takeaway(size=1)", ["size=1"]),
        ("subset_takeaway(live=[4])", ["subset '4'"]),
    ],
)
def test_bad_parameters(text, said):
    message = message_of(load_ruleset, text)
    assert all(each in message for each in said), message


@pytest.mark.parametrize(
    ("ruleset", "text", "said"),
    [
        ("cram(rows=3,columns=4)", "..../....", ["'..../....'", "2 x 4", "3 x 4"]),
        ("cram(rows=3,columns=4)", "..#./..../.#.x", ["'..#./..../.#.x'", "'x'"]),
        ("cram(rows=3,columns=4)", "", ["''"]),
        ("chomp", "#.../..../....", ["'#.../..../....'", "poisoned"]),
        ("node_kayles", "{0;22}", ["'{0;22}'", "vertex '22'", "0, 1"]),
        ("node_kayles", "{0;x y}", ["'x y'"]),
        ("node_kayles", "0", ["'0'", "braces"]),
        ("node_kayles", "{0", ["'{0'"]),
        ("poset", "{a;q}", ["element 'q'", "a, b"]),
        ("subset_takeaway", "{1;21}", ["subset '21'"]),
    ],
)
def test_bad_positions(ruleset, text, said):
    message = message_of(load_ruleset(ruleset).parse, text)
    assert all(each in message for each in said), message


@pytest.mark.parametrize("position", [-1, 1 << 12, 1.5, "..", None, True, (1, 2)])
def test_positions_are_checked(position):
    message_of(load_ruleset("cram(rows=3,columns=4)").validate, position)


def test_a_chomp_position_has_its_poisoned_cell():
    assert "always live" in message_of(load_ruleset("chomp").validate, 2)


def test_illegal_moves_name_legal_ones():
    cram = load_ruleset("cram(rows=2,columns=2)")
    for move in (4, -1, "x", None, True, 1.0):
        with pytest.raises(IllegalMoveError, match=r"\(0,0\)-\(0,1\)"):
            cram.apply(cram.initial(), move)
    with pytest.raises(IllegalMoveError, match=r"'\(0,0\)-\(0,1\)' is no legal move in '#\./\.\.'"):
        cram.parse_move(cram.parse("#./.."), "(0,0)-(0,1)")
    with pytest.raises(IllegalMoveError, match="from 0 to 3"):
        cram.move_from_index(4)


def test_moves_are_written_by_their_cells():
    def written(text):
        ruleset = load_ruleset(text)
        return [ruleset.format_move(ruleset.initial(), move) for move, _ in ruleset.moves(ruleset.initial())]

    assert written("cram(rows=2,columns=2)") == ["(0,0)-(0,1)", "(0,0)-(1,0)", "(0,1)-(1,1)", "(1,0)-(1,1)"]
    assert written("tac_tix(rows=1,columns=3)") == [
        *("(0,0)", "(0,0)-(0,1)", "(0,0)-(0,2)", "(0,1)", "(0,1)-(0,2)", "(0,2)"),
    ]
    assert written("polyominoes(rows=2,columns=2,turns=false)") == ["(0,0)+(1,0)+(1,1)"]
    assert written("chomp(rows=1,columns=3)") == ["(0,1)", "(0,2)"]
    assert written("node_kayles(edges=[a-b])") == ["a", "b"]
    assert written("kayles_on_graph(edges=[b-a])") == ["a", "b", "a-b"]
    assert written("subset_takeaway(size=3)") == ["1", "2", "3", "12", "13", "23"]


class Crosses(RemovalRuleset):
    """Take a cell of a row with its two neighbours, which must be there: written without a form of its own."""

    cells: int = 6

    def make_table(self):
        threes = [range(cell - 1, cell + 2) for cell in range(1, self.cells - 1)]
        return RemovalTable.build(self.cells, [(three, three, f"at {three[1]}") for three in threes])

    def initial(self):
        return (1 << self.cells) - 1


def test_a_game_of_ones_own():
    check_ruleset(Crosses(cells=8))
    assert solve(Crosses(cells=8)).grundy == grundy_values(load_ruleset("0.007"), 8)[8]


def test_graphs_have_one_form():
    assert NodeKayles(edges="[1-0;0-1;1;2-1]") == NodeKayles(edges=((0, 1), (1, 2)))
    assert str(NodeKayles(edges=[(2, 1), (5,)])) == "node_kayles(edges=[1-2;5])"
    assert str(load_ruleset("arc_kayles(graph=grid,rows=2,columns=3,live=[4;0])")) == (
        "arc_kayles(graph=grid,rows=2,columns=3,live=[0;4])"
    )
    assert load_ruleset("node_kayles(vertices=3,live=[0;1;2])") == load_ruleset("node_kayles(vertices=3)")
    assert Poset(relations="[a<b<c;a<c]") == Poset(relations=[("a", "b"), ("b", "c")])


class FakeGraph:
    """What a networkx.Graph shows of itself."""

    def __init__(self, nodes, edges, directed=False, multi=False):
        self.nodes, self.edges, self._directed, self._multi = nodes, edges, directed, multi

    def is_directed(self):
        return self._directed

    def is_multigraph(self):
        return self._multi


def test_graphs_of_networkx():
    squares = [(row, column) for row in range(2) for column in range(3)]
    edges = [(a, b) for a, b in itertools.combinations(squares, 2) if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1]
    game = ArcKayles.from_networkx(FakeGraph(squares, edges))
    assert game.cell_names() == ("0.0", "0.1", "0.2", "1.0", "1.1", "1.2")
    assert solve(game).grundy == solve("cram(rows=2,columns=3)").grundy
    assert load_ruleset(str(game)) == game
    part = NodeKayles.from_networkx(FakeGraph([3, "x", 0], [(0, "x")]), live=[3, "x"])
    assert part.format(part.initial()) == "{3;x}"
    assert "directed" in message_of(NodeKayles.from_networkx, FakeGraph([0], [], directed=True))
    assert "multigraph" in message_of(NodeKayles.from_networkx, FakeGraph([0], [], multi=True))
    assert "no nodes" in message_of(NodeKayles.from_networkx, FakeGraph([], []))
    assert "itself" in message_of(NodeKayles.from_networkx, FakeGraph([0, 1], [(1, 1)]))
    assert "both be the vertex '1'" in message_of(NodeKayles.from_networkx, FakeGraph([1, "1"], []))
    assert "not a vertex" in message_of(NodeKayles.from_networkx, FakeGraph([1.5], []))
    assert "no graph" in message_of(NodeKayles.from_networkx, 7)


# Values


@pytest.mark.parametrize(
    ("graph_game", "code"),
    [("kayles_on_graph", "0.77"), ("arc_kayles", "0.07"), ("node_kayles", "0.137")],
)
def test_paths_are_rows(graph_game, code):
    """Kayles, Dawson's Kayles and Node Kayles on a path of n vertices are heaps of n (*Winning Ways*, chapter 4)."""
    expected = grundy_values(load_ruleset(code), 24)
    solver = Solver()
    for count in range(1, 25):
        path = load_ruleset(f"{graph_game}(vertices={count})")
        assert solver.grundy(path, path.initial()) == expected[count], count


def test_cycles_follow_from_paths():
    """Every first move on a cycle leaves the same path."""
    node, arc = grundy_values(load_ruleset("0.137"), 12), grundy_values(load_ruleset("0.07"), 12)
    for count in range(3, 15):
        assert solve(f"node_kayles(graph=cycle,vertices={count})").grundy == mex([node[count - 3]])
        assert solve(f"arc_kayles(graph=cycle,vertices={count})").grundy == mex([arc[count - 2]])


def test_complete_graphs():
    for count in range(1, 9):
        assert solve(f"node_kayles(graph=complete,vertices={count})").grundy == 1
        assert solve(f"arc_kayles(graph=complete,vertices={count})").grundy == count // 2 % 2
        # One or two are taken: subtraction from one heap.
        assert solve(f"kayles_on_graph(graph=complete,vertices={count})").grundy == count % 3


def test_cram_is_arc_kayles_on_a_grid_and_domino_placement():
    for rows, columns in [(1, 5), (2, 3), (3, 3), (3, 4)]:
        value = solve(f"cram(rows={rows},columns={columns})").grundy
        assert solve(f"arc_kayles(graph=grid,rows={rows},columns={columns})").grundy == value
        assert solve(f"polyominoes(rows={rows},columns={columns},pieces=[##])").grundy == value
    sideways = Polyominoes(rows=2, columns=4, pieces="[##]", turns=False)
    assert len(decompose(sideways, sideways.initial())) == 2  # its rows


def test_published_cram_boards():
    """4 x 4 and 4 x 5: P. Beling's table (github.com/beling/impartial-games)."""
    assert solve("cram(rows=4,columns=4)").grundy == 0
    assert solve("cram(rows=4,columns=5)").grundy == 2


def test_one_row_of_tac_tix_is_a_heap_game():
    """Any run may be taken from a row, which leaves none, one or two rows: every digit of the code is 7."""
    values = grundy_values(load_ruleset("0.[7]"), 12)
    for count in range(1, 13):
        assert solve(f"tac_tix(rows=1,columns={count})").grundy == values[count]


def test_one_row_of_treblecross_is_the_heap_game():
    values = grundy_values(load_ruleset("treblecross_row"), 17)
    for count in range(3, 18):
        assert solve(Treblecross(rows=1, columns=count)).grundy == values[count]


@pytest.mark.parametrize(
    ("rows", "columns"), [(1, 3), (1, 4), (1, 7), (1, 9), (1, 11), (3, 1), (2, 3), (2, 5), (3, 3), (3, 4)]
)
def test_treblecross_has_the_outcomes_of_the_real_game(rows, columns):
    """Who first has three crosses in line wins; from every position without two crosses in one line of three."""
    game = Treblecross(rows=rows, columns=columns)
    lines = [mask_of(game.cell(*square) for square in line) for line in game.lines()]
    cells = [1 << cell for cell in range(rows * columns)]

    @functools.cache
    def mover_wins(crosses):
        for cell in cells:
            if not crosses & cell:
                after = crosses | cell
                if any(after & line == line for line in lines) or not mover_wins(after):
                    return True
        return False

    solver = Solver()
    looked_at = 0
    for crosses in range(1 << rows * columns):
        if any((crosses & line).bit_count() > 1 for line in lines):
            continue
        safe = sum(
            cell for cell in cells if not cell & crosses and not any(line & cell and line & crosses for line in lines)
        )
        assert (solver.grundy(game, safe) != 0) == mover_wins(crosses), game.format(safe)
        looked_at += 1
    assert looked_at > rows * columns


def test_chomp():
    """The first player wins by strategy stealing; two rows are P exactly when the lower one is shorter by one."""
    for rows, columns in [(1, 2), (2, 2), (3, 4), (4, 4), (3, 6)]:
        assert solve(f"chomp(rows={rows},columns={columns})").outcome == "N"
    assert solve("chomp(rows=1,columns=1)").outcome == "P"
    two = load_ruleset("chomp(rows=2,columns=6)")
    solver = Solver()
    for upper in range(1, 7):
        for lower in range(upper + 1):
            position = two.parse("." * upper + "#" * (6 - upper) + "/" + "." * lower + "#" * (6 - lower))
            assert (solver.grundy(two, position) == 0) == (lower == upper - 1)
    square = solve("chomp(rows=4,columns=4)")
    assert [square.ruleset.format_move(square.position, each.move) for each in square.winning_moves] == ["(1,1)"]


def test_one_row_of_chomp_is_a_heap():
    for columns in range(1, 7):
        assert solve(f"chomp(rows=1,columns={columns})").grundy == columns - 1
        assert solve(f"rectangle_take(rows=1,columns={columns})").grundy == columns


def test_rectangle_take_is_won_at_once():
    for rows, columns in [(1, 1), (2, 3), (4, 4)]:
        solution = solve(f"rectangle_take(rows={rows},columns={columns})")
        assert solution.outcome == "N"
        assert [each.position for each in solution.winning_moves] == [0]


def test_posets():
    assert solve(Poset(relations="[a<b<c;d<e;f]")).grundy == 3 ^ 2 ^ 1  # chains are heaps
    # Chomp is a product of chains without its least element.
    product = [
        ((f"{r}.{c}"), (f"{r + 1}.{c}" if down else f"{r}.{c + 1}"))
        for r in range(3)
        for c in range(3)
        for down in (False, True)
        if (r, c) != (0, 0) and (r + 1 < 3 if down else c + 1 < 3)
    ]
    assert solve(Poset(relations=product)).grundy == solve("chomp(rows=3,columns=3)").grundy


@pytest.mark.parametrize("size", [2, 3, 4])
def test_subset_takeaway_is_lost_by_the_first_player(size):
    """D. Gale and A. Neyman, *Nim-type games* (1982): checked by them for small sizes."""
    assert solve(f"subset_takeaway(size={size})").outcome == "P"


def test_subset_takeaway_is_a_poset_game():
    subsets = [set(each) for size in (1, 2) for each in itertools.combinations("123", size)]
    relations = [("".join(sorted(a)), "".join(sorted(b))) for a in subsets for b in subsets if a < b]
    poset, game = Poset(relations=relations), load_ruleset("subset_takeaway(size=3)")
    for text in ("{1;2;3;12;13;23}", "{1;3;13;23}", "{2;3;12;13}", "{12}"):
        assert solve(poset, text).grundy == solve(game, text).grundy


def test_large_boards_are_made_at_once():
    game = Cram(rows=64, columns=64)
    assert len(game.table.needs) == 2 * 64 * 63
    corner = game.parse("/".join(("." * 3 if row < 3 else "###") + "#" * 61 for row in range(64)))
    assert solve(game, corner).grundy == solve("cram(rows=3,columns=3)").grundy
    grid = KaylesOnGraph(graph="grid", rows=30, columns=30)
    assert grid.table.graph_determined == "kayles"


def test_graphs_made_by_networkx():
    networkx = pytest.importorskip("networkx")
    petersen = NodeKayles.from_networkx(networkx.petersen_graph())
    assert petersen.table.cells == 10
    assert solve(petersen).grundy == reference_grundy(petersen, petersen.initial())
    grid = ArcKayles.from_networkx(networkx.grid_2d_graph(3, 4))
    assert solve(grid).grundy == solve("cram(rows=3,columns=4)").grundy
    assert "directed" in message_of(NodeKayles.from_networkx, networkx.DiGraph([(0, 1)]))
    assert "itself" in message_of(NodeKayles.from_networkx, networkx.Graph([(0, 0)]))


def test_tables_that_are_none_are_refused():
    for move in [([0], [0]), ("ab", [0], "x"), (0, [0], "x"), ([0.5], [0], "x"), ([0], [0], 5), ([0], [0], " "), None]:
        message = message_of(RemovalTable.build, 4, [move])
        assert "is no move" in message

    class Forgotten(RemovalRuleset):
        def make_table(self):
            pass

        def initial(self):
            return 1

    assert "should be a RemovalTable" in message_of(lambda: Forgotten().table)


def test_messages_name_what_was_given():
    assert "row 1 is empty" in message_of(load_ruleset("cram").parse, "")
    assert "'[a>b]'" in message_of(load_ruleset, "poset(relations=[a>b])")
    assert "written a<b" in message_of(load_ruleset, "poset(relations=[a>b])")
    assert "start=[3]" in message_of(load_ruleset("graph(edges=[1-0])").initial)


def test_moves_may_be_numpy_integers():
    numpy = pytest.importorskip("numpy")
    cram = load_ruleset("cram(rows=2,columns=2)")
    assert cram.apply(15, numpy.int64(0)) == cram.apply(15, 0)
    with pytest.raises(IllegalMoveError):
        cram.apply(15, True)
