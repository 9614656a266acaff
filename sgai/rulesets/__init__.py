"""The rulesets of sgai, one file a family; importing this registers them."""

from sgai.rulesets import (
    boards,
    coupled_piles,
    graph,
    graph_games,
    intervals,
    leap_and_take,
    posets,
    subtraction,
    sums,
    take_and_break,
    walkers,
)

__all__ = [
    "boards",
    "coupled_piles",
    "graph",
    "graph_games",
    "intervals",
    "leap_and_take",
    "posets",
    "subtraction",
    "sums",
    "take_and_break",
    "walkers",
]
