"""Labelled data sets: right labels, splits that do not leak, equal bytes from equal seeds, clear errors."""

import dataclasses
import json
from collections import Counter

import numpy as np
import pytest

import sgai
from sgai.errors import SgaiError
from sgai.experiments.cli.main import main
from sgai.experiments.rl.datasets import check_dataset, load_dataset, make_dataset, save_dataset
from sgai.experiments.rl.splits import SPLITS, parts_of

GAMES = ["sgai_nim(piles=[4;5;6])", "sgai_kayles(piles=[9;9])", "sgai_cram(rows=3,columns=4)", "sgai_sum"]


def components(dataset, rows):
    """Return all components of some rows, by the ruleset's own split and not by that of the data set."""
    ruleset = dataset.game().ruleset
    found = set()
    waiting = [(ruleset, ruleset.parse(dataset.positions[row])) for row in rows]
    while waiting:
        rules, position = waiting.pop()
        parts = rules.components(position)
        if [part.position for part in parts] == [position]:
            found.add((rules.name, rules.canonical(position)))
        else:
            waiting += [(part.ruleset, part.position) for part in parts]
    return found


class Naive:
    """Grundy values by definition: the least number that no option has."""

    def __init__(self, ruleset):
        self.ruleset, self.kept = ruleset, {}

    def value(self, position):
        if position not in self.kept:
            options = {self.value(option) for option in self.ruleset.options(position)}
            self.kept[position] = next(number for number in range(len(options) + 1) if number not in options)
        return self.kept[position]


@pytest.mark.parametrize("text", GAMES)
@pytest.mark.parametrize("split", list(SPLITS))
def test_labels_are_the_references_and_nothing_leaks(text, split):
    if split == "larger_heaps" and text == "sgai_sum":
        with pytest.raises(SgaiError, match="neither heaps nor cells"):
            make_dataset(text, 30, split=split)
        return
    data = make_dataset(text, 40, split=split, test=0.3, seed=5)
    ruleset = data.game().ruleset
    positions = [ruleset.parse(each) for each in data.positions.tolist()]
    naive = Naive(ruleset)
    for row, position in enumerate(positions):
        value = naive.value(position)
        assert (data.grundy[row], data.outcomes[row]) == (value, "N" if value else "P")
        best = {ruleset.move_index(move) for move, option in ruleset.moves(position) if not naive.value(option)}
        legal = set(ruleset.legal_indices(position))
        assert set(np.flatnonzero(data.legal[row])) == legal
        assert set(np.flatnonzero(data.optimal[row])) == (best if value else legal)
        assert np.array_equal(data.observations[row], ruleset.encode(position))
    assert data.solved.all()
    assert data.complete.all()
    assert len(data.train) + len(data.test) == len(data) == len({ruleset.canonical(each) for each in positions})
    assert min(len(data.train), len(data.test)) > 0
    if split == "random":
        assert (len(data.train), len(data.test)) == (28, 12)
    if split == "unseen_components":
        assert not components(data, data.train) & components(data, data.test)
    check_dataset(data)


def test_arrays_are_the_positions():
    heaps = make_dataset("sgai_nim(piles=[4;5;6])", 30)
    for row, text in enumerate(heaps.positions.tolist()):
        assert [heap for heap in heaps.arrays[row].tolist() if heap] == list(heaps.game().ruleset.parse(text))
    cells = make_dataset("sgai_cram(rows=3,columns=4)", 30)
    for row, text in enumerate(cells.positions.tolist()):
        assert cells.arrays[row].tolist() == [cells.game().ruleset.parse(text)]
    assert make_dataset("sgai_queen(rows=4,columns=4)", 10).arrays.shape == (10, 0)


