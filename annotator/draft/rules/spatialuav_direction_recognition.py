"""SpatialUAV, Direction Recognition: the clock direction of a region from the drone."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.domain import answers
from annotator.domain.region import Region
from annotator.draft.camera_position import CameraPosition
from annotator.draft.clock_hour import clear_hour
from annotator.draft.region_categories import region_name, unfit_regions
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.scene_rule import SceneQuestion, SceneRule
from annotator.draft.still_view import StillView, aerial_views


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
