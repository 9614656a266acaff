"""The rulesets of sgai, one file a family; importing this registers them."""

from sgai.rulesets import graph, intervals, subtraction, sums, take_and_break, walkers

__all__ = ["graph", "intervals", "subtraction", "sums", "take_and_break", "walkers"]
