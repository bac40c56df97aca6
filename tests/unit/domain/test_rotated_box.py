from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.region import Box, Region
from annotator.domain.rotated_box import RotatedBox, rectangle_of, rotate_box, rotated_box_of

SIDES = st.floats(2, 4000)
PLACES = st.floats(-4000, 4000)


@given(x=PLACES, y=PLACES, width=SIDES, height=SIDES, angle=st.floats(0.1, 89.9), turns=st.integers(0, 3))
def test_box_when_it_is_made_of_its_corners_then_is_the_same(
    x: float, y: float, width: float, height: float, angle: float, turns: int
) -> None:
    box = RotatedBox(x=x, y=y, width=width, height=height, angle_deg=angle + 90 * turns)
    found = rectangle_of(box.corners())
    assert found is not None
    for name in box.__struct_fields__:
        assert getattr(found, name) == pytest.approx(getattr(box, name), abs=1e-6)


def test_box_of_a_file_when_it_is_rotated_about_its_corner_then_has_the_angle_and_sides_of_the_file() -> None:
    corners = rotate_box(Box(x1=100, y1=50, x2=160, y2=80), degrees=27.5, about=(100, 50))
    found = rectangle_of(corners)
    assert found is not None
    assert corners[0] == (100, 50)
    assert (found.width, found.height, found.angle_deg) == pytest.approx((60, 30, 27.5))


def test_corners_when_they_run_counterclockwise_then_are_the_same_rectangle() -> None:
    first, *others = RotatedBox(x=50, y=50, width=40, height=20, angle_deg=30).corners()
    found = rectangle_of((first, *reversed(others)))
    assert found is not None
    assert (found.width, found.height, found.angle_deg) == pytest.approx((40, 20, 30))


@pytest.mark.parametrize(
    "corners",
    [
        ((0, 0), (10, 0), (10, 5), (0, 5)),
        ((0, 0), (10, 3), (12, 9), (2, 6)),
        ((0, 0), (10, 3), (7, 13)),
        ((0, 0), (0, 0), (0, 0), (0, 0)),
    ],
)
def test_corners_when_they_are_no_rotated_rectangle_then_stay_a_polygon(
    corners: tuple[tuple[float, float], ...],
) -> None:
    assert rectangle_of(corners) is None


def test_corners_when_a_file_has_rounded_them_then_are_a_rectangle() -> None:
    corners = RotatedBox(x=50, y=50, width=40, height=20, angle_deg=33).corners()
    rounded = tuple((round(x, 2), round(y, 2)) for x, y in corners)
    assert rectangle_of(rounded) is not None


def test_region_when_it_is_a_plain_box_then_has_the_angle_0_and_a_point_has_none() -> None:
    plain = Region(medium="m", number=0, box=Box(x1=1, y1=2, x2=5, y2=8))
    assert rotated_box_of(plain) == RotatedBox(x=3, y=5, width=4, height=6)
    assert rotated_box_of(Region(medium="m", number=0, box=Box(x1=1, y1=2, x2=1, y2=2))) is None
