"""The generic solver: Grundy values for rules written in Python, by a walk over the states that play can reach."""

from collections.abc import Hashable
from typing import Any

from sgai.budget import Budget
from sgai.decomposition import decompose
from sgai.errors import LoopError, UnsupportedError, quote
from sgai.nimbers import mex
from sgai.reachable import PATHS_CAP
from sgai.ruleset import Ruleset
from sgai.rulesets.heaps import HeapRuleset
from sgai.sequences import SequenceTable

_UNKNOWN, _ON_STACK = -1, -2


class State:
    """A component that splits no further, in canonical form, with what is known of it."""

    __slots__ = ("longest", "paths", "position", "ruleset", "value")

    def __init__(self, ruleset: Ruleset[Any, Any], position: Any) -> None:
        self.ruleset = ruleset
        self.position = position
        self.value = _UNKNOWN  # or _ON_STACK while its options are being evaluated
        self.longest = 0
        self.paths = 0


# An option as the nim-sum of its components that are heaps, and the states of the others.
Option = tuple[int, tuple[State, ...]]


class StateTable:
    """Grundy values of states.

    States are met depth first with an explicit stack and evaluated from the last ones up, each once, so a chain of a
    million states is no harder than a wide tree. What is finished stays, whatever interrupts the search.
    """

    def __init__(self) -> None:
        self._sequences: dict[Ruleset[Any, Any], SequenceTable] = {}
        self._states: dict[Ruleset[Any, Any], dict[Hashable, State]] = {}

    def __len__(self) -> int:
        heaps = sum(len(table) - 1 for table in self._sequences.values())
        return heaps + sum(state.value >= 0 for states in self._states.values() for state in states.values())

    def sequence(self, ruleset: HeapRuleset) -> SequenceTable:
        """Return the table of a heap game's values."""
        rules = ruleset.rules()
        table = self._sequences.get(rules)
        if table is None:
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
        if isinstance(ruleset, HeapRuleset):
            return self.sequence(ruleset).value(sum(position), budget)
        state = self._state(ruleset, position)
        if state.value < 0:
            self._evaluate(state, budget)
        return state.value

    def known(self, ruleset: Ruleset[Any, Any], position: Any) -> int | None:
        """Return a value that was found before, or None."""
        if isinstance(ruleset, HeapRuleset):
            table = self.sequence(ruleset)
            return table.value(sum(position), Budget()) if sum(position) < len(table) else None
        state = self._states.get(ruleset, {}).get(ruleset.canonical(position))
        return state.value if state is not None and state.value >= 0 else None

    def longest_play(self, ruleset: Ruleset[Any, Any], position: Any) -> int | None:
        """Return the number of moves of the longest play from a solved component, or None where it is not known."""
        if isinstance(ruleset, HeapRuleset):
            return self.sequence(ruleset).longest_play(sum(position))
        return self._state(ruleset, position).longest

    def paths(self, ruleset: Ruleset[Any, Any], position: Any) -> int | None:
        """Return the number of paths that a solved component's states stand for, or None where it is not known.

        These are the evaluations that a solver which never recognises a state would make, `PATHS_CAP` at most.
        """
        if isinstance(ruleset, HeapRuleset):
            return self.sequence(ruleset).paths(sum(position))
        return self._state(ruleset, position).paths

    def _state(self, ruleset: Ruleset[Any, Any], position: Any) -> State:
        states = self._states.get(ruleset)
        if states is None:
            states = self._states[ruleset] = {}
        canonical = ruleset.canonical(position)
        state = states.get(canonical)
        if state is None:
            state = states[canonical] = State(ruleset, canonical)
        return state

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
        for _, option in ruleset.moves(state.position):
            if not splits:
                child = self._state(ruleset, option)
                options[0, (child,)] = None
                waiting[child] = None
                continue
            known = 0
            children = []
            for part in decompose(ruleset, option):
                if isinstance(part.ruleset, HeapRuleset):
                    known ^= self.value(part.ruleset, part.position, budget)
                else:
                    children.append(self._state(part.ruleset, part.position))
            options[known, tuple(children)] = None
            waiting.update(dict.fromkeys(children))
        return list(options), list(waiting)


def _finish(state: State, options: list[Option]) -> None:
    found = set()
    longest, paths = 0, 1
    for known, children in options:
        total, plays, unfolded = known, 1, 0
        for child in children:
            total ^= child.value
            plays += child.longest
            unfolded += child.paths
        found.add(total)
        longest = max(longest, plays)
        paths += unfolded or 1
    state.longest = longest
    state.paths = min(paths, PATHS_CAP)
    state.value = mex(found)  # last: a state with a value is finished


def _loop(stack: list[State], again: State) -> LoopError:
    cycle = stack[stack.index(again) :]
    return LoopError([state.ruleset.format(state.position) for state in cycle])


def refuse_loopy(ruleset: Ruleset[Any, Any]) -> None:
    """Raise `UnsupportedError` for a ruleset that declares that play may go on for ever."""
    if ruleset.loopy:
        raise UnsupportedError(
            f"{quote(str(ruleset))} is declared loopy: play may go on for ever, so Grundy values do not apply; "
            "this version solves games that end"
        )
