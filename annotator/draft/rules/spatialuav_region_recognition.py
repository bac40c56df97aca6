"""SpatialUAV, Region Recognition: which regions contain a kind of object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotator.domain import answers
from annotator.domain.region import Region
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
        "category; the middle of the object lies in a region of another category too; fewer than two "
        "regions; a number that stands for two regions",
    )
    loads = frozenset({"media", "regions"})

    def questions(
        self, facts: SceneFacts, _settings: RuleSettings, /
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


def _is_in_another(regions: Sequence[Region], everything: Sequence[Region]) -> bool:
    """Return whether the middle of one of some regions lies in a region that is not one of them."""
    own = {region.id for region in regions}
    others = [region.box for region in everything if region.id not in own]
    middles = [((r.box.x1 + r.box.x2) / 2, (r.box.y1 + r.box.y2) / 2) for r in regions]
    return any(box.x1 <= x < box.x2 and box.y1 <= y < box.y2 for x, y in middles for box in others)


def _questions(view: StillView) -> Iterator[SceneQuestion | SkippedItem]:
    for category, regions in regions_by_category(view.regions).items():
        if _is_in_another(regions, view.regions):
            yield SkippedItem("a region of another category shows the object too")
            continue
        yield SceneQuestion(
            subject=category.casefold(),
            view=view.name,
            slots={"label": with_article(category)},
            answer_key=answers.get("region_set").render(frozenset(region.number for region in regions)),
            media=(view.medium.id,),
            evidence=tuple(region.id for region in regions),
        )
