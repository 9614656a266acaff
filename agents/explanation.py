"""A decision of the hybrid agent in words."""

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sgai.agents.agent import ESTIMATED, EXACT
from sgai.beliefs import Belief
from sgai.compounds.ruleset import CompoundRuleset
from sgai.compounds.solution import CompoundComponent
from sgai.compounds.theories import theory_of
from sgai.cores.core import Findings, SumMove
from sgai.cores.ranking import merged
from sgai.errors import shortened
from sgai.ruleset import Ruleset

if TYPE_CHECKING:
    from sgai.agents.hybrid import HybridDecision

_MOST_COMPONENTS, _MOST_MOVES, _MOST_VALUES = 12, 3, 4
_WINS = {"N": "wins", "P": "loses"}
_SEARCHES = {"mcts": "Monte Carlo tree search", "outcome": "Outcome search", "dfpn": "Proof-number search"}


def explained(ruleset: Ruleset[Any, Any], decision: "HybridDecision") -> str:
    """Return the explanation of a decision, a few lines of text.

    Examples
    --------
    >>> import sgai
    >>> from sgai.agents import HybridAgent
    >>> agent = HybridAgent(sgai.load_ruleset("nim(piles=[3;5])"), nodes=100)
    >>> _ = agent.decide(agent.ruleset.initial())
    >>> print(agent.explain())
    nim(piles=[3;5]), 2 components:
      nim [3]: value 3
      nim [5]: value 5
    All are solved and their nim-sum is 6, so the player to move wins.
    The move 5->3 wins (exact).
    """
    return "\n".join(_lines(ruleset, decision))


def _lines(ruleset: Ruleset[Any, Any], decision: "HybridDecision") -> Iterator[str]:
    if isinstance(ruleset, CompoundRuleset) and not decision.findings:
        yield from _of_compound(ruleset, decision)
        return
    count = len(decision.components)
    yield f"{shortened(str(ruleset))}, {count} component{'' if count == 1 else 's'}:"
    for component, belief in list(itertools.zip_longest(decision.components, decision.beliefs))[:_MOST_COMPONENTS]:
        name = f"{shortened(str(component.ruleset))} {component.ruleset.format(component.position)}"
        if belief is None:
            value = "value not found, but it is not 0" if component.grundy is None else f"value {component.grundy}"
            yield f"  {name}: {value}"
        elif belief.known is None and component.grundy is not None:
            yield f"  {name}: value {component.grundy}, found by the search"
        else:
            yield f"  {name}: {_of_value(component.grundy, belief)}"
    if count > _MOST_COMPONENTS:
        yield f"  and {count - _MOST_COMPONENTS} more"
    yield from _of_rest(ruleset, decision)
    yield from _of_prior(decision)
    for name, findings in decision.findings:
        yield _of_search(name, findings)
    yield _of_move(ruleset, decision)
    yield from _of_others(decision)


def _of_compound(ruleset: CompoundRuleset, decision: "HybridDecision") -> Iterator[str]:
    count = len(ruleset.parts)
    ends = f"ending with the {ruleset.ending} component, under {decision.play} play"
    yield f"A {ruleset.compound} compound of {count} component{'' if count == 1 else 's'}, {ends}:"
    for component in decision.components[:_MOST_COMPONENTS]:
        assert isinstance(component, CompoundComponent)
        values = ", ".join(f"{name} {value}" for name, value in (component.shown() or {}).items())
        name = f"{shortened(str(component.ruleset))} {component.ruleset.format(component.position)}"
        yield f"  {name}: {values}"
    if count > _MOST_COMPONENTS:
        yield f"  and {count - _MOST_COMPONENTS} more"
    rule = theory_of(ruleset.compound, ruleset.ending, decision.play).rule
    if decision.outcome is None:
        yield "It was not solved within the budget, and has too many moves to be searched."
    else:
        yield f"{rule[0].upper()}{rule[1:]}. The player to move {_WINS[decision.outcome]}."
    yield _of_move(ruleset, decision)


