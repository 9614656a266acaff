"""Learning tables of beliefs: components of random plays are solved and counted."""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sgai.belief_models import BeliefModel
from sgai.belief_tables import BeliefTable, Features, Observation
from sgai.beliefs import Belief
from sgai.budget import Budget, OutOfBudget
from sgai.decomposition import decompose
from sgai.errors import SgaiError
from sgai.ruleset import Ruleset
from sgai.rulesets.graph_games import GraphRemoval
from sgai.rulesets.heaps import HeapRuleset
from sgai.rulesets.removal import RemovalRuleset
from sgai.search import refuse_loopy
from sgai.solver import Solver

AnyRuleset = Ruleset[Any, Any]

DEFAULT_LARGEST = 24
DEFAULT_STATES = 20_000
HELD_OUT = 5  # every fifth game is held out
_MOST_FRUITLESS = 200  # games in a row without a new component, after which there is nothing left to meet
_DEGREES = (1.5, 4.0)  # the average degree of random graphs


@dataclass
class Sampler:
    """Plays random games and solves the components that come up, each different one once.

    Parameters
    ----------
    rulesets : sequence of Ruleset
        Games of one name, played in turn.
    seed : int
        Equal seeds give equal observations.
    largest : int
        The largest components to solve: live cells, tokens of a heap.
    states : int
        The most states to evaluate for one component.
    vertices : int, optional
        For games on graphs: play on a new random graph with up to so many vertices every time.
    watch : callable, optional
        Called with the `Budget` of a component now and then.

    Attributes
    ----------
    games : int
        Games that were begun.
    skipped : int
        Components that were not solved within ``states``.

    Examples
    --------
    >>> import sgai
    >>> sampler = Sampler([sgai.load_ruleset("cram(rows=2,columns=3)")], seed=1)
    >>> first = next(sampler.observations())
    >>> first.features, first.most, first.value
    (Features(size=3, moves=2), 1, 1)
    """

    rulesets: Sequence[AnyRuleset]
    seed: int = 0
    largest: int = DEFAULT_LARGEST
    states: int = DEFAULT_STATES
    vertices: int | None = None
    watch: Callable[[Budget], None] | None = None
    games: int = field(default=0, init=False)
    skipped: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        """Reject what cannot be played."""
        names = sorted({each.name for each in self.rulesets})
        if len(names) != 1:
            raise SgaiError(f"a table is of one ruleset's name, not of {', '.join(names) or 'none'}")
        for each in self.rulesets:
            refuse_loopy(each)
            if self.vertices is not None and not isinstance(each, GraphRemoval):
                raise SgaiError(f"vertices={self.vertices}: {each} is not played on an undirected graph")
        self._chance = random.Random(self.seed)
        self._solver = Solver()
        self._seen: set[tuple[AnyRuleset, Any]] = set()

    def observations(self) -> Iterator[Observation]:
        """Yield the components that are solved; ends when random games bring nothing new for long."""
        model = BeliefModel()
        fruitless = 0
        while fruitless < _MOST_FRUITLESS:
            before = len(self._seen)
            ruleset = self._next_ruleset()
            for part in self._components_of_a_play(ruleset, self._start(ruleset)):
                value = self._value(*part)
                if value is not None:
                    features = Features.of(*part)
                    yield Observation(features, model.most(part[0], features), value, self.games)
            fruitless = fruitless + 1 if len(self._seen) == before else 0
            self.games += 1

    def _next_ruleset(self) -> AnyRuleset:
        ruleset = self.rulesets[self.games % len(self.rulesets)]
        if self.vertices is not None:
            edges: dict[str, Any] = {"edges": _random_edges(self._chance, self.vertices)}
            ruleset = type(ruleset)(**edges)
            self._solver = Solver()  # the values of a graph that will not come again need no room
        return ruleset

    def _start(self, ruleset: AnyRuleset) -> Any:
        """Return a start of random size where positions of other sizes are at hand, else the initial position."""
        position = ruleset.initial()
        if isinstance(ruleset, HeapRuleset):
            return (self._chance.randint(1, self.largest),)
        if isinstance(ruleset, RemovalRuleset) and ruleset.table.shape and ruleset.table.translates:
            rows, columns = ruleset.table.shape
            high, wide = self._chance.randint(1, rows), self._chance.randint(1, columns)
            row = (1 << wide) - 1
            return position & (sum(row << columns * i for i in range(high)) | ruleset.always_live())
        return position

    def _components_of_a_play(self, ruleset: AnyRuleset, position: Any) -> Iterator[tuple[AnyRuleset, Any]]:
        while True:
            for part in decompose(ruleset, position):
                form = part.ruleset, part.ruleset.canonical(part.position)
                if form not in self._seen and self._is_wanted(*form):
                    self._seen.add(form)
                    yield form
            options = ruleset.options(position)
            if not options:
                return
            position = self._chance.choice(options)

    def _is_wanted(self, ruleset: AnyRuleset, position: Any) -> bool:
        size = Features.of(ruleset, position, 0).size
        return size is None or 0 < size <= self.largest

    def _value(self, ruleset: AnyRuleset, position: Any) -> int | None:
        try:
            return self._solver.grundy(ruleset, position, Budget(self.states, watch=self.watch))
        except OutOfBudget:
            self.skipped += 1
            return None


def _random_edges(chance: random.Random, most: int) -> list[tuple[int, ...]]:
    vertices = chance.randint(2, max(2, most))
    share = min(1.0, chance.uniform(*_DEGREES) / (vertices - 1))
    edges: list[tuple[int, ...]] = [(a, b) for b in range(vertices) for a in range(b) if chance.random() < share]
    return edges or [(0, 1)]


class LogLosses(NamedTuple):
    """How well beliefs foretell the values of components that they were not learned from: less is better, in nats.

    Attributes
    ----------
    components : int
        How many were held out.
    table, generic, uniform : float
        The average of minus the logarithm of the probability of the true value: by the table of all other components,
        by the number of moves alone, and with all values that are not proved impossible equally likely.
    """

    components: int
    table: float
    generic: float
    uniform: float


def held_out_losses(ruleset: str, observations: Sequence[Observation]) -> LogLosses | None:
    """Learn from four of five games and judge by the fifth; None where there are too few games for that.

    Examples
    --------
    >>> import itertools, sgai
    >>> sampler = Sampler([sgai.load_ruleset("cram(rows=4,columns=4)")], seed=1)
    >>> losses = held_out_losses("cram", list(itertools.islice(sampler.observations(), 60)))
    >>> losses.table < losses.generic < losses.uniform
    True
    """
    learned = [each for each in observations if each.game % HELD_OUT != HELD_OUT - 1]
    held_out = [each for each in observations if each.game % HELD_OUT == HELD_OUT - 1]
    if not learned or not held_out:
        return None
    with_table, generic = BeliefModel([BeliefTable(ruleset, learned)]), BeliefModel()

    def loss(model: BeliefModel) -> float:
        beliefs = (Belief.from_weights(model.weights(ruleset, each.features, each.most)) for each in held_out)
        pairs = zip(beliefs, held_out, strict=True)
        return sum(-math.log(belief.probability(each.value)) for belief, each in pairs) / len(held_out)

    uniform = sum(math.log(each.most + 1) for each in held_out) / len(held_out)
    return LogLosses(len(held_out), loss(with_table), loss(generic), uniform)
