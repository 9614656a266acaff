"""The genera of the heaps 0, 1, 2, ... of a heap game."""

from collections.abc import Iterator
from typing import Any

from sgai.budget import Budget
from sgai.errors import SgaiError
from sgai.misere.genus import Genus
from sgai.misere.refusals import check_misere
from sgai.misere.search import MisereTable
from sgai.registry import load_ruleset
from sgai.ruleset import Ruleset
from sgai.rulesets.heaps import HeapRuleset


def genera(ruleset: Ruleset[Any, Any] | str, largest: int, budget: Budget | None = None) -> Iterator[Genus]:
    """Yield the genera of the heaps 0 to ``largest``.

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
        If the ruleset has no heaps that are independent of each other, or says nothing of misere play.
    OutOfBudget
        If the budget ends first; wild heaps take more and more.

    Examples
    --------
    >>> " ".join(str(genus) for genus in genera("kayles", 9))
    '0^120 1^031 2^20 3^31 1^031 4^146 3^31 2^20 1^13 4^046'
    """
    loaded = load_ruleset(ruleset)
    check_misere(loaded)
    rules = loaded.rules()
    if not isinstance(rules, HeapRuleset) or rules.heap_of((1,)) is None:
        raise SgaiError(f"{str(loaded)!r} has no heaps, so no sequence of genera; solve a position of it instead")
    table, limit = MisereTable(), budget or Budget()
    for heap in range(largest + 1):
        part = table.part(rules, (heap,) if heap else (), limit)
        yield table.genus((part,) if part.sums else (), limit)
