"""Answer formats: read free text, write it canonically, check it against the item, score it.

One module per format, under the format's id, with one object ``FORMAT``. See docs/answers.md.
"""

from __future__ import annotations

from annotator.domain.answers.base import (
    NO_CONTEXT,
    AnswerContext,
    Format,
    LetterRules,
    Mode,
    Parsed,
    Problem,
    Score,
)
from annotator.domain.answers.batch import Case, score_all
from annotator.domain.answers.registry import all_formats, format_of_key, get, is_known

__all__ = [
    "NO_CONTEXT",
    "AnswerContext",
    "Case",
    "Format",
    "LetterRules",
    "Mode",
    "Parsed",
    "Problem",
    "Score",
    "all_formats",
    "format_of_key",
    "get",
    "is_known",
    "score_all",
]
