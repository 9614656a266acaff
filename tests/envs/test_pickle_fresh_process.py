"""Games and states that are pickled or serialised here come to life in a process that has imported nothing of ours."""

import base64
import json
import pickle
import random
import runpy
import subprocess
import sys
from pathlib import Path

import pyspiel

import sgai
import sgai.envs

GAMES = runpy.run_path(str(Path(__file__).with_name("test_games.py")))["GAMES"]

READ_BACK = """
import base64, pickle, sys
thing = pickle.loads(base64.b64decode(sys.argv[1]))
state = thing.new_initial_state() if hasattr(thing, "new_initial_state") else thing
print(state, state.legal_actions(), sorted(m for m in sys.modules if m == "sgai.envs"))
"""

READ_ALL_BACK = """
import json, pickle, sys
import pyspiel
def said(state):
    return [str(state), state.legal_actions(), state.history(), list(state.returns()), state.observation_tensor(0)]
answers = []
for game, states, texts in map(pickle.loads, pickle.load(sys.stdin.buffer)):
    back = [said(state) for state in states]
    back += [said(pyspiel.deserialize_game_and_state(text)[1]) for text in texts]
    answers.append([str(game), str(game.new_initial_state()), back])
print(json.dumps(answers))
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


def states_to_send(game):
    """Return states from the start to the end of a random play, and of one that starts in the middle of it."""
    chance, state, states = random.Random(8), game.new_initial_state(), []
    while not state.is_terminal():
        states.append(state.clone())
        state.apply_action(chance.choice(state.legal_actions()))
    states.append(state)
    elsewhere = game.new_initial_state_at(states[(len(states) - 1) // 2].position, player=1)
    states.append(elsewhere.clone())
    elsewhere.apply_action(elsewhere.legal_actions()[-1])
    return [*states, elsewhere]


def said(state):
    return [str(state), state.legal_actions(), state.history(), list(state.returns()), state.observation_tensor(0)]


def test_every_game_and_its_states(tmp_path):
    """One process reads all games, each at two sizes: pickles, and OpenSpiel's own text of game and state."""
    sent, expected = [], []
    for text in GAMES:
        game = pyspiel.load_game(text)
        states = states_to_send(game)
        texts = [pyspiel.serialize_game_and_state(game, state) for state in states]
        sent.append(pickle.dumps((game, states, texts)))
        expected.append([str(game), str(game.new_initial_state()), [said(state) for state in states] * 2])
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL_BACK], input=pickle.dumps(sent), capture_output=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    assert len(expected) >= 60
    for answer, wanted in zip(json.loads(done.stdout), expected, strict=True):
        assert answer == wanted


ACTORS = """
import multiprocessing, random, sys

def actor(seed, game, starts, queue):
    # As AlphaZero's actors do: play from what was sent, and send states back in the middle of play.
    chance = random.Random(seed)
    for start in starts:
        state = start.clone()
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
            queue.put((game, state.clone()))  # a queue pickles later, in a thread
    queue.put(None)

if __name__ == "__main__":
    import pyspiel, sgai.envs
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    game = pyspiel.load_game("sgai_sum")
    starts = [game.new_initial_state(), game.new_initial_state("[1;2] + [2] + [3], player 1 to move")]
    actors = [context.Process(target=actor, args=(seed, game, starts, queue)) for seed in (0, 1)]
    for each in actors:
        each.start()
    running, received = len(actors), []
    while running:
        item = queue.get(timeout=120)
        if item is None:
            running -= 1
        else:
            received.append(item)
    for each in actors:
        each.join()
    for its_game, state in received:
        # Each state is what its history makes of its start.
        again = game.new_initial_state_at(state.start, state.start != game.ruleset.initial())
        for action in state.history():
            again.apply_action(action)
        assert str(again) == str(state) and str(its_game) == str(game) and len(state.history()) > 0
    print(len(received), sum(state.is_terminal() for _, state in received), [each.exitcode for each in actors])
"""


def test_actors_in_spawned_processes(tmp_path):
    file = tmp_path / "actors.py"
    file.write_text(ACTORS)
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    received, ended, exits = done.stdout.split(maxsplit=2)
    assert int(received) > 8
    assert (ended, exits.strip()) == ("4", "[0, 0]")


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
