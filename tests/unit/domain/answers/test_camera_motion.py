"""Angle, and angle with distance."""

from __future__ import annotations

import math

import pytest

from annotator.domain import answers
from annotator.domain.answers import AnswerContext, Mode
from annotator.domain.answers.angle_distance import CameraMove

ANGLE = answers.get("angle")
MOVE = answers.get("angle_distance")


@pytest.mark.parametrize(
    ("text", "angle"),
    [
        ("269.4 degrees", 269.4),
        ("-90°", -90.0),
        ("−70 degrees", -70.0),
        ("88º", 88.0),
        ("90度", 90.0),
        ("９０度", 90.0),
        ("88", 88.0),
        (".5 deg", 0.5),
        ("Between image 1 and image 2 it is 88 degrees", 88.0),
        ("90 degrees counterclockwise", -90.0),
        ("counter-clockwise by 90 degrees", -90.0),
        ("逆时针90度", -90.0),
        ("顺时针90度", 90.0),
        ("clockwise 270 degrees", 270.0),
        ("rotate 88 degrees and move 5 meters", 88.0),
    ],
)
def test_strict_angle_when_one_angle_then_read(text: str, angle: float) -> None:
    assert ANGLE.parse(text).value == angle


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("unclear", "0 were found"),
        ("left", "direction other than"),
        ("80-90 degrees", "range"),
        ("80 to 90 degrees", "range"),
        ("80 degrees, 90 degrees", "2 were found"),
        ("1.57 radians", "unit"),
        ("1.57弧度", "unit"),
        ("9" * 400 + " degrees", "too large"),
        ("not 90 degrees", "negation"),
        ("-90 degrees counterclockwise", "both"),
        ("90 degrees clockwise, or 270 counterclockwise", "2 were found"),
        ("90 degrees clockwise, not counterclockwise", "negation"),
        ("90 degrees clockwise or counterclockwise", "both"),
    ],
)
def test_strict_angle_when_unclear_then_unparsed(text: str, reason: str) -> None:
    parsed = ANGLE.parse(text)
    assert parsed.value is None
    assert reason in parsed.reason


@pytest.mark.parametrize(
    ("text", "angle", "distance"),
    [
        ("-160.0 degrees, -70.0 meters", -160.0, -70.0),
        ("-70 m, -160°", -160.0, -70.0),
        ("-160, -70", -160.0, -70.0),
        ("-160 degrees, -70", -160.0, -70.0),
        ("-160, -70 metres", -160.0, -70.0),
        ("88度，5米", 88.0, 5.0),
        ("From image 1: 88 degrees and 5 meters", 88.0, 5.0),
        ("90 degrees counterclockwise, 5 m", -90.0, 5.0),
    ],
)
def test_strict_move_when_both_are_given_then_read_by_unit(text: str, angle: float, distance: float) -> None:
    assert MOVE.parse(text).value == CameraMove(angle_deg=angle, distance_m=distance)


@pytest.mark.parametrize(
    "text",
    [
        "88 degrees",
        "5 meters",
        "88 degrees, 5 km",
        "88, 5, 3",
        "88 degrees, 90 degrees",
        "1 m, 2 m",
        "",
        "5-6 m, 3°",
    ],
)
def test_strict_move_when_a_part_is_missing_then_unparsed(text: str) -> None:
    assert MOVE.parse(text).value is None


def test_strict_move_when_direction_is_said_twice_then_unparsed() -> None:
    assert "both" in MOVE.parse("-90 degrees counterclockwise, 5 m").reason


@pytest.mark.parametrize(
    ("guess", "key", "error"),
    [
        (0, 350, 10),
        (350, 0, 10),
        (-90, 270, 0),
        (269.4, -90.6, 0),
        (180, 0, 180),
        (5, 356, 9),
        (5, 354, 11),
        (720, 0, 0),
    ],
)
def test_angle_score_when_round_the_circle_then_shorter_way(guess: float, key: float, error: float) -> None:
    for mode in Mode:
        score = ANGLE.score(f"{guess} degrees", f"{key} degrees", mode=mode)
        assert score.details["angle_error_deg"] == pytest.approx(error, abs=1e-9)
        assert score.is_correct == (error <= 10)


