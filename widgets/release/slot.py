"""The slot of the Release workspace: creates the workspace when it is first opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget

from widgets.action_registry import ActionRegistry
from widgets.bridge import Bridge
from widgets.library.record_types import Query
from widgets.library.workspace import LibraryWorkspace
from widgets.project_controller import ProjectController
from widgets.settings import Settings
from widgets.workspace_slot import WorkspaceSlot

if TYPE_CHECKING:
    # Imported on demand, to keep the start of the window short.
    from widgets.release.workspace import ReleaseWorkspace


class ReleaseSlot(WorkspaceSlot):
    """Contains the Release workspace, which shows no single record.

    Attributes:
        workspace: The workspace, None until it is first opened and after its project is closed.
    """

    def __init__(
        self,
        pages: QStackedWidget,
        *,
        registry: ActionRegistry,
        controller: ProjectController,
        bridge: Bridge,
        settings: Settings,
    ) -> None:
        super().__init__(pages, title="Release", registry=registry)
        self._controller, self._bridge, self._settings = controller, bridge, settings
        self.workspace: ReleaseWorkspace | None = None

    def open(self) -> None:
        """Create the workspace if it does not exist."""
        session = self._controller.session
        if session is None or self.workspace is not None:
            return
        from widgets.release.workspace import ReleaseWorkspace

        made = self.workspace = ReleaseWorkspace(
            session=session,
            controller=self._controller,
            bridge=self._bridge,
            registry=self._registry,
            settings=self._settings,
        )
        made.query_requested.connect(self._on_workspace_query_requested)
        self.put(made, settling=made)

    def leave(self) -> None:
        """Replace the workspace by its placeholder page before the project is closed."""
        if self.workspace is not None:
            self.workspace.leave()
            self.workspace.release_needs()
            self.workspace = None
            self.put_page()

    def _on_workspace_query_requested(self, query: Query) -> None:
        library = self._registry.owner("library")
        if isinstance(library, LibraryWorkspace):
            self._registry.run("go.library")
            library.show_query(query)
