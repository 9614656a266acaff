"""Alpha-beta on two values in Python, over sums of any rulesets."""

from sgai.budget import Budget
from sgai.cores.python_depth_first import DepthFirstCore, DepthFirstRoot
from sgai.cores.python_nodes import Key, outcome_at_once


class PythonOutcome(DepthFirstCore[str]):
    """Alpha-beta search with the two values won and lost, for any ruleset under normal play.

    The first option that is lost for the opponent decides a sum. Options with few moves are looked at first, or by
    belief those that the opponent probably loses.

    Examples
    --------
    >>> import sgai
    >>> from sgai.cores import Sum
    >>> from sgai.ruleset import Component
    >>> cram = sgai.load_ruleset("cram(rows=3,columns=3)")
    >>> found = PythonOutcome().search(Sum((Component(cram, cram.initial()),), 1), Budget(1000))
    >>> found.outcome, found.moves[0].outcome
    ('N', 'P')
    """

    name = "outcome"

    def _look_up(self, key: Key) -> str | None:
        return outcome_at_once(key) or self._known.get(key)

    def _store(self, key: Key, outcome: str) -> None:
        self._known.put(key, outcome)

    def _step(self, root: DepthFirstRoot, budget: Budget) -> None:
        frame = root.stack[-1]
        self._refold(frame)
        if frame.place == len(frame.children):
            self._end(root, "P")
            return
        child = frame.children[frame.place]
        folded = self._table.fold(*child)
        outcome = self._look_up(folded)
        if outcome is None:
            outcome = self._push(root, folded, budget)
            if outcome is None:
                return
            self._finish(folded, outcome)
        if frame.key is None:
            self._prove(root, child, outcome)
        if outcome == "P":
            self._end(root, "N")
        else:
            frame.place += 1

    def _end(self, root: DepthFirstRoot, outcome: str) -> None:
        key = root.stack[-1].key
        if key is not None:
            self._pop(root)
            self._finish(key, outcome)

    def _estimate(self, root: DepthFirstRoot, key: Key) -> float:
        """Return the share of the opponent's replies that are refuted, or the belief, before any reply was tried."""
        if len(root.stack) > 1 and root.stack[1].key == self._table.fold(*key):
            below = root.stack[1]
            return (below.place + 1) / (len(below.children) + 2)
        return 0.5 if self._loss is None else -root.ranks.get(key, -0.5)
