"""Plays that start elsewhere, and samplers of such starts, against counts made by hand or by enumeration."""

import copy
import itertools
import math
import pickle
import random
import runpy
from collections import Counter
from pathlib import Path

import numpy as np
import pyspiel
import pytest

import sgai
from sgai.agents import ExactBot, MCTSBot
from sgai.envs import BalancedStarts, CurriculumStarts, RandomPlayStarts, UniformStarts
from sgai.envs.starting import checked_start, longest_play_bound

GAMES = runpy.run_path(str(Path(__file__).with_name("test_games.py")))["GAMES"]
NO_MOVE_AT_HALF_THE_SIZE = ("sgai_grundys_game(piles=[3])", "sgai_half_take(piles=[2])")


def some_positions(ruleset, count, seed):
    """Return positions with a move that random play reaches."""
    chance, position, found = random.Random(seed), ruleset.initial(), []
    while len(found) < count:
        options = ruleset.options(position)
        if options:
            found.append(position)
        position = chance.choice(options) if options else ruleset.initial()
    return found


def mex(values):
    present = set(values)
    return next(value for value in itertools.count() if value not in present)


def longest_play(ruleset, position, kept):
    if position not in kept:
        kept[position] = max((1 + longest_play(ruleset, each, kept) for each in ruleset.options(position)), default=0)
    return kept[position]


# A state that starts elsewhere


@pytest.mark.parametrize("text", GAMES)
def test_a_state_that_starts_elsewhere_is_a_state_of_the_game(text):
    """It is what play from the start leads to, apart from its history; copies and pickles keep it."""
    game = pyspiel.load_game(text)
    chance = random.Random(5)
    for position in some_positions(game.ruleset, 2, seed=2):
        player = chance.randrange(2)
        state = game.new_initial_state_at(position, player)
        assert (state.position, state.start, state.current_player(), state.history()) == (
            position,
            position,
            player,
            [],
        )
        assert str(game.new_initial_state(str(state))) == str(state)
        assert str(game.new_initial_state(game.ruleset.format(position))) == str(game.new_initial_state_at(position))
        assert np.array(state.observation_tensor(0)).shape == (game.observation_tensor_size(),)
        moves = 0
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
            moves += 1
            if moves not in (1, 4) and not state.is_terminal():
                continue
            serialised = pyspiel.serialize_game_and_state(game, state)
            twins = [
                state.clone(),
                state.clone().clone(),
                copy.copy(state),
                copy.deepcopy(state),
                pickle.loads(pickle.dumps(state)),
                game.deserialize_state(state.serialize()),
                pyspiel.deserialize_game_and_state(serialised)[1],
            ]
            for twin in twins:
                assert str(twin) == str(state)
                assert (twin.start, twin.history()) == (position, state.history())
                assert twin.legal_actions() == state.legal_actions()
                assert list(twin.returns()) == list(state.returns())
                assert twin.observation_tensor(0) == state.observation_tensor(0)
        assert moves <= game.max_game_length()
        # Players alternate, so the winner follows from who began and the number of moves.
        last = (player + moves - 1) % 2
        drawn = game.ruleset.loopy and moves == game.max_game_length()
        assert state.returns()[last] == (0.0 if drawn else 1.0 if game.play == "normal" else -1.0)


def test_moves_in_copies_leave_the_state_alone():
    game = pyspiel.load_game("sgai_nim(piles=[3;4])")
    state = game.new_initial_state_at((2, 3))
    twin = state.clone()
    twin.apply_action(twin.legal_actions()[0])
    assert (str(state), state.history()) == ("[2;3], player 0 to move", [])
    assert twin.history() != []
    assert state.child(state.legal_actions()[0]).start == (2, 3)


