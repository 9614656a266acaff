"""Taking turns, cold and warm, deadlines, failures and memory: with fake agents and a fake clock."""

import itertools
import mmap
from collections import Counter

import pytest

from sgai.agents import AgentSpec
from sgai.envs import load_game
from sgai.errors import NotSolvedError
from sgai.experiments.latency.calibration import Calibration, Clocks
from sgai.experiments.latency.fresh import measure_fresh
from sgai.experiments.latency.measuring import Sample, Turn, measure_point, turns
from sgai.experiments.latency.memory import PEAK, MemoryMeter
from sgai.experiments.latency.positions import draw_positions
from sgai.experiments.latency.results import Results
from sgai.experiments.latency.settings import LatencySettings
from sgai.experiments.one_decision import states_of
from sgai.experiments.resident_memory import process_peak

GAME = "sgai_nim(piles=[3;4])"


class FakeTime:
    """Wall and thread time, which only fake agents let pass."""

    def __init__(self):
        self.wall, self.cpu = 100.0, 5.0

    def clocks(self):
        return Clocks(lambda: self.wall, lambda: self.cpu)


class FakeAgent:
    """Takes its time for the first decision on a position of each bot, and less afterwards."""

    def __init__(self, name, time, log, seconds=4.0, setup=0.5, fault=None):
        self.name, self.time, self.log, self.seconds, self.setup, self.fault = name, time, log, seconds, setup, fault
        self.made = 0

    def __str__(self):
        return self.name

    def make(self, game, seed):
        self.made += 1
        self.time.wall += self.setup
        self.log.append(("make", self.name, seed))
        return FakeBot(self)


class FakeBot:
    def __init__(self, agent):
        self.agent, self.known = agent, set()

    def restart_at(self, state):
        self.agent.log.append(("restart", self.agent.name, str(state)))

    def step(self, state):
        agent = self.agent
        agent.log.append(("step", agent.name, str(state)))
        seconds = agent.seconds / 4 if str(state) in self.known else agent.seconds
        self.known.add(str(state))
        agent.time.wall += seconds
        agent.time.cpu += seconds / 2
        if agent.fault is not None:
            return agent.fault()
        return state.legal_actions()[0]


def measured(agents, time, positions=3, repeats=4, modes=("cold", "warm")):
    game = load_game(GAME)
    places = draw_positions(game, positions, (0, 2), seed=1)
    found = list(measure_point(game, GAME, agents, places, modes=modes, repeats=repeats, seed=7, clocks=time.clocks()))
    return places, [each for each in found if isinstance(each, Sample)], found


def test_all_take_turns_on_every_position():
    time, log = FakeTime(), []
    agents = [FakeAgent(name, time, log) for name in "abc"]
    places, samples, found = measured(agents, time)
    assert len(places) == 3
    per_turn = 6  # three agents, cold and warm
    assert len(samples) == 4 * 3 * per_turn
    assert sum(isinstance(each, Turn) for each in found) == 12
    for i in range(12):
        block = found[i * (per_turn + 1) : (i + 1) * (per_turn + 1)]
        assert isinstance(block[0], Turn)
        assert {(each.position, each.round) for each in block} == {(i % 3, i // 3)}
        assert {(each.agent, each.mode) for each in block[1:]} == {(a, m) for a in "abc" for m in ("cold", "warm")}
    # Each contestant is at each place of a turn equally often.
    places_taken = Counter((samples[i].agent, samples[i].mode, i % per_turn) for i in range(len(samples)))
    assert set(places_taken.values()) == {2}
    assert len(places_taken) == 36


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6])
def test_turns_are_fair_over_two_cycles(count):
    orders = [turns(count, turn) for turn in range(2 * count)]
    assert all(sorted(order) == list(range(count)) for order in orders)
    assert set(Counter((place, each) for order in orders for place, each in enumerate(order)).values()) == {2}
    before = Counter(pair for order in orders for pair in itertools.pairwise(order))
    assert all(before[a, b] == before[b, a] for a, b in before)


def test_cold_agents_are_new_and_warm_ones_keep_their_tables():
    time, log = FakeTime(), []
    agent = FakeAgent("a", time, log)
    _, samples, _ = measured([agent], time)
    cold = [each for each in samples if each.mode == "cold"]
    warm = [each for each in samples if each.mode == "warm"]
    assert {(each.seconds, each.cpu_seconds, each.setup_seconds) for each in cold} == {(4.0, 2.0, 0.5)}
    assert {(each.seconds, each.cpu_seconds, each.setup_seconds) for each in warm} == {(1.0, 0.5, None)}
    assert agent.made == 1 + len(cold)
    seeds = [entry[2] for entry in log if entry[0] == "make"]
    assert len(set(seeds)) == len(seeds)
    # Before anything is timed the warm agent has been everywhere.
    assert [entry[0] for entry in log[:5]] == ["make", "restart", "step", "step", "step"]


def test_agents_get_the_same_seed_for_the_same_decision():
    time, log = FakeTime(), []
    measured([FakeAgent("a", time, log), FakeAgent("b", time, log)], time, modes=("cold",))
    seeds = {name: [seed for what, who, seed in log if (what, who) == ("make", name)] for name in "ab"}
    assert sorted(seeds["a"]) == sorted(seeds["b"])
    assert len(seeds["a"]) == 12


