"""The XOR prior: how likely the player to move loses a sum, by what is known and believed of its parts.

It guides a search and decides nothing. Parts that the rules split only approximately (`Ruleset.approximate_components`)
are believed to be worth the XOR of those pieces, no more.
"""

import functools
from collections.abc import Iterable
from typing import Any

from sgai.belief_models import BeliefModel
from sgai.beliefs import Belief, loss_probability, sum_belief
from sgai.budget import Budget
from sgai.decomposition import decompose
from sgai.errors import SgaiError
from sgai.ruleset import Component, Ruleset
from sgai.solver import Solver

AnyPart = tuple[Any, Any]

_FEW_STATES = 500  # tried to solve one approximate component
_MOST_KEPT = 200_000
_MOST_VALUES = 4096  # of an approximate split that is believed


class XorPrior:
    """The probability that the player to move in a sum loses, for any rulesets; called with parts and a nim-heap.

    Parameters
    ----------
    solver : Solver
        Whose values are looked up.
    model : BeliefModel, optional
        What to believe of what is not solved, kept as ``model``; by default the shipped tables.
    trust : float
        How far an approximate split is believed, from 0 (not at all) to 1 (as if it were proved).

    Examples
    --------
    >>> import sgai
    >>> prior = XorPrior(Solver())
    >>> nim = sgai.load_ruleset("nim")
    >>> prior.of_position(nim, (3, 5, 6))
    1.0
    >>> 0 < prior([sgai.Component(nim, (3,)), sgai.Component(nim, (5,))], heap=6) < 1
    True
    """

    def __init__(self, solver: Solver, model: BeliefModel | None = None, *, trust: float = 0.5) -> None:
        if not 0 <= trust <= 1:
            raise SgaiError(f"trust={trust!r}: it should be from 0 to 1")
        self._solver, self._trust = solver, trust
        self.model = model or _shipped_model()
        self._kept: dict[AnyPart, Belief] = {}
        self._time: Budget | None = None

    def limit(self, time: Budget | None) -> None:
        """Take no more time for pieces that are not solved: after it they are believed what the model says."""
        self._time = time

    def __call__(self, parts: Iterable[Component], heap: int = 0) -> float:
        """Return the probability that the player to move loses a sum of parts that are not solved, and a nim-heap."""
        return loss_probability([Belief.point(heap), *map(self._guess, parts)])

    def beliefs(self, parts: Iterable[Component]) -> list[Belief]:
        """Return what is known or believed of each part: a point where its value is proved."""
        return [self._belief(part) for part in parts]

    def of_position(self, ruleset: Ruleset[Any, Any], position: Any) -> float:
        """Return the probability that the player to move loses a position, by what is known or believed of it."""
        return loss_probability(self.beliefs(Component(*each[:2], True) for each in decompose(ruleset, position)))

    def _belief(self, part: Component) -> Belief:
        ruleset, position = part.ruleset, part.position
        value = self._solver.table.known(ruleset, position)
        if value is not None and (self._trust < 1 or not ruleset.approximate_components(position)):
            return Belief.point(value)
        belief = self._guess(part)
        excluded = self._solver.table.excluded(ruleset, position)
        return belief.strike(excluded) if excluded and belief.known is None else belief

    def _guess(self, part: Component) -> Belief:
        key = part[:2]
        belief = self._kept.get(key)
        if belief is None:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            belief = self._of_unsolved(part)
            if self._time is None or not self._time.is_late():
                self._kept[key] = belief
        return belief

    def _of_unsolved(self, part: Component) -> Belief:
        belief = self.model.belief(part.ruleset, part.position)
        split = part.ruleset.approximate_components(part.position)
        if not split or not self._trust or (self._time is not None and self._time.is_late()):
            return belief
        pieces = [self._of_piece(*piece[:2]) for each in split for piece in decompose(each.ruleset, each.position)]
        return _mixed(belief, sum_belief(pieces), self._trust)

    def _of_piece(self, ruleset: Ruleset[Any, Any], position: Any) -> Belief:
        table = self._solver.table
        value = table.known(ruleset, position)
        if value is None:
            left = None if self._time is None else self._time.seconds_left()
            few = Budget(_FEW_STATES, None if left is None else max(1e-6, left))
            value = table.value_if_small(ruleset, position, few)
        return self.model.belief(ruleset, position) if value is None else Belief.point(value)


@functools.cache
def _shipped_model() -> BeliefModel:
    return BeliefModel.shipped()


def _mixed(belief: Belief, other: Belief, share: float) -> Belief:
    size = 1 + max(belief.largest, other.largest)
    if size > _MOST_VALUES:
        return belief
    return Belief.from_weights((1 - share) * belief.array(size) + share * other.array(size))
