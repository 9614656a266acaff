"""Who wins, and how components are played together: the names of the conventions, and which are built."""

from typing import TYPE_CHECKING, Any

from sgai.errors import UnsupportedError, quote
from sgai.parameters import check_choice

if TYPE_CHECKING:
    from sgai.ruleset import Ruleset

PLAYS = ("normal", "misere")
COMPOUNDS = ("disjunctive", "conjunctive", "selective")
ENDINGS = ("last", "first")


def check_convention(play: str, compound: str, ending: str, ruleset: "Ruleset[Any, Any] | None" = None) -> None:
    """Check the names of a convention, and with a ruleset, that it is true to its game under that convention.

    Raises
    ------
    SgaiError
        For an unknown name.
    UnsupportedError
        Where the ruleset says that it is for another convention only.

    Examples
    --------
    >>> check_convention("normal", "selective", "first")
    """
    for what, given, known in (("play", play, PLAYS), ("compound", compound, COMPOUNDS), ("ending", ending, ENDINGS)):
        check_choice(what, given, known)
    if ruleset is not None:
        refuse_other_conventions(ruleset, play, compound, ending)


def refuse_other_conventions(ruleset: "Ruleset[Any, Any]", play: str, compound: str, ending: str) -> None:
    """Raise `UnsupportedError` for a ruleset that is true to its game in normal disjunctive play only, in any other."""
    if ruleset.normal_disjunctive_only and (play, compound, ending) != ("normal", "disjunctive", "last"):
        raise UnsupportedError(
            f"{quote(str(ruleset))} is for normal play of disjunctive sums that end with the last component, not for "
            f"play={play!r}, compound={compound!r}, ending={ending!r}: {ruleset.normal_disjunctive_only}"
        )
