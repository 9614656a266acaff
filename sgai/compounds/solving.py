"""Solving a position that is played as a compound."""

import itertools
from typing import Any

from sgai.budget import Budget, OutOfBudget
from sgai.compounds.analysis import Analysis, PositionTables
from sgai.compounds.ruleset import CompoundRuleset
from sgai.compounds.solution import CompoundComponent, CompoundSolution
from sgai.ruleset import Ruleset
from sgai.solution import WinningMove

_MOST_LISTED_MOVES = 20_000


def solve_compound(
    tables: PositionTables,
    ruleset: Ruleset[Any, Any],
    position: Any,
    game: CompoundRuleset,
    at: tuple[Any, ...],
    play: str,
    budget: Budget,
) -> CompoundSolution:
    """Return the outcome of a compound, the values that decide it, and its winning moves.

    Parameters
    ----------
    tables : PositionTables
        Where values are kept from one question to the next.
    ruleset, position : Ruleset and position
        What was asked about.
    game, at : CompoundRuleset and tuple
        The same as a compound.
    play : "normal" or "misere"
        The convention.
    budget : Budget
        How many positions of components, and how much time to take.

    Notes
    -----
    Positions of components are whole: a row of Kayles that falls apart is one position, so their number can grow
    exponentially with the size of a component that splits. All are found once, however many components there are.
    """
    found = Analysis(game, at, play, tables, budget)
    outcome = ("N" if found.is_won() else "P") if found.is_solved else None
    moves: list[WinningMove] = []
    count: int | None = None
    if outcome is not None:
        try:
            count = found.count_winning_moves() if outcome == "N" else 0
            if count:
                moves.extend(itertools.islice(found.winning_moves(), _MOST_LISTED_MOVES))
        except OutOfBudget:
            pass
    components = tuple(
        CompoundComponent(
            part.ruleset,
            position_of,
            None,
            values=None if values is None else tuple(zip(found.theory.kinds, values, strict=True)),
        )
        for part, position_of, values in zip(game.parts, at, found.values, strict=True)
    )
    solved = sum(values is not None for values in found.values)
    return CompoundSolution(
        ruleset=ruleset,
        position=position,
        play=play,
        grundy=None,
        outcome=outcome,
        components=components,
        winning_moves=tuple(moves),
        complete=count == len(moves),
        exact=outcome is not None,
        proved=() if outcome is not None else (f"{solved} of {len(components)} components are solved",),
        states=budget.spent,
        hits=budget.hits,
        paths=None,
        seconds=budget.elapsed(),
        game=game,
        at=at,
        compound=game.compound,
        ending=game.ending,
        rule=found.theory.rule,
        number_of_winning_moves=count,
    )
