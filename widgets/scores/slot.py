"""The slot of the Scores workspace: creates the workspace when it is first opened."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget

from annotator.session import Session
from widgets.action_registry import ActionRegistry
from widgets.bridge import Bridge
from widgets.library.workspace import LibraryWorkspace
from widgets.project_controller import ProjectController
from widgets.settings import Settings
from widgets.stage.stage_media import StageMedia
from widgets.workspace_slot import WorkspaceSlot

if TYPE_CHECKING:
    # Imported on demand, to keep the start of the window short.
    from widgets.scores.error_browser import ErrorBrowser
    from widgets.scores.score_pages import ScorePages
    from widgets.scores.workspace import ScoresWorkspace


class ScoresSlot(WorkspaceSlot):
    """Contains the Scores workspace.

    Attributes:
        workspace: The scores, None until the workspace is first opened and after its project is closed.
        pages: The workspace with the error browser, None together with the scores.
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
        self.pages: ScorePages | None = None

    def open(self, library: LibraryWorkspace) -> None:
        """Create the workspace if it does not exist."""
        session = self._controller.session
        if session is None or self.workspace is not None:
            return
        from widgets.scores.score_pages import ScorePages
        from widgets.scores.workspace import ScoresWorkspace

        made = self.workspace = ScoresWorkspace(
            session=session,
            controller=self._controller,
            bridge=self._bridge,
            registry=self._registry,
            settings=self._settings,
        )
        make_browser = partial(self._make_browser, session, library.stage_media)
        self.pages = ScorePages(made, make_browser=make_browser)
        self.put(self.pages, settling=self.pages)

    def leave(self) -> None:
        """Replace the workspace by its placeholder page before the project is closed."""
        if self.pages is not None:
            self.pages.leave()
            self.workspace = self.pages = None
            self.put_page()

    def _make_browser(self, session: Session, stage_media: StageMedia) -> ErrorBrowser:
        from widgets.scores.error_browser import ErrorBrowser

        return ErrorBrowser(
            session=session,
            controller=self._controller,
            bridge=self._bridge,
            registry=self._registry,
            settings=self._settings,
            stage_media=stage_media,
        )
