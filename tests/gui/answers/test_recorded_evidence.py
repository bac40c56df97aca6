from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from annotator.demo.camera import Camera
from annotator.demo.entries import camera_pose
from annotator.domain.item import Provenance
from annotator.domain.region import Box, Region, RegionDepth
from annotator.domain.trajectory import Trajectory
from annotator.media.render import Overlay
from tests.guards_qt import PatientBot
from tests.gui.answers.answerer import Answerer, item_of
from tests.gui.stage.hands import HEIGHT, WIDTH, make_scene
from widgets.stage.scene import StageScene


def camera_at(x_m: float, *, heading_deg: float) -> Camera:
    return Camera(x_m=x_m, y_m=0.0, altitude_m=50.0, heading_deg=heading_deg, tilt_deg=40.0)


CAMERAS = camera_at(0.0, heading_deg=350.0), camera_at(30.0, heading_deg=62.4)


def flight_of(camera: Camera, view: str) -> Trajectory:
    """Return the pose of a camera of the demo city, as the demo records it."""
    return Trajectory(
        id=f"flight-{view}",
        scene="s",
        view=view,
        axes="east-north-up",
        poses=(camera_pose(camera),),
        orientations=(camera.orientation,),
        intrinsics=camera.intrinsics((WIDTH, HEIGHT)),
    )


def region_at(x: float, y: float, number: int, *, depth_m: float | None = None) -> Region:
    depth = None if depth_m is None else RegionDepth(
        median=depth_m, p10=depth_m, p90=depth_m, valid=1.0, is_metric=True,
        box=Box(x1=x - 4, y1=y - 4, x2=x + 4, y2=y + 4), made_by="test",
    )  # fmt: skip
    box = Box(x1=x - 4, y1=y - 4, x2=x + 4, y2=y + 4)
    return Region(id=f"r{number}", medium="m1", number=number, box=box, depth=depth)


def shown_with(folder: Path, regions: Sequence[Region] = (), *, has_poses: bool = True) -> StageScene:
    scene = make_scene(folder, marks=Overlay(regions=tuple(regions)))
    flights = [flight_of(camera, f"UAV{at}") for at, camera in enumerate(CAMERAS, start=1)]
    return StageScene(
        scene=scene.scene,
        media=scene.media,
        marks=scene.marks,
        trajectories=tuple(flights) if has_poses else (),
    )


def evidence_of(person: Answerer) -> str:
    line = person.widget.evidence_line
    assert line.isVisible() == bool(line.text())
    return line.text()


def test_angle_when_both_poses_are_known_then_they_stand_beside_the_dial(
    qtbot: PatientBot, tmp_path: Path
) -> None:
    shown = shown_with(tmp_path)
    assert evidence_of(Answerer(qtbot, item_of("angle"), shown=shown)) == "From poses: 72.4 degrees"
    both = Answerer(qtbot, item_of("angle_distance", "10.0 degrees, 5.0 meters"), shown=shown)
    assert evidence_of(both) == "From poses: 72.4 degrees, 30.0 meters"
    turned = Answerer(qtbot, item_of("angle", media=("m2", "m1")), shown=shown)
    assert evidence_of(turned) == "From poses: 287.6 degrees"


@pytest.mark.parametrize("answer_format", ["angle", "angle_distance", "clock"])
def test_evidence_when_blind_or_without_poses_then_there_is_none(
    qtbot: PatientBot, tmp_path: Path, answer_format: str
) -> None:
    item = item_of(answer_format, question="Where is Region 7?")
    region = region_at(WIDTH / 2, 20, 7)
    for has_poses, is_blind in ((True, True), (False, False)):
        shown = shown_with(tmp_path, [region], has_poses=has_poses)
        assert evidence_of(Answerer(qtbot, item, shown=shown, is_blind=is_blind)) == ""


@pytest.mark.parametrize(("hour", "bearing_deg"), [(12, 0.0), (1, 30.0), (11, 330.0)])
def test_clock_when_the_pose_is_known_then_the_direction_of_the_region_is_shown(
    qtbot: PatientBot, tmp_path: Path, hour: int, bearing_deg: float
) -> None:
    x, y = pixel_at(bearing_deg)
    shown = shown_with(tmp_path, [region_at(x, y, 7), region_at(20, 20, 8)])
    item = item_of("clock", question="In which direction lies Region 7?", media=("m1",))
    assert evidence_of(Answerer(qtbot, item, shown=shown)) == (
        f"From poses: {hour} o'clock, Region 7 at {bearing_deg:.0f}°"
    )
    made = msgspec.structs.replace(item, question="Where is it?", provenance=Provenance(labels=("r7", "t")))
    assert f"{hour} o'clock, Region 7" in evidence_of(Answerer(qtbot, made, shown=shown))


def test_clock_when_the_region_lies_between_two_hours_then_says_so(qtbot: PatientBot, tmp_path: Path) -> None:
    shown = shown_with(tmp_path, [region_at(*pixel_at(15.0), 7)])
    item = item_of("clock", question="In which direction lies Region 7?", media=("m1",))
    assert evidence_of(Answerer(qtbot, item, shown=shown)) == (
        "From poses: Region 7 at 15°, not clearly in one hour"
    )


def test_distance_when_depths_are_known_then_the_regions_are_listed_nearest_first(
    qtbot: PatientBot, tmp_path: Path
) -> None:
    regions = [region_at(100 * n, 50, n, depth_m=metres) for n, metres in ((1, 80.25), (2, 40.0), (3, None))]
    shown = shown_with(tmp_path, regions)
    item = item_of("region_label", task="distance_comparison", question="Which region is closest?")
    assert evidence_of(Answerer(qtbot, item, shown=shown)) == "Depth, nearest first: 2 (40.0 m), 1 (80.2 m)"
    other = msgspec.structs.replace(item, task="occlusion_removal")
    assert evidence_of(Answerer(qtbot, other, shown=shown)) == ""


def pixel_at(bearing_deg: float) -> tuple[float, float]:
    """Return the pixel of a point on the ground in a direction from the first camera."""
    import numpy as np

    camera = CAMERAS[0]
    angle = np.radians(bearing_deg + camera.heading_deg)
    ground = np.array(((camera.x_m + 40 * np.sin(angle), camera.y_m - 40 * np.cos(angle), 0.0),))
    x, y = camera.project(ground, size_px=(WIDTH, HEIGHT))[0].tolist()
    assert 0 <= x < WIDTH
    assert 0 <= y < HEIGHT
    return x, y
