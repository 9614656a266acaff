"""Explicit graphs: the states that play can reach and their options, kept as arrays and evaluated all at once.

A state is a component that splits no further, in canonical form. An option of it is one state, or the disjunctive sum
of several and of a nimber, which stands for the heaps among the components.
"""

from array import array
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sgai.budget import Budget, OutOfBudget
from sgai.decomposition import decompose
from sgai.errors import SgaiError, quote
from sgai.graph_evaluation import Evaluation, Numbers, boundless
from sgai.registry import load_ruleset
from sgai.ruleset import Ruleset
from sgai.search import State, StateTable

if TYPE_CHECKING:
    from sgai.loopy_graph import LoopyValues

_LARGEST_BASE = 2**62  # nimbers beyond are no nearer to any mex than this one, and it fits an array


def _none() -> Numbers:
    return np.zeros(0, dtype=np.int64)


class GraphState(NamedTuple):
    """A state of an explicit graph that was made from a ruleset: the rules, and the position in canonical form."""

    ruleset: Ruleset[Any, Any]
    position: Any


@dataclass(frozen=True, eq=False)
class ExplicitGraph:
    """A game as a graph in compressed sparse rows.

    It takes four bytes an edge and eight a state, and 20 more a state while it is evaluated; the states themselves come
    on top of that. A graph with sums takes 24 more for each option.

    Attributes
    ----------
    states : sequence
        What the vertices stand for; the other arrays know them by their numbers.
    starts : int64 array, one longer than ``states``
        The options of state v are ``starts[v]`` to ``starts[v + 1]`` - 1.
    targets : int32 array
        The state that each option is; where there are sums, the states that the options consist of.
    part_starts : int64 array
        Empty, or for graphs with sums: option i consists of the states ``targets[part_starts[i]]`` to
        ``targets[part_starts[i + 1] - 1]`` and a nimber.
    bases, base_plays : int64 arrays
        For graphs with sums: the nimbers, and the longest plays from them, -1 where these are not known.

    Raises
    ------
    SgaiError
        If the arrays do not fit each other.

    Examples
    --------
    >>> graph = ExplicitGraph.from_successors({"a": ["b", "c"], "b": ["c"], "c": []})
    >>> graph.grundy_values().tolist(), graph.longest_plays().tolist()
    ([2, 1, 0], [2, 1, 0])
    """

    states: Sequence[Hashable]
    starts: Numbers
    targets: Numbers
    part_starts: Numbers = field(default_factory=_none)
    bases: Numbers = field(default_factory=_none)
    base_plays: Numbers = field(default_factory=_none)

    def __post_init__(self) -> None:
        """Bring the arrays to their types, and reject what is no graph."""
        for name in ("starts", "targets", "part_starts", "bases", "base_plays"):
            object.__setattr__(self, name, _integers(name, getattr(self, name)))
        _check_rows("starts", self.starts, len(self.states))
        options = len(self.targets)
        if len(self.part_starts):
            options = len(self.part_starts) - 1
            _check_rows("part_starts", self.part_starts, options, len(self.targets))
            if not len(self.bases) == len(self.base_plays) == options or self.bases.min(initial=0) < 0:
                raise SgaiError(f"bases and base_plays should be two numbers of {options:,} options, bases >= 0")
        if self.starts[-1] != options:
            raise SgaiError(f"starts should end with {options:,}, the number of options, not {self.starts[-1]:,}")
        if len(self.states) >= 2**31:
            raise SgaiError(f"{len(self.states):,} states are too many: a graph has fewer than {2**31:,}")
        wrong = np.flatnonzero((self.targets < 0) | (self.targets >= len(self.states)))
        if len(wrong):
            raise SgaiError(
                f"targets[{wrong[0]}]={self.targets[wrong[0]]} is no state: they run from 0 to {len(self.states) - 1}"
            )
        object.__setattr__(self, "targets", self.targets.astype(np.int32, copy=False))

    @classmethod
    def from_successors(cls, successors: Mapping[Any, Iterable[Any]]) -> "ExplicitGraph":
        """Make a graph from successor lists; vertices without a list of their own have no options.

        Examples
        --------
        >>> ExplicitGraph.from_successors({2: [1, 0], 1: [0]}).states
        [2, 1, 0]
        """
        numbers: dict[Any, int] = {vertex: i for i, vertex in enumerate(successors)}
        starts, targets = array("q", [0]), array("i")
        for vertex, following in successors.items():
            try:
                targets.extend([numbers.setdefault(each, len(numbers)) for each in following])
            except TypeError:
                raise SgaiError(f"the successors of {quote(vertex)} should be a list of vertices") from None
            starts.append(len(targets))
        starts.extend([len(targets)] * (len(numbers) - len(successors)))
        return cls(list(numbers), np.asarray(starts), np.asarray(targets))

    @classmethod
    def from_edges(cls, sources: Any, targets: Any, states: int | None = None) -> "ExplicitGraph":
        """Make a graph from two arrays, where edge i leads from state ``sources[i]`` to state ``targets[i]``.

        Parameters
        ----------
        sources, targets : integer arrays of one length
            The edges, in any order.
        states : int, optional
            The number of states; by default one more than the largest that occurs.

        Examples
        --------
        >>> ExplicitGraph.from_edges([2, 1, 2], [1, 0, 0]).grundy_values().tolist()
        [0, 1, 2]
        """
        sources, targets = _integers("sources", sources), _integers("targets", targets)
        if len(sources) != len(targets):
            raise SgaiError(f"{len(sources):,} sources and {len(targets):,} targets are no list of edges")
        if states is None:
            states = int(max(sources.max(initial=-1), targets.max(initial=-1))) + 1
        if len(sources) and not 0 <= sources.min() <= sources.max() < states:
            raise SgaiError(f"sources should be states: they run from 0 to {states - 1}")
        if (sources[1:] < sources[:-1]).any():
            targets = targets[np.argsort(sources, kind="stable")]
        starts = np.zeros(states + 1, dtype=np.int64)
        np.cumsum(np.bincount(sources, minlength=states), out=starts[1:])
        return cls(range(states), starts, targets)

    @classmethod
    def from_ruleset(
        cls, ruleset: Ruleset[Any, Any] | str, position: Any = None, budget: Budget | None = None
    ) -> "ExplicitGraph":
        """Walk through all states that play from a position can reach.

        Positions are split into components and these brought to canonical form, as by `Solver`. Heaps are no states:
        their values are known from their sequences.

        Parameters
        ----------
        ruleset : Ruleset or str
            The rules, or their text.
        position : hashable, optional
            A position of them; by default the initial one. Its components come first among the states.
        budget : Budget, optional
            How many states, and how much time to take.

        Returns
        -------
        ExplicitGraph
            Its states are `GraphState`.

        Raises
        ------
        OutOfBudget
            If there are more states than that.

        Examples
        --------
        >>> graph = ExplicitGraph.from_ruleset("king(rows=2,columns=2,at=[1;1])")
        >>> [state.position for state in graph.states], graph.grundy_values().tolist()
        ([(1, 1), (0, 1), (1, 0), (0, 0)], [2, 1, 1, 0])
        """
        ruleset = load_ruleset(ruleset)
        position = ruleset.initial() if position is None else ruleset.validate(position)
        return _Explorer().walk(ruleset, position, budget or Budget())

    def __len__(self) -> int:
        return len(self.states)

    def format(self, number: int) -> str:
        """Write a state as text."""
        state = self.states[number]
        return state.ruleset.format(state.position) if isinstance(state, GraphState) else str(state)

    def grundy_values(self, budget: Budget | None = None) -> Numbers:
        """Return the Grundy values of all states.

        Parameters
        ----------
        budget : Budget, optional
            How many states, and how much time to take; by default as much as it takes.

        Returns
        -------
        numpy.ndarray of int32, read-only

        Raises
        ------
        LoopError
            If play can come back to a state; it names the cycle.
        OutOfBudget
            If the budget ends first; a second call goes on.

        Notes
        -----
        Time and memory are linear in the graph. With a million edges or more compiled code does the work.
        """
        kept: Numbers | None = self.__dict__.get("_values")
        if kept is None:
            kept = self.__dict__["_values"] = _read_only(self._evaluated(budget).values())
        return kept

    def longest_plays(self, budget: Budget | None = None) -> Numbers:
        """Return the number of moves of the longest play from each state, -1 where it is not known.

        Examples
        --------
        >>> ExplicitGraph.from_successors({3: [2, 0], 2: [1], 1: []}).longest_plays().tolist()
        [2, 1, 0, 0]
        """
        kept: Numbers | None = self.__dict__.get("_longest")
        if kept is None:
            kept = self.__dict__["_longest"] = _read_only(self._evaluated(budget).longest_plays(budget or boundless()))
        return kept

    def loopy_values(self, budget: Budget | None = None) -> "LoopyValues":
        """Return the loopy values of all states, for graphs with cycles; see `sgai.loopy_graph.loopy_values`.

        Examples
        --------
        >>> found = ExplicitGraph.from_successors({"a": ["b", "x"], "b": ["a"], "x": ["end"]}).loopy_values()
        >>> [str(found.value(i)) for i in range(4)]
        ['inf(1)', 'inf()', '1', '0']
        """
        kept: LoopyValues | None = self.__dict__.get("_loopy_values")
        if kept is None:
            from sgai.loopy_graph import loopy_values  # needs graphs itself

            kept = self.__dict__["_loopy_values"] = loopy_values(self, budget)
        return kept

    def _evaluated(self, budget: Budget | None) -> Evaluation:
        # While it goes on it is nobody's, since Ctrl-C may leave it half done.
        evaluation: Evaluation = self.__dict__.pop("_evaluation", None) or Evaluation(self)
        try:
            evaluation.run(0, len(self.states), budget or boundless())
        except OutOfBudget:
            self.__dict__["_evaluation"] = evaluation
            raise
        self.__dict__["_evaluation"] = evaluation
        return evaluation


