"""Who wins, and how components are played together: the names of the conventions, and which are built."""

from sgai.errors import UnsupportedError
from sgai.parameters import check_choice

PLAYS = ("normal", "misere")
COMPOUNDS = ("disjunctive", "conjunctive", "selective")
ENDINGS = ("last", "first")


def check_convention(play: str, compound: str, ending: str) -> None:
    """Check the names of a convention, and that it is one this version can play.

    Raises
    ------
    SgaiError
        For an unknown name.
    UnsupportedError
        For a known one that is not built yet.

    Examples
    --------
    >>> check_convention("normal", "disjunctive", "last")
    """
    for what, given, known in (("play", play, PLAYS), ("compound", compound, COMPOUNDS), ("ending", ending, ENDINGS)):
        check_choice(what, given, known)
    if compound != "disjunctive":
        raise UnsupportedError(f"compound={compound!r} is not supported yet; only disjunctive sums are")
    if ending != "last":
        raise UnsupportedError(f"ending={ending!r} is not supported yet; play ends when the last component has ended")
