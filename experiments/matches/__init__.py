"""Matches between agents: playing, recording, resuming, replaying, and the tables and report of results."""

from sgai.experiments.matches.contestants import Contestant, parse_contestant
from sgai.experiments.matches.playing import MatchInterrupted, counted, play_game, play_match, sprt_run
from sgai.experiments.matches.ratings import Rating, ratings
from sgai.experiments.matches.records import GameRecord, new_folder, read_manifest, read_records, read_settings, replay
from sgai.experiments.matches.report import write_report
from sgai.experiments.matches.settings import MatchSettings, Pairing, Rules
from sgai.experiments.matches.sprt import Sprt, SprtRun
from sgai.experiments.matches.table import format_table, table

__all__ = [
    "Contestant",
    "GameRecord",
    "MatchInterrupted",
    "MatchSettings",
    "Pairing",
    "Rating",
    "Rules",
    "Sprt",
    "SprtRun",
    "counted",
    "format_table",
    "new_folder",
    "parse_contestant",
    "play_game",
    "play_match",
    "ratings",
    "read_manifest",
    "read_records",
    "read_settings",
    "replay",
    "sprt_run",
    "table",
    "write_report",
]
