from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from annotator.demo.camera import Camera
from annotator.demo.captures import Captures
from annotator.demo.landmarks import Landmark
from annotator.demo.movers import Mover
from annotator.demo.paint import CAR_COLOURS
from annotator.demo.stage import Stage
from annotator.demo.studio import studio_of
from annotator.demo.terrain import Terrain
from annotator.demo.truth import boxes_of, landmarks_in, outline_of, visible_objects_of
from annotator.demo.view import RenderedImage, look

CAMERA = Camera.over(at=(30, 30), distance_m=34, heading_deg=20, tilt_deg=58)


def _mover(number: int, kind: str, at: tuple[float, float], *, turn_deg: float = 0.0) -> Mover:
    return Mover(
        number=number, kind=kind, x_m=at[0], y_m=at[1], turn_deg=turn_deg, colour=CAR_COLOURS[0]  # type: ignore[arg-type]
    )  # fmt: skip


def _seen(*movers: Mover) -> RenderedImage:
    land = Terrain.empty(width_m=60, depth_m=60, colour=(90, 120, 90))
    stage = Stage(land, buildings={})
    stage.place(movers)
    return look(stage, camera=CAMERA)


def test_share_when_a_bus_stands_before_a_car_then_it_is_that_of_the_pixels_seen_without_the_bus() -> None:
    car, bus = _mover(1001, "car", (30, 22.5), turn_deg=90), _mover(1002, "bus", (31, 29.5), turn_deg=20)
    alone = int(np.count_nonzero(_seen(car).bodies == 1001))
    both = _seen(car, bus)
    left = int(np.count_nonzero(both.bodies == 1001))
    assert 0.1 < left / alone < 0.9
    hidden, whole = visible_objects_of(both, (car, bus), camera=CAMERA)
    assert hidden.shown == pytest.approx(left / alone, abs=0.05)
    assert hidden.hidden_by == (1002,)
    assert whole.shown > 0.94
    assert whole.hidden_by == ()


@pytest.mark.parametrize("kind", ["car", "van", "bus", "lorry", "person", "bicycle"])
def test_outline_when_a_thing_stands_alone_then_it_is_the_thing_as_drawn(kind: str) -> None:
    mover = _mover(1001, kind, (29.3, 30.6), turn_deg=37)
    drawn = _seen(mover).bodies == 1001
    outline = outline_of(mover, camera=CAMERA)
    assert outline is not None
    alone = np.zeros_like(drawn)
    rows, columns = outline.mask.shape
    alone[outline.y : outline.y + rows, outline.x : outline.x + columns] = outline.mask > 0
    shared = np.count_nonzero(drawn & alone) / np.count_nonzero(drawn | alone)
    assert shared > (0.8 if kind in ("person", "bicycle") else 0.94)
    # Where both differ, they do by a pixel or two at the rim.
    rim = cv2.dilate(drawn.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    assert np.count_nonzero(alone & ~rim) < 0.01 * np.count_nonzero(drawn)


def test_outline_when_a_thing_is_behind_the_camera_or_cut_then_it_says_so() -> None:
    assert outline_of(_mover(1, "car", (30, 90)), camera=CAMERA) is None
    edge = CAMERA.unproject(np.array(((2.0, 360.0),)), depth_m=np.array((34.0,)))[0]
    outline = outline_of(_mover(1, "bus", (float(edge[0]), float(edge[1]))), camera=CAMERA)
    assert outline is not None
    assert outline.is_cut
    assert outline.x == 0


def test_boxes_when_found_then_they_hold_their_number_and_touch_it_at_all_sides() -> None:
    bodies = np.zeros((20, 30), np.uint16)
    bodies[3:7, 5:9] = 1001
    bodies[15, 29] = 1002
    bodies[8:10, 8:10] = 1003
    assert dict(boxes_of(bodies, [1001, 1002, 5000])) == {1001: (5, 3, 9, 7), 1002: (29, 15, 30, 16)}


def test_boxes_when_the_demo_is_drawn_then_they_are_those_of_the_id_mask(
    small_demo: tuple[Captures, Path],
) -> None:
    one = small_demo[0].pictures[0]
    studio = studio_of(7, "small")
    bodies = studio.see(one.shot.camera, time_s=one.moment.time_s).bodies
    assert len(one.visible_objects) > 20
    for visible_object in one.visible_objects:
        rows, columns = (
            np.flatnonzero((bodies == visible_object.mover.number).any(axis=axis)) for axis in (1, 0)
        )
        box = (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)
        assert (visible_object.x1, visible_object.y1, visible_object.x2, visible_object.y2) == box
        assert visible_object.pixels == np.count_nonzero(bodies == visible_object.mover.number)


def test_landmark_when_on_open_ground_then_it_is_where_the_camera_projects_it() -> None:
    near, behind = (
        Landmark(name=name, kind="green", x_m=30, y_m=y, radius_m=3)
        for name, y in (("here", 30), ("back", 95))
    )
    found = landmarks_in(_seen(), (near, behind), camera=CAMERA)
    assert found == {"here": (640.0, 360.0)}


def test_landmark_when_something_stands_before_it_then_it_is_not_visible() -> None:
    mark = Landmark(name="here", kind="green", x_m=30, y_m=20, radius_m=3)
    bus = _mover(1002, "bus", (30.5, 24), turn_deg=0)
    assert "here" in landmarks_in(_seen(), (mark,), camera=CAMERA)
    shift = CAMERA.project(np.array(((30.0, 20.0, 0.0),)))[0].astype(int)
    seen = _seen(bus)
    if seen.bodies[shift[1], shift[0]] == 1002:
        assert landmarks_in(seen, (mark,), camera=CAMERA) == {}
