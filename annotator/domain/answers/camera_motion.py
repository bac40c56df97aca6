"""Camera motion as angle, or angle and distance: how the formats angle and angle_distance score."""

from __future__ import annotations

import math
from collections.abc import Sequence

from annotator.domain.answers.base import AnswerProblem, Score, unreadable
from annotator.domain.answers.distractors import step_of
from annotator.domain.answers.numerals import published_floats
from annotator.domain.random_source import RandomSource

MAX_ANGLE_ERROR_DEG = 10.0
"""Largest angle error that is right. Source: SpatialUAV, ``--camera-threshold`` 10."""

MAX_DISTANCE_ERROR_M = 10.0
"""Largest distance error that is right. Source: SpatialUAV, ``--camera-distance-threshold`` 10."""

LEAST_ANGLE_APART_DEG = 3 * MAX_ANGLE_ERROR_DEG
"""Smallest difference of the angles of two options of a multiple-choice variant."""

LEAST_DISTANCE_APART_M = MAX_DISTANCE_ERROR_M
"""Smallest difference of the distances of two options, whose angles are apart already."""

_FARTHEST = 6
# The tolerance to either side of the key.
ANGLE_CHANCE = 2 * MAX_ANGLE_ERROR_DEG / 360

# 279.4 - 269.4 is 9.999999999999943 or 10.000000000000057, as the numbers fall; 10 degrees are 10 degrees.
_ROUNDING_TOLERANCE = 1e-9


def angle_error_deg(guess: float, *, truth: float) -> float:
    """Return the shorter way round between two angles, 0 to 180 degrees, as the published script takes it."""
    difference = abs(guess % 360.0 - truth % 360.0) % 360.0
    return min(difference, 360.0 - difference)


def angle_problems(angle_deg: float) -> list[AnswerProblem]:
    """Say what is wrong with an angle as a key."""
    if -360 <= angle_deg <= 360:
        return []
    message = f"{angle_deg} degrees is outside the range -360 to 360."
    return [AnswerProblem(field="angle", message=message, advice="Enter an angle from -360 to 360 degrees.")]


def draw_angle(random: RandomSource, *, step: float, is_signed: bool) -> float:
    """Return a random angle, a multiple of a step, from 0 to 360 degrees or from -180 to 180."""
    angle_deg = random.below(round(360.0 / step)) * step
    return round(angle_deg - 180.0 if is_signed and angle_deg > 180.0 else angle_deg, 3)


def draw_distance(random: RandomSource, *, near_m: float, key_m: float, limit_m: float | None) -> float:
    """Return a random distance 1 to 6 times the smallest difference away from another one.

    Args:
        random: The draw.
        near_m: The other distance.
        key_m: Distance of the answer key: others are as round, and below 0 only where it is.
        limit_m: Largest distance, None if unknown.
    """
    step = step_of(key_m)
    least, most = (round(times * LEAST_DISTANCE_APART_M / step) for times in (1, _FARTHEST))
    distance_m = near_m + random.choose((-1, 1)) * random.between(least, most) * step
    distance_m = distance_m if key_m < 0 else abs(distance_m)
    return round(distance_m if limit_m is None or abs(distance_m) <= limit_m else near_m, 3)


def is_within(error: float, limit: float) -> bool:
    """Return whether an error keeps a limit, give or take the rounding of binary fractions."""
    return error <= limit + _ROUNDING_TOLERANCE


def score_camera_motion(prediction: str, key: str) -> Score:
    """Score as SpatialUAV's script does: by the count of numbers in both texts, whatever their units.

    One number each is an angle, two are angle and distance; anything else is never right.

    Source: SpatialUAV, eval_spatialuav.py, camera_transformation_metrics and evaluate_row.
    """
    guess, truth = published_floats(prediction), published_floats(key)
    if len(guess) != len(truth) or len(guess) not in (1, 2):
        return unreadable(f"{len(guess)} numbers were found; the answer key has {len(truth)}.")
    error_deg = angle_error_deg(guess[0], truth=truth[0])
    errors = {"angle_error_deg": error_deg}
    is_correct = error_deg <= MAX_ANGLE_ERROR_DEG
    if len(guess) == 2:
        error_m = abs(guess[1] - truth[1])
        is_correct = is_correct and error_m <= MAX_DISTANCE_ERROR_M
        errors |= {"distance_error_m": error_m, **_relative_errors(error_deg, error_m, truth)}
    details = {name: error for name, error in errors.items() if math.isfinite(error)}
    return Score(score=float(is_correct), is_correct=is_correct, details=details)


def _relative_errors(error_deg: float, error_m: float, truth: Sequence[float]) -> dict[str, float]:
    """Return Codabench's lower-is-better figures; there are none where the key is 0 and the error is not."""
    turn = _relative(error_deg, abs(truth[0] % 360.0))
    move = _relative(error_m, abs(truth[1]))
    named = {"angle_relative_error": turn, "distance_relative_error": move}
    if turn is not None and move is not None:
        named["codabench_error"] = (turn + move) / 2.0
    return {name: error for name, error in named.items() if error is not None}


def _relative(error: float, size: float) -> float | None:
    if not math.isclose(size, 0.0, abs_tol=1e-12):
        return error / size
    return 0.0 if math.isclose(error, 0.0, abs_tol=1e-12) else None
