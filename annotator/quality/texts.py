"""The texts of an item that checks on words read."""

from __future__ import annotations

from annotator.domain.item import Item


def texts_of(item: Item) -> list[tuple[str, str]]:
    """Return an item's texts with the fields they are in; the key only where it is a text of its own."""
    texts = [("question", item.question), *(("options", option.text) for option in item.options)]
    return texts if item.options else [*texts, ("answer_key", item.answer_key)]
