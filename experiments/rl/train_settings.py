"""What a training run is made of, and how a manifest says it."""

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from sgai.envs.game import SgaiGame
from sgai.envs.starts import own_game
from sgai.errors import SgaiError, quote, quote_path
from sgai.experiments.rl.boards import find_benchmark
from sgai.experiments.rl.learners import LearnerSpec
from sgai.experiments.rl.start_options import StartsSpec


@dataclass(frozen=True)
class TrainSettings:
    """What a run is made of.

    Attributes
    ----------
    game : str
        An OpenSpiel game of ours, or a benchmark such as ``zhou-riis-5``.
    learner : str
        ``q_learning`` or ``dqn``, with parameters.
    episodes : int
        Games of self-play.
    starts : str
        Where they start: initial, uniform, random_play, balanced or curriculum, with parameters.
    evaluate_every, checkpoint_every : int
        Episodes between evaluations and between checkpoints; there is a checkpoint at each evaluation too.
    positions : int
        Test positions: the benchmark's, or drawn by ``test_starts`` and ``test_seed``, so that runs with different
        seeds are judged on the same ones.
    games : int
        Won positions among them to play from, against perfect and against random play.
    by : str or None
        Which size to tell results apart by.
    keep : int
        How many checkpoints to keep.
    seed : int
        Of all that is random in training.
    """

    game: str
    learner: str = "q_learning"
    episodes: int = 1000
    starts: str = "uniform"
    evaluate_every: int = 100
    checkpoint_every: int = 1000
    positions: int = 200
    games: int = 20
    test_starts: str = "uniform"
    test_seed: int = 0
    by: str | None = None
    keep: int = 2
    seed: int = 0

    def checked(self) -> "TrainSettings":
        """Return the settings with games and learners in their normal form, or raise `SgaiError`."""
        for name in ("episodes", "evaluate_every", "checkpoint_every", "positions", "keep"):
            self._whole(name, 1)
        for name in ("games", "seed", "test_seed"):
            self._whole(name, 0)
        return replace(
            self,
            learner=str(LearnerSpec.parse(self.learner)),
            starts=str(StartsSpec.parse(self.starts)),
            test_starts=str(StartsSpec.parse(self.test_starts)),
        )

    def _whole(self, name: str, least: int) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise SgaiError(f"{name}={quote(value)}: it should be a whole number, {least} or more")

    def loaded_game(self) -> SgaiGame:
        """Return the game."""
        board = find_benchmark(self.game)
        return own_game(board.game if board else self.game)


def settings_of(manifest: dict[str, Any], folder: Path) -> TrainSettings:
    """Return the settings that the manifest in a folder holds, or raise `SgaiError` where they are none."""
    given = manifest.get("settings")
    known = {each.name for each in fields(TrainSettings)}
    if not isinstance(given, dict) or set(given) != known:
        raise SgaiError(
            f"the manifest of {quote_path(folder)} is damaged: its settings should be {', '.join(sorted(known))}"
        )
    try:
        return TrainSettings(**given).checked()
    except (TypeError, AttributeError) as error:
        raise SgaiError(f"the manifest of {quote_path(folder)} is damaged: {error}") from None
