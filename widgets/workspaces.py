"""The registry of workspaces."""

from __future__ import annotations

from widgets.annotate.slot import AnnotateSlot
from widgets.library_slot import LibrarySlot
from widgets.refine.slot import RefineSlot
from widgets.release.slot import ReleaseSlot
from widgets.review.slot import ReviewSlot
from widgets.runs.slot import RunsSlot
from widgets.scores.slot import ScoresSlot
from widgets.second_look.slot import SecondLookSlot
from widgets.workspace import Workspace

WORKSPACES: tuple[type[Workspace], ...] = (
    LibrarySlot,
    AnnotateSlot,
    RefineSlot,
    SecondLookSlot,
    ReviewSlot,
    RunsSlot,
    ReleaseSlot,
    ScoresSlot,
)
"""All workspaces, in the order of the rail; the first one shows the start page while no project is open."""
