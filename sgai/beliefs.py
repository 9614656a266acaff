"""What is believed of Grundy values, and its arithmetic: the XOR of independent components.

A belief is a distribution over Grundy values: a point where the value is proved, else an estimate. The XOR of
*independent* components has their XOR-convolution as its distribution: multiply the Walsh-Hadamard transforms. Normal
play and disjunctive sums only, since nowhere else do Grundy values decide. A belief proves nothing: where parts are not
proved independent it may only be a prior, which search overrides.
"""

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sgai.errors import SgaiError, quote
from sgai.parameters import check_integer

Floats = npt.NDArray[np.float64]

MOST_VALUES = 1 << 20  # of one uncertain belief
_SUM_TOLERANCE = 1e-6
_BLOCK = 64  # transforms of up to so many values are one product with a matrix
_LEAST = float(np.finfo(np.float64).tiny)


class Belief:
    """A distribution over the Grundy values of one component; immutable.

    Parameters
    ----------
    probabilities : array_like of float, shape (V,)
        The probability of each value 0, 1, ..., V - 1, where V is a power of two. They sum to 1. A probability of 0
        says that the value is proved impossible; a belief with one possible value is known.

    Attributes
    ----------
    known : int or None
        The value, if there is only one.

    Raises
    ------
    SgaiError
        If that is no distribution; the message quotes what is wrong.

    Examples
    --------
    >>> belief = Belief([0.5, 0.25, 0.25, 0.0])
    >>> belief.probability(1), belief.known
    (0.25, None)
    >>> belief.strike([0, 2]).known
    1
    """

    __slots__ = ("_base", "_transform", "_weights")

    # The weights are those of the values base, base + 1, ...; base is a multiple of their number, a power of two.
    _base: int
    _weights: Floats
    _transform: Floats | None

    def __init__(self, probabilities: npt.ArrayLike) -> None:
        weights = _distribution(probabilities)
        size = len(weights)
        if size & size - 1:
            raise SgaiError(
                f"{size} probabilities: the number of values should be a power of two; fill up with zeros, or use "
                "Belief.from_weights"
            )
        total = float(weights.sum())
        if abs(total - 1) > _SUM_TOLERANCE:
            raise SgaiError(
                f"the probabilities sum to {total!r}, they should sum to 1; Belief.from_weights scales them"
            )
        self._set_trimmed(0, weights / total)

    @classmethod
    def point(cls, value: int) -> "Belief":
        """Return the belief in one value, of any size.

        Examples
        --------
        >>> Belief.point(10**30).known == 10**30
        True
        """
        return cls._made(_grundy_value(value), _ONE)

    @classmethod
    def uniform(cls, count: int) -> "Belief":
        """Return the belief in which the values 0 to ``count`` - 1 are equally likely.

        Examples
        --------
        >>> Belief.uniform(3)
        Belief(0: 0.333, 1: 0.333, 2: 0.333)
        """
        count = check_integer(count)
        if not 1 <= count <= MOST_VALUES:
            raise SgaiError(f"{quote(count)} values: a belief has from 1 to {MOST_VALUES:,}")
        return cls.from_weights(np.ones(count))

    @classmethod
    def from_weights(cls, weights: npt.ArrayLike) -> "Belief":
        """Return the belief with probabilities in proportion to weights of the values 0, 1, ...: counts, for example.

        Examples
        --------
        >>> Belief.from_weights([3, 0, 1]).probability(0)
        0.75
        """
        given = _distribution(weights)
        largest = float(given.max())
        if not largest:
            raise SgaiError("all weights are 0; one value at least should be possible")
        possible = given > 0
        given = given / largest  # so that their sum is finite
        made = cls.__new__(cls)
        filled = np.zeros(1 << (len(given) - 1).bit_length())
        # What is possible must not be rounded to zero.
        filled[: len(given)] = np.maximum(given / given.sum(), np.where(possible, _LEAST, 0.0))
        made._set_trimmed(0, filled)
        return made

    @classmethod
    def _made(cls, base: int, weights: Floats) -> "Belief":
        made = cls.__new__(cls)
        made._base, made._weights, made._transform = base, weights, None
        weights.flags.writeable = False
        return made

    def _set_trimmed(self, base: int, weights: Floats) -> None:
        possible = weights.nonzero()[0]
        first, last = int(possible[0]), int(possible[-1])
        size = 1 << (first ^ last).bit_length()  # of the least block that holds both
        start = first & -size
        if size == 1:
            weights = _ONE
        elif size < len(weights):
            weights = weights[start : start + size].copy()
        weights.flags.writeable = False
        self._base, self._weights, self._transform = base + start, weights, None

    @property
    def known(self) -> int | None:
        """The value, if there is only one."""
        return self._base if len(self._weights) == 1 else None

    @property
    def largest(self) -> int:
        """The largest possible value."""
        return self._base + int(np.flatnonzero(self._weights)[-1])

    def probability(self, value: int) -> float:
        """Return the probability of a value."""
        place = check_integer(value) - self._base
        return float(self._weights[place]) if 0 <= place < len(self._weights) else 0.0

    def array(self, values: int | None = None) -> Floats:
        """Return the probabilities of the values 0, 1, ... as a new array.

        Parameters
        ----------
        values : int, optional
            The length of the array; by default the least power of two that holds all possible values.

        Raises
        ------
        SgaiError
            If possible values do not fit.
        """
        needed = self.largest + 1
        if values is None:
            values = 1 << (needed - 1).bit_length()
        if not needed <= check_integer(values) <= MOST_VALUES:
            raise SgaiError(
                f"values={quote(values)}: values up to {quote(self.largest)} are possible; an array holds "
                f"{MOST_VALUES:,} at most"
            )
        found = np.zeros(values)
        end = min(values, self._base + len(self._weights))
        found[self._base : end] = self._weights[: end - self._base]
        return found

    def strike(self, values: Iterable[int]) -> "Belief":
        """Return the belief without values that are proved impossible.

        Raises
        ------
        SgaiError
            If no value is left: one of the proofs, or the belief, is wrong.
        """
        struck = [check_integer(value) for value in values]
        places = [value - self._base for value in struck if 0 <= value - self._base < len(self._weights)]
        if not places:
            return self
        weights = self._weights.copy()
        weights[places] = 0.0
        return self._left(weights, "{} are struck out", sorted(set(struck)))

    def at_most(self, value: int) -> "Belief":
        """Return the belief without values above a proved bound: the number of options, for example.

        Raises
        ------
        SgaiError
            If no value is left.
        """
        kept = check_integer(value) - self._base + 1
        if kept >= len(self._weights):
            return self
        weights = self._weights.copy()
        weights[max(kept, 0) :] = 0.0
        return self._left(weights, "only values up to {} are left", value)

    def _left(self, weights: Floats, why: str, what: object) -> "Belief":
        largest = float(weights.max())
        if not largest:
            because = why.format(quote(what))
            raise SgaiError(f"{because}: no value of {self!r} is left, so a proof or the belief is wrong")
        weights /= largest  # what is left may be too little to divide by its sum
        weights /= weights.sum()
        left = Belief.__new__(Belief)
        left._set_trimmed(self._base, weights)
        return left

    def agreement(self, other: "Belief") -> float:
        """Return the probability that two independent components have the same value, that their sum is lost.

        Examples
        --------
        >>> Belief.uniform(2).agreement(Belief.uniform(4))
        0.25
        """
        small, large = (self, other) if len(self._weights) <= len(other._weights) else (other, self)
        start = small._base - large._base
        if not 0 <= start < len(large._weights):
            return 0.0
        return min(1.0, float(small._weights @ large._weights[start : start + len(small._weights)]))

    def shifted(self, value: int) -> "Belief":
        """Return the belief in the XOR with a known value.

        Examples
        --------
        >>> Belief.from_weights([0, 1, 1]).shifted(5)
        Belief(4: 0.5, 7: 0.5)
        """
        value = _grundy_value(value)
        low = value & len(self._weights) - 1
        return Belief._made(self._base ^ (value - low), _permuted(self._weights, low))

    def transform(self) -> Floats:
        """Return the Walsh-Hadamard transform of the probabilities, kept for the next call; not to be changed."""
        if self._transform is None:
            found = walsh_hadamard(self._weights)
            found.flags.writeable = False
            self._transform = found
        return self._transform

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Belief):
            return NotImplemented
        return self._base == other._base and np.array_equal(self._weights, other._weights)

    def __hash__(self) -> int:
        return hash((self._base, self._weights.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Belief._made, (self._base, self._weights)

    def __repr__(self) -> str:
        if self.known is not None:
            return f"Belief.point({_shown(self.known)})"
        likely = np.argsort(-self._weights, kind="stable")[:8]
        shown = [f"{_shown(self._base + int(i))}: {self._weights[i]:.3g}" for i in sorted(likely) if self._weights[i]]
        return f"Belief({', '.join(shown)}{', ...' if np.count_nonzero(self._weights) > 8 else ''})"


def _shown(value: int) -> str:
    return quote(value).strip("'")


_ONE: Floats = np.ones(1)
_ONE.flags.writeable = False


def _grundy_value(value: int) -> int:
    value = check_integer(value)
    if value < 0:
        raise SgaiError(f"{quote(value)} is no Grundy value: they are integers of 0 or more")
    return value


def _distribution(given: npt.ArrayLike) -> Floats:
    try:
        weights = np.array(given, dtype=np.float64) + 0.0  # equal beliefs have equal bytes: no -0.0
    except (TypeError, ValueError):
        raise SgaiError(f"{quote(given)} is no list of probabilities: they are numbers of 0 or more") from None
    if weights.ndim != 1 or not 1 <= len(weights) <= MOST_VALUES:
        raise SgaiError(
            f"probabilities of shape {weights.shape}: they should be one list of 1 to {MOST_VALUES:,} numbers"
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        value = int(np.argmax(wrong))
        raise SgaiError(f"value {value} has the probability {float(weights[value])!r}; it should be a number from 0 on")
    return weights


def _permuted(weights: Floats, low: int) -> Floats:
    return weights[_counting(len(weights)) ^ low] if low else weights


@functools.lru_cache(maxsize=8)
def _counting(size: int) -> npt.NDArray[np.intp]:
    return np.arange(size)


@functools.lru_cache(maxsize=8)
def _hadamard(size: int) -> Floats:
    if size == 1:
        return np.ones((1, 1))
    half = _hadamard(size // 2)
    return np.block([[half, half], [half, -half]])


def walsh_hadamard(values: npt.NDArray[Any]) -> Floats:
    """Return the Walsh-Hadamard transform along the last axis, whose length is a power of two; not scaled.

    Twice it gives the input times that length. It turns XOR-convolution into the product of numbers (N. J. Fine, *On
    the Walsh functions*, 1949). Blocks of 64 are one matrix product, so that it takes O(V log V) time.

    Examples
    --------
    >>> walsh_hadamard(np.array([0.5, 0.25, 0.25, 0.0])).tolist()
    [1.0, 0.5, 0.5, 0.0]
    """
    size = values.shape[-1]
    if size <= _BLOCK:
        product: Floats = values.dot(_hadamard(size))  # the matrix is symmetric
        return product
    # The matrix of a product of sizes is the Kronecker product of the matrices.
    blocks = values.reshape(*values.shape[:-1], size // _BLOCK, _BLOCK) @ _hadamard(_BLOCK)
    return np.ascontiguousarray(walsh_hadamard(blocks.swapaxes(-1, -2)).swapaxes(-1, -2)).reshape(values.shape)


def _stretched(transform: Floats, size: int) -> Floats:
    # Zeros after the values repeat the transform.
    return transform if len(transform) == size else np.tile(transform, size // len(transform))


class _Product:
    """Independent beliefs: the nim-sum of all that is exact, and the transforms of the uncertain ones."""

    __slots__ = ("base", "size", "transforms")

    def __init__(self, beliefs: Iterable[Belief]) -> None:
        base = 0
        transforms: list[Floats] = []
        for each in beliefs:
            base ^= each._base
            if len(each._weights) > 1:
                found = each._transform
                transforms.append(each.transform() if found is None else found)
        sizes = set(map(len, transforms))
        self.base, self.size = base, max(sizes, default=1)
        self.transforms = transforms if len(sizes) < 2 else [_stretched(each, self.size) for each in transforms]

    def multiplied(self) -> Floats:
        """Return the transform of the XOR of the uncertain ones, of which there is one at least."""
        product: Floats = np.multiply.reduce(self.transforms)
        return product


def _probabilities(transform: Floats) -> Floats:
    weights = walsh_hadamard(transform)
    # Not to zero, which would say that the value is proved impossible.
    np.maximum(weights, _LEAST, out=weights)
    weights /= np.add.reduce(weights, axis=-1, keepdims=True)
    return weights


def sum_belief(beliefs: Iterable[Belief]) -> Belief:
    """Return the belief in the Grundy value of a sum of independent components.

    Known values are XORed, and stay exact; the others are convolved, to float64 rounding.

    Examples
    --------
    >>> sum_belief([Belief.point(1000), Belief.point(7)])
    Belief.point(1007)
    >>> sum_belief([Belief.point(2), Belief.uniform(2), Belief([0.75, 0.25])])
    Belief(2: 0.5, 3: 0.5)
    """
    product = _Product(beliefs)
    if not product.transforms:
        return Belief.point(product.base)
    return _shifted(product.base, _probabilities(product.multiplied()))


def _shifted(value: int, weights: Floats) -> Belief:
    low = value & len(weights) - 1
    return Belief._made(value - low, _permuted(weights, low))


def loss_probability(beliefs: Iterable[Belief]) -> float:
    """Return the probability that the player to move in a sum of independent components loses: that their XOR is 0.

    It is exactly 0.0 or 1.0 where all values are known; elsewhere it is an estimate, and 0.0 or 1.0 no proof.

    Examples
    --------
    >>> loss_probability([Belief.point(5), Belief.point(5)]), loss_probability([Belief.point(1), Belief.uniform(4)])
    (1.0, 0.25)
    """
    product = _Product(beliefs)
    if not product.transforms:
        return 0.0 if product.base else 1.0
    if product.base >= product.size:
        return 0.0
    transform = product.multiplied()
    if product.size <= _BLOCK:
        mass = float(transform @ _hadamard(product.size)[product.base]) / product.size
    else:
        mass = float(walsh_hadamard(transform)[product.base]) / product.size
    return min(1.0, max(0.0, mass))


def targets(beliefs: Sequence[Belief]) -> list[Belief]:
    """Return for each component the belief in the value that a winning move in it must reach.

    That is the XOR of all *other* components: a move wins if it leads to a position with that value.

    Examples
    --------
    >>> targets([Belief.point(3), Belief.point(5), Belief.uniform(2)])
    [Belief(4: 0.5, 5: 0.5), Belief(2: 0.5, 3: 0.5), Belief.point(6)]
    """
    product = _Product(beliefs)
    if not product.transforms:
        return [Belief.point(product.base ^ each._base) for each in beliefs]
    whole: Floats | None = None
    apart = iter(_left_out(product.transforms))
    found = []
    for each in beliefs:
        rest = product.base ^ each._base
        if len(each._weights) == 1:
            if whole is None:
                whole = _probabilities(product.multiplied())
            found.append(_shifted(rest, whole))
        else:
            others = next(apart)
            found.append(Belief.point(rest) if others is None else _shifted(rest, others))
    return found


def _left_out(transforms: list[Floats]) -> list[Floats] | list[None]:
    """Return the distribution of all but one, for each; products from both ends, since transforms may be 0."""
    if len(transforms) == 1:
        return [None]
    size = len(transforms[0])
    products = np.ones((len(transforms), size))
    for i in range(1, len(transforms)):
        np.multiply(products[i - 1], transforms[i - 1], out=products[i])
    after = np.ones(size)
    for i in range(len(transforms) - 2, -1, -1):
        after *= transforms[i + 1]
        products[i] *= after
    return list(_probabilities(products))
