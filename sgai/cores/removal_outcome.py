"""Outcome search on sums of components of one removal game: by alpha-beta on two values, and by proof numbers."""

import itertools
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, cast

from sgai.budget import Budget, OutOfBudget
from sgai.compiling import can_compile
from sgai.cores.core import Findings, MoveFinding, SearchCore, Sum, SumMove
from sgai.cores.removal_sums import check_removal_sum
from sgai.errors import SgaiError, quote
from sgai.removal_values import RemovalValues, bare
from sgai.ruleset import Component
from sgai.rulesets.removal import RemovalRuleset

if TYPE_CHECKING:
    from sgai.removal_proofs import ProofNumbers
    from sgai.removal_search import RemovalSearch

Prior: TypeAlias = Callable[[tuple[Component, ...], int], float]

_FIRST_ROUND, _ROUND_FACTOR = 16, 4  # nodes for each option, growing from round to round
_GUESS = 0.25  # how likely an option is lost of which nothing is known: few values of a random component are likely
_PROOF_MEMORY = 64 << 20


@dataclass(eq=False)
class _Option:
    """What moves of a sum lead to: components that are not solved, in canonical form, beside a nim-heap."""

    parts: list[int]
    heap: int
    moves: list[SumMove] = field(default_factory=list)
    outcome: str | None = None
    visits: int = 0
    loss: float = _GUESS  # the estimated probability that the player to move loses
    prior: float = 0.0

    def settle(self) -> None:
        if not self.parts:
            self.outcome = "N" if self.heap else "P"


class _RemovalCore(SearchCore):
    """Lists the moves of a sum and asks for their outcomes; how is up to subclasses."""

    def __init__(
        self, ruleset: RemovalRuleset, values: RemovalValues | None = None, *, prior: Prior | None = None
    ) -> None:
        if not isinstance(ruleset, RemovalRuleset):
            raise SgaiError(
                f"{quote(str(ruleset))} is no removal game; the search core {self.name!r} is for these alone"
            )
        if not can_compile():
            raise SgaiError(
                f"the search core {self.name!r} is compiled, and numba does not work here; choose another one"
            )
        self.ruleset = cast(RemovalRuleset, ruleset.rules())
        self.values = RemovalValues() if values is None else values  # one without entries is false
        self._owns_values = values is None
        self._prior = prior

    def search(self, root: Sum, budget: Budget) -> Findings:
        """Search until the outcome is proved, and a winning move if there is one, or the budget ends."""
        started, spent, hits = time.perf_counter(), budget.spent, budget.hits
        check_removal_sum(self.ruleset, root)
        found = self.values.with_search(self.ruleset, lambda search: self._search(search, root, budget))
        if found is None:
            raise SgaiError(
                f"{self.ruleset}: the compiled search has no room for its Grundy values; choose another core"
            )
        outcome, options = found
        return Findings(
            outcome, _findings(options), budget.spent - spent, budget.hits - hits, time.perf_counter() - started
        )

    def reset(self) -> None:
        """Forget everything, but not what belongs to `RemovalValues` that were given."""
        if self._owns_values:
            self.values = RemovalValues()

    def _search(self, search: "RemovalSearch", root: Sum, budget: Budget) -> tuple[str | None, list[_Option]]:
        options, whole = self._list(search, root)
        self._weigh(options, budget)
        outcome = _outcome(options)
        if outcome is None:
            try:
                outcome = self._prove(search, whole, options, budget)
            except OutOfBudget:
                outcome = _outcome(options)
            self._estimate(search, options)
        return outcome, options

    def _list(self, search: "RemovalSearch", root: Sum) -> tuple[list[_Option], _Option]:
        """Return the options of a sum, equal ones as one, and the sum itself."""
        whole = _Option([], root.heap)
        splits = search.split([bare(self.ruleset, part.position) for part in root.parts])
        for known, unknown in splits:
            _join(whole, known, unknown)
        options: dict[tuple[tuple[int, ...], int], _Option] = {}

        def add(move: SumMove, option: _Option) -> None:
            key = tuple(option.parts), option.heap
            options.setdefault(key, option).moves.append(move)
            option.settle()

        for number, (part, split) in enumerate(zip(root.parts, splits, strict=True)):
            rest = _Option(list(whole.parts), whole.heap)
            _join(rest, *split)  # what is joined twice cancels
            moves = list(self.ruleset.moves(part.position))
            after = search.split([bare(self.ruleset, position) for _, position in moves])
            for (move, _), (known, unknown) in zip(moves, after, strict=True):
                option = _Option(list(rest.parts), rest.heap)
                _join(option, known, unknown)
                add(SumMove(number, move), option)
        # Larger heaps than the parts can be worth lose, and there may be very many.
        bounds = [search.bound(part) for part in whole.parts]
        bits = max([(whole.heap ^ root.heap).bit_length(), *(bound.bit_length() for bound in bounds)])
        for heap in range(min(root.heap, 1 << bits)):
            add(SumMove(-1, heap), _Option(list(whole.parts), whole.heap ^ root.heap ^ heap))
        return list(options.values()), whole

    def _weigh(self, options: list[_Option], budget: Budget) -> None:
        """Give options their prior, as many as half of the time suffices for; the others keep a guess."""
        if self._prior is not None:
            always, left = self.ruleset.always_live(), budget.seconds_left()
            for option in options:
                if left is not None and (budget.seconds_left() or 0) < left / 2:
                    break
                parts = tuple(Component(self.ruleset, part | always, True) for part in option.parts)
                option.loss = min(1.0, max(0.0, self._prior(parts, option.heap)))
        total = sum(option.loss * len(option.moves) for option in options)
        for option in options:
            option.prior = option.loss / total if total else 0.0

    def _prove(self, search: "RemovalSearch", whole: _Option, options: list[_Option], budget: Budget) -> str | None:
        """Return the outcome of a sum, if a move proves it; what is proved of options is noted there."""
        try:
            if whole.parts:
                is_lost = self._is_lost(search, _Option(list(whole.parts), whole.heap), budget)
            else:
                is_lost = whole.heap == 0
        finally:
            _refresh(search, [option for option in options if option.outcome is None])
        if is_lost:
            for option in options:
                option.outcome = "N"
            return "P"
        return _outcome(options) or self._ask_in_rounds(search, options, budget)

    @abstractmethod
    def _is_lost(self, search: "RemovalSearch", option: _Option, budget: Budget) -> bool:
        """Tell whether the player to move in an option loses."""

    @abstractmethod
    def _estimate(self, search: "RemovalSearch", options: list[_Option]) -> None:
        """Estimate how likely options are lost of which nothing is proved."""

    def _ask_in_rounds(self, search: "RemovalSearch", options: list[_Option], budget: Budget) -> str:
        """Ask for the options, each in turn with more nodes, until one is lost or all are won."""
        waiting = sorted(
            (option for option in options if option.outcome is None),
            key=lambda option: (-option.loss, len(option.parts), sum(part.bit_count() for part in option.parts)),
        )
        nodes = _FIRST_ROUND
        while waiting:
            unanswered = []
            for option in waiting:
                part = _share(budget, nodes if len(waiting) > 1 else budget.states)
                try:
                    option.outcome = "P" if self._is_lost(search, option, part) else "N"
                except OutOfBudget:
                    unanswered.append(option)
                finally:
                    option.visits += part.spent
                    budget.charge(part)
                if option.outcome == "P":
                    return "N"
                budget.check_clock()
            waiting = unanswered
            nodes *= _ROUND_FACTOR
        return "P"


