"""Whether an OpenSpiel game is an impartial combinatorial game: yes, no or unknown, with reason and evidence."""

from sgai.envs.classification.answer import Classification, Play
from sgai.envs.classification.classifier import classify, is_ruled_out

__all__ = ["Classification", "Play", "classify", "is_ruled_out"]
