"""The texts of an item that checks on words read."""

from __future__ import annotations

from typing import NamedTuple

from annotator.domain.item import Item


class ItemText(NamedTuple):
    """One text of an item.

    Attributes:
        field: The field that it is in.
        text: The text.
        place: Place of the option that it is, from 0; None for another text.
    """

    field: str
    text: str
    place: int | None = None


def texts_of(item: Item) -> list[ItemText]:
    """Return an item's texts with the fields they are in; the key only where it is a text of its own."""
    options = [ItemText("options", option.text, place) for place, option in enumerate(item.options)]
    texts = [ItemText("question", item.question), *options]
    return texts if item.options else [*texts, ItemText("answer_key", item.answer_key)]
