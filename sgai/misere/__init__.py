"""Misere play, in which who cannot move wins: Nim, tame games, genera, canonical forms, quotients and search."""

from sgai.misere.nim import misere_nim_is_won, misere_nim_replies, nim_heaps
from sgai.misere.quotients import NoQuotientError, Quotient, quotient

__all__ = [
    "NoQuotientError",
    "Quotient",
    "misere_nim_is_won",
    "misere_nim_replies",
    "nim_heaps",
    "quotient",
]
