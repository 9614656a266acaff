"""The independence audit: whether the components that a ruleset names are really independent.

Components are a disjunctive sum when every move of the whole is a move in one of them that leaves the others as they
are, and every move in one of them is a move of the whole. Only then is the Grundy value the XOR of theirs, or in loopy
games the loopy value the sum of theirs.
"""

import itertools
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sgai.audit_values import Judge
from sgai.budget import Budget, OutOfBudget
from sgai.decomposition import Summand, decompose
from sgai.errors import SgaiError
from sgai.loopy import LoopyValue, loopy_sum
from sgai.registry import load_ruleset
from sgai.ruleset import Ruleset

AnyRuleset = Ruleset[Any, Any]
Bag = frozenset[tuple[tuple[AnyRuleset, Any], int]]

DEFAULT_POSITIONS = 20_000
DEFAULT_SECONDS = 10.0
MOST_MOVES = 1_000  # positions with more are left out, and the audit is then not complete
_MOST_CALLS = 100  # positions that may be visited for one value
_MOST_CALLS_OF_ALL = 1_000  # the same, where all positions are checked and most values are known already
_DEEPEST = 100  # levels of approximate splits within approximate splits


@dataclass(frozen=True)
class Counterexample:
    """A position whose components are not independent.

    Attributes
    ----------
    ruleset, position
        The rules and the position.
    components : tuple of Summand
        What the position was split into.
    move : str or None
        The move that breaks the split: one of the whole that is none of a single component, or one of a component that
        the whole does not have; None where only the values differ.
    why : str
        What is wrong, in words.
    value : int, LoopyValue or None
        The position's Grundy value by the definition, or its loopy value where that is infinite; None where it is too
        large for that.
    component_values : tuple of (int, LoopyValue or None)
        The components' values, found in the same way.
    """

    ruleset: AnyRuleset
    position: Any
    components: tuple[Summand, ...]
    move: str | None
    why: str
    value: int | LoopyValue | None
    component_values: tuple[int | LoopyValue | None, ...]

    def __str__(self) -> str:
        return f"the components of {self.ruleset} {self.ruleset.format(self.position)} are not independent: {self.why}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        parts = zip(self.components, self.component_values, strict=True)
        return {
            "position": self.ruleset.format(self.position),
            "components": [
                {"ruleset": str(part.ruleset), "position": part.ruleset.format(part.position), **_value_keys(value)}
                for part, value in parts
            ],
            "move": self.move,
            "why": self.why,
            **_value_keys(self.value),
        }


@dataclass(frozen=True)
class Audit:
    """What an audit found.

    Attributes
    ----------
    ruleset, position
        What was audited: all positions that play can reach from there.
    approximate : bool
        Whether the splits were those of `Ruleset.approximate_components`.
    independent : bool or None
        False with a counterexample, True if every reachable position was checked without finding one, else None.
    counterexample : Counterexample or None
        The first one that was found.
    checked_positions : int
        Positions checked in the order of their distance from the start, or all of them.
    sampled_positions : int
        Further positions checked, in random plays.
    split_positions : int
        How many of both had two components or more.
    checked_moves : int
        Moves of positions and of their components that were matched with each other.
    compared_values : int
        How many of the positions that split had their value compared with the sum of those of their components; the
        others are too large.
    seconds : float
        Time taken.
    """

    ruleset: AnyRuleset
    position: Any
    approximate: bool
    independent: bool | None
    counterexample: Counterexample | None
    checked_positions: int
    sampled_positions: int
    split_positions: int
    checked_moves: int
    compared_values: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "ruleset": str(self.ruleset),
            "position": self.ruleset.format(self.position),
            "approximate": self.approximate,
            "independent": self.independent,
            "counterexample": None if self.counterexample is None else self.counterexample.to_dict(),
            "checked_positions": self.checked_positions,
            "sampled_positions": self.sampled_positions,
            "split_positions": self.split_positions,
            "checked_moves": self.checked_moves,
            "compared_values": self.compared_values,
            "seconds": self.seconds,
        }


