"""`sgai rl`: players judged by exact labels, learners trained, labelled data sets, and named benchmarks."""

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgai.errors import SgaiError, quote_path
from sgai.experiments.cli.common import add_engine, asks_for_engine, count, engine_if_asked, print_json, whole_number

if TYPE_CHECKING:
    from sgai.experiments.engines import Engine

DEFAULT_AGENTS = ("random", "exact")
_AGENT = (
    "an agent such as 'mcts(simulations=100)' or 'hybrid(nodes=1000)', module:attribute (what plays, or makes it from "
    "the game), or the folder of a training run; may be given more than once (default: random and exact)"
)
_STARTS = "initial, uniform, random_play(most=8), balanced or curriculum"


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "rl",
        help="judge, train and feed learners",
        description="Judge agents and learners by exact labels, train learners by self-play, make labelled data sets.",
    )
    inner = parser.add_subparsers(metavar="WHAT", required=True)
    _evaluate_parser(inner)
    _benchmark_parser(inner)
    _train_parser(inner)
    _dataset_parser(inner)
    return parser


def run(options: argparse.Namespace) -> int:
    """Do what was asked for."""
    code: int = options.run_rl(options)
    return code


# evaluate and benchmark


def _evaluate_parser(inner: Any) -> None:
    parser = _add(
        inner,
        "evaluate",
        _evaluate,
        "how often agents keep won positions won, and judge positions rightly",
        "Draw positions of a game, label them exactly, and ask agents for their moves and values; then play from won "
        "positions against perfect and against random play.",
    )
    parser.add_argument("--game", metavar="GAME", help="'sgai_nim(piles=[3;4;5])', or a benchmark's name")
    parser.add_argument("--starts", default="uniform", metavar="STARTS", help=f"{_STARTS} (default: uniform)")
    parser.add_argument("--data", metavar="FILE", help="take the test side of a data set in place of a game")
    _evaluation_options(parser)


def _benchmark_parser(inner: Any) -> None:
    parser = _add(
        inner,
        "benchmark",
        _benchmark,
        "the same on the positions of a published benchmark",
        "Judge agents on a published benchmark; without a name, list the benchmarks.",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="such as zhou-riis-5")
    _evaluation_options(parser)


def _evaluation_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--agent", action="append", metavar="AGENT", help=_AGENT)
    parser.add_argument(
        "--positions", type=count, metavar="N", help="how many positions (default: 500; all of a benchmark)"
    )
    parser.add_argument("--games", type=whole_number, default=50, metavar="N", help="won positions to play from (50)")
    parser.add_argument("--by", metavar="SIZE", help="tell results apart by heaps, tokens, cells, components or moves")
    parser.add_argument("--seed", type=whole_number, default=0, metavar="N", help="of all that is random (default: 0)")
    parser.add_argument("--states", type=count, metavar="N", help="the most states to solve one position")
    add_engine(parser, None, "agents")
    parser.add_argument("--out", metavar="FILE", help="write the results as JSON lines")
    parser.add_argument("--plot", metavar="FILE", help="draw generalisation curves: .png, .svg or .pdf")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def _evaluate(options: argparse.Namespace) -> int:
    from sgai.experiments.rl.datasets import load_dataset
    from sgai.experiments.rl.evaluation import dataset_test_set, make_test_set
    from sgai.experiments.rl.judge import DEFAULT_STATES
    from sgai.experiments.rl.many import EvaluationFailed, EvaluationInterrupted, evaluate_all
    from sgai.experiments.rl.players import portable
    from sgai.experiments.rl.report import format_evaluations, records, write_lines

    agents = options.agent or list(DEFAULT_AGENTS)
    if options.plot:
        from sgai.experiments.rl.plots import check_plot

        check_plot(options.plot)
    for file in filter(None, (options.out, options.plot)):
        _check_folder(file)
    if getattr(options, "data", None):
        tests = dataset_test_set(load_dataset(options.data), by=options.by)
    elif options.game is None:
        raise SgaiError("what is to be evaluated on? give --game GAME or --data FILE")
    else:
        tests = make_test_set(
            options.game,
            options.positions,
            starts=options.starts,
            by=options.by,
            seed=options.seed,
            states=options.states or DEFAULT_STATES,
        )
    for agent in agents:
        portable(agent, tests.game)  # before workers begin, so that they get users' files

    def keep(found: list[Any]) -> None:
        if options.out:
            write_lines(options.out, [line for each in found for line in records(each)])

    work = len(agents) * (len(tests.positions) + min(options.games, len(tests.won)))
    problem: EvaluationFailed | None = None
    try:
        with _engine(options) as engine, _bar(options, work, " positions") as watch:
            found = evaluate_all(
                agents, tests, games=options.games, seed=options.seed, engine=engine, watch=watch, on_found=keep
            )
    except EvaluationInterrupted as stopped:
        if stopped.evaluations and not options.json:
            print(format_evaluations(stopped.evaluations))  # of those that were through
        raise KeyboardInterrupt from None
    except EvaluationFailed as error:
        found, problem = error.evaluations, error
    if options.plot and found:
        from sgai.experiments.rl.plots import plot_evaluations

        plot_evaluations(found, options.plot)
    if options.json and found:
        print_json([line for each in found for line in records(each)])
    elif found:
        print(format_evaluations(found))
    if problem is not None:
        raise problem
    return 0


