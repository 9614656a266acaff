"""Misere play, in which who cannot move wins: Nim, tame games, genera, canonical forms, quotients and search."""

from sgai.misere.forms import Form, add_forms, form_of, nim_form
from sgai.misere.genus import Genus
from sgai.misere.nim import misere_nim_is_won, misere_nim_replies, nim_heaps
from sgai.misere.quotients import NoQuotientError, Quotient, quotient
from sgai.misere.sequences import genera
from sgai.misere.tame import Tame, tame_sum, tame_sum_is_won

__all__ = [
    "Form",
    "Genus",
    "NoQuotientError",
    "Quotient",
    "Tame",
    "add_forms",
    "form_of",
    "genera",
    "misere_nim_is_won",
    "misere_nim_replies",
    "nim_form",
    "nim_heaps",
    "quotient",
    "tame_sum",
    "tame_sum_is_won",
]
