"""Outcomes and genera of sums under misere play by search: what is proved tame is looked up, the rest is played out."""

from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from typing import Any

from sgai.budget import Budget
from sgai.decomposition import Summand, decompose
from sgai.errors import LoopError
from sgai.misere.forms import Form, FormTooLarge, Work, add_forms, form_of, nim_form
from sgai.misere.genus import Genus
from sgai.misere.refusals import check_misere
from sgai.misere.tame import Tame, tame_value, worth
from sgai.ruleset import Ruleset

AnyRuleset = Ruleset[Any, Any]
_MOST_SUMS, _LONGEST = 100, 24  # sums of forms made for one component, and the longest play of forms that are made
_OPTIONS_A_STATE = 8  # so many options of one component are counted as a state


class Part:
    """A component that splits no further, or a canonical form that several components have.

    Attributes
    ----------
    number : int
        In order of making.
    sums : tuple of tuple of Part
        The different options, each a sum.
    form : Form or None
        The canonical form, where it took little work to find.
    """

    __slots__ = ("__dict__", "form", "number", "sums")

    def __init__(self, number: int, sums: tuple["Sum", ...], form: Form | None) -> None:
        self.number, self.sums, self.form = number, sums, form

    @cached_property
    def tame(self) -> Tame | None:
        """What the component is worth if it is proved tame, else None."""
        return tame_value(self.sums)

    @cached_property
    def kind(self) -> str:
        """How far the component is from Nim, in the words of *Winning Ways*, chapter 13.

        A game that is not tame, with tame options only, is restive if its Grundy value is 0 or 1 and restless if its
        misere Grundy value is; all others are wild.
        """
        if self.tame is not None:
            return "tame, firm" if self.tame.is_firm else "tame, fickle"
        values = [worth(option) for option in self.sums]
        if None not in values:
            options = [Genus.of_tame(value) for value in values if value is not None]
            genus = Genus.of(options)
            if genus.grundy <= 1:
                return "restive"
            if genus.misere[0] <= 1:
                return "restless"
        return "wild"


Sum = tuple[Part, ...]  # in order of their numbers, without parts that have no moves
Key = tuple[int, ...]


