"""Regions of other views over the ground, against the demo town's own cameras."""

from __future__ import annotations

import numpy as np
import pytest

from annotator.demo.camera import PICTURE_SIZE_PX, Camera
from annotator.demo.entries import camera_pose
from annotator.domain.link import Link
from annotator.domain.region import Box, Region
from annotator.media.camera_homography import camera_homography
from annotator.media.render import Overlay
from widgets.stage.reprojected_regions import OtherView, ReprojectedRegion, reprojected_regions
from widgets.stage.view_annotations import ViewAnnotations

HERE = Camera.over(at=(0.0, 0.0), distance_m=60.0, heading_deg=0.0, tilt_deg=30.0)
THERE = Camera.over(at=(5.0, 3.0), distance_m=80.0, heading_deg=120.0, tilt_deg=50.0)
GROUND_M = np.array(((-3.0, 2.0, 0.0), (4.0, 2.0, 0.0), (4.0, 6.0, 0.0), (-3.0, 6.0, 0.0)))


def to_ground(camera: Camera) -> tuple[float, ...]:
    found = camera_homography(
        camera_pose(camera), orientation=camera.orientation, intrinsics=camera.intrinsics()
    )
    assert found is not None
    return found.numbers


def square(camera: Camera, *, name: str = "there", number: int = 4) -> Region:
    """Return the region that a square of the ground is in a camera's picture."""
    corners = camera.project(GROUND_M)
    (x1, y1), (x2, y2) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return Region(
        id=name,
        medium="m",
        number=number,
        box=Box(x1=x1, y1=y1, x2=x2, y2=y2),
        polygon=tuple((x, y) for x, y in corners.tolist()),
    )


def reprojected(here: Overlay, there: Overlay, **values: object) -> list[ReprojectedRegion]:
    other = OtherView(view="UAV2", to_ground=to_ground(THERE), marks=ViewAnnotations(marks=there))
    usual: dict[str, object] = {
        "to_ground": to_ground(HERE),
        "others": [other],
        "size": PICTURE_SIZE_PX,
    }
    return reprojected_regions(ViewAnnotations(marks=here), **(usual | values))  # type: ignore[arg-type]


def test_reprojected_region_when_a_region_lies_on_the_ground_then_is_where_this_camera_sees_it() -> None:
    (ghost,) = reprojected(Overlay(), Overlay(regions=(square(THERE),)))
    assert ghost.corners == pytest.approx(HERE.project(GROUND_M), abs=1e-6)
    assert ghost.label == "UAV2 4"


def test_reprojected_region_when_a_region_is_a_point_then_has_one_corner() -> None:
    x, y = THERE.project(GROUND_M[:1])[0].tolist()
    point = Region(id="p", medium="m", number=1, box=Box(x1=x, y1=y, x2=x, y2=y))
    (ghost,) = reprojected(Overlay(), Overlay(regions=(point,)))
    assert ghost.corners == pytest.approx(HERE.project(GROUND_M[:1]), abs=1e-6)


@pytest.mark.parametrize(("kind", "count"), [("same", 0), ("occludes", 1)])
def test_reprojected_region_when_the_region_is_linked_with_one_here_then_is_not_needed(
    kind: str, count: int
) -> None:
    links = (Link(id="l", scene="s", regions=("here", "there"), kind=kind),)
    here = Overlay(regions=(square(HERE, name="here"),), links=links)
    assert len(reprojected(here, Overlay(regions=(square(THERE),), links=links))) == count


def test_reprojected_region_when_it_is_linked_with_a_third_view_then_has_the_colour_of_the_link() -> None:
    links = (Link(id="l", scene="s", regions=("third", "there")),)
    (ghost,) = reprojected(Overlay(links=links), Overlay(regions=(square(THERE),), links=links))
    assert ghost.colour == 0


def test_reprojected_region_when_some_are_asked_for_then_others_stay_away() -> None:
    regions = (square(THERE), square(THERE, name="other", number=5))
    found = reprojected(Overlay(), Overlay(regions=regions), only={"other"})
    assert [ghost.region.id for ghost in found] == ["other"]


def test_reprojected_region_when_it_lies_outside_of_this_picture_then_there_is_none() -> None:
    far = Region(id="far", medium="m", number=1, box=Box(x1=0.0, y1=0.0, x2=10.0, y2=10.0))
    other_way = Camera.over(at=(400.0, 400.0), distance_m=60.0, heading_deg=0.0, tilt_deg=10.0)
    assert reprojected(Overlay(), Overlay(regions=(far,)), to_ground=to_ground(other_way)) == []


def test_reprojected_region_when_a_corner_is_above_the_horizon_then_there_is_none() -> None:
    level = Camera(x_m=0.0, y_m=80.0, altitude_m=30.0, heading_deg=0.0, tilt_deg=88.0)
    region = Region(id="sky", medium="m", number=1, box=Box(x1=600.0, y1=100.0, x2=700.0, y2=500.0))
    other = OtherView(
        view="UAV3", to_ground=to_ground(level), marks=ViewAnnotations(marks=Overlay(regions=(region,)))
    )
    assert reprojected(Overlay(), Overlay(), others=[other]) == []


def test_reprojected_region_when_a_view_has_no_way_to_the_ground_then_there_are_none() -> None:
    assert reprojected(Overlay(), Overlay(regions=(square(THERE),)), to_ground=()) == []
