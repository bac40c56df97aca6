"""Polygons, points and dashes drawn from arrays, and what the pointer hits of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from annotator.domain.region import Box, Region
from annotator.media.render import Overlay
from widgets.stage.box_rasterizer import HALO
from widgets.stage.label_placement import place_labels
from widgets.stage.polyline_rasterizer import GAP_PX, RING_PX, PolylineRasterizer, clipped_lines
from widgets.stage.view_annotations import POINT_REACH, ViewAnnotations, is_inside

RED, GREEN = np.uint32(0xFFFF0000), np.uint32(0xFF00FF00)
TRIANGLE = ((10.0, 10.0), (50.0, 10.0), (10.0, 50.0))


def drawn(sheet: PolylineRasterizer) -> np.ndarray[tuple[int, ...], np.dtype[np.uint32]]:
    ground = np.zeros((60, 80), np.uint32)
    sheet.lay_on(ground)
    return ground


def polygon(name: str, corners: tuple[tuple[float, float], ...]) -> Region:
    x, y = zip(*corners, strict=True)
    return Region(
        id=name,
        medium="m",
        number=1,
        box=Box(x1=min(x), y1=min(y), x2=max(x), y2=max(y)),
        polygon=corners,
    )


def point(name: str, x: float, y: float) -> Region:
    return Region(id=name, medium="m", number=2, box=Box(x1=x, y1=y, x2=x, y2=y))


def box(name: str, x1: float, y1: float, x2: float, y2: float) -> Region:
    return Region(id=name, medium="m", number=3, box=Box(x1=x1, y1=y1, x2=x2, y2=y2))


def test_polygons_when_drawn_then_lines_go_through_their_corners_with_a_halo() -> None:
    sheet = PolylineRasterizer((60, 80))
    corners = np.array(TRIANGLE) + 0.5
    sheet.draw_polygons([corners, corners + np.array((20.0, 0.0))], colours=np.array([RED, GREEN]))
    ground = drawn(sheet)
    assert set(ground[10, 10:29]) == {RED}
    assert ground[30, 30] in {RED, GREEN}
    assert ground[10, 70] == GREEN
    assert set(ground[9, 10:71]) == {HALO}
    assert not ground[:9].any()
    assert ground[20, 20] == 0


def test_polygons_when_corners_lie_far_outside_then_the_rest_is_drawn() -> None:
    sheet = PolylineRasterizer((60, 80))
    far = np.array(((-1e9, 20.5), (1e9, 20.5), (1e9, 1e9), (-1e9, 1e9)))
    sheet.draw_polygons([far], colours=np.array([RED]))
    assert set(drawn(sheet)[20]) == {RED}


def test_points_when_drawn_then_a_ring_is_around_them_and_they_are_free() -> None:
    sheet = PolylineRasterizer((60, 80))
    sheet.draw_points(np.array(((40.0, 30.0), (2.0, 2.0))), colours=np.array([RED, GREEN]), ratio=1.0)
    ground = drawn(sheet)
    ring, gap = int(RING_PX), int(GAP_PX)
    assert {ground[30, 40 + ring], ground[30, 40 - ring], ground[30 - ring, 40], ground[30 + ring, 40]} == {
        RED
    }
    assert ground[30, 40 + gap] == RED
    assert ground[30, 40] == 0
    assert ground[2, 2 + ring] == GREEN


def test_dashes_when_drawn_then_as_much_is_free_and_both_ends_are_drawn() -> None:
    sheet = PolylineRasterizer((60, 80))
    sheet.draw_dashes(np.array([[10.0, 20.0, 49.0, 20.0]]), colours=np.array([RED]), dash_px=5)
    row = drawn(sheet)[20]
    assert row[10] == row[49] == RED
    assert 18 <= np.count_nonzero(row == RED) <= 22
    assert set(row[:9]) == {0}


def test_nothing_when_laid_on_then_the_picture_stays() -> None:
    sheet = PolylineRasterizer((60, 80))
    sheet.draw_polygons([], colours=np.zeros(0, np.uint32))
    sheet.draw_dashes(np.array([[200.0, 200.0, 300.0, 250.0]]), colours=np.array([RED]), dash_px=5)
    assert not drawn(sheet).any()


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ((-10, 5, 30, 5), (0, 5, 20, 5)),
        ((5, -10, 5, 90), (5, 0, 5, 10)),
        ((-5, -5, 40, 40), (0, 0, 10, 10)),
        ((3, 4, 5, 6), (3, 4, 5, 6)),
        ((7, 7, 7, 7), (7, 7, 7, 7)),
        ((-5, 20, 40, 20), None),
        ((-20, 5, 5, -20), None),
        ((float("nan"), 5, 5, 5), None),
    ],
)
def test_line_when_clipped_then_the_part_in_the_picture_is_left(
    line: tuple[float, ...], part: tuple[float, ...] | None
) -> None:
    lines, kept = clipped_lines(np.array([line], np.float64), size=(20, 10))
    assert (kept.tolist(), lines.tolist()) == (([0], [list(map(float, part))]) if part else ([], []))


def hit(regions: list[Region], x: float, y: float) -> str | None:
    found = ViewAnnotations(marks=Overlay(regions=tuple(regions))).region_at(x, y, reach=2.0)
    return found.id if found is not None else None


def test_polygon_when_the_pointer_is_in_its_box_but_not_in_it_then_is_not_hit() -> None:
    marks = [polygon("p", TRIANGLE), box("b", 0, 0, 60, 60)]
    assert hit(marks, 20, 20) == "p"
    assert hit(marks, 45, 45) == "b"
    # Beside its line, within reach.
    assert hit(marks, 31, 31) == "p"


def test_point_when_the_pointer_is_within_its_ring_then_is_hit_before_all_others() -> None:
    marks = [box("b", 0, 0, 60, 60), point("o", 30, 30), box("s", 28, 28, 34, 34)]
    assert hit(marks, 30 + 2 * POINT_REACH - 0.1, 30) == "o"
    assert hit(marks, 30 + 2 * POINT_REACH + 1.1, 30) == "b"


@pytest.mark.parametrize(
    ("x", "y", "is_in"), [(20, 20, True), (45, 45, False), (5, 20, False), (12, 45, True)]
)
def test_inside_when_asked_then_counts_crossings(x: float, y: float, is_in: bool) -> None:
    assert is_inside(TRIANGLE, x=x, y=y) is is_in


def positions_of(
    boxes: Sequence[tuple[float, ...]], *, points: tuple[int, ...] = (), later: tuple[int, ...] = ()
) -> dict[int, tuple[int, int]]:
    is_point, is_later = np.zeros(len(boxes), bool), np.zeros(len(boxes), bool)
    is_point[list(points)], is_later[list(later)] = True, True
    positions = place_labels(
        np.array(boxes, np.float64),
        np.full((len(boxes), 2), (16, 12)),
        view=(400, 300),
        smallest_px=14,
        is_point=is_point,
        is_later=is_later,
    )
    return {placement.index: (placement.x, placement.y) for placement in positions}


def is_covered(label: tuple[int, int], other: tuple[float, ...]) -> bool:
    (x, y), (x1, y1, x2, y2) = label, other
    return x < x2 and x1 < x + 16 and y < y2 and y1 < y + 12


def test_label_when_its_region_is_a_point_then_stands_beside_it_though_the_ring_is_small() -> None:
    assert positions_of([(100, 100, 111, 111)], points=(0,)) == {0: (99, 86)}


def test_labels_when_points_and_boxes_are_mixed_then_none_covers_a_point_or_a_smaller_box() -> None:
    rng = np.random.default_rng(4)
    corners = np.rint(rng.random((60, 2)) * (340, 240))
    sizes = np.rint(rng.random((60, 2)) * 60 + 15)
    boxes = [(*corner, *(corner + size)) for corner, size in zip(corners, sizes, strict=True)]
    boxes[:20] = [(x1, y1, x1 + 11, y1 + 11) for x1, y1, *_ in boxes[:20]]
    areas = [0.0 if at < 20 else (x2 - x1) * (y2 - y1) for at, (x1, y1, x2, y2) in enumerate(boxes)]
    positions = positions_of(boxes, points=tuple(range(20)))
    assert len(positions) > 20
    for index, location in positions.items():
        smaller = [box for box, area in zip(boxes, areas, strict=True) if area < areas[index]]
        assert not any(is_covered(location, other) for other in [*smaller, boxes[index]])


def test_labels_when_points_lie_close_then_none_covers_another_point() -> None:
    boxes = [(x, y, x + 11, y + 11) for x in (100.0, 108.0, 116.0) for y in (100.0, 108.0, 116.0)]
    positions = positions_of(boxes, points=tuple(range(9)))
    assert positions
    for location in positions.values():
        assert not any(is_covered(location, (x1 + 5, y1 + 5, x1 + 6, y1 + 6)) for x1, y1, *_ in boxes)


def test_labels_when_some_come_later_then_they_cover_no_region_even_a_larger_one() -> None:
    boxes = [(50.0, 50.0, 250.0, 98.0), (100.0, 110.0, 130.0, 125.0)]
    assert is_covered(positions_of(boxes)[1], boxes[0])
    assert not is_covered(positions_of(boxes, later=(1,))[1], boxes[0])


def test_label_when_an_outline_has_its_top_elsewhere_then_stands_there() -> None:
    positions = place_labels(
        np.array([(100.0, 100.0, 180.0, 160.0)]),
        np.array([(16, 12)]),
        view=(400, 300),
        smallest_px=14,
        tops=np.array([150.0]),
    )
    assert [(placement.x, placement.y) for placement in positions] == [(149, 86)]
