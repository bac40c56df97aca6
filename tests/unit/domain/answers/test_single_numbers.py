"""Clock and direction label: one number that a word marks."""

from __future__ import annotations

import pytest

from annotator.domain import answers
from annotator.domain.answers import Mode

CLOCK = answers.get("clock")
DIRECTION = answers.get("direction_label")


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2 o'clock", 2),
        ("8 o’clock.", 8),
        ("5 oclock", 5),
        ("12", 12),
        ("(7)", 7),
        ("10:00", 10),
        ("eleven o'clock", 11),
        ("3点钟方向", 3),
        ("三点方向", 3),
        ("两点钟", 2),
        ("十二点", 12),
        ("３点", 3),
        ("Region 3 is at 5 o'clock", 5),
        ("2 of 3 regions: 5 o'clock", 5),
        ("at 4 o'clock, I repeat, 4 o'clock", 4),
        ("Answer: 6 o'clock because 3 o'clock is empty", 6),
    ],
)
def test_strict_clock_when_one_hour_is_named_then_read(text: str, hour: int) -> None:
    assert CLOCK.parse(text).value == hour


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("straight ahead", "No answer"),
        ("Region 5", "No answer"),
        ("-3", "No answer"),
        ("-3 o'clock", "No answer"),
        ("二十点", "No answer"),
        ("2:30", "No answer"),
        ("2点30分", "No answer"),
        ("2.5 o'clock", "No answer"),
        ("none o'clock", "No answer"),
        ("2-3 o'clock", "several values: 2, 3"),
        ("three or four o'clock", "several values: 3, 4"),
        ("2 o'clock or 5 o'clock", "several values: 2, 5"),
        ("not at 3 o'clock", "negation"),
        ("13 o'clock", "13 is outside 1 to 12"),
        ("0", "0 is outside 1 to 12"),
    ],
)
def test_strict_clock_when_none_or_several_then_unparsed(text: str, reason: str) -> None:
    parsed = CLOCK.parse(text)
    assert parsed.value is None
    assert reason in parsed.reason


@pytest.mark.parametrize(
    ("text", "arrow"),
    [
        ("Direction 3", 3),
        ("direction three", 3),
        ("Direction: 3.", 3),
        ("The direction is **4**", 4),
        ("Direction_2", 2),
        ("6", 6),
        ("方向３", 3),
        ("3号方向", 3),
        ("第三个方向", 3),
        ("Arrow 1 of 6: Direction 5", 5),
    ],
)
def test_strict_direction_when_one_arrow_is_named_then_read(text: str, arrow: int) -> None:
    assert DIRECTION.parse(text).value == arrow


@pytest.mark.parametrize(
    "text",
    ["left", "Direction 7", "Direction 0", "Direction 2 or 3", "Direction -3", "-3", "Direction 3.5", "2, 3"],
)
def test_strict_direction_when_none_or_several_then_unparsed(text: str) -> None:
    assert DIRECTION.parse(text).value is None


@pytest.mark.parametrize("answer_format", [CLOCK, DIRECTION], ids=["clock", "direction"])
def test_compatible_number_when_read_then_first_integer_of_any_kind(
    answer_format: answers.AnswerFormat[int],
) -> None:
    assert answer_format.parse("2 of 3 regions: 5", mode=Mode.COMPATIBLE).value == 2
    assert answer_format.parse("1-2", mode=Mode.COMPATIBLE).value == 1
    assert answer_format.parse("-40", mode=Mode.COMPATIBLE).value == -40
    assert answer_format.parse("none", mode=Mode.COMPATIBLE).value is None
    assert not answer_format.parse("9" * 5000, mode=Mode.COMPATIBLE).is_parsed
    assert not answer_format.score("9" * 5000, "3", mode=Mode.COMPATIBLE).is_parsed


@pytest.mark.parametrize(
    ("prediction", "key", "is_correct"),
    [
        ("2 o'clock", "2 o'clock", True),
        ("2", "8 o'clock.", False),
        ("8", "8 o'clock.", True),
        ("up", "down", True),
    ],
)
def test_compatible_clock_when_scored_then_first_integers_decide(
    prediction: str, key: str, is_correct: bool
) -> None:
    score = CLOCK.score(prediction, key, mode=Mode.COMPATIBLE)
    assert (score.is_correct, score.score) == (is_correct, float(is_correct))
    assert score.is_parsed == any(character.isdigit() for character in prediction)


def test_strict_score_when_numbers_differ_then_wrong() -> None:
    assert CLOCK.score("3点钟", "3 o'clock").score == 1.0
    assert CLOCK.score("4 o'clock", "3 o'clock").score == 0.0
    assert DIRECTION.score("3", "Direction 3").is_correct
    assert not DIRECTION.score("2", "Direction 3").is_correct


def test_validate_when_out_of_range_then_says_so() -> None:
    assert CLOCK.validate(12) == DIRECTION.validate(6) == []
    assert "13" in CLOCK.validate(13)[0].message
    assert "0" in CLOCK.validate(0)[0].message
    assert "7" in DIRECTION.validate(7)[0].message


def test_baseline_when_asked_then_one_over_the_number_of_answers() -> None:
    assert CLOCK.random_baseline("3 o'clock") == pytest.approx(1 / 12)
    assert DIRECTION.random_baseline("Direction 3") == pytest.approx(1 / 6)
    assert CLOCK.random_baseline("14 o'clock") is None
