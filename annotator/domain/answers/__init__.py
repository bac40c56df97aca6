"""Answer formats: read free text, write it canonically, check it against the item, score it.

One module per format, under the format's id, and one class in it. See docs/answers.md.
"""

from __future__ import annotations

from annotator.domain.answers.base import (
    NO_CONTEXT,
    AnswerContext,
    AnswerFormat,
    AnswerProblem,
    LetterRules,
    Mode,
    ParsedAnswer,
    Score,
)
from annotator.domain.answers.registry import (
    format_of_key,
    formats,
    get,
    has_options,
    is_known,
    names_regions,
)

__all__ = [
    "NO_CONTEXT",
    "AnswerContext",
    "AnswerFormat",
    "AnswerProblem",
    "LetterRules",
    "Mode",
    "ParsedAnswer",
    "Score",
    "format_of_key",
    "formats",
    "get",
    "has_options",
    "is_known",
    "names_regions",
]
