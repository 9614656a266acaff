"""Whether a game is impartial: OpenSpiel's games, games as users write them, plays that show it, bad input."""

import json
import random
from pathlib import Path

import pyspiel
import pytest

import sgai
from sgai.budget import Budget
from sgai.envs import classify
from sgai.envs.classification.classifier import register_python_games
from sgai.envs.classification.declared import _PLAYS, _REASONS, against_by_plays
from sgai.envs.classification.exhausting import exhaust
from sgai.envs.position_key import TextKey, find_key


@pytest.fixture(scope="module")
def users():
    """Games of a user's, registered with OpenSpiel without sgai."""
    return sgai.load_plugin(str(Path(__file__).parent.parent / "data" / "users_openspiel_games.py"))


@pytest.mark.parametrize(
    ("text", "answer", "play", "evidence", "words"),
    [
        ("nim", "yes", "misere", "proved", "nim(piles=[1;3;5;7])"),
        ("nim(pile_sizes=3;5;7,is_misere=false)", "yes", "normal", "proved", "whose rules sgai has"),
        ("misere(game=nim())", "yes", "normal", "proved", "under normal play"),
        ("misere(game=misere(game=nim()))", "yes", "misere", "proved", "under misere play"),
        # It says of every game that its players do not see everything.
        ("cached_tree(game=nim())", "yes", "misere", "proved", "nim"),
        ("start_at(history=0;1,game=nim())", "yes", "misere", "proved", "nim"),
        ("sgai_kayles(play=misere)", "yes", "misere", "proved", "kayles"),
        ("sgai_shuttle", "yes", "normal", "proved", "shuttle"),
        ("sgai_fibonacci_nim", "yes", "normal", "proved", "fibonacci_nim"),
        ("sgai_sum", "yes", "normal", "proved", "sum"),
        ("tic_tac_toe", "no", None, "proved", "draw"),
        ("python_tic_tac_toe", "no", None, "proved", "draw"),
        ("connect_four", "no", None, "proved", "draw"),
        ("cached_tree(game=tic_tac_toe())", "no", None, "proved", "draw"),
        ("breakthrough", "no", None, "proved", "other options when the other player is to move"),
        ("clobber", "no", None, "declared", "own pieces"),
        ("misere(game=clobber())", "no", None, "declared", "own pieces"),
        ("amazons", "no", None, "proved", "own amazons"),
        ("chess", "no", None, "proved", "own pieces"),
        ("go(board_size=9)", "no", None, "proved", "own"),
        ("hex(num_cols=2,num_rows=2)", "no", None, "declared", "of their own"),
        ("othello", "no", None, "proved", "who moves last"),
        ("dots_and_boxes", "no", None, "proved", "twice in a row"),
        ("add_noise(epsilon=1.0,seed=1,game=nim())", "no", None, "proved", "score"),
        ("kuhn_poker", "no", None, "proved", "chance moves in it and its players do not see everything"),
        ("matrix_rps", "no", None, "proved", "do not move in turn"),
        ("chinese_checkers(players=3)", "no", None, "proved", "3 players"),
        ("2048", "no", None, "proved", "1 player"),
        # One box: nobody moves twice. It may well be impartial, but no position comes to both players.
        ("dots_and_boxes(num_rows=1,num_cols=1)", "unknown", None, "sampled", "nothing to compare"),
    ],
)
def test_games_of_openspiel_and_ours(text, answer, play, evidence, words):
    found = classify(text, states=20_000)
    assert (found.answer, found.play, found.evidence) == (answer, play, evidence), found
    assert words in found.reason


def test_the_rules_of_nim_are_found_out_again_from_all_its_states():
    # zerosum is no game whose rules sgai has, so that nothing but the states can tell; both conventions.
    for misere, play in (("true", "misere"), ("false", "normal")):
        found = classify(f"zerosum(game=nim(pile_sizes=1;2;4,is_misere={misere}))", states=20_000)
        assert (found.answer, found.play, found.evidence) == ("yes", play, "proved")
        # 2 * 3 * 5 positions but the last; only one player can meet those in which each pile lost one token at most.
        assert "all 50 states were looked at: of 29 positions both players can meet 21" in found.reason


def replay(game, play):
    state = pyspiel.load_game(game).new_initial_state()
    moves, players = [], []
    for action in play.actions:
        assert not state.is_terminal()
        assert action in state.legal_actions()
        players.append(state.current_player())
        moves.append(state.action_to_string(state.current_player(), action))
        state.apply_action(action)
    assert tuple(moves) == play.moves
    assert str(state) == play.state
    return state, players


