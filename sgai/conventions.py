"""Who wins, and how components are played together: the names of the conventions, and which are built."""

from typing import TYPE_CHECKING, Any

from sgai.errors import UnsupportedError
from sgai.parameters import check_choice

if TYPE_CHECKING:
    from sgai.ruleset import Ruleset

PLAYS = ("normal", "misere")
COMPOUNDS = ("disjunctive", "conjunctive", "selective")
ENDINGS = ("last", "first")


def check_convention(play: str, compound: str, ending: str, ruleset: "Ruleset[Any, Any] | None" = None) -> None:
    """Check the names of a convention, and that it is one this version can play, with a ruleset if one is given.

    Raises
    ------
    SgaiError
        For an unknown name.
    UnsupportedError
        For a known one that is not built yet, or that the ruleset says its positions do not stand for.

    Examples
    --------
    >>> check_convention("normal", "disjunctive", "last")
    """
    for what, given, known in (("play", play, PLAYS), ("compound", compound, COMPOUNDS), ("ending", ending, ENDINGS)):
        check_choice(what, given, known)
    reason = None if ruleset is None else ruleset.only_normal_disjunctive()
    for what, given in (("play", play), ("compound", compound), ("ending", ending)):
        if reason is not None and given not in ("normal", "disjunctive", "last"):
            raise UnsupportedError(f"{what}={given!r} is refused: {reason}")
    if compound != "disjunctive":
        raise UnsupportedError(f"compound={compound!r} is not supported yet; only disjunctive sums are")
    if ending != "last":
        raise UnsupportedError(f"ending={ending!r} is not supported yet; play ends when the last component has ended")
