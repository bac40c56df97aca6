"""The slot of the Scores workspace: creates the workspace when it is first opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget

from widgets.action_registry import ActionRegistry
from widgets.bridge import Bridge
from widgets.project_controller import ProjectController
from widgets.settings import Settings
from widgets.workspace_slot import WorkspaceSlot

if TYPE_CHECKING:
    # Imported on demand, to keep the start of the window short.
    from widgets.scores.workspace import ScoresWorkspace


class ScoresSlot(WorkspaceSlot):
    """Contains the Scores workspace, which shows no record of the project.

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
        super().__init__(pages, title="Scores", registry=registry)
        self._controller, self._bridge, self._settings = controller, bridge, settings
        self.workspace: ScoresWorkspace | None = None

    def open(self) -> None:
        """Create the workspace if it does not exist."""
        session = self._controller.session
        if session is None or self.workspace is not None:
            return
        from widgets.scores.workspace import ScoresWorkspace

        made = self.workspace = ScoresWorkspace(
            session=session,
            controller=self._controller,
            bridge=self._bridge,
            registry=self._registry,
            settings=self._settings,
        )
        self.put(made, settling=made)

    def leave(self) -> None:
        """Replace the workspace by its placeholder page before the project is closed."""
        if self.workspace is not None:
            self.workspace.leave()
            self.workspace.release_needs()
            self.workspace = None
            self.put_page()
