"""Every error that sgai raises on purpose; all of them are a ``ValueError``."""

import difflib
from collections.abc import Iterable, Sequence


class SgaiError(ValueError):
    """Bad input; the message quotes it and says what would be right."""


class IllegalMoveError(SgaiError):
    """A move that the rules do not allow in the position."""


class UnsupportedError(SgaiError):
    """A question that is well put but that this version has no proved answer to."""


class NotSolvedError(SgaiError):
    """A search that ran out of its budget, where only an exact answer will do."""


def shortened(text: str, most: int = 200) -> str:
    """Return a text for people, cut where it would fill the screen.

    Examples
    --------
    >>> shortened("graph(edges=[1-0;2-1])", 12)
    'graph(edges=...'
    """
    return text if len(text) <= most else text[:most] + "..."


class StoreError(SgaiError):
    """A nimber store that cannot be used; the message names the file and says what to do."""


class LoopError(SgaiError):
    """Play can come back to a position, in a game that was declared to end.

    Parameters
    ----------
    cycle : sequence of str
        The positions of the cycle as text, in the order of play; the first one is not repeated at the end.
    """

    def __init__(self, cycle: Sequence[str]) -> None:
        self.cycle = tuple(cycle)
        shown = [*self.cycle, self.cycle[0]]
        if len(shown) > 12:
            shown = [*shown[:6], f"({len(shown) - 12} more)", *shown[-6:]]
        super().__init__(
            f"play can repeat for ever: {' -> '.join(shown)}; where it can, positions have no Grundy value in general, "
            "but loopy values in rulesets declared loopy (a graph by cycles=true)"
        )

    def __reduce__(self) -> tuple[type["LoopError"], tuple[tuple[str, ...]]]:
        return LoopError, (self.cycle,)


def quote(value: object, limit: int = 80) -> str:
    """Quote a value for a message, cut to ``limit`` characters.

    Examples
    --------
    >>> quote("[3;x]")
    "'[3;x]'"
    >>> quote("9" * 200, limit=10)
    "'9999999999...'"
    """
    try:
        text = value if isinstance(value, str) else repr(value)
    except ValueError:  # Python writes no integers of more than 4,300 digits
        return "a number with too many digits to show"
    return repr(text if len(text) <= limit else text[:limit] + "...")


def quote_path(path: object) -> str:
    """Quote the path of a file for a message: whole, for its end says most.

    Examples
    --------
    >>> quote_path("rules.py")
    "'rules.py'"
    """
    return quote(str(path), limit=4_096)


def nearest(word: str, known: Iterable[str]) -> str:
    """Say which known word was probably meant, as the end of a message; nothing where none is near.

    Examples
    --------
    >>> nearest("kayels", ["nim", "kayles"])
    "; did you mean 'kayles'?"
    >>> nearest("zzz", ["nim", "kayles"])
    ''
    """
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
