"""The generic solver: Grundy values for rules written in Python, by a walk over the states that play can reach."""

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

from sgai.budget import Budget, OutOfBudget
from sgai.decomposition import Summand, decompose
from sgai.errors import LoopError, UnsupportedError, quote
from sgai.nimbers import mex, nim_sum
from sgai.reachable import PATHS_CAP
from sgai.removal_values import DEFAULT_MEMORY, RemovalValues, is_mirrored, limited
from sgai.ruleset import Ruleset
from sgai.rulesets.graph import Graph
from sgai.rulesets.heaps import HeapRuleset
from sgai.rulesets.removal import RemovalRuleset
from sgai.sequences import SequenceTable
from sgai.sheet_values import SheetValues, sheets_are_cut

_UNKNOWN, _ON_STACK = -1, -2
_OPTIONS_A_LOOK = 1024  # the clock is read each time so many options of one state are listed


class State:
    """A component that splits no further, in canonical form, with what is known of it."""

    __slots__ = ("longest", "paths", "position", "ruleset", "value")

    def __init__(self, ruleset: Ruleset[Any, Any], position: Any) -> None:
        self.ruleset = ruleset
        self.position = position
        self.value = _UNKNOWN  # or _ON_STACK while its options are being evaluated
        self.longest: int | None = None
        self.paths: int | None = None


class Heaps(NamedTuple):
    """The components of an option that are heaps: nim-sum, longest play and paths, None where those are not known."""

    value: int
    longest: int | None
    paths: int | None


NO_HEAPS = Heaps(0, 0, 0)
Option = tuple[Heaps, tuple["State", ...]]  # an option's components


