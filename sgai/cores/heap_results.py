"""Which components are heaps, and what may become of each heap, listed for compiled code."""

from array import array
from typing import Any

import numpy as np

from sgai.budget import Budget
from sgai.errors import SgaiError
from sgai.ruleset import Component, Ruleset
from sgai.rulesets.heaps import HeapRuleset
from sgai.rulesets.subtraction import by_removals

LARGEST_HEAP = 4096  # every result of every heap up to the largest is listed
_HEAPS_A_LOOK = 8


def is_heaps(component: Component) -> bool:
    """Tell whether a component is a heap, or several that do not look at each other, of sizes that can be listed.

    Examples
    --------
    >>> import sgai
    >>> nim, cram = sgai.load_ruleset("nim"), sgai.load_ruleset("cram")
    >>> is_heaps(Component(nim, (3, 4, 5))), is_heaps(Component(nim, (10**6,))), is_heaps(Component(cram, 3))
    (True, False, False)
    """
    ruleset, position, _ = component
    return (
        isinstance(ruleset, HeapRuleset)
        and ruleset.heap_of((1,)) is not None
        and max(position, default=0) <= LARGEST_HEAP
    )


class HeapResults:
    """What may become of the heaps 0, 1, 2, ... of one game, as far as it was asked for."""

    def __init__(self, ruleset: Ruleset[Any, Any]) -> None:
        assert isinstance(ruleset, HeapRuleset)
        self.ruleset = ruleset
        self._taking = by_removals(ruleset)
        self.first = array("q", [0, 0])
        self.one, self.two = array("i"), array("i")

    def extend(self, largest: int, budget: Budget) -> None:
        """List the results of all heaps up to the largest; what was listed before the budget ends is kept."""
        for heap in range(len(self.first) - 1, largest + 1):
            if heap % _HEAPS_A_LOOK == 0 or budget.seconds is not None:
                budget.left()
            one, two = self._left_by(heap)
            del self.one[self.first[-1] :], self.two[self.first[-1] :]  # what an interruption left half done
            self.one.extend(one)
            self.two.extend(two)
            self.first.append(len(self.one))

    def _left_by(self, heap: int) -> "tuple[array[int], array[int]]":
        """Return the two heaps that each result of a heap leaves, 0 for none."""
        one, two = array("i"), array("i")
        if self._taking is not None:
            left = heap - np.asarray(self._taking.removals(heap), dtype=np.int32)
            one.frombytes(left.tobytes())
            two.frombytes(np.zeros_like(left).tobytes())
            return one, two
        for result in self.ruleset.checked_results(heap):
            if len(result) > 2:
                raise SgaiError(
                    f"{self.ruleset}: a heap of {heap} may become {len(result)} heaps; this core takes games whose "
                    "moves leave two at most"
                )
            two.append(result[0] if len(result) == 2 else 0)
            one.append(result[-1] if result else 0)
        return one, two
