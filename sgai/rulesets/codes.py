"""Take-and-break codes: the octal notation of Guy and Smith (1956) with CGSuite's extensions.

Digit number j says what may be left after j tokens are taken from one heap: bit i of it allows exactly i non-empty
heaps. Sources: *Winning Ways*, chapter 4; CGSuite's documentation of its ruleset TakeAndBreak.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass

from sgai.errors import SgaiError, quote

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MODIFIERS = {"": "any", "!": "pairwise unequal", "?": "not all equal", "=": "all equal"}


class CodeError(SgaiError):
    """A take-and-break code that cannot be read; the message points at the character."""

    def __init__(self, code: str, place: int, problem: str) -> None:
        self.code, self.place, self.problem = code, place, problem
        pointed = repr(code[place]) if place < len(code) else "the end"
        super().__init__(f"code {quote(code)}: character {place + 1}, {pointed}: {problem}")

    def __reduce__(self) -> tuple[type["CodeError"], tuple[str, int, str]]:
        return CodeError, (self.code, self.place, self.problem)


@dataclass(frozen=True)
class Digit:
    """What may be left after a given number of tokens is taken.

    Attributes
    ----------
    counts : tuple of (int, str)
        Allowed numbers of heaps, ascending, each with its modifier (see `MODIFIERS`).
    more : (int, str) or None
        From this number of heaps on, every number is allowed, with this modifier.
    """

    counts: tuple[tuple[int, str], ...] = ()
    more: tuple[int, str] | None = None

    def __bool__(self) -> bool:
        return bool(self.counts) or self.more is not None

    def modifier(self, count: int) -> str | None:
        """Return the modifier for a number of heaps, or None where that number is not allowed."""
        if self.more is not None and count >= self.more[0]:
            return self.more[1]
        return dict(self.counts).get(count)

    def allowed_counts(self, tokens: int) -> Iterator[tuple[int, str]]:
        """Yield the numbers of non-empty heaps into which so many tokens may be left, with their modifiers."""
        for count, modifier in self.counts:
            if count <= tokens and (count > 0 or tokens == 0):
                yield count, modifier
        if self.more is not None:
            for count in range(self.more[0], tokens + 1):
                if count > 0 or tokens == 0:
                    yield count, self.more[1]

    def largest_count(self) -> int:
        """Return the largest number of heaps that is named."""
        return max([count for count, _ in self.counts] + ([self.more[0]] if self.more else []), default=0)

    def __str__(self) -> str:
        named = [*self.counts, *([self.more] if self.more else [])]
        # A modifier says nothing of fewer than two heaps.
        modifiers = {modifier for count, modifier in named if count > 1} or {""}
        if len(modifiers) > 1:
            inside = [f"{count}{modifier}" for count, modifier in named]
            return "{" + ",".join(inside) + ("+" if self.more else "") + "}"
        modifier = modifiers.pop()
        value = sum(1 << count for count, _ in self.counts)
        if self.more is None and value < len(DIGITS):
            return DIGITS[value] + modifier
        return "{" + ",".join(str(count) for count, _ in named) + ("+" if self.more else "") + "}" + modifier


@dataclass(frozen=True)
class TakeAndBreakCode:
    """A parsed code: the digits for taking 0, 1, 2, ... tokens, and those that repeat for ever after them.

    Examples
    --------
    >>> str(parse_code("0.770")), str(parse_code("0.3[3]")), str(parse_code("4!"))
    ('0.77', '0.[3]', '4!.0')
    """

    digits: tuple[Digit, ...]
    repeating: tuple[Digit, ...] = ()

    def digit(self, taken: int) -> Digit:
        """Return the digit for taking a number of tokens."""
        if taken < len(self.digits):
            return self.digits[taken]
        if not self.repeating:
            return Digit()
        return self.repeating[(taken - len(self.digits)) % len(self.repeating)]

    def digits_for(self, heap: int) -> Iterator[tuple[int, Digit]]:
        """Yield the numbers of tokens that may be taken from a heap, each with its digit."""
        last = heap if self.repeating else min(heap, len(self.digits) - 1)
        for taken in range(last + 1):
            digit = self.digit(taken)
            if digit:
                yield taken, digit

    def all_digits(self) -> tuple[Digit, ...]:
        """Return every digit that occurs, repeating ones included."""
        return self.digits + self.repeating

    def allows(self, heap: int, parts: tuple[int, ...]) -> bool:
        """Tell whether a heap may become the parts, which are sorted and positive."""
        taken = heap - sum(parts)
        if taken < 0 or any(part <= 0 for part in parts) or list(parts) != sorted(parts):
            return False
        modifier = self.digit(taken).modifier(len(parts))
        distinct = len(set(parts))
        if modifier is None or (not parts and taken != heap):
            return False
        return (
            len(parts) < 2 or ({"": True, "!": distinct == len(parts), "?": distinct > 1, "=": distinct == 1}[modifier])
        )

    def results(self, heap: int) -> Iterator[tuple[int, ...]]:
        """Yield everything that a heap may become, each once, as sorted tuples."""
        for taken, digit in self.digits_for(heap):
            for count, modifier in digit.allowed_counts(heap - taken):
                yield from _partitions(heap - taken, count, modifier)

    def results_in_turn(self, heap: int) -> Iterator[tuple[int, ...]]:
        """Yield the same, taking turns among the numbers of tokens and of heaps, so that none waits for a long one."""
        waiting = [
            _partitions(heap - taken, count, modifier)
            for taken, digit in self.digits_for(heap)
            for count, modifier in digit.allowed_counts(heap - taken)
        ]
        while waiting:
            going_on = []
            for each in waiting:
                result = next(each, None)
                if result is not None:
                    yield result
                    going_on.append(each)
            waiting = going_on

    def __str__(self) -> str:
        after = "".join(map(str, self.digits[1:]))
        repeating = f"[{''.join(map(str, self.repeating))}]" if self.repeating else ""
        return f"{self.digits[0]}.{after + repeating or '0'}"


def _partitions(total: int, count: int, modifier: str) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write a total as so many positive parts, ascending."""
    if count == 0:
        yield ()
    elif count == 1:
        yield (total,)
    elif modifier == "=":
        if total % count == 0:
            yield (total // count,) * count
    else:
        for parts in _ascending(total, count, 1, 1 if modifier == "!" else 0):
            if modifier != "?" or parts[0] != parts[-1]:
                yield parts


def _ascending(total: int, count: int, least: int, step: int) -> Iterator[tuple[int, ...]]:
    # An odometer, not recursion: the parts may be many.
    fill = step * count * (count - 1) // 2
    if least * count + fill > total:
        return
    parts = [least + step * i for i in range(count - 1)]
    while True:
        yield (*parts, total - sum(parts))
        place = count - 2
        while place >= 0:
            first = parts[place] + 1
            after = count - place
            if sum(parts[:place]) + first * after + step * after * (after - 1) // 2 <= total:
                parts[place:] = [first + step * i for i in range(count - 1 - place)]
                break
            place -= 1
        if place < 0:
            return


@functools.lru_cache(maxsize=1024)
def parse_code(text: str) -> TakeAndBreakCode:
    """Read a take-and-break code.

    Parameters
    ----------
    text : str
        For example ``0.77`` (Kayles), ``4!.0`` (Grundy's game), ``0.[3]`` (Nim), ``0.{1,2,3}{6}``, ``{2+}.0``. The
        point may be left out after a single digit.

    Returns
    -------
    TakeAndBreakCode
        In normal form: no trailing zeros, the shortest repeating part.

    Raises
    ------
    CodeError
        If it cannot be read, or play in it might not end; the message points at the character.
    """
    return _Parser(text.strip()).parse()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0

    def parse(self) -> TakeAndBreakCode:
        if not self.text:
            raise CodeError(self.text, 0, "a code has a digit, a point and digits, as 0.77")
        if self.peek() == ".":
            raise self.error("a digit is missing before the point; write 0.77 for .77")
        before = self.digit()
        if self.peek() not in ("", "."):
            if self.peek() in DIGITS or self.peek() == "{":
                self.place = 0
                raise self.error(
                    "only one digit may stand before the point: further ones add tokens, and play may not end"
                )
            raise self.error("a point should stand here")
        if any(count < 2 for count, _ in before.counts) or (before.more and before.more[0] < 2):
            self.place = 0
            raise self.error("a digit before the point takes nothing, so it may only split, as 4, 8, C or {2+} do")
        self.place += 1
        digits, repeating = [before], []
        while self.place < len(self.text):
            if self.peek() == "[":
                repeating = self.repeating()
            else:
                digits.append(self.digit())
        return _normal(digits, repeating)

    def repeating(self) -> list[Digit]:
        opened = self.place
        self.place += 1
        digits = []
        while self.peek() != "]":
            if not self.peek():
                self.place = opened
                raise self.error("this bracket is not closed")
            digits.append(self.digit())
        if not digits:
            raise self.error("a digit is missing between the brackets")
        self.place += 1
        if self.peek():
            raise self.error("repeating digits stand at the end; nothing may follow them")
        return digits

    def digit(self) -> Digit:
        character = self.peek()
        if character == "{":
            return self.braces()
        if character not in DIGITS or not character:
            problem = "a digit 0-9, A-Z or a list in braces such as {2,3} should stand here"
            if character and character.upper() in DIGITS:
                problem += f"; letters are upper case: {character.upper()}"
            raise self.error(problem)
        self.place += 1
        value = DIGITS.index(character)
        modifier = self.modifier()
        return Digit(tuple((count, modifier) for count in range(6) if value >> count & 1))

    def braces(self) -> Digit:
        opened = self.place
        closing = self.text.find("}", opened)
        if closing < 0:
            raise self.error("this brace is not closed")
        named: dict[int, str] = {}
        more: tuple[int, str] | None = None
        self.place += 1
        while True:
            at = self.place
            while self.peek().isdecimal() and self.peek().isascii():
                self.place += 1
            if at == self.place or self.place - at > 6:
                self.place = at
                raise self.error("a number of heaps should stand here, as in {2,3} or {2+}")
            count = int(self.text[at : self.place])
            modifier = self.modifier()
            if count in named:
                self.place = at
                raise self.error(f"{count} is named twice")
            if self.peek() == "+":
                if any(other > count for other in named):
                    self.place = at
                    raise self.error("the open range should start above the other numbers")
                more = (count, modifier)
                self.place += 1
                if self.peek() != "}":
                    raise self.error("an open range ends the list: a closing brace should follow")
            else:
                named[count] = modifier
            if self.peek() == "}":
                break
            if self.peek() != ",":
                raise self.error("a comma or a closing brace should stand here")
            self.place += 1
        self.place += 1
        at = self.place
        for_all = self.modifier()
        if for_all:
            if any(named.values()) or (more and more[1]):
                self.place = at
                raise self.error("a modifier stands inside the braces already")
            named = dict.fromkeys(named, for_all)
            more = (more[0], for_all) if more else None
        return Digit(tuple(sorted(named.items())), more)

    def modifier(self) -> str:
        if self.peek() and self.peek() in MODIFIERS:
            self.place += 1
            return self.text[self.place - 1]
        return ""

    def peek(self) -> str:
        return self.text[self.place] if self.place < len(self.text) else ""

    def error(self, problem: str) -> CodeError:
        return CodeError(self.text, self.place, problem)


def _normal(digits: list[Digit], repeating: list[Digit]) -> TakeAndBreakCode:
    digits = [_plain(digit) for digit in digits]
    repeating = [_plain(digit) for digit in repeating]
    if not any(repeating):
        repeating = []
        while len(digits) > 1 and not digits[-1]:
            digits.pop()
    else:
        for period in range(1, len(repeating) + 1):
            if len(repeating) % period == 0 and repeating == repeating[:period] * (len(repeating) // period):
                repeating = repeating[:period]
                break
        while len(digits) > 1 and digits[-1] == repeating[-1]:
            digits.pop()
            repeating = [repeating[-1], *repeating[:-1]]
    return TakeAndBreakCode(tuple(digits), tuple(repeating))


def _plain(digit: Digit) -> Digit:
    # Modifiers say nothing of fewer than two heaps, so equal rules get equal digits.
    counts = {count: modifier if count > 1 else "" for count, modifier in digit.counts}
    more = digit.more
    if more and more[0] < 2 and more[1]:
        counts.update(dict.fromkeys(range(more[0], 2), ""))
        more = (2, more[1])
    while more and counts.get(more[0] - 1) == more[1] and (more[0] - 1 > 1 or not more[1]):
        more = (more[0] - 1, more[1])
        del counts[more[0]]
    return Digit(tuple(sorted(counts.items())), more)
