"""Solving one item of a sweep, as a worker does."""

import time
from dataclasses import dataclass, field
from typing import Any

import sgai
from sgai.budget import Budget, OutOfBudget
from sgai.experiments.sweeps.items import Item
from sgai.experiments.sweeps.settings import Question
from sgai.periods import period_theorem
from sgai.removal_values import load_compiled_search
from sgai.sequences import LARGEST_COMPILED
from sgai.solver import Solver


@dataclass(frozen=True)
class Answer:
    """What a sweep says of an item.

    Attributes
    ----------
    ruleset, position : str
        The item.
    outcome : "N", "P", "D" or None
        None where it is not proved within the budget.
    grundy : int or None
        None where it is not found.
    solved : bool
        Whether the outcome is proved (for sequences: the value of the last heap is known).
    states : int
        Evaluated for this item.
    seconds : float
        Taken for it.
    loopy_value : str or None
        In rulesets that are declared loopy.
    period : dict or None
        ``preperiod``, ``period`` and ``proved_with``, where one was looked for and is proved.
    computed : int or None
        For sequences: the largest heap whose value was computed; with a period fewer are needed.
    largest_value : int or None
        For sequences: the largest value among those computed.
    values : list of int or None
        For sequences, on request: the values from heap 0 on, as far as they were computed.
    proved : list of str
        What is known where the value is not.
    failed : str or None
        Why there is no answer, if that was not the budget.
    """

    ruleset: str
    position: str
    outcome: str | None = None
    grundy: int | None = None
    solved: bool = False
    states: int = 0
    seconds: float = 0.0
    loopy_value: str | None = None
    period: dict[str, int] | None = None
    computed: int | None = None
    largest_value: int | None = None
    values: list[int] | None = None
    proved: list[str] = field(default_factory=list)
    failed: str | None = None

    def item(self) -> Item:
        """Return what was solved."""
        return Item(self.ruleset, self.position)


def answer(item: Item, question: Question) -> Answer:
    """Solve an item with a new solver, so that the states do not depend on what the worker did before.

    Parameters
    ----------
    item : Item
        The ruleset and position.
    question : Question
        What to find, and what to spend.

    Examples
    --------
    >>> found = answer(Item("0.07", "[400]"), Question(heaps=400, find_period=True))
    >>> found.grundy, found.period
    (2, {'preperiod': 53, 'period': 34, 'proved_with': 175})
    """
    if question.heaps is not None:
        return _sequence(item, question, question.heaps)
    ruleset = sgai.load_ruleset(item.ruleset)
    load_compiled_search(ruleset)  # so that states are counted alike in every process
    store = None if question.store is None else sgai.NimberStore(question.store)
    try:
        found = Solver(store=store).solve(
            ruleset,
            ruleset.parse(item.position),
            play=question.play,
            states=question.states,
            seconds=question.seconds,
        )
    finally:
        if store is not None:
            store.close()
    return Answer(
        item.ruleset,
        item.position,
        found.outcome,
        found.grundy,
        found.exact,
        found.states,
        round(found.seconds, 6),
        None if found.loopy_value is None else str(found.loopy_value),
        proved=list(found.proved),
    )


def _sequence(item: Item, question: Question, largest: int) -> Answer:
    ruleset = sgai.load_ruleset(item.ruleset)
    table = Solver().sequence(ruleset)
    budget = Budget(question.states or LARGEST_COMPILED, question.seconds)
    started = time.perf_counter()
    proved = []
    try:
        if question.find_period and period_theorem(ruleset) is None:
            proved.append("no theorem says when this game is periodic")
        elif question.find_period:
            table.find_period(largest, budget)
        if question.values or table.known(largest) is None:
            table.extend(largest, budget)
    except OutOfBudget:
        pass
    value = table.known(largest)
    computed = min(len(table), largest + 1)
    values = table.computed()[:computed]
    period: Any = table.period if question.find_period else None
    return Answer(
        item.ruleset,
        item.position,
        None if value is None else "N" if value else "P",
        value,
        value is not None,
        budget.spent,
        round(time.perf_counter() - started, 6),
        period=None
        if period is None
        else {name: getattr(period, name) for name in ("preperiod", "period", "proved_with")},
        computed=computed - 1,
        largest_value=int(values.max()),
        values=values.tolist() if question.values else None,
        proved=proved,
    )
