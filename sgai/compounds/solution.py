"""What a solver says of a compound."""

import dataclasses
from dataclasses import KW_ONLY, dataclass
from typing import Any

from sgai.compounds.ruleset import CompoundRuleset
from sgai.compounds.theories import named, shown
from sgai.solution import Solution, SolvedComponent


@dataclass(frozen=True)
class CompoundComponent(SolvedComponent):
    """A component of a compound with what it counts for there.

    Attributes
    ----------
    values : tuple of (str, int) or None
        The values that decide, by their kinds, such as ``("remoteness", 3)``; None where they are not found.
    """

    _: KW_ONLY
    values: tuple[tuple[str, int], ...] | None

    def shown(self) -> dict[str, int | str] | None:
        """Return the values by name, as people read them.

        Examples
        --------
        >>> import sgai
        >>> CompoundComponent(sgai.load_ruleset("nim"), (3,), None, values=(("outcome", 1),)).shown()
        {'outcome': 'N'}
        """
        return None if self.values is None else {named(kind): shown(kind, value) for kind, value in self.values}


@dataclass(frozen=True)
class CompoundSolution(Solution):
    """The answer to a question about a position that is played as a compound, other than as a sum.

    ``ruleset`` and ``position`` are those that were asked about; ``grundy`` and ``paths`` are None, since a compound
    has none that matter. A winning move is a tuple of moves of ``game``, and leads to a position of it.

    Attributes
    ----------
    game : CompoundRuleset
        The compound as a ruleset of its own.
    at : tuple
        Its position that was asked about.
    compound, ending : str
        How its components are played together.
    rule : str
        What decides, in words.
    number_of_winning_moves : int or None
        How many there are, also where they are not all listed; None where the outcome is not proved.
    """

    _: KW_ONLY
    game: CompoundRuleset
    at: Any
    compound: str
    ending: str
    rule: str
    number_of_winning_moves: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain numbers and text, ready for JSON."""
        components = [
            {
                "ruleset": str(part.ruleset),
                "position": part.ruleset.format(part.position),
                "grundy": None,
                "values": part.shown() if isinstance(part, CompoundComponent) else None,
            }
            for part in self.components
        ]
        moves = sorted(
            (self.game.format_move(self.at, each.move), self.game.format(each.position)) for each in self.winning_moves
        )
        return {
            **Solution.to_dict(dataclasses.replace(self, winning_moves=())),
            "compound": self.compound,
            "ending": self.ending,
            "rule": self.rule,
            "components": components,
            "winning_moves": [{"move": move, "position": position} for move, position in moves],
            "number_of_winning_moves": self.number_of_winning_moves,
        }
