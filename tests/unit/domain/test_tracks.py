from __future__ import annotations

import pytest

from annotator.domain.region import Box, Region
from annotator.domain.rotated_box import RotatedBox, rotated_box_of
from annotator.domain.tracks import frames_between, gaps_of, interpolate, interpolate_gap, track_of

BOX = Box(x1=10, y1=10, x2=30, y2=20)


def region(
    frame: int | None,
    *,
    number: int = 3,
    box: Box = BOX,
    polygon: tuple[tuple[float, float], ...] = (),
    medium: str = "m",
) -> Region:
    return Region(
        medium=medium, number=number, box=box, polygon=polygon, frame=frame, category="van", track="t"
    )


def turned(frame: int, shape: RotatedBox) -> Region:
    return region(frame, polygon=shape.corners())


def test_track_then_has_the_boxes_of_the_number_in_the_video_in_order_of_frames() -> None:
    first, last = region(2), region(9)
    others = [region(4, number=4), region(5, medium="n"), region(None)]
    assert track_of(first, [last, *others, first]) == [first, last]
    assert track_of(others[2], [first, others[2]]) == [others[2]]


def test_gaps_then_are_between_boxes_with_frames_between_them() -> None:
    track = [region(frame) for frame in (0, 1, 5, 6, 9)]
    gaps = gaps_of(track)
    assert [(before.frame, after.frame) for before, after in gaps] == [(1, 5), (6, 9)]
    assert frames_between(gaps) == 5
    assert [one.frame for one in interpolate_gap(*gaps[0])] == [2, 3, 4]


def test_box_when_interpolated_then_moves_and_grows_evenly() -> None:
    made = interpolate(region(0), region(4, box=Box(x1=50, y1=10, x2=90, y2=40)), frame=1)
    assert made.box == Box(x1=20, y1=10, x2=45, y2=25)
    assert (made.frame, made.number, made.category, made.track) == (1, 3, "van", "t")
    assert (made.made_by, made.polygon, made.id) == ("interpolation", (), "")


@pytest.mark.parametrize(
    ("first", "last", "middle"), [(10, 50, 30), (350, 20, 5), (20, 350, 5), (10, 170, 0)]
)
def test_rotated_box_when_interpolated_then_turns_the_shorter_way(
    first: float, last: float, middle: float
) -> None:
    before = turned(0, RotatedBox(x=50, y=50, width=40, height=20, angle_deg=first))
    after = turned(2, RotatedBox(x=70, y=50, width=40, height=20, angle_deg=last))
    found = rotated_box_of(interpolate(before, after, frame=1))
    expected = RotatedBox(x=60, y=50, width=40, height=20, angle_deg=middle)
    if middle:
        assert found is not None
        assert found.angle_deg % 180 == pytest.approx(middle)
    corners = interpolate(before, after, frame=1).polygon
    for corner in expected.corners():
        assert any(corner == pytest.approx(other) for other in corners)


def test_plain_box_when_the_next_one_is_rotated_then_begins_to_turn() -> None:
    after = turned(10, RotatedBox(x=20, y=15, width=20, height=10, angle_deg=30))
    found = rotated_box_of(interpolate(region(0), after, frame=5))
    assert found is not None
    assert (found.x, found.y, found.width, found.height, found.angle_deg) == pytest.approx(
        (20, 15, 20, 10, 15)
    )


def test_polygons_when_they_have_as_many_corners_then_each_corner_moves() -> None:
    before = region(0, polygon=((0, 0), (10, 0), (10, 10)))
    after = region(2, polygon=((10, 0), (20, 0), (20, 20)))
    made = interpolate(before, after, frame=1)
    assert made.polygon == ((5, 0), (15, 0), (15, 15))
    assert made.box == Box(x1=5, y1=0, x2=15, y2=15)


def test_polygons_when_their_corners_differ_then_the_boxes_around_them_move() -> None:
    before = region(0, polygon=((10, 10), (30, 10), (30, 20)))
    after = region(2, box=Box(x1=20, y1=10, x2=40, y2=20))
    made = interpolate(before, after, frame=1)
    assert (made.polygon, made.box) == ((), Box(x1=15, y1=10, x2=35, y2=20))


def test_point_when_interpolated_then_stays_a_point() -> None:
    point = Box(x1=10, y1=10, x2=10, y2=10)
    made = interpolate(region(0, box=point), region(2, box=Box(x1=20, y1=30, x2=20, y2=30)), frame=1)
    assert made.is_point
    assert made.box.y1 == 20
