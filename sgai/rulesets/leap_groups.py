"""Which pieces of a leap game can ever meet: the groups of a board, each with all cells that it can ever occupy.

A jump looks at three cells in line: a piece jumps over its neighbour into the empty cell beyond, and the neighbour is
removed.

**Independence.** Let *reach(A)* be a set of cells that holds every cell which pieces of a group A can come to occupy
while A is alone. If no cell of reach(A) is, or is beside, a cell of reach(B), the groups are independent. Proof: take
the first jump of some play for which the other group makes a difference. Before it, the pieces of each group stand in
its reach. The jump's first two cells are occupied. If one belongs to A and one to B, these are side by side; if both
belong to A and the third is blocked by B, the second and the third are. Both contradict the assumption.

**Reach.** Give every cell the weight s**d, where d is its distance to a cell t (rows plus columns) and s = 0.618...,
s*s + s = 1. A jump towards t keeps the sum of the pieces' weights, any other jump lowers it, and a piece on t weighs 1:
so t can be occupied only if the weights of the pieces add up to 1 at least (J. H. Conway's solitaire army; E.
Berlekamp, J. Conway, R. Guy, *Winning Ways*, chapter 23). Along a line, all cells up to b weigh s**(t-b-2) together, as
seen from a cell t beyond: less than 1 for finitely many pieces from t = b + 2 on, so a group reaches one cell beyond
its end at most. In the plane, all cells of a half plane weigh 1 together as seen from five rows beyond it: a group
reaches four rows or columns beyond its box at most. The sum for each cell is better than both bounds, and is what is
used.

**On a strip** the end of the group decides. From its last cell on, the weights as seen from the cell beyond are s,
s**2, ... OO at the end gives 1. O.O at the end needs what the group without its last two cells needs, since s + s**2 =
s + s**3 + s**4. A last O with two empty cells before it stays below 1, since all cells from the fourth on weigh less
than s**2. So the cell beyond can be reached only from an end of the form OO, OO.O, OO.O.O, ...; and these do reach it:
OO.O.O, ..OO.O, ....OO. Two groups with one empty cell between them can meet if one of them reaches it, with two if both
reach theirs, with three never: no wider gap is needed, and no narrower one is enough.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from sgai.rulesets.removal import cells_of

Square = tuple[int, int]  # (row, column), from (0,0) at the top left


class Jump(NamedTuple):
    """A piece jumps from a square over its neighbour to a square."""

    start: Square
    end: Square


class Leap(NamedTuple):
    """A jump with its masks: the piece and the neighbour that it needs, these and the cell beyond, and that cell."""

    jump: Jump
    pair: int
    triple: int
    beyond: int


class Group(NamedTuple):
    """Pieces that may meet, on the smallest board that holds all they can reach; and where that board's corner is."""

    row: int
    column: int
    rows: int
    columns: int
    pieces: int


@lru_cache(maxsize=4096)
def leaps(rows: int, columns: int) -> tuple[Leap, ...]:
    """Return the possible jumps on a board whose cell (row, column) is bit ``row * columns + column``.

    Examples
    --------
    >>> [(leap.jump.start, leap.jump.end) for leap in leaps(1, 4)]
    [((0, 0), (0, 2)), ((0, 1), (0, 3)), ((0, 2), (0, 0)), ((0, 3), (0, 1))]
    """
    found = []
    for row in range(rows):
        for column in range(columns):
            for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                last, beyond = row + 2 * down, column + 2 * right
                if 0 <= last < rows and 0 <= beyond < columns:
                    start, middle, end = (1 << (row + i * down) * columns + column + i * right for i in range(3))
                    jump = Jump((row, column), (last, beyond))
                    found.append(Leap(jump, start | middle, start | middle | end, end))
    return tuple(found)


