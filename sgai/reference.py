"""The referee: Grundy value and outcome by nothing but their definitions.

It splits nothing, remembers nothing and shares no code with the solvers that it judges: slow, and easy to trust.
"""

from collections.abc import Iterable, Mapping
from typing import Any


class TooManyCalls(Exception):
    """The position is too large for a solver without memory."""


class _Referee:
    def __init__(self, ruleset: Any, max_calls: int) -> None:
        self.ruleset = ruleset
        self.calls_left = max_calls

    def grundy(self, position: Any) -> int:
        self.count()
        values = {self.grundy(option) for _, option in self.ruleset.moves(position)}
        return min(n for n in range(len(values) + 1) if n not in values)

    def next_player_wins(self, position: Any, no_move_wins: bool) -> bool:
        self.count()
        options = [option for _, option in self.ruleset.moves(position)]
        if not options:
            return no_move_wins
        return not all(self.next_player_wins(option, no_move_wins) for option in options)

    def count(self) -> None:
        if self.calls_left == 0:
            raise TooManyCalls
        self.calls_left -= 1


def reference_grundy(ruleset: Any, position: Any, max_calls: int = 100_000) -> int:
    """Return the Grundy value by its definition: the least number that no option has.

    Parameters
    ----------
    ruleset : Ruleset
        The rules; only ``moves`` is used.
    position : hashable
        A small position.
    max_calls : int
        How many positions to visit, counted again at every visit.

    Raises
    ------
    TooManyCalls
        If that is not enough.

    Examples
    --------
    >>> import sgai
    >>> reference_grundy(sgai.load_ruleset("nim"), (1, 2))
    3
    """
    return _Referee(ruleset, max_calls).grundy(position)


def reference_outcome(ruleset: Any, position: Any, play: str = "normal", max_calls: int = 100_000) -> str:
    """Return "N" if the next player wins and "P" if the previous one does, by the definition.

    Examples
    --------
    >>> import sgai
    >>> nim = sgai.load_ruleset("nim")
    >>> reference_outcome(nim, (1, 1)), reference_outcome(nim, (1, 1), "misere")
    ('P', 'N')
    """
    return "N" if _Referee(ruleset, max_calls).next_player_wins(position, play == "misere") else "P"


def retrograde(successors: Mapping[Any, Iterable[Any]]) -> dict[Any, str]:
    """Return the outcome of every vertex of a graph with cycles: N, P, or D where play goes on for ever.

    Parameters
    ----------
    successors : mapping
        Every vertex to those that a move leads to.

    Notes
    -----
    By the definition, in rounds until one brings nothing new: lost is what leads only to won ones, won what leads to a
    lost one. The time is quadratic.

    Examples
    --------
    >>> retrograde({"a": ["b"], "b": ["a", "c"], "c": ["b", "end"], "end": []})
    {'a': 'D', 'b': 'D', 'c': 'N', 'end': 'P'}
    """
    outcomes: dict[Any, str] = {}
    while True:
        found = {}
        for vertex, options in successors.items():
            if vertex not in outcomes:
                known = [outcomes.get(option) for option in options]
                if "P" in known:
                    found[vertex] = "N"
                elif all(each == "N" for each in known):
                    found[vertex] = "P"
        if not found:
            return {vertex: outcomes.get(vertex, "D") for vertex in successors}
        outcomes.update(found)


def reference_loopy(ruleset: Any, position: Any, max_positions: int = 1_000) -> tuple[int | None, frozenset[int]]:
    """Return the loopy value of a position by the outcomes of its sums with nim-heaps.

    Parameters
    ----------
    ruleset : Ruleset
        The rules; only ``moves`` is used.
    position : hashable
        The position.
    max_positions : int
        How many positions play may reach, and how many vertices a sum may have.

    Returns
    -------
    tuple
        The number n where the position beside a heap of n is lost, and an empty set; or None, and the sizes of the
        heaps beside which it is won.

    Raises
    ------
    TooManyCalls
        If that is not enough.

    Examples
    --------
    >>> import sgai
    >>> game = sgai.load_ruleset("graph(edges=[0-1;1-0;0-2;1-2;2-3],cycles=true,start=[0])")
    >>> reference_loopy(game, 0), reference_loopy(game, 2)
    ((None, frozenset({1})), (1, frozenset()))
    """
    successors: dict[Any, list[Any]] = {}
    waiting = [position]
    while waiting:
        at = waiting.pop()
        if at not in successors:
            if len(successors) == max_positions:
                raise TooManyCalls
            successors[at] = [option for _, option in ruleset.moves(at)]
            waiting.extend(successors[at])
    largest = max(map(len, successors.values())) + 1  # a mex is no larger than the number of options
    if len(successors) * (largest + 1) > max_positions:
        raise TooManyCalls
    judged = retrograde(
        {
            (at, heap): [(option, heap) for option in options] + [(at, left) for left in range(heap)]
            for at, options in successors.items()
            for heap in range(largest + 1)
        }
    )
    lost = [heap for heap in range(largest + 1) if judged[position, heap] == "P"]
    if lost:
        return lost[0], frozenset()
    return None, frozenset(heap for heap in range(largest + 1) if judged[position, heap] == "N")
