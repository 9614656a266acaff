"""The exact solver: split a position, evaluate its components, and list the moves that win."""

import itertools
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy.typing as npt
from numpy import int64

from sgai.budget import DEFAULT_MISERE_STATES, DEFAULT_STATES, Budget, OutOfBudget
from sgai.compounds.analysis import Analysis, PositionTables
from sgai.compounds.ruleset import CompoundRuleset, in_compound
from sgai.compounds.solving import solve_compound
from sgai.conventions import check_convention
from sgai.decomposition import Lifter, Summand, decompose
from sgai.errors import SgaiError, UnsupportedError, quote, shortened
from sgai.loopy_solver import LoopySolver
from sgai.misere import misere_nim_is_won, misere_nim_replies, nim_heaps
from sgai.misere.refusals import check_misere
from sgai.misere.solving import MisereSolver
from sgai.nimbers import nim_sum
from sgai.parameters import check_integer
from sgai.periods import Period, period_theorem
from sgai.registry import load_ruleset
from sgai.removal_values import DEFAULT_MEMORY
from sgai.ruleset import Ruleset
from sgai.rulesets.heaps import HeapMove, HeapRuleset
from sgai.rulesets.subtraction import Nim
from sgai.search import StateTable, is_won_by_theorem
from sgai.sequences import LARGEST_COMPILED, LARGEST_TABLE, SequenceTable
from sgai.solution import Solution, SolvedComponent, WinningMove

if TYPE_CHECKING:
    from sgai.kept_values import KeptValues
    from sgai.store import NimberStore

AnyRuleset = Ruleset[Any, Any]

_MOST_LISTED_OPTIONS, _MOST_LISTED_MOVES = 1_000_000, 20_000
# Where a theorem gives the outcome, the value is looked for in so many states of so few moves, if no budget is named.
_FEW_STATES, _FEW_MOVES = 2_000, 200
_MANY_MOVES = 10_000  # and not at all in positions with more: each would have to be listed


