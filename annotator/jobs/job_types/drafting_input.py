"""What a drafting run reads of a project: scenes with labels, flags, media and flights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from annotator.domain.item import Item
from annotator.domain.run import Run
from annotator.domain.scene import Scene
from annotator.draft.llm.pipeline import DraftSubject, Pipeline
from annotator.draft.llm.settings import DraftingSettings
from annotator.draft.scene_facts import FactKind, SceneFacts
from annotator.draft.scene_reader import read_scene
from annotator.errors import UserError
from annotator.quality.context import CheckContext
from annotator.quality.run import run_item_checks
from annotator.queries.reader import Reader

PIPELINE_FACTS: frozenset[FactKind] = frozenset({"labels", "media", "trajectories"})
NOT_THE_MODELS = frozenset({"missing_media", "duplicate_id", "near_duplicate"})
"""Checks whose findings another reply of the model cannot correct."""


def settings_of(run: Run) -> DraftingSettings:
    """Return the settings of a drafting run.

    Raises:
        UserError: They are none.
    """
    return convert_settings(run.settings)


def convert_settings(settings: Mapping[str, Any]) -> DraftingSettings:
    """Return settings of drafting from plain values.

    Raises:
        UserError: They are none.
    """
    try:
        return msgspec.convert(settings, DraftingSettings)
    except msgspec.ValidationError as error:
        raise UserError(f"The settings of the run are not valid: {error}.") from error


def scenes_of(reader: Reader, settings: DraftingSettings) -> Iterator[Scene]:
    """Yield the scenes that a run is about, in order of arrival or of its list."""
    yield from reader.records(Scene, ids=list(settings.scenes) or None)


def facts_of(reader: Reader, scene: Scene) -> SceneFacts:
    """Return all that pipelines know of a scene."""
    return read_scene(reader, scene, kinds=PIPELINE_FACTS)


def subject_of(
    reader: Reader, recipe: Pipeline, *, scene: str, target: str, view: str, seed: int | str
) -> DraftSubject:
    """Return one subject of a scene again.

    Raises:
        UserError: It is not there any more.
    """
    found = reader.get(Scene, scene)
    if found is not None:
        for subject in recipe.subjects(facts_of(reader, found), seed=seed):
            if isinstance(subject, DraftSubject) and (subject.target, subject.view) == (target, view):
                return subject
    raise UserError("The scene or its data is no longer in the project.")


def shown_item(subject: DraftSubject) -> Item:
    """Return an item with scene, view and media of a subject, for functions that render an item's images."""
    return Item(name="", task_set="", scene=subject.facts.scene.id, view=subject.view, media=subject.media)


def find_problems(item: Item, context: CheckContext) -> list[str]:
    """Return the findings of the checks on a draft, worded as instructions for the model."""
    findings = run_item_checks(item, context)
    return [finding.message for finding in findings if finding.check not in NOT_THE_MODELS]
