"""The workspace slot of the second look: creates the workspace on first use, removes it with the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from widgets.library.workspace import LibraryWorkspace
from widgets.workspace_services import WorkspaceServices
from widgets.workspace_slot import StageSlot

if TYPE_CHECKING:
    # Imported on first use, to keep startup fast.
    from widgets.second_look.workspace import SecondLookWorkspace


class SecondLookSlot(StageSlot["SecondLookWorkspace"]):
    """Holds the workspace of the second look; its title is the name of the displayed item."""

    title = "Second look"

    def create(self, services: WorkspaceServices) -> SecondLookWorkspace:
        """Create the workspace."""
        from widgets.second_look.workspace import SecondLookWorkspace

        return SecondLookWorkspace(services)

    def hand_back(self, library: LibraryWorkspace) -> None:
        """Leave the Library where it is: it would show the key of the item that is being answered."""

    def follow(self, library: LibraryWorkspace) -> None:
        """Show the items that wait for an answer of this person, whatever the Library shows."""
        session = self.controller.session
        if self.workspace is not None and session is not None:
            self.workspace.open_for(session.actor.id)
