"""The slot of the Release workspace: creates the workspace when it is first opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from widgets.action_lists.release import RELEASE
from widgets.translation import mark as _
from widgets.workspace_services import WorkspaceServices
from widgets.workspace_slot import WorkspaceSlot

if TYPE_CHECKING:
    # Imported on demand, to keep the start of the window short.
    from widgets.release.workspace import ReleaseWorkspace


class ReleaseSlot(WorkspaceSlot["ReleaseWorkspace"]):
    """Holds the Release workspace, which shows no single record.

    A gate can count records of any type, so that every change concerns it.
    """

    id = rail = icon = "release"
    title = _("Release")
    key = "Ctrl+6"
    purpose = _(
        "This workspace shows what must hold before a release, with the number that is left, and what "
        "the release will be. Open a project or create a new one."
    )
    actions = RELEASE
    contexts = frozenset({"release"})

    def create(self, services: WorkspaceServices) -> ReleaseWorkspace:
        """Create the workspace."""
        from widgets.release.workspace import ReleaseWorkspace

        workspace = ReleaseWorkspace(services)
        workspace.query_requested.connect(self.show_in_library)
        return workspace
