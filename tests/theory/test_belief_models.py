"""What is believed of single components: bounds, tables and their files, and what is learned from random plays."""

import itertools
import json
import math

import numpy as np
import pytest

import sgai
from sgai.belief_learning import Sampler, held_out_losses
from sgai.belief_models import BeliefModel
from sgai.belief_tables import BeliefTable, Features, Observation, generic_weights
from sgai.beliefs import Belief
from sgai.cores.core import Sum
from sgai.errors import LoopError, SgaiError
from sgai.reference import reference_grundy
from sgai.testing import random_positions

SHIPPED = ["arc_kayles", "cram", "kayles_on_graph", "node_kayles", "tac_tix"]
SMALL_GAMES = [
    "cram(rows=3,columns=3)",
    "node_kayles(graph=grid,rows=2,columns=4)",
    "arc_kayles(graph=cycle,vertices=7)",
    "kayles_on_graph(vertices=6)",
    "tac_tix(rows=2,columns=3)",
    "chomp(rows=2,columns=3)",
    "nim(piles=[5])",
    "rook(rows=3,columns=3)",
]


def observed(text, count, **options):
    return list(itertools.islice(Sampler([sgai.load_ruleset(text)], **options).observations(), count))


@pytest.fixture(scope="module")
def cram_observations():
    return observed("cram(rows=4,columns=4)", 150, seed=1)


@pytest.mark.parametrize("text", SMALL_GAMES)
@pytest.mark.parametrize("model", [BeliefModel(), BeliefModel.shipped()], ids=["generic", "shipped"])
def test_the_true_value_is_never_impossible(text, model):
    ruleset = sgai.load_ruleset(text)
    for position in random_positions(ruleset, 25, seed=4):
        for part in sgai.decompose(ruleset, position):
            value = reference_grundy(part.ruleset, part.position)
            belief = model.belief(part.ruleset, part.position)
            assert belief.probability(value) > 0
            assert belief.known in (None, value)
            moves = len(part.ruleset.options(part.position))
            assert belief.largest <= moves
            assert model.belief(part.ruleset, part.position, moves=moves) == belief
            others = [other for other in range(belief.largest + 1) if other != value]
            assert model.belief(part.ruleset, part.position, excluded=iter(others)).known == value


def test_nothing_that_is_not_proved_is_impossible():
    # A table that has only ever seen the value 1, by the thousand.
    table = BeliefTable("cram", [Observation(Features(12, 17), 6, 1)] * 10_000)
    cram = sgai.load_ruleset("cram(rows=3,columns=4)")
    belief = BeliefModel([table]).belief(cram, cram.initial())
    assert belief.largest == 6  # six dominoes are the most there is room for
    assert all(belief.probability(value) > 0 for value in range(7))
    assert belief.probability(1) > 0.99


def test_all_values_excluded():
    cram = sgai.load_ruleset("cram(rows=2,columns=2)")
    with pytest.raises(SgaiError, match=r"'\[0, 1, 2\]' are struck out: no value of Belief"):
        BeliefModel().belief(cram, cram.initial(), excluded=np.arange(3))
    with pytest.raises(SgaiError, match="moves=-1"):
        BeliefModel().belief(cram, cram.initial(), moves=-1)


def test_the_generic_prior_grows_with_the_number_of_moves_and_never_vanishes():
    means = []
    for moves in (1, 4, 16, 64, 256):
        belief = Belief.from_weights(generic_weights(moves, moves))
        array = belief.array()
        assert belief.largest == moves
        assert (array[: moves + 1] > 0).all()
        means.append(array @ np.arange(len(array)))
    assert means == sorted(means)
    assert (generic_weights(5000, 5000) > 0).all()
    assert generic_weights(0, 0)[0] > 0


def test_larger_groups_speak_where_smaller_ones_are_silent():
    table = BeliefTable(
        "cram", [Observation(Features(10, 9), 5, 3)] * 500 + [Observation(Features(10, 12), 5, 2)] * 500
    )
    generic = generic_weights(9, 5)
    by_both = Belief.from_weights(table.weights(Features(10, 9), 5))
    by_size = Belief.from_weights(table.weights(Features(10, 10), 5))
    by_moves = Belief.from_weights(table.weights(Features(11, 9), 5))
    assert by_both.probability(3) > 0.9
    assert by_size.probability(2) == pytest.approx(by_size.probability(3), rel=0.1)
    assert by_moves.probability(3) > 0.9
    assert table.weights(Features(11, 10), 5) == pytest.approx(generic_weights(10, 5) / generic_weights(10, 5).sum())
    assert BeliefTable("cram").weights(Features(10, 9), 5) == pytest.approx(generic / generic.sum())


