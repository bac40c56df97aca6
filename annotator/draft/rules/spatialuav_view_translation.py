"""SpatialUAV, View Translation: near which region an image from the ground was taken."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.domain import answers
from annotator.draft.capture_position import capture_position
from annotator.draft.region_categories import unfit_regions
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.scene_rule import SceneQuestion, SceneRule
from annotator.draft.still_view import StillView, aerial_ground_pairs

LEAST_REGIONS = 3
MARGIN = 1.3
"""The second region must be farther than the first by this factor: distances in an image are estimated."""


class SpatialViewTranslation(SceneRule):
    """Drafts one item for each aerial image with each image from the ground."""

    id = "spatialuav.view_translation"
    version = 1
    docs = RuleDocs(
        task="View Translation",
        right="the region whose middle is closest to where the ground image was taken: the start of a path "
        "labelled with a direction, or the position of the ground camera",
        wrong="none: the answer is a region",
        no_item="no such path and a camera's position or the ground plane unknown; the second region is less "
        "than 1.3 times as far away; fewer than three regions; a number that stands for two regions",
    )
    loads = frozenset({"media", "regions", "polylines", "trajectories"})

    def questions(
        self, facts: SceneFacts, _settings: RuleSettings, /
    ) -> Iterator[SceneQuestion | SkippedItem]:
        """Yield the question of each aerial image with each image from the ground."""
        is_pair = False
        for aerial, ground in aerial_ground_pairs(facts):
            is_pair = True
            yield _question(aerial, ground)
        if not is_pair:
            yield SkippedItem("the scene has no aerial image with one from the ground")


def _question(aerial: StillView, ground: StillView) -> SceneQuestion | SkippedItem:
    if reason := unfit_regions(aerial, least=LEAST_REGIONS):
        return SkippedItem(reason)
    location = capture_position(aerial, ground)
    if location is None:
        return SkippedItem("where the ground image was taken is unknown")
    distances = [(location.distance_of(region), region) for region in aerial.regions]
    known = sorted(
        ((distance, region) for distance, region in distances if distance is not None),
        key=lambda found: found[0],
    )
    if len(known) < LEAST_REGIONS or known[1][0] < MARGIN * known[0][0]:
        return SkippedItem("two regions are about equally far away")
    nearest = known[0][1]
    return SceneQuestion(
        subject=f"{aerial.name} {ground.name}",
        answer_key=answers.get("region_label").render((nearest.number,)),
        media=(aerial.medium.id, ground.medium.id),
        evidence=(nearest.id, *location.evidence),
    )
