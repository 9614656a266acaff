"""Coin-turning games: published values of heads, and the theorem against the definition."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sgai
from sgai.nimbers import mex, nim_sum
from sgai.reference import reference_grundy
from sgai.rulesets.coin_turning import CoinTurning, MockTurtles, Ruler, TurningTurtles, read_coins

GAMES = [TurningTurtles(), MockTurtles(), Ruler()]


class Motley(CoinTurning):
    """Turn any coins, the rightmost from heads to tails."""

    name = "motley"

    def turning_sets(self, last):
        return range(1 << (last - 1), 1 << last)


class Twins(CoinTurning):
    """Turn exactly two coins."""

    name = "twins"

    def turning_sets(self, last):
        return (1 << (last - 1) | 1 << other for other in range(last - 1))


class Rulerette(Ruler):
    """Turn two or more neighbouring coins: the formula of Ruler is no longer true."""

    name = "rulerette"

    def turning_sets(self, last):
        return (turned for turned in super().turning_sets(last) if turned.bit_count() > 1)


def values_by_definition(game, coins):
    """The Grundy values of all rows of so many coins: a move leads to a smaller mask."""
    values = []
    for position in range(1 << coins):
        values.append(mex(values[option] for option in game.options(position)))
    return values


@pytest.mark.parametrize("game", [*GAMES, Motley(), Twins(), Rulerette()], ids=lambda game: game.name)
def test_values_of_all_rows_of_eight_coins(game):
    values = values_by_definition(game, 8)
    assert [game.proved_grundy(position) for position in range(256)] == values
    for position in range(256):
        winning = [move for move, option in game.moves(position) if values[option] == 0]
        assert sorted(game.proved_winning_moves(position)) == sorted(winning)


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(GAMES), st.integers(0, 15))
def test_values_agree_with_the_reference(game, position):
    assert game.proved_grundy(position) == reference_grundy(game, position)


def test_mock_turtles_have_odious_values():
    """Winning Ways, chapter 14; the first ones as the OEIS has them in A000069, the odious numbers."""
    expected = [1, 2, 4, 7, 8, 11, 13, 14, 16, 19, 21, 22, 25, 26, 28, 31, 32]
    assert [MockTurtles().head_value(place) for place in range(1, 18)] == expected
    odious = [number for number in range(200) if number.bit_count() % 2]
    assert [MockTurtles().head_value(place) for place in range(1, 101)] == odious


@pytest.mark.parametrize(
    ("game", "formula"),
    [
        (TurningTurtles(), lambda place: place),  # Winning Ways, chapter 14; Ferguson, Game Theory, part I, section 2
        (Ruler(), lambda place: max(2**k for k in range(8) if place % 2**k == 0)),  # the same; OEIS A006519
        (MockTurtles(), lambda place: MockTurtles().closed_head(place)),
        (Motley(), lambda place: 2 ** (place - 1)),  # Winning Ways, chapter 14
        (Twins(), lambda place: place - 1),  # the same: turning turtles with a 0 before them
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_heads_have_the_mex_of_their_turning_sets(game, formula):
    values = [0]
    for place in range(1, 13):
        others = [turned ^ 1 << (place - 1) for turned in game.turning_sets(place)]
        values.append(mex(nim_sum(v for i, v in enumerate(values[1:]) if rest >> i & 1) for rest in others))
        assert game.head_value(place) == values[place] == formula(place)


def test_hoeys_row_of_ruler():
    """D. Hoey in sci.math, 22 February 1997: this row is won by turning the coins 7 to 11, or 1 to 13."""
    game = Ruler(coins="TTTTHTTHTHHTHTT")
    start = game.initial()
    for text, left in [("7..11", "TTTTHTHTHTTTHTT"), ("1..13", "")]:
        option = game.apply(start, game.parse_move(start, text))
        assert game.proved_grundy(option) == 0
        assert not left or game.format(option) == left
    assert game.proved_outcome(start) == "N"


def test_rows_of_turning_turtles():
    """A row lost by the first player (hihoCoder, problem 1172), and a move read as one in Nim (Stack Exchange)."""
    assert TurningTurtles().proved_outcome(read_coins("HHTHTTHT")) == "P"
    game = TurningTurtles(coins="HTTHTTHTHT")
    start = game.initial()
    assert game.proved_grundy(start) == 1 ^ 4 ^ 7 ^ 9
    option = game.apply(start, game.parse_move(start, "2+7"))
    assert game.format(option) == "HHTHTTTTHT"
    assert game.proved_grundy(option) == 1 ^ 2 ^ 4 ^ 9


def test_long_rows_need_no_search():
    coins = 5_000
    row = (1 << coins) - 1
    assert TurningTurtles().proved_grundy(row) == nim_sum(range(1, coins + 1))
    assert Ruler().proved_grundy(row) == nim_sum(place & -place for place in range(1, coins + 1))


def test_the_longest_play():
    """Ruler can count down in binary; a turtle in place n can walk down step by step."""
    assert Ruler(coins="HHHHHH").max_game_length() == Ruler(coins="HHHHHH").reachable().longest_play == 63
    assert TurningTurtles(coins="TTTTTH").max_game_length() == 6
    assert TurningTurtles(coins="TTTTTH").reachable().longest_play == 6
    assert Twins(coins="HTTT").max_game_length() == 0


def test_moves_are_written_by_their_coins():
    game = MockTurtles(coins="HHHHH")
    texts = {game.format_move(0, game.move_from_index(index)) for index in range(game.num_moves())}
    assert len(texts) == game.num_moves() == 5 + 10 + 10
    assert {"3", "1+3", "2+3", "1..3", "1+2+4", "3..5"} <= texts


def test_a_formula_is_not_believed_for_other_rules():
    class Slow(TurningTurtles):
        """Turtles that turn alone."""

        name = "slow"

        def moves(self, position):
            return ((turned, option) for turned, option in super().moves(position) if turned.bit_count() == 1)

    assert Slow().proved_grundy(0b110) is None
    assert Rulerette().head_value(2) == 1  # by the mex; Ruler's formula says 2


def test_a_wrong_turning_set_is_an_error():
    class Wrong(CoinTurning):
        """The rightmost coin is not the one it should be."""

        name = "wrong"

        def turning_sets(self, last):
            yield 1 << last

    with pytest.raises(sgai.SgaiError, match="the rightmost one should be 1"):
        list(Wrong().moves(1))


@pytest.mark.parametrize("text", ["", "HTX", "ht", "H;T", "[]"])
def test_bad_rows_are_errors(text):
    with pytest.raises(sgai.SgaiError, match="not a row of coins"):
        Ruler().parse(text)
    with pytest.raises(sgai.SgaiError, match="coins="):
        Ruler(coins=text)


def test_bad_positions_and_moves_are_errors():
    game = Ruler(coins="HHH")
    for position in (-1, "H", None, True):
        with pytest.raises(sgai.SgaiError, match="not a position"):
            game.validate(position)
    for move in (0, 5, -1, True, None, 1 << 3):
        with pytest.raises(sgai.SgaiError):
            game.move_index(move)
    with pytest.raises(sgai.SgaiError, match="there is no coin 5"):
        game.encode(0b10000)


def test_too_many_moves_are_an_error():
    class Few(TurningTurtles):
        """Turtles that list few moves."""

        name = "few"
        largest_alphabet = 10

    assert Few(coins="HHHH").num_moves() == 10
    with pytest.raises(sgai.SgaiError, match="more than 10 different moves with 5 coins of 6"):
        Few(coins="HHHHHH").num_moves()


def test_drawings():
    assert Ruler().draw_text(read_coins("HTTHT")) == "H T T H T\n1 2 3 4 5"
    assert TurningTurtles(coins="H" * 99).draw_text(1) == "H" + "T" * 98
