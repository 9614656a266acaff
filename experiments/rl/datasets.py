"""Labelled data sets: positions with observations, outcomes, Grundy values and optimal moves, and a split."""

import contextlib
import io
import itertools
import json
import os
import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import sgai
from sgai.batch_oracle import UNKNOWN, Labels
from sgai.cell_sets import least_words, rows_of
from sgai.envs.game import SgaiGame
from sgai.envs.starts import own_game
from sgai.errors import SgaiError, quote, quote_path
from sgai.experiments.engines import Engine, Task
from sgai.experiments.rl.boards import find_benchmark
from sgai.experiments.rl.judge import DEFAULT_STATES, Judge
from sgai.experiments.rl.splits import SIDES, SPLITS, TEST, TRAIN, Split, first_positions
from sgai.experiments.rl.start_options import StartsSpec
from sgai.parameters import check_choice
from sgai.removal_values import load_compiled_search
from sgai.rulesets.heaps import HeapRuleset
from sgai.rulesets.removal import RemovalRuleset

KIND, FORMAT = "sgai labelled positions", 1
CHUNK = 500  # positions that are labelled together, and know of each other's values
_LOOKED_AT = 1000  # positions that a split looks at before it is made
_LEAST_TRIES, _TRIES = 2_000, 5  # draws in vain before there are taken to be no more; the second for each one wanted

Watch = Callable[[int], None]


@dataclass(frozen=True)
class Dataset:
    """Labelled positions; row i of every array is position i.

    Attributes
    ----------
    about : dict
        ``kind``, ``format``, ``sgai`` (its version), ``game``, ``ruleset``, ``play``, ``seed``, ``starts``, ``states``,
        ``split`` (its kind and what it chose), ``asked`` and ``found`` (numbers of positions), ``arrays``.
    positions : str array of shape (rows,)
        The positions as text.
    arrays : integer array of shape (rows, heaps or words), or of shape (rows, 0)
        Of heap games the heaps, sorted, filled up with zeros (int64); of removal games the cells as bits (uint64, cell
        i is bit ``i % 64`` of word ``i // 64``).
    observations : float32 array of shape (rows, *tensor)
        The positions as learners see them, without who moves.
    outcomes : str array of shape (rows,)
        "N" where the player to move wins, "P" where the other one does, "" where it is not known.
    grundy : int64 array of shape (rows,)
        The Grundy values under normal play; -1 where not known.
    legal, optimal : bool array of shape (rows, moves)
        The legal moves, and those that an optimal player may make: the winning ones, in lost positions all legal ones.
    solved, complete : bool array of shape (rows,)
        Whether outcome and value, and whether all winning moves, were found within the budget.
    split : int8 array of shape (rows,)
        0 for training, 1 for the test.
    """

    about: dict[str, Any]
    positions: npt.NDArray[np.str_]
    arrays: npt.NDArray[Any]
    observations: npt.NDArray[np.float32]
    outcomes: npt.NDArray[np.str_]
    grundy: npt.NDArray[np.int64]
    legal: npt.NDArray[np.bool_]
    optimal: npt.NDArray[np.bool_]
    solved: npt.NDArray[np.bool_]
    complete: npt.NDArray[np.bool_]
    split: npt.NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def train(self) -> npt.NDArray[np.int64]:
        """The rows for training."""
        return np.flatnonzero(self.split == TRAIN)

    @property
    def test(self) -> npt.NDArray[np.int64]:
        """The rows for the test."""
        return np.flatnonzero(self.split == TEST)

    def game(self) -> SgaiGame:
        """Return the OpenSpiel game that the positions are of."""
        return own_game(self.about["game"])


_ARRAYS = {
    "positions": "U",
    "arrays": "iu",
    "observations": "f",
    "outcomes": "U",
    "grundy": "i",
    "legal": "b",
    "optimal": "b",
    "solved": "b",
    "complete": "b",
    "split": "i",
}


