"""The referee: Grundy value and outcome by nothing but their definitions.

It splits nothing, remembers nothing and shares no code with the solvers that it judges: slow, and easy to trust.
"""

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
