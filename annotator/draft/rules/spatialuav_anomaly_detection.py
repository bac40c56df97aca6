"""SpatialUAV, Anomaly Detection: in which regions something abnormal happens."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.domain import answers
from annotator.draft.region_categories import unfit_regions
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.scene_rule import SceneQuestion, SceneRule
from annotator.draft.still_view import StillView, aerial_views


class SpatialAnomalyDetection(SceneRule):
    """Drafts one item for each aerial image with regions that are marked as abnormal."""

    id = "spatialuav.anomaly_detection"
    version = 1
    docs = RuleDocs(
        task="Anomaly Detection",
        right="the regions that are marked as abnormal",
        wrong="none: the answer is a set of regions",
        no_item="no region is marked as abnormal, or all are; fewer than two regions; a number that stands "
        "for two regions",
    )
    loads = frozenset({"media", "regions"})

    def questions(
        self, facts: SceneFacts, _settings: RuleSettings, /
    ) -> Iterator[SceneQuestion | SkippedItem]:
        """Yield the question of each aerial image."""
        for view in aerial_views(facts):
            yield _question(view)


def _question(view: StillView) -> SceneQuestion | SkippedItem:
    if reason := unfit_regions(view):
        return SkippedItem(reason)
    marked = [region for region in view.regions if region.is_abnormal]
    if not marked:
        return SkippedItem("no region is marked as abnormal")
    if len(marked) == len(view.regions):
        return SkippedItem("all regions are marked as abnormal")
    return SceneQuestion(
        subject="abnormal",
        view=view.name,
        answer_key=answers.get("region_set").render(frozenset(region.number for region in marked)),
        media=(view.medium.id,),
        evidence=tuple(region.id for region in marked),
    )
