"""Everything that a search of a removal game has to remember when it stops, in arrays."""

from typing import Any, NamedTuple

from sgai.kernels.jit import inlined
from sgai.kernels.masks import Int, Mask, write, write_at

# What a search returns.
DONE, PAUSED, TABLE_FULL, POOL_FULL, TOO_LARGE = range(5)

# Places in `Stack.state`.
TOP, OPTIONS, PARTS, ANSWER, NODES, HITS, USED, STAMP, PEEKS, REFUTING, MOST_PEEKS = range(11)
STATE_SIZE = 11

# Columns of `Stack.numbers`.
PHASE, TARGET, K, FIRST, COUNT, CURRENT, CANDIDATES, NEXT, PART, PART_TOP, BEGAN, ASKED, HINT = range(13)
NUMBERS = 13

# The phases of a frame.
NEW, PASS, TRY, WAIT = range(4)

# Columns of `Stack.options`.
KNOWN, START, LENGTH, COST, ORDER, MOVE, REFUTED = range(7)
OPTION_SIZE = 7


class Stack(NamedTuple):
    """Everything that a search has to remember when it stops."""

    state: Any  # (STATE_SIZE,) int64
    masks: Any  # (depth, 2 * words): the position of each frame, in canonical form and as it lies on the board
    asked: Any  # (depth, words): the part whose exact value is being found
    numbers: Any  # (depth, NUMBERS) int64
    have: Any  # (depth, value words): values that options have
    looked: Any  # (1, value words): those of the position that was looked at last
    options: Any  # (pool, 7) int64: nim-sum of known parts, first part, number of parts, cost, place in the order, move
    # that leads there, whether an option of it is known to have the wanted value
    parts: Any  # (pool, 2 * words + 2): canonical form, the part as it lies; hash of the form, its place in the table
    option_of: Any  # (moves,) int64: the option to which a move leads, if that option names it as its move
    marks: Any  # (256,) uint64
    seen: Any  # (power of two, words + value words): values that positions looked at lately do not have
    forms: Any  # (power of two, 2 * words + 1): canonical forms met lately, by component
    splits: Any  # (power of two, 3 * words + 1): positions split lately: what is known, and the part that is not


@inlined
def copy_row(rows: Any, to: Int, number: Int) -> None:
    """Copy a row over another one."""
    for i in range(rows.shape[1]):
        rows[to, i] = rows[number, i]


@inlined
def push(stack: Stack, mask: Mask, as_it_lies: Mask, target: Int) -> None:
    """Ask whether the value of a position, in canonical form and as it lies on the board, is ``target``."""
    state = stack.state
    state[TOP] += 1
    depth = state[TOP]
    write(stack.masks, depth, mask)
    write_at(stack.masks, depth, len(mask), as_it_lies)
    stack.numbers[depth, PHASE] = NEW
    stack.numbers[depth, TARGET] = target
    stack.numbers[depth, BEGAN] = state[NODES]


@inlined
def pop(stack: Stack, depth: Int, answer: Int) -> None:
    """Answer the question of the top frame, and give its room back."""
    state, numbers = stack.state, stack.numbers
    state[OPTIONS], state[PARTS] = numbers[depth, FIRST], numbers[depth, PART_TOP]
    state[TOP] -= 1
    state[ANSWER] = answer
