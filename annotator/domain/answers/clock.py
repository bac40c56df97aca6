"""Clock direction: where something lies as seen from the drone, 12 being straight ahead (``2 o'clock``)."""

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

# "2:30" and "2点30分" are times of day, "20点" and "14.5 o'clock" are no hours of a clock face.
_HOURS = LabelledNumber(
    labelled=re.compile(
        rf"(?<![0-9.:A-Za-z一二三四五六七八九十两-])(?:{NUMBERS} ?"
        rf"(?:o ?'? ?clock|点(?! ?[0-9半])钟?|时钟?方向|:00(?![0-9:]))|{BARE_NUMBERS})",
        re.IGNORECASE,
    ),
    bare=re.compile(rf"[^\w-]*{NUMBERS}\W*", re.IGNORECASE),
    highest=12,
    example="2 o'clock",
)

LEAST_HOURS_APART = 2
"""Smallest difference of two options of a multiple-choice variant."""


class ClockDirection(AnswerFormat[int]):
    """An hour from 1 to 12; right only where it is equal.

    Source: SpatialUAV, eval_spatialuav.py, Direction_Recognition.
    """

    __slots__ = ()
    id = "clock"
    title = "Clock direction"
    meaning = "a direction as an hour on the clock"
    prompt = "Reply with one hour of the clock, formatted exactly like: 2 o'clock"
    docs = FormatDocs(
        example="`2 o'clock`",
        value="1 to 12",
        score="0 or 1",
        right_when="equal",
        baseline="1/12",
        distractors="other hours, at least 2 apart",
    )
    scale = "circular"

    def on_scale(self, value: int) -> float:
        """Return the direction in degrees clockwise."""
        return 30.0 * (value % 12)

    def render(self, value: int) -> str:
        """Return the hour as the benchmark's prompt asks for it."""
        return f"{value} o'clock"

    def perturbed(
        self,
        value: int,  # noqa: ARG002 - any other one will do
        *,
        key: int,  # noqa: ARG002
        random: RandomSource,
        context: AnswerContext,  # noqa: ARG002
    ) -> int:
        """Return any hour."""
        return random.between(1, 12)

    def are_apart(self, one: int, other: int) -> bool:
        """Return whether two hours are no neighbours, between which people and models differ by rounding."""
        return _hours_between(one, other) >= LEAST_HOURS_APART

    def likeness(self, one: int, other: int) -> float:
        """Return how near two hours are, in hours below 0."""
        return -float(_hours_between(one, other))

    def _parse_strict(self, text: str, _context: AnswerContext, /) -> ParsedAnswer[int]:
        return _HOURS.read(text)

    def _parse_compatible(self, text: str, _context: AnswerContext, /) -> ParsedAnswer[int]:
        return parse_first_int(text)

    def _score_compatible(self, prediction: str, key: str, _context: AnswerContext, /) -> Score:
        return score_first_int(prediction, key)

    def _compare(self, guess: int, truth: int, /) -> Score:
        return right_or_wrong(is_correct=guess == truth)

    def _problems(self, value: int, _context: AnswerContext, /) -> list[AnswerProblem]:
        if 1 <= value <= 12:
            return []
        message = f"{value} is not an hour of a clock face."
        return [AnswerProblem(field="hour", message=message, advice="Enter an hour from 1 to 12.")]

    def _baseline(self, _truth: int, _context: AnswerContext, /) -> float:
        return 1 / 12


def _hours_between(one: int, other: int) -> int:
    hours = abs(one - other) % 12
    return min(hours, 12 - hours)
