"""Samplers of starting positions: uniform, after random play, balanced between won and lost, small before large.

Every sampler gives positions of one game, whose actions and tensors stay as they are, and is repeated by its seed.
"""

import math
import random
from abc import ABC, abstractmethod
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from sgai.budget import Budget, OutOfBudget
from sgai.envs.game import SgaiGame, SgaiState
from sgai.envs.loading import load_game
from sgai.errors import NotSolvedError, SgaiError, quote
from sgai.parameters import check_choice
from sgai.reachable import explore, sort_key
from sgai.ruleset import Ruleset
from sgai.rulesets.heaps import HeapRuleset, normal_heaps
from sgai.rulesets.removal import RemovalRuleset, cells_of, mask_of
from sgai.rulesets.sums import Sum
from sgai.solver import Solver

AnyRuleset = Ruleset[Any, Any]

_MOST_TRIES = 10_000  # draws of a position with a move in it
_MOST_LISTED = 50_000  # positions


class StartSampler(ABC):
    """A distribution over positions of a game at which play may start.

    Parameters
    ----------
    game : SgaiGame or str
        The game, or its text.
    seed : int, optional
        Equal seeds give equal positions; without one they differ from run to run.

    Attributes
    ----------
    game : SgaiGame
        The game.
    """

    def __init__(self, game: SgaiGame | str, seed: int | None = None) -> None:
        self.game = own_game(game)
        self.seed(seed)

    @property
    def ruleset(self) -> AnyRuleset:
        """The rules of the game."""
        return self.game.ruleset

    def seed(self, seed: int | None = None) -> None:
        """Start the positions anew from a seed."""
        self._chance = random.Random(seed)

    def position(self) -> Any:
        """Return the next position; it has a move."""
        return self.draw(self._chance)

    def state(self) -> SgaiState:
        """Return a state of the game at the next position, with player 0 to move."""
        return self.game.new_initial_state_at(self.position())

    @abstractmethod
    def draw(self, chance: random.Random, scale: float = 1.0) -> Any:
        """Return a position with a move.

        Parameters
        ----------
        chance : random.Random
            The only source of chance.
        scale : float
            How large positions may be, above 0; 1 for those of the game's own start.

        Raises
        ------
        SgaiError
            If there is none, or it is too rare to be found.
        """


