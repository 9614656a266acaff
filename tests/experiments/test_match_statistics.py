"""Elo, its bootstrap, and the SPRT: against OpenSpiel's module, by hand, and by simulation."""

import math

import numpy as np
import pytest
from open_spiel.python.algorithms import elo as openspiel_elo

import sgai
from sgai.experiments import matches
from sgai.experiments.matches.ratings import elo_ratings, result_matrices
from sgai.experiments.matches.records import GameRecord
from sgai.experiments.matches.sprt import MODELS, Sprt, SprtRun, expected_score, likeliest


def game(index, first, second, winner):
    returns = [0.0, 0.0] if winner is None else [1.0, -1.0] if winner == first else [-1.0, 1.0]
    return GameRecord(index, "nim", [first, second], 0, [], [], [], returns, winner, None)


def random_results(seed, agents="abc", rounds=12, draws=0.2):
    chance = np.random.default_rng(seed)
    records = []
    for _ in range(rounds):
        for i, one in enumerate(agents):
            for other in agents[i + 1 :]:
                for first, second in ((one, other), (other, one)):
                    winner = chance.choice([one, other], p=[0.65, 0.35])
                    records.append(game(len(records), first, second, None if chance.random() < draws else str(winner)))
    return records


@pytest.mark.parametrize("draws", [0.0, 0.2])
def test_elo_agrees_with_openspiel_on_the_same_results(draws):
    """OpenSpiel is told of each game by itself here, in place of our counts."""
    import pyspiel

    records = random_results(1, draws=draws)
    won, drawn = pyspiel.elo.MatchOutcome.FIRST_PLAYER_WIN, pyspiel.elo.MatchOutcome.DRAW
    told = []
    for record in records:
        first, second = record.agents
        if record.winner == second:
            first, second = second, first
        told.append(pyspiel.elo.MatchRecord(first, second, outcome=drawn if record.winner is None else won))
    theirs = pyspiel.elo.compute_ratings_from_match_records(told)
    ours = matches.ratings(records, resamples=10)
    mean = sum(theirs.values()) / 3
    for agent, rating in ours.items():
        assert rating.elo == pytest.approx(theirs[agent] - mean, abs=1e-6)
        assert rating.is_bounded
    assert sum(rating.elo for rating in ours.values()) == pytest.approx(0, abs=1e-6)


def test_elo_of_two_agents_by_its_formula():
    """With 30 wins, 10 losses the likeliest difference is 400 log10(3), but for OpenSpiel's smoothing of 0.01 games."""
    wins = np.array([[0, 30], [10, 0]])
    difference = np.subtract(*elo_ratings(wins, np.zeros_like(wins)))
    assert difference == pytest.approx(400 * math.log10(3), abs=0.5)


def test_the_bootstrap_by_hand():
    """Pairs are drawn anew one by one here; the quantiles of many draws agree but for their own chance."""
    records = random_results(2, agents="ab", rounds=40, draws=0.1)
    ours = matches.ratings(records, seed=5, resamples=3000)
    pairs = [records[i : i + 2] for i in range(0, len(records), 2)]
    chance = np.random.default_rng(99)
    drawn = []
    for _ in range(3000):
        some = [record for i in chance.integers(len(pairs), size=len(pairs)) for record in pairs[i]]
        wins = np.zeros((2, 2), dtype=int)
        draws = np.zeros((2, 2), dtype=int)
        for record in some:
            if record.winner is None:
                draws += 1 - np.eye(2, dtype=int)
            else:
                i = "ab".index(record.winner)
                wins[i, 1 - i] += 1
        found = openspiel_elo.compute_ratings_from_matrices(wins, draws)
        drawn.append(found[0] - found.mean())
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert ours["a"].low == pytest.approx(low, abs=0.1 * (high - low))
    assert ours["a"].high == pytest.approx(high, abs=0.1 * (high - low))
    assert ours["a"].low < ours["a"].elo < ours["a"].high
    assert matches.ratings(records, seed=5, resamples=50) == matches.ratings(records, seed=5, resamples=50)


def test_ratings_without_bounds_say_so():
    records = [game(i, "ab"[i % 2], "ba"[i % 2], "a") for i in range(10)]
    found = matches.ratings(records, resamples=20)
    assert not found["a"].is_bounded
    assert math.isfinite(found["a"].high)
    assert found["a"].elo > 400
    records.append(game(10, "a", "b", "b"))
    assert matches.ratings(records, resamples=20)["a"].is_bounded
    wins, draws = result_matrices([*records, game(11, "a", "b", None)], ["a", "b"])
    assert (wins.tolist(), draws.tolist()) == ([[0, 10], [1, 0]], [[0, 1], [1, 0]])


