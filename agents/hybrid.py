"""The hybrid agent: exact where a position splits, searching only the rest, with the XOR prior."""

import itertools
import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sgai.agents.agent import ESTIMATED, EXACT, PROVED, Agent, Decision
from sgai.agents.choosing import Chooser
from sgai.agents.compounds import CompoundPlayer
from sgai.agents.effort import Effort
from sgai.agents.hybrid_cores import CORES, HybridCores
from sgai.agents.misere_playouts import best_by_playouts
from sgai.belief_models import BeliefModel
from sgai.beliefs import Belief
from sgai.budget import Budget, OutOfBudget
from sgai.compounds.ruleset import CompoundRuleset, in_compound
from sgai.cores.collector import paused_collector
from sgai.cores.core import Findings, Sum, SumMove
from sgai.cores.ranking import merged
from sgai.decomposition import Lifter, Summand, decompose
from sgai.errors import NotSolvedError, SgaiError, UnsupportedError, quote
from sgai.misere.solving import MisereSolver
from sgai.nimbers import nim_sum
from sgai.parameters import check_choice, check_integer
from sgai.removal_values import DEFAULT_MEMORY
from sgai.ruleset import Component, Ruleset
from sgai.rulesets.removal import RemovalRuleset
from sgai.search import is_won_by_theorem, refuse_loopy
from sgai.solution import SolvedComponent, WinningMove
from sgai.solver import Solver
from sgai.xor_prior import XorPrior

PRIORS = ("on", "off", "trusted")
_NOTHING = Sum(())
_TRUST = 0.5  # in values of pieces that interact
_HURRY, _MOST_TRIED_CELLS = 0.02, 24  # in less time than this not of larger ones, where one state takes long
_FEW_STATES = 200  # tried to solve a component exactly of which only the outcome is needed
_LEAST_STATES = 1_000  # tried to solve a component, where simulations are the budget
_PRIOR_SHARE = 0.2  # of the time that is left may go into the pieces of what splits only approximately
_SOLVING_SHARE = 0.3  # of what is left goes into solving components before the rest is searched
_THEOREM_SHARE = 0.7  # of what is left may go into finding the move that a theorem promises
_COMPOUND_SHARE = 0.7  # of what is left may go into the theory of a compound
_MISERE_SHARE = 0.7  # of what is left may go into proving who wins under misere play
_MISERE_STATES = 20_000  # spent on a misere quotient when the agent is made
_MANY_MOVES = 1_000  # components with more are not told apart by size


@dataclass(frozen=True)
class HybridDecision(Decision):
    """A decision of the hybrid agent.

    Attributes
    ----------
    beliefs : tuple of Belief
        What is believed of the Grundy value of each component in ``components``, before the search of the rest; a
        point where it is solved. Empty where a theorem gave the outcome without a value, so that none was needed.
    unsolved : Sum
        What search was given: the components that are not solved, and the nim-sum of the others; or the position as a
        whole, where moves of components cannot be lifted to it.
    findings : tuple of (str, Findings)
        What each search core found, with its name; empty where all was solved or nothing was searched.
    approximate : bool
        Whether a component is split only approximately, so that its pieces gave no more than a prior.
    before : hashable
        The position that was decided on.
    chance : float or None
        The estimated probability that the move wins, where nothing is proved.
    play : "normal" or "misere"
        The convention.
    """

    beliefs: tuple[Belief, ...] = ()
    unsolved: Sum = _NOTHING
    findings: tuple[tuple[str, Findings], ...] = ()
    approximate: bool = False
    before: Any = None
    chance: float | None = None
    play: str = "normal"


@dataclass
class _Case:
    """One decision while it is being made."""

    position: Any
    budget: Budget
    started: float
    summands: list[Summand] = field(default_factory=list)
    values: list[int | None] = field(default_factory=list)
    beliefs: list[Belief] = field(default_factory=list)
    root: Sum | None = None  # what search was given
    findings: list[tuple[str, Findings]] = field(default_factory=list)

    @property
    def unsolved(self) -> list[int]:
        return [i for i, value in enumerate(self.values) if value is None]

    @property
    def heap(self) -> int:
        return nim_sum(value for value in self.values if value is not None)

    @property
    def rest(self) -> Sum:
        return _sum_of([self.summands[i] for i in self.unsolved])._replace(heap=self.heap)