class MisereTable:
    """Components met under misere play, and what is known of their sums.

    Components are met depth first with an explicit stack. Those that are proved equal share one `Part`: equal positions
    by the ruleset's own `canonical`, and small games by their misere canonical forms.
    """

    def __init__(self) -> None:
        self._parts: dict[AnyRuleset, dict[Hashable, Part]] = {}
        self._by_form: dict[Form, Part] = {}
        self._lost: dict[Key, bool] = {}
        self._genera: dict[Key, Genus] = {}
        self._count = 0
        self._nothing = self._of_form(nim_form(0))
        self._star = self._of_form(nim_form(1))

    def part(self, ruleset: AnyRuleset, position: Any, budget: Budget) -> Part:
        """Return a component that splits no further.

        Raises
        ------
        OutOfBudget
            If the budget ends first; finished components are kept.
        LoopError
            If play can come back to a position; it names the cycle.
        """
        known = self._known(ruleset, ruleset.canonical(position))
        return known if known is not None else self._meet(ruleset, position, budget)

    def sum_of(self, summands: Iterable[Summand], budget: Budget) -> Sum:
        """Return a sum of components that split no further."""
        return self._sum([self.part(each.ruleset, each.position, budget) for each in summands])

    def _known(self, ruleset: AnyRuleset, canonical: Hashable) -> Part | None:
        return self._parts.get(ruleset, {}).get(canonical)

    def _sum(self, parts: list[Part]) -> Sum:
        """Sort parts; leave out those without moves, and pairs of one token, for 1 + 1 = 0."""
        listed = [part for part in parts if part is not self._nothing and part is not self._star]
        if sum(part is self._star for part in parts) % 2:
            listed.append(self._star)
        return tuple(sorted(listed, key=_number))

    # Components

    def _meet(self, ruleset: AnyRuleset, position: Any, budget: Budget) -> Part:
        root = (ruleset, ruleset.canonical(position))
        stack = [(root, *self._expand(root, budget))]
        on_stack = {root}
        while True:
            key, options, waiting = stack[-1]
            while waiting and self._known(*waiting[-1]) is not None:
                waiting.pop()
            if waiting:
                child = waiting.pop()
                if child in on_stack:
                    cycle = [entry[0] for entry in stack]
                    cycle = cycle[cycle.index(child) :]
                    raise LoopError([each.format(at) for each, at in cycle])
                stack.append((child, *self._expand(child, budget)))
                on_stack.add(child)
                continue
            stack.pop()
            on_stack.discard(key)
            part = self._finished(options)
            self._parts.setdefault(key[0], {})[key[1]] = part
            if not stack:
                return part

    def _expand(
        self, key: tuple[AnyRuleset, Any], budget: Budget
    ) -> tuple[list[tuple[tuple[AnyRuleset, Any], ...]], list[tuple[AnyRuleset, Any]]]:
        """Return the options of a component, as components, and those that are not known yet."""
        _spend(budget)
        ruleset, position = key
        check_misere(ruleset)
        options: dict[tuple[tuple[AnyRuleset, Any], ...], None] = {}
        waiting: dict[tuple[AnyRuleset, Any], None] = {}
        for count, (_, option) in enumerate(ruleset.moves(position), 1):
            if count % _OPTIONS_A_STATE == 0:  # every option is kept, so many of them count
                _spend(budget)
            parts = tuple((each.ruleset, each.ruleset.canonical(each.position)) for each in decompose(ruleset, option))
            options[parts] = None
            waiting.update(dict.fromkeys(part for part in parts if self._known(*part) is None))
        return list(options), list(waiting)

    def _finished(self, options: list[tuple[tuple[AnyRuleset, Any], ...]]) -> Part:
        sums = {self._sum([self._parts[ruleset][at] for ruleset, at in option]) for option in options}
        form = _small_form(sums)
        return self._new(sums, None) if form is None else self._of_form(form)

    def _of_form(self, form: Form) -> Part:
        known = self._by_form.get(form)
        if known is None:
            followers = [self._of_form(option) for option in sorted(form.options, key=_number)]
            # What has no moves is an empty sum.
            known = self._new({(part,) if part.sums else () for part in followers}, form)
            self._by_form[form] = known
        return known

    def _new(self, sums: set[Sum], form: Form | None) -> Part:
        part = Part(self._count, tuple(sorted(sums, key=_key)), form)
        self._count += 1
        return part

    # Sums

    def is_lost(self, parts: Sum, budget: Budget) -> bool:
        """Tell whether the player to move loses a sum under misere play.

        Raises
        ------
        OutOfBudget
            If the budget ends first; finished sums are kept.
        """
        known = self._known_outcome(parts)
        if known is not None:
            return known
        stack: list[tuple[Sum, Iterator[Sum]]] = [(parts, self._unknown_options(parts, budget))]
        while stack:
            current, options = stack[-1]
            key = _key(current)
            if key in self._lost:
                stack.pop()
                continue
            for option in options:
                known = self._known_outcome(option)
                if known is None:
                    stack.append((option, self._unknown_options(option, budget)))
                    break
                if known:
                    self._lost[key] = False
                    stack.pop()
                    break
            else:
                self._lost[key] = True
                stack.pop()
        return self._lost[_key(parts)]

    def _unknown_options(self, parts: Sum, budget: Budget) -> Iterator[Sum]:
        """Yield the options that are lost or not known yet; each unknown one twice, to be looked up the second time."""
        _spend(budget)
        options = self.options(parts)
        unknown = []
        for option in options:
            known = self._known_outcome(option)
            if known:
                yield option
            elif known is None:
                unknown.append(option)
        # Those with fewer followers are searched first.
        unknown.sort(key=lambda option: (len(option), _key(option)))
        for option in unknown:
            yield option
            yield option

    def _known_outcome(self, parts: Sum) -> bool | None:
        value = worth(parts)
        return self._lost.get(_key(parts)) if value is None else value.misere == 0

    def options(self, parts: Sum) -> set[Sum]:
        """Return the options of a sum."""
        found: set[Sum] = set()
        for place, part in enumerate(parts):
            if place and parts[place - 1] is part:
                continue
            rest = [*parts[:place], *parts[place + 1 :]]
            found.update(self._sum([*rest, *option]) for option in part.sums)
        return found

    def genus(self, parts: Sum, budget: Budget) -> Genus:
        """Return the genus of a sum.

        Raises
        ------
        OutOfBudget
            If the budget ends first; finished sums are kept.
        """
        stack: list[tuple[Sum, set[Sum], list[Sum]]] = []
        if self._known_genus(parts) is None:
            stack.append(self._entry(parts, budget))
        while stack:
            current, options, waiting = stack[-1]
            while waiting and self._known_genus(waiting[-1]) is not None:
                waiting.pop()
            if waiting:
                stack.append(self._entry(waiting.pop(), budget))
                continue
            stack.pop()
            genera = [self._known_genus(option) for option in options]
            genus = Genus.of(each for each in genera if each is not None)
            self._genera[_key(current)] = genus
            self._lost[_key(current)] = genus.misere[0] == 0
        found = self._known_genus(parts)
        assert found is not None
        return found

    def _entry(self, parts: Sum, budget: Budget) -> tuple[Sum, set[Sum], list[Sum]]:
        _spend(budget)
        options = self.options(parts)
        return parts, options, [option for option in options if self._known_genus(option) is None]

    def _known_genus(self, parts: Sum) -> Genus | None:
        value = worth(parts)
        if value is not None:
            return Genus.of_tame(value)
        if len(parts) == 1 and parts[0].form is not None:
            return parts[0].form.genus
        return self._genera.get(_key(parts))


def _spend(budget: Budget) -> None:
    budget.spend()
    if budget.seconds is not None:  # one of these can take milliseconds
        budget.check_clock()


def _number(each: Part | Form) -> int:
    return each.number


def _key(parts: Sum) -> Key:
    return tuple([part.number for part in parts])


def _small_form(sums: Iterable[Sum]) -> Form | None:
    """Return the canonical form of the component with these options, where it takes little work, else None."""
    work = Work(_MOST_SUMS)
    options = []
    for parts in sums:
        total = nim_form(0)
        for part in parts:
            if part.form is None or total.birthday + part.form.birthday >= _LONGEST:
                return None
            try:
                total = add_forms(total, part.form, work)
            except FormTooLarge:
                return None
        options.append(total)
    try:
        return form_of(options)
    except FormTooLarge:
        return None
