from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.region import Box
from annotator.media.polygon import Point, bounds, crosses_itself, remove_repeats, segment_crosses

SQUARE = ((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0))


def test_bounds_when_given_corners_then_are_the_smallest_box() -> None:
    assert bounds(((3, 9), (1, 4), (8, 5))) == Box(x1=1, y1=4, x2=8, y2=9)


def test_corners_when_some_stand_on_each_other_then_each_is_kept_once() -> None:
    assert remove_repeats([(0, 0), (0, 0), (5, 0), (5, 5), (0, 0), (0, 0)]) == ((0, 0), (5, 0), (5, 5))
    assert remove_repeats([(1, 1), (1, 1)]) == ((1, 1),)


@pytest.mark.parametrize(
    ("corners", "is_crossing"),
    [
        (SQUARE, False),
        (((0, 0), (10, 10), (10, 0), (0, 10)), True),
        # A corner that touches another stretch.
        (((0, 0), (10, 0), (10, 10), (5, 0), (0, 10)), True),
        # A stretch that goes back over the one before.
        (((0, 0), (10, 0), (5, 0), (5, 5)), True),
        # A dent, and a corner on a straight stretch, are no crossing.
        (((0, 0), (10, 0), (5, 5), (10, 10), (0, 10)), False),
        (((0, 0), (5, 0), (10, 0), (10, 10)), False),
        (((0, 0), (5, 0), (5, 5)), False),
        # All corners on one line: the way back lies on the way there.
        (((0, 0), (5, 0), (10, 0)), True),
    ],
)
def test_outline_when_its_stretches_meet_then_crosses_itself(
    corners: tuple[Point, ...], is_crossing: bool
) -> None:
    assert crosses_itself(corners) is is_crossing
    assert crosses_itself(corners[::-1]) is is_crossing
    assert crosses_itself((*corners[1:], corners[0])) is is_crossing


def test_outline_when_open_then_its_ends_may_lie_apart() -> None:
    bow = ((0.0, 0.0), (10.0, 10.0), (10.0, 0.0), (0.0, 5.0))
    assert crosses_itself(bow, is_closed=False)
    # Only the stretch that would close it crosses.
    hook = ((0.0, 0.0), (10.0, 0.0), (10.0, 8.0), (20.0, 8.0), (20.0, 2.0))
    assert crosses_itself(hook)
    assert not crosses_itself(hook, is_closed=False)
    assert not crosses_itself(SQUARE, is_closed=False)


def test_stretch_when_it_touches_a_line_then_meets_it() -> None:
    line = ((0.0, 0.0), (10.0, 0.0), (10.0, 10.0))
    assert segment_crosses((5, -5), (5, 5), corners=line)
    assert segment_crosses((5, 5), (10, 5), corners=line)
    assert not segment_crosses((5, 5), (9, 5), corners=line)
    # On the same line, but beyond its end.
    assert not segment_crosses((11, 0), (20, 0), corners=line)


@given(count=st.integers(3, 40), turn=st.floats(0, 6.28), x=st.floats(-500, 500))
def test_outline_when_convex_then_never_crosses_itself_and_does_with_two_corners_swapped(
    count: int, turn: float, x: float
) -> None:
    angles = [turn + 2 * math.pi * at / count for at in range(count)]
    corners = [(x + 100 * math.cos(angle), 80 * math.sin(angle)) for angle in angles]
    assert not crosses_itself(corners)
    if count > 3:
        assert crosses_itself([corners[1], corners[0], *corners[2:]])
