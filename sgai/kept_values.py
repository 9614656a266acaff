"""Values from one run to the next: a nimber store between the solver and the table of states."""

import logging
from typing import Any

from sgai.budget import Budget
from sgai.errors import SgaiError, StoreError
from sgai.registry import origin
from sgai.ruleset import Ruleset
from sgai.rulesets.removal import RemovalRuleset
from sgai.search import StateTable
from sgai.store import NimberStore

_EXPENSIVE_STATES = 100

_log = logging.getLogger(__name__)


class KeptValues:
    """Asks a store before the table of states is set to work, and stores what took long.

    Only rulesets of sgai itself are kept: the text of a user's ruleset stays the same when its code changes. A store
    that fails is reported once and left alone; the values are computed all the same.
    """

    def __init__(self, table: StateTable, store: NimberStore) -> None:
        self._table, self._store = table, store
        self._usable = True
        self._found: dict[str, dict[str, int]] = {}
        self._stored: dict[str, set[str]] = {}
        self._loaded: set[RemovalRuleset] = set()

    def value(self, ruleset: Ruleset[Any, Any], position: Any, budget: Budget) -> int:
        """Return the Grundy value of a component that splits no further; `OutOfBudget` if the budget ends first."""
        if ruleset.heap_of(position) is not None or not self._usable or not _is_own(ruleset):
            return self._table.value(ruleset, position, budget)
        rules, canonical = str(ruleset.rules()), ruleset.canonical(position)
        text = ruleset.format(canonical)
        stored = self.known(ruleset, position)
        if stored is not None:
            return stored
        before = budget.spent
        value = self._table.value(ruleset, position, budget)
        if budget.spent - before >= _EXPENSIVE_STATES:
            self._found.setdefault(rules, {})[text] = value
        return value

    def known(self, ruleset: Ruleset[Any, Any], position: Any) -> int | None:
        """Return a value that was found before, in this run or an earlier one, or None."""
        value = self._table.known(ruleset, position)
        if value is not None or ruleset.heap_of(position) is not None or not self._usable or not _is_own(ruleset):
            return value
        rules, text = str(ruleset.rules()), ruleset.format(ruleset.canonical(position))
        value = self._get(rules, text)
        if value is not None:
            self._table.set_value(ruleset, position, value)
            self._stored.setdefault(rules, set()).add(text)
        self._load_parts(ruleset)  # whoever asks for the winning moves needs them
        return value

    def save(self) -> None:
        """Store what was found since the last time."""
        for ruleset, parts in self._table.removals.expensive().items():
            if _is_own(ruleset):
                found = self._found.setdefault(str(ruleset.rules()), {})
                found.update({ruleset.format(part): value for part, value in parts.items()})
        for rules, values in self._found.items():
            known = self._stored.setdefault(rules, set())
            new = {text: value for text, value in values.items() if text not in known}
            if new and self._usable:
                try:
                    self._store.put(rules, new)
                except StoreError as error:
                    self._give_up(error)
                else:
                    known.update(new)
        self._found.clear()

    def _get(self, rules: str, text: str) -> int | None:
        try:
            return self._store.get(rules, [text]).get(text)
        except StoreError as error:
            self._give_up(error)
            return None

    def _load_parts(self, ruleset: Ruleset[Any, Any]) -> None:
        """Give the search of a removal game what earlier runs found of its positions, once."""
        if not isinstance(ruleset, RemovalRuleset) or ruleset in self._loaded or not self._usable:
            return
        self._loaded.add(ruleset)
        rules = str(ruleset.rules())
        try:
            values = self._store.values(rules)
        except StoreError as error:
            self._give_up(error)
            return
        parts = {}
        for text, value in values.items():
            try:
                parts[ruleset.parse(text)] = value
            except SgaiError:
                _log.warning("the store has %r for %s, which is no position of it", text, rules)
        self._stored.setdefault(rules, set()).update(values)
        self._table.removals.add(ruleset, parts)

    def _give_up(self, error: StoreError) -> None:
        self._usable = False
        _log.warning("values are not kept: %s", error)


def _is_own(ruleset: Ruleset[Any, Any]) -> bool:
    try:
        place = origin(ruleset.name)
    except SgaiError:
        return False
    return place.file is None and place.module.startswith("sgai.")