class RemovalOutcome(_RemovalCore):
    """Asks for each move in turn whether it wins, by the compiled alpha-beta search of `RemovalSearch`.

    Of the components of an option all but the largest are evaluated, and of that one it is asked whether it has the
    value of the rest (J. Lemoine and S. Viennot, *Nimbers are inevitable*, arXiv 1011.5841). The nodes for one question
    grow from round to round, so that one hard move does not keep the others waiting.

    Parameters
    ----------
    ruleset : RemovalRuleset
        The game of all components.
    values : RemovalValues, optional
        What is known of components, to use and to add to; by default the core's own.
    prior : callable, optional
        ``loss(parts, heap)``: how likely the player to move loses a sum, 0 to 1. Likely losses are asked for first; by
        default it is those with the fewest cells.

    Examples
    --------
    >>> import sgai
    >>> cram = sgai.load_ruleset("cram(rows=3,columns=5)")
    >>> found = RemovalOutcome(cram).search(Sum((Component(cram, cram.initial()),), 1), Budget())
    >>> found.outcome, found.moves[0].move, found.moves[0].outcome
    ('P', SumMove(part=0, move=0), 'N')
    """

    name = "outcome"

    def _is_lost(self, search: "RemovalSearch", option: _Option, budget: Budget) -> bool:
        option.parts.sort(key=lambda part: (part.bit_count(), part))
        while len(option.parts) > 1:
            option.heap ^= search.value(option.parts[0], budget)
            del option.parts[0]
        return search.has_value(option.parts[0], option.heap, budget)

    def _estimate(self, search: "RemovalSearch", options: list[_Option]) -> None:  # noqa: ARG002
        """Take what resists longest for most likely lost, where there is no prior."""
        most = max(option.visits for option in options)
        for option in options:
            if self._prior is None and most:
                option.loss = _GUESS * (1 + option.visits / most)


