"""Misere quotients of heap games (T. E. Plambeck and A. N. Siegel), found by refinement and proved by verification."""

import string
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgai.budget import Budget
from sgai.errors import NotSolvedError, SgaiError, UnsupportedError, quote
from sgai.misere.monoids import BipartiteMonoid, Exponents, Numbers, reduced, without_spare_generators, written
from sgai.misere.refusals import check_misere
from sgai.misere.verification import Verifier, predicts
from sgai.parameters import check_integer
from sgai.periods import Period, find_period, period_theorem
from sgai.registry import load_ruleset
from sgai.ruleset import Ruleset
from sgai.rulesets.heaps import HeapRuleset, Heaps
from sgai.rulesets.take_and_break import by_code

_FIRST_CAP = 3  # powers of a new generator that are told apart at first
_LARGEST_BOX, _LARGEST_CAP = 40_000, 12


class NoQuotientError(NotSolvedError):
    """No finite quotient was found within the sizes that are tried; there may be none."""


@dataclass(frozen=True)
class Quotient:
    """The misere quotient of a heap game, proved for all sums of the heaps up to a size, or of all heaps.

    Attributes
    ----------
    ruleset : HeapRuleset
        The game.
    largest : int
        The largest heap that was computed; sums of heaps up to here are decided.
    monoid : BipartiteMonoid
        The quotient and its P-portion: outcomes of sums are told by their elements.
    heaps : tuple of int
        The heaps that are the monoid's generators.
    images : tuple of int
        The pretending function: the element of heap 0, 1, ..., ``largest``.
    period : Period or None
        Where a proof has been found: the images' period, which holds for ever, so that every heap is decided.
    """

    ruleset: HeapRuleset
    largest: int
    monoid: BipartiteMonoid
    heaps: tuple[int, ...]
    images: tuple[int, ...]
    period: Period | None

    @property
    def order(self) -> int:
        """Return the number of elements."""
        return self.monoid.order

    @property
    def letters(self) -> tuple[str, ...]:
        """Return a letter for each generator, or ``h`` with the heap's size where letters do not suffice."""
        if len(self.heaps) <= len(string.ascii_lowercase):
            return tuple(string.ascii_lowercase[: len(self.heaps)])
        return tuple(f"h{heap}" for heap in self.heaps)

    def covers(self, heap: int) -> bool:
        """Tell whether the quotient says what a heap is."""
        return heap <= self.largest or self.period is not None

    def image(self, heap: int) -> int:
        """Return the element of a heap.

        Raises
        ------
        NotSolvedError
            If the heap is larger than what was computed, and no period is proved.
        """
        if heap <= self.largest:
            return self.images[heap]
        if self.period is None:
            raise NotSolvedError(f"the misere quotient of {self.ruleset} is known to heap {self.largest} only")
        return self.images[self.period.reduce(heap)]

    def element(self, heaps: Iterable[int]) -> int:
        """Return the element of a sum of heaps."""
        found = 0
        for heap in heaps:
            found = int(self.monoid.product[found, self.image(heap)])
        return found

    def is_lost(self, heaps: Iterable[int]) -> bool:
        """Tell whether the player to move loses the sum of heaps under misere play."""
        return bool(self.monoid.is_p[self.element(heaps)])

    def name(self, element: int) -> str:
        """Write an element as a word in the letters of the generators."""
        return written(self.monoid.words[element], self.letters)

    def p_portion(self) -> list[str]:
        """Return the elements that are P-positions, as words."""
        return [self.name(int(element)) for element in np.flatnonzero(self.monoid.is_p)]

    def pretending(self) -> list[str]:
        """Return the pretending function: the words of heap 0, 1, ..., ``largest``."""
        return [self.name(image) for image in self.images]

    def presentation(self) -> str:
        """Write the monoid by generators and relations.

        Examples
        --------
        >>> quotient("nim", 2).presentation()
        '<a, b | a^2 = 1, b^3 = b>'
        """
        pairs = self.monoid.relations()
        relations = [f"{written(left, self.letters)} = {written(right, self.letters)}" for left, right in pairs]
        return f"<{', '.join(self.letters)} | {', '.join(relations)}>" if self.heaps else "<>"

    def verify(self, budget: Budget | None = None) -> bool:
        """Prove again that the monoid predicts all outcomes of sums of heaps up to ``largest``.

        Only the multiplication table, the P-portion and the images are used.
        """
        return predicts(self.monoid, self.images, [self._options(heap) for heap in range(self.largest + 1)], budget)

    def _options(self, heap: int) -> set[int]:
        return {self.element(result) for result in self.ruleset.checked_results(heap)}

    def summary(self) -> str:
        """Say in a line what is proved."""
        reach = f"all sums of heaps to {self.largest}"
        if self.period is not None:
            reach = f"all heaps, period {self.period.period} from heap {self.period.preperiod} on"
        return f"misere quotient of order {self.order}, proved for {reach}"


