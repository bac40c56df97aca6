"""What differs between two versions of an item, in words that people compare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from annotator.domain.item import Item


class FieldDiff(NamedTuple):
    """One field that differs.

    Attributes:
        field: Name of the field; an option by its letter, ``option B``.
        before: Its text before, "" for none.
        after: Its text after, "" for none.
    """

    field: str
    before: str
    after: str


def diff_items(before: Item, after: Item) -> Iterator[FieldDiff]:
    """Yield the fields of a question that differ, in the order in which people read them."""
    texts = (_texts(before), _texts(after))
    for field in dict.fromkeys((*texts[0], *texts[1])):
        old, new = (each.get(field, "") for each in texts)
        if old != new:
            yield FieldDiff(field, old, new)


def _texts(item: Item) -> dict[str, str]:
    return {
        "task": f"{item.task_set}/{item.task}",
        "question": item.question,
        **{f"option {option.letter}": option.text for option in item.options},
        "answer key": item.answer_key,
        "issue classes": ", ".join(item.issue_classes),
        "state": item.state,
    }
