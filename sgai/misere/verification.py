"""The proof that a finite monoid predicts every misere outcome of the sums of some heaps."""

from collections.abc import Iterable, Sequence

import numpy as np

from sgai.budget import Budget
from sgai.misere.monoids import BipartiteMonoid, Bools


class Verifier:
    """Heaps whose images in a monoid are proved to predict the outcome of all of their sums.

    A sum G has an image: the product of the images of its heaps. The images predict outcomes if

    1. no sum with image in P has an option with image in P, and
    2. every sum of heaps that have moves, with image outside P, has an option with image in P.

    Then a sum is lost for the player to move if and only if its image is in P, by induction. The first is finite to
    check: for a heap with image m, an option with image m', and every element x not both mx and m'x are in P. For the
    second, W(G) is the set of elements x such that some option of G has an image that makes x an element of P. It
    follows from those of the parts, W(G + H) = (W(G) : image of H) united with (W(H) : image of G), so the pairs
    (image of G, W(G)) of all sums G are finitely many; since larger sets W only help, those that are minimal by
    inclusion suffice. A heap for which every x has either mx in P or x in W(m) is fine in any company, and is left out.

    This is the verification of Plambeck and Siegel (*Misere quotients for impartial games*, 2008) in other words.
    """

    def __init__(self, monoid: BipartiteMonoid) -> None:
        self.monoid = monoid
        self.failure: tuple[int, ...] = ()  # the heaps of the sum for which the last check failed
        self._heaps: list[tuple[int, Bools, int]] = []
        self._minimal: dict[int, list[tuple[Bools, tuple[int, ...]]]] = {}

    def reach(self, options: Iterable[int]) -> Bools:
        """Return W for a heap: the elements with which some option's image is in P."""
        found = np.zeros(self.monoid.order, dtype=np.bool_)
        for option in options:
            found |= self.monoid.rows[option]
        return found

    def accepts(self, image: int, reach: Bools, heap: int, budget: Budget) -> bool:
        """Add a heap with moves if outcomes stay predicted; else change nothing, and tell so.

        Parameters
        ----------
        image : int
            The heap's element.
        reach : bool array, shape (order,)
            Its `reach`.
        heap : int
            Its size, to name it in ``failure``.
        budget : Budget
            What may be spent: one state for each pair.

        Raises
        ------
        OutOfBudget
            If the budget ends first.
        """
        row = self.monoid.rows[image]
        self.failure = (heap,)
        if bool((row & reach).any()):
            return False
        if bool((row | reach).all()):
            return True
        if any(each == image and not bool((other & ~reach).any()) for each, other, _ in self._heaps):
            return True
        return self._closes(image, reach, heap, budget)

    def _closes(self, image: int, reach: Bools, heap: int, budget: Budget) -> bool:
        monoid = self.monoid
        product = monoid.product
        minimal = {element: list(known) for element, known in self._minimal.items()}
        heaps = [*self._heaps, (image, reach, heap)]
        waiting: list[tuple[int, Bools, tuple[int, ...]]] = []

        def holds(element: int, reached: Bools, parts: tuple[int, ...]) -> bool:
            known = minimal.get(element, [])
            if any(not bool((other & ~reached).any()) for other, _ in known):
                return True
            budget.spend()
            minimal[element] = [each for each in known if bool((reached & ~each[0]).any())] + [(reached, parts)]
            if not (monoid.is_p[element] or reached[0]):
                self.failure = parts
                return False
            waiting.append((element, reached, parts))
            return True

        def grown(element: int, reached: Bools, parts: tuple[int, ...], by: tuple[int, Bools, int]) -> bool:
            other, other_reach, size = by
            both = reached[product[other]] | other_reach[product[element]]
            return holds(int(product[element, other]), both, (*parts, size))

        if not holds(image, reach, (heap,)):
            return False
        for element, known in list(self._minimal.items()):
            if not all(grown(element, reached, parts, heaps[-1]) for reached, parts in known):
                return False
        while waiting:
            element, reached, parts = waiting.pop()
            if not all(grown(element, reached, parts, each) for each in heaps):
                return False
        self._minimal, self._heaps = minimal, heaps
        return True


def predicts(
    monoid: BipartiteMonoid, images: Sequence[int], options: Sequence[Iterable[int]], budget: Budget | None = None
) -> bool:
    """Tell whether a monoid predicts all outcomes of sums of heaps, from nothing but their images and options' images.

    Parameters
    ----------
    monoid : BipartiteMonoid
        The monoid.
    images : sequence of int
        The element of heap 0, 1, 2, ...
    options : sequence of iterables of int
        The elements of the options of heap 0, 1, 2, ...
    budget : Budget, optional
        What may be spent.
    """
    limit = budget or Budget()
    if monoid.is_p[0]:
        return False
    verifier = Verifier(monoid)
    for heap, (image, following) in enumerate(zip(images, options, strict=True)):
        elements = list(following)
        if not elements:
            if image != 0:  # a heap without moves is nothing
                return False
        elif not verifier.accepts(image, verifier.reach(elements), heap, limit):
            return False
    return True
