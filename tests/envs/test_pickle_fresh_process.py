"""Games and states pickled here come to life in a process that has imported nothing of ours."""

import base64
import pickle
import subprocess
import sys

import pyspiel
import pytest

import sgai
import sgai.envs

READ_BACK = """
import base64, pickle, sys
thing = pickle.loads(base64.b64decode(sys.argv[1]))
state = thing.new_initial_state() if hasattr(thing, "new_initial_state") else thing
print(state, state.legal_actions(), sorted(m for m in sys.modules if m == "sgai.envs"))
"""

PLUGIN = '''
import sgai

class Down(sgai.Ruleset[int, int]):
    """Count down by one or two."""

    name = "plugin_down"
    height: int = 4

    def initial(self):
        return self.height

    def moves(self, position):
        for taken in (1, 2):
            if taken <= position:
                yield taken, position - taken

sgai.register(Down)
'''


def in_a_fresh_process(thing, folder):
    pickled = base64.b64encode(pickle.dumps(thing)).decode()
    done = subprocess.run(
        [sys.executable, "-c", READ_BACK, pickled], capture_output=True, text=True, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    "text",
    ["sgai_subtraction(take=[2;5],piles=[2;4;7])", "sgai_nim(piles=[1],play=misere)", "sgai_sum", "sgai_queen"],
)
def test_games_and_states(text, tmp_path):
    game = pyspiel.load_game(text)
    state = game.new_initial_state()
    expected = f"{state} {state.legal_actions()} ['sgai.envs']"
    assert in_a_fresh_process(game, tmp_path) == expected
    state.apply_action(state.legal_actions()[-1])
    assert in_a_fresh_process(state, tmp_path) == f"{state} {state.legal_actions()} ['sgai.envs']"


def test_a_game_of_a_users_file(tmp_path):
    file = tmp_path / "my_rules.py"
    file.write_text(PLUGIN)
    sgai.load_plugin(file)
    try:
        state = pyspiel.load_game("sgai_plugin_down(height=5)").new_initial_state()
        state.apply_action(state.legal_actions()[0])
        assert in_a_fresh_process(state, tmp_path) == "4, player 1 to move [0, 1] ['sgai.envs']"
    finally:
        del sgai.registry._classes["plugin_down"], sgai.registry._origins["plugin_down"]


def test_no_path_of_this_machine_is_in_a_pickle_or_a_serialised_state():
    game = pyspiel.load_game("sgai_kayles")
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    inside = [line.removeprefix("__dict__=") for line in state.serialize().splitlines() if "__dict__=" in line]
    for data in (pickle.dumps(game), pickle.dumps(state), *map(base64.b64decode, inside)):
        assert str(sgai.__path__[0]).encode() not in data
        assert b"kayles" in data