class RemovalProofNumber(_RemovalCore):
    """Asks who wins the whole sum, by compiled depth-first proof-number search (`ProofNumbers`).

    Parameters
    ----------
    ruleset : RemovalRuleset
        The game of all components.
    values : RemovalValues, optional
        What is known of components, to use and to add to; by default the core's own.
    prior : callable, optional
        ``loss(parts, heap)``: how likely the player to move loses a sum, for moves without proof numbers.
    memory : int
        The most bytes for proof numbers.

    Examples
    --------
    >>> import sgai
    >>> cram = sgai.load_ruleset("cram(rows=3,columns=5)")
    >>> found = RemovalProofNumber(cram).search(Sum((Component(cram, cram.initial()),), 2), Budget())
    >>> found.outcome, found.moves[0].move, found.moves[0].outcome
    ('N', SumMove(part=-1, move=1), 'P')
    """

    name = "dfpn"

    def __init__(
        self,
        ruleset: RemovalRuleset,
        values: RemovalValues | None = None,
        *,
        prior: Prior | None = None,
        memory: int = _PROOF_MEMORY,
    ) -> None:
        super().__init__(ruleset, values, prior=prior)
        self._memory = memory
        self._numbers: ProofNumbers | None = None

    def reset(self) -> None:
        """Forget the proof numbers, and the values unless they were given."""
        super().reset()
        self._numbers = None

    def _numbers_of(self, search: "RemovalSearch") -> "ProofNumbers":
        if self._numbers is None or self._numbers.search is not search:
            from sgai.removal_proofs import ProofNumbers  # loads numba

            self._numbers = ProofNumbers(search, self._memory)
        return self._numbers

    def _is_lost(self, search: "RemovalSearch", option: _Option, budget: Budget) -> bool:
        return self._numbers_of(search).is_lost(option.parts, option.heap, budget)

    def _estimate(self, search: "RemovalSearch", options: list[_Option]) -> None:
        """Take an option for lost as far as that looks easier to prove than the contrary."""
        single = [option for option in options if option.outcome is None and len(option.parts) == 1]
        numbers = self._numbers_of(search).numbers([(option.parts[0], option.heap) for option in single])
        for option, (phi, delta, nodes) in zip(single, numbers, strict=True):
            option.visits = max(option.visits, nodes)
            if nodes or self._prior is None:
                option.loss = phi / (phi + delta) if nodes else _GUESS


def _outcome(options: list[_Option]) -> str | None:
    if any(option.outcome == "P" for option in options):
        return "N"
    return "P" if all(option.outcome == "N" for option in options) else None


def _join(option: _Option, known: int, unknown: Sequence[int]) -> None:
    option.heap ^= known
    option.parts = sorted(set(option.parts) ^ set(unknown))  # equal components cancel


def _refresh(search: "RemovalSearch", options: list[_Option]) -> None:
    """Fold what has become known; all in one call, since there may be hundreds when time is over already."""
    splits = iter(search.split([part for option in options for part in option.parts]))
    for option in options:
        parts, option.parts = option.parts, []
        for known, unknown in itertools.islice(splits, len(parts)):
            _join(option, known, unknown)
        option.settle()
        if len(option.parts) == 1 and search.excluded(option.parts[0]) >> option.heap & 1:
            option.outcome = "N"


def _share(budget: Budget, states: int) -> Budget:
    """Return a budget for a part of the work, no larger than what is left."""
    left = budget.states - budget.spent
    if left < 1:
        raise OutOfBudget
    return Budget(min(states, left), budget.left())


def _findings(options: list[_Option]) -> tuple[MoveFinding, ...]:
    """Return what was found about moves: winning ones, open ones, then lost ones, the hardest to refute first."""

    def rank(option: _Option) -> tuple[int, float, int]:
        return {"P": 0, None: 1, "N": 2}[option.outcome], -option.loss if option.outcome is None else 0, -option.visits

    ordered = sorted(options, key=rank)
    return tuple(
        itertools.chain.from_iterable(
            [
                MoveFinding(
                    move,
                    option.outcome,
                    {"P": 1.0, "N": 0.0, None: option.loss}[option.outcome],
                    option.visits,
                    option.prior,
                )
                for move in option.moves
            ]
            for option in ordered
        )
    )
