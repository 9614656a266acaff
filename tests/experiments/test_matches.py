"""Matches: schedule, records, replays, the table, and what happens to bots that misbehave."""

import json
import random
from collections import Counter

import pytest

import sgai
from sgai.agents import bots, specs
from sgai.envs import load_game
from sgai.experiments import matches
from sgai.experiments.matches.table import wilson_interval


def small(
    rounds=2, seed=3, agents=("exact", "random", "mcts(simulations=20)"), games=("nim", "sgai_kayles(piles=[3;4])")
):
    return matches.MatchSettings.parse(agents, games, rounds, seed)


def test_every_pair_plays_every_game_from_both_sides():
    settings = small()
    pairings = list(settings.pairings())
    assert len(pairings) == len(settings) == 2 * 3 * 2 * 2
    assert [pairing.index for pairing in pairings] == list(range(24))
    seats = Counter((pairing.game, *map(str, pairing.agents)) for pairing in pairings)
    assert len(seats) == 2 * 3 * 2
    assert set(seats.values()) == {2}
    assert len({pairing.seed for pairing in pairings}) == 24


def test_a_match_is_written_replays_and_is_the_same_again(tmp_path):
    records = matches.play_match(small(), tmp_path / "one" if (tmp_path / "one").mkdir() is None else tmp_path)
    (tmp_path / "two").mkdir()
    again = matches.play_match(small(), tmp_path / "two")
    assert [record.actions for record in records] == [record.actions for record in again]
    assert list(matches.replay(tmp_path / "one")) == records
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text())
    assert manifest["seed"] == 3
    assert manifest["agents"] == ["exact", "random", "mcts(simulations=20)"]
    assert manifest["games"] == ["nim", "sgai_kayles(piles=[3;4])"]
    assert set(manifest["versions"]) == {"sgai", "open_spiel", "numpy", "python"}
    other = matches.play_match(small(seed=4), matches.new_folder(str(tmp_path / "three")))
    assert [record.actions for record in records] != [record.actions for record in other]


def test_the_table_counts_what_the_records_say(tmp_path):
    records = matches.play_match(small(), matches.new_folder(str(tmp_path / "m")))
    rows = {row["agent"]: row for row in matches.table(records)}
    for agent, row in rows.items():
        played = [record for record in records if agent in record.agents]
        assert row["games"] == len(played) == 16
        assert row["wins"] == sum(record.winner == agent for record in played)
        assert sum(each["wins"] for each in row["by_game"].values()) == row["wins"]
        assert row["win_rate_low"] <= row["win_rate"] <= row["win_rate_high"]
        assert row["median_seconds"] <= row["p99_seconds"]
        assert row["mean_length"] == pytest.approx(sum(len(record.actions) for record in played) / 16)
    assert sum(row["wins"] for row in rows.values()) == len(records)
    text = matches.format_table(records)
    assert "95% interval" in text
    assert "won positions kept" in text
    assert "draws" not in text
    assert matches.format_table([]) == "no game was finished"


def test_wilson_interval_has_the_errors_it_promises():
    """The interval's formula by hand, and its coverage by simulation."""
    for wins, games in ((0, 10), (3, 10), (10, 10), (57, 60)):
        z, share = 1.959963984540054, wins / games
        centre = (share + z * z / (2 * games)) / (1 + z * z / games)
        half = z * (share * (1 - share) / games + z * z / (4 * games**2)) ** 0.5 / (1 + z * z / games)
        assert wilson_interval(wins, games) == pytest.approx((max(0, centre - half), min(1, centre + half)), abs=1e-9)
    chance = random.Random(0)
    covered = 0
    for _ in range(400):
        low, high = wilson_interval(sum(chance.random() < 0.3 for _ in range(50)), 50)
        covered += low <= 0.3 <= high
    assert covered / 400 == pytest.approx(0.95, abs=0.04)


class Raises(bots.PythonBot):
    def __init__(self, game):
        super().__init__()

    def choose(self, state):
        raise RuntimeError("lost my nerve")


class Cheats(bots.PythonBot):
    def __init__(self, game):
        super().__init__()

    def choose(self, state):
        return 10**6


@pytest.mark.parametrize(("bot", "words"), [(Raises, "RuntimeError: lost my nerve"), (Cheats, "not legal")])
def test_a_bot_that_misbehaves_forfeits_and_the_match_goes_on(bot, words, tmp_path, monkeypatch):
    monkeypatch.setitem(specs.BOTS, "bad", bot)
    settings = small(agents=("bad", "random"), rounds=1)
    records = matches.play_match(settings, matches.new_folder(str(tmp_path / "m")))
    assert len(records) == 4
    assert {record.winner for record in records} == {"random"}
    assert all(words in record.forfeit for record in records)
    assert list(matches.replay(tmp_path / "m")) == records
    rows = {row["agent"]: row for row in matches.table(records)}
    assert (rows["bad"]["forfeits"], rows["random"]["forfeits"]) == (4, 0)
    assert "forfeits" in matches.format_table(records)


def test_draws_are_counted(tmp_path):
    settings = small(agents=("random", "random(seed=1)"), games=("tic_tac_toe",), rounds=20)
    records = matches.play_match(settings, matches.new_folder(str(tmp_path / "m")))
    rows = matches.table(records)
    draws = sum(record.winner is None for record in records)
    assert draws > 0
    assert rows[0]["draws"] == rows[1]["draws"] == draws
    assert rows[0]["wins"] + rows[1]["wins"] + draws == 40
    assert "draws" in matches.format_table(records)


