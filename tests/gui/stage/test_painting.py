from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.media.render import Overlay
from tests.gui.stage.hands import make_region
from widgets.medium_view import MediumView
from widgets.qt_images import wrap_pixels
from widgets.stage.arrangement import GAP_PX, arrange
from widgets.stage.box_rasterizer import HALO, draw_boxes
from widgets.stage.canvas import StageCanvas
from widgets.stage.image_cache import LoadedImage
from widgets.stage.label_placement import MOST_LABELS, place_labels
from widgets.stage.pyramid import level_for, make_pyramid
from widgets.stage.view_annotations import ViewAnnotations
from widgets.stage.view_transform import MOST_ZOOM, fit_transform

RED = np.uint32(0xFFFF0000)
SMOOTH_MS = 33.0


def noise(width: int, height: int) -> np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]:
    return np.random.default_rng(0).integers(0, 255, (height, width, 3), np.uint8)


def pixels_of(image: QImage) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Return what an image shows, uint8 (height, width, 3), red, green, blue."""
    shown = image.convertToFormat(QImage.Format.Format_RGB32)
    bgrx = np.ndarray((shown.height(), shown.bytesPerLine() // 4, 4), np.uint8, buffer=shown.constBits())
    return bgrx[:, : shown.width(), 2::-1].copy()


def test_lens_when_zoomed_at_a_point_then_the_point_stays() -> None:
    transform = fit_transform(800, 600, image_width=4000, image_height=2250)
    before = transform.to_image(200, 300)
    near = transform.zoomed(5.0, at=(200, 300))
    assert near.zoom == pytest.approx(5 * transform.zoom)
    assert near.to_image(200, 300) == pytest.approx(before, abs=1 / near.zoom)
    assert near.zoomed(1e9).zoom == MOST_ZOOM


def test_lens_when_panned_far_then_the_picture_stays_visible() -> None:
    transform = fit_transform(800, 600, image_width=400, image_height=300).panned(1e6, -1e6)
    assert (transform.x, transform.y) == (0, 300)


def test_lens_when_the_view_is_resized_then_a_whole_picture_stays_whole_and_a_part_keeps_its_middle() -> None:
    transform = fit_transform(800, 600, image_width=400, image_height=300)
    assert transform.resized(200, 150).zoom == 0.5
    part = transform.zoomed(2.0).panned(30, 10)
    assert (part.resized(200, 150).x, part.resized(200, 150).zoom) == (part.x, part.zoom)


def test_lens_when_like_another_then_shows_the_same_share_of_its_own_picture() -> None:
    leader = fit_transform(800, 600, image_width=400, image_height=300).zoomed(3.0, at=(10, 10))
    follower = fit_transform(400, 300, image_width=4000, image_height=3000).like(leader)
    assert follower.x / 4000 == pytest.approx(leader.x / 400)
    assert follower.zoom / follower.fit_zoom == pytest.approx(3.0)


@pytest.mark.parametrize(("width", "height"), [(640, 360), (1301, 733), (4000, 2250), (3, 2000)])
def test_pyramid_when_made_then_each_level_is_half_of_the_one_before(width: int, height: int) -> None:
    pyramid = make_pyramid(noise(width, height))
    sizes = [level.shape[1::-1] for level in pyramid.levels]
    assert sizes[0] == (width, height)
    assert all(small == (max(1, w // 2), max(1, h // 2)) for (w, h), small in pairwise(sizes))
    assert max(sizes[-1]) < 1024
    assert np.array_equal(pixels_of(wrap_pixels(pyramid.levels[0])), pyramid.pixels)


def test_pyramid_when_painted_at_full_size_then_every_pixel_is_the_pictures_own() -> None:
    pyramid = make_pyramid(noise(900, 700))
    transform = fit_transform(300, 200, image_width=900, image_height=700)
    transform = transform.zoomed(1 / transform.zoom, at=(170, 90))
    image = QImage(300, 200, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    pyramid.paint(painter, transform)
    painter.end()
    part = pyramid.pixels[-transform.top : -transform.top + 200, -transform.left : -transform.left + 300]
    assert np.array_equal(pixels_of(image), part)


def test_pyramid_when_painted_small_then_a_small_level_is_read() -> None:
    assert [level_for(zoom) for zoom in (4.0, 1.0, 0.6, 0.5, 0.3, 0.25, 0.01)] == [0, 0, 0, 1, 1, 2, 6]
    assert [level.shape[1] for level in make_pyramid(noise(4000, 2250)).levels] == [4000, 2000, 1000]


def test_boxes_when_drawn_then_lines_lie_on_their_pixels_with_a_halo_around() -> None:
    ground = np.zeros((40, 60), np.uint32)
    draw_boxes(ground, np.array([[10, 8, 29, 27]]), colours=np.array([RED]))
    assert set(ground[8, 10:30]) == set(ground[27, 10:30]) == {RED}
    assert set(ground[8:28, 10]) == set(ground[8:28, 29]) == {RED}
    assert set(ground[7, 9:31]) == set(ground[9, 11:29]) == {HALO}
    assert not ground[10:26, 12:28].any()
    assert not ground[:7].any()


def test_boxes_when_they_leave_the_view_then_the_rest_is_drawn() -> None:
    ground = np.zeros((40, 60), np.uint32)
    boxes = np.array([[-500, -500, 20, 15], [50, 30, 10_000, 10_000], [-90, -90, -10, -10]])
    draw_boxes(ground, boxes, colours=np.array([RED, RED, RED]), line_px=2)
    assert set(ground[15, :21]) == set(ground[:16, 20]) == set(ground[14, :20]) == {RED}
    assert set(ground[30, 50:]) == set(ground[30:, 50]) == {RED}
    assert np.count_nonzero(ground == RED) == 21 + 15 + 20 + 14 + 10 + 9 + 9 + 8


def test_boxes_when_two_lie_on_each_other_then_the_later_is_seen() -> None:
    ground = np.zeros((40, 60), np.uint32)
    green = np.uint32(0xFF00FF00)
    draw_boxes(ground, np.array([[10, 10, 20, 20], [10, 10, 20, 20]]), colours=np.array([RED, green]))
    assert set(ground[10, 10:21]) == {green}


def labels_of(boxes: list[tuple[float, ...]]) -> dict[int, tuple[int, int]]:
    sizes = np.full((len(boxes), 2), (16, 12))
    positions = place_labels(np.array(boxes, np.float64), sizes, view=(400, 300), smallest_px=14)
    return {placement.index: (placement.x, placement.y) for placement in positions}


def test_label_when_there_is_room_then_stands_above_its_box() -> None:
    assert labels_of([(100, 100, 140, 130)]) == {0: (99, 86)}


def test_label_when_a_small_box_lies_above_then_gives_way_to_it() -> None:
    positions = labels_of([(100, 100, 180, 160), (98, 88, 108, 98)])
    x, y = positions[0]
    assert 1 not in positions
    assert x + 16 <= 98 or x >= 108 or y + 12 <= 88 or y >= 98


def test_label_when_no_place_is_free_then_is_left_out() -> None:
    assert labels_of([(0, 0, 400, 300)]) == {}


def test_labels_when_there_are_too_many_then_the_largest_boxes_have_them() -> None:
    count = MOST_LABELS + 100
    boxes = [(n % 20 * 60.0, n // 20 * 60.0, n % 20 * 60.0 + 15, n // 20 * 60.0 + 15) for n in range(count)]
    boxes[:10] = [(x1, y1, x1 + 20, y1 + 20) for x1, y1, _, _ in boxes[:10]]
    positions = place_labels(
        np.array(boxes), np.full((count, 2), (16, 12)), view=(1200, 1000), smallest_px=14
    )
    assert {placement.index for placement in positions} >= set(range(10))
    assert len(positions) == MOST_LABELS


@pytest.mark.parametrize(
    ("space", "count", "grid"),
    [((800, 1000), 2, (1, 2)), ((1600, 500), 2, (2, 1)), ((1600, 1000), 6, (2, 3)), ((1600, 900), 4, (2, 2))],
)
def test_views_when_arranged_then_the_grid_shows_the_most_picture(
    space: tuple[int, int], count: int, grid: tuple[int, int]
) -> None:
    positions = arrange(QSize(*space), [QSize(1280, 720)] * count)
    assert (len({rect.left() for rect in positions}), len({rect.top() for rect in positions})) == grid
    assert max(rect.right() for rect in positions) == space[0] - 1
    assert max(rect.bottom() for rect in positions) == space[1] - 1
    assert not any(one.intersects(other) for one in positions for other in positions if one is not other)
    assert GAP_PX == 2


def test_path_when_the_pointer_is_beside_it_then_is_found_within_reach() -> None:
    marks = ViewAnnotations(
        marks=Overlay(paths=(Polyline(id="p", medium="m", points=((0.0, 0.0), (10.0, 0.0), (10.0, 10.0))),))
    )
    found = [marks.path_at(x, y, reach=2) for x, y in ((5, 1.5), (11, 5), (5, 5), (13, 10))]
    assert [path is not None for path in found] == [True, True, False, False]


@pytest.mark.slow
def test_canvas_when_it_has_5000_regions_then_stays_fluid(qtbot: QtBot) -> None:
    width, height = 4000, 2250
    rng = np.random.default_rng(1)
    corners = rng.random((5000, 2)) * (width - 60, height - 60)
    boxes = np.concatenate([corners, corners + rng.random((5000, 2)) * 50 + 8], axis=1).tolist()
    medium = Medium(id="m", name="large.jpg", width_px=width, height_px=height)
    canvas = StageCanvas(MediumView(view="UAV1", medium=medium, file=None))
    qtbot.addWidget(canvas)
    canvas.resize(1600, 900)
    canvas.show()
    canvas.take_loaded(LoadedImage(pyramid=make_pyramid(noise(width, height))))
    regions = tuple(make_region(f"{n}", "m", n, b) for n, b in enumerate(boxes))
    canvas.show_marks(ViewAnnotations(marks=Overlay(regions=regions)))
    took = []
    for step in range(60):
        transform = canvas.transform.zoomed(
            1.2 if step < 15 else 1 / 1.2 if step < 30 else 1.0, at=(700, 400)
        )
        canvas.change_transform(transform if step < 30 else transform.panned(-20, -10))
        began = time.perf_counter()
        canvas.repaint()
        took.append((time.perf_counter() - began) * 1000)
    # Half of the frames, so that a machine busy with other things does not fail it.
    assert sorted(took)[len(took) // 2] < SMOOTH_MS


def test_pyramid_when_the_picture_is_huge_then_its_pixels_are_kept_once() -> None:
    pixels = np.zeros((4100, 8000, 3), np.uint8)
    pyramid = make_pyramid(pixels)
    small = make_pyramid(pixels[:2000, :3000].copy())
    assert pyramid.nbytes == pixels.nbytes + sum(one.nbytes for one in pyramid.levels[1:])
    assert small.nbytes == small.pixels.nbytes + sum(one.nbytes for one in small.levels)


@pytest.mark.parametrize("line_px", [1, 3])
def test_draw_boxes_when_there_are_few_then_the_pixels_are_those_of_many(
    line_px: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = np.random.default_rng(7)
    corners = chance.integers(-40, 220, (60, 2))
    boxes = np.concatenate([corners, corners + chance.integers(0, 60, (60, 2))], axis=1)
    # Of one colour: where lines of two boxes cross, which is uppermost differs.
    colours = np.full(60, 0xFF3366CC, np.uint32)
    pictures = []
    for few in (0, 1000):
        monkeypatch.setattr("widgets.stage.box_rasterizer.FEW", few)
        ground = np.full((150, 200), 0xFF808080, np.uint32)
        draw_boxes(ground, boxes, colours=colours, line_px=line_px)
        pictures.append(ground)
    assert len(np.unique(pictures[0])) == 3
    assert np.array_equal(*pictures)
