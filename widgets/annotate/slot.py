"""The workspace slot of Annotate: creates the workspace on first use, and removes it with the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotator.domain.query import RelatedSceneQuery
from widgets.comments.record_comments import CommentSubject
from widgets.library.scene_follower import FollowedRecord
from widgets.library.workspace import LibraryWorkspace
from widgets.workspace_services import WorkspaceServices
from widgets.workspace_slot import StageSlot

if TYPE_CHECKING:
    # Imported on first use, to keep startup fast.
    from widgets.annotate.workspace import AnnotateWorkspace
    from widgets.library.record_list import RecordList
    from widgets.stage.stage import Stage


class AnnotateSlot(StageSlot["AnnotateWorkspace"]):
    """Holds the Annotate workspace; its title is the name of the displayed scene."""

    title = "Annotate"
    entity = "scene"

    def create(self, services: WorkspaceServices) -> AnnotateWorkspace:
        """Create the workspace."""
        from widgets.annotate.workspace import AnnotateWorkspace

        return AnnotateWorkspace(services)

    def follow(self, library: LibraryWorkspace) -> None:
        """Show the scene of the current record of the Library."""
        followed = library.follower.followed(library.front)
        if followed is not None and self.workspace is not None:
            self.workspace.followed.follow(followed)

    def show_scene(self, name: str) -> None:
        """Show the scenes with a name, because another workspace asks for one."""
        if self.workspace is not None:
            query = RelatedSceneQuery(text=name)
            self.workspace.followed.follow(
                FollowedRecord(entity="scene", number=None, query=query, is_chosen=True)
            )

    def hand_back(self, library: LibraryWorkspace) -> None:
        """Let the Library's lists select the displayed scene, because another workspace is opened."""
        place = self.workspace.followed.scene_place() if self.workspace is not None else None
        if place is not None:
            library.follower.hand_over(library.front, place)

    def comment_subject(self) -> CommentSubject | None:
        """Return the scene that is shown."""
        shown = self.workspace.stage.shown if self.workspace is not None else None
        if shown is None:
            return None
        return CommentSubject(entity=self.entity, id=shown.scene.id, name=shown.scene.name)

    def stage(self) -> Stage | None:
        """Return the stage."""
        return self.workspace.stage if self.workspace is not None else None

    def queue(self) -> RecordList | None:
        """Return the queue of scenes."""
        return self.workspace.queue.listing if self.workspace is not None else None