def test_ordinary_states_are_as_they_were():
    game = pyspiel.load_game("sgai_nim(piles=[3;4])")
    state = game.new_initial_state()
    assert state.start == (3, 4)
    state.apply_action(state.legal_actions()[0])
    assert state.start == (3, 4)
    assert set(state.__dict__) == {"_node", "_player"}  # every further one makes clones slower


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("sgai_nim(piles=[3;4])", (1, 9), ["[1;9]", "nim(piles=[3;4])", "'9->8'"]),
        ("sgai_nim(piles=[3;4])", (2, 3, 3), ["[2;3;3]", "may take 8 moves", "7 at most"]),
        ("sgai_nim(piles=[3;4])", (), ["has no move"]),
        ("sgai_nim(piles=[3;4])", (0, 0), ["has no move"]),
        ("sgai_nim(piles=[3;4])", "x", ["'x'"]),
        ("sgai_nim(piles=[3;4])", (-1,), ["-1"]),
        ("sgai_subtraction(take=[2],piles=[5])", (1, 1), ["has no move"]),
        ("sgai_subtraction(take=[2],piles=[5])", (7,), ["[7]"]),
        ("sgai_fibonacci_nim(piles=[2;6])", ((3, 6), 0), ["may take 9 moves", "8 at most"]),
        ("sgai_shuttle(piles=[2;5],at=1,track=3)", (5, 5, 1), ["may take 10 moves"]),
        ("sgai_queen(rows=4,columns=4,at=[1;1])", (3, 3), ["may take 6 moves", "2 at most"]),
        ("sgai_cram(rows=2,columns=2,cells=[../#.])", 15, ["may take 2 moves", "1 at most"]),
        ("sgai_cram(rows=2,columns=2)", 16, ["'16'"]),
        ("sgai_sum(parts=[nim(piles~[2]);kayles(piles~[3])])", ((2,), (2, 2)), ["may take 8 moves", "7 at most"]),
        ("sgai_sum(parts=[nim(piles~[2]);kayles(piles~[3])])", ((2,), (4,)), ["[4]"]),
        ("sgai_graph(edges=[a-b;b-c;d-e],start=a)", "d", ["'d'"]),
    ],
)
def test_starts_that_do_not_fit_are_clear_errors(text, position, words):
    game = pyspiel.load_game(text)
    with pytest.raises(pyspiel.SpielError) as caught:
        game.new_initial_state_at(position)
    for word in words:
        assert word in str(caught.value)


def test_rulesets_that_only_list_their_positions_refuse_others():
    class Stairs(sgai.Ruleset):
        name = "stairs_for_a_test"
        left: int = 2
        right: int = 3

        def initial(self):
            return (self.left, self.right)

        def moves(self, position):
            left, right = position
            if left:
                yield "left", (left - 1, right)
            if right:
                yield "right", (left, right - 1)

    sgai.register(Stairs)
    try:
        game = pyspiel.load_game("sgai_stairs_for_a_test")
        assert str(game.new_initial_state("(1, 3)")) == "(1, 3), player 0 to move"
        for wrong in ("(1, 4)", "'x'", "7", "(1, 1, 1)"):
            with pytest.raises(pyspiel.SpielError, match="no position that play"):
                game.new_initial_state(wrong)
        starts = BalancedStarts(CurriculumStarts(UniformStarts(game), stages=2), seed=1)
        assert all(sum(starts.position()) <= 3 for _ in range(20))
    finally:
        del sgai.registry._classes["stairs_for_a_test"], sgai.registry._origins["stairs_for_a_test"]


@pytest.mark.parametrize(
    "given", ["x", "", "[9;9]", "[3;4], player 2 to move", "[], player 0 has won", 5, {"a": 1}, b"[1]"]
)
def test_bad_text_of_a_start(given):
    with pytest.raises(pyspiel.SpielError):
        pyspiel.load_game("sgai_nim(piles=[3;4])").new_initial_state(given)


@pytest.mark.parametrize("player", [2, -1, "0", None])
def test_only_players_can_move_first(player):
    with pytest.raises(pyspiel.SpielError, match="players are 0 and 1"):
        pyspiel.load_game("sgai_nim").new_initial_state_at((1,), player)


@pytest.mark.parametrize("text", GAMES)
def test_the_bound_on_plays_from_a_position_is_one(text):
    ruleset = pyspiel.load_game(text).ruleset
    if ruleset.loopy:
        return  # the horizon is the bound
    kept = {}
    for position in some_positions(ruleset, 5, seed=3):
        if sum(1 for _ in itertools.islice(ruleset.moves(position), 21)) > 20:
            continue
        assert (
            longest_play(ruleset, position, kept) <= longest_play_bound(ruleset, position) <= ruleset.max_game_length()
        )
    assert longest_play_bound(ruleset, ruleset.initial()) == ruleset.max_game_length()


