"""The agent that plays perfectly wherever every component can be solved."""

import time
from typing import Any

from sgai.agents.agent import EXACT, Agent, Decision
from sgai.agents.choosing import Chooser
from sgai.agents.compounds import CompoundPlayer
from sgai.agents.loopy import LoopyChooser
from sgai.budget import DEFAULT_MISERE_STATES, DEFAULT_STATES, Budget, OutOfBudget
from sgai.compounds.ruleset import CompoundRuleset, in_compound
from sgai.errors import NotSolvedError
from sgai.loopy import check_loopy_convention, loopy_sum
from sgai.nimbers import nim_sum
from sgai.ruleset import Ruleset
from sgai.solution import SolvedComponent
from sgai.solver import Solver

_MOST_REPLIES = 50_000  # evaluations spent on finding the move that is hardest to answer


class ExactAgent(Agent):
    """Plays perfectly by Sprague-Grundy theory, or by a theorem that gives the outcomes of a game.

    In a won position it makes the winning move that leaves least to play. In a lost one it makes the move with the
    fewest winning replies, and among these the one with the longest play still possible; with very many moves it
    compares as many as a fixed number of evaluations allows. In loopy games it wins where it can, in bounded time, and
    else holds the draw where it can, by a move with the smallest share of replies that hold it too.

    Parameters
    ----------
    ruleset : Ruleset
        The rules.
    play : "normal" or "misere", optional
        By default what the ruleset says.
    compound, ending : str
        How the components of the initial position are played together; with other values than the defaults the agent's
        ``ruleset`` is the compound, and takes its positions.
    states : int, optional
        The most states to evaluate for a decision; by default two million, and 100,000 under misere play.
    seconds : float, optional
        The most seconds to take for the values of a decision.
    solver : Solver, optional
        Whose values to use and add to; by default the agent's own, kept from game to game.

    Raises
    ------
    SgaiError
        For a convention that is not supported with the ruleset.

    Examples
    --------
    >>> import sgai
    >>> agent = ExactAgent(sgai.load_ruleset("nim"))
    >>> decision = agent.decide((3, 4, 5))
    >>> str(decision.move), decision.outcome, decision.status
    ('3->1', 'N', 'exact')
    """

    name = "exact"

    def __init__(
        self,
        ruleset: Ruleset[Any, Any],
        *,
        play: str | None = None,
        compound: str = "disjunctive",
        ending: str = "last",
        states: int | None = None,
        seconds: float | None = None,
        solver: Solver | None = None,
    ) -> None:
        self.play = ruleset.default_play() if play is None else play
        if ruleset.loopy:
            check_loopy_convention(ruleset, self.play, compound, ending)
        else:
            ruleset = in_compound(ruleset, compound, ending, play=self.play)
        super().__init__(ruleset)
        self.solver = Solver() if solver is None else solver  # an empty one is false
        self._compound: CompoundPlayer | None = None
        if isinstance(ruleset, CompoundRuleset):
            self._compound = CompoundPlayer(ruleset, self.play, self.solver.compounds)
        if states is None:
            is_misere_sum = self.play == "misere" and self._compound is None
            states = DEFAULT_MISERE_STATES if is_misere_sum else DEFAULT_STATES
        Budget(states, seconds)
        self.states, self.seconds = states, seconds
        self._chooser = Chooser(ruleset, self.solver, self.play)
        self._loopy = LoopyChooser(ruleset, self.solver.loopy) if ruleset.loopy else None

    def decide(self, position: Any) -> Decision:
        """Choose a move by exact values.

        Raises
        ------
        NotSolvedError
            If the values need more states or seconds than the budget.
        SgaiError
            If the position is none of the ruleset's, or has no moves.
        """
        started = time.perf_counter()
        position = self.ruleset.validate(position)
        budget = Budget(self.states, self.seconds)
        if self._loopy is not None:
            return self._decided(self._loopy, position, budget, started)
        try:
            if self._compound is not None:
                decision = self._compound.decide(position, budget)
                if decision is None:
                    raise self.game_is_over(position)
                return decision
            components, won = self._solved(position, budget)
        except OutOfBudget:
            raise self._not_solved(position, budget) from None
        choose = self._chooser.winning if won else self._chooser.hardest
        chosen = choose(position, len(components), Budget() if won else Budget(_MOST_REPLIES))
        if chosen is None:
            is_over = next(iter(self.ruleset.moves(position)), None) is None
            raise self.game_is_over(position) if is_over else OutOfBudget
        return Decision(
            chosen.move,
            chosen.position,
            EXACT,
            "N" if won else "P",
            components,
            budget.spent,
            time.perf_counter() - started,
        )

    def _decided(self, chooser: LoopyChooser, position: Any, budget: Budget, started: float) -> Decision:
        try:
            components = self.solver.loopy.components(self.ruleset, position, budget)
            values = [each.loopy_value for each in components if each.loopy_value is not None]
            outcome = loopy_sum(values).outcome
            chosen = chooser.choose(position, outcome, Budget())
        except OutOfBudget:
            raise self._not_solved(position, budget) from None
        if chosen is None:
            raise self.game_is_over(position)
        seconds = time.perf_counter() - started
        return Decision(chosen.move, chosen.position, EXACT, outcome, components, budget.spent, seconds)

    def _not_solved(self, position: Any, budget: Budget) -> NotSolvedError:
        return NotSolvedError(
            f"{self.ruleset.format(position)!r} of {self.ruleset} is not solved within {budget.spent:,} states and "
            f"{budget.elapsed():.1f} s; give the agent a larger budget, or one that searches"
        )

    def _solved(self, position: Any, budget: Budget) -> tuple[tuple[SolvedComponent, ...], bool]:
        """Return the components, and whether the player to move wins."""
        if self.play == "misere":
            won = self.solver.misere.verdict(self.ruleset, position, budget).outcome == "N"
            return self.solver.misere_components(self.ruleset, position, budget), won
        components = self.solver.deciding_components(self.ruleset, position, budget)
        # A value is missing only where a theorem says that it is not 0, and the nim-sum of the others is.
        values = [each.grundy for each in components if each.grundy is not None]
        return components, len(values) < len(components) or nim_sum(values) != 0
