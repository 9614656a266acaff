"""Whether an OpenSpiel game is an impartial combinatorial game."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import pyspiel

from sgai.budget import Budget
from sgai.envs.bridge import own_bridge
from sgai.envs.classification.answer import DECLARED, NO, PROVED, SAMPLED, UNKNOWN, YES, Classification
from sgai.envs.classification.checks import Against
from sgai.envs.classification.declared import against_by_plays, declared
from sgai.envs.classification.exhausting import exhaust
from sgai.envs.classification.playouts import against_by_playouts
from sgai.envs.game_types import check_is_game, is_written_in_python, misfits
from sgai.envs.loading import load_game
from sgai.envs.position_key import find_key
from sgai.errors import SgaiError, quote

DEFAULT_STATES, DEFAULT_SECONDS = 100_000, 10.0

_SAME_RULES = ("cached_tree", "misere", "start_at")  # made from a game whose moves they leave alone


def classify(
    game: Any,
    *,
    position: Callable[[Any], Hashable] | None = None,
    states: int = DEFAULT_STATES,
    seconds: float | None = DEFAULT_SECONDS,
) -> Classification:
    """Tell whether an OpenSpiel game is an impartial combinatorial game, with the reason and the evidence.

    Such a game has two players who take turns, see everything and leave nothing to chance; a position's options do
    not depend on who is to move; play always ends; and who moves last always wins (normal play) or always loses
    (misere play), with no draw and no score. The answer is about play from the game's start.

    Parameters
    ----------
    game : pyspiel.Game or str
        A game or its text, such as ``nim(pile_sizes=3;5;7)``.
    position : callable, optional
        From a state to a hashable value: all that affects later moves, without who is to move. By default it is read
        from the state's text, without the phrase that says who is to move.
    states : int
        The most states to look at.
    seconds : float, optional
        The most seconds to take.

    Returns
    -------
    Classification
        "no" is said of a game that declares chance, hidden information or the like, or in which a play is found that
        no impartial game has (a draw; a player moves twice; who moves last wins here and loses there; a position has
        other options for the other player), or that is a well-known game in which each player has their own pieces.
        "yes" is said of games whose rules sgai has, and of those in which all states were compared.

    Raises
    ------
    SgaiError
        For what is no game, an unknown name, or a game that cannot be loaded or played.

    Notes
    -----
    States are only read and copied; the actions made are legal.

    Examples
    --------
    >>> found = classify("nim(pile_sizes=3;5;7,is_misere=false)")
    >>> found.answer, found.play, found.evidence
    ('yes', 'normal', 'proved')
    >>> found = classify("tic_tac_toe")
    >>> found.answer, found.evidence, found.reason
    ('no', 'proved', 'it can end in a draw; besides, each player writes only their own mark')
    """
    budget = Budget(states, seconds)
    if isinstance(game, str):
        game = load(game)
    check_is_game(game)
    try:
        return _classified(game, position, budget)
    except SgaiError:
        raise
    except Exception as error:  # the rules of a user may raise anything
        raise SgaiError(f"{quote(str(game))} cannot be played: {type(error).__name__}: {error}") from error


def load(text: str) -> Any:
    """Load a game, one that OpenSpiel has in Python included.

    Raises
    ------
    SgaiError
        If there is no such game, or it cannot be loaded.
    """
    name = text.partition("(")[0].strip()
    if name not in pyspiel.registered_names() or "python_" in text:
        register_python_games(mean_field="mfg" in text or "mean_field" in text)
    return load_game(text)


def register_python_games(*, mean_field: bool = True) -> None:
    """Register the games that OpenSpiel has in Python, those of mean field games among them; it takes a while."""
    import open_spiel.python.games

    if mean_field:
        import open_spiel.python.mfg.games  # noqa: F401


def _classified(game: Any, position: Callable[[Any], Hashable] | None, budget: Budget) -> Classification:
    def answer(
        word: str, reason: str, evidence: str, play: str | None = None, against: Against | None = None
    ) -> Classification:
        plays = against.plays if against else ()
        return Classification(str(game), word, reason, evidence, play, budget.spent, budget.elapsed(), plays)

    wrong = against_by_type(game)
    if wrong:
        return answer(NO, wrong, PROVED)
    known = _known_rules(game)
    if known is not None:
        return answer(YES, known[0], PROVED, known[1])
    start = game.new_initial_state()
    if start.is_terminal():
        return answer(UNKNOWN, "it is over before it starts", SAMPLED)
    entry = declared(game)

    share = budget.share(0.1)
    if is_written_in_python(game):
        share.states = min(share.states, 1_000)  # the states themselves say more, and take longer
    against = against_by_playouts(game, share).against
    budget.charge(share)
    if against is None and entry is not None:
        against = against_by_plays(game, entry.plays)
    found = None
    if against is None:
        share = budget.share(0.3 if entry else 1.0)
        if entry:  # the answer is known, and only a proof is missing
            share.states = budget.share(0.02).states
        found = exhaust(game, find_key(game, position), share)
        budget.charge(share)
        against = found.against
    if against is not None:
        besides = f"; besides, {entry.reason}" if entry else ""
        return answer(NO, against.reason + besides, PROVED, against=against)
    if entry is not None:
        return answer(NO, entry.reason, DECLARED)
    assert found is not None
    if found.play is not None:
        return answer(YES, f"{found.why}; who moves last always {_WINS[found.play]}", PROVED, found.play)
    return answer(UNKNOWN, f"nothing was found against it, but that proves nothing: {found.why}", SAMPLED)


_WINS = {"normal": "wins", "misere": "loses"}


def is_ruled_out(game: Any) -> str:
    """Return why a game is none, by its type or because it is well known, without playing it; empty if that is open."""
    entry = declared(game)
    return against_by_type(game) or (entry.reason if entry else "")


def against_by_type(game: Any) -> str:
    """Return what of a game's type no impartial game has, in words; empty where there is nothing."""
    kind = _without_caches(game).get_type()
    constant = kind.utility == pyspiel.GameType.Utility.CONSTANT_SUM  # zero-sum but for a constant
    kinds = [each for each in misfits(_without_caches(game)) if not (constant and each.kind == "general_sum")]
    reasons = [each.reason for each in kinds]
    return " and ".join(filter(None, (", ".join(reasons[:-1]), *reasons[-1:])))


def _without_caches(game: Any) -> Any:
    """Return the game without `cached_tree`, which says of every game that its players do not see everything."""
    parameters = {"name": game.get_type().short_name, **game.get_parameters()}
    plain = _plain(parameters)
    if plain == parameters:
        return game
    inner = dict(plain)
    return pyspiel.load_game(inner.pop("name"), inner)


def _plain(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(parameters.get("game"), Mapping):
        return parameters
    inner = _plain(parameters["game"])
    return inner if parameters["name"] == "cached_tree" else {**parameters, "game": inner}


def _known_rules(game: Any) -> tuple[str, str] | None:
    """Return the reason and the convention of a game whose rules sgai has, also where it is made from such a game."""
    name, parameters = game.get_type().short_name, game.get_parameters()
    flips = 0
    while name in _SAME_RULES and isinstance(parameters.get("game"), Mapping):
        flips += name == "misere"
        parameters = dict(parameters["game"])
        name = parameters.pop("name")
    inner = game
    if name != game.get_type().short_name:
        inner = pyspiel.load_game(name, parameters)
    found = own_bridge(inner)
    if found is None:
        return None
    play = found.play if flips % 2 == 0 else {"normal": "misere", "misere": "normal"}[found.play]
    return f"it is {found.ruleset} under {play} play, whose rules sgai has", play