def test_a_game_without_a_tensor_can_start_elsewhere():
    game = pyspiel.load_game("sgai_rook(rows=40000,columns=40000,at=[0;5])")
    assert str(game.new_initial_state_at((0, 4))) == "(0,4), player 0 to move"


def test_checked_start_gives_the_normal_form():
    assert checked_start(sgai.load_ruleset("nim(piles=[3;4])"), [3, 0, 1]) == (1, 3)


# Uniform starts


def assert_equally_likely(counts, expected):
    """Pearson's chi-squared, at four standard deviations; `expected` has probabilities that sum to 1."""
    assert set(counts) <= set(expected)
    total = sum(counts.values())
    statistic = sum((counts[each] - total * share) ** 2 / (total * share) for each, share in expected.items())
    degrees = len(expected) - 1
    assert statistic < degrees + 4 * math.sqrt(2 * degrees) + 4


def test_uniform_piles_have_their_distribution():
    starts = UniformStarts("sgai_nim(piles=[2;3])", seed=4)
    draws = [tuple(sorted(filter(None, pair))) for pair in itertools.product(range(3), range(4))]
    expected = {each: count / 11 for each, count in Counter(draws).items() if each}
    assert_equally_likely(Counter(starts.position() for _ in range(4000)), expected)


def test_uniform_sets_of_cells_have_their_distribution():
    starts = UniformStarts("sgai_cram(rows=2,columns=3,cells=[.../#..])", seed=4)
    ruleset = starts.ruleset
    cells = [cell for cell in range(6) if ruleset.initial() >> cell & 1]
    subsets = [sum(1 << cell for cell in chosen) for n in range(6) for chosen in itertools.combinations(cells, n)]
    playable = [each for each in subsets if ruleset.options(each)]
    assert len(subsets) == 32
    assert_equally_likely(Counter(starts.position() for _ in range(4000)), dict.fromkeys(playable, 1 / len(playable)))


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("sgai_queen(rows=4,columns=4)", "parameters"),
        ("sgai_shuttle", "parameters"),
        ("sgai_nim(piles=[2;3])", "reachable"),
    ],
)
def test_other_games_are_uniform_over_what_is_reachable(text, over):
    starts = UniformStarts(text, over, seed=4)
    playable = [each for each in starts.ruleset.reachable().indices if starts.ruleset.options(each)]
    counts = Counter(starts.position() for _ in range(4000))
    assert_equally_likely(counts, dict.fromkeys(playable, 1 / len(playable)))


def test_parts_of_a_sum_are_drawn_independently():
    starts = UniformStarts("sgai_sum(parts=[nim(piles~[1]);nim(piles~[2])])", seed=4)
    expected = {((1,) if a else (), (b,) if b else ()): 1 / 5 for a in (0, 1) for b in (0, 1, 2) if a or b}
    assert_equally_likely(Counter(starts.position() for _ in range(2000)), expected)


@pytest.mark.parametrize("text", GAMES)
def test_samplers_give_starts_of_every_game(text):
    """Whatever is drawn, at any scale, a state can start there; equal seeds give equal draws."""
    game = pyspiel.load_game(text)
    most = game.max_game_length()
    samplers = [UniformStarts(game), RandomPlayStarts(game, (0, min(2, most - 1)))]
    for source in samplers:
        curriculum = CurriculumStarts(source, stages=2)
        for sampler in (source, curriculum):
            if sampler is curriculum and text in NO_MOVE_AT_HALF_THE_SIZE:
                continue
            sampler.seed(7)
            drawn = [sampler.position() for _ in range(8)]
            sampler.seed(7)
            assert [sampler.state().position for _ in range(8)] == drawn


def test_uniform_starts_of_what_is_too_large_to_list_are_refused_at_once():
    with pytest.raises(sgai.SgaiError, match="reachable positions"):
        UniformStarts("sgai_knight(rows=300,columns=300,at=[299;299])")