def _benchmark(options: argparse.Namespace) -> int:
    from sgai.experiments.rl.boards import BENCHMARKS, benchmark

    if options.name is not None:
        options.game, options.starts = benchmark(options.name).name, "uniform"
        return _evaluate(options)
    if options.json:
        fields = ("name", "game", "source", "note")
        print_json([{field: getattr(each, field) for field in fields} for each in BENCHMARKS.values()])
        return 0
    for each in BENCHMARKS.values():
        print(f"{each.name}  {each.game}\n    {each.source}")
    return 0


# train


def _train_parser(inner: Any) -> None:
    parser = _add(
        inner,
        "train",
        _train,
        "train OpenSpiel's learners by self-play",
        "Train two learners by playing each other, and write a folder with the curves of how well they play by exact "
        "labels, checkpoints, and a manifest. Ctrl-C keeps all that was done, with workers up to the last quarter of a "
        "minute; --resume goes on from there.",
    )
    parser.add_argument("--game", metavar="GAME", help="'sgai_nim(piles=[3;4;5])', or a benchmark's name")
    parser.add_argument(
        "--learner", metavar="LEARNER", help="q_learning(step_size=0.5,epsilon=0.2) or dqn(hidden=[64;64]) (q_learning)"
    )
    parser.add_argument("--episodes", type=count, metavar="N", help="games of self-play (default: 1000)")
    parser.add_argument("--starts", metavar="STARTS", help=f"where they start: {_STARTS} (default: uniform)")
    parser.add_argument("--evaluate-every", type=count, metavar="N", help="episodes between evaluations (100)")
    parser.add_argument("--checkpoint-every", type=count, metavar="N", help="episodes between checkpoints (1000)")
    parser.add_argument("--positions", type=count, metavar="N", help="positions of an evaluation (200)")
    parser.add_argument("--games", type=whole_number, metavar="N", help="won positions to play from, each time (20)")
    parser.add_argument("--by", metavar="SIZE", help="tell results apart by heaps, tokens, cells, components or moves")
    parser.add_argument("--keep", type=count, metavar="N", help="how many checkpoints to keep (2)")
    parser.add_argument(
        "--seed",
        type=whole_number,
        action="append",
        metavar="N",
        help="of all that is random (default: 0); given more than once, there is a run for each in DIR/seed-N",
    )
    add_engine(parser, None, "runs")
    parser.add_argument("--out", metavar="DIR", help="the folder to write")
    parser.add_argument("--resume", metavar="DIR", help="go on with a run, or all in it; --episodes may ask for more")
    parser.add_argument("--tensorboard", action="store_true", help="write the curves for TensorBoard too")
    parser.add_argument("--plot", metavar="FILE", help="draw the curves: .png, .svg or .pdf")
    parser.add_argument("--json", action="store_true", help="print the lines of the curves as JSON")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


