"""Compilers for functions that only compiled functions call: their code is finished once, as part of their callers'.

numba optimizes every function with all that it calls and makes machine code of it. What is called through many levels
is worked over at each, though nothing ever jumps to the results of the lower ones.
"""

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering


class _Code(JITCodeLibrary):
    """LLVM's code of a function, simplified by itself as all functions are, and not turned into machine code."""

    def _optimize_final_module(self) -> None:
        """Leave what it calls where it is: the caller's code is optimized as a whole."""

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _OptimizedCode(_Code):
    """LLVM's code of a function and of what it calls, optimized before it is put into those of the callers."""

    def _optimize_final_module(self) -> None:
        JITCodeLibrary._optimize_final_module(self)


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(NativeLowering):
    _name = "lowering_for_callers"
    _library: Any = _Code

    def run_pass(self, state: Any) -> bool:
        state.library = self._library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        NativeLowering.run_pass(self, state)
        # Callers find the code by an entry point, which must be a built-in function; nothing is to call this one.
        entry_point: Any = [].append
        state.targetctx.insert_user_function(entry_point, state.cr.fndesc, [state.library])
        state["cr"] = state.cr._replace(cfunc=entry_point)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _OptimizedLowering(_Lowering):
    _name = "optimized_lowering_for_callers"
    _library = _OptimizedCode


class ForCallers(CompilerBase):
    """Compile a function as far as its callers need it."""

    _lowering = _Lowering

    def define_pipelines(self) -> list[Any]:
        """Return numba's own passes, but for the one that makes LLVM's code."""
        passes = PassManager("nopython, for callers")
        for step, description in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            passes.add_pass(self._lowering if step is NativeLowering else step, description)
        passes.finalize()
        return [passes]


class OptimizedForCallers(ForCallers):
    """Compile a function as far as its callers need it, and optimize it before they have it."""

    _lowering = _OptimizedLowering
