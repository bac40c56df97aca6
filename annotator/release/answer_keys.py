"""Answer keys as a release writes them."""

from __future__ import annotations

from annotator.domain import answers
from annotator.domain.item import Item


def canonical_key(item: Item) -> str:
    """Return an item's answer key in the canonical text of its format, or unchanged if it cannot be read.

    An answer key that is not text, such as a trajectory, is written as the name of its record.
    """
    if not item.answer_key or not answers.is_known(item.answer_format):
        return item.answer_key
    context = answers.AnswerContext(options=item.options)
    return answers.get(item.answer_format).stored_key(item.answer_key, context=context) or item.answer_key
