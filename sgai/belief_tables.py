"""Tables of beliefs: how often components of a size and a number of moves had which Grundy value."""

import contextlib
import itertools
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sgai.beliefs import Floats
from sgai.errors import SgaiError, quote, quote_path
from sgai.ruleset import Ruleset
from sgai.rulesets.removal import RemovalRuleset

FORMAT = 1
MOST_COUNTED = 4096  # moves of a component; where there are more, larger values are not believed in
_PRIOR_SAMPLES = 20.0  # how many samples the larger group counts for; chosen on held-out components of five games
_SCALE, _ZERO, _ZERO_OF_ONE_MOVE = 0.85, 0.5, 0.05  # fitted: see `generic_weights`

_Group = tuple[int | None, int | None]  # components of a size, with a number of moves


class Features(NamedTuple):
    """What a table knows a component by.

    Attributes
    ----------
    size : int or None
        Live cells of a removal game, tokens of a heap; None for other games.
    moves : int
        How many moves there are.
    """

    size: int | None
    moves: int

    @classmethod
    def of(cls, ruleset: Ruleset[Any, Any], position: Any, moves: int | None = None) -> "Features":
        """Return the features of a component; its moves are counted where their number is not given.

        Examples
        --------
        >>> import sgai
        >>> cram = sgai.load_ruleset("cram(rows=2,columns=3)")
        >>> Features.of(cram, cram.initial())
        Features(size=6, moves=7)
        """
        if moves is None:
            moves = sum(1 for _ in itertools.islice(ruleset.moves(position), MOST_COUNTED))
        if isinstance(ruleset, RemovalRuleset):
            return cls((position & ~ruleset.always_live()).bit_count(), moves)
        return cls(ruleset.heap_of(position), moves)


class Observation(NamedTuple):
    """A solved component: its features, its value, and a bound on the value that needs no search.

    Attributes
    ----------
    features : Features
        What a table knows it by.
    most : int
        A proved bound on the value.
    value : int
        The Grundy value.
    game : int
        The number of the random game that it was met in first.
    """

    features: Features
    most: int
    value: int
    game: int = 0


def generic_weights(moves: int, most: int) -> Floats:
    """Return what is believed of the values 0 to ``most`` of a component of any game, not scaled.

    Proportional to exp(-value / (0.85 log2(moves + 1))), and for the value 0 to (1 - 0.95 / moves) / 2. Form and
    constants are fitted by maximum likelihood to components of up to 32 cells of random plays of Cram, Node Kayles, Arc
    Kayles, Kayles on graphs and polyomino placement, all games with the same weight and large components with more,
    and rounded. Games in which values grow like the number of moves, as in Nim, are not foretold by it.

    Examples
    --------
    >>> (generic_weights(4, 2) / generic_weights(4, 2).sum()).round(2).tolist()
    [0.28, 0.45, 0.27]
    """
    moves = max(moves, 1)
    weights = np.exp(np.arange(most + 1) / (-_SCALE * math.log2(moves + 1)))
    np.maximum(weights, np.finfo(np.float64).tiny, out=weights)
    weights[0] = _ZERO * (1 - (1 - _ZERO_OF_ONE_MOVE) / moves)
    return np.asarray(weights)


