"""Matches between agents: playing, recording, replaying, and the table of results."""

from sgai.experiments.matches.playing import MatchInterrupted, play_game, play_match
from sgai.experiments.matches.records import GameRecord, new_folder, read_records, replay
from sgai.experiments.matches.settings import MatchSettings, Pairing
from sgai.experiments.matches.table import format_table, table

__all__ = [
    "GameRecord",
    "MatchInterrupted",
    "MatchSettings",
    "Pairing",
    "format_table",
    "new_folder",
    "play_game",
    "play_match",
    "read_records",
    "replay",
    "table",
]
