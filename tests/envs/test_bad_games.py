"""Bad game strings are clear errors from OpenSpiel's entry point, and the process lives on."""

import subprocess
import sys

import pyspiel
import pytest

import sgai
from sgai.envs import as_ruleset, bridge, load_game


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sgai_nim(piles=[])", ["nim(piles=[])", "over before it starts"]),
        ("sgai_nim(piles=[0;0])", ["over before it starts"]),
        ("sgai_nim(piles=[x])", ["'x'", "[3;4;7]"]),
        ("sgai_nim(piles=[3;-1])", ["-1", "negative"]),
        ("sgai_nim(piles=[1000000000000])", ["1000000000000", "too many"]),
        ("sgai_bash(piles=[2000000000],most=2000000000)", ["too many"]),
        ("sgai_nim(play=mis)", ["'mis'", "did you mean 'misere'?"]),
        ("sgai_nim(compound=selectiv)", ["'selectiv'", "did you mean 'selective'?"]),
        ("sgai_nim(ending=frist)", ["'frist'", "did you mean 'first'?"]),
        ("sgai_nim(piles=[50;50;50;50;50],compound=selective)", ["different moves", "choose smaller ones"]),
        ("sgai_nim(piles=[100;100;100],compound=conjunctive)", ["different moves"]),
        ("sgai_nim(piles=[9;9;9;9;9;9],compound=conjunctive)", ["different moves"]),
        ("sgai_nim(piles=[47;47;47],compound=conjunctive)", ["103,823 legal moves", "choose fewer"]),
        ("sgai_sum(parts=[nim(piles~[]);nim(piles~[2])],ending=first)", ["over before it starts"]),
        ("sgai_treblecross(compound=conjunctive)", ["left out"]),
        ("sgai_treblecross(play=misere)", ["left out"]),
        ("sgai_subtraction(take=[])", ["take=[]", "empty"]),
        ("sgai_subtraction(take=[0])", ["take=[0]", "below 1"]),
        ("sgai_take_and_break(code=[0.7x])", ["'0.7x'", "character 4"]),
        ("sgai_take_and_break(code=[{2+}.0],piles=[90])", ["too many"]),
        ("sgai_graph(edges=[1-2;2-1],start=[1])", ["1 -> 2 -> 1"]),
        ("sgai_graph(start=[9])", ["no vertex '9'"]),
        ("sgai_graph(horizon=7)", ["horizon=7", "not loopy"]),
        ("sgai_sliding(horizon=0)", ["horizon=0", "1 ply or more"]),
        ("sgai_sliding(play=misere)", ["declared loopy", "misere"]),
        ("sgai_sliding(locked=false,play=misere)", ["nobody ever moves last"]),
        ("sgai_sliding(board=[O..])", ["'O..'"]),
        ("sgai_nim(horizon=7)", ["horizon"]),
        ("sgai_queen(at=[9;9])", ["(9, 9)", "rows 0 to 7"]),
        ("sgai_sum(parts=[nim;kayels])", ["'kayels'", "did you mean 'kayles'?"]),
        ("sgai_nim(pils=[3])", ["pils"]),
        ("sgai_nim(piles=5)", ["piles", "kString"]),
        ("sgai_bash(most=99999999999999999999)", []),
    ],
)
def test_openspiel_gets_its_own_error(text, words):
    with pytest.raises(pyspiel.SpielError) as caught:
        pyspiel.load_game(text)
    for word in words:
        assert word in str(caught.value)


def test_single_element_lists():
    assert str(pyspiel.load_game("sgai_nim(piles=[5])").new_initial_state()) == "[5], player 0 to move"
    assert str(load_game("sgai_nim(piles=5)").new_initial_state()) == "[5], player 0 to move"
    assert str(load_game("nim(pile_sizes=5)").new_initial_state()) == "(0): 5"
    assert str(pyspiel.load_game("sgai_nim", {"piles": "5"}).new_initial_state()) == "[5], player 0 to move"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sgai_kayels", ["'sgai_kayels'", "did you mean 'sgai_kayles'?"]),
        ("sgai_nim(pils=[3])", ["'pils'", "did you mean 'piles'?"]),
        ("sgai_bash(most=x)", ["most='x'", "an integer"]),
        ("nim(is_misere=maybe)", ["'maybe'", "true or false"]),
        ("nim(pile_sizes=3;4", ["in parentheses"]),
        ("sgai_nim(piles=[x])", ["'sgai_nim(piles=[x])'", "'x'"]),
        ("sgai_bash(most=99999999999999999999)", ["most='99999999999999999999'", "32 bits"]),
    ],
)
def test_load_game_says_what_is_wrong(text, words):
    with pytest.raises(sgai.SgaiError) as caught:
        load_game(text)
    for word in words:
        assert word in str(caught.value)


def test_load_game_leaves_games_of_games_to_openspiel():
    assert load_game("misere(game=tic_tac_toe())").get_type().short_name == "misere"


def test_illegal_actions_name_the_legal_ones():
    state = pyspiel.load_game("sgai_nim(piles=[2])").new_initial_state()
    with pytest.raises(pyspiel.SpielError, match=r"action 0 is not legal in '\[2\]'.*1 \(2->1\), 2 \(2->0\)"):
        state.apply_action(0)
    state.apply_action(2)
    with pytest.raises(pyspiel.SpielError, match="the game is over"):
        state.apply_action(2)
    assert str(state) == "[], player 0 has won"


def test_games_that_are_not_known_to_be_impartial_are_refused():
    for name in ("tic_tac_toe", "breakthrough"):
        with pytest.raises(sgai.UnsupportedError, match=name):
            as_ruleset(pyspiel.load_game(name))
    with pytest.raises(sgai.SgaiError, match="not an OpenSpiel game"):
        bridge("nim")


def test_a_loopy_ruleset_is_a_game_with_a_horizon():
    from sgai.envs.game import game_class

    class Loopy(sgai.Ruleset):
        name = "loopy_for_a_test"
        loopy = True

        def initial(self):
            return 0

        def moves(self, position):
            yield "round", 1 - position

    sgai.registry._classes["loopy_for_a_test"] = Loopy
    try:
        game = game_class("loopy_for_a_test")({"horizon": 3})
        assert game.max_game_length() == 3
        state = game.new_initial_state()
        for left in (3, 2, 1):
            assert f"{left} pl" in str(state)
            state.apply_action(0)
        assert (state.is_terminal(), state.returns(), state.legal_actions()) == (True, [0.0, 0.0], [])
        with pytest.raises(pyspiel.SpielError, match="the game is over"):
            state.apply_action(0)
        for horizon in (0, -1):
            with pytest.raises(pyspiel.SpielError, match=f"horizon={horizon}"):
                game_class("loopy_for_a_test")({"horizon": horizon})
    finally:
        del sgai.registry._classes["loopy_for_a_test"]


def test_a_process_that_registers_games_exits_cleanly():
    """OpenSpiel frees its registry after Python is gone; what is registered must survive that."""
    program = """
import pyspiel, sgai, sgai.envs
class Down(sgai.Ruleset[int, int]):
    name = "down"
    def initial(self):
        return 3
    def moves(self, position):
        if position:
            yield 1, position - 1
sgai.register(Down)
state = pyspiel.load_game("sgai_down").new_initial_state()
try:
    state.apply_action(77)
except pyspiel.SpielError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "77" in done.stdout
    assert "Fatal" not in done.stderr
