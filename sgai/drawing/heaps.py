"""Drawings of heap games: a row of tokens for every heap."""

from typing import Any

from sgai.drawing.picture import TOKEN, Picture

_MOST_TOKENS, _MOST_HEAPS = 30, 60


def heaps_text(_ruleset: Any, position: tuple[int, ...]) -> str:
    """Return one line a heap: its size and its tokens."""
    if not position:
        return "(no heaps)"
    wide = len(str(position[-1]))
    lines = []
    for heap in position[:_MOST_HEAPS]:
        tokens = " ".join("o" * min(heap, _MOST_TOKENS)) + (" ..." if heap > _MOST_TOKENS else "")
        lines.append(f"{heap:>{wide}} | {tokens}")
    if len(position) > _MOST_HEAPS:
        lines.append(f"... and {len(position) - _MOST_HEAPS} more heaps")
    return "\n".join(lines)


def heaps_picture(_ruleset: Any, position: tuple[int, ...]) -> Picture:
    """Return one row of discs a heap; large heaps are a bar with their size."""
    picture = Picture()
    if not position:
        picture.text(10, 20, "no heaps", anchor="start")
        return picture
    indent = 14 + 9 * len(str(position[-1]))
    for row, heap in enumerate(position[:_MOST_HEAPS]):
        y = 16 + 24 * row
        picture.text(10, y + 5, str(heap), anchor="start")
        if heap > _MOST_TOKENS:
            picture.rectangle(indent + 6, y - 9, 20 * _MOST_TOKENS, 18, fill=TOKEN)
            continue
        for token in range(heap):
            picture.circle(indent + 16 + 20 * token, y, 8)
    if len(position) > _MOST_HEAPS:
        picture.text(10, 16 + 24 * _MOST_HEAPS, f"and {len(position) - _MOST_HEAPS} more heaps", anchor="start")
    return picture
