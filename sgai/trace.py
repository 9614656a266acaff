"""Showing how a Grundy value comes about, one state after the other."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sgai.budget import Budget
from sgai.decomposition import Summand, decompose
from sgai.errors import LoopError, shortened
from sgai.nimbers import mex, nim_sum
from sgai.ruleset import Ruleset
from sgai.search import refuse_loopy

State = tuple[Ruleset[Any, Any], Any]


@dataclass(frozen=True)
class TracedOption:
    """An option of a state: its components with their values, how many of them were known before, their nim-sum."""

    components: tuple[tuple[str, int], ...]
    memo_hits: int
    value: int


@dataclass(frozen=True)
class TraceStep:
    """One evaluation: the state, its options (equal ones once), and the value as the mex of theirs."""

    ruleset: Ruleset[Any, Any]
    position: Any
    options: tuple[TracedOption, ...]
    value: int

    def __str__(self) -> str:
        name = f"{shortened(str(self.ruleset))} {self.ruleset.format(self.position)}"
        if not self.options:
            return f"{name} = 0: no options"
        shown = []
        for option in self.options:
            parts = " + ".join(f"{text} = {value}" for text, value in option.components) or "nothing left = 0"
            sum_shown = f", nim-sum {option.value}" if len(option.components) > 1 else ""
            memo = f" ({option.memo_hits} from memo)" if option.memo_hits else ""
            shown.append(parts + sum_shown + memo)
        excluded = sorted({option.value for option in self.options})
        return f"{name} = {self.value}: options {'; '.join(shown)}; excluded {excluded}; mex {self.value}"


def trace(ruleset: Ruleset[Any, Any], position: Any, budget: Budget | None = None) -> Iterator[TraceStep]:
    """Yield every evaluation that the Grundy value of a position needs, in order; each state comes once.

    This is a derivation to read: it goes through every state by the definition, without closed forms.

    Parameters
    ----------
    ruleset : Ruleset
        The rules.
    position : hashable
        A position of them.
    budget : Budget, optional
        What may be spent; an option that is looked at counts as a state.

    Raises
    ------
    OutOfBudget
        If the budget ends first.

    Examples
    --------
    >>> import sgai
    >>> for step in trace(sgai.load_ruleset("kayles"), (2,)):
    ...     print(step)
    kayles [1] = 1: options nothing left = 0; excluded [0]; mex 1
    kayles [2] = 2: options [1] = 1; nothing left = 0; excluded [0, 1]; mex 2
    """
    refuse_loopy(ruleset)
    budget = budget or Budget()
    memo: dict[State, int] = {}
    on_stack: dict[State, None] = {}
    for summand in decompose(ruleset, position):
        # Every entry: a state, the components of its options, and the look-ups still to come: option and component.
        stack: list[tuple[State, list[list[State]], list[tuple[int, State]], list[int]]] = []
        root = _state(summand)
        if root not in memo:
            stack.append(_entry(root, budget))
            on_stack[root] = None
        while stack:
            state, options, waiting, hits = stack[-1]
            if waiting:
                number, child = waiting.pop()
                if child in on_stack:
                    cycle = list(on_stack)
                    raise LoopError([rules.format(at) for rules, at in cycle[cycle.index(child) :]])
                if child in memo:
                    hits[number] += 1
                else:
                    stack.append(_entry(child, budget))
                    on_stack[child] = None
                continue
            stack.pop()
            del on_stack[state]
            yield _step(state, options, hits, memo)


def _state(summand: Summand) -> State:
    return summand.ruleset, summand.ruleset.canonical(summand.position)


def _entry(state: State, budget: Budget) -> tuple[State, list[list[State]], list[tuple[int, State]], list[int]]:
    ruleset, position = state
    options: dict[tuple[State, ...], None] = {}
    for _, option in ruleset.moves(position):
        budget.spend()
        options[tuple(_state(part) for part in decompose(ruleset, option))] = None
    listed = [list(option) for option in options]
    waiting = [(number, part) for number, option in enumerate(listed) for part in option]
    return state, listed, waiting[::-1], [0] * len(listed)


def _step(state: State, options: list[list[State]], hits: list[int], memo: dict[State, int]) -> TraceStep:
    traced = []
    for option, known in zip(options, hits, strict=True):
        value = nim_sum(memo[part] for part in option)
        components = tuple((rules.format(at), memo[rules, at]) for rules, at in option)
        traced.append(TracedOption(components, known, value))
    memo[state] = mex(option.value for option in traced)
    return TraceStep(*state, tuple(traced), memo[state])
