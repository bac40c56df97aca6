"""The place of a workspace in the window: a page that says what it is for, until it is first wanted."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from widgets.action_registry import ActionRegistry
from widgets.actions import WORKSPACES
from widgets.placeholder_pages import make_page


class HasSettled(Protocol):
    """A workspace that can tell whether everything that was asked for is on the screen."""

    def is_settled(self) -> bool:
        """Tell whether it is."""


class WorkspaceSlot(QObject):
    """Holds a workspace, or the page that says what it is for.

    Attributes:
        name: What is shown there, "" for nothing in particular.

    Signals:
        name_changed: Something else is shown there.
    """

    name_changed = Signal()

    def __init__(self, pages: QStackedWidget, *, title: str, board: ActionRegistry) -> None:
        """Begin with the page that stands there.

        Args:
            pages: One page a workspace, in the order of the rail.
            title: English word of the workspace.
            board: Offers the first steps on the page.
        """
        super().__init__(pages)
        self.name = ""
        self._pages, self._title, self._board = pages, title.lower(), board
        self._place = WORKSPACES.index(title)
        self._settling: HasSettled | None = None

    def is_settled(self) -> bool:
        """Tell whether everything that was asked for is on the screen."""
        return self._settling is None or self._settling.is_settled()

    def put(self, workspace: QWidget, *, settling: HasSettled) -> None:
        """Put a workspace in the place of the page."""
        self._settling = settling
        self._swap(workspace)

    def put_page(self) -> None:
        """Put the page in the place of the workspace, which is going with its project."""
        self._settling, self.name = None, ""
        self._swap(make_page(self._title, board=self._board))

    def _swap(self, widget: QWidget) -> None:
        before = self._pages.widget(self._place)
        self._pages.insertWidget(self._place, widget)
        if before is not None:
            self._pages.removeWidget(before)
            before.deleteLater()

    def show_name(self, name: str) -> None:
        """Say that something else is shown there."""
        self.name = name
        self.name_changed.emit()
