"""What our games cost through pyspiel, beside a minimal Nim in Python, one that does nothing, and OpenSpiel's C++ Nim.

Run ``python -m sgai.experiments.benchmarks.game_speed``. The minimal game is written by hand, keeps its piles in a
list and checks nothing; the game that does nothing shows what OpenSpiel's own callbacks into Python cost. All take
turns; times are the least CPU time of some rounds, ratios the median of the rounds' own.
"""

import random
import statistics
import time
from collections.abc import Callable
from typing import Any, ClassVar

import pyspiel
from tabulate import tabulate

from sgai.envs import load_game

BOARDS = ((1, 3, 5, 7), (9,) * 9)
ROUNDS, STATES, COPIES = 15, 60, 5


def _game_type(name: str) -> pyspiel.GameType:
    return pyspiel.GameType(
        short_name=name,
        long_name=name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={},
    )


class _Game(pyspiel.Game):
    piles: ClassVar[tuple[int, ...]]
    state: ClassVar[type[Any]]

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        actions = max(self.piles) * len(self.piles)
        info = pyspiel.GameInfo(actions, 0, 2, -1.0, 1.0, 0.0, sum(self.piles))
        super().__init__(_game_type(self.__class__.__name__), info, params or {})

    def new_initial_state(self) -> Any:
        return self.state(self)


class _MinimalNim(pyspiel.State):
    """Nim as one writes it in ten lines: nothing is checked, nothing kept."""

    def __init__(self, game: _Game) -> None:
        super().__init__(game)
        self.piles, self.player, self.over = list(game.piles), 0, False

    def current_player(self) -> int:
        return int(pyspiel.PlayerId.TERMINAL) if self.over else self.player

    def _legal_actions(self, _: int) -> list[int]:
        count = len(self.piles)
        return sorted(taken * count + i for i, pile in enumerate(self.piles) for taken in range(pile))

    def _apply_action(self, action: int) -> None:
        taken, i = divmod(action, len(self.piles))
        self.piles[i] -= taken + 1
        self.player, self.over = 1 - self.player, not any(self.piles)

    def _action_to_string(self, _: int, action: int) -> str:
        return str(action)

    def is_terminal(self) -> bool:
        return self.over

    def returns(self) -> list[float]:
        if not self.over:
            return [0.0, 0.0]
        return [1.0, -1.0] if self.player else [-1.0, 1.0]

    def __str__(self) -> str:
        return f"{self.piles} {self.player}"


class _Nothing(pyspiel.State):
    """No game: every callback returns at once."""

    _actions: ClassVar[list[int]] = [0, 1, 2]

    def current_player(self) -> int:
        return 0

    def _legal_actions(self, _: int) -> list[int]:
        return self._actions

    def _apply_action(self, action: int) -> None:
        pass

    def _action_to_string(self, _: int, action: int) -> str:
        return str(action)

    def is_terminal(self) -> bool:
        return False

    def returns(self) -> list[float]:
        return [0.0, 0.0]

    def __str__(self) -> str:
        return ""


def _made(name: str, piles: tuple[int, ...], state: type[Any]) -> Any:
    cls = type(f"{name}_{'_'.join(map(str, piles))}", (_Game,), {"piles": piles, "state": state})
    pyspiel.register_game(_game_type(cls.__name__), cls)
    return pyspiel.load_game(cls.__name__)


def _states(game: Any, count: int) -> list[Any]:
    chance = random.Random(0)
    found: list[Any] = []
    while len(found) < count:
        state = game.new_initial_state()
        for _ in range(chance.randrange(4)):
            if not state.is_terminal():
                state.apply_action(chance.choice(state.legal_actions()))
        if not state.is_terminal():
            found.append(state)
    return found


def _microseconds(call: Callable[[], Any], count: int) -> float:
    began = time.process_time()
    call()
    return 1e6 * (time.process_time() - began) / count


def round_of(states: list[Any]) -> dict[str, float]:
    """Return the microseconds a call of each kind, on some states."""
    many = [state for state in states for _ in range(COPIES)]
    found = {"legal_actions": _microseconds(lambda: [state.legal_actions() for state in many], len(many))}
    copies: list[Any] = []
    found["clone"] = _microseconds(lambda: copies.extend(state.clone() for state in many), len(many))
    moves = [(state, state.legal_actions()[0]) for state in copies]
    found["apply_action"] = _microseconds(lambda: [state.apply_action(action) for state, action in moves], len(many))
    return found


def _playouts(game: Any, count: int, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(count):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))


def main() -> None:
    """Print the table."""
    table = []
    for piles in BOARDS:
        text = ";".join(map(str, piles))
        games = {
            "sgai": load_game(f"sgai_nim(piles=[{text}])"),
            "minimal": _made("minimal", piles, _MinimalNim),
            "nothing": _made("nothing", piles, _Nothing),
            "C++": pyspiel.load_game(f"nim(pile_sizes={text})"),
        }
        states = {name: _states(game, STATES) for name, game in games.items()}
        rounds: dict[str, dict[str, list[float]]] = {name: {} for name in games}
        for seed in range(ROUNDS):
            for name, game in games.items():
                times = round_of(states[name])
                if name != "nothing":
                    times["playout"] = _microseconds(lambda game=game, seed=seed: _playouts(game, 10, seed), 10)  # type: ignore[misc]
                for what, microseconds in times.items():
                    rounds[name].setdefault(what, []).append(microseconds)
        for what, ours in rounds["sgai"].items():
            least = {name: min(times[what]) for name, times in rounds.items() if what in times}
            ratio = statistics.median(a / b for a, b in zip(ours, rounds["minimal"][what], strict=True))
            floor = f"{least['nothing'] / least['sgai']:.0%}" if "nothing" in least else ""
            shown = [f"{least[name]:.2f}" if name in least else "" for name in games]
            table.append([text, what, *shown, f"{ratio:.2f}", floor])
    headers = ["piles", "us a call", *("sgai", "minimal", "nothing", "C++"), "sgai / minimal", "of it OpenSpiel's own"]
    print(tabulate(table, headers=headers, stralign="right", disable_numparse=True))


if __name__ == "__main__":
    main()
