"""What search cores for removal games ask of the sums that they are given."""

from typing import Any

from sgai.cores.core import Sum
from sgai.errors import SgaiError, quote
from sgai.ruleset import Ruleset


def check_removal_sum(ruleset: Ruleset[int, Any], root: Sum) -> None:
    """Raise `SgaiError` where a sum is none of components of one removal game beside a nim-heap.

    Parameters
    ----------
    ruleset : Ruleset
        The removal game, without what says where play starts (`Ruleset.rules`).
    root : Sum
        The sum.

    Examples
    --------
    >>> import sgai
    >>> check_removal_sum(sgai.load_ruleset("cram").rules(), Sum((), heap=-1))
    Traceback (most recent call last):
    ...
    sgai.errors.SgaiError: heap=-1: a nim-heap is a number, 0 or more
    """
    for part in root.parts:
        if part.ruleset.rules() != ruleset:
            raise SgaiError(f"{quote(str(part.ruleset))} is not {ruleset}; a search core is for one ruleset")
        ruleset.validate(part.position)
    if isinstance(root.heap, bool) or not isinstance(root.heap, int) or root.heap < 0:
        raise SgaiError(f"heap={root.heap!r}: a nim-heap is a number, 0 or more")
