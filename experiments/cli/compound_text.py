"""The text of `sgai solve` for compounds other than sums."""

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sgai.errors import shortened

if TYPE_CHECKING:
    from sgai.compounds.solution import CompoundSolution

_MOST_LINES = 50
_LONGEST = 100
_HOW = {"conjunctive": "move in every component", "selective": "move in one or more", "disjunctive": "move in one"}
_END = {"last": "until all have ended", "first": "until one has ended"}


def compound_lines(solution: "CompoundSolution") -> Iterator[str]:
    """Yield the lines of an answer about a compound."""
    yield f"{shortened(str(solution.ruleset))} {solution.ruleset.format(solution.position)}"
    how = f"{solution.compound}, ending {solution.ending}: {_HOW[solution.compound]} {_END[solution.ending]}"
    yield f"compound      {how}"
    if solution.outcome is None:
        yield "not solved within the budget"
        for fact in solution.proved:
            yield f"  proved: {fact}"
    else:
        who = {"N": "the player to move wins", "P": "the player to move loses"}[solution.outcome]
        yield f"outcome       {solution.outcome}: {who}" + (" under misere play" if solution.play == "misere" else "")
    yield f"theory        {solution.rule}"
    yield from _component_lines(solution)
    if solution.outcome is not None:
        yield from _move_lines(solution)
    hits = f", {solution.hits:,} table hits" if solution.hits else ""
    yield f"evaluated {solution.states:,} states{hits} in {solution.seconds:.3g} s"


def _component_lines(solution: "CompoundSolution") -> Iterator[str]:
    counted: Counter[tuple[str, str, str]] = Counter()
    for part in solution.to_dict()["components"]:
        values = part["values"]
        shown = "not solved" if values is None else ", ".join(f"{name} {value}" for name, value in values.items())
        counted[part["ruleset"], part["position"], shown] += 1
    yield "components"
    for (ruleset, position, values), number in itertools.islice(counted.items(), _MOST_LINES):
        times = f"  ({number} times)" if number > 1 else ""
        yield f"  {shortened(ruleset)} {position}: {values}{times}"
    if len(counted) > _MOST_LINES:
        yield f"  ... and {len(counted) - _MOST_LINES} more"


def _move_lines(solution: "CompoundSolution") -> Iterator[str]:
    moves = solution.to_dict()["winning_moves"]
    count = solution.number_of_winning_moves
    if not moves:
        if solution.outcome == "N" and not solution.game.is_over(solution.at):
            yield "winning moves: none found within the budget"
        else:
            yield "winning moves: none" + (", the game is over" if solution.game.is_over(solution.at) else "")
        return
    yield "winning moves" + (f": {count:,}" if count is not None and count > 1 else "")
    wide = max(len(each["move"]) for each in moves[:_MOST_LINES])
    for each in moves[:_MOST_LINES]:
        position = each["position"]
        shown = position if len(position) <= _LONGEST else position[:_LONGEST] + "..."
        yield f"  {each['move']:<{wide}}  to {shown}"
    if len(moves) > _MOST_LINES:
        listed = "all" if solution.complete else f"{len(moves):,} of them"
        yield f"  ... and {(count or len(moves)) - _MOST_LINES:,} more (--json lists {listed})"
    elif not solution.complete:
        yield "  (there may be more: listing stopped at its budget)"
