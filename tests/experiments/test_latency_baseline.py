"""Runs that are kept and compared: what got slower, other machines, damaged and foreign files."""

import json
import random
from dataclasses import replace

import pytest

from sgai.errors import SgaiError
from sgai.experiments.latency import LatencySettings, Results, compare, format_changes, load_baseline, save_baseline
from sgai.experiments.latency.baseline import SAME, SLOWER, UNKNOWN
from sgai.experiments.latency.calibration import Calibration
from sgai.experiments.latency.measuring import Sample, Turn
from sgai.experiments.latency.results import machine_info

GAME = "sgai_nim(piles=[3;4])"
AGENTS = ("exact", "hybrid(seconds=0.05)")


def run(seed=0, speed=1.0, numpy_speed=None, slower=1.0, full_budget=False, rounds=5, **others):
    """A run on a machine so many times as slow, whose agents take so many times as long there."""
    settings = LatencySettings.parse(AGENTS, [GAME], positions=6, repeats=rounds, **others)
    results = Results(settings, machine_info(), positions={GAME: [f"position {i}" for i in range(6)]})
    chance = random.Random(seed)
    for number in range(rounds):
        for position in range(6):
            moment = chance.choice((1.0, 1.0, 1.3))  # other programs, which slow all of a turn
            python, numpy = (moment * each * 0.001 for each in (speed, numpy_speed or speed))
            results.turns.append(Turn(GAME, False, position, number, Calibration(python, numpy, python, numpy)))
            for agent in AGENTS:
                seconds = moment * speed * slower * (0.01 + 0.001 * position) * chance.lognormvariate(0, 0.03)
                if full_budget and agent != "exact":
                    seconds = 0.05 * chance.lognormvariate(0, 0.01)
                results.samples.append(
                    Sample(GAME, agent, "cold", position, number, seconds, seconds, None, None, None)
                )
    return results


def kept(results, path):
    save_baseline(results, path)
    return load_baseline(path)


def verdicts(results, baseline, **options):
    return {change.agent: change.verdict for change in compare(results, baseline, **options)}


def test_a_run_reads_back_as_it_was(tmp_path):
    results = run()
    baseline = kept(results, tmp_path / "b.json")
    assert (baseline.samples, baseline.turns) == (results.samples, results.turns)
    assert baseline.settings == results.settings.as_json()
    assert baseline.machine == results.machine
    assert [each.name for each in tmp_path.iterdir()] == ["b.json"]
    damage(lambda kept: kept.pop("machines"))(tmp_path / "b.json")  # as earlier versions wrote it
    assert load_baseline(tmp_path / "b.json").machine_of(GAME) == results.machine


def test_the_same_again_is_no_change_and_slower_code_is_named(tmp_path):
    baseline = kept(run(), tmp_path / "b.json")
    assert verdicts(run(seed=1), baseline) == dict.fromkeys(AGENTS, SAME)
    assert verdicts(run(seed=1, slower=1.1), baseline) == dict.fromkeys(AGENTS, SAME)
    slow = run(seed=1, slower=2.0)
    assert verdicts(slow, baseline) == verdicts(slow, baseline, clock="wall") == dict.fromkeys(AGENTS, SLOWER)
    assert verdicts(run(seed=1, slower=0.5), baseline) == dict.fromkeys(AGENTS, "faster")
    changes = compare(slow, baseline)
    assert all(change.ratio.value == pytest.approx(2, rel=0.2) for change in changes)
    assert all(change.is_slower_than(1.5) and not change.is_slower_than(2.5) for change in changes)
    text = format_changes(changes, baseline, slow)
    assert "2 of 2 got slower:" in text
    assert "  exact on sgai_nim(piles=[3;4]), cold: " in text
    assert "Nothing got clearly slower." in format_changes(compare(run(seed=1), baseline), baseline, run(seed=1))


