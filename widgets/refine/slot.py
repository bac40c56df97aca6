"""The workspace slot of Refine: creates the workspace on first use, and removes it with the project."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, cast

from annotator.domain.query import ItemQuery
from annotator.domain.rows import SceneRow
from widgets.action_lists.refine import REFINE
from widgets.record_reference import RecordReference
from widgets.refine.item_view import ON_STAGE
from widgets.translation import mark as _
from widgets.workspace_services import WorkspaceServices
from widgets.workspace_slot import StageSlot

if TYPE_CHECKING:
    # Imported on first use, to keep startup fast.
    from widgets.library.record_list import RecordList
    from widgets.library.workspace import LibraryWorkspace
    from widgets.refine.workspace import RefineWorkspace


class RefineSlot(StageSlot["RefineWorkspace"]):
    """Holds the Refine workspace; its name is that of the displayed item."""

    id = rail = icon = "refine"
    title = _("Refine")
    key = "Ctrl+3"
    purpose = _(
        "This workspace shows each item with its images. You correct question, options and answer, "
        "and accept the item. Open a project or create a new one."
    )
    actions = REFINE
    contexts = frozenset({"refine", "stage"})
    stage_contexts = frozenset({"refine"})
    records = frozenset({*ON_STAGE, "comment", "flag", "item", "response"})
    _requested: RecordReference | None = None

    def create(self, services: WorkspaceServices) -> RefineWorkspace:
        """Create the workspace."""
        from widgets.refine.workspace import RefineWorkspace

        return RefineWorkspace(services)

    def hide(self) -> None:
        """Let the Library's list of items select the displayed one, because another workspace is opened."""
        number = self.workspace.queue.hand_over() if self.workspace is not None else None
        if number is not None and self.library is not None:
            listing = self.library.listings["item"]
            index = listing.model.index_of(number)
            # Choosing the current row again would clear the selection of the other rows.
            if index >= 0 and index != listing.table.current_position():
                listing.table.choose_row(index)

    def show_record(self, record: RecordReference) -> None:
        """Show one item, or the items with a name; the chip All shows the whole queue again."""
        if self.workspace is None or record.entity != "item":
            return
        self._requested = record
        if record.id:
            self.workspace.queue.show_only(record.id)
        else:
            self.workspace.queue.show_item(record.name)

    def refresh(self) -> None:
        """Show the Library's list of items; of a list of scenes, the first item of the current scene."""
        from widgets.refine.queue_list import first_item_of

        library, session = self.library, self.session
        self._requested = None
        if library is None or session is None:
            return
        scene = library.listing().current_row() if library.front == "scene" else None
        if isinstance(scene, SceneRow):
            question = partial(first_item_of, scene=scene.id)
            is_chosen = library.listings["scene"].table.current_position() > 0
            done = partial(self._start, library, is_chosen=is_chosen)
            self.parts.bridge.query(session, question, done=done, channel=(id(self), "item"))
        else:
            listing = library.listings["item"]
            index, numbers = listing.table.current_position(), listing.model.numbers
            number = int(numbers[index]) if 0 <= index < len(numbers) else None
            self._start(library, number, is_chosen=index > 0)

    def comment_subject(self) -> RecordReference | None:
        """Return the item that is shown."""
        view = self.workspace.loader.view if self.workspace is not None else None
        if view is None:
            return None
        return RecordReference(entity="item", id=view.item.id, name=view.item.name)

    def queues(self) -> Iterable[tuple[str, RecordList]]:
        """Return the queue of items."""
        return (("item", self.workspace.queue.listing),) if self.workspace is not None else ()

    def _start(self, library: LibraryWorkspace, number: int | None, *, is_chosen: bool) -> None:
        from widgets.refine.queue_list import QueueStart

        listing = library.listings["item"]
        if self.workspace is not None:
            query = cast("ItemQuery", listing.query)
            start = QueueStart(query=query, order=listing.order, number=number, is_chosen=is_chosen)
            self.workspace.queue.follow(start)
            if self._requested is not None:
                # Asked for while the item of the scene was being read.
                self.show_record(self._requested)