def _of_value(value: int | None, belief: Belief) -> str:
    if value is not None:
        return f"value {value}"
    chances = sorted(enumerate(belief.array().tolist()), key=lambda each: -each[1])[:_MOST_VALUES]
    likely = ", ".join(f"{each} ({chance:.0%})" for each, chance in chances if chance >= 0.01)
    return f"not solved; believed to be {likely}"


def _of_rest(ruleset: Ruleset[Any, Any], decision: "HybridDecision") -> Iterator[str]:
    count, (parts, heap) = len(decision.components), decision.unsolved
    ends = f"the player to move {_WINS[decision.outcome]}" if decision.outcome else "nobody knows yet who wins"
    if decision.play == "misere":
        by = "by misere theory " if decision.status == EXACT else ""
        yield f"Who cannot move wins: {by}{ends}."
    elif not parts:
        all_of_them = "It is solved and its value" if count == 1 else "All are solved and their nim-sum"
        yield f"{all_of_them} is {heap}" + (f", so {ends}." if decision.outcome else ".")
    elif decision.status == EXACT:
        yield f"A theorem gives the outcome without the value: {ends}."
    elif count > 1 and parts[0][:2] == (ruleset, decision.before):
        yield "The rules lift no moves of components to the whole, so the whole was searched."
    elif count > len(parts):
        beside = f"beside one nim-heap of {heap}, their nim-sum" if heap else "alone, since their nim-sum is 0"
        yield f"{count - len(parts)} of {count} solved: the rest was searched {beside}."


def _of_prior(decision: "HybridDecision") -> Iterator[str]:
    if decision.play == "misere":
        if decision.status == ESTIMATED:
            yield "Random plays were counted, which proves nothing."
        return
    trusted = decision.status == ESTIMATED and decision.outcome is None and not decision.findings
    if trusted:
        yield "Nothing was searched: the beliefs were trusted, which proves nothing."
    if decision.approximate and (trusted or decision.findings):
        yield "Some pieces can still affect each other: what they are worth apart is a prior and proves nothing."


def _of_search(name: str, findings: Findings) -> str:
    nodes = f"{findings.nodes:,} node{'' if findings.nodes == 1 else 's'}"
    effort = f"{_SEARCHES.get(name, name)}, {nodes} in {1000 * findings.seconds:.0f} ms"
    if findings.outcome is not None:
        return f"{effort}: proved that the player to move {_WINS[findings.outcome]}."
    refuted = sum(each.outcome == "N" for each in findings.moves)
    proved = f", but that {refuted} of {len(findings.moves)} different moves lose" if refuted else ""
    return f"{effort}: not proved who wins{proved}."


def _of_move(ruleset: Ruleset[Any, Any], decision: "HybridDecision") -> str:
    # The move is written for the position before it, which the decision keeps.
    move = ruleset.format_move(decision.before, decision.move)
    how = "exact" if decision.status == EXACT else "proved by search"
    if decision.status == ESTIMATED:
        if decision.outcome == "N":
            return f"The move {move} is an estimate: some move wins, but there was no time to find it."
        if decision.chance is not None:
            return f"The move {move} is an estimate: it is thought to win with {decision.chance:.0%}."
        return f"The move {move} is an estimate."
    if decision.outcome == "N":
        return f"The move {move} wins ({how})."
    hardest = ", and no other was found that is harder to answer" if decision.status == EXACT else ""
    return f"Every move loses ({how}); {move} is made{hardest}."


def _of_others(decision: "HybridDecision") -> Iterator[str]:
    if decision.findings and decision.outcome is None:
        moves = merged([found for _, found in decision.findings])[1 : 1 + _MOST_MOVES]
        likely = [f"{_written(decision, each.move)} ({each.win:.0%})" for each in moves if each.outcome is None]
        if likely:
            yield f"Next best: {', '.join(likely)}."


def _written(decision: "HybridDecision", move: SumMove) -> str:
    if move.part < 0:
        return f"the nim-heap to {move.move}"
    part = decision.unsolved.parts[move.part]
    return part.ruleset.format_move(part.position, move.move)
