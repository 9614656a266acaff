"""Runs the code blocks of the README and of docs: Python as it stands, and commands with their output compared."""

import doctest
import importlib.util
import os
import re
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser
from xdist.scheduler import LoadScopeScheduling

# The first three need extras that take long to import, and have no doctests; the last one is only there with gymnasium.
collect_ignore = [
    "sgai/envs/pettingzoo_adapter.py",
    "sgai/envs/rllib_adapter.py",
    "sgai/experiments/engines/ray_engine.py",
]
if importlib.util.find_spec("gymnasium") is None:
    collect_ignore.append("sgai/envs/vector/gymnasium_env.py")

# What differs from run to run: times, and the name of a new folder of games.
_VARYING = [(r"\bin [0-9.e-]+ (s|ms)\b", r"in # \1"), (r"matches/[0-9TZ.]+", "matches/#")]
_PROGRESS = re.compile(r"^(sgai: compiling .*| *[0-9]+%\|.*|[0-9]+ states \[.*)$", re.MULTILINE)
_TIMES_OF_A_TABLE = (r"( +[0-9.e+-]+){2}$", " # #")


def _plain(text: str, is_match: bool) -> list[str]:
    lines = []
    for line in text.strip().splitlines():
        for pattern, instead in [*_VARYING, *([_TIMES_OF_A_TABLE] if is_match else [])]:
            line = re.sub(pattern, instead, line)
        # The width of a table's columns follows its times.
        lines.append(re.sub(r"-{2,}", "--", re.sub(r" +", " ", line)).strip())
    return lines


def _run_commands(example: Example) -> None:
    commands = re.split(r"^\$ ", example.parsed, flags=re.MULTILINE)[1:]
    scripts = sysconfig.get_path("scripts")
    for each in commands:
        command, _, expected = each.partition("\n")
        done = subprocess.run(
            ["bash", "-c", command],
            capture_output=True,
            text=True,
            check=False,
            env={
                **os.environ,
                "PATH": scripts + os.pathsep + os.environ["PATH"],
                "SGAI_STORE": str(Path.cwd() / "nimbers.sqlite"),
            },
        )
        is_match = re.search(r"\bmatch\b", command) is not None
        # A progress bar, which shows on a slow machine, is no part of the answer.
        said = [line for line in _PROGRESS.sub("", done.stderr).splitlines() if line.strip()]
        shown = done.stdout if is_match else done.stdout + "\n".join(said)
        assert _plain(shown, is_match) == _plain(expected, is_match), f"$ {command}\n{done.stdout}{done.stderr}"


def _write_file(example: Example) -> None:
    name = re.match(r"# (\S+\.py)\n", example.parsed)
    assert name is not None, "a file's first line should be a comment with its name"
    Path(name[1]).write_text(example.parsed, encoding="utf-8")


@pytest.fixture(scope="module")
def in_a_new_folder(tmp_path_factory: pytest.TempPathFactory):
    """Let everything that a document writes go to a folder of its own."""
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("document"))
    yield
    os.chdir(before)


class _WholeDocuments(LoadScopeScheduling):
    """Gives all blocks of a document, which share names and files, to one worker; tests go one by one.

    The groups of ``--dist loadgroup`` are not seen by xdist 3.8 beside pytest 9.2.
    """

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        return path if path.endswith(".md") else nodeid

    def remove_node(self, node: Any) -> str | None:
        """Give others what a worker that died has left; xdist gives them what is done too, and waits for ever."""
        work = self.assigned_work.pop(node)
        left = [(scope, test) for scope, tests in work.items() for test, is_done in tests.items() if not is_done]
        if not left:
            return None
        scope, test = left[0]
        work[scope][test] = True  # the one that was running, which is reported as failed
        self.workqueue.update({scope: tests for scope, tests in work.items() if not all(tests.values())})
        for other in self.assigned_work:
            self._reschedule(other)
        return test

    def add_node_collection(self, node: Any, collection: Sequence[str]) -> None:
        """Send a new worker away that has found other tests, whom nothing could be given."""
        super().add_node_collection(node, collection)
        if node not in self.registered_collections:
            node.shutdown()

    def _reschedule(self, node: Any) -> None:
        """Leave a new worker alone until it has collected; xdist would count as given to it what it was never sent."""
        if node in self.registered_collections:
            super()._reschedule(node)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling | None:
    """Schedule so, where no other ``--dist`` is asked for."""
    return _WholeDocuments(config, log) if config.getvalue("dist") == "load" else None


pytest_collect_file = Sybil(
    parsers=[
        PythonCodeBlockParser(doctest_optionflags=doctest.ELLIPSIS),
        CodeBlockParser(language="console", evaluator=_run_commands),
        CodeBlockParser(language="py", evaluator=_write_file),
    ],
    patterns=["README.md", "docs/*.md", "docs/how-to/*.md"],
    fixtures=["in_a_new_folder"],
).pytest()