class Solver:
    """Solves positions and remembers the values of components from one call to the next.

    Values are kept by ruleset and parameters, so one solver serves any number of games.

    Parameters
    ----------
    store : NimberStore, optional
        A file that keeps what took long to solve from one run to the next.
    memory : int
        The most bytes for the table of one removal game's compiled search; when it is full, what took least to find
        makes room.

    Examples
    --------
    >>> import sgai
    >>> solver = Solver()
    >>> ruleset = sgai.load_ruleset("kayles")
    >>> solution = solver.solve(ruleset, ruleset.parse("[5;7]"))
    >>> solution.grundy, solution.outcome, [str(each.move) for each in solution.winning_moves]
    (6, 'N', ['5->1+3', '7->5'])
    """

    def __init__(self, *, store: "NimberStore | None" = None, memory: int = DEFAULT_MEMORY) -> None:
        self._table = StateTable(memory)
        self.compounds = PositionTables()  # the positions of components of compounds, with their values
        self.loopy = LoopySolver(self)
        self._kept = None if store is None else _kept_values(self._table, store)
        self.misere = MisereSolver()

    def __len__(self) -> int:
        """Return the number of component states whose values are stored."""
        return len(self._table) + len(self.loopy.table)

    @property
    def table(self) -> StateTable:
        """The values of components, for searches that look them up and add to them."""
        return self._table

    def solve(
        self,
        ruleset: AnyRuleset | str,
        position: Any = None,
        *,
        play: str | None = None,
        compound: str = "disjunctive",
        ending: str = "last",
        states: int | None = None,
        seconds: float | None = None,
        watch: Callable[[Budget], None] | None = None,
    ) -> Solution:
        """Find a position's Grundy value, outcome, components and all winning moves.

        Parameters
        ----------
        ruleset : Ruleset or str
            The rules, or their text.
        position : hashable, optional
            A position of them; by default the initial one.
        play : "normal" or "misere", optional
            Whether who cannot move loses or wins; by default what the ruleset says.
        compound, ending : str
            How components are played together: "disjunctive", "conjunctive" or "selective", and whether play ends with
            the "last" component or the "first"; see `sgai.compounds`. By default they are a sum.
        states : int, optional
            The most states to evaluate; by default two million, and 100,000 under misere play.
        seconds : float, optional
            The most seconds to take.
        watch : callable, optional
            Called with the `Budget` now and then, to show progress.

        Returns
        -------
        Solution
            A `CompoundSolution` where it is no ordinary sum. When the budget ends first, ``exact`` is False and
            ``proved`` says what is known; finished states are kept, and a second call goes on from them. Where a
            theorem gives the outcome and not the Grundy value, outcome and winning moves come first; then the value is
            looked for, by default in 2,000 states of positions with no more than 200 moves, and with all that is left
            where ``states`` or ``seconds`` are given (there too not where there are more than 10,000 moves).
            ``grundy`` is None if it is not found. In a ruleset that is declared loopy ``states`` counts the positions
            that components reach, the outcome may be "D", a draw, and then ``drawing_moves`` are those that hold it.

        Raises
        ------
        SgaiError
            For bad input, an unsupported convention, or play that can repeat in a ruleset that is not declared loopy
            (`LoopError`, which names the cycle).

        Notes
        -----
        Time is linear in the component states and their options; components are evaluated once each, however many of
        them there are.
        """
        ruleset = load_ruleset(ruleset)
        play = ruleset.default_play() if play is None else play
        if ruleset.loopy:
            at = ruleset.initial() if position is None else ruleset.validate(position)
            limits = Budget(DEFAULT_STATES if states is None else states, seconds, watch)
            return self.loopy.solve(ruleset, at, limits, play, compound, ending)
        check_convention(play, compound, ending, ruleset)
        position = ruleset.initial() if position is None else ruleset.validate(position)
        game = in_compound(ruleset, compound, ending, position, play)
        if isinstance(game, CompoundRuleset):
            limit = Budget(DEFAULT_STATES if states is None else states, seconds, watch)
            at = position if game is ruleset else game.initial()
            return solve_compound(self.compounds, ruleset, position, game, at, play, limit)
        try:
            most = DEFAULT_MISERE_STATES if play == "misere" else DEFAULT_STATES
            budget = Budget(most if states is None else states, seconds, watch)
            is_named = states is not None or seconds is not None
            if play == "misere":
                return self._solved_misere(ruleset, position, budget)
            return self._solved(ruleset, position, budget, is_named)
        finally:
            if self._kept is not None:
                self._kept.save()

    def _solved(self, ruleset: AnyRuleset, position: Any, budget: Budget, is_named: bool) -> Solution:
        summands = decompose(ruleset, position)
        values = self._deciding_values(summands, lambda summand: self._value_or_none(summand, budget))
        outcome = _outcome(summands, values)
        moves: list[WinningMove] = []
        complete = False
        if outcome is not None:
            moves, complete = self._listed(ruleset, position, "normal", budget)
            if None in values:  # a theorem gave the outcome
                missing = values.index(None)
                values[missing] = self._value_beside(summands[missing], budget, is_named)
                if values[missing] is not None and not complete:
                    moves, complete = self._listed(ruleset, position, "normal", budget)
        solved = [value for value in values if value is not None]
        known = nim_sum(solved)
        has_value = len(solved) == len(summands)
        if has_value:
            proved: tuple[str, ...] = ()
        elif outcome is not None:
            missing = values.index(None)
            proved = (f"the Grundy value of {_named(summands[missing])} is not 0: a theorem gives its outcome",)
        else:
            proved = tuple(self._known_facts(summands, values, known))
        return Solution(
            ruleset,
            position,
            "normal",
            known if has_value else None,
            outcome,
            tuple(SolvedComponent(*summand[:2], value) for summand, value in zip(summands, values, strict=True)),
            tuple(moves),
            complete,
            outcome is not None,
            proved,
            budget.spent,
            budget.hits,
            self._paths(summands) if has_value else None,
            budget.elapsed(),
        )

    def _solved_misere(self, ruleset: AnyRuleset, position: Any, budget: Budget) -> Solution:
        outcome = decided = None
        moves: list[WinningMove] = []
        complete = False
        try:
            outcome, decided = self.misere.verdict(ruleset, position, budget)
            moves, complete = self._listed(ruleset, position, "misere", budget)
        except OutOfBudget:
            pass
        components = self.misere_components(ruleset, position, budget)
        values = [each.grundy for each in components]
        total = nim_sum(value for value in values if value is not None)
        return Solution(
            ruleset,
            position,
            "misere",
            None if None in values else total,
            outcome,
            components,
            tuple(moves),
            complete,
            outcome is not None,
            (),
            budget.spent,
            budget.hits,
            None,
            budget.elapsed(),
            decided=decided,
        )

    def _listed(self, ruleset: AnyRuleset, position: Any, play: str, budget: Budget) -> tuple[list[WinningMove], bool]:
        """Return winning moves, and whether they are all there are."""
        moves: list[WinningMove] = []
        try:
            for move in self.winning_moves(ruleset, position, play=play, budget=self._listing_budget(budget)):
                if len(moves) == _MOST_LISTED_MOVES:
                    return moves, False
                moves.append(move)
        except OutOfBudget:
            return moves, False
        return moves, True

    def _deciding_values(self, summands: list[Summand], value: Callable[[Summand], int | None]) -> list[int | None]:
        """Return the values of components, without one that need not be known to know who wins.

        That is a component which is won by a theorem, where the nim-sum of all others is 0.
        """
        values: list[int | None] = [None] * len(summands)
        late = []
        for i, (ruleset, position, _) in enumerate(summands):
            if ruleset.has_closed_forms() and is_won_by_theorem(ruleset, position):
                values[i] = self._table.known(ruleset, position)
                if values[i] is None:
                    late.append(i)
            else:
                values[i] = value(summands[i])
        if len(late) > 1:
            late.sort(key=lambda i: _count_moves(summands[i], _MANY_MOVES))
        for i in late:
            others = values[:i] + values[i + 1 :]
            if None not in others and not nim_sum(each for each in others if each is not None):
                break
            values[i] = value(summands[i])
        return values

    def _value_beside(self, summand: Summand, budget: Budget, is_named: bool) -> int | None:
        """Look for a value that is not needed to know who wins."""
        known = None if self._kept is None else self._kept.known(summand.ruleset, summand.position)
        if known is not None:
            return known
        most = _MANY_MOVES if is_named else _FEW_MOVES
        if budget.is_over() or _count_moves(summand, most + 1) > most:
            return None
        few = budget.share(1.0)
        if not is_named:
            few.states = min(few.states, _FEW_STATES)
        try:
            return self._value_or_none(summand, few)
        finally:
            budget.charge(few)

    def components(
        self, ruleset: AnyRuleset, position: Any, budget: Budget | None = None
    ) -> tuple[SolvedComponent, ...]:
        """Return a position's independent components with their Grundy values.

        Raises
        ------
        OutOfBudget
            If the budget ends first; finished values are kept.
        """
        budget = budget or Budget()
        return tuple(
            SolvedComponent(part.ruleset, part.position, self._table.value(part.ruleset, part.position, budget))
            for part in decompose(ruleset, ruleset.validate(position))
        )

    def deciding_components(
        self, ruleset: AnyRuleset, position: Any, budget: Budget | None = None
    ) -> tuple[SolvedComponent, ...]:
        """Return a position's independent components with the Grundy values that are needed to know who wins.

        At most one value is None: that of a component which is won by a theorem, where the nim-sum of the others is 0.

        Raises
        ------
        OutOfBudget
            If the budget ends first; finished values are kept.
        """
        limit = budget or Budget()
        summands = decompose(ruleset, ruleset.validate(position))
        values = self._deciding_values(summands, lambda each: self._table.value(*each[:2], limit))
        return tuple(SolvedComponent(*each[:2], value) for each, value in zip(summands, values, strict=True))

    def misere_components(
        self, ruleset: AnyRuleset, position: Any, budget: Budget | None = None
    ) -> tuple[SolvedComponent, ...]:
        """Return a position's independent components with what little work tells of them under misere play."""
        limit = budget or Budget()
        facts = self.misere.facts(ruleset, position, limit)
        found = []
        for summand, known in zip(decompose(ruleset, position), facts, strict=True):
            value = self._value_beside(summand, limit, is_named=False) if known.grundy is None else known.grundy
            found.append(SolvedComponent(*summand[:2], value, misere=known))
        return tuple(found)

    def grundy(self, ruleset: AnyRuleset, position: Any, budget: Budget | None = None) -> int:
        """Return the Grundy value of a position.

        Raises
        ------
        OutOfBudget
            If the budget ends first.
        """
        return self._total(ruleset, ruleset.validate(position), budget or Budget())

    def _total(self, ruleset: AnyRuleset, position: Any, budget: Budget) -> int:
        return nim_sum(self._table.value(part.ruleset, part.position, budget) for part in decompose(ruleset, position))

    def has_grundy(self, ruleset: AnyRuleset, position: Any, value: int, budget: Budget | None = None) -> bool:
        """Tell whether a position has a Grundy value, which can take less than to find it; 0 asks whether it is lost.

        Of one component only whether it completes the nim-sum is asked.

        Raises
        ------
        OutOfBudget
            If the budget ends first.

        Examples
        --------
        >>> import sgai
        >>> Solver().has_grundy(sgai.load_ruleset("nim"), (3, 5), 6)
        True
        """
        budget = budget or Budget()
        unknown = []
        for part in decompose(ruleset, position):
            known = self._table.known(part.ruleset, part.position)
            if known is None:
                unknown.append(part)
            else:
                value ^= known
        if not unknown:
            return value == 0
        unknown.sort(key=lambda part: part.position.bit_count() if isinstance(part.position, int) else 0)
        # What can be told by a theorem comes last: there only whether the value is 0 is known.
        unknown.sort(key=lambda part: is_won_by_theorem(part.ruleset, part.position))
        for part in unknown[:-1]:
            value ^= self._table.value(part.ruleset, part.position, budget)
        return self._table.has_value(unknown[-1].ruleset, unknown[-1].position, value, budget)

    def grundy_values(
        self, ruleset: AnyRuleset | str, largest: int, budget: Budget | None = None
    ) -> npt.NDArray[int64]:
        """Return the Grundy values of the heaps 0 to ``largest`` of a heap game."""
        table = self.sequence(ruleset)
        largest = check_integer(largest)
        if largest < 0:
            raise SgaiError(f"{quote(largest)} is no heap size: it is an integer of 0 or more")
        return table.values(largest, budget or Budget(LARGEST_COMPILED))

    def find_period(self, ruleset: AnyRuleset | str, largest: int, budget: Budget | None = None) -> Period | None:
        """Return the least period that the values of the heaps up to ``largest`` prove, or None if they prove none.

        Parameters
        ----------
        ruleset : HeapRuleset
            The game.
        largest : int
            The largest heap to compute.
        budget : Budget, optional
            What may be spent.

        Raises
        ------
        UnsupportedError
            If no theorem covers the game.
        OutOfBudget
            If the budget ends before a period is found.

        Examples
        --------
        >>> import sgai
        >>> Solver().find_period(sgai.load_ruleset("kayles"), 1000)
        Period(preperiod=71, period=12, proved_with=167)
        """
        ruleset = load_ruleset(ruleset)
        table = self.sequence(ruleset)
        if period_theorem(ruleset) is None:
            raise UnsupportedError(
                f"no theorem says when {str(ruleset)!r} is periodic: that takes a code with an end, without open "
                "ranges and modifiers, or a subtraction set"
            )
        return table.find_period(check_integer(largest), budget or Budget(LARGEST_COMPILED))

    def sequence(self, ruleset: AnyRuleset | str) -> SequenceTable:
        """Return the table of a heap game's values."""
        ruleset = load_ruleset(ruleset)
        if not isinstance(ruleset, HeapRuleset):
            raise SgaiError(f"{str(ruleset)!r} has no heaps, so no sequence of values; solve a position of it instead")
        return self._table.sequence(ruleset)

    def winning_moves(
        self, ruleset: AnyRuleset, position: Any, *, play: str = "normal", budget: Budget | None = None
    ) -> Iterator[WinningMove]:
        """Yield the moves that win, each once; the first ones in components where the theory promises one.

        A move in a component of value g wins if it leads to the value g XOR (nim-sum of all components). Where a
        theorem says who wins, the moves in the component that it speaks of come first, and its value is only asked for
        if there are moves in others: then in 2,000 states at most.

        Raises
        ------
        OutOfBudget
            If the budget ends first; what was yielded before holds.
        """
        check_convention(play, "disjunctive", "last", ruleset)
        position = ruleset.validate(position)
        budget = budget or Budget()
        if isinstance(ruleset, CompoundRuleset):
            found_by_theory = Analysis(ruleset, position, play, self.compounds, budget)
            if not found_by_theory.is_solved:
                raise OutOfBudget
            yield from found_by_theory.winning_moves()
            return
        summands = decompose(ruleset, position)
        lifter = Lifter(ruleset, position)
        liftable = all(lifter.can_lift(summand.path) for summand in _one_a_kind(summands))
        seen: set[Any] = set()
        if play == "misere":
            check_misere(ruleset)
            if all(type(summand.ruleset) is Nim for summand in summands):
                yield from self._misere_nim_moves(ruleset, position, summands, lifter if liftable else None)
                return
            for move, option in self.misere.winning_moves(ruleset, position, budget):
                if _is_new(move, seen):
                    yield WinningMove(move, option)
            return
        limit = budget
        deciding = self._deciding_values(summands, lambda each: self._table.value(*each[:2], limit))
        values = [value for value in deciding if value is not None]
        total = nim_sum(values)
        missing = deciding.index(None) if None in deciding else -1
        if total == 0 and missing < 0:
            return
        if not liftable:
            for move, option in ruleset.moves(position):
                budget.spend()
                if self.has_grundy(ruleset, option, 0, budget):
                    yield WinningMove(move, option)
            return
        found: dict[tuple[Any, Any], list[Any]] = {}
        if missing >= 0:
            summand = summands[missing]
            listed = found[summand[:2]] = []
            for inner in self.moves_to(summand, 0, budget):
                listed.append(inner)
                move = lifter.lift(summand.path, inner)
                if _is_new(move, seen):
                    yield WinningMove(move, ruleset.apply(position, move))
            if all(each is summand or not _count_moves(each, 1) for each in summands):
                return
            total = self._value_for_others(summand, budget)
            values.insert(missing, total)
        order = sorted(range(len(summands)), key=lambda i: values[i] ^ total >= values[i])
        for i in order:
            summand, target = summands[i], values[i] ^ total
            key = summand[:2]
            known = found.get(key)
            inners = self.moves_to(summand, target, budget) if known is None else known
            found[key] = []
            for inner in inners:
                found[key].append(inner)
                move = lifter.lift(summand.path, inner)
                if _is_new(move, seen):
                    yield WinningMove(move, ruleset.apply(position, move))

    def longest_play(self, ruleset: AnyRuleset, position: Any) -> int | None:
        """Return the moves of the longest play from a solved position, or None where that is not known."""
        total = 0
        for summand in decompose(ruleset, position):
            longest = self._table.longest_play(summand.ruleset, summand.position)
            if longest is None:
                return None
            total += longest
        return total

    def moves_to(self, summand: Summand, value: int, budget: Budget) -> Iterator[Any]:
        """Yield the moves in a component that lead to a Grundy value.

        Raises
        ------
        OutOfBudget
            If the budget ends first; what was yielded before holds.
        """
        ruleset, position = summand.ruleset, summand.position
        heap = ruleset.heap_of(position)
        if heap is not None:
            for result in self._table.sequence(ruleset).results_with_value(heap, value, budget):
                yield HeapMove(heap, result)
            return
        named = ruleset.proved_winning_moves(position) if value == 0 else None
        if named is not None:
            for move in named:
                budget.spend()
                yield move
            return
        for move, option in ruleset.moves(position):
            budget.spend()
            if self.has_grundy(ruleset, option, value, budget):
                yield move

    def _misere_nim_moves(
        self, ruleset: AnyRuleset, position: Any, summands: list[Summand], lifter: Lifter | None
    ) -> Iterator[WinningMove]:
        heaps = nim_heaps(summands)
        if lifter is None:
            for move, option in ruleset.moves(position):
                if not misere_nim_is_won(nim_heaps(decompose(ruleset, option))):
                    yield WinningMove(move, option)
            return
        seen: set[Any] = set()
        for place, left in misere_nim_replies(heaps):
            inner = HeapMove(heaps[place], (left,) if left else ())
            move = lifter.lift(summands[place].path, inner)
            if _is_new(move, seen):
                yield WinningMove(move, ruleset.apply(position, move))

    def _value_for_others(self, summand: Summand, budget: Budget) -> int:
        value = self._table.known(summand.ruleset, summand.position)
        if value is None:
            value = self._value_beside(summand, budget, is_named=False)
        if value is None:
            raise OutOfBudget
        return value

    def _value_or_none(self, summand: Summand, budget: Budget) -> int | None:
        try:
            if self._kept is not None:
                return self._kept.value(summand.ruleset, summand.position, budget)
            return self._table.value(summand.ruleset, summand.position, budget)
        except OutOfBudget:
            return None

    def _listing_budget(self, spent: Budget) -> Budget:
        seconds = None if spent.seconds is None else max(1e-9, spent.seconds - spent.elapsed())
        return Budget(_MOST_LISTED_OPTIONS, seconds, spent.watch)

    def _known_facts(self, summands: list[Summand], values: list[int | None], known: int) -> Iterator[str]:
        solved = sum(value is not None for value in values)
        if solved:
            yield f"{solved} of {len(summands)} components are solved; their nim-sum is {known}"
        for summand in [each for each, value in zip(summands, values, strict=True) if value is None][:3]:
            ruleset, position = summand.ruleset, summand.position
            name = _named(summand)
            options, excluded = 0, set(self._table.excluded(ruleset, position))
            how = "search excludes these" if excluded else "options have these"
            if excluded == {0} and is_won_by_theorem(ruleset, position):
                how = "a theorem gives its outcome"
            started = time.perf_counter()
            for options, (_, option) in enumerate(ruleset.moves(position), 1):
                if options > 10_000 or time.perf_counter() - started > 0.1:
                    break
                value = self._known_value(ruleset, option)
                if value is not None:
                    excluded.add(value)
            else:
                yield f"the Grundy value of {name} is at most {options}, the number of its moves"
            if excluded:
                least = sorted(excluded)[:12]
                more = f" or {len(excluded) - 12} others" if len(excluded) > 12 else ""
                yield f"the Grundy value of {name} is not {', '.join(map(str, least))}{more}: {how}"

    def _known_value(self, ruleset: AnyRuleset, position: Any) -> int | None:
        total = 0
        for summand in decompose(ruleset, position):
            value = self._table.known(summand.ruleset, summand.position)
            if value is None:
                return None
            total ^= value
        return total

    def _paths(self, summands: list[Summand]) -> int | None:
        counts = [self._table.paths(summand.ruleset, summand.position) for summand in summands]
        return None if None in counts else sum(count for count in counts if count is not None)


