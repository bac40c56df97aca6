"""JSON in replies of language models: inside fences and prose, with wrong quotes, commas and brackets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

LONGEST_REPLY = 100_000
"""Characters of a reply that are read; about twenty times the longest answer that a prompt requests."""
LONGEST_REPAIRED = 8_000
"""Characters of all values of a reply that are repaired.

The time of json-repair 0.64 grows with the square of the length and with the depth; at these limits the
slowest reply found takes 1.4 s of processor time. A limit of each value left 13 s for a reply of eight.
"""
DEEPEST = 16
MOST_STARTS = 60
"""Brackets at which a value is searched; after so many broken ones there is no usable answer."""
_BRACKET = re.compile(r"[{}\[\]]")


def values_in(text: str) -> Iterator[Any]:
    """Yield the objects and lists in a reply, outermost first, in their order.

    Strict JSON is read as such; what is not is repaired by json-repair, within limits of length and depth.

    Args:
        text: Any text; only its first ``LONGEST_REPLY`` characters are read.
    """
    text = text[:LONGEST_REPLY]
    index, left = 0, LONGEST_REPAIRED
    for _ in range(MOST_STARTS):
        start = _next_opening(text, index)
        if start is None:
            return
        value, index = _strict_at(text, start)
        if value is None and (end := _end_of(text, start)) is not None and end - start <= left:
            left -= end - start
            value, index = _repaired(text, start, end)
        # Any stray bracket in prose is read as an empty object.
        if value:
            yield value


def _next_opening(text: str, index: int) -> int | None:
    return next((found.start() for found in _BRACKET.finditer(text, index) if found[0] in "{["), None)


def _strict_at(text: str, start: int) -> tuple[Any, int]:
    """Return the value that begins at a bracket, None if there is none, and the position to continue."""
    try:
        return _STRICT.raw_decode(text, start)
    # Values that are nested too deeply, or numbers of thousands of digits, are no usable answer either.
    except (ValueError, RecursionError):
        return None, start + 1


def _repaired(text: str, start: int, end: int) -> tuple[Any, int]:
    from json_repair import repair_json

    try:
        value = repair_json(text[start:end], return_objects=True, skip_json_loads=True)
    except Exception:  # noqa: BLE001 - which errors it raises on which text is not documented
        return None, start + 1
    return (value, end) if isinstance(value, dict | list) and value else (None, start + 1)


def _end_of(text: str, start: int) -> int | None:
    """Return the position of the closing bracket, or the end of the text; None if nested too deeply."""
    depth = 0
    for found in _BRACKET.finditer(text, start):
        depth += 1 if found[0] in "{[" else -1
        if depth > DEEPEST:
            return None
        if depth == 0:
            return found.end()
    return len(text)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


# Not strict about line ends inside strings, which models do not escape.
_STRICT = json.JSONDecoder(strict=False, parse_constant=_refuse_constant)