def test_counterexamples_can_be_played():
    state, _ = replay("connect_four", *classify("connect_four").counterexample)
    assert state.is_terminal()
    assert state.returns() == [0.0, 0.0]

    one, other = classify("othello").counterexample
    wins = set()
    for play in (one, other):
        state, players = replay("othello", play)
        wins.add(state.returns()[players[-1]] > 0)
    assert wins == {True, False}

    (play,) = classify("dots_and_boxes").counterexample
    state, players = replay("dots_and_boxes", play)
    assert state.current_player() == players[-1] == play.player

    one, other = classify("breakthrough").counterexample
    first, second = replay("breakthrough", one)[0], replay("breakthrough", other)[0]
    assert str(first) == str(second)
    assert {first.current_player(), second.current_player()} == {one.player, other.player} == {0, 1}
    wins = [any(state.child(action).is_terminal() for action in state.legal_actions()) for state in (first, second)]
    assert sorted(wins) == [False, True]


@pytest.mark.parametrize("name", sorted(_PLAYS))
def test_the_plays_of_the_table_prove_what_they_should_and_only_there(name):
    assert against_by_plays(pyspiel.load_game(name), _PLAYS[name]) is not None
    assert against_by_plays(pyspiel.load_game("nim"), _PLAYS[name]) is None
    assert against_by_plays(pyspiel.load_game(name), tuple(play[:3] for play in _PLAYS[name])) is None


def test_the_table_names_games_that_there_are():
    register_python_games(mean_field=False)
    assert set(_REASONS) <= set(pyspiel.registered_names())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("clobber(rows=2,columns=3)", "all 43 states were looked at, but no position can come to both players"),
        ("hex(board_size=2)", "no position can come to both players"),
        ("y(board_size=3)", "no position can come to both players"),
        ("mnk(m=2,n=2,k=2)", "no position can come to both players"),
        ("havannah(board_size=2)", "no position can come to both players"),
        ("hex(board_size=3)", "it has more states than the 2,000"),
        ("breakthrough(rows=5,columns=2)", "other options when the other player is to move"),
        ("oware(num_houses_per_player=2,num_seeds_per_house=1)", "draw"),
    ],
)
def test_going_through_all_states_never_takes_other_games_for_impartial(text, words):
    """Without the table: what the states alone show of games whose players have pieces of their own."""
    game = pyspiel.load_game(text)
    found = exhaust(game, find_key(game), Budget(2_000))
    assert found.play is None
    assert words in (found.against.reason if found.against else found.why)


BOARD = {"position": lambda state: state.board}


@pytest.mark.parametrize(
    ("text", "options", "answer", "play", "words"),
    [
        ("users_kayles", {}, "yes", "normal", "all 220 states were looked at: of 127 positions"),
        ("users_kayles", BOARD, "yes", "normal", "all 220 states"),
        ("users_kayles(size=8,misere=true)", {}, "yes", "misere", "who moves last always loses"),
        ("users_pile", {}, "yes", "normal", "all 12 states"),
        ("users_pile(size=20)", {}, "yes", "normal", "who moves last always wins"),
        ("users_partisan_pile", {}, "no", None, "other options"),
        ("users_drawn_pile", {}, "no", None, "draw"),
        ("users_pile_won_by_player_0", {}, "no", None, "who moves last can win, and can lose"),
        # No position comes to both players: nothing tells it from Cram.
        ("users_dominoes", {}, "unknown", None, "nothing to compare"),
        ("users_circle", {}, "unknown", None, "play can come back to"),
        # Its text hides the limit.
        ("users_fibonacci_nim", {}, "unknown", None, "does not show the whole position"),
        # Its text shows who made which hole.
        ("users_painted_kayles", {}, "unknown", None, "though equivalent ones; give position="),
        (
            "users_painted_kayles",
            {"position": lambda state: state.board.replace("a", ".").replace("b", ".")},
            "yes",
            "normal",
            "of 127 positions",
        ),
        ("users_kayles(size=3)", {}, "unknown", None, "try a larger start"),
        ("users_kayles(size=11)", {"states": 2000}, "unknown", None, "it has more states than"),
        ("users_kayles(size=11)", {"seconds": 0.05}, "unknown", None, "it has more states than"),
    ],
)
def test_games_of_users(users, text, options, answer, play, words):
    found = classify(text, **{"states": 10_000, **options})
    assert (found.answer, found.play) == (answer, play), found
    assert words in found.reason
    assert found.evidence == ("sampled" if answer == "unknown" else "proved")
    assert found.states > 0