class UniformStarts(StartSampler):
    """Every position as likely as any other, in a sense that depends on the game.

    With ``over="parameters"`` heap games have each pile between 0 and its size at the start, independently and with
    equal probabilities; in removal games every set of the cells that are live at the start is equally likely; the
    parts of a sum are drawn independently. Such positions need not be reachable from the start. Other games, and all
    of them with ``over="reachable"``, have all positions that play can reach equally likely, up to 50,000 of them.
    Positions without a move are drawn again.

    A scale below 1 shrinks the piles, or the set of cells, in proportion; of listed positions it keeps those from which
    play is as much shorter.

    Parameters
    ----------
    game : SgaiGame or str
        The game, or its text.
    over : "parameters" or "reachable"
        What is equally likely.
    seed : int, optional
        Repeats the positions.

    Raises
    ------
    SgaiError
        If there are too many positions to list; `RandomPlayStarts` lists none.

    Examples
    --------
    >>> starts = UniformStarts("sgai_nim(piles=[3;4;5])", seed=1)
    >>> [str(starts.state()) for _ in range(3)]
    ['[1;4], player 0 to move', '[2;3], player 0 to move', '[3;3;5], player 0 to move']
    """

    def __init__(self, game: SgaiGame | str, over: str = "parameters", seed: int | None = None) -> None:
        super().__init__(game, seed)
        check_choice("over", over, ("parameters", "reachable"))
        self._by_parameters = over == "parameters"
        self._listed: dict[AnyRuleset, tuple[list[Any], list[int]]] = {}
        self._part(self.ruleset, random.Random(0), 1.0)  # a game that is too large for this fails here

    def draw(self, chance: random.Random, scale: float = 1.0) -> Any:
        """Return a position with a move."""
        for _ in range(_MOST_TRIES):
            position = self._part(self.ruleset, chance, scale)
            if _has_move(self.ruleset, position):
                return position
        raise SgaiError(
            f"{self.ruleset} at scale {scale:g}: none of {_MOST_TRIES:,} positions drawn has a move; raise the scale "
            "(in a curriculum: have fewer stages), or start after random play"
        )

    def _part(self, ruleset: AnyRuleset, chance: random.Random, scale: float) -> Any:
        if self._by_parameters:
            if isinstance(ruleset, Sum):
                return tuple(self._part(part, chance, scale) for part in ruleset.parts)
            if isinstance(ruleset, HeapRuleset):
                return normal_heaps(chance.randint(0, math.ceil(scale * pile)) for pile in ruleset.initial())
            if isinstance(ruleset, RemovalRuleset):
                always = ruleset.always_live()
                cells = list(cells_of(ruleset.initial() & ~always))
                kept = chance.sample(cells, math.ceil(scale * len(cells))) if scale < 1 else cells
                return always | mask_of(cell for cell in kept if chance.random() < 0.5)
        positions, lengths = self._positions(ruleset)
        count = bisect_right(lengths, max(1, math.ceil(scale * lengths[-1]))) if scale < 1 else len(positions)
        return positions[chance.randrange(count)]

    def _positions(self, ruleset: AnyRuleset) -> tuple[list[Any], list[int]]:
        if ruleset not in self._listed:
            found = explore(ruleset, min(_MOST_LISTED, ruleset.reachable_limit))
            # Plays of loopy games have no length, so all of their positions are alike in size.
            longest = dict.fromkeys(found.indices, 1) if ruleset.loopy else found.longest_plays
            positions = sorted(longest, key=lambda position: (longest[position], sort_key(position)))
            self._listed[ruleset] = positions, [longest[position] for position in positions]
        return self._listed[ruleset]


class RandomPlayStarts(StartSampler):
    """Positions after some moves of random play from the game's start, all of them reachable.

    The number of moves is drawn first, each number of the range with the same probability, then the moves, each legal
    move with the same probability. Where play ends before, both are drawn again. At a scale below 1 the play is drawn
    to its end, and the start is so late in it that no more than that part of its moves are left.

    Parameters
    ----------
    game : SgaiGame or str
        The game, or its text.
    moves : int or pair of int
        How many moves, or the least and the most.
    seed : int, optional
        Repeats the positions.

    Examples
    --------
    >>> starts = RandomPlayStarts("sgai_cram(rows=3,columns=3)", moves=(0, 2), seed=1)
    >>> [starts.ruleset.format(starts.position()) for _ in range(3)]
    ['.../.../...', '#../##./.#.', '.../.../...']
    """

    def __init__(self, game: SgaiGame | str, moves: int | tuple[int, int], seed: int | None = None) -> None:
        super().__init__(game, seed)
        try:
            self.least, self.most = (moves, moves) if isinstance(moves, int) else moves
            known = 0 <= self.least <= self.most
        except (TypeError, ValueError):
            known = False
        if not known:
            raise SgaiError(f"moves={quote(moves)} should be a number of moves, or the least and the most: 3 or (0, 6)")

    def draw(self, chance: random.Random, scale: float = 1.0) -> Any:
        """Return a position with a move."""
        for _ in range(_MOST_TRIES):
            moves = chance.randint(self.least, self.most)
            passed: list[Any] = []
            position = self.ruleset.initial()
            while options := self.ruleset.options(position):
                if scale >= 1 and len(passed) == moves:
                    return position
                passed.append(position)
                position = chance.choice(options)
            if moves < len(passed):
                return passed[max(moves, len(passed) - math.ceil(scale * len(passed)))]
        raise SgaiError(
            f"{self.ruleset}: {_MOST_TRIES:,} random plays ended before there was a start after {self.least} to "
            f"{self.most} moves; choose fewer moves"
        )


