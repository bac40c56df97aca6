"""Free text: a description, such as how the drone moves."""

from __future__ import annotations

from annotator.domain.answers.base import (
    AnswerContext,
    AnswerFormat,
    AnswerProblem,
    FormatDocs,
    MetricRule,
    ParsedAnswer,
    Score,
    unreadable,
)
from annotator.domain.answers.reply_text import remove_reasoning
from annotator.domain.answers.token_overlap import (
    TOKEN_F1,
    collapse,
    overlap,
    published_text,
    published_tokens,
    tokens,
)


class FreeText(AnswerFormat[str]):
    """Any text, scored by token F1; right only where it is equal.

    Source: SpatialUAV, eval_spatialuav.py, Motion_Understanding in the mode token_f1. The paper's own figures
    come from a judge model and are not comparable with these.
    """

    __slots__ = ()
    id = "free_text"
    title = "Free text"
    meaning = "a description in words"
    prompt = "Reply with one short paragraph."
    metrics = (
        MetricRule(id="judged_similarity", meaning="0 to 1, given by a judge model"),
        TOKEN_F1,
    )
    docs = FormatDocs(
        example="the text",
        value="text",
        score="token F1",
        right_when="texts equal",
        baseline="none",
    )
    is_prose = True
    scale = None

    def render(self, value: str) -> str:
        """Return the text."""
        return value

    def _parse_strict(self, text: str, _context: AnswerContext, /) -> ParsedAnswer[str]:
        value = collapse(remove_reasoning(text))
        return (
            ParsedAnswer(value=value) if tokens(value) else ParsedAnswer(reason="The text contains no words.")
        )

    def _parse_compatible(self, text: str, _context: AnswerContext, /) -> ParsedAnswer[str]:
        value = published_text(text)
        return (
            ParsedAnswer(value=value)
            if published_tokens(text)
            else ParsedAnswer(reason="The text contains no characters a to z or 0 to 9.")
        )

    def _score_compatible(self, prediction: str, key: str, _context: AnswerContext, /) -> Score:
        return score_published_tokens(prediction, key)

    def _compare(self, guess: str, truth: str, /) -> Score:
        shared = overlap(tokens(guess), tokens(truth))
        is_correct = tokens(guess) == tokens(truth)
        return Score(score=shared.f1, is_correct=is_correct, details=shared.details("tokens"))

    def _problems(self, value: str, context: AnswerContext, /) -> list[AnswerProblem]:
        if self._parse_strict(value, context).value == value:
            return []
        message = "The text is empty, or contains line breaks, double spaces or reasoning."
        return [AnswerProblem(field="text", message=message, advice="Write one paragraph of plain text.")]

    def _baseline(self, _truth: str, _context: AnswerContext, /) -> None:
        return None


def score_published_tokens(prediction: str, key: str) -> Score:
    """Score as SpatialUAV's script does without a judge: token F1, right where the texts are equal."""
    shared = overlap(published_tokens(prediction), published_tokens(key))
    is_correct, details = published_text(prediction) == published_text(key), shared.details("tokens")
    if not shared.guessed:
        return unreadable(
            "The text contains no characters a to z or 0 to 9.", is_correct=is_correct, details=details
        )
    return Score(score=shared.f1, is_correct=is_correct, details=details)
