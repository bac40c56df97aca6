"""Instruction text: a list of sub-instructions, one per line, that lead along a path."""

from __future__ import annotations

import re

from annotator.domain.answers.base import (
    AnswerContext,
    AnswerFormat,
    AnswerProblem,
    FormatDocs,
    ParsedAnswer,
    Score,
)
from annotator.domain.answers.free_text import score_published_tokens
from annotator.domain.answers.reply_text import has_bullet, remove_reasoning, without_bullets
from annotator.domain.answers.token_overlap import TOKEN_F1, collapse, overlap, tokens

# A full stop ends a sentence only before a blank, so that "0.9 m" stays whole; Chinese marks always do.
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*|[；;]\s*")


class InstructionText(AnswerFormat[tuple[str, ...]]):
    """Sub-instructions in order, scored by token F1 over all of them; right where the lists are equal.

    Source: the lists are those of IndoorUAV's instruction files. Its paper does not score generated
    instructions, so the score is ours: token F1 as for free text. In compatible mode the tokens are those
    that SpatialUAV's script takes for texts of unknown tasks.
    """

    __slots__ = ()
    id = "instruction_text"
    title = "Instruction"
    meaning = "an instruction in words that is written, not scored"
    prompt = "Reply with one sub-instruction per line."
    metrics = (TOKEN_F1,)
    docs = FormatDocs(
        example="one sub-instruction per line",
        value="sentences in order",
        score="token F1 over all",
        right_when="lists equal",
        baseline="none",
    )
    is_prose = True
    is_scored = False
    scale = None

    def render(self, value: tuple[str, ...]) -> str:
        """Return one sub-instruction per line."""
        return "\n".join(value)

    def _parse_strict(self, text: str, _context: AnswerContext, /) -> ParsedAnswer[tuple[str, ...]]:
        # Not splitlines: the published lists hold stray carriage returns inside of steps ("living \room").
        lines = without_bullets(remove_reasoning(text)).split("\n")
        pieces = [collapse(piece) for line in lines for piece in _SENTENCE_END.split(line)]
        steps = tuple(piece for piece in pieces if tokens(piece))
        return (
            ParsedAnswer(value=steps) if steps else ParsedAnswer(reason="The text contains no instruction.")
        )

    def _parse_compatible(self, text: str, context: AnswerContext, /) -> ParsedAnswer[tuple[str, ...]]:
        return self._parse_strict(text, context)

    def _score_compatible(self, prediction: str, key: str, _context: AnswerContext, /) -> Score:
        return score_published_tokens(prediction, key)

    def _compare(self, guess: tuple[str, ...], truth: tuple[str, ...], /) -> Score:
        shared = overlap(tokens("\n".join(guess)), tokens("\n".join(truth)))
        steps = {"guessed_steps": len(guess), "expected_steps": len(truth)}
        details = {**shared.details("tokens"), **steps}
        return Score(score=shared.f1, is_correct=_plain(guess) == _plain(truth), details=details)

    def _problems(self, value: tuple[str, ...], context: AnswerContext, /) -> list[AnswerProblem]:
        if not value:
            return [
                AnswerProblem(
                    field="steps",
                    message="The instruction is missing.",
                    advice="Write at least one instruction.",
                )
            ]
        return [
            AnswerProblem(field=f"steps[{index}]", message=message, advice="Write one plain sentence.")
            for index, step in enumerate(value, start=1)
            if (message := self._step_problem(step, context))
        ]

    def _step_problem(self, step: str, context: AnswerContext) -> str:
        if has_bullet(step):
            return "The instruction starts with a list marker."
        read = self._parse_strict(step, context).value
        if read == (step,):
            return ""
        return (
            "The instruction is empty."
            if read is None
            else "The instruction is not one sentence on one line with single spaces."
        )

    def _baseline(self, _truth: tuple[str, ...], _context: AnswerContext, /) -> None:
        return None


def _plain(steps: tuple[str, ...]) -> list[list[str]]:
    return [tokens(step) for step in steps]
