from __future__ import annotations

import cv2
import numpy as np
import pytest

from annotator.domain.trajectory import Pose
from annotator.media.epipolar import Camera, EpipolarTransform, epipolar_transform, segment_in_image
from tests.unit.media.test_ground_plane import SIZE, a_camera, on_the_ground

HEADINGS_DEG = (30.0, 75.0, 200.0)


def seen_by(heading_deg: float, **where: float) -> tuple[Camera, object]:
    """Return a camera as the project has it, and the demo's own, which projects points."""
    demo = a_camera(heading_deg, **where)
    pose = Pose(x_m=demo.x_m, y_m=-demo.y_m, z_m=demo.altitude_m, yaw_deg=0.0)
    return Camera(pose=pose, orientation=demo.orientation, intrinsics=demo.intrinsics(SIZE)), demo


def in_the_air(count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return points at all heights: a ground plane could not lead from one image to the other."""
    points = on_the_ground(count)
    points[:, 2] = np.linspace(0.0, 14.0, count)
    return points


def between(here: Camera, there: Camera) -> EpipolarTransform:
    found = epipolar_transform(here, there)
    assert found is not None
    return found


@pytest.mark.parametrize("heading_deg", HEADINGS_DEG[1:])
def test_line_when_a_point_is_seen_by_two_cameras_then_passes_through_it(heading_deg: float) -> None:
    (here, first), (there, second) = seen_by(HEADINGS_DEG[0]), seen_by(heading_deg, tilt_deg=55.0)
    points, way = in_the_air(25), between(here, there)
    ones = first.project(points, size_px=SIZE)  # type: ignore[attr-defined]
    others = second.project(points, size_px=SIZE)  # type: ignore[attr-defined]
    for one, other in zip(ones.tolist(), others.tolist(), strict=True):
        assert way.distance(tuple(one), tuple(other)) == pytest.approx(0, abs=1e-6)
        assert way.inverse().distance(tuple(other), tuple(one)) == pytest.approx(0, abs=1e-6)
    # Ten pixels across the line are ten pixels of distance.
    a, b, _ = way.line(*ones[0].tolist())
    moved = others[0][0] + 10 * a, others[0][1] + 10 * b
    assert way.distance(tuple(ones[0].tolist()), moved) == pytest.approx(10, abs=1e-6)


def test_matrix_when_compared_with_opencvs_own_then_is_the_same() -> None:
    (here, first), (there, second) = seen_by(30.0), seen_by(100.0, distance_m=80.0)
    points = in_the_air(40)
    ones = first.project(points, size_px=SIZE)  # type: ignore[attr-defined]
    others = second.project(points, size_px=SIZE)  # type: ignore[attr-defined]
    found, _ = cv2.findFundamentalMat(ones, others, cv2.FM_8POINT)
    found = found / np.linalg.norm(found)
    made = between(here, there).matrix
    made = made * np.sign(np.sum(made * found))
    assert made == pytest.approx(found, abs=1e-6)
    lines = cv2.computeCorrespondEpilines(ones.reshape(-1, 1, 2), 1, found).reshape(-1, 3)
    for point, line in zip(ones.tolist(), lines, strict=True):
        own = np.array(between(here, there).line(*point))
        assert own * np.sign(own @ line) == pytest.approx(line, abs=1e-3, rel=1e-3)


def test_transform_when_both_cameras_are_at_one_place_then_there_is_none() -> None:
    (here, _), (there, _) = seen_by(30.0), seen_by(30.0)
    assert epipolar_transform(here, there) is None


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        ((0.0, 1.0, -100.0), ((0.0, 100.0), (640.0, 100.0))),
        ((1.0, 0.0, -50.0), ((50.0, 0.0), (50.0, 360.0))),
        ((0.0, 1.0, 20.0), None),
        ((0.0, 0.0, 0.0), None),
    ],
)
def test_line_when_cut_at_the_image_then_only_its_part_inside_is_left(
    line: tuple[float, float, float], ends: object
) -> None:
    assert segment_in_image(line, size=(640, 360)) == ends
