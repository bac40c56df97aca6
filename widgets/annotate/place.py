"""The place of the Annotate workspace in the window: made when it is first wanted, gone with the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from widgets import garbage
from widgets.action_board import ActionBoard
from widgets.actions import WORKSPACES
from widgets.bridge import Bridge
from widgets.desk import Desk
from widgets.library.workspace import Library
from widgets.pages import make_page
from widgets.settings import Settings

if TYPE_CHECKING:
    # Imported when it is first opened: the start of the window does without it.
    from widgets.annotate.workspace import Annotate

PLACE = [title.lower() for title in WORKSPACES].index("annotate")


class AnnotatePlace(QObject):
    """Holds the workspace, or the page that says what it is for.

    Signals:
        name_changed: Another scene is shown there; ``name`` is its name.
    """

    name_changed = Signal()

    def __init__(
        self, pages: QStackedWidget, *, board: ActionBoard, desk: Desk, bridge: Bridge, settings: Settings
    ) -> None:
        super().__init__(pages)
        self._pages, self._board, self._desk = pages, board, desk
        self._bridge, self._settings = bridge, settings
        self.workspace: Annotate | None = None
        self.name = ""

    def open(self, library: Library) -> None:
        """Make the workspace where there is none, at the scene of the Library; give it the keyboard."""
        session = self._desk.session
        if session is None:
            return
        if self.workspace is None:
            from widgets.annotate.workspace import Annotate

            garbage.set_aside_more()
            made = self.workspace = Annotate(
                session=session,
                desk=self._desk,
                bridge=self._bridge,
                board=self._board,
                settings=self._settings,
                thumbnails=library.thumbnails,
                footage=library.footage,
            )
            made.place_changed.connect(self._on_workspace_place_changed)
            scenes = library.listings["scene"]
            made.open_at(scenes.query, place=scenes.table.place())
            self._put(made)
        self.workspace.take_keys()
        self.workspace.focus_stage()

    def leave(self) -> None:
        """Put the page in the place of the workspace; the project is going."""
        if self.workspace is not None:
            self.workspace.leave()
            self.workspace, self.name = None, ""
            self._board.set_there("stage", False)
            self._put(make_page("annotate", board=self._board))

    def is_settled(self) -> bool:
        """Tell whether everything that was asked for is on the screen."""
        return self.workspace is None or self.workspace.is_settled()

    def _put(self, page: QWidget) -> None:
        before = self._pages.widget(PLACE)
        self._pages.insertWidget(PLACE, page)
        if before is not None:
            self._pages.removeWidget(before)
            before.deleteLater()

    def _on_workspace_place_changed(self, name: str) -> None:
        self.name = name
        self.name_changed.emit()
