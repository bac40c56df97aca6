"""The texts of an item for checks of wording."""

from __future__ import annotations

from typing import NamedTuple

from annotator.domain.item import Item


class ItemText(NamedTuple):
    """One text of an item.

    Attributes:
        field: The field of the text.
        text: The text.
        option_index: Index of the option, None for another text.
    """

    field: str
    text: str
    option_index: int | None = None


def texts_of(item: Item) -> list[ItemText]:
    """Return an item's texts with their fields; the answer key only if it is a text of its own."""
    options = [ItemText("options", option.text, index) for index, option in enumerate(item.options)]
    texts = [ItemText("question", item.question), *options]
    return texts if item.options else [*texts, ItemText("answer_key", item.answer_key)]


def joined_texts(item: Item) -> str:
    """Return the texts of an item, one below the other, to find out quickly that none of them has a word.

    What a pattern finds in a text, with ``re.MULTILINE`` if it speaks of line starts, it finds here.
    """
    texts = [item.question, *(option.text for option in item.options)]
    return "\n".join(texts if item.options else (*texts, item.answer_key))