def can_leap(rows: int, columns: int, pieces: int) -> bool:
    """Tell whether any jump is possible."""
    if rows == 1 or columns == 1:
        # Pairs by their lower cell: the cell above or the one below is empty, and on the strip.
        pairs, empty = pieces & pieces >> 1, ~pieces & (1 << rows * columns) - 1
        return bool(pairs & (empty >> 2 | empty << 1))
    return any(pieces & leap.triple == leap.pair for leap in leaps(rows, columns))


@lru_cache(maxsize=1 << 17)
def groups(rows: int, columns: int, pieces: int) -> tuple[Group, ...]:
    """Return the groups that can never meet, without those in which no jump is possible now: none ever will be.

    Examples
    --------
    >>> groups(1, 12, 0b1000_011_000_11)
    (Group(row=0, column=0, rows=1, columns=3, pieces=3), Group(row=0, column=4, rows=1, columns=4, pieces=6))
    """
    if rows == 1 or columns == 1:
        found = _strip_groups(rows * columns, pieces)
        return found if rows == 1 else tuple(Group(g.column, 0, g.columns, 1, g.pieces) for g in found)
    return tuple(
        cropped(columns, part, reached)
        for part, reached in sorted(_board_groups(rows, columns, pieces))
        if can_leap(rows, columns, part)
    )


def clusters(rows: int, columns: int, pieces: int) -> list[int]:
    """Return the sets of pieces that stand side by side.

    Examples
    --------
    >>> [bin(cluster) for cluster in clusters(1, 8, 0b1101_0011)]
    ['0b11', '0b10000', '0b11000000']
    """
    found = []
    while pieces:
        cluster, grown = 0, pieces & -pieces
        while grown != cluster:
            cluster = grown
            grown = _with_neighbours(rows, columns, cluster) & pieces
        found.append(cluster)
        pieces &= ~cluster
    return found


@lru_cache(maxsize=1 << 16)
def reach(rows: int, columns: int, pieces: int) -> int:
    """Return the cells that these pieces can be shown to stay within.

    They are those that a chain of jumps between such cells leads to and whose sum of weights is 1 at least.

    Examples
    --------
    >>> bin(reach(1, 8, 0b0001_1000)), bin(reach(1, 8, 0b0101_1000)), bin(reach(1, 8, 0b1001_0000))
    ('0b111100', '0b11111100', '0b10010000')
    """
    weights = _weights(rows + columns)
    places = [divmod(cell, columns) for cell in cells_of(pieces)]
    within, outside, before = pieces, 0, 0
    while within != before:
        before = within
        for leap in leaps(rows, columns):
            if within & leap.pair == leap.pair and leap.beyond & ~(within | outside):
                row, column = leap.jump.end
                if sum(weights[abs(r - row) + abs(c - column)] for r, c in places) >= weights[0]:
                    within |= leap.beyond
                else:
                    outside |= leap.beyond
    return within


def cropped(columns: int, pieces: int, box: int) -> Group:
    """Return pieces on the smallest board that holds all cells of ``box``."""
    squares = [divmod(cell, columns) for cell in cells_of(box)]
    top, bottom = squares[0][0], squares[-1][0]
    left, right = min(column for _, column in squares), max(column for _, column in squares)
    wide = right - left + 1
    row_mask = (1 << wide) - 1
    kept = 0
    for row in range(top, bottom + 1):
        kept |= (pieces >> row * columns + left & row_mask) << (row - top) * wide
    return Group(top, left, bottom - top + 1, wide, kept)


@lru_cache(maxsize=1 << 17)
def least_image(rows: int, columns: int, pieces: int) -> tuple[int, int, int]:
    """Return one board for all with the same jumps up to symmetry: rows, columns and pieces.

    What no jump can ever touch is dropped, pieces as well as cells; an empty board is one of a single cell.

    Examples
    --------
    >>> least_image(1, 9, 0b1000_1100), least_image(3, 1, 0b110), least_image(2, 2, 0b1111)
    ((1, 4, 6), (1, 3, 3), (1, 1, 0))
    """
    found = groups(rows, columns, pieces)
    if not found:
        return 1, 1, 0
    live = box = 0
    for group in found:
        for row in range(group.rows):
            shift = (group.row + row) * columns + group.column
            line = (1 << group.columns) - 1
            live |= (group.pieces >> row * group.columns & line) << shift
            box |= line << shift
    return min(_images(cropped(columns, live, box)))


