"""What differs between two texts, word by word."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

_TOKEN = re.compile(r"\s*(?:[\u3400-\u9fff]|[^\W\u3400-\u9fff]+|[^\w\s])|\s+")
"""A Chinese character, a word or a sign, each with the white space before it."""
MOST_TOKENS = 4_000
"""Longer texts are compared as a whole: the time of a comparison grows with the square of the length."""


class DiffPart(NamedTuple):
    """A part of two texts.

    Attributes:
        kind: ``same``, ``removed`` from the first text or ``added`` in the second.
        text: The words.
        start: Place of a part of the second text in it, in characters; for a removed part, where it was.
    """

    kind: Literal["same", "removed", "added"]
    text: str
    start: int


def diff_words(before: str, after: str) -> Iterator[DiffPart]:
    """Yield the parts of two texts in order; a replaced part comes as removed, then as added."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    if max(len(old), len(new)) > MOST_TOKENS:
        yield from _replaced(before, after, start=0)
        return
    index = 0
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for kind, first, last, begin, end in matcher.get_opcodes():
        text = "".join(new[begin:end])
        if kind == "equal":
            yield DiffPart("same", text, index)
        else:
            yield from _replaced("".join(old[first:last]), text, start=index)
        index += len(text)


def _replaced(before: str, after: str, *, start: int) -> Iterator[DiffPart]:
    if before == after:
        yield DiffPart("same", after, start)
        return
    if before:
        yield DiffPart("removed", before, start)
    if after:
        yield DiffPart("added", after, start)
