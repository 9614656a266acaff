"""Which rulesets misere play is refused for, and why."""

from typing import Any

from sgai.conventions import refuse_other_conventions
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
    refuse_other_conventions(ruleset, "misere", "disjunctive", "last")
