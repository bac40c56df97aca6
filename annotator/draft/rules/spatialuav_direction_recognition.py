"""SpatialUAV, Direction Recognition: the clock direction of a region from the drone."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.domain import answers
from annotator.domain.region import Region
from annotator.draft.camera_position import CameraPosition
from annotator.draft.region_categories import region_name, unfit_regions
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.scene_rule import SceneQuestion, SceneRule
from annotator.draft.still_view import StillView, aerial_views

HOUR_DEG = 30.0
CLEAR_DEG = 10.0
"""A bearing this close to the middle of an hour belongs to it without doubt; the hour ends at 15 degrees."""


class SpatialDirectionRecognition(SceneRule):
    """Drafts one item for each region whose clock direction is clear."""

    id = "spatialuav.direction_recognition"
    version = 1
    docs = RuleDocs(
        task="Direction Recognition",
        right="the hour of the region's bearing from the drone; 12 is the direction of the top of the image",
        wrong="none: the answer is an hour",
        no_item="position, orientation or lens of the camera unknown; the bearing is more than 10 degrees "
        "from the middle of an hour, or the region reaches into another hour; fewer than two regions",
    )
    loads = frozenset({"media", "regions", "trajectories"})

    def questions(
        self, facts: SceneFacts, _settings: RuleSettings, /
    ) -> Iterator[SceneQuestion | SkippedItem]:
        """Yield the questions of each aerial image."""
        for view in aerial_views(facts):
            if reason := unfit_regions(view):
                yield SkippedItem(reason)
            elif view.camera is None or view.camera.direction_of(0.0, 0.0) is None:
                yield SkippedItem("position, orientation or lens of the camera are unknown")
            else:
                yield from (_question(region, view, view.camera) for region in view.regions)


def _question(region: Region, view: StillView, camera: CameraPosition) -> SceneQuestion | SkippedItem:
    hour = clear_hour(region, camera)
    if hour is None:
        return SkippedItem("the direction lies between two hours")
    return SceneQuestion(
        subject=region_name(region),
        view=view.name,
        slots={"region": region_name(region)},
        answer_key=answers.get("clock").render(hour),
        media=(view.medium.id,),
        evidence=(region.id, camera.trajectory),
    )


def clear_hour(region: Region, camera: CameraPosition) -> int | None:
    """Return the hour in which a whole region lies, None if it is not beyond doubt.

    A region near the point below the camera spans many hours, so all corners of its box are considered.
    """
    box = region.box
    bearing = camera.bearing_of((box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2)
    if bearing is None:
        return None
    turn = round(bearing / HOUR_DEG)
    if _apart_deg(bearing, turn * HOUR_DEG) > CLEAR_DEG:
        return None
    corners = [camera.bearing_of(x, y) for x in (box.x1, box.x2) for y in (box.y1, box.y2)]
    if any(corner is None or _apart_deg(corner, turn * HOUR_DEG) > HOUR_DEG / 2 for corner in corners):
        return None
    return turn % 12 or 12


def _apart_deg(one: float, two: float) -> float:
    return abs((one - two + 180.0) % 360.0 - 180.0)
