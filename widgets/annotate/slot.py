"""The workspace slot of Annotate: creates the workspace on first use, and removes it with the project."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from annotator.domain.query import RelatedSceneQuery
from widgets.action_lists.annotate import ANNOTATE
from widgets.library.scene_follower import FollowedRecord
from widgets.record_reference import RecordReference
from widgets.stage.scene_update import SHOWN
from widgets.translation import mark as _
from widgets.translation import tr
from widgets.workspace_services import WorkspaceServices
from widgets.workspace_slot import StageSlot

if TYPE_CHECKING:
    # Imported on first use, to keep startup fast.
    from widgets.annotate.workspace import AnnotateWorkspace
    from widgets.library.record_list import RecordList


class AnnotateSlot(StageSlot["AnnotateWorkspace"]):
    """Holds the Annotate workspace; its title is the name of the displayed scene."""

    id = rail = icon = "annotate"
    title = _("Annotate")
    key = "Ctrl+2"
    purpose = _(
        "This workspace shows the views of a scene side by side. You draw regions and paths "
        "and link regions across views. Open a project or create a new one."
    )
    actions = ANNOTATE
    contexts = frozenset({"stage"})
    records = frozenset({*SHOWN, "assignment", "item", "medium", "project", "scene"})

    def create(self, services: WorkspaceServices) -> AnnotateWorkspace:
        """Create the workspace."""
        from widgets.annotate.workspace import AnnotateWorkspace

        return AnnotateWorkspace(services)

    def refresh(self) -> None:
        """Show the scene of the current record of the Library."""
        followed = self.library.follower.followed(self.library.front) if self.library is not None else None
        if followed is not None and self.workspace is not None:
            self.workspace.followed.follow(followed)

    def hide(self) -> None:
        """Let the Library's lists select the displayed scene, because another workspace is opened."""
        location = self.workspace.followed.scene_location() if self.workspace is not None else None
        if location is not None and self.library is not None:
            self.library.follower.hand_over(self.library.front, location)

    def show_record(self, record: RecordReference) -> None:
        """Show the scenes of a record with a name."""
        if self.workspace is not None:
            query = RelatedSceneQuery(text=record.name)
            self.workspace.followed.follow(
                FollowedRecord(entity="scene", number=None, query=query, is_chosen=True)
            )

    def comment_subject(self) -> RecordReference | None:
        """Return the scene that is shown."""
        shown = self.workspace.stage.shown if self.workspace is not None else None
        if shown is None:
            return None
        return RecordReference(entity="scene", id=shown.scene.id, name=shown.scene.name)

    def comment_target(self) -> RecordReference | None:
        """Return the region that is selected alone."""
        stage = self.stage()
        if stage is None or stage.shown is None or len(stage.selected) != 1:
            return None
        region = stage.shown.regions_by_id(stage.selected).get(stage.selected[0])
        if region is None:
            return None
        return RecordReference(entity="region", id=region.id, name=tr("Region {n}", n=region.number))

    def queues(self) -> Iterable[tuple[str, RecordList]]:
        """Return the queue of scenes."""
        return (("scene", self.workspace.queue.listing),) if self.workspace is not None else ()
