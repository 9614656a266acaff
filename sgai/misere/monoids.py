"""Finite commutative monoids with a set of P-positions, reduced so that different elements tell sums apart."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Exponents = tuple[int, ...]  # how often each generator occurs
Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class BipartiteMonoid:
    """A finite commutative monoid with a subset P; element 0 is the identity.

    It is reduced: for different elements a and b there is some c with exactly one of ac and bc in P.

    Attributes
    ----------
    product : integer array, shape (order, order)
        The multiplication table.
    is_p : bool array, shape (order,)
        Which elements are P-positions.
    words : tuple of tuple of int
        The shortest word of each element: the exponents of the generators.
    generators : tuple of int
        The elements that the generators are.
    rows : bool array, shape (order, order)
        Whether the product of two elements is in P.
    """

    product: Numbers
    is_p: Bools
    words: tuple[Exponents, ...]
    generators: tuple[int, ...]
    rows: Bools

    @property
    def order(self) -> int:
        """Return the number of elements."""
        return len(self.is_p)

    def element(self, word: Sequence[int]) -> int:
        """Return the element that a word in the generators stands for."""
        found = 0
        for generator, exponent in zip(self.generators, word, strict=True):
            for _ in range(exponent):
                found = int(self.product[found, generator])
        return found

    def highest_power(self, generator: int) -> int:
        """Return k + 1 for the least k from which the powers of a generator repeat."""
        powers = [0]
        while True:
            power = int(self.product[powers[-1], self.generators[generator]])
            if power in powers:
                return powers.index(power) + 1
            powers.append(power)

    def word_in(self, element: int, places: Sequence[int]) -> Exponents | None:
        """Return a shortest word for an element in some of the generators, or None if they do not make it."""
        empty: Exponents = (0,) * len(self.generators)
        words = {0: empty}
        waiting = [0]
        for known in waiting:
            for place in places:
                longer = int(self.product[known, self.generators[place]])
                if longer not in words:
                    words[longer] = _times(words[known], place)
                    waiting.append(longer)
        return words.get(element)

    def relations(self) -> list[tuple[Exponents, Exponents]]:
        """Return pairs of words that are equal and present the monoid: no left side divides another one.

        Every word is brought to its shortest form by replacing left sides by right ones.
        """
        normal = {word: i for i, word in enumerate(self.words)}
        found: dict[Exponents, Exponents] = {}
        for word in self.words:
            for j in range(len(self.generators)):
                longer = _times(word, j)
                if longer in normal or longer in found:
                    continue
                if all(_over(longer, i) in normal for i, exponent in enumerate(longer) if exponent):
                    found[longer] = self.words[self.element(longer)]
        return list(found.items())


def _times(word: Exponents, generator: int) -> Exponents:
    return (*word[:generator], word[generator] + 1, *word[generator + 1 :])


def _over(word: Exponents, generator: int) -> Exponents:
    return (*word[:generator], word[generator] - 1, *word[generator + 1 :])


def written(word: Sequence[int], letters: Sequence[str]) -> str:
    """Write a word: ``ab^2``, or ``1`` for the empty one.

    Examples
    --------
    >>> written((1, 2, 0), "abc")
    'ab^2'
    """
    factors = [
        letter + (f"^{exponent}" if exponent > 1 else "")
        for letter, exponent in zip(letters, word, strict=False)
        if exponent
    ]
    return "".join(factors) or "1"


def reduced(steps: Sequence[Numbers], is_p: Bools) -> BipartiteMonoid:
    """Reduce a finite commutative monoid by the relation that no further summand tells two elements apart.

    Parameters
    ----------
    steps : sequence of integer arrays, each of shape (size,)
        For each generator, what it makes of every element by multiplication; element 0 is the identity.
    is_p : bool array, shape (size,)
        The subset P.

    Notes
    -----
    This is the coarsest partition that tells P from its rest and that multiplication by generators respects, found by
    refinement as for automata (E. F. Moore, 1956): O(size) work for each generator and round.

    Examples
    --------
    >>> import numpy as np
    >>> reduced([np.array([1, 0, 3, 2])], np.array([False, True, False, True])).order
    2
    """
    labels: Numbers = is_p.astype(np.int64)
    count = len(np.unique(labels))
    while True:
        columns = np.stack([labels, *(labels[step] for step in steps)], axis=1)
        labels = np.unique(columns, axis=0, return_inverse=True)[1].reshape(-1)
        refined = int(labels.max()) + 1
        if refined == count:
            break
        count = refined
    return _named(steps, is_p, labels)


def _named(steps: Sequence[Numbers], is_p: Bools, labels: Numbers) -> BipartiteMonoid:
    """Return the monoid of the classes, numbered by their least words: shorter ones first, then by letters."""
    rank = len(steps)
    empty: Exponents = (0,) * rank
    numbers = {int(labels[0]): 0}
    words, samples = [empty], [0]
    frontier = [(empty, 0)]
    while frontier:
        longer = {_times(word, j): int(steps[j][sample]) for word, sample in frontier for j in range(rank)}
        frontier = []
        for word in sorted(longer, reverse=True):
            label = int(labels[longer[word]])
            if label not in numbers:
                numbers[label] = len(words)
                words.append(word)
                samples.append(longer[word])
                frontier.append((word, longer[word]))
    order = len(words)
    to_number = np.zeros(int(labels.max()) + 1, dtype=np.int64)
    for label, number in numbers.items():
        to_number[label] = number
    following = [to_number[labels[step[samples]]] for step in steps]
    product = np.zeros((order, order), dtype=np.int64)
    for number, word in enumerate(words):
        column = np.arange(order)
        for j, exponent in enumerate(word):
            for _ in range(exponent):
                column = following[j][column]
        product[:, number] = column
    p_portion = is_p[samples]
    generators = tuple(int(step[0]) for step in following)
    return BipartiteMonoid(product, p_portion, tuple(words), generators, p_portion[product])


def without_spare_generators(monoid: BipartiteMonoid) -> tuple[BipartiteMonoid, tuple[int, ...], Numbers]:
    """Drop generators that are products of the others.

    Returns
    -------
    monoid : BipartiteMonoid
        The same one by fewer generators, its elements numbered anew.
    kept : tuple of int
        The places of the generators that are left.
    numbers : integer array, shape (order,)
        The new number of each element.
    """
    kept = list(range(len(monoid.generators)))
    for place in range(len(monoid.generators)):
        others = [each for each in kept if each != place]
        if others and monoid.word_in(monoid.generators[place], others) is not None:
            kept = others
    if not kept:
        return monoid, (), np.arange(monoid.order, dtype=np.int64)
    renamed = reduced([monoid.product[:, monoid.generators[place]] for place in kept], monoid.is_p)
    numbers = np.zeros(monoid.order, dtype=np.int64)
    for number, word in enumerate(renamed.words):
        full = [0] * len(monoid.generators)
        for place, exponent in zip(kept, word, strict=True):
            full[place] = exponent
        numbers[monoid.element(full)] = number
    return renamed, tuple(kept), numbers
