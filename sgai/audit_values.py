"""Values by the definition, remembered: what the audit compares with the values of components."""

from typing import Any

from sgai.errors import LoopError
from sgai.loopy import LoopyValue
from sgai.reference import TooManyCalls, reference_loopy
from sgai.ruleset import Ruleset

AnyRuleset = Ruleset[Any, Any]

_MOST_KEPT = 500_000  # values of positions; beyond, what is not known stays so
_MOST_LOOPY = 600  # positions of a loopy game, and vertices of its sums with heaps


class Judge:
    """Gives values by nothing but ``moves``: nothing is split, folded or brought to canonical form.

    Parameters
    ----------
    most_new : int
        How many positions may be visited for one value, those with known values aside.

    Examples
    --------
    >>> import sgai
    >>> judge = Judge(100)
    >>> str(judge.value(sgai.load_ruleset("nim"), (1, 2))), judge.value(sgai.load_ruleset("nim"), (50, 60))
    ('3', None)
    """

    def __init__(self, most_new: int) -> None:
        self._most_new = most_new
        self._known: dict[AnyRuleset, dict[Any, int]] = {}
        self._loopy: dict[tuple[AnyRuleset, Any], LoopyValue | None] = {}
        self._kept = 0

    def value(self, ruleset: AnyRuleset, position: Any) -> LoopyValue | None:
        """Return the value of a position, or None where that takes too much; numbers stand for Grundy values."""
        if ruleset.loopy:
            key = (ruleset, position)
            if key not in self._loopy:
                self._loopy[key] = self._loopy_value(ruleset, position)
            return self._loopy[key]
        grundy = self._grundy(ruleset, position)
        return None if grundy is None else LoopyValue(grundy)

    def _loopy_value(self, ruleset: AnyRuleset, position: Any) -> LoopyValue | None:
        try:
            return LoopyValue(*reference_loopy(ruleset, position, min(_MOST_LOOPY, self._most_new)))
        except TooManyCalls:
            return None

    def _grundy(self, ruleset: AnyRuleset, position: Any) -> int | None:
        known = self._known.setdefault(ruleset, {})
        stack: list[tuple[Any, list[Any], list[Any]]] = []
        entered: set[Any] = set()  # those on the stack
        new = 0

        def enter(at: Any) -> bool:
            nonlocal new
            if new == self._most_new or self._kept + len(stack) >= _MOST_KEPT:
                return False
            new += 1
            entered.add(at)
            options = [option for _, option in ruleset.moves(at)]
            stack.append((at, options, list(options)))
            return True

        if position not in known and not enter(position):
            return None
        while stack:
            at, options, waiting = stack[-1]
            if waiting:
                option = waiting.pop()
                if option in known:
                    continue
                if option in entered:
                    path = [each[0] for each in stack]
                    raise LoopError([ruleset.format(each) for each in path[path.index(option) :]])
                if not enter(option):
                    return None
                continue
            stack.pop()
            entered.discard(at)
            self._kept += 1
            values = {known[option] for option in options}
            known[at] = next(n for n in range(len(values) + 1) if n not in values)
        return known[position]
