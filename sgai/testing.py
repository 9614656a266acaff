"""The conformance suite of rulesets: run it on your own ruleset before you trust it.

Subclass `RulesetConformance` in a test module and pytest collects its tests, or call `check_ruleset` anywhere.
"""

import copy
import dataclasses
import itertools
import pickle
import random
from collections.abc import Iterator
from typing import Any, ClassVar
from xml.etree import ElementTree

from sgai.audit import check_position
from sgai.budget import Budget
from sgai.decomposition import Lifter, decompose
from sgai.errors import SgaiError
from sgai.reference import TooManyCalls, reference_grundy, reference_loopy
from sgai.registry import load_ruleset
from sgai.ruleset import Ruleset
from sgai.solver import Solver

AnyRuleset = Ruleset[Any, Any]

_MOST_MOVES = 300  # positions with more moves are looked at only up to here


def random_positions(ruleset: AnyRuleset, count: int, seed: int) -> Iterator[Any]:
    """Yield positions of random plays from the start, the start among them.

    Parameters
    ----------
    ruleset : Ruleset
        Whose positions.
    count : int
        How many; positions may repeat.
    seed : int
        Equal seeds give equal positions.
    """
    chance = random.Random(seed)
    position = ruleset.initial()
    for _ in range(count):
        yield position
        options = _some_moves(ruleset, position)
        position = chance.choice(options)[1] if options else ruleset.initial()


def random_small_position(ruleset: AnyRuleset, seed: int, max_calls: int = 5_000) -> tuple[Any, int]:
    """Return a random position that the reference solver can judge, and the value that it finds.

    A random play from the start is followed until so few calls are enough.
    """
    chance = random.Random(seed)
    position = ruleset.initial()
    for _ in range(chance.randrange(4)):
        options = _some_moves(ruleset, position)
        if options:
            position = chance.choice(options)[1]
    while True:
        try:
            return position, reference_grundy(ruleset, position, max_calls)
        except TooManyCalls:
            position = chance.choice(_some_moves(ruleset, position))[1]