def _kept_values(table: StateTable, store: "NimberStore") -> "KeptValues":
    from sgai.kept_values import KeptValues  # loads SQLite

    return KeptValues(table, store)


def _outcome(summands: list[Summand], values: list[int | None]) -> str | None:
    """Return the outcome of normal play from the values of components, None for those that are not known."""
    known = [value for value in values if value is not None]
    if len(known) == len(values):
        return "N" if nim_sum(known) else "P"
    if len(known) == len(values) - 1 and not nim_sum(known):
        return "N" if is_won_by_theorem(*summands[values.index(None)][:2]) else None
    return None


def _named(summand: Summand) -> str:
    return f"{shortened(str(summand.ruleset))} {summand.ruleset.format(summand.position)}"


def _count_moves(summand: Summand, most: int) -> int:
    """Return the number of moves of a component, or ``most`` if there are more."""
    return sum(1 for _ in itertools.islice(summand.ruleset.moves(summand.position), most))


def _is_new(move: Any, seen: set[Any]) -> bool:
    try:
        if move in seen:
            return False
        seen.add(move)
    except TypeError:
        raise SgaiError(f"move {quote(str(move))} cannot be hashed; moves are immutable values") from None
    return True


def _one_a_kind(summands: list[Summand]) -> list[Summand]:
    # Summands that came through the same levels differ only in their last index.
    return list({(len(each.path), each.path[:-1]): each for each in summands}.values())