class StateTable:
    """Grundy values of states.

    States are met depth first with an explicit stack and evaluated from the last ones up, each once, so a chain of a
    million states is no harder than a wide tree. What is finished stays, whatever interrupts the search.
    """

    def __init__(self, memory: int = DEFAULT_MEMORY) -> None:
        self.removals = RemovalValues(memory)
        self._sheets = SheetValues()
        self._sequences: dict[Ruleset[Any, Any], SequenceTable] = {}
        self._states: dict[Ruleset[Any, Any], dict[Hashable, State]] = {}

    def __len__(self) -> int:
        heaps = sum(len(table) - 1 for table in self._sequences.values())
        states = sum(state.value >= 0 for states in self._states.values() for state in states.values())
        return heaps + states + len(self.removals) + len(self._sheets)

    def sequence(self, ruleset: Ruleset[Any, Any]) -> SequenceTable:
        """Return the table of a heap game's values."""
        table = self._sequences.get(ruleset.rules())
        if table is None:
            rules = ruleset.rules()
            assert isinstance(rules, HeapRuleset)
            table = self._sequences[rules] = SequenceTable(rules)
        return table

    def value(self, ruleset: Ruleset[Any, Any], position: Any, budget: Budget) -> int:
        """Return the Grundy value of a component that splits no further.

        Raises
        ------
        OutOfBudget
            If the budget ends first.
        LoopError
            If play can come back to a position; it names the cycle.
        """
        heap = ruleset.heap_of(position)
        if heap is not None:
            return self.sequence(ruleset).value(heap, budget)
        if sheets_are_cut(ruleset):
            return self._sheets.value(position, budget)
        state = self._state(ruleset, position)
        if state.value < 0 and isinstance(ruleset, Graph):
            from sgai.graph_rulesets import evaluate_graph  # it needs this module itself

            evaluate_graph(ruleset, self._states[ruleset], position, budget)
        if state.value < 0 and isinstance(ruleset, RemovalRuleset):
            self._search_removal(state, position, budget)
        if state.value < 0:
            self._evaluate(state, budget)
        return state.value

    def value_if_small(self, ruleset: Ruleset[Any, Any], position: Any, budget: Budget) -> int | None:
        """Return the value of a component, or None if it takes more than the budget; nothing is compiled for it."""
        try:
            if isinstance(ruleset, RemovalRuleset) and not self.removals.is_ready(ruleset):
                state = self._state(ruleset, position)
                if state.value < 0:
                    self._evaluate(state, budget)
                return state.value
            return self.value(ruleset, position, budget)
        except OutOfBudget:
            return None

    def has_value(self, ruleset: Ruleset[Any, Any], position: Any, value: int, budget: Budget) -> bool:
        """Tell whether a component that splits no further has a Grundy value, which can take less than to find it."""
        if value == 0 and is_won_by_theorem(ruleset, position):
            return False
        if isinstance(ruleset, RemovalRuleset) and self.removals.takes(ruleset, position):
            state = self._state(ruleset, position)
            if state.value < 0 and not self.removals.is_loaded():
                self._try_in_python(state, budget)
            if state.value < 0:
                answer = self.removals.has_value(ruleset, position, value, budget)
                if answer is not None:
                    return answer
        return self.value(ruleset, position, budget) == value

    def set_value(self, ruleset: Ruleset[Any, Any], position: Any, value: int) -> None:
        """Take over a value that was found in an earlier run."""
        state = self._state(ruleset, position)
        if state.value < 0:
            state.value = value

    def known(self, ruleset: Ruleset[Any, Any], position: Any) -> int | None:
        """Return a value that was found before, or that takes no work to find, or None."""
        heap = ruleset.heap_of(position)
        if heap is not None:
            return self.sequence(ruleset).known(heap)
        state = self._met(ruleset, position)
        if state is not None and state.value >= 0:
            return state.value
        value = closed_value(ruleset, position) if state is None else None
        if value is None and sheets_are_cut(ruleset):
            value = self._sheets.known(position)
        if value is None and isinstance(ruleset, RemovalRuleset):
            value = self.removals.known(ruleset, position)
        return value

    def excluded(self, ruleset: Ruleset[Any, Any], position: Any) -> list[int]:
        """Return the values that a component is proved not to have, as far as a search or a theorem knows some."""
        excluded = self.removals.excluded(ruleset, position) if isinstance(ruleset, RemovalRuleset) else []
        if 0 not in excluded and is_won_by_theorem(ruleset, position):
            excluded = [0, *excluded]
        return excluded

    def longest_play(self, ruleset: Ruleset[Any, Any], position: Any) -> int | None:
        """Return the number of moves of the longest play from a solved component, or None where it is not known."""
        heap = ruleset.heap_of(position)
        if heap is not None:
            return self.sequence(ruleset).longest_play(heap)
        state = self._met(ruleset, position)
        return None if state is None else state.longest

    def paths(self, ruleset: Ruleset[Any, Any], position: Any) -> int | None:
        """Return the number of paths that a solved component's states stand for, or None where it is not known.

        These are the evaluations that a solver which never recognises a state would make, `PATHS_CAP` at most.
        """
        heap = ruleset.heap_of(position)
        if heap is not None:
            return self.sequence(ruleset).paths(heap)
        state = self._met(ruleset, position)
        return None if state is None else state.paths

    def _met(self, ruleset: Ruleset[Any, Any], position: Any) -> State | None:
        return self._states.get(ruleset, {}).get(ruleset.canonical(position))

    def _state(self, ruleset: Ruleset[Any, Any], position: Any) -> State:
        states = self._states.get(ruleset)
        if states is None:
            states = self._states[ruleset] = {}
        canonical = ruleset.canonical(position)
        state = states.get(canonical)
        if state is None:
            state = states[canonical] = State(ruleset, canonical)
            value = closed_value(ruleset, canonical)
            if value is not None:
                state.value = value
        return state

    def _search_removal(self, state: State, position: int, budget: Budget) -> None:
        ruleset = state.ruleset
        assert isinstance(ruleset, RemovalRuleset)
        if is_mirrored(ruleset.table, position & ~ruleset.always_live()):
            state.value = 0
            return
        if not self.removals.takes(ruleset, position):
            return
        if not self.removals.is_loaded():
            self._try_in_python(state, budget)
            if state.value >= 0:
                return
        value = self.removals.value(ruleset, position, budget)
        if value is not None:
            state.value = value

    def _try_in_python(self, state: State, budget: Budget) -> None:
        few = limited(budget, state.ruleset.table)  # type: ignore[attr-defined]
        try:
            self._evaluate(state, few)
        except OutOfBudget:
            budget.check_clock()
        finally:
            budget.spent += few.spent
            budget.hits += few.hits

    def _evaluate(self, root: State, budget: Budget) -> None:
        # Every entry: a state, its options, and the states among them that are still to be evaluated.
        stack = [(root, *self._expand(root, budget))]
        try:
            root.value = _ON_STACK
            while stack:
                state, options, waiting = stack[-1]
                while waiting and waiting[-1].value >= 0:
                    waiting.pop()
                if not waiting:
                    _finish(state, options)
                    stack.pop()
                    continue
                child = waiting.pop()
                if child.value == _ON_STACK:
                    raise _loop([entry[0] for entry in stack], child)
                stack.append((child, *self._expand(child, budget)))
                child.value = _ON_STACK
        finally:
            for state, _, _ in stack:
                if state.value == _ON_STACK:
                    state.value = _UNKNOWN

    def _expand(self, state: State, budget: Budget) -> tuple[list[Option], list[State]]:
        budget.spend()
        ruleset = state.ruleset
        options: dict[Option, None] = {}
        waiting: dict[State, None] = {}
        splits = ruleset.splits()
        for count, (_, option) in enumerate(ruleset.moves(state.position), 1):
            if budget.seconds is not None or count % _OPTIONS_A_LOOK == 0:
                budget.check_clock()
            if not splits:
                child = self._state(ruleset, option)
                budget.hits += child.value >= 0
                options[NO_HEAPS, (child,)] = None
                waiting[child] = None
                continue
            heaps: list[Summand] = []
            children: list[State] = []
            for part in decompose(ruleset, option):
                if part.ruleset.heap_of(part.position) is not None:
                    heaps.append(part)
                else:
                    child = self._state(part.ruleset, part.position)
                    budget.hits += child.value >= 0
                    children.append(child)
            options[self._heaps(heaps, budget) if heaps else NO_HEAPS, tuple(children)] = None
            waiting.update(dict.fromkeys(children))
        return list(options), list(waiting)

    def _heaps(self, parts: list[Summand], budget: Budget) -> Heaps:
        return Heaps(
            nim_sum(self.value(part.ruleset, part.position, budget) for part in parts),
            _sum(self.longest_play(part.ruleset, part.position) for part in parts),
            _sum(self.paths(part.ruleset, part.position) for part in parts),
        )


