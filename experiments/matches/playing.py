"""Playing games between bots: one, and all of a match over the workers of an engine."""

import contextlib
import functools
import shutil
import signal
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from sgai.agents import PythonBot
from sgai.budget import Budget
from sgai.envs import SgaiGame, load_game
from sgai.errors import SgaiError
from sgai.experiments.engines import Alarm, Engine, Outcome, Overdue, Task, make_engine
from sgai.experiments.matches.contestants import OwnContestant
from sgai.experiments.matches.notes import Interrupted, Note, read_note
from sgai.experiments.matches.oracle import Oracle
from sgai.experiments.matches.records import STATUSES, UNKNOWN, GameRecord, RecordWriter, first_agents_score, winner_of
from sgai.experiments.matches.settings import MatchSettings, Pairing, Rules
from sgai.experiments.matches.sprt import Sprt, SprtRun
from sgai.removal_values import load_compiled_search

START_SECONDS = 120.0  # for a bot to be made, which can take compilation, whatever the limit for a move is
RUNNING = "running"  # the folder of the notes of games in play


class MatchInterrupted(Exception):
    """Ctrl-C in a match; ``records`` are the games that were finished and written."""

    def __init__(self, records: list[GameRecord]) -> None:
        super().__init__("the match was interrupted")
        self.records = records


class _Forfeit(Exception):
    """A seat loses; the text says why."""

    def __init__(self, seat: int, why: str) -> None:
        super().__init__(why)
        self.seat = seat


def play_game(pairing: Pairing, game: Any, rules: Rules = Rules(), note: Note | None = None) -> GameRecord:  # noqa: B008
    """Play one game between new bots.

    A bot that raises an error, takes longer than the limit or returns an illegal action forfeits the game; the record
    says why.

    Parameters
    ----------
    pairing : Pairing
        Who plays, from where, and the seed; the second agent's seed is the first one's plus 1.
    game : pyspiel.Game
        The loaded game.
    rules : Rules
        The limit, and what the exact solver has to say.
    note : Note, optional
        Where to note who is asked for a move.
    """
    return _GameInPlay(pairing, game, rules, note).record()


class _GameInPlay:
    def __init__(self, pairing: Pairing, game: Any, rules: Rules, note: Note | None) -> None:
        self.pairing, self.game, self.rules, self.note = pairing, game, rules, note
        self.names = [str(agent) for agent in pairing.agents]
        self.oracle = Oracle(game)
        self.actions: list[int] = []
        self.moves: list[str] = []
        self.seconds: list[float] = []
        self.seats = self.statuses = ""
        self.nodes: list[int | None] = []
        self.positions: list[Any] = []
        self.verdict: str | None = None  # by which the game was adjudicated

    def record(self) -> GameRecord:
        state = self.game.new_initial_state()
        for action in self.pairing.opening:
            self._apply(state, state.current_player(), action)
        forfeit = None
        try:
            self._play(state)
            returns = (
                self._adjudicated(state) if self.verdict is not None else [float(each) for each in state.returns()]
            )
        except _Forfeit as found:
            forfeit = str(found)
            returns = [-1.0, 1.0] if found.seat == 0 else [1.0, -1.0]
        if self.note is not None:
            self.note.rest()
        return GameRecord(
            self.pairing.index,
            self.pairing.game,
            self.names,
            self.pairing.seed,
            self.actions,
            self.moves,
            self.seconds,
            returns,
            winner_of(self.names, returns),
            forfeit,
            opening=len(self.pairing.opening),
            opening_outcome=self.pairing.opening_outcome,
            seats=self.seats,
            statuses=self.statuses,
            nodes=self.nodes,
            outcomes=self._outcomes(returns, forfeit),
            adjudicated=self.verdict is not None,
        )

    def _play(self, state: Any) -> None:
        agents, seed, limit = self.pairing.agents, self.pairing.seed, self.rules.limit
        bots: list[Any] = []
        for seat, agent in enumerate(agents):
            bots.append(
                self._ask(seat, functools.partial(agent.make_bot, self.game, seed + seat, seat, limit), START_SECONDS)
            )
        # Bots that are not ours could change a state that they are given.
        is_trusted = [isinstance(agent, OwnContestant) for agent in agents]
        for seat, bot in enumerate(bots):
            if hasattr(bot, "restart_at"):
                self._ask(
                    seat, functools.partial(bot.restart_at, state if is_trusted[seat] else state.clone()), START_SECONDS
                )
        listens = [_listens(bot) for bot in bots]
        knows = self.oracle.knows and self.rules.oracle_states > 0
        while not state.is_terminal():
            if self.rules.adjudicate:
                self.verdict = Oracle(self.game).outcome(state, Budget(self.rules.oracle_states))
                if self.verdict is not None:
                    return
            seat = state.current_player()
            if knows:
                self.positions.append(self.oracle.position(state))
            self.seats += str(seat)
            bot, given = bots[seat], state if is_trusted[seat] else state.clone()
            started = time.perf_counter()
            try:
                action = self._ask(seat, functools.partial(bot.step, given))
            finally:
                self.seconds.append(round(time.perf_counter() - started, 7))
                decision = getattr(bot, "last_decision", None)
                self.statuses += STATUSES.get(getattr(decision, "status", ""), UNKNOWN)
                self.nodes.append(getattr(decision, "states", None))
            if not isinstance(action, int | np.integer) or action not in state.legal_actions():
                raise _Forfeit(seat, f"{self.names[seat]} returned {action!r}, which is not legal in {str(state)!r}")
            action = int(action)
            other = bots[1 - seat]
            if listens[1 - seat]:
                given = state if is_trusted[1 - seat] else state.clone()
                self._ask(1 - seat, functools.partial(other.inform_action, given, seat, action))
            self._apply(state, seat, action)
            if self.note is not None:
                self.note.moved(seat, action)

    def _ask(self, seat: int, call: Callable[[], Any], least: float = 0.0) -> Any:
        limit = self.rules.limit and max(self.rules.limit, least)
        if self.note is not None:
            self.note.asking(seat, limit)
        try:
            with Alarm(limit):
                return call()
        except Overdue:
            raise _Forfeit(seat, f"{self.names[seat]} took more than {limit:g} s") from None
        except (Exception, SystemExit) as error:  # a bot may raise anything; the match goes on
            raise _Forfeit(seat, f"{self.names[seat]} raised {type(error).__name__}: {error}") from None

    def _apply(self, state: Any, seat: int, action: int) -> None:
        self.actions.append(action)
        self.moves.append(state.action_to_string(seat, action))
        state.apply_action(action)

    def _adjudicated(self, state: Any) -> list[float]:
        wins = state.current_player() == 0, state.current_player() == 1
        return [1.0 if won == (self.verdict == "N") else -1.0 for won in wins]

    def _outcomes(self, returns: list[float], forfeit: str | None) -> str:
        """Return what the exact solver says of each position that a bot decided on, and of the last one."""
        judged = self.oracle.judged(self.positions, self.rules.oracle_states)
        if not judged:
            return ""
        last = UNKNOWN
        if forfeit is None:  # who moved last knows by the result
            last = "P" if returns[int(self.seats[-1])] > 0 else "N"
        return "".join(each or UNKNOWN for each in judged) + last


