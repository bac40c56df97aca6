"""SpatialUAV, Object Matching: where an object of one drone's image is in another drone's image."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.domain import answers
from annotator.domain.region import Box
from annotator.draft.region_categories import region_name, unfit_regions
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.scene_rule import SceneQuestion, SceneRule
from annotator.draft.still_view import RegionMatch, StillView, aerial_pairs, matches_between


class SpatialObjectMatching(SceneRule):
    """Drafts two items for each object that two drones see: its region, and its box."""

    id = "spatialuav.object_matching"
    version = 1
    docs = RuleDocs(
        task="Object Matching",
        right="the region of image 2 that is linked with that of image 1; its box in whole pixels",
        wrong="none: the answer is a region or a box",
        no_item="no link between the images; links that contradict each other; fewer than two regions in an "
        "image; a number that stands for two regions; a point instead of a box",
    )
    loads = frozenset({"media", "regions", "links"})

    def questions(
        self, facts: SceneFacts, _settings: RuleSettings, /
    ) -> Iterator[SceneQuestion | SkippedItem]:
        """Yield the questions of each two aerial images."""
        is_pair = False
        for one, two in aerial_pairs(facts):
            is_pair = True
            matches = matches_between(one, two, links=facts.links)
            reason = unfit_regions(one) or unfit_regions(two) or match_problem(matches)
            if reason:
                yield SkippedItem(reason)
            for match in () if reason else matches or ():
                yield from _questions(match, one, two)
        if not is_pair:
            yield SkippedItem("the scene has fewer than two aerial images")


def match_problem(matches: list[RegionMatch] | None) -> str:
    """Return why matches of two images give no question, "" if they do."""
    if matches is None:
        return "a region is linked with two regions of one image"
    return "" if matches else "no region is linked with one of the other image"


def _questions(match: RegionMatch, one: StillView, two: StillView) -> Iterator[SceneQuestion | SkippedItem]:
    name = region_name(match.first)
    media = (one.medium.id, two.medium.id)
    evidence = (match.first.id, match.second.id, *match.links)
    yield SceneQuestion(
        subject=f"{one.name} {two.name} {name} region",
        template="region",
        slots={"region": name},
        answer_key=answers.get("region_label").render((match.second.number,)),
        media=media,
        evidence=evidence,
    )
    # Only the question about the box is left out: a point has a region number.
    if match.first.is_point or match.second.is_point:
        yield SkippedItem("a region is a point without a box")
        return
    box = answers.get("bbox")
    yield SceneQuestion(
        subject=f"{one.name} {two.name} {name} box",
        template="box",
        slots={"box": box.render(whole_pixels(match.first.box))},
        answer_key=box.render(whole_pixels(match.second.box)),
        media=media,
        evidence=evidence,
    )


def whole_pixels(box: Box) -> Box:
    """Return a box with its corners rounded to whole pixels."""
    # The published script reads integers alone: of 823.5 it makes two numbers.
    return Box(x1=round(box.x1), y1=round(box.y1), x2=round(box.x2), y2=round(box.y2))
