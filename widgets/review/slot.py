"""The workspace slot of Review: creates the workspace on first use, and removes it with the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from widgets.comments.record_comments import CommentSubject
from widgets.library.workspace import LibraryWorkspace
from widgets.workspace_services import WorkspaceServices
from widgets.workspace_slot import StageSlot

if TYPE_CHECKING:
    # Imported on first use, to keep startup fast.
    from widgets.library.record_list import RecordList
    from widgets.review.workspace import ReviewWorkspace
    from widgets.stage.stage import Stage


class ReviewSlot(StageSlot["ReviewWorkspace"]):
    """Holds the Review workspace; its title is the name of the record of the displayed case.

    Signals:
        edit_requested: The record of a case is to be edited; carries its ``CaseView``.
    """

    title = "Review"
    edit_requested = Signal(object)

    def create(self, services: WorkspaceServices) -> ReviewWorkspace:
        """Create the workspace."""
        from widgets.review.workspace import ReviewWorkspace

        workspace = ReviewWorkspace(services)
        workspace.decisions.edit_requested.connect(self.edit_requested)
        return workspace

    def hand_back(self, library: LibraryWorkspace) -> None:
        """Leave the lists of the Library as they are: the queue is one of its own."""

    def follow(self, library: LibraryWorkspace) -> None:
        """Read the queue when it is shown for the first time; later on it follows the project."""
        if self.workspace is not None and self.workspace.queue.listing.answer is None:
            self.workspace.queue.refresh()

    def comment_subject(self) -> CommentSubject | None:
        """Return the record of the displayed case, or the scene that it is a part of."""
        view = self.workspace.loader.view if self.workspace is not None else None
        if view is None:
            return None
        case = view.case
        if case.entity in {"item", "medium"} or not case.scene:
            return CommentSubject(entity=case.entity, id=case.target, name=case.name)
        return CommentSubject(entity="scene", id=case.scene, name=case.name)

    def stage(self) -> Stage | None:
        """Return the stage."""
        return self.workspace.stage if self.workspace is not None else None

    def queue(self) -> RecordList | None:
        """Return the queue of cases."""
        return self.workspace.queue.listing if self.workspace is not None else None
