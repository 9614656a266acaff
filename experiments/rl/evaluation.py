"""How well somebody plays and judges positions, told by exact labels and by the size of the position."""

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sgai.batch_oracle import Labels
from sgai.envs.game import SgaiGame
from sgai.envs.starts import own_game
from sgai.errors import NotSolvedError, SgaiError, quote
from sgai.experiments.rl.boards import Benchmark, find_benchmark
from sgai.experiments.rl.datasets import Dataset
from sgai.experiments.rl.intervals import Share, mean_of_two, wilson
from sgai.experiments.rl.judge import DEFAULT_STATES, Judge
from sgai.experiments.rl.play import GameResult, play_from
from sgai.experiments.rl.players import Player, as_player, own_chance
from sgai.experiments.rl.sizes import bins, size_function
from sgai.experiments.rl.splits import SIDES
from sgai.experiments.rl.start_options import StartsSpec
from sgai.parameters import check_choice

Watch = Callable[[int], None]


@dataclass(frozen=True)
class TestSet:
    """Positions with their exact labels and sizes; it can be pickled, and sent to workers.

    Attributes
    ----------
    game : SgaiGame
        Their game.
    positions : list
        The positions; each has a move.
    labels : Labels
        What is proved of them.
    by : str
        Which size; see `size_function`.
    sizes : list of int
        Their sizes.
    judge : Judge
        Who labelled them.
    source : str
        Where they come from: a benchmark, or starts with the seed.
    name : str
        The game as it was given.
    """

    __test__ = False  # no test, for all its name

    game: SgaiGame
    positions: list[Any]
    labels: Labels
    by: str
    sizes: list[int]
    judge: Judge
    source: str
    name: str

    @property
    def won(self) -> npt.NDArray[np.int64]:
        """The rows of won positions of which all winning moves are known."""
        return np.flatnonzero(self.labels.complete & self.labels.won)

    @property
    def random_accuracy(self) -> npt.NDArray[np.float64]:
        """For each row the probability that a random legal move wins: exact, no sample."""
        shares: npt.NDArray[np.float64] = self.labels.winning.sum(axis=1) / self.labels.legal.sum(axis=1)
        return shares

    def __reduce__(self) -> tuple[Callable[..., "TestSet"], tuple[Any, ...]]:
        # Positions go as text: classes of users' files have other names in other processes.
        texts = [self.game.ruleset.format(position) for position in self.positions]
        return _sent_tests, (self.game, texts, self.labels, self.by, self.sizes, self.judge, self.source, self.name)


def _sent_tests(game: SgaiGame, texts: list[str], *others: Any) -> TestSet:
    return TestSet(game, [game.ruleset.parse(text) for text in texts], *others)


def make_test_set(
    game: SgaiGame | Benchmark | str,
    count: int | None = None,
    *,
    starts: str = "uniform",
    by: str | None = None,
    seed: int = 0,
    states: int = DEFAULT_STATES,
    seconds: float | None = None,
) -> TestSet:
    """Draw and label positions.

    Parameters
    ----------
    game : SgaiGame, Benchmark or str
        The game; or a benchmark, whose own positions are taken then.
    count : int, optional
        How many positions; by default 500, or all of the benchmark.
    starts : str
        How positions of a game are drawn: initial, uniform, random_play, balanced or curriculum, with parameters.
    by : str, optional
        Which size to tell results apart by; see `size_function`.
    seed : int
        Repeats the positions.
    states, seconds
        The oracle's budget for one position, and for all of them.

    Raises
    ------
    NotSolvedError
        If no position is solved within the budget.

    Examples
    --------
    >>> tests = make_test_set("zhou-riis-5")
    >>> len(tests.positions), len(tests.won), round(float(tests.random_accuracy[tests.won].mean()), 4)
    (3839, 3456, 0.1418)
    """
    board = game if isinstance(game, Benchmark) else find_benchmark(game)
    loaded = own_game(board.game if board else game)  # type: ignore[arg-type]
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
        raise SgaiError(f"count={quote(count)}: it should be a number of positions, 1 or more")
    by, size = size_function(loaded.ruleset, by)
    judge = Judge(loaded, states, seconds)  # before samplers solve anything
    # OpenSpiel's own text of a game leaves out what is the default.
    name = board.game if board else game if isinstance(game, str) else str(game)
    if board is not None:
        positions: list[Any] = list(board.positions(seed, count))
        source = f"{board.name}, seed {seed}"
    else:
        sampler = StartsSpec.parse(starts).sampler(loaded, seed)
        if hasattr(sampler, "progress"):
            sampler.progress = 1.0  # judged on all sizes
        positions = [sampler.position() for _ in range(500 if count is None else count)]
        source = f"{starts}, seed {seed}"
    return _labelled(loaded, positions, judge, by, size, source, name)