def check_position(
    ruleset: AnyRuleset, position: Any, approximate: bool = False, max_calls: int = _MOST_CALLS
) -> Counterexample | None:
    """Check the components of one position: its moves, and its value where it is small enough.

    Parameters
    ----------
    ruleset : Ruleset
        The rules.
    position : hashable
        The position; those after it are not checked.
    approximate : bool
        Whether to check the split of `Ruleset.approximate_components` instead.
    max_calls : int
        How many positions may be visited for one value; 0 leaves values out.

    Examples
    --------
    >>> nim = load_ruleset("nim")
    >>> check_position(nim, (1, 2, 3)) is None
    True
    """
    return _Check(ruleset, position, approximate, Judge(max_calls)).counterexample


def audit(
    ruleset: AnyRuleset | str,
    position: Any = None,
    budget: Budget | None = None,
    seed: int = 0,
    approximate: bool = False,
) -> Audit:
    """Check the components of every position that play can reach, or of as many as the budget allows.

    Where the budget has fewer states than there are positions, half of it goes to those nearest to the start, and the
    rest to random plays.

    Parameters
    ----------
    ruleset : Ruleset or str
        The rules.
    position : optional
        Where play starts, by default the ruleset's initial position.
    budget : Budget, optional
        Its states are positions to check; by default 20,000 in 10 seconds.
    seed : int
        Equal seeds make equal random plays.
    approximate : bool
        Whether to check the splits of `Ruleset.approximate_components` instead.

    Examples
    --------
    >>> audit("kayles(piles=[3;4])").independent
    True
    >>> print(audit("fibonacci_nim(piles=[2;3],limit=1)", approximate=True).counterexample.why)
    the move 2->1 leads to what no move in a single component leads to
    """
    rules = load_ruleset(ruleset)
    start = rules.initial() if position is None else position
    start = rules.validate(start)
    run = _Run(rules, approximate, budget or Budget(states=DEFAULT_POSITIONS, seconds=DEFAULT_SECONDS))
    complete = False
    try:
        reachable, complete = run.walk(start)
        run.exhaust(reachable, complete)
        if not complete and run.found is None:
            run.play(start, random.Random(seed))
    except OutOfBudget:
        complete = False
    found = run.found
    return Audit(
        rules,
        start,
        approximate,
        False if found is not None else (True if complete and not run.left_out else None),
        found,
        run.checked,
        run.sampled,
        run.split,
        run.moves,
        run.compared,
        time.perf_counter() - run.started,
    )


