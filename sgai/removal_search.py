"""The compiled search for removal games: components in, Grundy values out."""

import logging
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from sgai.budget import Budget, OutOfBudget
from sgai.cell_sets import Words, masks_of, rows_of
from sgai.errors import SgaiError
from sgai.kernels.removal_rules import Rules
from sgai.kernels.removal_search import reduce, search
from sgai.kernels.removal_split import split_all
from sgai.kernels.removal_stack import (
    ANSWER,
    BEGAN,
    DONE,
    HITS,
    MOST_PEEKS,
    NODES,
    NUMBERS,
    OPTION_SIZE,
    OPTIONS,
    PARTS,
    PEEKS,
    POOL_FULL,
    STATE_SIZE,
    TABLE_FULL,
    TARGET,
    TOO_LARGE,
    TOP,
    USED,
    Stack,
)
from sgai.kernels.removal_table import PROBES, ROOM, Table, keep_form, move_all
from sgai.removal_arrays import rules_of, to_words, words_for
from sgai.removal_values import DEFAULT_MEMORY, MOST_CELLS
from sgai.rulesets.removal import RemovalTable

_SMALLEST_TABLE = 1 << 12  # places
_CACHED_FORMS, _CACHED_LOOKS, _CACHED_SPLITS = 1 << 13, 1 << 13, 1 << 14  # more of them leave the processor's own cache
_FIRST_SLICE, _SLICE_SECONDS = 256, 0.05
_SHORT_SLICE_SECONDS = 0.001  # where the time is limited
_OPTIONS_A_SECOND = 2_000_000  # that are looked at; a first guess

_COMPILING = "compiling the search for up to %d cells; the next run finds it compiled"
_LOADED = "the search is loaded"

_log = logging.getLogger(__name__)
_loaded_widths: set[int] = set()
_searched_widths: set[int] = set()


class ValueTooLarge(SgaiError):
    """A Grundy value came up for which the search has no room."""


class _Reduced(NamedTuple):
    """A component as the kernel takes it."""

    form: Words  # in canonical form, one row
    value: int  # -1 if not known
    place: int  # in the table; -1 if it has none


