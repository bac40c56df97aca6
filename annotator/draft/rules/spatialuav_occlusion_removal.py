"""SpatialUAV, Occlusion Removal: what hides in one image an object that another image shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from annotator.domain import answers
from annotator.domain.link import Link
from annotator.domain.region import Box, Region
from annotator.draft.region_categories import region_name, unfit_regions
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.scene_rule import SceneQuestion, SceneRule
from annotator.draft.still_view import StillView, aerial_views

NO_OCCLUSION = "no occlusion is marked in an aerial image"


LEAST_COVER = 0.5
"""Share of a hidden place that a region must cover to be what hides the object."""
CLEARLY = 2.0
"""Of several regions that cover a place, the first must cover this many times as much as the second."""


@dataclass(frozen=True, kw_only=True)
class _Occlusion:
    """An object that is hidden in an image.

    Attributes:
        hiders: Ids of the regions of this image that hide it; several if it is in doubt which one does.
        evidence: Ids of the records that say so.
    """

    hiders: tuple[str, ...]
    evidence: tuple[str, ...]


class SpatialOcclusionRemoval(SceneRule):
    """Drafts one item for each object that is hidden in one aerial image and marked in another."""

    id = "spatialuav.occlusion_removal"
    version = 2
    docs = RuleDocs(
        task="Occlusion Removal",
        right="the region of image 2 that an occlusion mark names as what hides the object; without a mark, "
        "the region that covers at least half of the place where the object is hidden",
        wrong="none: the answer is a region",
        no_item="no occlusion mark and no hidden place; the hidden object has no region in another aerial "
        "image; no region covers half of the place; several regions hide it, or cover about as much of the "
        "place; fewer than two regions in image 2; a number that stands for two regions",
    )
    loads = frozenset({"media", "regions", "links"})

    def questions(
        self, facts: SceneFacts, _settings: RuleSettings, /
    ) -> Iterator[SceneQuestion | SkippedItem]:
        """Yield the questions of each aerial image in which something is hidden."""
        views = aerial_views(facts)
        is_marked = False
        for view in views:
            for hidden, occlusion in _occlusions(view, facts.links).items():
                is_marked = True
                yield from _questions(view, views, hidden=hidden, occlusion=occlusion)
        if not is_marked:
            yield SkippedItem(NO_OCCLUSION)


def _occlusions(view: StillView, links: tuple[Link, ...]) -> dict[frozenset[str], _Occlusion]:
    """Return what is hidden in an image, by the regions that show the hidden object."""
    found = _marked_occlusions(view, links)
    for region in view.hidden:
        # What somebody has marked is certain; the place then only repeats it.
        found.setdefault(_regions_of_object(region.id, links), _occlusion_at(region, view))
    return found


def _marked_occlusions(view: StillView, links: tuple[Link, ...]) -> dict[frozenset[str], _Occlusion]:
    here = {region.id for region in view.regions}
    marks: dict[frozenset[str], list[Link]] = {}
    for mark in links:
        if mark.kind == "occludes" and mark.regions[0] in here:
            for hidden in mark.regions[1:]:
                marks.setdefault(_regions_of_object(hidden, links), []).append(mark)
    return {
        hidden: _Occlusion(
            hiders=tuple(dict.fromkeys(mark.regions[0] for mark in own)),
            evidence=tuple(dict.fromkeys(mark.id for mark in own)),
        )
        for hidden, own in marks.items()
    }


def _occlusion_at(area_region: Region, view: StillView) -> _Occlusion:
    """Return what covers the place where an object is hidden."""
    covers = sorted(
        ((_cover(area_region.box, region.box), region.id) for region in view.regions if not region.is_point),
        reverse=True,
    )
    hiders = tuple(region for cover, region in covers if cover >= LEAST_COVER)
    is_clear = len(covers) == 1 or (len(covers) > 1 and covers[0][0] >= CLEARLY * covers[1][0])
    return _Occlusion(hiders=hiders[:1] if is_clear else hiders, evidence=(area_region.id,))


def _cover(hidden_box: Box, box: Box) -> float:
    """Return the share of a place that a box covers."""
    width = min(hidden_box.x2, box.x2) - max(hidden_box.x1, box.x1)
    height = min(hidden_box.y2, box.y2) - max(hidden_box.y1, box.y1)
    area = (hidden_box.x2 - hidden_box.x1) * (hidden_box.y2 - hidden_box.y1)
    return width * height / area if width > 0 and height > 0 and area > 0 else 0.0


def _regions_of_object(region: str, links: tuple[Link, ...]) -> frozenset[str]:
    # Followed over several links: an object of three views may be linked by pairs of them.
    same = [set(link.regions) for link in links if link.kind == "same"]
    found, grown = {region}, True
    while grown:
        more = set().union(found, *(regions for regions in same if regions & found))
        grown, found = len(more) > len(found), more
    return frozenset(found)


def _questions(
    view: StillView, views: list[StillView], *, hidden: frozenset[str], occlusion: _Occlusion
) -> Iterator[SceneQuestion | SkippedItem]:
    if not occlusion.hiders:
        yield SkippedItem("no region covers the place of the hidden object")
        return
    if len(occlusion.hiders) > 1:
        yield SkippedItem("several regions hide the object")
        return
    shown = _elsewhere(view, views, regions=hidden)
    if not shown:
        yield SkippedItem("the hidden object has no region in another aerial image")
    hider = next(region for region in view.regions if region.id in occlusion.hiders)
    for other, region in shown:
        if reason := unfit_regions(view) or unfit_regions(other, least=1):
            yield SkippedItem(reason)
        else:
            yield _question(region, hider, images=(other, view), occlusion=occlusion)


def _elsewhere(
    view: StillView, views: Iterable[StillView], *, regions: frozenset[str]
) -> list[tuple[StillView, Region]]:
    """Return the images other than one that show some regions, each with such a region."""
    others = [other for other in views if other is not view]
    return [(other, region) for other in others for region in other.regions if region.id in regions]


def _question(
    region: Region, hider: Region, *, images: tuple[StillView, StillView], occlusion: _Occlusion
) -> SceneQuestion:
    one, two = images
    return SceneQuestion(
        subject=f"{one.name} {two.name} {region_name(region)}",
        template="occluder_of_region",
        slots={"region": region_name(region)},
        answer_key=answers.get("region_label").render((hider.number,)),
        media=(one.medium.id, two.medium.id),
        evidence=(region.id, hider.id, *occlusion.evidence),
    )
