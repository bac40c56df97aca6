"""SpatialUAV, Collaboration Recognition: which of four images shows the same place as a given one."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from annotator.domain.item import LETTERS
from annotator.draft.distractor_scenes import scenes_elsewhere
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.scene_rule import SceneQuestion, SceneRule
from annotator.draft.seeded_random import SeededRandom, dealt_position
from annotator.draft.still_view import StillView, still_views

DISTRACTORS = 3
"""Source: SpatialUAV, gen_coor_rec_data.py."""
FEW_SCENES = "fewer than three scenes of other places have such an image"


@dataclass(frozen=True, kw_only=True)
class _Query:
    """An image and those that show the same place.

    Attributes:
        view: The image.
        partners: Other images of the scene, of the kind that is asked for.
        template: Id of the template.
    """

    view: StillView
    partners: Sequence[StillView]
    template: str = ""


class _CollaborationRule(SceneRule):
    """Drafts one item for each query image of a scene."""

    loads = frozenset({"media", "trajectories", "other_scenes"})
    without_query: ClassVar[str]

    @abstractmethod
    def queries(self, views: Sequence[StillView]) -> Iterator[_Query]:
        """Yield the query images of a scene."""

    def questions(
        self, facts: SceneFacts, settings: RuleSettings, /
    ) -> Iterator[SceneQuestion | SkippedItem]:
        """Yield the question of each query image."""
        number = None
        for number, query in enumerate(self.queries(still_views(facts))):
            yield _question(query, facts=facts, settings=settings, number=number)
        if number is None:
            yield SkippedItem(self.without_query)


def _question(
    query: _Query, *, facts: SceneFacts, settings: RuleSettings, number: int
) -> SceneQuestion | SkippedItem:
    scene = facts.scene
    parts = (settings.draw_seed, settings.task_set.id, settings.task.id, scene.dataset, scene.name)
    draw = SeededRandom(*parts, query.view.name)
    right = draw.choose(query.partners)
    wrong = list(itertools.islice(_candidates(right, facts, draw=draw), DISTRACTORS))
    if len(wrong) < DISTRACTORS:
        return SkippedItem(FEW_SCENES)
    index = dealt_position(*parts, turn=number, count=DISTRACTORS + 1)
    shown = [*wrong[:index], right, *wrong[index:]]
    return SceneQuestion(
        subject=query.view.name,
        view=query.view.name,
        template=query.template,
        answer_key=LETTERS[index],
        media=(query.view.medium.id, *(view.medium.id for view in shown)),
        options=tuple(view.medium.name for view in shown),
        evidence=(scene.id,),
    )


def _candidates(right: StillView, facts: SceneFacts, *, draw: SeededRandom) -> Iterator[StillView]:
    """Yield one image of each other place, preferably of the same drone as the right one."""
    for other in scenes_elsewhere(facts, draw=draw):
        alike = [view for view in still_views(other) if view.is_ground == right.is_ground]
        same = [view for view in alike if view.name == right.name]
        if alike:
            yield same[0] if same else draw.choose(alike)


_WRONG = (
    "an image of the same kind from each of three scenes of other places in the dataset, drawn by the seed"
)
_NO_ITEM = (
    "fewer than three such scenes. A scene shows another place if it names another place, or without places "
    "has another name before its last number; it must not see the same ground, where positions are known"
)


class SpatialAerialCollaboration(_CollaborationRule):
    """Drafts one item for each aerial image of a scene with several."""

    id = "spatialuav.a2a_collaboration_recognition"
    version = 2
    docs = RuleDocs(
        task="Aerial-aerial Collaboration Recognition",
        right="another aerial image of the scene",
        wrong=_WRONG,
        no_item=_NO_ITEM,
    )
    without_query = "the scene has fewer than two aerial images"

    def queries(self, views: Sequence[StillView]) -> Iterator[_Query]:
        """Yield each aerial image with the others."""
        aerial = [view for view in views if not view.is_ground]
        for view in aerial if len(aerial) > 1 else ():
            yield _Query(view=view, partners=[other for other in aerial if other is not view])


class SpatialGroundCollaboration(_CollaborationRule):
    """Drafts one item for each image of a scene with aerial images and images from the ground."""

    id = "spatialuav.a2g_collaboration_recognition"
    version = 2
    docs = RuleDocs(
        task="Aerial-ground Collaboration Recognition",
        right="the aerial image of the scene for one from the ground, and the other way round",
        wrong=_WRONG,
        no_item=_NO_ITEM,
    )
    without_query = "the scene has no aerial image with one from the ground"

    def queries(self, views: Sequence[StillView]) -> Iterator[_Query]:
        """Yield each image from the ground with the aerial ones, then the other way round."""
        aerial = [view for view in views if not view.is_ground]
        ground = [view for view in views if view.is_ground]
        if aerial and ground:
            yield from (_Query(view=view, partners=aerial, template="aerial_of_ground") for view in ground)
            yield from (_Query(view=view, partners=ground, template="ground_of_aerial") for view in aerial)
