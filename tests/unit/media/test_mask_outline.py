from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from annotator.media.mask_outline import MOST_SIDE_PX, outline_of
from annotator.media.polygon import crosses_itself

Mask = NDArray[np.float32]


def mask_of(*boxes: tuple[int, int, int, int], size: tuple[int, int] = (40, 30)) -> Mask:
    made = np.full((size[1], size[0]), -1.0, np.float32)
    for x1, y1, x2, y2 in boxes:
        made[y1:y2, x1:x2] = 1.0
    return made


def test_outline_when_the_mask_is_a_box_then_has_its_exact_corners() -> None:
    corners = outline_of(mask_of((5, 7, 25, 17)), size_px=(40, 30))
    assert set(corners) == {(5, 7), (25, 7), (25, 17), (5, 17)}
    assert len(corners) == 4


def test_outline_when_the_mask_reaches_the_edges_then_ends_at_the_image() -> None:
    assert set(outline_of(mask_of((0, 0, 40, 30)), size_px=(40, 30))) == {(0, 0), (40, 0), (40, 30), (0, 30)}


def test_outline_when_the_mask_is_one_pixel_then_encloses_it() -> None:
    assert set(outline_of(mask_of((3, 4, 4, 5)), size_px=(40, 30))) == {(3, 4), (4, 4), (4, 5), (3, 5)}


def test_outline_when_the_mask_has_several_parts_then_takes_the_one_at_the_point_else_the_largest() -> None:
    parts = mask_of((2, 2, 6, 6), (20, 5, 35, 25))
    at_point = outline_of(parts, size_px=(40, 30), points=((0.0, 29.0), (4.0, 4.0)))
    assert max(x for x, _ in at_point) == 6
    assert min(x for x, _ in outline_of(parts, size_px=(40, 30))) == 20


def test_outline_when_the_tolerance_is_larger_then_has_fewer_corners_within_it() -> None:
    y, x = np.mgrid[:200, :200]
    disc = (60.0 - np.hypot(x - 100, y - 100)).astype(np.float32)
    fine, coarse = (outline_of(disc, size_px=(200, 200), tolerance_px=tolerance) for tolerance in (1.0, 4.0))
    assert 4 < len(coarse) < len(fine) < 60
    for polygon, most in ((fine, 2.5), (coarse, 5.5)):
        assert not crosses_itself(polygon)
        assert np.abs(np.hypot(*(np.array(polygon) - 100.5).T) - 60).max() < most


def test_outline_when_the_mask_is_smaller_than_the_image_then_is_scaled_to_it() -> None:
    corners = np.array(outline_of(mask_of((5, 7, 25, 17)), size_px=(400, 300)))
    assert corners.min(axis=0) == pytest.approx((50, 70), abs=6)
    assert corners.max(axis=0) == pytest.approx((250, 170), abs=6)


def test_outline_when_the_image_is_very_large_then_is_traced_smaller_and_scaled() -> None:
    width = 4 * MOST_SIDE_PX
    corners = np.array(outline_of(mask_of((5, 7, 25, 17)), size_px=(width, width * 3 // 4)))
    assert corners.max(axis=0) == pytest.approx((width * 25 / 40, width * 17 / 40), rel=0.02)


def test_outline_when_nothing_is_inside_then_is_empty() -> None:
    assert outline_of(mask_of(), size_px=(40, 30)) == ()