def test_a_slower_machine_is_no_slower_code(tmp_path):
    baseline = kept(run(), tmp_path / "b.json")
    other = run(seed=2, speed=3.0)
    found = compare(other, baseline)
    assert all(change.ratio.value == pytest.approx(3, rel=0.2) for change in found)
    assert all(change.normalised.value == pytest.approx(1, rel=0.1) for change in found)
    assert verdicts(other, baseline) == dict.fromkeys(AGENTS, SAME)
    assert "3.0" in format_changes(found, baseline, other).split("The fixed work takes ")[1][:5]
    assert verdicts(run(seed=2, speed=3.0, slower=2.0), baseline) == dict.fromkeys(AGENTS, SLOWER)
    # Where only one part of the fixed work is slower too, nothing is sure.
    assert verdicts(run(seed=2, speed=2.0, numpy_speed=1.0), baseline) == dict.fromkeys(AGENTS, SAME)


def test_a_budget_in_seconds_is_as_long_on_any_machine(tmp_path):
    baseline = kept(run(full_budget=True), tmp_path / "b.json")
    faster = compare(run(seed=3, speed=0.4, full_budget=True), baseline)
    hybrid = next(change for change in faster if change.agent != "exact")
    assert hybrid.normalised.low > 1.5  # which would be a false alarm
    assert hybrid.verdict == SAME
    assert not hybrid.is_slower_than(1.1)


def test_few_decisions_give_no_verdict(tmp_path):
    results = run(rounds=1)
    results.samples = [each for each in results.samples if each.position < 3]
    assert verdicts(results, kept(results, tmp_path / "b.json")) == dict.fromkeys(AGENTS, UNKNOWN)


def test_other_settings_and_positions_are_refused(tmp_path):
    baseline = kept(run(), tmp_path / "b.json")
    with pytest.raises(SgaiError, match=r"other settings: repeats was '5', and is '4'"):
        compare(run(rounds=4), baseline)
    with pytest.raises(SgaiError, match=r"other settings: seed was '0', and is '9'"):
        compare(with_seed(run(), 9), baseline)
    moved = run()
    moved.positions[GAME][2] = "another"
    with pytest.raises(SgaiError, match=r"other positions of 'sgai_nim"):
        compare(moved, baseline)
    with pytest.raises(SgaiError, match="'sun' should be cpu or wall"):
        compare(run(), baseline, clock="sun")


def with_seed(results, seed):
    results.settings = replace(results.settings, seed=seed)
    return results


def test_an_interrupted_run_is_no_baseline(tmp_path):
    results = run()
    results.interrupted = True
    with pytest.raises(SgaiError, match="interrupted"):
        save_baseline(results, tmp_path / "b.json")
    assert not list(tmp_path.iterdir())


def damage(change):
    def written(path):
        kept = json.loads(path.read_text())
        change(kept)
        path.write_text(json.dumps(kept))

    return written


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda path: path.unlink(), "cannot be read"),
        (lambda path: path.write_text(path.read_text()[:-300]), "damaged"),
        (lambda path: path.write_bytes(b"\xff\xfe"), "no text"),
        (lambda path: path.write_text("[]"), "no latency baseline"),
        (lambda path: path.write_text('{"kind": "dog"}'), "no latency baseline"),
        (damage(lambda kept: kept.update(version=99)), "has version 99"),
        (damage(lambda kept: kept.pop("samples")), "damaged: KeyError: 'samples'"),
        (damage(lambda kept: kept["samples"][3].update(seconds="4")), "damaged: TypeError: seconds='4'"),
        (damage(lambda kept: kept["samples"][3].update(seconds=float("nan"))), "damaged: ValueError: seconds=nan"),
        (damage(lambda kept: kept["samples"][3].update(dog=1)), "damaged: TypeError"),
        (damage(lambda kept: kept["turns"][3]["calibration"].update(numpy=-1)), "damaged: ValueError"),
        (damage(lambda kept: kept["turns"][3].pop("calibration")), "damaged: KeyError"),
        (damage(lambda kept: kept.update(positions=5)), "damaged: TypeError"),
        (damage(lambda kept: kept.update(machines={GAME: 5})), "damaged: TypeError"),
    ],
)
def test_damaged_and_foreign_files_are_refused(tmp_path, spoil, words):
    path = tmp_path / "b.json"
    save_baseline(run(), path)
    spoil(path)
    with pytest.raises(SgaiError) as caught:
        load_baseline(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)
