"""The sequential probability ratio test: a match that ends as soon as it is decided.

A. Wald, *Sequential Tests of Statistical Hypotheses* (1945). Where scores can take more than two values, the
likelihoods are the greatest that a mean allows (the generalised test; for chess engines see M. Van den Bergh, *A
practical introduction to the GSPRT*).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sgai.errors import SgaiError, nearest, quote

MODELS = {"pairs": (0.0, 0.25, 0.5, 0.75, 1.0), "games": (0.0, 0.5, 1.0)}
_UNSEEN = 1e-3  # counted for scores that have not come up, so that no likelihood is 0


def expected_score(elo: float) -> float:
    """Return the mean score of an agent so many Elo points above its opponent.

    Examples
    --------
    >>> round(expected_score(100), 4)
    0.6401
    """
    return 1 / (1 + math.pow(10, -elo / 400))


def likeliest(shares: Sequence[float], values: Sequence[float], mean: float) -> list[float]:
    """Return the distribution of a given mean under which observed shares are likeliest.

    It is p_i = share_i / (1 + t (value_i - mean)), with the t at which the mean is right (A. B. Owen, *Empirical
    Likelihood*, 2001, chapter 2).

    Parameters
    ----------
    shares : sequence of float
        Of each value, summing to 1, all above 0.
    values : sequence of float
        Ascending, some below and some above the mean.
    mean : float
        What the mean should be.
    """
    # All weights stay positive between these bounds, where the mean falls strictly in t.
    low, high = -1 / (values[-1] - mean), 1 / (mean - values[0])
    for _ in range(50):  # as far as the precision of a number goes
        middle = (low + high) / 2
        slope = sum(share * (value - mean) / (1 + middle * (value - mean))
                    for share, value in zip(shares, values, strict=True))  # fmt: skip
        if slope > 0:
            low = middle
        else:
            high = middle
    middle = (low + high) / 2
    return [share / (1 + middle * (value - mean)) for share, value in zip(shares, values, strict=True)]


@dataclass(frozen=True)
class Sprt:
    """A test of "the first agent is elo1 stronger" against "it is elo0 stronger".

    Attributes
    ----------
    elo0, elo1 : float
        The hypotheses H0 and H1, elo0 below elo1.
    alpha, beta : float
        The greatest probabilities of accepting H1 where H0 is true, and H0 where H1 is.
    model : "pairs" or "games"
        What counts as one trial: the two games from one opening together, which are not independent, or each game.

    Examples
    --------
    >>> test = Sprt.parse("elo0=0,elo1=100,model=games")
    >>> [round(bound, 3) for bound in test.bounds()]
    [-2.944, 2.944]
    >>> round(test.log_likelihood_ratio([1.0] * 15), 2), test.verdict([1.0] * 15)
    (3.7, 'H1')
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "pairs"

    @classmethod
    def parse(cls, text: str) -> "Sprt":
        """Read ``elo0=0,elo1=20,alpha=0.05,beta=0.05,model=pairs``; what is left out keeps these values.

        Raises
        ------
        SgaiError
            For unknown names, or values that make no test.
        """
        values: dict[str, float | str] = {}
        for part in filter(None, (each.strip() for each in text.split(","))):
            name, _, value = (each.strip() for each in part.partition("="))
            if name not in cls.__dataclass_fields__:
                raise SgaiError(
                    f"sprt={quote(text)}: {quote(name)} is none of elo0, elo1, alpha, beta, model"
                    f"{nearest(name, cls.__dataclass_fields__)}"
                )
            try:
                values[name] = value if name == "model" else float(value)
            except ValueError:
                raise SgaiError(f"sprt={quote(text)}: {name} should be a number, not {quote(value)}") from None
        test = cls(**values)  # type: ignore[arg-type]
        if not -math.inf < test.elo0 < test.elo1 < math.inf:
            raise SgaiError(f"sprt={quote(text)}: elo0={test.elo0:g} should be less than elo1={test.elo1:g}")
        if not (0 < test.alpha < 0.5 and 0 < test.beta < 0.5):
            raise SgaiError(f"sprt={quote(text)}: alpha and beta should be between 0 and 0.5")
        if test.model not in MODELS:
            raise SgaiError(f"sprt={quote(text)}: model should be pairs or games")
        return test

    def bounds(self) -> tuple[float, float]:
        """Return Wald's bounds: the log likelihood ratio at which H0, or H1, is accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def log_likelihood_ratio(self, scores: Iterable[float]) -> float:
        """Return the log likelihood ratio of H1 to H0.

        Parameters
        ----------
        scores : iterable of float
            The first agent's score in each trial, from 0 to 1.
        """
        values = MODELS[self.model]
        counts = [0.0] * len(values)
        for score in scores:
            counts[values.index(score)] += 1
        return self.ratio_of_counts(counts)

    def ratio_of_counts(self, counts: Sequence[float]) -> float:
        """Return the log likelihood ratio, from how often each score of the model came up."""
        values = MODELS[self.model]
        if not any(counts):
            return 0.0
        padded = [count or _UNSEEN for count in counts]
        total = sum(padded)
        shares = [count / total for count in padded]
        under0, under1 = (likeliest(shares, values, expected_score(elo)) for elo in (self.elo0, self.elo1))
        return sum(count * math.log(one / zero) for count, zero, one in zip(padded, under0, under1, strict=True))

    def verdict(self, scores: Iterable[float]) -> str | None:
        """Return "H0" or "H1" if that is accepted, else None."""
        return self.verdict_of_ratio(self.log_likelihood_ratio(scores))

    def verdict_of_ratio(self, ratio: float) -> str | None:
        """Return what a log likelihood ratio decides."""
        low, high = self.bounds()
        return "H0" if ratio <= low else "H1" if ratio >= high else None

    def __str__(self) -> str:
        numbers = ",".join(f"{name}={getattr(self, name):g}" for name in ("elo0", "elo1", "alpha", "beta"))
        return f"{numbers},model={self.model}"


class SprtRun:
    """A test as it goes on: games come in any order, and count in the order of their numbers.

    So the verdict, and the game it falls with, do not depend on which of several games ended first.

    Parameters
    ----------
    test : Sprt
        The test.
    """

    def __init__(self, test: Sprt) -> None:
        self.test = test
        self._scores: dict[int, float | None] = {}
        self._next = 0
        self._counts = [0.0] * len(MODELS[test.model])
        self.ratio = 0.0
        self.verdict: str | None = None
        self.last: int | None = None  # the number of the last game that counts, once there is a verdict

    @property
    def trials(self) -> int:
        """How many pairs or games count so far."""
        return int(sum(self._counts))

    def add(self, index: int, score: float | None) -> None:
        """Take in a game.

        Parameters
        ----------
        index : int
            Its number; 2k and 2k + 1 are a pair.
        score : float or None
            The first agent's: 1, 1/2 or 0; None where the game failed, which is left out with its pair.
        """
        self._scores[index] = score
        while self.verdict is None and self._next in self._scores and self._next + 1 in self._scores:
            pair = [self._scores.pop(self._next), self._scores.pop(self._next + 1)]
            self._next += 2
            scores = [score for score in pair if score is not None]
            if len(scores) < 2:
                continue
            for trial in scores if self.test.model == "games" else [sum(scores) / 2]:
                self._counts[MODELS[self.test.model].index(trial)] += 1
            self.ratio = self.test.ratio_of_counts(self._counts)
            self.verdict = self.test.verdict_of_ratio(self.ratio)
            if self.verdict is not None:
                self.last = self._next - 1

    def to_dict(self) -> dict[str, float | str | None]:
        """Return where it stands as plain values."""
        low, high = self.test.bounds()
        return {
            "test": str(self.test),
            "log_likelihood_ratio": self.ratio,
            "lower_bound": low,
            "upper_bound": high,
            "trials": self.trials,
            "verdict": self.verdict,
        }

    def __str__(self) -> str:
        low, high = self.test.bounds()
        end = {"H0": f"H0 accepted: not {self.test.elo1:g} Elo stronger", None: "not decided",
               "H1": f"H1 accepted: more than {self.test.elo0:g} Elo stronger"}[self.verdict]  # fmt: skip
        return (
            f"SPRT({self.test}): log likelihood ratio {self.ratio:.2f} of {low:.2f} to {high:.2f} after "
            f"{self.trials} {self.test.model}; {end}"
        )
