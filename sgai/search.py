"""The generic solver: Grundy values for rules written in Python, by a walk over the states that play can reach."""

from collections.abc import Hashable
from typing import Any

from sgai.budget import Budget
from sgai.decomposition import decompose
from sgai.errors import LoopError, SgaiError, quote
from sgai.nimbers import mex
from sgai.reachable import PATHS_CAP
from sgai.ruleset import Ruleset
from sgai.rulesets.heaps import HeapRuleset
from sgai.sequences import SequenceTable

_UNKNOWN, _ON_STACK = -1, -2

State = tuple[Ruleset[Any, Any], Any]
# An option as the nim-sum of its known components, and the numbers of those states that are not known yet.
Option = tuple[int, tuple[int, ...]]


class StateTable:
    """Grundy values of states, a state being a component that splits no further, in canonical form.

    States are met depth first with an explicit stack and evaluated from the last ones up, each once, so a chain of a
    million states is no harder than a wide tree. What is finished stays, whatever interrupts the search.
    """

    def __init__(self) -> None:
        self._sequences: dict[HeapRuleset, SequenceTable] = {}
        self._numbers: dict[Ruleset[Any, Any], dict[Hashable, int]] = {}
        self._states: list[State] = []
        self._values: list[int] = []
        self._longest: list[int] = []
        self._paths: list[int] = []

    def __len__(self) -> int:
        return sum(value >= 0 for value in self._values) + sum(len(table) - 1 for table in self._sequences.values())

    def sequence(self, ruleset: HeapRuleset) -> SequenceTable:
        """Return the table of a heap game's values."""
        rules = ruleset.rules()
        assert isinstance(rules, HeapRuleset)
        table = self._sequences.get(rules)
        if table is None:
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
        number = self._number(ruleset, position)
        if self._values[number] < 0:
            self._evaluate(number, budget)
        return self._values[number]

    def known(self, ruleset: Ruleset[Any, Any], position: Any) -> int | None:
        """Return a value that was found before, or None."""
        if isinstance(ruleset, HeapRuleset):
            table = self.sequence(ruleset)
            return table.value(sum(position), Budget()) if sum(position) < len(table) else None
        number = self._numbers.get(ruleset.rules(), {}).get(ruleset.canonical(position))
        return self._values[number] if number is not None and self._values[number] >= 0 else None

    def longest_play(self, ruleset: Ruleset[Any, Any], position: Any) -> int | None:
        """Return the number of moves of the longest play from a solved component, or None where it is not known."""
        if isinstance(ruleset, HeapRuleset):
            return self.sequence(ruleset).longest_play(sum(position))
        return self._longest[self._number(ruleset, position)]

    def paths(self, ruleset: Ruleset[Any, Any], position: Any) -> int | None:
        """Return the number of paths that a solved component's states stand for, or None where it is not known.

        These are the evaluations that a solver which never recognises a state would make, `PATHS_CAP` at most.
        """
        if isinstance(ruleset, HeapRuleset):
            return self.sequence(ruleset).paths(sum(position))
        return self._paths[self._number(ruleset, position)]

    def _number(self, ruleset: Ruleset[Any, Any], position: Any) -> int:
        numbers = self._numbers.get(ruleset)
        if numbers is None:
            numbers = self._numbers[ruleset] = {}
        state = ruleset.canonical(position)
        number = numbers.get(state)
        if number is None:
            number = numbers[state] = len(self._values)
            self._states.append((ruleset, state))
            self._values.append(_UNKNOWN)
            self._longest.append(0)
            self._paths.append(0)
        return number

    def _evaluate(self, root: int, budget: Budget) -> None:
        values = self._values
        # Every entry: a state, its options, and the states among them that are still to be evaluated.
        stack = [(root, *self._expand(root, budget))]
        values[root] = _ON_STACK
        try:
            while stack:
                number, options, waiting = stack[-1]
                while waiting and values[waiting[-1]] >= 0:
                    waiting.pop()
                if not waiting:
                    self._finish(number, options)
                    stack.pop()
                    continue
                child = waiting.pop()
                if values[child] == _ON_STACK:
                    raise self._loop([entry[0] for entry in stack], child)
                entry = (child, *self._expand(child, budget))
                values[child] = _ON_STACK
                stack.append(entry)
        finally:
            for number, _, _ in stack:
                if values[number] == _ON_STACK:
                    values[number] = _UNKNOWN

    def _expand(self, number: int, budget: Budget) -> tuple[list[Option], list[int]]:
        budget.spend()
        ruleset, position = self._states[number]
        options: dict[Option, None] = {}
        waiting: dict[int, None] = {}
        splits = ruleset.splits()
        for _, option in ruleset.moves(position):
            if not splits:
                child = self._number(ruleset, option)
                options[0, (child,)] = None
                waiting[child] = None
                continue
            known = 0
            children = []
            for part in decompose(ruleset, option):
                if isinstance(part.ruleset, HeapRuleset):
                    known ^= self.value(part.ruleset, part.position, budget)
                else:
                    children.append(self._number(part.ruleset, part.position))
            options[known, tuple(children)] = None
            waiting.update(dict.fromkeys(children))
        return list(options), list(waiting)

    def _finish(self, number: int, options: list[Option]) -> None:
        found = set()
        longest, paths = 0, 1
        for known, children in options:
            total, plays, unfolded = known, 1, 0
            for child in children:
                total ^= self._values[child]
                plays += self._longest[child]
                unfolded += self._paths[child]
            found.add(total)
            longest = max(longest, plays)
            paths += unfolded or 1
        self._values[number] = mex(found)
        self._longest[number] = longest
        self._paths[number] = min(paths, PATHS_CAP)

    def _loop(self, stack: list[int], again: int) -> LoopError:
        cycle = stack[stack.index(again) :]
        return LoopError([self._states[number][0].format(self._states[number][1]) for number in cycle])


def refuse_loopy(ruleset: Ruleset[Any, Any]) -> None:
    """Raise `SgaiError` for a ruleset that declares that play may go on for ever."""
    if ruleset.loopy:
        raise SgaiError(
            f"{quote(str(ruleset))} is declared loopy: play may go on for ever, so Grundy values do not apply; "
            "this version solves games that end"
        )
