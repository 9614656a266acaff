"""Sets of cells: whole numbers of 64, 128, 256 or 512 bits, of which bit i is cell i.

One source serves sets of any width. Every function becomes one or two instructions of LLVM's where it is called, which
has numbers as wide as one likes and makes words of them last, so wide sets take little longer to compile. Python hands
sets over as tuples of 64-bit words, the lowest cells first, and reads them in rows of arrays of such words.
"""

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

Mask: TypeAlias = Any  # of the type `Cells` in compiled code
Int: TypeAlias = Any  # int64 in compiled code
Word: TypeAlias = Any  # uint64

# A number in the source is a type of its own to numba, which compiles a function again for each.
NONE, ZERO, ONE = np.int64(-1), np.int64(0), np.int64(1)

_helpers: Any = cgutils
_WORD = ir.IntType(64)
_DEFINED = ir.Constant(ir.IntType(1), 0)  # of zeros that are counted: for 0 too
_MULTIPLIER = 0xD6E8FEB86659FD93  # of a hash: an odd number without a pattern in its bits


class Cells(types.Type):
    """The type of sets of cells that take so many words."""

    def __init__(self, words: int) -> None:
        super().__init__(f"Cells({words})")
        self.words = words


@register_model(Cells)
class _CellsModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Cells) -> None:
        models.PrimitiveModel.__init__(self, manager, kind, ir.IntType(64 * kind.words))


@overload(len, strict=False)
def _words_of(mask: Any) -> Any:
    if isinstance(mask, Cells):
        words = mask.words
        return lambda _mask: words
    return None


def instructions(function: Callable[..., Any]) -> Callable[..., Any]:
    """Have numba take what a function of types returns, as of `_code`, for the code of a call.

    That function's arguments have the names of those of the call.
    """
    made: Callable[..., Any] = intrinsic(function)
    return made


def _as_wide(kind: Any) -> Any:
    """Return the type of sets as wide as one that may be Python's."""
    return Cells(len(kind)) if isinstance(kind, types.BaseTuple) else kind


def _code(signature: Any, generate: Callable[..., Any]) -> Any:
    """Return a signature and what generates the code for it, as numba asks for them.

    ``generate`` is given a builder and the arguments. Sets are numbers; an array comes as a function from a row, a
    place in it and a number of words to where these are in memory.
    """

    def code(context: Any, builder: Any, given: Any, arguments: Any) -> Any:
        return generate(builder, *map(functools.partial(_opened, context, builder), given.args, arguments))

    return signature, code


def _opened(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.BaseTuple):
        return _joined(builder, _helpers.unpack_tuple(builder, value))
    if isinstance(kind, types.Array):
        return functools.partial(_places, context, builder, kind, value)
    return value


def _places(context: Any, builder: Any, kind: Any, value: Any, number: Any, place: Any, count: int) -> list[Any]:
    """Return where so many words in a row are, from a place on; where the first is, if the others follow on it."""
    array, checked = context.make_array(kind)(context, builder, value=value), context.enable_boundscheck

    def pointer(column: Any) -> Any:
        return _helpers.get_item_pointer(context, builder, kind, array, (number, column), boundscheck=checked)

    if kind.layout == "C" and not checked:
        return [pointer(place)]
    return [pointer(builder.add(place, _number(i))) for i in range(count)]


def _number(value: int, kind: Any = _WORD) -> Any:
    return ir.Constant(kind, value)


def _joined(builder: Any, words: list[Any]) -> Any:
    """Return words as one number."""
    if len(words) == 1:
        return words[0]
    kind = ir.IntType(64 * len(words))
    moved = [builder.shl(builder.zext(word, kind), _number(64 * i, kind)) for i, word in enumerate(words)]
    return functools.reduce(builder.or_, moved)


def _words(builder: Any, mask: Any) -> list[Any]:
    """Return the words of a number."""
    if mask.type == _WORD:
        return [mask]
    moved = [builder.lshr(mask, _number(i, mask.type)) for i in range(0, mask.type.width, 64)]
    return [builder.trunc(number, _WORD) for number in moved]


@instructions
def cells(_context: Any, mask: Any) -> Any:
    """Return the set that Python gave as a tuple of words."""
    return _code(_as_wide(mask)(mask), lambda _builder, a: a)


# One word


