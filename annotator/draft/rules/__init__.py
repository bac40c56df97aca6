"""The registry of drafting rules."""

from __future__ import annotations

from annotator.domain.registry import by_id
from annotator.draft.rule import DraftRule
from annotator.draft.rules.aircop_counting import AircopCounting
from annotator.draft.rules.aircop_quality import AircopQuality
from annotator.draft.rules.aircop_usability import AircopUsability
from annotator.draft.rules.aircop_when import AircopWhen
from annotator.draft.rules.aircop_who import AircopWho
from annotator.draft.rules.topview_localization import (
    TopViewObjectLocalization,
    TopViewSceneLocalization,
)
from annotator.draft.rules.topview_object_recognition import TopViewObjectRecognition
from annotator.draft.rules.topview_paths import TopViewActionCounting, TopViewHeading, TopViewPathPlaces
from annotator.draft.rules.topview_relations import TopViewRelations
from annotator.draft.rules.topview_scene_counting import TopViewSceneCounting
from annotator.draft.rules.topview_scene_recognition import TopViewSceneRecognition

RULE_CLASSES: tuple[type[DraftRule], ...] = (
    AircopQuality,
    AircopUsability,
    AircopCounting,
    AircopWhen,
    AircopWho,
    TopViewObjectRecognition,
    TopViewSceneRecognition,
    TopViewObjectLocalization,
    TopViewSceneLocalization,
    TopViewSceneCounting,
    TopViewRelations,
    TopViewActionCounting,
    TopViewHeading,
    TopViewPathPlaces,
)
RULES = by_id(RULE_CLASSES)
"""Every rule by its id, as ``drafted_by`` in a task set calls it."""