class _Explorer(StateTable):
    """Knows components, canonical forms and heaps as the generic solver does, and lists states instead of solving."""

    def walk(self, ruleset: Ruleset[Any, Any], position: Any, budget: Budget) -> ExplicitGraph:
        numbers: dict[State, int] = {}
        starts, part_starts, targets = array("q", [0]), array("q", [0]), array("i")
        bases, base_plays = array("q"), array("q")
        found: list[State] = []

        def number(state: State) -> int:
            known = numbers.setdefault(state, len(found))
            if known == len(found):
                found.append(state)
            return known

        for part in decompose(ruleset, position):
            if part.ruleset.heap_of(part.position) is None:
                number(self._state(part.ruleset, part.position))
        summed = False
        for state in found:  # more are found on the way
            for heaps, children in self._expand(state, budget)[0]:
                targets.extend([number(child) for child in children])
                part_starts.append(len(targets))
                bases.append(min(heaps.value, _LARGEST_BASE))
                base_plays.append(-1 if heaps.longest is None else heaps.longest)
                summed = summed or len(children) != 1 or bool(heaps.value or base_plays[-1])
            starts.append(len(bases))
        sums = (part_starts, bases, base_plays) if summed else ()
        states = [GraphState(state.ruleset, state.position) for state in found]
        return ExplicitGraph(states, *map(np.asarray, (starts, targets, *sums)))