def test_games_whose_draws_have_no_move_are_a_clear_error():
    starts = UniformStarts("sgai_subtraction(take=[9],piles=[9])", seed=0)
    assert starts.position() == (9,)
    with pytest.raises(sgai.SgaiError, match=r"scale 0.5: none of 10,000 positions"):
        starts.draw(random.Random(0), 0.5)


# Random play


def test_random_play_makes_as_many_moves_as_it_is_told():
    starts = RandomPlayStarts("sgai_subtraction(take=[1],piles=[9])", (2, 5), seed=1)
    expected = {(9 - moves,): 1 / 4 for moves in (2, 3, 4, 5)}
    assert_equally_likely(Counter(starts.position() for _ in range(1000)), expected)
    assert RandomPlayStarts(starts.game, 3, seed=1).position() == (6,)


def test_random_play_at_a_scale_goes_on():
    starts = RandomPlayStarts("sgai_subtraction(take=[1],piles=[8])", 0, seed=1)
    assert starts.draw(random.Random(0), 0.5) == (4,)
    assert starts.draw(random.Random(0), 0.3) == (3,)
    assert starts.draw(random.Random(0), 0.01) == (1,)
    assert RandomPlayStarts(starts.game, 6).draw(random.Random(0), 0.5) == (2,)


def test_random_play_that_is_always_over_is_a_clear_error():
    with pytest.raises(sgai.SgaiError, match="after 9 to 9 moves; choose fewer"):
        RandomPlayStarts("sgai_nim(piles=[1;2])", 9).position()


@pytest.mark.parametrize("moves", [-1, (3, 1), "x", (1,), (1, 2, 3), None])
def test_bad_numbers_of_moves(moves):
    with pytest.raises(sgai.SgaiError, match="should be a number of moves"):
        RandomPlayStarts("sgai_nim", moves)


# Balanced


@pytest.mark.parametrize(
    "text",
    [
        "sgai_nim(piles=[5;5;5])",
        "sgai_kayles(piles=[5;6])",
        "sgai_cram(rows=3,columns=3)",
        "sgai_nim(piles=[4;4],play=misere)",
    ],
)
def test_balanced_starts_have_the_shares_that_they_report(text):
    starts = BalancedStarts(UniformStarts(text), seed=3)
    ruleset = starts.ruleset

    values = {}

    def value(position):
        if position not in values:
            values[position] = mex(map(value, ruleset.options(position)))
        return values[position]

    def is_p(position):
        if starts.game.play == "misere":  # Nim: Bouton
            return len(position) % 2 == 1 if max(position) == 1 else np.bitwise_xor.reduce(position) == 0
        return value(position) == 0

    drawn = [starts.position() for _ in range(300)]
    report = starts.report
    assert report.returned == 300
    assert report.returned_p == sum(map(is_p, drawn))
    assert 0.38 < report.returned_share < 0.62  # four standard deviations
    source = UniformStarts(text, seed=8)
    share = sum(is_p(source.position()) for _ in range(1000)) / 1000
    assert abs(report.source_share - share) < 4 * math.sqrt(0.25 / 1000 + 0.25 / report.drawn)
    assert report.drawn >= report.returned
    assert report.unsolved == 0


def test_within_an_outcome_the_distribution_is_the_sources():
    starts = BalancedStarts(UniformStarts("sgai_nim(piles=[2;2])"), share=1.0, seed=3)
    # Of the pairs (a, b) those with nim-sum 0 that have a move are (1, 1) and (2, 2).
    assert_equally_likely(Counter(starts.position() for _ in range(500)), {(1, 1): 0.5, (2, 2): 0.5})
    assert starts.report.returned_share == 1.0


def test_too_rare_outcomes_are_a_clear_error_and_counted():
    starts = BalancedStarts(UniformStarts("sgai_nim(piles=[5])"), share=1.0, seed=3, tries=50)
    with pytest.raises(sgai.NotSolvedError, match=r"no P-position among 50 .*\(0 P, 50 N, 0 not solved"):
        starts.position()
    assert (starts.report.drawn, starts.report.drawn_p, starts.report.returned) == (50, 0, 0)
    assert math.isnan(starts.report.returned_share)