def test_thresholds_are_kept():
    few = make_dataset("sgai_nim(piles=[3;3;3;3])", 40, split="more_heaps", at=2)
    counts = [(few.arrays[rows] > 0).sum(axis=1) for rows in (few.train, few.test)]
    assert counts[0].max() == 2 < counts[1].min() == 3
    small = make_dataset("sgai_nim(piles=[9;9])", 40, split="larger_heaps", test=0.5)
    at = small.about["split"]["at"]
    assert small.arrays[small.train].max() == at < small.arrays[small.test].max(axis=1).min()


def test_unseen_heaps_keep_their_number():
    """Heaps of the other side are drawn again, not left out: else the test would be of smaller positions."""
    data = make_dataset("sgai_nim(piles=[20;20;20;20])", 300, split="unseen_components", test=0.5, seed=1)
    means = [(data.arrays[rows] > 0).sum(axis=1).mean() for rows in (data.train, data.test)]
    assert abs(means[0] - means[1]) < 0.2
    assert means[0] > 3.5
    assert len(data.test) == 150


def test_leaks_are_found():
    data = make_dataset("sgai_nim(piles=[5;5;5])", 40, split="unseen_components", test=0.5)
    with pytest.raises(SgaiError, match=r"leaks: a component of '\["):
        check_dataset(dataclasses.replace(data, split=np.roll(data.split, 1)))
    more = make_dataset("sgai_nim(piles=[5;5;5])", 40, split="more_heaps")
    with pytest.raises(SgaiError, match=r"leaks: .* side has \d heaps"):
        check_dataset(dataclasses.replace(more, split=1 - more.split))
    twice = make_dataset("sgai_nim(piles=[5;5;5])", 40)
    rows = [*range(len(twice)), twice.train[0]]
    split = np.append(twice.split, 1).astype(np.int8)
    taken = {field.name: getattr(twice, field.name) for field in dataclasses.fields(twice)}
    doubled = {name: value[rows] if isinstance(value, np.ndarray) else value for name, value in taken.items()}
    with pytest.raises(SgaiError, match="is on both sides"):
        check_dataset(type(twice)(**{**doubled, "split": split}))


def test_mirror_images_are_on_one_side():
    """Of a board and its mirror image only one is in a data set, so that neither gives the other away."""
    data = make_dataset("sgai_cram(rows=2,columns=3)", 60, test=0.5)
    ruleset = data.game().ruleset
    forms = Counter(ruleset.canonical(ruleset.parse(text)) for text in data.positions.tolist())
    assert set(forms.values()) == {1}


@pytest.mark.parametrize("field", ["grundy", "optimal", "legal", "observations", "outcomes"])
def test_wrong_labels_are_found(field):
    data = make_dataset("sgai_nim(piles=[5;5;5])", 20)
    wrong = getattr(data, field).copy()
    wrong[7] = "" if field == "outcomes" else ~wrong[7] if wrong.dtype == bool else wrong[7] + 1
    with pytest.raises(SgaiError, match="row 7, "):
        check_dataset(dataclasses.replace(data, **{field: wrong}))


def test_what_is_not_solved_is_marked():
    data = make_dataset("sgai_grundys_game(piles=[9;9])", 30, states=5, seed=2)
    assert 0 < data.solved.sum() < 30
    assert set(data.grundy[~data.solved].tolist()) == {-1}
    assert set(data.outcomes[~data.solved].tolist()) == {""}
    assert not data.optimal[~data.complete].any()
    check_dataset(data)


def test_equal_seeds_write_equal_files(tmp_path):
    for name, seed in (("one", 3), ("same", 3), ("other", 4)):
        save_dataset(
            make_dataset("sgai_cram(rows=3,columns=4)", 40, split="unseen_components", seed=seed), tmp_path / name
        )
    one, same, other = ((tmp_path / name).read_bytes() for name in ("one", "same", "other"))
    assert one == same != other


