"""The answer to whether a game is an impartial combinatorial game."""

from dataclasses import dataclass
from typing import Any

from sgai.errors import SgaiError

YES, NO, UNKNOWN = "yes", "no", "unknown"
PROVED, SAMPLED, DECLARED = "proved", "sampled", "declared"


@dataclass(frozen=True)
class Play:
    """A line of play that anyone can play again.

    Attributes
    ----------
    actions : tuple of int
        The actions from the start.
    moves : tuple of str
        The same as the game writes them.
    state : str
        The text of the state that they lead to.
    player : int or None
        Who is to move there; None where the game is over.
    """

    actions: tuple[int, ...]
    moves: tuple[str, ...]
    state: str
    player: int | None

    @classmethod
    def of(cls, state: Any) -> "Play":
        """Return how a state was come to."""
        replayed, moves = state.get_game().new_initial_state(), []
        for action in state.history():
            if action not in replayed.legal_actions():  # OpenSpiel does not check actions itself
                raise SgaiError(f"the history of {str(state)!r} is no play of {state.get_game()}: {state.history()}")
            moves.append(replayed.action_to_string(replayed.current_player(), action))
            replayed.apply_action(action)
        player = None if state.is_terminal() else state.current_player()
        return cls(tuple(state.history()), tuple(moves), str(state), player)


@dataclass(frozen=True)
class Classification:
    """Whether a game is an impartial combinatorial game.

    Attributes
    ----------
    game : str
        The game with its parameters.
    answer : "yes", "no" or "unknown"
        The answer, for play from the game's start.
    play : "normal", "misere" or None
        For "yes": whether who moves last wins or loses.
    reason : str
        Why, in words.
    evidence : "proved", "sampled" or "declared"
        "proved" by what the game declares of itself, by its rules, by all its states or by a counterexample;
        "declared" by a table of well-known games; "sampled" where nothing was found, so that the answer is "unknown".
    states : int
        How many states were looked at.
    seconds : float
        How long that took.
    counterexample : tuple of Play
        For "no": the play, or the two plays, that show it, where there is one.
    """

    game: str
    answer: str
    reason: str
    evidence: str
    play: str | None = None
    states: int = 0
    seconds: float = 0.0
    counterexample: tuple[Play, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the same as JSON takes it."""
        return {
            "game": self.game,
            "answer": self.answer,
            "play": self.play,
            "reason": self.reason,
            "evidence": self.evidence,
            "states": self.states,
            "seconds": self.seconds,
            "counterexample": [
                {"actions": list(each.actions), "moves": list(each.moves), "state": each.state, "player": each.player}
                for each in self.counterexample
            ],
        }
