"""SpatialUAV, Occlusion Removal: what hides in one image an object that another image shows."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.domain import answers
from annotator.domain.link import Link
from annotator.domain.region import Region
from annotator.draft.region_categories import region_name, unfit_regions
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.scene_rule import SceneQuestion, SceneRule
from annotator.draft.still_view import StillView, aerial_views

NO_OCCLUSION = "no occlusion is marked in an aerial image"


class SpatialOcclusionRemoval(SceneRule):
    """Drafts one item for each object that is hidden in one aerial image and marked in another."""

    id = "spatialuav.occlusion_removal"
    version = 1
    docs = RuleDocs(
        task="Occlusion Removal",
        right="the region of image 2 that an occlusion mark names as what hides the object",
        wrong="none: the answer is a region",
        no_item="no occlusion mark; the hidden object has no region in another aerial image; several regions "
        "hide it; fewer than two regions in image 2; a number that stands for two regions",
    )
    loads = frozenset({"media", "regions", "links"})

    def questions(
        self, facts: SceneFacts, _settings: RuleSettings, /
    ) -> Iterator[SceneQuestion | SkippedItem]:
        """Yield the questions of each aerial image in which something is hidden."""
        views = aerial_views(facts)
        is_marked = False
        for view in views:
            for hidden, marks in _occlusions(view, facts.links).items():
                is_marked = True
                yield from _questions(view, views, hidden=hidden, marks=marks)
        if not is_marked:
            yield SkippedItem(NO_OCCLUSION)


def _occlusions(view: StillView, links: tuple[Link, ...]) -> dict[frozenset[str], list[Link]]:
    """Return the occlusion marks of an image by the regions that show the hidden object."""
    here = {region.id for region in view.regions}
    found: dict[frozenset[str], list[Link]] = {}
    for mark in links:
        if mark.kind == "occludes" and mark.regions[0] in here:
            for hidden in mark.regions[1:]:
                found.setdefault(_regions_of_object(hidden, links), []).append(mark)
    return found


def _regions_of_object(region: str, links: tuple[Link, ...]) -> frozenset[str]:
    same = [set(link.regions) for link in links if link.kind == "same"]
    found, grown = {region}, True
    while grown:
        more = set().union(found, *(regions for regions in same if regions & found))
        grown, found = len(more) > len(found), more
    return frozenset(found)


def _questions(
    view: StillView, views: list[StillView], *, hidden: frozenset[str], marks: list[Link]
) -> Iterator[SceneQuestion | SkippedItem]:
    hiders = {mark.regions[0] for mark in marks}
    shown = [(other, r) for other in views if other is not view for r in other.regions if r.id in hidden]
    if len(hiders) > 1:
        yield SkippedItem("several regions hide the object")
        return
    if not shown:
        yield SkippedItem("the hidden object has no region in another aerial image")
    hider = next(region for region in view.regions if region.id in hiders)
    for other, region in shown:
        if reason := unfit_regions(view) or unfit_regions(other, least=1):
            yield SkippedItem(reason)
        else:
            yield _question(region, hider, images=(other, view), marks=marks)


def _question(
    region: Region, hider: Region, *, images: tuple[StillView, StillView], marks: list[Link]
) -> SceneQuestion:
    one, two = images
    return SceneQuestion(
        subject=f"{one.name} {two.name} {region_name(region)}",
        template="occluder_of_region",
        slots={"region": region_name(region)},
        answer_key=answers.get("region_label").render((hider.number,)),
        media=(one.medium.id, two.medium.id),
        evidence=(region.id, hider.id, *dict.fromkeys(mark.id for mark in marks)),
    )
