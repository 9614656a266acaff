"""Games given by a take-and-break code, and the named ones among them."""

from collections.abc import Iterator
from typing import ClassVar

from sgai.parameters import parameter
from sgai.registry import register
from sgai.rulesets.codes import TakeAndBreakCode, parse_code
from sgai.rulesets.heaps import HeapRuleset, Heaps


class CodeRuleset(HeapRuleset):
    """A heap game given by a code.

    Heap n of it is heap ``n + shift`` of the code's game, whose heaps up to the shift have no moves.
    """

    code_text: ClassVar[str] = ""
    shift: ClassVar[int] = 0

    def heap_code(self) -> TakeAndBreakCode:
        """Return the code, parsed."""
        return parse_code(self.code_text)

    def results(self, heap: int) -> Iterator[Heaps]:
        """Yield what the code allows, in the sizes of this game."""
        if not self.shift:
            yield from self.heap_code().results(heap)
            return
        seen = set()
        for parts in self.heap_code().results(heap + self.shift):
            # Heaps of the code's game up to the shift have no moves: in this game they are no heaps.
            result = tuple(part - self.shift for part in parts if part > self.shift)
            if result not in seen:
                seen.add(result)
                yield result

    def is_result(self, heap: int, result: Heaps) -> bool:
        """Tell whether one heap may become the result."""
        return super().is_result(heap, result) if self.shift else self.heap_code().allows(heap, tuple(result))


def by_code(ruleset: HeapRuleset) -> CodeRuleset | None:
    """Return the ruleset if its code says all of its rules, else None: for other games, and changed subclasses."""
    return ruleset if isinstance(ruleset, CodeRuleset) and ruleset.trusts("heap_code") else None


@register
class TakeAndBreak(CodeRuleset):
    """Any game of taking tokens from a heap and breaking up the rest, by its code (0.77, 4!.0, 0.[3], ...)."""

    name = "take_and_break"

    piles: tuple[int, ...] = parameter(default=(5, 6, 7), start=True, doc="the heaps at the start")
    code: str = parameter(default="0.77", doc="octal, hexadecimal or generalised: 0.77, 4!.0, 0.[3], 0.{1,2,3}{6}")

    def __post_init__(self) -> None:
        """Bring the code to its normal form."""
        super().__post_init__()
        object.__setattr__(self, "code", str(parse_code(self.code)))

    def heap_code(self) -> TakeAndBreakCode:
        """Return the code, parsed."""
        return parse_code(self.code)


@register
class Kayles(CodeRuleset):
    """Knock down one pin or two neighbours in a row of pins: 0.77 (H. E. Dudeney, 1907)."""

    name = "kayles"
    code_text = "0.77"

    piles: tuple[int, ...] = parameter(default=(5, 7), start=True, doc="the rows of pins at the start")


@register
class DawsonsKayles(CodeRuleset):
    """Knock down two neighbouring pins in a row: 0.07 (T. R. Dawson)."""

    name = "dawsons_kayles"
    code_text = "0.07"

    piles: tuple[int, ...] = parameter(default=(7, 10), start=True, doc="the rows of pins at the start")


@register
class DawsonsChess(CodeRuleset):
    """Dawson's Chess on a strip of n files: 0.137; also Node Kayles on a path of n vertices."""

    name = "dawsons_chess"
    code_text = "0.137"

    piles: tuple[int, ...] = parameter(default=(6, 9), start=True, doc="the strips at the start")


@register
class TreblecrossRow(CodeRuleset):
    """Treblecross on a row of n cells, without moves that let the opponent win at once: 0.007, with n = heap - 2."""

    name = "treblecross_row"
    normal_disjunctive_only = (
        "moves that lose the real game at once are left out, which keeps its outcome in normal play and nothing else"
    )
    code_text = "0.007"
    shift = 2

    piles: tuple[int, ...] = parameter(default=(9,), start=True, doc="the rows of cells at the start")


@register
class GrundysGame(CodeRuleset):
    """Split one heap into two unequal heaps: 4!.0 (P. M. Grundy, 1939)."""

    name = "grundys_game"
    code_text = "4!.0"

    piles: tuple[int, ...] = parameter(default=(7, 8), start=True, doc="the heaps at the start")


@register
class Lasker(CodeRuleset):
    """Lasker's Nim: take any positive number from one heap, or split it in two: 4.[3]."""

    name = "lasker"
    code_text = "4.[3]"

    def closed_form(self, heap: int) -> int:
        """Return the heap's size, with 4k + 3 and 4k + 4 exchanged (*Winning Ways*, chapter 4)."""
        if heap % 4 == 3:
            return heap + 1
        return heap - 1 if heap % 4 == 0 and heap else heap
