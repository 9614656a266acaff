"""The rulesets of sgai, one file a family; importing this registers them."""

from sgai.rulesets import (
    boards,
    coin_turning,
    coupled_piles,
    geography,
    graph,
    graph_games,
    hackenbush,
    intervals,
    leap_and_take,
    posets,
    staircase,
    strips,
    subtraction,
    sums,
    take_and_break,
    walkers,
)

__all__ = [
    "boards",
    "coin_turning",
    "coupled_piles",
    "geography",
    "graph",
    "graph_games",
    "hackenbush",
    "intervals",
    "leap_and_take",
    "posets",
    "staircase",
    "strips",
    "subtraction",
    "sums",
    "take_and_break",
    "walkers",
]