def solve(ruleset: AnyRuleset | str, position: Any = None, **options: Any) -> Solution:
    """Solve one position with a new `Solver`; keep a `Solver` to keep what was found.

    Parameters
    ----------
    ruleset : Ruleset or str
        The rules, or their text.
    position : hashable or str, optional
        A position, or its text where positions are no text themselves; by default the initial one.
    **options
        As of `Solver.solve`: ``play``, ``compound``, ``ending``, ``states``, ``seconds``.

    Examples
    --------
    >>> solve("subtraction(take=[2;5])", "[2;4;7]").grundy
    1
    """
    loaded = load_ruleset(ruleset)
    if isinstance(position, str) and not isinstance(loaded.initial(), str):
        position = loaded.parse(position)
    return Solver().solve(loaded, position, **options)


def grundy_values(ruleset: AnyRuleset | str, largest: int) -> npt.NDArray[int64]:
    """Return the Grundy values of the heaps 0 to ``largest`` of a heap game.

    Parameters
    ----------
    ruleset : HeapRuleset or str
        The game.
    largest : int
        The largest heap, in tokens.

    Returns
    -------
    numpy.ndarray of int64, shape (largest + 1,)

    Raises
    ------
    SgaiError
        If the ruleset has no heaps, or there are more heaps than are computed at once.

    Examples
    --------
    >>> grundy_values("kayles", 12).tolist()
    [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4]
    """
    try:
        return Solver().grundy_values(load_ruleset(ruleset), largest)
    except OutOfBudget:
        raise SgaiError(f"{largest:,} is too large: this version computes heaps below {LARGEST_TABLE:,}") from None