class CurriculumStarts(StartSampler):
    """Starts of another sampler, small ones first: its scale grows from stage to stage.

    Stage i of n has scale (i + 1) / n. Set `stage`, or set `progress` as training goes on.

    Parameters
    ----------
    source : StartSampler
        Where positions come from.
    stages : int
        How many sizes.
    seed : int, optional
        Repeats the positions; the seed of ``source`` has no part in it.

    Examples
    --------
    >>> starts = CurriculumStarts(UniformStarts("sgai_nim(piles=[8;8;8])"), stages=4, seed=0)
    >>> starts.position()
    (1, 1)
    >>> starts.progress = 0.8
    >>> starts.stage, starts.scale, starts.position()
    (3, 1.0, (4, 7, 8))
    """

    def __init__(self, source: StartSampler, stages: int = 4, seed: int | None = None) -> None:
        super().__init__(source.game, seed)
        if isinstance(stages, bool) or not isinstance(stages, int) or stages < 1:
            raise SgaiError(f"stages={stages!r} should be a number of stages, 1 or more")
        self.source, self.stages = source, stages
        self._stage = 0

    @property
    def stage(self) -> int:
        """The number of the stage, from 0."""
        return self._stage

    @stage.setter
    def stage(self, stage: int) -> None:
        if isinstance(stage, bool) or not isinstance(stage, int) or not 0 <= stage < self.stages:
            raise SgaiError(f"stage={stage!r} is none of the {self.stages} stages, 0 to {self.stages - 1}")
        self._stage = stage

    @property
    def progress(self) -> float:
        """How much of training was over when the stage began, 0 to 1; setting it sets the stage."""
        return self._stage / self.stages

    @progress.setter
    def progress(self, progress: float) -> None:
        if not 0 <= progress <= 1:
            raise SgaiError(f"progress={progress!r} should be a part of training, 0 to 1")
        self._stage = min(int(progress * self.stages), self.stages - 1)

    @property
    def scale(self) -> float:
        """The scale of the stage, above 0 up to 1."""
        return (self._stage + 1) / self.stages

    def draw(self, chance: random.Random, scale: float = 1.0) -> Any:
        """Return a position with a move, of the stage's scale."""
        return self.source.draw(chance, scale * self.scale)


@dataclass
class StartReport:
    """What a balanced sampler has drawn and returned so far.

    Attributes
    ----------
    drawn : int
        Positions drawn from the source.
    drawn_p : int
        How many of them are P-positions: who moves first loses.
    unsolved : int
        How many of them were left out, since the judge did not solve them within its budget.
    returned : int
        Positions returned.
    returned_p : int
        How many of them are P-positions.
    """

    drawn: int = 0
    drawn_p: int = 0
    unsolved: int = 0
    returned: int = 0
    returned_p: int = 0

    @property
    def source_share(self) -> float:
        """The share of P-positions among the source's solved positions; NaN before there is one."""
        solved = self.drawn - self.unsolved
        return self.drawn_p / solved if solved else math.nan

    @property
    def returned_share(self) -> float:
        """The share of P-positions among those returned; NaN before there is one."""
        return self.returned_p / self.returned if self.returned else math.nan

    def __str__(self) -> str:
        unsolved = f", {self.unsolved:,} not solved" if self.unsolved else ""
        return (
            f"returned {self.returned_p:,} P-positions of {self.returned:,} ({self.returned_share:.1%}); drawn "
            f"{self.drawn_p:,} of {self.drawn:,} ({self.source_share:.1%} of the solved{unsolved})"
        )