def test_what_goes_wrong_is_recorded_and_the_others_go_on():
    def unsolved():
        raise NotSolvedError("too large")

    def broken():
        raise RuntimeError("oh\nno")

    time, log = FakeTime(), []
    faults = {"fine": None, "unsolved": unsolved, "broken": broken, "illegal": lambda: 999, "none": lambda: None}
    _, samples, _ = measured([FakeAgent(name, time, log, fault=fault) for name, fault in faults.items()], time)
    problems = {name: {each.problem for each in samples if each.agent == name} for name in faults}
    assert problems["fine"] == {None}
    assert problems["unsolved"] == {"not solved"}
    assert problems["broken"] == {"failed: RuntimeError: oh no"}
    assert all(each.startswith("failed: the action 999 is not legal in '") for each in problems["illegal"])
    assert all(each.startswith("failed: the action None is not legal") for each in problems["none"])
    assert all(each.seconds in (1.0, 4.0) for each in samples)


def sample(agent, position, number, seconds, cpu, problem=None, memory=None, states=None):
    return Sample(GAME, agent, "cold", position, number, seconds, cpu, 0.25, memory, states, problem)


def test_rows_count_overruns_failures_and_ratios():
    settings = LatencySettings.parse(["exact", "hybrid(seconds=0.1)"], [GAME])
    results = Results(settings, {}, "growth", legal_actions={GAME: [7, 5, 3]})
    wall = [0.05, 0.10, 0.11, 0.13, 0.02, 0.04]
    for i, seconds in enumerate(wall):
        place = i % 3, i // 3
        results.samples.append(sample("hybrid(seconds=0.1)", *place, seconds, seconds - 0.02, memory=i, states=10 * i))
        results.samples.append(
            sample("exact", *place, seconds / 2, (seconds - 0.02) / 4, "not solved" if i == 0 else None)
        )
    results.samples.append(sample("exact", 9, 9, 50.0, 50.0, "failed: so"))
    exact, hybrid = results.rows()
    assert (hybrid["overruns"], hybrid["cpu_overruns"]) == (2, 1)
    assert hybrid["worst_overrun"] == pytest.approx(0.03)
    assert (hybrid["budget_seconds"], hybrid["memory"], hybrid["states"]) == (0.1, 5, 25)
    assert (hybrid["p50"], hybrid["max"], hybrid["setup_p50"]) == (0.075, 0.13, 0.25)
    assert hybrid["cpu_p50"] == pytest.approx(0.055)
    assert hybrid["legal_actions"] == 5
    assert (hybrid["against"], hybrid["ratio"], hybrid["cpu_ratio"]) == ("exact", pytest.approx(2), pytest.approx(4))
    assert hybrid["ratio_low"] == pytest.approx(2) == hybrid["ratio_high"]
    # Decisions that were given up count in the times, failures do not.
    assert (exact["decisions"], exact["not_solved"], exact["failed"], exact["failure"]) == (7, 1, 1, "failed: so")
    assert exact["max"] == 0.065
    assert (exact["overruns"], exact["worst_overrun"], exact["against"], exact["ratio"]) == (None, None, None, None)


def test_the_fixed_work_is_told_by_part_and_clock():
    calibration = Calibration(4.0, 9.0, 1.0, 16.0)
    assert [calibration.work(part, cpu=False) for part in ("python", "numpy", "both")] == [4, 9, 6]
    assert [calibration.work(part, cpu=True) for part in ("python", "numpy", "both")] == [1, 16, 4]


def test_memory_is_the_peak_of_what_was_got_in_between():
    meter = MemoryMeter()
    meter.begin()
    # From the system itself: Python may hold what earlier tests have freed, and would give that again.
    with mmap.mmap(-1, 60_000_000) as passing:
        passing.write(bytes(60_000_000))
    growth = meter.growth()
    if meter.kind == PEAK:
        assert 50_000_000 < growth < 90_000_000
        meter.begin()
        assert meter.growth() < 30_000_000
    assert process_peak() > 10_000_000


def test_bots_tell_their_states():
    game = load_game("tic_tac_toe")
    bot = AgentSpec.parse("mcts(simulations=30)").make(game, 0)
    assert states_of(bot) is None
    bot.step(game.new_initial_state())
    assert states_of(bot) == 30
    bot = AgentSpec.parse("hybrid(nodes=40)").make(game, 0)
    bot.step(game.new_initial_state())
    assert states_of(bot) == 40
    assert states_of(AgentSpec.parse("random").make(game, 0)) is None


def test_a_fresh_process_counts_from_its_start():
    places = draw_positions(load_game(GAME), 1, (1, 1), seed=1)
    (turn, found) = measure_fresh(GAME, [AgentSpec.parse("exact")], places)
    assert turn.fresh
    assert (found.mode, found.problem, found.position, found.round) == ("fresh", None, 0, 0)
    assert 0.2 < found.setup_seconds < found.seconds
    assert found.cpu_seconds > 0.2
    assert found.memory > 30_000_000
    hard = draw_positions(load_game("sgai_grundys_game(piles=[9])"), 1, (0, 0), seed=1)
    (_, found) = measure_fresh("sgai_grundys_game(piles=[9])", [AgentSpec.parse("exact(states=1)")], hard)
    assert found.problem == "not solved"
    (_, found) = measure_fresh("no_game", [AgentSpec.parse("exact")], places)
    assert found.problem.startswith("failed: the process ended with 1: ")
    assert "unknown OpenSpiel game 'no_game'" in found.problem