def test_the_likeliest_distribution_of_a_mean():
    """It has the mean, sums to 1, and no other distribution of that mean that was tried is likelier."""
    chance = np.random.default_rng(3)
    values = np.array(MODELS["pairs"])
    for _ in range(20):
        shares = chance.dirichlet(np.ones(5))
        mean = chance.uniform(0.1, 0.9)
        found = np.array(likeliest(shares, values, mean))
        assert found.sum() == pytest.approx(1)
        assert found @ values == pytest.approx(mean)
        best = shares @ np.log(found)
        for _ in range(50):
            # Two directions in which neither the sum nor the mean changes.
            step = chance.normal(size=3) * 0.01
            other = found + step @ np.array([[1, -2, 1, 0, 0], [0, 1, -2, 1, 0], [0, 0, 1, -2, 1]])
            if (other > 0).all():
                assert shares @ np.log(other) <= best + 1e-12


def test_the_ratio_without_draws_is_that_of_wald():
    """With wins and losses only: w log(s1/s0) + l log((1-s1)/(1-s0)), but for the draws that are counted as 0.001."""
    test = Sprt(elo0=0, elo1=50, model="games")
    zero, one = expected_score(0), expected_score(50)
    assert (zero, one) == (0.5, pytest.approx(1 / (1 + 10 ** (-50 / 400))))
    for wins, losses in ((60, 40), (10, 30), (200, 200)):
        by_hand = wins * math.log(one / zero) + losses * math.log((1 - one) / (1 - zero))
        assert test.log_likelihood_ratio([1.0] * wins + [0.0] * losses) == pytest.approx(by_hand, abs=0.01)
    assert test.bounds() == (math.log(0.05 / 0.95), math.log(0.95 / 0.05))


@pytest.mark.parametrize("model", ["games", "pairs"])
def test_error_rates_by_simulation(model):
    """Matches of agents whose strength is that of a hypothesis: wrong verdicts are as rare as promised.

    Games of a pair depend on each other: the opening favours one side.
    """
    test = Sprt(elo0=0, elo1=120, alpha=0.1, beta=0.1, model=model)
    chance = np.random.default_rng(7)
    trials = 120
    wrong = {}
    for elo, error in ((0.0, "H1"), (120.0, "H0")):
        wrong[error] = 0
        for _ in range(trials):
            run, index = SprtRun(test), 0
            while run.verdict is None:
                # The first agent's chance is higher by so much in one game of the pair, and lower in the other.
                favour = chance.choice([-0.3, 0.3])
                for side in (favour, -favour):
                    run.add(index, float(chance.random() < expected_score(elo) + (side if model == "pairs" else 0)))
                    index += 1
                assert index < 4000
            wrong[error] += run.verdict == error
    # Three standard errors above 10%.
    assert max(wrong.values()) / trials < 0.1 + 3 * math.sqrt(0.1 * 0.9 / trials)
    assert sum(wrong.values()) > 0


def test_the_verdict_does_not_depend_on_the_order_in_which_games_end():
    test = Sprt(elo0=0, elo1=200)
    chance = np.random.default_rng(4)
    scores = (chance.random(400) < 0.85).astype(float)
    run = SprtRun(test)
    for i, score in enumerate(scores):
        run.add(i, score)
    other = SprtRun(test)
    for start in range(0, 400, 8):
        for i in chance.permutation(np.arange(start, start + 8)):
            other.add(int(i), scores[i])
    assert run.verdict == other.verdict == "H1"
    assert run.last == other.last < 399
    assert run.ratio == other.ratio
    assert str(run) == str(other)
    assert "H1 accepted" in str(run)
    # A failed game is left out with its pair.
    failed = SprtRun(test)
    failed.add(0, None)
    failed.add(1, 1.0)
    assert failed.trials == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("elo2=5", "did you mean 'elo"),
        ("elo0=x", "elo0 should be a number"),
        ("elo0=20,elo1=10", "elo0=20 should be less than elo1=10"),
        ("alpha=0.7", "between 0 and 0.5"),
        ("model=trios", "model should be pairs or games"),
        ("elo1=nan", "should be less than"),
    ],
)
def test_bad_tests(text, words):
    with pytest.raises(sgai.SgaiError, match=words):
        Sprt.parse(text)
    assert str(Sprt.parse("")) == "elo0=0,elo1=20,alpha=0.05,beta=0.05,model=pairs"


def test_a_match_ends_when_its_test_is_decided(tmp_path):
    settings = matches.MatchSettings.parse(
        ["mcts(simulations=30)", "random"],
        ["sgai_nim(piles=[1;2;3])"],
        300,
        0,
        openings="balanced",
        sprt="elo0=0,elo1=200",
    )
    folder = matches.new_folder(str(tmp_path / "m"))
    records = matches.play_match(settings, folder)
    run = matches.sprt_run(records, settings.sprt, "mcts(simulations=30)")
    assert run.verdict == "H1"
    assert run.last == len(records) - 1 < 599
    assert matches.play_match(settings, folder, resume=True) == records
    # One more game than the verdict needed, as workers leave behind, does not count.
    with (folder / "games.jsonl").open("a") as file:
        import dataclasses
        import json

        file.write(json.dumps(dataclasses.asdict(dataclasses.replace(records[0], index=len(records)))) + "\n")
    assert len(matches.counted(list(matches.read_records(folder)), settings.sprt, "mcts(simulations=30)")) == len(
        records
    )