def _listens(bot: Any) -> bool:
    """Tell whether a bot does anything when it is told of its opponent's move."""
    method = getattr(type(bot), "inform_action", None)
    return method is not PythonBot.inform_action and hasattr(bot, "inform_action")


@functools.lru_cache(maxsize=64)
def _loaded(game: str) -> Any:
    found = load_game(game)
    if isinstance(found, SgaiGame):
        load_compiled_search(found.ruleset)  # so that states are counted alike in every worker
    return found


def play_task(pairing: Pairing, rules: Rules, notes: str | None) -> GameRecord:
    """Play a game as a worker does: under a note, from which the game is lost if a bot was stuck in it before."""
    if notes is None:
        return play_game(pairing, _loaded(pairing.game), rules)
    path = _notes_here(notes) / f"{pairing.index}.txt"
    earlier = read_note(path)
    if earlier is not None and earlier.was_stuck:
        record = _record_of(pairing, earlier, rules, "")
        path.unlink(missing_ok=True)
        return record
    try:
        note = Note(path)
    except OSError:  # nothing can be written there: a bot that is stuck in compiled code would not be ended
        return play_game(pairing, _loaded(pairing.game), rules)
    try:
        return play_game(pairing, _loaded(pairing.game), rules, note)
    finally:
        note.remove()


def _notes_here(notes: str) -> Path:
    """Return the folder of notes, or one that stands for it on a machine that does not have the match's folder."""
    folder = Path(notes)
    if folder.parent.is_dir():
        return folder
    return Path(tempfile.gettempdir()) / f"sgai-notes-{zlib.crc32(notes.encode()):08x}"


def _record_of(pairing: Pairing, left: Interrupted | None, rules: Rules, reason: str) -> GameRecord:
    """Return the record of a game that did not come back: lost by who was to move, or without a result."""
    names = [str(agent) for agent in pairing.agents]
    state = _loaded(pairing.game).new_initial_state()
    moves = []
    actions = [*pairing.opening, *(left.actions if left is not None else [])]
    for action in actions:
        moves.append(state.action_to_string(state.current_player(), action))
        state.apply_action(action)
    returns, forfeit, failed = [0.0, 0.0], None, None
    if left is None or left.seat is None:
        failed = reason or "the worker ended"
    else:
        returns = [-1.0, 1.0] if left.seat == 0 else [1.0, -1.0]
        late = f"took more than {rules.limit:g} s, and its process had to be ended"
        forfeit = f"{names[left.seat]} {late if left.was_stuck else f'was to answer when it failed: {reason}'}"
    return GameRecord(
        pairing.index, pairing.game, names, pairing.seed, actions, moves, [], returns,
        None if failed else winner_of(names, returns), forfeit, opening=len(pairing.opening),
        opening_outcome=pairing.opening_outcome, seats="" if left is None else left.seats, failed=failed,
    )  # fmt: skip