def dataset_test_set(dataset: Dataset, *, side: str = "test", by: str | None = None) -> TestSet:
    """Return the positions of one side of a data set, labelled anew.

    Parameters
    ----------
    dataset : Dataset
        As `load_dataset` returns it.
    side : "test" or "train"
        Which side.
    by : str, optional
        Which size to tell results apart by; see `size_function`.

    Examples
    --------
    >>> from sgai.experiments.rl.datasets import make_dataset
    >>> data = make_dataset("sgai_nim(piles=[3;4;5])", 50, split="more_heaps", at=2)
    >>> tests = dataset_test_set(data)
    >>> len(tests.positions), set(tests.sizes), tests.source
    (10, {3}, 'test side of the split more_heaps, seed 0')
    """
    check_choice("side", side, SIDES)
    loaded = dataset.game()
    by, size = size_function(loaded.ruleset, by)
    rows = dataset.test if side == "test" else dataset.train
    positions = [loaded.ruleset.parse(text) for text in dataset.positions[rows].tolist()]
    source = f"{side} side of the split {dataset.about['split']['kind']}, seed {dataset.about['seed']}"
    judge = Judge(loaded, dataset.about["states"])
    return _labelled(loaded, positions, judge, by, size, source, dataset.about["game"])


def _labelled(
    loaded: SgaiGame,
    positions: list[Any],
    judge: Judge,
    by: str,
    size: Callable[[Any], int],
    source: str,
    name: str,
) -> TestSet:
    labels = judge.labels(positions)
    if not labels.solved.any():
        raise NotSolvedError(
            f"{quote(name)}: none of {len(positions):,} positions was solved within {judge.states:,} states; raise "
            "the budget or choose smaller positions"
        )
    return TestSet(loaded, positions, labels, by, [size(position) for position in positions], judge, source, name)


@dataclass(frozen=True)
class SizeResult:
    """Results for positions of some sizes, or of all.

    Attributes
    ----------
    sizes : (int, int) or None
        The least and the largest size; None for all.
    positions, won, lost, unsolved : int
        How many positions there are, and of which outcome.
    policy : Share
        Policy accuracy: the share of won positions in which the chosen action keeps the win.
    random : float
        The same for a random legal action on the same positions, exactly.
    value : Share
        Balanced value accuracy: the mean of `value_won` and `value_lost`.
    value_won, value_lost : Share
        The share of won and of lost positions whose value has the right sign; a value of 0, or none, counts half.
    valued : int
        The positions of which a value was given.
    blunders : Share
        Of the decisions in won positions of the games, the share that gave the win away.
    perfect, against_random : Share
        Games won from won positions, moving first, against perfect play and against random play.
    failures : int
        Decisions in the test positions that were illegal or errors; they count as wrong.
    """

    sizes: tuple[int, int] | None
    positions: int
    won: int
    lost: int
    unsolved: int
    policy: Share
    random: float
    value: Share
    value_won: Share
    value_lost: Share
    valued: int
    blunders: Share
    perfect: Share
    against_random: Share
    failures: int


@dataclass(frozen=True)
class Evaluation:
    """What was found of one player.

    Attributes
    ----------
    agent, game, source, by : str
        Who, on which game and positions, and by which size.
    seed : int
        Of what was left to chance.
    whole : SizeResult
        For all positions.
    by_size : list of SizeResult
        For each range of sizes: the generalisation curve.
    median_seconds : float
        The time of a decision.
    failure : str or None
        The first failure in words.
    """

    agent: str
    game: str
    source: str
    by: str
    seed: int
    whole: SizeResult
    by_size: list[SizeResult] = field(default_factory=list)
    median_seconds: float = math.nan
    failure: str | None = None


@dataclass
class _Answers:
    """What a player answered in each row: whether it kept the win, whether its value was right (or half), and so on."""

    kept: npt.NDArray[np.bool_]
    right: npt.NDArray[np.float64]
    valued: npt.NDArray[np.bool_]
    failed: npt.NDArray[np.bool_]
    seconds: list[float]
    failure: str | None = None


