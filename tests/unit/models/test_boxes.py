from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.boxes import BoxArrays, iou, nms


def scattered(seed: int, *, count: int, span: float = 200.0, classes: int = 3) -> BoxArrays:
    chance = np.random.default_rng(seed)
    corners = chance.uniform(0, span, (count, 2))
    boxes = np.concatenate([corners, corners + chance.uniform(1, 60, (count, 2))], axis=1)
    return BoxArrays(
        boxes=boxes, scores=chance.integers(0, 50, count) / 50, classes=chance.integers(0, classes, count)
    )


def one_by_one(found: BoxArrays, *, most_overlap: float) -> list[int]:
    """The textbook way: the most certain box stays, what it covers goes, and again."""
    left = sorted(range(len(found)), key=lambda n: -found.scores[n])
    kept: list[int] = []
    while left:
        best = left.pop(0)
        kept.append(best)
        left = [
            n
            for n in left
            if found.classes[n] != found.classes[best]
            or iou(found.boxes[n : n + 1], second=found.boxes[best : best + 1])[0, 0] <= most_overlap
        ]
    return kept


@given(st.integers(0, 10_000), st.integers(0, 320), st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0]))
@settings(max_examples=15)
def test_suppress_when_compared_with_the_textbook_then_the_same_boxes_stay(seed, count, most_overlap):
    found = scattered(seed, count=count)
    kept = nms(found, most_overlap=most_overlap, most=10_000)
    expected = found.select(np.array(one_by_one(found, most_overlap=most_overlap), np.int64))
    assert np.array_equal(kept.boxes, expected.boxes)
    assert np.array_equal(kept.classes, expected.classes)


def test_suppress_when_more_are_left_than_wanted_then_the_most_certain_come():
    found = scattered(1, count=3_000, span=5_000.0)
    whole = nms(found, most_overlap=0.5, most=10_000)
    few = nms(found, most_overlap=0.5, most=40)
    assert len(few) == 40
    assert np.array_equal(few.boxes, whole.boxes[:40])


def test_suppress_when_boxes_reach_left_of_the_image_then_categories_do_not_meet():
    found = BoxArrays(
        boxes=np.array([[80.0, 0.0, 100.0, 20.0], [-20.5, 0.0, 0.0, 20.0]]),
        scores=np.array([0.9, 0.8]),
        classes=np.array([0, 1]),
    )
    assert len(nms(found, most_overlap=0.0, most=10)) == 2


def test_suppress_when_most_candidates_are_one_object_then_the_others_are_found_behind_them():
    crowd = np.tile([[10.0, 10.0, 50.0, 50.0]], (2_000, 1))
    others = np.array([[index, 500.0, index + 30.0, 530.0] for index in range(0, 2_000, 50)], float)
    found = BoxArrays(
        boxes=np.concatenate([crowd, others]),
        scores=np.linspace(0.9, 0.1, 2_040),
        classes=np.zeros(2_040, np.int64),
    )
    assert len(nms(found, most_overlap=0.5, most=20)) == 20
    assert len(nms(found, most_overlap=0.5, most=100)) == 41


def test_suppress_when_there_is_no_box_then_none_stays():
    assert len(nms(BoxArrays.empty(), most_overlap=0.5, most=10)) == 0


def test_overlaps_when_boxes_have_no_extent_then_they_share_nothing():
    point = np.array([[5.0, 5.0, 5.0, 5.0]])
    assert iou(point, second=point)[0, 0] == 0.0


def test_overlaps_when_boxes_cover_each_other_by_half_then_a_third():
    one, other = np.array([[0.0, 0.0, 10.0, 10.0]]), np.array([[5.0, 0.0, 15.0, 10.0]])
    assert iou(one, second=other)[0, 0] == pytest.approx(1 / 3)


def test_inside_when_boxes_reach_out_then_they_are_cut_and_those_outside_go():
    found = BoxArrays(
        boxes=np.array([[-5.0, -5.0, 20.0, 8.0], [200.0, 0.0, 210.0, 5.0], [1.0, 1.0, 2.0, 2.0]]),
        scores=np.array([0.9, 0.8, 0.7]),
        classes=np.array([0, 1, 2]),
    )
    cut = found.clip(width_px=10, height_px=10)
    assert cut.boxes.tolist() == [[0, 0, 10, 8], [1, 1, 2, 2]]
    assert cut.classes.tolist() == [0, 2]


def test_detections_when_a_category_has_no_name_then_its_number_is_told():
    found = BoxArrays(boxes=np.zeros((2, 4)), scores=np.zeros(2), classes=np.array([0, 7]))
    assert [one.category for one in found.detections(("car",))] == ["car", "class 7"]
