"""The scheduler of the tests themselves: a worker that dies costs the test that killed it, and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFTEST = f"""
import importlib.util

spec = importlib.util.spec_from_file_location("conftest_of_the_project", {str(ROOT / "conftest.py")!r})
project = importlib.util.module_from_spec(spec)
spec.loader.exec_module(project)
pytest_xdist_make_scheduler = project.pytest_xdist_make_scheduler
"""
TESTS = """
import os, time
import pytest

@pytest.mark.parametrize("number", range(40))
def test_it(number):
    time.sleep(0.02)
    if number in (13, 31):
        os._exit(1)
"""


@pytest.mark.slow
def test_tests_go_on_where_workers_die(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_that_kills.py").write_text(TESTS)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "2", "-q", "-p", "no:cacheprovider", "--rootdir", ".", "."],
        capture_output=True, text=True, check=False, timeout=100, cwd=tmp_path,
    )  # fmt: skip
    assert "2 failed, 38 passed" in done.stdout, done.stdout + done.stderr
