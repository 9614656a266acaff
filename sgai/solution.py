"""What a solver says of a position."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sgai.loopy import LoopyValue
from sgai.ruleset import Ruleset

if TYPE_CHECKING:
    from sgai.misere.solving import MisereFacts


@dataclass(frozen=True)
class SolvedComponent:
    """A component with its Grundy value, None where that is not solved or infinite.

    In loopy games it has a loopy value; under misere play, what is known there.
    """

    ruleset: Ruleset[Any, Any]
    position: Any
    grundy: int | None
    loopy_value: LoopyValue | None = None
    misere: "MisereFacts | None" = None

    def to_dict(self) -> dict[str, Any]:
        """Return the component as plain numbers and text."""
        known: dict[str, Any] = {
            "ruleset": str(self.ruleset),
            "position": self.ruleset.format(self.position),
            "grundy": self.grundy,
        }
        if self.loopy_value is not None:
            known["loopy_value"] = str(self.loopy_value)
        if self.misere is not None:
            known |= {"genus": self.misere.genus, "kind": self.misere.kind, "element": self.misere.element}
        return known


@dataclass(frozen=True)
class WinningMove:
    """A move to a position from which the opponent, moving next, loses."""

    move: Any
    position: Any


@dataclass(frozen=True)
class Solution:
    """The answer to a question about one position.

    Attributes
    ----------
    ruleset, position, play
        The question: rules, position, and "normal" or "misere".
    grundy : int or None
        The position's Grundy value (a notion of normal play, given under misere play too), or None where it is not
        found; the outcome may be proved all the same, by a theorem about it alone.
    outcome : "N", "P", "D" or None
        Whether the next or the previous player wins under ``play``, or nobody can force a win (in loopy games), or None
        if not solved.
    components : tuple of SolvedComponent
        The independent components, each with its value or None.
    winning_moves : tuple of WinningMove
        Moves that win, equal ones once; empty in a lost position, and where the outcome is not proved.
    complete : bool
        Whether ``winning_moves`` are all there are (listing stops when the budget ends).
    exact : bool
        Whether ``outcome`` is proved.
    proved : tuple of str
        Where the Grundy value is not found: what is known all the same, in words.
    states : int
        States evaluated for this answer; those remembered from earlier questions do not count.
    hits : int
        Components of options whose value was there already when it was asked for.
    paths : int or None
        Evaluations that a solver which never recognises a state would have made (equal options of a state count once),
        or None where that was not counted.
    seconds : float
        Time taken.
    loopy_value : LoopyValue or None
        For positions of rulesets declared loopy: the loopy value; ``grundy`` is its number, or None for infinity.
    drawing_moves : tuple of WinningMove
        Where the outcome is D: the moves that hold the draw; ``complete`` is about them then.
    decided : str or None
        Under misere play: how the outcome is proved.
    """

    ruleset: Ruleset[Any, Any]
    position: Any
    play: str
    grundy: int | None
    outcome: str | None
    components: tuple[SolvedComponent, ...]
    winning_moves: tuple[WinningMove, ...]
    complete: bool
    exact: bool
    proved: tuple[str, ...]
    states: int
    hits: int
    paths: int | None
    seconds: float
    loopy_value: LoopyValue | None = None
    drawing_moves: tuple[WinningMove, ...] = ()
    decided: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain numbers and text, ready for JSON."""
        ruleset = self.ruleset
        decided = {"decided": self.decided} if self.play == "misere" else {}
        return {
            "ruleset": str(ruleset),
            "position": ruleset.format(self.position),
            "play": self.play,
            "grundy": self.grundy,
            "outcome": self.outcome,
            "components": [part.to_dict() for part in self.components],
            "loopy_value": None if self.loopy_value is None else str(self.loopy_value),
            "winning_moves": self._written(self.winning_moves),
            "drawing_moves": self._written(self.drawing_moves),
            "winning_moves_complete": self.complete,
            "exact": self.exact,
            **decided,
            "proved": list(self.proved),
            "states": self.states,
            "table_hits": self.hits,
            "paths": self.paths,
            "seconds": round(self.seconds, 6),
        }

    def _written(self, moves: tuple[WinningMove, ...]) -> list[dict[str, str]]:
        ruleset = self.ruleset
        texts = {(ruleset.format_move(self.position, each.move), ruleset.format(each.position)) for each in moves}
        return [{"move": move, "position": position} for move, position in sorted(texts)]
