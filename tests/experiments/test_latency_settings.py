"""What a latency run is made of: games of every size, sums, budgets, positions."""

import pytest

from sgai.agents import AgentSpec
from sgai.envs import bridge, load_game
from sgai.errors import SgaiError
from sgai.experiments.latency.games import sized, with_components
from sgai.experiments.latency.positions import draw_positions
from sgai.experiments.latency.settings import LatencySettings, deadline, with_budgets


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        ("sgai_cram(rows=2,columns={size})", 7, "sgai_cram(rows=2,columns=7)"),
        ("sgai_kayles", 9, "sgai_kayles(piles=[9])"),
        ("sgai_subtraction(take=[2;5])", 9, "sgai_subtraction(take=[2;5],piles=[9])"),
        ("sgai_node_kayles(graph=cycle)", 6, "sgai_node_kayles(graph=cycle,vertices=6)"),
        ("sgai_node_kayles(graph=grid)", 3, "sgai_node_kayles(graph=grid,rows=3,columns=3)"),
        ("sgai_subset_takeaway", 4, "sgai_subset_takeaway(size=4)"),
        ("nim(is_misere=false)", 5, "nim(is_misere=false,pile_sizes=5)"),
        ("go", 5, "go(board_size=5)"),
        ("sgai_nim(piles=[3;4])", None, "sgai_nim(piles=[3;4])"),
    ],
)
def test_a_size_goes_where_it_belongs(text, size, expected):
    assert sized(text, size) == expected
    load_game(expected)


@pytest.mark.parametrize(
    ("text", "components", "expected"),
    [
        ("sgai_kayles(piles=[9])", 3, "[9;9;9]"),
        ("sgai_kayles(piles=[9;2],play=normal)", 2, "[2;2;9;9]"),
        ("nim(pile_sizes=5,is_misere=false)", 3, "[5;5;5]"),
        ("sgai_cram(rows=2,columns=3)", 2, ".../... + .../..."),
        ("sgai_sum(parts=[nim(piles~[3]);queen(rows~3;columns~3)])", 2, "[3] + (2,2) + [3] + (2,2)"),
        ("sgai_cram(rows=2,columns=3)", 1, ".../..."),
    ],
)
def test_components_are_put_side_by_side(text, components, expected):
    made = bridge(load_game(with_components(text, components)))
    assert made.ruleset.format(made.ruleset.initial()) == expected
    assert made.play == bridge(load_game(text)).play


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sized("sgai_cram(rows={size})", None), "give --sizes"),
        (lambda: sized("tic_tac_toe", 3), "write {size} where"),
        (lambda: sized("sgai_cram(rows=2)", 3), "'sgai_cram(rows=2)': write {size}"),
        (lambda: sized("sgai_crm", 3), "did you mean 'sgai_cram'"),
        (lambda: with_components("tic_tac_toe", 2), "'tic_tac_toe' cannot be added up"),
        (lambda: with_budgets("hybrid(seconds={seconds})", {}), "give --seconds"),
        (lambda: with_budgets("exakt", {}), "did you mean 'exact'"),
        (lambda: LatencySettings.parse([], ["nim"]), "without an agent"),
        (lambda: LatencySettings.parse(["random"], ["nim"], seconds=[0.1]), "seconds=0.1: none of the agents"),
        (lambda: LatencySettings.parse(["mcts", "mcts(simulations=1000)"], ["nim"]), "named twice"),
        (lambda: LatencySettings.parse(["exact"], ["sgai_nim"], sizes=[0]), "size=0"),
        (lambda: LatencySettings.parse(["exact"], ["nim"], positions=0), "positions=0"),
        (lambda: LatencySettings.parse(["exact"], ["nim"], moves=(3, 2)), "moves=3-2"),
        (lambda: LatencySettings.parse(["exact"], ["nim"], modes=("hot",)), "'hot'"),
        (lambda: LatencySettings.parse(["exact"], ["nim"], modes=()), "nothing to measure"),
        (lambda: LatencySettings.parse(["exact"], ["tic_tac_toe"]).load_games(), "'tic_tac_toe()'"),
        (lambda: LatencySettings.parse(["random"], ["leduc_poker"]).load_games(), "chance moves"),
        (lambda: draw_positions(load_game("sgai_nim(piles=[3])"), 2, (4, 4), 0), "after 4 random moves"),
    ],
)
def test_what_cannot_be_measured_is_named(call, words):
    with pytest.raises(SgaiError) as caught:
        call()
    assert words in str(caught.value)


def test_budgets_go_to_agents_that_have_none():
    grids = {"seconds": [0.01, 0.1], "nodes": [], "simulations": [7]}
    texts = ("plain_mcts", "exact(states=9)", "random", "hybrid(core=mcts,seconds={seconds})", "mcts(uct_c=1.0)")
    assert [str(each) for text in texts for each in with_budgets(text, grids)] == [
        "plain_mcts(seconds=0.01)",
        "plain_mcts(seconds=0.1)",
        "exact(states=9)",
        "random",
        "hybrid(core=[mcts],seconds=0.01)",
        "hybrid(core=[mcts],seconds=0.1)",
        "mcts(uct_c=1.0,seconds=0.01)",
        "mcts(uct_c=1.0,seconds=0.1)",
        "mcts(uct_c=1.0,simulations=7)",
    ]


def test_the_deadline_is_the_budget_in_seconds_or_the_default_one():
    texts = {"hybrid": 0.05, "hybrid(simulations=9)": None, "plain_alpha_beta": 0.05, "exact": None, "random": None}
    assert {text: deadline(AgentSpec.parse(text)) for text in texts} == texts


def test_the_grid_is_the_product_of_games_sizes_and_components():
    settings = LatencySettings.parse(
        ["exact"], ["sgai_nim", "sgai_cram(rows=1,columns={size})"], sizes=[2, 3], components=[1, 2]
    )
    assert len(settings.points) == 8
    assert {(point.family, point.size, point.components) for point in settings.points} == {
        (family, size, count)
        for family in ("sgai_nim", "sgai_cram(rows=1,columns={size})")
        for size in (2, 3)
        for count in (1, 2)
    }
    twice = LatencySettings.parse(["exact"], ["sgai_nim", "sgai_nim(piles=[{size}])"], sizes=[3])
    assert len(twice.points) == 1


def test_positions_are_different_repeat_by_seed_and_have_their_actions():
    game = load_game("sgai_kayles(piles=[5;6])")
    places = draw_positions(game, 6, (1, 3), seed=4)
    texts = [str(place.state) for place in places]
    assert len(set(texts)) == 6
    assert texts == [str(place.state) for place in draw_positions(game, 6, (1, 3), seed=4)]
    assert texts != [str(place.state) for place in draw_positions(game, 6, (1, 3), seed=5)]
    for place in places:
        assert 1 <= len(place.actions) <= 3
        state = game.new_initial_state()
        for action in place.actions:
            state.apply_action(action)
        assert str(state) == str(place.state)
        assert place.legal_actions == len(state.legal_actions())
    # There is but one start, and two positions after one move of this pile.
    assert len(draw_positions(game, 6, (0, 0), seed=4)) == 1
    assert {str(each.state) for each in draw_positions(load_game("sgai_nim(piles=[3])"), 9, (1, 1), seed=0)} == {
        "[1], player 1 to move",
        "[2], player 1 to move",
    }
