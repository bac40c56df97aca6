from __future__ import annotations

import random

import pytest

from annotator.domain import answers
from annotator.domain.answers import AnswerContext, Mode
from annotator.domain.answers.box_match import match_boxes
from annotator.domain.region import Box

BOX = answers.get("bbox")
KEY = "[0, 0, 100, 100]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[823, 189, 932, 249]", (823, 189, 932, 249)),
        ("[932, 249, 823, 189]", (823, 189, 932, 249)),
        ("823 189 932 249", (823, 189, 932, 249)),
        ("［823，189，932，249］", (823, 189, 932, 249)),
        ("x1=823, y1=189, x2=932, y2=249", (823, 189, 932, 249)),
        ('{"x1": 8, "y1": 1.5, "x2": 9, "y2": 2}', (8, 1.5, 9, 2)),
        ("(823,189),(932,249)", (823, 189, 932, 249)),
        ("Image 2: [823.5, 189, 932, 249]", (823.5, 189, 932, 249)),
        ("In image 2 it is at [1, 2, 3, 4]; I repeat: [1, 2, 3, 4].", (1, 2, 3, 4)),
        ("[-5, 0, 10, 10]", (-5, 0, 10, 10)),
    ],
)
def test_strict_box_when_four_numbers_then_read(text: str, expected: tuple[float, ...]) -> None:
    x1, y1, x2, y2 = expected
    assert BOX.parse(text).value == Box(x1=x1, y1=y1, x2=x2, y2=y2)


@pytest.mark.parametrize(
    "text",
    [
        "Region 5",
        "[1, 2, 3]",
        "1, 2, 3, 4, 5",
        "[1, 2, 3, 4] or [5, 6, 7, 8]",
        "not [1, 2, 3, 4]",
        "[0, 0, 1, 10000000]",
    ],
)
def test_strict_box_when_not_one_box_then_unparsed(text: str) -> None:
    parsed = BOX.parse(text)
    assert parsed.value is None
    assert parsed.reason


@pytest.mark.parametrize(
    ("prediction", "iou", "center", "size"),
    [
        ("[0, 0, 100, 100]", 1.0, 1.0, 1.0),
        ("[100, 100, 0, 0]", 1.0, 1.0, 1.0),
        ("[0, 0, 100, 50]", 0.5, 1 - 25 / 20000**0.5, 0.75),
        ("[50, 0, 150, 100]", 1 / 3, 1 - 50 / 20000**0.5, 1.0),
        ("[25, 25, 75, 75]", 0.25, 1.0, 0.5),
        ("[1000, 1000, 1100, 1100]", 0.0, 0.0, 1.0),
    ],
)
def test_score_when_boxes_differ_then_composite_of_three_parts(
    prediction: str, iou: float, center: float, size: float
) -> None:
    for mode in Mode:
        score = BOX.score(prediction, KEY, mode=mode)
        details = score.details
        assert details["iou"] == pytest.approx(iou)
        assert details["center_score"] == pytest.approx(center)
        assert details["size_score"] == pytest.approx(size)
        assert details["composite_score"] == pytest.approx(0.5 * iou + 0.25 * center + 0.25 * size)
        assert score.is_correct == (details["composite_score"] >= 0.5)
        assert score.score == float(score.is_correct)


def test_score_when_composite_is_exactly_half_then_right() -> None:
    # Same centre, a quarter of the area: 0.5 * 0.25 + 0.25 * 1 + 0.25 * 0.5.
    assert BOX.score("[25, 25, 75, 75]", KEY).details["composite_score"] == 0.5
    assert BOX.score("[25, 25, 75, 75]", KEY).is_correct
    assert not BOX.score("[26, 26, 75, 75]", KEY).is_correct


def test_compatible_score_when_key_has_no_four_integers_then_region_question() -> None:
    assert BOX.score("Region 5", "Region 5", mode=Mode.COMPATIBLE).is_correct
    assert not BOX.score("Region 4", "Region 5", mode=Mode.COMPATIBLE).is_correct
    unread = BOX.score("no box", KEY, mode=Mode.COMPATIBLE)
    assert (unread.is_correct, unread.is_parsed, unread.details["composite_score"]) == (False, False, 0.0)


@pytest.mark.parametrize("digits", [400, 5000])
def test_compatible_score_when_numbers_are_endless_then_unparsed_instead_of_a_crash(digits: int) -> None:
    endless = "9" * digits
    assert not BOX.score(f"[0, 0, {endless}, {endless}]", KEY, mode=Mode.COMPATIBLE).is_parsed


def test_render_when_whole_pixels_then_no_decimals() -> None:
    assert BOX.render(Box(x1=823.0, y1=189.0, x2=932.0, y2=249.5)) == "[823, 189, 932, 249.5]"
    assert BOX.render(Box(x1=1e-7, y1=0.0, x2=1e5, y2=1.0)) == "[0.0000001, 0, 100000, 1]"


def test_validate_when_box_is_empty_or_outside_then_says_where() -> None:
    picture = AnswerContext(image_size_px=(1920, 1080))
    assert BOX.validate(Box(x1=0, y1=0, x2=1920, y2=1080), context=picture) == []
    problems = BOX.validate(Box(x1=-1, y1=5, x2=2000, y2=5), context=picture)
    assert [problem.field for problem in problems] == ["y1, y2", "x1", "x2"]
    assert BOX.validate(Box(x1=0, y1=0, x2=2_000_000, y2=5))[0].field == "x1, x2"


def test_baseline_when_picture_is_known_then_share_of_random_boxes() -> None:
    picture = AnswerContext(image_size_px=(1000, 500))
    baseline = BOX.random_baseline("[250, 125, 750, 375]", context=picture)
    draw = random.Random(99)
    hits = 0
    for _ in range(3000):
        corners = [draw.random() * 1000, draw.random() * 500, draw.random() * 1000, draw.random() * 500]
        hits += BOX.score(str([round(number, 3) for number in corners]), "[250, 125, 750, 375]").is_correct
    assert baseline == pytest.approx(hits / 3000, abs=0.04)
    assert 0.1 < baseline < 0.6
    assert BOX.random_baseline("[250, 125, 750, 375]", context=picture) == baseline
    assert BOX.random_baseline("[250, 125, 750, 375]") is None


@pytest.mark.parametrize("corners", [(30, 40, 90, 75), (0, 0, 1000, 500), (200, 20, 260, 480)])
def test_baseline_when_boxes_share_nothing_with_the_key_then_it_is_that_of_all_boxes(
    corners: tuple[int, int, int, int],
) -> None:
    draw, hits = random.Random(0).random, 0
    truth = Box(**dict(zip(("x1", "y1", "x2", "y2"), corners, strict=True)))
    for _ in range(10_000):
        x1, y1, x2, y2 = draw() * 1000, draw() * 500, draw() * 1000, draw() * 500
        box = Box(x1=min(x1, x2), y1=min(y1, y2), x2=max(x1, x2), y2=max(y1, y2))
        hits += match_boxes(box, truth=truth).composite >= 0.5
    picture = AnswerContext(image_size_px=(1000, 500))
    assert BOX.random_baseline(str(list(corners)), context=picture) == hits / 10_000


def test_baseline_when_target_is_tiny_then_almost_nothing() -> None:
    baseline = BOX.random_baseline("[10, 10, 20, 20]", context=AnswerContext(image_size_px=(4000, 2250)))
    assert baseline is not None
    assert baseline < 0.001
