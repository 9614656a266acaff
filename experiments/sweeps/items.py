"""What a sweep solves: items as they are written, with ranges filled in, or read from a file."""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import sgai
from sgai.errors import SgaiError, nearest, quote, quote_path
from sgai.syntax import split

MOST_ITEMS = 1_000_000
_FIELD = re.compile(r"\{([A-Za-z_]\w*)\}")
_SPAN = re.compile(r"(\d+)-(\d+)(?::(\d+))?")


@dataclass(frozen=True)
class Item:
    """A ruleset and a position, as the ruleset itself writes them.

    Attributes
    ----------
    ruleset : str
        Its text.
    position : str
        Its text.
    """

    ruleset: str
    position: str

    @classmethod
    def parse(cls, text: str) -> "Item":
        """Read ``RULESET`` or ``RULESET POSITION``; by default the position is the ruleset's initial one.

        Raises
        ------
        SgaiError
            For what is no ruleset, or no position of it.

        Examples
        --------
        >>> Item.parse("kayles [5;7]"), Item.parse("cram(rows=2, columns=3)").ruleset
        (Item(ruleset='kayles', position='[5;7]'), 'cram(rows=2,columns=3)')
        """
        name, position = _parted(text.strip())
        ruleset = sgai.load_ruleset(name)
        return cls(str(ruleset), ruleset.format(ruleset.parse(position) if position else ruleset.initial()))


def _parted(text: str) -> tuple[str, str]:
    """Split at the first space that stands outside of brackets."""
    for found in re.finditer(r"\s+(?!\()", text):
        try:
            split(text[: found.start()])
        except SgaiError:  # within brackets
            continue
        return text[: found.start()], text[found.end() :]
    return text, ""


def parse_range(text: str) -> tuple[str, list[str]]:
    """Read ``name=2-5``, ``name=2-10:4`` (in steps) or ``name=a,b,c``; lists may hold spans.

    Raises
    ------
    SgaiError
        For what is none of these.

    Examples
    --------
    >>> parse_range("rows=2-5"), parse_range("n=1,4-8:2"), parse_range("code=0.07,0.77")
    (('rows', ['2', '3', '4', '5']), ('n', ['1', '4', '6', '8']), ('code', ['0.07', '0.77']))
    """
    name, equals, written = text.partition("=")
    name = name.strip()
    if not equals or not _FIELD.fullmatch("{" + name + "}") or not written.strip():
        raise SgaiError(f"range {quote(text)} should be name=2-5, name=2-10:2 or name=a,b,c")
    values: list[str] = []
    for part in split(written, ","):
        span = _SPAN.fullmatch(part)
        if span is None:
            values.append(part)
            continue
        first, last, step = int(span[1]), int(span[2]), int(span[3] or 1)
        if step < 1 or last < first:
            raise SgaiError(
                f"range {quote(text)}: {part} goes nowhere; write the smaller number first, and a step of 1 up"
            )
        if (last - first) // step >= MOST_ITEMS:
            raise SgaiError(f"range {quote(text)}: {part} is more than {MOST_ITEMS:,} numbers")
        values.extend(map(str, range(first, last + 1, step)))
    return name, values


def expand(texts: Sequence[str], ranges: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield texts with each ``{name}`` filled in by every value of its range, the last one changing fastest.

    Parameters
    ----------
    texts : sequence of str
        Items; those without a ``{name}`` are yielded as they are. Braces around anything but a name are left alone.
    ranges : mapping
        Names to values.

    Raises
    ------
    SgaiError
        If a name has no range, a range no name, or there are too many items.

    Examples
    --------
    >>> list(expand(["nim(piles=[{a};{b}])", "kayles"], {"a": ["1", "2"], "b": ["3", "5"]}))
    ['nim(piles=[1;3])', 'nim(piles=[1;5])', 'nim(piles=[2;3])', 'nim(piles=[2;5])', 'kayles']
    """
    used: set[str] = set()
    count = 0
    for text in texts:
        present = set(_FIELD.findall(text))
        for name in sorted(present - ranges.keys()):
            raise SgaiError(f"{quote(text)}: {{{name}}} has no range{nearest(name, ranges)}; give --range {name}=2-5")
        used |= present
        names = [name for name in ranges if name in present]
        for values in itertools.product(*(ranges[name] for name in names)):
            count += 1
            if count > MOST_ITEMS:
                raise SgaiError(f"the ranges give more than {MOST_ITEMS:,} items")
            given = dict(zip(names, values, strict=True))
            yield _FIELD.sub(lambda found, given=given: given[found[1]], text)  # type: ignore[misc]
    for name in ranges.keys() - used:
        raise SgaiError(f"range {name!r}: no item has {{{name}}} in it")


def read_items(file: str) -> list[str]:
    """Read a file with one item a line; empty lines, and those that begin with ``#``, are left out.

    Raises
    ------
    SgaiError
        If it cannot be read.
    """
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SgaiError(f"{quote_path(file)} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
