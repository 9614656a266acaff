"""Numbers of games of the golden ratio phi, exact in integers of any size: Wythoff's pairs and Zeckendorf's parts."""

import math


def lower_wythoff(k: int) -> int:
    """Return floor(k phi) for k >= 0: phi is (1 + sqrt 5) / 2, and sqrt(5 k^2) is rounded down exactly.

    Examples
    --------
    >>> [lower_wythoff(k) for k in range(8)]
    [0, 1, 3, 4, 6, 8, 9, 11]
    """
    return (k + math.isqrt(5 * k * k)) // 2


def is_wythoff_pair(first: int, second: int) -> bool:
    """Tell whether two numbers are a pair (floor(k phi), floor(k phi) + k), in either order.

    Examples
    --------
    >>> is_wythoff_pair(3, 5), is_wythoff_pair(2, 1), is_wythoff_pair(3, 4)
    (True, True, False)
    """
    return lower_wythoff(abs(first - second)) == min(first, second)


def wythoff_partner(number: int) -> int:
    """Return the other number of the one pair that a number is in: every number above 0 is in exactly one.

    This is Beatty's theorem for phi and phi^2, whose reciprocals are phi - 1 and 2 - phi, and add up to 1.

    Examples
    --------
    >>> [wythoff_partner(number) for number in range(9)]
    [0, 2, 1, 5, 7, 3, 10, 4, 13]
    """
    after = number + 1
    k = lower_wythoff(after) - after  # floor((number + 1) / phi): the only k that floor(k phi) can be number for
    if lower_wythoff(k) == number:
        return number + k
    return lower_wythoff(2 * after - lower_wythoff(after) - 1)  # floor((number + 1) / phi^2)


def zeckendorf(number: int) -> list[int]:
    """Return the Fibonacci numbers, no two of them neighbours, that add up to a number; the largest first.

    There is exactly one such list (E. Zeckendorf), and the largest number that fits is always in it.

    Examples
    --------
    >>> zeckendorf(25), zeckendorf(34), zeckendorf(0)
    ([21, 3, 1], [34], [])
    """
    numbers = [1, 2]
    while numbers[-1] <= number:
        numbers.append(numbers[-1] + numbers[-2])
    parts = []
    for each in reversed(numbers):
        if each <= number:
            parts.append(each)
            number -= each
    return parts
