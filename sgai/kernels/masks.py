"""Sets of cells as tuples of 64-bit words: cell i is bit i % 64 of word i // 64.

One source serves sets of any width. Every function becomes a few instructions where it is called, so that there is no
loop over words to unroll, and no negative index to ask for.
"""

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

Mask: TypeAlias = Any  # a tuple of uint64
Int: TypeAlias = Any  # int64 in compiled code
Word: TypeAlias = Any  # uint64

# A number in the source is a type of its own to numba, which compiles a function again for each.
NONE, ZERO, ONE = np.int64(-1), np.int64(0), np.int64(1)

_helpers: Any = cgutils
_WORD = ir.IntType(64)
_MULTIPLIER = 0xD6E8FEB86659FD93  # of a hash: an odd number without a pattern in its bits


def instructions(function: Callable[..., Any]) -> Callable[..., Any]:
    """Have numba take what a function of types returns, as of `_code`, for the code of a call.

    That function's arguments have the names of those of the call.
    """
    made: Callable[..., Any] = intrinsic(function)
    return made


def _code(signature: Any, generate: Callable[..., Any]) -> Any:
    """Return a signature and what generates the code for it, as numba asks for them.

    ``generate`` is given a builder and the arguments. Masks come and go as lists of words; an array comes as a function
    from a row, a place in it and a number of words to where these are in memory.
    """

    def code(context: Any, builder: Any, given: Any, arguments: Any) -> Any:
        made = generate(builder, *map(functools.partial(_opened, context, builder), given.args, arguments))
        return context.make_tuple(builder, given.return_type, made) if isinstance(made, list) else made

    return signature, code


def _opened(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.BaseTuple):
        return _helpers.unpack_tuple(builder, value)
    if isinstance(kind, types.Array):
        return functools.partial(_places, context, builder, kind, value)
    return value


def _places(context: Any, builder: Any, kind: Any, value: Any, number: Any, place: Any, count: int) -> list[Any]:
    """Return where so many words in a row are, from a place on."""
    array, checked = context.make_array(kind)(context, builder, value=value), context.enable_boundscheck

    def pointer(column: Any) -> Any:
        return _helpers.get_item_pointer(context, builder, kind, array, (number, column), boundscheck=checked)

    if kind.layout == "C" and not checked:
        first = pointer(place)
        return [builder.gep(first, [_number(i)]) for i in range(count)]
    return [pointer(builder.add(place, _number(i))) for i in range(count)]


def _number(value: int) -> Any:
    return ir.Constant(_WORD, value)


# One word


@instructions
def trailing_zeros(_context: Any, word: Any) -> Any:
    """Return the number of the lowest bit that is set; 64 if none is."""
    return _code(types.int64(word), lambda builder, a: builder.cttz(a, ir.Constant(ir.IntType(1), 0)))


@instructions
def ones(_context: Any, word: Any) -> Any:
    """Return how many bits are set."""
    return _code(types.int64(word), lambda builder, a: builder.ctpop(a))


# Rows of arrays


@instructions
def read_at(_context: Any, rows: Any, number: Any, place: Any, like: Any) -> Any:
    """Return words of a row from a place on, as many as those of ``like``."""
    return _code(like(rows, types.int64, types.int64, like), _read)


def _read(builder: Any, rows: Any, number: Any, place: Any, like: list[Any]) -> list[Any]:
    return [builder.load(at) for at in rows(number, place, len(like))]


@instructions
def read(_context: Any, rows: Any, number: Any, like: Any) -> Any:
    """Return the first words of a row as a mask of the width of ``like``."""
    return _code(
        like(rows, types.int64, like), lambda builder, a, row, width: _read(builder, a, row, _number(0), width)
    )


@instructions
def lying(_context: Any, rows: Any, number: Any, like: Any) -> Any:
    """Return the second set in a row: the position as it lies on the board."""
    return _code(
        like(rows, types.int64, like), lambda builder, a, row, width: _read(builder, a, row, _number(len(width)), width)
    )


@instructions
def write_at(_context: Any, rows: Any, number: Any, place: Any, mask: Any) -> Any:
    """Store a mask in a row from a place on."""
    return _code(types.void(rows, types.int64, types.int64, mask), _write)


def _write(builder: Any, rows: Any, number: Any, place: Any, mask: list[Any]) -> None:
    for word, at in zip(mask, rows(number, place, len(mask)), strict=True):
        builder.store(word, at)


