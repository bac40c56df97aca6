"""Keys as a release writes them."""

from __future__ import annotations

from annotator.domain import answers
from annotator.domain.item import Item


def canonical_key(item: Item) -> str:
    """Return an item's key in the canonical text of its format, or as it is where it cannot be read.

    The key of an answer that is no text, such as a trajectory, is the name of what holds it.
    """
    if not answers.is_known(item.answer_format):
        return item.answer_key
    context = answers.AnswerContext(options=item.options)
    return answers.get(item.answer_format).stored_key(item.answer_key, context=context) or item.answer_key