def play_match(
    settings: MatchSettings, folder: Path, progress: bool = False, *, engine: Engine | None = None, resume: bool = False
) -> list[GameRecord]:
    """Play all games of a match and write them as they end.

    Parameters
    ----------
    settings : MatchSettings
        Agents, games, rounds, seed, and how games are played.
    folder : Path
        An empty folder; or, to resume, that of a match with these settings.
    progress : bool
        Whether to show a bar on standard error.
    engine : Engine, optional
        What runs the games; by default this process, one after the other. With an engine that has workers a game
        whose bot hangs in compiled code or ends the process is lost by that bot, and the match goes on.
    resume : bool
        Whether to go on with a match that was interrupted: what is written is kept, the rest is played.

    Returns
    -------
    list of GameRecord
        By their numbers, whatever the order in which they ended; with an SPRT up to the game that decided it.

    Raises
    ------
    MatchInterrupted
        On Ctrl-C; the games so far are on disk.
    SgaiError
        If the folder cannot be written, is in use, or holds what it should not.

    Examples
    --------
    >>> import tempfile
    >>> from sgai.experiments import matches
    >>> settings = matches.MatchSettings.parse(["exact", "random"], ["sgai_nim(piles=[1;2;4])"], rounds=2, seed=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     records = matches.play_match(settings, matches.new_folder(folder))
    >>> [record.winner for record in records]
    ['exact', 'exact', 'exact', 'exact']
    >>> matches.table(records)[0]["won_kept"], matches.table(records)[0]["won_positions"]
    (10, 10)
    """
    with RecordWriter(folder, settings, resume) as writer, contextlib.ExitStack() as ends:
        if engine is None:
            engine = ends.enter_context(make_engine("serial"))
        notes = folder / RUNNING
        shutil.rmtree(notes, ignore_errors=True)  # of a run that was killed
        ends.callback(shutil.rmtree, notes, ignore_errors=True)
        bar = ends.enter_context(
            tqdm(total=len(settings), initial=len(writer.records), unit="game", disable=not progress, leave=False)
        )
        agent = str(settings.agents[0])
        run = sprt_run(writer.records.values(), settings.sprt, agent)
        pairings: dict[int, Pairing] = {}

        def tasks() -> Iterator[Task]:
            # No notes for a process that nothing replaces.
            where = None if engine.has_one_process else str(notes.resolve())
            for pairing in settings.pairings():
                known = writer.records.get(pairing.index)
                if known is not None:
                    check_same(known, pairing)
                else:
                    pairings[pairing.index] = pairing
                    yield Task(pairing.index, play_task, (pairing, settings.rules, where))

        outcomes = engine.run(tasks(), seconds=_task_seconds(settings.rules))
        try:
            while run is None or run.verdict is None:
                outcome = next(outcomes, None)
                if outcome is None:
                    break
                record = _record(pairings.pop(outcome.index), outcome, settings.rules, notes)
                writer.write(record)
                bar.update()
                if run is not None:
                    run.add(record.index, first_agents_score(record, agent))
        except KeyboardInterrupt:
            raise MatchInterrupted(counted(list(writer.records.values()), settings.sprt, agent)) from None
        finally:
            outcomes.close()
        return counted(list(writer.records.values()), settings.sprt, agent)


def counted(records: list[GameRecord], sprt: Sprt | None, agent: str) -> list[GameRecord]:
    """Return the records that count, by their numbers: with an SPRT those up to its decision.

    Others were in play at the same time, and are written too.

    Parameters
    ----------
    records : list of GameRecord
        In any order.
    sprt : Sprt or None
        The match's test.
    agent : str
        The one that it is about.
    """
    records = sorted(records, key=lambda record: record.index)
    run = sprt_run(records, sprt, agent)
    if run is None or run.last is None:
        return records
    return [record for record in records if record.index <= run.last]


def sprt_run(records: Iterable[GameRecord], sprt: Sprt | None, agent: str) -> SprtRun | None:
    """Return where an SPRT stands after some games, or None if there is none."""
    if sprt is None:
        return None
    run = SprtRun(sprt)
    for record in records:
        run.add(record.index, first_agents_score(record, agent))
    return run


def check_same(record: GameRecord, pairing: Pairing) -> None:
    """Raise `SgaiError` if a game on disk is not the one that the settings give now."""
    now = (pairing.game, [str(agent) for agent in pairing.agents], pairing.seed, list(pairing.opening))
    then = (record.game, record.agents, record.seed, record.actions[: record.opening])
    if now != then:
        raise SgaiError(
            f"game {record.index} on disk is {then}, but the settings give {now} now: it was made by another version; "
            "begin a new match"
        )


def _record(pairing: Pairing, outcome: Outcome, rules: Rules, notes: Path) -> GameRecord:
    if outcome.kind == "done":
        record: GameRecord = outcome.value
        return record
    path = notes / f"{pairing.index}.txt"
    left = read_note(path)
    path.unlink(missing_ok=True)
    return _record_of(pairing, left, rules, outcome.reason)


def _task_seconds(rules: Rules) -> float | None:
    """Return a limit for whole games where there are no alarms for single moves."""
    return None if hasattr(signal, "setitimer") or rules.limit is None else 20 * rules.limit
