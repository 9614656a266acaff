"""Decisions in processes of their own, from the start of Python on: imports, loading, compiled code and all."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Any


def measure_fresh(
    name: str,
    agents: Sequence[Any],
    places: Sequence[Any],
    *,
    seed: int = 0,
    plugins: Sequence[str] = (),
    compile_anew: bool = False,
) -> Iterator[Any]:
    """Let a new process make each decision, agents in turns; the time counts from the process's start to its answer.

    Parameters
    ----------
    name : str
        The game, as `load_game` reads it.
    agents : sequence of AgentSpec
        Who decides.
    places : sequence of Place
        On what.
    seed : int
        Of the agents.
    plugins : sequence of str
        Files with users' rulesets.
    compile_anew : bool
        Whether to compile what is needed, rather than to take it from the disk; that may take minutes.

    Yields
    ------
    Turn or Sample
        With mode "fresh". Its CPU time is that of the whole process, its memory the largest that the process had.
    """
    from sgai.experiments.latency.calibration import calibrate
    from sgai.experiments.latency.measuring import Turn, turns

    for position, place in enumerate(places):
        yield Turn(name, True, position, 0, calibrate())
        for each in turns(len(agents), position):
            yield _decided(name, agents[each], position, place, seed, plugins, compile_anew)


def _decided(
    name: str, agent: Any, position: int, place: Any, seed: int, plugins: Sequence[str], compile_anew: bool
) -> Any:
    from sgai.experiments.latency.measuring import FAILED, Sample, seed_of
    from sgai.experiments.latency.settings import FRESH

    task = {
        "agent": str(agent),
        "game": name,
        "actions": list(place.actions),
        "seed": seed_of(seed, name, position, 0),
        "plugins": list(plugins),
    }
    with tempfile.TemporaryDirectory(prefix="sgai") as folder:
        environment = {**os.environ, **({"NUMBA_CACHE_DIR": folder} if compile_anew else {})}
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "sgai.experiments.latency.fresh", json.dumps(task)],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
        seconds = time.perf_counter() - started
    try:
        said = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        said = {"problem": f"{FAILED}: the process ended with {done.returncode}: {done.stderr.strip()[-300:]}"}
    decided, problem = said.get("seconds"), said.get("problem")
    if problem is None and said["action"] not in place.state.legal_actions():
        problem = f"{FAILED}: the action {said['action']!r} is not legal in {str(place.state)!r}"
    return Sample(
        name,
        str(agent),
        FRESH,
        position,
        0,
        seconds,
        said.get("cpu_seconds", 0.0),
        None if decided is None else seconds - decided,
        said.get("memory"),
        said.get("states"),
        problem,
    )


def _decide(task: dict[str, Any]) -> dict[str, Any]:
    """Decide once, in the new process."""
    import sgai
    from sgai.agents import AgentSpec
    from sgai.envs import load_game
    from sgai.errors import NotSolvedError
    from sgai.experiments.latency.measuring import FAILED, NOT_SOLVED, states_of
    from sgai.experiments.latency.memory import process_peak

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
    except NotSolvedError:
        problem = NOT_SOLVED
    except Exception as error:
        problem = f"{FAILED}: {type(error).__name__}: {' '.join(str(error).split())}"
    return {
        "action": action,
        "problem": problem,
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time(),
        "memory": process_peak(),
        "states": states_of(bot),
    }


if __name__ == "__main__":
    print(json.dumps(_decide(json.loads(sys.argv[1]))), flush=True)
    os._exit(0)  # what is left is clearing up, which is nobody's decision time