def _images(board: Group) -> Iterator[tuple[int, int, int]]:
    rows, columns = board.rows, board.columns
    squares = [divmod(cell, columns) for cell in cells_of(board.pieces)]
    for turned in (False, True):
        if turned:
            rows, columns = columns, rows
            squares = [(column, row) for row, column in squares]
        if rows > columns:
            continue
        for flip_rows in (False, True):
            for flip_columns in (False, True):
                mask = 0
                for row, column in squares:
                    r, c = (rows - 1 - row if flip_rows else row), (columns - 1 - column if flip_columns else column)
                    mask |= 1 << r * columns + c
                yield rows, columns, mask


def _strip_groups(cells: int, pieces: int) -> tuple[Group, ...]:
    # Runs are taken from the left; whatever meets the group before it is joined to that.
    waiting: list[
        tuple[int, int, int, bool, bool]
    ] = []  # first cell, last cell, pieces from there, reaches left, right
    rest, passed = pieces, 0
    while rest:
        gap = (rest & -rest).bit_length() - 1
        rest >>= gap
        length = (~rest & rest + 1).bit_length() - 1
        first, last, mask = passed + gap, passed + gap + length - 1, (1 << length) - 1
        passed = last + 1
        rest >>= length
        left = right = length > 1
        while waiting and first - waiting[-1][1] <= 1 + waiting[-1][4] + left:
            before, _, joined, _, _ = waiting.pop()
            mask = joined | mask << first - before
            first = before
            left, right = _leaves_at_start(mask), _leaves_at_end(mask)
        waiting.append((first, last, mask, left, right))
    found = []
    for first, last, mask, left, right in waiting:
        below, above = int(left and first > 0), int(right and last < cells - 1)
        size = last - first + 1 + below + above
        if can_leap(1, size, mask << below):
            found.append(Group(0, first - below, 1, size, mask << below))
    return tuple(found)


def _leaves_at_start(mask: int) -> bool:
    while mask & 7 == 5:  # O.O
        mask >>= 2
    return mask & 3 == 3


def _leaves_at_end(mask: int) -> bool:
    length = mask.bit_length()
    while length > 2 and mask >> length - 3 == 5:  # O.O
        length -= 2
        mask &= (1 << length) - 1
    return length > 1 and mask >> length - 2 == 3


def _board_groups(rows: int, columns: int, pieces: int) -> list[tuple[int, int]]:
    apart: list[tuple[int, int]] = []
    waiting = clusters(rows, columns, pieces)
    while waiting:
        part = waiting.pop()
        reached = reach(rows, columns, part)
        beside = _with_neighbours(rows, columns, reached)
        met = [other for other in apart if other[1] & beside]
        if not met:
            apart.append((part, reached))
            continue
        apart = [other for other in apart if other not in met]
        for other, _ in met:
            part |= other
        waiting.append(part)  # together they may reach further
    return apart


def _with_neighbours(rows: int, columns: int, mask: int) -> int:
    first_column = sum(1 << row * columns for row in range(rows))
    inside = (1 << rows * columns) - 1
    sideways = (mask & ~first_column) >> 1 | mask << 1 & ~first_column
    return (mask | sideways | mask << columns | mask >> columns) & inside


@lru_cache(maxsize=256)
def _weights(size: int) -> tuple[int, ...]:
    # Fibonacci numbers stand for the powers of s: they satisfy the same equation, in exact integers.
    numbers = [1, 1]
    while len(numbers) < 3 * size + 3:
        numbers.append(numbers[-1] + numbers[-2])
    return tuple(reversed(numbers))
