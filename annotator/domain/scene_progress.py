"""How far a scene is: from untouched to every item decided."""

from __future__ import annotations

from typing import Literal

Stage = Literal["untouched", "labelling", "labelled", "in_work", "done"]
"""Stages of a scene in the order of its life."""
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
