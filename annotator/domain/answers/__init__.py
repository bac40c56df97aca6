"""Answer formats: read free text, write it canonically, check it against the item, score it.

One module per format, under the format's id, and one class in it. See docs/answers.md.
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
    "Case",
    "Format",
    "LetterRules",
    "Mode",
    "Parsed",
    "Problem",
    "Score",
    "format_of_key",
    "formats",
    "get",
    "has_options",
    "is_known",
    "names_regions",
    "score_all",
]
