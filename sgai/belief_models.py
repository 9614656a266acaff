"""Models of belief: what to expect of the Grundy value of a component that is not solved.

Only for normal play and disjunctive sums of components that are proved independent: elsewhere a belief may be no more
than a prior that search overrides.
"""

import functools
import importlib.resources
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from sgai.belief_tables import BeliefTable, Features, generic_weights
from sgai.beliefs import MOST_VALUES, Belief, Floats, loss_probability
from sgai.errors import SgaiError, quote
from sgai.parameters import check_integer
from sgai.ruleset import Component, Ruleset
from sgai.rulesets.removal import RemovalRuleset

AnyRuleset = Ruleset[Any, Any]
Known = Callable[[AnyRuleset, Any], int | None]
Excluded = Callable[[AnyRuleset, Any], Iterable[int]]

_MOST_KEPT = 4096  # beliefs with more values are made anew each time, for they would fill the memory


class BeliefModel:
    """Says what to believe of components: from tables by the name of their ruleset, else from their number of moves.

    No value is given the probability 0 unless it is proved impossible: a Grundy value is at most the number of moves,
    and at most the number of moves of the longest play.

    Parameters
    ----------
    tables : iterable of BeliefTable
        At most one a ruleset counts, the last one.

    Examples
    --------
    >>> import sgai
    >>> cram = sgai.load_ruleset("cram(rows=2,columns=2)")
    >>> model = BeliefModel()
    >>> model.belief(cram, cram.initial())
    Belief(0: 0.283, 1: 0.447, 2: 0.27)
    >>> model.belief(cram, cram.initial(), excluded=[1, 2]).known
    0
    """

    def __init__(self, tables: Iterable[BeliefTable] = ()) -> None:
        self._tables: dict[str, BeliefTable | None] = {table.ruleset: table for table in tables}
        self._uses_shipped = False
        self._kept: dict[tuple[str, Features, int], Belief] = {}
        self._least_kills: dict[AnyRuleset, int] = {}

    @classmethod
    def shipped(cls) -> "BeliefModel":
        """Return a model with the tables that come with sgai, each read when it is first needed.

        Examples
        --------
        >>> BeliefModel.shipped().table("cram").ruleset
        'cram'
        """
        return cls.load()

    @classmethod
    def load(cls, *files: str | Path) -> "BeliefModel":
        """Return a model with tables from files, and the shipped ones of all other rulesets.

        Raises
        ------
        SgaiError
            If a file cannot be read or is no table.
        """
        model = cls(BeliefTable.load(file) for file in files)
        model._uses_shipped = True
        return model

    def table(self, name: str) -> BeliefTable | None:
        """Return the table for a ruleset's name, or None."""
        if name not in self._tables:
            self._tables[name] = shipped_table(name) if self._uses_shipped else None
        return self._tables[name]

    def belief(
        self, ruleset: AnyRuleset, position: Any, moves: int | None = None, excluded: Iterable[int] = ()
    ) -> Belief:
        """Return what to believe of a component that is not solved.

        Parameters
        ----------
        ruleset : Ruleset
            The rules of the component.
        position : hashable
            A position that splits no further.
        moves : int, optional
            How many moves it has, where that has been counted.
        excluded : iterable of int
            Values that are proved impossible.

        Raises
        ------
        SgaiError
            If all values are excluded.
        """
        features = Features.of(ruleset, position, moves)
        most = self.most(ruleset, features)
        key = ruleset.name, features, most
        belief = self._kept.get(key)
        if belief is None:
            if features.moves < 0:
                raise SgaiError(f"moves={features.moves!r}: there are 0 or more")
            belief = Belief.from_weights(self.weights(ruleset.name, features, most))
            if most < _MOST_KEPT:
                self._kept[key] = belief
        return belief.strike(excluded)

    def most(self, ruleset: AnyRuleset, features: Features) -> int:
        """Return a bound on the Grundy values of components with such features that needs no search.

        A value g needs g options, and a play of g moves: each move leads to a position of the next lower value. Values
        of a million and more are left out.
        """
        if isinstance(ruleset, RemovalRuleset) and features.size is not None:
            least = self._least_kills.get(ruleset)
            if least is None:
                pairs = zip(ruleset.table.needs, ruleset.table.kills, strict=True)
                least = min(((need & kill).bit_count() for need, kill in pairs), default=1)
                self._least_kills[ruleset] = least
            return min(features.moves, features.size // least)
        return min(features.moves, MOST_VALUES - 1)

    def weights(self, name: str, features: Features, most: int) -> Floats:
        """Return the probabilities of the values 0 to ``most`` of a component, not scaled."""
        table = self.table(name)
        return generic_weights(features.moves, most) if table is None else table.weights(features, most)

    def beliefs(
        self, parts: Iterable[Component], known: Known | None = None, excluded: Excluded | None = None
    ) -> list[Belief]:
        """Return what to believe of each component: a point where its value is known.

        Parameters
        ----------
        parts : iterable of Component
            Independent components that split no further.
        known : callable, optional
            Called with a ruleset and a position; returns its proved value, or None.
        excluded : callable, optional
            Called likewise for what is not known; returns values that are proved impossible.
        """
        found = []
        for ruleset, position, *_ in parts:
            value = None if known is None else known(ruleset, position)
            if value is not None:
                found.append(Belief.point(value))
            else:
                struck = () if excluded is None else excluded(ruleset, position)
                found.append(self.belief(ruleset, position, excluded=struck))
        return found

    def loss_probability(
        self,
        parts: Iterable[Component],
        heap: int = 0,
        known: Known | None = None,
        excluded: Excluded | None = None,
    ) -> float:
        """Return the probability that the player to move in a sum loses.

        Parameters
        ----------
        parts : iterable of Component
            As of `beliefs`; the parts of a `sgai.cores.core.Sum`.
        heap : int
            The nim-sum of all components that are solved.
        known, excluded : callable, optional
            As of `beliefs`.

        Examples
        --------
        >>> import sgai
        >>> kayles = sgai.load_ruleset("kayles")
        >>> model = BeliefModel()
        >>> model.loss_probability([sgai.Component(kayles, (5,))], heap=4, known=sgai.Solver().grundy)
        1.0
        >>> round(model.loss_probability([sgai.Component(kayles, (5,))], heap=4), 3)
        0.083
        """
        return loss_probability([Belief.point(heap), *self.beliefs(parts, known, excluded)])

    def table_array(
        self, ruleset: AnyRuleset, values: int = 16, most_moves: int = 64, most_cells: int | None = None
    ) -> Floats:
        """Return the distributions as one array, for compiled code.

        Parameters
        ----------
        ruleset : Ruleset
            The game.
        values : int
            How many values; larger ones are left out, and the others scaled up to a sum of 1.
        most_moves : int
            The largest number of moves; more are treated like so many.
        most_cells : int, optional
            The largest size; without it the distributions are by moves alone.

        Returns
        -------
        numpy.ndarray of float64, shape (most_moves + 1, values) or (most_cells + 1, most_moves + 1, values)
            At [moves] or [size, moves] the probabilities of the values.

        Examples
        --------
        >>> import sgai
        >>> array = BeliefModel().table_array(sgai.load_ruleset("cram"), values=4, most_moves=2)
        >>> array.round(2).tolist()
        [[1.0, 0.0, 0.0, 0.0], [0.07, 0.93, 0.0, 0.0], [0.27, 0.49, 0.23, 0.0]]
        """
        for name, number, least in (
            ("values", values, 1),
            ("most_moves", most_moves, 0),
            ("most_cells", most_cells, 0),
        ):
            if number is not None and check_integer(number) < least:
                raise SgaiError(f"{name}={quote(number)}: it is {least} or more")
        sizes: list[int | None] = [None] if most_cells is None else list(range(most_cells + 1))
        found = np.zeros((len(sizes), most_moves + 1, values))
        for row, size in zip(found, sizes, strict=True):
            for moves in range(most_moves + 1):
                features = Features(size, moves)
                most = self.most(ruleset, features)
                weights = self.weights(ruleset.name, features, most)[:values]
                row[moves, : len(weights)] = weights / weights.sum()
        return found[0] if most_cells is None else found


@functools.cache
def shipped_table(name: str) -> BeliefTable | None:
    """Return the table of a ruleset that comes with sgai, or None where there is none."""
    file = importlib.resources.files("sgai") / "data" / "beliefs" / f"{name}.json"
    return BeliefTable.parse(file.read_text(encoding="utf-8"), f"{name}.json") if file.is_file() else None
