"""Region set and region label, which read replies alike and score them differently."""

from __future__ import annotations

import pytest

from annotator.domain import answers
from annotator.domain.answers import AnswerContext, Mode

SET = answers.get("region_set")
LABEL = answers.get("region_label")
TWO_VIEWS = AnswerContext(region_ids=(frozenset(range(6)), frozenset({4, 5, 6, 7, 8, 9})))


@pytest.mark.parametrize(
    ("text", "regions"),
    [
        ("Region 3, 4.", (3, 4)),
        ("Region 0", (0,)),
        ("3, 4", (3, 4)),
        ("4", (4,)),
        ("[3, 4]", (3, 4)),
        ("(3), (4)", (3, 4)),
        ("Regions 3 and 4", (3, 4)),
        ("Region 3, Region 4, and Region 5", (3, 4, 5)),
        ("The lots are in Regions 3, 4.", (3, 4)),
        ("**Region 3**, **Region 4**", (3, 4)),
        ("- Region 3\n- Region 4", (3, 4)),
        ("1. Region 3\n2. Region 4", (3, 4)),
        ("Region 3\nRegion 4", (3, 4)),
        ("区域3和区域4", (3, 4)),
        ("区域：３、４。", (3, 4)),
        ("3号和4号区域", (3, 4)),
        ("Region 1-2", (1, 2)),
        ("Region 1–2", (1, 2)),
        ("Regions 1 to 2", (1, 2)),
        ("Region-3", (3,)),
        ("Region_3", (3,)),
        ("Region #3", (3,)),
        ("2 of 3 regions: 5", (5,)),
        ("Image 2 Region 5", (5,)),
        ("Region 3 (car), 4", (3, 4)),
        ("Region 3 (2 cars)", (3,)),
        ("Answer: Region 3 because Region 5 is farther", (3,)),
        ("Region 3 is nearest. I am sure that it is Region 3.", (3,)),
        ("Region 5, 3", (5, 3)),
    ],
)
def test_strict_regions_when_one_list_is_named_then_read(text: str, regions: tuple[int, ...]) -> None:
    assert LABEL.parse(text).value == regions
    assert SET.parse(text).value == frozenset(regions)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "No region"),
        ("none of them", "No region"),
        ("Region -2", "No region"),
        ("-2", "No region"),
        ("Region 3.5", "No region"),
        ("Region 1234567", "No region"),
        ("the car is 3 meters away", "No region"),
        ("Region 1-5", "a range or a pair"),
        ("Region 2-1", "a range or a pair"),
        ("Region 3 or 4", "alternatives"),
        ("Region 3 is closer than Region 5", "several places"),
        ("Regions 3 and 4, but not 5", "negated"),
        ("Region 1, -2", "is not a region id"),
        ("Region 3, 5 meters away", "is not a region id"),
    ],
)
def test_strict_regions_when_ambiguous_then_unparsed_with_reason(text: str, reason: str) -> None:
    for answer_format in (SET, LABEL):
        parsed = answer_format.parse(text)
        assert parsed.value is None
        assert reason in parsed.reason


@pytest.mark.parametrize(
    ("prediction", "score", "is_correct"),
    [
        ("Region 3, 4", 1.0, True),
        ("Region 4, 3", 1.0, True),
        ("Region 3", 0.5, False),
        ("Region 3, 9", 0.5, False),
        ("Region 8, 9", 0.0, False),
        ("Region 3, 4, 5", 0.0, False),
    ],
)
def test_set_score_when_parts_are_found_then_recall_without_extras(
    prediction: str, score: float, is_correct: bool
) -> None:
    for mode in Mode:
        result = SET.score(prediction, "Region 3, 4.", mode=mode)
        assert (result.score, result.is_correct) == (score, is_correct)


def test_set_score_when_given_then_details_hold_precision_and_recall() -> None:
    details = SET.score("Region 3, 4, 5", "Region 3, 4").details
    assert details["precision"] == pytest.approx(2 / 3)
    assert details["recall"] == 1.0
    assert details["f1"] == pytest.approx(0.8)
    assert details["is_oversized"] == 1.0


def test_label_score_when_order_differs_then_wrong() -> None:
    assert LABEL.score("Region 3, 4", "Region 3, 4").is_correct
    assert not LABEL.score("Region 4, 3", "Region 3, 4").is_correct


def test_compatible_parse_when_hyphens_occur_then_signs() -> None:
    assert LABEL.parse("Region 1-2", mode=Mode.COMPATIBLE).value == (1, -2)
    assert SET.parse("Region 1-2", mode=Mode.COMPATIBLE).value == {1, -2}


def test_compatible_score_when_number_is_endless_then_unparsed_instead_of_a_crash() -> None:
    for answer_format in (SET, LABEL):
        score = answer_format.score("9" * 5000, "Region 3", mode=Mode.COMPATIBLE)
        assert not score.is_parsed
        assert "digits" in score.reason


def test_validate_when_regions_cannot_be_then_says_which() -> None:
    assert SET.validate(frozenset({0, 9}), context=TWO_VIEWS) == []
    assert "Not in any view: 10, 12" in SET.validate(frozenset({1, 10, 12}), context=TWO_VIEWS)[0].message
    assert "-1" in SET.validate(frozenset({-1}))[0].message
    assert "no region" in SET.validate(frozenset())[0].message
    assert SET.validate(frozenset({10}), context=AnswerContext()) == []
    assert [problem.message for problem in LABEL.validate((3, 3))] == ["A region occurs twice: Region 3, 3."]


def test_baseline_when_regions_are_known_then_closed_form() -> None:
    # Ten regions over both views. Two of ten: each is right with 2/10; in order: 1/10 times 1/9.
    assert SET.random_baseline("Region 3, 4", context=TWO_VIEWS) == pytest.approx(0.2)
    assert LABEL.random_baseline("Region 3", context=TWO_VIEWS) == pytest.approx(0.1)
    assert LABEL.random_baseline("Region 3, 4", context=TWO_VIEWS) == pytest.approx(1 / 90)


def test_baseline_when_regions_or_key_are_unknown_then_none() -> None:
    for answer_format in (SET, LABEL):
        assert answer_format.random_baseline("Region 3") is None
        assert answer_format.random_baseline("unclear", context=TWO_VIEWS) is None
        few = AnswerContext(region_ids=(frozenset({3}),))
        assert answer_format.random_baseline("Region 3, 4", context=few) is None