def test_a_sum_is_lost_as_often_as_the_enumeration_says():
    cram, kayles = sgai.load_ruleset("cram(rows=2,columns=3)"), sgai.load_ruleset("kayles")
    root = Sum((sgai.Component(cram, cram.initial()), sgai.Component(kayles, (4,))), 3)
    model = BeliefModel()
    one, other = (model.belief(*part[:2]).array() for part in root.parts)
    wanted = sum(one[a] * other[b] for a in range(len(one)) for b in range(len(other)) if a ^ b == 3)
    assert model.loss_probability(*root) == pytest.approx(wanted)
    solver = sgai.Solver()
    assert model.loss_probability(*root, known=solver.grundy) == 0.0
    total = solver.grundy(cram, cram.initial()) ^ solver.grundy(kayles, (4,))
    assert model.loss_probability(root.parts, total, known=solver.grundy) == 1.0
    assert model.loss_probability([], 0) == 1.0
    assert model.loss_probability([], 2**80) == 0.0


def test_a_sum_with_partial_knowledge():
    cram, kayles = sgai.load_ruleset("cram(rows=2,columns=3)"), sgai.load_ruleset("kayles")
    parts = (sgai.Component(cram, cram.initial()), sgai.Component(kayles, (4,)))

    def known(ruleset, position):
        return 1 if ruleset.name == "kayles" else None

    def excluded(ruleset, position):
        assert ruleset.name == "cram"  # of what is known nothing need be excluded
        return (0, 2)

    left = BeliefModel().belief(cram, cram.initial()).strike((0, 2))
    model = BeliefModel()
    assert model.loss_probability(parts, 2, known, excluded) == pytest.approx(left.probability(3))
    assert model.beliefs(parts, known, excluded) == [left, Belief.point(1)]


@pytest.mark.parametrize("cells", [None, 12])
@pytest.mark.parametrize("name", ["cram", "chomp", "nim"])
def test_arrays_for_kernels(name, cells):
    ruleset, model = sgai.load_ruleset(name), BeliefModel.shipped()
    array = model.table_array(ruleset, values=8, most_moves=20, most_cells=cells)
    assert array.dtype == np.float64
    assert array.shape == ((21, 8) if cells is None else (13, 21, 8))
    assert array.sum(axis=-1) == pytest.approx(1)
    for moves in range(21):
        row = array[moves] if cells is None else array[12, moves]
        features = Features(cells, moves)
        weights = model.weights(name, features, model.most(ruleset, features))[:8]
        assert row[: len(weights)] == pytest.approx(weights / weights.sum())
        assert not row[moves + 1 :].any()


@pytest.mark.parametrize("wrong", [{"values": 0}, {"most_moves": -1}, {"most_cells": -1}, {"values": 2.5}])
def test_arrays_that_cannot_be(wrong):
    with pytest.raises(SgaiError):
        BeliefModel().table_array(sgai.load_ruleset("cram"), **wrong)


def test_tables_are_written_and_read_back(tmp_path, cram_observations):
    table = BeliefTable("cram", cram_observations, {"seed": 1})
    file = tmp_path / "new" / "cram.json"
    table.save(file)
    again = BeliefTable.load(file)
    assert (again.ruleset, again.learned, len(again)) == ("cram", {"seed": 1}, len(cram_observations))
    for each in cram_observations:
        assert again.weights(each.features, each.most).tolist() == table.weights(each.features, each.most).tolist()
    assert [path.name for path in file.parent.iterdir()] == ["cram.json"]
    model = BeliefModel.load(file)
    cram = sgai.load_ruleset("cram(rows=3,columns=3)")
    assert model.belief(cram, cram.initial()) == BeliefModel([table]).belief(cram, cram.initial())
    assert model.table("node_kayles").ruleset == "node_kayles"  # the shipped one
    assert BeliefModel([table]).table("node_kayles") is None


def test_sizes_may_be_missing(tmp_path):
    table = BeliefTable("rook", [Observation(Features(None, 3), 3, 2)] * 3)
    table.save(tmp_path / "rook.json")
    again = BeliefTable.load(tmp_path / "rook.json")
    assert again.weights(Features(None, 3), 3).tolist() == table.weights(Features(None, 3), 3).tolist()
    assert again.weights(Features(None, 3), 3)[2] > generic_weights(3, 3)[2] / generic_weights(3, 3).sum()


