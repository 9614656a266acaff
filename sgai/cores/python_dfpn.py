"""Depth-first proof-number search in Python, over sums of any rulesets."""

from sgai.budget import Budget
from sgai.cores.python_depth_first import DepthFirstCore, DepthFirstRoot, Frame
from sgai.cores.python_nodes import Key, outcome_at_once

Numbers = tuple[int, int]  # how many leaves must at least be won, and lost, to prove a sum won, and lost

_INFINITE = 1 << 60
_WON, _LOST = (0, _INFINITE), (_INFINITE, 0)


class PythonProofNumber(DepthFirstCore[Numbers]):
    """Depth-first proof-number search, for any ruleset under normal play.

    It always goes on where the least seems to be missing to a proof, so a few narrow lines decide a wide game. A new
    sum counts as one leaf to be won, and as many to be lost as it has moves.

    Notes
    -----
    A. Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", PhD thesis, University of Tokyo (2002),
    with the thresholds of J. Pawlewicz and Ł. Lew, "Improving depth-first PN-search: 1 + epsilon trick", Computers and
    Games (2006). Sums folded by Grundy values in proof-number search: T. Čížek, M. Balko, M. Schmid,
    arXiv 2511.10339 (2025).

    Examples
    --------
    >>> import sgai
    >>> from sgai.cores import Sum
    >>> from sgai.ruleset import Component
    >>> cram = sgai.load_ruleset("cram(rows=3,columns=3)")
    >>> found = PythonProofNumber().search(Sum((Component(cram, cram.initial()),), 1), Budget(1000))
    >>> found.outcome, found.moves[0].outcome
    ('N', 'P')
    """

    name = "dfpn"

    def _look_up(self, key: Key) -> str | None:
        won, lost = self._numbers(key)
        return "N" if won == 0 else "P" if lost == 0 else None

    def _store(self, key: Key, outcome: str) -> None:
        self._known.put(key, _WON if outcome == "N" else _LOST)

    def _numbers(self, key: Key) -> Numbers:
        outcome = outcome_at_once(key)
        if outcome is not None:
            return _WON if outcome == "N" else _LOST
        numbers = self._known.get(key)
        if numbers is None:
            parts, heap = key
            numbers = 1, max(1, heap + sum([part.options for part in parts]))  # all moves must be answered
        return numbers

    def _step(self, root: DepthFirstRoot, budget: Budget) -> None:
        frame = root.stack[-1]
        self._refold(frame)
        if frame.key is None:
            frame.limits = (_INFINITE, _INFINITE)
            self._prove_options(root, frame)
            if root.outcome is not None:
                return
        best, second, best_won = frame.children[0], _INFINITE, 0
        won, lost = _INFINITE, 0  # it is won by one lost option, and lost by all options won
        for child in frame.children:
            child_won, child_lost = self._numbers(child)
            lost += child_won
            if child_lost < won:
                best, best_won, second, won = child, child_won, won, child_lost
            elif child_lost < second:
                second = child_lost
        if won == 0:
            lost = _INFINITE
        if won >= frame.limits[0] or lost >= frame.limits[1]:
            self._leave(root, frame.key, (won, min(lost, _INFINITE)))
            return
        outcome = self._push(root, best, budget)
        if outcome is not None:
            self._finish(best, outcome)
        else:
            root.stack[-1].limits = (
                min(_INFINITE, frame.limits[1] - lost + best_won),
                min(frame.limits[0], second + second // 4 + 1),
            )

    def _prove_options(self, root: DepthFirstRoot, frame: Frame) -> None:
        """Take over what is proved of the root's options; the others stay on the frame, folded."""
        open_keys: dict[Key, None] = {}
        for key in dict.fromkeys(root.listed.keys):
            if key in root.proved:
                continue
            folded = self._table.fold(*key)
            outcome = self._look_up(folded)
            if outcome is None:
                open_keys[folded] = None
            else:
                self._prove(root, key, outcome)
        frame.children = list(open_keys)

    def _leave(self, root: DepthFirstRoot, key: Key | None, numbers: Numbers) -> None:
        assert key is not None, "the root has no limits"
        self._pop(root)
        self._known.put(key, numbers)
        if 0 in numbers:
            self._finish(key, "N" if numbers[0] == 0 else "P")

    def _estimate(self, root: DepthFirstRoot, key: Key) -> float:  # noqa: ARG002 - alpha-beta looks at the stack
        """Return how hard it is to prove that the opponent wins, as a share of both numbers."""
        won, lost = self._numbers(self._table.fold(*key))
        return won / (won + lost)
