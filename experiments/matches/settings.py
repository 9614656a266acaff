"""What a match is made of: agents, games, rounds and a seed; and the games that follow from them."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgai.agents.game_kinds import check_playable
from sgai.envs import load_game
from sgai.errors import SgaiError
from sgai.experiments.matches.contestants import Contestant, parse_contestant
from sgai.experiments.matches.openings import KINDS, Openings
from sgai.experiments.matches.sprt import Sprt
from sgai.parameters import check_choice

MOVE_LIMIT = 300.0  # seconds
ORACLE_STATES = 20_000
_OPENINGS = 1  # sets the seeds of openings apart from those of games


@dataclass(frozen=True)
class Rules:
    """How each game is played.

    Attributes
    ----------
    limit : float or None
        Seconds that a bot may take for a move before it forfeits.
    oracle_states : int
        States that the exact solver may evaluate to judge a game's moves, or to adjudicate a position; 0 for neither.
    adjudicate : bool
        Whether a game ends where the exact solver tells who wins.
    """

    limit: float | None = MOVE_LIMIT
    oracle_states: int = ORACLE_STATES
    adjudicate: bool = False


@dataclass(frozen=True)
class Pairing:
    """One game to be played.

    Attributes
    ----------
    index : int
        Its number in the match.
    game : str
        The OpenSpiel game.
    agents : pair of Contestant
        Who moves first and second.
    seed : int
        The game's own.
    opening : tuple of int
        Actions that are made before it begins.
    opening_outcome : "N", "P" or None
        Who wins then, if that is known.
    """

    index: int
    game: str
    agents: tuple[Contestant, Contestant]
    seed: int
    opening: tuple[int, ...] = ()
    opening_outcome: str | None = None


@dataclass(frozen=True)
class MatchSettings:
    """A round robin: every pair of agents plays every game from both sides, so many rounds.

    Attributes
    ----------
    agents : tuple of Contestant
        Who plays.
    games : tuple of str
        OpenSpiel games.
    rounds : int
        How often each pair plays each game from both sides; with ``sprt`` the most.
    seed : int
        Of all that is random.
    rules : Rules
        How each game is played.
    openings : "initial", "balanced" or "random"
        Where games begin; each round has its own opening, the same for all pairs.
    plies : int or None
        The most moves of an opening.
    sprt : Sprt or None
        A test that ends the match as soon as it is decided; of two agents.
    plugins : tuple of str
        Files that register rulesets.

    Examples
    --------
    >>> settings = MatchSettings.parse(["exact", "random"], ["nim"], rounds=2, seed=0)
    >>> [(game.index, str(game.agents[0])) for game in settings.pairings()]
    [(0, 'exact'), (1, 'random'), (2, 'exact'), (3, 'random')]
    """

    agents: tuple[Contestant, ...]
    games: tuple[str, ...]
    rounds: int
    seed: int
    rules: Rules = Rules()
    openings: str = "initial"
    plies: int | None = None
    sprt: Sprt | None = None
    plugins: tuple[str, ...] = ()

    @classmethod
    def parse(
        cls,
        agents: Sequence[str],
        games: Sequence[str],
        rounds: int,
        seed: int,
        *,
        budget: Mapping[str, float] | None = None,
        limit: float | None = MOVE_LIMIT,
        oracle_states: int = ORACLE_STATES,
        adjudicate: bool = False,
        openings: str = "initial",
        plies: int | None = None,
        sprt: str | None = None,
        plugins: Sequence[str] = (),
    ) -> "MatchSettings":
        """Read agents and games, and check that every agent plays every game.

        Parameters
        ----------
        agents, games, rounds, seed, openings, plies, plugins
            As the attributes, as text.
        budget : mapping, optional
            "seconds", "nodes" or "simulations" with a number: for every agent that takes it and has no budget.
        limit, oracle_states, adjudicate
            As of `Rules`.
        sprt : str, optional
            As `Sprt.parse` reads it.

        Raises
        ------
        SgaiError
            For what cannot be read, fewer than two agents, an agent named twice, or one that cannot play a game.
        """
        specs = tuple(parse_contestant(text).with_budget(budget or {}) for text in agents)
        if len(specs) < 2:
            raise SgaiError(f"a match needs two agents or more; {len(specs)} given: add another --agent")
        identities = [spec.identity() for spec in specs]
        for spec in specs:
            if identities.count(spec.identity()) > 1:
                raise SgaiError(f"agent {str(spec)!r} is named twice; a match needs different agents")
        if rounds < 1:
            raise SgaiError(f"rounds={rounds}: a match has 1 round or more")
        if not games:
            raise SgaiError("a match needs a game")
        check_choice("openings", openings, KINDS)
        if plies is not None and plies < 1:
            raise SgaiError(f"plies={plies}: an opening has 1 move or more")
        if limit is not None and limit <= 0:
            raise SgaiError(f"limit={limit}: a move takes a number of seconds above 0")
        if oracle_states < 0 or (adjudicate and not oracle_states):
            raise SgaiError(f"oracle_states={oracle_states}: the exact solver needs 1 state or more to judge by")
        test = None if sprt is None else Sprt.parse(sprt)
        if test is not None and len(specs) != 2:
            raise SgaiError(f"an SPRT compares two agents, not {len(specs)}")
        for game in games:
            loaded = load_game(game)
            check_playable(loaded, ("hidden", "general_sum", "rewards"), use="for a match")
            for spec in specs:
                _check(spec, loaded, limit)
        return cls(
            specs, tuple(games), rounds, seed, Rules(limit, oracle_states, adjudicate), openings, plies, test,
            tuple(plugins),
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain values, from which `from_dict` makes them again."""
        return {
            "seed": self.seed,
            "rounds": self.rounds,
            "agents": [str(agent) for agent in self.agents],
            "games": list(self.games),
            "limit": self.rules.limit,
            "oracle_states": self.rules.oracle_states,
            "adjudicate": self.rules.adjudicate,
            "openings": self.openings,
            "plies": self.plies,
            "sprt": None if self.sprt is None else str(self.sprt),
            "plugins": list(self.plugins),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "MatchSettings":
        """Make settings again."""
        names = ("agents", "games", "rounds", "seed", "limit", "oracle_states", "adjudicate", "openings", "plies")
        return cls.parse(**{name: values[name] for name in (*names, "sprt", "plugins")})

    def pairings(self) -> Iterator[Pairing]:
        """Yield the games in the order of play; each game's seed comes from the match's and its number.

        The two games of a pair, with sides swapped, follow each other: 2k and 2k + 1.
        """
        books = [
            Openings(
                load_game(game),
                self.openings,
                self.plies,
                self.rules.oracle_states,
                (self.seed, _OPENINGS, number),
                number % 2,
            )
            for number, game in enumerate(self.games)
        ]
        index = 0
        for round_, (game, book) in itertools.product(range(self.rounds), zip(self.games, books, strict=True)):
            opening = book.draw(0 if self.openings == "initial" else round_)
            for pair in itertools.combinations(self.agents, 2):
                for first, second in (pair, pair[::-1]):
                    seed = int(np.random.SeedSequence((self.seed, index)).generate_state(1)[0])
                    yield Pairing(index, game, (first, second), seed, opening.actions, opening.outcome)
                    index += 1

    def __len__(self) -> int:
        pairs = len(self.agents) * (len(self.agents) - 1) // 2
        return 2 * pairs * len(self.games) * self.rounds


def _check(spec: Contestant, game: Any, limit: float | None) -> None:
    """Make a bot once, so that what is wrong with it is said before any play."""
    try:
        bot = spec.make_bot(game, 0, 0, limit)
        if hasattr(bot, "restart_at"):
            bot.restart_at(game.new_initial_state())
    except SgaiError:
        raise
    except Exception as error:  # of a user's bot
        raise SgaiError(f"{spec} cannot play {game}: {type(error).__name__}: {error}") from error