def _finish(state: State, options: list[Option]) -> None:
    found = set()
    longest: int | None = 0
    paths: int | None = 1
    for heaps, children in options:
        total, plays, unfolded = heaps
        for child in children:
            total ^= child.value
            plays = None if plays is None or child.longest is None else plays + child.longest
            unfolded = None if unfolded is None or child.paths is None else unfolded + child.paths
        found.add(total)
        if plays is None or longest is None:
            longest = None
        elif plays >= longest:
            longest = plays + 1
        paths = None if paths is None or unfolded is None else paths + (unfolded or 1)
    state.longest = longest
    state.paths = None if paths is None else min(paths, PATHS_CAP)
    state.value = mex(found)  # last: a state with a value is finished


def _sum(numbers: Iterable[int | None]) -> int | None:
    total = 0
    for number in numbers:
        if number is None:
            return None
        total += number
    return total


def _loop(stack: list[State], again: State) -> LoopError:
    cycle = stack[stack.index(again) :]
    return LoopError([state.ruleset.format(state.position) for state in cycle])


def closed_value(ruleset: Ruleset[Any, Any], position: Any) -> int | None:
    """Return the Grundy value of a component where a theorem gives it, or gives the outcome and that is P; else None.

    Examples
    --------
    >>> import sgai
    >>> closed_value(sgai.load_ruleset("rook"), (5, 3))
    6
    """
    if not ruleset.has_closed_forms():
        return None
    value = ruleset.proved_grundy(position)
    if value is None and ruleset.proved_outcome(position) == "P":
        return 0
    return value


def is_won_by_theorem(ruleset: Ruleset[Any, Any], position: Any) -> bool:
    """Tell whether a theorem says that a component is an N-position of normal play, so that its value is not 0."""
    return ruleset.has_closed_forms() and ruleset.proved_outcome(position) == "N"


def refuse_loopy(ruleset: Ruleset[Any, Any]) -> None:
    """Raise `UnsupportedError` for a ruleset that declares that play may go on for ever."""
    if ruleset.loopy:
        raise UnsupportedError(
            f"{quote(str(ruleset))} is declared loopy: play may go on for ever, so Grundy values do not apply; "
            "`sgai solve` and the exact agent know its loopy values"
        )
