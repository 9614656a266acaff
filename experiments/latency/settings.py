"""What is measured: agents with their budgets, games of every size and number of components, and how often."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sgai.agents import AgentSpec
from sgai.agents.effort import DEFAULT_SECONDS
from sgai.agents.game_kinds import check_playable
from sgai.envs import SgaiGame, load_game
from sgai.errors import SgaiError, quote
from sgai.experiments.latency.games import sized, with_components
from sgai.removal_values import load_compiled_search

COLD, WARM, FRESH = "cold", "warm", "fresh"
MODES = (COLD, WARM)
BUDGETS = ("seconds", "nodes", "simulations")
_LIMITS = (*BUDGETS, "states", "depth")  # an agent that was given one of these has its budget


@dataclass(frozen=True)
class Point:
    """One place of the grid.

    Attributes
    ----------
    family : str
        The game's text as it was given.
    size, components : int or None
        What was filled in.
    game : str
        The game's text with both.
    """

    family: str
    size: int | None
    components: int | None
    game: str


@dataclass(frozen=True)
class LatencySettings:
    """What is measured; make it with `parse`.

    Attributes
    ----------
    agents : tuple of AgentSpec
        With their budgets.
    points : tuple of Point
        Games.
    positions : int
        The most different positions of each game.
    repeats : int
        How often each agent decides on each position in each mode.
    moves : pair of int
        Positions come up after at least and at most so many random moves.
    modes : tuple of str
        Any of "cold" and "warm".
    fresh : int
        On how many positions a new process is started for each decision.
    compile_anew : bool
        Whether such processes compile everything anew.
    seed : int
        Of positions and agents.
    plugins : tuple of str
        Files with users' rulesets, for new processes.

    Examples
    --------
    >>> settings = LatencySettings.parse(["hybrid", "exact(states=9999)"], ["sgai_nim"], sizes=[3, 5], seconds=[0.01])
    >>> [str(agent) for agent in settings.agents]
    ['hybrid(seconds=0.01)', 'exact(states=9999)']
    >>> [point.game for point in settings.points]
    ['sgai_nim(piles=[3])', 'sgai_nim(piles=[5])']
    """

    agents: tuple[AgentSpec, ...]
    points: tuple[Point, ...]
    positions: int = 5
    repeats: int = 3
    moves: tuple[int, int] = (0, 3)
    modes: tuple[str, ...] = MODES
    fresh: int = 0
    compile_anew: bool = False
    seed: int = 0
    plugins: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def parse(
        cls,
        agents: Sequence[str],
        games: Sequence[str],
        *,
        sizes: Sequence[int] = (),
        components: Sequence[int] = (),
        seconds: Sequence[float] = (),
        nodes: Sequence[int] = (),
        simulations: Sequence[int] = (),
        **others: Any,
    ) -> "LatencySettings":
        """Read agents and games and fill in all sizes, numbers of components and budgets.

        Parameters
        ----------
        agents, games : sequence of str
            As of `sgai match`. Games may have ``{size}`` in them, agents ``{seconds}``, ``{nodes}``, ``{simulations}``.
        sizes, components : sequence of int
            Every game is measured at each of them.
        seconds, nodes, simulations : sequence of numbers
            Budgets; they go where they are named in an agent's text, and to agents that take them and have no budget.
        others
            As of this class.

        Raises
        ------
        SgaiError
            For what cannot be read, or leaves nothing to measure.
        """
        if not agents or not games:
            raise SgaiError("there is nothing to measure without an agent and a game")
        grids = {
            name: list(dict.fromkeys(values))
            for name, values in zip(BUDGETS, (seconds, nodes, simulations), strict=True)
        }
        specs = tuple(spec for text in agents for spec in with_budgets(text, grids))
        for spec in specs:
            if sum(spec.complete() == other.complete() for other in specs) > 1:
                raise SgaiError(f"agent {str(spec)!r} is named twice; give different agents")
        for name, values in grids.items():
            if values and not any(name in dict(spec.arguments) for spec in specs):
                raise SgaiError(
                    f"{name}={','.join(map(str, values))}: none of the agents takes it, or all have a budget"
                )
        points: dict[str, Point] = {}
        for game, size, count in itertools.product(games, sizes or (None,), components or (None,)):
            for name, value in (("size", size), ("components", count)):
                if value is not None and value < 1:
                    raise SgaiError(f"{name}={value}: it should be 1 or more")
            text = with_components(sized(game, size), count)
            points.setdefault(text, Point(game, size, count, text))
        settings = cls(specs, tuple(points.values()), **others)
        settings.check()
        return settings

    def check(self) -> None:
        """Raise `SgaiError` for counts and modes that make no sense."""
        for name, value, least in (
            ("positions", self.positions, 1),
            ("repeats", self.repeats, 1),
            ("fresh", self.fresh, 0),
        ):
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise SgaiError(f"{name}={value!r} should be {least} or more")
        least, most = self.moves
        if not 0 <= least <= most:
            raise SgaiError(f"moves={least}-{most} should be a number of moves, or the least and the most: 3 or 0-6")
        wrong = [mode for mode in self.modes if mode not in MODES]
        if wrong:
            raise SgaiError(f"mode {quote(wrong[0])} should be cold or warm")
        if not self.modes and not self.fresh:
            raise SgaiError("there is nothing to measure: neither cold nor warm decisions, nor fresh processes")

    def load_games(self) -> dict[str, Any]:
        """Load every game, and make every agent for it once, so that what needs compiling is compiled.

        Raises
        ------
        SgaiError
            For a game that cannot be loaded, or that an agent does not play.
        """
        games = {}
        for point in self.points:
            games[point.game] = game = load_game(point.game)
            check_playable(game, ("hidden", "general_sum", "rewards"), use="to measure decisions on")
            if isinstance(game, SgaiGame):
                # Else it would depend on what was measured before how small boards are searched.
                load_compiled_search(game.ruleset)
            for agent in self.agents:
                agent.make(game, 0)
        return games

    def as_json(self) -> dict[str, Any]:
        """Return all that two runs must share to be compared, ready for JSON."""
        return {
            "agents": [str(agent) for agent in self.agents],
            "points": [asdict(point) for point in self.points],
            "positions": self.positions,
            "repeats": self.repeats,
            "moves": list(self.moves),
            "modes": list(self.modes),
            "fresh": self.fresh,
            "compile_anew": self.compile_anew,
            "seed": self.seed,
        }


def with_budgets(text: str, grids: Mapping[str, Sequence[float]]) -> list[AgentSpec]:
    """Return an agent with every budget that it takes.

    Examples
    --------
    >>> grids = {"seconds": [0.01, 0.1], "simulations": [50]}
    >>> [str(each) for each in with_budgets("mcts", grids)]
    ['mcts(seconds=0.01)', 'mcts(seconds=0.1)', 'mcts(simulations=50)']
    >>> [str(each) for each in with_budgets("hybrid(seed=3,nodes=7)", grids)]
    ['hybrid(seed=3,nodes=7)']
    """
    for name in BUDGETS:
        if "{" + name + "}" in text:
            if not grids.get(name):
                raise SgaiError(f"agent {quote(text)} needs a budget: give --{name}")
            return [
                spec
                for value in grids[name]
                for spec in with_budgets(text.replace("{" + name + "}", str(value)), grids)
            ]
    spec = AgentSpec.parse(text)
    if set(dict(spec.arguments)) & set(_LIMITS):
        return [spec]
    parameters = spec.parameters()
    budgets = [(name, value) for name in BUDGETS if name in parameters for value in grids.get(name, ())]
    return [AgentSpec(spec.name, (*spec.arguments, budget)) for budget in budgets] or [spec]


def deadline(spec: AgentSpec) -> float | None:
    """Return an agent's time for a decision in seconds, None where it has no such budget.

    Examples
    --------
    >>> [deadline(AgentSpec.parse(text)) for text in ("mcts(seconds=0.2)", "hybrid", "hybrid(nodes=9)", "mcts")]
    [0.2, 0.05, None, None]
    """
    given = dict(spec.arguments)
    if "seconds" in given:
        return float(given["seconds"])
    # Those that count nodes take a time where no budget is given.
    return DEFAULT_SECONDS if "nodes" in spec.parameters() and not set(given) & set(_LIMITS) else None