GOOD = {"format": 1, "ruleset": "cram", "learned": {}, "counts": [[4, 3, [0, 1, 2]]]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "it is no JSON"),
        ("[" * 100_000, "it is no JSON"),
        ("[1, 2]", "`sgai learn-beliefs` writes them"),
        (json.dumps({**GOOD, "counts": {}}), "`sgai learn-beliefs` writes them"),
        (json.dumps({**GOOD, "format": 2}), "has format '2', this version reads 1"),
        (json.dumps({**GOOD, "ruleset": 5}), "lacks the name of its ruleset"),
        (json.dumps({**GOOD, "learned": None}), "lacks the name of its ruleset"),
        (json.dumps({**GOOD, "counts": [[4, 3]]}), r"row '\[4, 3\]'"),
        (json.dumps({**GOOD, "counts": [7]}), "row '7'"),
        (json.dumps({**GOOD, "counts": [[4, 3, [0, -1]]]}), r"row '\[4, 3, \[0, -1\]\]'"),
        (json.dumps({**GOOD, "counts": [[4, 3, [0, 0.5]]]}), "row"),
        (json.dumps({**GOOD, "counts": [[4, True, [0, 1]]]}), "row"),
        (json.dumps({**GOOD, "counts": [["4", 3, [0, 1]]]}), "row"),
        (json.dumps({**GOOD, "counts": [[4, 1, [0, 1, 1]]]}), "row"),
    ],
)
def test_broken_files(tmp_path, text, message):
    file = tmp_path / "broken.json"
    file.write_text(text)
    with pytest.raises(SgaiError, match=message) as raised:
        BeliefModel.load(file)
    assert "broken.json" in str(raised.value)


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(SgaiError, match=r"none\.json' cannot be read: No such file"):
        BeliefTable.load(tmp_path / "none.json")
    (tmp_path / "picture").write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(SgaiError, match="it is no text"):
        BeliefTable.load(tmp_path / "picture")
    with pytest.raises(SgaiError, match="cannot be written"):
        BeliefTable("cram").save(tmp_path / "picture" / "cram.json")
    with pytest.raises(SgaiError, match="cannot be written: Is a directory"):
        BeliefTable("cram").save(tmp_path)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_tables_foretell_better_than_the_generic_prior(name):
    # Other plays, on boards and graphs of another size or seed, than those that the table was learned from.
    board = name in ("cram", "tac_tix")
    found = observed(f"{name}(rows=4,columns=5)" if board else name, 200, seed=99, largest=16,
                     vertices=None if board else 20)  # fmt: skip
    model, generic = BeliefModel.shipped(), BeliefModel()

    def loss(judged):
        weights = [judged.weights(name, each.features, each.most) for each in found]
        return sum(-math.log(w[each.value] / w.sum()) for w, each in zip(weights, found, strict=True)) / len(found)

    assert loss(model) < loss(generic) - 0.1


@pytest.mark.parametrize("options", [{}, {"vertices": 12}])
def test_equal_seeds_learn_the_same(options):
    text = "node_kayles(graph=grid,rows=3,columns=4)"
    assert observed(text, 40, seed=5, **options) == observed(text, 40, seed=5, **options)
    assert observed(text, 40, seed=5, **options) != observed(text, 40, seed=6, **options)


def test_what_is_observed_is_true():
    for text in ("cram(rows=3,columns=3)", "nim(piles=[3;4])", "rook(rows=3,columns=4)"):
        sampler = Sampler([sgai.load_ruleset(text)], seed=2, largest=9)
        found = list(itertools.islice(sampler.observations(), 30))
        assert found
        for each in found:
            assert 0 <= each.value <= each.most <= each.features.moves
            assert each.features.size is None or each.features.size <= 9
    # A heap of n in Nim has n moves and the value n.
    assert {(each.features.size, each.value) for each in observed("nim", 30, largest=9)} == {
        (n, n) for n in range(1, 10)
    }


def test_sampling_ends_when_there_is_nothing_new():
    sampler = Sampler([sgai.load_ruleset("cram(rows=1,columns=3)")])
    assert [(each.features, each.value) for each in sampler.observations()].count((Features(2, 1), 1)) == 1


def test_components_beyond_the_budget_are_skipped():
    sampler = Sampler([sgai.load_ruleset("king(rows=6,columns=6)")], states=3)
    found = list(itertools.islice(sampler.observations(), 10))
    assert sampler.skipped > 0
    assert all(each.value <= each.most for each in found)


def test_what_cannot_be_sampled():
    with pytest.raises(SgaiError, match="one ruleset's name, not of cram, nim"):
        Sampler([sgai.load_ruleset("nim"), sgai.load_ruleset("cram")])
    with pytest.raises(SgaiError, match="not of none"):
        Sampler([])
    with pytest.raises(SgaiError, match="is not played on an undirected graph"):
        Sampler([sgai.load_ruleset("cram")], vertices=5)
    with pytest.raises(LoopError):
        next(Sampler([sgai.load_ruleset("graph(edges=[a-b;b-a],start=a)")]).observations())


def test_held_out_losses(cram_observations):
    losses = held_out_losses("cram", cram_observations)
    assert losses.components == sum(each.game % 5 == 4 for each in cram_observations)
    held_out = [each for each in cram_observations if each.game % 5 == 4]
    assert losses.uniform == pytest.approx(sum(math.log(each.most + 1) for each in held_out) / len(held_out))
    assert losses.table < losses.generic
    assert held_out_losses("cram", [each for each in cram_observations if each.game < 3]) is None