class RulesetConformance:
    """Tests that every ruleset passes; set ``ruleset``, and the sizes below if the defaults are too slow.

    Examples
    --------
    A test module of yours might hold::

        class TestMyGame(sgai.testing.RulesetConformance):
            ruleset = MyGame(height=3)
    """

    ruleset: ClassVar[AnyRuleset | str]
    positions: ClassVar[int] = 60
    judged: ClassVar[int] = 40
    seed: ClassVar[int] = 0

    def _loaded(self) -> AnyRuleset:
        return load_ruleset(self.ruleset)

    def _positions(self) -> Iterator[Any]:
        return random_positions(self._loaded(), self.positions, self.seed)

    def test_rules_are_values(self) -> None:
        """Equal parameters mean equal, equally hashed rulesets; copies and pickles are equal; nothing can be set."""
        ruleset = self._loaded()
        again = type(ruleset)(**ruleset.arguments())
        for other in (again, copy.copy(ruleset), copy.deepcopy(ruleset), pickle.loads(pickle.dumps(ruleset))):
            assert other == ruleset, f"{other!r} != {ruleset!r}"
            assert hash(other) == hash(ruleset)
        assert ruleset.rules().rules() is ruleset.rules()
        if ruleset.name and _is_registered(ruleset):
            assert load_ruleset(str(ruleset)) == ruleset, f"{str(ruleset)!r} does not give the ruleset back"
        for name in ruleset.parameters():
            try:
                setattr(ruleset, name, None)
            except dataclasses.FrozenInstanceError:
                continue
            raise AssertionError(f"parameter {name!r} can be set")

    def test_positions_are_immutable_values(self) -> None:
        """Positions are hashable and equal to their copies, and making moves changes none of them."""
        ruleset = self._loaded()
        for position in self._positions():
            before = (hash(position), repr(position))
            twin = copy.deepcopy(position)
            assert twin == position
            assert hash(twin) == before[0]
            _some_moves(ruleset, position)
            ruleset.components(position)
            ruleset.canonical(position)
            ruleset.format(position)
            assert (hash(position), repr(position)) == before, f"{position!r} was changed"

    def test_text_round_trips(self) -> None:
        """``parse`` is the inverse of ``format``, and bad text is a clear error."""
        ruleset = self._loaded()
        for position in self._positions():
            text = ruleset.format(position)
            assert ruleset.parse(text) == position, f"{text!r} is read as {ruleset.parse(text)!r}"
        try:
            ruleset.parse("\0 no position")
        except SgaiError:
            return
        raise AssertionError("nonsense is read as a position without an error")

    def test_moves_and_options_agree(self) -> None:
        """Moves are different, have different texts, come again the same, and `apply` makes them."""
        ruleset = self._loaded()
        for position in self._positions():
            moves = _some_moves(ruleset, position)
            assert moves == _some_moves(ruleset, position), "moves come in another order the second time"
            assert len({move for move, _ in moves}) == len(moves), f"moves repeat in {position!r}"
            texts = {ruleset.format_move(position, move) for move, _ in moves}
            assert len(texts) == len(moves), f"moves of {position!r} have equal texts"
            for move, option in moves:
                assert ruleset.validate(option) == option, f"{option!r} is not in normal form"
                assert ruleset.apply(position, move) == option
                assert ruleset.parse_move(position, ruleset.format_move(position, move)) == move
            if len(moves) < _MOST_MOVES:
                assert ruleset.options(position) == [option for _, option in moves]
            try:
                ruleset.apply(position, "no move at all")
            except SgaiError:
                continue
            raise AssertionError("an illegal move is made without an error")

    def test_components_are_independent(self) -> None:
        """A position's options are the options of its components, each beside the other components unchanged."""
        ruleset = self._loaded()
        for position in self._positions():
            moves = _some_moves(ruleset, position)
            if len(moves) >= _MOST_MOVES:
                continue
            whole = decompose(ruleset, position)
            for part in whole:
                normal = part.ruleset.validate(part.position)
                assert normal == part.position, f"component {part.position!r} should be written {normal!r}"
            broken = check_position(ruleset, position, max_calls=0)
            assert broken is None, str(broken)
            lifter = Lifter(ruleset, position)
            if all(lifter.can_lift(part.path) for part in whole):
                lifted = {lifter.lift(p.path, move) for p in whole for move, _ in p.ruleset.moves(p.position)}
                assert lifted == {move for move, _ in moves}, "lifted moves are not the moves of the whole"

    def test_approximate_components_are_positions(self) -> None:
        """Components that are only a prior are positions of their rulesets, in normal form."""
        ruleset = self._loaded()
        for position in self._positions():
            for part in ruleset.approximate_components(position):
                normal = part.ruleset.validate(part.position)
                assert normal == part.position, f"component {part.position!r} should be written {normal!r}"

    def test_canonical_form_keeps_the_tree(self) -> None:
        """The canonical form has the options of the position, up to canonical form, and is its own."""
        ruleset = self._loaded()
        for position in self._positions():
            form = ruleset.canonical(position)
            assert ruleset.canonical(form) == form
            if form == position or len(_some_moves(ruleset, position)) >= _MOST_MOVES:
                continue
            here = {ruleset.canonical(option) for option in ruleset.options(position)}
            there = {ruleset.canonical(option) for option in ruleset.options(form)}
            assert here == there, f"{ruleset.format(form)} has other options than {ruleset.format(position)}"

    def test_play_ends(self) -> None:
        """Random plays end within ``max_game_length``, unless the ruleset is declared loopy."""
        ruleset = self._loaded()
        if ruleset.loopy:
            return
        bound = ruleset.max_game_length()
        for seed in range(10):
            chance = random.Random(seed)
            position = ruleset.initial()
            for length in itertools.count():
                options = _some_moves(ruleset, position)
                if not options:
                    break
                assert length < bound, f"a play is longer than max_game_length(), {bound}"
                position = chance.choice(options)[1]

    def test_move_alphabet_is_a_bijection(self) -> None:
        """Legal moves have different indices below ``num_moves``, and each index gives its move back."""
        ruleset = self._loaded()
        count = ruleset.num_moves()
        for position in self._positions():
            indices = set()
            for move, _ in _some_moves(ruleset, position):
                index = ruleset.move_index(move)
                assert 0 <= index < count, f"move {move!r} has index {index}, but there are {count} moves"
                assert ruleset.move_from_index(index) == move
                indices.add(index)
            assert len(indices) == len(_some_moves(ruleset, position)), "two legal moves share an index"
        for index in (-1, count):
            try:
                ruleset.move_from_index(index)
            except SgaiError:
                continue
            raise AssertionError(f"index {index} is out of range, but gives a move")

    def test_tensor_has_its_shape(self) -> None:
        """`encode` gives float32 numbers of ``tensor_shape``."""
        ruleset = self._loaded()
        for position in self._positions():
            tensor = ruleset.encode(position)
            assert tensor.shape == ruleset.tensor_shape()
            assert tensor.dtype == "float32"

    def test_drawings(self) -> None:
        """The text drawing is not empty, and the SVG is well-formed XML."""
        ruleset = self._loaded()
        for position in itertools.islice(self._positions(), 10):
            assert ruleset.draw_text(position).strip()
            assert ElementTree.fromstring(ruleset.draw_svg(position)).tag.endswith("svg")

    def test_solver_agrees_with_the_reference(self) -> None:
        """The solver's value is that of the naive definition on random small positions, and so are its moves."""
        ruleset = self._loaded()
        if ruleset.loopy:
            return
        solver = Solver()
        for seed in range(self.seed, self.seed + self.judged):
            position, value = random_small_position(ruleset, seed)
            assert solver.grundy(ruleset, position, Budget()) == value, ruleset.format(position)
            winning = {each.move for each in solver.winning_moves(ruleset, position)}
            judged = {move for move, option in ruleset.moves(position) if reference_grundy(ruleset, option) == 0}
            assert winning == judged, f"winning moves of {ruleset.format(position)}"

    def test_loopy_values_agree_with_the_reference(self) -> None:
        """In loopy games the solver's values are those that sums with nim-heaps show by retrograde analysis."""
        ruleset = self._loaded()
        if not ruleset.loopy:
            return
        solver = Solver()
        for position in itertools.islice(self._positions(), self.judged):
            try:
                judged = reference_loopy(ruleset, position)
            except TooManyCalls:
                continue
            solution = solver.solve(ruleset, position)
            value = solution.loopy_value
            assert value is not None, f"{ruleset.format(position)} is not solved"
            assert (value.finite, value.options) == judged, f"loopy value of {ruleset.format(position)}"
            after = {move: reference_loopy(ruleset, option) for move, option in ruleset.moves(position)}
            winning = {move for move, (finite, _) in after.items() if finite == 0}
            assert {each.move for each in solution.winning_moves} == winning, ruleset.format(position)
            drawing = {move for move, (finite, options) in after.items() if finite is None and 0 not in options}
            drawing = drawing if solution.outcome == "D" else set()
            assert {each.move for each in solution.drawing_moves} == drawing, ruleset.format(position)

    def test_closed_forms_agree_with_the_reference(self) -> None:
        """Where theorems give values and outcomes without search, they are those of the naive definition."""
        ruleset = self._loaded()
        if ruleset.loopy:
            return
        for seed in range(self.seed, self.seed + self.judged):
            position, value = random_small_position(ruleset, seed)
            shown = ruleset.format(position)
            assert ruleset.proved_grundy(position) in (None, value), f"value of {shown}"
            assert ruleset.proved_outcome(position) in (None, "N" if value else "P"), f"outcome of {shown}"
            winning = ruleset.proved_winning_moves(position)
            if winning is not None:
                named = list(winning)
                judged = {move for move, option in ruleset.moves(position) if reference_grundy(ruleset, option) == 0}
                assert len(named) == len(judged), f"winning moves of {shown}"
                assert set(named) == judged, f"winning moves of {shown}"


def check_ruleset(ruleset: AnyRuleset | str) -> None:
    """Run all conformance tests on a ruleset.

    Raises
    ------
    AssertionError
        At the first one that fails, saying what is wrong.

    Examples
    --------
    >>> check_ruleset("nim(piles=[1;2;3])")
    """

    class Checked(RulesetConformance):
        pass

    Checked.ruleset = load_ruleset(ruleset)
    for name in dir(Checked):
        if name.startswith("test_"):
            getattr(Checked(), name)()


def _some_moves(ruleset: AnyRuleset, position: Any) -> list[tuple[Any, Any]]:
    return list(itertools.islice(ruleset.moves(position), _MOST_MOVES))


def _is_registered(ruleset: AnyRuleset) -> bool:
    try:
        return type(load_ruleset(ruleset.name)) is type(ruleset)
    except SgaiError:
        return False
