"""Direction label: one of the numbered arrows of a path-planning picture (``Direction 3``)."""

from __future__ import annotations

import re

from annotator.domain.answers.base import (
    AnswerContext,
    AnswerFormat,
    AnswerProblem,
    FormatDocs,
    ParsedAnswer,
    Score,
    right_or_wrong,
)
from annotator.domain.answers.labelled_number import BARE_NUMBERS, NUMBERS, LabelledNumber
from annotator.domain.answers.published_first_int import parse_first_int, score_first_int
from annotator.domain.random_source import RandomSource

ARROW_COUNT = 6
"""Arrows of a path-planning picture, at 15, 45 … 165 degrees, numbered from right to left.

Source: SpatialUAV, gen_path_planning_arrows.py.
"""

# A bare "-3" must be unparsed: the published script reads it as arrow -3, which no image has.
_ARROWS = LabelledNumber(
    labelled=re.compile(
        rf"(?:directions?|方向)(?: ?(?:label|number|is|:|=|#|是|为))*[ _]?[\[(\"'*]*{NUMBERS}"
        rf"|(?<![0-9.十-])(?:{NUMBERS} ?[号个]方向|{BARE_NUMBERS})",
        re.IGNORECASE,
    ),
    bare=re.compile(rf"[^\w-]*{NUMBERS}\W*", re.IGNORECASE),
    highest=ARROW_COUNT,
    example="Direction 3",
)


class DirectionLabel(AnswerFormat[int]):
    """The number of an arrow from 1 to 6; right only where it is equal.

    Source: SpatialUAV, eval_spatialuav.py, A2G_Path_Planning (also called Path_Planning there).
    """

    __slots__ = ()
    id = "direction_label"
    title = "Direction label"
    meaning = "one of the numbered directions of a drawn overlay"
    prompt = "Reply with one of the directions 1 to 6, formatted exactly like: Direction 3"
    docs = FormatDocs(
        example="`Direction 3`",
        value="1 to 6",
        score="0 or 1",
        right_when="equal",
        baseline="1/6",
        distractors="other arrows",
    )

    def render(self, value: int) -> str:
        """Return the arrow as the benchmark's prompt asks for it."""
        return f"Direction {value}"

    def perturbed(
        self,
        value: int,  # noqa: ARG002 - any other one will do
        *,
        key: int,  # noqa: ARG002
        random: RandomSource,
        context: AnswerContext,  # noqa: ARG002
    ) -> int:
        """Return any arrow."""
        # Neighbours stay possible: of six arrows, no four are without neighbours among each other, and the
        # right one would be the only one without.
        return random.between(1, ARROW_COUNT)

    def _parse_strict(self, text: str, _context: AnswerContext, /) -> ParsedAnswer[int]:
        return _ARROWS.read(text)

    def _parse_compatible(self, text: str, _context: AnswerContext, /) -> ParsedAnswer[int]:
        return parse_first_int(text)

    def _score_compatible(self, prediction: str, key: str, _context: AnswerContext, /) -> Score:
        return score_first_int(prediction, key)

    def _compare(self, guess: int, truth: int, /) -> Score:
        return right_or_wrong(is_correct=guess == truth)

    def _problems(self, value: int, _context: AnswerContext, /) -> list[AnswerProblem]:
        if 1 <= value <= ARROW_COUNT:
            return []
        message = f"Arrow {value} does not exist."
        return [
            AnswerProblem(
                field="direction", message=message, advice=f"Enter a number from 1 to {ARROW_COUNT}."
            )
        ]

    def _baseline(self, _truth: int, _context: AnswerContext, /) -> float:
        return 1 / ARROW_COUNT