class BeliefTable:
    """How often components of one game had which value, by their features.

    Parameters
    ----------
    ruleset : str
        The name of the ruleset.
    observations : iterable of Observation
        What was solved.
    learned : mapping
        Where they are from, for people: rulesets, seed and so on; plain values.

    Examples
    --------
    >>> table = BeliefTable("cram", [Observation(Features(2, 1), 1, 1)] * 200)
    >>> weights = table.weights(Features(2, 1), 1)
    >>> bool(weights[1] > 0.9), bool(weights[0] > 0)
    (True, True)
    """

    def __init__(
        self, ruleset: str, observations: Iterable[Observation] = (), learned: Mapping[str, Any] | None = None
    ) -> None:
        self.ruleset = ruleset
        self.learned = dict(learned or {})
        self._cells: dict[Features, dict[int, int]] = {}
        self._counts: dict[_Group, dict[int, int]] = {}  # by all groups of features
        for each in observations:
            self._add(each.features, each.value, 1)

    def __len__(self) -> int:
        """Return the number of components that were counted."""
        return sum(sum(values.values()) for values in self._cells.values())

    def _add(self, features: Features, value: int, count: int) -> None:
        places = [self._cells.setdefault(features, {})]
        places += [self._counts.setdefault(group, {}) for group in _groups(features)]
        for place in places:
            place[value] = place.get(value, 0) + count

    def weights(self, features: Features, most: int) -> Floats:
        """Return the probabilities of the values 0 to ``most``, none of them 0.

        Every group of components, from the largest on, is smoothed towards the one before it, which counts like a few
        samples (the Dirichlet prior of D. J. C. MacKay and L. C. Bauman Peto, *A hierarchical Dirichlet language
        model*, 1995); `generic_weights` comes before all.
        """
        weights = generic_weights(features.moves, most)
        weights /= weights.sum()
        before: dict[int, int] | None = None
        for group in _groups(features):
            counts = self._counts.get(group)
            if counts and counts != before:  # a group that leaves nobody out says nothing new
                weights *= _PRIOR_SAMPLES
                for value, count in counts.items():
                    if value <= most:
                        weights[value] += count
                weights /= weights.sum()
            before = counts
        return weights

    def save(self, file: Path) -> None:
        """Write the table as JSON; the file is replaced as a whole or not at all.

        Raises
        ------
        SgaiError
            If it cannot be written.
        """
        beside = file.with_name(f"{file.name}.{os.getpid()}.part")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            beside.write_text(self._text(), encoding="utf-8")
            beside.replace(file)
        except OSError as error:
            with contextlib.suppress(OSError):
                beside.unlink(missing_ok=True)
            raise SgaiError(f"the table {quote_path(file)} cannot be written: {error.strerror}") from None

    def _text(self) -> str:
        head = {"format": FORMAT, "ruleset": self.ruleset, "learned": self.learned}
        rows = [[size, moves, _listed(values)] for (size, moves), values in self._sorted()]
        body = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
        return f'{json.dumps(head, indent=1)[:-2]},\n "counts": [\n{body}\n]}}\n'

    def _sorted(self) -> list[tuple[Features, dict[int, int]]]:
        return sorted(self._cells.items(), key=lambda item: (item[0].size is None, item[0].size or 0, item[0].moves))

    @classmethod
    def parse(cls, text: str, source: str) -> "BeliefTable":
        """Read a table that `save` wrote; ``source`` says in messages where the text is from.

        Raises
        ------
        SgaiError
            If the text is no such table; the message says what is wrong.
        """
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise SgaiError(f"{quote_path(source)} is no table of beliefs, it is no JSON: {error}") from None
        if not isinstance(data, dict) or not isinstance(data.get("counts"), list):
            raise SgaiError(f"{quote_path(source)} is no table of beliefs; `sgai learn-beliefs` writes them")
        if data.get("format") != FORMAT:
            raise SgaiError(
                f"{quote_path(source)} has format {quote(data.get('format'))}, this version reads {FORMAT}; "
                "learn it again"
            )
        if not isinstance(data.get("ruleset"), str) or not isinstance(data.get("learned"), dict):
            raise SgaiError(f"{quote_path(source)} lacks the name of its ruleset, or where it was learned")
        table = cls(data["ruleset"], learned=data["learned"])
        for row in data["counts"]:
            try:
                features, counts = _read_row(row)
            except (TypeError, ValueError):
                raise SgaiError(
                    f"{quote_path(source)} has a row {quote(row)}; it should be "
                    "[size or null, moves, [how often 0, 1, ...]]"
                ) from None
            for value, count in counts:
                table._add(features, value, count)
        return table

    @classmethod
    def load(cls, file: str | Path) -> "BeliefTable":
        """Read a table from a file.

        Raises
        ------
        SgaiError
            If the file cannot be read or is no table.
        """
        try:
            text = Path(file).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise SgaiError(f"{quote_path(file)} is no table of beliefs, it is no text") from None
        except OSError as error:
            raise SgaiError(f"the table {quote_path(file)} cannot be read: {error.strerror}") from None
        return cls.parse(text, str(file))


def _groups(features: Features) -> Iterator[_Group]:
    """Yield the groups of components that features belong to, the largest first."""
    yield None, features.moves
    if features.size is not None:
        yield features.size, None
        yield features.size, features.moves


def _listed(values: Mapping[int, int]) -> list[int]:
    return [values.get(value, 0) for value in range(max(values) + 1)]


def _read_row(row: Any) -> tuple[Features, list[tuple[int, int]]]:
    size, moves, counts = row
    numbers = [moves, *counts, *([] if size is None else [size])]
    if any(type(number) is not int or number < 0 for number in numbers):
        raise ValueError
    if len(counts) > moves + 1:
        raise ValueError  # a value above the number of moves is impossible
    return Features(size, moves), [(value, count) for value, count in enumerate(counts) if count]