class RemovalSearch:
    """The values of the components of one removal game, found by compiled search; all that is found is kept.

    Parameters
    ----------
    table : RemovalTable
        The game, of at most `MOST_CELLS` cells.
    memory : int
        The most bytes for the table of positions. It starts small and doubles; once there is no more room, the entries
        that took the fewest nodes give way.
    values : int
        Grundy values must be smaller: 64, or 64 times a power of two.

    Examples
    --------
    >>> import sgai
    >>> cram = sgai.load_ruleset("cram(rows=4,columns=5)")
    >>> search = RemovalSearch(cram.table)
    >>> search.value(cram.initial(), Budget())
    2
    """

    def __init__(self, table: RemovalTable, memory: int = DEFAULT_MEMORY, values: int = 64) -> None:
        if table.cells > MOST_CELLS:
            raise SgaiError(f"{table.cells:,} cells; the compiled search takes games of up to {MOST_CELLS}")
        self.table, self.cells, self.moves = table, table.cells, len(table.needs)
        self.words = words_for(table.cells)
        self._like = to_words(0, self.words)
        self._rules = rules_of(table)
        self._value_words = values // 64
        bytes_a_place = 8 * (self.words + self._value_words + 1) + 1
        self._most_places = max(_SMALLEST_TABLE, 1 << (max(1, memory // bytes_a_place).bit_length() - 1))
        self._table = self._empty_table(_SMALLEST_TABLE)
        # The options and parts that one position may have; a part that is not known at once has two cells or more.
        self.reserve = (len(table.needs), len(table.needs) * (table.cells // 2 + 1))
        self._stack = self.new_stack()
        self._warned = False

    @property
    def nodes(self) -> int:
        """Positions expanded so far."""
        return int(self._stack.state[NODES])

    @property
    def looks(self) -> int:
        """Positions whose options were looked up, without searching them, so far."""
        return int(self._stack.state[PEEKS])

    @property
    def hits(self) -> int:
        """Components whose value was there when it was asked for, so far."""
        return int(self._stack.state[HITS])

    @property
    def entries(self) -> int:
        """Positions in the table."""
        return int(self._stack.state[USED])

    def value(self, part: int, budget: Budget) -> int:
        """Return the Grundy value of a component.

        Parameters
        ----------
        part : int
            A component of some position, as a mask of live cells.
        budget : Budget
            What may be spent; a state is a position that is expanded.

        Raises
        ------
        OutOfBudget
            If the budget ends first; the next call for the same component goes on where this one stopped.
        ValueTooLarge
            If there is no room for a value that comes up.
        """
        reduced, asked = self._reduce(part), 0
        value, excluded = reduced.value, self._excluded(reduced)
        while value < 0:
            while excluded >> asked & 1:
                asked += 1
            value = self._answer(reduced.form, asked, budget)
            excluded |= masks_of(self._stack.have[:1])[0]  # values that its options were found to have
        return value

    def has_value(self, part: int, value: int, budget: Budget) -> bool:
        """Tell whether the Grundy value of a component is ``value``, which takes less than to find it."""
        reduced = self._reduce(part)
        if reduced.value >= 0:
            return reduced.value == value
        if self._excluded(reduced) >> value & 1 or value > self._mobility(reduced):
            return False  # it cannot have a value larger than the number of its options
        return self._answer(reduced.form, value, budget) == value

    def known(self, part: int) -> int | None:
        """Return the value of a component if it is in the table, or seen at once."""
        value = self._reduce(part).value
        return value if value >= 0 else None

    def excluded(self, part: int) -> int:
        """Return values that a component of unknown value is known not to have, as a bit mask."""
        return self._excluded(self._reduce(part))

    def _excluded(self, reduced: _Reduced) -> int:
        if reduced.value >= 0 or reduced.place < 0:
            return 0
        return masks_of(self._table.entries[reduced.place : reduced.place + 1, self.words : -1])[0]

    def _mobility(self, reduced: _Reduced) -> int:
        """Return the number of legal moves of a component of unknown value."""
        return int(np.count_nonzero(~(self._rules.needs & ~reduced.form).any(axis=1)))

    def load(self) -> None:
        """Load the compiled code of all that a question may need, so that none waits for it; nothing is learned."""
        like, table, stack = self._like, self._empty_table(_SMALLEST_TABLE), self.new_stack()
        self._reduce(0)
        _log.info(_COMPILING, 64 * self.words)
        self.split([0])
        keep_form(table, stack.state, rows_of([0], self.words), 0, 1, like)
        move_all(table, self._empty_table(_SMALLEST_TABLE), stack.state, like)
        self._load_search()
        _log.debug(_LOADED)

    def _load_search(self) -> None:
        """Load the compiled search, so that a slice's time is that of its nodes."""
        if self.words not in _searched_widths:
            nothing = self._empty_table(_SMALLEST_TABLE), self.new_stack()
            search(self._rules, *nothing, 1, True, *self.reserve, self._like)
            _searched_widths.add(self.words)

    def add(self, part: int, value: int) -> None:
        """Put a known value into the table, as one that took long."""
        reduced = self._reduce(part)
        if reduced.value < 0:
            self.check_room(value)
            self.make_room()
            keep_form(self._table, self._stack.state, reduced.form, value, 1 << 40, self._like)

    def expensive(self, nodes: int) -> dict[int, int]:
        """Return the canonical components, with their values, that took that many nodes or more."""
        entries = self._table.entries
        what = entries[:, -1]
        chosen = np.flatnonzero((what & np.uint64(0xFFFF) >= 2) & (what >> np.uint64(16) >= nodes.bit_length()))
        values = (what[chosen] & np.uint64(0xFFFF)).astype(np.int64) - 2
        return dict(zip(masks_of(entries[chosen, : self.words]), values.tolist(), strict=True))

    def bound(self, part: int) -> int:
        """Return the value of a component if it is known, else the number of its moves, than which it is no larger."""
        reduced = self._reduce(part)
        return reduced.value if reduced.value >= 0 else self._mobility(reduced)

    def split(self, positions: Iterable[int]) -> list[tuple[int, tuple[int, ...]]]:
        """Return for each position the nim-sum of the components whose value is known, and the canonical others.

        Equal components cancel.
        """
        rows = rows_of(positions, self.words)
        found = np.zeros((len(rows), 2), dtype=np.int64)
        parts = np.zeros((len(rows) * (self.cells // 2 + 1), self.words), dtype=np.uint64)
        split_all(self._rules, self._table, self._stack, rows, found, parts, self._like)
        masks = iter(masks_of(parts[: int(found[:, 1].sum())]))
        return [(int(known), tuple(next(masks) for _ in range(count))) for known, count in found]

    def arrays(self) -> tuple[Rules, Table, Stack, tuple[Any, ...]]:
        """Return what the kernel works on, and a mask of its width."""
        return self._rules, self._table, self._stack, self._like

    # The kernel

    def _reduce(self, part: int) -> _Reduced:
        if self.words not in _loaded_widths:
            _log.info(_COMPILING, 64 * self.words)
        form = np.zeros((1, self.words), dtype=np.uint64)
        value, place = reduce(self._rules, self._table, form, to_words(part, self.words))
        if self.words not in _loaded_widths:
            _loaded_widths.add(self.words)
            _log.debug(_LOADED)
        return _Reduced(form, int(value), int(place))

    def check_room(self, value: int) -> None:
        """Raise `ValueTooLarge` where there is no room for a value."""
        if value >= 64 * self._value_words:
            raise ValueTooLarge(f"there is no room for the Grundy value {value}")

    def _pending(self, form: Words) -> int:
        """Return the value that the frames on the stack ask about, -1 if they are about another component or done."""
        stack = self._stack
        going_on = stack.state[TOP] >= 0 and bool((stack.masks[0, : self.words] == form[0]).all())
        return int(stack.numbers[0, TARGET]) if going_on else -1

    def _answer(self, form: Words, asked: int, budget: Budget) -> int:
        """Return the exact value of a component, or -1 if only that it is not ``asked`` came out."""
        state = self._stack.state
        self.check_room(asked)
        if budget.spent >= budget.states:
            raise OutOfBudget  # before the frames of another component are given up

        def step(limit: int) -> int:
            if self._pending(form) != asked:  # also where a watcher has asked for another component meanwhile
                self._ask(form, asked)
            status: int = search(
                self._rules, self._table, self._stack, limit, self.can_grow(), *self.reserve, self._like
            )
            return status

        self._load_search()
        self.run(step, state, self._grow_pools, budget)
        return int(state[ANSWER])

    def _ask(self, form: Words, asked: int) -> None:
        """Have the kernel asked whether a component has a value; what was asked before is given up."""
        state, masks, numbers = self._stack.state, self._stack.masks, self._stack.numbers
        state[TOP], state[OPTIONS], state[PARTS], state[ANSWER] = -1, 0, 0, -1
        masks[0, : self.words] = masks[0, self.words :] = form[0]
        numbers[0] = 0
        numbers[0, TARGET], numbers[0, BEGAN] = asked, state[NODES]
        state[TOP] = 0  # last: cut short, there is no question

    def run(self, step: Callable[[int], int], state: Any, grow_pools: Callable[[], None], budget: Budget) -> None:
        """Go on with a search in slices, between which the clock is read and room is made, until it is done.

        Parameters
        ----------
        step : callable
            Searches until so many nodes are expanded in all, and returns a status of the kernel.
        state : int64 array
            That of the stack that ``step`` works on; cleared where no room can be made.
        grow_pools : callable
            Makes more room on that stack.
        budget : Budget
            What may be spent.

        Raises
        ------
        OutOfBudget
            If the budget ends first.
        ValueTooLarge
            If there is no room for a value that comes up.
        """
        size, long = (_FIRST_SLICE, _SLICE_SECONDS) if budget.seconds is None else (1, _SHORT_SLICE_SECONDS)
        looks = max(1, int(_OPTIONS_A_SECOND * long / max(1, self.moves)))
        while True:
            began, before, hits = time.perf_counter(), int(state[NODES]), int(state[HITS])
            most_peeks = int(state[PEEKS]) + looks
            state[MOST_PEEKS] = most_peeks
            status = step(before + min(size, max(0, budget.states - budget.spent)))
            seconds = time.perf_counter() - began  # of the search alone: a watcher may take its time
            nodes, amid_node = int(state[NODES]) - before, int(state[PEEKS]) == most_peeks
            budget.spent += nodes
            budget.hits += int(state[HITS]) - hits
            if status == DONE:
                return
            if status == TOO_LARGE:
                state[TOP], state[ANSWER] = -1, -1
                raise ValueTooLarge(f"there is no room for Grundy values of {64 * self._value_words} and more")
            self._warn_of_full_table()
            if status == TABLE_FULL:
                self._grow_table()
            elif status == POOL_FULL:
                grow_pools()
            elif budget.spent >= budget.states and not amid_node:  # what is left of a node takes no state
                raise OutOfBudget
            budget.check_clock()
            left = budget.seconds_left()
            if left is not None and nodes and seconds / nodes > left:
                raise OutOfBudget  # one node more would take too long
            if seconds > long:
                size, looks = max(1, size // 2), max(1, looks // 2)
            elif seconds < long / 2:
                if nodes == size:
                    size *= 2
                elif amid_node:
                    looks *= 2

    # Room

    def make_room(self) -> None:
        """Let the table and the pools grow as they do in a search; for searches of another kind that use them."""
        state = self._stack.state
        if self.can_grow() and ROOM * self.entries > len(self._table.tags):
            self._grow_table()
        self._warn_of_full_table()
        if int(state[PARTS]) + self.cells > len(self._stack.parts):
            self._grow_pools()

    def can_grow(self) -> bool:
        """Tell whether the table may become larger."""
        return len(self._table.tags) < self._most_places

    def _empty_table(self, places: int) -> Table:
        count = places + PROBES - 1
        return Table(
            np.zeros((count, self.words + self._value_words + 1), dtype=np.uint64),
            np.zeros(count, dtype=np.uint8),
        )

    def _warn_of_full_table(self) -> None:
        places = len(self._table.tags)
        if not self._warned and not self.can_grow() and 4 * self.entries > 3 * places:
            self._warned = True
            _log.warning(
                "the table is full with %s positions: from now on those that took least work make room, and may be "
                "searched again; more memory helps",
                f"{self.entries:,}",
            )

    def _grow_table(self) -> None:
        larger = self._empty_table(2 * (len(self._table.tags) - PROBES + 1))
        move_all(self._table, larger, self._stack.state, self._like)
        self._table = larger

    def new_stack(self) -> Stack:
        """Return an empty stack for positions of this game."""
        depth = self.cells + 2
        options, parts = self.reserve
        return Stack(
            state=np.array([-1] + [0] * (STATE_SIZE - 1), dtype=np.int64),
            masks=np.zeros((depth, 2 * self.words), dtype=np.uint64),
            asked=np.zeros((depth, self.words), dtype=np.uint64),
            numbers=np.zeros((depth, NUMBERS), dtype=np.int64),
            have=np.zeros((depth, self._value_words), dtype=np.uint64),
            looked=np.zeros((1, self._value_words), dtype=np.uint64),
            options=np.zeros((8 * options, OPTION_SIZE), dtype=np.int64),
            parts=np.zeros((parts + 16 * options, 2 * self.words + 2), dtype=np.uint64),
            option_of=np.zeros(options, dtype=np.int64),
            marks=np.zeros(256, dtype=np.uint64),
            seen=np.zeros((_CACHED_LOOKS, self.words + self._value_words), dtype=np.uint64),
            forms=np.zeros((_CACHED_FORMS, 2 * self.words + 1), dtype=np.uint64),
            splits=np.zeros((_CACHED_SPLITS, 3 * self.words + 1), dtype=np.uint64),
        )

    def _grow_pools(self) -> None:
        stack = self._stack
        self._stack = stack._replace(
            options=np.concatenate([stack.options, np.zeros_like(stack.options)]),
            parts=np.concatenate([stack.parts, np.zeros_like(stack.parts)]),
        )