@instructions
def write(_context: Any, rows: Any, number: Any, mask: Any) -> Any:
    """Store a mask as the first words of a row."""
    return _code(
        types.void(rows, types.int64, mask), lambda builder, a, row, words: _write(builder, a, row, _number(0), words)
    )


# Sets


@instructions
def both(_context: Any, a: Any, b: Any) -> Any:
    """Return the cells in both."""
    return _code(a(a, b), lambda builder, a, b: list(map(builder.and_, a, b)))


@instructions
def either(_context: Any, a: Any, b: Any) -> Any:
    """Return the cells in one or the other."""
    return _code(a(a, b), lambda builder, a, b: list(map(builder.or_, a, b)))


@instructions
def without(_context: Any, a: Any, b: Any) -> Any:
    """Return the cells of the first that are not in the second."""
    return _code(a(a, b), _without)


def _without(builder: Any, a: list[Any], b: list[Any]) -> list[Any]:
    return [builder.and_(x, builder.not_(y)) for x, y in zip(a, b, strict=True)]


@instructions
def is_empty(_context: Any, a: Any) -> Any:
    """Tell whether there is no cell."""
    return _code(types.boolean(a), _are_zero)


def _are_zero(builder: Any, words: Iterable[Any]) -> Any:
    return builder.icmp_unsigned("==", functools.reduce(builder.or_, words), _number(0))


@instructions
def same(_context: Any, a: Any, b: Any) -> Any:
    """Tell whether two sets are equal."""
    return _code(types.boolean(a, b), lambda builder, a, b: _are_zero(builder, map(builder.xor, a, b)))


@instructions
def meets(_context: Any, a: Any, b: Any) -> Any:
    """Tell whether two sets have a cell in common."""
    return _code(types.boolean(a, b), lambda builder, a, b: builder.not_(_are_zero(builder, map(builder.and_, a, b))))


@instructions
def inside(_context: Any, a: Any, b: Any) -> Any:
    """Tell whether the first set is a subset of the second."""
    return _code(types.boolean(a, b), lambda builder, a, b: _are_zero(builder, _without(builder, a, b)))


@instructions
def before(_context: Any, a: Any, b: Any) -> Any:
    """Compare as numbers."""

    def generate(builder: Any, a: list[Any], b: list[Any]) -> Any:
        less = ir.Constant(ir.IntType(1), 0)
        for x, y in zip(a, b, strict=True):
            equal = builder.icmp_unsigned("==", x, y)
            less = builder.select(equal, less, builder.icmp_unsigned("<", x, y))
        return less

    return _code(types.boolean(a, b), generate)


@instructions
def size(_context: Any, a: Any) -> Any:
    """Return the number of cells."""
    return _code(types.int64(a), lambda builder, a: functools.reduce(builder.add, map(builder.ctpop, a)))


@instructions
def lowest(_context: Any, a: Any) -> Any:
    """Return the lowest cell of a set that is not empty."""

    def generate(builder: Any, a: list[Any]) -> Any:
        defined = ir.Constant(ir.IntType(1), 0)  # for 0 too
        cell = None
        for i, word in reversed(list(enumerate(a))):
            here = builder.add(builder.cttz(word, defined), _number(64 * i))
            cell = here if cell is None else builder.select(_is_set(builder, word), here, cell)
        return cell

    return _code(types.int64(a), generate)


@instructions
def highest(_context: Any, a: Any) -> Any:
    """Return the highest cell of a set that is not empty."""

    def generate(builder: Any, a: list[Any]) -> Any:
        defined = ir.Constant(ir.IntType(1), 0)
        cell = None
        for i, word in enumerate(a):
            here = builder.sub(_number(64 * i + 63), builder.ctlz(word, defined))
            cell = here if cell is None else builder.select(_is_set(builder, word), here, cell)
        return cell

    return _code(types.int64(a), generate)


def _is_set(builder: Any, word: Any) -> Any:
    return builder.icmp_unsigned("!=", word, _number(0))


@instructions
def without_lowest(_context: Any, a: Any) -> Any:
    """Return the set without its lowest cell."""

    def generate(builder: Any, a: list[Any]) -> list[Any]:
        left, found = [], ir.Constant(ir.IntType(1), 0)
        for word in a:
            less = builder.and_(word, builder.sub(word, _number(1)))
            left.append(builder.select(found, word, less))
            found = builder.or_(found, _is_set(builder, word))
        return left

    return _code(a(a), generate)


