"""Misere canonical forms: one form for all games that no company tells apart under misere play."""

from collections.abc import Iterable, Iterator
from functools import cached_property

from sgai.misere.genus import Genus
from sgai.misere.tame import Tame, tame_value

LARGEST_BIRTHDAY = 60  # forms of more are not made: recursion goes as deep, and sums get far too large


class FormTooLarge(Exception):
    """A form would take more work than was allowed."""


class Form:
    """A game in misere canonical form; there is one object for each.

    Equal games have the same form: ``a is b`` says whether a + X and b + X have the same misere outcome for every
    game X.

    Examples
    --------
    >>> str(nim_form(2)), str(add_forms(nim_form(1), nim_form(1)))
    ('*[2]', '*[0]')
    >>> str(form_of([nim_form(4), nim_form(2)])), str(form_of([nim_form(3), nim_form(2)]))
    ('*[42]', '*[2[2]]')
    """

    __slots__ = ("__dict__", "birthday", "number", "options")

    def __init__(self, options: frozenset["Form"], number: int) -> None:
        self.options = options
        self.number = number  # in order of making
        self.birthday: int = 1 + max(option.birthday for option in options) if options else 0

    @cached_property
    def genus(self) -> Genus:
        """The genus."""
        return Genus.of(option.genus for option in self.options)

    @cached_property
    def tame(self) -> Tame | None:
        """What the game is worth if it is proved tame, else None."""
        return tame_value(self.sums)

    @property
    def sums(self) -> Iterator[tuple["Form", ...]]:
        """Yield the options, each as a sum of one form."""
        for option in self.options:
            yield (option,)

    @property
    def is_lost(self) -> bool:
        """Whether the player to move loses under misere play."""
        return self.genus.misere[0] == 0

    @cached_property
    def nim_heap(self) -> int | None:
        """The size of the heap of Nim that the game is, or None."""
        sizes = {option.nim_heap for option in self.options}
        return len(sizes) if sizes == set(range(len(sizes))) else None

    @cached_property
    def text(self) -> str:
        """The form as in *Winning Ways*, without the star; subscripts are written in brackets."""
        return written_form(self)

    def __str__(self) -> str:
        return f"*[{self.text}]"

    def __repr__(self) -> str:
        return str(self)


_forms: dict[frozenset[Form], Form] = {}
_sums: dict[tuple[Form, Form], Form] = {}


def _made(options: frozenset[Form]) -> Form:
    form = _forms.get(options)
    if form is None:
        form = Form(options, len(_forms))
        if form.birthday > LARGEST_BIRTHDAY:
            raise FormTooLarge
        _forms[options] = form
    return form


def form_of(options: Iterable[Form]) -> Form:
    """Return the canonical form of the game with these options.

    A game G equals a form H if the options of H are among those of G and each of the other options of G has H as an
    option; if H has no options, G must also be won by the player to move (Conway, *On Numbers and Games*, chapter 12).
    Then every other option of G reverts to H, so H is an option of an option: those are tried, and if none fits, G with
    its options as they are is in canonical form.

    Raises
    ------
    FormTooLarge
        If its play may be longer than 60 moves.

    Examples
    --------
    >>> form_of([form_of([nim_form(2)])]) is nim_form(2)  # the only option reverts to 2
    False
    >>> form_of([nim_form(1)]) is nim_form(0)
    True
    """
    listed = frozenset(options)
    for candidate in {after for option in listed for after in option.options}:
        rest = listed - candidate.options
        if (
            candidate.options <= listed
            and all(candidate in option.options for option in rest)
            and (candidate.options or any(option.is_lost for option in listed))
        ):
            return candidate
    return _made(listed)


def nim_form(size: int) -> Form:
    """Return the form of a heap of Nim."""
    forms: list[Form] = []
    for _ in range(size + 1):
        forms.append(_made(frozenset(forms)))
    return forms[-1]


class Work:
    """How many sums of forms may be made.

    Parameters
    ----------
    sums : int
        The most.
    """

    def __init__(self, sums: int) -> None:
        self.left = sums

    def spend(self) -> None:
        """Count a sum.

        Raises
        ------
        FormTooLarge
            If it is one too many.
        """
        self.left -= 1
        if self.left < 0:
            raise FormTooLarge


def add_forms(first: Form, second: Form, work: Work | None = None) -> Form:
    """Return the form of a sum.

    Raises
    ------
    FormTooLarge
        If it takes more sums of forms than allowed, or play may be longer than 60 moves.

    Notes
    -----
    Sums are kept; a new one takes the sums of all pairs of followers of the two.
    """
    if not first.options:
        return second
    if not second.options:
        return first
    if first.birthday + second.birthday > 2 * LARGEST_BIRTHDAY:
        raise FormTooLarge
    key = (first, second) if first.number <= second.number else (second, first)
    known = _sums.get(key)
    if known is None:
        if work is not None:
            work.spend()
        options = [add_forms(option, second, work) for option in first.options]
        options += [add_forms(first, option, work) for option in second.options]
        known = _sums[key] = form_of(options)
    return known


# Text


def written_form(form: Form) -> str:
    """Write a form as *Winning Ways* and CGSuite do, without the star.

    A number is a heap of Nim; other games are the list of their options, the largest first: ``42``. What comes in
    brackets is written as a subscript in print: ``2[2]`` is the sum 2 + 2, ``2[#]`` the game whose only option is 2.
    """
    if form.nim_heap is not None:
        return str(form.nim_heap)
    base, marks = _stripped(form)
    if marks:
        return f"{_enclosed(base)}[{''.join(marks)}]"
    return "".join(_enclosed(option) for option in sorted(form.options, key=_rank, reverse=True))


def _enclosed(form: Form) -> str:
    text = form.text
    if form.nim_heap is not None:
        return text if form.nim_heap < 10 else f"({text})"
    return text if text.endswith("]") and _stripped(form)[1] else f"({text})"


def _stripped(form: Form) -> tuple[Form, list[str]]:
    """Take subscripts off a form: ``#`` for a game with one option, a number for a heap of Nim that is added."""
    marks: list[str] = []
    while form.nim_heap is None:
        if len(form.options) == 1:
            marks.append("#")
            (form,) = form.options
            continue
        split = min(_splits(form), key=lambda each: _rank(each[0]), default=None)
        if split is None:
            break
        form, heap = split
        marks.append(str(heap))
    return form, marks[::-1]


def _splits(form: Form) -> Iterator[tuple[Form, int]]:
    """Yield the ways to write a form as a sum of a form and a heap of Nim of one digit."""
    for heap in range(1, min(10, form.birthday)):
        for summand in form.options:  # taking the whole heap leaves the summand
            if summand.options and add_forms(summand, nim_form(heap)) is form:
                yield summand, heap


def _rank(form: Form) -> tuple[int, ...]:
    return (form.birthday, form.number)
