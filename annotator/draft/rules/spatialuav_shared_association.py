"""SpatialUAV, Shared Association: which regions of two images show the same object."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from annotator.domain import answers
from annotator.domain.answers.pair_list import RegionPair
from annotator.draft.region_categories import unfit_regions
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.rules.spatialuav_object_matching import match_problem
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.scene_rule import SceneQuestion, SceneRule
from annotator.draft.still_view import StillView, aerial_ground_pairs, aerial_pairs, matches_between

Pairs = Callable[[SceneFacts], Iterator[tuple[StillView, StillView]]]


def association_questions(
    facts: SceneFacts, *, pairs: Pairs, without_pair: str
) -> Iterator[SceneQuestion | SkippedItem]:
    """Yield one question for each pair of images.

    Args:
        facts: The scene.
        pairs: Yields the pairs of images.
        without_pair: The reason if there is no pair.
    """
    is_pair = False
    for one, two in pairs(facts):
        is_pair = True
        matches = matches_between(one, two, links=facts.links)
        reason = unfit_regions(one) or unfit_regions(two) or match_problem(matches)
        if reason or matches is None:
            yield SkippedItem(reason)
            continue
        found = frozenset(RegionPair(first=m.first.number, second=m.second.number) for m in matches)
        yield SceneQuestion(
            subject=f"{one.name} {two.name}",
            answer_key=answers.get("pair_list").render(found),
            media=(one.medium.id, two.medium.id),
            evidence=tuple(dict.fromkeys(link for match in matches for link in match.links)),
        )
    if not is_pair:
        yield SkippedItem(without_pair)


_RIGHT = "the pairs of regions that links connect"
_WRONG = "none: the answer is a list of pairs"
_NO_ITEM = (
    "no link between the images; links that contradict each other; fewer than two regions in an image; a "
    "number that stands for two regions"
)


class SpatialAerialAssociation(SceneRule):
    """Drafts one item for each two aerial images of a scene."""

    id = "spatialuav.a2a_shared_association"
    version = 1
    docs = RuleDocs(task="Aerial-aerial Shared Association", right=_RIGHT, wrong=_WRONG, no_item=_NO_ITEM)
    loads = frozenset({"media", "regions", "links"})

    def questions(
        self, facts: SceneFacts, _settings: RuleSettings, /
    ) -> Iterator[SceneQuestion | SkippedItem]:
        """Yield the question of each two aerial images."""
        without_pair = "the scene has fewer than two aerial images"
        return association_questions(facts, pairs=aerial_pairs, without_pair=without_pair)


class SpatialGroundAssociation(SceneRule):
    """Drafts one item for each aerial image with each image from the ground."""

    id = "spatialuav.a2g_shared_association"
    version = 1
    docs = RuleDocs(task="Aerial-ground Shared Association", right=_RIGHT, wrong=_WRONG, no_item=_NO_ITEM)
    loads = frozenset({"media", "regions", "links"})

    def questions(
        self, facts: SceneFacts, _settings: RuleSettings, /
    ) -> Iterator[SceneQuestion | SkippedItem]:
        """Yield the question of each aerial image with each image from the ground."""
        without_pair = "the scene has no aerial image with one from the ground"
        return association_questions(facts, pairs=aerial_ground_pairs, without_pair=without_pair)