_SETTINGS = (
    "game",
    "learner",
    "episodes",
    "starts",
    "evaluate_every",
    "checkpoint_every",
    "positions",
    "games",
    "by",
    "keep",
    "seed",
)


def _train(options: argparse.Namespace) -> int:
    from sgai.experiments.rl.runs import is_of_seeds

    given = {name: getattr(options, name) for name in _SETTINGS if getattr(options, name) is not None}
    if options.plot:
        from sgai.experiments.rl.plots import check_plot

        check_plot(options.plot)
        _check_folder(options.plot)
    if options.resume is not None:
        fixed = sorted(set(given) - {"episodes"}) + (["out"] if options.out else [])
        if fixed:
            raise SgaiError(f"--{fixed[0].replace('_', '-')} cannot be changed in a run that is resumed; leave it out")
        return _train_seeds(options, {}, []) if is_of_seeds(Path(options.resume)) else _train_one(options, {})
    if "game" not in given or not options.out:
        raise SgaiError("a training run needs --game GAME and --out DIR, or --resume DIR")
    seeds = given.pop("seed", [0])
    return _train_seeds(options, given, seeds) if len(seeds) > 1 else _train_one(options, {**given, "seed": seeds[0]})


def _train_one(options: argparse.Namespace, given: dict[str, Any]) -> int:
    from sgai.experiments.rl.runs import RunFolder
    from sgai.experiments.rl.train_settings import TrainSettings, settings_of
    from sgai.experiments.rl.training import TrainingInterrupted, resume, train

    show = _Lines(options.json or options.quiet)
    run = RunFolder(options.resume or options.out)
    total = options.episodes or (settings_of(run.manifest(), run.path) if options.resume else TrainSettings).episodes
    try:
        with _engine(options) as engine, _bar(options, total, " episodes") as watch:
            how: dict[str, Any] = {
                "tensorboard": options.tensorboard, "watch": watch, "on_line": show, "engine": engine
            }  # fmt: skip
            if options.resume is not None:
                lines = resume(run.path, episodes=options.episodes, **how)
            else:
                lines = train(TrainSettings(**given), run.path, **how)
    except TrainingInterrupted as stopped:
        print(
            f"sgai: stopped after {stopped.episode:,} episodes; `sgai rl train --resume {run.path}` goes on",
            file=sys.stderr,
        )
        raise KeyboardInterrupt from None
    if options.plot:
        from sgai.experiments.rl.plots import plot_training

        plot_training(
            lines, options.plot, f"{run.manifest()['settings']['learner']} on {run.manifest()['settings']['game']}"
        )
    if options.json:
        print_json(lines)
    else:
        above = "" if options.quiet else "\n"
        print(f"{above}{lines[-1]['episode']:,} episodes; curves and checkpoints are in {run.path}")
    return 0


