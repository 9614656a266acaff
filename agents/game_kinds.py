"""Which games OpenSpiel's players may be given."""

from collections.abc import Collection
from typing import Any

from sgai.envs.game_types import misfits
from sgai.errors import UnsupportedError, quote


def check_playable(
    game: Any, ignored: Collection[str] = ("general_sum", "rewards"), *, use: str = "for this bot"
) -> None:
    """Raise `UnsupportedError` for a game with misfits of other kinds than those ignored."""
    wrong = [each.reason for each in misfits(game) if each.kind not in ignored]
    if wrong:
        raise UnsupportedError(f"{quote(str(game))} is no game {use}: {', and '.join(wrong)}")
