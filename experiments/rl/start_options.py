"""Samplers of starts by name and parameters, as the command line and manifests write them: ``balanced(share=0.5)``."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from sgai.agents.named import Named
from sgai.envs.game import SgaiGame
from sgai.envs.starts import (
    BalancedStarts,
    CurriculumStarts,
    RandomPlayStarts,
    StartSampler,
    UniformStarts,
)
from sgai.errors import SgaiError, nearest, quote
from sgai.syntax import parse_call


class InitialStarts(StartSampler):
    """Always the game's own start.

    Examples
    --------
    >>> str(InitialStarts("sgai_nim(piles=[3;4])").state())
    '[3;4], player 0 to move'
    """

    def draw(self, chance: random.Random, scale: float = 1.0) -> Any:  # noqa: ARG002 - there is but one
        """Return the game's start."""
        return self.ruleset.initial()


def _initial(game: SgaiGame) -> StartSampler:
    return InitialStarts(game)


def _uniform(game: SgaiGame, over: str = "parameters") -> StartSampler:
    return UniformStarts(game, over)


def _random_play(game: SgaiGame, least: int = 0, most: int | None = None) -> StartSampler:
    half = max(least, game.max_game_length() // 2)
    return RandomPlayStarts(game, (least, half if most is None else most))


def _balanced(game: SgaiGame, share: float = 0.5, source: str = "uniform", stages: int = 4) -> StartSampler:
    return BalancedStarts(_source(game, source, stages), share)


def _curriculum(game: SgaiGame, stages: int = 4, source: str = "uniform") -> StartSampler:
    return CurriculumStarts(_source(game, source, stages), stages)


def _source(game: SgaiGame, name: str, stages: int) -> StartSampler:
    if name == "curriculum":
        return _curriculum(game, stages)
    if name in ("uniform", "random_play"):
        return STARTS[name](game)
    raise SgaiError(f"source={quote(name)} of starts should be uniform, random_play or, of balanced ones, curriculum")


STARTS: dict[str, Callable[..., StartSampler]] = {
    "balanced": _balanced,
    "curriculum": _curriculum,
    "initial": _initial,
    "random_play": _random_play,
    "uniform": _uniform,
}


@dataclass(frozen=True)
class StartsSpec(Named):
    """A kind of sampler with its parameters, to be made for a game.

    Examples
    --------
    >>> from sgai.envs import load_game
    >>> spec = StartsSpec.parse("balanced(source=curriculum,stages=2)")
    >>> type(spec.sampler(load_game("sgai_nim(piles=[3;4;5])"), seed=0)).__name__
    'BalancedStarts'
    """

    makers: ClassVar = STARTS
    skipped: ClassVar = ("game",)

    @classmethod
    def parse(cls, text: str) -> "StartsSpec":
        """Read ``name`` or ``name(key=value,...)``."""
        name = parse_call(text).name
        if name not in STARTS:
            known = ", ".join(STARTS)
            raise SgaiError(f"unknown starts {quote(name)}{nearest(name, STARTS)}; starts are: {known}")
        return super().parse(text)

    def sampler(self, game: SgaiGame, seed: int) -> StartSampler:
        """Return a sampler of the game's positions."""
        made: StartSampler = self.make(game, seed)
        made.seed(seed)
        return made


def curriculum_in(sampler: StartSampler) -> CurriculumStarts | None:
    """Return the curriculum in a sampler, whose progress training sets; None where there is none."""
    if isinstance(sampler, CurriculumStarts):
        return sampler
    if isinstance(sampler, BalancedStarts) and isinstance(sampler.source, CurriculumStarts):
        return sampler.source
    return None
