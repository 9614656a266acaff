"""One position of a compound, analysed: its outcome, and the moves that win, listed and counted without trying all."""

import functools
from collections import Counter
from collections.abc import Iterator
from typing import Any

from sgai.budget import Budget, OutOfBudget
from sgai.compounds.positions import LONGEST, PositionGraph
from sgai.compounds.ruleset import CompoundRuleset
from sgai.compounds.theories import Theory, Worth, theory_of
from sgai.ruleset import Ruleset
from sgai.solution import WinningMove

Values = tuple[int, ...]
_Choice = tuple[Any, Any, Worth]  # a move or None, where it leads, and what the component counts for then


class PositionTables:
    """The positions that components have reached, by the rules of the component."""

    def __init__(self) -> None:
        self._graphs: dict[Ruleset[Any, Any], PositionGraph] = {}

    def __len__(self) -> int:
        return sum(map(len, self._graphs.values()))

    def graph(self, ruleset: Ruleset[Any, Any]) -> PositionGraph:
        """Return the graph of the positions of a ruleset."""
        rules = ruleset.rules()
        found = self._graphs.get(rules)
        if found is None:
            found = self._graphs[rules] = PositionGraph(rules)
        return found


class Analysis:
    """What theory says of a position of a compound.

    Parameters
    ----------
    game : CompoundRuleset
        The compound.
    position : tuple
        A position of it.
    play : "normal" or "misere"
        The convention.
    tables : PositionTables
        Where values are kept.
    budget : Budget
        What may be spent.

    Attributes
    ----------
    values : list of tuple of int, or None
        Of each component, the values that its theory's `kinds` name, None where the budget ended.
    is_solved : bool
        Whether none is missing.

    Examples
    --------
    >>> import sgai
    >>> from sgai.compounds.ruleset import in_compound
    >>> game = in_compound(sgai.load_ruleset("bash(most=2,piles=[3;5])"), "conjunctive", "last")
    >>> found = Analysis(game, game.initial(), "normal", PositionTables(), Budget())
    >>> found.values, found.is_won(), found.count_winning_moves()
    ([(2,), (3,)], True, 2)
    >>> [game.format_move(game.initial(), each.move) for each in found.winning_moves()]
    ['3->2 & 5->3', '3->1 & 5->3']
    """

    def __init__(
        self, game: CompoundRuleset, position: tuple[Any, ...], play: str, tables: PositionTables, budget: Budget
    ) -> None:
        self.game, self.position, self.play, self.budget = game, position, play, budget
        self.theory: Theory = theory_of(game.compound, game.ending, play)
        self._graphs = [tables.graph(part.ruleset) for part in game.parts]
        self.values: list[Values | None] = []
        for graph, at in zip(self._graphs, position, strict=True):
            try:
                self.values.append(self._values_of(graph, at))
            except OutOfBudget:
                self.values.append(None)
        self.is_solved = None not in self.values
        self._kept_hopes: dict[tuple[int, Worth], list[tuple[Worth, _Choice]]] = {}

    def is_over(self) -> bool:
        """Tell whether play has ended."""
        return self.game.is_over(self.position)

    def is_won(self) -> bool:
        """Tell whether the player to move wins; all must be solved."""
        return not self.theory.is_lost(functools.reduce(self.theory.join, self._worths, self.theory.nothing))

    def longest_play(self) -> int:
        """Return the sum of the longest plays of the components."""
        return sum(
            graph.value(LONGEST, graph.number(at, self.budget), self.budget)
            for graph, at in zip(self._graphs, self.position, strict=True)
        )

    def count_winning_moves(self) -> int:
        """Return the number of winning moves, in time that grows with the components' moves, not with their product."""
        if self.is_over() or not self.is_won():
            return 0
        if self.game.compound == "disjunctive":
            return sum(1 for _ in self._winning_alone())
        return sum(count for worth, count in self._endings[0].items() if self.theory.is_lost(worth))

    def winning_moves(self) -> Iterator[WinningMove]:
        """Yield every winning move once; sets of moves that do not win are not tried.

        Raises
        ------
        OutOfBudget
            If the budget ends before the components' moves are evaluated.
        """
        if self.is_over() or not self.is_won():
            return
        if self.game.compound == "disjunctive":
            yield from self._winning_alone()
            return
        made: list[_Choice] = []
        waiting = [self._hopeful(0, self.theory.nothing)]
        while waiting:
            chosen = next(waiting[-1], None)
            if chosen is None:
                waiting.pop()
                if made:
                    made.pop()
                continue
            joined, choice = chosen
            made.append(choice)
            if len(made) == len(self.position):
                # Never all None: that would be the position itself, which is won.
                yield WinningMove(tuple([move for move, _, _ in made]), tuple([option for _, option, _ in made]))
                made.pop()
            else:
                waiting.append(self._hopeful(len(made), joined))

    # The steps

    def _values_of(self, graph: PositionGraph, position: Any) -> Values:
        number = graph.number(position, self.budget)
        return tuple(graph.value(kind, number, self.budget) for kind in self.theory.kinds)

    def _worth_of(self, place: int, position: Any) -> Worth:
        graph = self._graphs[place]
        values = self._values_of(graph, position)
        return self.theory.worth(values, graph.has_ended(graph.number(position, self.budget)))

    @functools.cached_property
    def _worths(self) -> list[Worth]:
        return [self._worth_of(i, at) for i, at in enumerate(self.position)]

    @functools.cached_property
    def _choices(self) -> list[list[_Choice]]:
        """What each component may do; None for staying as it is, where that is allowed."""
        found = []
        for i, (part, at) in enumerate(zip(self.game.parts, self.position, strict=True)):
            moves = [(move, option, self._worth_of(i, option)) for move, option in part.ruleset.moves(at)]
            stays = self.game.compound != "conjunctive" or not moves
            found.append([(None, at, self._worths[i]), *moves] if stays else moves)
            self.budget.check_clock()
        return found

    @functools.cached_property
    def _endings(self) -> list[Counter[Worth]]:
        """For each place, the worths of all combinations of choices from there on, with their numbers."""
        theory = self.theory
        endings: list[Counter[Worth]] = [Counter({theory.nothing: 1})]
        for choices in reversed(self._choices):
            found: Counter[Worth] = Counter()
            for worth, number in Counter(choice[2] for choice in choices).items():
                for other, count in endings[-1].items():
                    found[theory.join(worth, other)] += number * count
            endings.append(found)
            self.budget.check_clock()
        return endings[::-1]

    @functools.cached_property
    def _groups(self) -> list[dict[Worth, list[_Choice]]]:
        """What each component may do, by what it counts for then."""
        found: list[dict[Worth, list[_Choice]]] = []
        for choices in self._choices:
            groups: dict[Worth, list[_Choice]] = {}
            for choice in choices:
                groups.setdefault(choice[2], []).append(choice)
            found.append(groups)
        return found

    def _hopeful(self, place: int, before: Worth) -> Iterator[tuple[Worth, _Choice]]:
        """Yield the choices of a component that can be part of a winning move, with the joined worth."""
        found = self._kept_hopes.get((place, before))
        if found is None:
            theory = self.theory
            found = self._kept_hopes[place, before] = []
            for worth, choices in self._groups[place].items():
                joined = theory.join(before, worth)
                if any(theory.is_lost(theory.join(joined, other)) for other in self._endings[place + 1]):
                    found.extend((joined, choice) for choice in choices)
        return iter(found)

    def _winning_alone(self) -> Iterator[WinningMove]:
        theory, position = self.theory, self.position
        behind = [theory.nothing]
        for worth in reversed(self._worths):
            behind.append(theory.join(behind[-1], worth))
        before = theory.nothing
        for i, choices in enumerate(self._choices):
            beside = theory.join(before, behind[len(position) - 1 - i])
            for move, option, worth in choices:
                if move is not None and theory.is_lost(theory.join(beside, worth)):
                    made = (*[None] * i, move, *[None] * (len(position) - i - 1))
                    yield WinningMove(made, (*position[:i], option, *position[i + 1 :]))
            before = theory.join(before, self._worths[i])