class HybridAgent(Agent):
    """Splits a position, solves what the budget allows, and searches the rest beside a nim-heap for all that is solved.

    A decision is "exact" where every component is solved, or a theorem gives the outcome of the only one that is not;
    "proved" where search proved the outcome, else "estimated".
    A move that is exact or proved never gives a win away. Later positions may have to be searched again, for symmetry
    and proofs tell less than all values; they are smaller.

    Parameters
    ----------
    ruleset : Ruleset
        The rules.
    seconds : float, optional
        The time for a decision; 0.05 if no other budget is given.
    nodes : int, optional
        In place of seconds, the number of states, nodes and simulations together: equal budgets and seeds give equal
        decisions after a `reset`, from the agent's own solver.
    simulations : int, optional
        In place of seconds, the simulations of MCTS; besides, as many states are tried to solve each component, but
        1,000 at least.
    core : "auto", "mcts", "outcome" or "dfpn"
        How the rest is searched. "auto" first tries to prove the outcome, then estimates by MCTS.
    prior : "on", "off" or "trusted"
        Whether beliefs about Grundy values guide the search. "trusted" lets them decide, also where a split is only
        approximate, without search: it is there to show the harm.
    strength : float
        How many visits of MCTS the prior counts for.
    beliefs : BeliefModel, optional
        What to believe of components that are not solved; by default the tables that are shipped.
    seed : int
        Of MCTS.
    audit : bool
        Whether to check each position's split move by move before it is used, and to refuse one that does not hold.
        That is not counted in the budget; positions with very many moves are not checked.
    play : "normal" or "misere", optional
        By default what the ruleset says. Misere play is exact where it is proved in time who wins, and else a guess by
        random plays, called estimated.
    compound, ending : str
        How the components of the initial position are played together; with other values than the defaults the agent's
        ``ruleset`` is the compound, and takes its positions. Theory decides where the budget lasts; else the compound
        is searched as a whole under normal play, and refused under misere play.
    solver : Solver, optional
        Whose values to use and add to, also over `reset`; by default the agent's own, one a game.
    memory : int
        The most bytes for the table of one removal game's exact search.

    Raises
    ------
    SgaiError
        For a budget that cannot be kept, an unknown option, or a convention that is not supported with the ruleset.

    Notes
    -----
    Compiled searches for the components of the initial position are loaded when the agent is made, so that decisions
    hold their deadline; the very first time that takes half a minute for each size of boards (64, 128, 256 cells).

    Examples
    --------
    >>> import sgai
    >>> agent = HybridAgent(sgai.load_ruleset("sum(parts=[nim(piles=[3;5]);cram(rows=2,columns=3)])"), nodes=1000)
    >>> decision = agent.decide(agent.ruleset.initial())
    >>> decision.status, decision.outcome, [each.grundy for each in decision.components]
    ('exact', 'N', [3, 5, 1])
    """

    name = "hybrid"

    def __init__(
        self,
        ruleset: Ruleset[Any, Any],
        *,
        seconds: float | None = None,
        nodes: int | None = None,
        simulations: int | None = None,
        core: str = "auto",
        prior: str = "on",
        strength: float = 3.0,
        beliefs: BeliefModel | None = None,
        seed: int = 0,
        audit: bool = False,
        play: str | None = None,
        compound: str = "disjunctive",
        ending: str = "last",
        solver: Solver | None = None,
        memory: int = DEFAULT_MEMORY,
    ) -> None:
        self.play = ruleset.default_play() if play is None else play
        ruleset = in_compound(ruleset, compound, ending, play=self.play)
        super().__init__(ruleset)
        self._is_misere_sum = self.play == "misere" and not isinstance(ruleset, CompoundRuleset)
        refuse_loopy(ruleset)
        self.effort = Effort.of(seconds, nodes=nodes, simulations=simulations)
        if simulations is not None and core not in ("auto", "mcts"):
            raise SgaiError(f"simulations={simulations} with core={core!r}: simulations are those of core='mcts'")
        check_choice("core", core, CORES)
        check_choice("prior", prior, PRIORS)
        if not 0 <= strength < math.inf:
            raise SgaiError(f"strength={strength!r}: it is a number of visits, 0 or more")
        self.simulations = simulations
        self.core = "mcts" if simulations is not None else core
        self.prior, self.strength, self.seed, self.audit = prior, strength, check_integer(seed), audit
        self._given, self._memory, self._beliefs = solver, memory, beliefs
        self._prepared = MisereSolver()
        if self._is_misere_sum:
            self._prepared.prepare(ruleset, ruleset.initial(), Budget(_MISERE_STATES))
        self.last_decision: HybridDecision | None = None
        self._trees: dict[tuple[int, ...], Any] = {}
        self.reset()
        try:
            self._cores.load(ruleset)
        except (SgaiError, MemoryError):
            raise
        except Exception as error:  # rules of users may raise anything
            raise self._raised(error, "the search was loaded") from error
        self.reset()  # loading solves a little, and every game should begin alike

    def reset(self) -> None:
        """Forget what belongs to one game."""
        self.solver = Solver(memory=self._memory) if self._given is None else self._given
        self.solver.misere.take_quotients(self._prepared)
        self._xor_prior = XorPrior(self.solver, self._beliefs, trust=1.0 if self.prior == "trusted" else _TRUST)
        self._chooser = Chooser(self.ruleset, self.solver, self.play)
        self._cores = HybridCores(
            self.solver,
            self.core,
            self._xor_prior if self.prior != "off" else None,
            strength=self.strength,
            seed=self.seed,
            trees=self._trees,
        )

    def decide(self, position: Any) -> HybridDecision:
        """Choose a move within the budget.

        Raises
        ------
        SgaiError
            If the position is none of the ruleset's, has no moves, or the rules raise an error; and with ``audit`` if
            its components are not independent.
        """
        case = _Case(None, self.effort.begin(), time.perf_counter())
        try:
            with paused_collector(case.budget):
                self.last_decision = self._decided(case, position)
        except (SgaiError, MemoryError):
            raise
        except Exception as error:  # rules of users may raise anything
            raise self._raised(error, f"{quote(position)} was decided on") from error
        return self.last_decision

    def explain(self, decision: HybridDecision | None = None) -> str:
        """Say in words how a decision was made, by default the last one.

        Raises
        ------
        SgaiError
            If there was none.
        """
        from sgai.agents.explanation import explained  # words are made only where they are read

        decision = decision or self.last_decision
        if decision is None:
            raise SgaiError("there is no decision to explain yet; call decide first")
        return explained(self.ruleset, decision)

    def _raised(self, error: Exception, doing: str) -> SgaiError:
        return SgaiError(f"{self.ruleset}: {type(error).__name__} was raised while {doing}: {error}")

    # The steps of a decision

    def _decided(self, case: _Case, position: Any) -> HybridDecision:
        case.position = self.ruleset.validate(position)
        if next(iter(self.ruleset.moves(case.position)), None) is None:
            raise self.game_is_over(case.position)
        if self.audit:
            self._check_split(case.position)
        if isinstance(self.ruleset, CompoundRuleset):
            found = self._by_compound_theory(case, self.ruleset)
            if found is not None:
                return found
        if self._is_misere_sum:
            return self._by_misere_theory(case)
        case.summands = decompose(self.ruleset, case.position)
        self._solve(case)
        decided = self._by_theorem(case)
        if decided is not None:
            return decided
        self._xor_prior.limit(case.budget.share(_PRIOR_SHARE))
        case.beliefs = self._xor_prior.beliefs(Component(*each[:2], True) for each in case.summands)
        if self.prior == "trusted":
            return self._by_trust(case)
        return self._by_search(case) if case.unsolved else self._by_values(case)

    def _by_misere_theory(self, case: _Case) -> HybridDecision:
        """Make a move that is proved under misere play, or else the one that wins most random plays."""
        share = case.budget.share(_MISERE_SHARE)
        chosen = outcome = chance = None
        try:
            outcome = self.solver.misere.verdict(self.ruleset, case.position, share).outcome
            choose = self._chooser.winning if outcome == "N" else self._chooser.hardest
            chosen = choose(case.position, len(decompose(self.ruleset, case.position)), share)
        except OutOfBudget:
            pass
        case.budget.charge(share)
        status = ESTIMATED if chosen is None else EXACT
        components: tuple[SolvedComponent, ...] = ()
        if chosen is None:
            part = case.budget.share(1.0)
            chosen, chance = best_by_playouts(self.ruleset, case.position, self.seed, part)
            case.budget.charge(part)
        else:
            components = self.solver.misere_components(self.ruleset, case.position, case.budget)
        return HybridDecision(
            move=chosen.move,
            position=chosen.position,
            status=status,
            outcome=outcome,
            components=components,
            states=case.budget.spent,
            seconds=time.perf_counter() - case.started,
            beliefs=tuple(Belief.point(each.grundy) for each in components if each.grundy is not None),
            before=case.position,
            chance=chance,
            play="misere",
        )

    def _by_compound_theory(self, case: _Case, game: CompoundRuleset) -> HybridDecision | None:
        """Decide by the theory of the compound; None where the budget ends and search may go on."""
        budget = case.budget.share(_COMPOUND_SHARE if self.play == "normal" else 1.0)
        try:
            found = CompoundPlayer(game, self.play, self.solver.compounds).decide(case.position, budget)
        except OutOfBudget:
            if self.play == "normal":
                many = next(itertools.islice(game.moves(case.position), _MANY_MOVES, None), None) is not None
                # Search would spend far more than is left on listing sets of moves.
                return self._made(case, self._any_move(case.position), ESTIMATED, None) if many else None
            raise NotSolvedError(
                f"{quote(game.format(case.position))} is not solved within {budget.spent:,} states and "
                f"{budget.elapsed():.2f} s, and under misere play a {game.compound} compound is played by its theory "
                "or not at all; give the agent a larger budget"
            ) from None
        finally:
            case.budget.charge(budget)
        if found is None:
            raise self.game_is_over(case.position)
        return HybridDecision(**vars(found), before=case.position, play=self.play)

    def _check_split(self, position: Any) -> None:
        from sgai.audit import check_position  # loaded only where it is wanted

        found = check_position(self.ruleset, position)
        if found is not None:
            raise UnsupportedError(str(found))

    def _solve(self, case: _Case) -> None:
        """Solve components, the smallest first; what is left over is searched."""
        table = self.solver.table
        case.values = [table.known(each.ruleset, each.position) for each in case.summands]
        if self._is_won_by_theorem(case) or (self.prior == "trusted" and _is_approximate(case.summands)):
            return
        unsolved = sorted(case.unsolved, key=lambda i: _size(case.summands[i]))
        unsolved.sort(key=lambda i: is_won_by_theorem(*case.summands[i][:2]))
        for i in unsolved:
            if self._is_won_by_theorem(case):
                break
            part = case.summands[i]
            case.values[i] = table.known(part.ruleset, part.position)  # an equal one may have been solved just now
            if case.values[i] is None and not case.budget.is_over():
                # Of the last one only the outcome beside the others matters, and search asks for no more.
                last = i == unsolved[-1] and self._cores.is_compiled(_sum_of([part]))
                hurried = case.budget.seconds is not None and case.budget.seconds < _HURRY
                if last and hurried and _size(part) > _MOST_TRIED_CELLS:
                    continue
                case.values[i] = self._value_or_none(part, case.budget, _FEW_STATES if last else None)

    def _value_or_none(self, part: Summand, budget: Budget, states: int | None) -> int | None:
        share = budget.share(_SOLVING_SHARE)
        if self.simulations is not None:
            share.states = max(self.simulations, _LEAST_STATES)
        if states is not None:
            share.states = min(states, share.states)
        try:
            return self.solver.table.value(part.ruleset, part.position, share)
        except OutOfBudget:
            return None
        finally:
            if self.simulations is None:
                budget.charge(share)

    def _by_values(self, case: _Case) -> HybridDecision:
        """Decide where every component is solved."""
        won = case.heap != 0
        choose = self._chooser.winning if won else self._chooser.hardest
        chosen = choose(case.position, len(case.summands), case.budget)
        if chosen is None:  # time ended before the winning move was found
            return self._made(case, self._any_move(case.position), ESTIMATED, "N")
        return self._made(case, chosen, EXACT, "N" if won else "P")

    def _is_won_by_theorem(self, case: _Case) -> bool:
        """Tell whether a theorem says that the only component without a value is not 0, and the others' nim-sum is."""
        unsolved = case.unsolved
        return len(unsolved) == 1 and not case.heap and is_won_by_theorem(*case.summands[unsolved[0]][:2])

    def _by_theorem(self, case: _Case) -> HybridDecision | None:
        """Make a move that a theorem says wins, if there is one and time to find it."""
        if not self._is_won_by_theorem(case):
            return None
        share = case.budget.share(_THEOREM_SHARE)
        chosen = self._chooser.winning(case.position, len(case.summands), share)
        case.budget.charge(share)
        return None if chosen is None else self._made(case, chosen, EXACT, "N")

    def _by_search(self, case: _Case) -> HybridDecision:
        """Search what is not solved beside the nim-heap of what is."""
        root = case.root = case.rest if self._lifts(case) else Sum((Component(self.ruleset, case.position, True),))
        outcome = None
        for core, share in self._cores.plan(root, case.budget.seconds_left()):
            if case.findings and case.budget.is_over():
                break
            part = case.budget.share(share)
            found = core.search(root, part)
            case.budget.charge(part)
            case.findings.append((core.name, found))
            outcome = found.outcome
            if outcome is not None:
                break
        moves = merged([found for _, found in case.findings])
        for finding in moves:
            chosen = self._lifted(case, root, finding.move)
            if chosen is not None:
                if finding.outcome == "P":
                    outcome = "N"
                proved = outcome == "P" or finding.outcome == "P"
                status = PROVED if proved else ESTIMATED
                return self._made(case, chosen, status, outcome, None if proved else finding.win)
        return self._made(case, self._any_move(case.position), ESTIMATED, outcome)

    def _by_trust(self, case: _Case) -> HybridDecision:
        """Make the move that beliefs like best, whatever search would say."""
        chances = []
        for move, option in self.ruleset.moves(case.position):
            chances.append((self._xor_prior.of_position(self.ruleset, option), WinningMove(move, option)))
            if case.budget.is_late():
                break
        chance, chosen = max(chances, key=lambda each: each[0])
        return self._made(case, chosen, ESTIMATED, None, chance)

    # From moves of the sum to moves of the position

    def _lifts(self, case: _Case) -> bool:
        lifter = Lifter(self.ruleset, case.position)
        return all(lifter.can_lift(summand.path) for summand in case.summands)

    def _lifted(self, case: _Case, root: Sum, move: SumMove) -> WinningMove | None:
        """Return the move of the whole position; None if there is no time to find one that moves the nim-heap so."""
        lifter = Lifter(self.ruleset, case.position)
        if move.part >= 0:
            path = case.summands[case.unsolved[move.part]].path if self._lifts(case) else ()
            whole = lifter.lift(path, move.move)
            return WinningMove(whole, self.ruleset.apply(case.position, whole))
        changed = root.heap ^ move.move
        budget = case.budget.share(1.0)
        for summand, value in zip(case.summands, case.values, strict=True):
            if value is not None and value ^ changed < value:
                try:
                    inner = next(self.solver.moves_to(summand, value ^ changed, budget))
                except OutOfBudget:
                    return None
                whole = lifter.lift(summand.path, inner)
                return WinningMove(whole, self.ruleset.apply(case.position, whole))
        return None

    def _any_move(self, position: Any) -> WinningMove:
        return WinningMove(*next(iter(self.ruleset.moves(position))))

    def _made(
        self, case: _Case, chosen: WinningMove, status: str, outcome: str | None, chance: float | None = None
    ) -> HybridDecision:
        known = self.solver.table.known
        return HybridDecision(
            move=chosen.move,
            position=chosen.position,
            status=status,
            outcome=outcome,
            components=tuple(
                SolvedComponent(
                    each.ruleset, each.position, known(each.ruleset, each.position) if value is None else value
                )
                for each, value in zip(case.summands, case.values, strict=True)
            ),
            states=case.budget.spent,
            seconds=time.perf_counter() - case.started,
            beliefs=tuple(case.beliefs),
            unsolved=case.root or case.rest,
            before=case.position,
            chance=chance,
            findings=tuple(case.findings),
            approximate=_is_approximate(case.summands[i] for i in case.unsolved),
        )


def _sum_of(summands: Iterable[Summand]) -> Sum:
    return Sum(tuple(Component(*each[:2], True) for each in summands))


def _is_approximate(summands: Iterable[Summand]) -> bool:
    return any(each.ruleset.approximate_components(each.position) for each in summands)


def _size(summand: Summand) -> int:
    """Return how large a component is, for an order: its heap, its live cells, or the number of its moves."""
    heap = summand.ruleset.heap_of(summand.position)
    if heap is not None:
        return heap
    if isinstance(summand.ruleset, RemovalRuleset):
        return int(summand.position).bit_count()
    return sum(1 for _ in itertools.islice(summand.ruleset.moves(summand.position), _MANY_MOVES))
