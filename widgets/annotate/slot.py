"""The place of the Annotate workspace in the window: made when it is first wanted, gone with the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget

from widgets.action_registry import ActionRegistry
from widgets.bridge import Bridge
from widgets.library.workspace import LibraryWorkspace
from widgets.project_controller import ProjectController
from widgets.settings import Settings
from widgets.workspace_slot import WorkspaceSlot

if TYPE_CHECKING:
    # Imported when it is first opened: the start of the window does without it.
    from widgets.annotate.workspace import AnnotateWorkspace


class AnnotateSlot(WorkspaceSlot):
    """Holds the Annotate workspace; its name is that of the scene shown."""

    def __init__(
        self,
        pages: QStackedWidget,
        *,
        board: ActionRegistry,
        controller: ProjectController,
        bridge: Bridge,
        settings: Settings,
    ) -> None:
        super().__init__(pages, title="Annotate", board=board)
        self._controller, self._bridge, self._settings = controller, bridge, settings
        self.workspace: AnnotateWorkspace | None = None

    def open(self, library: LibraryWorkspace) -> None:
        """Make the workspace where there is none, and show the scene of the record that the Library is at."""
        session = self._controller.session
        if session is None:
            return
        if self.workspace is None:
            from widgets.annotate.workspace import AnnotateWorkspace

            made = self.workspace = AnnotateWorkspace(
                session=session,
                controller=self._controller,
                bridge=self._bridge,
                board=self._board,
                settings=self._settings,
                thumbnails=library.thumbnails,
                footage=library.footage,
            )
            made.place_changed.connect(self.show_name)
            self.put(made, settling=made)
        followed = library.follower.followed(library.front)
        if followed is not None:
            self.workspace.followed.follow(followed)
        self.workspace.take_keys()

    def hand_back(self, library: LibraryWorkspace) -> None:
        """Let the Library go to the record of the scene that is shown: another workspace is opened."""
        place = self.workspace.followed.place() if self.workspace is not None else None
        if place is not None:
            library.follower.go_to(library.front, place)

    def leave(self) -> None:
        """Put the page in the place of the workspace; the project is going."""
        if self.workspace is not None:
            self.workspace.leave()
            self.workspace = None
            self._board.set_there("stage", False)
            self.put_page()
