"""Nim-sequences: compiled code against the plain method, and how the cost grows.

Run ``python -m sgai.experiments.benchmarks.sequences``. Times are CPU seconds after compilation. Ratios come from one
run in which the methods take turns.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

from tabulate import tabulate

from sgai.budget import Budget
from sgai.compiled_sequences import CompiledSequence, form_of_code
from sgai.periods import find_period, period_theorem
from sgai.registry import load_ruleset
from sgai.rulesets.codes import parse_code
from sgai.rulesets.heaps import HeapRuleset
from sgai.sequences import SequenceTable


def cpu_seconds(work: Callable[[], Any]) -> float:
    """Return the CPU time of a piece of work."""
    started = time.process_time()
    work()
    return time.process_time() - started


def run_compiled(code: str, largest: int, sparse: bool = True) -> CompiledSequence:
    """Compute the values of a code's heaps with compiled code."""
    sequence = CompiledSequence(form_of_code_or_fail(code, largest), sparse=sparse)
    sequence.extend(largest, Budget(10**12))
    return sequence


def form_of_code_or_fail(code: str, largest: int) -> Any:
    """Return what the kernels need to know of a code."""
    form = form_of_code(parse_code(code), largest)
    assert form is not None, code
    return form


def pure_python(code: str, largest: int) -> list[int]:
    """Compute the values in plain Python, by the definition."""
    parsed = parse_code(code)
    values = [0]
    for heap in range(1, largest + 1):
        seen = set()
        for taken, digit in parsed.digits_for(heap):
            left = heap - taken
            for count, modifier in digit.allowed_counts(left):
                if count < 2:
                    seen.add(values[left])
                else:
                    last = left // 2 if modifier == "" else (left - 1) // 2
                    for part in range(1, last + 1):
                        seen.add(values[part] ^ values[left - part])
        least = 0
        while least in seen:
            least += 1
        values.append(least)
    return values


def numpy_plain(code: str, largest: int) -> Any:
    """Compute the values with the plain method of `SequenceTable`."""
    ruleset = load_ruleset(code)
    assert isinstance(ruleset, HeapRuleset)
    return SequenceTable(ruleset, use_kernels=False).values(largest, Budget(10**9))


def compare(code: str, largest: int, times: int = 3) -> list[Any]:
    """Return CPU seconds of pure Python, of NumPy and of both compiled methods, taking turns."""
    methods: dict[str, Callable[[], Any]] = {
        "pure Python": lambda: pure_python(code, largest),
        "numpy": lambda: numpy_plain(code, largest),
        "compiled, plain": lambda: run_compiled(code, largest, sparse=False),
        "compiled, sparse": lambda: run_compiled(code, largest),
    }
    spent: dict[str, list[float]] = {name: [] for name in methods}
    for _ in range(times):
        for name, method in methods.items():
            spent[name].append(cpu_seconds(method))
    medians = [statistics.median(each) for each in spent.values()]
    return [f"{code} to {largest:,}", *(f"{each:.4f}" for each in medians), f"{medians[0] / medians[-1]:,.0f}"]


def growth(code: str, sizes: tuple[int, ...]) -> list[list[Any]]:
    """Return seconds, and nanoseconds a heap, for sizes that grow: the latter stay, if the cost is linear."""
    rows = []
    for largest in sizes:
        started = time.process_time()
        sequence = run_compiled(code, largest)
        seconds = time.process_time() - started
        rows.append([code, f"{largest:,}", f"{seconds:.2f}", f"{1e9 * seconds / largest:,.0f}", sequence.rare_count])
    return rows


def prove(code: str, largest: int) -> list[str]:
    """Return the seconds that it takes to prove a period, values included."""
    theorem = period_theorem(load_ruleset(code))
    assert theorem is not None

    started = time.process_time()
    found = find_period(run_compiled(code, largest).values[: largest + 1], theorem)
    return [code, f"{largest:,}", str(found), f"{time.process_time() - started:.2f}"]


def main() -> None:
    """Print the tables."""
    run_compiled("0.77", 10_000)
    prove("0.77", 1000)
    print("CPU seconds, taking turns")
    rows = [compare("4!.0", 3000), compare("0.106", 3000), compare("0.77", 3000)]
    headers = ["game", "pure Python", "numpy", "compiled, plain", "compiled, sparse", "first / last"]
    print(tabulate(rows, headers=headers, disable_numparse=True))
    print("\nThe sparse method: cost a heap follows the number of rare heaps")
    rows = [
        *growth("0.106", (2_500_000, 5_000_000, 10_000_000)),
        *growth("0.16", (2_500_000, 5_000_000, 10_000_000)),
        *growth("4!.0", (250_000, 500_000, 1_000_000)),
        *growth("0.6", (250_000, 500_000, 1_000_000)),
    ]
    print(tabulate(rows, headers=["game", "heaps", "seconds", "ns a heap", "rare heaps"], disable_numparse=True))
    print("\nProofs of periods")
    proofs = [prove("0.16", 600_000), prove("0.127", 100_000), prove("0.56", 700_000), prove("0.376", 4_600_000)]
    proofs.append(prove("0.354", 20_200_000))
    print(tabulate(proofs, headers=["game", "heaps", "proved", "seconds"], disable_numparse=True))


if __name__ == "__main__":
    main()