def test_unsolved_positions_are_left_out_and_counted():
    starts = BalancedStarts(
        RandomPlayStarts("sgai_shuttle(piles=[30;30],at=2,track=4)", 0), states=10, tries=20, seed=0
    )
    with pytest.raises(sgai.NotSolvedError, match="20 not solved within 10 states"):
        starts.position()
    assert starts.report.unsolved == starts.report.drawn == 20
    assert math.isnan(starts.report.source_share)


def test_conventions_without_a_judge_are_refused_at_once():
    with pytest.raises(sgai.SgaiError, match="loopy"):
        BalancedStarts(UniformStarts("sgai_sliding"), seed=0).position()


@pytest.mark.parametrize("options", [{"share": 1.5}, {"share": -0.1}, {"tries": 0}, {"tries": 1.5}, {"states": 0}])
def test_bad_options_of_balanced_starts(options):
    with pytest.raises(sgai.SgaiError, match=next(iter(options))):
        BalancedStarts(UniformStarts("sgai_kayles"), **options)


# Curriculum


def test_a_curriculum_goes_from_small_to_large():
    starts = CurriculumStarts(UniformStarts("sgai_nim(piles=[12;12;12])"), stages=4, seed=2)
    means = []
    for stage in range(4):
        starts.stage = stage
        drawn = [starts.position() for _ in range(300)]
        assert max(max(each) for each in drawn) == 3 * (stage + 1)
        means.append(sum(map(sum, drawn)) / 300)
    assert means == sorted(means)
    starts.progress = 0.5
    assert (starts.stage, starts.scale) == (2, 0.75)
    starts.progress = 1
    assert starts.stage == 3


def test_a_curriculum_of_cells_and_of_listed_positions():
    board = CurriculumStarts(UniformStarts("sgai_cram(rows=4,columns=4)"), stages=4, seed=2)
    assert max(board.position().bit_count() for _ in range(200)) <= 4
    squares = CurriculumStarts(UniformStarts("sgai_queen(rows=8,columns=8)"), stages=7, seed=2)
    lengths = [longest_play_bound(squares.ruleset, squares.position()) for _ in range(200)]
    assert max(lengths) <= 2 == math.ceil(14 / 7)


def test_balanced_curricula():
    starts = BalancedStarts(CurriculumStarts(UniformStarts("sgai_nim(piles=[8;8;8])"), stages=4), seed=2)
    assert max(max(starts.position()) for _ in range(50)) == 2
    starts.source.stage = 3
    assert max(max(starts.position()) for _ in range(50)) == 8


@pytest.mark.parametrize(
    ("name", "value"), [("stage", 4), ("stage", -1), ("stage", 1.5), ("progress", 1.1), ("progress", -1)]
)
def test_bad_stages(name, value):
    starts = CurriculumStarts(UniformStarts("sgai_nim"))
    with pytest.raises(sgai.SgaiError, match=name):
        setattr(starts, name, value)
    assert starts.stage == 0
    with pytest.raises(sgai.SgaiError, match="stages=0"):
        CurriculumStarts(UniformStarts("sgai_nim"), stages=0)


def test_samplers_pickle_and_go_on_alike():
    starts = BalancedStarts(CurriculumStarts(UniformStarts("sgai_cram(rows=3,columns=3)"), stages=2), seed=2)
    starts.position()
    twin = pickle.loads(pickle.dumps(starts))
    assert [twin.position() for _ in range(5)] == [starts.position() for _ in range(5)]
    assert twin.report == starts.report


def test_samplers_are_of_our_games():
    with pytest.raises(sgai.SgaiError, match="none of sgai's games"):
        UniformStarts("tic_tac_toe")
    with pytest.raises(sgai.SgaiError, match="over='all'"):
        UniformStarts("sgai_nim", over="all")


def test_bots_play_on_from_there():
    game = pyspiel.load_game("sgai_nim(piles=[3;4;5])")
    for text, result in (("[1;4], player 0 to move", [1.0, -1.0]), ("[1;4], player 1 to move", [-1.0, 1.0])):
        state = game.new_initial_state(text)
        bots = [ExactBot(game), ExactBot(game)]
        assert list(pyspiel.evaluate_bots(state.clone(), bots, 0)) == result
        bots[state.current_player()] = MCTSBot(game, simulations=300)
        assert list(pyspiel.evaluate_bots(state.clone(), bots, 0)) == result  # so small that search sees the end