@pytest.mark.parametrize(
    ("guess", "is_correct"),
    [
        ("-160 degrees, -70 meters", True),
        ("-150 degrees, -60 meters", True),
        ("200 degrees, -80 meters", True),
        ("-149 degrees, -70 meters", False),
        ("-160 degrees, -81 meters", False),
        ("-160 degrees, 70 meters", False),
    ],
)
def test_move_score_when_both_limits_are_kept_then_right(guess: str, is_correct: bool) -> None:
    for mode in Mode:
        assert MOVE.score(guess, "-160.0 degrees, -70.0 meters", mode=mode).is_correct == is_correct


def test_strict_score_when_error_is_ten_but_for_rounding_then_right() -> None:
    assert ANGLE.score("-97.4 degrees", "-107.4 degrees").is_correct
    assert not ANGLE.score("-97.4 degrees", "-107.4 degrees", mode=Mode.COMPATIBLE).is_correct
    assert not ANGLE.score("-97.3 degrees", "-107.4 degrees").is_correct


@pytest.mark.parametrize("answer_format", [ANGLE, MOVE], ids=["angle", "angle_distance"])
def test_compatible_score_when_counts_of_numbers_differ_then_wrong(
    answer_format: answers.AnswerFormat[object],
) -> None:
    for prediction, key in (("88", "88, 5"), ("88, 5", "88"), ("1, 2, 3", "1, 2, 3"), ("x", "y")):
        score = answer_format.score(prediction, key, mode=Mode.COMPATIBLE)
        assert (score.is_correct, score.is_parsed) == (False, False)
    assert answer_format.score("88", "88.0 degrees", mode=Mode.COMPATIBLE).is_correct


def test_compatible_parse_when_read_then_counts_decide() -> None:
    assert ANGLE.parse("x2: 1e1", mode=Mode.COMPATIBLE).value is None
    assert ANGLE.parse("1e1 radians", mode=Mode.COMPATIBLE).value == 10.0
    assert MOVE.parse("5 m, 88°", mode=Mode.COMPATIBLE).value == CameraMove(angle_deg=5.0, distance_m=88.0)
    assert MOVE.parse("88", mode=Mode.COMPATIBLE).value is None


def test_compatible_details_when_key_is_not_zero_then_relative_errors() -> None:
    details = MOVE.score("90 degrees, 12 meters", "100 degrees, 10 meters", mode=Mode.COMPATIBLE).details
    assert details["angle_relative_error"] == pytest.approx(0.1)
    assert details["distance_relative_error"] == pytest.approx(0.2)
    assert details["codabench_error"] == pytest.approx(0.15)


def test_compatible_details_when_key_is_zero_then_no_relative_error_but_for_a_hit() -> None:
    missed = MOVE.score("5 degrees, 10 meters", "0 degrees, 10 meters", mode=Mode.COMPATIBLE).details
    assert "angle_relative_error" not in missed
    assert "codabench_error" not in missed
    hit = MOVE.score("360 degrees, 0 meters", "0 degrees, 0 meters", mode=Mode.COMPATIBLE).details
    assert hit["codabench_error"] == 0.0


def test_compatible_score_when_number_is_infinite_then_wrong_and_details_finite() -> None:
    score = MOVE.score("1e999, 1e999", "3, 4", mode=Mode.COMPATIBLE)
    assert not score.is_correct
    assert all(math.isfinite(detail) for detail in score.details.values())


def test_validate_when_out_of_range_then_says_so() -> None:
    assert ANGLE.validate(269.4) == ANGLE.validate(-180.0) == []
    assert "720" in ANGLE.validate(720.0)[0].message
    assert ANGLE.validate(math.nan)
    move = CameraMove(angle_deg=400.0, distance_m=math.inf)
    assert [problem.field for problem in MOVE.validate(move)] == ["angle", "distance"]


def test_baseline_when_angle_then_twenty_of_360_degrees() -> None:
    assert ANGLE.random_baseline("269.4 degrees") == pytest.approx(20 / 360)


@pytest.mark.parametrize(
    ("distance", "share"), [(0, 0.1), (95, 0.075), (100, 0.05), (-100, 0.05), (300, 0.0)]
)
def test_baseline_when_distances_are_bounded_then_share_within_reach(distance: float, share: float) -> None:
    context = AnswerContext(max_distance_m=100.0)
    key = f"0 degrees, {distance} meters"
    assert MOVE.random_baseline(key, context=context) == pytest.approx(20 / 360 * share)
    assert MOVE.random_baseline(key) is None
