"""Drawings of coins: on the squares of a strip, on the steps of a staircase, and in a row of heads and tails."""

from collections import Counter
from typing import Any

from sgai.drawing.picture import PAPER, TOKEN, Picture

_CELL = 28
_MOST_SQUARES, _MOST_COINS = 40, 12
_MOST_IN_ROW = 60


def strip_text(ruleset: Any, position: tuple[int, ...]) -> str:
    """Return the coins, ``o`` or how many are on the square, above the numbers of the squares."""
    squares = _squares(ruleset, position)
    if squares > _MOST_SQUARES:
        return f"coins on squares {ruleset.format(position)}"
    counts = Counter(position)
    wide = max(len(str(squares - 1)), len(str(max(counts.values(), default=0))))
    shown = {0: ".", 1: "o"}
    coins = " ".join(f"{shown.get(counts[square], counts[square]):>{wide}}" for square in range(squares))
    return f"{coins}\n" + " ".join(f"{square:>{wide}}" for square in range(squares))


def strip_picture(ruleset: Any, position: tuple[int, ...]) -> Picture:
    """Return the strip with a disc for every square that has coins, and their number where it has several."""
    picture = Picture()
    squares = _squares(ruleset, position)
    if squares > _MOST_SQUARES:
        picture.text(10, 20, strip_text(ruleset, position), anchor="start")
        return picture
    counts = Counter(position)
    for square in range(squares):
        x = 10 + _CELL * square
        picture.rectangle(x, 10, _CELL, _CELL, PAPER)
        if counts[square]:
            several = counts[square] > 1
            picture.circle(x + _CELL / 2, 10 + _CELL / 2, 10, PAPER if several else TOKEN)
            if several:
                picture.text(x + _CELL / 2, 10 + _CELL / 2 + 4, str(counts[square]), size=11)
        picture.text(x + _CELL / 2, 24 + _CELL, str(square), size=11)
    return picture


def stairs_text(_ruleset: Any, position: tuple[int, ...]) -> str:
    """Return one line a step, the highest first: its number and its coins."""
    if not position:
        return "(all coins are on the floor)"
    if len(position) > _MOST_SQUARES:
        return f"{sum(position)} coins on {len(position)} steps"
    wide = len(str(len(position)))
    lines = []
    for step in range(len(position), 0, -1):
        count = position[step - 1]
        coins = " ".join("o" * min(count, _MOST_COINS)) + (f" ... ({count})" if count > _MOST_COINS else "")
        lines.append(f"{step:>{wide}} | {coins}".rstrip())
    return "\n".join(lines)


def stairs_picture(ruleset: Any, position: tuple[int, ...]) -> Picture:
    """Return the staircase from the floor up, the coins of each step in a pile on it."""
    picture = Picture()
    if not 0 < len(position) <= _MOST_SQUARES:
        picture.text(10, 20, stairs_text(ruleset, position), anchor="start")
        return picture
    rise, coin = 18, 14
    piles = [min(count, _MOST_COINS) for count in position]
    heights = [rise * step + coin * pile for step, pile in enumerate(piles, 1)]
    floor = 30 + max(heights)
    for step, (count, pile) in enumerate(zip(position, piles, strict=True), 1):
        x, top = 10 + 1.5 * _CELL * (step - 1), floor - rise * step
        picture.rectangle(x, top, 1.5 * _CELL, rise * step, "#e8e8e8")
        for number in range(pile):
            picture.circle(x + 0.75 * _CELL, top - 7 - coin * number, 6)
        if count > _MOST_COINS:
            picture.text(x + 0.75 * _CELL, top - 4 - coin * pile, str(count), size=11)
        picture.text(x + 0.75 * _CELL, floor - 4, str(step), size=11)
    return picture


def row_text(ruleset: Any, position: int) -> str:
    """Return the coins, ``H`` or ``T``, above their places."""
    row = ruleset.format(position)
    if len(row) > _MOST_IN_ROW:
        return str(row)
    wide = len(str(len(row)))
    places = " ".join(f"{place:>{wide}}" for place in range(1, len(row) + 1))
    return " ".join(f"{coin:>{wide}}" for coin in row) + f"\n{places}"


def row_picture(ruleset: Any, position: int) -> Picture:
    """Return a disc for every coin, heads dark and tails white, with its place below."""
    picture = Picture()
    row = ruleset.format(position)
    if len(row) > _MOST_IN_ROW:
        picture.text(10, 20, f"{position.bit_count()} heads among {len(row)} coins", anchor="start")
        return picture
    for place, coin in enumerate(row, 1):
        x = 24 + 32 * (place - 1)
        picture.circle(x, 24, 13, "#8fb4dd" if coin == "H" else PAPER)
        picture.text(x, 29, coin)
        picture.text(x, 52, str(place), size=11)
    return picture


def _squares(ruleset: Any, position: tuple[int, ...]) -> int:
    return int(max(*position, *ruleset.coins, 0, 0)) + 1