def _train_seeds(options: argparse.Namespace, given: dict[str, Any], seeds: list[int]) -> int:
    from sgai.experiments.rl.report import format_seeds
    from sgai.experiments.rl.several import (
        SeedsFailed,
        SeedsInterrupted,
        resume_seeds,
        settings_of_seeds,
        train_seeds,
    )
    from sgai.experiments.rl.train_settings import TrainSettings

    show = _Lines(options.json or options.quiet)
    folder = Path(options.resume or options.out)
    if options.resume is not None:
        settings, seeds = settings_of_seeds(folder)
    else:
        settings = TrainSettings(**given).checked()  # before workers begin
    problem: SeedsFailed | None = None
    total = len(seeds) * (options.episodes or settings.episodes)
    try:
        with _engine(options) as engine, _bar(options, total, " episodes") as watch:
            how: dict[str, Any] = {
                "tensorboard": options.tensorboard, "watch": watch, "on_line": show.of_seed, "engine": engine
            }  # fmt: skip
            if options.resume is not None:
                curves = resume_seeds(folder, episodes=options.episodes, **how)
            else:
                curves = train_seeds(settings, seeds, folder, **how)
    except SeedsInterrupted as stopped:
        done = ", ".join(f"{episode:,} of seed {seed}" for seed, episode in stopped.episodes.items())
        print(f"sgai: stopped after these episodes: {done}; `sgai rl train --resume {folder}` goes on", file=sys.stderr)
        raise KeyboardInterrupt from None
    except SeedsFailed as error:
        curves, problem = error.curves, error
    if options.plot and curves:
        from sgai.experiments.rl.plots import plot_seeds

        plot_seeds(curves, options.plot, f"{settings.learner} on {settings.game}")
    if options.json and curves:
        print_json([{"seed": seed, **line} for seed, lines in curves.items() for line in lines])
    elif curves:
        above = "" if options.quiet else "\n"
        print(f"{above}{format_seeds(curves)}\n\ncurves and checkpoints are in {folder}/seed-N")
    if problem is not None:
        raise problem
    return 0


class _Lines:
    """Prints a line of the curves as it comes."""

    _columns = ("episode", "epsilon", "loss", "policy", "random", "value", "blunders", "vs perfect", "vs random")

    def __init__(self, silent: bool) -> None:
        self._silent, self._begun = silent, False
        self._out = sys.stdout  # what workers print meanwhile goes elsewhere

    def of_seed(self, seed: int, line: dict[str, Any]) -> None:
        """Print a line of one of several runs."""
        self(line, seed)

    def __call__(self, line: dict[str, Any], seed: int | None = None) -> None:
        if self._silent:
            return
        from tqdm import tqdm

        if not self._begun:
            self._begun = True
            columns = self._columns if seed is None else ("seed", *self._columns)
            tqdm.write("  ".join(f"{name:>10}" for name in columns), file=self._out)
        shares = ("policy_accuracy", "value_accuracy", "blunder_rate", "wins_against_perfect", "wins_against_random")
        policy, *others = (line[name]["share"] for name in shares)
        values = [policy, line["random_accuracy"], *others]
        shown = [
            *([] if seed is None else [f"{seed}"]),
            f"{line['episode']:,}",
            f"{line['epsilon']:.3f}",
            "" if line["loss"] is None else f"{line['loss']:.4f}",
            *("" if value is None else f"{value:.1%}" for value in values),
        ]
        tqdm.write("  ".join(f"{text:>10}" for text in shown), file=self._out)


# dataset