@dataclass
class _Run:
    ruleset: AnyRuleset
    approximate: bool
    budget: Budget
    found: Counterexample | None = None
    checked: int = 0
    sampled: int = 0
    split: int = 0
    moves: int = 0
    compared: int = 0
    judge: Judge = field(default_factory=lambda: Judge(_MOST_CALLS))
    left_out: bool = False
    seen: set[Any] = field(default_factory=set)
    started: float = field(default_factory=time.perf_counter)

    def walk(self, start: Any) -> tuple[list[Any], bool]:
        """Return the reachable positions by their distance from the start, and whether these are all."""
        known = {start}
        reached = [start]
        for position in reached:  # grows as it goes
            if self.time_is_up(0.25):
                return reached, False
            for _, option in self.ruleset.moves(position):
                if option not in known:
                    if len(reached) >= self.budget.states:
                        return reached, False
                    known.add(option)
                    reached.append(option)
        return reached, True

    def exhaust(self, reachable: list[Any], complete: bool) -> None:
        """Check all positions, small ones first; if there are more than were reached, the half that is nearest."""
        if complete:
            self.judge = Judge(_MOST_CALLS_OF_ALL)
        for position in reversed(reachable) if complete else reachable[: (len(reachable) + 1) // 2]:
            if not complete and self.time_is_up(0.5):
                return
            if self.check(position):
                self.checked += 1
            if self.found is not None:
                return

    def time_is_up(self, share: float) -> bool:
        """Tell whether a share of the seconds is over."""
        return self.budget.seconds is not None and self.budget.elapsed() > share * self.budget.seconds

    def play(self, start: Any, chance: random.Random) -> None:
        """Check positions of random plays until the budget ends or one is wrong."""
        position = start
        while self.found is None:
            if position in self.seen:
                self.budget.spend()
            elif self.check(position):
                self.sampled += 1
            moves = list(itertools.islice(self.ruleset.moves(position), MOST_MOVES))
            position = chance.choice(moves)[1] if moves else start

    def check(self, position: Any) -> bool:
        """Check one position; False where it has too many moves."""
        self.budget.spend()
        self.budget.check_clock()
        self.seen.add(position)
        if next(itertools.islice(self.ruleset.moves(position), MOST_MOVES, None), None) is not None:
            self.left_out = True
            return False
        check = _Check(self.ruleset, position, self.approximate, self.judge)
        self.split += len(check.whole) > 1
        self.moves += check.moves
        self.compared += check.compared and len(check.whole) > 1
        self.found = check.counterexample
        return True


class _Check:
    """What the check of one position found, and how much it looked at."""

    def __init__(self, ruleset: AnyRuleset, position: Any, approximate: bool, judge: Judge) -> None:
        self.whole = _split(ruleset, position, approximate)
        self.moves = 0
        self.compared = False
        self.counterexample: Counterexample | None = None
        only = self.whole[0] if len(self.whole) == 1 else None
        if only is not None and only.position == position and only.ruleset == ruleset.rules():
            return
        found = self._wrong_move(ruleset, position, approximate)
        value = judge.value(ruleset, position)
        if found is None and value is None:
            return
        values = [judge.value(part.ruleset, part.position) for part in self.whole]
        known = [each for each in values if each is not None]
        self.compared = value is not None and len(known) == len(values)
        if found is None and self.compared and loopy_sum(known) != value:
            kind, law = ("loopy value", "sum") if ruleset.loopy else ("Grundy value", "XOR")
            found = None, f"its {kind} is {value}, and the {law} of those of its components is {loopy_sum(known)}"
        if found is not None:
            shown = tuple([_number(each) for each in values])
            self.counterexample = Counterexample(ruleset, position, tuple(self.whole), *found, _number(value), shown)

    def _wrong_move(self, ruleset: AnyRuleset, position: Any, approximate: bool) -> tuple[str | None, str] | None:
        lefts: dict[Bag, tuple[Summand, Any]] = {}
        for i, part in enumerate(self.whole):
            rest = self.whole[:i] + self.whole[i + 1 :]
            for move, option in part.ruleset.moves(part.position):
                self.moves += 1
                lefts.setdefault(_bag(rest + _split(part.ruleset, option, approximate)), (part, move))
        met = set()
        for move, option in ruleset.moves(position):
            self.moves += 1
            left = _bag(_split(ruleset, option, approximate))
            if left not in lefts:
                text = ruleset.format_move(position, move)
                return text, f"the move {text} leads to what no move in a single component leads to"
            met.add(left)
        for left, (part, move) in lefts.items():
            if left not in met:
                text = part.ruleset.format_move(part.position, move)
                place = f"{part.ruleset} {part.ruleset.format(part.position)}"
                return text, f"the move {text} of the component {place} leads to what no move of the whole leads to"
        return None


def _split(ruleset: AnyRuleset, position: Any, approximate: bool, level: int = 0) -> list[Summand]:
    parts = decompose(ruleset, position)
    if not approximate:
        return parts
    if level > _DEEPEST:
        raise SgaiError(
            f"{ruleset} goes on splitting {ruleset.format(position)!r}: approximate_components should be empty where "
            "there is nothing finer"
        )
    found = []
    for part in parts:
        finer = part.ruleset.approximate_components(part.position)
        for each in finer:
            found.extend(_split(each.ruleset, each.position, True, level + 1))
        if not finer:
            found.append(part)
    return found


def _bag(summands: list[Summand]) -> Bag:
    # What has no moves is nothing: it may be named or left out.
    counted = Counter((part.ruleset, part.ruleset.canonical(part.position)) for part in summands if _has_moves(part))
    return frozenset(counted.items())


def _has_moves(part: Summand) -> bool:
    moves: Iterator[Any] = part.ruleset.moves(part.position)
    return next(moves, None) is not None


def _number(value: LoopyValue | None) -> int | LoopyValue | None:
    return value if value is None or value.finite is None else value.finite


def _value_keys(value: int | LoopyValue | None) -> dict[str, Any]:
    return {"grundy": None, "loopy_value": str(value)} if isinstance(value, LoopyValue) else {"grundy": value}
