"""The workspace slot of the second look: creates the workspace on first use, removes it with the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from widgets.action_lists.second_look import SECOND_LOOK
from widgets.record_reference import RecordReference
from widgets.refine.item_view import ON_STAGE
from widgets.translation import mark as _
from widgets.workspace_services import WorkspaceServices
from widgets.workspace_slot import StageSlot

if TYPE_CHECKING:
    # Imported on first use, to keep startup fast.
    from widgets.second_look.workspace import SecondLookWorkspace


class SecondLookSlot(StageSlot["SecondLookWorkspace"]):
    """Holds the workspace of the second look; its name is that of the displayed item.

    The Library stays where it is: it would show the key of the item that is being answered.
    """

    id = "second_look"
    title = _("Second look")
    icon = "second-look"
    key = "Ctrl+7"
    needs = "project"
    rail = "refine"
    purpose = _(
        "This workspace asks you to answer items without seeing their answer keys, and to decide on the "
        "answer key afterwards. Open a project or create a new one."
    )
    actions = SECOND_LOOK
    contexts = frozenset({"second_look", "stage"})
    stage_contexts = frozenset({"second_look"})
    records = frozenset({*ON_STAGE, "assignment", "item", "response"})

    def create(self, services: WorkspaceServices) -> SecondLookWorkspace:
        """Create the workspace."""
        from widgets.second_look.workspace import SecondLookWorkspace

        return SecondLookWorkspace(services)

    def refresh(self) -> None:
        """Show the items that wait for an answer of this person, whatever the Library shows."""
        if self.workspace is not None and self.session is not None:
            self.workspace.open_for(self.session.actor.id)

    def show_record(self, record: RecordReference) -> None:
        """Show an item, if it waits for an answer of this person."""
        if self.workspace is not None:
            self.workspace.queue.show_item(record)
