"""What a match is made of: agents, games, rounds and a seed; and the games that follow from them."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sgai.agents import AgentSpec
from sgai.agents.game_kinds import check_playable
from sgai.envs import load_game
from sgai.errors import SgaiError


@dataclass(frozen=True)
class Pairing:
    """One game to be played: its number, the OpenSpiel game, who moves first and second, and the game's own seed."""

    index: int
    game: str
    agents: tuple[AgentSpec, AgentSpec]
    seed: int


@dataclass(frozen=True)
class MatchSettings:
    """A round robin: every pair of agents plays every game from both sides, so many rounds.

    Examples
    --------
    >>> settings = MatchSettings.parse(["exact", "random"], ["nim"], rounds=2, seed=0)
    >>> [(game.index, str(game.agents[0])) for game in settings.pairings()]
    [(0, 'exact'), (1, 'random'), (2, 'exact'), (3, 'random')]
    """

    agents: tuple[AgentSpec, ...]
    games: tuple[str, ...]
    rounds: int
    seed: int

    @classmethod
    def parse(cls, agents: Sequence[str], games: Sequence[str], rounds: int, seed: int) -> "MatchSettings":
        """Read agents and games, and check that every agent plays every game.

        Raises
        ------
        SgaiError
            For what cannot be read, fewer than two agents, an agent named twice, or one that cannot play a game.
        """
        specs = tuple(AgentSpec.parse(text) for text in agents)
        if len(specs) < 2:
            raise SgaiError(f"a match needs two agents or more; {len(specs)} given: add another --agent")
        for spec in specs:
            if sum(spec.complete() == other.complete() for other in specs) > 1:
                raise SgaiError(f"agent {str(spec)!r} is named twice; a match needs different agents")
        if rounds < 1:
            raise SgaiError(f"rounds={rounds}: a match has 1 round or more")
        if not games:
            raise SgaiError("a match needs a game")
        for game in games:
            loaded = load_game(game)
            check_playable(loaded, ("hidden", "general_sum", "rewards"), use="for a match")
            for spec in specs:
                spec.make(loaded, 0)
        return cls(specs, tuple(games), rounds, seed)

    def pairings(self) -> Iterator[Pairing]:
        """Yield the games in the order of play; each game's seed comes from the match's and its number."""
        index = 0
        for _, game in itertools.product(range(self.rounds), self.games):
            for pair in itertools.combinations(self.agents, 2):
                for first, second in (pair, pair[::-1]):
                    seed = int(np.random.SeedSequence((self.seed, index)).generate_state(1)[0])
                    yield Pairing(index, game, (first, second), seed)
                    index += 1

    def __len__(self) -> int:
        pairs = len(self.agents) * (len(self.agents) - 1) // 2
        return 2 * pairs * len(self.games) * self.rounds
