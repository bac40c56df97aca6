"""What the project has recorded about the right answer: the poses of cameras and the depths of regions."""

from __future__ import annotations

from annotator.domain import answers
from annotator.domain.answers.region_parser import read_regions
from annotator.domain.region import Region, RegionDepth
from annotator.draft.camera_position import CameraPosition, camera_move, camera_position
from annotator.draft.clock_hour import clear_hour
from widgets.answers.answer_surroundings import AnswerSurroundings
from widgets.number_field import number_text
from widgets.translation import join_texts, tr

DISTANCE_TASKS = frozenset({"distance_comparison"})
"""Tasks whose answer is the closest or the farthest region."""
LISTED = 6
"""Maximum number of depths that are listed."""


def motion_evidence(surroundings: AnswerSurroundings, *, answer_format: str) -> str:
    """Return the answer about the motion from the first to the second view, "" if a pose is unknown.

    Args:
        surroundings: The item with its scene.
        answer_format: ``angle`` or ``angle_distance``.
    """
    cameras = [_camera(surroundings, position) for position in (0, 1)]
    if cameras[0] is None or cameras[1] is None:
        return ""
    move = camera_move(cameras[0], cameras[1])
    if move is None:
        return ""
    value = move if answer_format == "angle_distance" else move.angle_deg
    return tr("From poses: {answer}", answer=answers.get(answer_format).render(value))


def hour_evidence(surroundings: AnswerSurroundings) -> str:
    """Return the clock direction of the region in question, "" if camera or region are unknown."""
    camera, regions = _camera(surroundings, 0), _regions_in_question(surroundings)
    if camera is None or len(regions) != 1:
        return ""
    box = regions[0].box
    bearing = camera.bearing_of((box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2)
    if bearing is None:
        return ""
    hour, angle = clear_hour(regions[0], camera), number_text(round(bearing) % 360)
    if hour is None:
        return tr(
            "From poses: Region {n} at {angle}°, not clearly in one hour", n=regions[0].number, angle=angle
        )
    answer = answers.get("clock").render(hour)
    return tr("From poses: {answer}, Region {n} at {angle}°", answer=answer, n=regions[0].number, angle=angle)


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


def _camera(surroundings: AnswerSurroundings, index: int) -> CameraPosition | None:
    """Return the camera of one of the item's views."""
    if surroundings.shown is None or index >= len(surroundings.media):
        return None
    view = surroundings.media[index].view
    return camera_position(
        [trajectory for trajectory in surroundings.shown.trajectories if trajectory.view == view]
    )


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
