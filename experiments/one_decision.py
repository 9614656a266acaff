"""One decision of a bot, in a process of its own: ``python -m sgai.experiments.one_decision TASK``, a task in JSON.

The first line of the answer is the action, printed at once; the second one is JSON and says the rest. What this loads
is counted in the decision's time, so it is no more than a program needs that lets a bot decide.
"""

import json
import os
import sys
import threading
import time
from typing import Any

from sgai.errors import NotSolvedError
from sgai.experiments.resident_memory import process_peak

NOT_SOLVED, FAILED = "not solved", "failed"


def failure(error: Exception) -> str:
    """Return what went wrong in one line.

    Examples
    --------
    >>> failure(NotSolvedError("too large")), failure(KeyError("a"))
    ('not solved', "failed: KeyError: 'a'")
    """
    if isinstance(error, NotSolvedError):
        return NOT_SOLVED
    return f"{FAILED}: {type(error).__name__}: {' '.join(str(error).split())}"


def states_of(bot: Any) -> int | None:
    """Return how many states, nodes and simulations a bot's last decision took, None where it does not tell."""
    decision = getattr(bot, "last_decision", None)
    if decision is None:
        return getattr(bot, "last_simulations", None)
    states: int | None = getattr(decision, "states", None)
    # OpenSpiel's information-set search, one of those with a text of what was searched, does not tell: it has 0 there.
    return None if states == 0 and hasattr(decision, "search") else states


def decide(task: dict[str, Any]) -> None:
    """Decide once and print the answer.

    Parameters
    ----------
    task : dict
        ``plugins`` (files), ``game`` and ``agent`` (texts), ``actions`` that lead to the position, ``seed``, and
        perhaps ``ends_with_input``: whether this process is to end when its standard input does.
    """
    if task.get("ends_with_input"):
        threading.Thread(target=_end_with_input, daemon=True).start()
    import sgai
    from sgai.agents import AgentSpec
    from sgai.envs import load_game

    for file in task["plugins"]:
        sgai.load_plugin(file)
    game = load_game(task["game"])
    state = game.new_initial_state()
    for action in task["actions"]:
        state.apply_action(action)
    bot = AgentSpec.parse(task["agent"]).make(game, task["seed"])
    bot.restart_at(state)
    action, problem = None, None
    started = time.perf_counter()
    try:
        action = int(bot.step(state))
    except Exception as error:  # a bot may raise anything
        problem = failure(error)
    print(action, flush=True)
    said = {
        "action": action,
        "problem": problem,
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time(),
        "memory": process_peak(),
        "states": states_of(bot),
    }
    print(json.dumps(said), flush=True)


def _end_with_input() -> None:
    """End this process when the one that started it is gone, however it ended."""
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    decide(json.loads(sys.argv[1]))
    os._exit(0)  # clearing up is nobody's decision time
