"""Proposes the issue classes of an item from what a person changed in its draft."""

from __future__ import annotations

import re
from collections.abc import Iterator

from annotator.domain.item import IssueClass, Item
from annotator.domain.word_diff import diff_words

_DIRECTION = re.compile(
    r"\b(?:north|south|east|west|left|right|clockwise|ahead|behind|above|below|forward|backward|o'clock"
    r"|(?:north|south)(?:east|west)\w*|(?:north|south|east|west)(?:ern|wards?)?)\b|[东南西北左右前后]",
    re.IGNORECASE,
)
"""Words that state a direction, in English and Chinese."""


def is_changed(draft: Item, item: Item) -> bool:
    """Return whether question, options or answer key of an item differ from its draft."""
    return _content(draft) != _content(item)


def propose_issue_classes(draft: Item, item: Item) -> tuple[IssueClass, ...]:
    """Return the issue classes that the changes of an item suggest, in their usual order.

    A changed question is an invalid or ambiguous one, or has a wrong direction where only words of
    direction differ; changed options or another answer key are an issue of the options. A hallucinated
    element cannot be told from the texts, and is never proposed.
    """
    return tuple(_proposed(draft, item))


def _proposed(draft: Item, item: Item) -> Iterator[IssueClass]:
    if draft.question != item.question:
        yield "direction" if _is_about_directions(draft.question, item.question) else "question"
    if draft.options != item.options or draft.answer_key != item.answer_key:
        yield "options"


def _is_about_directions(before: str, after: str) -> bool:
    changed = [part.text for part in diff_words(before, after) if part.kind != "same" and part.text.strip()]
    return bool(changed) and all(_DIRECTION.search(text) for text in changed)


def _content(item: Item) -> tuple[object, ...]:
    return item.question, tuple(option.text for option in item.options), item.answer_key
