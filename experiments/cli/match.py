"""`sgai match`: a round robin of agents on OpenSpiel games."""

import argparse
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sgai
from sgai.errors import SgaiError
from sgai.experiments.cli.common import at_work, count, print_json, seconds, whole_number
from sgai.experiments.cli.config import read_config

if TYPE_CHECKING:
    from sgai.experiments.matches import GameRecord, MatchSettings, SprtRun

DEFAULT_AGENTS = ("exact", "mcts(simulations=1000)", "random")
# OpenSpiel's own C++ nim, at its default piles and by its misere rule, and games of ours.
DEFAULT_GAMES = (
    "nim",
    "sgai_nim(piles=[3;5;6;7;9])",
    "sgai_kayles(piles=[9;14])",
    "sgai_grundys_game(piles=[14;17])",
    "sgai_sum(parts=[nim(piles~[3;5]);kayles(piles~[8]);subtraction(piles~[9;11];take~[2;5])])",
)
DEFAULT_ROUNDS, DEFAULT_SPRT_ROUNDS = 3, 10_000
_BUDGETS = ("seconds", "nodes", "simulations")
# What a file of settings may say, and the type of it; flags of the same names go before it.
_SETTINGS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("agent", "game", "plugin"), (list,)),
    **dict.fromkeys(("rounds", "seed", "plies", "nodes", "simulations", "oracle_states", "concurrency"), (int,)),
    **dict.fromkeys(("seconds", "limit"), (int, float)),
    **dict.fromkeys(("openings", "sprt", "out", "engine", "address"), (str,)),
    "adjudicate": (bool,),
}
# What changes how a match is run, and no game of it.
_RUNNING = ("plugin", "out", "engine", "address", "concurrency")


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "match",
        help="play agents against each other",
        description="Play a round robin with sides swapped. A new folder gets the games (games.jsonl), the settings "
        "(manifest.json) and a report (report.html).",
        epilog="Agents: alpha_beta(depth=...), exact, hybrid(seconds=...), mcts(simulations=...) or mcts(seconds=...), "
        "plain_alpha_beta(seconds=...), plain_mcts(seconds=...), random; openspiel:BOT for a bot of OpenSpiel's; "
        "module:Bot(depth=3) or file.py:Bot for your own; process:COMMAND or process(seconds=0.1):COMMAND for another "
        f"process. Default: {', '.join(DEFAULT_AGENTS)}, on {', '.join(DEFAULT_GAMES)}.",
    )
    who = parser.add_argument_group("who plays what")
    who.add_argument(
        "--agent", action="append", metavar="AGENT", help="an agent, such as 'mcts(simulations=100)'; give two or more"
    )
    who.add_argument(
        "--game", action="append", metavar="GAME", help="an OpenSpiel game, such as 'sgai_nim(piles=[3;4;5])' or nim"
    )
    who.add_argument("--rounds", type=count, metavar="N", help="games of each pair, game and side (default: 3)")
    who.add_argument("--seed", type=whole_number, metavar="N", help="of all that is random (default: 0)")
    who.add_argument(
        "--openings",
        metavar="KIND",
        help="initial (the default), or balanced: random moves, to N- and P-positions in turn where the exact solver "
        "knows, or random; both sides play each opening (with --sprt the default is balanced)",
    )
    who.add_argument("--plies", type=count, metavar="N", help="the most moves of an opening (default: half a game)")
    how = parser.add_argument_group("how they play")
    how.add_argument("--seconds", type=seconds, metavar="S", help="the time a move of all agents that take one")
    how.add_argument("--nodes", type=count, metavar="N", help="in place of it, nodes a move")
    how.add_argument("--simulations", type=count, metavar="N", help="in place of it, simulations a move")
    how.add_argument(
        "--limit", type=seconds, metavar="S", help="who takes longer for a move forfeits the game (default: 300)"
    )
    how.add_argument(
        "--oracle-states",
        type=whole_number,
        metavar="N",
        help="what the exact solver may evaluate to judge the moves of a game; 0 for no judgement (default: 20000)",
    )
    how.add_argument(
        "--adjudicate", action="store_true", default=None, help="end a game where the exact solver knows who wins"
    )
    how.add_argument(
        "--sprt",
        metavar="TEST",
        help="end the match when it is decided whether the first of two agents is stronger: "
        "elo0=0,elo1=20,alpha=0.05,beta=0.05,model=pairs (or model=games)",
    )
    run_ = parser.add_argument_group("where it runs")
    run_.add_argument("--concurrency", type=count, metavar="N", help="games at once (default: 1)")
    run_.add_argument("--engine", metavar="NAME", help="pool (processes, the default), ray, or serial")
    run_.add_argument("--address", metavar="ADDRESS", help="of a Ray cluster")
    run_.add_argument("--config", metavar="FILE", help="settings from a TOML file, by the long names of these options")
    run_.add_argument("--out", metavar="DIR", help="the folder to write (default: matches/UTC time)")
    run_.add_argument("--resume", metavar="DIR", help="go on with a match that was interrupted or killed")
    run_.add_argument("--replay", metavar="DIR", help="replay a match that was written before, and print its table")
    run_.add_argument("--quiet", action="store_true", help="show no progress")
    run_.add_argument("--json", action="store_true", help="print the table as JSON")
    return parser