class QuotientBuilder:
    """Finds the misere quotient of a heap game, heap by heap.

    A candidate has generators, certain heaps, and a word in them for each of the other heaps. Powers of a generator
    are told apart up to a cap and assumed to alternate beyond it; the outcomes of the finitely many sums of generators
    that are left follow by recursion, with every option replaced by its word, and the reduced monoid is the candidate.
    `Verifier` then proves that it predicts the outcomes of all sums of heaps, or names heaps that it is wrong for;
    these get another word, become generators themselves, or raise the caps, and the next candidate is made. Nothing
    is believed before it is verified, so how candidates are found is not part of any proof.

    Parameters
    ----------
    ruleset : HeapRuleset
        The game.

    Notes
    -----
    This refines candidates as Siegel's MisereSolver does, though not by the same steps. A quotient is found if it is
    finite and needs few generators: the sums of generators that are told apart are 40,000 at most.
    """

    def __init__(self, ruleset: HeapRuleset) -> None:
        rules = ruleset.rules()
        assert isinstance(rules, HeapRuleset)
        self.ruleset: HeapRuleset = rules
        self._generators: list[int] = []
        self._caps: list[int] = []
        self._words: dict[int, Exponents] = {0: ()}
        self._results: dict[int, list[Heaps]] = {}
        self._images: list[int] = []
        self._started = False
        self._monoid: BipartiteMonoid
        self._verifier: Verifier

    @property
    def largest(self) -> int:
        """Return the largest heap that is proved, -1 for none."""
        return len(self._images) - 1

    @property
    def order(self) -> int:
        """Return the order of the quotient that is proved."""
        return self._monoid.order if self._started else 0

    def extend(self, largest: int, budget: Budget) -> None:
        """Find the quotient of the heaps up to ``largest``, one heap more at a time.

        Raises
        ------
        OutOfBudget
            If the budget ends first; the quotient of fewer heaps is kept.
        NoQuotientError
            If no quotient is found within the sizes that are tried.
        """
        for heap in range(self.largest + 1, largest + 1):
            self._add(heap, budget)

    def quotient(self) -> Quotient:
        """Return what is proved so far; a proof of periodicity is looked for."""
        theorem = period_theorem(self.ruleset)
        images = np.array(self._images, dtype=np.int64)
        period = None
        if theorem is not None and len(images) > 1:
            coded = by_code(self.ruleset)
            shift = 0 if coded is None else coded.shift  # in a shifted game heap n is heap n + shift of its code
            found = find_period(np.concatenate([np.zeros(shift, dtype=np.int64), images]), theorem)
            if found is not None:
                period = Period(max(0, found.preperiod - shift), found.period, found.proved_with - shift)
        monoid, kept, numbers = without_spare_generators(self._monoid)
        heaps = tuple(self._generators[place] for place in kept)
        renamed = tuple(int(numbers[image]) for image in self._images)
        return Quotient(self.ruleset, self.largest, monoid, heaps, renamed, period)

    # One heap more

    def _add(self, heap: int, budget: Budget) -> None:
        kept = self._state()
        try:
            if not self._started:
                self._build(budget)
                self._started = True
            self._settle(heap, budget)
        except BaseException:
            self._restore(kept)  # what was proved stays, whatever interrupts
            raise
        self._drop_spare_generators(heap, budget)

    def _settle(self, heap: int, budget: Budget) -> None:
        """Change the candidate until it is proved for all heaps up to one."""
        while not self._walk(heap, budget):
            self._images = []
            self._build(budget)

    def _state(self) -> dict[str, Any]:
        copied = {name: list(getattr(self, name)) for name in ("_generators", "_caps", "_images")}
        kept = {name: getattr(self, name) for name in ("_monoid", "_verifier", "_started") if hasattr(self, name)}
        return {**kept, **copied, "_words": dict(self._words)}

    def _restore(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)

    def _drop_spare_generators(self, heap: int, budget: Budget) -> None:
        """Write generators that are products of smaller ones so, if what is proved can then be proved again."""
        words: dict[int, Exponents] = {}
        for place in range(len(self._generators)):
            word = self._monoid.word_in(self._monoid.generators[place], [i for i in range(place) if i not in words])
            if word is not None:
                words[place] = word
        if not words:
            return
        kept = self._state()
        left = [place for place in range(len(self._generators)) if place not in words]
        self._caps = [self._monoid.highest_power(place) for place in left]
        for each, word in self._words.items():
            total = [word[place] for place in left]
            for place, spare in words.items():
                for i, target in enumerate(left):
                    total[i] += word[place] * spare[target]
            self._words[each] = tuple(total)
        self._generators = [self._generators[place] for place in left]
        self._images = []
        try:
            self._build(budget)
            self._settle(heap, budget)
        except BaseException as error:
            self._restore(kept)
            if not isinstance(error, NoQuotientError):
                raise

    def _walk(self, largest: int, budget: Budget) -> bool:
        """Find images of heaps from the first missing one up; False if the candidate had to be changed."""
        for heap in range(len(self._images), largest + 1):
            budget.check_clock()
            if not self._list(heap):
                self._words[heap] = (0,) * len(self._generators)
                self._images.append(0)
                continue
            reach = self._verifier.reach({self._element(result) for result in self._list(heap)})
            if heap in self._generators:
                image = self._monoid.generators[self._generators.index(heap)]
                if not self._verifier.accepts(image, reach, heap, budget):
                    self._correct(heap)
                    return False
                self._images.append(image)
                continue
            found = self._image_for(heap, reach, budget)
            if found is None:
                self._promote(heap)
                return False
            known = self._words.get(heap)
            is_changed = known is not None and self._monoid.element(known) != found
            self._images.append(found)
            if known is None or is_changed:
                self._words[heap] = self._monoid.words[found]
            if is_changed and any(heap in result for each in self._generators for result in self._list(each)):
                return False
        return True

    def _image_for(self, heap: int, reach: Any, budget: Budget) -> int | None:
        """Return an element that the heap can be, in sums of heaps up to it."""
        monoid = self._monoid
        candidates: list[int] = []
        if heap in self._words:
            candidates.append(monoid.element(self._words[heap]))
        smaller = [each < heap for each in self._generators]
        fitting = np.flatnonzero(~(monoid.rows & reach).any(axis=1))
        exact = [int(each) for each in fitting if bool((monoid.rows[each] | reach).all())]
        for element in [*exact, *map(int, fitting)]:
            word = monoid.words[element]
            if element not in candidates and all(
                is_smaller or not exponent for is_smaller, exponent in zip(smaller, word, strict=True)
            ):
                candidates.append(element)
        for element in candidates:
            if self._verifier.accepts(element, reach, heap, budget):
                return element
        return None

    # Changes of the candidate

    def _correct(self, heap: int) -> None:
        """Change what a failure at a generator speaks against: a heap with a wrong word, or too low caps."""
        suspects = [each for each in self._verifier.failure if each not in self._generators]
        if suspects:
            self._promote(max(suspects))
            return
        # Caps rise where the failing sum has more than one of a generator, or for all where that tells nothing.
        repeated = {each for each in self._verifier.failure if self._verifier.failure.count(each) > 1}
        raised = repeated or {each for each in self._generators if each <= heap}
        self._caps = [cap + (each in raised) for each, cap in zip(self._generators, self._caps, strict=True)]
        if max(self._caps) > _LARGEST_CAP:
            raise self._none(heap)

    def _promote(self, heap: int) -> None:
        """Make a heap a generator."""
        self._caps = [self._monoid.highest_power(i) for i in range(len(self._generators))]
        place = sum(each < heap for each in self._generators)
        self._generators.insert(place, heap)
        self._caps.insert(place, _FIRST_CAP)
        self._words = {each: (*word[:place], 0, *word[place:]) for each, word in self._words.items()}
        self._words[heap] = tuple(int(i == place) for i in range(len(self._generators)))

    def _none(self, heap: int) -> NoQuotientError:
        return NoQuotientError(
            f"no finite misere quotient of {self.ruleset} was found for heaps to {heap}; there may be none"
        )

    # Making a candidate

    def _build(self, budget: Budget) -> None:
        sizes = [cap + 1 for cap in self._caps]
        strides = [1, *np.cumprod(np.array(sizes, dtype=object)).tolist()]
        count = int(strides[len(sizes)])
        if count > _LARGEST_BOX:
            raise self._none(max([*self._words, *self._generators]))
        budget.spend(1 + count // 8)
        budget.check_clock()
        index: Numbers = np.arange(count, dtype=np.int64)
        exponents = [(index // stride) % size for stride, size in zip(strides, sizes, strict=False)]
        steps = [
            np.where(exponent < cap, index + stride, index - stride)
            for exponent, cap, stride in zip(exponents, self._caps, strides, strict=False)
        ]
        tables = [self._option_tables(generator, steps, index) for generator in self._generators]
        is_p = np.array(_outcomes(count, [each.tolist() for each in exponents], strides, tables), dtype=np.bool_)
        self._monoid = reduced(steps, is_p)
        self._verifier = Verifier(self._monoid)

    def _option_tables(self, generator: int, steps: list[Numbers], index: Numbers) -> list[list[int]]:
        """Return for every option of a generator what adding it makes of each sum."""
        words = {self._word(result) for result in self._list(generator)}
        tables = []
        for word in sorted(words):
            table = index
            for step, exponent in zip(steps, word, strict=True):
                for _ in range(exponent):
                    table = step[table]
            tables.append(table.tolist())
        return tables

    def _word(self, heaps: Heaps) -> Exponents:
        total = [0] * len(self._generators)
        for heap in heaps:
            for i, exponent in enumerate(self._words[heap]):
                total[i] += exponent
        return tuple(total)

    def _element(self, heaps: Heaps) -> int:
        found = 0
        for heap in heaps:
            found = int(self._monoid.product[found, self._images[heap]])
        return found

    def _list(self, heap: int) -> list[Heaps]:
        kept = self._results.get(heap)
        if kept is None:
            kept = self._results[heap] = list(self.ruleset.checked_results(heap))
        return kept


def _outcomes(count: int, exponents: list[list[int]], strides: list[int], tables: list[list[list[int]]]) -> list[bool]:
    """Return which sums of generators are P-positions.

    Options of a generator are sums of smaller ones, so every option comes before its sum in order of the exponents,
    the largest generator's first.
    """
    is_p = [False] * count
    parts = list(zip(exponents, strides, tables, strict=False))
    for place in range(1, count):
        is_p[place] = not any(
            is_p[table[place - stride]] for exponent, stride, each in parts if exponent[place] for table in each
        )
    return is_p


def quotient(ruleset: Ruleset[Any, Any] | str, largest: int, budget: Budget | None = None) -> Quotient:
    """Return the misere quotient of the heaps up to ``largest``, with a proof of its period where there is one.

    Parameters
    ----------
    ruleset : HeapRuleset or str
        The game.
    largest : int
        The largest heap.
    budget : Budget, optional
        What may be spent.

    Raises
    ------
    SgaiError
        If the ruleset has no heaps that are independent of each other.
    NoQuotientError
        If no quotient is found within the sizes that are tried.
    OutOfBudget
        If the budget ends first.

    Notes
    -----
    If the images of heaps repeat for as long as the octal periodicity theorem asks of Grundy values, they repeat for
    ever: a larger heap has the same images among its options as the heap one period below, so the verification that
    holds for that one holds for it. That is the periodicity theorem of Plambeck and Siegel (2008).

    Examples
    --------
    >>> found = quotient("kayles", 170)
    >>> found.order, len(found.p_portion()), found.period
    (40, 9, Period(preperiod=71, period=12, proved_with=167))
    >>> found.is_lost([10**6, 10**6 + 3])
    False
    """
    loaded = load_ruleset(ruleset)
    check_misere(loaded)
    rules = loaded.rules()
    if not isinstance(rules, HeapRuleset) or rules.heap_of((1,)) is None:
        raise UnsupportedError(f"{quote(str(loaded))} has no heaps that are independent of each other, so no quotient")
    largest = check_integer(largest)
    if largest < 0:
        raise SgaiError(f"{quote(largest)} is no heap size: it is an integer of 0 or more")
    builder = QuotientBuilder(rules)
    builder.extend(largest, budget or Budget())
    return builder.quotient()
