from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.errors import UserError
from annotator.model_api import ModelIdentity
from models.boxes import BoxArrays, iou
from models.detector import DetectorOptions, SlicingDetector
from models.slicing import Slice, SliceResult, Slices, merge_slices, slices_of

WIDTH, HEIGHT, SIDE = 500, 350, 128
SLICES = Slices(slice_px=SIDE, overlap=0.25, with_whole=False)
SHARED_PX = 32
SLACK_PX = 4
"""Of the overlap a thing may not use: twice the distance from an edge at which a box is taken as cut."""


def found(
    boxes: list[tuple[float, ...]], *, classes: list[int] | None = None, score: float = 0.9
) -> BoxArrays:
    return BoxArrays(
        boxes=np.array(boxes, np.float64).reshape(-1, 4),
        scores=np.full(len(boxes), score),
        classes=np.array(classes or [0] * len(boxes), np.int64),
    )


def look(things: BoxArrays, part: Slice, *, shake: np.random.Generator | None = None) -> SliceResult:
    """Return what a perfect detector finds in a slice: of each thing what lies in it."""
    low = np.array([part.left, part.top] * 2)
    high = np.array([part.right, part.bottom] * 2)
    boxes = things.boxes + (shake.uniform(-1.0, 1.0, things.boxes.shape) if shake else 0.0)
    boxes = np.clip(boxes, low, high)
    is_seen = (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])
    seen = BoxArrays(boxes=boxes, scores=things.scores, classes=things.classes).select(is_seen)
    return SliceResult(slice=part, found=seen)


def together(things: BoxArrays, slices: Slices, *, shake: np.random.Generator | None = None) -> BoxArrays:
    parts = slices_of(slices, width_px=WIDTH, height_px=HEIGHT)
    seen = [look(things, part, shake=shake) for part in parts]
    return merge_slices(seen, width_px=WIDTH, height_px=HEIGHT, most_overlap=0.5, most=1000)


def as_set(things: BoxArrays) -> list[tuple[int, ...]]:
    return sorted((int(c), *(round(v) for v in b)) for c, b in zip(things.classes, things.boxes, strict=True))


@st.composite
def scattered(draw, *, most_px: int = SHARED_PX - SLACK_PX, count: int = 25) -> BoxArrays:
    """Things no larger than the overlap, of which none covers another of its category by a third."""
    boxes: list[tuple[int, ...]] = []
    classes: list[int] = []
    for _ in range(draw(st.integers(0, count))):
        width, height = draw(st.integers(4, most_px)), draw(st.integers(4, most_px))
        left, top = draw(st.integers(0, WIDTH - width)), draw(st.integers(0, HEIGHT - height))
        box, number = (left, top, left + width, top + height), draw(st.integers(0, 1))
        same = np.array([b for b, c in zip(boxes, classes, strict=True) if c == number]).reshape(-1, 4)
        if not (iou(np.array([box], np.float64), second=same.astype(np.float64)) > 0.33).any():
            boxes.append(box)
            classes.append(number)
    return found(boxes, classes=classes)


@given(scattered(), st.booleans())
@settings(max_examples=80)
def test_put_together_when_things_are_no_larger_than_the_overlap_then_each_is_there_once(things, with_whole):
    slices = Slices(slice_px=SIDE, overlap=0.25, with_whole=with_whole)
    assert as_set(together(things, slices)) == as_set(things)


@given(scattered(most_px=300, count=12))
@settings(max_examples=50)
def test_put_together_when_the_whole_is_looked_at_too_then_things_of_any_size_are_there_once(things):
    slices = Slices(slice_px=SIDE, overlap=0.25, with_whole=True)
    assert as_set(together(things, slices)) == as_set(things)


@given(
    st.integers(0, WIDTH - 300),
    st.integers(0, HEIGHT - 200),
    st.integers(4, 300),
    st.integers(4, 200),
)
@settings(max_examples=50)
def test_put_together_when_one_thing_spans_slices_then_its_parts_become_one(left, top, width, height):
    thing = found([(left, top, left + width, top + height)])
    assert as_set(together(thing, SLICES)) == as_set(thing)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_put_together_when_boxes_are_shaken_then_each_thing_is_still_there_once(seed):
    chance = np.random.default_rng(seed)
    positions = [(x, y) for x in range(5, WIDTH - 40, 45) for y in range(5, HEIGHT - 40, 45)]
    boxes = [
        (x + a, y + b, x + a + 20, y + b + 20) for (x, y) in positions for a, b in [chance.integers(0, 15, 2)]
    ]
    things = found(boxes)
    merged = together(things, SLICES, shake=chance)
    assert len(merged) == len(things)
    assert (iou(things.boxes, second=merged.boxes).max(axis=1) > 0.7).all()


@given(st.integers(1, 900), st.integers(1, 900), st.integers(64, 300), st.floats(0, 0.75))
def test_slices_of_when_made_then_cover_every_pixel_and_share_the_overlap(width, height, side, overlap):
    slices = Slices(slice_px=side, overlap=overlap, with_whole=False)
    parts = slices_of(slices, width_px=width, height_px=height)
    covered = np.zeros((height, width), np.bool_)
    for part in parts:
        covered[part.top : part.bottom, part.left : part.right] = True
        assert part.right - part.left == min(side, width)
        assert part.bottom - part.top == min(side, height)
    assert covered.all()
    lefts = sorted({part.left for part in parts})
    assert all(side - (b - a) >= int(side * overlap) for a, b in pairwise(lefts))


