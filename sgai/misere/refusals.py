"""Which rulesets misere play is refused for, and why."""

from typing import Any

from sgai.errors import UnsupportedError, quote
from sgai.ruleset import Ruleset
from sgai.search import refuse_loopy


def check_misere(ruleset: Ruleset[Any, Any]) -> None:
    """Refuse rulesets that say nothing of misere play.

    Raises
    ------
    UnsupportedError
        If play may go on for ever, or the ruleset stands for another game under normal disjunctive play only; then the
        message gives the reason.

    Examples
    --------
    >>> import sgai
    >>> check_misere(sgai.load_ruleset("kayles"))
    """
    refuse_loopy(ruleset)
    for part in (ruleset, *getattr(ruleset, "parts", ())):
        reason = getattr(part, "normal_disjunctive_only", "")
        if reason:
            raise UnsupportedError(f"{quote(str(part))} is for normal play of disjunctive sums only: {reason}")
