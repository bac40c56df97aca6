"""The workspace slot of Refine: creates the workspace on first use, and removes it with the project."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from annotator.domain.query import ItemQuery
from annotator.domain.rows import SceneRow
from widgets.comments.record_comments import CommentSubject
from widgets.library.workspace import LibraryWorkspace
from widgets.workspace_services import WorkspaceServices
from widgets.workspace_slot import StageSlot

if TYPE_CHECKING:
    # Imported on first use, to keep startup fast.
    from widgets.library.record_list import RecordList
    from widgets.refine.workspace import RefineWorkspace
    from widgets.stage.stage import Stage


class RefineSlot(StageSlot["RefineWorkspace"]):
    """Holds the Refine workspace; its title is the name of the displayed item."""

    title = "Refine"
    entity = "item"

    def create(self, services: WorkspaceServices) -> RefineWorkspace:
        """Create the workspace."""
        from widgets.refine.workspace import RefineWorkspace

        return RefineWorkspace(services)

    def hand_back(self, library: LibraryWorkspace) -> None:
        """Let the Library's list of items select the displayed one, because another workspace is opened."""
        number = self.workspace.queue.hand_over() if self.workspace is not None else None
        if number is not None:
            listing = library.listings["item"]
            place = listing.model.place_of(number)
            # Choosing the current row again would clear the selection of the other rows.
            if place >= 0 and place != listing.table.current_position():
                listing.table.choose_row(place)

    def show_item(self, item: str) -> None:
        """Show one item, because another workspace asks for it; the chip All shows the whole queue again."""
        if self.workspace is not None:
            self.workspace.queue.show_only(item)

    def follow(self, library: LibraryWorkspace) -> None:
        """Show the Library's list of items; of a list of scenes, the first item of the current scene."""
        from widgets.refine.queue_list import first_item_of

        session = self.controller.session
        scene = library.listing().current_row() if library.front == "scene" else None
        if isinstance(scene, SceneRow) and session is not None:
            question = partial(first_item_of, scene=scene.id)
            is_chosen = library.listings["scene"].table.current_position() > 0
            done = partial(self._start, library, is_chosen=is_chosen)
            self.bridge.query(session, question, done=done, channel=(id(self), "item"))
        else:
            listing = library.listings["item"]
            place, numbers = listing.table.current_position(), listing.model.numbers
            number = int(numbers[place]) if 0 <= place < len(numbers) else None
            self._start(library, number, is_chosen=place > 0)

    def comment_subject(self) -> CommentSubject | None:
        """Return the item that is shown."""
        view = self.workspace.loader.view if self.workspace is not None else None
        return CommentSubject(entity=self.entity, id=view.item.id, name=view.item.name) if view else None

    def stage(self) -> Stage | None:
        """Return the stage."""
        return self.workspace.stage if self.workspace is not None else None

    def queue(self) -> RecordList | None:
        """Return the queue of items."""
        return self.workspace.queue.listing if self.workspace is not None else None

    def _start(self, library: LibraryWorkspace, number: int | None, *, is_chosen: bool) -> None:
        from widgets.refine.queue_list import QueueStart

        listing = library.listings["item"]
        if self.workspace is not None:
            query = cast("ItemQuery", listing.query)
            start = QueueStart(query=query, order=listing.order, number=number, is_chosen=is_chosen)
            self.workspace.queue.follow(start)
