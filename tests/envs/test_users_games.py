"""Games of users in OpenSpiel: required parameters, parameters it cannot take, moves that collide, memory."""

import pickle
import subprocess
import sys

import pyspiel
import pytest

import sgai
from sgai.envs import load_game
from sgai.envs.node import NodeCache


@pytest.fixture
def registered():
    """Register classes for one test."""
    names = []

    def register(cls):
        names.append(cls.name)
        return sgai.register(cls)

    yield register
    for name in names:
        sgai.registry._classes.pop(name, None)
        sgai.registry._origins.pop(name, None)


class Down(sgai.Ruleset):
    def initial(self):
        return self.n

    def moves(self, position):
        for taken in (1, 2):
            if taken <= position:
                yield taken, position - taken


def test_required_parameters(registered):
    class Needs(Down):
        name = "needs_for_a_test"
        n: int
        odds: float

    registered(Needs)
    game = pyspiel.load_game("sgai_needs_for_a_test(n=5,odds=0.25)")
    assert str(game.new_initial_state()) == "5, player 0 to move"
    assert str(pickle.loads(pickle.dumps(game))) == str(game)
    assert str(pyspiel.load_game(str(game))) == str(game)
    with pytest.raises(pyspiel.SpielError, match="needs the parameter 'n'"):
        pyspiel.load_game("sgai_needs_for_a_test(odds=0.5)")
    with pytest.raises(pyspiel.SpielError, match="needs the parameter 'odds'"):
        pyspiel.load_game("sgai_needs_for_a_test(n=5)")


def test_floats_keep_their_digits_through_a_pickle(registered):
    class Exactly(Down):
        name = "exactly_for_a_test"
        n: int = 3
        x: float = 0.5

    registered(Exactly)
    game = pyspiel.load_game("sgai_exactly_for_a_test", {"x": 0.12345678901234568})
    assert pickle.loads(pickle.dumps(game)).ruleset == game.ruleset


def test_a_ruleset_that_openspiel_cannot_take_is_not_registered(registered):
    class Large(Down):
        name = "large_for_a_test"
        n: int = 3 * 10**9

    with pytest.raises(sgai.SgaiError, match="OpenSpiel cannot take the ruleset 'large_for_a_test'"):
        registered(Large)
    assert "large_for_a_test" not in sgai.ruleset_names()


def test_a_refused_redefinition_leaves_the_ruleset_that_was_there(registered):
    def define(default):
        class Again(Down):
            name = "defined_again_for_a_test"
            n: int = default

        return Again

    first = registered(define(4))
    with pytest.raises(sgai.SgaiError, match="OpenSpiel cannot take"):
        sgai.register(define(3 * 10**9))
    assert type(sgai.load_ruleset("defined_again_for_a_test")) is first
    assert str(pyspiel.load_game("sgai_defined_again_for_a_test").new_initial_state()) == "4, player 0 to move"


def test_such_a_ruleset_does_not_keep_the_games_from_being_imported():
    program = """
import sgai
class Large(sgai.Ruleset):
    name = "large"
    n: int = 3 * 10**9
    def initial(self):
        return self.n
    def moves(self, position):
        return iter(())
sgai.register(Large)
import sgai.envs, pyspiel
print(pyspiel.load_game("sgai_nim"))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "sgai_nim()\n"), done.stderr
    assert "'large' is left out" in done.stderr


def test_equal_moves_are_an_error_and_not_one_action(registered):
    class Twice(sgai.Ruleset):
        name = "twice_for_a_test"

        def initial(self):
            return 2

        def moves(self, position):
            if position > 1:
                yield "take", position - 1
                yield "take", position - 2

    registered(Twice)
    with pytest.raises(pyspiel.SpielError, match="two moves of '2' are equal"):
        pyspiel.load_game("sgai_twice_for_a_test")


def test_a_games_memory_is_bounded_by_moves():
    ruleset = sgai.load_ruleset("nim(piles=[900;900])")
    cache = NodeCache(ruleset)
    for left in range(900):
        cache.node((left + 1, 900))
    assert sum(len(node.actions) for node in cache._nodes.values()) <= NodeCache._most_moves
    node = cache.node((1, 2))
    assert cache.node((1, 2)) is node


def test_a_board_too_large_for_a_tensor_is_a_clear_error():
    with pytest.raises((pyspiel.SpielError, sgai.SgaiError), match="too large for a tensor"):
        load_game("sgai_rook(rows=40000,columns=40000)").new_initial_state().observation_tensor(0)