@instructions
def trailing_zeros(_context: Any, word: Any) -> Any:
    """Return the number of the lowest bit that is set; 64 if none is."""
    return _code(types.int64(word), lambda builder, a: builder.cttz(a, _DEFINED))


@instructions
def ones(_context: Any, word: Any) -> Any:
    """Return how many bits are set."""
    return _code(types.int64(word), lambda builder, a: builder.ctpop(a))


# Rows of arrays


@instructions
def read_at(_context: Any, rows: Any, number: Any, place: Any, like: Any) -> Any:
    """Return words of a row from a place on, as many as those of ``like``."""
    return _code(_as_wide(like)(rows, types.int64, types.int64, like), _read)


def _read(builder: Any, rows: Any, number: Any, place: Any, like: Any) -> Any:
    places = rows(number, place, like.type.width // 64)
    if len(places) == 1:
        return builder.load(builder.bitcast(places[0], like.type.as_pointer()), align=8)
    return _joined(builder, [builder.load(at) for at in places])


@instructions
def read(_context: Any, rows: Any, number: Any, like: Any) -> Any:
    """Return the first words of a row as a mask of the width of ``like``."""
    signature = _as_wide(like)(rows, types.int64, like)
    return _code(signature, lambda builder, a, row, like: _read(builder, a, row, _number(0), like))


@instructions
def lying(_context: Any, rows: Any, number: Any, like: Any) -> Any:
    """Return the second set in a row: the position as it lies on the board."""

    def generate(builder: Any, rows: Any, number: Any, like: Any) -> Any:
        return _read(builder, rows, number, _number(like.type.width // 64), like)

    return _code(_as_wide(like)(rows, types.int64, like), generate)


@instructions
def write_at(_context: Any, rows: Any, number: Any, place: Any, mask: Any) -> Any:
    """Store a mask in a row from a place on."""
    return _code(types.void(rows, types.int64, types.int64, mask), _write)


def _write(builder: Any, rows: Any, number: Any, place: Any, mask: Any) -> None:
    places = rows(number, place, mask.type.width // 64)
    if len(places) == 1:
        builder.store(mask, builder.bitcast(places[0], mask.type.as_pointer()), align=8)
        return
    for word, at in zip(_words(builder, mask), places, strict=True):
        builder.store(word, at)


@instructions
def write(_context: Any, rows: Any, number: Any, mask: Any) -> Any:
    """Store a mask as the first words of a row."""
    signature = types.void(rows, types.int64, mask)
    return _code(signature, lambda builder, a, row, mask: _write(builder, a, row, _number(0), mask))


# Sets


@instructions
def both(_context: Any, a: Any, b: Any) -> Any:
    """Return the cells in both."""
    return _code(a(a, b), lambda builder, a, b: builder.and_(a, b))


@instructions
def either(_context: Any, a: Any, b: Any) -> Any:
    """Return the cells in one or the other."""
    return _code(a(a, b), lambda builder, a, b: builder.or_(a, b))


@instructions
def without(_context: Any, a: Any, b: Any) -> Any:
    """Return the cells of the first that are not in the second."""
    return _code(a(a, b), _without)


def _without(builder: Any, a: Any, b: Any) -> Any:
    return builder.and_(a, builder.not_(b))


@instructions
def is_empty(_context: Any, a: Any) -> Any:
    """Tell whether there is no cell."""
    return _code(types.boolean(a), _is_zero)


def _is_zero(builder: Any, a: Any) -> Any:
    return builder.icmp_unsigned("==", a, _number(0, a.type))


@instructions
def same(_context: Any, a: Any, b: Any) -> Any:
    """Tell whether two sets are equal."""
    return _code(types.boolean(a, b), lambda builder, a, b: builder.icmp_unsigned("==", a, b))


@instructions
def meets(_context: Any, a: Any, b: Any) -> Any:
    """Tell whether two sets have a cell in common."""
    return _code(types.boolean(a, b), lambda builder, a, b: builder.not_(_is_zero(builder, builder.and_(a, b))))


@instructions
def inside(_context: Any, a: Any, b: Any) -> Any:
    """Tell whether the first set is a subset of the second."""
    return _code(types.boolean(a, b), lambda builder, a, b: _is_zero(builder, _without(builder, a, b)))


@instructions
def before(_context: Any, a: Any, b: Any) -> Any:
    """Compare as numbers."""
    return _code(types.boolean(a, b), lambda builder, a, b: builder.icmp_unsigned("<", a, b))


@instructions
def size(_context: Any, a: Any) -> Any:
    """Return the number of cells."""
    return _code(types.int64(a), lambda builder, a: _first_word(builder, builder.ctpop(a)))


def _first_word(builder: Any, a: Any) -> Any:
    return a if a.type == _WORD else builder.trunc(a, _WORD)


@instructions
def lowest(_context: Any, a: Any) -> Any:
    """Return the lowest cell of a set that is not empty."""
    return _code(types.int64(a), lambda builder, a: _first_word(builder, builder.cttz(a, _DEFINED)))


@instructions
def highest(_context: Any, a: Any) -> Any:
    """Return the highest cell of a set that is not empty."""

    def generate(builder: Any, a: Any) -> Any:
        return builder.sub(_number(a.type.width - 1), _first_word(builder, builder.ctlz(a, _DEFINED)))

    return _code(types.int64(a), generate)


@instructions
def without_lowest(_context: Any, a: Any) -> Any:
    """Return the set without its lowest cell."""
    return _code(a(a), lambda builder, a: builder.and_(a, builder.sub(a, _number(1, a.type))))


@instructions
def nothing(_context: Any, like: Any) -> Any:
    """Return the empty set."""
    return _code(_as_wide(like)(like), lambda _builder, like: _number(0, like.type))


@instructions
def only(_context: Any, cell: Any, like: Any) -> Any:
    """Return the set of one cell."""

    def generate(builder: Any, cell: Any, like: Any) -> Any:
        return builder.shl(_number(1, like.type), _widened(builder, cell, like))

    return _code(_as_wide(like)(types.int64, like), generate)


def _widened(builder: Any, word: Any, like: Any) -> Any:
    return word if like.type == _WORD else builder.zext(word, like.type)


@instructions
def has(_context: Any, a: Any, cell: Any) -> Any:
    """Tell whether a cell is in the set."""

    def generate(builder: Any, a: Any, cell: Any) -> Any:
        word = builder.lshr(_word_of(builder, a, cell), builder.and_(cell, _number(63)))
        return builder.trunc(word, ir.IntType(1))

    return _code(types.boolean(a, types.int64), generate)


@instructions
def byte_at(_context: Any, a: Any, first: Any) -> Any:
    """Return eight cells in a row as a number, of which the first one is a multiple of 8."""

    def generate(builder: Any, a: Any, first: Any) -> Any:
        word = builder.lshr(_word_of(builder, a, first), builder.and_(first, _number(63)))
        return builder.and_(word, _number(255))

    return _code(types.int64(a, types.int64), generate)


def _word_of(builder: Any, a: Any, cell: Any) -> Any:
    """Return the word that a cell belongs to."""
    at, (word, *others) = builder.lshr(cell, _number(6)), _words(builder, a)
    for i, other in enumerate(others, 1):
        word = builder.select(builder.icmp_unsigned("==", at, _number(i)), other, word)
    return word


@instructions
def reversed_cells(_context: Any, a: Any) -> Any:
    """Return the set with the first cell that fits into a mask in the last place, and so on."""
    return _code(a(a), lambda builder, a: builder.bitreverse(a))


@instructions
def hashed(_context: Any, a: Any) -> Any:
    """Return a hash of 64 bits."""

    def generate(builder: Any, a: Any) -> Any:
        h, multiplier = _number(0x9E3779B97F4A7C15), _number(_MULTIPLIER)
        for word in _words(builder, a):
            h = builder.mul(builder.xor(h, word), multiplier)
            h = builder.xor(h, builder.lshr(h, _number(32)))
        h = builder.mul(h, multiplier)
        return builder.xor(h, builder.lshr(h, _number(29)))

    return _code(types.uint64(a), generate)


@instructions
def shifted_down(_context: Any, a: Any, places: Any) -> Any:
    """Return the set with every cell that many places lower, fewer than there are bits."""
    return _code(a(a, types.int64), lambda builder, a, places: builder.lshr(a, _widened(builder, places, a)))


@instructions
def shifted_up(_context: Any, a: Any, places: Any) -> Any:
    """Return the set with every cell that many places higher, fewer than there are bits."""
    return _code(a(a, types.int64), lambda builder, a, places: builder.shl(a, _widened(builder, places, a)))
