"""SpatialUAV, Path Planning: which direction of a ground image leads to a region of the aerial image."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.domain import answers
from annotator.domain.polyline import Polyline
from annotator.domain.region import Region
from annotator.draft.camera_position import CameraPosition
from annotator.draft.capture_position import (
    CapturePosition,
    direction_of,
    direction_paths,
    middle_of,
    surveyed_position,
)
from annotator.draft.region_categories import region_name, unfit_regions
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.scene_rule import SceneQuestion, SceneRule
from annotator.draft.still_view import StillView, aerial_ground_pairs
from annotator.media.path_drawing import DIRECTIONS_DEG

CLEAR_DEG = 9.0
"""A region this close to an arrow belongs to it without doubt; the next arrow begins at 15 degrees."""


class SpatialPathPlanning(SceneRule):
    """Drafts one item for each region whose direction from the ground camera is clear."""

    id = "spatialuav.path_planning"
    version = 1
    docs = RuleDocs(
        task="Path Planning",
        right="the label of a path drawn on the aerial image that ends in the region; without such a path "
        "the arrow within 9 degrees of the region's bearing from the ground camera",
        wrong="none: the answer is one of six directions",
        no_item="no labelled path ends in the region, and a camera's position or the ground plane is "
        "unknown, or the region lies between two arrows or behind the camera; several paths with "
        "different labels",
    )
    loads = frozenset({"media", "regions", "polylines", "trajectories"})

    def questions(
        self, facts: SceneFacts, _settings: RuleSettings, /
    ) -> Iterator[SceneQuestion | SkippedItem]:
        """Yield the questions of each aerial image with each image from the ground."""
        is_pair = False
        for aerial, ground in aerial_ground_pairs(facts):
            is_pair = True
            if reason := unfit_regions(aerial, least=1):
                yield SkippedItem(reason)
            else:
                yield from (_question(region, aerial, ground) for region in aerial.regions)
        if not is_pair:
            yield SkippedItem("the scene has no aerial image with one from the ground")


def _question(region: Region, aerial: StillView, ground: StillView) -> SceneQuestion | SkippedItem:
    if paths := [path for path in direction_paths(aerial) if _ends_in(path, region)]:
        labels = {direction_of(path) for path in paths}
        if len(labels) > 1:
            return SkippedItem("paths with different labels lead to the region")
        return _made(region, aerial, ground, direction=labels.pop(), evidence=tuple(p.id for p in paths))
    location = surveyed_position(aerial, ground)
    if location is None or ground.camera is None:
        return SkippedItem("no labelled path leads to the region")
    direction = clear_direction(region, location, ground.camera)
    if direction is None:
        return SkippedItem("the region lies in none of the six directions beyond doubt")
    return _made(region, aerial, ground, direction=direction, evidence=location.evidence)


def _made(
    region: Region, aerial: StillView, ground: StillView, *, direction: int | None, evidence: tuple[str, ...]
) -> SceneQuestion:
    return SceneQuestion(
        subject=f"{aerial.name} {ground.name} {region_name(region)}",
        template="to_region",
        slots={"region": region_name(region)},
        answer_key=answers.get("direction_label").render(direction),
        media=(aerial.medium.id, ground.medium.id),
        evidence=(region.id, *evidence),
    )


def _ends_in(path: Polyline, region: Region) -> bool:
    x, y = path.points[-1]
    return region.box.x1 <= x < region.box.x2 and region.box.y1 <= y < region.box.y2


def clear_direction(region: Region, capture_position: CapturePosition, camera: CameraPosition) -> int | None:
    """Return the direction in which a whole region lies, None if it is not beyond doubt."""
    angle = _angle_deg(middle_of(region), capture_position, camera)
    if angle is None:
        return None
    arrow = min(DIRECTIONS_DEG, key=lambda arrow: abs(arrow - angle))
    box = region.box
    corners = [
        _angle_deg((x, y), capture_position, camera) for x in (box.x1, box.x2) for y in (box.y1, box.y2)
    ]
    # Half of the angle between two arrows: a corner beyond it lies in another direction.
    if abs(arrow - angle) > CLEAR_DEG or any(c is None or abs(c - arrow) > 15.0 for c in corners):
        return None
    return DIRECTIONS_DEG.index(arrow) + 1


def _angle_deg(pixel: tuple[float, float], location: CapturePosition, camera: CameraPosition) -> float | None:
    """Return the angle of a pixel of the aerial image, anticlockwise from the camera's right, -180 to 180."""
    offset = location.offset_of(*pixel)
    if offset is None:
        return None
    angle = 90.0 - camera.relative_bearing(*offset)
    return (angle + 180.0) % 360.0 - 180.0
