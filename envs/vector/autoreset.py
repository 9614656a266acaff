"""What happens to a game that has ended: the modes of gymnasium's vector environments, by its names."""

from enum import Enum
from typing import Any

from sgai.errors import SgaiError, nearest, quote


class AutoresetMode(Enum):
    """When a game that has ended begins anew.

    ``SAME_STEP``: in the step that ends it. The observation is the new game's first; the old one's last is in
    ``infos["final_obs"]``.
    ``NEXT_STEP``: in the next step, whose action for this game is not looked at and whose reward is 0.
    ``DISABLED``: when ``reset(options={"reset_mask": mask})`` says so; until then a step is an error.
    """

    NEXT_STEP = "NextStep"
    SAME_STEP = "SameStep"
    DISABLED = "Disabled"


def autoreset_mode(given: Any) -> AutoresetMode:
    """Return a mode by its name, or for a mode of gymnasium's.

    Examples
    --------
    >>> autoreset_mode("next_step")
    <AutoresetMode.NEXT_STEP: 'NextStep'>
    """
    name = given.name if isinstance(given, Enum) else given
    known = {mode.name: mode for mode in AutoresetMode}
    if isinstance(name, str) and name.upper() in known:
        return known[name.upper()]
    modes = [each.lower() for each in known]
    raise SgaiError(f"autoreset={quote(given)}: the modes are {', '.join(modes)}{nearest(str(name).lower(), modes)}")
