"""What the project has recorded about the right answer: the poses of cameras and the depths of regions."""

from __future__ import annotations

import math

import numpy as np

from annotator.domain import answers
from annotator.domain.answers.angle_distance import CameraMove
from annotator.domain.answers.region_parser import read_regions
from annotator.domain.region import Region, RegionDepth
from widgets.answers.answer_surroundings import AnswerSurroundings
from widgets.number_field import number_text
from widgets.stage.camera_trajectory import DOWNWARDS, CameraTrajectory
from widgets.translation import join_texts, tr

DISTANCE_TASKS = frozenset({"distance_comparison"})
"""Tasks whose answer is the closest or the farthest region."""
KNOWN_AXES = frozenset({"east-north-up", *DOWNWARDS})
"""Axis conventions in which headings are known."""
HOUR_DEG, HOURS = 30.0, 12
LISTED = 6
"""Maximum number of depths that are listed."""


def motion_evidence(surroundings: AnswerSurroundings, *, answer_format: str) -> str:
    """Return the answer about the motion from the first to the second view, "" if a pose is unknown.

    Args:
        surroundings: The item with its scene.
        answer_format: ``angle`` or ``angle_distance``.
    """
    first, second = (_still_camera(surroundings, place) for place in (0, 1))
    if first is None or second is None or first.axes != second.axes:
        return ""
    # Rounded before it is reduced, or 359.97 degrees would become 360.0; the rest of a division has more
    # decimals again.
    angle = round(round(_heading_deg(second) - _heading_deg(first), 1) % 360, 1)
    move = CameraMove(angle_deg=angle, distance_m=round(math.dist(first.places_m[0], second.places_m[0]), 1))
    value = move if answer_format == "angle_distance" else angle
    return tr("From poses: {answer}", answer=answers.get(answer_format).render(value))


def hour_evidence(surroundings: AnswerSurroundings) -> str:
    """Return the clock direction of the region in question, "" if camera or region are unknown."""
    camera, regions = _still_camera(surroundings, 0), _regions_in_question(surroundings)
    if camera is None or len(regions) != 1 or not camera.can_project(None):
        return ""
    bearing = round(_bearing_deg(camera, regions[0])) % 360
    hour = round(bearing / HOUR_DEG) % HOURS or HOURS
    return tr(
        "From poses: {answer}, Region {n} at {angle}°",
        answer=answers.get("clock").render(hour),
        n=regions[0].number,
        angle=number_text(bearing),
    )


def depth_evidence(surroundings: AnswerSurroundings) -> str:
    """Return the regions by their depth for a question about distances, "" if depths are unknown."""
    if surroundings.item.task not in DISTANCE_TASKS:
        return ""
    regions = _regions_in_question(surroundings) or _regions(surroundings)
    known = [(region.depth, region.number) for region in regions if region.depth is not None]
    known.sort(key=lambda one: one[0].median)
    if len(known) < 2:
        return ""
    texts = [_depth_text(depth, number) for depth, number in known[:LISTED]]
    more = " …" if len(known) > LISTED else ""
    return tr("Depth, nearest first: {regions}", regions=join_texts(texts) + more)


def _still_camera(surroundings: AnswerSurroundings, place: int) -> CameraTrajectory | None:
    """Return the camera of one of the item's views, if it is a still whose heading is known."""
    if surroundings.shown is None or place >= len(surroundings.media):
        return None
    found = surroundings.shown.flights.get(surroundings.media[place].medium.id)
    is_known = found is not None and len(found.places_m) == 1 and found.axes in KNOWN_AXES
    return found if is_known else None


def _heading_deg(camera: CameraTrajectory) -> float:
    """Return the heading of a still camera, clockwise from north."""
    # Yaw turns about the third axis: anticlockwise from east about up, clockwise from north about down.
    yaw = float(camera.yaws_deg[0])
    return yaw if camera.axes in DOWNWARDS else 90.0 - yaw


def _bearing_deg(camera: CameraTrajectory, region: Region) -> float:
    """Return the direction over ground of the middle of a region, clockwise from the heading."""
    lens, box = camera.intrinsics, region.box
    assert lens is not None  # noqa: S101 - the camera can project
    x, y = (box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2
    ray = camera.axes_at(0) @ np.array(((x - lens.cx) / lens.fx, (y - lens.cy) / lens.fy, 1.0))
    north, east = (ray[0], ray[1]) if camera.axes in DOWNWARDS else (ray[1], ray[0])
    return math.degrees(math.atan2(east, north)) - _heading_deg(camera)


def _regions_in_question(surroundings: AnswerSurroundings) -> list[Region]:
    """Return the regions of the first view that the item was made from, or that its question names."""
    known, item = _regions(surroundings), surroundings.item
    if found := [region for region in known if region.id in item.provenance.labels]:
        return found
    numbers = read_regions(item.question).value or ()
    return [region for region in known if region.number in numbers]


def _regions(surroundings: AnswerSurroundings) -> list[Region]:
    """Return the regions of the first view."""
    return [region for regions in surroundings.regions(0).values() for region in regions]


def _depth_text(depth: RegionDepth, number: int) -> str:
    # Only the order of depths without a unit means something.
    return f"{number} ({depth.median:.1f} m)" if depth.is_metric else str(number)
