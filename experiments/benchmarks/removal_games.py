"""Removal games: the compiled search against pure Python, how the cost grows, and where the time goes.

Run ``python -m sgai.experiments.benchmarks.removal_games`` (about two minutes). Times are CPU seconds of the search,
after compilation, on one core. Ratios come from one run in which the methods take turns.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

from tabulate import tabulate

from sgai.budget import Budget
from sgai.kernels.removal_profile import FOLD, FORM, LOOK_UP, MAKE, SPLIT, walk_options
from sgai.registry import load_ruleset
from sgai.removal_search import RemovalSearch
from sgai.rulesets.removal import RemovalRuleset
from sgai.search import StateTable

UNLIMITED = 10**12


def game(name: str) -> RemovalRuleset:
    """Return a removal game by its text."""
    ruleset = load_ruleset(name)
    assert isinstance(ruleset, RemovalRuleset)
    return ruleset


def cpu_seconds(work: Callable[[], Any]) -> float:
    """Return the CPU time of a piece of work."""
    started = time.process_time()
    work()
    return time.process_time() - started


def search_once(ruleset: RemovalRuleset) -> tuple[RemovalSearch, int, float]:
    """Solve the initial position from an empty table; return the search, the value and the seconds."""
    search, parts = RemovalSearch(ruleset.table), ruleset.table.parts(ruleset.initial())
    started, value = time.process_time(), 0
    for part in parts:
        value ^= search.value(part, Budget(UNLIMITED))
    return search, value, time.process_time() - started


def compiled(name: str) -> tuple[RemovalSearch, int, float]:
    """Do that once the compiled code of the game is there."""
    ruleset = game(name)
    RemovalSearch(ruleset.table).load()
    return search_once(ruleset)


def generic(name: str) -> float:
    """Return the seconds that the generic solver in Python takes."""
    ruleset = game(name)
    table = StateTable()
    table.removals.takes = lambda *_: False  # type: ignore[method-assign]
    parts = ruleset.components(ruleset.initial())
    return cpu_seconds(lambda: [table.value(each.ruleset, each.position, Budget(UNLIMITED)) for each in parts])


def compare(name: str, times: int = 3, searches: int = 9) -> list[Any]:
    """Return CPU seconds of the generic solver and of the compiled search, taking turns: medians.

    A turn of the compiled search is several searches, each from an empty table, as one takes but milliseconds.
    """
    spent: tuple[list[float], list[float]] = ([], [])
    compiled(name)
    for _ in range(times):
        spent[0].append(generic(name))
        ruleset = game(name)
        spent[1].extend(search_once(ruleset)[2] for _ in range(searches))
    slow, fast = map(statistics.median, spent)
    return [name, f"{slow:.3f}", f"{fast:.5f}", f"{slow / fast:,.0f}"]


def growth(name: str) -> list[Any]:
    """Return what a board costs, and what an entry of the table and a position looked at cost."""
    search, value, seconds = compiled(name)
    looks = search.looks + search.nodes
    return [
        name,
        value,
        f"{seconds:.3f}",
        f"{search.entries:,}",
        f"{looks:,}",
        f"{1e6 * seconds / max(1, search.entries):.1f}",
        f"{1e6 * seconds / max(1, looks):.2f}",
    ]


def profile(name: str) -> list[list[str]]:
    """Return nanoseconds a move of the steps that make an option, over positions that a search has met."""
    search, _, _ = compiled(name)
    rules, table, stack, like = search.arrays()
    positions = table.entries[table.tags != 0][::3, : search.words].copy()
    steps = {
        "make the options": MAKE,
        "... drop twins, find the first part": SPLIT,
        "... bring it into canonical form": FORM,
        "... look it up": LOOK_UP,
        "all parts, with the cache of forms, as the search does": FOLD,
    }
    rows = []
    for label, step in steps.items():
        walk_options(rules, table, stack, positions[:1], step, like)
        started = time.process_time()
        moves, _ = walk_options(rules, table, stack, positions, step, like)
        rows.append([label, f"{1e9 * (time.process_time() - started) / moves:.0f}"])
    return rows


def main() -> None:
    """Print the tables."""
    compiled("cram(rows=3,columns=4)")
    print("CPU seconds, taking turns")
    rows = [compare("cram(rows=4,columns=5)"), compare("node_kayles(graph=grid,rows=5,columns=5)")]
    print(tabulate(rows, headers=["game", "pure Python", "compiled", "first / second"], disable_numparse=True))
    print("\nCost and number of entries: time follows the positions looked at")
    names = [(4, 7), (5, 6), (5, 7), (4, 9), (5, 8), (3, 11), (3, 12), (3, 13)]
    rows = [growth(f"cram(rows={rows},columns={columns})") for rows, columns in names]
    rows += [growth(f"node_kayles(graph=grid,rows={size[0]},columns={size[1]})") for size in [(7, 7), (8, 8), (7, 9)]]
    headers = ["game", "value", "seconds", "entries", "looked at", "us an entry", "us a look"]
    print(tabulate(rows, headers=headers, disable_numparse=True))
    print("\nWhere the time goes, Cram 5x7: nanoseconds an option, each line with all before it")
    print(tabulate(profile("cram(rows=5,columns=7)"), headers=["step", "ns"], disable_numparse=True))


if __name__ == "__main__":
    main()