class BalancedStarts(StartSampler):
    """Starts of another sampler, of which a set share are P-positions: who moves first loses.

    Which outcome the next start has is drawn first; then positions are drawn until one has it. Within either outcome
    the source's distribution stays as it is. The judge is the exact solver, under the game's convention of play;
    positions that it does not solve within its budget are left out, which the report counts.

    Parameters
    ----------
    source : StartSampler
        Where positions come from.
    share : float
        The probability of a P-position, 0 to 1.
    seed : int, optional
        Repeats the positions; the seed of ``source`` has no part in it.
    tries : int
        How many positions may be drawn for one start.
    states : int
        The judge's budget for one position.

    Attributes
    ----------
    report : StartReport
        The shares that were found, from the first start on.

    Raises
    ------
    UnsupportedError
        If the solver does not know the game's convention of play.

    Examples
    --------
    >>> starts = BalancedStarts(UniformStarts("sgai_nim(piles=[7;7;7])"), seed=0)
    >>> _ = [starts.position() for _ in range(100)]
    >>> print(starts.report)
    returned 56 P-positions of 100 (56.0%); drawn 63 of 420 (15.0% of the solved)
    """

    def __init__(
        self,
        source: StartSampler,
        share: float = 0.5,
        seed: int | None = None,
        tries: int = 10_000,
        states: int = 100_000,
    ) -> None:
        super().__init__(source.game, seed)
        if not 0 <= share <= 1:
            raise SgaiError(f"share={share!r} of P-positions should be from 0 to 1")
        if isinstance(tries, bool) or not isinstance(tries, int) or tries < 1:
            raise SgaiError(f"tries={tries!r} should be a number of positions, 1 or more")
        self.source, self.share, self.tries, self.states = source, share, tries, states
        self.report = StartReport()
        self._solver = Solver()
        self.outcome(self.ruleset.initial())  # a convention that is not supported, or a bad budget, fails here

    def outcome(self, position: Any) -> str | None:
        """Return "P" or "N", or None where the budget is not enough."""
        if self.game.play != "normal":
            return self._solver.solve(self.ruleset, position, play=self.game.play, states=self.states).outcome
        budget = Budget(self.states)
        proved = self.ruleset.proved_outcome(position)
        if proved is not None:
            return proved
        try:
            return "P" if self._solver.has_grundy(self.ruleset, position, 0, budget) else "N"
        except OutOfBudget:
            return None

    def draw(self, chance: random.Random, scale: float = 1.0) -> Any:
        """Return a position with a move.

        Raises
        ------
        NotSolvedError
            If none of ``tries`` positions is known to have the outcome; the message says what was found.
        """
        wanted = "P" if chance.random() < self.share else "N"
        found = {"P": 0, "N": 0, None: 0}
        for _ in range(self.tries):
            position = self.source.draw(chance, scale)
            outcome = self.outcome(position)
            found[outcome] += 1
            self.report.drawn += 1
            self.report.drawn_p += outcome == "P"
            self.report.unsolved += outcome is None
            if outcome == wanted:
                self.report.returned += 1
                self.report.returned_p += outcome == "P"
                return position
        raise NotSolvedError(
            f"{self.ruleset} at scale {scale:g}: no {wanted}-position among {self.tries:,} that were drawn "
            f"({found['P']:,} P, {found['N']:,} N, {found[None]:,} not solved within {self.states:,} states); raise "
            f"tries= or states=, or set share= to {0 if wanted == 'P' else 1}"
        )


def own_game(game: SgaiGame | str) -> SgaiGame:
    """Return one of sgai's games, also from its text, or raise `SgaiError` for others."""
    loaded = load_game(game) if isinstance(game, str) else game
    if not isinstance(loaded, SgaiGame):
        raise SgaiError(f"{quote(str(game))} is none of sgai's games; their names begin with sgai_")
    return loaded


def _has_move(ruleset: AnyRuleset, position: Any) -> bool:
    return next(iter(ruleset.moves(position)), None) is not None