def test_slices_of_when_the_picture_is_small_then_there_is_one():
    assert slices_of(Slices(slice_px=640), width_px=640, height_px=480) == [
        Slice(left=0, top=0, right=640, bottom=480)
    ]


def test_slices_of_when_there_would_be_too_many_then_refuses():
    with pytest.raises(UserError, match="too many"):
        slices_of(Slices(slice_px=64, overlap=0.75), width_px=20_000, height_px=20_000)


def test_put_together_when_a_part_lies_in_a_larger_box_then_it_goes():
    left, right = Slice(left=0, top=0, right=100, bottom=100), Slice(left=80, top=0, right=180, bottom=100)
    # The right slice saw only a corner of what the left one has whole.
    seen = [
        SliceResult(slice=left, found=found([(50, 20, 95, 80)])),
        SliceResult(slice=right, found=found([(80, 30, 90, 45)])),
    ]
    merged = merge_slices(seen, width_px=180, height_px=100, most_overlap=0.5, most=10)
    assert as_set(merged) == [(0, 50, 20, 95, 80)]


def test_put_together_when_categories_differ_then_both_stay():
    left, right = Slice(left=0, top=0, right=100, bottom=100), Slice(left=80, top=0, right=180, bottom=100)
    seen = [
        SliceResult(slice=left, found=found([(50, 20, 95, 80)])),
        SliceResult(slice=right, found=found([(80, 20, 95, 80)], classes=[1])),
    ]
    merged = merge_slices(seen, width_px=180, height_px=100, most_overlap=0.5, most=10)
    assert as_set(merged) == [(0, 50, 20, 95, 80), (1, 80, 20, 95, 80)]


class SquareFinder:
    """Finds plain red and blue squares in a picture shrunk to a side of 256, as a model would."""

    names = ("red", "blue")
    batch = 4
    side_px = 256
    least_px = 4

    def __init__(self) -> None:
        self.calls: list[int] = []

    def find(self, pictures) -> list[BoxArrays]:
        self.calls.append(len(pictures))
        return [self._one(picture) for picture in pictures]

    def _one(self, picture) -> BoxArrays:
        import cv2

        factor = min(1.0, self.side_px / max(picture.shape[:2]))
        small = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        boxes, classes = [], []
        for number, channel in enumerate((0, 2)):
            mask = (small[..., channel] > 200) & (small[..., 2 - channel] < 60)
            _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=4)
            for x, y, width, height, _ in stats[1:]:
                if min(width, height) >= self.least_px:
                    boxes.append(tuple(np.array([x, y, x + width, y + height]) / factor))
                    classes.append(number)
        return found(boxes, classes=classes)

    def close(self) -> None:
        self.calls.clear()


def painted(seed: int) -> tuple[np.ndarray, BoxArrays]:
    """Paint squares of 8 to 200 pixels on a noisy ground of 1,600 x 1,200."""
    chance = np.random.default_rng(seed)
    picture = chance.integers(80, 140, (1200, 1600, 3)).astype(np.uint8)
    boxes, classes = [], []
    for row in range(5):
        for column in range(6):
            side = int(chance.choice([8, 10, 14, 20, 40, 90, 200]))
            left = column * 260 + int(chance.integers(0, 250 - side)) + 5
            top = row * 235 + int(chance.integers(0, 230 - side)) + 2
            number = int(chance.integers(0, 2))
            picture[top : top + side, left : left + side] = [(255, 0, 0), (0, 0, 255)][number]
            boxes.append((left, top, left + side, top + side))
            classes.append(number)
    return picture, found(boxes, classes=classes)


def matched(detections, things: BoxArrays) -> int:
    """Return how many things have a detection of their category that covers them by half."""
    names = SquareFinder.names
    boxes = np.array([one.box for one in detections]).reshape(-1, 4)
    same = np.array([[one.category == names[c] for one in detections] for c in things.classes])
    return int(((iou(things.boxes, second=boxes) > 0.5) & same).any(axis=1).sum())


def squares(**options: object) -> SlicingDetector:
    identity = ModelIdentity(name="squares", kind="detector")
    return SlicingDetector(SquareFinder(), options=DetectorOptions(**options), identity=identity)


@pytest.mark.parametrize("seed", range(5))
def test_detect_when_sliced_then_small_things_are_found_and_none_twice(seed):
    picture, things = painted(seed)
    (plain,) = squares().detect([picture])
    (sliced,) = squares(slice_px=256, overlap=0.2).detect([picture])
    # Shrunk to a sixth, squares of less than 24 pixels are gone.
    small = int((things.boxes[:, 2] - things.boxes[:, 0] <= 20).sum())
    assert matched(plain, things) <= len(things) - small
    assert matched(sliced, things) == len(things)
    assert len(sliced) == len(things)


def test_detect_when_pictures_have_many_slices_then_they_go_in_batches_and_come_back_in_order():
    finder = SquareFinder()
    identity = ModelIdentity(name="squares", kind="detector")
    options = DetectorOptions(slice_px=256, overlap=0.2, with_whole=False)
    model = SlicingDetector(finder, options=options, identity=identity)
    first, _ = painted(1)
    second = np.zeros((100, 100, 3), np.uint8)
    second[10:30, 40:60] = (255, 0, 0)
    one, other = model.detect([first, second])
    assert len(one) == 30
    assert [(d.category, d.box) for d in other] == [("red", (40.0, 10.0, 60.0, 30.0))]
    assert set(finder.calls[:-1]) == {4}
    assert model.batch == 1
