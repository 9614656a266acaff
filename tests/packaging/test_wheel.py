"""The built wheel holds exactly the source tree, and works outside the checkout."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = {"sgai": "sgai", "agents": "sgai/agents", "envs": "sgai/envs", "experiments": "sgai/experiments"}
LINKS = {"sgai/agents", "sgai/envs", "sgai/experiments"}


def source_files():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *FOLDERS],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in listed.stdout.splitlines():
        if name not in LINKS and (ROOT / name).is_file():
            top, _, rest = name.partition("/")
            yield f"{FOLDERS[top]}/{rest}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_exactly_the_source_tree(wheel):
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert inside == set(source_files())
    assert "sgai/py.typed" in inside
    assert "sgai/agents/exact.py" in inside


def test_the_source_distribution_builds_the_same_wheel(wheel, tmp_path):
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (again,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(again) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())


def test_the_wheel_works_outside_the_checkout(wheel, tmp_path):
    target = tmp_path / "installed"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target), str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    program = f"""
import sys
sys.path = [each for each in sys.path if each and each != {str(ROOT)!r}]
sys.meta_path = [each for each in sys.meta_path if "editable" not in repr(each).lower()]
sys.path.insert(0, {str(target)!r})
import sgai
assert sgai.__file__.startswith({str(target)!r}), sgai.__file__
for name in ("agents", "envs", "experiments"):
    try:
        __import__(name)
    except ImportError:
        continue
    raise AssertionError(name + " can be imported by its bare name")
import pyspiel, sgai.envs
from sgai.agents import ExactBot, RandomBot
game = pyspiel.load_game("sgai_kayles(piles=[5;7])")
print(pyspiel.evaluate_bots(game.new_initial_state(), [ExactBot(game), RandomBot(game)], 1))
from sgai.experiments.cli.main import main
sys.exit(main(["match", "--rounds", "1", "--quiet", "--agent", "exact", "--agent", "random"]))
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[1.0, -1.0]\n")
    assert "10 games written to matches/" in done.stdout
    assert (tmp_path / "matches").is_dir()


@pytest.mark.parametrize("name", ["agents", "envs", "experiments"])
def test_bare_names_are_refused_even_in_the_checkout(name):
    done = subprocess.run(
        [sys.executable, "-c", f"import {name}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"this folder is the package sgai.{name}: import it by that name" in done.stderr