def make_dataset(
    game: SgaiGame | str,
    count: int,
    *,
    split: str = "random",
    test: float = 0.2,
    at: int | None = None,
    starts: str = "uniform",
    seed: int = 0,
    states: int = DEFAULT_STATES,
    watch: Watch | None = None,
    engine: Engine | None = None,
) -> Dataset:
    """Draw, split and label positions.

    Parameters
    ----------
    game : SgaiGame or str
        The game, or a benchmark's name for its game.
    count : int
        How many positions; there may be fewer, where there are not so many different ones.
    split : str
        "random", "more_heaps", "larger_heaps" or "unseen_components"; see `sgai.experiments.rl.splits`.
    test : float
        Which share of the positions is held out for the test, above 0 and below 1, where there are so many; of
        "unseen_components" the share of the components too.
    at : int, optional
        For "more_heaps" and "larger_heaps" the largest number in training; by default what gives the share.
    starts : str
        How positions are drawn.
    seed : int
        Equal arguments give equal data sets, byte by byte on disk.
    states : int
        The oracle's budget for one position; what it does not solve stays in, as not solved.
    watch : callable, optional
        Called with the number of positions found since the last call.
    engine : Engine, optional
        What labels the positions, `CHUNK` of them or fewer as one task; by default this process. The labels are the
        same.

    Returns
    -------
    Dataset
        All its positions are different, also in canonical form, in the order of the draws.

    Raises
    ------
    SgaiError
        If one side of the split is empty, or arguments are bad.

    Examples
    --------
    >>> data = make_dataset("sgai_nim(piles=[3;4;5])", 20, split="more_heaps", at=2, test=0.5)
    >>> len(data), sorted({position.count(";") + 1 for position in data.positions[data.test].tolist()})
    (20, [3])
    >>> str(data.positions[0]), str(data.outcomes[0]), int(data.grundy[0]), data.arrays[0].tolist()
    ('[3;3]', 'P', 0, [3, 3, 0])
    """
    board = find_benchmark(game)
    loaded = own_game(board.game if board else game)
    check_choice("split", split, SPLITS)
    if isinstance(count, bool) or not isinstance(count, int) or count < 2:
        raise SgaiError(f"count={quote(count)}: it should be a number of positions, 2 or more")
    if not 0 < test < 1:
        raise SgaiError(f"test={quote(test)}: the share of the test should be above 0 and below 1")
    maker = SPLITS[split]
    if at is not None and split not in ("more_heaps", "larger_heaps"):
        raise SgaiError(f"at={at}: the split {split!r} has no such number")
    made = maker(loaded.ruleset) if at is None else maker(loaded.ruleset, at)
    load_compiled_search(loaded.ruleset)  # samplers and workers count states alike then
    sampler = StartsSpec.parse(starts).sampler(loaded, seed)
    if hasattr(sampler, "progress"):
        sampler.progress = 1.0
    chance = random.Random(f"{seed} split")
    made.prepare(first_positions(sampler, _LOOKED_AT), test, chance)
    sampler.seed(seed)
    found = made.settle(_draw(made, sampler.position, made.wanted(count, test), chance, watch), chance)
    sides = np.array([side for side, _ in found], dtype=np.int8)
    for side, name in enumerate(SIDES):
        if not (sides == side).any():
            raise SgaiError(
                f"split={split!r} of {quote(str(loaded))}: the {name} side is empty; take more positions, other "
                "starts, or another share"
            )
    positions = [position for _, position in found]
    labels = _labels(loaded, positions, states, engine)
    ruleset = loaded.ruleset
    return Dataset(
        {
            "kind": KIND,
            "format": FORMAT,
            "sgai": sgai.__version__,
            "game": board.game if board else game if isinstance(game, str) else str(game),
            "ruleset": str(ruleset),
            "play": loaded.play,
            "seed": seed,
            "starts": starts,
            "states": states,
            "split": {"kind": split, "test": test, **made.about()},
            "asked": count,
            "found": len(positions),
            "arrays": "heaps" if isinstance(ruleset, HeapRuleset) else _other_arrays(ruleset),
        },
        np.array([ruleset.format(position) for position in positions]),
        _arrays(ruleset, positions),
        np.stack([ruleset.encode(position) for position in positions]).astype(np.float32),
        labels.outcome,
        labels.grundy,
        labels.legal,
        labels.optimal,
        labels.solved,
        labels.complete,
        sides,
    )


