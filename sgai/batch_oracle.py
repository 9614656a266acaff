"""Exact labels for batches of positions: who wins, the Grundy value, and all winning moves over the move alphabet."""

from collections.abc import Sequence, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sgai.batch_cells import CellOracle, Known, Value
from sgai.budget import DEFAULT_STATES, Budget, OutOfBudget
from sgai.cell_sets import has_cell_moves, least_words, masks_of, rows_of, rows_of_flags, subsets
from sgai.conventions import check_convention
from sgai.decomposition import decompose
from sgai.errors import SgaiError, UnsupportedError, quote
from sgai.heap_moves import HeapMoves, has_heap_moves, heap_moves
from sgai.misere import nim_heaps
from sgai.registry import load_ruleset
from sgai.ruleset import Ruleset
from sgai.rulesets.heaps import HeapRuleset
from sgai.rulesets.removal import RemovalRuleset
from sgai.rulesets.subtraction import Nim
from sgai.search import refuse_loopy
from sgai.solver import Solver

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

UNKNOWN = -1
MOST_FLAGS = 1 << 33  # positions times moves


@dataclass(frozen=True)
class Labels:
    """What is proved of a batch of positions; row i is position i.

    Attributes
    ----------
    solved : bool array of shape (positions,)
        Whether the outcome and the Grundy value are known.
    won : bool array of shape (positions,)
        Whether the player to move wins; False where that is not known.
    grundy : int64 array of shape (positions,)
        The Grundy values (of normal play, also where the outcome is that of misere play); -1 where not known.
    complete : bool array of shape (positions,)
        Whether the winning moves are known, all of them; only where ``solved``.
    winning : bool array of shape (positions, moves)
        The moves that win, by their index. No move is one in a lost position, where play is over (which under misere
        play is won), and where the moves are not ``complete``.
    legal : bool array of shape (positions, moves)
        The legal moves.
    """

    solved: Flags
    won: Flags
    grundy: Numbers
    complete: Flags
    winning: Flags
    legal: Flags

    @property
    def unsolved(self) -> Flags:
        """Where the budget ended before the outcome and the value were known."""
        return ~self.solved

    @property
    def optimal(self) -> Flags:
        """The moves that an optimal player may make: the winning ones, and in a lost position all legal ones.

        Rows that are not ``complete`` have none.
        """
        lost = self.complete & ~self.won
        return self.winning | (self.legal & lost[:, None])

    @property
    def outcome(self) -> npt.NDArray[np.str_]:
        """N where the player to move wins, P where the other one does, and nothing where that is not known."""
        return np.where(self.solved, np.where(self.won, "N", "P"), "")

    def __len__(self) -> int:
        return len(self.solved)


