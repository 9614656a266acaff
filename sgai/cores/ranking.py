"""The order in which a search core lists its moves."""

from collections.abc import Iterable, Sequence

from sgai.cores.core import Findings, MoveFinding


def best_first(moves: Iterable[MoveFinding], *, by_visits: bool = False) -> tuple[MoveFinding, ...]:
    """Sort moves: those that win, those that are open, those that lose.

    Among lost moves the one that took most to refute comes first: the opponent has most to find there.

    Parameters
    ----------
    moves : iterable of MoveFinding
        Equal ones stay in their order.
    by_visits : bool
        Whether open moves are compared by visits before estimates, as is usual for Monte Carlo tree search.

    Examples
    --------
    >>> from sgai.cores import SumMove
    >>> moves = [MoveFinding(SumMove(-1, size), *found) for size, found in enumerate([("N", 0.0, 5), (None, 0.3, 9)])]
    >>> [each.move.move for each in best_first(moves)]
    [1, 0]
    """

    def rank(found: MoveFinding) -> tuple[int, float, float]:
        if found.outcome is not None:
            return (0 if found.outcome == "P" else 2, -found.visits, -found.prior)
        first, second = (found.visits, found.win) if by_visits else (found.win, found.visits)
        return 1, -first, -second

    return tuple(sorted(moves, key=rank))


def merged(findings: Sequence[Findings]) -> tuple[MoveFinding, ...]:
    """Return the moves of the last of several searches of one sum, with what earlier ones proved of them.

    Moves that win come first and moves that lose last; those that are open stay in the order of the last search.

    Examples
    --------
    >>> from sgai.cores import SumMove
    >>> lost, likely = MoveFinding(SumMove(0, 1), "N", 0.0, 9), MoveFinding(SumMove(0, 1), None, 0.9, 5)
    >>> other = MoveFinding(SumMove(0, 2), None, 0.3, 2)
    >>> merged([Findings(None, (lost,), 1, 0, 0.1), Findings(None, (likely, other), 1, 0, 0.1)]) == (other, lost)
    True
    """
    proved = {each.move: each for found in findings for each in found.moves if each.outcome is not None}
    ranks = {"P": 0, None: 1, "N": 2}
    return tuple(
        sorted((proved.get(each.move, each) for each in findings[-1].moves), key=lambda each: ranks[each.outcome])
    )