def _labels(loaded: SgaiGame, positions: list[Any], states: int, engine: Engine | None) -> Labels:
    """Return the labels, found by chunks that know nothing of each other, so that workers change none of them."""
    count = -(-len(positions) // CHUNK)
    bounds = [len(positions) * place // count for place in range(count + 1)]
    chunks = [[loaded.ruleset.format(each) for each in positions[low:high]] for low, high in itertools.pairwise(bounds)]
    if engine is None:
        found = {place: _label_chunk(loaded, chunk, states) for place, chunk in enumerate(chunks)}
    else:
        found = {}
        outcomes = engine.run(Task(place, _label_chunk, (loaded, chunk, states)) for place, chunk in enumerate(chunks))
        with contextlib.closing(outcomes):
            for outcome in outcomes:
                if outcome.kind != "done":
                    low, high = bounds[outcome.index], bounds[outcome.index + 1]
                    raise SgaiError(
                        f"positions {low + 1:,} to {high:,} could not be labelled: {outcome.kind}: {outcome.reason}"
                    )
                found[outcome.index] = outcome.value
    parts = [found[place] for place in range(count)]
    names = [each.name for each in fields(Labels)]
    return Labels(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _label_chunk(loaded: SgaiGame, texts: list[str], states: int) -> Labels:
    return Judge(loaded, states).labels([loaded.ruleset.parse(text) for text in texts])


def _draw(
    split: Split, draw: Callable[[], Any], wanted: list[int], chance: random.Random, watch: Watch | None
) -> list[tuple[int, Any]]:
    """Return different positions with their sides, so many of each if there are, in the order of the draws."""
    found: list[tuple[int, Any]] = []
    seen: set[Any] = set()
    ruleset = split.ruleset
    left, in_vain = list(wanted), 0
    while any(left) and in_vain < max(_LEAST_TRIES, _TRIES * sum(wanted)):
        in_vain += 1
        for side, position in split.place(draw(), chance):
            key = split.key(position)
            if not left[side] or key in seen or next(iter(ruleset.moves(position)), None) is None:
                continue
            seen.add(key)
            found.append((side, position))
            left[side] -= 1
            in_vain = 0
            if watch is not None:
                watch(1)
    return found


def _other_arrays(ruleset: Any) -> str | None:
    return "words" if isinstance(ruleset, RemovalRuleset) else None


def _arrays(ruleset: Any, positions: list[Any]) -> npt.NDArray[Any]:
    if isinstance(ruleset, HeapRuleset):
        width = max(map(len, positions))
        return np.array([[*position, *[0] * (width - len(position))] for position in positions], dtype=np.int64)
    if isinstance(ruleset, RemovalRuleset):
        return rows_of(positions, least_words(ruleset.table.cells))
    return np.zeros((len(positions), 0), dtype=np.int64)


def save_dataset(dataset: Dataset, file: str | Path) -> None:
    """Write a data set as npz, whole or not at all.

    Raises
    ------
    SgaiError
        If it cannot be written.
    """
    path = Path(file)
    stream = io.BytesIO()
    arrays = {name: getattr(dataset, name) for name in _ARRAYS}
    np.savez_compressed(stream, about=np.array(json.dumps(dataset.about)), **arrays)
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        beside.write_bytes(stream.getvalue())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise SgaiError(f"{quote_path(path)} cannot be written: {error.strerror}") from None


def load_dataset(file: str | Path) -> Dataset:
    """Read a data set; nothing in the file is run.

    Raises
    ------
    SgaiError
        If the file is missing, damaged, or something else.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_dataset(make_dataset("sgai_kayles(piles=[5;6])", 20), f"{folder}/kayles.npz")
    ...     data = load_dataset(f"{folder}/kayles.npz")
    >>> data.about["game"], len(data), data.observations.shape
    ('sgai_kayles(piles=[5;6])', 20, (20, 6))
    """
    try:
        if not zipfile.is_zipfile(file) and Path(file).exists():
            raise ValueError("it is no npz file")
        with np.load(file, allow_pickle=False) as stored:
            found = {name: stored[name] for name in stored.files}
        about = json.loads(str(found["about"]))
        if not isinstance(about, dict) or about.get("kind") != KIND:
            raise ValueError("it is no data set of labelled positions")
        if about.get("format") != FORMAT:
            raise ValueError(f"it has the format {about.get('format')!r}, and this version reads {FORMAT}")
        rows = len(found["positions"])
        for name, kinds in _ARRAYS.items():
            if found[name].dtype.kind not in kinds or found[name].ndim < 1 or len(found[name]) != rows:
                raise ValueError(f"{name!r} is of {found[name].dtype} and shape {found[name].shape}")
    except OSError as error:
        raise SgaiError(f"data set {quote_path(file)} cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile, zipfile.LargeZipFile) as error:
        raise SgaiError(f"data set {quote_path(file)} is damaged or something else: {error}") from None
    return Dataset(about, *(found[name] for name in _ARRAYS))


def check_dataset(dataset: Dataset, *, recompute: int | None = None) -> None:
    """Check a data set: nothing leaks from one side of its split to the other, and its labels are right.

    Parameters
    ----------
    dataset : Dataset
        The data set.
    recompute : int, optional
        How many positions to label again, evenly over the rows; by default all.

    Raises
    ------
    SgaiError
        If something is wrong; the message says what, and names the row.
    """
    game = dataset.game()
    ruleset = game.ruleset
    positions = [ruleset.parse(text) for text in dataset.positions.tolist()]
    chosen = dataset.about["split"]
    check_choice("split", chosen["kind"], SPLITS)
    split = SPLITS[chosen["kind"]](ruleset, *([chosen["at"]] if "at" in chosen else []))
    sides = [[positions[row] for row in rows] for rows in (dataset.train, dataset.test)]
    keys = [{split.key(position) for position in side} for side in sides]
    both = keys[TRAIN] & keys[TEST]
    leak = f"{quote(ruleset.format(both.pop()))} is on both sides" if both else split.leak(sides[TRAIN], sides[TEST])
    if leak is not None:
        raise SgaiError(f"the split {split.kind!r} leaks: {leak}")
    rows = range(0, len(positions), max(1, len(positions) // recompute)) if recompute else range(len(positions))
    labels = Judge(game, dataset.about["states"]).labels([positions[row] for row in rows])
    for place, row in enumerate(rows):
        wrong = None
        if not np.array_equal(dataset.observations[row], ruleset.encode(positions[row])):
            wrong = "observation"
        elif not np.array_equal(dataset.legal[row], labels.legal[place]):
            wrong = "legal"
        elif dataset.solved[row] and labels.solved[place]:
            if (dataset.grundy[row], dataset.outcomes[row]) != (labels.grundy[place], labels.outcome[place]):
                wrong = "grundy"
        elif not dataset.solved[row] and (dataset.grundy[row] != UNKNOWN or dataset.outcomes[row]):
            wrong = "solved"
        if wrong is None and dataset.complete[row] and labels.complete[place]:
            wrong = None if np.array_equal(dataset.optimal[row], labels.optimal[place]) else "optimal"
        if wrong is not None:
            raise SgaiError(f"row {row}, {quote(str(dataset.positions[row]))}: its {wrong!r} is wrong")
