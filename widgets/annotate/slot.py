"""The workspace slot of Annotate: creates the workspace on first use, and removes it with the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget

from widgets.action_registry import ActionRegistry
from widgets.bridge import Bridge
from widgets.library.workspace import LibraryWorkspace
from widgets.project_controller import ProjectController
from widgets.settings import Settings
from widgets.workspace_slot import StageSlot

if TYPE_CHECKING:
    # Imported on first use, to keep startup fast.
    from widgets.annotate.workspace import AnnotateWorkspace


class AnnotateSlot(StageSlot):
    """Holds the Annotate workspace; its title is the name of the displayed scene."""

    def __init__(
        self,
        pages: QStackedWidget,
        *,
        registry: ActionRegistry,
        controller: ProjectController,
        bridge: Bridge,
        settings: Settings,
    ) -> None:
        super().__init__(
            pages,
            title="Annotate",
            registry=registry,
            controller=controller,
            bridge=bridge,
            settings=settings,
        )
        self.workspace: AnnotateWorkspace | None = None

    def open(self, library: LibraryWorkspace) -> None:
        """Create the workspace if necessary, and show the scene of the current record of the Library."""
        session = self.controller.session
        if session is None:
            return
        if self.workspace is None:
            from widgets.annotate.workspace import AnnotateWorkspace

            made = self.workspace = AnnotateWorkspace(
                session=session,
                controller=self.controller,
                bridge=self.bridge,
                registry=self.registry,
                settings=self.settings,
                thumbnails=library.thumbnails,
                stage_media=library.stage_media,
            )
            made.place_changed.connect(self.show_name)
            self.put(made, settling=made)
        followed = library.follower.followed(library.front)
        if followed is not None:
            self.workspace.followed.follow(followed)
        self.workspace.take_keys()

    def hand_back(self, library: LibraryWorkspace) -> None:
        """Let the Library's lists select the displayed scene, because another workspace is opened."""
        place = self.workspace.followed.place() if self.workspace is not None else None
        if place is not None:
            library.follower.hand_over(library.front, place)

    def leave(self) -> None:
        """Replace the workspace by the start page, because the project is being closed."""
        if self.workspace is not None:
            self.workspace.leave()
            self.workspace = None
            self.put_back()
