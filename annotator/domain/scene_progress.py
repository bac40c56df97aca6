"""How far a scene is: its annotation, and its stage from untouched to every item decided."""

from __future__ import annotations

from typing import Literal

from annotator.domain.scene import SceneState

Stage = Literal["untouched", "labelling", "labelled", "in_work", "done"]
"""Stages of a scene in the order of its life."""
Annotation = Literal["to_do", "open", "finished"]
"""States of the annotation of a scene: nothing is annotated, not finished yet, finished by a person."""
SETTLED = ("filtered", "accepted", "rejected")
"""States of items that wait for nobody: taken out by the blind filter, accepted, or rejected."""


def stage_of(*, views: int, labelled: int, items: int, settled: int) -> Stage:
    """Return the stage of a scene.

    Args:
        views: Number of its views.
        labelled: Number of views with an event label.
        items: Number of its items.
        settled: Number of its items in one of the states ``SETTLED``.
    """
    # Items first: a scene whose items came from a file is in work, whether or not somebody labelled it.
    if items:
        return "done" if settled >= items else "in_work"
    if not labelled:
        return "untouched"
    return "labelled" if labelled >= views else "labelling"


def annotation_of(*, state: SceneState, is_begun: bool) -> Annotation:
    """Return the state of the annotation of a scene.

    Args:
        state: State of the scene.
        is_begun: Whether it has an event label, a link, or a region made by hand.
    """
    if state == "finished":
        return "finished"
    return "open" if is_begun else "to_do"
