"""What several test modules share."""

import os
import subprocess
import sys
import time

import pytest

# compiled_sequences.py too, by its ending
SOLVERS = (
    "search.py",
    "sequences.py",
    "option_values.py",
    "explicit_graph.py",
    "graph_evaluation.py",
    "graph_rulesets.py",
    "kernels/graphs.py",
)


@pytest.fixture(scope="session")
def interrupt_after():
    """Call a function and raise KeyboardInterrupt before a line of some files is run, as Ctrl-C may at any of them.

    The files are those of the solvers, or any whose ends are given. Returns whether it was interrupted.
    """

    def run(lines, function, files=SOLVERS):
        left = lines

        def count(frame, event, argument):
            nonlocal left
            if event == "line":
                left -= 1
                if left == 0:
                    raise KeyboardInterrupt
            return count

        before = sys.gettrace()
        sys.settrace(lambda frame, *_: count if frame.f_code.co_filename.endswith(files) else None)
        try:
            function()
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(before)
        return False

    return run


@pytest.fixture(scope="session")
def run_program():
    """Run a program in a process of its own, with arguments and environment variables."""

    def run(program, *arguments, **environment):
        return subprocess.run(
            [sys.executable, "-c", program, *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            env={**os.environ, **environment},
        )

    return run


@pytest.fixture
def own_clock(monkeypatch):
    """Count the time of this thread alone, so that deadlines can be judged while other programs run."""
    monkeypatch.setattr(time, "perf_counter", time.thread_time)