def evaluate(
    subject: Any,
    tests: TestSet,
    *,
    games: int = 50,
    seed: int = 0,
    name: str | None = None,
    watch: Watch | None = None,
) -> Evaluation:
    """Judge a player on labelled positions, and in games from won ones.

    Parameters
    ----------
    subject
        Anything that `as_player` takes.
    tests : TestSet
        The positions. Where the player can be either seat, rows are decided by player 0 and player 1 in turn.
    games : int
        Won positions to play from, against perfect and against random play.
    seed : int
        Of the games, and of what the player leaves to chance.
    name : str, optional
        For tables.
    watch : callable, optional
        Called with 1 after each position and each game.

    Raises
    ------
    SgaiError
        If every decision fails; the message is that of the first one.

    Examples
    --------
    >>> tests = make_test_set("sgai_nim(piles=[3;4;5])", 100, seed=1)
    >>> found = evaluate("exact", tests, games=5)
    >>> found.whole.policy.share, found.whole.value.share, found.whole.perfect.share
    (1.0, 1.0, 1.0)
    >>> round(found.whole.random, 3)
    0.241
    """
    # Each player's games are judged anew, so that they do not depend on who was judged before, and in which process.
    judge = tests.judge.renewed()
    with own_chance(seed):
        player = as_player(subject, tests.game, seed=seed, name=name)
        answers = _answers(player, tests, watch)
        if answers.failed.all():
            raise SgaiError(f"{name or player.name}: every decision failed, the first so: {answers.failure}")
        rows = random.Random(seed).sample(tests.won.tolist(), min(games, len(tests.won)))
        played = _played(player, tests, judge, rows, seed, watch)
    ranges: list[tuple[int, int] | None] = [None, *bins(tests.sizes)]
    results = [_result(tests, answers, played, sizes) for sizes in ranges]
    return Evaluation(
        name or player.name,
        tests.name,
        tests.source,
        tests.by,
        seed,
        results[0],
        results[1:],
        float(np.median(answers.seconds)) if answers.seconds else math.nan,
        answers.failure,
    )


def _answers(player: Player, tests: TestSet, watch: Watch | None) -> _Answers:
    count = len(tests.positions)
    answers = _Answers(
        np.zeros(count, dtype=np.bool_),
        np.full(count, 0.5),
        np.zeros(count, dtype=np.bool_),
        np.zeros(count, dtype=np.bool_),
        [],
    )
    for row, position in enumerate(tests.positions):
        state = tests.game.new_initial_state_at(position, player.seats[row % len(player.seats)])
        started = time.perf_counter()
        try:
            player.begin(state)
            action, value = player.choose(state)
            legal = action is not None and action in state.legal_actions()
            said = None if legal else f"action {action!r} is not legal in {quote(str(state))}"
        except Exception as error:  # a bot may raise anything
            legal, value, said = False, None, f"{type(error).__name__}: {error}"
        answers.seconds.append(time.perf_counter() - started)
        if legal:
            answers.kept[row] = tests.labels.winning[row, action]
        else:
            answers.failed[row] = True
            answers.failure = answers.failure or said
        if value is not None and not math.isnan(value):
            answers.valued[row] = True
            if value != 0:
                answers.right[row] = float((value > 0) == tests.labels.won[row])
        if watch is not None:
            watch(1)
    return answers


def _played(
    player: Player, tests: TestSet, judge: Judge, rows: Sequence[int], seed: int, watch: Watch | None
) -> list[tuple[int, str, GameResult]]:
    played = []
    for game, row in enumerate(rows):
        seat = player.seats[game % len(player.seats)]
        for opponent in ("perfect", "random"):
            chance = random.Random(f"{seed} {game} {opponent}")
            played.append((row, opponent, play_from(judge, tests.positions[row], player, seat, opponent, chance)))
        if watch is not None:
            watch(1)
    return played


def _result(
    tests: TestSet,
    answers: _Answers,
    played: Sequence[tuple[int, str, GameResult]],
    sizes: tuple[int, int] | None,
) -> SizeResult:
    low, high = (min(tests.sizes), max(tests.sizes)) if sizes is None else sizes
    here = np.array([low <= size <= high for size in tests.sizes])
    labels = tests.labels
    won = here & labels.complete & labels.won
    value_rows = {outcome: here & labels.solved & (labels.won == outcome) for outcome in (True, False)}
    says_values = bool(answers.valued.any())  # who says none at all has no value accuracy
    value_won, value_lost = (
        wilson(float(answers.right[rows].sum()), int(rows.sum()) if says_values else 0)
        for rows in (value_rows[True], value_rows[False])
    )
    games = [(opponent, result) for row, opponent, result in played if here[row]]
    decisions = sum(result.decisions for _, result in games)

    def share_won(against: str) -> Share:
        mine = [result.won for opponent, result in games if opponent == against and result.won is not None]
        return wilson(sum(mine), len(mine))

    return SizeResult(
        sizes,
        int(here.sum()),
        int(value_rows[True].sum()),
        int(value_rows[False].sum()),
        int((here & ~labels.solved).sum()),
        wilson(int(answers.kept[won].sum()), int(won.sum())),
        float(tests.random_accuracy[won].mean()) if won.any() else math.nan,
        mean_of_two(value_won, value_lost),
        value_won,
        value_lost,
        int((answers.valued & here).sum()),
        wilson(sum(result.blunders for _, result in games), decisions),
        share_won("perfect"),
        share_won("random"),
        int((answers.failed & here).sum()),
    )
