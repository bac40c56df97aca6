"""SpatialUAV, Region Recognition: which regions contain a kind of object."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.domain import answers
from annotator.draft.region_categories import regions_by_category, unfit_regions, with_article
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.scene_rule import SceneQuestion, SceneRule
from annotator.draft.still_view import StillView, aerial_views


class SpatialRegionRecognition(SceneRule):
    """Drafts one item for each category of an aerial image."""

    id = "spatialuav.region_recognition"
    version = 1
    docs = RuleDocs(
        task="Region Recognition",
        right="the regions whose category is asked for",
        wrong="none: the answer is a set of regions",
        no_item="a region without a category (it could be one of those asked for); all regions have the same "
        "category; fewer than two regions; a number that stands for two regions",
    )
    loads = frozenset({"media", "regions"})

    def questions(
        self,
        facts: SceneFacts,
        *,
        settings: RuleSettings,  # noqa: ARG002 - nothing is drawn
    ) -> Iterator[SceneQuestion | SkippedItem]:
        """Yield the questions of each aerial image."""
        for view in aerial_views(facts):
            reason = unfit_regions(view) or _reason(view)
            if reason:
                yield SkippedItem(reason)
            else:
                yield from _questions(view)


def _reason(view: StillView) -> str:
    if any(not region.category.strip() for region in view.regions):
        return "a region has no category"
    return "" if len(regions_by_category(view.regions)) > 1 else "all regions have the same category"


def _questions(view: StillView) -> Iterator[SceneQuestion]:
    for category, regions in regions_by_category(view.regions).items():
        yield SceneQuestion(
            subject=category.casefold(),
            view=view.name,
            slots={"label": with_article(category)},
            answer_key=answers.get("region_set").render(frozenset(region.number for region in regions)),
            media=(view.medium.id,),
            evidence=tuple(region.id for region in regions),
        )
