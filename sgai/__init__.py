"""sgai: exact and hybrid play of impartial combinatorial games, plugged into OpenSpiel.

The theory and the solvers are here and import no OpenSpiel; `sgai.envs` registers every ruleset as an OpenSpiel game,
`sgai.agents` plays them, `sgai.experiments` runs matches.
"""

from typing import TYPE_CHECKING, Any

from sgai._version import __version__
from sgai.decomposition import Summand, decompose
from sgai.errors import IllegalMoveError, LoopError, NotSolvedError, SgaiError, StoreError, UnsupportedError
from sgai.nimbers import mex, nim_sum
from sgai.parameters import Kind, parameter
from sgai.registry import load_plugin, load_ruleset, register, ruleset_names
from sgai.ruleset import Component, Ruleset

if TYPE_CHECKING:
    from sgai.batch_oracle import Labels, Oracle
    from sgai.belief_models import BeliefModel
    from sgai.beliefs import Belief
    from sgai.loopy import LoopyValue
    from sgai.solution import Solution
    from sgai.solver import Solver, grundy_values, solve
    from sgai.store import NimberStore

__all__ = [
    "Belief",
    "BeliefModel",
    "Component",
    "IllegalMoveError",
    "Kind",
    "Labels",
    "LoopError",
    "LoopyValue",
    "NimberStore",
    "NotSolvedError",
    "Oracle",
    "Ruleset",
    "SgaiError",
    "Solution",
    "Solver",
    "StoreError",
    "Summand",
    "UnsupportedError",
    "__version__",
    "decompose",
    "grundy_values",
    "load_plugin",
    "load_ruleset",
    "mex",
    "nim_sum",
    "parameter",
    "register",
    "ruleset_names",
    "solve",
]

# These need numpy or SQLite, which a program that only handles rules need not wait for.
_LAZY = {
    "Belief": "beliefs",
    "LoopyValue": "loopy",
    "BeliefModel": "belief_models",
    "Labels": "batch_oracle",
    "NimberStore": "store",
    "Oracle": "batch_oracle",
    "Solution": "solution",
    "Solver": "solver",
    "grundy_values": "solver",
    "solve": "solver",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        import importlib

        return getattr(importlib.import_module(f"sgai.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'sgai' has no attribute {name!r}")
