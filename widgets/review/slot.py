"""The workspace slot of Review: creates the workspace on first use, and removes it with the project."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from widgets.action_lists.review import REVIEW
from widgets.record_reference import RecordReference
from widgets.translation import mark as _
from widgets.workspace_services import WorkspaceServices
from widgets.workspace_slot import StageSlot

if TYPE_CHECKING:
    # Imported on first use, to keep startup fast.
    from widgets.library.record_list import RecordList
    from widgets.review.case_view import CaseView
    from widgets.review.workspace import ReviewWorkspace


class ReviewSlot(StageSlot["ReviewWorkspace"]):
    """Holds the Review workspace; its name is that of the record of the displayed case.

    A case can be about a record of any type, so that every change concerns it.
    """

    id = rail = icon = "review"
    title = _("Review")
    key = "Ctrl+4"
    purpose = _(
        "This workspace shows each record that waits for a decision, with the answers of people and "
        "models side by side. You decide, and say why. Open a project or create a new one."
    )
    actions = REVIEW
    contexts = frozenset({"review", "stage"})
    stage_contexts = frozenset({"review"})

    def create(self, services: WorkspaceServices) -> ReviewWorkspace:
        """Create the workspace."""
        from widgets.review.workspace import ReviewWorkspace

        workspace = ReviewWorkspace(services)
        workspace.decisions.edit_requested.connect(self._on_edit_requested)
        return workspace

    def refresh(self) -> None:
        """Read the queue when it is shown for the first time; later on it follows the project."""
        if self.workspace is not None and self.workspace.queue.listing.answer is None:
            self.workspace.queue.refresh()

    def comment_subject(self) -> RecordReference | None:
        """Return the record of the displayed case, or the scene that it is a part of."""
        view = self.workspace.loader.view if self.workspace is not None else None
        if view is None:
            return None
        case = view.case
        if case.entity in {"item", "medium"} or not case.scene:
            return RecordReference(entity=case.entity, id=case.target, name=case.name)
        return RecordReference(entity="scene", id=case.scene, name=case.name)

    def queues(self) -> Iterable[tuple[str, RecordList]]:
        """Return the queue of cases, whose rows are of several types."""
        return (("", self.workspace.queue.listing),) if self.workspace is not None else ()

    def _on_edit_requested(self, view: CaseView) -> None:
        """Open the record of a case: an item in Refine, a medium in the Library, another one in its scene."""
        scene = view.shown.scene
        if view.item is not None:
            item = RecordReference(entity="item", id=view.item.id, name=view.item.name)
            self.record_requested.emit("refine", item)
        elif view.case.entity == "medium":
            self.record_requested.emit("library", RecordReference(entity="medium", name=view.case.name))
        elif scene.id:
            self.record_requested.emit(
                "annotate", RecordReference(entity="scene", id=scene.id, name=scene.name)
            )