class Oracle:
    """Labels positions of one ruleset, many at once.

    Parameters
    ----------
    ruleset : Ruleset or str
        The rules, or their text. The parameters of the start fix the move alphabet: the heaps of a heap game may be as
        large as the largest one at the start, and no larger.
    play : "normal" or "misere", optional
        By default what the ruleset says. Misere is solved for Nim.
    solver : Solver, optional
        Where values are kept, and taken from; by default a new one, which is kept from call to call.

    Attributes
    ----------
    ruleset, play, solver
        As given.
    num_moves : int
        The size of the move alphabet: that of the actions of the OpenSpiel game and of `sgai.envs.VectorEnv`.

    Raises
    ------
    UnsupportedError
        For misere play of heap games other than Nim.

    Notes
    -----
    Positions of heap games are labelled all at once, in time linear in positions times moves, after the values of all
    heaps up to the largest are computed. Other positions are solved one by one, each once: where there are many of a
    removal game by the compiled search alone, else by the `Solver`.

    Examples
    --------
    >>> oracle = Oracle("nim(piles=[1;2;3])")
    >>> labels = oracle.label(np.array([[1, 2, 3], [0, 2, 3]]))
    >>> labels.grundy.tolist(), labels.outcome.tolist()
    ([0, 1], ['P', 'N'])
    >>> [str(oracle.ruleset.move_from_index(index)) for index in np.flatnonzero(labels.winning[1]).tolist()]
    ['3->2']
    """

    def __init__(
        self, ruleset: Ruleset[Any, Any] | str, *, play: str | None = None, solver: Solver | None = None
    ) -> None:
        self.ruleset = load_ruleset(ruleset)
        self.play = self.ruleset.default_play() if play is None else play
        check_convention(self.play, "disjunctive", "last")
        refuse_loopy(self.ruleset)
        self.solver = Solver() if solver is None else solver
        self.num_moves = self.ruleset.num_moves()
        self._heaps = _HeapLabels(self.ruleset, self.play, self.solver) if has_heap_moves(self.ruleset) else None
        if self.play == "misere":
            nim_heaps(decompose(self.ruleset, self.ruleset.initial()))  # refuses all but Nim
        self._needs: npt.NDArray[np.uint64] | None = None
        if has_cell_moves(self.ruleset):
            table = _table(self.ruleset)
            self._needs = rows_of(table.needs, least_words(table.cells))

    def label(
        self,
        positions: Sequence[Any] | npt.NDArray[Any],
        *,
        states: int = DEFAULT_STATES,
        seconds: float | None = None,
    ) -> Labels:
        """Label positions.

        Parameters
        ----------
        positions : sequence of positions, or array
            For heap games an integer array of shape (positions, heaps) with the heaps' sizes, in any order, 0 for none.
            For removal games a uint64 array of shape (positions, words), where cell i is bit ``i % 64`` of word
            ``i // 64`` (as of `sgai.envs.VectorEnv.words`). For any ruleset a sequence of its positions.
        states : int
            The most states to evaluate for one position; for heap games, for all.
        seconds : float, optional
            The most seconds for all of them, once the compiled code is loaded. Positions with fewer cells come first.

        Raises
        ------
        SgaiError
            For what is no position, or has moves outside the alphabet; the message names the row.
        """
        budget = Budget(states, seconds)
        if self._heaps is not None:
            return self._heaps.label(self._heaps.counts(positions), budget)
        return self._label_each(self._listed(positions), states, seconds)

    def label_observations(
        self, observations: npt.ArrayLike, *, states: int = DEFAULT_STATES, seconds: float | None = None
    ) -> Labels:
        """Label the positions of observations, which for heap and removal games say everything.

        Parameters
        ----------
        observations : array of shape (positions, *ruleset.tensor_shape())
            As of `Ruleset.encode`, and of `sgai.envs.VectorEnv`.
        states, seconds
            As of `label`.

        Raises
        ------
        UnsupportedError
            For other rulesets: it is not known how to read their tensors.

        Examples
        --------
        >>> oracle = Oracle("cram(rows=2,columns=3)")
        >>> oracle.label_observations(np.ones((1, 2, 3))).grundy.tolist()
        [1]
        """
        tensors, shape = np.asarray(observations), self.ruleset.tensor_shape()
        if tensors.shape[1:] != shape:
            raise SgaiError(f"observations of shape {tensors.shape}; it should be (positions, {str(shape)[1:-1]})")
        flat = tensors.reshape(len(tensors), int(np.prod(shape)))
        budget = Budget(states, seconds)
        if self._heaps is None and self._needs is None:
            raise UnsupportedError(f"{quote(str(self.ruleset))}: only tensors of heap and removal games are read back")
        most = np.inf if self._heaps is not None else 1
        wrong = np.flatnonzero(((flat < 0) | (flat > most) | (flat != np.floor(flat))).any(axis=1))
        if len(wrong):
            raise SgaiError(f"row {wrong[0]}: {quote(flat[wrong[0]].tolist())} is no observation of {self.ruleset}")
        _check_size(len(flat), self.num_moves)
        if self._heaps is not None:
            return self._heaps.label(flat.astype(np.int64), budget)
        return self._label_each(self._checked(masks_of(rows_of_flags(flat > 0))), states, seconds)

    # Removal games and all others

    def _listed(self, positions: Any) -> list[Any]:
        if isinstance(positions, np.ndarray):
            if self._needs is None:
                raise SgaiError(f"{quote(str(self.ruleset))} has no array form of positions; give a list of positions")
            words = self._needs.shape[1]
            if positions.ndim != 2 or positions.shape[1] != words or positions.dtype != np.uint64:
                raise SgaiError(
                    f"an array of {positions.dtype} of shape {positions.shape}; sets of cells of {self.ruleset} are "
                    f"uint64 of shape (positions, {words})"
                )
            positions = masks_of(positions)
        return self._checked(positions)

    def _checked(self, positions: Any) -> list[Any]:
        checked: list[Any] = []
        try:
            for each in positions:
                checked.append(self.ruleset.validate(each))
        except SgaiError as error:
            raise SgaiError(f"row {len(checked)}: {error}") from None
        except TypeError:
            raise SgaiError(f"positions={quote(positions)}: it should be a list of positions, or an array") from None
        return checked

    def _label_each(self, positions: list[Any], states: int, seconds: float | None) -> Labels:
        labels = _nothing_known(len(positions), self.num_moves, self._legal(positions))
        rows: dict[Any, list[int]] = {}
        for row, position in enumerate(positions):
            rows.setdefault(position, []).append(row)
        order = list(rows)
        cells: CellOracle | None = None
        if self._needs is not None:
            order.sort(key=int.bit_count)
            assert isinstance(self.ruleset, RemovalRuleset)
            compiled = CellOracle(self.ruleset, self.solver)
            if compiled.is_for(order):
                compiled.load()
                cells = compiled
        whole = Budget(states, seconds)  # what was compiled does not count
        for position in order:
            if whole.is_late():
                break
            which, budget = rows[position], Budget(states, whole.seconds_left())
            found = None if cells is None else cells.solve(position, budget)
            for known in self._solve(position, budget) if found is None else found:
                if isinstance(known, Value):
                    labels.solved[which], labels.grundy[which], labels.won[which] = True, known.grundy, known.won
                else:
                    labels.complete[which] = True
                    for index in known:
                        labels.winning[which, index] = True
        return labels

    def _solve(self, position: Any, budget: Budget) -> Known:
        known: Known = []
        try:
            if self.play == "misere":
                solution = self.solver.solve(
                    self.ruleset, position, play="misere", states=budget.states, seconds=budget.seconds
                )
                if solution.grundy is None:
                    return known
                known.append(Value(solution.grundy, solution.outcome == "N"))
            else:
                value = self.solver.grundy(self.ruleset, position, budget)
                known.append(Value(value, value != 0))
            found = self.solver.winning_moves(self.ruleset, position, play=self.play, budget=budget)
            known.append([self.ruleset.move_index(each.move) for each in found])
        except OutOfBudget:
            pass
        return known

    def _legal(self, positions: list[Any]) -> Flags:
        _check_size(len(positions), self.num_moves)
        if self._needs is not None:
            return subsets(self._needs, rows_of(positions, self._needs.shape[1]))
        legal = np.zeros((len(positions), self.num_moves), dtype=np.bool_)
        for row, position in enumerate(positions):
            try:
                legal[row, [self.ruleset.move_index(move) for move, _ in self.ruleset.moves(position)]] = True
            except SgaiError as error:
                raise SgaiError(f"row {row}: {quote(self.ruleset.format(position))}: {error}") from None
        return legal


