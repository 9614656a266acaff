"""The positions of many games of one ruleset as arrays, and the moves in them: heap games, and removal games."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sgai.cell_sets import has_cell_moves, least_words, masks_of, rows_of, rows_of_flags, subsets
from sgai.compiling import can_compile
from sgai.errors import SgaiError, UnsupportedError, quote
from sgai.heap_moves import has_heap_moves, heap_moves
from sgai.kernels.vector_games import Kernels, compiled_kernels, plain_kernels
from sgai.ruleset import Ruleset
from sgai.rulesets.heaps import HeapRuleset
from sgai.rulesets.removal import RemovalRuleset, cells_of

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

MOST_BYTES = 1 << 34  # of one array


class Games(ABC):
    """Positions of one ruleset, a row for each game.

    Attributes
    ----------
    tensors : float32 array of shape (games, size)
        The positions as by the ruleset's `encode`, each in one row. This is where the positions are kept.
    legal : int64 array of shape (games,)
        How many moves are legal.
    mask : bool array of shape (games, moves) or more columns
        Which moves are legal, by their index, and False in the columns beyond; (games, 0) where it is left out.
    """

    tensors: Floats
    legal: Numbers
    mask: Flags

    def __init__(self, ruleset: Ruleset[Any, Any], count: int, columns: int) -> None:
        self.ruleset, self.moves = ruleset, ruleset.num_moves()
        size = int(np.prod(ruleset.tensor_shape()))
        for what, numbers, each in (("tensors", size, 4), ("masks", columns, 1)):
            if count * numbers * each > MOST_BYTES:
                raise SgaiError(
                    f"{count:,} games of {quote(str(ruleset))}: their {what} of {numbers:,} numbers take more than "
                    f"{MOST_BYTES >> 30} GB; choose fewer games" + (", or masks='none'" if what == "masks" else "")
                )
        self.tensors = np.zeros((count, size), dtype=np.float32)
        self.mask = np.zeros((count, columns), dtype=np.bool_)
        self.legal = np.zeros(count, dtype=np.int64)

    @property
    def kernels(self) -> Kernels:
        """The functions that step the games; they are looked up each time, so that copies and pickles have none."""
        return compiled_kernels() if can_compile() else plain_kernels()

    def put(self, which: Any, positions: Sequence[Any]) -> None:
        """Set games to positions; one position serves them all."""
        tensors = np.stack([self.ruleset.encode(position).reshape(-1) for position in positions])
        masks = self.masks_of(tensors)
        self.tensors[which] = tensors
        if self.mask.shape[1]:
            self.mask[which, : self.moves] = masks
        self.legal[which] = masks.sum(axis=1)

    def copy_rows(self, which: Any, tensor: Floats, mask: Flags, legal: int) -> None:
        """Set games to one position, which was worked out before."""
        self.tensors[which] = tensor
        if self.mask.shape[1]:
            self.mask[which] = mask
        self.legal[which] = legal

    @abstractmethod
    def masks_of(self, tensors: Floats) -> Flags:
        """Return which moves are legal in some positions."""

    @abstractmethod
    def largest(self) -> Floats:
        """Return a bound on the tensors of all positions that play can reach, of their size."""

    @abstractmethod
    def check(self, position: Any) -> Any:
        """Return a position from outside in its normal form, or raise `SgaiError` if it has no place here."""

    @abstractmethod
    def position(self, game: int) -> Any:
        """Return the position of a game as the ruleset has it."""

    @abstractmethod
    def first_illegal(self, actions: Numbers, active: Flags) -> int:
        """Return the first active game whose action is not legal, or -1."""

    @abstractmethod
    def play(self, actions: Numbers, active: Flags) -> None:
        """Make the legal move ``actions[i]`` in every active game i."""

    @abstractmethod
    def choose(self, draws: Numbers, actions: Numbers, active: Flags) -> None:
        """Fill in a random legal move for every active game, by random numbers of 32 bits; 0 where there is none."""


class HeapGames(Games):
    """Heap games: a tensor has the number of heaps of each size."""

    ruleset: HeapRuleset

    def __init__(self, ruleset: HeapRuleset, count: int, masked: bool) -> None:
        super().__init__(ruleset, count, ruleset.num_moves() if masked else 0)
        self.table = heap_moves(ruleset)

    def masks_of(self, tensors: Floats) -> Flags:
        """Return whether there is a heap of the size of each move's."""
        present: Flags = tensors > 0
        return present[:, self.table.heap - 1]

    def largest(self) -> Floats:
        """Return how many heaps of each size the tokens at the start allow; infinity if moves may add tokens."""
        tokens, sizes = sum(self.ruleset.initial()), np.arange(1, self.tensors.shape[1] + 1)
        total = np.concatenate([[0], np.cumsum(self.table.parts)])
        left = total[self.table.starts[1:]] - total[self.table.starts[:-1]]
        bound = tokens // sizes if (left <= self.table.heap).all() else np.full(len(sizes), np.inf)
        return bound.astype(np.float32)

    def check(self, position: Any) -> Any:
        """Return sorted heaps, none larger than the largest at the start."""
        heaps = self.ruleset.validate(position)
        if heaps and heaps[-1] > self.table.largest:
            raise SgaiError(
                f"{quote(self.ruleset.format(heaps))} has a heap of {heaps[-1]:,}; the moves of {self.ruleset} are "
                f"numbered for heaps up to {self.table.largest:,}, the largest at the start"
            )
        return heaps

    def position(self, game: int) -> tuple[int, ...]:
        """Return the heaps."""
        counts = self.tensors[game]
        return tuple(size + 1 for size in np.flatnonzero(counts).tolist() for _ in range(int(counts[size])))

    def first_illegal(self, actions: Numbers, active: Flags) -> int:
        """Return the first active game whose action is not legal, or -1."""
        return self.kernels.first_illegal_heaps(self.table.heap, self.tensors, actions, active)

    def play(self, actions: Numbers, active: Flags) -> None:
        """Make a legal move in every active game."""
        self.kernels.play_heaps(*self.table, self.tensors, self.legal, self.mask, actions, active)

    def choose(self, draws: Numbers, actions: Numbers, active: Flags) -> None:
        """Fill in a random legal move for every active game."""
        self.kernels.choose_heaps(self.table.first, self.tensors, self.legal, draws, actions, active)