@instructions
def nothing(_context: Any, like: Any) -> Any:
    """Return the empty set."""
    return _code(like(like), lambda _builder, width: [_number(0)] * len(width))


@instructions
def only(_context: Any, cell: Any, like: Any) -> Any:
    """Return the set of one cell."""

    def generate(builder: Any, cell: Any, like: list[Any]) -> list[Any]:
        bit = builder.shl(_number(1), builder.and_(cell, _number(63)))
        if len(like) == 1:
            return [bit]
        at = builder.lshr(cell, _number(6))
        here = [builder.icmp_unsigned("==", at, _number(i)) for i in range(len(like))]
        return [builder.select(chosen, bit, _number(0)) for chosen in here]

    return _code(like(types.int64, like), generate)


@instructions
def has(_context: Any, a: Any, cell: Any) -> Any:
    """Tell whether a cell is in the set."""

    def generate(builder: Any, a: list[Any], cell: Any) -> Any:
        word = builder.lshr(_word_of(builder, a, cell), builder.and_(cell, _number(63)))
        return builder.trunc(word, ir.IntType(1))

    return _code(types.boolean(a, types.int64), generate)


@instructions
def byte_at(_context: Any, a: Any, first: Any) -> Any:
    """Return eight cells in a row as a number, of which the first one is a multiple of 8."""

    def generate(builder: Any, a: list[Any], first: Any) -> Any:
        word = builder.lshr(_word_of(builder, a, first), builder.and_(first, _number(63)))
        return builder.and_(word, _number(255))

    return _code(types.int64(a, types.int64), generate)


def _word_of(builder: Any, a: list[Any], cell: Any) -> Any:
    """Return the word that a cell belongs to."""
    word, at = a[0], builder.lshr(cell, _number(6))
    for i in range(1, len(a)):
        word = builder.select(builder.icmp_unsigned("==", at, _number(i)), a[i], word)
    return word


@instructions
def reversed_cells(_context: Any, a: Any) -> Any:
    """Return the set with the first cell that fits into a mask in the last place, and so on."""
    return _code(a(a), lambda builder, a: [builder.bitreverse(word) for word in reversed(a)])


@instructions
def hashed(_context: Any, a: Any) -> Any:
    """Return a hash of 64 bits."""

    def generate(builder: Any, a: list[Any]) -> Any:
        h, multiplier = _number(0x9E3779B97F4A7C15), _number(_MULTIPLIER)
        for word in a:
            h = builder.mul(builder.xor(h, word), multiplier)
            h = builder.xor(h, builder.lshr(h, _number(32)))
        h = builder.mul(h, multiplier)
        return builder.xor(h, builder.lshr(h, _number(29)))

    return _code(types.uint64(a), generate)


@instructions
def shifted_down(_context: Any, a: Any, places: Any) -> Any:
    """Return the set with every cell that many places lower, fewer than there are bits."""

    def generate(builder: Any, a: list[Any], places: Any) -> list[Any]:
        return _shifted(builder, a, places, builder.lshr, builder.shl)

    return _code(a(a, types.int64), generate)


@instructions
def shifted_up(_context: Any, a: Any, places: Any) -> Any:
    """Return the set with every cell that many places higher, fewer than there are bits."""

    def generate(builder: Any, a: list[Any], places: Any) -> list[Any]:
        return _shifted(builder, a[::-1], places, builder.shl, builder.lshr)[::-1]

    return _code(a(a, types.int64), generate)


def _shifted(builder: Any, a: list[Any], places: Any, shift: Any, shift_back: Any) -> list[Any]:
    """Move bits towards the first word: by whole words for each bit of their number, and then within words."""
    bits, words = builder.and_(places, _number(63)), builder.lshr(places, _number(6))
    for k in range((len(a) - 1).bit_length()):
        chosen = builder.trunc(builder.lshr(words, _number(k)), ir.IntType(1))
        a = [builder.select(chosen, next_word, word) for word, next_word in zip(a, _after(a, 1 << k), strict=True)]
    moved = [shift(word, bits) for word in a]
    if len(a) > 1:
        # By one place and then by the others, as a shift by 64 places is not defined.
        others = builder.sub(_number(63), bits)
        coming = [shift_back(shift_back(word, _number(1)), others) for word in _after(a, 1)]
        moved = [builder.or_(word, more) for word, more in zip(moved, coming, strict=True)]
    return moved


def _after(a: list[Any], words: int) -> list[Any]:
    """Return the words that come so many words after each."""
    return a[words:] + [_number(0)] * words