def _dataset_parser(inner: Any) -> None:
    parser = _add(
        inner,
        "dataset",
        _dataset,
        "write labelled positions, split into training and test",
        "Write positions with observations, outcomes, Grundy values and optimal moves as npz, with a split that says "
        "what a learner has to generalise to; or check such a file.",
    )
    parser.add_argument("--game", metavar="GAME", help="'sgai_nim(piles=[3;4;5])', or a benchmark's name")
    parser.add_argument("--positions", type=count, default=1000, metavar="N", help="how many positions (default: 1000)")
    parser.add_argument(
        "--split",
        default="random",
        metavar="SPLIT",
        help="random, more_heaps, larger_heaps or unseen_components (default: random)",
    )
    parser.add_argument("--test", type=float, default=0.2, metavar="SHARE", help="the share of the test (default: 0.2)")
    parser.add_argument("--at", type=count, metavar="N", help="the most heaps, or the largest heap, in training")
    parser.add_argument("--starts", default="uniform", metavar="STARTS", help=f"{_STARTS} (default: uniform)")
    parser.add_argument("--seed", type=whole_number, default=0, metavar="N", help="of all that is random (default: 0)")
    parser.add_argument("--states", type=count, metavar="N", help="the most states to solve one position")
    add_engine(parser, None, "chunks")
    parser.add_argument("--out", metavar="FILE", help="the file to write, such as nim.npz")
    parser.add_argument(
        "--check", metavar="FILE", help="check a file: labels, and that nothing leaks between its sides"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def _dataset(options: argparse.Namespace) -> int:
    from sgai.experiments.rl.datasets import check_dataset, load_dataset, make_dataset, save_dataset
    from sgai.experiments.rl.judge import DEFAULT_STATES

    if options.check:
        if asks_for_engine(options):
            raise SgaiError("--check is done in this process; leave out --engine, --concurrency and --address")
        data, file = load_dataset(options.check), options.check
        check_dataset(data)
    else:
        if not options.game or not options.out:
            raise SgaiError("a data set needs --game GAME and --out FILE, or --check FILE")
        file = options.out
        _check_folder(file)
        with _engine(options) as engine, _bar(options, options.positions, " positions") as watch:
            data = make_dataset(
                options.game,
                options.positions,
                split=options.split,
                test=options.test,
                at=options.at,
                starts=options.starts,
                seed=options.seed,
                states=options.states or DEFAULT_STATES,
                watch=watch,
                engine=engine,
            )
        save_dataset(data, file)
    found = {
        "file": str(file),
        **data.about,
        "train": len(data.train),
        "test": len(data.test),
        "won": int((data.outcomes == "N").sum()),
        "lost": int((data.outcomes == "P").sum()),
        "unsolved": int((~data.solved).sum()),
    }
    if options.json:
        print_json(found)
        return 0
    split = ", ".join(f"{key} {value}" for key, value in data.about["split"].items() if key != "kind")
    print(f"{data.about['game']}: {len(data):,} positions, {found['won']:,} won, {found['lost']:,} lost", end="")
    print(f", {found['unsolved']:,} not solved" if found["unsolved"] else "")
    if len(data) < data.about["asked"]:
        print(f"{data.about['asked']:,} were asked for; no more different ones were found for this split")
    sides = f"{len(data.train):,} for training, {len(data.test):,} for the test"
    print(f"split {data.about['split']['kind']} ({split}): {sides}")
    print(f"checked: {file}: nothing leaks, and the labels are right" if options.check else f"written to {file}")
    return 0


# What they share


def _add(
    inner: Any, name: str, run_it: Callable[[argparse.Namespace], int], short: str, long: str
) -> argparse.ArgumentParser:
    from sgai.experiments.cli.main import add_plugin_option  # it imports this module

    parser: argparse.ArgumentParser = inner.add_parser(name, help=short, description=long)
    add_plugin_option(parser, argparse.SUPPRESS)
    parser.set_defaults(run_rl=run_it)
    return parser


def _engine(options: argparse.Namespace) -> "contextlib.AbstractContextManager[Engine | None]":
    return engine_if_asked(options, [str(Path(file).resolve()) for file in options.plugin])


def _check_folder(file: str) -> None:
    """Refuse a file that cannot be written before the work is done."""
    path = Path(file)
    if not path.parent.is_dir():
        raise SgaiError(f"{quote_path(file)}: there is no folder {quote_path(path.parent)}")
    try:
        existed = path.exists()
        with path.open("ab"):
            pass
        if not existed:
            path.unlink()
    except OSError as error:
        raise SgaiError(f"{quote_path(file)} cannot be written: {error.strerror}") from None


@contextlib.contextmanager
def _bar(options: argparse.Namespace, total: int, unit: str) -> Iterator[Callable[[int], None] | None]:
    from sgai.experiments.cli.progress import shown_progress

    if options.quiet:
        yield None
        return
    from tqdm import tqdm

    with shown_progress(), tqdm(total=total, unit=unit, leave=False, mininterval=0.5, delay=1) as bar:

        def watch(number: int) -> None:
            bar.update(number)

        yield watch
