"""Keyboard navigation of a workspace with a list, a stage and a panel."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from widgets.focus import focus_next, holds_keyboard
from widgets.search_box import SearchBox
from widgets.workspace_panes import WorkspacePanes


class WorkspaceNavigation(QObject):
    """Executes the actions on the workspace that is shown."""

    def __init__(
        self,
        *,
        panes: WorkspacePanes,
        search: SearchBox | None,
        lists: tuple[QWidget, QWidget],
        focus_home: Callable[[], object],
        parent: QObject,
    ) -> None:
        """Set up.

        Args:
            panes: Panel of the list, stage, and the other panel.
            search: Search box of the left panel, None for none.
            lists: Widget of the left and widget of the right panel that takes the keyboard focus.
            focus_home: Sets the keyboard focus to the main widget of the workspace.
            parent: Owner.
        """
        super().__init__(parent)
        self._panes, self._left, self._middle, self._right = panes, panes.left, panes.middle, panes.right
        self._search, self._lists, self._focus_home = search, lists, focus_home

    def take_keyboard(self) -> None:
        """Set the keyboard focus to the main widget of the workspace."""
        self._focus_home()

    def focus_search(self) -> None:
        """Set the keyboard focus to the search box."""
        if self._search is not None:
            self._panes.show_left(True)
            self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self._search.selectAll()

    def clear_search(self) -> bool:
        """Clear the search text; return whether there was one."""
        if self._search is None or not self._search.text():
            return False
        self._search.clear()
        return True

    def focus_next_pane(self) -> None:
        """Set the keyboard focus to the next pane: list, stage, panel."""
        scenes, annotations = self._lists
        focus_next((self._left, scenes), (self._middle, self._middle), (self._right, annotations))
        if self._middle.hasFocus():
            self._focus_home()

    def toggle_left_panel(self) -> None:
        """Show or hide the list."""
        self._toggle(self._left, self._panes.show_left)

    def toggle_right_panel(self) -> None:
        """Show or hide the panel on the right."""
        self._toggle(self._right, self._panes.show_right)

    def _toggle(self, panel: QWidget, show: Callable[[bool], object]) -> None:
        had_keyboard = holds_keyboard(panel)
        show(not panel.isVisible())
        if had_keyboard:
            self._focus_home()