def test_files_are_read_back_without_pickle(tmp_path):
    data = make_dataset("sgai_kayles(piles=[6;7])", 30, split="more_heaps", seed=9)
    save_dataset(data, tmp_path / "kayles.npz")
    with np.load(tmp_path / "kayles.npz", allow_pickle=False) as stored:
        about = json.loads(str(stored["about"]))
    assert (about["seed"], about["sgai"], about["game"]) == (9, sgai.__version__, "sgai_kayles(piles=[6;7])")
    assert about["split"]["kind"] == "more_heaps"
    again = load_dataset(tmp_path / "kayles.npz")
    for field in dataclasses.fields(data):
        assert np.array_equal(getattr(again, field.name), getattr(data, field.name))


def test_damaged_files_are_refused(tmp_path):
    save_dataset(make_dataset("sgai_kayles(piles=[6;7])", 10), tmp_path / "good.npz")
    good = (tmp_path / "good.npz").read_bytes()
    np.savez(tmp_path / "array.npz", positions=np.zeros(3))
    np.save(tmp_path / "single.npy", np.zeros(3))
    np.savez(tmp_path / "other.npz", about=np.array(json.dumps({"kind": "else"})))
    (tmp_path / "short.npz").write_bytes(good[: len(good) // 2])
    (tmp_path / "text.npz").write_text("positions")
    (tmp_path / "empty.npz").write_bytes(b"")
    for name in ("array.npz", "single.npy", "other.npz", "short.npz", "text.npz", "empty.npz"):
        with pytest.raises(SgaiError, match=f"{name}' is damaged or something else"):
            load_dataset(tmp_path / name)
    with pytest.raises(SgaiError, match=r"missing.npz' cannot be read: No such file"):
        load_dataset(tmp_path / "missing.npz")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"split": "randm"}, "'randm'.*did you mean 'random'"),
        ({"count": 1}, "count='1'"),
        ({"test": 1.5}, "test='1.5'"),
        ({"at": 3}, "at=3: the split 'random' has no such number"),
        ({"split": "more_heaps", "at": 9}, r"at 9: the positions have 1 to 3 heaps; choose a number from 1 to 2"),
        ({"starts": "unifrm"}, "'unifrm'.*did you mean 'uniform'"),
        ({"game": "sgai_nim(piles=[3])", "split": "more_heaps"}, "all positions have 1 heaps"),
        ({"game": "sgai_nim(piles=[1])", "split": "unseen_components"}, "1 different components"),
        ({"game": "tic_tac_toe"}, "none of sgai's games"),
    ],
)
def test_bad_options(options, words):
    given = {"game": "sgai_nim(piles=[3;4;5])", "count": 20, **options}
    with pytest.raises(SgaiError, match=words):
        make_dataset(given.pop("game"), given.pop("count"), **given)


def test_held_out_components_of_a_nim_position():
    assert parts_of(sgai.load_ruleset("kayles"), (2, 2, 5)) == {("kayles", (2,)), ("kayles", (5,))}


def test_the_command(tmp_path, capsys):
    file = str(tmp_path / "nim.npz")
    asked = ["rl", "dataset", "--game", "zhou-riis-5", "--positions", "60", "--split", "more_heaps", "--out", file]
    assert main([*asked, "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert "sgai_nim(piles=[1;3;5;7;9]): 60 positions" in shown
    assert "48 for training, 12 for the test" in shown
    assert main(["rl", "dataset", "--check", file, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["train"], found["test"], found["unsolved"]) == (48, 12, 0)
    few = str(tmp_path / "few.npz")
    assert main(["rl", "dataset", "--game", "sgai_nim(piles=[2;2])", "--out", few, "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert "5 positions" in shown
    assert "1,000 were asked for; no more different ones were found" in shown
    assert "4 for training, 1 for the test" in shown
    for wrong, words in (
        (["--out", str(tmp_path / "no" / "x.npz")], "there is no folder"),
        (["--split", "heaps"], "'heaps'"),
        (["--game", "sgai_nimm"], "'sgai_nimm'"),
    ):
        assert main([*asked, "--quiet", *wrong]) == 2
        assert words in capsys.readouterr().err
    assert main(["rl", "dataset", "--game", "sgai_nim"]) == 2
    assert "--out FILE" in capsys.readouterr().err
