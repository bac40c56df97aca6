"""Contexts of lettered options for tests."""

from __future__ import annotations

from annotator.domain.answers import AnswerContext, LetterRules
from annotator.domain.item import LETTERS, Option


def lettered(count: int, *, letter_rules: LetterRules = LetterRules.SPATIALUAV) -> AnswerContext:
    """Return a context of the first ``count`` letters with options that have no text."""
    options = tuple(Option(letter=letter, text="") for letter in LETTERS[:count])
    return AnswerContext(options=options, letter_rules=letter_rules)
