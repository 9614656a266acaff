"""Who wins under misere play, and by which moves: the first method that is proved for a position decides."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sgai.budget import Budget, OutOfBudget
from sgai.decomposition import Lifter, Summand, decompose
from sgai.misere.genus import Genus
from sgai.misere.quotients import NoQuotientError, Quotient, QuotientBuilder
from sgai.misere.refusals import check_misere
from sgai.misere.search import MisereTable
from sgai.misere.tame import NOTHING, STAR, Tame, tame_sum
from sgai.ruleset import Ruleset
from sgai.rulesets.heaps import HeapMove, HeapRuleset
from sgai.rulesets.subtraction import Nim

AnyRuleset = Ruleset[Any, Any]
IsLost = Callable[[Sequence[Summand]], bool]

_LARGE_HEAP = 40  # sums with heaps from here on are first given to the quotient, smaller ones only if they are wild
_LARGEST_HEAP = 2048  # heaps of which the quotient is made
_MOST_LISTED_IMAGES = 4_000_000
_QUOTIENT_SHARE, _GENUS_SHARE = 0.5, 0.1  # of what is left of a budget
_MOST_GENUS_STATES = 1_000  # for the genus of one component, which is not needed to know who wins


@dataclass(frozen=True)
class MisereFacts:
    """What is known of a component under misere play, each None where it is not.

    Attributes
    ----------
    grundy : int or None
        The Grundy value of normal play.
    genus : str or None
        The genus, as text.
    kind : str or None
        "tame, fickle", "tame, firm", "restive", "restless" or "wild".
    element : str or None
        The element of the misere quotient, where that decides the position.
    """

    grundy: int | None = None
    genus: str | None = None
    kind: str | None = None
    element: str | None = None


class Verdict(NamedTuple):
    """The outcome of a position under misere play, N or P, and how it is proved."""

    outcome: str
    how: str


class _Method(NamedTuple):
    """A proved way to tell who loses sums of some components with the components of moves in one of them."""

    how: str
    beside: Callable[[Sequence[Summand]], IsLost]
    quotient: Quotient | None = None


class MisereSolver:
    """Solves positions under misere play, and remembers components, sums and quotients from one call to the next.

    Sums of components that are all proved tame are decided by the fickle-firm rule; wild sums of heaps of one game by
    its misere quotient, where that is found; all others by search, in which tame sums are looked up. Neither values of
    normal play nor periods of them are used.

    Examples
    --------
    >>> import sgai
    >>> kayles = sgai.load_ruleset("kayles")
    >>> solver = MisereSolver()
    >>> solver.verdict(kayles, (3, 6), Budget())
    Verdict(outcome='P', how='every component is proved tame: the fickle-firm rule')
    >>> [str(move) for move, _ in solver.winning_moves(kayles, (5,), Budget())]
    ['5->4', '5->2+2']
    """

    def __init__(self) -> None:
        self.table = MisereTable()
        self._builders: dict[AnyRuleset, QuotientBuilder] = {}
        self._quotients: dict[AnyRuleset, Quotient] = {}
        self._hopeless: dict[AnyRuleset, int] = {}  # the heaps for which no quotient was found

    def verdict(self, ruleset: AnyRuleset, position: Any, budget: Budget) -> Verdict:
        """Return the outcome of a position, with its reason.

        Raises
        ------
        OutOfBudget
            If the budget ends first; what was found is kept.
        """
        summands = decompose(ruleset, position)
        method = self._method(summands, budget)
        return Verdict("P" if method.beside(())(summands) else "N", method.how)

    def winning_moves(self, ruleset: AnyRuleset, position: Any, budget: Budget) -> Iterator[tuple[Any, Any]]:
        """Yield the moves to lost positions with these positions; a move may come twice.

        Raises
        ------
        OutOfBudget
            If the budget ends first; what was yielded before holds.
        """
        summands = decompose(ruleset, position)
        method = self._method(summands, budget)
        whole = method.beside(())
        if whole(summands):
            return
        lifter = Lifter(ruleset, position)
        if not all(lifter.can_lift(summand.path) for summand in summands):
            for move, option in ruleset.moves(position):
                budget.spend()
                if whole(decompose(ruleset, option)):
                    yield move, option
            return
        found: dict[tuple[AnyRuleset, Any], list[Any]] = {}
        for place, summand in enumerate(summands):
            key = summand[:2]
            if key not in found:
                found[key] = []
                rest = [*summands[:place], *summands[place + 1 :]]
                if method.quotient is not None:
                    inners = _results_to_lost(method.quotient, summand, rest, budget)
                else:
                    inners = _moves_to_lost(summand, method.beside(rest), budget)
                for inner in inners:
                    found[key].append(inner)
                    move = lifter.lift(summand.path, inner)
                    yield move, ruleset.apply(position, move)
                continue
            for inner in found[key]:
                move = lifter.lift(summand.path, inner)
                yield move, ruleset.apply(position, move)

    def prepare(self, ruleset: AnyRuleset, position: Any, budget: Budget) -> None:
        """Find the quotient that a sum of heaps needs, as far as the budget allows."""
        summands = decompose(ruleset, position)
        if all(_heap_of(summand) is not None for summand in summands):
            with contextlib.suppress(OutOfBudget):
                self._method(summands, budget)

    def take_quotients(self, other: "MisereSolver") -> None:
        """Take over the quotients that another solver has found."""
        self._quotients.update(other._quotients)
        self._hopeless.update(other._hopeless)

    def facts(self, ruleset: AnyRuleset, position: Any, budget: Budget) -> list[MisereFacts]:
        """Say of each component of a position what little work finds, at most a tenth of what is left of the budget."""
        summands = decompose(ruleset, position)
        try:
            quotient = self._method(summands, budget.share(1.0)).quotient
        except OutOfBudget:
            quotient = None
        kept: dict[tuple[AnyRuleset, Any], MisereFacts] = {}
        for summand in summands:
            if summand[:2] not in kept:
                kept[summand[:2]] = self._facts(summand, quotient, budget)
        return [kept[summand[:2]] for summand in summands]

    def _facts(self, summand: Summand, quotient: Quotient | None, budget: Budget) -> MisereFacts:
        heap = _heap_of(summand)
        element = quotient.name(quotient.image(heap)) if quotient is not None and heap is not None else None
        few = budget.share(_GENUS_SHARE)
        few.states = min(few.states, _MOST_GENUS_STATES)
        try:
            tame = self._tame(summand, few) if heap is None or heap < _LARGE_HEAP or _is_nim(summand) else None
            if tame is not None:
                kind = "tame, firm" if tame.is_firm else "tame, fickle"
                return MisereFacts(tame.grundy, str(Genus.of_tame(tame)), kind, element)
            if heap is not None and heap >= _LARGE_HEAP:
                return MisereFacts(element=element)
            part = self.table.part(summand.ruleset, summand.position, few)
            genus = self.table.genus((part,), few)
            return MisereFacts(genus.grundy, str(genus), part.kind, element)
        except OutOfBudget:
            return MisereFacts(element=element)
        finally:
            budget.charge(few)

    # Choosing the method

    def _method(self, summands: Sequence[Summand], budget: Budget) -> _Method:
        for rules in {summand.ruleset for summand in summands}:
            check_misere(rules)
        heaps = [_heap_of(summand) for summand in summands]
        is_heap_sum = bool(heaps) and None not in heaps and len({summand.ruleset for summand in summands}) == 1
        largest = max((heap for heap in heaps if heap is not None), default=0)
        known = self._quotients.get(summands[0].ruleset) if is_heap_sum else None
        is_ready = known is not None and known.covers(largest)
        if is_heap_sum and (is_ready or largest >= _LARGE_HEAP) and not _is_nim(summands[0]):
            method = self._by_quotient(summands[0].ruleset, largest, budget)
            if method is not None:
                return method
        if all(self._tame(summand, budget) is not None for summand in summands):
            return _Method("every component is proved tame: the fickle-firm rule", self._searcher(budget))
        if is_heap_sum:
            method = self._by_quotient(summands[0].ruleset, largest, budget)
            if method is not None:
                return method
        return _Method("search, in which tame sums are decided by the fickle-firm rule", self._searcher(budget))

    def _tame(self, summand: Summand, budget: Budget) -> Tame | None:
        """Return what a component is worth if it is proved tame; heaps of Nim are by themselves."""
        if _is_nim(summand):
            size = sum(summand.position)
            return Tame(size, size) if size > 1 else (STAR if size else NOTHING)
        return self.table.part(summand.ruleset, summand.position, budget).tame

    def _searcher(self, budget: Budget) -> Callable[[Sequence[Summand]], IsLost]:
        def beside(rest: Sequence[Summand]) -> IsLost:
            values = [self._tame(each, budget) for each in rest]

            def is_lost(parts: Sequence[Summand]) -> bool:
                more = [self._tame(each, budget) for each in parts]
                if None not in values and None not in more:
                    return tame_sum(each for each in [*values, *more] if each is not None).misere == 0
                return self.table.is_lost(self.table.sum_of([*rest, *parts], budget), budget)

            return is_lost

        return beside

    def _by_quotient(self, ruleset: AnyRuleset, largest: int, budget: Budget) -> _Method | None:
        quotient = self.quotient(ruleset, largest, budget)
        if quotient is None:
            return None

        def beside(rest: Sequence[Summand]) -> IsLost:
            monoid = quotient.monoid
            row = monoid.rows[quotient.element(sum(each.position) for each in rest)].tolist()

            def is_lost(parts: Sequence[Summand]) -> bool:
                return bool(row[quotient.element(sum(each.position) for each in parts)])

            return is_lost

        return _Method(quotient.summary(), beside, quotient)

    def quotient(self, ruleset: AnyRuleset, largest: int, budget: Budget) -> Quotient | None:
        """Return the misere quotient of a heap game that covers a heap, or None if half of the budget finds none."""
        rules = ruleset.rules()
        known = self._quotients.get(rules)
        if known is not None and known.covers(largest):
            return known
        if not isinstance(rules, HeapRuleset) or largest >= self._hopeless.get(rules, largest + 1):
            return None
        builder = self._builders.get(rules)
        if builder is None:
            builder = self._builders[rules] = QuotientBuilder(rules)
        share = budget.share(_QUOTIENT_SHARE)
        size = max(64, builder.largest)
        try:
            while True:
                builder.extend(min(size, largest), share)
                known = self._quotients[rules] = builder.quotient()
                if known.covers(largest):
                    return known
                if size >= _LARGEST_HEAP:
                    return None
                size *= 2
        except OutOfBudget:
            budget.check_clock()
            return None
        except NoQuotientError:
            self._hopeless[rules] = builder.largest + 1
            return None
        finally:
            budget.charge(share)


def _moves_to_lost(summand: Summand, is_lost: IsLost, budget: Budget) -> Iterator[Any]:
    for move, option in summand.ruleset.moves(summand.position):
        budget.spend()
        if is_lost(decompose(summand.ruleset, option)):
            yield move


def _results_to_lost(
    quotient: Quotient, summand: Summand, rest: Sequence[Summand], budget: Budget
) -> Iterator[HeapMove]:
    heap = _heap_of(summand)
    assert heap is not None
    product = quotient.monoid.product.tolist()
    row = quotient.monoid.rows[quotient.element(sum(each.position) for each in rest)].tolist()
    listed = [quotient.image(each) for each in range(heap + 1)] if heap <= _MOST_LISTED_IMAGES else None
    image = quotient.image if listed is None else listed.__getitem__
    for result in quotient.ruleset.results(heap):
        budget.spend()
        element = 0
        for part in result:
            element = product[element][image(part)]
        if row[element]:
            yield HeapMove(heap, result)


def _heap_of(summand: Summand) -> int | None:
    """Return the size of the heap that a component is, or None."""
    return summand.ruleset.heap_of(summand.position) if isinstance(summand.ruleset, HeapRuleset) else None


def _is_nim(summand: Summand) -> bool:
    return type(summand.ruleset) is Nim  # a subclass may have other rules
