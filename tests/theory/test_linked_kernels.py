"""Functions that only compiled functions call: built into these, whatever the way to them."""

import ast
import os
import signal

import numpy as np
import pytest

from sgai.kernels import jit
from sgai.kernels.jit import counting_nothing, inlined, inlined_optimized, inner, inner_optimized

FOR_CALLERS = [inner, inner_optimized, inlined, inlined_optimized]


@pytest.mark.parametrize("decorator", FOR_CALLERS)
def test_python_cannot_call_what_has_no_entry_for_it(decorator):
    @decorator
    def doubled(a):
        return 2 * a

    @counting_nothing
    def outer(a):
        return doubled(a) + 1

    for _ in range(2):  # before it is compiled, and after
        with pytest.raises(TypeError, match="doubled: only compiled functions can call it"):
            doubled(3)
        assert outer(3) == 7


@pytest.mark.parametrize("below", FOR_CALLERS)
@pytest.mark.parametrize("above", FOR_CALLERS)
def test_they_may_call_one_another_and_raise(above, below):
    @below
    def root(n):
        if n < 0:
            raise ValueError("negative")
        return n // 2

    @above
    def twice(values, i):
        values[i] += root(values[i])
        return values[i] + root(i)

    @counting_nothing
    def outer(values, i):
        return twice(values, i) + root(10)

    values = np.array([4, 6, -1])
    assert outer(values, 1) == 9 + 0 + 5
    assert values.tolist() == [4, 9, -1]
    for _ in range(2):
        with pytest.raises(ValueError, match="negative"):
            outer(values, 2)


ENTRIES = """
import sgai
from numba.core.registry import CPUDispatcher
from sgai.kernels import removal_search as kernel
print(sgai.Solver().solve(sgai.load_ruleset("cram(rows=3,columns=5)")).grundy)
print([name for name, each in vars(kernel).items() if isinstance(each, CPUDispatcher) and each.stats.cache_hits])
"""


def test_only_what_python_calls_is_kept_on_disk(tmp_path, run_program):
    done = [run_program(ENTRIES, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2)]
    assert [each.returncode for each in done] == [0, 0], done[1].stderr
    values, loaded = zip(*(each.stdout.splitlines() for each in done), strict=True)
    assert values == ("1", "1")
    assert loaded[0] == "[]"  # all was compiled
    kept = {file.name.split(".")[1].split("-")[0] for file in tmp_path.rglob("removal_search.*.nbi")}
    assert {"reduce", "search"} == kept == set(ast.literal_eval(loaded[1]))


def test_the_level_of_optimization_is_only_lowered_meanwhile():
    import numba

    before, seen = numba.config.OPT, []

    @counting_nothing
    def outer(a):
        return a + 1

    outer._cache = numba.core.caching.NullCache()  # an earlier run's code would be loaded, and nothing compiled
    compile_at_set_level = numba.core.compiler.compile_extra

    def watched(*arguments, **named):
        seen.append(int(numba.config.OPT))
        return compile_at_set_level(*arguments, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numba.core.compiler, "compile_extra", watched)
        assert outer(np.float32(3)) == 4
        patch.setattr(numba.config, "OPT", type(before)(1))  # the user's own
        assert outer(np.int16(3)) == 4
        assert numba.config.OPT == 1
    assert seen == [2, 1]
    assert before == numba.config.OPT


def _press_while_compiling(done):
    with jit._held_interrupts():
        with jit._held_interrupts():  # what a function calls is compiled meanwhile
            os.kill(os.getpid(), signal.SIGINT)
            done.append("inner")
        done.append("outer")


def test_ctrl_c_waits_until_a_function_is_compiled():
    # LLVM's callbacks would swallow it, and numba would miss what they should have kept.
    before, done = signal.signal(signal.SIGINT, signal.default_int_handler), []
    try:
        with pytest.raises(KeyboardInterrupt):
            _press_while_compiling(done)
        assert done == ["inner"]
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        with jit._held_interrupts():
            done.append("later")
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == ["inner", "later"]


FULL = """
import errno, numba.core.caching as caching
def save(*_): raise OSError(errno.ENOSPC, "No space left on device")
caching.IndexDataCacheFile.save = save
import sgai
print(sgai.Solver().find_period(sgai.load_ruleset("0.77"), 3000).period)
"""


def test_a_full_disk_keeps_nothing_and_stops_nothing(run_program, tmp_path):
    done = run_program(FULL, NUMBA_CACHE_DIR=str(tmp_path))
    assert done.stdout == "12\n", done.stderr
