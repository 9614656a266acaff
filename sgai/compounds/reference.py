"""The referee of compounds: who wins by playing the compound itself, as its definition says.

It knows no theory and shares no code with what it judges: slow, and easy to trust.
"""

import itertools
from collections.abc import Sequence
from typing import Any


class _Referee:
    def __init__(self, rulesets: Sequence[Any], compound: str, ending: str, play: str) -> None:
        self.rulesets, self.compound, self.ending, self.play = rulesets, compound, ending, play
        self.won: dict[tuple[Any, ...], bool] = {}

    def moves(self, positions: tuple[Any, ...]) -> list[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        """Return every move, with None for components that do not move, and where it leads."""
        moves = [list(ruleset.moves(at)) for ruleset, at in zip(self.rulesets, positions, strict=True)]
        ended = [not each for each in moves]
        if any(ended) if self.ending == "first" else all(ended):
            return []
        found = []
        staying = [[(None, at), *each] for at, each in zip(positions, moves, strict=True)]
        for chosen in itertools.product(*staying):
            moved = sum(move is not None for move, _ in chosen)
            if {
                "disjunctive": moved == 1,
                "conjunctive": moved == ended.count(False),
                "selective": moved >= 1,
            }[self.compound]:
                found.append((tuple(move for move, _ in chosen), tuple(option for _, option in chosen)))
        return found

    def next_player_wins(self, positions: tuple[Any, ...]) -> bool:
        if positions not in self.won:
            options = [option for _, option in self.moves(positions)]
            if options:
                self.won[positions] = not all(self.next_player_wins(option) for option in options)
            else:
                self.won[positions] = self.play == "misere"
        return self.won[positions]


def reference_compound(
    rulesets: Sequence[Any], positions: Sequence[Any], compound: str, ending: str, play: str
) -> tuple[str, set[tuple[Any, ...]]]:
    """Return the outcome of a compound, N or P, and its winning moves.

    Parameters
    ----------
    rulesets : sequence of Ruleset
        The rules of every component; only ``moves`` is used.
    positions : sequence
        A small position of each.
    compound : "disjunctive", "conjunctive" or "selective"
        Whether one moves in one component, in every one that has not ended, or in any number of them.
    ending : "last" or "first"
        Whether play ends when every component has ended, or as soon as one has.
    play : "normal" or "misere"
        Whether the player who is to move when play has ended loses or wins.

    Returns
    -------
    outcome : str
        N or P.
    moves : set of tuple
        Moves, with None for components that do not move.

    Examples
    --------
    >>> import sgai
    >>> nim = sgai.load_ruleset("nim")
    >>> reference_compound([nim, nim], [(1,), (2,)], "selective", "first", "normal")[0]
    'N'
    """
    referee = _Referee(rulesets, compound, ending, play)
    start = tuple(positions)
    won = {move for move, option in referee.moves(start) if not referee.next_player_wins(option)}
    return "N" if referee.next_player_wins(start) else "P", won
