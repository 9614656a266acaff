"""Decisions in processes of their own, from the start of Python on: imports, loading, compiled code and all."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Any

from sgai.experiments.latency.calibration import calibrate
from sgai.experiments.latency.measuring import Sample, Turn, seed_of, turns
from sgai.experiments.latency.positions import Place
from sgai.experiments.latency.settings import FRESH
from sgai.experiments.one_decision import FAILED

_MODULE = "sgai.experiments.one_decision"
# With folders to look in behind the usual ones; else it is as with -m.
_WITH_PATHS = (
    f"import json, runpy, sys; sys.path += json.loads(sys.argv[2]); runpy.run_module({_MODULE!r}, None, '__main__')"
)


def measure_fresh(
    name: str,
    agents: Sequence[Any],
    places: Sequence[Place],
    *,
    seed: int = 0,
    plugins: Sequence[str] = (),
    paths: Sequence[str] = (),
    compile_anew: bool = False,
) -> Iterator[Turn | Sample]:
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
    paths : sequence of str
        Folders where modules are looked for too.
    compile_anew : bool
        Whether to compile what is needed, rather than to take it from the disk; that may take minutes.

    Yields
    ------
    Turn or Sample
        With mode "fresh". Its CPU time is that of the whole process, its memory the largest that the process had.
    """
    for position, place in enumerate(places):
        yield Turn(name, True, position, 0, calibrate())
        for each in turns(len(agents), position):
            yield _decided(name, agents[each], position, place, seed, plugins, paths, compile_anew)


def _decided(
    name: str,
    agent: Any,
    position: int,
    place: Place,
    seed: int,
    plugins: Sequence[str],
    paths: Sequence[str],
    compile_anew: bool,
) -> Sample:
    task = {
        "agent": str(agent),
        "game": name,
        "actions": list(place.actions),
        "seed": seed_of(seed, name, position, 0),
        "plugins": list(plugins),
        "ends_with_input": True,
    }
    program = ["-c", _WITH_PATHS] if paths else ["-m", _MODULE]
    with tempfile.TemporaryDirectory(prefix="sgai") as folder, tempfile.TemporaryFile("w+") as errors:
        environment = {**os.environ, **({"NUMBA_CACHE_DIR": folder} if compile_anew else {})}
        started = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, *program, json.dumps(task), *([json.dumps(list(paths))] if paths else [])],
            stdin=subprocess.PIPE,  # nothing comes there, but its end is that of this process
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment,
        ) as process:
            try:
                assert process.stdout is not None
                process.stdout.readline()
                seconds = time.perf_counter() - started  # what the process says of itself afterwards does not count
                out = process.stdout.read()
            except BaseException:
                process.kill()
                raise
        errors.seek(0)
        last = " ".join(errors.read().split())[-300:]
    try:
        said = json.loads(out)
    except json.JSONDecodeError:
        said = {"problem": f"{FAILED}: the process ended with {process.returncode}: {last}"}
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
