"""Whether an OpenSpiel game is an impartial combinatorial game: yes, no or unknown, with reason and evidence."""

from sgai.envs.classification.answer import Classification, Play
from sgai.envs.classification.classifier import classify, is_ruled_out
from sgai.envs.classification.playouts import against_by_playouts

__all__ = ["Classification", "Play", "against_by_playouts", "classify", "is_ruled_out"]
