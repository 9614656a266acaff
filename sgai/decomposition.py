"""The decomposer: from a position to its independent components, through sums of sums down to what does not split."""

from typing import Any, NamedTuple

from sgai.errors import SgaiError
from sgai.ruleset import Ruleset

_DEEPEST = 500  # levels of sums within sums; only rules that split for ever come near


class Summand(NamedTuple):
    """An independent component that splits no further.

    Attributes
    ----------
    ruleset : Ruleset
        Its rules, without what says where play starts.
    position : hashable
        Its position.
    path : tuple of int
        The number of the component at each level of the decomposition: what `Lifter` needs.
    """

    ruleset: Ruleset[Any, Any]
    position: Any
    path: tuple[int, ...] = ()


def decompose(ruleset: Ruleset[Any, Any], position: Any) -> list[Summand]:
    """Split a position into independent components, as far as the rulesets prove them independent.

    Parameters
    ----------
    ruleset : Ruleset
        The rules of the position.
    position : hashable
        Any position of it.

    Returns
    -------
    list of Summand
        In the order of the rulesets' own `components`; empty where the rules see nothing left to play.

    Examples
    --------
    >>> import sgai
    >>> ruleset = sgai.load_ruleset("sum(parts=[nim(piles=[3;4]);kayles(piles=[9])])")
    >>> [(str(part.ruleset), part.position) for part in decompose(ruleset, ruleset.initial())]
    [('nim', (3,)), ('nim', (4,)), ('kayles', (9,))]
    """
    if not ruleset.splits():
        return [Summand(ruleset.rules(), position)]
    found: list[Summand] = []
    waiting = [Summand(ruleset, position)]
    while waiting:
        whole = waiting.pop()
        if not whole.ruleset.splits():
            found.append(whole._replace(ruleset=whole.ruleset.rules()))
            continue
        parts = whole.ruleset.components(whole.position)
        if (
            len(parts) == 1
            and parts[0].position == whole.position
            and parts[0].ruleset.rules() == whole.ruleset.rules()
        ):
            found.append(whole._replace(ruleset=whole.ruleset.rules()))
            continue
        if len(whole.path) >= _DEEPEST:
            raise SgaiError(
                f"{whole.ruleset} goes on splitting {whole.ruleset.format(whole.position)!r}: the components of a "
                "component that does not split should be itself alone"
            )
        summands = [Summand(part.ruleset, part.position, (*whole.path, i)) for i, part in enumerate(parts)]
        if all(part.final for part in parts):
            found.extend(summands)
        else:
            # What is next is taken from the end.
            waiting.extend(reversed(summands))
    return found


class Lifter:
    """Turns moves in the components of one position into moves on the whole.

    Parameters
    ----------
    ruleset : Ruleset
        The rules of the whole.
    position : hashable
        The position that was decomposed.
    """

    def __init__(self, ruleset: Ruleset[Any, Any], position: Any) -> None:
        # The rules and positions above the components, by path; each is split once.
        self._above: dict[tuple[int, ...], tuple[Ruleset[Any, Any], Any]] = {(): (ruleset, position)}

    def lift(self, path: tuple[int, ...], move: Any) -> Any:
        """Return the move on the whole position that is ``move`` in the component at ``path``."""
        for depth in range(len(path) - 1, -1, -1):
            ruleset, position = self._at(path[:depth])
            move = ruleset.lift_move(position, path[depth], move)
        return move

    def can_lift(self, path: tuple[int, ...]) -> bool:
        """Tell whether every ruleset on the way to the component at ``path`` can lift moves."""
        return all(self._at(path[:depth])[0].lifts() for depth in range(len(path)))

    def _at(self, path: tuple[int, ...]) -> tuple[Ruleset[Any, Any], Any]:
        if path not in self._above:
            ruleset, position = self._at(path[:-1])
            self._above[path] = ruleset.components(position)[path[-1]][:2]
        return self._above[path]
