"""What a sweep is made of: its items, and what may be spent on each."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import sgai
from sgai.errors import SgaiError, quote
from sgai.experiments.sweeps.items import Item
from sgai.parameters import check_choice
from sgai.rulesets.heaps import HeapRuleset
from sgai.sequences import LARGEST_COMPILED

PLAYS = ("normal", "misere")


@dataclass(frozen=True)
class Question:
    """What is asked of each item, and what may be spent on it.

    Attributes
    ----------
    heaps : int or None
        In place of the item's position: the values of the heaps 0 to this one, which is the answer's position.
    find_period : bool
        Whether to look for a period among them.
    values : bool
        Whether to keep them all.
    play : "normal", "misere" or None
        By default what the ruleset says.
    seconds : float or None
        The most for an item.
    states : int or None
        The most to evaluate for an item; by default as `Solver.solve`.
    store : str or None
        The file of the nimber store that values are kept in, and looked up.
    """

    heaps: int | None = None
    find_period: bool = False
    values: bool = False
    play: str | None = None
    seconds: float | None = None
    states: int | None = None
    store: str | None = None

    def __post_init__(self) -> None:
        """Refuse what does not go together."""
        if self.play is not None:
            check_choice("play", self.play, PLAYS)
        if self.heaps is None and (self.find_period or self.values):
            which = "find-period" if self.find_period else "values"
            raise SgaiError(f"--{which} is about a sequence of heaps: say how many with --heaps N")
        if self.heaps is not None and self.play == "misere":
            raise SgaiError("--heaps is for Grundy values, which are of normal play: leave out --play misere")
        if self.heaps is not None and self.heaps >= LARGEST_COMPILED:
            raise SgaiError(f"heaps={self.heaps:,}: go up to {LARGEST_COMPILED - 1:,}")


@dataclass(frozen=True)
class SweepSettings:
    """A sweep: the same question about many items.

    Attributes
    ----------
    items : tuple of Item
        Each once.
    question : Question
        What is asked of each.
    plugins : tuple of str
        Files that register rulesets.

    Examples
    --------
    >>> settings = SweepSettings.parse(["kayles", "0.77", "kayles [3]"])
    >>> [(item.ruleset, item.position) for item in settings.items]
    [('kayles', '[5;7]'), ('take_and_break(code=[0.77])', '[5;6;7]'), ('kayles', '[3]')]
    """

    items: tuple[Item, ...]
    question: Question = Question()
    plugins: tuple[str, ...] = ()

    @classmethod
    def parse(
        cls, texts: Sequence[str], question: Question = Question(), plugins: Sequence[str] = ()
    ) -> "SweepSettings":
        """Read items, and check that the question can be asked of each; equal ones are solved once.

        Raises
        ------
        SgaiError
            For what cannot be read or asked; the message quotes the item.
        """
        items: dict[Item, None] = {}
        for text in texts:
            try:
                item = Item.parse(text)
                if question.heaps is not None and not isinstance(sgai.load_ruleset(item.ruleset), HeapRuleset):
                    raise SgaiError(f"{item.ruleset} has no heaps, so no sequence of values; leave out --heaps")
            except SgaiError as error:
                raise SgaiError(f"item {quote(text)}: {error}") from error
            items[item if question.heaps is None else Item(item.ruleset, f"[{question.heaps}]")] = None
        if not items:
            raise SgaiError("there is nothing to solve: name a ruleset, or a file of them with --file")
        return cls(tuple(items), question, tuple(plugins))

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain numbers and text, with what the plugins were."""
        return {
            "sgai": sgai.__version__,
            "items": [[item.ruleset, item.position] for item in self.items],
            "question": asdict(self.question),
            "plugins": list(self.plugins),
            "plugins_sha256": [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in self.plugins],
        }

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> "SweepSettings":
        """Return the settings that `to_dict` wrote.

        Raises
        ------
        KeyError, TypeError, ValueError
            If something is missing or of the wrong type.
        """
        items = tuple(Item(str(ruleset), str(position)) for ruleset, position in found["items"])
        return cls(items, Question(**found["question"]), tuple(map(str, found["plugins"])))
