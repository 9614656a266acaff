"""The components that a position is the compound of."""

from typing import Any

from sgai.errors import SgaiError
from sgai.ruleset import Component, Ruleset

_DEEPEST = 500  # levels of sums within sums; only rules that split for ever come near


def compound_parts(ruleset: Ruleset[Any, Any], position: Any) -> tuple[Component, ...]:
    """Return the components of a position as a compound takes them, one at least.

    They are the independent ones that `sgai.decompose` gives. A part of which the rules see nothing left to play, such
    as a part of a sum without heaps, is a component that has ended. (A list of heaps holds no empty heaps to begin
    with.)

    Parameters
    ----------
    ruleset : Ruleset
        The rules of the position.
    position : hashable
        Any position of it.

    Examples
    --------
    >>> import sgai
    >>> ruleset = sgai.load_ruleset("sum(parts=[nim(piles=[1;2]);kayles(piles=[])])")
    >>> [(str(part.ruleset), part.position) for part in compound_parts(ruleset, ruleset.initial())]
    [('nim', (1,)), ('nim', (2,)), ('kayles', ())]
    """
    found: list[Component] = []
    waiting = [(Component(ruleset, position), 0)]
    while waiting:
        whole, depth = waiting.pop()
        rules = whole.ruleset.rules()
        if whole.final or not whole.ruleset.splits():
            found.append(Component(rules, whole.position, True))
            continue
        parts = whole.ruleset.components(whole.position)
        if not parts or (len(parts) == 1 and parts[0].position == whole.position and parts[0].ruleset.rules() == rules):
            found.append(Component(rules, whole.position, True))
            continue
        if depth >= _DEEPEST:
            raise SgaiError(
                f"{whole.ruleset} goes on splitting {whole.ruleset.format(whole.position)!r}: the components of a "
                "component that does not split should be itself alone"
            )
        # What is next is taken from the end.
        waiting.extend((part, depth + 1) for part in reversed(parts))
    return tuple(found)