def run(options: argparse.Namespace) -> int:
    """Play, resume or replay a match and print its table."""
    given = {name: value for name in _SETTINGS if (value := getattr(options, name)) not in (None, [])}
    if options.replay is not None:
        return _replay(options)
    values = ({} if options.config is None else read_config(options.config, _SETTINGS)) | given
    if options.resume is not None:
        extra = [name for name in given if name not in _RUNNING or name == "out"] + ["config"] * bool(options.config)
        if extra:
            raise SgaiError(f"--{extra[0].replace('_', '-')} with --resume: a match that has begun keeps its settings")
    return _play(options, values)


def _play(options: argparse.Namespace, values: dict[str, Any]) -> int:
    from sgai.experiments import matches
    from sgai.experiments.cli.progress import shown_progress
    from sgai.experiments.engines import make_engine

    with contextlib.nullcontext() if options.quiet else shown_progress():
        plugins = [str(Path(file).resolve()) for file in values.get("plugin", [])]
        for file in plugins:
            sgai.load_plugin(file)
        if options.resume is not None:
            folder = Path(options.resume)
            settings = matches.read_settings(folder)
        else:
            settings = _settings(values, plugins)
        engine = make_engine(
            values.get("engine", "pool"), values.get("concurrency", 1), settings.plugins, values.get("address")
        )
        if options.resume is None:
            folder = matches.new_folder(values.get("out"))
        try:
            with at_work(engine):
                records = matches.play_match(
                    settings, folder, progress=not options.quiet, engine=engine, resume=options.resume is not None
                )
        except matches.MatchInterrupted as stopped:
            _show(stopped.records, settings, options)
            print(f"\ninterrupted after {len(stopped.records)} games, which are in {folder}")
            print(f"go on with: sgai match --resume {folder}")
            raise KeyboardInterrupt from None
    run_ = _show(records, settings, options)
    matches.write_report(
        folder / "report.html",
        records,
        matches.read_manifest(folder),
        _budgets(settings),
        None if run_ is None else str(run_),
    )
    if not options.json:
        print(f"\n{len(records)} games written to {folder}, with report.html")
    return 0


def _settings(values: dict[str, Any], plugins: list[str]) -> "MatchSettings":
    from sgai.experiments import matches

    budget = {name: values[name] for name in _BUDGETS if name in values}
    if len(budget) > 1:
        raise SgaiError(f"{' and '.join(budget)} are given: give one budget a move")
    sprt = values.get("sprt")
    more = {name: values[name] for name in ("limit", "oracle_states", "adjudicate", "plies") if name in values}
    return matches.MatchSettings.parse(
        values.get("agent", DEFAULT_AGENTS),
        values.get("game", DEFAULT_GAMES),
        values.get("rounds", DEFAULT_ROUNDS if sprt is None else DEFAULT_SPRT_ROUNDS),
        values.get("seed", 0),
        budget=budget,
        openings=values.get("openings", "initial" if sprt is None else "balanced"),
        sprt=sprt,
        plugins=plugins,
        **more,
    )


def _replay(options: argparse.Namespace) -> int:
    from sgai.experiments import matches

    records = sorted(matches.replay(options.replay), key=lambda record: record.index)
    try:
        settings = None if Path(options.replay).is_file() else matches.read_settings(options.replay)
    except SgaiError:  # of an earlier version, or with agents that are not here
        settings = None
    if settings is not None:
        records = matches.counted(records, settings.sprt, str(settings.agents[0]))
    _show(records, settings, options)
    if not options.json:
        print(f"\n{len(records)} games replayed from {options.replay}")
    return 0


def _show(
    records: "list[GameRecord]", settings: "MatchSettings | None", options: argparse.Namespace
) -> "SprtRun | None":
    """Print the table, and return what an SPRT says."""
    from sgai.experiments import matches

    budgets, seed, run_ = None, 0, None
    if settings is not None:
        budgets, seed = _budgets(settings), settings.seed
        run_ = matches.sprt_run(records, settings.sprt, str(settings.agents[0]))
    if not options.json:
        print(matches.format_table(records, budgets, seed))
        if run_ is not None:
            print(f"\n{run_}")
    elif run_ is None:
        print_json(matches.table(records, budgets, seed))
    else:
        print_json({"table": matches.table(records, budgets, seed), "sprt": run_.to_dict()})
    return run_


def _budgets(settings: "MatchSettings") -> dict[str, dict[str, float]]:
    return {str(agent): agent.budget() for agent in settings.agents}
