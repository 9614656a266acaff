"""Search cores: they search a sum of components that are not solved together with the nim-heap of those that are."""

from sgai.cores.core import Findings, MoveFinding, SearchCore, Sum, SumMove

__all__ = ["Findings", "MoveFinding", "SearchCore", "Sum", "SumMove"]