class _HeapLabels:
    """The labels of positions of a heap game, by arithmetic on arrays."""

    def __init__(self, ruleset: Ruleset[Any, Any], play: str, solver: Solver) -> None:
        assert isinstance(ruleset, HeapRuleset)
        if play == "misere" and type(ruleset.rules()) is not Nim:  # a subclass may have other rules
            raise UnsupportedError(
                f"play='misere' is supported for Nim only so far, not for {str(ruleset)!r}: the rule for Nim is false "
                "for other games"
            )
        self._ruleset, self._play, self._solver = ruleset, play, solver
        self._moves: HeapMoves = heap_moves(ruleset)

    def counts(self, positions: Any) -> Numbers:
        """Return how many heaps of each size positions have, of shape (positions, largest heap)."""
        largest = self._moves.largest
        if isinstance(positions, Sized) and not (isinstance(positions, np.ndarray) and positions.ndim != 2):
            _check_size(len(positions), len(self._moves.heap))
        if isinstance(positions, np.ndarray) and positions.dtype.kind in "iu" and positions.ndim == 2:
            heaps = positions
            wrong = np.flatnonzero(((heaps < 0) | (heaps > largest)).any(axis=1))
            if len(wrong):
                raise self._no_position(int(wrong[0]), heaps[wrong[0]].tolist())
            rows = np.repeat(np.arange(len(heaps)), heaps.shape[1])
            sizes = heaps.reshape(-1).astype(np.int64)
        elif isinstance(positions, np.ndarray):
            raise SgaiError(
                f"an array of {positions.dtype} of shape {positions.shape}; heaps are integers of shape "
                "(positions, heaps)"
            )
        else:
            listed: list[tuple[int, ...]] = []
            try:
                for each in positions:
                    listed.append(self._ruleset.validate(each))
                    if max(listed[-1], default=0) > largest:
                        raise self._no_position(len(listed) - 1, list(listed[-1]))
            except TypeError:
                raise SgaiError(f"positions={quote(positions)}: it should be a list of lists of heaps") from None
            rows = np.repeat(np.arange(len(listed)), [len(each) for each in listed])
            sizes = np.array([heap for each in listed for heap in each], dtype=np.int64)
            heaps = np.zeros((len(listed), 0), dtype=np.int64)
        wide = largest + 1
        counts = np.bincount(rows * wide + sizes, minlength=len(heaps) * wide).reshape(len(heaps), wide)
        return counts[:, 1:].astype(np.int64)

    def label(self, counts: Numbers, budget: Budget) -> Labels:
        moves = self._moves
        present = counts > 0
        legal = present[:, moves.heap - 1]
        values = self._values(budget)
        known = values[1:] >= 0
        solved: Flags = np.asarray(~(present & ~known).any(axis=1))
        odd = counts % 2 == 1
        total = np.bitwise_xor.reduce(np.where(odd, values[1:], 0), axis=1)
        # What each move does to the nim-sum: it takes the heap's value out, and brings those of its parts in.
        change = values[moves.heap]
        np.bitwise_xor.at(change, np.repeat(np.arange(len(change)), np.diff(moves.starts)), values[moves.parts])
        won, winning = total != 0, change[None, :] == total[:, None]
        if self._play == "misere":
            self._turn_misere(counts, won, winning)
        winning &= legal & (won & solved)[:, None]
        return Labels(solved, won & solved, np.where(solved, total, UNKNOWN), solved.copy(), winning, legal)

    def _turn_misere(self, counts: Numbers, won: Flags, winning: Flags) -> None:
        """Change the outcomes and winning moves of normal play to those of misere Nim, by the rule of `sgai.misere`.

        They differ only where no heap of two or more is left, or a move may leave none.
        """
        large = counts[:, 1:].sum(axis=1)
        rows = np.flatnonzero(large <= 1)
        large, ones = large[rows], counts[rows, :1].sum(axis=1)
        won[rows] = np.where(large > 0, won[rows], ones % 2 == 0)
        heap = self._moves.heap
        left = np.zeros_like(heap)
        left[np.repeat(np.arange(len(heap)), np.diff(self._moves.starts))] = self._moves.parts
        large_left = large[:, None] + ((left > 1).astype(np.int64) - (heap > 1))
        ones_left = ones[:, None] + ((left == 1).astype(np.int64) - (heap == 1))
        winning[rows] = np.where(large_left > 0, winning[rows], ones_left % 2 == 1)

    def _values(self, budget: Budget) -> Numbers:
        """Return the values of the heaps 0 to the largest, `UNKNOWN` from where the budget ends on."""
        table, largest = self._solver.sequence(self._ruleset), self._moves.largest
        try:
            return table.values(largest, budget)
        except OutOfBudget:
            known = [table.known(heap) for heap in range(largest + 1)]
            return np.array([UNKNOWN if each is None else each for each in known], dtype=np.int64)

    def _no_position(self, row: int, heaps: list[int]) -> SgaiError:
        return SgaiError(
            f"row {row}: {quote(heaps)}: heaps are from 0 to {self._moves.largest:,}, the largest at the start of "
            f"{self._ruleset}"
        )


def _nothing_known(count: int, moves: int, legal: Flags) -> Labels:
    solved, won, complete = (np.zeros(count, dtype=np.bool_) for _ in range(3))
    grundy = np.full(count, UNKNOWN, dtype=np.int64)
    return Labels(solved, won, grundy, complete, np.zeros((count, moves), dtype=np.bool_), legal)


def _table(ruleset: Ruleset[Any, Any]) -> Any:
    assert isinstance(ruleset, RemovalRuleset)
    return ruleset.table


def _check_size(positions: int, moves: int) -> None:
    if positions * moves > MOST_FLAGS:
        raise SgaiError(f"{positions:,} positions with {moves:,} moves are too many for one batch; make it smaller")
