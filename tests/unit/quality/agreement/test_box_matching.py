"""Boxes of two people are matched one to one, rotated ones as they lie on the image."""

from __future__ import annotations

import pytest

from annotator.domain.event_label import PercentBox
from annotator.quality.agreement.box_matching import match_boxes, overlap


def _box(x: float, y: float, width: float = 10, height: float = 10, **fields: float) -> PercentBox:
    return PercentBox(x=x, y=y, width=width, height=height, **fields)  # type: ignore[arg-type]


def test_boxes_when_equal_then_agree_fully() -> None:
    boxes = [_box(0, 0), _box(50, 50)]
    assert match_boxes(boxes, boxes[::-1]).details == {"matched_boxes": 2.0, "iou": pytest.approx(1.0)}
    assert match_boxes(boxes, boxes).score == 1.0


def test_boxes_when_one_person_drew_one_more_then_f1_is_between() -> None:
    assert match_boxes([_box(0, 0)], [_box(0, 0), _box(50, 50)]).score == pytest.approx(2 / 3)


def test_boxes_when_two_lie_over_one_then_only_the_better_one_is_matched() -> None:
    found = match_boxes([_box(0, 0)], [_box(1, 0), _box(0.5, 0)])
    assert found.details == {"matched_boxes": 1.0, "iou": pytest.approx(9.5 / 10.5, abs=1e-5)}


def test_boxes_when_nobody_drew_one_then_agree_and_when_one_did_then_not() -> None:
    assert match_boxes([], []).score == 1.0
    assert match_boxes([], [_box(0, 0)]).score == 0.0


def test_overlap_when_a_box_is_rotated_then_is_that_of_the_pixels() -> None:
    # 20 x 10 percent of 200 x 100 pixels is 40 x 10 px; turned, 10 x 40 px to the left of its corner.
    size = {"image_width_px": 200, "image_height_px": 100}
    turned = _box(50, 20, width=20, height=10, rotation=90, **size)
    upright = _box(45, 20, width=5, height=40, **size)
    assert overlap(turned, upright) == pytest.approx(1.0, abs=1e-5)


def test_overlap_when_a_box_has_no_area_then_is_none() -> None:
    assert overlap(_box(0, 0, width=0), _box(0, 0, width=0)) == 0.0