def grundy_table(
    ruleset: Ruleset[Any, Any] | str, position: Any = None, budget: Budget | None = None
) -> dict[Hashable, int]:
    """Return the Grundy values of all states of a ruleset that play from a position can reach.

    Parameters
    ----------
    ruleset : Ruleset or str
        The rules, or their text.
    position : hashable, optional
        A position of them; by default the initial one.
    budget : Budget, optional
        How many states, and how much time to take.

    Returns
    -------
    dict
        Position to value, for positions that split no further, in canonical form; heaps and components with rules of
        their own are left out.

    Raises
    ------
    LoopError
        If play can come back to a position.
    OutOfBudget
        If the budget ends first.

    Examples
    --------
    >>> grundy_table("rook(rows=2,columns=3,at=[1;2])")
    {(1, 2): 3, (0, 2): 2, (1, 0): 1, (1, 1): 0, (0, 0): 0, (0, 1): 1}
    """
    ruleset = load_ruleset(ruleset)
    graph = ExplicitGraph.from_ruleset(ruleset, position, budget)
    values = graph.grundy_values().tolist()
    rules = ruleset.rules()
    return {
        state.position: value
        for state, value in zip(graph.states, values, strict=True)
        if isinstance(state, GraphState) and state.ruleset == rules
    }


def _integers(name: str, numbers: Any) -> Numbers:
    try:
        given = np.asarray(numbers)
    except ValueError:  # lists of different lengths
        given = np.zeros((), dtype=object)
    if given.size == 0 and given.ndim == 1:
        given = _none()
    if given.ndim != 1 or given.dtype.kind not in "iu" or (given.dtype.kind == "u" and given.max() >= 2**63):
        raise SgaiError(f"{name}={quote(numbers)} is not an array of integers")
    # Writable and in one piece, since every kind of array would be compiled for anew.
    return np.require(given, np.int32 if given.dtype == np.int32 and name == "targets" else np.int64, ["C", "W"])


def _check_rows(name: str, starts: Numbers, rows: int, end: int | None = None) -> None:
    if len(starts) != rows + 1 or starts[0] != 0 or (np.diff(starts) < 0).any():
        raise SgaiError(f"{name} should be {rows + 1:,} numbers that never fall, the first one 0")
    if end is not None and starts[-1] != end:
        raise SgaiError(f"{name} should end with {end:,}, the length of targets, not {starts[-1]:,}")


def _read_only(numbers: Numbers) -> Numbers:
    view = numbers.view()  # the array itself stays writable, since the kernels are compiled for such
    view.flags.writeable = False
    return view
