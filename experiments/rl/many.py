"""Many players judged on the same positions, over the workers of an engine."""

import contextlib
import pickle
from collections.abc import Callable, Sequence
from typing import Any

from sgai.errors import SgaiError, shortened
from sgai.experiments.engines import Engine, Outcome, Task, make_engine
from sgai.experiments.rl.evaluation import Evaluation, TestSet, Watch, evaluate
from sgai.experiments.rl.players import portable
from sgai.experiments.rl.saved import SavedLearners


class EvaluationInterrupted(Exception):
    """Ctrl-C in evaluations; ``evaluations`` are those that were through."""

    def __init__(self, evaluations: list[Evaluation]) -> None:
        super().__init__("the evaluation was interrupted")
        self.evaluations = evaluations


class EvaluationFailed(SgaiError):
    """Some players could not be judged; ``evaluations`` are those of the others."""

    def __init__(self, message: str, evaluations: list[Evaluation]) -> None:
        super().__init__(message)
        self.evaluations = evaluations


def evaluate_all(
    subjects: Sequence[Any],
    tests: TestSet,
    *,
    games: int = 50,
    seed: int = 0,
    names: Sequence[str] | None = None,
    engine: Engine | None = None,
    watch: Watch | None = None,
    on_found: Callable[[list[Evaluation]], None] | None = None,
) -> list[Evaluation]:
    """Judge players on labelled positions and in games, each as `evaluate` does.

    Parameters
    ----------
    subjects : sequence
        Of what `as_player` takes. Workers get text as it is, the content of a training run's folder, and of other
        things a pickle.
    tests : TestSet
        The positions.
    games : int
        Won positions to play from, against perfect and against random play.
    seed : int
        Of the games, and of what each player leaves to chance.
    names : sequence of str, optional
        For tables, one for each player.
    engine : Engine, optional
        What runs the players, each as one task; by default this process, one after the other. The answers are the same,
        times aside.
    watch : callable, optional
        Called with the number of positions and games done since the last call.
    on_found : callable, optional
        Called when a player is through, with all that are, in their order.

    Returns
    -------
    list of Evaluation
        In the order of the players, whatever the order in which they ended.

    Raises
    ------
    SgaiError
        Before anything is done: for text that names nobody, or what cannot be sent to workers.
    EvaluationFailed
        After the others are through, if players could not be judged; the message names them.
    EvaluationInterrupted
        On Ctrl-C.

    Examples
    --------
    >>> from sgai.experiments.rl.evaluation import make_test_set
    >>> tests = make_test_set("sgai_nim(piles=[3;4;5])", 100, seed=1)
    >>> [(each.agent, round(each.whole.policy.share, 3)) for each in evaluate_all(["exact", "random"], tests, games=5)]
    [('exact', 1.0), ('random', 0.289)]
    """
    if names is not None and len(names) != len(subjects):
        raise SgaiError(f"names={list(names)}: there are {len(subjects)} players; give one name for each")
    sent = [portable(each, tests.game) for each in subjects]
    # What a training run's folder holds has lost its name; others are named as `evaluate` does.
    given: list[str | None] = [
        each if isinstance(to, SavedLearners) else None for each, to in zip(subjects, sent, strict=True)
    ]
    known = names or [
        each if isinstance(each, str) else getattr(each, "__name__", type(each).__name__) for each in subjects
    ]
    found: dict[int, Evaluation] = {}
    failed: dict[int, str] = {}

    def through() -> list[Evaluation]:
        return [found[place] for place in sorted(found)]

    with contextlib.ExitStack() as ends:
        if engine is None:
            engine = ends.enter_context(make_engine("serial"))
        is_here = engine.has_one_process
        if not is_here:
            _check_pickles(sent, known)
        outcomes = engine.run(
            Task(place, _evaluated, (each, tests, games, seed, name, watch if is_here else None))
            for place, (each, name) in enumerate(zip(sent, names or given, strict=True))
        )
        try:
            for outcome in outcomes:
                result = _result(outcome)
                if isinstance(result, str):
                    name = known[outcome.index]
                    failed[outcome.index] = result if name in result else f"{name}: {result}"
                    continue
                found[outcome.index] = result
                if watch is not None and not is_here:
                    watch(len(tests.positions) + min(games, len(tests.won)))
                if on_found is not None:
                    on_found(through())
        except KeyboardInterrupt:
            raise EvaluationInterrupted(through()) from None
        finally:
            outcomes.close()
    if failed:
        raise EvaluationFailed("; ".join(failed[place] for place in sorted(failed)), through())
    return through()


def _evaluated(
    subject: Any, tests: TestSet, games: int, seed: int, name: str | None, watch: Watch | None
) -> Evaluation | str:
    """Return what was found of a player, or why nothing could be."""
    try:
        return evaluate(subject, tests, games=games, seed=seed, name=name, watch=watch)
    except SgaiError as error:
        return str(error)


def _result(outcome: Outcome) -> Evaluation | str:
    if outcome.kind != "done":
        return f"{outcome.kind}: {outcome.reason}"
    found: Evaluation | str = outcome.value
    return found


def _check_pickles(subjects: Sequence[Any], names: Sequence[str]) -> None:
    for subject, name in zip(subjects, names, strict=True):
        try:
            pickle.dumps(subject)
        except Exception as error:  # a user's object may raise anything
            raise SgaiError(
                f"{name} cannot be sent to workers ({shortened(f'{type(error).__name__}: {error}')}); give text such "
                "as module:attribute, or leave the engine out"
            ) from None
