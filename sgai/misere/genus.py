"""The genus of a game: its Grundy value, and its misere Grundy values beside heaps of two."""

from collections.abc import Iterable
from dataclasses import dataclass

from sgai.misere.tame import Tame
from sgai.nimbers import mex


@dataclass(frozen=True)
class Genus:
    """A genus g^abc...: the Grundy value g, and the misere Grundy values with 0, 1, 2, ... heaps of 2 beside the game.

    The misere Grundy value of a game is the least number that no option has, but 1 for a game without options; it is 0
    for what is lost under misere play. From some point on the values alternate, and what is written stops there.

    Attributes
    ----------
    grundy : int
        The Grundy value of normal play.
    misere : tuple of int
        The misere Grundy values, to the two that then alternate for ever; as few as possible, two at least.

    Examples
    --------
    >>> str(Genus.of([])), str(Genus.of([Genus.of([])]))
    ('0^120', '1^031')
    """

    grundy: int
    misere: tuple[int, ...]

    @staticmethod
    def of(options: Iterable["Genus"]) -> "Genus":
        """Return the genus of the game with these genera as options.

        With i + 1 heaps of 2 beside, the options are those of the game with as many beside, and the game itself with i
        of them and perhaps one token more, which changes its misere Grundy value v to v XOR 1 (*Winning Ways*,
        chapter 13).
        """
        listed = list(dict.fromkeys(options))
        values = [mex({option.value(0) for option in listed}) if listed else 1]
        settled = max((len(option.misere) for option in listed), default=0)
        while len(values) < settled + 3 or values[-1] != values[-3]:
            beside = {option.value(len(values)) for option in listed}
            values.append(mex({values[-1], values[-1] ^ 1} | beside))
        while len(values) > 2 and values[-1] == values[-3]:
            values.pop()
        return Genus(mex({option.grundy for option in listed}), tuple(values))

    @staticmethod
    def of_tame(tame: Tame) -> "Genus":
        """Return the genus of a tame game.

        Examples
        --------
        >>> str(Genus.of_tame(Tame(2, 2))), str(Genus.of_tame(Tame(0, 1)))
        ('2^20', '0^120')
        """
        if tame.is_firm:
            return Genus(tame.grundy, (tame.grundy, tame.grundy ^ 2))
        return Genus(tame.grundy, (1, 2, 0) if tame.grundy == 0 else (0, 3, 1))

    def value(self, twos: int) -> int:
        """Return the misere Grundy value of the game with so many heaps of 2 beside it."""
        known = len(self.misere)
        return self.misere[twos] if twos < known else self.misere[known - 2 + (twos - known) % 2]

    @property
    def is_tame(self) -> bool:
        """Tell whether some sum of heaps of Nim has this genus; the game itself need not be tame."""
        value = Tame(self.grundy, self.misere[0])
        return (value.is_firm or value in (Tame(0, 1), Tame(1, 0))) and self == Genus.of_tame(value)

    def __str__(self) -> str:
        joint = "" if max(self.misere) < 10 else ","
        return f"{self.grundy}^{joint.join(map(str, self.misere))}"
