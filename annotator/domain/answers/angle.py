"""Angle: by how much one camera is turned against another, clockwise in degrees (``269.4 degrees``)."""

from __future__ import annotations

from annotator.domain.answers.base import (
    AnswerContext,
    AnswerFormat,
    AnswerProblem,
    FormatDocs,
    MetricRule,
    ParsedAnswer,
    Score,
)
from annotator.domain.answers.camera_motion import (
    ANGLE_CHANCE,
    LEAST_ANGLE_APART_DEG,
    MAX_ANGLE_ERROR_DEG,
    angle_error_deg,
    angle_problems,
    draw_angle,
    is_within,
    score_camera_motion,
)
from annotator.domain.answers.distractors import step_of
from annotator.domain.answers.numerals import published_floats, write_number
from annotator.domain.answers.quantities import Quantities, read_quantities, turn_clockwise
from annotator.domain.random_source import RandomSource


class Angle(AnswerFormat[float]):
    """An angle in degrees, from 0 to 360 or signed; right where it is at most 10 degrees off.

    Source: SpatialUAV, eval_spatialuav.py, A2A_Camera_Transformation with one number. 270 and -90 are the
    same angle; a value keeps the form in which it was given.
    """

    __slots__ = ()
    id = "angle"
    title = "Angle"
    meaning = "an angle in degrees"
    prompt = "Reply with one clockwise angle, formatted exactly like: 88.0 degrees"
    metrics = (
        MetricRule(
            id="angle_within",
            meaning="1 where the circular error is within tolerance; shares at other tolerances are reported "
            "beside it",
            required=("tolerance_deg",),
            optional=("reported_deg",),
        ),
    )
    docs = FormatDocs(
        example="`269.4 degrees`",
        value="degrees clockwise",
        score="0 or 1",
        right_when="at most 10 degrees off, the short way round",
        baseline="1/18",
        distractors="other angles, as round and signed; at least 30 degrees apart",
    )
    scale = "circular"

    def compared_text(self, value: float) -> str:
        """Return the angle from 0 to 360 degrees: -5 and 355 degrees are equal."""
        return self.render(round(value, 1) % 360.0)

    def on_scale(self, value: float) -> float:
        """Return the angle from 0 to 360 degrees."""
        return value % 360.0

    def render(self, value: float) -> str:
        """Return the angle as the benchmark's prompt asks for it."""
        return f"{write_number(value, decimals=1)} degrees"

    def perturbed(
        self,
        value: float,  # noqa: ARG002 - any other one will do
        *,
        key: float,
        random: RandomSource,
        context: AnswerContext,  # noqa: ARG002
    ) -> float:
        """Return any angle that is as round as the answer key, signed where that is below 0."""
        return draw_angle(random, step=step_of(key), is_signed=key < 0)

    def are_apart(self, one: float, other: float) -> bool:
        """Return whether two angles differ by three times what is still right."""
        return angle_error_deg(one, truth=other) >= LEAST_ANGLE_APART_DEG

    def likeness(self, one: float, other: float) -> float:
        """Return how near two angles are, in degrees below 0."""
        return -angle_error_deg(one, truth=other)

    def _parse_strict(self, text: str, _context: AnswerContext, /) -> ParsedAnswer[float]:
        quantities = read_quantities(text)
        if quantities.value is None:
            return ParsedAnswer(reason=quantities.reason)
        candidates = _candidates(quantities.value)
        if len(candidates) != 1:
            return ParsedAnswer(reason=f"One angle was expected; {len(candidates)} were found.")
        return turn_clockwise(candidates[0], text=text)

    def _parse_compatible(self, text: str, _context: AnswerContext, /) -> ParsedAnswer[float]:
        numbers = published_floats(text)
        if len(numbers) != 1:
            return ParsedAnswer(reason=f"One number was expected; {len(numbers)} were found.")
        return ParsedAnswer(value=numbers[0])

    def _score_compatible(self, prediction: str, key: str, _context: AnswerContext, /) -> Score:
        return score_camera_motion(prediction, key)

    def _compare(self, guess: float, truth: float, /) -> Score:
        error = angle_error_deg(guess, truth=truth)
        is_correct = is_within(error, MAX_ANGLE_ERROR_DEG)
        return Score(score=float(is_correct), is_correct=is_correct, details={"angle_error_deg": error})

    def _problems(self, value: float, _context: AnswerContext, /) -> list[AnswerProblem]:
        return angle_problems(value)

    def _baseline(self, _truth: float, _context: AnswerContext, /) -> float:
        return ANGLE_CHANCE


def _candidates(quantities: Quantities) -> tuple[float, ...]:
    """Return the numbers that may be the angle; those without a unit may share the unit of another."""
    if quantities.starts_with_distance and not quantities.angles_deg:
        return ()
    return quantities.angles_deg + quantities.unmarked
