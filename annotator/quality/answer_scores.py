"""Scores an answer to an item: the one way for models, for people and for the human reference."""

from __future__ import annotations

from annotator.domain import answers
from annotator.domain.answers import AnswerContext, Score
from annotator.domain.item import Item


def score_answer(answer: str, item: Item) -> Score | None:
    """Return the strict score of an answer against the present answer key, None for an unknown format."""
    # An item can have received an unknown format after it was answered.
    if not answers.is_known(item.answer_format):
        return None
    context = AnswerContext(options=item.options)
    return answers.get(item.answer_format).score(answer, item.answer_key, context=context)
