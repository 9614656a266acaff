"""Playing games between bots."""

import time
from pathlib import Path
from typing import Any

from tqdm import tqdm

from sgai.envs import load_game
from sgai.experiments.matches.records import GameRecord, RecordWriter, winner_of
from sgai.experiments.matches.settings import MatchSettings, Pairing


class MatchInterrupted(Exception):
    """Ctrl-C in a match; ``records`` are the games that were finished and written."""

    def __init__(self, records: list[GameRecord]) -> None:
        super().__init__("the match was interrupted")
        self.records = records


def play_game(pairing: Pairing, game: Any) -> GameRecord:
    """Play one game between new bots.

    A bot that raises an error or returns an illegal action forfeits the game; the record says why.

    Parameters
    ----------
    pairing : Pairing
        Who plays, and the seed; the second agent's seed is the first one's plus 1.
    game : pyspiel.Game
        The loaded game.
    """
    bots = [agent.make(game, pairing.seed + seat) for seat, agent in enumerate(pairing.agents)]
    names = [str(agent) for agent in pairing.agents]
    state = game.new_initial_state()
    actions: list[int] = []
    moves: list[str] = []
    seconds: list[float] = []
    forfeit = None
    returns: list[float] = []
    for bot in bots:
        bot.restart_at(state)
    while not state.is_terminal():
        seat = state.current_player()
        started = time.perf_counter()
        try:
            action = bots[seat].step(state)
        except Exception as error:  # a bot may raise anything; the match goes on
            forfeit = f"{names[seat]} raised {type(error).__name__}: {error}"
        seconds.append(time.perf_counter() - started)
        if forfeit is None and action not in state.legal_actions():
            forfeit = f"{names[seat]} returned {action!r}, which is not legal in {str(state)!r}"
        if forfeit is not None:
            returns = [-1.0, 1.0] if seat == 0 else [1.0, -1.0]
            break
        bots[1 - seat].inform_action(state, seat, action)
        actions.append(action)
        moves.append(state.action_to_string(seat, action))
        state.apply_action(action)
    returns = returns or list(state.returns())
    winner = winner_of(names, returns)
    return GameRecord(
        pairing.index, pairing.game, names, pairing.seed, actions, moves, seconds, returns, winner, forfeit
    )


def play_match(settings: MatchSettings, folder: Path, progress: bool = False) -> list[GameRecord]:
    """Play all games of a match and write them as they end.

    Parameters
    ----------
    settings : MatchSettings
        Agents, games, rounds and seed.
    folder : Path
        An empty folder.
    progress : bool
        Whether to show a bar on standard error.

    Raises
    ------
    MatchInterrupted
        On Ctrl-C; the games so far are on disk.
    """
    records: list[GameRecord] = []
    games = {text: load_game(text) for text in settings.games}
    with (
        RecordWriter(folder, settings) as writer,
        tqdm(total=len(settings), unit="game", disable=not progress, leave=False) as bar,
    ):
        try:
            for pairing in settings.pairings():
                record = play_game(pairing, games[pairing.game])
                writer.write(record)
                records.append(record)
                bar.update()
        except KeyboardInterrupt:
            raise MatchInterrupted(records) from None
    return records