def test_a_yes_is_never_said_of_piles_from_which_the_players_take_differently(users):
    """Judged by the rules themselves: what the second player may take where both meet a pile."""
    chance = random.Random(4)
    answers = set()
    for number in range(60):
        takes = [sorted(chance.sample(range(1, 6), chance.randint(1, 3))) for _ in (0, 1)]
        if number % 3 == 0:
            takes[1] = takes[0]

        class Piles(users.PartisanPile):
            name = f"users_random_pile_{number}"

            def actions(self, board, player):
                return [taken for taken in self.takes[player] if taken <= board]

        Piles.takes = takes
        game = Piles({"size": chance.randint(2, 14)})
        if game.new_initial_state().is_terminal() or not game.actions(game.size, 0):
            continue
        found = classify(game, states=2_000)
        answers.add(found.answer)
        differ = [taken for taken in set(takes[0]) ^ set(takes[1]) if taken <= game.size]
        met = {(game.size, 0)}
        for pile in range(game.size, 0, -1):
            for player in (0, 1):
                if (pile, player) in met:
                    met |= {(pile - taken, 1 - player) for taken in game.actions(pile, player)}
        both = [pile for pile in range(1, game.size + 1) if {(pile, 0), (pile, 1)} <= met]
        uneven = [pile for pile in both if game.actions(pile, 0) != game.actions(pile, 1)]
        if found.answer == "yes":
            assert not uneven, (takes, game.size)
        if found.answer == "no":
            assert differ, (takes, game.size)
    assert answers == {"yes", "no", "unknown"}


def test_states_are_left_as_they_are_and_answers_repeat(users):
    game = pyspiel.load_game("users_kayles(size=6)")
    state = game.new_initial_state()
    state.apply_action(0)
    before = (str(state), state.history(), state.legal_actions())
    first, second = classify(game), classify(game)
    assert (str(state), state.history(), state.legal_actions()) == before
    assert (first.answer, first.reason, first.states) == (second.answer, second.reason, second.states)


@pytest.mark.parametrize(
    ("text", "strips"),
    [
        ("nim", True),
        ("othello", True),
        ("sgai_kayles", None),
        ("breakthrough", False),
        ("tic_tac_toe", False),
        ("oware", False),  # "Player 0 score = 0" says nothing of who is to move
        ("mancala", True),
    ],
)
def test_how_positions_are_read(text, strips):
    game = pyspiel.load_game(text)
    key = find_key(game)
    assert (key.strips if isinstance(key, TextKey) else None) == strips
    chance = random.Random(1)
    seen = {}
    for _ in range(20):
        state = game.new_initial_state()
        while not state.is_terminal():
            # With the player the key says as much as the text.
            assert seen.setdefault((key.key(state), state.current_player()), str(state)) == str(state)
            state.apply_action(chance.choice(state.legal_actions()))


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("tic_tac_to", "did you mean 'tic_tac_toe'?"),
        ("sgai_kayels", "did you mean 'sgai_kayles'?"),
        ("nim(pile_size=3)", "did you mean 'pile_sizes'?"),
        ("nim(pile_sizes=3", "parentheses"),
        ("", "does not start with a name"),
        ("misere", "cannot be loaded"),
        ("nfg_game", "cannot be loaded"),
        ("users_broken_game", "cannot be played: KeyError"),
        ("users_game_that_does_not_load", "there is no such size"),
        (3, "'3' is not an OpenSpiel game"),
        (None, "not an OpenSpiel game"),
        (sgai.load_ruleset("nim"), "not an OpenSpiel game"),
    ],
)
def test_bad_games(users, game, words):
    with pytest.raises(sgai.SgaiError) as caught:
        classify(game)
    assert words in str(caught.value)


def test_bad_options(users):
    for options in ({"states": 0}, {"seconds": -1}):
        with pytest.raises(sgai.SgaiError):
            classify("nim", **options)
    with pytest.raises(sgai.SgaiError, match="cannot be hashed"):
        sgai.envs.as_ruleset(
            pyspiel.load_game("users_pile"), position=lambda state: [state.board], declared_impartial=True
        ).initial()


def test_importing_the_games_does_not_load_the_classifier(run_program):
    program = (
        "import sys, sgai.envs; assert not any('classification' in name for name in sys.modules); "
        "from sgai.envs import classify; import json; print(json.dumps(classify('nim').to_dict()))"
    )
    done = run_program(program)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["answer"] == "yes"
