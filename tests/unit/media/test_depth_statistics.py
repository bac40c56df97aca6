from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.region import Box
from annotator.media.depth_statistics import region_depth, resize_depth

PLANE = np.tile(np.arange(1, 101, dtype=np.float32), (50, 1))
"""Depth rises by 1 from 1 on with each pixel to the right."""


def test_figures_when_of_a_box_then_percentiles_are_of_its_pixels():
    figures = region_depth(PLANE, box=Box(x1=10, y1=0, x2=21, y2=50))
    assert figures is not None
    assert (figures.median, figures.p10, figures.p90, figures.valid) == (16.0, 12.0, 20.0, 1.0)


def test_figures_when_pixels_have_no_depth_then_they_are_left_out():
    plane = PLANE.copy()
    plane[:, :15] = [np.nan] * 5 + [0.0] * 5 + [-3.0] * 5
    figures = region_depth(plane, box=Box(x1=0, y1=0, x2=20, y2=10))
    assert figures is not None
    assert (figures.median, figures.valid) == (18.0, 0.25)


@pytest.mark.parametrize(
    "box",
    [Box(x1=0, y1=0, x2=4, y2=4), Box(x1=200, y1=0, x2=210, y2=10), Box(x1=-9, y1=-9, x2=-2, y2=-2)],
)
def test_figures_when_nothing_is_known_then_there_are_none(box):
    plane = PLANE.copy()
    plane[:5, :5] = np.nan
    assert region_depth(plane, box=box) is None


def test_figures_when_of_a_polygon_then_only_its_inside_counts():
    # The triangle's inside lies to the left of the diagonal: 200 pixels of 400, mean column at a third.
    corners = ((0.0, 0.0), (20.0, 20.0), (0.0, 20.0))
    figures = region_depth(PLANE, box=Box(x1=0, y1=0, x2=20, y2=20), polygon=corners)
    whole = region_depth(PLANE, box=Box(x1=0, y1=0, x2=20, y2=20))
    assert figures is not None
    assert whole is not None
    inside = [x + 1 for y in range(20) for x in range(20) if x + 0.5 < y + 0.5]
    assert figures.median == np.median(inside)
    assert figures.median < whole.median


@given(
    st.floats(0, 99),
    st.floats(0, 49),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_figures_when_a_region_is_smaller_than_a_pixel_then_the_one_there_counts(x, y, width, height):
    box = Box(x1=x, y1=y, x2=min(100.0, x + width), y2=min(50.0, y + height))
    figures = region_depth(PLANE, box=box)
    assert figures is not None
    assert abs(figures.median - ((box.x1 + box.x2) / 2 + 0.5)) <= 1.0


@pytest.mark.parametrize(("width", "height"), [(100, 50), (200, 100), (50, 25), (150, 60), (33, 49)])
def test_fitted_when_sizes_differ_then_values_stay_at_their_places(width, height):
    laid = resize_depth(PLANE, width_px=width, height_px=height)
    assert laid.shape == (height, width)
    assert set(np.unique(laid)) <= set(np.unique(PLANE))
    locations = (np.arange(width) + 0.5) * 100 / width + 0.5
    assert np.abs(laid[0] - locations).max() <= 0.5 + 1e-6