def test_ctrl_c_keeps_the_finished_games(tmp_path, monkeypatch):
    played = []

    def interrupted(pairing, game, rules):
        if len(played) == 5:
            raise KeyboardInterrupt
        played.append(matches.play_game(pairing, game, rules))
        return played[-1]

    monkeypatch.setattr("sgai.experiments.matches.playing.play_game", interrupted)
    with pytest.raises(matches.MatchInterrupted) as stopped:
        matches.play_match(small(), matches.new_folder(str(tmp_path / "m")))
    assert stopped.value.records == played == list(matches.read_records(tmp_path / "m"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"agents": ("exact",)}, "two agents"),
        ({"agents": ("exact", "exact")}, "named twice"),
        ({"agents": ("exact", "nobody")}, "unknown agent 'nobody'"),
        ({"games": ()}, "needs a game"),
        ({"games": ("nimm",)}, "did you mean 'nim'"),
        ({"games": ("tic_tac_toe",)}, "no impartial game"),
        ({"rounds": 0}, "rounds=0"),
    ],
)
def test_bad_settings(change, words):
    with pytest.raises(sgai.SgaiError, match=words):
        small(**change)


def test_folders_and_damaged_records(tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    (full / "something").touch()
    with pytest.raises(sgai.SgaiError, match="not empty"):
        matches.new_folder(str(full))
    with pytest.raises(sgai.SgaiError, match="cannot be made"):
        matches.new_folder(str(full / "something" / "below"))
    with pytest.raises(sgai.SgaiError, match="cannot be read"):
        list(matches.replay(tmp_path / "nowhere"))
    folder = matches.new_folder(str(tmp_path / "m"))
    matches.play_match(small(rounds=1), folder)
    lines = (folder / "games.jsonl").read_text().splitlines()
    (folder / "games.jsonl").write_text("\n".join([*lines[:2], lines[2][:40], *lines[3:]]) + "\n")
    with pytest.raises(sgai.SgaiError, match="line 3 is not a game"):
        list(matches.read_records(folder))
    changed = json.loads(lines[0])
    changed["actions"][0] = 10**6
    (folder / "games.jsonl").write_text(json.dumps(changed))
    with pytest.raises(sgai.SgaiError, match="does not replay: action 1000000 is illegal"):
        list(matches.replay(folder))
    changed = json.loads(lines[0])
    changed["returns"].reverse()
    (folder / "games.jsonl").write_text(json.dumps(changed))
    with pytest.raises(sgai.SgaiError, match="does not replay"):
        list(matches.replay(folder))


def test_records_of_the_wrong_shape(tmp_path):
    folder = matches.new_folder(str(tmp_path / "m"))
    matches.play_match(small(rounds=1), folder)
    line = json.loads((folder / "games.jsonl").read_text().splitlines()[0])
    for change in ({"game": 5}, {"actions": None}, {"winner": 1}):
        (folder / "games.jsonl").write_text(json.dumps({**line, **change}))
        with pytest.raises(sgai.SgaiError, match="of the wrong type"):
            list(matches.replay(folder))
    loser = next(agent for agent in line["agents"] if agent != line["winner"])
    (folder / "games.jsonl").write_text(json.dumps({**line, "winner": loser}))
    with pytest.raises(sgai.SgaiError, match="did not win"):
        list(matches.replay(folder))


def test_the_same_agent_in_other_words_is_not_another_agent():
    with pytest.raises(sgai.SgaiError, match="named twice"):
        small(agents=("mcts", "mcts(simulations=1000)"))


def test_repeated_games_are_pointed_out(tmp_path):
    settings = small(agents=("exact", "alpha_beta(depth=2)"), games=("nim",), rounds=3)
    records = matches.play_match(settings, matches.new_folder(str(tmp_path / "m")))
    assert "4 of 6 games repeat an earlier one" in matches.format_table(records)
    assert "repeat" not in matches.format_table(records[:2])


def test_the_second_agents_seed_differs_from_the_first_ones():
    pairing = matches.Pairing(0, "nim", (matches.parse_contestant("random"), matches.parse_contestant("random")), 5)
    record = matches.play_game(pairing, load_game("nim(pile_sizes=9;9;9;9)"))
    assert record.actions
    assert record.winner == "random"


@pytest.mark.parametrize("baseline", ["random", "mcts(simulations=100)", "alpha_beta(depth=2)"])
def test_over_two_hundred_games_the_exact_agent_never_loses_one_it_stood_to_win(baseline, tmp_path):
    """Games from N-positions are all won, and so is every game in which the opponent errs."""
    from sgai.envs import bridge

    games = [f"nim(pile_sizes={piles})" for piles in ("1;3;5;7", "1;3;5;6", "4;5;6;7")]
    games += ["sgai_kayles(piles=[7;8])", "sgai_grundys_game(piles=[9;10])"]
    settings = small(agents=("exact", baseline), games=games, rounds=20)
    records = matches.play_match(settings, matches.new_folder(str(tmp_path / "m")))
    assert len(records) == 200
    for record in records:
        game = load_game(record.game)
        state, found = game.new_initial_state(), bridge(game)
        stood_to_win = False
        for action in record.actions:
            if record.agents[state.current_player()] == "exact":
                solution = sgai.solve(found.ruleset, found.position(state), play=found.play)
                stood_to_win = stood_to_win or solution.outcome == "N"
            state.apply_action(action)
        assert record.winner == "exact" or not stood_to_win
    assert sum(record.winner == "exact" for record in records) > 100
