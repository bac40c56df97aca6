"""Angle and distance: how one camera is turned and moved (``-160.0 degrees, -70.0 meters``)."""

from __future__ import annotations

import math

import msgspec

from annotator.domain.answers.base import (
    NO_CONTEXT,
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
    LEAST_DISTANCE_APART_M,
    MAX_ANGLE_ERROR_DEG,
    MAX_DISTANCE_ERROR_M,
    angle_error_deg,
    angle_problems,
    draw_angle,
    draw_distance,
    is_within,
    score_camera_motion,
)
from annotator.domain.answers.distractors import step_of
from annotator.domain.answers.numerals import published_floats, write_number
from annotator.domain.answers.quantities import Quantities, read_quantities, turn_clockwise
from annotator.domain.random_source import RandomSource


class CameraMove(msgspec.Struct, frozen=True, kw_only=True):
    """A turn and a move.

    Attributes:
        angle_deg: Heading offset in degrees, from 0 to 360 or signed, clockwise.
        distance_m: Relative translation in metres, which may be negative.
    """

    angle_deg: float
    distance_m: float


class AngleDistance(AnswerFormat[CameraMove]):
    """Angle and distance, right where they are at most 10 degrees and 10 metres off.

    Source: SpatialUAV, eval_spatialuav.py, A2A_Camera_Transformation with two numbers.
    """

    __slots__ = ()
    id = "angle_distance"
    title = "Angle and distance"
    meaning = "an angle in degrees and a distance in metres"
    prompt = "Reply with a clockwise angle and a distance, formatted exactly like: 88.0 degrees, 12.0 meters"
    metrics = (
        MetricRule(
            id="angle_distance_within",
            meaning="1 where angle and distance are within tolerance",
            required=("tolerance_deg", "tolerance_m"),
        ),
    )
    docs = FormatDocs(
        example="`-160.0 degrees, -70.0 meters`",
        value="degrees and metres",
        score="0 or 1",
        right_when="at most 10 degrees and 10 metres off",
        baseline="1/18 × share of distances that pass",
        distractors="other angles and distances, as round and signed; 30 degrees and 10 metres apart",
    )
    scale = "circular"

    def compared_text(self, value: CameraMove) -> str:
        """Return the angle from 0 to 360 degrees, and the distance."""
        angle_deg = round(value.angle_deg, 1) % 360.0
        return self.render(CameraMove(angle_deg=angle_deg, distance_m=value.distance_m))

    def on_scale(self, value: CameraMove) -> float:
        """Return the angle from 0 to 360 degrees; distances are compared by their differences."""
        return value.angle_deg % 360.0

    def render(self, value: CameraMove) -> str:
        """Return both as the benchmark's prompt asks for them."""
        angle, distance = (write_number(n, decimals=1) for n in (value.angle_deg, value.distance_m))
        return f"{angle} degrees, {distance} meters"

    def perturbed(
        self, value: CameraMove, *, key: CameraMove, random: RandomSource, context: AnswerContext
    ) -> CameraMove:
        """Return another angle with another distance: of options that share parts, one stands out."""
        angle_deg = draw_angle(random, step=step_of(key.angle_deg), is_signed=key.angle_deg < 0)
        distance_m = draw_distance(
            random, near_m=value.distance_m, key_m=key.distance_m, limit_m=context.max_distance_m
        )
        return CameraMove(angle_deg=angle_deg, distance_m=distance_m)

    def are_apart(self, one: CameraMove, other: CameraMove) -> bool:
        """Return whether the angles differ by three times what is still right, and the distances clearly."""
        return (
            angle_error_deg(one.angle_deg, truth=other.angle_deg) >= LEAST_ANGLE_APART_DEG
            and abs(one.distance_m - other.distance_m) >= LEAST_DISTANCE_APART_M
        )

    def likeness(self, one: CameraMove, other: CameraMove) -> float:
        """Return how near two moves are, in degrees and metres below 0."""
        error_deg = angle_error_deg(one.angle_deg, truth=other.angle_deg)
        return -error_deg - abs(one.distance_m - other.distance_m)

    def guess_chance(self, key: str, *, context: AnswerContext = NO_CONTEXT) -> float | None:
        """Return the chance of both parts, that of the angle where the largest distance is not known."""
        chance = self.random_baseline(key, context=context)
        return ANGLE_CHANCE if chance is None else chance

    def _parse_strict(self, text: str, _context: AnswerContext, /) -> ParsedAnswer[CameraMove]:
        quantities = read_quantities(text)
        if quantities.value is None:
            return ParsedAnswer(reason=quantities.reason)
        pair = _pair(quantities.value)
        if pair is None:
            return ParsedAnswer(reason="One angle and one distance were expected.")
        angle = turn_clockwise(pair.angle_deg, text=text)
        if angle.value is None:
            return ParsedAnswer(reason=angle.reason)
        return ParsedAnswer(value=CameraMove(angle_deg=angle.value, distance_m=pair.distance_m))

    def _parse_compatible(self, text: str, _context: AnswerContext, /) -> ParsedAnswer[CameraMove]:
        numbers = published_floats(text)
        if len(numbers) != 2:
            return ParsedAnswer(reason=f"Two numbers were expected; {len(numbers)} were found.")
        return ParsedAnswer(value=CameraMove(angle_deg=numbers[0], distance_m=numbers[1]))

    def _score_compatible(self, prediction: str, key: str, _context: AnswerContext, /) -> Score:
        return score_camera_motion(prediction, key)

    def _compare(self, guess: CameraMove, truth: CameraMove, /) -> Score:
        error_deg = angle_error_deg(guess.angle_deg, truth=truth.angle_deg)
        error_m = abs(guess.distance_m - truth.distance_m)
        is_correct = is_within(error_deg, MAX_ANGLE_ERROR_DEG) and is_within(error_m, MAX_DISTANCE_ERROR_M)
        details = {"angle_error_deg": error_deg, "distance_error_m": error_m}
        return Score(score=float(is_correct), is_correct=is_correct, details=details)

    def _problems(self, value: CameraMove, _context: AnswerContext, /) -> list[AnswerProblem]:
        problems = angle_problems(value.angle_deg)
        if not math.isfinite(value.distance_m):
            message = f"{value.distance_m} is not a valid distance."
            problems.append(
                AnswerProblem(field="distance", message=message, advice="Enter a distance in metres.")
            )
        return problems

    def _baseline(self, truth: CameraMove, context: AnswerContext, /) -> float | None:
        limit = context.max_distance_m
        if not limit:
            return None
        # Both parts are independent; the distance is uniform from -limit to limit.
        low = max(-limit, truth.distance_m - MAX_DISTANCE_ERROR_M)
        high = min(limit, truth.distance_m + MAX_DISTANCE_ERROR_M)
        return ANGLE_CHANCE * max(0.0, high - low) / (2 * limit)


def _pair(quantities: Quantities) -> CameraMove | None:
    """Return angle and distance by their units; numbers without a unit fill what is left, in order."""
    angles, distances, unmarked = quantities.angles_deg, quantities.distances_m, quantities.unmarked
    # "-160, -70 metres": a number without a unit fills the place of the one that is missing.
    numbers = (*angles, *unmarked, *distances)
    if len(numbers) != 2 or len(angles) > 1 or len(distances) > 1:
        return None
    if len(unmarked) == 2 and quantities.starts_with_distance:
        return None
    return CameraMove(angle_deg=numbers[0], distance_m=numbers[1])
