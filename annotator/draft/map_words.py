"""Words of questions about top-view maps: parts of the map, directions, numbers, lists."""

from __future__ import annotations

from collections.abc import Sequence

PARTS = (
    ("upper left", "upper middle", "upper right"),
    ("middle left", "centre", "middle right"),
    ("lower left", "lower middle", "lower right"),
)
"""Names of the nine parts of a map, by row and column."""
WINDS = ("above", "upper right", "right", "lower right", "below", "lower left", "left", "upper left")
"""Directions on a map in steps of 45 degrees, clockwise from the top."""
COUNTS = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10")
_SIDES = ("up", "right", "down", "left")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def heading_text(hour: int) -> str:
    """Return a direction on the map, in steps of 30 degrees clockwise from the top.

    Args:
        hour: Number of the step, 0 to 11.

    Returns:
        For instance ``up, a little right``.
    """
    # Moved by one step, so that the three steps around a side share a quotient.
    main, rest = divmod(hour + 1, 3)
    near = {0: -1, 1: 0, 2: 1}[rest]
    text = _SIDES[main % 4]
    return f"{text}, a little {_SIDES[(main + near) % 4]}" if near else text


def listed(words: Sequence[str]) -> str:
    """Return words as a list: ``bedroom, kitchen and study``."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def ordinal(number: int, *, of: int) -> str:
    """Return which one of several something is, in words: ``only``, ``first``, ``second``.

    Args:
        number: From 1.
        of: How many there are, at most ten.
    """
    return "only" if of == 1 else _ORDINALS[number - 1]


def plural(word: str) -> str:
    """Return the plural of a kind of room: ``studies``."""
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "ch", "sh")) else f"{word}s"