class CellGames(Games):
    """Removal games: a tensor has 1 for live cells."""

    ruleset: RemovalRuleset

    def __init__(self, ruleset: RemovalRuleset, count: int) -> None:
        table = ruleset.table
        super().__init__(ruleset, count, -(-len(table.needs) // 8) * 8)
        self._needs = rows_of(table.needs, least_words(table.cells))
        self._arrays = (
            *_rows([list(cells_of(kill)) for kill in table.kills]),
            *_rows([list(moves) for moves in table.moves_of]),
        )

    def masks_of(self, tensors: Floats) -> Flags:
        """Return whether all cells that each move needs are live."""
        return subsets(self._needs, rows_of_flags(tensors > 0))

    def largest(self) -> Floats:
        """Return 1 for every cell."""
        return np.ones(self.tensors.shape[1], dtype=np.float32)

    def check(self, position: Any) -> Any:
        """Return a set of live cells."""
        return self.ruleset.validate(position)

    def position(self, game: int) -> int:
        """Return the set of live cells."""
        return masks_of(rows_of_flags(self.tensors[game : game + 1] > 0))[0]

    def first_illegal(self, actions: Numbers, active: Flags) -> int:
        """Return the first active game whose action is not legal, or -1."""
        return self.kernels.first_illegal_cells(self.mask, actions, active)

    def play(self, actions: Numbers, active: Flags) -> None:
        """Make a legal move in every active game."""
        self.kernels.play_cells(*self._arrays, self.tensors, self.legal, self.mask, actions, active)

    def choose(self, draws: Numbers, actions: Numbers, active: Flags) -> None:
        """Fill in a random legal move for every active game."""
        self.kernels.choose_cells(self.mask, self.mask.view(np.int64), self.legal, draws, actions, active)


def games_of(ruleset: Ruleset[Any, Any], count: int, masked: bool) -> Games:
    """Return so many games of a ruleset, all of them without any move until they are put into a position.

    Raises
    ------
    UnsupportedError
        If the ruleset is neither a heap game whose heaps are apart nor a removal game.
    SgaiError
        If the games do not fit into memory.
    """
    if has_heap_moves(ruleset):
        assert isinstance(ruleset, HeapRuleset)
        return HeapGames(ruleset, count, masked)
    if has_cell_moves(ruleset):
        assert isinstance(ruleset, RemovalRuleset)
        return CellGames(ruleset, count)
    raise UnsupportedError(
        f"{quote(str(ruleset))} has no vectorised form; heap games such as 'nim' and 'kayles' have one, and "
        "removal games such as 'cram' and 'node_kayles'"
    )


def _rows(lists: list[list[int]]) -> tuple[Numbers, Numbers]:
    """Return lists one after the other, and where each begins."""
    starts = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    return starts, np.array([each for numbers in lists for each in numbers], dtype=np.int64)
