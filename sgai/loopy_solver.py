"""Solving positions of loopy rulesets: values of components, outcome N, P or D, moves that win or hold a draw."""

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from sgai.budget import Budget, OutOfBudget
from sgai.decomposition import Lifter, Summand, decompose
from sgai.errors import shortened
from sgai.loopy import LoopyValue, check_loopy_convention, loopy_sum
from sgai.loopy_graph import LoopyTable
from sgai.ruleset import Ruleset
from sgai.solution import Solution, SolvedComponent, WinningMove

if TYPE_CHECKING:
    from sgai.solver import Solver

AnyRuleset = Ruleset[Any, Any]

_MOST_LISTED_MOVES = 20_000
_MOST_LISTED_OPTIONS = 1_000_000


class JudgedMove(NamedTuple):
    """A move with the position that it leads to, and the outcome of that: P is a win, D holds a draw.

    ``potential`` is the sum of `sgai.loopy_graph.LoopyValues.potential` over the components of the position that are
    loopy.
    """

    move: Any
    position: Any
    outcome: str
    potential: int


class LoopySolver:
    """Solves positions of rulesets that are declared loopy.

    The position is split into components that are proved independent. A loopy component is solved with all positions
    that it can reach; one that is not is solved as ever, and its Grundy value is its loopy value.

    Parameters
    ----------
    solver : Solver
        Solves the components that are not loopy.

    Examples
    --------
    >>> import sgai
    >>> from sgai.solver import Solver
    >>> ruleset = sgai.load_ruleset("sliding(board=[O.O/O..O])")
    >>> solution = LoopySolver(Solver()).solve(ruleset, ruleset.initial(), Budget())
    >>> solution.outcome, str(solution.loopy_value), [str(part.loopy_value) for part in solution.components]
    ('D', 'inf(1)', ['1', 'inf(0)'])
    """

    def __init__(self, solver: "Solver") -> None:
        self._solver = solver
        self.table = LoopyTable()

    def solve(
        self,
        ruleset: AnyRuleset,
        position: Any,
        budget: Budget,
        play: str = "normal",
        compound: str = "disjunctive",
        ending: str = "last",
    ) -> Solution:
        """Find a position's loopy value, outcome, components and all moves that win, or hold the draw.

        Parameters
        ----------
        ruleset, position
            The rules, and a position in normal form.
        budget : Budget
            What may be spent: positions that loopy components reach, and states of the others.
        play, compound, ending : str
            Refused, unless they are normal play of disjunctive sums.

        Raises
        ------
        UnsupportedError
            For another convention.
        """
        check_loopy_convention(ruleset, play, compound, ending)
        summands = decompose(ruleset, position)
        values = [self._value_or_none(summand, budget) for summand in summands]
        known = [value for value in values if value is not None]
        total = loopy_sum(known)
        # Two infinities make a draw, whatever is beside them.
        is_exact = len(known) == len(values) or sum(value.finite is None for value in known) > 1
        moves: list[WinningMove] = []
        complete = False
        if is_exact and len(known) == len(values):
            moves, complete = self._listed(ruleset, position, total.outcome, budget)
        return Solution(
            ruleset,
            position,
            play,
            total.finite if is_exact else None,
            total.outcome if is_exact else None,
            tuple(
                SolvedComponent(*part[:2], None if value is None else value.finite, value)
                for part, value in zip(summands, values, strict=True)
            ),
            () if total.outcome == "D" else tuple(moves),
            complete,
            is_exact,
            tuple(self._facts(summands, values)) if len(known) < len(values) else (),
            budget.spent,
            budget.hits,
            None,
            budget.elapsed(),
            total if is_exact else None,
            tuple(moves) if total.outcome == "D" else (),
        )

    def value(self, ruleset: AnyRuleset, position: Any, budget: Budget) -> LoopyValue:
        """Return the loopy value of a position.

        Raises
        ------
        OutOfBudget
            If the budget ends first.
        """
        return loopy_sum([self._value(summand, budget) for summand in decompose(ruleset, position)])

    def components(self, ruleset: AnyRuleset, position: Any, budget: Budget) -> tuple[SolvedComponent, ...]:
        """Return the components of a position with their values, or raise `OutOfBudget`."""
        found = [(part, self._value(part, budget)) for part in decompose(ruleset, position)]
        return tuple([SolvedComponent(*part[:2], value.finite, value) for part, value in found])

    def judged_moves(
        self, ruleset: AnyRuleset, position: Any, budget: Budget, wanted: str | None = None
    ) -> Iterator[JudgedMove]:
        """Yield the moves of a position with the outcomes of what they lead to.

        Parameters
        ----------
        ruleset, position
            The rules, and a position in normal form.
        budget : Budget
            What may be spent.
        wanted : str, optional
            Only moves to positions of this outcome.

        Raises
        ------
        OutOfBudget
            If the budget ends first; what was yielded before holds.
        """
        summands = decompose(ruleset, position)
        lifter = Lifter(ruleset, position)
        if not all(lifter.can_lift(each.path) for each in summands):
            for move, option in ruleset.moves(position):
                budget.spend()
                outcome = self.value(ruleset, option, budget).outcome
                if wanted in (None, outcome):
                    yield JudgedMove(move, option, outcome, self._potential(decompose(ruleset, option), budget))
            return
        values = [self._value(summand, budget) for summand in summands]
        # Before and behind each component: what it is beside.
        before = list(itertools.accumulate(values, initial=LoopyValue(0)))
        behind = list(itertools.accumulate(reversed(values), initial=LoopyValue(0)))[::-1]
        potentials = [self._potential([summand], budget) for summand in summands]
        whole = sum(potentials)
        seen: set[Any] = set()
        for i, summand in enumerate(summands):
            beside = before[i] + behind[i + 1]
            for inner, option, outcome in self._inner_moves(summand, beside, wanted, budget):
                move = lifter.lift(summand.path, inner)
                if move in seen:
                    continue
                seen.add(move)
                after = whole - potentials[i] + self._potential(decompose(summand.ruleset, option), budget)
                yield JudgedMove(move, ruleset.apply(position, move), outcome, after)

    def _inner_moves(
        self, summand: Summand, beside: LoopyValue, wanted: str | None, budget: Budget
    ) -> Iterator[tuple[Any, Any, str]]:
        rules, position = summand.ruleset, summand.position
        if wanted == "P":
            if beside.finite is None:
                return  # whatever is moved here, the infinity stays
            if not rules.loopy:
                for move in self._solver.moves_to(summand, beside.finite, budget):
                    yield move, rules.apply(position, move), "P"
                return
        for move, option in rules.moves(position):
            budget.spend()
            outcome = (self.value(rules, option, budget) + beside).outcome
            if wanted in (None, outcome):
                yield move, option, outcome

    def _value(self, summand: Summand, budget: Budget) -> LoopyValue:
        rules, position = summand.ruleset, summand.position
        if rules.loopy:
            return self.table.value(rules, position, budget)
        return LoopyValue(self._solver.grundy(rules, position, budget))

    def _value_or_none(self, summand: Summand, budget: Budget) -> LoopyValue | None:
        try:
            return self._value(summand, budget)
        except OutOfBudget:
            return None

    def _potential(self, summands: list[Summand], budget: Budget) -> int:
        return sum(self.table.potential(*each[:2], budget) for each in summands if each.ruleset.loopy)

    def _listed(
        self, ruleset: AnyRuleset, position: Any, outcome: str, spent: Budget
    ) -> tuple[list[WinningMove], bool]:
        """Return the moves that win, or where nobody wins those that hold the draw, and whether they are all."""
        if outcome == "P":
            return [], True
        seconds = spent.seconds_left()
        budget = Budget(_MOST_LISTED_OPTIONS, None if seconds is None else max(1e-9, seconds), spent.watch)
        moves: list[WinningMove] = []
        try:
            for each in self.judged_moves(ruleset, position, budget, "P" if outcome == "N" else "D"):
                if len(moves) == _MOST_LISTED_MOVES:
                    return moves, False
                moves.append(WinningMove(each.move, each.position))
        except OutOfBudget:
            return moves, False
        return moves, True

    def _facts(self, summands: list[Summand], values: list[LoopyValue | None]) -> Iterator[str]:
        solved = [value for value in values if value is not None]
        if solved:
            yield (
                f"{len(solved)} of {len(summands)} components are solved; their sum has the value "
                f"{loopy_sum(solved).in_words()}"
            )
        for summand in [each for each, value in zip(summands, values, strict=True) if value is None][:3]:
            name = f"{shortened(str(summand.ruleset))} {summand.ruleset.format(summand.position)}"
            reached = "reaches more positions than were looked at" if summand.ruleset.loopy else "is not solved"
            yield f"{name} {reached}"
