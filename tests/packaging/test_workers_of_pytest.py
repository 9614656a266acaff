"""The scheduler of the tests themselves: a worker that dies costs the test that killed it, and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFTEST = f"""
import importlib.util, os, time

spec = importlib.util.spec_from_file_location("conftest_of_the_project", {str(ROOT / "conftest.py")!r})
project = importlib.util.module_from_spec(spec)
spec.loader.exec_module(project)
pytest_xdist_make_scheduler = project.pytest_xdist_make_scheduler

def pytest_collection_modifyitems(items):
    if os.environ["PYTEST_XDIST_WORKER"] not in ("gw0", "gw1"):
        {{of_a_new_worker}}
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


def run_where_workers_die(folder, of_a_new_worker):
    (folder / "conftest.py").write_text(CONFTEST.format(of_a_new_worker=of_a_new_worker))
    (folder / "test_that_kills.py").write_text(TESTS)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "2", "-q", "-p", "no:cacheprovider", "--rootdir", ".", "."],
        capture_output=True, text=True, check=False, timeout=100, cwd=folder,
    )  # fmt: skip


# With two seconds the second worker dies while the first one's replacement is still collecting.
@pytest.mark.slow
@pytest.mark.parametrize("seconds_to_collect", [0, 2])
def test_tests_go_on_where_workers_die(tmp_path, seconds_to_collect):
    done = run_where_workers_die(tmp_path, f"time.sleep({seconds_to_collect})")
    assert "2 failed, 38 passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_new_workers_that_find_other_tests_end_the_run(tmp_path):
    done = run_where_workers_die(tmp_path, "items.reverse()")
    assert done.returncode not in (0, 1), done.stdout + done.stderr
    assert "no active workers" in done.stdout + done.stderr
